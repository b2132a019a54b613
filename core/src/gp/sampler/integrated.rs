//! The density of hyperparameters with the latent function integrated out.

use super::Target;
use super::latent::inside;
use crate::backend::{Backend, Objective, Regression};
use crate::block::Scratch;
use crate::error::Error;
use crate::gp::Gp;
use crate::gp::train::{Task, objective};
use crate::kernel::{Covariance, Theta};
use crate::real::Real;
use crate::rng::Generator;

/// Evidence plus log prior; −∞ outside the bounds and where the matrix is not positive definite.
///
/// Cost: n³/3 flops; none for the place where the chain already is.
pub(in crate::gp) struct Integrated<'t, R: Real, B: ?Sized> {
    covariance: &'t dyn Covariance<R>,
    backend: &'t mut B,
    request: Regression<'t, R>,
    /// Bounds and priors.
    pub(in crate::gp) theta: &'t Theta<'t, R>,
    factor: &'t mut [R],
    work: &'t mut [R],
    /// What the backend reported last, other than a matrix that is not positive definite.
    pub(in crate::gp) failure: Option<Error>,
    present: Option<R>,
    last: R,
}

/// A target, and three pieces of memory as long as θ.
pub(in crate::gp) type Prepared<'t, R, B> = (Integrated<'t, R, B>, [&'t mut [R]; 3]);

impl<'t, R: Real, B: Backend<R> + ?Sized> Integrated<'t, R, B> {
    /// The target for the data of a process, in its memory: its fit is lost.
    pub(in crate::gp) fn of(
        gp: &'t mut Gp<'_, R>,
        covariance: &'t dyn Covariance<R>,
        backend: &'t mut B,
    ) -> Result<Prepared<'t, R, B>, Error> {
        let Task { request, theta, factor, work } = gp.task(covariance, Objective::Evidence)?;
        let thetas = covariance.thetas() + 1;
        let mut scratch = Scratch::new(work);
        let pieces = [scratch.take(thetas)?, scratch.take(thetas)?, scratch.take(thetas)?];
        let work = scratch.rest();
        let target = Self {
            covariance,
            backend,
            request,
            theta,
            factor,
            work,
            failure: None,
            present: None,
            last: R::ZERO,
        };
        Ok((target, pieces))
    }
}

impl<R: Real, B: Backend<R> + ?Sized> Target<R> for Integrated<'_, R, B> {
    fn span(&self, coordinate: usize) -> R {
        self.theta.hi[coordinate] - self.theta.lo[coordinate]
    }

    fn begin(&mut self, theta: &[R], _: &mut Generator) -> R {
        let value = self.present.unwrap_or_else(|| self.at(theta));
        self.present = Some(value);
        value
    }

    fn at(&mut self, theta: &[R]) -> R {
        self.last = -R::INFINITY;
        if inside(self.theta, theta) {
            let request = &self.request.at(theta);
            match objective(self.covariance, self.backend, request, &mut [], self.factor, self.work) {
                Ok(value) => self.last = value + self.theta.log_prior(theta, &mut []),
                Err(Error::NotPositiveDefinite { .. }) => {}
                Err(other) => self.failure = Some(other),
            }
        }
        self.last
    }

    fn accept(&mut self) {
        self.present = Some(self.last);
    }
}
