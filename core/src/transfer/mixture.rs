//! Adaptive hyperparameter transfer (AHT): what a point adds to the cover of the sources, mixed with its improvement.

use super::knowledge::{By, Knowledge};
use crate::backend::Pooling;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// What is maximised by a hyperparameter optimization machine (HOM) with the transfer function of AHT.
///
/// ```text
/// a(x) = α EI(x)/width − (1 − α) T(x),   T(x) = 1/M Σᵢ min(lowᵢ, mᵢ(x)),   lowᵢ = min over asked x′ of mᵢ(x′)
/// ```
///
/// With α = 1 it is the improvement alone, with α = 0 the cover of the sources, which needs no model. When every source has its
/// lowest point, T is flat and the improvement decides.
///
/// # References
/// Wistuba 2017, algorithm 9 and (8.1).
pub(crate) struct Mixture<'s, 'k, R> {
    pub(crate) function: &'s mut dyn AcquisitionFunction<R>,
    /// Whether the function is a logarithm.
    pub(crate) log: bool,
    pub(crate) known: &'s mut Knowledge<'k, R>,
    /// What lies between 0 and 1 of a source among the targets of the model.
    pub(crate) width: R,
    pub(crate) alpha: R,
}

impl<R: Real> Mixture<'_, '_, R> {
    /// What the improvements by the model become with what the points add to the cover; without them at α = 0.
    fn finish(&mut self, by: By, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let Self { log, width, alpha, .. } = *self;
        if alpha == R::ONE {
            return Ok(());
        }
        for score in out.iter_mut() {
            *score = match alpha > R::ZERO {
                true => alpha / width * if log { score.exp() } else { *score },
                false => R::ZERO,
            };
        }
        let total = self.known.total();
        let of = |weight: R, low: R| (-((R::ONE - alpha) * weight / total), low);
        self.known.pool(by, points, Pooling::Least, &of, out)
    }
}

impl<R: Real> AcquisitionFunction<R> for Mixture<'_, '_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        if self.alpha > R::ZERO {
            self.function.scores(model, points, out)?;
        }
        self.finish(By::Backend, points, out)
    }

    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        let mut out = [R::ZERO];
        if self.alpha > R::ZERO {
            out[0] = self.function.score(model, point)?;
        }
        self.finish(By::Plain, point, &mut out)?;
        Ok(out[0])
    }

    fn screens(&self, model: &dyn Surrogate<R>) -> bool {
        let own = self.alpha > R::ZERO && self.function.screens(model);
        own || self.alpha < R::ONE && self.known.screens()
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        let own = self.alpha == R::ZERO || self.function.smooth(model, parameter);
        own && (self.alpha == R::ONE || self.known.smooth(parameter))
    }

    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let Self { log, width, alpha, .. } = *self;
        let [gradient, scratch] = out;
        let mut sum = R::ZERO;
        if alpha > R::ZERO {
            sum = self.function.gradient(model, at, [&mut *gradient, scratch])?;
        } else {
            gradient.fill(R::ZERO);
        }
        if alpha == R::ONE {
            return Ok(sum);
        }
        if alpha > R::ZERO {
            let score = if log { sum.exp() } else { sum };
            let slope = alpha / width * if log { score } else { R::ONE };
            gradient.iter_mut().for_each(|g| *g *= slope);
            sum = alpha / width * score;
        }
        let total = self.known.total();
        self.known.add_gradient(at, gradient, &mut |source| {
            let (share, mean) = ((R::ONE - alpha) * source.weight / total, source.means[0]);
            sum -= share * source.low.min(mean);
            if mean < source.low { -share } else { R::ZERO }
        })?;
        Ok(sum)
    }
}
