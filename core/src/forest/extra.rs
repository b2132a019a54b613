//! Extremely randomised trees: in each feature one random cut, and the best of these.
//!
//! # References
//! Geurts, Ernst and Wehenkel, *Extremely randomized trees*, Machine Learning 63, 2006.

use rand_core::Rng;

use super::node::{self, BINS, SALTS, Split};
use super::split::{Best, Group, Scene};
use crate::real::Real;
use crate::rng::{self, Generator};

/// Draws a cut of a feature; says whether its values differ at all. Cost: O(rows).
pub(super) fn look<R: Real>(
    scene: &Scene<'_, R>,
    feature: usize,
    column: &[R],
    rows: &[u32],
    generator: &mut Generator,
    best: &mut Best<R>,
) -> bool {
    if scene.levels[feature] > 0 {
        categories(scene, feature, column, rows, generator, best)
    } else {
        numbers(scene, feature, column, rows, generator, best)
    }
}

/// A threshold between the least and the largest value; missing ones go to a random side.
fn numbers<R: Real>(
    scene: &Scene<'_, R>,
    feature: usize,
    column: &[R],
    rows: &[u32],
    generator: &mut Generator,
    best: &mut Best<R>,
) -> bool {
    let (mut low, mut high, mut missing) = (R::INFINITY, -R::INFINITY, 0);
    for &row in rows {
        let value = column[row as usize];
        // A comparison with NaN is false.
        low = if value < low { value } else { low };
        high = if value > high { value } else { high };
        missing += usize::from(value.is_nan());
    }
    if missing == rows.len() || (low >= high && missing == 0) {
        return false;
    }
    let (threshold, mut missing_left) = if low < high {
        let share: R = rng::uniform(generator);
        let drawn = low * (R::ONE - share) + high * share;
        let threshold = if low <= drawn && drawn < high { drawn } else { low };
        (threshold, missing > 0 && generator.next_u64() >> 63 == 1)
    } else {
        (R::INFINITY, false)
    };
    let mut left = Group::empty(0);
    for &row in rows {
        let value = column[row as usize];
        let goes = value <= threshold || (missing_left && value.is_nan());
        let [target, weight] = scene.targets[row as usize];
        let weight = if goes { weight } else { R::ZERO };
        left.sum += weight * (target - scene.mean);
        left.weight += weight;
        left.rows += usize::from(goes);
    }
    let enough = left.rows >= scene.leaf && rows.len() - left.rows >= scene.leaf;
    if enough && best.beats(left.sum, left.weight, scene.weight - left.weight) {
        if missing == 0 {
            missing_left = 2 * left.rows > rows.len();
        }
        best.split = Some(scene.numeric(feature, threshold, missing_left));
    }
    true
}

/// A random subset of the categories that are there, neither none nor all; missing is one of them.
fn categories<R: Real>(
    scene: &Scene<'_, R>,
    feature: usize,
    column: &[R],
    rows: &[u32],
    generator: &mut Generator,
    best: &mut Best<R>,
) -> bool {
    let levels = scene.levels[feature];
    let mut salt = if levels > BINS as u64 { scene.salt % SALTS } else { 0 };
    // The bit of a category, or one above all of them for a missing value.
    let bit = |row: u32, salt: u32| {
        let value = column[row as usize];
        if value.is_nan() { 1 << BINS } else { 1u128 << node::bin(node::code(value, levels), levels, salt) }
    };
    let (mut seen, mut mask) = (0u128, 0u128);
    for _ in 0..SALTS {
        (seen, mask) = (0, 0);
        let mut last = 0;
        for &row in rows {
            let own = bit(row, salt);
            if seen & own == 0 {
                // The coins fall in the order in which the data name the categories, which no relabelling changes.
                seen |= own;
                last = own;
                mask |= if generator.next_u64() >> 63 == 1 { own } else { 0 };
            }
        }
        if mask == 0 || mask == seen {
            mask ^= last;
        }
        if seen & seen.wrapping_sub(1) != 0 || levels <= BINS as u64 {
            break;
        }
        salt = (salt + 1) % SALTS;
    }
    if seen & seen.wrapping_sub(1) == 0 {
        return false;
    }
    let mut left = Group::empty(0);
    for &row in rows {
        if mask & bit(row, salt) != 0 {
            left.add(scene.targets[row as usize], scene.mean, row);
        }
    }
    let enough = left.rows >= scene.leaf && rows.len() - left.rows >= scene.leaf;
    if enough && best.beats(left.sum, left.weight, scene.weight - left.weight) {
        // What the node has not seen goes where most rows go.
        if 2 * left.rows > rows.len() {
            mask |= !seen;
        }
        let missing_left = mask >> BINS & 1 == 1;
        best.split = Some(Split { value: mask as u64, category: true, feature, salt, missing_left });
    }
    true
}
