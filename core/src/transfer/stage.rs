//! Mixtures of the model and the sources: two-stage transfer surrogate (TST), product of experts (PoE), ranking-weighted ensemble
//! (RGPE).

use super::Weights;
use super::knowledge::{By, Knowledge};
use crate::acquisition::{Prediction, student};
use crate::backend::Pooling;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::{ClosedForm, Surrogate};

/// Where values between 0 and 1 of a source lie among the targets of a model: at `low + width · value`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span<R> {
    pub(crate) low: R,
    pub(crate) width: R,
}

impl<R: Real> Span<R> {
    /// A prediction of a source among the targets; no variance is so small that its inverse leaves the range.
    fn place(&self, Prediction { mean, variance }: Prediction<R>) -> Prediction<R> {
        let square = self.width * self.width;
        let least = square * R::of(LEAST);
        Prediction { mean: self.low + self.width * mean, variance: (square * variance).max(least) }
    }
}

/// The least variance that has an inverse, in units of the width.
const LEAST: f64 = 1e-12;

/// How the predictions of several data sets become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blend {
    /// Means are averaged; the variance is that of the model.
    Average,
    /// A product of densities.
    Product,
    /// A weighted sum of the processes.
    Sum,
}

impl Blend {
    const fn of(weights: Weights) -> Self {
        match weights {
            Weights::Features { .. } | Weights::Ranks { .. } => Self::Average,
            Weights::Experts => Self::Product,
            Weights::Sampled { .. } => Self::Sum,
        }
    }
}

/// One model of several data sets.
///
/// ```text
/// TST   m(x) = (w₀ m₀(x) + Σ wᵢ m̃ᵢ(x))/(w₀ + Σ wᵢ),   s²(x) = s₀²(x),   m̃ᵢ = low + width mᵢ,   w₀ = ¾
/// PoE   m(x) = Σ s̃ᵢ⁻² m̃ᵢ/Σ s̃ᵢ⁻²,   s⁻²(x) = 1/(M + 1) Σ s̃ᵢ⁻²(x),   the model among the M + 1
/// RGPE  m(x) = Σ wᵢ m̃ᵢ(x),   s²(x) = Σ wᵢ² s̃ᵢ²(x),   Σ wᵢ = 1
/// ```
///
/// # References
/// Wistuba 2017, (7.1)–(7.17), with the share of discordant pairs as the distance; Feurer, Letham and Bakshy, *Scalable
/// Meta-Learning for Bayesian Optimization using Ranking-Weighted Gaussian Process Ensembles*, 2018.
pub(crate) struct Stage<'s, 'k, R> {
    pub(crate) model: &'s mut dyn Surrogate<R>,
    pub(crate) known: &'s mut Knowledge<'k, R>,
    pub(crate) span: Span<R>,
    pub(crate) weights: Weights,
}

impl<R: Real> Stage<'_, '_, R> {
    /// The densities of all multiplied, each to the power of one over their number.
    fn multiply(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let (span, mut experts) = (self.span, R::ONE);
        let least = span.width * span.width * R::of(LEAST);
        for (mean, variance) in means.iter_mut().zip(variances.iter_mut()) {
            *variance = R::ONE / variance.max(least);
            *mean *= *variance;
        }
        self.known.each_sure(points, means.len(), &mut |source| {
            let own = span.place(source.prediction);
            means[source.point] += own.mean / own.variance;
            variances[source.point] += R::ONE / own.variance;
            experts += if source.point == 0 { R::ONE } else { R::ZERO };
        })?;
        for (mean, variance) in means.iter_mut().zip(variances.iter_mut()) {
            *mean /= *variance;
            *variance = experts / *variance;
        }
        Ok(())
    }

    /// The processes of all added up.
    fn add(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        let (span, total) = (self.span, self.known.total_with_own());
        let own = self.known.own / total;
        means.iter_mut().for_each(|mean| *mean *= own);
        variances.iter_mut().for_each(|variance| *variance *= own * own);
        self.known.each_sure(points, means.len(), &mut |source| {
            let (placed, share) = (span.place(source.prediction), source.weight / total);
            means[source.point] += share * placed.mean;
            variances[source.point] += share * share * placed.variance;
        })
    }

    /// What the predictions of the model become with those of the sources.
    fn blend(&mut self, by: By, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        match Blend::of(self.weights) {
            Blend::Average => {}
            Blend::Product => return self.multiply(points, means, variances),
            Blend::Sum => return self.add(points, means, variances),
        }
        let (total, Span { low, width }) = (self.known.total_with_own(), self.span);
        for mean in means.iter_mut() {
            *mean *= self.known.own / total;
        }
        let of = |weight: R, _| (weight / total, low);
        self.known.pool(by, points, Pooling::Mean { scale: width }, &of, means)
    }
}

