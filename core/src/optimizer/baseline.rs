//! Baselines without a surrogate behind ask and tell: what they are asked, told and leave.

use super::block::{Block, place};
use crate::baselines::{Baseline, History, Outcome, Workspace};
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;
use crate::trial::{Origin, State};

impl<R: Real> Block<'_, R> {
    /// Writes the next point of a method to `self.unit`.
    #[inline(never)]
    pub(super) fn free_point(
        &mut self,
        free: Baseline,
        generator: &mut Generator,
    ) -> Result<(Origin, R), Error> {
        let trials = self.trials.read();
        let history = History {
            domain: self.domain,
            points: trials.units(),
            sequence: trials.sequence,
            outcome: &|slot| match trials.state(slot) {
                None | Some(State::Queued) => Outcome::Absent,
                Some(State::Open) => Outcome::Open,
                Some(State::Done) => Outcome::Told(trials.value(slot)),
                Some(State::Failed) => Outcome::Failed,
            },
            known: &|unit| trials.contains(self.domain, unit),
            repeats: self.config.run.repeats,
        };
        let mut position = self.header[place::DESIGNED];
        let desk = Workspace {
            generator: &mut *generator,
            seed: self.config.seed,
            position: &mut position,
            key: self.header[place::SEQUENCE] + 1,
            open: self.limits.most_open(),
            state: &mut *self.kept.state,
            work: &mut *self.desk.plans,
        };
        let found = free.propose(&history, desk, self.unit)?;
        self.header[place::DESIGNED] = position;
        if found.is_none() {
            self.unused_point(generator)?;
        }
        Ok(match found {
            _ if free.is_design() => (Origin::Design, R::NAN),
            Some(score) if score.is_nan() => (Origin::Method, R::NAN),
            Some(score) => (Origin::Model, score),
            None => (Origin::Fallback, R::NAN),
        })
    }

    /// The first state of a method.
    pub(super) fn start_method(&mut self) {
        if let Some(free) = self.baseline() {
            let _ = free.start(self.shape.dims, self.limits.most_open(), self.kept.state);
        }
    }

    /// Whether the words of a method are a state that it leaves.
    pub(super) fn method_is_sound(&mut self) -> bool {
        let Some(free) = self.baseline() else { return true };
        free.is_state(self.shape.dims, self.limits.most_open(), self.kept.state)
    }

    /// Tells a method what became of a trial.
    pub(super) fn tell_method(&mut self, slot: usize) {
        let Some(free) = self.baseline() else { return };
        let (trials, open) = (self.trials.read(), self.limits.most_open());
        let told = trials.state(slot) == Some(State::Done);
        let value = if told { trials.value(slot) } else { R::INFINITY };
        free.tell(&self.domain, open, trials.sequence[slot], (trials.unit(slot), value), self.kept.state);
    }

    /// Makes room for more open trials than a method had.
    pub(super) fn grow_method(&mut self, old: usize) {
        if let Some(free) = self.baseline() {
            free.grow(self.shape.dims, (old, self.limits.most_open()), self.kept.state);
        }
    }

    /// Tells a method that a trial is forgotten.
    pub(super) fn forget_method(&mut self, slot: usize) {
        if let Some(free) = self.baseline() {
            let key = self.trials.read().sequence[slot];
            free.forget(self.shape.dims, self.limits.most_open(), key, self.kept.state);
        }
    }
}
