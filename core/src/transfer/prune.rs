//! Search-space pruning: candidates that similar sources make little of are left out.

use super::knowledge::{By, Knowledge};
use crate::error::Error;
use crate::real::Real;
use crate::surrogate::{AcquisitionFunction, Surrogate};

/// How far a point may be from one that was asked for to be kept whatever the sources say, in each coordinate.
pub(crate) const REACH: f64 = 0.1;

/// An acquisition function that leaves out what the sources most alike expect little of, but for what lies beside points that
/// were asked for.
///
/// ```text
/// u(x) = Σᵢ (lowᵢ − mᵢ(x)) over the nearest sources,   kept: u(x) ≥ least, or |x − x′|∞ ≤ 0.1 for an asked x′ of the same categories
/// ```
///
/// `least` is the quantile of u over candidates spread over the space that leaves the configured share of them: the keep-set form,
/// which is never empty.
///
/// # References
/// Wistuba 2017, algorithms 5 and 6, (5.4) and (5.6).
pub(crate) struct Prune<'s, 'k, R> {
    pub(crate) function: &'s mut dyn AcquisitionFunction<R>,
    /// Where the nearest sources alone count.
    pub(crate) known: &'s mut Knowledge<'k, R>,
    /// What is kept.
    pub(crate) least: R,
    /// Whether a point lies beside one that was asked for.
    pub(crate) beside: &'s dyn Fn(&[R]) -> bool,
    /// Utilities of as many points as are scored at a time.
    pub(crate) utility: &'s mut [R],
}

/// The utilities of some points: what the nearest sources expect them to gain.
///
/// # Errors
/// [`Error::Shape`].
pub(crate) fn utilities<R: Real>(
    known: &mut Knowledge<'_, R>,
    points: &[R],
    out: &mut [R],
) -> Result<(), Error> {
    out.fill(R::ZERO);
    // What is left out is decided by no more than this: by the plain code.
    known.each(By::Plain, points, out.len(), &mut |source| {
        for (out, &mean) in out[source.first..].iter_mut().zip(source.means) {
            // Before a point is asked for, what is expected itself.
            *out += if source.low < R::INFINITY { source.low - mean } else { -mean };
        }
    })
}

impl<R: Real> Prune<'_, '_, R> {
    /// Marks what is left out.
    fn prune(&mut self, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let dims = points.len() / out.len();
        let batch = self.utility.len().max(1);
        for (points, out) in points.chunks(batch * dims).zip(out.chunks_mut(batch)) {
            let utility = self.utility.get_mut(..out.len()).ok_or(Error::Shape { needed: 1 })?;
            utilities(self.known, points, utility)?;
            for ((point, out), &utility) in points.chunks_exact(dims).zip(out).zip(&*utility) {
                if utility < self.least && !(self.beside)(point) {
                    *out = R::NAN;
                }
            }
        }
        Ok(())
    }
}

impl<R: Real> AcquisitionFunction<R> for Prune<'_, '_, R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        if out.is_empty() {
            return Ok(());
        }
        self.function.scores(model, points, out)?;
        self.prune(points, out)
    }

    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        let mut out = [self.function.score(model, point)?];
        self.prune(point, &mut out)?;
        Ok(out[0])
    }

    fn screens(&self, model: &dyn Surrogate<R>) -> bool {
        self.function.screens(model)
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        self.function.smooth(model, parameter)
    }

    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        self.function.gradient(model, at, out)
    }
}
