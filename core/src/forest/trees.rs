//! Fitted trees, read only.

use core::marker::PhantomData;

use super::Size;
use super::node::{self, LANES, Node};
use super::settings::{Kind, Settings, Spread};
use crate::acquisition::Prediction;
use crate::block::Reader;
use crate::error::Error;
use crate::real::Real;

/// Words before the categories: tags, dims, floor, rate, three starts, scale.
pub(super) const HEADER: usize = 8;

/// The head of a block.
///
/// ```text
/// 1 averaged, 2 boosted | across << 8 | trees << 32,  dims,  floor,  rate,  starts of mean, low, high,  1/(z_high − z_low)
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) boosted: bool,
    across: bool,
    pub(super) trees: usize,
    dims: usize,
    floor: f64,
    rate: f64,
    pub(super) starts: [f64; 3],
    pub(super) scale: f64,
}

impl Header {
    pub(super) fn new(settings: &Settings, trees: usize, dims: usize) -> Self {
        let (boosted, rate) = match settings.kind {
            Kind::Boosted { rate, .. } => (true, rate),
            Kind::Random { .. } | Kind::Extra => (false, 0.0),
        };
        let across = settings.spread == Spread::Across;
        Self { boosted, across, trees, dims, floor: settings.floor, rate, starts: [0.0; 3], scale: 0.0 }
    }

    pub(super) fn write(&self, out: &mut [u64]) {
        let tag = if self.boosted { 2 } else { 1 } | u64::from(self.across) << 8;
        let [mean, low, high] = self.starts.map(f64::to_bits);
        out.copy_from_slice(&[
            tag | (self.trees as u64) << 32,
            self.dims as u64,
            self.floor.to_bits(),
            self.rate.to_bits(),
            mean,
            low,
            high,
            self.scale.to_bits(),
        ]);
    }

    fn read(words: &[u64]) -> Self {
        let at = |i: usize| words.get(i).copied().unwrap_or(0);
        let float = |i: usize| f64::from_bits(at(i));
        Self {
            boosted: at(0) & 0xFF == 2,
            across: at(0) >> 8 & 1 == 1,
            trees: (at(0) >> 32) as usize,
            dims: at(1) as u32 as usize,
            floor: float(2),
            rate: float(3),
            starts: [float(4), float(5), float(6)],
            scale: float(7),
        }
    }
}

/// Fitted trees in a block that is only read.
///
/// May be used by many threads at a time; lives as long as the block.
#[derive(Clone, Copy, Debug)]
pub struct Trees<'a, R> {
    head: Header,
    size: Size,
    levels: &'a [u64],
    table: &'a [u64],
    nodes: &'a [[u64; 2]],
    scalar: PhantomData<R>,
}

impl<'a, R: Real> Trees<'a, R> {
    /// A view of [`Size::words`] words.
    pub(super) fn cut(size: Size, words: &'a [u64]) -> Self {
        let mut reader = Reader::new(words);
        let head = Header::read(reader.words(HEADER));
        let levels = reader.words(size.dims);
        let table = reader.words(size.trees);
        let table = &table[..head.trees.min(table.len())];
        let nodes = bytemuck::cast_slice(reader.words(size.nodes.saturating_mul(2)));
        Self { head, size, levels, table, nodes, scalar: PhantomData }
    }

    /// Coordinates of a point.
    pub(crate) fn dims(&self) -> usize {
        self.size.dims
    }

    /// Number of trees, 0 before the first fit.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether nothing has been fitted.
    pub(crate) fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// Nodes of all trees.
    #[must_use]
    pub fn nodes(&self) -> usize {
        (0..self.len()).map(|tree| self.tree(tree).len()).sum()
    }

    /// Mean and variance at `means.len()` points. Cost: O(points · trees · depth).
    ///
    /// # Errors
    /// [`Error::NoData`] before the first fit, [`Error::Shape`] if the slices do not fit together.
    pub fn predict_many(&self, points: &[R], means: &mut [R], variances: &mut [R]) -> Result<(), Error> {
        self.fits(points, means.len())?;
        Error::Shape { needed: means.len() }.when(variances.len() != means.len())?;
        means.fill(R::ZERO);
        variances.fill(R::ZERO);
        let (dims, plain) = (self.dims(), self.levels.iter().all(|&levels| levels == 0));
        // All points go through one tree, which stays in the cache.
        for tree in 0..self.len() {
            let (nodes, sum) = (self.tree(tree), self.sum(tree));
            let leaf = |at: usize| Node(nodes.get(at).copied().unwrap_or([0; 2]));
            let mut done = 0;
            for points in points.chunks_exact(LANES * dims) {
                for at in node::descend_lanes(nodes, self.levels, points, plain) {
                    sum.add(leaf(at), &mut means[done], &mut variances[done]);
                    done += 1;
                }
            }
            for point in points[done * dims..].chunks_exact(dims) {
                let at = node::descend(nodes, self.levels, point);
                sum.add(leaf(at), &mut means[done], &mut variances[done]);
                done += 1;
            }
        }
        for (mean, variance) in means.iter_mut().zip(variances.iter_mut()) {
            self.finish(mean, variance);
        }
        Ok(())
    }

