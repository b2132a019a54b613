//! The values f of the latent function at the data, kept beside the hyperparameters.
//!
//! ```text
//! f ~ N(0, Σ),  Σᵢⱼ = k(xᵢ, xⱼ),  its diagonal (1 + √ε)-fold
//! ```
//!
//! The last keeps Σ positive definite for smooth kernels, with the same rule at every θ: without it a chain would
//! stop where the factor fails.

use super::{Moves, Sampling};
use crate::backend::{Backend, Gram, Inputs};
use crate::error::Error;
use crate::gp::evidence;
use crate::kernel::{Covariance, Theta};
use crate::linalg::{self, Blocks, packed};
use crate::math::dot;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::trend::Trend;

/// The latent values, and all that is needed to judge and to move them.
pub(super) struct Latent<'t, R, B: ?Sized> {
    pub(super) covariance: &'t dyn Covariance<R>,
    pub(super) backend: &'t mut B,
    /// Bounds and priors.
    pub(super) table: Theta<'t, R>,
    pub(super) x: &'t [R],
    /// ln L(f) at hyperparameters, of which the last is the noise.
    pub(super) likelihood: Gaussian<'t, R>,
    /// What is known of the noise beside θ, for the surrogate data.
    pub(super) known: R,
    /// The present values.
    pub(super) f: &'t mut [R],
    /// The values that belong to the last proposal.
    pub(super) proposal: &'t mut [R],
    pub(super) white: &'t mut [R],
    pub(super) data: &'t mut [R],
    pub(super) factor: &'t mut [R],
    pub(super) second: &'t mut [R],
    pub(super) scratch: &'t mut [R],
    /// What backend or covariance reported, other than a matrix that is not positive definite.
    pub(super) failure: Option<Error>,
}

impl<R: Real, B: Backend<R> + ?Sized> Latent<'_, R, B> {
    /// How far a hyperparameter may move.
    pub(super) fn span(&self, coordinate: usize) -> R {
        self.table.hi[coordinate] - self.table.lo[coordinate]
    }

    /// ln p(θ); −∞ outside the bounds.
    pub(super) fn log_prior(&self, theta: &[R]) -> R {
        if inside(&self.table, theta) { self.table.log_prior(theta, &mut []) } else { -R::INFINITY }
    }

    /// Factors Σ + extra·I at θ; whether it worked. The mean of the diagonal of Σ alone is given to `extra`.
    pub(super) fn factor_at(&mut self, theta: &[R], extra: impl FnOnce(R) -> R) -> Option<R> {
        let n = self.f.len();
        let kernel = &theta[..theta.len().saturating_sub(1)];
        let inputs = Inputs { theta: kernel, x: self.x, rows: n, nugget: R::ZERO, blocks: Blocks::default() };
        let filled = match self.covariance.tape() {
            Some(tape) => self.backend.gram(&Gram { tape, inputs: &inputs }, self.factor, self.scratch),
            None => self.covariance.gram(kernel, self.x, n, self.factor, self.scratch),
        };
        let mut mean = R::ZERO;
        for i in 0..n {
            mean += self.factor[packed(i) + i] / R::of_usize(n);
        }
        let extra = extra(mean);
        for i in 0..n {
            self.factor[packed(i) + i] = self.factor[packed(i) + i] * (R::ONE + R::EPSILON.sqrt()) + extra;
        }
        let done = filled.and_then(|()| self.backend.factor(self.factor, n));
        self.note(done).then_some(extra)
    }

    /// Whether a call worked; what else than a matrix was wrong is remembered.
    pub(super) fn note(&mut self, outcome: Result<(), Error>) -> bool {
        match outcome {
            Ok(()) => true,
            Err(Error::NotPositiveDefinite { .. }) => false,
            Err(error) => {
                self.failure = self.failure.or(Some(error));
                false
            }
        }
    }

    /// Moves f alone, at fixed θ, along random ellipses through it.
    ///
    /// ```text
    /// f' = f cos φ + h sin φ,   h ~ N(0, Σ),   φ uniform on an arc that shrinks towards 0
    /// ```
    ///
    /// Cost: n³/3 flops once, n² for each ellipse.
    ///
    /// # References
    /// Murray, Adams & MacKay, *Elliptical slice sampling*, AISTATS 2010, figure 2.
    pub(super) fn move_values(
        &mut self,
        theta: &[R],
        sampling: &Sampling,
        generator: &mut Generator,
        moves: &mut Moves,
    ) {
        let n = self.f.len();
        if sampling.latent == 0 || self.factor_at(theta, |_| R::ZERO).is_none() {
            return;
        }
        let mut present = self.likelihood.log(theta, self.f);
        for _ in 0..sampling.latent {
            for z in self.white.iter_mut() {
                *z = rng::normal(generator);
            }
            let drawn = linalg::multiply_lower(self.factor, n, self.white, self.data);
            if !self.note(drawn) {
                return;
            }
            let level = present + rng::uniform_open::<R, _>(generator).ln();
            let turn = R::TWO * R::PI;
            let mut angle = turn * rng::uniform_open::<R, _>(generator);
            let (mut lo, mut hi) = (angle - turn, angle);
            for _ in 0..sampling.shrink {
                let (cos, sin) = (angle.cos(), angle.sin());
                for (place, (&f, &h)) in self.proposal.iter_mut().zip(self.f.iter().zip(self.data.iter())) {
                    *place = f * cos + h * sin;
                }
                let value = self.likelihood.log(theta, self.proposal);
                moves.evaluations += 1;
                if value > level {
                    self.f.copy_from_slice(self.proposal);
                    present = value;
                    break;
                }
                if angle < R::ZERO {
                    lo = angle;
                } else {
                    hi = angle;
                }
                angle = lo + (hi - lo) * rng::uniform_open::<R, _>(generator);
            }
        }
    }
}

