//! Surrogate-model-free optimization: configurations of a finite table, in the order that was best on other data sets.

use super::distance::discordance;
use crate::block::Arena;
use crate::block::layout::sections;
use crate::error::Error;
use crate::real::Real;

/// How the next configuration of a [`Sequence`] is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// By the average of its ranks on all data sets (average ranking): a static order.
    AverageRanking,
    /// By what it adds to the best ranks so far on all data sets (A-SMFO): a static order.
    ///
    /// ```text
    /// argmin over x of Σ_D min over X_t ∪ {x} of rank_D
    /// ```
    Smfo,
    /// As [`Rule::Smfo`] over the `neighbours` data sets that are nearest by KTRC over what was told (NN-SMFO); over all of them
    /// before two values are told.
    NearestSmfo {
        /// How many, from 1.
        neighbours: u32,
    },
    /// By the improvement on the best told configuration, weighted by how alike the data sets are (active testing).
    ///
    /// ```text
    /// argmax over x of Σ_D (1 − KTRC_D) max(f_D(best) − f_D(x), 0)/(max f_D − min f_D)
    /// ```
    ///
    /// The first by its average rank.
    ActiveTesting,
}

sections! {
    (size: [usize; 2]) {
        /// The rank of each configuration among the pool of this pass, data set by data set.
        ranks: indices[size[0] * size[1]],
        /// The best rank of this pass on each data set.
        lowest: indices[size[0]],
        /// Ordered pairs of told configurations that a data set puts the other way round.
        discordant: indices[size[0]],
        /// 1 for the data sets that the next choice looks at.
        near: indices[size[0]],
        /// What became of each configuration: [`POOL`], [`PASS`] or [`GONE`].
        state: indices[size[1]],
        /// How far the values on each data set spread.
        spread: scalars[size[0]],
        /// The value of each on the new data set; NaN where none was told.
        told: scalars[size[1]],
    }
    => object {
        /// The memory of a sequence.
        struct Memory {}
    }
}

/// A configuration that was not proposed.
const POOL: u32 = 0;
/// One that was proposed in this pass: it counts in its ranks.
const PASS: u32 = 1;
/// One of an earlier pass.
const GONE: u32 = 2;

/// A sequence of configurations learnt from a table of values: the same configurations on several data sets, less is better.
///
/// Equal values share the lowest of their ranks, so that a data set with several best configurations is solved by any of them.
/// When each data set has its best configuration, the next pass ranks what is left. Of configurations that are equally good the
/// one of lower average rank comes first, then the first.
///
/// Nothing is allocated. One sequence is used by one thread at a time; it lives as long as the table and the words lent to it.
///
/// # References
/// Wistuba 2017, chapter 4, algorithms 2–4; Brazdil and Soares 2000 (average ranking); Leite, Brazdil and Vanschoren, *Selecting
/// Classification Algorithms with Active Testing*, 2012.
///
/// ```
/// use infill::transfer::{Rule, Sequence};
/// // Two of three data sets like the first configuration best, the other one the last.
/// let table = [0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.1, 0.2, 0.3];
/// let mut words = [0; Sequence::<f64>::words(3, 3)];
/// let mut sequence = Sequence::new(&table, 3, &mut words)?;
/// assert_eq!([0; 3].map(|_| sequence.next(Rule::Smfo).unwrap()), [0, 2, 1]);
/// assert_eq!(sequence.next(Rule::Smfo), None);
/// # Ok::<(), infill::Error>(())
/// ```
#[derive(Debug)]
pub struct Sequence<'a, R> {
    /// Data set by data set.
    values: &'a [R],
    configurations: usize,
    memory: Memory<'a, R>,
    /// How many values were told.
    count: usize,
}

impl<'a, R: Real> Sequence<'a, R> {
    /// Words of a sequence over so many data sets and configurations; `usize::MAX` for more than can be counted.
    #[must_use]
    pub const fn words(sets: usize, configurations: usize) -> usize {
        const MOST: usize = usize::MAX / 64;
        match sets.checked_mul(configurations) {
            Some(cells) if cells < MOST && sets < MOST && configurations < MOST => {
                Memory::<R>::section_words([sets, configurations])
            }
            Some(_) | None => usize::MAX,
        }
    }

