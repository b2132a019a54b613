//! Transfer acquisition function (TAF): the improvements on the sources are added to that of the model.

use super::Weights;
use super::knowledge::{By, Knowledge};
use crate::backend::Pooling;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// The transfer acquisition function (TAF): the average of the expected improvement and of what the point would gain on each
/// source over the points that were asked for.
///
/// ```text
/// a(x) = (w₀ EI(x) + width Σ wᵢ max(lowᵢ − mᵢ(x), 0))/(w₀ + Σ wᵢ),   lowᵢ = min over asked x′ of mᵢ(x′),   w₀ = ¾
/// ```
///
/// With the weights of experts each is sᵢ⁻²(x), also that of the model.
///
/// # References
/// Wistuba, Schilling and Schmidt-Thieme, *Scalable Gaussian process-based transfer surrogates for hyperparameter optimization*,
/// Machine Learning 107, 2018.
pub(crate) struct Gain<'s, 'k, R> {
    pub(crate) function: &'s mut dyn AcquisitionFunction<R>,
    /// Whether the function is a logarithm.
    pub(crate) log: bool,
    pub(crate) known: &'s mut Knowledge<'k, R>,
    /// What lies between 0 and 1 of a source among the targets of the model.
    pub(crate) width: R,
    pub(crate) weights: Weights,
}

/// Points whose precisions are looked at together.
const TOGETHER: usize = 64;
/// The least variance that has an inverse, in units of the width.
const LEAST: f64 = 1e-12;

impl<R: Real> Gain<'_, '_, R> {
    /// Replaces the improvements by the model at a few points by the averages with the precisions as weights.
    fn average(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let (mut means, mut totals) = ([R::ZERO; TOGETHER], [R::ZERO; TOGETHER]);
        let (count, square) = (out.len(), self.width * self.width);
        let precision = |variance: R| R::ONE / (variance / square).max(R::of(LEAST));
        model.predict_many(points, &mut means[..count], &mut totals[..count])?;
        for (score, total) in out.iter_mut().zip(&mut totals) {
            *total = precision(*total);
            *score *= *total;
        }
        let width = self.width;
        self.known.each_sure(points, count, &mut |source| {
            let own = R::ONE / source.prediction.variance.max(R::of(LEAST));
            out[source.point] += own * width * (source.low - source.prediction.mean).max(R::ZERO);
            totals[source.point] += own;
        })?;
        for (score, &total) in out.iter_mut().zip(&totals) {
            *score /= total;
        }
        Ok(())
    }

    /// What the improvements by the model become with what the points gain on the sources.
    fn finish(
        &mut self,
        by: By,
        model: &mut dyn Surrogate<R>,
        points: &[R],
        out: &mut [R],
    ) -> Result<(), Error> {
        let (log, width, total) = (self.log, self.width, self.known.total_with_own());
        if self.weights == Weights::Experts {
            for score in out.iter_mut().filter(|_| log) {
                *score = score.exp();
            }
            let dims = points.len() / out.len().max(1);
            let mut parts = points.chunks(TOGETHER * dims.max(1)).zip(out.chunks_mut(TOGETHER));
            return parts.try_for_each(|(points, out)| self.average(model, points, out));
        }
        for score in out.iter_mut() {
            *score = self.known.own / total * if log { score.exp() } else { *score };
        }
        let of = |weight: R, low: R| (weight / total * width, low);
        self.known.pool(by, points, Pooling::Gain, &of, out)
    }
}

impl<R: Real> AcquisitionFunction<R> for Gain<'_, '_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        self.function.scores(model, points, out)?;
        self.finish(By::Backend, model, points, out)
    }

    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        let mut out = [self.function.score(model, point)?];
        self.finish(By::Plain, model, point, &mut out)?;
        Ok(out[0])
    }

    fn screens(&self, model: &dyn Surrogate<R>) -> bool {
        self.function.screens(model) || self.weights != Weights::Experts && self.known.screens()
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        // Precisions have slopes of their own, which are left to steps without any.
        self.weights != Weights::Experts
            && self.function.smooth(model, parameter)
            && self.known.smooth(parameter)
    }

    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let (width, total) = (self.width, self.known.total_with_own());
        let own = self.known.own / total;
        let [gradient, scratch] = out;
        let score = self.function.gradient(model, at, [&mut *gradient, scratch])?;
        let (score, slope) = if self.log { (score.exp(), score.exp()) } else { (score, R::ONE) };
        for g in gradient.iter_mut() {
            *g *= own * slope;
        }
        let mut sum = own * score;
        self.known.add_gradient(at, gradient, &mut |source| {
            let (share, gain) = (source.weight / total * width, source.low - source.means[0]);
            sum += share * gain.max(R::ZERO);
            if gain > R::ZERO { -share } else { R::ZERO }
        })?;
        Ok(sum)
    }
}
