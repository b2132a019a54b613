//! Ensembles of trees: random forests, extremely randomised trees and gradient boosting.
//!
//! ```text
//! m(x)  = (1/B) Σ_b m_b(x)
//! s²(x) = (1/B) Σ_b [ v_b(x) + (m_b(x) − m(x))² ]      m_b, v_b: mean and variance of the leaf of x in tree b
//! ```
//! A tree is a flat array of nodes in lent memory ([`Size`]); nothing is allocated. Numbers are cut by a threshold,
//! categories by a subset, and a missing coordinate (NaN, an inactive parameter) has a side of its own in every split.

mod boosted;
mod extra;
mod grow;
mod node;
mod random;
mod settings;
mod split;
#[cfg(test)]
mod tests;
mod trees;
mod view;

use rand_core::Rng;

pub use settings::{Kind, Settings, Spread};
pub use trees::Trees;
pub(crate) use view::View;

use crate::block::Arena;
use crate::error::Error;
use crate::limits::Limit;
use crate::real::Real;
use crate::space;
use crate::stats::normal;
use boosted::Loss;
use grow::{Cut, Ground, Rules};
use trees::{HEADER, Header};

/// How large an ensemble may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Rows that it is fitted to; only [`Size::work`] depends on them.
    pub rows: usize,
    /// Coordinates of a point.
    pub dims: usize,
    /// Trees; gradient boosting uses a third of them for the mean and each quantile.
    pub trees: usize,
    /// Nodes of all trees together; each tree may take an even share of those that are left. A tree whose share is
    /// used up has larger leaves.
    pub nodes: usize,
}

impl Size {
    /// Room for trees that are never cut short: a tree of n rows has at most 2n − 1 nodes.
    #[must_use]
    pub const fn full(rows: usize, dims: usize, trees: usize) -> Self {
        let most = if rows == 0 { 1 } else { rows.saturating_mul(2).saturating_sub(1) };
        Self { rows, dims, trees, nodes: most.saturating_mul(trees) }
    }

    /// Words of the state: 8 + dims + trees + 2 nodes. It is the same for every scalar and every machine.
    #[must_use]
    pub const fn words<R: Real>(&self) -> usize {
        let _ = R::BYTES;
        self.nodes
            .saturating_mul(2)
            .saturating_add(self.dims)
            .saturating_add(self.trees)
            .saturating_add(HEADER)
    }

    /// Words that [`Forest::fit`] works in, and leaves free for others: about rows · (2 dims + 5).
    #[must_use]
    pub const fn work<R: Real>(&self) -> usize {
        grow::words::<R>(self.rows, self.dims)
    }

    fn check(&self) -> Result<(), Error> {
        const MOST: usize = u32::MAX as usize;
        let ranges = [
            (Limit::Dims, self.dims, 1, node::MOST_FEATURES),
            (Limit::Trees, self.trees, 1, 1 << 24),
            (Limit::TreeNodes, self.nodes, self.trees, MOST),
            (Limit::Rows, self.rows, 0, MOST - 1),
        ];
        ranges.into_iter().try_for_each(|(limit, given, least, most)| limit.within(given, least, most))
    }
}

/// What an ensemble is fitted to, lent for one call.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a, R> {
    /// Points, row after row; NaN where a coordinate is missing.
    pub x: &'a [R],
    /// A value for each point.
    pub y: &'a [R],
    /// For each coordinate the number of its categories, 0 if it is a number. Category k of n lies
    /// at (k + ½)/n.
    pub levels: &'a [u64],
}

/// Writes the number of categories of each parameter, 0 for those that are ordered.
///
/// # Errors
/// [`Error::Shape`] unless `out` has one element per parameter.
pub(crate) fn levels(domain: &space::Domain<'_>, out: &mut [u64]) -> Result<(), Error> {
    Error::Shape { needed: domain.dims() }.when(out.len() != domain.dims())?;
    for (i, levels) in out.iter_mut().enumerate() {
        let category = domain.kind(i) == space::Kind::Categorical;
        *levels = if category { domain.count(i).unwrap_or(0) } else { 0 };
    }
    Ok(())
}

/// An ensemble of trees in a lent block of words.
///
/// Used by one thread at a time; lives as long as its block.
#[derive(Debug)]
pub struct Forest<'a> {
    words: &'a mut [u64],
    size: Size,
}

impl<'a> Forest<'a> {
    /// An ensemble without trees in the first [`Size::words`] words of a block.
    ///
    /// # Errors
    /// [`Error::Limits`] for a size without coordinates or trees, or with fewer nodes than trees; [`Error::Memory`].
    pub fn new(size: Size, block: &'a mut [u64]) -> Result<Self, Error> {
        let forest = Self::carve(size, &mut Arena::new(block))?;
        forest.words.fill(0);
        Ok(forest)
    }

