//! Thompson sampling by random Fourier features (RFF): a whole function drawn from a process, as a sum of waves.

#[cfg(test)]
mod tests;

use super::joint::worst;
use super::spectral_density;
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::Tape;
use crate::linalg::{factor_with_jitter, packed, solve_lower, solve_upper};
use crate::math::{axpy, dot};
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::surrogate::{AcquisitionFunction, Surrogate};
use crate::trend::Trend;

/// What the function was observed to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data<'a, R> {
    /// The inputs, row after row.
    pub x: &'a [R],
    /// The targets.
    pub y: &'a [R],
    /// Known variance of each target, added to the common noise; may be empty.
    pub known: &'a [R],
    /// The common noise variance.
    pub noise: R,
    /// The mean of the process.
    pub trend: Trend,
    /// Its coefficients, which are taken as certain.
    pub beta: &'a [R],
}

/// A function drawn from the posterior of a process with a stationary kernel, smooth and cheap to evaluate anywhere.
///
/// ```text
/// f(x) = h(x)ᵀβ + wᵀφ(x),   φ(x) = √(σ²/F) (cos ωᵢᵀx, sin ωᵢᵀx),  i = 1 … F,   m = 2F
/// n ≤ m:  w = w₀ + Φᵀ(ΦΦᵀ + Σ)⁻¹(y − Hβ − Φw₀ − ε),   w₀ ~ N(0, I),  ε ~ N(0, Σ)
/// n > m:  w = A⁻¹ΦᵀΣ⁻¹(y − Hβ) + L⁻ᵀz,   A = I + ΦᵀΣ⁻¹Φ = LLᵀ,  z ~ N(0, I)
/// ```
///
/// Both are draws from the same posterior of Bayesian linear regression; its covariance tends to that of the process as
/// F^(−½). Cost: `prepare` O(n m min(n, m)), `score` and `gradient` O(F d).
///
/// Used by one thread at a time; it lives as long as the memory lent to it.
///
/// # References
/// Hernández-Lobato, Hoffman and Ghahramani, *Predictive Entropy Search*, 2014, section 2.1 (the draw); Lázaro-Gredilla,
/// Quiñonero-Candela, Rasmussen and Figueiras-Vidal, *Sparse Spectrum Gaussian Process Regression*, JMLR 11, 2010 (the
/// pairs).
#[derive(Debug)]
pub(crate) struct RffThompson<'a, R> {
    frequencies: &'a mut [R],
    weights: &'a mut [R],
    beta: &'a mut [R],
    work: &'a mut [R],
    dims: usize,
    variance: R,
    trend: Trend,
    ready: bool,
}

impl<'a, R: Real> RffThompson<'a, R> {
    /// Scalars of memory for as many observations, coordinates, basis functions of the trend and frequencies.
    pub(crate) const fn scalars(rows: usize, dims: usize, columns: usize, features: usize) -> usize {
        features * (dims + 2) + columns + Self::work(rows, dims, features)
    }

    const fn work(rows: usize, dims: usize, features: usize) -> usize {
        let waves = 2 * features;
        let few = if rows < waves { rows } else { waves };
        let dual = few * waves + packed(few) + few;
        let primal = if rows > waves { packed(waves) + 2 * waves } else { 0 };
        let most = if dual > primal { dual } else { primal };
        let drawing = spectral_density::scratch(dims);
        if most > drawing { most } else { drawing }
    }

    /// In memory of [`RffThompson::scalars`], to be prepared.
    ///
    /// # Errors
    /// [`Error::Config`] without coordinates or features or for more than [`super::MAX_FEATURES`], [`Error::Shape`] if the memory is too small.
    pub(crate) fn new(
        memory: &'a mut [R],
        rows: usize,
        dims: usize,
        columns: usize,
        features: usize,
    ) -> Result<Self, Error> {
        Error::Config.when(features == 0 || features > super::MAX_FEATURES as usize || dims == 0)?;
        let mut scratch = Scratch::new(memory);
        Ok(Self {
            frequencies: scratch.take(features.saturating_mul(dims))?,
            weights: scratch.take(2 * features)?,
            beta: scratch.take(columns)?,
            work: scratch.take(Self::work(rows, dims, features))?,
            dims,
            variance: R::ZERO,
            trend: Trend::Zero,
            ready: false,
        })
    }

    /// Draws frequencies for the kernel and a function through the data; θ is on its log scale.
    ///
    /// # Errors
    /// As [`RffThompson::frequencies`] and [`RffThompson::condition`].
    pub(crate) fn prepare(
        &mut self,
        tape: Tape<'_>,
        theta: &[R],
        data: &Data<'_, R>,
        generator: &mut Generator,
    ) -> Result<(), Error> {
        self.frequencies(tape, theta, generator)?;
        self.condition(data, generator)
    }

