//! What the values of some trials would say of the rest: their joint prediction, sets of values for them, and the
//! prediction elsewhere given each set.
//!
//! ```text
//! C = K + σ²I = L Lᵀ            K the joint covariance at the points, σ² the noise of a trial
//! yᶠ = m + L eᶠ                 one set of values; eᶠ ~ N(0, I) for a draw
//! mᶠ(x) = m(x) + w(x)ᵀeᶠ        w(x) = L⁻¹c(x), c(x) the covariances of x with the points
//! s²(x) = v(x) − w(x)ᵀw(x)      the same for every set
//! ```
//!
//! No row is added to the model: this works for every one with a joint prediction.

use core::cmp::Ordering;

use super::ScoreKind;
use crate::acquisition::{Acquisition, Prediction};
use crate::block::Scratch;
use crate::error::Error;
use crate::linalg::{self, packed};
use crate::math::{axpy, dot};
use crate::real::Real;
use crate::space::sobol::Sequence;
use crate::stats::normal;
use crate::surrogate::{AcquisitionFunction, ClosedForm, Surrogate};

/// The mean of a closed form over sets of values at some points: what the members with joint predictions are.
///
/// It refers to the points anchored in the model by [`Joint::prepare`], and lives as long as the memory lent to it.
#[derive(Debug)]
pub(crate) struct Joint<'a, R> {
    rule: Acquisition<R>,
    /// The value to improve on where there are no points.
    best: R,
    /// How many points; with none, everything below is empty and the prediction is the model's.
    count: usize,
    /// How many sets of values.
    sets: usize,
    /// m
    means: &'a mut [R],
    /// L; a zero on its diagonal is a point that adds nothing to those before it.
    factor: &'a mut [R],
    /// e of each set, one after the other.
    residuals: &'a mut [R],
    /// The value to improve on in each set.
    incumbents: &'a mut [R],
    /// w of the point asked last.
    side: &'a mut [R],
    /// One scalar per point, for the phases of a call.
    weights: &'a mut [R],
}

impl<'a, R: Real> Joint<'a, R> {
    /// Scalars of memory for `sets` sets of values at `count` points.
    pub(crate) const fn scalars(count: usize, dims: usize, sets: usize) -> usize {
        if count == 0 {
            return 0;
        }
        let each = dims.saturating_add(3).saturating_add(sets);
        packed(count).saturating_add(count.saturating_mul(each)).saturating_add(sets)
    }

    /// Anchors the model at the points and factors their covariance; the sets of values are still to be
    /// written.
    ///
    /// The points are put in an order of their own, so that the order in which they come does not matter.
    pub(super) fn prepare(
        model: &mut dyn Surrogate<R>,
        at: &[R],
        noise: R,
        sets: usize,
        rule: Acquisition<R>,
        best: R,
        memory: &'a mut [R],
    ) -> Result<Self, Error> {
        let dims = model.dims();
        let count = count_of(at, dims)?;
        Error::Config.when(sets == 0)?;
        Error::NotFinite.when(!(noise >= R::ZERO && noise.is_finite()))?;
        Error::Unsupported.when(count > 0 && model.freedom().is_finite())?;
        let needed = Self::scalars(count, dims, sets);
        Error::Shape { needed }.when(memory.len() < needed)?;
        let mut memory = Scratch::new(memory);
        let points = memory.take(count * dims)?;
        let joint = Self {
            rule,
            best,
            count,
            sets,
            means: memory.take(count)?,
            factor: memory.take(packed(count))?,
            residuals: memory.take(count * sets)?,
            incumbents: memory.take(if count == 0 { 0 } else { sets })?,
            side: memory.take(count)?,
            weights: memory.take(count)?,
        };
        if count == 0 {
            return Ok(joint);
        }
        points.copy_from_slice(at);
        sort(points, dims);
        model.anchor(points, joint.means, joint.factor)?;
        for i in 0..count {
            joint.factor[packed(i) + i] += noise;
        }
        half(joint.factor, count);
        Ok(joint)
    }

    /// Makes every set a joint draw, the same for the same seed: a scrambled Sobol sequence through Φ⁻¹.
    pub(super) fn draw(&mut self, seed: u64) {
        let sequence = Sequence { seed };
        for (set, residual) in self.residuals.chunks_exact_mut(self.count.max(1)).enumerate() {
            for (dim, value) in residual.iter_mut().enumerate() {
                // Moved by half of the sequence's step, so that neither 0 nor 1 comes.
                let uniform: f64 = sequence.coordinate(set as u32, dim);
                *value = R::of(normal::quantile(uniform + 0.5 / 4_294_967_296.0));
            }
        }
    }

