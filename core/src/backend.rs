//! Who does the arithmetic: the seam between the models and the linear algebra.
//!
//! A backend is passed to a call and never stored, so the state of an optimizer stays plain data. All requests
//! are plain slices. `work` is lent scratch; a backend that owns its workspace may ignore it.

use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::kernel::Tape;
use crate::linalg::Blocks;
use crate::real::Real;
use crate::space::sobol;
use crate::trend::Trend;

/// Where a covariance is evaluated, and with which hyperparameters.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, R> {
    /// The hyperparameters, on their log scale.
    pub theta: &'a [R],
    /// The inputs, row after row.
    pub x: &'a [R],
    /// How many rows.
    pub rows: usize,
    /// The least that will be added to the diagonal of their matrix; 0 where nothing is, or nothing is known of it.
    ///
    /// It says how exact the matrix has to be: a backend of low precision may leave it to another.
    pub nugget: R,
    /// Rows between which the covariance is zero, if that is known.
    ///
    /// The factor of a [`Posterior`] with more than one block has its rows as [`crate::linalg::blocks`] says.
    pub blocks: Blocks<'a>,
}

/// The question of [`Backend::evidence`].
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a, R> {
    /// The inputs; `theta` has one more entry, the log of the noise variance.
    pub inputs: Inputs<'a, R>,
    /// What was observed.
    pub targets: &'a [R],
    /// Known variance of each observation, added to the common noise.
    pub noise: &'a [R],
    /// The mean of the process.
    pub trend: Trend,
    /// What is to be maximised.
    pub objective: Objective,
}

/// What training maximises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Objective {
    /// The log marginal likelihood (restricted to contrasts if the trend is estimated).
    #[default]
    Evidence,
    /// The sum of the log predictive densities of each observation given all others.
    LeaveOneOut,
}

/// A fitted process: all that prediction needs.
#[derive(Clone, Copy, Debug)]
pub struct Posterior<'a, R> {
    /// The inputs.
    pub inputs: Inputs<'a, R>,
    /// Packed Cholesky factor L of the covariance of the observations, by blocks if the inputs have any.
    pub factor: &'a [R],
    /// K⁻¹(y − Hβ)
    pub alpha: &'a [R],
    /// The mean of the process.
    pub trend: Trend,
    /// Its coefficients.
    pub beta: &'a [R],
    /// L⁻¹H, one contiguous column per basis function.
    pub basis: &'a [R],
    /// Packed Cholesky factor of HᵀK⁻¹H.
    pub normal: &'a [R],
}

/// The question of [`Backend::spread`]: the first `count` points of a sequence, coordinates in `[0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// The sequence.
    pub sequence: sobol::Sequence,
    /// How many of its points.
    pub count: u32,
}

/// Six verbs of linear algebra, and one to rank candidates; two more for a backend that would rather be asked once.
///
/// Each method either fills its whole output or returns an error.
pub trait Backend<R: Real> {
    /// Fills `out` with the packed lower triangle of k(xᵢ, xⱼ).
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Backend`].
    fn gram(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error>;

    /// Fills `out` with k(pointₚ, xⱼ), one contiguous row of `inputs.rows` per point.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Backend`].
    fn cross(
        &mut self,
        tape: Tape<'_>,
        inputs: &Inputs<'_, R>,
        points: &[R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error>;

    /// Replaces a packed symmetric matrix by its Cholesky factor.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`] with the row; the matrix is then spoilt.
    fn factor(&mut self, matrix: &mut [R], rows: usize) -> Result<(), Error>;

    /// Solves L v = k for many right-hand sides, each contiguous, in place.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Backend`].
    fn solve(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Error>;

    /// Fills `out` with the packed lower triangle of (LLᵀ)⁻¹.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Backend`].
    fn invert(&mut self, factor: &[R], rows: usize, out: &mut [R]) -> Result<(), Error>;

    /// The objective of training at one θ and, unless `gradient` is empty, its derivatives in θ.
    ///
    /// `factor` is scratch of `packed(rows)`.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`], [`Error::NoData`], [`Error::Shape`] or [`Error::Backend`].
    fn evidence(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error>;

    /// Fills `out` with the acquisition of each point against the value `best`.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Backend`].
    fn score(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        acquisition: Acquisition<R>,
        best: R,
        points: &[R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error>;

    /// Fills `out` with the objective of training at each of the sets of hyperparameters that lie one after the other
    /// in `sets`; −∞ where the matrix is not positive definite. Those of the request itself are not looked at.
    ///
    /// It serves to choose among the sets: a backend may answer in less precision than [`Backend::evidence`].
    ///
    /// # Errors
    /// As [`Backend::evidence`], but for [`Error::NotPositiveDefinite`].
    fn evidence_many(
        &mut self,
        tape: Tape<'_>,
        request: &Evidence<'_, R>,
        sets: &[R],
        out: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        let thetas = tape.thetas() + 1;
        if sets.len() != thetas.saturating_mul(out.len()) {
            return Err(Error::Shape { needed: thetas.saturating_mul(out.len()) });
        }
        for (theta, out) in sets.chunks_exact(thetas).zip(out) {
            let request = Evidence { inputs: Inputs { theta, ..request.inputs }, ..*request };
            *out = match self.evidence(tape, &request, &mut [], factor, work) {
                Ok(value) => value,
                Err(Error::NotPositiveDefinite { .. }) => -R::INFINITY,
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }

    /// Whether [`Backend::score`] is good for choosing among candidates only: what is chosen is then scored once more, by
    /// the plain code, before it is compared with anything else.
    fn screens(&self) -> bool {
        false
    }

    /// Makes and scores the points of a sequence, writes the best of them to the front of `points`, their scores to
    /// `out`, and says how many they are; `None` if the caller is to make them and ask for their scores.
    ///
    /// As many as `out` has room for, or fewer.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Backend`].
    fn spread(
        &mut self,
        tape: Tape<'_>,
        posterior: &Posterior<'_, R>,
        acquisition: Acquisition<R>,
        best: R,
        spread: Spread,
        points: &mut [R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<Option<usize>, Error> {
        // Named in the signature for those who override this.
        let _ = (tape, posterior, acquisition, best, spread, points, out, work);
        Ok(None)
    }
}
