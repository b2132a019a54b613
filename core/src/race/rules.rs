//! Settings and limits of a race.

use super::Statistic;
use crate::block::layout::sections;
use crate::error::Error;
use crate::limits::Limit;
use crate::real::Real;

/// How much a race may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Configurations.
    pub configs: u32,
    /// Runs in all.
    pub runs: u32,
}

impl Size {
    /// Words of a race of this size: 28 + 2·configs + 6·runs, about.
    #[must_use]
    pub const fn words<R: Real>(&self) -> usize {
        Places::of::<R>(0, *self).scratch.end
    }

    /// Where the sections lie that do not depend on the scalar: all but the scratch.
    pub(super) const fn places(&self) -> Places {
        Places::of::<f64>(0, *self)
    }

    /// Whether the words can be counted on every machine.
    pub(super) fn check(&self) -> Result<(), Error> {
        const MOST: usize = 1 << 24;
        Limit::Configs.within(self.configs as usize, 1, MOST)?;
        Limit::Runs.within(self.runs as usize, 1, MOST)
    }
}

sections! {
    (size: Size) {
        header: words[HEADER],
        configs: words[size.configs as usize],
        queue: words[size.configs as usize],
        pairs: words[size.runs as usize],
        records: words[size.runs as usize * RECORD],
        mask: words[(size.runs as usize).div_ceil(64)],
        scratch: scalars[size.runs as usize],
    }
    => places {
        /// Where the sections of a race lie.
        pub(super) struct Places
    }
}

/// Words before the configurations.
pub(super) const HEADER: usize = 28;
/// Words of a record.
pub(super) const RECORD: usize = 4;

/// How a race is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// What is compared.
    pub statistic: Statistic,
    /// How many times its cap a stopped run costs: 10 is PAR10.
    pub penalty: f64,
    /// The cap of every run, infinite for none. With a cap, costs are times or the like: not negative.
    pub cap: f64,
    /// A challenger is stopped once its costs sum to this many times the incumbent's on the same pairs; infinite for never.
    /// Only with [`Statistic::Mean`] and a cap.
    pub slack: f64,
    /// The most runs of one configuration.
    pub most: u32,
    /// The fewest challengers of a round.
    pub challengers: u32,
    /// How many instances there are.
    pub instances: u32,
    /// Whether a run depends on its seed; if not, each configuration runs once per instance.
    pub seeds: bool,
    /// Whether configurations that lost are challengers again, in random order, when no others are left.
    pub again: bool,
    /// The seed of the race.
    pub seed: u64,
}

impl Default for Rules {
    /// Means of at most 2000 runs on one instance, without caps; losers get other chances.
    fn default() -> Self {
        Self {
            statistic: Statistic::Mean,
            penalty: 10.0,
            cap: f64::INFINITY,
            slack: f64::INFINITY,
            most: 2000,
            challengers: 2,
            instances: 1,
            seeds: true,
            again: true,
            seed: 0,
        }
    }
}

impl Rules {
    /// Whether these are rules.
    ///
    /// # Errors
    /// [`Error::Config`] for no instance, no run or no challenger, a penalty or slack below 1 or NaN, an infinite penalty, a
    /// cap that is not positive or a quantile outside of [0, 1].
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.statistic.check()?;
        let counted = self.most > 0 && self.challengers > 0 && self.instances > 0;
        let sound = self.penalty >= 1.0 && self.penalty.is_finite() && self.cap > 0.0 && self.slack >= 1.0;
        if counted && sound { Ok(()) } else { Err(Error::Config) }
    }

    /// Pairs of instance and seed that a configuration may run on.
    pub(super) fn pairs(&self, size: Size) -> u32 {
        let most = if self.seeds { self.most } else { self.most.min(self.instances) };
        most.min(size.runs)
    }

    pub(super) fn to_words(self) -> [u64; 8] {
        let [kind, quantile] = self.statistic.to_words();
        [
            kind | u64::from(self.seeds) << 32 | u64::from(self.again) << 33,
            quantile,
            self.penalty.to_bits(),
            self.cap.to_bits(),
            self.slack.to_bits(),
            u64::from(self.most) | u64::from(self.challengers) << 32,
            u64::from(self.instances),
            self.seed,
        ]
    }

    pub(super) fn from_words(words: &[u64]) -> Option<Self> {
        let &[kind, quantile, penalty, cap, slack, counts, instances, seed] = words else { return None };
        if kind >> 34 != 0 {
            return None;
        }
        let rules = Self {
            statistic: Statistic::from_words([kind & 0xffff_ffff, quantile])?,
            penalty: f64::from_bits(penalty),
            cap: f64::from_bits(cap),
            slack: f64::from_bits(slack),
            most: counts as u32,
            challengers: (counts >> 32) as u32,
            instances: u32::try_from(instances).ok()?,
            seeds: kind >> 32 & 1 == 1,
            again: kind >> 33 & 1 == 1,
            seed,
        };
        rules.check().ok().map(|()| rules)
    }
}
