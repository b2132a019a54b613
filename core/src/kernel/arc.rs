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
use super::leaf::Pair;
use super::op::Op;
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
fn part<R: Real>(pair: &Pair<'_, R>, i: usize, k: usize) -> (R, R) {
    let radius = pair.second(i);
    let square = radius * radius;
    match (pair.a[k] < R::ZERO, pair.b[k] < R::ZERO) {
        (true, true) => (R::ZERO, R::ZERO),
        (false, false) => {
            let rate = R::PI * pair.first(i);
            let half = R::HALF * rate * pair.difference(k);
            let (sine, cosine) = (half.sin(), half.cos());
            let chord = R::TWO * radius * sine;
            (chord * chord, R::TWO * square * rate * sine * cosine)
        }
        (true, false) | (false, true) => (square, R::ZERO),
    }
}

/// ρ²
pub(super) fn squared<R: Real>(pair: &Pair<'_, R>) -> R {
    pair.sum(|i, k| part(pair, i, k).0)
}

/// Adds `slope` · ∂k/∂θ.
pub(super) fn gradient<R: Real>(pair: &Pair<'_, R>, slope: R, out: &mut [R]) {
    for (i, k) in pair.dims() {
        let (square, turn) = part(pair, i, k);
        out[pair.leaf.slot(i)] -= slope * turn * pair.difference(k);
        out[pair.leaf.second(i)] -= slope * square;
    }
}

/// Adds `slope` · ∂k/∂a.
pub(super) fn gradient_x<R: Real>(pair: &Pair<'_, R>, slope: R, out: &mut [R]) {
    for (i, k) in pair.dims() {
        out[k] -= slope * part(pair, i, k).1;
    }
}
