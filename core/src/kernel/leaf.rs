//! A base kernel at one pair of points: which formula, and where its parameters come from.

use super::node::Leaf;
use super::op::{Form, Formula};
use super::stationary::{self, Radial};
use super::{arc, discrete, dot, gate};
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

/// A leaf at two points, with its parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a, R> {
    pub(super) leaf: Leaf<'a>,
    pub(super) parameters: Parameters<'a, R>,
    pub(super) a: &'a [R],
    pub(super) b: &'a [R],
}

impl<R: Real> Pair<'_, R> {
    /// The numbers of the leaf's coordinates, and the coordinates.
    #[inline]
    pub(super) fn dims(&self) -> impl Iterator<Item = (usize, usize)> {
        let leaf = self.leaf;
        (0..leaf.len()).map(move |i| (i, leaf.dim(i)))
    }

    /// Σ f(i, k) over the coordinates k, number i, in their order.
    #[inline]
    pub(super) fn sum(&self, f: impl Fn(usize, usize) -> R) -> R {
        self.dims().fold(R::ZERO, |sum, (i, k)| sum + f(i, k))
    }

    /// Δₖ
    #[inline]
    pub(super) fn difference(&self, k: usize) -> R {
        self.a[k] - self.b[k]
    }

    /// The first parameter at number `i`: a length, period, weight or angle.
    #[inline]
    pub(super) fn first(&self, i: usize) -> R {
        self.parameters.at(self.leaf.slot(i))
    }

    /// The second parameter at number `i`: a period or radius, else shape or bias.
    #[inline]
    pub(super) fn second(&self, i: usize) -> R {
        self.parameters.at(self.leaf.second(i))
    }

    /// The profile at a squared distance: the formula's own, or that of points that are embedded first.
    fn radial(&self, formula: Formula, squared: R) -> Radial<R> {
        let profile = if let Formula::Radial(own) = formula { own } else { self.leaf.embedded() };
        stationary::radial(profile, squared, shape(self.leaf, self.parameters))
    }
}

/// k(a, b) of one leaf.
pub(super) fn value<R: Real>(pair: &Pair<'_, R>) -> R {
    let Form::Leaf(formula) = pair.leaf.node.op().form() else { return R::NAN };
    match formula {
        Formula::Constant => pair.parameters.at(pair.leaf.node.theta()),
        Formula::Radial(_) | Formula::OneHot => pair.radial(formula, stationary::squared(pair)).value,
        Formula::Arc => pair.radial(formula, arc::squared(pair)).value,
        Formula::Laplace => stationary::laplace(pair),
        Formula::Periodic => stationary::periodic(pair),
        Formula::Cosine => stationary::phase(pair).cos(),
        Formula::Linear | Formula::Polynomial => dot::polynomial(pair).0,
        Formula::ArcSine => dot::arc_sine(pair).value,
        Formula::Discrete(kind) => discrete::value(kind, pair),
        Formula::Gate(gate) => gate::value(gate, pair),
    }
}

/// Adds `seed` · ∂k(a, b)/∂θ to the leaf's places in `out`; of a scale, with the seed times its operand.
pub(super) fn gradient<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let leaf = pair.leaf;
    let formula = match leaf.node.op().form() {
        Form::Sum | Form::Product => return,
        Form::Scale => Formula::Constant,
        Form::Leaf(formula) => formula,
    };
    match formula {
        Formula::Constant => out[leaf.node.theta()] += seed * pair.parameters.at(leaf.node.theta()),
        Formula::Radial(_) | Formula::OneHot => {
            let radial = pair.radial(formula, stationary::squared(pair));
            stationary::radial_gradient(pair, seed * radial.slope, out);
            if leaf.node.op().has_shape() {
                out[leaf.second(0)] += seed * radial.shape;
            }
        }
        Formula::Arc => {
            let radial = pair.radial(formula, arc::squared(pair));
            arc::gradient(pair, seed * radial.slope, out);
        }
        Formula::Laplace => stationary::laplace_gradient(pair, seed, out),
        Formula::Periodic => stationary::periodic_gradient(pair, seed, out),
        Formula::Cosine => stationary::cosine_gradient(pair, seed, out),
        Formula::Linear | Formula::Polynomial => dot::polynomial_gradient(pair, seed, out),
        Formula::ArcSine => dot::arc_sine_gradient(pair, seed, out),
        Formula::Discrete(kind) => discrete::gradient(kind, pair, seed, out),
        Formula::Gate(_) => {}
    }
}

/// Adds `seed` · ∂k(a, b)/∂a to `out`.
pub(super) fn gradient_x<R: Real>(pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let Form::Leaf(formula) = pair.leaf.node.op().form() else { return };
    match formula {
        Formula::Constant | Formula::Discrete(_) | Formula::Gate(_) => {}
        Formula::Radial(_) | Formula::OneHot => {
            let radial = pair.radial(formula, stationary::squared(pair));
            stationary::radial_gradient_x(pair, seed * radial.slope, out);
        }
        Formula::Arc => {
            let radial = pair.radial(formula, arc::squared(pair));
            arc::gradient_x(pair, seed * radial.slope, out);
        }
        Formula::Laplace => stationary::laplace_gradient_x(pair, seed, out),
        Formula::Periodic => stationary::periodic_gradient_x(pair, seed, out),
        Formula::Cosine => stationary::cosine_gradient_x(pair, seed, out),
        Formula::Linear | Formula::Polynomial => dot::polynomial_gradient_x(pair, seed, out),
        Formula::ArcSine => dot::arc_sine_gradient_x(pair, seed, out),
    }
}

/// ν, α or γ; 1 for a profile without one.
pub(super) fn shape<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>) -> R {
    if leaf.node.op().has_shape() { p.at(leaf.second(0)) } else { R::ONE }
}
