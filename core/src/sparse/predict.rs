//! The predictive distribution of a fitted sparse process.
//!
//! ```text
//! mean      ψ(x)ᵀ(w, β)
//! variance  k(x, x) − φᵀφ + ψᵀC⁻¹ψ     the first two cancel for waves and trees
//! ```

use super::evidence::BLOCK;
use super::map::{Map, Source};
use super::size::Size;
use crate::acquisition::Prediction;
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::Tape;
use crate::linalg;
use crate::math::{axpy, dot};
use crate::real::Real;

/// Scalars of work for everything below.
pub(super) const fn work(size: &Size) -> usize {
    let all = size.features + size.columns;
    2 * BLOCK * all + 2 * size.dims + Tape::scratch(size.features, size.dims, size.thetas)
}

/// A fitted sparse process as plain slices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fitted<'a, R> {
    pub(super) source: Source<'a, R>,
    pub(super) root: &'a [R],
    pub(super) normal: &'a [R],
    pub(super) weights: &'a [R],
    pub(super) alpha: &'a [R],
}

/// A prediction and what it was made of.
#[derive(Debug)]
pub(super) struct Seen<'w, R> {
    pub(super) prediction: Prediction<R>,
    /// ψ
    pub(super) row: &'w mut [R],
    /// L⁻¹ψ of C's factor.
    pub(super) solved: &'w mut [R],
    /// What is left of the work memory.
    rest: &'w mut [R],
}

