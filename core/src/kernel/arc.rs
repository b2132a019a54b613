//! The arc kernel: each coordinate on a circle of its own, the inactive ones in its centre.
//!
//! ```text
//! g(x) = r (sin πωx, cos πωx) if x is active (x ≥ 0), else (0, 0)
//! ρ²   = Σ |g(aₖ) − g(bₖ)|²,     |g(a) − g(b)|² = 4r² sin²(½πω(a − b))   both active
//!                                               = r²                      one of them
//!                                               = 0                       neither
//! k    = profile(ρ²)             one of exp(−ρ²/2) and the Matérn profiles of order ½, 3/2 and 5/2
//! ```
//! An embedding followed by a radial kernel, hence positive definite. ω says how much of the circle the values of an
//! active parameter span, r what it means to be active; another length of x is another ω, so there is none. With the
//! slope s = −2 dk/d(ρ²) of the profile, φ = πω and Δ = a − b of two active values:
//! ```text
//! ∂k/∂ln r = −s |g(a) − g(b)|²      ∂k/∂ln ω = −s r² φΔ sin φΔ      ∂k/∂a = −s r² φ sin φΔ
//! ```
//!
//! # References
//! Swersky, Duvenaud, Snoek, Hutter and Osborne, *Raiders of the lost architecture*, BayesOpt (2013); Hutter and Osborne,
//! *A kernel for hierarchical parameter spaces* (2013).

use super::build::{Dims, Kernel};
use super::leaf::Parameters;
use super::node::Leaf;
use super::op::Op;
use super::stationary::{self, Radial};
use crate::real::Real;

impl Kernel {
    /// The arc kernel of parameters that can be inactive (negative): a radial `profile` of points on circles, one of
    /// [`Op::SquaredExponential`], [`Op::Matern12`], [`Op::Matern32`] and [`Op::Matern52`]; another is remembered as
    /// [`crate::Error::Kernel`].
    ///
    /// ```text
    /// k = profile(Σ |gₖ(aₖ) − gₖ(bₖ)|²),   g(x) = x < 0 ? (0, 0) : r (sin πωx, cos πωx)
    /// ```
    /// A product of arc kernels of one dimension each is the other form in use.
    #[must_use]
    pub fn arc(dims: Dims<'_>, profile: Op) -> Self {
        let mut kernel = Self::leaf(Op::Arc, dims);
        kernel.node_degree(profile as u16);
        kernel
    }
}

/// The squared distance of one coordinate, and r² φ sin φΔ: half of its derivative by a.
#[inline]
fn part<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>, i: usize, a: R, b: R) -> (R, R) {
    let radius = p.at(leaf.second(i));
    let square = radius * radius;
    match (a < R::ZERO, b < R::ZERO) {
        (true, true) => (R::ZERO, R::ZERO),
        (false, false) => {
            let rate = R::PI * p.at(leaf.slot(i));
            let half = R::HALF * rate * (a - b);
            let (sine, cosine) = (half.sin(), half.cos());
            let chord = R::TWO * radius * sine;
            (chord * chord, R::TWO * square * rate * sine * cosine)
        }
        (true, false) | (false, true) => (square, R::ZERO),
    }
}

/// The profile at ρ².
fn radial<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>, a: &[R], b: &[R]) -> Radial<R> {
    let mut sum = R::ZERO;
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        sum += part(leaf, p, i, a[k], b[k]).0;
    }
    stationary::radial(leaf.embedded(), sum, R::ONE)
}

/// k(a, b)
pub(super) fn value<R: Real>(leaf: Leaf<'_>, p: Parameters<'_, R>, a: &[R], b: &[R]) -> R {
    radial(leaf, p, a, b).value
}

/// Adds `seed` · ∂k/∂θ.
pub(super) fn gradient<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    let seed = seed * radial(leaf, p, a, b).slope;
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        let (square, turn) = part(leaf, p, i, a[k], b[k]);
        out[leaf.slot(i)] -= seed * turn * (a[k] - b[k]);
        out[leaf.second(i)] -= seed * square;
    }
}

/// Adds `seed` · ∂k/∂a.
pub(super) fn gradient_x<R: Real>(
    leaf: Leaf<'_>,
    p: Parameters<'_, R>,
    a: &[R],
    b: &[R],
    seed: R,
    out: &mut [R],
) {
    let seed = seed * radial(leaf, p, a, b).slope;
    for i in 0..leaf.len() {
        let k = leaf.dim(i);
        out[k] -= seed * part(leaf, p, i, a[k], b[k]).1;
    }
}
