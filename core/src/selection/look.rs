//! What a selection knows: its trials, its models, its memory.

use core::marker::PhantomData;

use super::block::{Front, place};
use super::ledger::LedgerRead;
use super::{Selection, Selector, save};
use crate::acquisition::Prediction;
use crate::block::Header;
use crate::error::Error;
use crate::limits::Limits;
use crate::real::Real;
use crate::space::Space;
use crate::trial::{State, Trial, TrialId};

impl<R: Real, M: AsRef<[u64]>> Selection<R, M> {
    /// The selection in words that [`Selection::new`] or [`Selection::attach`] has seen and that nothing else has
    /// written since; `M` may be `&[u64]`, for looking only. Cost: O(1).
    ///
    /// # Errors
    /// As [`Selection::attach`], for the header.
    pub fn resume(mem: M) -> Result<Self, Error> {
        let (limits, selector, dims, branches) = save::front::<R>(mem.as_ref())?;
        Ok(Self { mem, limits, selector, dims, branches, scalar: PhantomData })
    }

    fn read(&self) -> LedgerRead<'_, R> {
        let before = self.selector.before_ledger::<R>(&self.limits, self.branches);
        LedgerRead::of(self.mem.as_ref(), before, self.limits.trials as usize, self.dims)
    }

    /// The told trial of lowest value.
    #[must_use]
    pub fn best(&self) -> Option<Trial<'_, R>> {
        let ledger = self.read();
        ledger.trial(ledger.best(|_| true)?)
    }

    /// The told trial of lowest value in one branch.
    #[must_use]
    pub fn best_of(&self, value: u32) -> Option<Trial<'_, R>> {
        let place = self.selector.parameter as usize;
        let here = |trial: &Trial<'_, R>| trial.point[place] == R::of(f64::from(value));
        let told = self.trials().filter(|trial| trial.state == State::Done && here(trial));
        told.reduce(
            |a, b| {
                if b.value < a.value || b.value == a.value && b.sequence < a.sequence { b } else { a }
            },
        )
    }

    /// All trials of all branches in no particular order: told, failed, open and queued ones.
    pub fn trials(&self) -> impl Iterator<Item = Trial<'_, R>> {
        let ledger = self.read();
        (0..ledger.len()).filter_map(move |slot| ledger.trial(slot))
    }

    /// Evaluations that were told, in all branches, starting designs and failures included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mem.as_ref()[place::TOLD] as usize
    }

    /// Whether nothing was told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Trials that may still be asked for: places that are free, here and in the branches ([`Selector::most`]).
    ///
    /// Queued trials have theirs. A branch that is one configuration counts as often as it is evaluated; spaces that are
    /// finite may be used up before. Cost: O(branches × trials).
    #[must_use]
    pub fn remaining(&self) -> usize {
        let (ledger, words) = (self.read(), self.mem.as_ref());
        let repeats = save::config(words).is_ok_and(|config| config.repeats);
        let (free, mut open) = (ledger.in_state(None).count(), 0usize);
        for (branch, places) in self.selector.places(words, &self.limits, self.branches, repeats).enumerate()
        {
            if open >= free {
                break;
            }
            open = open.saturating_add(places.saturating_sub(ledger.kept_of(branch)));
        }
        open.min(free)
    }

    /// Number of parameters of the whole space.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Whether it is over a space, as [`Optimizer::has_space`](crate::Optimizer::has_space).
    #[must_use]
    pub fn has_space(&self, space: &Space<'_>) -> bool {
        self.mem.as_ref().get(Header::FINGERPRINT) == Some(&space.fingerprint())
    }

    /// Values of the category.
    #[must_use]
    pub fn branches(&self) -> usize {
        self.mem.as_ref()[place::BRANCHES] as usize
    }

    /// What is selected, and how.
    #[must_use]
    pub fn selector(&self) -> Selector {
        self.selector
    }

    /// The limits it works within.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The words that are the selection: copy them to save it.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.mem.as_ref()[..self.selector.words::<R>(&self.limits, self.branches as u32)]
    }

    /// The memory, given back.
    pub fn into_inner(self) -> M {
        self.mem
    }
}

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> Selection<R, M> {
    /// The told trial of lowest posterior mean, by the model of its branch, with that mean and variance.
    ///
    /// A branch that is one configuration has the mean of its values. The models are trained when those of
    /// [`Optimizer::recommend`](crate::Optimizer::recommend) are, on the scale of all values once no branch has a
    /// starting design before it.
    ///
    /// # Errors
    /// [`Error::NoData`] if no value was told.
    pub fn recommend(&mut self) -> Result<(Trial<'_, R>, Prediction<R>), Error> {
        let answer = self.front().and_then(|mut front| front.recommend());
        self.write_checksum();
        let (slot, prediction) = answer?;
        let trial = self.read().trial(slot).ok_or(Error::NoData)?;
        Ok((trial, prediction))
    }

    /// Mean and variance of the model of its branch at a point of the whole space, in user units; trained when
    /// [`Selection::recommend`] trains.
    ///
    /// # Errors
    /// As [`Optimizer::predict`](crate::Optimizer::predict).
    pub fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        self.check_point(point)?;
        let answer = self.front().and_then(|mut front| front.predict(point));
        self.write_checksum();
        answer
    }
}

