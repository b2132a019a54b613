//! Gaussian-process regression in a lent block.
//!
//! A [`Gp`] holds its data, hyperparameters and factor; the covariance function is passed to each call, so that
//! a kernel tape and a user's own [`Covariance`] are treated alike.

mod block_diagonal;
pub(crate) mod ensemble;
pub mod evidence;
mod fit;
pub mod predict;
pub(crate) mod quadrature;
mod query;
pub mod sampler;
pub mod student;
pub(crate) mod train;
mod view;
pub(crate) mod warp;

pub(crate) use ensemble::Ensemble;
pub(crate) use fit::Fit;
pub(crate) use fit::FitPlaces;
pub use fit::Split;
use fit::all_finite;
use train::Task;
pub use train::{Trained, Training};
pub(crate) use view::Pointwise;
pub use view::View;

use crate::backend::{Backend, Objective};
use crate::block::Arena;
use crate::block::layout::sections;
use crate::error::Error;
use crate::kernel::{self, Covariance, Kernel, Theta};
use crate::limits::Limit;
use crate::real::Real;
use crate::surrogate::Observations;
use crate::trend::Trend;

/// How large a process may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Observations.
    pub rows: usize,
    /// Observations that the factor has room for, usually all; 0 for a store of data alone.
    pub exact: usize,
    /// Coordinates of an input.
    pub dims: usize,
    /// Hyperparameters of the covariance, without the noise.
    pub thetas: usize,
    /// Basis functions of the trend.
    pub columns: usize,
    /// Candidates that are predicted at a time.
    pub batch: usize,
}

impl Size {
    /// Words of the block that a process of this size needs.
    #[must_use]
    pub const fn words<R: Real>(&self) -> usize {
        Gp::<R>::section_words(*self)
    }

    /// Scalars of work: the phases of a call take turns in it.
    pub(crate) const fn work(&self) -> usize {
        let rows = self.exact;
        if rows == 0 {
            // The values of all observations.
            return self.rows;
        }
        let train = train::work(self.thetas + 1) + evidence::work(rows, self.dims, self.columns, self.thetas);
        let score = predict::score_work(rows, self.dims, self.columns, self.thetas, self.batch);
        let point = predict::work(rows, self.dims, self.columns, self.thetas);
        let most = if train > score { train } else { score };
        let most = if most > point { most } else { point };
        if most > self.rows { most } else { self.rows }
    }
}

sections! {
    (size: Size) {
        pub(crate) data: Observations[[size.rows, size.dims]],
        theta: Theta[size.thetas + 1],
        fit: Fit[size],
        work: scalars[size.work()],
    }
    => object {
        /// A Gaussian process in a lent block.
        ///
        /// ```text
        /// y = h(x)ᵀβ + f(x) + ε,   f ~ GP(0, k),   ε ~ N(0, σₙ² + known variance)
        /// ```
        ///
        /// The block is not shared: one process, one thread at a time. It lives as long as the words lent to it.
        pub struct Gp {
            size: Size = size,
            trend: Trend = Trend::Zero,
        }
    }
    => places {
        /// Where the sections of a process lie.
        pub(crate) struct GpPlaces
    }
}

impl<'a, R: Real> Gp<'a, R> {
    /// A process without data in a block of at least [`Size::words`].
    ///
    /// The hyperparameters are those of `kernel`; the noise is learnt between 10⁻⁸ and 1 until
    /// [`Gp::set_noise`] says otherwise.
    ///
    /// # Errors
    /// [`Error::Memory`] if the block is too small; [`Error::Limits`] if the kernel or trend does not fit the size.
    pub fn new(kernel: &Kernel, trend: Trend, size: Size, block: &'a mut [u64]) -> Result<Self, Error> {
        Limit::Thetas.exactly(size.thetas, kernel.thetas(size.dims)?)?;
        Limit::Columns.at_least(size.columns, trend.columns(size.dims))?;
        let mut gp = Self::carve(&mut Arena::new(block), trend, size)?;
        gp.reset(kernel)?;
        gp.set_noise(1e-4, 1e-8, 1.0)?;
        Ok(gp)
    }

    /// The process that [`Gp::new`] left in these words, for a program that keeps nothing else.
    ///
    /// Zeros are a process without data whose hyperparameters and noise wait to be set
    /// ([`Gp::theta_table`], [`Gp::set_noise`]): the way to start with a [`Covariance`] of one's own.
    ///
    /// # Errors
    /// [`Error::Memory`] if the block is too small, [`Error::Limits`] if the trend does not fit the size.
    pub fn resume(trend: Trend, size: Size, block: &'a mut [u64]) -> Result<Self, Error> {
        Limit::Columns.at_least(size.columns, trend.columns(size.dims))?;
        Self::carve(&mut Arena::new(block), trend, size)
    }

    /// Removes all data and sets the hyperparameters of the kernel to their first values.
    pub(crate) fn reset(&mut self, kernel: &Kernel) -> Result<(), Error> {
        self.clear();
        kernel.write_theta(self.size.dims, &mut self.theta)
    }

    /// The process of a size that lies at the front of the arena, as it was left.
    pub(crate) fn carve(arena: &mut Arena<'a>, trend: Trend, size: Size) -> Result<Self, Error> {
        Ok(Self { trend, ..Self::cut(arena, size)? })
    }

    /// Sets the trend, for which there is room.
    pub(crate) fn set_trend(&mut self, trend: Trend) {
        self.trend = trend;
    }

