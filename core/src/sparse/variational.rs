//! Variational inducing inputs: a lower bound of the exact evidence.
//!
//! ```text
//! Λ = σₙ²,   bound ln N(y; Hβ, Q_ff + Λ) − ½ Σᵢ (kᵢᵢ − qᵢᵢ)/λᵢ   ≤   ln N(y; Hβ, K_ff + Λ)
//! ```
//!
//! With a flat prior on β both sides are restricted to contrasts, and the bound holds for those.
//!
//! # References
//! Titsias, "Variational learning of inducing variables in sparse Gaussian processes", 2009, eq. 9.

use super::evidence::Share;
use crate::real::Real;

/// λ and penalty of an observation whose own noise is `own` and whose unexplained variance is `gap`.
pub(super) fn share<R: Real>(own: R, gap: R) -> Share<R> {
    Share { noise: own, penalty: R::HALF * gap / own }
}

/// Derivatives of the objective by gap and by noise, from `weight` = Wᵢᵢ, W = ½(ααᵀ − P).
pub(super) fn slopes<R: Real>(weight: R, noise: R, gap: R) -> (R, R) {
    (-R::HALF / noise, weight + R::HALF * gap / (noise * noise))
}
