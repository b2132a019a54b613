//! The distribution function of the beta distribution.

use super::Slopes;
use crate::real::Real;
use crate::stats::beta::regularized;

/// w for 0 < u < 1.
pub(super) fn forward<R: Real>(u: R, a: R, b: R) -> R {
    regularized(u, a, b).value
}

/// w with its derivatives, by the logarithms of the shapes; 0 < u < 1.
pub(super) fn slopes<R: Real>(u: R, a: R, b: R) -> Slopes<R> {
    let it = regularized(u, a, b);
    Slopes { value: it.value, by_u: it.by_x, by_first: a * it.by_a, by_second: b * it.by_b }
}