    /// How many observations it holds.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.data.rows()
    }

    /// Coordinates of an input.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.size.dims
    }

    /// Whether the factor covers all observations.
    pub(crate) fn is_fitted(&self) -> bool {
        self.rows() as u64 == self.fit.state[fit::FACTORED]
    }

    /// What was added to the diagonal beyond the noise to keep the factor positive definite; 0 without a fit.
    #[must_use]
    pub fn jitter(&self) -> R {
        if self.answers() { self.fit.jitter() } else { R::ZERO }
    }

    /// The hyperparameters, on their log scale, the noise variance last.
    #[must_use]
    pub fn theta(&self) -> &[R] {
        &self.theta.value[..self.size.thetas + 1]
    }

    /// Hyperparameters that training may move, the noise among them.
    pub(crate) fn free(&self) -> usize {
        self.theta.lo.iter().zip(&*self.theta.hi).filter(|(lo, hi)| lo < hi).count()
    }

    /// The hyperparameters with bounds and priors, for reading and setting.
    pub fn theta_table(&mut self) -> &mut Theta<'a, R> {
        &mut self.theta
    }

    /// Sets the common noise variance and the range in which training may move it; equal ends freeze it.
    ///
    /// # Errors
    /// [`Error::Theta`] if the three are not positive, finite and in order.
    pub fn set_noise(&mut self, variance: f64, lo: f64, hi: f64) -> Result<(), Error> {
        self.theta.set_range(self.size.thetas, variance, lo, hi)?;
        self.unfit();
        Ok(())
    }

    /// Gives the noise a log-normal prior with this spread around its present value; 0 is a flat one.
    /// [`Theta::set_prior`] gives it any other.
    ///
    /// # Errors
    /// [`Error::Theta`] if `sd` is neither 0 nor a finite number from [`kernel::MIN_SD`] on.
    pub fn set_noise_prior(&mut self, sd: f64) -> Result<(), Error> {
        self.theta.set_spread(self.size.thetas, sd)
    }

    /// The inputs, row after row.
    #[must_use]
    pub fn inputs(&self) -> &[R] {
        self.data.inputs()
    }

    /// The targets.
    #[must_use]
    pub fn targets(&self) -> &[R] {
        self.data.targets()
    }

    /// The targets, for replacing them; [`Gp::refresh`] makes the change count.
    pub fn targets_mut(&mut self) -> &mut [R] {
        self.data.targets_mut()
    }

    /// Known variances of the observations, for replacing them; a fit makes the change count.
    pub(crate) fn known_variances_mut(&mut self) -> &mut [R] {
        self.unfit();
        self.data.known_variances_mut()
    }

    /// Known variances of the observations.
    pub(crate) fn known_variances(&self) -> &[R] {
        self.data.known_variances()
    }

    /// Data and hyperparameters, for a model that fits them in another way: the factor is lost.
    pub(crate) fn data_and_table(&mut self) -> (Observations<'_, R>, &mut Theta<'a, R>) {
        self.unfit();
        (self.data.lend(), &mut self.theta)
    }

    /// Adds an observation without touching the factor.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Shape`], [`Error::NotFinite`].
    pub fn push(&mut self, x: &[R], y: R, known_variance: R) -> Result<(), Error> {
        self.data.push(x, y, known_variance)
    }

    /// Removes all observations.
    pub fn clear(&mut self) {
        self.data.truncate(0);
        self.fit.forget();
    }

    /// Forgets the observations after the first `rows`, with their rows of the factor.
    ///
    /// α and the trend then still belong to the longer set until [`Gp::refresh`].
    pub fn truncate(&mut self, rows: usize) {
        self.data.truncate(rows);
        self.fit.truncate(rows as u64);
    }

    /// The training objective at the present hyperparameters and, unless `gradient` is empty, its derivatives.
    ///
    /// Without the log prior. The factor is spoilt: fit again before predicting.
    ///
    /// # Errors
    /// [`Error::NoData`], [`Error::NotPositiveDefinite`], [`Error::Shape`], [`Error::NotFinite`] for an answer out of the range.
    pub fn evidence<B: Backend<R> + ?Sized>(
        &mut self,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
        objective: Objective,
        gradient: &mut [R],
    ) -> Result<R, Error> {
        let Task { request, theta, factor, work } = self.task(covariance, objective)?;
        let value = train::objective(covariance, backend, &request.at(theta.value), gradient, factor, work)?;
        all_finite(&[value]).and_then(|()| all_finite(gradient))?;
        Ok(value)
    }

    /// Scratch for the values behind the targets, and the targets.
    pub(crate) fn values_and_targets(&mut self) -> (&mut [R], &mut [R]) {
        (&mut self.work[..self.data.rows()], self.data.targets_mut())
    }

    /// Whether counts, data, hyperparameters and factor are such as this process leaves them.
    pub(crate) fn is_sound(&self) -> bool {
        let (rows, factored) = (self.rows(), self.fit.state[fit::FACTORED]);
        // What does not matter may stand outside, at −1.
        let inside = |v: &R| *v >= R::ZERO && *v <= R::ONE || *v == -R::ONE;
        self.data.is_sound(inside)
            && factored <= self.size.exact as u64
            && (factored == 0 || factored == rows as u64)
            && self.theta.check(self.size.thetas + 1).is_ok()
            && self.theta.lo.iter().chain(self.theta.hi.iter()).all(|b| b.abs() <= R::of(kernel::MAX_LOG))
            && self.fit.is_sound(rows)
    }

    /// The coefficients of the trend, as the last fit left them.
    #[must_use]
    pub fn trend_coefficients(&self) -> &[R] {
        &self.fit.beta[..self.trend.columns(self.size.dims)]
    }

    fn check(&self, covariance: &dyn Covariance<R>) -> Result<(), Error> {
        Error::Kernel.when(covariance.thetas() != self.size.thetas)?;
        Limit::Exact.at_least(self.size.exact, self.rows())?;
        if self.rows() == 0 { Err(Error::NoData) } else { Ok(()) }
    }
}
