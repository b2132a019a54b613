//! Gaussian-process regression in a lent block.
//!
//! A [`Gp`] holds its data, hyperparameters and factor; the covariance function is passed to each call, so that
//! a kernel tape and a user's own [`Covariance`] are treated alike.

pub mod evidence;
mod posterior;
pub mod predict;
pub mod student;
mod train;
pub mod transform;
mod view;
pub mod warp;

pub use train::{Trained, Training};
pub use transform::Transform;
pub use view::View;

use crate::arena::{Arena, scalar_words};
use crate::backend::{Backend, Evidence, Inputs, Objective, Posterior};
use crate::error::Error;
use crate::kernel::{self, Covariance, Kernel, Theta};
use crate::linalg::{self, packed};
use crate::real::Real;
use crate::trend::Trend;

/// How large a process may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Observations.
    pub rows: usize,
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
        self.data_words::<R>() + scalar_words::<R>(packed(self.rows)) + scalar_words::<R>(self.work())
    }

    /// Words before the factor: data, hyperparameters and trend.
    pub(crate) const fn data_words<R: Real>(&self) -> usize {
        COUNTS
            + scalar_words::<R>(self.rows * self.dims)
            + 3 * scalar_words::<R>(self.rows)
            + Theta::<R>::words(self.thetas + 1)
            + scalar_words::<R>(self.columns)
            + scalar_words::<R>(self.columns * self.rows)
            + scalar_words::<R>(packed(self.columns))
    }

    /// Words of each part that lasts, in the order in which they lie.
    pub(crate) fn parts<R: Real>(&self) -> impl Iterator<Item = usize> + use<R> {
        let (row, theta) = (scalar_words::<R>(self.rows), scalar_words::<R>(self.thetas + 1));
        let data = [COUNTS, scalar_words::<R>(self.rows * self.dims), row, row, row];
        let trend = [self.columns, self.columns * self.rows, packed(self.columns)].map(scalar_words::<R>);
        let factor = scalar_words::<R>(packed(self.rows));
        data.into_iter().chain([theta; 5]).chain(trend).chain([factor])
    }

    /// Scalars of work: the phases of a call take turns in it.
    #[must_use]
    pub const fn work(&self) -> usize {
        let train =
            train::work(self.thetas + 1) + evidence::work(self.rows, self.dims, self.columns, self.thetas);
        let score = predict::score_work(self.rows, self.dims, self.columns, self.thetas, self.batch);
        let point = predict::work(self.rows, self.dims, self.columns, self.thetas);
        let most = if train > score { train } else { score };
        if most > point { most } else { point }
    }
}

/// A fitted process as plain slices.
#[derive(Debug)]
pub struct Split<'a, R> {
    /// All that prediction needs.
    pub posterior: Posterior<'a, R>,
    /// The targets of its rows.
    pub targets: &'a [R],
    /// Work memory, which nothing else of this uses.
    pub work: &'a mut [R],
}

/// Words of counters: rows, rows in the factor, jitter.
const COUNTS: usize = 3;
const ROWS: usize = 0;
const FACTORED: usize = 1;
const JITTER: usize = 2;

