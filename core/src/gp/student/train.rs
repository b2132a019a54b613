//! Hyperparameters and degrees of freedom that explain the data best.

use core::cell::Cell;

use super::{Freedom, Tail, law};
use crate::backend::{Backend, Objective};
use crate::block::Scratch;
use crate::error::Error;
use crate::gp::train::{Task, Trained, Training, maximise};
use crate::gp::{Gp, Split, evidence};
use crate::kernel::Covariance;
use crate::lbfgs;
use crate::real::Real;

impl<R: Real> Gp<'_, R> {
    /// Maximises the evidence of a Student-t process plus log priors over θ and, unless it is fixed, ν; then fits.
    ///
    /// ν needs no factor ([`Freedom::fit`]): at each θ the best one is taken, and the derivative in θ is then that at fixed
    /// ν. Starts and cost as [`Gp::train`]. If no start has a finite objective, nothing changes.
    ///
    /// # Errors
    /// As [`Gp::train`]; [`Error::Unsupported`] for another objective than evidence.
    pub(crate) fn train_student<B: Backend<R> + ?Sized, G: rand_core::Rng + ?Sized>(
        &mut self,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
        training: &Training,
        freedom: &mut Freedom<R>,
        generator: &mut G,
    ) -> Result<Trained<R>, Error> {
        let Task { request, theta, factor, work } = self.task(covariance, training.objective)?;
        Error::Unsupported.when(training.objective != Objective::Evidence)?;
        let thetas = covariance.thetas() + 1;
        let mut scratch = Scratch::new(work);
        let best = scratch.take(thetas)?;
        let memory = scratch.take(lbfgs::multi_start_scratch(thetas))?;
        let work = scratch.rest();
        let mut fitted = *freedom;
        let mut at = |at: &[R], gradient: &mut [R]| {
            let freedom = Cell::new(fitted);
            let by = |square: R, count: usize| {
                let mut fitted = freedom.get();
                fitted.fit(square, count);
                freedom.set(fitted);
                let (log, weight) = law(fitted.value.exp(), square, count);
                (log + fitted.log_prior(fitted.value).0, weight)
            };
            let (request, by) = (request.at(at), Some(&by as _));
            let value = evidence::evaluate(covariance, backend, &request, by, gradient, factor, work)?;
            Error::NotPositiveDefinite { row: 0 }.when(value.is_nan())?;
            fitted = freedom.get();
            Ok(value)
        };
        let trained = maximise(theta, best, training, generator, memory, &mut |set, value, gradient| {
            value[0] = at(set, gradient)?;
            Ok(())
        })?;
        if trained.value.is_finite() {
            // The degrees of freedom that belong to the chosen hyperparameters.
            at(best, &mut [])?;
            *freedom = fitted;
            theta.value[..thetas].copy_from_slice(best);
        }
        self.fit(covariance, backend)?;
        Ok(trained)
    }

    /// How the predictions of this process are read as those of a Student-t process with ν degrees of freedom.
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit, [`Error::Config`] unless ν > 2.
    pub fn tail(&mut self, freedom: R) -> Result<Tail<R>, Error> {
        let Split { posterior, targets, .. } = self.split()?;
        Tail::of(&posterior, targets, freedom)
    }
}
