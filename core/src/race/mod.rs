//! Racing (intensification and iterated F-race): which of several noisy configurations is best, with no more runs than needed.
//!
//! ```text
//! run      ⟨θ, instance, seed, cap, cost⟩
//! ĉ(θ)   = mean, median or quantile of the costs of θ;  a run stopped at its cap costs 10 caps
//! ```
//!
//! [`Race`] sets challengers against an incumbent on the same pairs of instance and seed, 1, 2, 4, … of them, and drops a
//! challenger as soon as it is worse; the incumbent changes only when both have run on the same pairs. [`FRace`] drops
//! configurations that a rank test finds worse, and samples new ones around those that are left. Both are asked what to run
//! and told what came of it, and live in lent words.
//!
//! Configurations are numbers that the caller gives: places in a list, or trials of an optimizer.
//!
//! ```
//! use infill::race::{Outcome, Race, Rules, Size};
//!
//! const SIZE: Size = Size { configs: 4, runs: 100 };
//! let mut race = Race::<f64, _>::new(SIZE, &Rules::default(), [0; SIZE.words::<f64>()])?;
//! for config in 0..4 {
//!     race.challenge(config)?;
//! }
//! while let Ok(run) = race.ask() {
//!     let noise = (run.seed % 1000) as f64 / 1000.0 - 0.5;
//!     race.tell(run.id, Outcome::Cost(f64::from(3 - run.config) + noise))?;
//! }
//! assert_eq!(race.incumbent(), Some(3));
//! # Ok::<(), infill::Error>(())
//! ```
//!
//! # References
//! Hutter, Hoos and Leyton-Brown, *Sequential Model-Based Optimization for General Algorithm Configuration*, LION 5, 2011,
//! procedure 2; Hutter, Hoos, Leyton-Brown and Stützle, *ParamILS*, JAIR 36, 2009 (capping).

mod frace;
mod intensify;
mod record;
mod rules;
mod saved;
mod state;
mod statistic;
#[cfg(test)]
mod tests;

pub use frace::{FRace, Plan};
pub use record::{Outcome, Record, Run};
pub use rules::{Rules, Size};
pub use statistic::Statistic;

use core::marker::PhantomData;

use crate::error::Error;
use crate::real::Real;
use record::Status;
use state::{Field, State};

/// Challengers against an incumbent, in a block of words.
///
/// Runs of one batch may be open together and be told in any order. With caps that adapt, runs that are open together
/// get wider ones than runs made one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Race<R, M> {
    state: State<M>,
    scalar: PhantomData<R>,
}

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Race<R, M> {
    /// An empty race in [`Size::words`] words.
    ///
    /// # Errors
    /// [`Error::Limits`] for a size of zero or beyond 2²⁴, [`Error::Config`] for what are not [`Rules`],
    /// [`Error::Memory`] for too few words.
    pub fn new(size: Size, rules: &Rules, mem: M) -> Result<Self, Error> {
        Ok(Self { state: State::new::<R>(size, rules, mem)?, scalar: PhantomData })
    }

    /// Queues a configuration; the first one becomes the incumbent after one run.
    ///
    /// Nothing happens if it is the incumbent, is being tried or waits already.
    ///
    /// # Errors
    /// [`Error::Full`] if it is new and there is no room.
    pub fn challenge(&mut self, config: u32) -> Result<(), Error> {
        let place = match self.state.find(config) {
            Some(place) => place,
            None if self.state.number(Field::Configs) < self.state.size.configs => self.state.enter(config),
            None => return Err(Error::Full),
        };
        let busy = self.state.incumbent() == Some(place) || self.state.challenger() == Some(place);
        if !busy && (0..self.state.count(Field::Waiting)).all(|i| self.state.waiting(i) != place) {
            self.state.push(place);
        }
        Ok(())
    }

    /// The next run to make.
    ///
    /// For each challenger the incumbent gets one run more on a new pair of instance and seed, up to [`Rules::most`]; then
    /// the challenger runs on 1, 2, 4, … of the incumbent's pairs. Cost: O(runs).
    ///
    /// # Errors
    /// [`Error::TooManyOpen`] if what comes next depends on runs that are open, [`Error::Exhausted`] if nobody is left to
    /// challenge, [`Error::Full`] if all runs were made.
    pub fn ask(&mut self) -> Result<Run<R>, Error> {
        self.state.next()
    }

    /// The outcome of a run.
    ///
    /// # Errors
    /// [`Error::StaleTrial`] for a run that is not open; [`Error::NotFinite`] for a cost that is not finite, a negative one
    /// where runs have a cap, or a capped run where they have none.
    pub fn tell(&mut self, run: u64, outcome: Outcome<R>) -> Result<(), Error> {
        self.state.close(run, outcome)
    }

    /// Gives an open run back, for whoever made it is gone; it is asked for again.
    ///
    /// # Errors
    /// [`Error::StaleTrial`] for a run that is not open.
    pub fn forget(&mut self, run: u64) -> Result<(), Error> {
        self.state.forget(run)
    }

    /// Begins a round of at most so many runs; see [`Race::over`].
    pub fn begin(&mut self, runs: u32) {
        self.state.set(Field::Budget, runs);
        self.state.set(Field::Spent, 0);
        self.state.set(Field::Decided, 0);
    }

    /// The empirical cost of a configuration over all its runs; nothing before the first. Needs the work space.
    ///
    /// Cost: O(runs), and O(n log n) in those of the configuration unless it is a mean.
    pub fn cost(&mut self, config: u32) -> Option<R> {
        let place = self.state.find(config)?;
        self.state.cost(place)
    }

    /// A race that was saved; every number that is later trusted is checked. Cost: O(words).
    ///
    /// # Errors
    /// [`Error::Memory`] for missing words, [`Error::Foreign`] for another version or scalar, [`Error::Corrupt`] for
    /// damage.
    pub fn attach(mem: M) -> Result<Self, Error> {
        Ok(Self { state: State::attach::<R>(mem)?, scalar: PhantomData })
    }
}