    /// Draws the frequencies; a function is then drawn by [`RffThompson::condition`].
    ///
    /// # Errors
    /// As [`spectral_density::frequency`].
    pub(crate) fn frequencies(
        &mut self,
        tape: Tape<'_>,
        theta: &[R],
        generator: &mut Generator,
    ) -> Result<(), Error> {
        self.ready = false;
        self.variance = R::ZERO;
        Error::Shape { needed: self.dims }.when(tape.dims() != self.dims)?;
        let mut variance = R::ZERO;
        for wave in self.frequencies.chunks_exact_mut(self.dims) {
            variance = spectral_density::frequency(tape, theta, generator, wave, self.work)?;
        }
        self.variance = variance;
        Ok(())
    }

    /// Draws a function through the data with the present frequencies. Without data it is a draw from the prior.
    ///
    /// # Errors
    /// [`Error::NoData`] without frequencies, [`Error::Shape`] if the data does not fit together or the memory,
    /// [`Error::NotFinite`] if it has what is not a number or a negative variance, [`Error::NotPositiveDefinite`].
    pub(crate) fn condition(&mut self, data: &Data<'_, R>, generator: &mut Generator) -> Result<(), Error> {
        self.ready = false;
        Error::NoData.when(self.variance <= R::ZERO)?;
        let rows = data.y.len();
        let columns = data.trend.columns(self.dims);
        let known = data.known.is_empty() || data.known.len() == rows;
        if data.x.len() != rows.saturating_mul(self.dims)
            || !known
            || data.beta.len() != columns
            || self.beta.len() < columns
        {
            return Err(Error::Shape { needed: rows });
        }
        let numbers = data.x.iter().chain(data.y).chain(data.known).chain(data.beta);
        let variances = data.known.iter().chain([&data.noise]);
        if !(numbers.chain([&data.noise]).all(|v| v.is_finite()) && variances.clone().all(|&v| v >= R::ZERO))
        {
            return Err(Error::NotFinite);
        }
        self.trend = data.trend;
        self.beta[..columns].copy_from_slice(data.beta);
        if rows <= self.weights.len() {
            self.dual(data, generator)?
        } else {
            self.primal(data, generator)?
        }
        Error::NotFinite.when(!self.weights.iter().all(|weight| weight.is_finite()))?;
        self.ready = true;
        Ok(())
    }

    /// The function at a point; NaN before a preparation or for a point of another length.
    pub(crate) fn value(&self, point: &[R]) -> R {
        if !self.ready || point.len() != self.dims {
            return R::NAN;
        }
        let mut sum = R::ZERO;
        for (wave, weight) in self.frequencies.chunks_exact(self.dims).zip(self.weights.chunks_exact(2)) {
            let phase = dot(wave, point);
            sum += weight[0] * phase.cos() + weight[1] * phase.sin();
        }
        sum * amplitude(self.variance, self.weights.len() / 2) + self.mean(point)
    }

    /// h(x)ᵀβ
    fn mean(&self, point: &[R]) -> R {
        let mut sum = R::ZERO;
        self.trend.basis(point, |column, value| sum += self.beta[column] * value);
        sum
    }

    /// The draw by a system of as many rows as there is data.
    fn dual(&mut self, data: &Data<'_, R>, generator: &mut Generator) -> Result<(), Error> {
        let (rows, waves, dims) = (data.y.len(), self.weights.len(), self.dims);
        for weight in &mut *self.weights {
            *weight = rng::normal(generator);
        }
        if rows == 0 {
            return Ok(());
        }
        let variance = self.variance;
        let mut scratch = Scratch::new(&mut *self.work);
        let (phi, matrix, side) =
            (scratch.take(rows * waves)?, scratch.take(packed(rows))?, scratch.take(rows)?);
        for (row, point) in phi.chunks_exact_mut(waves).zip(data.x.chunks_exact(dims)) {
            fill(self.frequencies, variance, point, row);
        }
        let phi = &*phi;
        let noise = |i: usize| level(data, i, variance);
        let filled = |matrix: &mut [R]| {
            for i in 0..rows {
                let row = &phi[i * waves..(i + 1) * waves];
                for j in 0..=i {
                    matrix[packed(i) + j] = dot(row, &phi[j * waves..(j + 1) * waves]);
                }
                matrix[packed(i) + i] += noise(i);
            }
        };
        factor_with_jitter(filled, matrix, rows, variance)?;
        for i in 0..rows {
            let prior = dot(&phi[i * waves..(i + 1) * waves], self.weights);
            let error = noise(i).sqrt() * rng::normal::<R, _>(generator);
            side[i] = residual(data, i, dims) - prior - error;
        }
        solve_lower(matrix, rows, side)?;
        solve_upper(matrix, rows, side)?;
        for (row, &alpha) in phi.chunks_exact(waves).zip(&*side) {
            axpy(alpha, row, self.weights);
        }
        Ok(())
    }

