//! Hyperparameters moved with the latent values fixed.

use super::Target;
use super::latent::Latent;
use crate::backend::Backend;
use crate::linalg;
use crate::math::dot;
use crate::real::Real;
use crate::rng::Generator;

/// The density of θ for fixed f.
///
/// ```text
/// ln L(f) + ln p(f | θ) + ln p(θ),   ln p(f | θ) = −½|L⁻¹f|² − ½ ln|Σ|
/// ```
///
/// L(f) stays in it, since the noise is one of the hyperparameters. Cost: n³/3 flops.
///
/// # References
/// Murray & Adams, *Slice sampling covariance hyperparameters of latent Gaussian models*, NIPS 2010, algorithm 1.
pub(super) struct Fixed<'l, 't, R, B: ?Sized>(pub(super) &'l mut Latent<'t, R, B>);

impl<R: Real, B: Backend<R> + ?Sized> Target<R> for Fixed<'_, '_, R, B> {
    fn span(&self, coordinate: usize) -> R {
        self.0.span(coordinate)
    }

    fn begin(&mut self, theta: &[R], _: &mut Generator) -> R {
        self.at(theta)
    }

    fn at(&mut self, theta: &[R]) -> R {
        let latent = &mut *self.0;
        let prior = latent.log_prior(theta);
        if !prior.is_finite() || latent.factor_at(theta, |_| R::ZERO).is_none() {
            return -R::INFINITY;
        }
        let n = latent.f.len();
        latent.white.copy_from_slice(latent.f);
        let solved = linalg::solve_lower(latent.factor, n, latent.white);
        if !latent.note(solved) {
            return -R::INFINITY;
        }
        let quadratic = dot(latent.white, latent.white) + linalg::log_determinant(latent.factor, n);
        latent.likelihood.log(theta, latent.f) - R::HALF * quadratic + prior
    }
}
