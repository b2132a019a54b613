//! The sources as the prior of the model: what they have in common, how they differ, and what none of them has seen.
//!
//! ```text
//! y/s₀ = c + s (μ(x) + a μ(x) + Σ bᵢ φᵢ(x) + r(x)) + ε
//! qᵢ = mᵢ − its average,   μ = Σ wᵢ qᵢ,   φᵢ = √wᵢ (qᵢ − μ)
//! a ~ N(0, κ²),   bᵢ ~ N(0, τ²),   r ~ GP(0, σ² k),   c ~ N(c₀, 1),   ε ~ N(0, s²ν²)
//! ```
//!
//! The weights wᵢ say how well a source agrees with what was told; s₀ is the geometric mean of the ranges of the sources, k a
//! covariance with their average hyperparameters. s, κ, τ, σ and ν are those of largest posterior density.
//! As a Gaussian process it has the mean c₀ + sμ and the covariance
//!
//! ```text
//! s² (τ² Σ φᵢφᵢ′ + κ² μμ′ + σ² k) + 1
//! ```

mod fit;
mod residual;

use super::knowledge::{By, Knowledge, Told};
use crate::acquisition::{Acquisition, Prediction};
use crate::block::Scratch;
use crate::error::Error;
use crate::linalg::{self, packed};
use crate::math::dot;
use crate::real::Real;
use crate::surrogate::{AcquisitionFunction, Surrogate};
use fit::Fit;
use residual::Residual;

/// The share of the plain model's improvement.
const PLAIN: f64 = 0.35;
/// How much the improvement on the sources counts, in units of their ranges.
const SOURCES: f64 = 0.5;

/// The sources as a prior, conditioned on a run.
#[derive(Debug)]
pub(crate) struct Prior<'p, 'k, R> {
    known: &'p mut Knowledge<'k, R>,
    /// Told points and, behind them, those that wait for their value.
    rows: Rows<'p, R>,
    residual: Residual<'p, R>,
    fit: Fit<'p, R>,
    batch: Batch<'p, R>,
    /// s₀.
    unit: R,
}

/// What a run is to the prior.
#[derive(Debug)]
struct Rows<'p, R> {
    /// How many were told, and how many there are.
    told: usize,
    count: usize,
    /// qᵢ at each, source after source.
    means: &'p mut [R],
    /// Room for so many in each.
    stride: usize,
    /// μ at each.
    common: &'p mut [R],
}

/// What is worked out for several candidates.
#[derive(Debug)]
struct Batch<'p, R> {
    /// Covariances with the rows, candidate after candidate, and what becomes of them.
    cross: &'p mut [R],
    /// μ.
    common: &'p mut [R],
    /// Σ wᵢqᵢ², then the variances.
    squares: &'p mut [R],
    /// Σ wᵢ max(lowᵢ − mᵢ, 0).
    gain: &'p mut [R],
    means: &'p mut [R],
    /// What the rows weigh in a derivative.
    weights: &'p mut [R],
}

/// Scalars for so many sources, trials and candidates at a time.
pub(crate) const fn scalars(
    sources: usize,
    trials: usize,
    batch: usize,
    dims: usize,
    thetas: usize,
) -> usize {
    let rows = sources.saturating_mul(trials).saturating_add(trials);
    let batch = batch.saturating_mul(trials + 4).saturating_add(trials);
    rows.saturating_add(Residual::<f64>::scalars(trials, dims, thetas))
        .saturating_add(Fit::<f64>::scalars(trials))
        .saturating_add(batch)
}

impl<'p, 'k, R: Real> Prior<'p, 'k, R> {
    /// The posterior given a run; the knowledge was read with weights.
    ///
    /// Cost: O(rows of all sources · count + sources · count² + evaluations · count³).
    ///
    /// # Errors
    /// [`Error::NoData`] without an informative source or a told value, [`Error::Shape`] for too little memory,
    /// [`Error::NotPositiveDefinite`].
    pub(crate) fn new(
        known: &'p mut Knowledge<'k, R>,
        run: &Told<'_, R>,
        sizes: [usize; 2],
        memory: &'p mut [R],
    ) -> Result<Self, Error> {
        let ([trials, candidates], sources) = (sizes, known.len());
        let first = known.largest().ok_or(Error::NoData)?;
        known.normalise();
        let mut memory = Scratch::new(memory);
        let (means, common) = (memory.take(sources * trials)?, memory.take(trials)?);
        let batch = Batch {
            cross: memory.take(candidates * trials)?,
            common: memory.take(candidates)?,
            squares: memory.take(candidates)?,
            gain: memory.take(candidates)?,
            means: memory.take(candidates)?,
            weights: memory.take(trials)?,
        };
        let mut residual = Residual::carve(&mut memory, known, &first, trials)?;
        let mut fit = Fit::carve(&mut memory, trials)?;
        let mut rows = Rows { told: 0, count: run.count, means, stride: trials, common };
        let unit = known.unit();
        rows.common[..run.count].fill(R::ZERO);
        for j in 0..run.count {
            let (point, value) = (run.row)(j);
            residual.add(j, point);
            if let Some(value) = value {
                fit.values[rows.told] = value;
                rows.told += 1;
            }
        }
        Error::NoData.when(rows.told == 0)?;
        known.each(By::Plain, residual.points(run.count), run.count, &mut |source| {
            let own = &mut rows.means[source.index * trials + source.first..];
            let common = &mut rows.common[source.first..];
            for ((own, common), &mean) in own.iter_mut().zip(common).zip(source.means) {
                *own = mean - source.offset;
                *common += source.weight * *own;
            }
        })?;
        fit.differ.fill(R::ZERO);
        for (i, &weight) in known.weights.iter().enumerate().filter(|(_, weight)| **weight > R::ZERO) {
            let means = &rows.means[i * trials..][..rows.count];
            for a in 0..rows.count {
                let (share, row) = (weight * (means[a] - rows.common[a]), &mut fit.differ[packed(a)..]);
                for b in 0..=a {
                    row[b] += share * (means[b] - rows.common[b]);
                }
            }
        }
        residual.gram(rows.count, fit.residual)?;
        fit.maximise(rows.told, rows.count, rows.common, unit)?;
        Ok(Self { known, rows, residual, fit, batch, unit })
    }

