//! Two-stage transfer surrogate (TST): the means of the sources move that of the model.

use super::knowledge::{Knowledge, OWN};
use crate::acquisition::Prediction;
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::Surrogate;

/// Where values between 0 and 1 of a source lie among the targets of a model: at `low + width · value`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span<R> {
    pub(crate) low: R,
    pub(crate) width: R,
}

/// The two-stage transfer surrogate (TST): a weighted average of the means, with the variance of the model alone.
///
/// ```text
/// m(x) = (w₀ m₀(x) + Σ wᵢ (low + width mᵢ(x)))/(w₀ + Σ wᵢ),   s²(x) = s₀²(x),   w₀ = ¾
/// ```
///
/// # References
/// Wistuba 2017, (7.1)–(7.4) and (7.13)–(7.17), with the share of discordant pairs as the distance.
pub(crate) struct Stage<'s, 'k, R> {
    pub(crate) model: &'s mut dyn Surrogate<R>,
    pub(crate) known: &'s mut Knowledge<'k, R>,
    pub(crate) span: Span<R>,
}

impl<R: Real> Stage<'_, '_, R> {
    /// The sum of all weights.
    fn total(&self) -> R {
        R::of(OWN) + self.known.total()
    }
}

impl<R: Real> Surrogate<R> for Stage<'_, '_, R> {
    fn dims(&self) -> usize {
        self.model.dims()
    }

    fn predict_many(&mut self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        self.model.predict_many(points, means, variances)?;
        let (total, Span { low, width }) = (self.total(), self.span);
        for mean in means.iter_mut() {
            *mean *= R::of(OWN) / total;
        }
        self.known.each(points, means.len(), &mut |source| {
            for (mean, &theirs) in means[source.first..].iter_mut().zip(source.means) {
                *mean += source.weight / total * (low + width * theirs);
            }
        })
    }

    fn smooth(&self, parameter: usize) -> bool {
        // An ensemble has a slope for each member, not for its mixture.
        self.model.members() == 1 && self.model.smooth(parameter) && self.known.smooth(parameter)
    }

    fn gradient(&mut self, point: &[R], slopes: [&mut [R]; 2]) -> Result<Prediction<R>, Error> {
        let (total, Span { low, width }) = (self.total(), self.span);
        let [by_mean, by_variance] = slopes;
        let own = self.model.gradient(point, [by_mean, by_variance])?;
        let mut mean = own.mean * R::of(OWN) / total;
        for slope in by_mean.iter_mut() {
            *slope *= R::of(OWN) / total;
        }
        self.known.add_gradient(point, by_mean, &mut |source| {
            mean += source.weight / total * (low + width * source.means[0]);
            source.weight / total * width
        })?;
        Ok(Prediction { mean, ..own })
    }

    fn freedom(&self) -> R {
        self.model.freedom()
    }
}
