//! Fitted trees as a [`Surrogate`].

use super::Trees;
use crate::acquisition::Prediction;
use crate::error::Error;
use crate::math::dot;
use crate::real::Real;
use crate::surrogate::{self, Surrogate};

/// Fitted trees, and memory for points that are anchored.
///
/// ```text
/// averaged   cov(a, b) = (1/B) Σ_t (m_t(a) − m(a)) (m_t(b) − m(b)),  with the leaf variance only in cov(a, a)
/// boosted    cov(a, b) = s(a) s(b) · share of the trees in which a and b end in the same leaf
/// ```
/// One view, one thread at a time; it lives as long as the trees.
#[derive(Debug)]
pub(crate) struct View<'a, R> {
    /// The trees.
    pub trees: Trees<'a, R>,
    /// Room for [`View::anchor_scalars`] of as many points as are anchored; may be empty if none are.
    pub anchors: &'a mut [R],
    /// How many points are anchored; 0 at first.
    pub anchored: usize,
}

impl<R: Real> View<'_, R> {
    /// Scalars for that many anchored points: one per tree and a deviation for each point, and for the one that is
    /// held against them.
    pub(crate) const fn anchor_scalars(trees: usize, points: usize) -> usize {
        trees.saturating_add(1).saturating_mul(points.saturating_add(1))
    }
}

impl<R: Real> Surrogate<R> for View<'_, R> {
    fn dims(&self) -> usize {
        self.trees.dims()
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        self.trees.predict_many(points, means, variances)
    }

    fn anchor(&mut self, points: &[R], means: &mut [R], matrix: &mut [R]) -> Result<(), Error> {
        let needed = Self::anchor_scalars(self.trees.len(), means.len());
        Error::Shape { needed }.when(self.anchors.len() < needed)?;
        self.anchored = 0;
        surrogate::anchor(self.dims(), points, means, matrix, |point, covariances| {
            let prediction = self.against(point, covariances)?;
            // What the prediction left behind the anchors is the next one.
            self.anchored += 1;
            Ok(prediction)
        })
    }

    fn against(&mut self, point: &[R], covariances: &mut [R]) -> Result<Prediction<R>, Error> {
        let (count, stride) = (self.anchored, self.trees.len() + 1);
        let needed = stride.saturating_mul(count.saturating_add(1));
        if covariances.len() != count || self.anchors.len() < needed {
            return Err(Error::Shape { needed: if covariances.len() == count { needed } else { count } });
        }
        let (anchors, own) = self.anchors[..needed].split_at_mut(stride * count);
        let (deviation, own) = own.split_at_mut(1);
        let boosted = self.trees.boosted();
        let prediction = self.trees.predict_each(point, |tree, leaf, mean| {
            own[tree] = if boosted { R::of_usize(leaf) } else { mean };
        })?;
        deviation[0] = prediction.variance.sqrt();
        if !boosted {
            for mean in own.iter_mut() {
                *mean -= prediction.mean;
            }
        }
        let divisor = self.trees.divisor();
        for (covariance, anchor) in covariances.iter_mut().zip(anchors.chunks_exact(stride)) {
            let other = &anchor[1..];
            *covariance = if boosted {
                let shared = own.iter().zip(other).filter(|(a, b)| a == b).count();
                deviation[0] * anchor[0] * R::of_usize(shared) / R::of_usize(own.len())
            } else {
                dot(own, other) / divisor
            };
        }
        Ok(prediction)
    }
}