    /// A sequence at its beginning; `values` has those of all configurations on the first data set, then on the second.
    ///
    /// Cost: O(data sets × configurations²).
    ///
    /// # Errors
    /// [`Error::NoData`] without configurations or data sets, [`Error::Shape`] if the last row is not full,
    /// [`Error::NotFinite`], [`Error::Memory`] for fewer than [`Sequence::words`].
    pub fn new(values: &'a [R], configurations: usize, words: &'a mut [u64]) -> Result<Self, Error> {
        Error::NoData.when(configurations == 0 || values.is_empty())?;
        let needed = values.len().next_multiple_of(configurations);
        Error::Shape { needed }.when(needed != values.len())?;
        Error::NotFinite.when(values.iter().any(|value| !value.is_finite()))?;
        let size = [values.len() / configurations, configurations];
        let needed = Self::words(size[0], size[1]);
        Error::Memory { needed }.when(words.len() < needed)?;
        let memory = Memory::cut(&mut Arena::new(words), size)?;
        let rows = values.chunks_exact(configurations);
        for (ranks, row) in memory.ranks.chunks_exact_mut(configurations).zip(rows) {
            for (rank, value) in ranks.iter_mut().zip(row) {
                *rank = 1 + row.iter().filter(|other| *other < value).count() as u32;
            }
        }
        for (spread, row) in memory.spread.iter_mut().zip(values.chunks_exact(configurations)) {
            let (lo, hi) = row.iter().fold((row[0], row[0]), |(lo, hi), &v| (lo.min(v), hi.max(v)));
            *spread = hi - lo;
        }
        memory.lowest.fill(u32::MAX);
        memory.discordant.fill(0);
        memory.state.fill(POOL);
        memory.told.fill(R::NAN);
        Ok(Self { values, configurations, memory, count: 0 })
    }

    /// The next configuration, which then leaves the pool; `None` if that is empty.
    ///
    /// Cost: O(data sets × configurations).
    pub fn next(&mut self, rule: Rule) -> Option<usize> {
        let chosen = match rule {
            Rule::AverageRanking => self.least(|_| 0.0),
            Rule::Smfo => self.cover(u32::MAX),
            Rule::NearestSmfo { neighbours } => self.cover(neighbours),
            Rule::ActiveTesting => self.test(),
        }?;
        self.memory.state[chosen] = PASS;
        let ranks = self.memory.ranks.chunks_exact(self.configurations);
        for (lowest, ranks) in self.memory.lowest.iter_mut().zip(ranks) {
            *lowest = (*lowest).min(ranks[chosen]);
        }
        Some(chosen)
    }

    /// Tells the value of a configuration on the new data set; of several, the last counts.
    ///
    /// Cost: O(data sets × told values).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a configuration that is not there, [`Error::NotFinite`].
    pub fn tell(&mut self, configuration: usize, value: R) -> Result<(), Error> {
        let parameter = u32::try_from(configuration).unwrap_or(u32::MAX);
        Error::OutOfRange { parameter }.when(configuration >= self.configurations)?;
        Error::NotFinite.when(!value.is_finite())?;
        if self.memory.told[configuration].is_nan() {
            self.count += 1;
        } else {
            self.count_discordant(configuration, |sum, pairs| sum - pairs);
        }
        self.memory.told[configuration] = value;
        self.count_discordant(configuration, |sum, pairs| sum + pairs);
        Ok(())
    }

    /// The KTRC of a data set and the new one over the told configurations; 0 before two are told.
    #[must_use]
    pub fn distance(&self, set: usize) -> R {
        let pairs = self.count as f64 * self.count.saturating_sub(1) as f64;
        match self.memory.discordant.get(set) {
            Some(&discordant) if pairs > 0.0 => R::of(f64::from(discordant) / pairs),
            Some(_) | None => R::ZERO,
        }
    }

