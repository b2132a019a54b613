//! Improvement over a best value that is itself uncertain.

use super::joint::Joint;
use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

/// Noisy expected improvement: the rule against the best of the function itself at the observed points, averaged over
/// what that may be.
///
/// ```text
/// (1/F) Σᶠ a(mᶠ(x), s²(x); minⱼ fⱼᶠ),   fᶠ ~ N(m, K) at the observed points, without noise
/// mᶠ(x) = m(x) + c(x)ᵀK⁻¹(fᶠ − m),   s²(x) = v(x) − c(x)ᵀK⁻¹c(x)
/// ```
///
/// K is the joint covariance that is left after the observations: it vanishes without noise, and the rule is then that
/// against the best observed value. Open trials join the observed points. A logarithmic rule is averaged as what it is
/// the logarithm of.
///
/// It refers to the points anchored in the model by [`Noisy::prepare`], and lives as long as the memory lent to it.
///
/// # References
/// Letham, Karrer, Ottoni and Bakshy, *Constrained Bayesian Optimization with Noisy Experiments*, 2019, section 3.2.
#[derive(Debug)]
pub struct Noisy<'a, R> {
    joint: Joint<'a, R>,
    rule: Acquisition<R>,
}

impl<'a, R: Real> Noisy<'a, R> {
    /// Scalars of memory for `count` draws at `points` points, observed and open ones together.
    #[must_use]
    pub const fn scalars(points: usize, dims: usize, count: usize) -> usize {
        Joint::<R>::scalars(points, dims, count)
    }

    /// Draws the function at the observed and the open points `count` times. Cost for n points: n model answers,
    /// n³/3 + count·n² flops.
    ///
    /// # Errors
    /// [`Error::NoData`] without points, [`Error::Shape`], [`Error::NotFinite`], [`Error::Config`] for no draws,
    /// [`Error::Unsupported`] for a model without normal joint predictions.
    pub fn prepare(
        model: &mut dyn Surrogate<R>,
        observed: &[R],
        open: &[R],
        count: usize,
        rule: Acquisition<R>,
        seed: u64,
        memory: &'a mut [R],
    ) -> Result<Self, Error> {
        let mut joint = Joint::prepare(model, [observed, open], R::ZERO, count, memory)?;
        if joint.count() == 0 {
            return Err(Error::NoData);
        }
        joint.draw(seed);
        joint.own_incumbents(R::INFINITY, R::ZERO);
        Ok(Self { joint, rule })
    }

    /// The score of a point. Cost: a model answer, n² + F·n flops and F closed forms.
    ///
    /// # Errors
    /// What the model reports.
    pub fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        self.joint.score(model, self.rule, R::INFINITY, point)
    }

    /// The scores of `out.len()` points.
    ///
    /// # Errors
    /// [`Error::Shape`], or what the model reports.
    pub fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        self.joint.scores(model, self.rule, R::INFINITY, points, out)
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
        self.joint.gradient(model, self.rule, R::INFINITY, point, gradient, scratch)
    }
}
