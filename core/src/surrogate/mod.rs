//! The surrogate model and the acquisition function: what every model can be asked, and what a search maximises over it.

mod acquisition_function;
mod average;
mod observations;

use crate::acquisition::{Prediction, student};
use crate::backend::Sobol;
use crate::block::Scratch;
use crate::error::Error;
use crate::linalg::{self, Jitter, packed};
use crate::math::dot;
use crate::real::Real;
use crate::rng;
pub(crate) use acquisition_function::AcquisitionFunction;
pub use acquisition_function::ClosedForm;
pub(crate) use average::Average;
pub(crate) use observations::{Observations, ObservationsPlaces};

/// Points whose predictions are asked for together where a function of each is wanted.
const TOGETHER: usize = 64;

/// A fitted model of the function, with the memory it works in.
///
/// Points are rows of the unit cube, one after the other. Nothing is allocated: a model is a view of lent memory, and
/// a question may use that memory, hence `&mut self`.
///
/// A model is used by one thread at a time and lives as long as the memory lent to it.
pub trait Surrogate<R: Real> {
    /// Coordinates of a point.
    fn dims(&self) -> usize;

    /// Mean and variance of the function at `means.len()` points.
    ///
    /// # Errors
    /// [`Error::Shape`] if the slices do not fit together, or what the backend reports.
    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error>;

