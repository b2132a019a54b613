//! Search on each data set of some meta-data, with sources made of the others.

use std::time::Instant;

use infill::transfer::{Form, Rule, Sequence, Source, Sources};
use infill::{Ask, Config, Error, Optimizer, Space};

use crate::metadata::Metadata;
use crate::random::SplitMix64;

/// An optimizer whose memory is its own.
pub type Owned = Optimizer<f64, Vec<u64>>;

/// One run: on which data set, from which seed, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// The data set that is left out of the sources.
    pub target: usize,
    /// Counts from 0.
    pub seed: u64,
    /// Evaluations in all.
    pub trials: usize,
}

impl Task {
    /// A seed that no other data set has, below 2³² data sets.
    #[must_use]
    pub fn own_seed(&self) -> u64 {
        self.seed << 32 | self.target as u64
    }
}

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its configurations in their order.
    pub chosen: Vec<usize>,
    /// Seconds that an ask and its tell took, on average over those that were not given.
    pub seconds: f64,
}

/// Meta-data with what is made of it once: a source of each data set, of its thinned rows, and its means over the grid.
#[derive(Debug)]
pub struct Study<'a> {
    data: &'a Metadata,
    /// How often each source is given.
    copies: u32,
    /// The words of the source of each data set.
    sources: Vec<Vec<u64>>,
    /// The means of each, from 0 to 1, over all configurations.
    means: Vec<Vec<f64>>,
}

impl<'a> Study<'a> {
    /// Trains a source on each data set.
    ///
    /// # Panics
    /// If the library refuses one.
    #[must_use]
    pub fn new(data: &'a Metadata) -> Self {
        Self::misled(data, &|_| false, 1)
    }

    /// The same with the losses of some sources reversed, so that what they teach is wrong, and with several copies of each source.
    ///
    /// # Panics
    /// As [`Study::new`].
    #[must_use]
    pub fn misled(data: &'a Metadata, reversed: &dyn Fn(usize) -> bool, copies: u32) -> Self {
        let space = data.grid().space();
        let everything: Vec<usize> = (0..data.configurations()).collect();
        // A source of equal values is not trained. It is asked for nothing but where the points lie in the unit cube.
        let flat = source(&space, data, &everything, &|_| 0.0, &[]);
        let units = Source::<f64>::attach(&flat).expect("a source").points();
        let thinned: Vec<usize> = data.grid().thinned().collect();
        let (mut sources, mut means) = (Vec::new(), Vec::new());
        for set in 0..data.sets() {
            let sign = if reversed(set) { -1.0 } else { 1.0 };
            let words = source(&space, data, &thinned, &|x| sign * data.row(set)[x], data.features(set));
            let source = Source::<f64>::attach(&words).expect("a source");
            let size = source.size();
            let mut work = vec![0.0; Source::<f64>::mean_work(size.rows, size.dims, size.thetas, 64)];
            let mut mean = vec![0.0; data.configurations()];
            source.means(units, &mut mean, &mut work).expect("room");
            sources.push(words);
            means.push(mean);
        }
        Self { data, copies, sources, means }
    }

