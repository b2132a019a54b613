//! A fitted sparse process as a [`Surrogate`].

use super::predict::Fitted;
use super::size::Kind;
use crate::acquisition::Prediction;
use crate::error::Error;
use crate::linalg::packed;
use crate::math::dot;
use crate::real::Real;
use crate::surrogate::Surrogate;

/// A fitted sparse process with the memory it works in, from [`Sparse::view`](super::Sparse::view).
///
/// One view, one thread at a time; it lives as long as the process it was made from.
#[derive(Debug)]
pub(crate) struct View<'a, R> {
    pub(super) fitted: Fitted<'a, R>,
    pub(super) work: &'a mut [R],
    pub(super) anchors: &'a mut [R],
    pub(super) anchored: usize,
}

impl<R: Real> View<'_, R> {
    /// Scalars that each anchored point takes: its coordinates, ψ and L⁻¹ψ of C's factor.
    #[must_use]
    pub(crate) const fn anchor_scalars(dims: usize, features: usize, columns: usize) -> usize {
        dims + 2 * (features + columns)
    }

    /// Scalars of one anchored point of this process.
    fn stride(&self) -> usize {
        Self::anchor_scalars(self.fitted.dims, self.fitted.all(), 0)
    }
}

impl<R: Real> Surrogate<R> for View<'_, R> {
    fn dims(&self) -> usize {
        self.fitted.dims
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let count = means.len();
        if variances.len() != count || points.len() != count * self.fitted.dims {
            return Err(Error::Shape { needed: count });
        }
        self.fitted.each(points, self.work, |i, prediction| {
            (means[i], variances[i]) = (prediction.mean, prediction.variance);
        })
    }

    fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        self.fitted.at(point, self.work)
    }

    fn smooth(&self, parameter: usize) -> bool {
        parameter < self.fitted.dims
            && self.fitted.kind != Kind::Mondrian
            && self.fitted.tape.differentiable(parameter)
    }

    fn gradient(
        &mut self,
        point: &[R],
        mean_gradient: &mut [R],
        variance_gradient: &mut [R],
    ) -> Result<Prediction<R>, Error> {
        self.fitted.gradient(point, mean_gradient, variance_gradient, self.work)
    }

    fn anchor(&mut self, points: &[R], means: &mut [R], matrix: &mut [R]) -> Result<(), Error> {
        let (count, dims, stride) = (means.len(), self.fitted.dims, self.stride());
        if points.len() != count * dims || matrix.len() < packed(count) {
            return Err(Error::Shape { needed: packed(count) });
        }
        if self.anchors.len() < count * stride {
            return Err(Error::Shape { needed: count * stride });
        }
        self.anchored = 0;
        for (i, point) in points.chunks_exact(dims).enumerate() {
            let row = &mut matrix[packed(i)..packed(i + 1)];
            let prediction = self.against(point, &mut row[..i])?;
            (means[i], row[i]) = (prediction.mean, prediction.variance);
            let anchor = &mut self.anchors[i * stride..(i + 1) * stride];
            anchor[..dims].copy_from_slice(point);
            anchor[dims..].copy_from_slice(&self.work[..stride - dims]);
            self.anchored = i + 1;
        }
        Ok(())
    }

    fn against(&mut self, point: &[R], covariances: &mut [R]) -> Result<Prediction<R>, Error> {
        if covariances.len() != self.anchored {
            return Err(Error::Shape { needed: self.anchored });
        }
        let Fitted { tape, kind, dims, features: m, theta, .. } = self.fitted;
        let prediction = self.fitted.at(point, self.work)?;
        let (all, stride) = (self.fitted.all(), self.stride());
        let (row, rest) = self.work.split_at(all);
        let solved = &rest[..all];
        for (covariance, anchor) in covariances.iter_mut().zip(self.anchors.chunks_exact(stride)) {
            let (other, rest) = anchor.split_at(dims);
            let (other_row, other_solved) = rest.split_at(all);
            // What the features leave unexplained of both points together; nothing for waves.
            let gap = match kind {
                Kind::Spectrum | Kind::Mondrian => R::ZERO,
                Kind::Fitc | Kind::Variational => {
                    tape.eval(theta, point, other) - dot(&row[..m], &other_row[..m])
                }
            };
            *covariance = gap + dot(solved, other_solved);
        }
        Ok(prediction)
    }

    fn against_gradient(&mut self, point: &[R], weights: &[R], gradient: &mut [R]) -> Result<(), Error> {
        if weights.len() != self.anchored {
            return Err(Error::Shape { needed: self.anchored });
        }
        let Self { fitted, work, anchors, .. } = self;
        fitted.against_gradient(point, weights, anchors, gradient, work)
    }
}
