//! The power family of Box and Cox, for positive values.
//!
//! ```text
//! ψ(z) = (z^λ − 1)/λ,   ln z for λ = 0
//! ```
//!
//! # References
//! Box and Cox, *An Analysis of Transformations*, Journal of the Royal Statistical Society B 26, 1964.

use crate::real::Real;

/// Where λ is looked for.
pub(super) const BOUNDS: [f64; 2] = [-3.0, 3.0];

/// ψ from ln z.
pub(super) fn bend<R: Real>(log: R, power: R) -> R {
    let bent = if power == R::ZERO { log } else { (power * log).min(ceiling()).exp_m1() / power };
    bent.clamp(-R::MAX, R::MAX)
}

/// ln z from ψ; beyond the range of ψ the nearest end.
pub(super) fn unbend<R: Real>(bent: R, power: R) -> R {
    let log = if power == R::ZERO { bent } else { inner(bent, power).ln() / power };
    log.clamp(-ceiling::<R>(), ceiling())
}

/// ln(dψ/dln z) = λ·ln z.
pub(super) fn log_slope<R: Real>(log: R, power: R) -> R {
    (power * log).clamp(-ceiling::<R>(), ceiling())
}

/// 1 + λψ = z^λ, at least the smallest number.
fn inner<R: Real>(bent: R, power: R) -> R {
    (R::ONE + power * bent).clamp(R::MIN_POSITIVE, R::MAX)
}

/// The logarithm of the largest number, less a little.
pub(super) fn ceiling<R: Real>() -> R {
    R::of(0.95) * R::MAX.ln()
}
