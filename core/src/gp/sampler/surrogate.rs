//! Hyperparameters moved with surrogate data: noisy copies of the latent values.

use super::Target;
use super::latent::Latent;
use crate::backend::Backend;
use crate::linalg::{self, packed};
use crate::math::dot;
use crate::real::Real;
use crate::rng::{self, Generator};

/// The density of θ for fixed surrogate data g and whitened distance ν of f from what g says; f moves with θ.
///
/// ```text
/// g ~ N(f, sI)     C = Σ + sI     R = sI − s²C⁻¹     m = g − sC⁻¹g     ν = L_R⁻¹(f − m)
/// ln L(f') + ln N(g; 0, C') + ln p(θ'),   f' = L_R' ν + m'
/// ```
///
/// s follows θ: it is the noise, but no more than the variance of f, 1/s = 1/σₙ² + 1/k. Cost: 2n³ flops.
///
/// # References
/// Murray & Adams, *Slice sampling covariance hyperparameters of latent Gaussian models*, NIPS 2010, algorithms 3
/// and 4.
pub(super) struct Surrogate<'l, 't, R, B: ?Sized>(pub(super) &'l mut Latent<'t, R, B>);

impl<R: Real, B: Backend<R> + ?Sized> Surrogate<'_, '_, R, B> {
    /// Factors C and R at θ, g being drawn by `draw` in between.
    fn factor_both(&mut self, theta: &[R], draw: impl FnOnce(&mut Latent<'_, R, B>, R)) -> Option<R> {
        let latent = &mut *self.0;
        let noise = theta.last().map_or(R::ZERO, |v| v.exp()) + latent.known;
        let s = latent.factor_at(theta, |variance| noise * variance / (noise + variance))?;
        if s.is_nan() || s <= R::ZERO {
            return None;
        }
        draw(latent, s);
        let n = latent.f.len();
        let inverted = latent.backend.invert(latent.factor, n, latent.second);
        if !latent.note(inverted) {
            return None;
        }
        for entry in latent.second.iter_mut() {
            *entry *= -s * s;
        }
        for i in 0..n {
            latent.second[packed(i) + i] += s;
        }
        let factored = latent.backend.factor(latent.second, n);
        latent.note(factored).then_some(s)
    }

    /// Fills the proposal with m and gives ln N(g; 0, C) up to a constant.
    fn mean(&mut self, s: R) -> R {
        let latent = &mut *self.0;
        let n = latent.f.len();
        latent.proposal.copy_from_slice(latent.data);
        let half = linalg::solve_lower(latent.factor, n, latent.proposal);
        let density =
            -R::HALF * (dot(latent.proposal, latent.proposal) + linalg::log_determinant(latent.factor, n));
        let whole = half.and_then(|()| linalg::solve_upper(latent.factor, n, latent.proposal));
        if !latent.note(whole) {
            return -R::INFINITY;
        }
        for (place, &g) in latent.proposal.iter_mut().zip(latent.data.iter()) {
            *place = g - s * *place;
        }
        density
    }
}

impl<R: Real, B: Backend<R> + ?Sized> Target<R> for Surrogate<'_, '_, R, B> {
    fn span(&self, coordinate: usize) -> R {
        self.0.span(coordinate)
    }

    fn begin(&mut self, theta: &[R], generator: &mut Generator) -> R {
        let drawn = self.factor_both(theta, |latent, s| {
            for (g, &f) in latent.data.iter_mut().zip(latent.f.iter()) {
                *g = f + s.sqrt() * rng::normal::<R, _>(generator);
            }
        });
        let Some(s) = drawn else { return -R::INFINITY };
        let density = self.mean(s);
        let latent = &mut *self.0;
        for (white, (&f, &m)) in latent.white.iter_mut().zip(latent.f.iter().zip(latent.proposal.iter())) {
            *white = f - m;
        }
        let solved = linalg::solve_lower(latent.second, latent.f.len(), latent.white);
        if !latent.note(solved) {
            return -R::INFINITY;
        }
        latent.likelihood.log(theta, latent.f) + density + latent.log_prior(theta)
    }

    fn at(&mut self, theta: &[R]) -> R {
        let prior = self.0.log_prior(theta);
        if !prior.is_finite() {
            return -R::INFINITY;
        }
        let Some(s) = self.factor_both(theta, |_, _| {}) else { return -R::INFINITY };
        let density = self.mean(s);
        let latent = &mut *self.0;
        // m + L_R ν, in place.
        for i in 0..latent.f.len() {
            latent.proposal[i] += dot(linalg::row(latent.second, i), &latent.white[..=i]);
        }
        latent.likelihood.log(theta, latent.proposal) + density + prior
    }

    fn accept(&mut self) {
        self.0.f.copy_from_slice(self.0.proposal);
    }
}
