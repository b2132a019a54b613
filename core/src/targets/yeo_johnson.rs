//! The power family of Yeo and Johnson, for values of either sign.
//!
//! ```text
//! ψ(z) = ((1 + z)^λ − 1)/λ  for z ≥ 0,   −((1 − z)^(2 − λ) − 1)/(2 − λ)  for z < 0
//! ```
//!
//! On each side it is Box and Cox's of 1 + |z|, with λ or with 2 − λ.
//!
//! # References
//! Yeo and Johnson, *A New Family of Power Transformations to Improve Normality or Symmetry*, Biometrika 87, 2000,
//! equation 2.1.

use super::box_cox;
use crate::real::Real;

/// Where λ is looked for: as far on either side of 1, since −z has the power 2 − λ.
pub(super) const BOUNDS: [f64; 2] = [-2.0, 4.0];

/// ψ from ±ln(1 + |z|), which has the sign of z.
pub(super) fn bend<R: Real>(log: R, power: R) -> R {
    if log < R::ZERO { -box_cox::bend(-log, R::TWO - power) } else { box_cox::bend(log, power) }
}

/// ±ln(1 + |z|) from ψ; beyond the range of ψ the nearest end.
pub(super) fn unbend<R: Real>(bent: R, power: R) -> R {
    if bent < R::ZERO { -side(-bent, R::TWO - power) } else { side(bent, power) }
}

/// ln(1 + a) of ψ ≥ 0 on one side.
fn side<R: Real>(bent: R, power: R) -> R {
    if power == R::ZERO {
        return bent.min(box_cox::ceiling());
    }
    let product = (power * bent).max(R::MIN_POSITIVE - R::ONE);
    (product.min(R::MAX).ln_1p() / power).clamp(R::ZERO, box_cox::ceiling())
}

/// ln(dψ/dz) = ±(λ − 1)·ln(1 + |z|).
pub(super) fn log_slope<R: Real>(log: R, power: R) -> R {
    ((power - R::ONE) * log).clamp(-box_cox::ceiling::<R>(), box_cox::ceiling())
}
