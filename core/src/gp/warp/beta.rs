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

/// u by bisection on the logarithm of the nearer end's distance, finished by Newton's method; 0 < w < 1.
pub(super) fn inverse<R: Real>(w: R, a: R, b: R) -> R {
    // From the end that w is nearer to; the distance to the other is then no smaller than rounding.
    let middle = regularized(R::HALF, a, b).value;
    let low = w <= middle;
    let (a, b, target) = if low { (a, b, w) } else { (b, a, R::ONE - w) };
    let (mut lo, mut hi) = (R::MIN_POSITIVE.ln(), -R::of(core::f64::consts::LN_2));
    let mut at = hi;
    for _ in 0..80 {
        let x = at.exp();
        let it = regularized(x, a, b);
        let wrong = it.value - target;
        if wrong > R::ZERO {
            hi = at;
        } else {
            lo = at;
        }
        // Newton's step in ln x for ln I, which is nearly straight below.
        let next = at + (target.ln() - it.value.ln()) * it.value / (x * it.by_x);
        let before = at;
        at = if next > lo && next < hi { next } else { R::HALF * (lo + hi) };
        if (at - before).abs() <= R::EPSILON {
            break;
        }
    }
    let x = at.exp().min(R::HALF);
    if low { x } else { R::ONE - x }
}
