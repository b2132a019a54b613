//! Extremely randomised trees: in each feature one random cut, and the best of these.
//!
//! # References
//! Geurts, Ernst and Wehenkel, *Extremely randomized trees*, Machine Learning 63, 2006.

use rand_core::Rng;

use super::node::{self, BINS, SALTS, Split};
use super::split::{Best, Group, Scene};
use crate::real::Real;
use crate::rng::{self, Generator};

/// What a node knows of each feature: a few scalars per feature.
pub(super) struct Ranges<'r, R> {
    low: &'r mut [R],
    high: &'r mut [R],
    missing: &'r mut [R],
    /// Threshold of the cut that is drawn; −∞ if none is.
    cut: &'r mut [R],
    /// 1 if missing values go left.
    lost: &'r mut [R],
    sum: &'r mut [R],
    rows: &'r mut [R],
}

/// Scalars of a [`Ranges`].
pub(super) const RANGES: usize = 7;
/// Features that are looked at together.
const WIDE: usize = 4;

impl<'r, R: Real> Ranges<'r, R> {
    /// Cuts [`RANGES`] scalars per feature.
    pub(super) fn carve(dims: usize, scratch: &'r mut [R]) -> Option<Self> {
        let mut pieces = scratch.chunks_exact_mut(dims);
        Some(Self {
            low: pieces.next()?,
            high: pieces.next()?,
            missing: pieces.next()?,
            cut: pieces.next()?,
            lost: pieces.next()?,
            sum: pieces.next()?,
            rows: pieces.next()?,
        })
    }

    /// Draws a cut in each of some features and keeps the best. Several features of a row are looked at together:
    /// they stand side by side. Every row has weight 1. Cost: O(d rows).
    pub(super) fn choose(
        &mut self,
        scene: &Scene<'_, R>,
        rows: &[u32],
        wanted: usize,
        features: &mut [u32],
        generator: &mut Generator,
    ) -> Option<Split> {
        self.measure(scene, rows);
        let (dims, mut best) = (scene.dims, Best::none());
        self.cut.fill(-R::INFINITY);
        self.lost.fill(R::ZERO);
        let (mut seen, mut from) = (0, 0);
        for j in 0..dims {
            let other = j + rng::below(generator, (dims - j) as u64) as usize;
            features.swap(j, other);
            let feature = features[j] as usize;
            let varies = if scene.levels[feature] > 0 {
                categories(scene, feature, rows, generator, &mut best)
            } else {
                self.draw(feature, rows.len(), generator)
            };
            seen += usize::from(varies);
            // A feature that is constant here does not count, and at least one split is looked for.
            if seen >= wanted || j + 1 == dims {
                self.add(scene, rows);
                for &feature in &features[from..=j] {
                    self.judge(scene, feature as usize, rows.len(), &mut best);
                }
                (seen, from) = (wanted.saturating_sub(1), j + 1);
                if best.split.is_some() {
                    break;
                }
                self.cut.fill(-R::INFINITY);
                self.lost.fill(R::ZERO);
            }
        }
        best.split
    }

    /// The least and the largest number of each feature, and how often it is missing.
    fn measure(&mut self, scene: &Scene<'_, R>, rows: &[u32]) {
        let wide = scene.dims - scene.dims % WIDE;
        for j in (0..wide).step_by(WIDE) {
            self.measure_some::<WIDE>(scene, rows, j);
        }
        for j in wide..scene.dims {
            self.measure_some::<1>(scene, rows, j);
        }
    }

    /// As [`Ranges::measure`], of `N` features from `j` on, whose sums stay in registers.
    fn measure_some<const N: usize>(&mut self, scene: &Scene<'_, R>, rows: &[u32], j: usize) {
        let (mut low, mut high, mut missing) = ([R::INFINITY; N], [-R::INFINITY; N], [R::ZERO; N]);
        for &row in rows {
            let point = &scene.x[row as usize * scene.dims + j..][..N];
            for k in 0..N {
                let value = point[k];
                // A comparison with NaN is false.
                low[k] = if value < low[k] { value } else { low[k] };
                high[k] = if value > high[k] { value } else { high[k] };
                missing[k] += if value.is_nan() { R::ONE } else { R::ZERO };
            }
        }
        self.low[j..j + N].copy_from_slice(&low);
        self.high[j..j + N].copy_from_slice(&high);
        self.missing[j..j + N].copy_from_slice(&missing);
    }