impl<R: Real> Fitted<'_, R> {
    /// Calls `each(index, prediction)` for the points, in blocks. Cost: 2m² + O(m·d) flops a point.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Unsupported`].
    pub(super) fn each(
        &self,
        points: &[R],
        work: &mut [R],
        mut each: impl FnMut(usize, Prediction<R>),
    ) -> Result<(), Error> {
        let (all, dims) = (self.source.all(), self.source.dims);
        let mut scratch = Scratch::new(work);
        let block = scratch.take(BLOCK * all)?;
        let other = scratch.take(BLOCK * all)?;
        let mut map = self.source.map(self.root, scratch.rest())?;
        for (b, points) in points.chunks(BLOCK * dims).enumerate() {
            let count = points.len() / dims;
            map.rows(&self.source, points, block)?;
            other[..count * all].copy_from_slice(&block[..count * all]);
            linalg::solve_lower_many(self.normal, all, other, count, all)?;
            for (s, point) in points.chunks_exact(dims).enumerate() {
                let (row, solved) = (&block[s * all..(s + 1) * all], &other[s * all..(s + 1) * all]);
                each(b * BLOCK + s, self.prediction(&map, point, row, solved));
            }
        }
        Ok(())
    }

    /// The prediction at one point, and what it was made of.
    ///
    /// # Errors
    /// As [`Fitted::each`].
    pub(super) fn at<'w>(&self, point: &[R], work: &'w mut [R]) -> Result<Seen<'w, R>, Error> {
        self.check(point)?;
        let all = self.source.all();
        let mut scratch = Scratch::new(work);
        let (row, solved) = (scratch.take(all)?, scratch.take(all)?);
        let rest = scratch.rest();
        let mut map = self.source.map(self.root, rest)?;
        map.rows(&self.source, point, row)?;
        solved.copy_from_slice(row);
        linalg::solve_lower(self.normal, all, solved)?;
        let prediction = self.prediction(&map, point, row, solved);
        Ok(Seen { prediction, row, solved, rest })
    }

    /// The prediction at one point with its gradients in x. Cost: 4m² + O(m·d) flops.
    ///
    /// # Errors
    /// As [`Fitted::each`].
    pub(super) fn gradient(
        &self,
        point: &[R],
        slopes: [&mut [R]; 2],
        work: &mut [R],
    ) -> Result<Prediction<R>, Error> {
        let [mean_gradient, variance_gradient] = slopes;
        let (m, all, dims) = (self.source.features, self.source.all(), self.source.dims);
        Error::Shape { needed: dims }.when(mean_gradient.len() != dims || variance_gradient.len() != dims)?;
        let Seen { prediction, row, solved, rest } = self.at(point, work)?;
        let mut scratch = Scratch::new(rest);
        let slope = scratch.take(dims)?;
        linalg::solve_upper(self.normal, all, solved)?;
        let phi = &mut row[..m];
        match self.source.map(self.root, scratch.rest())? {
            Map::Inducing(mut map) => {
                // ∂σ² = ∂k(x, x) + 2 Σⱼ tⱼ ∂kⱼ + 2 qᵀ∂h,   (t, q) = (L⁻ᵀ((C⁻¹ψ)_w − φ), (C⁻¹ψ)_h)
                for (t, &s) in phi.iter_mut().zip(&*solved) {
                    *t = s - *t;
                }
                linalg::solve_upper(self.root, m, phi)?;
                map.slopes(point, [self.alpha, phi], [&mut *mean_gradient, &mut *variance_gradient])?;
                self.source.tape.gradient_x(self.source.theta, point, point, slope);
                for (g, &s) in variance_gradient.iter_mut().zip(&*slope) {
                    *g = R::TWO * (s + *g);
                }
            }
            Map::Waves(map) => {
                map.slope(phi, &mut solved[..m], slope);
                for (g, &s) in variance_gradient.iter_mut().zip(&*slope) {
                    *g = R::TWO * s;
                }
                solved[..m].copy_from_slice(&self.weights[..m]);
                map.slope(phi, &mut solved[..m], mean_gradient);
            }
            // Steps: flat wherever there is a slope.
            Map::Cells(_) => {
                mean_gradient.fill(R::ZERO);
                variance_gradient.fill(R::ZERO);
            }
        }
        self.source.trend.gradient(point, &self.weights[m..], mean_gradient);
        solved[m..].iter_mut().for_each(|q| *q *= R::TWO);
        self.source.trend.gradient(point, &solved[m..], variance_gradient);
        Ok(prediction)
    }

    /// The slope in x of a weighted sum of covariances with anchored points, each its coordinates, ψ and L⁻¹ψ of C's
    /// factor. Cost: 4m² + O(m·d) flops.
    ///
    /// ```text
    /// Σⱼ wⱼ ∂c(x, aⱼ) = Σⱼ wⱼ ∂k(x, aⱼ) + Σᵢ tᵢ ∂kᵢ + qᵀ∂h
    /// (s, q) = C⁻¹ Σⱼ wⱼψⱼ,   t = L⁻ᵀ(s − Σⱼ wⱼφⱼ);   for waves sᵀ∂φ + qᵀ∂h
    /// ```
    ///
    /// # Errors
    /// As [`Fitted::each`].
    pub(super) fn against_gradient(
        &self,
        point: &[R],
        weights: &[R],
        anchors: &[R],
        gradient: &mut [R],
        work: &mut [R],
    ) -> Result<(), Error> {
        let (m, all, dims) = (self.source.features, self.source.all(), self.source.dims);
        Error::Shape { needed: dims }.when(gradient.len() != dims)?;
        // Of what the prediction was made of, waves need φ; the others take its place.
        let Seen { row, solved, rest, .. } = self.at(point, work)?;
        let mut scratch = Scratch::new(rest);
        let slope = scratch.take(dims)?;
        let anchored = || weights.iter().zip(anchors.chunks_exact(dims + 2 * all));
        solved.fill(R::ZERO);
        for (&weight, anchor) in anchored() {
            axpy(weight, &anchor[dims + all..], solved);
        }
        linalg::solve_upper(self.normal, all, solved)?;
        let phi = &mut row[..m];
        match self.source.map(self.root, scratch.rest())? {
            Map::Inducing(mut map) => {
                phi.copy_from_slice(&solved[..m]);
                for (&weight, anchor) in anchored() {
                    axpy(-weight, &anchor[dims..dims + m], phi);
                }
                linalg::solve_upper(self.root, m, phi)?;
                map.slopes(point, [phi, phi], [&mut *gradient, &mut *slope])?;
                for (&weight, anchor) in anchored() {
                    self.source.tape.gradient_x(self.source.theta, point, &anchor[..dims], slope);
                    axpy(weight, slope, gradient);
                }
            }
            Map::Waves(map) => map.slope(phi, &mut solved[..m], gradient),
            Map::Cells(_) => gradient.fill(R::ZERO),
        }
        self.source.trend.gradient(point, &solved[m..], gradient);
        Ok(())
    }

    /// Refuses a point of another dimension.
    pub(super) fn check(&self, point: &[R]) -> Result<(), Error> {
        if point.len() == self.source.dims { Ok(()) } else { Err(Error::Shape { needed: self.source.dims }) }
    }

    fn prediction(&self, map: &Map<'_, R>, point: &[R], row: &[R], solved: &[R]) -> Prediction<R> {
        let variance = map.gap(point, &row[..self.source.features]) + dot(solved, solved);
        Prediction { mean: dot(row, self.weights), variance }
    }
}