/// A Gaussian process in a lent block.
///
/// ```text
/// y = h(x)ᵀβ + f(x) + ε,   f ~ GP(0, k),   ε ~ N(0, σₙ² + known variance)
/// ```
///
/// The block is not shared: one process, one thread at a time. It lives as long as the words lent to it.
#[derive(Debug)]
pub struct Gp<'a, R> {
    size: Size,
    trend: Trend,
    counts: &'a mut [u64],
    x: &'a mut [R],
    y: &'a mut [R],
    known: &'a mut [R],
    theta: Theta<'a, R>,
    alpha: &'a mut [R],
    beta: &'a mut [R],
    basis: &'a mut [R],
    normal: &'a mut [R],
    factor: &'a mut [R],
    work: &'a mut [R],
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
        if kernel.thetas(size.dims)? != size.thetas || trend.columns(size.dims) > size.columns {
            return Err(Error::Limits);
        }
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
        if trend.columns(size.dims) > size.columns {
            return Err(Error::Limits);
        }
        Self::carve(&mut Arena::new(block), trend, size)
    }

    /// Removes all data and sets the hyperparameters of the kernel to their first values.
    pub(crate) fn reset(&mut self, kernel: &Kernel) -> Result<(), Error> {
        self.counts.fill(0);
        kernel.write_theta(self.size.dims, &mut self.theta)
    }

    /// The process of a size that lies at the front of the arena, as it was left.
    pub(crate) fn carve(arena: &mut Arena<'a>, trend: Trend, size: Size) -> Result<Self, Error> {
        Ok(Self {
            size,
            trend,
            counts: arena.words(COUNTS)?,
            x: arena.scalars(size.rows * size.dims)?,
            y: arena.scalars(size.rows)?,
            known: arena.scalars(size.rows)?,
            alpha: arena.scalars(size.rows)?,
            theta: Theta::carve(arena, size.thetas + 1)?,
            beta: arena.scalars(size.columns)?,
            basis: arena.scalars(size.columns * size.rows)?,
            normal: arena.scalars(packed(size.columns))?,
            factor: arena.scalars(packed(size.rows))?,
            work: arena.scalars(size.work())?,
        })
    }

    /// How many observations it holds.
    #[must_use]
    pub fn rows(&self) -> usize {
        (self.counts[ROWS] as usize).min(self.size.rows)
    }

    /// Coordinates of an input.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.size.dims
    }

    /// Whether the factor covers all observations.
    #[must_use]
    pub fn is_fitted(&self) -> bool {
        self.counts[ROWS] == self.counts[FACTORED]
    }

    /// What was added to the diagonal beyond the noise to keep the factor positive definite.
    #[must_use]
    pub fn jitter(&self) -> R {
        R::of(f64::from_bits(self.counts[JITTER]))
    }

    /// The hyperparameters, on their log scale, the noise variance last.
    #[must_use]
    pub fn theta(&self) -> &[R] {
        &self.theta.value[..self.size.thetas + 1]
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
        let index = self.size.thetas;
        let (variance, lo, hi) = (R::of(variance), R::of(lo), R::of(hi));
        if !(lo > R::ZERO && lo <= variance && variance <= hi && hi.is_finite()) {
            return Err(Error::Theta { index: index as u32 });
        }
        self.theta.value[index] = variance.ln();
        self.theta.lo[index] = lo.ln();
        self.theta.hi[index] = hi.ln();
        self.theta.prior_mean[index] = variance.ln();
        self.theta.prior_precision[index] = R::ZERO;
        self.counts[FACTORED] = 0;
        Ok(())
    }

    /// Gives the noise a log-normal prior with this spread around its present value; 0 is a flat one.
    ///
    /// # Errors
    /// [`Error::Theta`] if `sd` is neither 0 nor a finite number from [`kernel::MIN_SD`] on.
    pub fn set_noise_prior(&mut self, sd: f64) -> Result<(), Error> {
        let index = self.size.thetas;
        if sd != 0.0 && !(sd >= kernel::MIN_SD && sd.is_finite()) {
            return Err(Error::Theta { index: index as u32 });
        }
        self.theta.prior_mean[index] = self.theta.value[index];
        self.theta.prior_precision[index] = if sd > 0.0 { R::of(1.0 / (sd * sd)) } else { R::ZERO };
        Ok(())
    }

    /// The inputs, row after row.
    #[must_use]
    pub fn inputs(&self) -> &[R] {
        &self.x[..self.rows() * self.size.dims]
    }

    /// The targets.
    #[must_use]
    pub fn targets(&self) -> &[R] {
        &self.y[..self.rows()]
    }

    /// The targets, for replacing them; [`Gp::refresh`] makes the change count.
    pub fn targets_mut(&mut self) -> &mut [R] {
        let rows = self.rows();
        &mut self.y[..rows]
    }

    /// Known variances of the observations, for replacing them; a fit makes the change count.
    pub fn known_variances_mut(&mut self) -> &mut [R] {
        let rows = self.rows();
        self.counts[FACTORED] = 0;
        &mut self.known[..rows]
    }

    /// Adds an observation without touching the factor.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Shape`], [`Error::NotFinite`].
    pub fn push(&mut self, x: &[R], y: R, known_variance: R) -> Result<(), Error> {
        let (n, dims) = (self.rows(), self.size.dims);
        if n == self.size.rows {
            return Err(Error::Full);
        }
        if x.len() != dims {
            return Err(Error::Shape { needed: dims });
        }
        if !y.is_finite()
            || known_variance < R::ZERO
            || !known_variance.is_finite()
            || x.iter().any(|v| !v.is_finite())
        {
            return Err(Error::NotFinite);
        }
        self.x[n * dims..(n + 1) * dims].copy_from_slice(x);
        self.y[n] = y;
        self.known[n] = known_variance;
        self.counts[ROWS] = n as u64 + 1;
        Ok(())
    }

    /// Removes all observations.
    pub fn clear(&mut self) {
        self.counts.fill(0);
    }

    /// Forgets the observations after the first `rows`, with their rows of the factor.
    ///
    /// α and the trend then still belong to the longer set until [`Gp::refresh`].
    pub fn truncate(&mut self, rows: usize) {
        let rows = rows as u64;
        self.counts[ROWS] = self.counts[ROWS].min(rows);
        self.counts[FACTORED] = self.counts[FACTORED].min(rows);
    }

    /// Builds the factor at the present hyperparameters, with the least jitter that works.
    ///
    /// Cost: n³/3 flops.
    ///
    /// # Errors
    /// [`Error::NoData`], [`Error::NotPositiveDefinite`] if even the largest jitter does not help.
    pub fn fit<C, B>(&mut self, covariance: &C, backend: &mut B) -> Result<(), Error>
    where
        C: Covariance<R> + ?Sized,
        B: Backend<R> + ?Sized,
    {
        let n = self.rows();
        self.check(covariance)?;
        self.counts[FACTORED] = 0;
        let theta = &self.theta.value[..self.size.thetas];
        let noise = self.theta.value[self.size.thetas].exp();
        let x = &self.x[..n * self.size.dims];
        let factor = &mut self.factor[..packed(n)];
        let mut scale = R::ZERO;
        for row in x.chunks_exact(self.size.dims) {
            scale = scale.max(covariance.eval(theta, row, row));
        }
        let least = self.known[..n].iter().copied().fold(R::INFINITY, R::min);
        let inputs = Inputs { theta, x, rows: n, nugget: noise + least };
        let (known, work) = (&*self.known, &mut *self.work);
        let mut failure = None;
        // The ladder refills the matrix before each attempt; both closures need the backend, one after the other.
        let backend = core::cell::RefCell::new(backend);
        let added = linalg::factor_with_jitter_by(
            |matrix| {
                let filled = match covariance.tape() {
                    Some(tape) => backend.borrow_mut().gram(tape, &inputs, matrix, work),
                    None => covariance.gram(theta, x, n, matrix, work),
                };
                failure = failure.or(filled.err());
                evidence::add_noise(matrix, n, noise, known);
            },
            |matrix, rows| backend.borrow_mut().factor(matrix, rows),
            factor,
            n,
            scale,
        );
        if let Some(error) = failure {
            return Err(error);
        }
        let added = added?;
        self.counts[JITTER] = added.to_f64().to_bits();
        self.counts[FACTORED] = n as u64;
        self.refresh()
    }

    /// Adds an observation and its row of the factor. Cost: n² flops; α waits for [`Gp::refresh`].
    ///
    /// # Errors
    /// As [`Gp::push`], and [`Error::NotPositiveDefinite`] if the point adds nothing but rounding; the
    /// observation is then not added.
    pub fn extend<C>(&mut self, covariance: &C, x: &[R], y: R, known_variance: R) -> Result<(), Error>
    where
        C: Covariance<R> + ?Sized,
    {
        if !self.is_fitted() {
            return Err(Error::NoData);
        }
        let n = self.rows();
        let thetas = self.size.thetas;
        if covariance.thetas() != thetas {
            return Err(Error::Kernel);
        }
        self.push(x, y, known_variance)?;
        let dims = self.size.dims;
        let theta = &self.theta.value[..thetas];
        let point = &self.x[n * dims..(n + 1) * dims];
        let row = &mut self.factor[packed(n)..packed(n) + n + 1];
        covariance.cross(theta, &self.x[..n * dims], point, &mut row[..n], self.work)?;
        let noise = self.theta.value[thetas].exp() + R::of(f64::from_bits(self.counts[JITTER]));
        row[n] = covariance.eval(theta, point, point) + noise + known_variance;
        match linalg::append(self.factor, n) {
            Ok(()) => {
                self.counts[FACTORED] = n as u64 + 1;
                Ok(())
            }
            Err(error) => {
                self.counts[ROWS] = n as u64;
                Err(error)
            }
        }
    }

    /// Removes observation `row` from data and factor. Cost: O((n − row)²).
    ///
    /// # Errors
    /// [`Error::Shape`] if there is no such row.
    pub fn remove(&mut self, row: usize) -> Result<(), Error> {
        let (n, dims) = (self.rows(), self.size.dims);
        if row >= n {
            return Err(Error::Shape { needed: row.saturating_add(1) });
        }
        if self.is_fitted() {
            linalg::drop_row(self.factor, n, row)?;
            self.counts[FACTORED] = n as u64 - 1;
        } else {
            self.counts[FACTORED] = 0;
        }
        self.x.copy_within((row + 1) * dims..n * dims, row * dims);
        self.y.copy_within(row + 1..n, row);
        self.known.copy_within(row + 1..n, row);
        self.counts[ROWS] = n as u64 - 1;
        Ok(())
    }

    /// Recomputes the trend and α from the factor and the present targets. Cost: 2n²(1 + p) flops.
    ///
    /// # Errors
    /// [`Error::NoData`] if there are no more observations than basis functions or no factor.
    pub fn refresh(&mut self) -> Result<(), Error> {
        let n = self.rows();
        let p = self.trend.columns(self.size.dims);
        if !self.is_fitted() || n == 0 || n <= p {
            return Err(Error::NoData);
        }
        let factor = &self.factor[..packed(n)];
        let alpha = &mut self.alpha[..n];
        let basis = &mut self.basis[..n * p];
        alpha.copy_from_slice(&self.y[..n]);
        linalg::solve_lower(factor, n, alpha)?;
        evidence::whiten_basis(self.trend, self.x, self.size.dims, factor, n, basis)?;
        evidence::generalised_least_squares(alpha, basis, n, p, self.normal, self.beta)?;
        linalg::solve_upper(factor, n, alpha)
    }

    /// The fitted process as plain slices, with the work memory beside it.
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit.
    pub fn split(&mut self) -> Result<Split<'_, R>, Error> {
        let n = self.rows();
        let p = self.trend.columns(self.size.dims);
        if n == 0 || !self.is_fitted() {
            return Err(Error::NoData);
        }
        let posterior = Posterior {
            inputs: Inputs {
                theta: &self.theta.value[..self.size.thetas],
                x: &self.x[..n * self.size.dims],
                rows: n,
                nugget: R::ZERO,
            },
            factor: &self.factor[..packed(n)],
            alpha: &self.alpha[..n],
            trend: self.trend,
            beta: &self.beta[..p],
            basis: &self.basis[..n * p],
            normal: &self.normal[..packed(p)],
        };
        Ok(Split { posterior, targets: &self.y[..n], work: &mut *self.work })
    }

    /// The training objective at the present hyperparameters and, unless `gradient` is empty, its derivatives.
    ///
    /// Without the log prior. The factor is spoilt: fit again before predicting.
    ///
    /// # Errors
    /// [`Error::NoData`], [`Error::NotPositiveDefinite`], [`Error::Shape`].
    pub fn evidence<C, B>(
        &mut self,
        covariance: &C,
        backend: &mut B,
        objective: Objective,
        gradient: &mut [R],
    ) -> Result<R, Error>
    where
        C: Covariance<R> + ?Sized,
        B: Backend<R> + ?Sized,
    {
        self.check(covariance)?;
        self.counts[FACTORED] = 0;
        let n = self.rows();
        let request = Evidence {
            inputs: Inputs {
                theta: self.theta.value,
                x: &self.x[..n * self.size.dims],
                rows: n,
                nugget: R::ZERO,
            },
            targets: &self.y[..n],
            noise: &self.known[..n],
            trend: self.trend,
            objective,
        };
        train::objective(covariance, backend, &request, gradient, self.factor, self.work)
    }

    /// Scratch for the values behind the targets, and the targets; α is lost until [`Gp::refresh`].
    pub(crate) fn values_and_targets(&mut self) -> (&mut [R], &mut [R]) {
        let rows = self.rows();
        (&mut self.alpha[..rows], &mut self.y[..rows])
    }

    /// Forgets the factor.
    pub(crate) fn unfit(&mut self) {
        self.counts[FACTORED] = 0;
    }

    /// The packed factor.
    pub(crate) fn factor(&self) -> &[R] {
        self.factor
    }

    /// Rows of the factor.
    pub(crate) fn factored(&self) -> usize {
        (self.counts[FACTORED] as usize).min(self.size.rows)
    }

    /// Basis functions of the trend.
    pub(crate) fn columns(&self) -> usize {
        self.trend.columns(self.size.dims)
    }

    /// Whether counts, data, hyperparameters and factor are such as this process leaves them.
    pub(crate) fn is_sound(&self) -> bool {
        let (rows, factored) = (self.counts[ROWS], self.counts[FACTORED]);
        if rows > self.size.rows as u64 || factored != 0 && factored != rows {
            return false;
        }
        let (n, dims) = (rows as usize, self.size.dims);
        let inside = |v: &R| *v >= R::ZERO && *v <= R::ONE;
        let jitter = f64::from_bits(self.counts[JITTER]);
        let diagonal = |i: usize| self.factor[packed(i) + i] > R::ZERO;
        self.x[..n * dims].iter().all(inside)
            && self.y[..n].iter().all(|v| v.is_finite())
            && self.known[..n].iter().all(|v| v.is_finite() && *v >= R::ZERO)
            && jitter.is_finite()
            && jitter >= 0.0
            && self.theta.check(self.size.thetas + 1).is_ok()
            && self.theta.lo.iter().chain(self.theta.hi.iter()).all(|b| b.abs() <= R::of(kernel::MAX_LOG))
            && self.factor[..packed(factored as usize)].iter().all(|v| v.is_finite())
            && (0..factored as usize).all(diagonal)
    }

    /// The coefficients of the trend.
    #[must_use]
    pub fn trend_coefficients(&self) -> &[R] {
        &self.beta[..self.trend.columns(self.size.dims)]
    }

    fn check<C: Covariance<R> + ?Sized>(&self, covariance: &C) -> Result<(), Error> {
        if covariance.thetas() != self.size.thetas {
            return Err(Error::Kernel);
        }
        if self.rows() == 0 { Err(Error::NoData) } else { Ok(()) }
    }

    fn check_points(&self, points: &[R], count: usize) -> Result<(), Error> {
        let needed = count * self.size.dims;
        if points.len() == needed { Ok(()) } else { Err(Error::Shape { needed }) }
    }
}