    /// A threshold between the least and the largest number, and a side for missing values; false if all are equal.
    fn draw(&mut self, j: usize, rows: usize, generator: &mut Generator) -> bool {
        let (low, high, missing) = (self.low[j], self.high[j], self.missing[j]);
        if low < high {
            let share: R = rng::uniform(generator);
            let drawn = low * (R::ONE - share) + high * share;
            self.cut[j] = if low <= drawn && drawn < high { drawn } else { low };
            if missing > R::ZERO && generator.next_u64() >> 63 == 1 {
                self.lost[j] = R::ONE;
            }
            true
        } else {
            // One number and gaps: a cut between them.
            self.cut[j] = R::INFINITY;
            missing > R::ZERO && missing < R::of_usize(rows)
        }
    }

    /// Sums of what goes left, in every feature.
    fn add(&mut self, scene: &Scene<'_, R>, rows: &[u32]) {
        let wide = scene.dims - scene.dims % WIDE;
        for j in (0..wide).step_by(WIDE) {
            self.add_some::<WIDE>(scene, rows, j);
        }
        for j in wide..scene.dims {
            self.add_some::<1>(scene, rows, j);
        }
        for j in 0..scene.dims {
            if self.lost[j] > R::ZERO {
                for &row in rows {
                    if scene.x[row as usize * scene.dims + j].is_nan() {
                        self.sum[j] += scene.targets[row as usize][0] - scene.mean;
                        self.rows[j] += R::ONE;
                    }
                }
            }
        }
    }

    /// As [`Ranges::add`], of `N` features from `j` on, without those that are missing.
    fn add_some<const N: usize>(&mut self, scene: &Scene<'_, R>, rows: &[u32], j: usize) {
        let (mut sum, mut count, mut cut) = ([R::ZERO; N], [R::ZERO; N], [R::ZERO; N]);
        cut.copy_from_slice(&self.cut[j..j + N]);
        for &row in rows {
            let point = &scene.x[row as usize * scene.dims + j..][..N];
            let gap = scene.targets[row as usize][0] - scene.mean;
            for k in 0..N {
                let goes = point[k] <= cut[k];
                sum[k] += if goes { gap } else { R::ZERO };
                count[k] += if goes { R::ONE } else { R::ZERO };
            }
        }
        self.sum[j..j + N].copy_from_slice(&sum);
        self.rows[j..j + N].copy_from_slice(&count);
    }

    fn judge(&self, scene: &Scene<'_, R>, j: usize, rows: usize, best: &mut Best<R>) {
        let (left, all, leaf) = (self.rows[j], R::of_usize(rows), R::of_usize(scene.leaf));
        let enough = left >= leaf && all - left >= leaf && scene.levels[j] == 0;
        // Every row has weight 1.
        if enough && best.beats(self.sum[j], left, all - left) {
            let whole = self.missing[j] == R::ZERO;
            let missing_left = if whole { left > all - left } else { self.lost[j] > R::ZERO };
            best.split = Some(scene.numeric(j, self.cut[j], missing_left));
        }
    }
}

/// A random subset of the categories that are there, neither none nor all; missing is one of them.
fn categories<R: Real>(
    scene: &Scene<'_, R>,
    feature: usize,
    rows: &[u32],
    generator: &mut Generator,
    best: &mut Best<R>,
) -> bool {
    let levels = scene.levels[feature];
    let mut salt = if levels > BINS as u64 { scene.salt % SALTS } else { 0 };
    // The bit of a category, or one above all of them for a missing value.
    let bit = |row: u32, salt: u32| {
        let value = scene.x[row as usize * scene.dims + feature];
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
