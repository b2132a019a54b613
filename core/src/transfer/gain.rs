//! Transfer acquisition function (TAF): the improvements on the sources are added to that of the model.

use super::knowledge::{Knowledge, OWN};
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
}

impl<R: Real> AcquisitionFunction<R> for Gain<'_, '_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        self.function.scores(model, points, out)?;
        let (log, width, total) = (self.log, self.width, R::of(OWN) + self.known.total());
        for score in out.iter_mut() {
            *score = R::of(OWN) / total * if log { score.exp() } else { *score };
        }
        self.known.each(points, out.len(), &mut |source| {
            for (score, &mean) in out[source.first..].iter_mut().zip(source.means) {
                *score += source.weight / total * width * (source.low - mean).max(R::ZERO);
            }
        })
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        self.function.smooth(model, parameter) && self.known.smooth(parameter)
    }

    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let (width, total) = (self.width, R::of(OWN) + self.known.total());
        let [gradient, scratch] = out;
        let score = self.function.gradient(model, at, [&mut *gradient, scratch])?;
        let (score, slope) = if self.log { (score.exp(), score.exp()) } else { (score, R::ONE) };
        for g in gradient.iter_mut() {
            *g *= R::of(OWN) / total * slope;
        }
        let mut sum = R::of(OWN) / total * score;
        self.known.add_gradient(at, gradient, &mut |source| {
            let (share, gain) = (source.weight / total * width, source.low - source.means[0]);
            sum += share * gain.max(R::ZERO);
            if gain > R::ZERO { -share } else { R::ZERO }
        })?;
        Ok(sum)
    }
}
