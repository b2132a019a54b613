//! A member of the set, prepared for one question.

use super::{Batch, Expected, Fantasies, Liar, Penalty, plain_gradient, plain_scores};
use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

/// What a question needs beyond the model and the open trials.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'s, R> {
    /// The rule.
    pub rule: Acquisition<R>,
    /// The value to improve on.
    pub best: R,
    /// The variance of the noise of an open trial.
    pub noise: R,
    /// The targets told so far: for [`Batch::Liar`].
    pub targets: &'s [R],
    /// Points at which the slope of the model's mean is looked at: for [`Batch::Penalty`].
    pub candidates: &'s [R],
    /// The choice among sequences of draws: the same seed, the same scores.
    pub seed: u64,
}

/// A member of [`Batch`] prepared for one question: what a search maximises while trials are open.
///
/// It refers to the points anchored in the model by [`Plan::prepare`]: nothing else may anchor there until it is done.
/// It lives as long as the memory lent to it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Plan<'a, R> {
    /// [`Batch::Temperatures`]: the rule alone.
    Alone {
        /// The rule.
        rule: Acquisition<R>,
        /// The value to improve on.
        best: R,
    },
    /// [`Batch::Believer`] and [`Batch::Liar`].
    Liar(Liar<'a, R>),
    /// [`Batch::Fantasies`].
    Fantasies(Fantasies<'a, R>),
    /// [`Batch::Penalty`].
    Penalty(Penalty<'a, R>),
    /// [`Batch::Expected`].
    Expected(Expected<'a, R>),
}

impl<'a, R: Real> Plan<'a, R> {
    /// Prepares a member for the trials at `open`; `memory` has [`Batch::scalars`].
    ///
    /// # Errors
    /// [`Error::Config`], [`Error::Shape`], [`Error::NotFinite`], [`Error::NoData`] for a lie without targets,
    /// [`Error::Unsupported`] where the member does not fit the rule or the model, or what the model reports.
    pub fn prepare(
        batch: Batch,
        model: &mut dyn Surrogate<R>,
        open: &[R],
        setting: &Setting<'_, R>,
        memory: &'a mut [R],
    ) -> Result<Self, Error> {
        batch.check()?;
        let Setting { rule, best, noise, targets, candidates, seed } = *setting;
        Ok(match batch {
            Batch::Believer => Self::Liar(Liar::prepare(model, open, None, noise, rule, best, memory)?),
            Batch::Liar(lie) => {
                let value = if open.is_empty() { None } else { Some(lie.value(targets)?) };
                Self::Liar(Liar::prepare(model, open, value, noise, rule, best, memory)?)
            }
            Batch::Fantasies { count } => Self::Fantasies(Fantasies::prepare(
                model,
                open,
                count as usize,
                noise,
                rule,
                best,
                seed,
                memory,
            )?),
            Batch::Penalty => Self::Penalty(Penalty::prepare(model, open, candidates, rule, best, memory)?),
            Batch::Temperatures => Self::Alone { rule, best },
            Batch::Expected { draws } => {
                Self::Expected(Expected::prepare(model, open, draws as usize, rule, best, seed, memory)?)
            }
        })
    }

    /// The score of a point: larger is better.
    ///
    /// # Errors
    /// What the model reports.
    pub fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        match self {
            Self::Alone { rule, best } => Ok(rule.score(model.predict(point)?, *best)),
            Self::Liar(plan) => plan.score(model, point),
            Self::Fantasies(plan) => plan.score(model, point),
            Self::Penalty(plan) => plan.score(model, point),
            Self::Expected(plan) => plan.score(model, point),
        }
    }

    /// The scores of `out.len()` points; `scratch` has one scalar per point.
    ///
    /// # Errors
    /// [`Error::Shape`], or what the model reports.
    pub fn scores(
        &mut self,
        model: &mut dyn Surrogate<R>,
        points: &[R],
        out: &mut [R],
        scratch: &mut [R],
    ) -> Result<(), Error> {
        match self {
            Self::Alone { rule, best } => plain_scores(model, *rule, *best, points, out, scratch),
            Self::Liar(plan) => plan.scores(model, points, out, scratch),
            Self::Fantasies(plan) => plan.scores(model, points, out, scratch),
            Self::Penalty(plan) => plan.scores(model, points, out, scratch),
            Self::Expected(plan) => plan.scores(model, points, out, scratch),
        }
    }

    /// The score with its derivatives; `scratch` has two scalars per coordinate.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the model has no derivatives: search by candidates and exchanges then.
    /// [`Error::Shape`].
    pub fn gradient(
        &mut self,
        model: &mut dyn Surrogate<R>,
        point: &[R],
        gradient: &mut [R],
        scratch: &mut [R],
    ) -> Result<R, Error> {
        match self {
            Self::Alone { rule, best } => plain_gradient(model, *rule, *best, point, gradient, scratch),
            Self::Liar(plan) => plan.gradient(model, point, gradient, scratch),
            Self::Fantasies(plan) => plan.gradient(model, point, gradient, scratch),
            Self::Penalty(plan) => plan.gradient(model, point, gradient, scratch),
            Self::Expected(plan) => plan.gradient(model, point, gradient, scratch),
        }
    }
}