    /// The draw by a system of as many rows as there are waves.
    fn primal(&mut self, data: &Data<'_, R>, generator: &mut Generator) -> Result<(), Error> {
        let (rows, waves, dims) = (data.y.len(), self.weights.len(), self.dims);
        let (variance, frequencies) = (self.variance, &*self.frequencies);
        let mut scratch = Scratch::new(&mut *self.work);
        let (matrix, row) = (scratch.take(packed(waves))?, scratch.take(waves)?);
        let weights = &mut *self.weights;
        weights.fill(R::ZERO);
        let mut scale = R::ONE;
        for (i, point) in data.x.chunks_exact(dims).enumerate() {
            fill(frequencies, variance, point, row);
            axpy(residual(data, i, dims) / level(data, i, variance), row, weights);
            scale += variance / level(data, i, variance);
        }
        let filled = |matrix: &mut [R]| {
            matrix.fill(R::ZERO);
            for (i, point) in data.x.chunks_exact(dims).enumerate().take(rows) {
                fill(frequencies, variance, point, row);
                let precision = R::ONE / level(data, i, variance);
                for k in 0..waves {
                    axpy(precision * row[k], &row[..=k], &mut matrix[packed(k)..packed(k + 1)]);
                }
            }
            for k in 0..waves {
                matrix[packed(k) + k] += R::ONE;
            }
        };
        factor_with_jitter(filled, matrix, waves, scale)?;
        solve_lower(matrix, waves, weights)?;
        for weight in weights.iter_mut() {
            *weight += rng::normal(generator);
        }
        solve_upper(matrix, waves, weights)
    }
}

impl<R: Real> AcquisitionFunction<R> for RffThompson<'_, R> {
    /// Minus the function; the lowest number where it has none.
    fn scores(&mut self, _model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        for (point, out) in points.chunks_exact(self.dims).zip(out) {
            let value = self.value(point);
            *out = if value.is_finite() { -value } else { worst() };
        }
        Ok(())
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        model.smooth(parameter)
    }

    fn gradient(&mut self, _: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let [gradient, _] = out;
        Error::NoData.when(!self.ready)?;
        Error::Shape { needed: self.dims }.when(at.len() != self.dims || gradient.len() != self.dims)?;
        gradient.fill(R::ZERO);
        let scale = amplitude(self.variance, self.weights.len() / 2);
        let mut sum = R::ZERO;
        for (wave, weight) in self.frequencies.chunks_exact(self.dims).zip(self.weights.chunks_exact(2)) {
            let phase = dot(wave, at);
            let (sin, cos) = (phase.sin(), phase.cos());
            sum += weight[0] * cos + weight[1] * sin;
            axpy(scale * (weight[1] * cos - weight[0] * sin), wave, gradient);
        }
        self.trend.gradient(at, self.beta, gradient);
        for out in gradient.iter_mut() {
            *out = -*out;
        }
        let value = sum * scale + self.mean(at);
        Ok(if value.is_finite() { -value } else { worst() })
    }
}

/// √(σ²/F)
fn amplitude<R: Real>(variance: R, features: usize) -> R {
    (variance / R::of_usize(features.max(1))).sqrt()
}

/// φ(x): cosines and sines in turn.
fn fill<R: Real>(frequencies: &[R], variance: R, point: &[R], out: &mut [R]) {
    let scale = amplitude(variance, out.len() / 2);
    for (wave, pair) in frequencies.chunks_exact(point.len()).zip(out.chunks_exact_mut(2)) {
        let phase = dot(wave, point);
        (pair[0], pair[1]) = (scale * phase.cos(), scale * phase.sin());
    }
}

/// The noise variance of a row, at least what rounding makes of the function's own.
fn level<R: Real>(data: &Data<'_, R>, row: usize, variance: R) -> R {
    let known = data.known.get(row).copied().unwrap_or(R::ZERO);
    (data.noise + known).max(R::of(16.0) * R::EPSILON * variance)
}

/// y − h(x)ᵀβ of a row.
fn residual<R: Real>(data: &Data<'_, R>, row: usize, dims: usize) -> R {
    let mut value = data.y[row];
    data.trend.basis(&data.x[row * dims..(row + 1) * dims], |column, h| value -= data.beta[column] * h);
    value
}