    /// The value to improve on in each set: the lowest that the function would be believed to have at a point, or
    /// `best` if that is lower.
    ///
    /// ```text
    /// min(best, minⱼ yⱼ − σ²(C⁻¹(y − m))ⱼ),   C⁻¹(y − m) = L⁻ᵀe
    /// ```
    pub(super) fn own_incumbents(&mut self, best: R, noise: R) {
        let Self { count, factor, residuals, incumbents, means, weights, .. } = self;
        for (residual, incumbent) in residuals.chunks_exact((*count).max(1)).zip(incumbents.iter_mut()) {
            weights.fill(R::ZERO);
            if noise > R::ZERO {
                weights.copy_from_slice(residual);
                upper(factor, weights);
            }
            *incumbent = best;
            for j in 0..*count {
                let value = means[j] + dot(linalg::row(factor, j), residual);
                *incumbent = incumbent.min(value - noise * weights[j]);
            }
        }
    }

    /// The values to improve on, one for each set.
    #[cfg(test)]
    pub(super) fn incumbents(&self) -> &[R] {
        self.incumbents
    }

    /// The prediction of one set at a point, for comparing.
    #[cfg(test)]
    pub(super) fn predict(&mut self, model: &mut dyn Surrogate<R>, set: usize, point: &[R]) -> Prediction<R> {
        let prediction = self.condition(model, point).unwrap();
        let residual = &self.residuals[set * self.count..(set + 1) * self.count];
        Prediction { mean: prediction.mean + dot(self.side, residual), ..prediction }
    }

    /// The values of one set, in the order of the points.
    #[cfg(test)]
    pub(super) fn values(&self, set: usize, out: &mut [R]) {
        let residual = &self.residuals[set * self.count..(set + 1) * self.count];
        for (j, out) in out.iter_mut().enumerate() {
            *out = self.means[j] + dot(linalg::row(self.factor, j), residual);
        }
    }

    /// The model's mean at a point with the variance that is left once the values are known; leaves w in `side`.
    fn condition(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<Prediction<R>, Error> {
        let prediction = model.against(point, self.side)?;
        lower(self.factor, self.side);
        let variance = (prediction.variance - dot(self.side, self.side)).max(R::ZERO);
        Ok(Prediction { variance, ..prediction })
    }

    /// The mean score over the sets of a conditioned prediction whose w is in `side`.
    fn mean_score(&self, prediction: Prediction<R>) -> R {
        let rule = self.rule;
        let log = ScoreKind::of(&rule) == ScoreKind::Log;
        let (mut top, mut sum) = (-R::INFINITY, R::ZERO);
        for (residual, &incumbent) in self.residuals.chunks_exact(self.count.max(1)).zip(&*self.incumbents) {
            let mean = prediction.mean + dot(self.side, residual);
            let score = rule.score(Prediction { mean, ..prediction }, incumbent);
            if !log {
                sum += score;
            } else if score > top {
                sum = sum * (top - score).exp() + R::ONE;
                top = score;
            } else {
                sum += (score - top).exp();
            }
        }
        let mean = sum / R::of_usize(self.sets);
        let score = if log { top + mean.ln() } else { mean };
        score.clamp(-R::MAX, R::MAX)
    }
}

impl<R: Real> AcquisitionFunction<R> for Joint<'_, R> {
    /// A logarithm is averaged as what it is the logarithm of; without points it is the closed form alone. Cost of a point:
    /// the model's answer, q² + sets·q for q points, and `sets` closed forms.
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        if self.count == 0 {
            return ClosedForm { rule: self.rule, best: self.best }.scores(model, points, out);
        }
        let dims = super::check_points(model, points, out.len())?;
        for (point, out) in points.chunks_exact(dims).zip(out) {
            let prediction = self.condition(model, point)?;
            *out = self.mean_score(prediction);
        }
        Ok(())
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        model.smooth(parameter)
    }

    /// ```text
    /// ∂a = A ∂m + B ∂v + ∂c(x)ᵀ L⁻ᵀ(Σᶠ αᶠeᶠ − 2B w)
    /// αᶠ = the weight of a set times ∂aᶠ/∂m,   A = Σᶠ αᶠ,   B = Σᶠ (weight · ∂aᶠ/∂s)/(2s)
    /// ```
    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let [gradient, scratch] = out;
        if self.count == 0 {
            return ClosedForm { rule: self.rule, best: self.best }.gradient(model, at, [gradient, scratch]);
        }
        let dims = super::check_points(model, at, 1)?;
        Error::Shape { needed: 2 * dims }.when(gradient.len() != dims || scratch.len() < 2 * dims)?;
        let (by_mean, rest) = scratch.split_at_mut(dims);
        let by_variance = &mut rest[..dims];
        let prediction = self.condition(model, at)?;
        let total = self.mean_score(prediction);
        let Self { rule, count, sets, factor, residuals, incumbents, side, weights, .. } = self;
        let share = R::ONE / R::of_usize(*sets);
        let (mut mean, mut spread) = (R::ZERO, R::ZERO);
        weights.fill(R::ZERO);
        for (residual, &incumbent) in residuals.chunks_exact((*count).max(1)).zip(incumbents.iter()) {
            let here = Prediction { mean: prediction.mean + dot(side, residual), ..prediction };
            let (score, slope, by_deviation) = rule.score_gradient(here, incumbent);
            let weight =
                if ScoreKind::of(rule) == ScoreKind::Log { share * (score - total).exp() } else { share };
            // An overwhelming slope of a set without weight counts for nothing.
            if weight > R::ZERO {
                mean += weight * slope;
                spread += weight * by_deviation;
                axpy(weight * slope, residual, weights);
            }
        }
        spread *= R::HALF / prediction.variance.sqrt().max(R::MIN_POSITIVE.sqrt());
        axpy(-R::TWO * spread, side, weights);
        upper(factor, weights);
        model.against_gradient(at, weights, gradient)?;
        model.gradient(at, [&mut *by_mean, &mut *by_variance])?;
        for ((g, &m), &v) in gradient.iter_mut().zip(&*by_mean).zip(&*by_variance) {
            let slope = *g + mean * m + spread * v;
            *g = if slope.is_nan() { R::ZERO } else { slope.clamp(-R::MAX, R::MAX) };
        }
        Ok(total)
    }
}

