//! A fitted sparse process as a [`Surrogate`].

use super::map::Source;
use super::predict::{Fitted, Seen};
use super::size::Kind;
use crate::acquisition::Prediction;
use crate::error::Error;
use crate::math::dot;
use crate::real::Real;
use crate::surrogate::{self, Surrogate};

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
    pub(crate) const fn anchor_scalars(dims: usize, features: usize, columns: usize) -> usize {
        dims + 2 * (features + columns)
    }

    /// Scalars of one anchored point of this process.
    fn stride(&self) -> usize {
        Self::anchor_scalars(self.fitted.source.dims, self.fitted.source.all(), 0)
    }
}

impl<R: Real> Surrogate<R> for View<'_, R> {
    fn dims(&self) -> usize {
        self.fitted.source.dims
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let count = means.len();
        if variances.len() != count || points.len() != count * self.fitted.source.dims {
            return Err(Error::Shape { needed: count });
        }
        self.fitted.each(points, self.work, |i, prediction| {
            (means[i], variances[i]) = (prediction.mean, prediction.variance);
        })
    }

    fn predict(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        Ok(self.fitted.at(point, self.work)?.prediction)
    }

    fn smooth(&self, parameter: usize) -> bool {
        parameter < self.fitted.source.dims
            && self.fitted.source.kind != Kind::Mondrian
            && self.fitted.source.tape.differentiable(parameter)
    }

    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        self.fitted.gradient(point, slopes, self.work)
    }

    fn anchor(&mut self, points: &[R], means: &mut [R], matrix: &mut [R]) -> Result<(), Error> {
        let (dims, stride) = (self.fitted.source.dims, self.stride());
        let needed = means.len() * stride;
        Error::Shape { needed }.when(self.anchors.len() < needed)?;
        let Self { fitted, work, anchors, anchored } = self;
        *anchored = 0;
        surrogate::anchor(dims, points, means, matrix, |point, covariances| {
            let (before, anchor) = anchors.split_at_mut(*anchored * stride);
            let Seen { prediction, row, solved, .. } = meet(fitted, before, point, covariances, work)?;
            let (own, rest) = anchor.split_at_mut(dims);
            own.copy_from_slice(point);
            rest[..row.len()].copy_from_slice(row);
            rest[row.len()..stride - dims].copy_from_slice(solved);
            *anchored += 1;
            Ok(prediction)
        })
    }

    fn against(&mut self, point: &[R], covariances: &mut [R]) -> Result<Prediction<R>, Error> {
        Error::Shape { needed: self.anchored }.when(covariances.len() != self.anchored)?;
        Ok(meet(&self.fitted, self.anchors, point, covariances, self.work)?.prediction)
    }

    fn against_gradient(&mut self, point: &[R], weights: &[R], gradient: &mut [R]) -> Result<(), Error> {
        Error::Shape { needed: self.anchored }.when(weights.len() != self.anchored)?;
        let Self { fitted, work, anchors, .. } = self;
        fitted.against_gradient(point, weights, anchors, gradient, work)
    }
}

/// The prediction at a point, and its covariances with anchored ones.
fn meet<'w, R: Real>(
    fitted: &Fitted<'_, R>,
    anchors: &[R],
    point: &[R],
    covariances: &mut [R],
    work: &'w mut [R],
) -> Result<Seen<'w, R>, Error> {
    let Source { tape, kind, dims, features: m, theta, .. } = fitted.source;
    let seen = fitted.at(point, work)?;
    let all = fitted.source.all();
    for (covariance, anchor) in covariances.iter_mut().zip(anchors.chunks_exact(dims + 2 * all)) {
        let (other, rest) = anchor.split_at(dims);
        let (other_row, other_solved) = rest.split_at(all);
        // What the features leave unexplained of both points together; nothing for waves.
        let gap = match kind {
            Kind::Spectrum | Kind::Mondrian => R::ZERO,
            Kind::Fitc | Kind::Variational => {
                tape.eval(theta, point, other) - dot(&seen.row[..m], &other_row[..m])
            }
        };
        *covariance = gap + dot(seen.solved, other_solved);
    }
    Ok(seen)
}
