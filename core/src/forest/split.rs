//! The best cut of a node in one feature.
//!
//! ```text
//! gain = S² / (w_L w_R),   S = Σ_{i ∈ L} w_i (y_i − ȳ)
//! ```
//! This is the decrease of the squared error up to a factor that all cuts of a node share. Deviations from the mean of
//! the node keep it exact where the values are close together.

use super::node::{self, BINS, SALTS, Split};
use crate::real::Real;

/// The code of a missing value in an entry: behind all others.
pub(super) const NONE: u32 = u32::MAX;

/// An entry of a sorted list: the rank of the value or the code of the category, above the row.
pub(super) fn entry(rank: u32, row: u32) -> u64 {
    u64::from(rank) << 32 | u64::from(row)
}

/// What a node is about to be cut by.
pub(super) struct Scene<'a, R> {
    /// Target and weight of each row.
    pub(super) targets: &'a [[R; 2]],
    /// Rows × dims.
    pub(super) x: &'a [R],
    pub(super) dims: usize,
    pub(super) levels: &'a [u64],
    /// Mean target of the node.
    pub(super) mean: R,
    /// Weight of the node.
    pub(super) weight: R,
    /// Rows that each side needs.
    pub(super) leaf: usize,
    /// Differs from node to node, so that many categories do not always share their bins.
    pub(super) salt: u32,
}

/// The best cut so far, its gain kept as a fraction to save divisions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best<R> {
    over: R,
    under: R,
    pub(super) split: Option<Split>,
}

impl<R: Real> Best<R> {
    pub(super) fn none() -> Self {
        Self { over: -R::ONE, under: R::ONE, split: None }
    }

    /// Whether a cut with the sum and weight on its left is better; keeps its gain if so.
    #[inline]
    pub(super) fn beats(&mut self, sum: R, left: R, right: R) -> bool {
        let (over, under) = (sum * sum, left * right);
        let better = over * self.under > self.over * under;
        if better {
            (self.over, self.under) = (over, under);
        }
        better
    }
}

/// Sums of a group of rows.
#[derive(Clone, Copy)]
pub(super) struct Group<R> {
    /// Σ w (y − ȳ)
    pub(super) sum: R,
    pub(super) weight: R,
    pub(super) rows: usize,
    /// The first of its rows in the order of the data, which no relabelling changes.
    pub(super) first: u32,
    pub(super) bin: u8,
}

impl<R: Real> Group<R> {
    pub(super) fn empty(bin: u8) -> Self {
        Self { sum: R::ZERO, weight: R::ZERO, rows: 0, first: NONE, bin }
    }

    #[inline]
    pub(super) fn add(&mut self, target: [R; 2], mean: R, row: u32) {
        self.sum += target[1] * (target[0] - mean);
        self.weight += target[1];
        self.rows += 1;
        self.first = self.first.min(row);
    }
}