impl<R: Real> Surrogate<R> for Stage<'_, '_, R> {
    fn dims(&self) -> usize {
        self.model.dims()
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        self.model.predict_many(points, means, variances)?;
        self.blend(By::Backend, points, means, variances)
    }

    fn screens(&self) -> bool {
        self.model.screens() || Blend::of(self.weights) == Blend::Average && self.known.screens()
    }

    fn score(&mut self, form: ClosedForm<R>, point: &[R]) -> Result<R, Error> {
        let (mut mean, mut variance) = ([R::ZERO], [R::ZERO]);
        self.model.predict_many(point, &mut mean, &mut variance)?;
        self.blend(By::Plain, point, &mut mean, &mut variance)?;
        let prediction = Prediction { mean: mean[0], variance: variance[0] };
        match self.freedom() == R::INFINITY {
            true => Ok(form.rule.score(prediction, form.best)),
            false => student::score(form.rule, prediction, form.best, self.freedom()),
        }
    }

    fn smooth(&self, parameter: usize) -> bool {
        // An ensemble has a slope for each member, not for its mixture.
        self.model.members() == 1 && self.model.smooth(parameter) && self.known.smooth(parameter)
    }

    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        let (span, total) = (self.span, self.known.total_with_own());
        let Span { low, width } = span;
        let [by_mean, by_variance] = slopes;
        let own = self.model.gradient(point, [&mut *by_mean, &mut *by_variance])?;
        let share = self.known.own / total;
        match Blend::of(self.weights) {
            Blend::Average => {
                let mut mean = own.mean * share;
                by_mean.iter_mut().for_each(|slope| *slope *= share);
                self.known.add_gradient(point, by_mean, &mut |source| {
                    mean += source.weight / total * (low + width * source.means[0]);
                    source.weight / total * width
                })?;
                Ok(Prediction { mean, ..own })
            }
            Blend::Sum => {
                let mut sum = Prediction { mean: own.mean * share, variance: own.variance * share * share };
                by_mean.iter_mut().for_each(|slope| *slope *= share);
                by_variance.iter_mut().for_each(|slope| *slope *= share * share);
                self.known.each_slope(point, &mut |source| {
                    let (placed, share) = (span.place(source.prediction), source.weight / total);
                    sum.mean += share * placed.mean;
                    sum.variance += share * share * placed.variance;
                    add(by_mean, share * width, source.slopes[0]);
                    add(by_variance, share * share * width * width, source.slopes[1]);
                })?;
                Ok(sum)
            }
            // ∂m = (Σ pᵢ ∂mᵢ − pᵢ² ∂vᵢ (mᵢ − m))/Σ pᵢ,   ∂s² = (M + 1) Σ pᵢ² ∂vᵢ/(Σ pᵢ)²,   pᵢ = 1/vᵢ
            Blend::Product => {
                let least = width * width * R::of(LEAST);
                let precision = R::ONE / own.variance.max(least);
                let (mut sum, mut precisions, mut experts) = (precision * own.mean, precision, R::ONE);
                for (slope, by_precision) in by_mean.iter_mut().zip(by_variance.iter_mut()) {
                    *by_precision *= -precision * precision;
                    *slope = precision * *slope + own.mean * *by_precision;
                }
                self.known.each_slope(point, &mut |source| {
                    let Prediction { mean, variance } = span.place(source.prediction);
                    let precision = R::ONE / variance;
                    sum += precision * mean;
                    precisions += precision;
                    experts += R::ONE;
                    add(by_mean, precision * width, source.slopes[0]);
                    let by_precision = -precision * precision * width * width;
                    add(by_mean, mean * by_precision, source.slopes[1]);
                    add(by_variance, by_precision, source.slopes[1]);
                })?;
                let mean = sum / precisions;
                for (slope, by_precision) in by_mean.iter_mut().zip(by_variance.iter_mut()) {
                    *slope = (*slope - mean * *by_precision) / precisions;
                    *by_precision *= -experts / (precisions * precisions);
                }
                Ok(Prediction { mean, variance: experts / precisions })
            }
        }
    }

    fn freedom(&self) -> R {
        self.model.freedom()
    }
}

/// Adds a multiple of some slopes.
fn add<R: Real>(out: &mut [R], factor: R, slopes: &[R]) {
    for (out, &slope) in out.iter_mut().zip(slopes) {
        *out += factor * slope;
    }
}
