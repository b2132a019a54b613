//! Fully independent training conditional: what the inducing inputs miss is noise of each observation.
//!
//! ```text
//! Λ = diag(K_ff − Q_ff) + σₙ²,   evidence ln N(y; Hβ, Q_ff + Λ),   Q = K_fu K_uu⁻¹ K_uf
//! ```
//!
//! # References
//! Snelson & Ghahramani, "Sparse Gaussian processes using pseudo-inputs", 2006; Quiñonero-Candela & Rasmussen, "A
//! unifying view of sparse approximate Gaussian process regression", 2005, section 6.

use super::evidence::Share;
use crate::real::Real;

/// λ of an observation whose own noise is `own` and whose unexplained variance is `gap`.
pub(super) fn share<R: Real>(own: R, gap: R) -> Share<R> {
    Share { noise: own + gap, penalty: R::ZERO }
}

/// Derivatives of the objective by gap and by noise, from `weight` = Wᵢᵢ, W = ½(ααᵀ − P).
pub(super) fn slopes<R: Real>(weight: R) -> (R, R) {
    (weight, weight)
}
