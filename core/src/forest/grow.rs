//! Growing one decision tree, breadth first: the node array is its own queue, and a full one makes leaves of what is left.

use rand_core::Rng;

use super::extra::{RANGES, Ranges};
use super::node::{self, Node, Split};
use super::split::{Best, NONE, Scene, entry};
use crate::block::{Arena, scalar_words};
use crate::error::Error;
use crate::real::Real;
use crate::rng::{self, Generator};

/// How cuts are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The best of all cuts.
    Best,
    /// The best of one random cut per feature.
    Random,
}

/// When and how a node is split.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) cut: Cut,
    /// Features that are looked at in each node.
    pub(super) features: usize,
    /// Rows that each leaf needs.
    pub(super) leaf: usize,
    pub(super) depth: u32,
}

/// What the values of a leaf are made from.
pub(super) struct Leaf<'l, R> {
    pub(super) rows: &'l [u32],
    pub(super) targets: &'l [[R; 2]],
    pub(super) fitted: &'l [R],
    /// A word per row of the data.
    pub(super) spare: &'l mut [u64],
}

/// What a tree is grown from, and the memory for it.
pub(super) struct Ground<'w, R> {
    pub(super) x: &'w [R],
    pub(super) dims: usize,
    pub(super) levels: &'w [u64],
    /// Target and weight of each row.
    pub(super) targets: &'w mut [[R; 2]],
    /// Predictions so far, of a boosted ensemble.
    pub(super) fitted: &'w mut [R],
    /// Entries of all rows, sorted, per feature.
    order: &'w mut [u64],
    /// Entries of the rows of the tree, sorted within each node, per feature.
    lists: &'w mut [u64],
    /// Rows of the tree, node by node, in the order of the data.
    rows: &'w mut [u32],
    pub(super) spare: &'w mut [u64],
    /// Whether a row goes right, in the split that is being made.
    side: &'w mut [u8],
    features: &'w mut [u32],
    ranges: &'w mut [R],
}

/// Words that a [`Ground`] takes from an arena; saturates instead of overflowing.
pub(super) const fn words<R: Real>(rows: usize, dims: usize) -> usize {
    // Tables per feature and row; targets, predictions and spare per row; half a word for each row and feature, a
    // byte for each row.
    let tables = rows.saturating_mul(dims).saturating_mul(2);
    let scalars = scalars::<R>(rows.saturating_mul(2))
        .saturating_add(scalars::<R>(rows))
        .saturating_add(scalars::<R>(dims.saturating_mul(RANGES)));
    let halves = rows.div_ceil(2).saturating_add(dims.div_ceil(2)).saturating_add(rows.div_ceil(8));
    tables.saturating_add(scalars).saturating_add(halves).saturating_add(rows)
}

const fn scalars<R: Real>(count: usize) -> usize {
    if count > usize::MAX / 8 { usize::MAX } else { scalar_words::<R>(count) }
}

