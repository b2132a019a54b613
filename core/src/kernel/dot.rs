//! Kernels of a dot product: linear, polynomial and arc sine. They are not stationary.
//!
//! ```text
//! ⟨a, b⟩ = w₀ + Σ wₖ aₖ bₖ                      (w₀ only with a bias)
//! linear, polynomial   k = ⟨a, b⟩ᵈ              (linear: d = 1, no bias)
//! arc sine             k = 2/π arcsin t,   t = 2⟨a, b⟩ / √((1 + 2⟨a, a⟩)(1 + 2⟨b, b⟩))
//! ```
//! The arc sine is the covariance of a network with infinitely many hidden units; with w₀ = 0 it is the form
//! without the augmented input.
//!
//! # References
//! Rasmussen and Williams (2006), (4.27)–(4.29); Williams, *Computation with infinite neural networks* (1998).

use super::leaf::Pair;
use crate::real::Real;

/// ⟨a, b⟩
fn inner<R: Real>(pair: &Pair<'_, R>, a: &[R], b: &[R]) -> R {
    let mut sum = if pair.leaf.node.has_bias() { pair.second(0) } else { R::ZERO };
    for (i, k) in pair.dims() {
        sum += pair.first(i) * (a[k] * b[k]);
    }
    sum
}

/// ⟨a, b⟩ᵈ and d ⟨a, b⟩ᵈ⁻¹; the linear kernel has the stored degree 0 and means 1.
pub(super) fn polynomial<R: Real>(pair: &Pair<'_, R>) -> (R, R) {
    let base = inner(pair, pair.a, pair.b);
    let degree = pair.leaf.node.degree().max(1);
    let mut below = R::ONE;
    for _ in 1..degree {
        below *= base;
    }
    (below * base, R::of(f64::from(degree)) * below)
}

/// Adds `seed` · ∂k/∂θ: d ⟨a, b⟩ᵈ⁻¹ wₖ aₖ bₖ, and d ⟨a, b⟩ᵈ⁻¹ w₀.
pub(super) fn polynomial_gradient<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let seed = seed * polynomial(pair).1;
    for (i, k) in pair.dims() {
        out[pair.leaf.slot(i)] += seed * pair.first(i) * (pair.a[k] * pair.b[k]);
    }
    if pair.leaf.node.has_bias() {
        out[pair.leaf.second(0)] += seed * pair.second(0);
    }
}

/// Adds `seed` · ∂k/∂a: d ⟨a, b⟩ᵈ⁻¹ wₖ bₖ.
pub(super) fn polynomial_gradient_x<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let seed = seed * polynomial(pair).1;
    for (i, k) in pair.dims() {
        out[k] += seed * pair.first(i) * pair.b[k];
    }
}

/// The arc sine kernel at one pair, with what its derivatives share.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArcSine<R> {
    /// k
    pub(super) value: R,
    /// dk/dt = 2/π / √(1 − t²)
    steep: R,
    /// t
    t: R,
    /// 1 + 2⟨a, a⟩
    left: R,
    /// 1 + 2⟨b, b⟩
    right: R,
}

/// The arc sine kernel; |t| < 1 always, but rounding may say otherwise.
pub(super) fn arc_sine<R: Real>(pair: &Pair<'_, R>) -> ArcSine<R> {
    let left = R::ONE + R::TWO * inner(pair, pair.a, pair.a);
    let right = R::ONE + R::TWO * inner(pair, pair.b, pair.b);
    // Two roots: the product of the two could overflow where each does not.
    let t = R::TWO * inner(pair, pair.a, pair.b) / left.sqrt() / right.sqrt();
    let t = if t > R::ONE {
        R::ONE
    } else if t < -R::ONE {
        -R::ONE
    } else {
        t
    };
    let cosine = ((R::ONE - t) * (R::ONE + t)).max(R::EPSILON).sqrt();
    let two_by_pi = R::TWO / R::PI;
    ArcSine { value: two_by_pi * t.asin(), steep: two_by_pi / cosine, t, left, right }
}

/// Adds `seed` · ∂k/∂θ.
///
/// ```text
/// ∂t/∂w = 2ab/√(left right) − t (a²/left + b²/right)
/// ```
pub(super) fn arc_sine_gradient<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let s = arc_sine(pair);
    let seed = seed * s.steep;
    let root = s.left.sqrt() * s.right.sqrt();
    let by_weight = |a: R, b: R| R::TWO * (a * b) / root - s.t * (a * a / s.left + b * b / s.right);
    for (i, k) in pair.dims() {
        out[pair.leaf.slot(i)] += seed * pair.first(i) * by_weight(pair.a[k], pair.b[k]);
    }
    if pair.leaf.node.has_bias() {
        out[pair.leaf.second(0)] += seed * pair.second(0) * by_weight(R::ONE, R::ONE);
    }
}

/// Adds `seed` · ∂k/∂a, with ∂t/∂aₖ = 2wₖ (bₖ/√(left right) − t aₖ/left).
pub(super) fn arc_sine_gradient_x<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let s = arc_sine(pair);
    let seed = seed * s.steep * R::TWO;
    let root = s.left.sqrt() * s.right.sqrt();
    for (i, k) in pair.dims() {
        out[k] += seed * pair.first(i) * (pair.b[k] / root - s.t * pair.a[k] / s.left);
    }
}