    /// The next [`Size::words`] words of an arena, as they are. Damaged ones give some answer, in bounded time.
    ///
    /// # Errors
    /// As [`Forest::new`].
    pub(crate) fn carve(size: Size, arena: &mut Arena<'a>) -> Result<Self, Error> {
        size.check()?;
        Ok(Self { words: arena.words(size.words::<f64>())?, size })
    }

    /// The trees, to be asked for predictions.
    #[must_use]
    pub fn trees<R: Real>(&self) -> Trees<'_, R> {
        Trees::cut(self.size, self.words)
    }

    /// Fits all trees to the data; `work` has [`Size::work`] words.
    ///
    /// The same generator gives the same words on every machine. Cost: O(trees · dims · rows · depth).
    ///
    /// # Errors
    /// [`Error::NoData`] without rows, [`Error::Shape`] if the slices do not fit together or there are more rows than
    /// the size allows, [`Error::NotFinite`] for a value that is NaN or infinite or a coordinate that is infinite,
    /// [`Error::Config`] for settings out of range, [`Error::Memory`]. Nothing has changed then.
    pub fn fit<R: Real, G: Rng + ?Sized>(
        &mut self,
        data: &Data<'_, R>,
        settings: &Settings,
        work: &mut [u64],
        generator: &mut G,
    ) -> Result<(), Error> {
        let (rows, dims) = (data.y.len(), self.size.dims);
        Error::NoData.when(rows == 0)?;
        if rows > self.size.rows || data.levels.len() != dims {
            return Err(Error::Shape { needed: if rows > self.size.rows { self.size.rows } else { dims } });
        }
        if rows.checked_mul(dims) != Some(data.x.len()) {
            return Err(Error::Shape { needed: rows.saturating_mul(dims) });
        }
        if !data.y.iter().all(|y| y.is_finite()) || !data.x.iter().all(|x| x.is_finite() || x.is_nan()) {
            return Err(Error::NotFinite);
        }
        settings.check(self.size.trees)?;
        let needed = grow::words::<R>(rows, dims);
        Error::Memory { needed }.when(work.len() < needed)?;
        let mut ground = Ground::carve(data.x, rows, data.levels, &mut Arena::new(work))?;

        let (header, rest) = self.words.split_at_mut(HEADER);
        let (levels, rest) = rest.split_at_mut(dims);
        let (table, nodes) = rest.split_at_mut(self.size.trees);
        levels.copy_from_slice(data.levels);
        let mut pool = Pool { nodes: bytemuck::cast_slice_mut(nodes), table, tree: 0, used: 0 };
        let mut rules = Rules {
            cut: Cut::Best,
            features: ((settings.features * dims as f64) as usize).clamp(1, dims),
            leaf: settings.leaf as usize,
            depth: settings.depth,
        };
        let mut head = Header::new(settings, self.size.trees, dims);
        match settings.kind {
            Kind::Random { bootstrap } => {
                random::fit(&mut ground, data.y, bootstrap, &rules, self.size.trees, &mut pool, generator);
            }
            Kind::Extra => {
                rules.cut = Cut::Random;
                random::fit(&mut ground, data.y, false, &rules, self.size.trees, &mut pool, generator);
            }
            Kind::Boosted { rate, share, low, high } => {
                let stages = self.size.trees / 3;
                head.trees = 3 * stages;
                pool.table = &mut core::mem::take(&mut pool.table)[..3 * stages];
                head.scale = 1.0 / (normal::quantile(high) - normal::quantile(low));
                ground.sort();
                let losses = [Loss::Squared, Loss::Quantile(low), Loss::Quantile(high)];
                for (start, loss) in head.starts.iter_mut().zip(losses) {
                    *start = boosted::fit(
                        &mut ground,
                        data.y,
                        loss,
                        rate,
                        share,
                        &rules,
                        stages,
                        &mut pool,
                        generator,
                    )
                    .to_f64();
                }
            }
        }
        head.write(header);
        Ok(())
    }
}

/// The node array while trees are added to it.
struct Pool<'p> {
    nodes: &'p mut [[u64; 2]],
    /// Start and count of each tree.
    table: &'p mut [u64],
    tree: usize,
    used: usize,
}

impl Pool<'_> {
    /// Lends an even share of what is left to the next tree, which says how many nodes it took.
    fn next(&mut self, grow: impl FnOnce(&mut [[u64; 2]]) -> usize) -> &[[u64; 2]] {
        let free = &mut self.nodes[self.used..];
        let share = free.len() / (self.table.len() - self.tree).max(1);
        let count = grow(&mut free[..share]);
        if let Some(place) = self.table.get_mut(self.tree) {
            *place = self.used as u64 | (count as u64) << 32;
        }
        self.tree += 1;
        self.used += count;
        &self.nodes[self.used - count..self.used]
    }
}
