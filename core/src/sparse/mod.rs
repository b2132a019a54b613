//! Sparse Gaussian processes (FITC, variational inducing points, sparse spectrum, Mondrian): many observations, few features.
//!
//! A sparse process sees the function through m features φ(x), far fewer than there are observations:
//!
//! ```text
//! y = h(x)ᵀβ + φ(x)ᵀw + ε,   w ~ N(0, I),   ε ~ N(0, λ(x)),   C = diag(I, 0) + Σᵢ ψᵢψᵢᵀ/λᵢ,   ψ = (φ, h)
//! ```
//!
//! The [`Kind`] says what φ and λ are. The basis h of the trend has a flat prior and is estimated with w, so with as
//! many features as observations the model is the exact [`Gp`](crate::gp::Gp) of the same trend. Memory O(n·d + m²),
//! time O(n·m²): the features of the data are computed block by block and never kept.

mod choose;
mod evidence;
mod fitc;
mod inducing;
mod map;
mod mondrian;
mod mondrian_features;
mod normal;
mod predict;
mod size;
mod spectrum;
#[cfg(test)]
mod tests;
mod train;
mod variational;
mod view;

#[cfg(test)]
pub(crate) use mondrian::ways_gone;
pub use size::Kind;
pub(crate) use size::Size;
pub(crate) use view::View;

use crate::block::Arena;
use crate::block::layout::sections;
use crate::error::Error;
use crate::kernel::{Tape, Theta};
use crate::limits::Limit;
use crate::linalg::packed;
use crate::real::Real;
use crate::surrogate::Observations;
use crate::trend::Trend;
use map::Source;
use predict::Fitted;

/// Words of counters.
const COUNTS: usize = 2;
/// Rows in the factor.
const FACTORED: usize = 0;
/// Features in use.
const FEATURES: usize = 1;

sections! {
    (size: Size) {
        counts: words[COUNTS],
        /// λ of each row in the factor.
        noise: scalars[size.rows],
        theta: Theta[size.thetas + 1],
        /// Inducing inputs, frequencies at unit length scales, or roots of trees.
        spots: scalars[size.features * size.dims],
        /// Factor of the inducing inputs' covariance.
        root: scalars[packed(size.features)],
        /// Factor of C.
        normal: scalars[packed(size.features + size.columns)],
        /// Σ ψᵢyᵢ/λᵢ
        moment: scalars[size.features + size.columns],
        /// (w, β), the mean of their posterior.
        weights: scalars[size.features + size.columns],
        /// Weights of the covariances with the inducing inputs.
        alpha: scalars[size.features],
        work: scalars[size.work()],
    }
    => object {
        /// A sparse Gaussian process in a lent block.
        ///
        /// Features come by [`Sparse::choose`], hyperparameters by [`Sparse::train`], the factor by [`Sparse::fit`]. One process,
        /// one thread at a time; it lives as long as the words and the observations lent to it.
        pub(crate) struct Sparse {
            data: Observations<'a, R> = Observations::none(),
            size: Size = size,
            kind: Kind = Kind::Fitc,
            trend: Trend = Trend::Zero,
        }
    }
}

impl<'a, R: Real> Sparse<'a, R> {
    /// The process of a size that lies at the front of the arena, as it was left, of observations that lie elsewhere.
    ///
    /// # Errors
    /// [`Error::Memory`]; [`Error::Limits`] if the size is zero or beyond counting, or the trend does not fit it.
    pub(crate) fn over(
        data: Observations<'a, R>,
        arena: &mut Arena<'a>,
        kind: Kind,
        trend: Trend,
        size: Size,
    ) -> Result<Self, Error> {
        size.check()?;
        Limit::Columns.at_least(size.columns, trend.columns(size.dims))?;
        Ok(Self { kind, trend, data, ..Self::cut(arena, size)? })
    }

    /// Runs something with every k-th observation alone; the factor waits for the next fit if that is not all.
    pub(crate) fn with_every<T>(&mut self, every: usize, run: impl FnOnce(&mut Self) -> T) -> T {
        let rows = self.data.thin(every);
        let answer = run(self);
        self.data.restore(every, rows);
        answer
    }

    /// Forgets features and factor.
    pub(crate) fn forget(&mut self) {
        self.counts.fill(0);
    }

    /// Features in use: inducing inputs, twice the frequencies, or trees; 0 before [`Sparse::choose`].
    fn features(&self) -> usize {
        self.counts[FEATURES].min(self.size.features as u64) as usize
    }

    /// The hyperparameters, on their log scale, the noise variance last.
    pub(crate) fn theta(&self) -> &[R] {
        &self.theta.value[..self.size.thetas + 1]
    }

    /// The hyperparameters with bounds and priors, for reading and setting; a fit makes a change count.
    pub(crate) fn theta_table(&mut self) -> &mut Theta<'a, R> {
        self.counts[FACTORED] = 0;
        &mut self.theta
    }

    /// The model as it was fitted last, with memory for anchored points: [`View::anchor_scalars`] for each.
    ///
    /// # Errors
    /// [`Error::NoData`] before a fit, [`Error::Kernel`] for a kernel of other hyperparameters.
    pub(crate) fn view<'v>(&'v mut self, tape: Tape<'v>, anchors: &'v mut [R]) -> Result<View<'v, R>, Error> {
        self.check(tape)?;
        Error::NoData.when(self.counts[FACTORED] == 0)?;
        let (kind, trend, dims, features) = (self.kind, self.trend, self.size.dims, self.features());
        let theta = &self.theta.value[..self.size.thetas];
        let spots = &self.spots[..kind.spots(features) * dims];
        let source = Source { kind, trend, tape, theta, spots, features, dims };
        let all = source.all();
        let fitted = Fitted {
            source,
            root: &self.root[..packed(features)],
            normal: &self.normal[..packed(all)],
            weights: &self.weights[..all],
            alpha: &self.alpha[..features],
        };
        Ok(View { fitted, work: &mut *self.work, anchors, anchored: 0 })
    }

    fn check(&self, tape: Tape<'_>) -> Result<(), Error> {
        let fits = tape.thetas() == self.size.thetas && tape.dims() == self.size.dims;
        if fits { Ok(()) } else { Err(Error::Kernel) }
    }
}
