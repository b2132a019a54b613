//! Open trials as a few joint draws of what they may give.

use super::joint::Joint;
use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

/// The mean of the rule over joint draws of the values of the open trials.
///
/// ```text
/// (1/F) Σᶠ a(mᶠ(x), s²(x); bᶠ)
/// mᶠ(x) = m(x) + c(x)ᵀC⁻¹(yᶠ − m),   s²(x) = v(x) − c(x)ᵀC⁻¹c(x),   C = K + σ²I
/// bᶠ = the least of the best and of what draw f makes one believe of the function at the open trials
/// ```
///
/// A logarithmic rule is averaged as what it is the logarithm of. The draws are those of one scrambled Sobol sequence
/// for all candidates, so that scores are smooth and comparable; counts that are powers of two use it best. It refers
/// to the points anchored in the model by [`Fantasies::prepare`], and lives as long as the memory lent to it.
///
/// # References
/// Snoek, Larochelle and Adams, *Practical Bayesian Optimization of Machine Learning Algorithms*, 2012, section 3.3.
#[derive(Debug)]
pub struct Fantasies<'a, R> {
    pub(super) joint: Joint<'a, R>,
    rule: Acquisition<R>,
    best: R,
}

impl<'a, R: Real> Fantasies<'a, R> {
    /// Scalars of memory for `count` draws at `open` trials.
    #[must_use]
    pub const fn scalars(open: usize, dims: usize, count: usize) -> usize {
        Joint::<R>::scalars(open, dims, count)
    }

    /// Draws `count` sets of values of the trials at `open`; `noise` is the variance of a trial. Cost: q model answers,
    /// q³/3 + count·q² flops.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Config`] for no draws, [`Error::Unsupported`] for a model
    /// without normal joint predictions.
    pub fn prepare(
        model: &mut dyn Surrogate<R>,
        open: &[R],
        count: usize,
        noise: R,
        rule: Acquisition<R>,
        best: R,
        seed: u64,
        memory: &'a mut [R],
    ) -> Result<Self, Error> {
        let mut joint = Joint::prepare(model, [open, &[]], noise, count, memory)?;
        joint.draw(seed);
        joint.own_incumbents(best, noise);
        Ok(Self { joint, rule, best })
    }

    /// The score of a point. Cost: a model answer, q² + F·q flops and F closed forms.
    ///
    /// # Errors
    /// What the model reports.
    pub fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        self.joint.score(model, self.rule, self.best, point)
    }

    /// The scores of `out.len()` points.
    ///
    /// # Errors
    /// [`Error::Shape`], or what the model reports.
    pub fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        self.joint.scores(model, self.rule, self.best, points, out)
    }

    /// The score with its derivatives; `scratch` has two scalars per coordinate.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the model has no derivatives; [`Error::Shape`].
    pub fn gradient(
        &mut self,
        model: &mut dyn Surrogate<R>,
        point: &[R],
        gradient: &mut [R],
        scratch: &mut [R],
    ) -> Result<R, Error> {
        self.joint.gradient(model, self.rule, self.best, point, gradient, scratch)
    }
}
