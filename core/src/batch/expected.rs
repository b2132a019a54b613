//! What a trial is expected to improve beyond all open ones.

use super::joint::Joint;
use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

/// The part of the joint expected improvement that the candidate adds to the open trials, by quasi-Monte-Carlo.
///
/// ```text
/// E[max(b − min(f₁ … f_q, f(x)), 0)] − E[max(b − min(f₁ … f_q), 0)] = E[max(B − f(x), 0)],   B = min(b, f₁ … f_q)
///                                                                    ≈ (1/N) Σₙ EI(mₙ(x), s(x); Bₙ)
/// ```
///
/// Only the values at the open points are drawn; that of the candidate given them is integrated in closed form, so that
/// the score is smooth, has less variance than with one dimension more, and is EI itself where none is open. The second
/// expectation does not depend on the candidate: it is [`Expected::promised`]. With
/// [`Acquisition::LogImprovement`] the score is the logarithm, whose ranking survives where improvements underflow.
///
/// It refers to the points anchored in the model by [`Expected::prepare`], and lives as long as the memory lent to it.
///
/// # References
/// Ginsbourger, Le Riche and Carraro, *Kriging is well-suited to parallelize optimization*, 2010, section 3. Chevalier
/// and Ginsbourger, *Fast Computation of the Multi-points Expected Improvement with Applications in Batch Selection*,
/// 2013. Wilson, Hutter and Deisenroth, *Maximizing acquisition functions for Bayesian optimization*, 2018.
#[derive(Debug)]
pub struct Expected<'a, R> {
    joint: Joint<'a, R>,
    rule: Acquisition<R>,
    best: R,
}

impl<'a, R: Real> Expected<'a, R> {
    /// Scalars of memory for `draws` draws at `open` trials.
    #[must_use]
    pub const fn scalars(open: usize, dims: usize, draws: usize) -> usize {
        Joint::<R>::scalars(open, dims, draws)
    }

    /// Draws the function at `open` jointly. Cost: q model answers, q³/3 + draws·q² flops.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotFinite`], [`Error::Config`] for no draws, [`Error::Unsupported`] for a rule that is
    /// no expected improvement or a model without normal joint predictions.
    pub fn prepare(
        model: &mut dyn Surrogate<R>,
        open: &[R],
        draws: usize,
        rule: Acquisition<R>,
        best: R,
        seed: u64,
        memory: &'a mut [R],
    ) -> Result<Self, Error> {
        if !matches!(rule, Acquisition::Improvement { .. } | Acquisition::LogImprovement { .. }) {
            return Err(Error::Unsupported);
        }
        let mut joint = Joint::prepare(model, [open, &[]], R::ZERO, draws, memory)?;
        joint.draw(seed);
        joint.own_incumbents(best, R::ZERO);
        Ok(Self { joint, rule, best })
    }

    /// What the open trials are expected to improve together, without a candidate; 0 if none is open.
    #[must_use]
    pub fn promised(&self) -> R {
        let incumbents = self.joint.incumbents();
        let sum = incumbents.iter().fold(R::ZERO, |sum, &b| sum + (self.best - b).max(R::ZERO));
        sum / R::of_usize(incumbents.len().max(1))
    }

    /// The score of a point: what it adds to [`Expected::promised`], or the logarithm of that. Cost: a model answer,
    /// q² + N·q flops and N closed forms.
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
