//! Spectral Thompson sampling: a whole function drawn from a process, as a sum of waves.

use super::joint::worst;
use super::spectrum;
use crate::arena::Scratch;
use crate::error::Error;
use crate::kernel::Tape;
use crate::linalg::{factor_with_jitter, packed, solve_lower, solve_upper};
use crate::math::{axpy, dot};
use crate::real::Real;
use crate::rng;
use crate::trend::Trend;

/// What the function was observed to be.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a, R> {
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
pub struct Spectral<'a, R> {
    frequencies: &'a mut [R],
    weights: &'a mut [R],
    beta: &'a mut [R],
    work: &'a mut [R],
    dims: usize,
    variance: R,
    trend: Trend,
    ready: bool,
}

impl<'a, R: Real> Spectral<'a, R> {
    /// Scalars of memory for as many observations, coordinates, basis functions of the trend and frequencies.
    #[must_use]
    pub const fn scalars(rows: usize, dims: usize, columns: usize, features: usize) -> usize {
        features * (dims + 2) + columns + Self::work(rows, dims, features)
    }

    const fn work(rows: usize, dims: usize, features: usize) -> usize {
        let waves = 2 * features;
        let few = if rows < waves { rows } else { waves };
        let dual = few * waves + packed(few) + few;
        let primal = if rows > waves { packed(waves) + 2 * waves } else { 0 };
        let most = if dual > primal { dual } else { primal };
        let drawing = spectrum::scratch(dims);
        if most > drawing { most } else { drawing }
    }

