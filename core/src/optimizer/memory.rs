//! The memory of what goes beyond one exact process and a closed form: none unless the limits ask for it.
//!
//! ```text
//! kept   chain · posteriors · portfolio · method            saved with the state
//! bench  warp · anchors · plans · trees · sparse process    written anew for each question
//! ```

use super::block::Shape;
use crate::block::{Arena, scalar_words};
use crate::config::MEMBERS;
use crate::error::Error;
use crate::forest;
use crate::gp::sampler::Chain;
use crate::gp::warp::Warped;
use crate::gp::{self, Ensemble};
use crate::limits::Limits;
use crate::policy::Hedge;
use crate::real::Real;
use crate::sparse;

/// What lasts from question to question.
#[derive(Debug)]
pub(super) struct Persistent<'a, R> {
    /// Where the chain of hyperparameters is.
    pub(super) chain: Option<Chain<'a, R>>,
    /// Fits at several hyperparameters.
    pub(super) posteriors: Ensemble<'a, R>,
    /// What a method without a model knows.
    pub(super) state: &'a mut [R],
}

impl Limits {
    /// Scalars of a portfolio; these are the limits in use.
    pub(super) const fn portfolio_scalars(&self) -> usize {
        if self.members == 0 { 0 } else { Hedge::<f64>::scalars(MEMBERS as usize, self.dims as usize) }
    }
}

impl<'a, R: Real> Persistent<'a, R> {
    /// Words of all of it; of a chain only where there are fits for what it draws.
    pub(super) const fn section_words(used: &Limits) -> usize {
        let (size, posteriors) = (used.size(), used.posteriors as usize);
        let chain = if posteriors > 0 { Chain::<R>::words(&size, true) } else { 0 };
        chain + Ensemble::<R>::words(&size, posteriors) + scalar_words::<R>(used.state as usize)
    }

    /// What lies at the front of an arena, as it was left.
    pub(super) fn cut(arena: &mut Arena<'a>, used: &Limits) -> Result<Self, Error> {
        let (size, posteriors) = (used.size(), used.posteriors as usize);
        let chain = if posteriors > 0 { Some(Chain::carve(arena, size, true)?) } else { None };
        let posteriors = Ensemble::carve(arena, size, posteriors)?;
        Ok(Self { chain, posteriors, state: arena.scalars(used.state as usize)? })
    }

    /// Says the words of each section within these limits and within others, in the order in which they lie.
    pub(super) fn pair_sections(pair: [&Limits; 2], say: &mut dyn FnMut(usize, usize)) {
        let (sizes, posteriors) = (pair.map(Limits::size), pair[0].posteriors as usize);
        if posteriors > 0 {
            Chain::<R>::pair_sections(sizes.map(|size| Chain::<R>::extent(&size, true)), say);
        }
        Ensemble::<R>::pair_sections(sizes, posteriors, say);
        let [one, other] = pair.map(|used| scalar_words::<R>(used.state as usize));
        say(one, other);
    }
}

/// What models work in; written anew for each question.
#[derive(Debug)]
pub(super) struct ModelScratch<'a, R> {
    /// Which coordinates are numbers, one bit each.
    pub(super) mask: &'a mut [u64],
    /// For [`Warped`].
    pub(super) warp: &'a mut [R],
    /// All rows, warped or with missing coordinates marked.
    pub(super) rows: &'a mut [R],
    /// Points on their way to a model that sees them warped or marked.
    pub(super) points: &'a mut [R],
    /// Joint predictions, one share for each fitted process.
    pub(super) anchors: &'a mut [R],
    /// Categories of each coordinate.
    pub(super) levels: &'a mut [u64],
    pub(super) trees: &'a mut [u64],
    /// What trees grow in.
    pub(super) growth: &'a mut [u64],
    pub(super) sparse: &'a mut [u64],
}

/// What scores are computed in; written anew for each question.
#[derive(Debug)]
pub(super) struct ScoreScratch<'a, R> {
    /// Representers or open trials, then nominees.
    pub(super) spots: &'a mut [R],
    /// What policies and batches work in, one share for each fitted process.
    pub(super) plans: &'a mut [R],
    /// A gradient.
    pub(super) slope: &'a mut [R],
}

impl Limits {
    /// Words of [`ModelScratch`] and [`ScoreScratch`].
    pub(super) const fn bench_words<R: Real>(&self) -> usize {
        let scalars = self.bench_scalars();
        let mut sum = self.mask_words() + self.bench_levels();
        let mut i = 0;
        while i < scalars.len() {
            sum += scalar_words::<R>(scalars[i]);
            i += 1;
        }
        sum + self.tree_words::<R>() + self.growth_words::<R>() + self.sparse_words::<R>()
    }

