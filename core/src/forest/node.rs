//! One node of a tree in two words.
//!
//! ```text
//! leaf       mean,       variance (its two lowest bits are 0)
//! numeric    threshold,  1 | missing << 2 |             feature << 8 | left << 32
//! category   mask,       2 | missing << 2 | salt << 3 | feature << 8 | left << 32
//! pending    start | end << 32,  3 | depth << 32        while a tree grows
//! ```
//! The right child stands behind the left one, and children stand behind their parent: a walk ends.

use crate::real::Real;

const LEAF: u64 = 0;
const NUMERIC: u64 = 1;
const CATEGORY: u64 = 2;
const PENDING: u64 = 3;
const TAG: u64 = 3;
const MISSING: u64 = 1 << 2;
const SALT: u32 = 3;
const FEATURE: u32 = 8;
const LEFT: u32 = 32;

/// Categories that a mask tells apart; more of them are thrown into so many bins.
pub(super) const BINS: usize = 64;
/// Ways to throw categories into bins.
pub(super) const SALTS: u32 = 32;
/// Features that a node can name.
pub(super) const MOST_FEATURES: usize = 1 << 24;

/// Where a point goes at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    /// The threshold as bits of an `f64`, or the mask of the bins that go left.
    pub(super) value: u64,
    /// Whether it is a mask.
    pub(super) category: bool,
    pub(super) feature: usize,
    /// How many categories are thrown into few bins.
    pub(super) salt: u32,
    /// Whether a point without this feature goes left.
    pub(super) missing_left: bool,
}

/// Two words of the node array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node(pub(super) [u64; 2]);

impl Node {
    /// A leaf; the variance is rounded down to a relative 2⁻⁵⁰.
    pub(super) fn leaf<R: Real>(mean: R, variance: R) -> Self {
        Self([mean.to_f64().to_bits(), variance.to_f64().to_bits() & !TAG])
    }

    pub(super) fn pending(start: usize, end: usize, depth: u32) -> Self {
        Self([start as u64 | (end as u64) << 32, PENDING | u64::from(depth) << 32])
    }

    pub(super) fn inner(split: &Split, left: usize) -> Self {
        let tag = if split.category { CATEGORY } else { NUMERIC };
        let missing = if split.missing_left { MISSING } else { 0 };
        let salt = u64::from(split.salt % SALTS) << SALT;
        let place = (split.feature as u64) << FEATURE | (left as u64) << LEFT;
        Self([split.value, tag | missing | salt | place])
    }

    /// Start, end and depth of a pending node.
    pub(super) fn range(self) -> (usize, usize, u32) {
        ((self.0[0] as u32) as usize, (self.0[0] >> 32) as usize, (self.0[1] >> 32) as u32)
    }

    #[inline]
    pub(super) fn is_leaf(self) -> bool {
        self.0[1] & TAG == LEAF
    }

    /// Mean of a leaf.
    #[inline]
    pub(super) fn mean<R: Real>(self) -> R {
        R::of(f64::from_bits(self.0[0]))
    }

    /// Variance of a leaf.
    #[inline]
    pub(super) fn variance<R: Real>(self) -> R {
        R::of(f64::from_bits(self.0[1]))
    }

    #[inline]
    pub(super) fn left(self) -> usize {
        (self.0[1] >> LEFT) as usize
    }

    #[inline]
    pub(super) fn feature(self) -> usize {
        ((self.0[1] as u32) >> FEATURE) as usize
    }

    /// Whether a value of the node's feature goes left; `levels` as of that feature.
    #[inline]
    pub(super) fn takes_left<R: Real>(self, value: R, levels: &[u64]) -> bool {
        if value.is_nan() {
            return self.0[1] & MISSING != 0;
        }
        if self.0[1] & TAG == NUMERIC {
            return value <= R::of(f64::from_bits(self.0[0]));
        }
        let levels = levels.get(self.feature()).copied().unwrap_or(0);
        let salt = (self.0[1] >> SALT) as u32 % SALTS;
        self.0[0] >> bin(code(value, levels), levels, salt) & 1 == 1
    }
}

/// The leaf where a point ends; 0 for a damaged tree.
///
/// Cost: O(depth), at most one step per node.
#[inline]
pub(super) fn descend<R: Real>(nodes: &[[u64; 2]], levels: &[u64], point: &[R]) -> usize {
    let mut at = 0;
    for _ in 0..nodes.len() {
        let Some(&words) = nodes.get(at) else { return 0 };
        let node = Node(words);
        if node.is_leaf() {
            return at;
        }
        let value = point.get(node.feature()).copied().unwrap_or(R::NAN);
        at = node.left() + usize::from(!node.takes_left(value, levels));
    }
    0
}

/// Points that go down a tree together.
pub(super) const LANES: usize = 8;

/// The leaves where [`LANES`] points end, which wait for memory together; `plain` says that no feature is a category.
///
/// Cost: O(depth), at most one step per node.
#[inline]
pub(super) fn descend_lanes<R: Real>(
    nodes: &[[u64; 2]],
    levels: &[u64],
    points: &[R],
    plain: bool,
) -> [usize; LANES] {
    let mut at = [0; LANES];
    let dims = points.len() / LANES;
    if !plain {
        for (at, point) in at.iter_mut().zip(points.chunks_exact(dims.max(1))) {
            *at = descend(nodes, levels, point);
        }
        return at;
    }
    for _ in 0..nodes.len() {
        let mut moved = 0;
        for (lane, at) in at.iter_mut().enumerate() {
            let node = Node(nodes.get(*at).copied().unwrap_or([0; 2]));
            // A leaf names any feature; its answer is not used.
            let value = points[lane * dims + node.feature().min(dims - 1)];
            let threshold = R::of(f64::from_bits(node.0[0]));
            let stays = (value <= threshold) | (value.is_nan() & (node.0[1] & MISSING != 0));
            let next = node.left() + usize::from(!stays);
            let next = if node.is_leaf() { *at } else { next };
            moved |= next ^ *at;
            *at = next;
        }
        if moved == 0 {
            break;
        }
    }
    at
}

/// The number of a category: its level, or 31 bits of its hash if there are more levels than [`BINS`].
#[inline]
pub(super) fn code<R: Real>(value: R, levels: u64) -> u32 {
    // `as` turns negative numbers into 0.
    let level = ((value.to_f64() * levels as f64) as u64).min(levels.saturating_sub(1));
    if levels <= BINS as u64 { level as u32 } else { (mix(level) >> 33) as u32 }
}

/// The bit of a category in a mask.
#[inline]
pub(super) fn bin(code: u32, levels: u64, salt: u32) -> u32 {
    let wide = levels > BINS as u64;
    (if wide { (mix(u64::from(code) | u64::from(salt) << 32) >> 58) as u32 } else { code }) % BINS as u32
}

/// The finaliser of SplitMix64.
fn mix(word: u64) -> u64 {
    let z = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