    /// Where its values lie among those of the run: at `offset + width · value`.
    pub(crate) fn units(&self) -> [R; 2] {
        [self.fit.average, self.unit]
    }

    /// Mean and variance of the function at a point, in its units.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(crate) fn prediction(&mut self, point: &[R]) -> Result<Prediction<R>, Error> {
        self.predict(By::Plain, point, 1)?;
        Ok(Prediction { mean: self.batch.means[0], variance: self.batch.squares[0] })
    }

    /// What lies between 0 and 1 of a source is in the values of the run: s₀s.
    pub(crate) fn scale(&self) -> R {
        self.unit * self.fit.scale()
    }

    /// Writes the predictions of some candidates, in units of s₀, and L⁻¹k to `batch.cross`.
    fn predict(&mut self, by: By, points: &[R], count: usize) -> Result<(), Error> {
        let Self { known, rows, residual, fit, batch, .. } = self;
        let Rows { told, count: n, stride, .. } = *rows;
        let dims = points.len() / count;
        batch.cross[..count * n].fill(R::ZERO);
        for slice in [&mut *batch.common, &mut *batch.squares, &mut *batch.gain] {
            slice[..count].fill(R::ZERO);
        }
        known.each(by, points, count, &mut |source| {
            let told = &rows.means[source.index * stride..][..n];
            for (b, &mean) in (source.first..).zip(source.means) {
                let centred = mean - source.offset;
                let share = source.weight * centred;
                batch.common[b] += share;
                batch.squares[b] += share * centred;
                batch.gain[b] += source.weight * (source.low - mean).max(R::ZERO);
                for (cross, &other) in batch.cross[b * n..(b + 1) * n].iter_mut().zip(told) {
                    *cross += share * other;
                }
            }
        })?;
        for (b, point) in points.chunks_exact(dims).enumerate() {
            let cross = &mut batch.cross[b * n..(b + 1) * n];
            let common = batch.common[b];
            let (seen, own) = residual.cross(point, n)?;
            for ((cross, &other), &seen) in cross.iter_mut().zip(&*rows.common).zip(seen) {
                *cross = fit.covariance(*cross - common * other, common * other, seen);
            }
            let prior = fit.covariance(batch.squares[b] - common * common, common * common, own);
            batch.means[b] = fit.mean(common) + dot(&cross[..told], &fit.alpha[..told]);
            linalg::solve_lower(fit.factor, n, cross)?;
            batch.squares[b] = (prior - dot(cross, cross)).max(R::ZERO);
        }
        Ok(())
    }
}

impl<R: Real> Prior<'_, '_, R> {
    /// Whether the prediction has a derivative in a coordinate.
    fn smooth(&self, parameter: usize) -> bool {
        self.residual.smooth(parameter) && self.known.smooth(parameter)
    }