    /// Scalars of warp, rows, points, anchors, spots, plans and slope.
    const fn bench_scalars(&self) -> [usize; 7] {
        let (dims, trials, exact) = (self.dims as usize, self.trials as usize, self.exact as usize);
        let (anchors, candidates) = (self.anchors as usize, self.candidates as usize);
        let warped = self.warped > 0;
        // Only conditions make coordinates missing.
        let marked = self.trees > 0 && self.conditions > 0;
        let batch = if anchors > candidates { anchors } else { candidates };
        let spots = anchors + self.members as usize;
        [
            if warped { Warped::<f64>::scalars(exact, dims) } else { 0 },
            if marked {
                trials * dims
            } else if warped {
                exact * dims
            } else {
                0
            },
            if marked || warped { batch * dims } else { 0 },
            self.copies() * self.anchor_scalars(dims),
            spots * dims,
            self.work as usize,
            if self.posteriors > 0 { dims } else { 0 },
        ]
    }

    /// Fitted processes that are asked together.
    pub(super) const fn copies(&self) -> usize {
        if self.posteriors > 1 { self.posteriors as usize } else { 1 }
    }

    /// Scalars that the anchors of one model take.
    pub(super) const fn anchor_scalars(&self, dims: usize) -> usize {
        let (anchors, columns) = (self.anchors as usize, self.columns as usize);
        let exact = match self.exact as usize {
            0 => 0,
            rows => anchors * gp::View::<f64, ()>::anchor_scalars(rows, dims, columns),
        };
        let sparse = match self.features as usize {
            0 => 0,
            features => anchors * sparse::View::<f64>::anchor_scalars(dims, features, columns),
        };
        let trees = match self.trees as usize {
            0 => 0,
            trees => forest::View::<f64>::anchor_scalars(trees, anchors),
        };
        if anchors == 0 {
            return 0;
        }
        let most = if exact > sparse { exact } else { sparse };
        if most > trees { most } else { trees }
    }

    const fn mask_words(&self) -> usize {
        if self.warped > 0 { (self.dims as usize).div_ceil(64) } else { 0 }
    }

    const fn bench_levels(&self) -> usize {
        if self.trees > 0 { self.dims as usize } else { 0 }
    }

    /// The ensemble, of a space of so many parameters.
    pub(super) const fn forest_size(&self, dims: usize) -> forest::Size {
        forest::Size {
            rows: self.trials as usize,
            dims,
            trees: self.trees as usize,
            nodes: self.tree_nodes as usize,
        }
    }

    const fn tree_words<R: Real>(&self) -> usize {
        if self.trees > 0 { self.forest_size(self.dims as usize).words::<R>() } else { 0 }
    }

    const fn growth_words<R: Real>(&self) -> usize {
        if self.trees > 0 { self.forest_size(self.dims as usize).work::<R>() } else { 0 }
    }

    /// The sparse process in use.
    pub(super) const fn sparse_size(&self, shape: Shape) -> sparse::Size {
        sparse::Size {
            rows: self.trials as usize,
            dims: shape.dims,
            thetas: shape.thetas,
            columns: shape.trend.columns(shape.dims),
            features: self.features as usize,
        }
    }

    const fn sparse_words<R: Real>(&self) -> usize {
        let size = sparse::Size {
            rows: self.trials as usize,
            dims: self.dims as usize,
            thetas: self.thetas as usize,
            columns: self.columns as usize,
            features: self.features as usize,
        };
        if self.features > 0 { size.words_over::<R>() } else { 0 }
    }
}

impl<'a, R: Real> ModelScratch<'a, R> {
    pub(super) fn carve(
        arena: &mut Arena<'a>,
        limits: &Limits,
    ) -> Result<(Self, ScoreScratch<'a, R>), Error> {
        let [warp, rows, points, anchors, spots, plans, slope] = limits.bench_scalars();
        let desk = ScoreScratch {
            spots: arena.scalars(spots)?,
            plans: arena.scalars(plans)?,
            slope: arena.scalars(slope)?,
        };
        let bench = Self {
            mask: arena.words(limits.mask_words())?,
            warp: arena.scalars(warp)?,
            rows: arena.scalars(rows)?,
            points: arena.scalars(points)?,
            anchors: arena.scalars(anchors)?,
            levels: arena.words(limits.bench_levels())?,
            trees: arena.words(limits.tree_words::<R>())?,
            growth: arena.words(limits.growth_words::<R>())?,
            sparse: arena.words(limits.sparse_words::<R>())?,
        };
        Ok((bench, desk))
    }
}