impl<R: Real, M: AsRef<[u64]>> Race<R, M> {
    /// A race in words that [`Race::new`] or [`Race::attach`] had before: only their header is looked at.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Foreign`], or [`Error::Corrupt`] for a size that is none.
    pub fn resume(mem: M) -> Result<Self, Error> {
        Ok(Self { state: State::resume::<R>(mem)?, scalar: PhantomData })
    }

    /// The best configuration so far.
    #[must_use]
    pub fn incumbent(&self) -> Option<u32> {
        self.state.incumbent().map(|place| self.state.id(place))
    }

    /// Whether the round has taken its runs and tried at least [`Rules::challengers`] challengers: time to think of others.
    #[must_use]
    pub fn over(&self) -> bool {
        self.state.number(Field::Spent) >= self.state.number(Field::Budget)
            && self.state.number(Field::Decided) >= self.state.rules().challengers
    }

    /// How many runs of a configuration were told.
    #[must_use]
    pub fn runs_of(&self, config: u32) -> u32 {
        let Some(place) = self.state.find(config) else { return 0 };
        self.state.entries().filter(|entry| entry.config == place && entry.status.told()).count() as u32
    }

    /// How many runs were told in all.
    #[must_use]
    pub fn runs(&self) -> u32 {
        self.state.entries().filter(|entry| entry.status.told()).count() as u32
    }

    /// How many runs are open.
    #[must_use]
    pub fn open(&self) -> u32 {
        self.state.number(Field::Open)
    }

    /// All runs that were told.
    pub fn records(&self) -> impl Iterator<Item = Record<R>> {
        self.state.entries().filter(|entry| entry.status.told()).map(|entry| {
            let (instance, seed) = self.state.pair(entry.pair);
            Record {
                config: self.state.id(entry.config),
                instance,
                seed,
                cap: R::of(entry.cap),
                cost: R::of(entry.cost),
                capped: matches!(entry.status, Status::Capped | Status::Censored),
            }
        })
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.state.rules()
    }

    /// How much the race may hold.
    #[must_use]
    pub fn size(&self) -> Size {
        self.state.size
    }

    /// The words, for saving them.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.state.words.as_ref()[..self.state.size.words::<R>()]
    }

    /// The memory, given back.
    #[must_use]
    pub fn into_inner(self) -> M {
        self.state.words
    }
}
