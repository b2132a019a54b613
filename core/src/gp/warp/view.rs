//! A model of warped points, asked about the points themselves.

use super::{Maps, Warp};
use crate::acquisition::Prediction;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

/// A model that is asked about warped points.
///
/// Used by one thread at a time; it lives as long as the model it was made from.
pub(crate) struct Warping<'a, R> {
    /// The model over warped coordinates.
    pub model: &'a mut dyn Surrogate<R>,
    /// What warps them.
    pub maps: Maps<'a, R>,
    /// Room for one point, or as many as are to be warped at a time; for all that are anchored.
    pub memory: &'a mut [R],
}

impl<R: Real> core::fmt::Debug for Warping<'_, R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Warping").field("maps", &self.maps).finish_non_exhaustive()
    }
}

impl<R: Real> Warping<'_, R> {
    /// Warps points to the front of the memory.
    fn warp(&mut self, points: &[R]) -> Result<(), Error> {
        let needed = self.maps.kind.thetas(self.model.dims());
        Error::Shape { needed }.when(self.maps.shapes.len() != needed && self.maps.kind != Warp::None)?;
        let Some(out) = self.memory.get_mut(..points.len()) else {
            return Err(Error::Shape { needed: points.len() });
        };
        self.maps.warp(points, out)
    }
}

impl<R: Real> Surrogate<R> for Warping<'_, R> {
    fn dims(&self) -> usize {
        self.model.dims()
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let (count, dims) = (means.len(), self.dims());
        Error::Shape { needed: count }.when(variances.len() != count || points.len() != count * dims)?;
        let together = self.memory.len() / dims.max(1);
        Error::Shape { needed: dims }.when(together == 0)?;
        let parts = means.chunks_mut(together).zip(variances.chunks_mut(together));
        for (points, (means, variances)) in points.chunks(together * dims).zip(parts) {
            self.warp(points)?;
            self.model.predict_many(&self.memory[..points.len()], means, variances)?;
        }
        Ok(())
    }

    fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        self.warp(point)?;
        self.model.predict(&self.memory[..point.len()])
    }

    fn smooth(&self, parameter: usize) -> bool {
        self.model.smooth(parameter)
    }

    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        self.warp(point)?;
        let [by_mean, by_variance] = slopes;
        let warped = &self.memory[..point.len()];
        let prediction = self.model.gradient(warped, [&mut *by_mean, &mut *by_variance])?;
        self.maps.chain(point, [by_mean, by_variance]);
        Ok(prediction)
    }

    fn anchor(&mut self, points: &[R], means: &mut [R], matrix: &mut [R]) -> Result<(), Error> {
        self.warp(points)?;
        self.model.anchor(&self.memory[..points.len()], means, matrix)
    }

    fn against(&mut self, point: &[R], covariances: &mut [R]) -> Result<Prediction<R>, Error> {
        self.warp(point)?;
        self.model.against(&self.memory[..point.len()], covariances)
    }

    fn against_gradient(&mut self, point: &[R], weights: &[R], gradient: &mut [R]) -> Result<(), Error> {
        self.warp(point)?;
        self.model.against_gradient(&self.memory[..point.len()], weights, gradient)?;
        self.maps.chain(point, [gradient]);
        Ok(())
    }

    fn freedom(&self) -> R {
        self.model.freedom()
    }
}