    /// The score of a point by a rule, times `own`, with the gain on the sources; its derivatives are added to `gradient`.
    ///
    /// ```text
    /// ∂m = s ∂μ + Σⱼ αⱼ ∂kⱼ,   ∂v = ∂k(x, x) − 2 Σⱼ uⱼ ∂kⱼ,   u = K⁻¹k
    /// Σⱼ βⱼ ∂kⱼ = s² (Σᵢ wᵢ ∂qᵢ (τ² Σⱼ βⱼ(qᵢⱼ − μⱼ) + κ² Σⱼ βⱼμⱼ) + σ² Σⱼ βⱼ ∂k(x, xⱼ))
    /// ```
    fn gradient(
        &mut self,
        point: &[R],
        rule: Acquisition<R>,
        own: R,
        gradient: &mut [R],
    ) -> Result<R, Error> {
        self.predict(By::Plain, point, 1)?;
        let Self { known, rows, residual, fit, batch, .. } = self;
        let Rows { told, count: n, stride, .. } = *rows;
        let (mean, variance, mu) = (batch.means[0], batch.squares[0], batch.common[0]);
        let (score, by_mean, by_deviation) = rule.score_gradient(Prediction { mean, variance }, fit.best);
        let half = R::HALF / variance.sqrt().max(R::MIN_POSITIVE.sqrt());
        let (by_mean, by_variance) = (own * by_mean, own * by_deviation * half);
        let (weights, cross) = (&mut batch.weights[..n], &mut batch.cross[..n]);
        linalg::solve_upper(fit.factor, n, cross)?;
        let mut shared = R::ZERO;
        for (j, (weight, &u)) in weights.iter_mut().zip(&*cross).enumerate() {
            let alpha = if j < told { fit.alpha[j] } else { R::ZERO };
            *weight = by_mean * alpha - R::TWO * by_variance * u;
            shared += *weight * rows.common[j];
        }
        let [scale, differ, common, seen] = fit.shares();
        known.add_gradient(point, gradient, &mut |source| {
            let means = &rows.means[source.index * stride..][..n];
            let pairs = weights.iter().zip(means).zip(&*rows.common);
            let own = pairs.fold(R::ZERO, |sum, ((&weight, &q), &mu)| sum + weight * (q - mu));
            let here = source.means[0] - source.offset;
            let by_common = by_mean * scale + common * (shared + R::TWO * by_variance * mu);
            let by_own = differ * (own + R::TWO * by_variance * (here - mu));
            let gain = if source.means[0] < source.low { R::of(SOURCES) } else { R::ZERO };
            source.weight * (by_common + by_own - gain)
        })?;
        residual.add_slope(point, weights, by_variance, seen, gradient)?;
        Ok(own * score + R::of(SOURCES) * batch.gain[0])
    }
}

/// Improvement by the prior and by the plain model, and on the sources.
///
/// ```text
/// a(x) = ((1 − p) EI_prior + p EI_plain)/s + h Σ wᵢ max(lowᵢ − mᵢ(x), 0),   p = 0.35, h = 0.5
/// ```
///
/// The plain model keeps a run from sources that mislead it; what a point gains on the sources has the sources tried that agree
/// with what was told.
#[derive(Debug)]
pub(crate) struct Informed<'s, 'p, 'k, F: ?Sized, R> {
    /// The improvement by the plain model.
    pub(crate) function: &'s mut F,
    /// Whether it is a logarithm.
    pub(crate) log: bool,
    /// What one of its units is in values.
    pub(crate) value: R,
    pub(crate) prior: Prior<'p, 'k, R>,
}

impl<R: Real, F: AcquisitionFunction<R> + ?Sized> Informed<'_, '_, '_, F, R> {
    /// What the score of the plain model is multiplied by.
    fn plain(&self) -> R {
        let share = R::of(PLAIN) * self.value / self.prior.scale();
        if share.is_finite() { share } else { R::ZERO }
    }

    /// What the improvements by the plain model become with those by the prior and on the sources.
    fn finish(&mut self, by: By, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let (log, plain, dims) = (self.log, self.plain(), points.len() / out.len());
        let prior = &mut self.prior;
        let (rule, best) = (Acquisition::Improvement { margin: R::ZERO }, prior.fit.best);
        let own = (R::ONE - R::of(PLAIN)) / prior.fit.scale();
        let together = prior.batch.gain.len();
        for (points, out) in points.chunks(together * dims).zip(out.chunks_mut(together)) {
            prior.predict(by, points, out.len())?;
            for (b, out) in out.iter_mut().enumerate() {
                let (mean, variance) = (prior.batch.means[b], prior.batch.squares[b]);
                let improvement = rule.score(Prediction { mean, variance }, best);
                *out = plain * if log { out.exp() } else { *out }
                    + own * improvement
                    + R::of(SOURCES) * prior.batch.gain[b];
            }
        }
        Ok(())
    }
}

impl<R: Real, F: AcquisitionFunction<R> + ?Sized> AcquisitionFunction<R> for Informed<'_, '_, '_, F, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        if out.is_empty() {
            return Ok(());
        }
        self.function.scores(model, points, out)?;
        self.finish(By::Backend, points, out)
    }

    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        let mut out = [self.function.score(model, point)?];
        self.finish(By::Plain, point, &mut out)?;
        Ok(out[0])
    }

    fn screens(&self, model: &dyn Surrogate<R>) -> bool {
        self.function.screens(model) || self.prior.known.screens()
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        self.function.smooth(model, parameter) && self.prior.smooth(parameter)
    }

    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let [gradient, scratch] = out;
        let score = self.function.gradient(model, at, [&mut *gradient, scratch])?;
        let plain = self.plain() * if self.log { score.exp() } else { R::ONE };
        gradient.iter_mut().for_each(|g| *g *= plain);
        let plain = if self.log { plain } else { plain * score };
        let own = (R::ONE - R::of(PLAIN)) / self.prior.fit.scale();
        let rule = Acquisition::Improvement { margin: R::ZERO };
        Ok(plain + self.prior.gradient(at, rule, own, gradient)?)
    }
}
