//! Gradient boosting: each tree is fitted to what the earlier ones of its ensemble leave.
//!
//! ```text
//! F₀ = argmin Σ L(yᵢ, c),   F_k(x) = F_{k−1}(x) + η · leaf(x)
//! squared    tree on y − F,                 leaf: mean of y − F
//! quantile   tree on q − [y < F] ∈ {q, q−1}, leaf: q-quantile of y − F
//! ```
//! Three ensembles of equal size, one after the other: the mean, a low and a high quantile.
//!
//! # References
//! Friedman, *Greedy function approximation: a gradient boosting machine*, Annals of Statistics 29, 2001.

use core::cmp::Ordering;

use rand_core::Rng;

use super::grow::{self, Ground, Rules};
use crate::real::Real;
use crate::rng;

/// What an ensemble minimises.
#[derive(Clone, Copy, Debug)]
pub(super) enum Loss {
    Squared,
    Quantile(f64),
}

/// Grows one ensemble of `trees` trees and returns the constant that it starts from.
pub(super) fn fit<R: Real, G: Rng + ?Sized>(
    ground: &mut Ground<'_, R>,
    y: &[R],
    loss: Loss,
    rate: f64,
    share: f64,
    rules: &Rules,
    trees: usize,
    nodes: &mut super::Pool<'_>,
    generator: &mut G,
) -> R {
    let n = y.len();
    let rate = R::of(rate);
    let start = value(loss, n, |i| y[i], ground.spare);
    ground.fitted.fill(start);
    for _ in 0..trees {
        let mut own = grow::branch(generator);
        choose(ground.targets, share, &mut own);
        let fitted = &*ground.fitted;
        match loss {
            Loss::Squared => grow::scale(|i| y[i] - fitted[i], ground.targets),
            Loss::Quantile(q) => {
                let (above, below) = (R::of(q), R::of(q - 1.0));
                for (i, target) in ground.targets.iter_mut().enumerate() {
                    target[0] = if y[i] < fitted[i] { below } else { above };
                }
            }
        }
        let tree = nodes.next(|free| {
            ground.grow(free, rules, &mut own, &mut |leaf| {
                let left = |&row: &u32| y[row as usize] - leaf.fitted[row as usize];
                let at = |i: usize| leaf.rows.get(i).map_or(R::ZERO, left);
                (value(loss, leaf.rows.len(), at, leaf.spare), R::ZERO)
            })
        });
        ground.advance(tree, rate);
    }
    start
}

/// Gives weight 1 to a share of the rows, at least to one, and 0 to the others.
fn choose<R: Real, G: Rng + ?Sized>(targets: &mut [[R; 2]], share: f64, generator: &mut G) {
    let n = targets.len();
    let mut wanted = ((share * n as f64) as usize).clamp(1, n.max(1));
    for (i, target) in targets.iter_mut().enumerate() {
        // Selection sampling: each subset of that size is equally likely.
        let taken = wanted == n - i || (rng::below(generator, (n - i) as u64) as usize) < wanted;
        target[1] = if taken { R::ONE } else { R::ZERO };
        wanted -= usize::from(taken);
    }
}

/// The constant that minimises the loss of `count` values; the spare holds as many words.
fn value<R: Real>(loss: Loss, count: usize, at: impl Fn(usize) -> R, spare: &mut [u64]) -> R {
    let found = match loss {
        Loss::Squared => {
            let origin = at(0);
            let sum = (0..count).fold(R::ZERO, |sum, i| sum + (at(i) - origin));
            origin + sum / R::of_usize(count.max(1))
        }
        Loss::Quantile(q) => {
            let all: &mut [R] = bytemuck::cast_slice_mut(spare);
            let Some(sorted) = all.get_mut(..count).filter(|s| !s.is_empty()) else { return R::ZERO };
            for (i, value) in sorted.iter_mut().enumerate() {
                *value = at(i);
            }
            quantile(sorted, q)
        }
    };
    // Values near the end of the range may overflow on the way; a leaf stays finite.
    if found.is_finite() { found } else { R::ZERO }
}

/// The quantile of some values, at rank ⌈q n⌉, where the loss is least; they are reordered.
fn quantile<R: Real>(values: &mut [R], q: f64) -> R {
    let count = values.len();
    let rank = (-Real::floor(-(q * count as f64)) as usize).clamp(1, count) - 1;
    *values.select_nth_unstable_by(rank, |a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal)).1
}