    /// The prediction at one point; `each` sees the leaf of every tree: its index and mean.
    pub(super) fn predict_each(
        &self,
        point: &[R],
        mut each: impl FnMut(usize, usize, R),
    ) -> Result<Prediction<R>, Error> {
        self.fits(point, 1)?;
        let (mut mean, mut variance) = (R::ZERO, R::ZERO);
        for tree in 0..self.len() {
            let nodes = self.tree(tree);
            let at = node::descend(nodes, self.levels, point);
            let leaf = Node(nodes.get(at).copied().unwrap_or([0; 2]));
            self.sum(tree).add(leaf, &mut mean, &mut variance);
            each(tree, at, leaf.mean());
        }
        self.finish(&mut mean, &mut variance);
        Ok(Prediction { mean, variance })
    }

    /// Whether the trees are boosted.
    pub(super) fn boosted(&self) -> bool {
        self.head.boosted
    }

    /// What the products of deviations of trees are divided by to make a covariance.
    pub(super) fn divisor(&self) -> R {
        let trees = self.len();
        R::of_usize(if self.head.across { trees.saturating_sub(1) } else { trees }.max(1))
    }

    fn fits(&self, points: &[R], count: usize) -> Result<(), Error> {
        let needed = count.saturating_mul(self.dims());
        if points.len() != needed {
            Err(Error::Shape { needed })
        } else if self.is_empty() {
            Err(Error::NoData)
        } else {
            Ok(())
        }
    }

    /// The nodes of a tree; none if its place is damaged.
    fn tree(&self, tree: usize) -> &'a [[u64; 2]] {
        let place = self.table.get(tree).copied().unwrap_or(0);
        let (start, count) = ((place as u32) as usize, (place >> 32) as usize);
        self.nodes.get(start..).and_then(|rest| rest.get(..count)).unwrap_or(&[])
    }

    /// How the leaf of a tree enters the sums of a prediction.
    fn sum(&self, tree: usize) -> Sum<R> {
        if self.head.boosted {
            let rate = R::of(self.head.rate);
            match tree / (self.len() / 3).max(1) {
                0 => Sum { mean: rate, width: R::ZERO, ..Sum::NONE },
                1 => Sum { width: -rate, ..Sum::NONE },
                _ => Sum { width: rate, ..Sum::NONE },
            }
        } else {
            let leaf = if self.head.across { R::ZERO } else { R::ONE };
            Sum { running: true, mean: R::ONE / R::of_usize(tree + 1), leaf, ..Sum::NONE }
        }
    }

    /// Turns the sums into a mean and a variance.
    fn finish(&self, mean: &mut R, variance: &mut R) {
        if self.head.boosted {
            let [start, low, high] = self.head.starts.map(R::of);
            *mean += start;
            let deviation = (*variance + (high - low)).max(R::ZERO) * R::of(self.head.scale);
            *variance = deviation * deviation;
        } else {
            *variance /= self.divisor();
        }
        *variance = variance.max(R::of(self.head.floor)).min(R::MAX);
    }
}

/// Weights of a leaf in the sums of a prediction.
#[derive(Clone, Copy)]
struct Sum<R> {
    /// Whether `mean` moves towards the leaf, or is added to.
    running: bool,
    mean: R,
    leaf: R,
    width: R,
}

impl<R: Real> Sum<R> {
    const NONE: Self = Self { running: false, mean: R::ZERO, leaf: R::ZERO, width: R::ZERO };

    /// Running sums after Welford: the mean moves towards the leaf, so that both gaps have one sign and what is added
    /// is not negative; trees that agree add exactly nothing.
    #[inline]
    fn add(&self, leaf: Node, mean: &mut R, variance: &mut R) {
        let value: R = leaf.mean();
        if self.running {
            let gap = value - *mean;
            *mean += gap * self.mean;
            *variance += (gap * (value - *mean)).max(R::ZERO) + self.leaf * leaf.variance::<R>();
        } else {
            *mean += self.mean * value;
            *variance += self.width * value;
        }
    }
}