impl<'w, R: Real> Ground<'w, R> {
    /// Cuts the memory; the sizes have been checked.
    pub(super) fn carve(
        x: &'w [R],
        rows: usize,
        levels: &'w [u64],
        arena: &mut Arena<'w>,
    ) -> Result<Self, Error> {
        let dims = levels.len();
        let ground = Self {
            x,
            dims,
            levels,
            targets: bytemuck::cast_slice_mut(arena.scalars::<R>(2 * rows)?),
            fitted: arena.scalars(rows)?,
            order: arena.words(rows * dims)?,
            lists: arena.words(rows * dims)?,
            rows: &mut bytemuck::cast_slice_mut(arena.words(rows.div_ceil(2))?)[..rows],
            spare: arena.words(rows)?,
            side: &mut bytemuck::cast_slice_mut(arena.words(rows.div_ceil(8))?)[..rows],
            features: &mut bytemuck::cast_slice_mut(arena.words(dims.div_ceil(2))?)[..dims],
            ranges: arena.scalars(RANGES * dims)?,
        };
        for (i, feature) in ground.features.iter_mut().enumerate() {
            *feature = i as u32;
        }
        Ok(ground)
    }

    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    /// Sorts the entries of all rows, which the best cuts need. Cost: O(d n log n).
    pub(super) fn sort(&mut self) {
        let n = self.len();
        let keys: &mut [R] = &mut bytemuck::cast_slice_mut(self.spare)[..n];
        for (feature, order) in self.order.chunks_exact_mut(n).enumerate() {
            let levels = self.levels[feature];
            let mut present = 0;
            for row in 0..n {
                keys[row] = self.x[row * self.dims + feature];
                if !keys[row].is_nan() {
                    order[present] = if levels > 0 {
                        entry(node::code(keys[row], levels), row as u32)
                    } else {
                        row as u64
                    };
                    present += 1;
                }
            }
            let sorted = &mut order[..present];
            if levels > 0 {
                sorted.sort_unstable();
            } else {
                sorted.sort_unstable_by(|&a, &b| {
                    let (x, y) = (keys[a as usize], keys[b as usize]);
                    x.partial_cmp(&y).unwrap_or(core::cmp::Ordering::Equal).then(a.cmp(&b))
                });
                let (mut rank, mut last) = (0, R::NAN);
                for place in sorted.iter_mut() {
                    let value = keys[*place as usize];
                    rank += u32::from(value != last);
                    last = value;
                    *place = entry(rank, *place as u32);
                }
            }
            for row in 0..n {
                if keys[row].is_nan() {
                    order[present] = entry(NONE, row as u32);
                    present += 1;
                }
            }
        }
    }

    /// Seats the rows that have a weight; their number.
    fn seat(&mut self, cut: Cut) -> usize {
        let (n, targets) = (self.len(), &*self.targets);
        let mut used = 0;
        for row in 0..n {
            self.rows[used] = row as u32;
            used += usize::from(targets[row][1] > R::ZERO);
            if used == n {
                break;
            }
        }
        if cut == Cut::Best && used == n {
            self.lists.copy_from_slice(self.order);
        } else if cut == Cut::Best {
            for (order, list) in self.order.chunks_exact(n).zip(self.lists.chunks_exact_mut(n)) {
                let mut at = 0;
                for &entry in order {
                    list[at] = entry;
                    at = (at + usize::from(targets[entry as u32 as usize][1] > R::ZERO)).min(n - 1);
                }
            }
        }
        used
    }

