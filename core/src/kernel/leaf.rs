//! One leaf at one pair of points: which formula, and where its parameters come from.

use super::node::Leaf;
use super::op::{Form, Formula};
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
    let Form::Leaf(formula) = leaf.node.op().form() else { return R::NAN };
    match formula {
        Formula::Constant => p.at(leaf.node.theta()),
        Formula::Radial(profile) => {
            stationary::radial(profile, stationary::squared(leaf, p, a, b), shape(leaf, p)).value
        }
        Formula::Laplace => stationary::laplace(leaf, p, a, b),
        Formula::Periodic => stationary::periodic(leaf, p, a, b),
        Formula::Cosine => stationary::phase(leaf, p, a, b).cos(),
        Formula::Linear | Formula::Polynomial => dot::polynomial(leaf, p, a, b).0,
        Formula::ArcSine => dot::arc_sine(leaf, p, a, b).value,
        Formula::Discrete(kind) => discrete::value(kind, leaf, p, a, b),
        Formula::Gate(gate) => gate::value(gate, leaf, a, b),
        Formula::Arc => arc::value(leaf, p, a, b),
        Formula::OneHot => one_hot::value(leaf, p, a, b),
    }
}

/// Adds `seed` · ∂k(a, b)/∂θ to the leaf's places in `out`; of a scale, with the seed times its operand.
pub(super) fn gradient<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    let formula = match leaf.node.op().form() {
        Form::Sum | Form::Product => return,
        Form::Scale => Formula::Constant,
        Form::Leaf(formula) => formula,
    };
    match formula {
        Formula::Constant => out[leaf.node.theta()] += seed * p.at(leaf.node.theta()),
        Formula::Radial(profile) => {
            let radial = stationary::radial(profile, stationary::squared(leaf, p, a, b), shape(leaf, p));
            stationary::radial_gradient(leaf, p, a, b, seed * radial.slope, out);
            if leaf.node.op().has_shape() {
                out[leaf.second(0)] += seed * radial.shape;
            }
        }
        Formula::Laplace => stationary::laplace_gradient(leaf, p, a, b, seed, out),
        Formula::Periodic => stationary::periodic_gradient(leaf, p, a, b, seed, out),
        Formula::Cosine => stationary::cosine_gradient(leaf, p, a, b, seed, out),
        Formula::Linear | Formula::Polynomial => dot::polynomial_gradient(leaf, p, a, b, seed, out),
        Formula::ArcSine => dot::arc_sine_gradient(leaf, p, a, b, seed, out),
        Formula::Discrete(kind) => discrete::gradient(kind, leaf, p, a, b, seed, out),
        Formula::Gate(_) => {}
        Formula::Arc => arc::gradient(leaf, p, a, b, seed, out),
        Formula::OneHot => one_hot::gradient(leaf, p, a, b, seed, out),
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
    let Form::Leaf(formula) = leaf.node.op().form() else { return };
    match formula {
        Formula::Constant | Formula::Discrete(_) | Formula::Gate(_) => {}
        Formula::Radial(profile) => {
            let radial = stationary::radial(profile, stationary::squared(leaf, p, a, b), shape(leaf, p));
            stationary::radial_gradient_x(leaf, p, a, b, seed * radial.slope, out);
        }
        Formula::Laplace => stationary::laplace_gradient_x(leaf, p, a, b, seed, out),
        Formula::Periodic => stationary::periodic_gradient_x(leaf, p, a, b, seed, out),
        Formula::Cosine => stationary::cosine_gradient_x(leaf, p, a, b, seed, out),
        Formula::Linear | Formula::Polynomial => dot::polynomial_gradient_x(leaf, p, a, b, seed, out),
        Formula::ArcSine => dot::arc_sine_gradient_x(leaf, p, a, b, seed, out),
        Formula::Arc => arc::gradient_x(leaf, p, a, b, seed, out),
        Formula::OneHot => one_hot::gradient_x(leaf, p, a, b, seed, out),
    }
}

/// ν, α or γ; 1 for a profile without one.
pub(super) fn shape<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>) -> R {
    if leaf.node.op().has_shape() { p.at(leaf.second(0)) } else { R::ONE }
}