impl<R: Real> Scene<'_, R> {
    /// Looks for a better cut in a feature, whose entries are sorted; says whether they differ at all.
    ///
    /// Cost: O(entries).
    pub(super) fn look(&self, feature: usize, list: &[u64], best: &mut Best<R>) -> bool {
        let (Some(&first), Some(&last)) = (list.first(), list.last()) else { return false };
        if first >> 32 == last >> 32 {
            return false;
        }
        if self.levels[feature] > 0 {
            self.categories(feature, list, best);
        } else if (last >> 32) as u32 == NONE {
            self.gaps(feature, list, best);
        } else {
            self.numbers(feature, list, best);
        }
        true
    }

    /// A feature that is a number in every row.
    fn numbers(&self, feature: usize, list: &[u64], best: &mut Best<R>) {
        let (mut sum, mut weight, mut cut) = (R::ZERO, R::ZERO, 0);
        let last = list.len().saturating_sub(self.leaf);
        for (k, pair) in list.windows(2).take(last).enumerate() {
            let target = self.targets[pair[0] as u32 as usize];
            sum += target[1] * (target[0] - self.mean);
            weight += target[1];
            let differ = (pair[0] ^ pair[1]) >> 32 != 0;
            if differ && k + 1 >= self.leaf && best.beats(sum, weight, self.weight - weight) {
                cut = k + 1;
            }
        }
        if cut > 0 {
            let value = self.threshold(feature, list[cut - 1], list[cut]);
            best.split = Some(self.numeric(feature, value, 2 * cut > list.len()));
        }
    }

    /// A feature that is a number in some rows and missing in others, which stand last.
    fn gaps(&self, feature: usize, list: &[u64], best: &mut Best<R>) {
        let present = list.partition_point(|&entry| (entry >> 32) as u32 != NONE);
        let (list, missing) = list.split_at(present);
        let lost = self.group(missing);
        let mut sum = R::ZERO;
        let mut weight = R::ZERO;
        let mut found = None;
        for (k, &entry) in list.iter().enumerate() {
            let target = self.targets[entry as u32 as usize];
            sum += target[1] * (target[0] - self.mean);
            weight += target[1];
            let next = list.get(k + 1);
            if next.is_some_and(|next| (entry ^ next) >> 32 == 0) {
                continue;
            }
            let (left, right) = (k + 1, present - k - 1);
            if left >= self.leaf
                && right + lost.rows >= self.leaf
                && best.beats(sum, weight, self.weight - weight)
            {
                found = Some((entry, next, false));
            }
            let with = weight + lost.weight;
            if right >= self.leaf.max(1)
                && left + lost.rows >= self.leaf
                && best.beats(sum + lost.sum, with, self.weight - with)
            {
                found = Some((entry, next, true));
            }
        }
        if let Some((entry, next, missing_left)) = found {
            let value = next.map_or(R::INFINITY, |&next| self.threshold(feature, entry, next));
            best.split = Some(self.numeric(feature, value, missing_left));
        }
    }

    /// Categories: in the order of their mean target the best subset is a prefix.
    ///
    /// # References
    /// Fisher, *On grouping for maximum homogeneity*, JASA 53, 1958.
    fn categories(&self, feature: usize, list: &[u64], best: &mut Best<R>) {
        let present = list.partition_point(|&entry| (entry >> 32) as u32 != NONE);
        let (list, missing) = list.split_at(present);
        let lost = self.group(missing);
        let levels = self.levels[feature];
        let mut groups: [Group<R>; BINS] = core::array::from_fn(|bin| Group::empty(bin as u8));
        let differ = list.first().map(|e| e >> 32) != list.last().map(|e| e >> 32);
        let mut salt = if levels > BINS as u64 { self.salt % SALTS } else { 0 };
        let mut count = 0;
        for _ in 0..SALTS {
            for &entry in list {
                let row = entry as u32;
                let bin = node::bin((entry >> 32) as u32, levels, salt);
                groups[bin as usize].add(self.targets[row as usize], self.mean, row);
            }
            count = groups.iter().filter(|group| group.rows > 0).count();
            if count > 1 || !differ {
                break;
            }
            // All that is left fell into one bin, which only more than 64 levels can do.
            groups = core::array::from_fn(|bin| Group::empty(bin as u8));
            salt = (salt + 1) % SALTS;
        }
        let present_bins = groups.iter().filter(|g| g.rows > 0).fold(0u64, |mask, g| mask | 1 << g.bin);
        // Empty groups go to the end; equal means are told apart by what no relabelling changes.
        groups.sort_unstable_by(|a, b| {
            let key = |g: &Group<R>| if g.rows > 0 { g.sum / g.weight } else { R::INFINITY };
            key(a).partial_cmp(&key(b)).unwrap_or(core::cmp::Ordering::Equal).then(a.first.cmp(&b.first))
        });
        let total = list.len() + lost.rows;
        let (mut sum, mut weight, mut rows, mut mask) = (R::ZERO, R::ZERO, 0, 0u64);
        let mut found = None;
        for group in groups.iter().take(count) {
            sum += group.sum;
            weight += group.weight;
            rows += group.rows;
            mask |= 1 << group.bin;
            let rest = list.len() - rows;
            if (rest > 0 || lost.rows > 0)
                && rows >= self.leaf
                && total - rows >= self.leaf
                && best.beats(sum, weight, self.weight - weight)
            {
                found = Some((mask, rows, lost.rows == 0 && 2 * rows > total));
            }
            let with = weight + lost.weight;
            if lost.rows > 0
                && rest >= self.leaf.max(1)
                && rows + lost.rows >= self.leaf
                && best.beats(sum + lost.sum, with, self.weight - with)
            {
                found = Some((mask, rows + lost.rows, true));
            }
        }
        if let Some((mask, rows, missing_left)) = found {
            // What the node has not seen goes where most rows go.
            let value = if 2 * rows > total { mask | !present_bins } else { mask };
            best.split = Some(Split { value, category: true, feature, salt, missing_left });
        }
    }

    fn group(&self, list: &[u64]) -> Group<R> {
        let mut group = Group::empty(0);
        for &entry in list {
            let row = entry as u32;
            group.add(self.targets[row as usize], self.mean, row);
        }
        group
    }

    /// A number that the first of two entries is not above, and the second is.
    fn threshold(&self, feature: usize, entry: u64, next: u64) -> R {
        let at = |entry: u64| self.x[entry as u32 as usize * self.dims + feature];
        let (a, b) = (at(entry), at(next));
        let middle = a * R::HALF + b * R::HALF;
        if a <= middle && middle < b { middle } else { a }
    }

    pub(super) fn numeric(&self, feature: usize, threshold: R, missing_left: bool) -> Split {
        let value = threshold.to_f64().to_bits();
        Split { value, category: false, feature, salt: 0, missing_left }
    }
}
