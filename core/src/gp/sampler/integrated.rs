//! The density of hyperparameters with the latent function integrated out.

use super::Target;
use super::latent::inside;
use crate::backend::{Backend, Inputs, Objective, Regression};
use crate::block::Scratch;
use crate::error::Error;
use crate::gp::Gp;
use crate::gp::train::Loss;
use crate::kernel::Covariance;
use crate::linalg::Blocks;
use crate::real::Real;
use crate::rng::Generator;

/// Evidence plus log prior; −∞ outside the bounds and where the matrix is not positive definite.
///
/// Cost: n³/3 flops; none for the place where the chain already is.
pub(in crate::gp) struct Integrated<'t, R, C: ?Sized, B: ?Sized> {
    pub(in crate::gp) loss: Loss<'t, R, C, B>,
    present: Option<R>,
    last: R,
}

/// A target, and three pieces of memory as long as θ.
pub(in crate::gp) type Prepared<'t, R, C, B> = (Integrated<'t, R, C, B>, [&'t mut [R]; 3]);

impl<'t, R: Real, C: Covariance<R> + ?Sized, B: Backend<R> + ?Sized> Integrated<'t, R, C, B> {
    /// The target for the data of a process, in its memory: its fit is lost.
    pub(in crate::gp) fn of(
        gp: &'t mut Gp<'_, R>,
        covariance: &'t C,
        backend: &'t mut B,
    ) -> Result<Prepared<'t, R, C, B>, Error> {
        let n = gp.rows();
        gp.unfit();
        gp.group(covariance);
        let Gp { size, trend, x, y, known, theta, fit, work, .. } = gp;
        let mut scratch = Scratch::new(work);
        let thetas = size.thetas + 1;
        let pieces = [scratch.take(thetas)?, scratch.take(thetas)?, scratch.take(thetas)?];
        let request = Regression {
            inputs: Inputs {
                theta: &[],
                x: &x[..n * size.dims],
                rows: n,
                nugget: R::ZERO,
                blocks: Blocks::of(fit.index, n),
            },
            targets: &y[..n],
            noise: &known[..n],
            trend: *trend,
            objective: Objective::Evidence,
        };
        let (factor, work) = (&mut *fit.factor, scratch.rest());
        let loss = Loss { covariance, backend, request, theta, factor, work, failure: None };
        Ok((Self { loss, present: None, last: R::ZERO }, pieces))
    }
}

impl<R: Real, C: Covariance<R> + ?Sized, B: Backend<R> + ?Sized> Target<R> for Integrated<'_, R, C, B> {
    fn span(&self, coordinate: usize) -> R {
        self.loss.theta.hi[coordinate] - self.loss.theta.lo[coordinate]
    }

    fn begin(&mut self, theta: &[R], _: &mut Generator) -> R {
        let value = self.present.unwrap_or_else(|| self.at(theta));
        self.present = Some(value);
        value
    }

    fn at(&mut self, theta: &[R]) -> R {
        self.last = if inside(self.loss.theta, theta) { -self.loss.at(theta, &mut []) } else { -R::INFINITY };
        self.last
    }

    fn accept(&mut self) {
        self.present = Some(self.last);
    }
}
