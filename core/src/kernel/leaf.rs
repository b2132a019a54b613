//! One leaf at one pair of points: which formula, and where its parameters come from.

use super::node::{Leaf, Op};
use super::{arc, discrete, dot, gate, one_hot, stationary};
use crate::real::Real;

/// Natural parameters by their place in θ: computed from logarithms at each use, or computed before.
///
/// A flag and not a type: the formulas of the leaves are there once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters<'a, R> {
    values: &'a [R],
    logarithms: bool,
}

impl<'a, R: Real> Parameters<'a, R> {
    /// Parameters from θ itself.
    #[inline]
    pub(super) fn logarithms(theta: &'a [R]) -> Self {
        Self { values: theta, logarithms: true }
    }

    /// Parameters whose exponential was taken once for many pairs.
    #[inline]
    pub(super) fn naturals(values: &'a [R]) -> Self {
        Self { values, logarithms: false }
    }

    /// The natural parameter at `index`.
    #[inline]
    pub(super) fn at(self, index: usize) -> R {
        let value = self.values[index];
        if self.logarithms { value.exp() } else { value }
    }
}

/// k(a, b) of one leaf.
pub(super) fn value<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>, a: &[R], b: &[R]) -> R {
    match leaf.node.op() {
        Op::Sum | Op::Product | Op::Scale | Op::Constant => p.at(leaf.node.theta()),
        Op::Laplace => stationary::laplace(leaf, p, a, b),
        Op::Periodic => stationary::periodic(leaf, p, a, b),
        Op::Cosine => stationary::phase(leaf, p, a, b).cos(),
        Op::Linear | Op::Polynomial => dot::polynomial(leaf, p, a, b).0,
        Op::ArcSine => dot::arc_sine(leaf, p, a, b).value,
        Op::Hamming | Op::Exchangeable => discrete::value(leaf, p, a, b),
        Op::Branch | Op::Active if gate::is_open(leaf, a, b) => R::ONE,
        Op::Branch | Op::Active => R::ZERO,
        Op::Arc => arc::value(leaf, p, a, b),
        Op::OneHot => one_hot::value(leaf, p, a, b),
        op => stationary::radial(op, stationary::squared(leaf, p, a, b), shape(leaf, p)).value,
    }
}

/// Adds `seed` · ∂k(a, b)/∂θ to the leaf's places in `out`.
pub(super) fn gradient<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    match leaf.node.op() {
        Op::Sum | Op::Product | Op::Scale | Op::Constant => {
            out[leaf.node.theta()] += seed * p.at(leaf.node.theta());
        }
        Op::Laplace => stationary::laplace_gradient(leaf, p, a, b, seed, out),
        Op::Periodic => stationary::periodic_gradient(leaf, p, a, b, seed, out),
        Op::Cosine => stationary::cosine_gradient(leaf, p, a, b, seed, out),
        Op::Linear | Op::Polynomial => dot::polynomial_gradient(leaf, p, a, b, seed, out),
        Op::ArcSine => dot::arc_sine_gradient(leaf, p, a, b, seed, out),
        Op::Hamming | Op::Exchangeable => discrete::gradient(leaf, p, a, b, seed, out),
        Op::Branch | Op::Active => {}
        Op::Arc => arc::gradient(leaf, p, a, b, seed, out),
        Op::OneHot => one_hot::gradient(leaf, p, a, b, seed, out),
        op => {
            let radial = stationary::radial(op, stationary::squared(leaf, p, a, b), shape(leaf, p));
            stationary::radial_gradient(leaf, p, a, b, seed * radial.slope, out);
            if has_shape(op) {
                out[leaf.second(0)] += seed * radial.shape;
            }
        }
    }
}

/// Adds `seed` · ∂k(a, b)/∂a to `out`.
pub(super) fn gradient_x<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    match leaf.node.op() {
        Op::Sum | Op::Product | Op::Scale | Op::Constant => {}
        Op::Hamming | Op::Exchangeable | Op::Branch | Op::Active => {}
        Op::Arc => arc::gradient_x(leaf, p, a, b, seed, out),
        Op::OneHot => one_hot::gradient_x(leaf, p, a, b, seed, out),
        Op::Laplace => stationary::laplace_gradient_x(leaf, p, a, b, seed, out),
        Op::Periodic => stationary::periodic_gradient_x(leaf, p, a, b, seed, out),
        Op::Cosine => stationary::cosine_gradient_x(leaf, p, a, b, seed, out),
        Op::Linear | Op::Polynomial => dot::polynomial_gradient_x(leaf, p, a, b, seed, out),
        Op::ArcSine => dot::arc_sine_gradient_x(leaf, p, a, b, seed, out),
        op => {
            let radial = stationary::radial(op, stationary::squared(leaf, p, a, b), shape(leaf, p));
            stationary::radial_gradient_x(leaf, p, a, b, seed * radial.slope, out);
        }
    }
}

/// Whether the radial profile has ν, α or γ behind its length scales.
pub(super) const fn has_shape(op: Op) -> bool {
    matches!(op, Op::Matern | Op::RationalQuadratic | Op::GammaExponential)
}

/// ν, α or γ; 1 for a profile without one.
pub(super) fn shape<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>) -> R {
    if has_shape(leaf.node.op()) { p.at(leaf.second(0)) } else { R::ONE }
}
