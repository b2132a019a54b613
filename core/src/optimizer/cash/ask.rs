//! Ask and tell over several branches, whatever the strategy.

use super::super::block::next_sequence;
use super::block::{Branched, Kind, Offer, places};
use super::query;
use crate::backend::Backend;
use crate::config::Strategy;
use crate::error::Error;
use crate::real::Real;
use crate::trial::{Ask, Origin, State, TrialId};

/// What a strategy has decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pick {
    /// The optimizer of this branch is asked.
    Ask(usize),
    /// The proposal that is kept for this branch is taken.
    Take(usize),
}

impl Pick {
    const fn branch(self) -> usize {
        match self {
            Self::Ask(branch) | Self::Take(branch) => branch,
        }
    }
}

impl<R: Real> Branched<'_, R> {
    /// See [`Optimizer::ask_with`](crate::Optimizer::ask_with).
    pub(crate) fn ask<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        point: &mut [R],
    ) -> Result<Ask<R>, Error> {
        let (trials, listed) = (self.trials.read(), self.listed());
        Error::TooManyOpen.when(trials.in_state(Some(State::Open)).count() >= self.limits.open as usize)?;
        // A saved block may have queued more than a branch takes.
        let ready = |slot: &usize| self.takes(listed.branch(*slot), listed.asked_of(listed.branch(*slot)));
        let queued = trials.in_state(Some(State::Queued)).filter(ready);
        if let Some(slot) = queued.min_by_key(|&s| trials.sequence[s]) {
            let (id, branch) = (trials.id(slot), listed.branch(slot));
            gather(&self.records[self.place_of(branch)], trials.point(slot), self.inner)?;
            self.names[slot] = self.open_inner(branch)?;
            self.trials.set_state(slot, Some(State::Open));
            point.copy_from_slice(self.trials.read().point(slot));
            return Ok(Ask { id, acquisition: R::NAN, origin: Origin::Queue });
        }
        let slot = trials.in_state(None).next().ok_or(Error::Full)?;
        let full = |branch| !self.takes(branch, listed.asked_of(branch));
        let has_none =
            |branch| listed.asked_of(branch) >= query::places(self.kind(branch), &self.limits, &self.config);
        Error::Full.when((0..self.branches).any(full) && (0..self.branches).all(has_none))?;
        for branch in 0..self.branches {
            let forbidden = self.record(branch).kind() == Some(Kind::Forbidden);
            self.record(branch).set_spent(forbidden);
        }
        // A branch that has nothing to ask makes place for the others.
        let mut nothing = Error::Exhausted;
        for _ in 0..=self.branches {
            let Some(pick) = self.pick(backend)? else { break };
            match self.pose(backend, pick, slot, point) {
                Err(error @ (Error::Exhausted | Error::Full)) => {
                    nothing = if error == Error::Full { error } else { nothing };
                    self.record(pick.branch()).set_spent(true);
                    self.changed(pick.branch());
                }
                answer => {
                    self.changed(pick.branch());
                    return answer;
                }
            }
        }
        Err(nothing)
    }

    /// The branch that is asked next; `None` if there is none.
    fn pick<B: Backend<R> + ?Sized>(&mut self, backend: &mut B) -> Result<Option<Pick>, Error> {
        let strategy = self.config.strategy;
        if strategy.compares() {
            if let Some(branch) = self.starting()? {
                return Ok(Some(Pick::Ask(branch)));
            }
            self.settle_scale()?;
        }
        match strategy {
            Strategy::Auto | Strategy::Impute => Err(Error::Corrupt),
            Strategy::Single(_) => self.pick_per_branch(backend),
            Strategy::Whole(_) => self.pick_jointly(backend),
            Strategy::Baseline { budget, .. } => self.pick_baseline(budget),
        }
    }

    /// The branch with the fewest trials among those whose starting design is not done.
    fn starting(&mut self) -> Result<Option<usize>, Error> {
        self.fewest(|block, branch, _| block.starts(branch))
    }

    /// The first branch with the fewest trials among those that have something to ask and, with so many trials, are eligible.
    pub(super) fn fewest(
        &mut self,
        eligible: impl Fn(&mut Self, usize, usize) -> Result<bool, Error>,
    ) -> Result<Option<usize>, Error> {
        let mut fewest: Option<(usize, usize)> = None;
        for branch in 0..self.branches {
            if self.record(branch).spent() {
                continue;
            }
            let trials = self.listed().asked_of(branch);
            if eligible(self, branch, trials)? && fewest.is_none_or(|(_, few)| trials < few) {
                fewest = Some((branch, trials));
            }
        }
        Ok(fewest.map(|(branch, _)| branch))
    }

    /// Whether a branch has a space to search and something to ask; one configuration has its starting trials alone.
    pub(super) fn searches(&mut self, branch: usize) -> bool {
        let space = self.is_space(branch);
        let mut record = self.record(branch);
        let spent = record.spent();
        record.set_spent(spent || !space);
        space && !spent
    }

    /// Takes the point that is kept for a branch, or asks the branch where a bound has its turn.
    pub(super) fn take_or_ask(&mut self, branch: usize) -> Result<Pick, Error> {
        let bound = self.optimizer(branch)?.interleaves()?;
        Ok(if bound { Pick::Ask(branch) } else { Pick::Take(branch) })
    }

    /// Whether the starting design of a branch is not done.
    pub(super) fn starts(&mut self, branch: usize) -> Result<bool, Error> {
        match self.kind(branch) {
            Some(Kind::Space) => self.optimizer(branch)?.is_starting(),
            Some(Kind::Single) => Ok(self.listed().asked_of(branch) < self.trials_of_one()),
            Some(Kind::Forbidden) | None => Ok(false),
        }
    }

    fn trials_of_one(&self) -> usize {
        self.config.strategy.trials_of_one(self.config.run.repeats)
    }

    /// Whether the optimizer of a branch has a place beside so many trials; one configuration needs none.
    fn takes(&self, branch: usize, trials: usize) -> bool {
        !self.is_space(branch) || trials < self.limits.branch().trials as usize
    }

    /// Opens the trial that was decided on.
    fn pose<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        pick: Pick,
        slot: usize,
        point: &mut [R],
    ) -> Result<Ask<R>, Error> {
        let branch = pick.branch();
        let space = self.is_space(branch);
        let asked = if space {
            let record = self.record(branch);
            let (offered, worth) = (record.offer() == Some(Offer::Point), record.worth());
            let (mut optimizer, proposal, inner) = self.optimizer_and_proposal(branch)?;
            match pick {
                Pick::Ask(_) => {
                    let asked = optimizer.ask_with(backend, inner)?;
                    // What a branch was chosen for, measured as all branches are.
                    let modelled = offered && asked.origin == Origin::Model;
                    let acquisition = if modelled { R::of(worth) } else { asked.acquisition };
                    Ask { acquisition, ..asked }
                }
                Pick::Take(_) => {
                    let id = optimizer.open(proposal, inner)?;
                    Ask { id, acquisition: R::of(worth), origin: Origin::Model }
                }
            }
        } else {
            Error::Exhausted.when(self.listed().asked_of(branch) >= self.trials_of_one())?;
            Ask { id: TrialId::from_bits(0), acquisition: R::NAN, origin: Origin::Design }
        };
        if let Err(error) = self.compose(branch) {
            if space {
                self.optimizer(branch)?.forget(asked.id)?;
            }
            return Err(error);
        }
        let id = self.write(slot, State::Open, asked.id.to_bits());
        point.copy_from_slice(self.trials.read().point(slot));
        Ok(Ask { id, ..asked }.in_range())
    }

    /// Fills a slot with a trial at the point in `self.canonical` and `self.unit`.
    fn write(&mut self, slot: usize, state: State, name: u64) -> TrialId {
        let sequence = next_sequence(self.header);
        let id = self.trials.write(slot, state, sequence, self.unit, self.canonical);
        self.names[slot] = name;
        self.trials.settle(slot, self.domain, self.unit);
        id
    }

    /// Writes the point of the whole space that has the values in `self.inner` in a branch, to `self.canonical` and `self.unit`.
    fn compose(&mut self, branch: usize) -> Result<(), Error> {
        let record = &self.records[self.place_of(branch)];
        self.canonical.fill(R::NAN);
        self.canonical[self.branching.parameter as usize] = R::of_usize(branch);
        for (&place, &value) in places(record).iter().zip(self.inner.iter()) {
            *self.canonical.get_mut(place as usize).ok_or(Error::Corrupt)? = value;
        }
        self.domain.encode(self.canonical, self.unit)
    }

    /// The branch of a point of the whole space, whose values there are written to `self.inner`.
    pub(super) fn descend(&mut self, point: &[R]) -> Result<usize, Error> {
        let parameter = self.branching.parameter;
        let branch = point[parameter as usize].to_f64() as usize;
        Error::OutOfRange { parameter }.when(branch >= self.branches)?;
        gather(&self.records[self.place_of(branch)], point, self.inner)?;
        Ok(branch)
    }

    /// Opens a trial of a branch at the values in `self.inner`; its name there.
    fn open_inner(&mut self, branch: usize) -> Result<u64, Error> {
        if !self.is_space(branch) {
            return Ok(0);
        }
        let (mut optimizer, _, inner) = self.optimizer_and_proposal(branch)?;
        let id = optimizer.open_at(inner)?;
        self.changed(branch);
        Ok(id.to_bits())
    }

    /// Adds a trial at a point of the whole space.
    pub(crate) fn add(&mut self, point: &[R], state: State) -> Result<TrialId, Error> {
        let slot = self.trials.read().in_state(None).next().ok_or(Error::Full)?;
        self.domain.encode(point, self.unit)?;
        if let Some(clause) = self.domain.forbids(self.unit) {
            return Err(Error::Forbidden { clause });
        }
        let branch = self.descend(point)?;
        // A queued trial has its place already, so that it can be asked for whatever is observed before.
        Error::Full.when(!self.takes(branch, self.listed().kept_of(branch)))?;
        let name = if state == State::Open { self.open_inner(branch)? } else { 0 };
        self.canonical.copy_from_slice(point);
        Ok(self.write(slot, state, name))
    }

    /// Closes an open trial.
    pub(crate) fn close(&mut self, id: TrialId, state: State, value: R, variance: R) -> Result<(), Error> {
        let slot = self.trials.read().open_slot(id)?;
        let (branch, inner) = (self.listed().branch(slot), self.name(slot));
        if self.is_space(branch) {
            let mut optimizer = self.optimizer(branch)?;
            match state {
                State::Failed => optimizer.fail(inner)?,
                State::Done | State::Open | State::Queued => optimizer.tell_noisy(inner, value, variance)?,
            }
        }
        self.trials.close(slot, state, value, variance);
        self.changed(branch);
        Ok(())
    }

    /// Frees the slot of an open or queued trial.
    pub(crate) fn forget(&mut self, slot: usize) -> Result<(), Error> {
        let (branch, inner) = (self.listed().branch(slot), self.name(slot));
        if self.is_space(branch) && self.trials.read().state(slot) == Some(State::Open) {
            self.optimizer(branch)?.forget(inner)?;
        }
        self.trials.set_state(slot, None);
        self.changed(branch);
        Ok(())
    }

    /// See [`Optimizer::relearn`](crate::Optimizer::relearn).
    pub(crate) fn relearn(&mut self) -> Result<(), Error> {
        for branch in 0..self.branches {
            if self.is_space(branch) {
                self.optimizer(branch)?.relearn()?;
            }
        }
        self.forget_offers();
        Ok(())
    }

    /// Takes note that a branch has other trials than before.
    fn changed(&mut self, branch: usize) {
        self.record(branch).set_offer(Offer::Stale, 0.0);
    }
}

/// Writes the values or coordinates of a point of the whole space that belong to a branch; how many.
pub(super) fn gather<R: Real>(record: &[u64], point: &[R], inner: &mut [R]) -> Result<usize, Error> {
    let places = places(record);
    for (value, &place) in inner.iter_mut().zip(places) {
        *value = *point.get(place as usize).ok_or(Error::Corrupt)?;
    }
    Ok(places.len())
}
