//! The average of an acquisition function over the members of an ensemble.

use super::{AcquisitionFunction, Surrogate, TOGETHER};
use crate::error::Error;
use crate::real::Real;

/// The mean over the members of a model of the function that was prepared for each.
///
/// ```text
/// a(x) = Σₛ wₛ aₛ(x),   for logarithms  a(x) = ln Σₛ wₛ exp aₛ(x)
/// ```
///
/// The mean of acquisitions, never the acquisition of a mean.
#[derive(Debug)]
pub(crate) struct Average<'w, R, F> {
    /// One for each member, asked or not; `None` where it is not.
    pub(crate) functions: &'w mut [Option<F>],
    /// Whether scores are logarithms.
    pub(crate) log: bool,
    /// A gradient, for several members.
    pub(crate) slope: &'w mut [R],
}

impl<R: Real, F: AcquisitionFunction<R>> Average<'_, R, F> {
    /// Calls `each(member's function, its weight)` for the members that are asked.
    ///
    /// Where one of several is asked, with a function drawn from it, its weight has done its work.
    fn each(
        &mut self,
        model: &mut dyn Surrogate<R>,
        mut each: impl FnMut(&mut F, R, &mut dyn Surrogate<R>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let alone = self.functions.iter().flatten().count() == 1;
        for (member, function) in self.functions.iter_mut().enumerate() {
            let weight = model.weight(member);
            let Some(function) = function.as_mut().filter(|_| weight > R::ZERO) else { continue };
            let weight = if alone { R::ONE } else { weight };
            model.with_member(member, &mut |model| each(function, weight, model))?;
        }
        Ok(())
    }

    /// The function of a model that has but one member.
    fn only(&mut self) -> Result<&mut F, Error> {
        self.functions.first_mut().and_then(Option::as_mut).ok_or(Error::NoData)
    }
}

impl<R: Real, F: AcquisitionFunction<R>> AcquisitionFunction<R> for Average<'_, R, F> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        if out.is_empty() {
            return Ok(());
        }
        if model.members() == 1 {
            return self.only()?.scores(model, points, out);
        }
        let (log, dims) = (self.log, points.len() / out.len());
        for (points, out) in points.chunks(TOGETHER * dims).zip(out.chunks_mut(TOGETHER)) {
            let mut scores = [R::ZERO; TOGETHER];
            let scores = &mut scores[..out.len()];
            out.fill(if log { -R::INFINITY } else { R::ZERO });
            self.each(model, |function, weight, model| {
                function.scores(model, points, scores)?;
                for (out, &score) in out.iter_mut().zip(&*scores) {
                    *out = if log { add_logs(*out, score + weight.ln()) } else { *out + weight * score };
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        if self.screens(model) {
            return self.only()?.score(model, point);
        }
        let mut out = [R::ZERO];
        self.scores(model, point, &mut out)?;
        Ok(out[0])
    }

    fn screens(&self, model: &dyn Surrogate<R>) -> bool {
        let only = self.functions.first().and_then(Option::as_ref);
        model.members() == 1 && only.is_some_and(|only| only.screens(model))
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        self.functions.iter().flatten().all(|function| function.smooth(model, parameter))
    }

    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let [gradient, scratch] = out;
        if model.members() == 1 {
            return self.only()?.gradient(model, at, [gradient, scratch]);
        }
        let log = self.log;
        let mut sum = if log { -R::INFINITY } else { R::ZERO };
        gradient.fill(R::ZERO);
        let slope = core::mem::take(&mut self.slope);
        let here = slope.get_mut(..at.len()).ok_or(Error::Shape { needed: at.len() });
        let asked = here.and_then(|here| {
            self.each(model, |function, weight, model| {
                let score = function.gradient(model, at, [here, scratch])?;
                let (before, now) = if log {
                    let (old, score) = (sum, score + weight.ln());
                    sum = add_logs(old, score);
                    // Their shares of the sum; both 0 where nothing is worth anything.
                    let share = |part: R| if sum > -R::MAX { (part - sum).exp() } else { R::ZERO };
                    (share(old), share(score))
                } else {
                    sum += weight * score;
                    (R::ONE, weight)
                };
                for (g, &s) in gradient.iter_mut().zip(&*here) {
                    *g = before * *g + now * s;
                }
                Ok(())
            })
        });
        self.slope = slope;
        asked.map(|()| sum)
    }
}

/// ln(eᵃ + eᵇ)
fn add_logs<R: Real>(a: R, b: R) -> R {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    // Infinities, and what is so far below that it adds nothing.
    if low == -R::INFINITY || high == R::INFINITY { high } else { high + (low - high).exp().ln_1p() }
}