/// Whether θ is inside its bounds.
pub(super) fn inside<R: Real>(table: &Theta<'_, R>, theta: &[R]) -> bool {
    theta.iter().zip(table.lo.iter().zip(table.hi.iter())).all(|(v, (lo, hi))| *lo <= *v && *v <= *hi)
}

/// The likelihood of latent values under normal noise, with the coefficients of the trend integrated out.
///
/// ```text
/// ln L(f) = −½(rᵀr + ln|D| + ln|BᵀB|),   r = D^(−½)(y − f − Hβ), B = D^(−½)H, β by least squares
/// ```
///
/// up to a constant; D holds the noise variances. Cost: O(n p²) flops.
pub(super) struct Gaussian<'t, R> {
    pub(super) y: &'t [R],
    pub(super) known: &'t [R],
    pub(super) x: &'t [R],
    pub(super) trend: Trend,
    pub(super) residual: &'t mut [R],
    pub(super) basis: &'t mut [R],
    pub(super) normal: &'t mut [R],
    pub(super) beta: &'t mut [R],
}

impl<R: Real> Gaussian<'_, R> {
    pub(super) fn log(&mut self, theta: &[R], f: &[R]) -> R {
        let n = self.y.len();
        let dims = self.x.len() / n.max(1);
        let p = self.trend.columns(dims);
        let noise = theta.last().map_or(R::ZERO, |v| v.exp());
        if self.trend.matrix(self.x, n, self.basis, self.normal).is_err() {
            return -R::INFINITY;
        }
        let mut log_determinant = R::ZERO;
        for i in 0..n {
            let variance = noise + self.known[i];
            log_determinant += variance.ln();
            let root = R::ONE / variance.sqrt();
            self.residual[i] = (self.y[i] - f[i]) * root;
            for column in self.basis[..p * n].chunks_exact_mut(n) {
                column[i] *= root;
            }
        }
        let residual = &mut self.residual[..n];
        let least = evidence::generalised_least_squares(residual, self.basis, n, p, self.normal, self.beta);
        least.map_or(-R::INFINITY, |(log_normal, _)| {
            -R::HALF * (dot(residual, residual) + log_determinant + log_normal)
        })
    }
}
