//! Random forests and extremely randomised trees: averaged trees, with or without a bootstrap.
//!
//! # References
//! Breiman, *Random Forests*, Machine Learning 45, 2001.

use rand_core::Rng;

use super::grow::{self, Cut, Ground, Rules};
use crate::real::Real;
use crate::rng;

/// Grows all trees into the pool.
pub(super) fn fit<R: Real, G: Rng + ?Sized>(
    ground: &mut Ground<'_, R>,
    y: &[R],
    bootstrap: bool,
    rules: &Rules,
    trees: usize,
    nodes: &mut super::Pool<'_>,
    generator: &mut G,
) {
    let n = y.len();
    grow::scale(|i| y[i], ground.targets);
    if rules.cut == Cut::Best {
        ground.sort();
    }
    for _ in 0..trees {
        let mut own = grow::branch(generator);
        let weight = if bootstrap { R::ZERO } else { R::ONE };
        for target in ground.targets.iter_mut() {
            target[1] = weight;
        }
        if bootstrap {
            for _ in 0..n {
                ground.targets[rng::below(&mut own, n as u64) as usize][1] += R::ONE;
            }
        }
        nodes.next(|free| ground.grow(free, rules, &mut own, &mut |at| leaf(y, at.rows, at.targets)));
    }
}

/// Weighted mean and variance of the values of some rows.
///
/// Taken about the first of them, so that equal values have exactly their mean and no variance.
fn leaf<R: Real>(y: &[R], rows: &[u32], targets: &[[R; 2]]) -> (R, R) {
    let Some(&first) = rows.first() else { return (R::ZERO, R::ZERO) };
    let origin = y[first as usize];
    let (mut sum, mut weight, mut low, mut high) = (R::ZERO, R::ZERO, origin, origin);
    for &row in rows {
        let (value, w) = (y[row as usize], targets[row as usize][1]);
        sum += w * (value - origin);
        weight += w;
        low = low.min(value);
        high = high.max(value);
    }
    // Values near the end of the range may overflow on the way; the result is still one of a leaf.
    let shift = sum / weight;
    let mean = if shift.is_finite() { (origin + shift).clamp(low, high) } else { origin };
    let mut squares = R::ZERO;
    for &row in rows {
        let gap = y[row as usize] - mean;
        squares += targets[row as usize][1] * gap * gap;
    }
    (mean, (squares / weight).min(R::MAX))
}
