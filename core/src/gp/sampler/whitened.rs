//! Hyperparameters moved with the whitened latent values fixed.

use super::Target;
use super::latent::Latent;
use crate::backend::Backend;
use crate::linalg;
use crate::real::Real;
use crate::rng::Generator;

/// The density of θ for fixed ν; f moves with θ.
///
/// ```text
/// ln L(f') + ln p(θ'),   f' = L(θ')ν,   ν = L(θ)⁻¹f
/// ```
///
/// Cost: n³/3 flops.
///
/// # References
/// Murray & Adams, *Slice sampling covariance hyperparameters of latent Gaussian models*, NIPS 2010, algorithm 2.
pub(super) struct Whitened<'l, 't, R, B: ?Sized>(pub(super) &'l mut Latent<'t, R, B>);

impl<R: Real, B: Backend<R> + ?Sized> Target<R> for Whitened<'_, '_, R, B> {
    fn span(&self, coordinate: usize) -> R {
        self.0.span(coordinate)
    }

    fn begin(&mut self, theta: &[R], _: &mut Generator) -> R {
        let latent = &mut *self.0;
        let prior = latent.log_prior(theta);
        if latent.factor_at(theta, |_| R::ZERO).is_none() {
            return -R::INFINITY;
        }
        latent.white.copy_from_slice(latent.f);
        let solved = linalg::solve_lower(latent.factor, latent.f.len(), latent.white);
        if latent.note(solved) { latent.likelihood.log(theta, latent.f) + prior } else { -R::INFINITY }
    }

    fn at(&mut self, theta: &[R]) -> R {
        let latent = &mut *self.0;
        let prior = latent.log_prior(theta);
        if !prior.is_finite() || latent.factor_at(theta, |_| R::ZERO).is_none() {
            return -R::INFINITY;
        }
        let moved = linalg::multiply_lower(latent.factor, latent.f.len(), latent.white, latent.proposal);
        if latent.note(moved) { latent.likelihood.log(theta, latent.proposal) + prior } else { -R::INFINITY }
    }

    fn accept(&mut self) {
        self.0.f.copy_from_slice(self.0.proposal);
    }
}
