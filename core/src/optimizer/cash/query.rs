//! Queries of an optimizer with a model for each branch: what is free, recommended and predicted.

use super::super::trials::TrialsRead;
use super::block::{Branched, Kind, Listed, figure, kinds};
use crate::acquisition::Prediction;
use crate::config::Config;
use crate::error::Error;
use crate::limits::Limits;
use crate::real::Real;
use crate::trial::{State, TrialId};

/// Trials that may still be asked for: places that are free, here and in the branches.
///
/// Queued trials have theirs. A branch that is one configuration counts as often as it is evaluated; spaces that are finite may
/// be used up before. Cost: O(branches × trials).
pub(crate) fn remaining<R: Real>(
    words: &[u64],
    used: &Limits,
    config: &Config<'_>,
    trials: TrialsRead<'_, R>,
) -> usize {
    let Some(branching) = config.strategy.branching() else { return 0 };
    let listed = Listed { trials, parameter: branching.parameter as usize };
    let (free, mut open) = (trials.in_state(None).count(), 0usize);
    for (branch, kind) in kinds::<R>(words, used).enumerate() {
        if open >= free {
            break;
        }
        open = open.saturating_add(places(kind, used, config).saturating_sub(listed.kept_of(branch)));
    }
    open.min(free)
}

/// How many trials a branch may have.
pub(super) fn places(kind: Option<Kind>, limits: &Limits, config: &Config<'_>) -> usize {
    match kind {
        Some(Kind::Forbidden) | None => 0,
        Some(Kind::Single) => config.strategy.trials_of_one(config.run.repeats),
        Some(Kind::Space) => limits.branch().trials as usize,
    }
}

impl<R: Real> Branched<'_, R> {
    /// Whether a look may train the branches; puts them on their common scale where the first ask that compares them would.
    fn settle_first(&mut self) -> Result<bool, Error> {
        if !self.config.strategy.compares() || self.figures[figure::SCALED] > 0 {
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

    /// See [`Optimizer::recommend`](crate::Optimizer::recommend).
    pub(crate) fn recommend(&mut self) -> Result<(usize, Prediction<R>), Error> {
        let train = self.settle_first()?;
        let mut lowest: Option<(usize, Prediction<R>)> = None;
        for branch in 0..self.branches {
            let found = if self.is_space(branch) {
                let mut optimizer = self.optimizer(branch)?;
                let found: Result<(TrialId, Prediction<R>), Error> =
                    optimizer.recommend_by(train).map(|(trial, prediction)| (trial.id, prediction));
                match found {
                    Ok((id, prediction)) => self.find(branch, id).map(|s| (s, prediction)),
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

    /// The slot of a trial of a branch by its name there.
    fn find(&self, branch: usize, name: TrialId) -> Option<usize> {
        let (trials, listed) = (self.trials.read(), self.listed());
        (0..trials.slots.len())
            .find(|&s| trials.state(s).is_some() && listed.branch(s) == branch && self.name(s) == name)
    }

    /// Mean of the values of a branch that is one configuration, and the variance of that mean.
    fn only(&self, branch: usize) -> Option<(usize, Prediction<R>)> {
        let (trials, listed) = (self.trials.read(), self.listed());
        let slots = || trials.in_state(Some(State::Done)).filter(|&s| listed.branch(s) == branch);
        let first = slots().next()?;
        let count = R::of_usize(slots().count());
        let mean = slots().fold(R::ZERO, |sum, s| sum + trials.value(s) / count);
        let told = slots().fold(R::ZERO, |sum, s| sum + trials.variance(s) / count / count);
        let spread = slots().fold(R::ZERO, |sum, s| {
            let away = trials.value(s) - mean;
            sum + away * away
        });
        let between = if count > R::ONE { spread / (count - R::ONE) / count } else { R::ZERO };
        // Values at both ends of the range are further apart than it goes.
        let variance = told.max(between);
        Some((first, Prediction { mean, variance: if variance > R::MAX { R::MAX } else { variance } }))
    }

    /// See [`Optimizer::predict`](crate::Optimizer::predict).
    pub(crate) fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        self.domain.encode(point, self.unit)?;
        let branch = self.descend(point)?;
        if !self.is_space(branch) {
            return self.only(branch).map(|(_, prediction)| prediction).ok_or(Error::NoData);
        }
        // What is refused changes nothing, also not the common scale.
        let told = self.trials.read().in_state(Some(State::Done)).next();
        Error::NoData.when(self.listed().closed_of(branch) < 2 || told.is_none())?;
        let train = self.settle_first()?;
        let (mut optimizer, _, inner) = self.optimizer_and_proposal(branch)?;
        optimizer.predict_by(train, inner)
    }
}
