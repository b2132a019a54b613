//! A model with Student predictions.

use super::Tail;
use crate::acquisition::Prediction;
use crate::error::Error;
use crate::linalg::packed;
use crate::real::Real;
use crate::surrogate::Surrogate;

/// A model whose predictions are those of another with their variances scaled and their degrees of freedom finite.
///
/// [`Prediction::variance`] is the square of the scale: the variance is freedom/(freedom − 2) times that.
///
/// Used by one thread at a time; it lives as long as the model it was made from.
pub struct Student<'a, R> {
    /// The Gaussian process.
    pub model: &'a mut dyn Surrogate<R>,
    /// How its predictions are to be read.
    pub tail: Tail<R>,
}

impl<R: Real> core::fmt::Debug for Student<'_, R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Student").field("tail", &self.tail).finish_non_exhaustive()
    }
}

impl<R: Real> Student<'_, R> {
    fn scaled(&self, prediction: Prediction<R>) -> Prediction<R> {
        Prediction { variance: prediction.variance * self.tail.scale, ..prediction }
    }

    fn scale(&self, values: &mut [R]) {
        for value in values {
            *value *= self.tail.scale;
        }
    }
}

impl<R: Real> Surrogate<R> for Student<'_, R> {
    fn dims(&self) -> usize {
        self.model.dims()
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        self.model.predict_many(points, means, variances)?;
        self.scale(variances);
        Ok(())
    }

    fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        let prediction = self.model.predict(point)?;
        Ok(self.scaled(prediction))
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.model.smooth(parameter)
    }

    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        let [by_mean, by_variance] = slopes;
        let prediction = self.model.gradient(point, [by_mean, &mut *by_variance])?;
        self.scale(by_variance);
        Ok(self.scaled(prediction))
    }

    fn anchor(&mut self, points: &[R], means: &mut [R], matrix: &mut [R]) -> Result<(), Error> {
        let used = packed(means.len());
        self.model.anchor(points, means, matrix)?;
        self.scale(&mut matrix[..used]);
        Ok(())
    }

    fn against(&mut self, point: &[R], covariances: &mut [R]) -> Result<Prediction<R>, Error> {
        let prediction = self.model.against(point, covariances)?;
        self.scale(covariances);
        Ok(self.scaled(prediction))
    }

    fn freedom(&self) -> R {
        self.tail.freedom
    }
}
