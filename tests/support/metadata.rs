//! Published meta-data: the losses of the same configurations on many data sets, which lie beside the repository and are never in it.

use std::path::Path;

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
    configurations: usize,
    losses: Vec<f64>,
}

impl Metadata {
    /// That of `adaboost` or `svm`, if it is there.
    ///
    /// # Panics
    /// If it is not what it was.
    #[must_use]
    pub fn read(learner: &str) -> Option<Self> {
        let text = shared(&format!("data/wistuba_{learner}_accuracy.csv"))?;
        let mut lines = text.lines();
        let configurations = lines.next().expect("a heading").split(',').count() - 1;
        let (mut names, mut losses) = (Vec::new(), Vec::new());
        for line in lines {
            let mut cells = line.split(',');
            names.push(cells.next().expect("a name").to_owned());
            losses.extend(cells.map(|cell| 1.0 - cell.parse::<f64>().expect("an accuracy")));
        }
        assert_eq!(losses.len(), names.len() * configurations, "{learner}");
        Some(Self { names, configurations, losses })
    }

    /// How many data sets there are.
    #[must_use]
    pub fn sets(&self) -> usize {
        self.names.len()
    }

    /// How many configurations there are.
    #[must_use]
    pub fn configurations(&self) -> usize {
        self.configurations
    }

    /// The name of a data set.
    #[must_use]
    pub fn name(&self, set: usize) -> &str {
        &self.names[set]
    }

    /// The losses on each data set.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.losses.chunks_exact(self.configurations)
    }

    /// The lowest and the highest loss on a data set.
    #[must_use]
    pub fn range(&self, set: usize) -> (f64, f64) {
        let row = &self.losses[set * self.configurations..][..self.configurations];
        row.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &v| (lo.min(v), hi.max(v)))
    }
}