    /// Mean and variance at one point.
    ///
    /// # Errors
    /// As [`Surrogate::predict_many`].
    fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        let (mut mean, mut variance) = ([R::ZERO], [R::ZERO]);
        self.predict_many(point, &mut mean, &mut variance)?;
        Ok(Prediction { mean: mean[0], variance: variance[0] })
    }

    /// Whether the prediction has a derivative in a coordinate.
    fn smooth(&self, parameter: usize) -> bool {
        let _ = parameter;
        false
    }

    /// The prediction at one point; `slopes` are the derivatives of its mean and of its variance, zero in coordinates where
    /// the model is not smooth.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if it is smooth in none, [`Error::Shape`].
    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        let _ = (point, slopes);
        Err(Error::Unsupported)
    }

    /// Joint mean and packed covariance at `means.len()` points, which [`Surrogate::against`] then refers to.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the model has no joint prediction, [`Error::Shape`] for more points than its memory
    /// holds.
    fn anchor(&mut self, points: &[R], means: &mut [R], matrix: &mut [R]) -> Result<(), Error> {
        let _ = (points, means, matrix);
        Err(Error::Unsupported)
    }

    /// The prediction at one point and its covariance with each of the points anchored last.
    ///
    /// # Errors
    /// As [`Surrogate::anchor`]; [`Error::Shape`] unless `covariances` has one element per anchored point.
    fn against(&mut self, point: &[R], covariances: &mut [R]) -> Result<Prediction<R>, Error> {
        let _ = (point, covariances);
        Err(Error::Unsupported)
    }

    /// The derivatives at one point of a weighted sum of its covariances with the points anchored last; zero in
    /// coordinates where the model is not smooth.
    ///
    /// ```text
    /// ∂/∂x Σⱼ wⱼ c(x, aⱼ)
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the model has no such derivative; [`Error::Shape`] unless there is one weight per
    /// anchored point.
    fn against_gradient(&mut self, point: &[R], weights: &[R], gradient: &mut [R]) -> Result<(), Error> {
        let _ = (point, weights, gradient);
        Err(Error::Unsupported)
    }

    /// Degrees of freedom of its predictions: infinite for normal ones. With fewer, [`Prediction::variance`] is the
    /// square of the scale.
    fn freedom(&self) -> R {
        R::INFINITY
    }

    /// Fills `out` with a function of the prediction at each of `out.len()` points.
    ///
    /// # Errors
    /// As [`Surrogate::predict_many`], and what the function reports.
    fn map_predictions(
        &mut self,
        points: &[R],
        out: &mut [R],
        of: &mut dyn FnMut(Prediction<R>) -> Result<R, Error>,
    ) -> Result<(), Error> {
        let dims = self.dims();
        let needed = dims.saturating_mul(out.len());
        Error::Shape { needed }.when(dims == 0 || points.len() != needed)?;
        let mut variances = [R::ZERO; TOGETHER];
        for (points, out) in points.chunks(TOGETHER * dims).zip(out.chunks_mut(TOGETHER)) {
            let variances = &mut variances[..out.len()];
            self.predict_many(points, out, variances)?;
            for (out, &variance) in out.iter_mut().zip(&*variances) {
                *out = of(Prediction { mean: *out, variance })?;
            }
        }
        Ok(())
    }

    /// Fills `out` with the closed form of the predictions at `out.len()` points.
    ///
    /// # Errors
    /// As [`Surrogate::predict_many`]; [`Error::Unsupported`] for a rule without a closed form for these predictions.
    fn score_many(&mut self, form: ClosedForm<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let (ClosedForm { rule, best }, freedom) = (form, self.freedom());
        self.map_predictions(points, out, &mut |prediction| match freedom == R::INFINITY {
            true => Ok(rule.score(prediction, best)),
            false => student::score(rule, prediction, best, freedom),
        })
    }

    /// The closed form of the prediction at one point.
    ///
    /// # Errors
    /// As [`Surrogate::score_many`].
    fn score(&mut self, form: ClosedForm<R>, point: &[R]) -> Result<R, Error> {
        let mut out = [R::ZERO];
        self.score_many(form, point, &mut out)?;
        Ok(out[0])
    }

    /// The closed form of the prediction at one point with its derivatives in the first of `out`; the second is scratch of
    /// two scalars per coordinate.
    ///
    /// # Errors
    /// As [`Surrogate::gradient`] and [`Surrogate::score_many`].
    fn score_gradient(&mut self, form: ClosedForm<R>, point: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let (dims, [gradient, scratch]) = (self.dims(), out);
        if point.len() != dims || gradient.len() != dims || scratch.len() < 2 * dims {
            return Err(Error::Shape { needed: 2 * dims });
        }
        let (by_mean, rest) = scratch.split_at_mut(dims);
        let by_variance = &mut rest[..dims];
        let prediction = self.gradient(point, [by_mean, by_variance])?;
        student::chain(form.rule, prediction, form.best, self.freedom(), by_mean, by_variance, gradient)
    }

    /// Whether [`Surrogate::score_many`] is good for ranking only: what it chose is then to be scored once more, by
    /// [`Surrogate::score`].
    fn screens(&self) -> bool {
        false
    }

    /// As [`Backend::screen_sobol`](crate::backend::Backend::screen_sobol).
    ///
    /// # Errors
    /// As [`Surrogate::score_many`].
    fn screen_sobol(
        &mut self,
        form: ClosedForm<R>,
        sobol: Sobol,
        points: &mut [R],
        out: &mut [R],
    ) -> Result<Option<usize>, Error> {
        let _ = (form, sobol, points, out);
        Ok(None)
    }

    /// How many fits the model is made of: more than one for an ensemble over hyperparameters, whose acquisitions are
    /// averaged.
    fn members(&self) -> usize {
        1
    }

    /// The weight of a member; 0 if it is not to be asked.
    fn weight(&self, member: usize) -> R {
        let _ = member;
        R::ONE
    }

    /// Asks one member of an ensemble.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a model that is no ensemble, and what the member reports.
    fn with_member(
        &mut self,
        member: usize,
        ask: &mut dyn FnMut(&mut dyn Surrogate<R>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _ = (member, ask);
        Err(Error::Unsupported)
    }
}

