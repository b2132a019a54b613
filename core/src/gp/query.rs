//! Queries of a Gaussian process: predictions, joint draws and leave-one-out residuals, at observed points or not.

use super::fit::all_finite;
use super::{Gp, Split, predict};
use crate::acquisition::Prediction;
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::Covariance;
use crate::linalg::{self, packed};
use crate::math::dot;
use crate::real::Real;
use crate::surrogate;

impl<R: Real> Gp<'_, R> {
    /// Mean and variance of the latent function at a point. Cost: n² flops.
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit and after one that failed, [`Error::Shape`], [`Error::Kernel`], [`Error::NotFinite`] for
    /// an answer out of the range.
    pub fn predict(&mut self, covariance: &dyn Covariance<R>, point: &[R]) -> Result<Prediction<R>, Error> {
        let Split { posterior, work, .. } = self.asked(covariance, point, 1)?;
        let answer = predict::at(covariance, &posterior, point, work)?;
        all_finite(&[answer.mean, answer.variance])?;
        Ok(answer)
    }

    /// As [`Gp::predict`], with the gradients of both in x. Cost: 2n² flops.
    ///
    /// # Errors
    /// As [`Gp::predict`].
    pub fn predict_gradient(
        &mut self,
        covariance: &dyn Covariance<R>,
        point: &[R],
        mean_gradient: &mut [R],
        variance_gradient: &mut [R],
    ) -> Result<Prediction<R>, Error> {
        let Split { posterior, work, .. } = self.asked(covariance, point, 1)?;
        let slopes = [&mut *mean_gradient, &mut *variance_gradient];
        let answer = predict::gradient(covariance, &posterior, point, slopes, work)?;
        all_finite(&[answer.mean, answer.variance])?;
        all_finite(mean_gradient).and_then(|()| all_finite(variance_gradient))?;
        Ok(answer)
    }

    /// Posterior mean at an observed point, from α alone; NaN beyond the last row and without a fit. Cost: O(1).
    ///
    /// ```text
    /// m(xᵢ) = yᵢ − (σₙ² + known variance + jitter) αᵢ
    /// ```
    pub(crate) fn mean_at_row(&self, row: usize) -> R {
        if row >= self.rows() || !self.answers() {
            return R::NAN;
        }
        let noise = self.theta.value[self.size.thetas].exp() + self.data.known[row] + self.jitter();
        self.data.y[row] - noise * self.fit.alpha[row]
    }

    /// Joint mean and packed covariance at `mean.len()` points, at most [`Size::batch`](super::Size::batch) of them.
    ///
    /// # Errors
    /// As [`Gp::predict`]; [`Error::Shape`] for more points than the work memory holds.
    pub fn predict_joint(
        &mut self,
        covariance: &dyn Covariance<R>,
        points: &[R],
        mean: &mut [R],
        matrix: &mut [R],
    ) -> Result<(), Error> {
        let Split { posterior, work, .. } = self.asked(covariance, points, mean.len())?;
        predict::joint(covariance, &posterior, points, mean, matrix, work)?;
        let written = packed(mean.len()).min(matrix.len());
        all_finite(mean).and_then(|()| all_finite(&matrix[..written]))
    }

    /// A joint draw of the latent function at `out.len()` points; `matrix` is scratch of `packed(out.len())`.
    ///
    /// ```text
    /// f = mean + L z,   L Lᵀ = covariance + jitter,   z ~ N(0, I)
    /// ```
    ///
    /// # Errors
    /// As [`Gp::predict_joint`]; [`Error::NotPositiveDefinite`].
    pub fn sample<G: rand_core::Rng + ?Sized>(
        &mut self,
        covariance: &dyn Covariance<R>,
        points: &[R],
        generator: &mut G,
        out: &mut [R],
        matrix: &mut [R],
    ) -> Result<(), Error> {
        self.predict_joint(covariance, points, out, matrix)?;
        let count = out.len();
        let work = &mut *self.work;
        surrogate::factor(matrix, count, work)?;
        surrogate::add_draw(out, matrix, generator, work)?;
        all_finite(out)
    }

    /// The fitted process, if a question about `count` points suits it.
    fn asked(
        &mut self,
        covariance: &dyn Covariance<R>,
        points: &[R],
        count: usize,
    ) -> Result<Split<'_, R>, Error> {
        self.check(covariance)?;
        let needed = count * self.size.dims;
        Error::Shape { needed }.when(points.len() != needed)?;
        self.split()
    }

    /// The likelihood with β and the process variance at their best values, for a kernel of unit variance.
    ///
    /// ```text
    /// −½[n ln(2π s²) + ln|K| + n],   s² = (y − Hβ)ᵀK⁻¹(y − Hβ)/n
    /// ```
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit; [`Error::NotFinite`] out of the range, as where the trend explains all.
    pub fn concentrated_likelihood(&mut self) -> Result<R, Error> {
        let Split { posterior, work, .. } = self.split()?;
        let n = posterior.inputs.rows;
        let whitened = Scratch::new(work).take(n)?;
        // α = L⁻ᵀe, so Lᵀα = e.
        posterior.inputs.blocks.multiply_upper(posterior.factor, n, posterior.alpha, whitened)?;
        let count = R::of_usize(n);
        let variance = dot(whitened, whitened) / count;
        let log_determinant = linalg::log_determinant(posterior.factor, n);
        let value = -R::HALF * (count * (R::TWO * R::PI * variance).ln() + log_determinant + count);
        all_finite(&[value])?;
        Ok(value)
    }

    /// Posterior mean at a point from the first `rows` observations, as they were at the last [`Gp::refresh`].
    pub(crate) fn mean_of_first(
        &mut self,
        covariance: &dyn Covariance<R>,
        rows: usize,
        point: &[R],
    ) -> Result<R, Error> {
        let mut scratch = Scratch::new(&mut *self.work);
        let cross = scratch.take(rows)?;
        let theta = &self.theta.value[..self.size.thetas];
        covariance.cross(theta, &self.data.x[..rows * self.size.dims], point, cross, scratch.rest())?;
        let mut mean = dot(cross, &self.fit.alpha[..rows]);
        self.trend.basis(point, |column, value| mean += value * self.fit.beta[column]);
        Ok(mean)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use crate::gp::{Gp, Size};
    use crate::kernel::{Dims, Kernel};
    use crate::plain::Plain;
    use crate::rng::{Generator, uniform};
    use crate::trend::Trend;

    /// The mean at an observed point from α alone is the mean of a prediction there.
    #[test]
    fn means_at_rows_are_predictions() {
        let (rows, dims) = (9, 3);
        for kernel in [Kernel::matern52(Dims::All).ard(), Kernel::periodic(Dims::All).scaled()] {
            for trend in Trend::ALL {
                let thetas = kernel.thetas(dims).unwrap();
                let columns = trend.columns(dims);
                let size = Size { rows: 20, exact: 20, dims, thetas, columns, batch: 1 };
                let mut block = vec![0; size.words::<f64>()];
                let mut gp = Gp::new(&kernel, trend, size, &mut block).unwrap();
                let (mut nodes, mut lists) = ([0; 8], [0; 8]);
                kernel.write(dims, &mut nodes, &mut lists).unwrap();
                let tape = crate::kernel::Tape::attach(&nodes, &lists, dims).unwrap();
                gp.set_noise(0.02, 0.02, 0.02).unwrap();
                let mut generator = Generator::new(3);
                let count = rows.max(columns + 1);
                let x: Vec<f64> = (0..count * dims).map(|_| uniform(&mut generator)).collect();
                for (i, x) in x.chunks_exact(dims).enumerate() {
                    gp.push(x, uniform(&mut generator), 0.01 * (i % 3) as f64).unwrap();
                }
                assert!(gp.mean_at_row(0).is_nan());
                gp.fit(&tape, &mut Plain).unwrap();
                for (row, x) in x.chunks_exact(dims).enumerate() {
                    let mean = gp.predict(&tape, x).unwrap().mean;
                    assert!((gp.mean_at_row(row) - mean).abs() < 1e-9, "{trend:?} {row}");
                }
                assert!(gp.mean_at_row(count).is_nan());
            }
        }
    }
}