/// How many points there are in a slice.
fn count_of<R: Real>(points: &[R], dims: usize) -> Result<usize, Error> {
    if points.is_empty() {
        return Ok(0);
    }
    Error::Shape { needed: dims }.when(dims == 0 || !points.len().is_multiple_of(dims))?;
    if points.iter().all(|v| v.is_finite()) { Ok(points.len() / dims) } else { Err(Error::NotFinite) }
}

/// Sorts points by their coordinates, the first one first, by insertion.
fn sort<R: Real>(points: &mut [R], dims: usize) {
    let count = points.len() / dims.max(1);
    for i in 1..count {
        let (sorted, rest) = points.split_at(i * dims);
        let at = sorted
            .chunks_exact(dims)
            .position(|other| rest[..dims].partial_cmp(other) == Some(Ordering::Less))
            .unwrap_or(i);
        points[at * dims..(i + 1) * dims].rotate_right(dims);
    }
}

/// Replaces a packed covariance by its factor, where a pivot that is but rounding becomes 0.
///
/// Points that coincide, or that are known already, are no error here: what they add is nothing.
fn half<R: Real>(matrix: &mut [R], count: usize) {
    let largest = (0..count).fold(R::ZERO, |most, i| most.max(matrix[packed(i) + i]));
    let floor = R::of(64.0) * R::of_usize(count) * R::EPSILON * largest;
    for i in 0..count {
        let (before, rest) = matrix.split_at_mut(packed(i));
        lower(before, &mut rest[..i]);
        let pivot = rest[i] - dot(&rest[..i], &rest[..i]);
        rest[i] = if pivot > floor { pivot.sqrt() } else { R::ZERO };
    }
}

/// L x = b in place, with 0 where the diagonal is 0.
fn lower<R: Real>(factor: &[R], b: &mut [R]) {
    for i in 0..b.len() {
        let row = linalg::row(factor, i);
        b[i] = over(b[i] - dot(&row[..i], &b[..i]), row[i]);
    }
}

/// Lᵀ x = b in place, with 0 where the diagonal is 0.
fn upper<R: Real>(factor: &[R], b: &mut [R]) {
    for i in (0..b.len()).rev() {
        let row = linalg::row(factor, i);
        b[i] = over(b[i], row[i]);
        let (before, rest) = b.split_at_mut(i);
        axpy(-rest[0], &row[..i], before);
    }
}

/// The quotient, or 0 if there is nothing to divide by.
fn over<R: Real>(value: R, pivot: R) -> R {
    if pivot > R::ZERO { value / pivot } else { R::ZERO }
}
