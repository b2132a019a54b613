//! Hyperparameters and degrees of freedom that explain the data best.

use core::cell::Cell;

use super::{Freedom, Tail, law};
use crate::backend::{Backend, Objective, Regression};
use crate::block::Scratch;
use crate::error::Error;
use crate::gp::train::{Task, Trained, Training, maximise};
use crate::gp::{Gp, Split, evidence};
use crate::kernel::{Covariance, Theta};
use crate::lbfgs;
use crate::real::Real;

/// Maximises the evidence of a Student-t process plus log priors over θ and, unless it is fixed, ν.
///
/// ν needs no factor ([`Freedom::fit`]): at each θ the best one is taken, and the derivative in θ is then that at fixed
/// ν. `request.inputs.theta` is not looked at; the table has the noise last. Starts and cost as [`Gp::train`]. If no start
/// has a finite objective, nothing changes. `work` has as many scalars as [`Size::work`](crate::gp::Size::work), `factor`
/// is scratch of `packed(rows)`.
///
/// # Errors
/// [`Error::NoData`], [`Error::Shape`], [`Error::Unsupported`] for another objective than evidence, or what the backend
/// reports.
pub(crate) fn train<R, B, G>(
    covariance: &dyn Covariance<R>,
    backend: &mut B,
    request: &Regression<'_, R>,
    theta: &mut Theta<'_, R>,
    freedom: &mut Freedom<R>,
    training: &Training,
    generator: &mut G,
    factor: &mut [R],
    work: &mut [R],
) -> Result<Trained<R>, Error>
where
    R: Real,
    B: Backend<R> + ?Sized,
    G: rand_core::Rng + ?Sized,
{
    if training.objective != Objective::Evidence {
        return Err(Error::Unsupported);
    }
    let thetas = covariance.thetas() + 1;
    if theta.capacity() < thetas {
        return Err(Error::Shape { needed: thetas });
    }
    let mut scratch = Scratch::new(work);
    let best = scratch.take(thetas)?;
    let memory = scratch.take(lbfgs::multi_start_scratch(thetas))?;
    let request = Regression { objective: Objective::Evidence, ..*request };
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
        let value = evidence::evaluate_under(
            covariance,
            backend,
            &request.at(at),
            Some(&by),
            gradient,
            factor,
            work,
        )?;
        if value.is_nan() {
            return Err(Error::NotPositiveDefinite { row: 0 });
        }
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
    Ok(trained)
}

impl<R: Real> Gp<'_, R> {
    /// Trains hyperparameters and degrees of freedom as a Student-t process, then fits.
    ///
    /// # Errors
    /// As [`train`] and [`Gp::fit`].
    pub(crate) fn train_student<B, G>(
        &mut self,
        covariance: &dyn Covariance<R>,
        backend: &mut B,
        training: &Training,
        freedom: &mut Freedom<R>,
        generator: &mut G,
    ) -> Result<Trained<R>, Error>
    where
        B: Backend<R> + ?Sized,
        G: rand_core::Rng + ?Sized,
    {
        let Task { request, theta, factor, work } = self.task(covariance, training.objective)?;
        let trained =
            train(covariance, backend, &request, theta, freedom, training, generator, factor, work)?;
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