    /// What it is made of.
    #[must_use]
    pub fn data(&self) -> &'a Metadata {
        self.data
    }

    /// The sources of all data sets but one, in the order of their data sets: words for [`Sources::attach`].
    #[must_use]
    pub fn without(&self, target: usize) -> Vec<u64> {
        let each = || self.others(target).flat_map(|set| self.sources[set].iter().copied());
        (0..self.copies).flat_map(|_| each()).collect()
    }

    /// The configurations that together serve the sources best, one after the other.
    ///
    /// ```text
    /// x₁ = argmin Σᵢ mᵢ(x),   next = argmin Σᵢ min(mᵢ(x), bᵢ),   bᵢ the lowest mean of i so far
    /// ```
    #[must_use]
    pub fn cover(&self, target: usize, count: usize) -> Vec<usize> {
        let mut lowest = vec![f64::INFINITY; self.data.sets()];
        let mut chosen: Vec<usize> = Vec::new();
        for _ in 0..count {
            let cost = |x: &usize| -> f64 {
                self.others(target).map(|set| self.means[set][*x].min(lowest[set])).sum()
            };
            let left = (0..self.data.configurations()).filter(|x| !chosen.contains(x));
            let best = left.min_by(|a, b| cost(a).total_cmp(&cost(b))).expect("more configurations");
            for (lowest, means) in lowest.iter_mut().zip(&self.means) {
                *lowest = lowest.min(means[best]);
            }
            chosen.push(best);
        }
        chosen
    }

    /// One configuration by chance.
    #[must_use]
    pub fn random(&self, task: &Task) -> usize {
        SplitMix64::new(task.own_seed()).below(self.data.configurations())
    }

    /// A run without a model, over all rows of the other data sets.
    ///
    /// # Panics
    /// If there are fewer configurations than trials.
    #[must_use]
    pub fn sequence(&self, task: &Task, rule: Rule) -> Run {
        let configurations = self.data.configurations();
        let table: Vec<f64> = self.others(task.target).flat_map(|set| self.data.row(set).to_vec()).collect();
        let mut words = vec![0; Sequence::<f64>::words(self.data.sets() - 1, configurations)];
        let mut sequence = Sequence::new(&table, configurations, &mut words).expect("a table");
        let mut chosen = Vec::with_capacity(task.trials);
        let start = Instant::now();
        for _ in 0..task.trials {
            let x = sequence.next(rule).expect("more configurations");
            sequence.tell(x, self.data.row(task.target)[x]).expect("a value");
            chosen.push(x);
        }
        Run { chosen, seconds: start.elapsed().as_secs_f64() / task.trials as f64 }
    }

    /// A run of an optimizer that evaluates the configurations of `start` first; then `ask` asks it, with the sources of the other
    /// data sets at hand. Its seed is that of the task.
    ///
    /// # Panics
    /// If the library refuses something, or proposes what is not in the grid.
    #[must_use]
    pub fn search(
        &self,
        task: &Task,
        config: &Config<'_>,
        start: &[usize],
        ask: impl Fn(&mut Owned, &Sources<'_, f64>, &mut [f64]) -> Result<Ask<f64>, Error>,
    ) -> Run {
        let (grid, losses) = (self.data.grid(), self.data.row(task.target));
        let config = Config { seed: task.own_seed(), ..*config };
        let space = grid.space();
        let count = self.copies * (self.data.sets() as u32 - 1);
        let rows = grid.thinned().count() as u32;
        let limits = space.limits(task.trials as u32).sources(count).source_rows(rows).suit(&config);
        let mut optimizer = Owned::with_limits(&space, &config, limits).expect("within its limits");
        let words = self.without(task.target);
        let sources = Sources::attach(&words).expect("sources");
        let sources = sources.with_features(self.data.features(task.target)).expect("numbers");
        for &x in start.iter().take(task.trials) {
            optimizer.enqueue(grid.point(x)).expect("a configuration");
        }
        let mut point = vec![0.0; grid.dims()];
        let mut run = Run::default();
        for trial in 0..task.trials {
            let begin = Instant::now();
            let ask = if trial < start.len() {
                optimizer.ask(&mut point)
            } else {
                ask(&mut optimizer, &sources, &mut point)
            };
            let id = ask.unwrap_or_else(|e| panic!("{}, trial {trial}: {e}", self.data.name(task.target))).id;
            let x = grid.configuration(&point);
            optimizer.tell(id, losses[x]).expect("an open trial");
            if trial >= start.len() {
                run.seconds += begin.elapsed().as_secs_f64();
            }
            run.chosen.push(x);
        }
        run.seconds /= task.trials.saturating_sub(start.len()).max(1) as f64;
        run
    }

    fn others(&self, target: usize) -> impl Iterator<Item = usize> {
        (0..self.data.sets()).filter(move |&set| set != target)
    }
}

/// The words of a source of some configurations.
fn source(
    space: &Space<'_>,
    data: &Metadata,
    configurations: &[usize],
    value: &dyn Fn(usize) -> f64,
    features: &[f64],
) -> Vec<u64> {
    let config = Config::default();
    let limits = space.limits(configurations.len() as u32).suit(&config);
    let mut optimizer = Owned::with_limits(space, &config, limits).expect("within its limits");
    for &x in configurations {
        optimizer.observe(data.grid().point(x), value(x)).expect("a configuration");
    }
    let size = optimizer.source_size(Form::Full, features.len()).expect("one model");
    let (mut work, mut words) = (vec![0; size.work::<f64>()], vec![0; size.words::<f64>()]);
    optimizer.export(Form::Full, features, &mut work, &mut words).expect("a source");
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::branches;

    #[test]
    fn sources_know_their_data_sets() {
        let data = branches(7);
        let study = Study::new(&data);
        let words = study.without(3);
        let sources = Sources::<f64>::attach(&words).unwrap();
        assert_eq!(sources.len(), data.sets() - 1);
        assert_eq!(sources.iter().filter(Source::is_informative).count(), data.sets() - 2);
        assert!(sources.iter().all(|source| source.features().len() == 2));
        // A third of each axis says where the valley is: the lowest mean is no bad configuration.
        for set in 0..data.sets() - 2 {
            let means = &study.means[set];
            let best = (0..means.len()).min_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap();
            let better = data.row(set).iter().filter(|&&loss| loss < data.row(set)[best]).count();
            assert!(better < means.len() / 5, "{}: {better} are better", data.name(set));
        }
    }

    #[test]
    fn a_run_starts_as_told_and_repeats_nothing() {
        let data = branches(7);
        let study = Study::new(&data);
        let task = Task { target: 3, seed: 1, trials: 8 };
        let start = study.cover(3, 5);
        let run = study.search(&task, &Config::default(), &start, |optimizer, _, point| optimizer.ask(point));
        assert_eq!(run.chosen[..5], start);
        let mut sorted = run.chosen.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 8);
        assert_ne!(study.random(&task), study.random(&Task { target: 4, ..task }));
    }
}
