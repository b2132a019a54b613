//! Gaussian-process regression in a lent block.
//!
//! A [`Gp`] holds its data, hyperparameters and factor; the covariance function is passed to each call, so that
//! a kernel tape and a user's own [`Covariance`] are treated alike.

pub mod evidence;
pub mod predict;
mod train;
pub mod transform;

pub use train::{Trained, Training};
pub use transform::Transform;

use crate::acquisition::Prediction;
use crate::arena::{Arena, Scratch, scalar_words};
use crate::backend::{Backend, Evidence, Objective, Inputs, Posterior};
use crate::descent;
use crate::error::Error;
use crate::kernel::{Covariance, Kernel, Tape, ThetaTable, covariance_scratch};
use crate::linalg::{self, packed};
use crate::real::Real;
use crate::rng;
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
            + ThetaTable::<R>::words(self.thetas + 1)
            + scalar_words::<R>(self.columns)
            + scalar_words::<R>(self.columns * self.rows)
            + scalar_words::<R>(packed(self.columns))
    }

    /// Scalars of work: the phases of a call take turns in it.
    #[must_use]
    pub const fn work(&self) -> usize {
        let train = train::work(self.thetas + 1) + evidence::work(self.rows, self.dims, self.columns);
        let score = predict::score_work(self.rows, self.dims, self.columns, self.batch);
        let point = predict::work(self.rows, self.dims, self.columns);
        let most = if train > score { train } else { score };
        if most > point { most } else { point }
    }
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
    theta: ThetaTable<'a, R>,
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
        if kernel.thetas(size.dims) != size.thetas || trend.columns(size.dims) > size.columns {
            return Err(Error::Limits);
        }
        let mut gp = Self::carve(&mut Arena::new(block), trend, size)?;
        gp.counts.fill(0);
        gp.theta.fill(kernel, size.dims)?;
        gp.set_noise(1e-4, 1e-8, 1.0)?;
        Ok(gp)
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
            theta: ThetaTable::carve(arena, size.thetas + 1)?,
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
    pub fn theta_table(&mut self) -> &mut ThetaTable<'a, R> {
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
        if !y.is_finite() || !(known_variance >= R::ZERO) || !known_variance.is_finite() || x.iter().any(|v| !v.is_finite())
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
        let mut added = R::ZERO;
        loop {
            match covariance.tape() {
                Some(tape) => backend.gram(tape, &Inputs { theta, x, rows: n }, factor, self.work)?,
                None => covariance.gram(theta, x, n, factor, self.work),
            }
            evidence::add_noise(factor, n, noise + added, self.known);
            match backend.factor(factor, n) {
                Ok(()) => break,
                Err(Error::NotPositiveDefinite { row }) => match linalg::next_jitter(added, scale) {
                    Some(more) => added = more,
                    None => return Err(Error::NotPositiveDefinite { row }),
                },
                Err(other) => return Err(other),
            }
        }
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
        covariance.cross(theta, &self.x[..n * dims], n, point, &mut row[..n], self.work);
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
            return Err(Error::Shape { needed: row + 1 });
        }
        if self.is_fitted() {
            linalg::drop_row(self.factor, n, row, self.work)?;
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
        linalg::solve_lower(factor, n, alpha);
        evidence::whiten_basis(self.trend, self.x, self.size.dims, factor, n, basis);
        evidence::generalised_least_squares(alpha, basis, n, p, self.normal, self.beta)?;
        linalg::solve_upper(factor, n, alpha);
        Ok(())
    }

    /// The fitted process as plain slices, and the work memory beside it.
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit.
    pub fn split(&mut self) -> Result<(Posterior<'_, R>, &mut [R]), Error> {
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
            },
            factor: &self.factor[..packed(n)],
            alpha: &self.alpha[..n],
            trend: self.trend,
            beta: &self.beta[..p],
            basis: &self.basis[..n * p],
            normal: &self.normal[..packed(p)],
        };
        Ok((posterior, &mut *self.work))
    }

    /// Mean and variance of the latent function at a point. Cost: n² flops.
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit, [`Error::Shape`], [`Error::Kernel`].
    pub fn predict<C>(&mut self, covariance: &C, point: &[R]) -> Result<Prediction<R>, Error>
    where
        C: Covariance<R> + ?Sized,
    {
        self.check(covariance)?;
        self.check_points(point, 1)?;
        let (posterior, work) = self.split()?;
        predict::at(covariance, &posterior, point, work)
    }

    /// As [`Gp::predict`], with the gradients of both in x. Cost: 2n² flops.
    ///
    /// # Errors
    /// As [`Gp::predict`].
    pub fn predict_gradient<C>(
        &mut self,
        covariance: &C,
        point: &[R],
        mean_gradient: &mut [R],
        variance_gradient: &mut [R],
    ) -> Result<Prediction<R>, Error>
    where
        C: Covariance<R> + ?Sized,
    {
        self.check(covariance)?;
        self.check_points(point, 1)?;
        let (posterior, work) = self.split()?;
        predict::gradient(covariance, &posterior, point, mean_gradient, variance_gradient, work)
    }

    /// Joint mean and packed covariance at `mean.len()` points, at most [`Size::batch`] of them.
    ///
    /// # Errors
    /// As [`Gp::predict`]; [`Error::Shape`] for more points than the work memory holds.
    pub fn predict_joint<C>(&mut self, covariance: &C, points: &[R], mean: &mut [R], matrix: &mut [R]) -> Result<(), Error>
    where
        C: Covariance<R> + ?Sized,
    {
        self.check(covariance)?;
        self.check_points(points, mean.len())?;
        let (posterior, work) = self.split()?;
        predict::joint(covariance, &posterior, points, mean, matrix, work)
    }

    /// A joint draw of the latent function at `out.len()` points; `matrix` is scratch of `packed(out.len())`.
    ///
    /// ```text
    /// f = mean + L z,   L Lᵀ = covariance + jitter,   z ~ N(0, I)
    /// ```
    ///
    /// # Errors
    /// As [`Gp::predict_joint`]; [`Error::NotPositiveDefinite`].
    pub fn sample<C, G>(
        &mut self,
        covariance: &C,
        points: &[R],
        generator: &mut G,
        out: &mut [R],
        matrix: &mut [R],
    ) -> Result<(), Error>
    where
        C: Covariance<R> + ?Sized,
        G: rand_core::Rng + ?Sized,
    {
        self.predict_joint(covariance, points, out, matrix)?;
        let count = out.len();
        let mut largest = R::ZERO;
        for i in 0..count {
            largest = largest.max(matrix[packed(i) + i]);
        }
        let mut scratch = Scratch::new(&mut *self.work);
        let kept = scratch.take(packed(count))?;
        let z = scratch.take(count)?;
        kept.copy_from_slice(&matrix[..packed(count)]);
        let mut added = R::ZERO;
        while linalg::factor(matrix, count).is_err() {
            added = linalg::next_jitter(added, largest).ok_or(Error::NotPositiveDefinite { row: 0 })?;
            matrix[..packed(count)].copy_from_slice(kept);
            for i in 0..count {
                matrix[packed(i) + i] += added;
            }
        }
        for value in z.iter_mut() {
            *value = rng::normal(generator);
        }
        for i in 0..count {
            out[i] += crate::math::dot(&matrix[packed(i)..packed(i) + i + 1], z);
        }
        Ok(())
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
            inputs: Inputs { theta: self.theta.value, x: &self.x[..n * self.size.dims], rows: n },
            targets: &self.y[..n],
            noise: &self.known[..n],
            trend: self.trend,
            objective,
        };
        train::objective(covariance, backend, &request, gradient, self.factor, self.work)
    }

    /// The likelihood with β and the process variance at their best values, for a kernel of unit variance.
    ///
    /// ```text
    /// −½[n ln(2π s²) + ln|K| + n],   s² = (y − Hβ)ᵀK⁻¹(y − Hβ)/n
    /// ```
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit.
    pub fn concentrated_likelihood(&mut self) -> Result<R, Error> {
        let (posterior, work) = self.split()?;
        let n = posterior.inputs.rows;
        let whitened = Scratch::new(work).take(n)?;
        // α = L⁻ᵀe, so Lᵀα = e.
        for i in 0..n {
            let mut sum = R::ZERO;
            for k in i..n {
                sum += posterior.factor[packed(k) + i] * posterior.alpha[k];
            }
            whitened[i] = sum;
        }
        let count = R::of_usize(n);
        let variance = crate::math::dot(whitened, whitened) / count;
        let log_determinant = linalg::log_determinant(posterior.factor, n);
        Ok(-R::HALF * (count * (R::TWO * R::PI * variance).ln() + log_determinant + count))
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
