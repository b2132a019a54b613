//! Meta-data: the losses of the same configurations on many data sets. What is published lies beside the repository and is never in
//! it.

use std::path::Path;

use crate::grid::{Axis, Grid};
use crate::random::SplitMix64;

/// A file beside the repository, if it is there; says so if it is not.
#[must_use]
pub fn shared(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(name);
    let text = std::fs::read_to_string(path).ok();
    if text.is_none() {
        println!("skipped: {name} is not beside the repository");
    }
    text
}

/// The losses of all configurations of a grid on all data sets.
#[derive(Clone, Debug)]
pub struct Metadata {
    names: Vec<String>,
    grid: Grid,
    losses: Vec<f64>,
    features: Vec<Vec<f64>>,
}

impl Metadata {
    /// Losses data set by data set; each data set has a name and its meta-features.
    ///
    /// # Panics
    /// Unless there is a loss for each configuration on each data set, and as many meta-features of each.
    #[must_use]
    pub fn new(grid: Grid, sets: Vec<(String, Vec<f64>)>, losses: Vec<f64>) -> Self {
        let (names, features): (Vec<_>, Vec<_>) = sets.into_iter().unzip();
        assert_eq!(losses.len(), names.len() * grid.configurations());
        assert!(features.iter().all(|own| own.len() == features[0].len()));
        Self { names, grid, losses, features }
    }

    /// That of `adaboost` or `svm`, if it is there; the meta-features are scaled to lie between 0 and 1.
    ///
    /// # Panics
    /// If it is not what it was.
    #[must_use]
    pub fn read(learner: &str) -> Option<Self> {
        let text = shared(&format!("data/wistuba_{learner}_accuracy.csv"))?;
        let rows = shared(&format!("data/wistuba_{learner}_grid.csv"))?;
        let grid = if learner == "svm" { svm(&rows) } else { adaboost(&rows) };
        let features = shared("data/wistuba_metafeatures.csv")?;
        let mut features = features.lines().skip(1).map(named);
        let (mut sets, mut losses) = (Vec::new(), Vec::new());
        for line in text.lines().skip(1) {
            let (name, accuracies) = named(line);
            losses.extend(accuracies.into_iter().map(|accuracy| 1.0 - accuracy));
            sets.push(features.next().expect("meta-features of each"));
            assert_eq!(sets[sets.len() - 1].0, name, "{learner}");
        }
        Some(Self::new(grid, sets, losses))
    }

    /// The same with as many configurations in its thinned part, drawn at random.
    #[must_use]
    pub fn thinned_at_random(self, seed: u64) -> Self {
        let count = self.grid.thinned().count();
        self.thinned_to(count, seed)
    }

    fn thinned_to(self, mut left: usize, seed: u64) -> Self {
        let (count, mut random) = (self.configurations(), SplitMix64::new(seed));
        let mut thinned = vec![false; count];
        while left > 0 {
            let drawn = random.below(count);
            left -= usize::from(!thinned[drawn]);
            thinned[drawn] = true;
        }
        Self { grid: self.grid.thin(thinned), ..self }
    }

    /// What the sources alone say: the configurations of the thinned part, half of which, drawn at random, are its own thinned part.
    ///
    /// Whoever chooses settings on it has seen no value that a run on the whole grid is judged by but those of its sources.
    ///
    /// # Panics
    /// Unless the thinned part has every combination of its levels.
    #[must_use]
    pub fn inside(&self, seed: u64) -> Self {
        let grid = self.grid.of_thinned();
        let places: Vec<usize> =
            (0..grid.configurations()).map(|x| self.grid.configuration(grid.point(x))).collect();
        let losses = self.rows().flat_map(|row| places.iter().map(|&x| row[x]).collect::<Vec<_>>()).collect();
        let sets = self.names.iter().cloned().zip(self.features.iter().cloned()).collect();
        let half = grid.configurations() / 2;
        Self::new(grid, sets, losses).thinned_to(half, seed)
    }

    /// How many data sets there are.
    #[must_use]
    pub fn sets(&self) -> usize {
        self.names.len()
    }

    /// How many configurations there are.
    #[must_use]
    pub fn configurations(&self) -> usize {
        self.grid.configurations()
    }

    /// What was run.
    #[must_use]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The name of a data set.
    #[must_use]
    pub fn name(&self, set: usize) -> &str {
        &self.names[set]
    }

    /// The meta-features of a data set.
    #[must_use]
    pub fn features(&self, set: usize) -> &[f64] {
        &self.features[set]
    }

    /// The losses on a data set.
    #[must_use]
    pub fn row(&self, set: usize) -> &[f64] {
        &self.losses[set * self.configurations()..][..self.configurations()]
    }

    /// The losses on each data set.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.losses.chunks_exact(self.configurations())
    }

    /// The lowest and the highest loss on a data set.
    #[must_use]
    pub fn range(&self, set: usize) -> (f64, f64) {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        self.row(set).iter().fold(ends, |(lo, hi), &v| (lo.min(v), hi.max(v)))
    }
}

/// A name and the numbers behind it.
fn named(line: &str) -> (String, Vec<f64>) {
    let mut cells = line.split(',');
    let name = cells.next().expect("a name").to_owned();
    (name, cells.map(|cell| cell.parse().expect("a number")).collect())
}

/// A number, NaN where the cell is empty.
fn number(cell: &str) -> f64 {
    if cell.is_empty() { f64::NAN } else { cell.parse().expect("a number") }
}

/// Kernel (RBF, polynomial, linear), C, γ of the first, degree of the second.
fn svm(rows: &str) -> Grid {
    const KERNELS: [&str; 3] = ["rbf", "polynomial", "linear"];
    const C: &[f64] = &[0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
    const GAMMA: &[f64] = &[1e-4, 1e-3, 0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0];
    const DEGREE: &[f64] = &[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
    let axes = [Axis::category(&[0.0, 1.0, 2.0]), Axis::levels(C), Axis::levels(GAMMA), Axis::levels(DEGREE)];
    let (mut points, mut thinned) = (Vec::new(), Vec::new());
    for line in rows.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let kernel = KERNELS.iter().position(|kernel| *kernel == cells[7]).expect("a kernel");
        points.push(kernel as f64);
        points.extend(cells[8..11].iter().map(|cell| number(cell)));
        // Not quite every third: what the published encoding turns into a zero is in it, too.
        thinned.push(cells[11] == "1");
    }
    Grid::new(&axes, &[(2, 0, 0.0), (3, 0, 1.0)], points).thin(thinned)
}

/// Iterations and product terms.
fn adaboost(rows: &str) -> Grid {
    const ITERATIONS: &[f64] =
        &[2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0];
    const TERMS: &[f64] = &[2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0];
    let points = rows.lines().skip(1).flat_map(|line| line.split(',').skip(3).map(number));
    Grid::new(&[Axis::levels(ITERATIONS), Axis::levels(TERMS)], &[], points.collect())
}