/// Anchors points one after the other, as [`Surrogate::anchor`] asks: `each` keeps a point and gives its prediction and its
/// covariances with those before it.
///
/// # Errors
/// [`Error::Shape`] if the slices do not fit together, and what `each` reports.
pub(crate) fn anchor<R: Real>(
    dims: usize,
    points: &[R],
    means: &mut [R],
    matrix: &mut [R],
    mut each: impl FnMut(&[R], &mut [R]) -> Result<Prediction<R>, Error>,
) -> Result<(), Error> {
    let count = means.len();
    if points.len() != count * dims || matrix.len() < packed(count) {
        return Err(Error::Shape { needed: packed(count) });
    }
    for (i, point) in points.chunks_exact(dims).enumerate() {
        let row = &mut matrix[packed(i)..packed(i + 1)];
        let prediction = each(point, &mut row[..i])?;
        (means[i], row[i]) = (prediction.mean, prediction.variance);
    }
    Ok(())
}

/// Replaces a packed covariance by its factor, with the least jitter that works; `scratch` is of the same size.
///
/// Where points are so well known that their covariance is rounding alone, the jitter may be as large as what it is
/// added to: a matrix of finite numbers always has a factor.
///
/// # Errors
/// [`Error::Shape`], [`Error::NotPositiveDefinite`] for a matrix with what is not a number.
pub(crate) fn factor<R: Real>(matrix: &mut [R], count: usize, scratch: &mut [R]) -> Result<(), Error> {
    let kept = Scratch::new(scratch).take(packed(count))?;
    let mut largest = R::ZERO;
    for i in 0..count {
        largest = largest.max(matrix[packed(i) + i]);
    }
    kept.copy_from_slice(&matrix[..packed(count)]);
    let fill = |matrix: &mut [R]| matrix.copy_from_slice(kept);
    let factored = linalg::factor_with_jitter(fill, matrix, count, largest);
    if !matches!(factored, Err(Error::NotPositiveDefinite { .. })) {
        return factored.map(|_| ());
    }
    let largest = kept.iter().fold(R::MIN_POSITIVE, |largest, v| largest.max(v.abs()));
    // In the end the diagonal outweighs any row.
    let limit = R::of(100.0) * largest * R::of_usize(count);
    let ladder = Jitter { first: largest * R::of(0.01), limit };
    linalg::factor_with_jitter_by(fill, linalg::factor, matrix, count, ladder).map(|_| ())
}

/// Adds L z with z ~ N(0, I) to `mean`; `scratch` holds one scalar per point.
///
/// # Errors
/// [`Error::Shape`].
pub(crate) fn add_draw<R: Real, G: rand_core::Rng + ?Sized>(
    mean: &mut [R],
    factor: &[R],
    generator: &mut G,
    scratch: &mut [R],
) -> Result<(), Error> {
    let z = Scratch::new(scratch).take(mean.len())?;
    for value in z.iter_mut() {
        *value = rng::normal(generator);
    }
    for (i, value) in mean.iter_mut().enumerate() {
        *value += dot(linalg::row(factor, i), z);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Error, factor};

    /// Points so close to each other, or so well known, that rounding is all there is.
    #[test]
    fn a_covariance_of_rounding_alone_has_a_factor() {
        for matrix in [
            [1e-7_f32, 2e-7, 1e-7, -3e-7, 2e-7, 1e-8],
            [0.0, 1e-7, 0.0, 1e-7, 1e-7, 0.0],
            [-1e-3, 0.0, -1e-3, 0.0, 0.0, -1e-3],
            [f32::MAX, f32::MAX, f32::MAX, f32::MAX, f32::MAX, 0.0],
        ] {
            let mut ours = matrix;
            let answer = factor(&mut ours, 3, &mut [0.0; 6]);
            // Beyond the range nothing can be added.
            if matrix[0] < f32::MAX {
                answer.unwrap();
                assert!(ours[0] > 0.0 && ours[2] > 0.0 && ours[5] > 0.0);
                // What is off the diagonal is kept.
                assert!((ours[0] * ours[1] - matrix[1]).abs() <= 1e-6 * matrix[1].abs());
            } else {
                assert!(matches!(answer, Err(Error::NotPositiveDefinite { .. })));
            }
        }
        for odd in [f32::NAN, f32::INFINITY] {
            let answer = factor(&mut [1.0, odd, 1.0], 2, &mut [0.0; 3]);
            assert!(matches!(answer, Err(Error::NotPositiveDefinite { .. })));
        }
    }
}
