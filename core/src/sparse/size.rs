//! How large a sparse process may become, and of which kind it is.

use super::{Sparse, choose, evidence, mondrian_features, predict, spectrum};
use crate::error::Error;
use crate::gp::train;
use crate::kernel::Op;
use crate::limits::Limit;
use crate::real::Real;

/// What the features and the noise of a sparse process are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Kind {
    /// Inducing inputs; what they do not explain of each observation is independent noise (FITC, SPGP).
    #[default]
    Fitc,
    /// Inducing inputs; a lower bound of the exact evidence (VFE, Titsias).
    Variational,
    /// Random waves from the kernel's spectral density (SSGP).
    Spectrum,
    /// Random signs of the cells of Mondrian trees: for a Laplace kernel, also times those of categories and branches.
    ///
    /// Lengths and weights are found by the draws of a training, not by slopes; predictions are steps. Each evaluation of a
    /// training sends every row down every tree: an optimizer takes no more than 2,048 of its rows for that, evenly spread,
    /// and all for the fit, O(n·m·(m + d ln λ)).
    Mondrian,
}

impl Kind {
    /// Inducing inputs or frequencies behind so many features: a frequency has a cosine and a sine.
    pub(super) const fn spots(self, features: usize) -> usize {
        match self {
            Self::Spectrum => features / 2,
            Self::Fitc | Self::Variational | Self::Mondrian => features,
        }
    }

    /// Features of so many inducing inputs or frequencies.
    pub(super) const fn features(self, spots: usize) -> usize {
        match self {
            Self::Spectrum => 2 * spots,
            Self::Fitc | Self::Variational | Self::Mondrian => spots,
        }
    }

    /// Features without which there is no process: one inducing input, one frequency, four trees.
    pub(crate) const fn least(self) -> usize {
        match self {
            Self::Fitc | Self::Variational => 1,
            Self::Spectrum => 2,
            Self::Mondrian => mondrian_features::LEAST,
        }
    }

    /// Whether its features are those of inducing inputs.
    pub(super) const fn is_inducing(self) -> bool {
        matches!(self, Self::Fitc | Self::Variational)
    }

    /// Whether it can work with a kernel of these nodes: waves need its spectral density, trees a Laplace kernel.
    pub(crate) fn serves(self, ops: impl Iterator<Item = Op>) -> bool {
        match self {
            Self::Fitc | Self::Variational => true,
            Self::Spectrum => spectrum::knows(ops),
            Self::Mondrian => mondrian_features::knows(ops),
        }
    }
}

/// How large a sparse process may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// Observations.
    pub rows: usize,
    /// Coordinates of an input.
    pub dims: usize,
    /// Hyperparameters of the covariance, without the noise.
    pub thetas: usize,
    /// Basis functions of the trend.
    pub columns: usize,
    /// Inducing inputs, twice the frequencies, or trees.
    pub features: usize,
}

impl Size {
    /// Words of a process of this size, beside its observations.
    ///
    /// ```text
    /// n + 9m² + O(m·d)   scalars
    /// ```
    pub(crate) const fn words_over<R: Real>(&self) -> usize {
        Sparse::<R>::section_words(*self)
    }

    /// Scalars of work: the phases of a call take turns in it.
    pub(super) const fn work(&self) -> usize {
        let train = train::work(self.thetas + 1) + evidence::work(self);
        let choose = choose::work(self);
        let predict = predict::work(self);
        let most = if train > choose { train } else { choose };
        if most > predict { most } else { predict }
    }

    /// Whether there is something to hold and the words can be counted.
    ///
    /// # Errors
    /// [`Error::Limits`].
    pub(super) fn check(&self) -> Result<(), Error> {
        // No product of two of these and a small factor leaves the range of a word of the machine.
        let cap = if usize::BITS >= 64 { 1 << 26 } else { 1 << 12 };
        let wide = if usize::BITS >= 64 { 1 << 26 } else { 1 << 20 };
        let ranges = [
            (Limit::Rows, self.rows, 1, wide),
            (Limit::Dims, self.dims, 1, cap),
            (Limit::Rows, self.rows, 1, (wide << 3) / self.dims.max(1)),
            (Limit::Thetas, self.thetas, 0, cap),
            (Limit::Columns, self.columns, 0, cap),
            (Limit::Features, self.features, 1, cap),
        ];
        ranges.into_iter().try_for_each(|(limit, given, least, most)| limit.within(given, least, most))
    }
}
