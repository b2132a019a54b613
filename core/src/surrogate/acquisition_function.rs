//! The acquisition function: what a search maximises, given a fitted model.

use super::Surrogate;
use crate::acquisition::Acquisition;
use crate::backend::Sobol;
use crate::error::Error;
use crate::real::Real;

/// An acquisition function of a model: larger is better, and a NaN leaves its point out.
///
/// Closed forms ([`ClosedForm`]), lookahead policies and open trials implement it; what does not depend on the candidate is
/// prepared once for a model, which is then passed to each call, so that one state serves each member of an ensemble.
///
/// It is asked through a reference, so that a search is compiled once for all of them.
pub(crate) trait AcquisitionFunction<R: Real> {
    /// The scores of `out.len()` points.
    ///
    /// # Errors
    /// [`Error::Shape`], and what the model or the backend reports.
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error>;

    /// The score of one point, by the plain code.
    ///
    /// # Errors
    /// As [`AcquisitionFunction::scores`].
    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        let mut out = [R::ZERO];
        self.scores(model, point, &mut out)?;
        Ok(out[0])
    }

    /// Whether [`AcquisitionFunction::scores`] is good for ranking only, and what is chosen wants
    /// [`AcquisitionFunction::score`].
    fn screens(&self, model: &dyn Surrogate<R>) -> bool {
        let _ = model;
        false
    }

    /// Whether the score has a derivative in a coordinate.
    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        let _ = (model, parameter);
        false
    }

    /// The score with its derivatives in the first of `out`; the second is scratch of two scalars per coordinate.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if it is smooth in no coordinate, [`Error::Shape`], and what the model reports.
    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        let _ = (model, at, out);
        Err(Error::Unsupported)
    }

    /// As [`Surrogate::screen_sobol`].
    ///
    /// # Errors
    /// As [`AcquisitionFunction::scores`].
    fn screen_sobol(
        &mut self,
        model: &mut dyn Surrogate<R>,
        sobol: Sobol,
        points: &mut [R],
        out: &mut [R],
    ) -> Result<Option<usize>, Error> {
        let _ = (model, sobol, points, out);
        Ok(None)
    }
}

/// A closed form of one prediction against a value to improve on, as if no trial were open.
#[derive(Clone, Copy, Debug)]
pub struct ClosedForm<R> {
    /// The closed form.
    pub rule: Acquisition<R>,
    /// The value to improve on.
    pub best: R,
}

impl<R: Real> AcquisitionFunction<R> for ClosedForm<R> {
    fn scores(&mut self, model: &mut dyn Surrogate<R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        model.score_many(*self, points, out)
    }

    fn score(&mut self, model: &mut dyn Surrogate<R>, point: &[R]) -> Result<R, Error> {
        model.score(*self, point)
    }

    fn screens(&self, model: &dyn Surrogate<R>) -> bool {
        model.screens()
    }

    fn smooth(&self, model: &dyn Surrogate<R>, parameter: usize) -> bool {
        model.smooth(parameter)
    }

    fn gradient(&mut self, model: &mut dyn Surrogate<R>, at: &[R], out: [&mut [R]; 2]) -> Result<R, Error> {
        model.score_gradient(*self, at, out)
    }

    fn screen_sobol(
        &mut self,
        model: &mut dyn Surrogate<R>,
        sobol: Sobol,
        points: &mut [R],
        out: &mut [R],
    ) -> Result<Option<usize>, Error> {
        model.screen_sobol(*self, sobol, points, out)
    }
}
