//! What the blocks need beside [`crate::math`]: sums of any function of two slices, in vector lanes.

use crate::real::Real;

const LANES: usize = 8;

/// Σ f(aⱼ, bⱼ) in eight independent lanes and a fixed order of reduction.
#[inline(always)]
pub(super) fn sum_of<R: Real>(a: &[R], b: &[R], f: impl Fn(R, R) -> R) -> R {
    let mut lanes = [R::ZERO; LANES];
    let (a_parts, b_parts) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let tail = a_parts.remainder().iter().zip(b_parts.remainder());
    for (p, q) in a_parts.zip(b_parts) {
        for l in 0..LANES {
            lanes[l] += f(p[l], q[l]);
        }
    }
    let mut rest = R::ZERO;
    for (&p, &q) in tail {
        rest += f(p, q);
    }
    let four = [lanes[0] + lanes[4], lanes[1] + lanes[5], lanes[2] + lanes[6], lanes[3] + lanes[7]];
    (four[0] + four[2]) + (four[1] + four[3]) + rest
}

/// |x| without a call.
#[inline(always)]
pub(super) fn magnitude<R: Real>(x: R) -> R {
    if x < R::ZERO { -x } else { x }
}

/// The smaller of a value and a cap; NaN stays NaN.
#[inline(always)]
pub(super) fn at_most<R: Real>(x: R, cap: R) -> R {
    if x > cap { cap } else { x }
}
