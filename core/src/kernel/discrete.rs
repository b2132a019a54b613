//! Categorical kernels (Hamming, exchangeable): they only ask whether coordinates are equal.
//!
//! ```text
//! Hamming        k = exp(−Σ wₖ [aₖ ≠ bₖ])          ∂k/∂ln wₖ = −k wₖ [aₖ ≠ bₖ]
//! exchangeable   k = Π (aₖ = bₖ ? 1 : cₖ)          ∂k/∂ln cₖ =  k [aₖ ≠ bₖ]
//! ```
//! Each factor has the matrix (1−c) I + c 11ᵀ over the categories, positive definite for any number of them
//! when 0 ≤ c < 1 (c = e⁻ʷ for Hamming). Neither has a derivative in x.
//!
//! # References
//! Hutter, Hoos and Leyton-Brown, LION 5 (2011), weighted Hamming distance; Qian, Wu and Wu, Technometrics 50
//! (2008), exchangeable correlation.

use super::leaf::{Pair, Parameters};
use super::node::Leaf;
use super::op::Discrete;
use super::vector::at_most;
use crate::real::Real;

/// −ln of the factor for unequal coordinates at the leaf's number `i`.
#[cfg_attr(any(feature = "faer", feature = "models"), inline(always))]
pub(super) fn penalty<R: Real>(kind: Discrete, leaf: Leaf<'_>, p: Parameters<'_, R>, i: usize) -> R {
    let natural = p.at(leaf.slot(i));
    match kind {
        Discrete::Hamming => natural,
        Discrete::Exchangeable => -at_most(natural, R::ONE).ln(),
    }
}

/// k(a, b)
pub(super) fn value<R: Real>(kind: Discrete, pair: &Pair<'_, R>) -> R {
    let mut sum = R::ZERO;
    for (i, _) in pair.dims().filter(|&(_, k)| pair.a[k] != pair.b[k]) {
        sum += penalty(kind, pair.leaf, pair.parameters, i);
    }
    (-sum).exp()
}

/// What a mismatch at the leaf's number `i` adds to ∂ln k/∂θ.
#[inline]
pub(super) fn pull<R: Real>(kind: Discrete, leaf: Leaf<'_>, p: Parameters<'_, R>, i: usize) -> R {
    match kind {
        Discrete::Hamming => -p.at(leaf.slot(i)),
        Discrete::Exchangeable => R::ONE,
    }
}

/// Adds `seed` · ∂k/∂θ.
pub(super) fn gradient<R: Real>(kind: Discrete, pair: &Pair<'_, R>, seed: R, out: &mut [R]) {
    let seed = seed * value(kind, pair);
    for (i, _) in pair.dims().filter(|&(_, k)| pair.a[k] != pair.b[k]) {
        out[pair.leaf.slot(i)] += seed * pull(kind, pair.leaf, pair.parameters, i);
    }
}
