//! Compute backends: the seam between the models and the linear algebra.
//!
//! A backend is passed to a call and never stored, so the state of an optimizer stays plain data. A request is a struct
//! of plain slices; outputs stand beside it. `work` is lent scratch; a backend that owns its workspace may ignore it.

mod means;
mod shared;

use crate::acquisition::Acquisition;
use crate::error::Error;
use crate::kernel::Tape;
use crate::linalg::Blocks;
use crate::real::Real;
use crate::space::sobol;
use crate::trend::Trend;
pub(crate) use means::TOGETHER;
pub use means::{Means, Member, Pooling, Said, Visit};
pub(crate) use shared::Shared;

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
    /// The factor of a [`Posterior`] with more than one block has its rows as `crate::linalg::block_diagonal` says.
    pub blocks: Blocks<'a>,
}

/// The request of [`Backend::gram`].
#[derive(Clone, Copy, Debug)]
pub struct Gram<'a, R> {
    /// The covariance.
    pub tape: Tape<'a>,
    /// Between which points.
    pub inputs: &'a Inputs<'a, R>,
}

/// The request of [`Backend::cross`].
#[derive(Clone, Copy, Debug)]
pub struct Cross<'a, R> {
    /// The covariance.
    pub tape: Tape<'a>,
    /// With which points.
    pub inputs: &'a Inputs<'a, R>,
    /// Of which points, row after row.
    pub points: &'a [R],
}

/// Gaussian process regression at one θ: all that the objective of training depends on but the covariance.
#[derive(Clone, Copy, Debug)]
pub struct Regression<'a, R> {
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

impl<'a, R: Real> Regression<'a, R> {
    /// The same at other hyperparameters.
    pub(crate) fn at(&self, theta: &'a [R]) -> Self {
        Self { inputs: Inputs { theta, ..self.inputs }, ..*self }
    }
}

/// The request of [`Backend::evidence`].
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a, R> {
    /// The covariance.
    pub tape: Tape<'a>,
    /// Data and hyperparameters.
    pub regression: &'a Regression<'a, R>,
}

/// The request of [`Backend::evidence_many`].
#[derive(Clone, Copy, Debug)]
pub struct EvidenceMany<'a, R> {
    /// The covariance.
    pub tape: Tape<'a>,
    /// The data; its hyperparameters are not looked at.
    pub regression: &'a Regression<'a, R>,
    /// Sets of hyperparameters, one after the other.
    pub sets: &'a [R],
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

/// The request of [`Backend::score`].
#[derive(Clone, Copy, Debug)]
pub struct Score<'a, R> {
    /// The covariance.
    pub tape: Tape<'a>,
    /// What is known of the function.
    pub posterior: &'a Posterior<'a, R>,
    /// The acquisition.
    pub acquisition: Acquisition<R>,
    /// The value to improve on.
    pub best: R,
    /// The candidates, row after row.
    pub points: &'a [R],
}

/// The first points of a Sobol sequence, coordinates in `[0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sobol {
    /// The sequence.
    pub sequence: sobol::Sequence,
    /// How many of its points.
    pub count: u32,
}

/// The request of [`Backend::screen_sobol`]; as [`Score`], but for the candidates.
#[derive(Clone, Copy, Debug)]
pub struct ScreenSobol<'a, R> {
    /// The covariance.
    pub tape: Tape<'a>,
    /// What is known of the function.
    pub posterior: &'a Posterior<'a, R>,
    /// The acquisition.
    pub acquisition: Acquisition<R>,
    /// The value to improve on.
    pub best: R,
    /// The candidates.
    pub sobol: Sobol,
}

/// Six verbs of linear algebra, and one to rank candidates; four more for a backend that would rather be asked once.
///
/// Each method either fills its whole output or returns an error.
pub trait Backend<R: Real> {
    /// Fills `out` with the packed lower triangle of k(xᵢ, xⱼ).
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Backend`].
    fn gram(&mut self, request: &Gram<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error>;

    /// Fills `out` with k(pointₚ, xⱼ), one contiguous row of `inputs.rows` per point.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Backend`].
    fn cross(&mut self, request: &Cross<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error>;

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
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error>;

    /// Fills `out` with the acquisition of each point.
    ///
    /// # Errors
    /// [`Error::Shape`] or [`Error::Backend`].
    fn score(&mut self, request: &Score<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error>;

    /// Fills `out` with the objective of training at each of the sets of hyperparameters; −∞ where the matrix is not
    /// positive definite.
    ///
    /// It serves to choose among the sets: a backend may answer in less precision than [`Backend::evidence`].
    ///
    /// # Errors
    /// As [`Backend::evidence`], but for [`Error::NotPositiveDefinite`].
    fn evidence_many(
        &mut self,
        request: &EvidenceMany<'_, R>,
        out: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        let EvidenceMany { tape, regression, sets } = *request;
        let thetas = tape.thetas() + 1;
        if sets.len() != thetas.saturating_mul(out.len()) {
            return Err(Error::Shape { needed: thetas.saturating_mul(out.len()) });
        }
        for (theta, out) in sets.chunks_exact(thetas).zip(out) {
            let regression = &regression.at(theta);
            *out = match self.evidence(&Evidence { tape, regression }, &mut [], factor, work) {
                Ok(value) => value,
                Err(Error::NotPositiveDefinite { .. }) => -R::INFINITY,
                Err(error) => return Err(error),
            };
        }
        Ok(())
    }

    /// Whether [`Backend::score`], [`Backend::means`] and [`Backend::pool`] are good for choosing among candidates only: what
    /// is chosen is then scored once more, by the plain code, before it is compared with anything else.
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
    fn screen_sobol(
        &mut self,
        request: &ScreenSobol<'_, R>,
        points: &mut [R],
        out: &mut [R],
        work: &mut [R],
    ) -> Result<Option<usize>, Error> {
        // Named in the signature for those who override this.
        let _ = (request, points, out, work);
        Ok(None)
    }

    /// Calls `each` with the means of every member of a list that counts, in batches of as many points as `room` holds.
    ///
    /// Members come in their order, the batches of a member one after the other. A member needs [`Member::work`] of `work`.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Backend`], or what the list reports.
    fn means(
        &mut self,
        request: &Means<'_, R>,
        room: &mut [R],
        work: &mut [R],
        each: &mut dyn FnMut(&Said<'_, R>),
    ) -> Result<(), Error> {
        request.each_plain(room, work, each)
    }

    /// Adds to `out`, point by point, what becomes of the means of all members that count.
    ///
    /// `room` and `work` as [`Backend::means`].
    ///
    /// # Errors
    /// As there.
    fn pool(
        &mut self,
        request: &Means<'_, R>,
        pooling: Pooling<R>,
        out: &mut [R],
        room: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        request.pool(pooling, out, |each| self.means(request, room, work, each))
    }
}
