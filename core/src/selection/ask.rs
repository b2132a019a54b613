//! How a question is answered and its answer taken, whatever the strategy.

use super::Strategy;
use super::block::{Front, Kind, Offer, place, places};
use super::ledger::Entry;
use crate::backend::Backend;
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

impl<R: Real> Front<'_, R> {
    /// See [`Selection::ask_with`](super::Selection::ask_with).
    pub(super) fn ask<B: Backend<R> + ?Sized>(
        &mut self,
        backend: &mut B,
        point: &mut [R],
    ) -> Result<Ask<R>, Error> {
        let ledger = self.ledger.read();
        if ledger.in_state(Some(State::Open)).count() >= self.limits.open as usize {
            return Err(Error::TooManyOpen);
        }
        // A saved block may have queued more than a branch takes.
        let ready = |slot: &usize| self.takes(ledger.branch(*slot), ledger.of_branch(ledger.branch(*slot)));
        let queued = ledger.in_state(Some(State::Queued)).filter(ready);
        if let Some(slot) = queued.min_by_key(|&s| ledger.sequence(s)) {
            let (id, branch) = (ledger.id(slot), ledger.branch(slot));
            gather(&self.records[self.place_of(branch)], ledger.point(slot), self.inner)?;
            let inner = self.open_inner(branch)?;
            self.ledger.open(slot, inner);
            point.copy_from_slice(self.ledger.read().point(slot));
            return Ok(Ask { id, acquisition: R::NAN, origin: Origin::Queue });
        }
        let slot = ledger.in_state(None).next().ok_or(Error::Full)?;
        let full = |branch| !self.takes(branch, ledger.of_branch(branch));
        let has_none = |branch| match self.kind(branch) {
            Some(Kind::Forbidden) | None => true,
            Some(Kind::Single) => ledger.of_branch(branch) >= self.trials_of_one(),
            Some(Kind::Space) => full(branch),
        };
        if (0..self.branches).any(full) && (0..self.branches).all(has_none) {
            return Err(Error::Full);
        }
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
        match self.selector.strategy {
            Strategy::Impute => Ok((!self.record(0).spent()).then_some(Pick::Ask(0))),
            Strategy::Baseline { budget } => Ok(self.pick_baseline(budget)),
            Strategy::Single | Strategy::Whole => {
                if let Some(branch) = self.starting()? {
                    return Ok(Some(Pick::Ask(branch)));
                }
                self.settle_scale()?;
                if self.selector.strategy == Strategy::Single {
                    self.pick_single(backend)
                } else {
                    self.pick_whole(backend)
                }
            }
        }
    }

    /// The branch with the fewest trials among those whose starting design is not done.
    fn starting(&mut self) -> Result<Option<usize>, Error> {
        let mut fewest: Option<(usize, usize)> = None;
        for branch in 0..self.branches {
            if self.record(branch).spent() {
                continue;
            }
            let trials = self.ledger.read().of_branch(branch);
            if self.starts(branch)? && fewest.is_none_or(|(_, few)| trials < few) {
                fewest = Some((branch, trials));
            }
        }
        Ok(fewest.map(|(branch, _)| branch))
    }

    /// Whether the starting design of a branch is not done.
    pub(super) fn starts(&mut self, branch: usize) -> Result<bool, Error> {
        match self.kind(branch) {
            Some(Kind::Space) => self.optimizer(branch)?.is_starting(),
            Some(Kind::Single) => Ok(self.ledger.read().of_branch(branch) < self.trials_of_one()),
            Some(Kind::Forbidden) | None => Ok(false),
        }
    }

    fn trials_of_one(&self) -> usize {
        self.selector.trials_of_one(self.config.repeats)
    }

    /// Whether the optimizer of a branch has a place beside so many trials; one configuration needs none.
    fn takes(&self, branch: usize, trials: usize) -> bool {
        !self.is_space(branch) || trials < self.selector.each(&self.limits).trials as usize
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
            if self.ledger.read().of_branch(branch) >= self.trials_of_one() {
                return Err(Error::Exhausted);
            }
            Ask { id: TrialId::from_bits(0), acquisition: R::NAN, origin: Origin::Design }
        };
        if let Err(error) = self.compose(branch, point) {
            if space {
                self.optimizer(branch)?.forget(asked.id)?;
            }
            return Err(error);
        }
        let sequence = self.next_sequence();
        let entry = Entry { state: State::Open, sequence, branch, inner: asked.id.to_bits() };
        let id = self.ledger.write(slot, entry, point);
        Ok(Ask { id, ..asked }.in_range())
    }

    /// Writes the point of the whole space that has the values in `self.inner` in a branch.
    fn compose(&mut self, branch: usize, point: &mut [R]) -> Result<(), Error> {
        let record = &self.records[self.place_of(branch)];
        self.canonical.fill(R::NAN);
        self.canonical[self.selector.parameter as usize] = R::of_usize(branch);
        for (&place, &value) in places(record).iter().zip(self.inner.iter()) {
            *self.canonical.get_mut(place as usize).ok_or(Error::Corrupt)? = value;
        }
        self.domain.encode(self.canonical, self.unit)?;
        // Nothing is written before all is known to be good; what does not matter is canonical then.
        self.domain.decode(self.unit, point);
        self.domain.mark(self.unit);
        for (value, (mark, &own)) in point.iter_mut().zip(self.unit.iter().zip(self.canonical.iter())) {
            *value = if mark.is_nan() { *value } else { own };
        }
        Ok(())
    }

    /// The branch of a point of the whole space, whose values there are written to `self.inner`.
    pub(super) fn descend(&mut self, point: &[R]) -> Result<usize, Error> {
        let parameter = self.selector.parameter;
        let branch = if self.selector.strategy == Strategy::Impute {
            0
        } else {
            point[parameter as usize].to_f64() as usize
        };
        if branch >= self.branches {
            return Err(Error::OutOfRange { parameter });
        }
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
    pub(super) fn add(&mut self, point: &[R], state: State) -> Result<TrialId, Error> {
        let slot = self.ledger.read().in_state(None).next().ok_or(Error::Full)?;
        self.domain.encode(point, self.unit)?;
        if let Some(clause) = self.domain.forbids(self.unit) {
            return Err(Error::Forbidden { clause });
        }
        let branch = self.descend(point)?;
        // A queued trial has its place already, so that it can be asked for whatever is observed before.
        if !self.takes(branch, self.ledger.read().kept_of(branch)) {
            return Err(Error::Full);
        }
        let inner = if state == State::Open { self.open_inner(branch)? } else { 0 };
        let sequence = self.next_sequence();
        let entry = Entry { state, sequence, branch, inner };
        self.domain.decode(self.unit, self.canonical);
        self.domain.mark(self.unit);
        for (canonical, (mark, &told)) in self.canonical.iter_mut().zip(self.unit.iter().zip(point)) {
            *canonical = if mark.is_nan() { *canonical } else { told };
        }
        Ok(self.ledger.write(slot, entry, self.canonical))
    }

    /// Closes an open trial.
    pub(super) fn close(&mut self, id: TrialId, state: State, value: R, variance: R) -> Result<(), Error> {
        let ledger = self.ledger.read();
        let slot = ledger.slot_of(id)?;
        if ledger.state(slot) != Some(State::Open) {
            return Err(Error::StaleTrial);
        }
        let (branch, inner) = (ledger.branch(slot), ledger.inner(slot));
        if self.is_space(branch) {
            let mut optimizer = self.optimizer(branch)?;
            match state {
                State::Failed => optimizer.fail(inner)?,
                State::Done | State::Open | State::Queued => optimizer.tell_noisy(inner, value, variance)?,
            }
        }
        self.ledger.set(slot, Some(state), value, variance);
        self.header[place::TOLD] += 1;
        self.changed(branch);
        Ok(())
    }

    /// See [`Selection::forget`](super::Selection::forget).
    pub(super) fn forget(&mut self, id: TrialId) -> Result<(), Error> {
        let ledger = self.ledger.read();
        let slot = ledger.slot_of(id)?;
        let (branch, inner) = (ledger.branch(slot), ledger.inner(slot));
        match ledger.state(slot) {
            Some(State::Open) if self.is_space(branch) => self.optimizer(branch)?.forget(inner)?,
            Some(State::Open | State::Queued) => {}
            Some(State::Done | State::Failed) | None => return Err(Error::StaleTrial),
        }
        self.ledger.set(slot, None, R::ZERO, R::ZERO);
        self.changed(branch);
        Ok(())
    }

    /// Takes note that a branch has other trials than before.
    fn changed(&mut self, branch: usize) {
        self.record(branch).set_offer(Offer::Stale, 0.0);
    }
}

/// Writes the values of a point of the whole space that belong to a branch.
fn gather<R: Real>(record: &[u64], point: &[R], inner: &mut [R]) -> Result<(), Error> {
    for (value, &place) in inner.iter_mut().zip(places(record)) {
        *value = *point.get(place as usize).ok_or(Error::Corrupt)?;
    }
    Ok(())
}