    /// Changes the discordant pairs of each data set by those that a told configuration is in.
    fn count_discordant(&mut self, configuration: usize, change: impl Fn(u32, u32) -> u32) {
        let Memory { told, discordant, .. } = &mut self.memory;
        let value = told[configuration];
        let rows = self.values.chunks_exact(self.configurations);
        for (discordant, row) in discordant.iter_mut().zip(rows) {
            let others = told.iter().zip(row).enumerate();
            let pairs = others
                .filter(|&(i, (other, _))| i != configuration && !other.is_nan())
                .map(|(_, (&other, &there))| discordance([value, other], [row[configuration], there]))
                .sum();
            *discordant = change(*discordant, pairs);
        }
    }

    /// The configuration of the pool with the least cost, then of least average rank, then the first.
    fn least(&self, cost: impl Fn(usize) -> f64) -> Option<usize> {
        let mut least: Option<(f64, u64, usize)> = None;
        for x in (0..self.configurations).filter(|&x| self.memory.state[x] == POOL) {
            let ranks = self.memory.ranks.chunks_exact(self.configurations);
            let key = (cost(x), ranks.map(|ranks| u64::from(ranks[x])).sum(), x);
            if least.is_none_or(|least| key.0 < least.0 || key.0 == least.0 && key.1 < least.1) {
                least = Some(key);
            }
        }
        least.map(|(.., x)| x)
    }

    /// The configuration that lowers the sum of the best ranks on the nearest data sets most.
    fn cover(&mut self, neighbours: u32) -> Option<usize> {
        let Memory { discordant, near, lowest, .. } = &mut self.memory;
        for (set, near) in near.iter_mut().enumerate() {
            // Those that are nearer, or as near and before it.
            let others = discordant.iter().enumerate();
            let before = others.filter(|&(other, &pairs)| (pairs, other) < (discordant[set], set)).count();
            *near = u32::from(self.count < 2 || before < neighbours as usize);
        }
        if near.iter().zip(lowest.iter()).all(|(&near, &lowest)| near == 0 || lowest == 1) {
            self.start_pass();
        }
        let Memory { ranks, near, lowest, .. } = &self.memory;
        self.least(|x| {
            let sets = ranks.chunks_exact(self.configurations).zip(lowest.iter()).zip(near.iter());
            let near = sets.filter(|&(_, &near)| near == 1);
            near.map(|((ranks, &lowest), _)| f64::from(lowest.min(ranks[x]))).sum()
        })
    }

    /// Takes what was proposed in this pass out of the ranks.
    fn start_pass(&mut self) {
        let Memory { ranks, lowest, state, .. } = &mut self.memory;
        let rows = self.values.chunks_exact(self.configurations);
        for (ranks, row) in ranks.chunks_exact_mut(self.configurations).zip(rows) {
            for (&gone, _) in row.iter().zip(&**state).filter(|&(_, &state)| state == PASS) {
                for (rank, _) in ranks.iter_mut().zip(row).filter(|&(_, &value)| value > gone) {
                    *rank -= 1;
                }
            }
        }
        for state in state.iter_mut().filter(|state| **state == PASS) {
            *state = GONE;
        }
        lowest.fill(u32::MAX);
    }

    /// The configuration that improves most on the best told one, on data sets that are alike.
    fn test(&self) -> Option<usize> {
        let told = (0..self.configurations).filter(|&x| !self.memory.told[x].is_nan());
        let lower = |a: usize, b: usize| if self.memory.told[b] < self.memory.told[a] { b } else { a };
        let best = told.reduce(lower);
        self.least(|x| {
            let Some(best) = best else { return 0.0 };
            let mut gain = 0.0;
            for (set, row) in self.values.chunks_exact(self.configurations).enumerate() {
                if row[best] > row[x] {
                    let alike = 1.0 - self.distance(set).to_f64();
                    gain += alike * ((row[best] - row[x]) / self.memory.spread[set]).to_f64();
                }
            }
            -gain
        })
    }
}