    /// In memory of [`Spectral::scalars`], to be prepared.
    ///
    /// # Errors
    /// [`Error::Config`] without coordinates or features, [`Error::Shape`] if the memory is too small.
    pub fn new(
        memory: &'a mut [R],
        rows: usize,
        dims: usize,
        columns: usize,
        features: usize,
    ) -> Result<Self, Error> {
        if features == 0 || dims == 0 {
            return Err(Error::Config);
        }
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
    /// As [`Spectral::frequencies`] and [`Spectral::condition`].
    pub fn prepare<G: rand_core::Rng + ?Sized>(
        &mut self,
        tape: Tape<'_>,
        theta: &[R],
        data: &Data<'_, R>,
        generator: &mut G,
    ) -> Result<(), Error> {
        self.frequencies(tape, theta, generator)?;
        self.condition(data, generator)
    }

    /// Draws the frequencies; a function is then drawn by [`Spectral::condition`].
    ///
    /// # Errors
    /// As [`spectrum::frequency`].
    pub fn frequencies<G: rand_core::Rng + ?Sized>(
        &mut self,
        tape: Tape<'_>,
        theta: &[R],
        generator: &mut G,
    ) -> Result<(), Error> {
        self.ready = false;
        self.variance = R::ZERO;
        if tape.dims() != self.dims {
            return Err(Error::Shape { needed: self.dims });
        }
        let mut variance = R::ZERO;
        for wave in self.frequencies.chunks_exact_mut(self.dims) {
            variance = spectrum::frequency(tape, theta, generator, wave, self.work)?;
        }
        self.variance = variance;
        Ok(())
    }

    /// Draws a function through the data with the present frequencies. Without data it is a draw from the prior.
    ///
    /// # Errors
    /// [`Error::NoData`] without frequencies, [`Error::Shape`] if the data does not fit together or the memory,
    /// [`Error::NotFinite`] if it has what is not a number or a negative variance, [`Error::NotPositiveDefinite`].
    pub fn condition<G: rand_core::Rng + ?Sized>(
        &mut self,
        data: &Data<'_, R>,
        generator: &mut G,
    ) -> Result<(), Error> {
        self.ready = false;
        if self.variance <= R::ZERO {
            return Err(Error::NoData);
        }
        let rows = data.y.len();
        let columns = data.trend.columns(self.dims);
        let known = data.known.is_empty() || data.known.len() == rows;
        if data.x.len() != rows * self.dims
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
        if !self.weights.iter().all(|weight| weight.is_finite()) {
            return Err(Error::NotFinite);
        }
        self.ready = true;
        Ok(())
    }

    /// The function at a point; NaN before a preparation or for a point of another length.
    #[must_use]
    pub fn value(&self, point: &[R]) -> R {
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

    /// Minus the function at a point; the lowest number where it has none.
    #[must_use]
    pub fn score(&self, point: &[R]) -> R {
        let value = self.value(point);
        if value.is_finite() { -value } else { worst() }
    }

    /// The score at a point with its derivatives there.
    ///
    /// # Errors
    /// [`Error::NoData`] before a preparation, [`Error::Shape`].
    pub fn gradient(&self, point: &[R], gradient: &mut [R]) -> Result<R, Error> {
        if !self.ready {
            return Err(Error::NoData);
        }
        if point.len() != self.dims || gradient.len() != self.dims {
            return Err(Error::Shape { needed: self.dims });
        }
        gradient.fill(R::ZERO);
        let scale = amplitude(self.variance, self.weights.len() / 2);
        let mut sum = R::ZERO;
        for (wave, weight) in self.frequencies.chunks_exact(self.dims).zip(self.weights.chunks_exact(2)) {
            let phase = dot(wave, point);
            let (sin, cos) = (phase.sin(), phase.cos());
            sum += weight[0] * cos + weight[1] * sin;
            axpy(scale * (weight[1] * cos - weight[0] * sin), wave, gradient);
        }
        self.trend.gradient(point, self.beta, gradient);
        for out in gradient.iter_mut() {
            *out = -*out;
        }
        let value = sum * scale + self.mean(point);
        Ok(if value.is_finite() { -value } else { worst() })
    }

    /// h(x)ᵀβ
    fn mean(&self, point: &[R]) -> R {
        let mut sum = R::ZERO;
        self.trend.basis(point, |column, value| sum += self.beta[column] * value);
        sum
    }

    /// The draw by a system of as many rows as there is data.
    fn dual<G: rand_core::Rng + ?Sized>(
        &mut self,
        data: &Data<'_, R>,
        generator: &mut G,
    ) -> Result<(), Error> {
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
            let error = noise(i).sqrt() * rng::normal::<R, G>(generator);
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
    fn primal<G: rand_core::Rng + ?Sized>(
        &mut self,
        data: &Data<'_, R>,
        generator: &mut G,
    ) -> Result<(), Error> {
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

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use super::{Data, Spectral};
    use crate::error::Error;
    use crate::kernel::{Dims, Kernel, Tape};
    use crate::rng::Generator;
    use crate::trend::Trend;

    fn with_tape<T>(ask: impl FnOnce(Tape<'_>) -> T) -> T {
        let kernel = Kernel::squared_exponential(Dims::All).scaled();
        let (mut nodes, mut lists) = ([0; 16], [0; 4]);
        kernel.write(1, &mut nodes, &mut lists).unwrap();
        ask(Tape::attach(&nodes, &lists, 1).unwrap())
    }

    /// ln ℓ, ln σ²
    const THETA: [f64; 2] = [-1.0, 0.4];

    /// Posterior mean and variance at `at` for any kernel, by Gaussian elimination.
    fn exact(k: impl Fn(f64, f64) -> f64, data: &Data<'_, f64>, at: f64) -> (f64, f64) {
        let n = data.y.len();
        let h = |x: f64| {
            let mut sum = 0.0;
            data.trend.basis(&[x], |c, v| sum += data.beta[c] * v);
            sum
        };
        // Two right-hand sides: the residuals and k(X, at).
        let mut rows: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let mut row: Vec<f64> = (0..n).map(|j| k(data.x[i], data.x[j])).collect();
                row[i] += data.noise + data.known.get(i).unwrap_or(&0.0);
                row.extend([data.y[i] - h(data.x[i]), k(data.x[i], at)]);
                row
            })
            .collect();
        for i in 0..n {
            let pivot = rows[i].clone();
            for row in rows.iter_mut().skip(i + 1) {
                let factor = row[i] / pivot[i];
                row.iter_mut().zip(&pivot).for_each(|(a, b)| *a -= factor * b);
            }
        }
        let mut solution = vec![[0.0; 2]; n];
        for i in (0..n).rev() {
            for s in 0..2 {
                let sum: f64 = (i + 1..n).map(|j| rows[i][j] * solution[j][s]).sum();
                solution[i][s] = (rows[i][n + s] - sum) / rows[i][i];
            }
        }
        let cross = |s: usize| (0..n).map(|i| k(data.x[i], at) * solution[i][s]).sum::<f64>();
        (h(at) + cross(0), k(at, at) - cross(1))
    }

    /// Mean and variance of draws against the exact ones, within four standard errors.
    fn compare(draws: &[f64], mean: f64, variance: f64) {
        let n = draws.len() as f64;
        let average = draws.iter().sum::<f64>() / n;
        let spread = draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / n;
        assert!((average - mean).abs() < 4.0 * (variance / n).sqrt(), "{average} {mean}");
        assert!((spread - variance).abs() < 4.0 * variance * (2.0 / n).sqrt(), "{spread} {variance}");
    }

    const X: [f64; 9] = [0.0, 0.15, 0.2, 0.4, 0.55, 0.6, 0.8, 0.9, 1.0];
    const Y: [f64; 9] = [0.3, 0.1, 0.2, -0.4, -0.2, 0.3, 0.9, 1.3, 0.8];
    const KNOWN: [f64; 9] = [0.0, 0.1, 0.0, 0.2, 0.0, 0.0, 0.05, 0.0, 0.0];

    /// With fixed frequencies the waves are a process of their own, whose posterior is exact: by either system.
    #[test]
    fn weights_have_the_posterior_of_their_waves() {
        for (rows, features) in [(4, 6), (9, 3), (0, 4)] {
            with_tape(|tape| {
                let data = Data {
                    x: &X[..rows],
                    y: &Y[..rows],
                    known: &KNOWN[..rows],
                    noise: 0.02,
                    trend: Trend::Linear,
                    beta: &[0.3, -0.2],
                };
                let mut memory = vec![0.0; Spectral::<f64>::scalars(rows, 1, 2, features)];
                let mut path = Spectral::new(&mut memory, rows, 1, 2, features).unwrap();
                let generator = &mut Generator::new(3);
                path.frequencies(tape, &THETA, generator).unwrap();
                let waves = path.frequencies.to_vec();
                let k = |a: f64, b: f64| {
                    let sum: f64 = waves.iter().map(|w| (w * (a - b)).cos()).sum();
                    THETA[1].exp() * sum / features as f64
                };
                let (mut near, mut far) = (vec![], vec![]);
                for _ in 0..100_000 {
                    path.condition(&data, generator).unwrap();
                    near.push(path.value(&[0.3]));
                    far.push(path.value(&[1.4]));
                }
                for (at, draws) in [(0.3, near), (1.4, far)] {
                    let (mean, variance) = exact(k, &data, at);
                    compare(&draws, mean, variance);
                }
            });
        }
    }

    /// With many waves, drawn anew each time, the draws are those of the process itself.
    #[test]
    fn paths_have_the_posterior_of_the_process() {
        with_tape(|tape| {
            let data = Data { x: &X[..3], y: &Y[..3], known: &[], noise: 0.1, trend: Trend::Zero, beta: &[] };
            let mut memory = vec![0.0; Spectral::<f64>::scalars(3, 1, 0, 500)];
            let mut path = Spectral::new(&mut memory, 3, 1, 0, 500).unwrap();
            let generator = &mut Generator::new(5);
            let (mut near, mut far) = (vec![], vec![]);
            for _ in 0..8000 {
                path.prepare(tape, &THETA, &data, generator).unwrap();
                near.push(path.value(&[0.3]));
                far.push(path.value(&[0.9]));
            }
            for (at, draws) in [(0.3, near), (0.9, far)] {
                let (mean, variance) = exact(|a, b| tape.eval(&THETA, &[a], &[b]), &data, at);
                compare(&draws, mean, variance);
            }
        });
    }

    #[test]
    fn the_gradient_is_that_of_the_score() {
        let kernel = Kernel::matern52(Dims::All).ard().scaled();
        let (mut nodes, mut lists) = ([0; 16], [0; 4]);
        kernel.write(2, &mut nodes, &mut lists).unwrap();
        let tape = Tape::attach(&nodes, &lists, 2).unwrap();
        let beta = [0.1, 0.2, -0.3, 0.5, -0.1, 0.4];
        let data =
            Data { x: &X[..8], y: &Y[..4], known: &[], noise: 1e-4, trend: Trend::Quadratic, beta: &beta };
        let mut memory = vec![0.0; Spectral::<f64>::scalars(4, 2, 6, 30)];
        let mut path = Spectral::new(&mut memory, 4, 2, 6, 30).unwrap();
        path.prepare(tape, &[-0.5, -1.0, 0.0], &data, &mut Generator::new(2)).unwrap();
        for point in [[0.2, 0.7], [0.5, 0.1]] {
            let mut gradient = [0.0; 2];
            assert_eq!(path.gradient(&point, &mut gradient).unwrap(), path.score(&point));
            for k in 0..2 {
                let (mut a, mut b) = (point, point);
                a[k] -= 1e-5;
                b[k] += 1e-5;
                let difference = (path.score(&b) - path.score(&a)) / 2e-5;
                assert!((gradient[k] - difference).abs() < 1e-6 * (1.0 + difference.abs()));
            }
        }
        // It passes near the data.
        assert!((path.value(&[X[2], X[3]]) - Y[1]).abs() < 0.06);
    }

    #[test]
    fn edges() {
        with_tape(|tape| {
            let good = Data { x: &X, y: &Y, known: &[], noise: 0.0, trend: Trend::Zero, beta: &[] };
            let mut memory = vec![0.0; Spectral::<f64>::scalars(9, 1, 0, 5)];
            assert_eq!(Spectral::new(&mut memory, 9, 1, 0, 0).unwrap_err(), Error::Config);
            assert_eq!(Spectral::new(&mut memory, 9, 0, 0, 5).unwrap_err(), Error::Config);
            assert!(Spectral::new(&mut memory[1..], 9, 1, 0, 5).is_err());
            let mut path = Spectral::new(&mut memory, 9, 1, 0, 5).unwrap();
            let generator = &mut Generator::new(1);
            assert_eq!(path.condition(&good, generator), Err(Error::NoData));
            assert!(path.value(&[0.1]).is_nan());
            assert_eq!(path.score(&[0.1]), -f64::MAX);
            assert_eq!(path.gradient(&[0.1], &mut [0.0]), Err(Error::NoData));
            // No noise and more data than waves: what is left is rounding.
            path.prepare(tape, &THETA, &good, generator).unwrap();
            assert!(path.value(&[0.5]).is_finite());
            assert!(path.value(&[0.5, 0.1]).is_nan());
            assert!(path.gradient(&[0.1, 0.1], &mut [0.0]).is_err());
            for bad in [
                Data { x: &X[..8], ..good },
                Data { known: &KNOWN[..3], ..good },
                Data { trend: Trend::Constant, ..good },
                Data { trend: Trend::Constant, beta: &[1.0], ..good },
            ] {
                assert!(matches!(path.condition(&bad, generator), Err(Error::Shape { .. })));
            }
            for bad in [
                Data { noise: f64::NAN, ..good },
                Data { noise: -1.0, ..good },
                Data { y: &[f64::INFINITY; 9], ..good },
                Data { known: &[-1.0; 9], ..good },
            ] {
                assert_eq!(path.condition(&bad, generator), Err(Error::NotFinite));
            }
            let mut memory = vec![0.0f32; Spectral::<f32>::scalars(40, 1, 0, 5)];
            let mut single = Spectral::new(&mut memory, 40, 1, 0, 5).unwrap();
            let x = [0.25f32; 40];
            let data = Data { x: &x, y: &x, known: &[], noise: 1e-6, trend: Trend::Zero, beta: &[] };
            single.prepare(tape, &[-1.0, 0.0], &data, generator).unwrap();
            assert!((single.value(&[0.25]) - 0.25).abs() < 0.01);
        });
    }
}