impl<R: Real> Front<'_, R> {
    /// Whether a look may train the branches; puts them on their common scale where the first ask that compares them would.
    fn settle_first(&mut self) -> Result<bool, Error> {
        if !self.selector.compares() || self.header[place::SCALED] > 0 {
            return Ok(true);
        }
        let (mut starts, mut spreads) = (false, false);
        for branch in 0..self.branches {
            starts |= self.starts(branch)?;
            spreads |= self.is_space(branch) && self.optimizer(branch)?.spreads()?;
        }
        if !starts {
            self.settle_scale()?;
        }
        // Values that were only observed have no design before them.
        Ok(!starts || !spreads)
    }

    fn recommend(&mut self) -> Result<(usize, Prediction<R>), Error> {
        let train = self.settle_first()?;
        let mut lowest: Option<(usize, Prediction<R>)> = None;
        for branch in 0..self.branches {
            let found = if self.is_space(branch) {
                let mut optimizer = self.optimizer(branch)?;
                let found: Result<(TrialId, Prediction<R>), Error> =
                    optimizer.recommend_by(train).map(|(trial, prediction)| (trial.id, prediction));
                match found {
                    Ok((id, prediction)) => self.ledger.read().find(branch, id).map(|s| (s, prediction)),
                    Err(Error::NoData) => None,
                    Err(error) => return Err(error),
                }
            } else {
                self.only(branch)
            };
            if let Some((slot, prediction)) = found
                && lowest.is_none_or(|(_, low)| prediction.mean < low.mean)
            {
                lowest = Some((slot, prediction));
            }
        }
        lowest.ok_or(Error::NoData)
    }

    /// Mean of the values of a branch that is one configuration, and the variance of that mean.
    fn only(&self, branch: usize) -> Option<(usize, Prediction<R>)> {
        let ledger = self.ledger.read();
        let slots = || ledger.in_state(Some(State::Done)).filter(|&s| ledger.branch(s) == branch);
        let first = slots().next()?;
        let count = R::of_usize(slots().count());
        let mean = slots().fold(R::ZERO, |sum, s| sum + ledger.value(s) / count);
        let told = slots().fold(R::ZERO, |sum, s| sum + ledger.variance(s) / count / count);
        let spread = slots().fold(R::ZERO, |sum, s| {
            let away = ledger.value(s) - mean;
            sum + away * away
        });
        let between = if count > R::ONE { spread / (count - R::ONE) / count } else { R::ZERO };
        // Values at both ends of the range are further apart than it goes.
        let variance = told.max(between);
        Some((first, Prediction { mean, variance: if variance > R::MAX { R::MAX } else { variance } }))
    }

    fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        self.domain.encode(point, self.unit)?;
        let branch = self.descend(point)?;
        if !self.is_space(branch) {
            return self.only(branch).map(|(_, prediction)| prediction).ok_or(Error::NoData);
        }
        // What is refused changes nothing, also not the common scale.
        let ledger = self.ledger.read();
        let told = ledger.in_state(Some(State::Done));
        let closed = told.clone().chain(ledger.in_state(Some(State::Failed)));
        if closed.filter(|&s| ledger.branch(s) == branch).count() < 2 || told.count() == 0 {
            return Err(Error::NoData);
        }
        let train = self.settle_first()?;
        let (mut optimizer, _, inner) = self.optimizer_and_proposal(branch)?;
        optimizer.predict_by(train, inner)
    }
}