    /// Grows a tree on the targets and returns how many nodes it has; `leaf` tells mean and variance of its rows.
    ///
    /// Cost: O(d n depth).
    pub(super) fn grow(
        &mut self,
        nodes: &mut [[u64; 2]],
        rules: &Rules,
        generator: &mut Generator,
        leaf: &mut dyn FnMut(Leaf<'_, R>) -> (R, R),
    ) -> usize {
        let used = self.seat(rules.cut);
        let Some(root) = nodes.first_mut() else { return 0 };
        *root = Node::pending(0, used, 0).0;
        let (mut at, mut count) = (0, 1);
        while at < count {
            let (start, end, depth) = Node(nodes[at]).range();
            let may = depth < rules.depth && count + 2 <= nodes.len() && end - start >= 2 * rules.leaf.max(1);
            let split = if may { self.choose(at, start, end, rules, generator) } else { None };
            let middle = split.map_or(start, |split| self.divide(&split, start, end, depth, rules));
            nodes[at] = match split {
                Some(split) if start < middle && middle < end => {
                    nodes[count] = Node::pending(start, middle, depth + 1).0;
                    nodes[count + 1] = Node::pending(middle, end, depth + 1).0;
                    count += 2;
                    Node::inner(&split, count - 2).0
                }
                _ => {
                    let rows = &self.rows[start..end];
                    let Self { targets, fitted, spare, .. } = self;
                    let (mean, variance) = leaf(Leaf { rows, targets, fitted, spare });
                    Node::leaf(mean, variance).0
                }
            };
            at += 1;
        }
        count
    }

    /// Adds the values of a tree to the predictions so far.
    pub(super) fn advance(&mut self, tree: &[[u64; 2]], rate: R) {
        for (fitted, point) in self.fitted.iter_mut().zip(self.x.chunks_exact(self.dims)) {
            let leaf = node::descend(tree, self.levels, point);
            *fitted += tree.get(leaf).map_or(R::ZERO, |&words| rate * Node(words).mean::<R>());
        }
    }

    /// The split of a node; nothing if its targets or all its features are constant.
    fn choose(
        &mut self,
        at: usize,
        start: usize,
        end: usize,
        rules: &Rules,
        generator: &mut Generator,
    ) -> Option<Split> {
        let rows = &self.rows[start..end];
        let (mut sum, mut weight, mut constant) = (R::ZERO, R::ZERO, true);
        let first = self.targets[*rows.first()? as usize][0];
        for &row in rows {
            let target = self.targets[row as usize];
            sum += target[1] * (target[0] - first);
            weight += target[1];
            constant &= target[0] == first;
        }
        if constant {
            return None;
        }
        let scene = Scene {
            targets: self.targets,
            x: self.x,
            dims: self.dims,
            levels: self.levels,
            mean: first + sum / weight,
            weight,
            leaf: rules.leaf.max(1),
            salt: at as u32,
        };
        let wanted = rules.features;
        if rules.cut == Cut::Random {
            let mut ranges = Ranges::carve(self.dims, self.ranges)?;
            return ranges.choose(&scene, rows, wanted, self.features, generator);
        }
        let n = self.targets.len();
        let mut best = Best::none();
        let mut seen = 0;
        for j in 0..self.dims {
            // A feature that is constant here does not count, and at least one split is looked for.
            if seen >= wanted && best.split.is_some() {
                break;
            }
            let other = j + rng::below(generator, (self.dims - j) as u64) as usize;
            self.features.swap(j, other);
            let feature = self.features[j] as usize;
            seen += usize::from(scene.look(feature, &self.lists[feature * n..][start..end], &mut best));
        }
        best.split
    }

    /// Moves the rows that go left before the others and returns where the others start.
    fn divide(&mut self, split: &Split, start: usize, end: usize, depth: u32, rules: &Rules) -> usize {
        let node = Node::inner(split, 0);
        let mut left = 0;
        for &row in &self.rows[start..end] {
            let row = row as usize;
            let goes = node.takes_left(self.x[row * self.dims + split.feature], self.levels);
            self.side[row] = u8::from(!goes);
            left += usize::from(goes);
        }
        let (side, size) = (&*self.side, end - start);
        let spare: &mut [u32] = &mut bytemuck::cast_slice_mut(self.spare)[..size];
        partition(&mut self.rows[start..end], spare, |row| side[row as usize] != 0);
        let again = left.max(size - left) >= 2 * rules.leaf.max(1) && depth + 1 < rules.depth;
        if rules.cut == Cut::Best && again {
            for list in self.lists.chunks_exact_mut(self.targets.len()) {
                partition(&mut list[start..end], &mut self.spare[..size], |e| side[e as u32 as usize] != 0);
            }
        }
        start + left
    }
}

/// Moves the elements that go right behind the others, each in their order; the spare is as long as the list.
#[inline]
fn partition<T: Copy>(list: &mut [T], spare: &mut [T], right: impl Fn(T) -> bool) {
    let (mut kept, mut moved) = (0, 0);
    let size = list.len().min(spare.len());
    for k in 0..size {
        // Both are written, so that there is no branch to guess.
        let element = list[k];
        let goes = usize::from(right(element));
        list[kept] = element;
        spare[moved] = element;
        kept += 1 - goes;
        moved += goes;
    }
    list[kept..size].copy_from_slice(&spare[..moved]);
}

/// Writes targets that are safe to square: the values over a power of two, which rounds none of them.
pub(super) fn scale<R: Real>(y: impl Fn(usize) -> R, targets: &mut [[R; 2]]) {
    let mut largest = R::ZERO;
    for i in 0..targets.len() {
        largest = largest.max(y(i).abs());
    }
    let power = f64::from_bits(largest.to_f64().to_bits() & f64::INFINITY.to_bits());
    let divisor = R::of(if power > 0.0 { power } else { 1.0 });
    for (i, target) in targets.iter_mut().enumerate() {
        target[0] = y(i) / divisor;
    }
}

/// The seed of a tree, so that what one tree draws moves no other.
pub(super) fn branch<G: Rng + ?Sized>(generator: &mut G) -> Generator {
    Generator::new(generator.next_u64())
}
