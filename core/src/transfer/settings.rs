//! What an optimizer does with sources: how it starts, how they help to choose, and what they rule out.

use crate::codes::codes;
use crate::error::Error;

/// What an optimizer does with the sources that are passed to its calls; without any it does nothing.
///
/// ```
/// use infill::Config;
/// use infill::transfer::{How, Start, Transfer, Weights};
/// let how = How::Stage(Weights::Ranks { rho: 0.1 });
/// let config = Config::default().with(|c| c.transfer = Transfer { start: Start::Cover, how, ..Transfer::default() });
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// What is asked before there is a model.
    pub start: Start,
    /// How many trials that takes; unused by [`Start::Design`].
    pub trials: u32,
    /// How the sources help to choose where there is a model.
    pub how: How,
    /// The share of the space that is searched, above 0; 1 searches all of it (search-space pruning).
    ///
    /// ```text
    /// u(x) = Σᵢ (lowᵢ − mᵢ(x)) over the two sources of least Kendall tau distance
    /// ```
    ///
    /// Kept are the points of largest u, and what lies beside points that were asked for.
    pub keep: f64,
}

/// What is asked before there is a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Start {
    /// The starting design, as without sources.
    Design,
    /// The best points of sources drawn at random (random best initialization, RBI).
    Random,
    /// The best points of the sources of nearest meta-features, the nearest first (nearest best initialization, NBI).
    Nearest,
    /// Points that together are good on the sources, each the lowest of Σᵢ wᵢ min(mᵢ(x), lowᵢ), wᵢ the agreement with what was told.
    #[default]
    Cover,
    /// Those of the cover, moved along the gradient to where they are better together (learned initialization, LI).
    Learnt,
    /// As [`Start::Learnt`], while sources count by the share of told pairs that they put in the same order (adaptive, aLI).
    Adaptive,
}

codes!(Start { Design = 0, Random = 1, Nearest = 2, Cover = 3, Learnt = 4, Adaptive = 5 });

/// How much each source counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weights {
    /// By the distance d of meta-features, each scaled over all data sets to lie between 0 and 1: ¾(1 − (d/ρ)²) below ρ, 0 beyond.
    Features {
        /// The bandwidth, above 0.
        rho: f64,
    },
    /// By the Kendall tau distance of the told values and the means of the source, likewise.
    Ranks {
        /// The bandwidth, above 0.
        rho: f64,
    },
    /// By its precision at the point that is predicted (product of experts, PoE): sᵢ⁻²(x). Takes sources in the full form.
    Experts,
    /// By how often a joint draw of it ranks the told values best of all (ranking-weighted ensemble, RGPE). Takes sources in the
    /// full form.
    Sampled {
        /// How many draws, from 1 to 4,096.
        draws: u32,
    },
}

impl Weights {
    /// All of them as they usually are, each at the place of its number.
    pub const ALL: [Self; 4] =
        [Self::Features { rho: 3.25 }, Self::Ranks { rho: 0.1 }, Self::Experts, Self::Sampled { draws: 64 }];
    /// Most draws.
    const MOST_DRAWS: u32 = 1 << 12;

    /// Its number in a saved block.
    #[must_use]
    pub const fn code(self) -> u64 {
        match self {
            Self::Features { .. } => 0,
            Self::Ranks { .. } => 1,
            Self::Experts => 2,
            Self::Sampled { .. } => 3,
        }
    }

    fn is_valid(self) -> bool {
        match self {
            Self::Features { rho } | Self::Ranks { rho } => rho > 0.0 && rho.is_finite(),
            Self::Experts => true,
            Self::Sampled { draws } => (1..=Self::MOST_DRAWS).contains(&draws),
        }
    }

    /// Whether draws of the model and of the sources decide.
    pub(crate) const fn is_sampled(self) -> bool {
        match self {
            Self::Features { .. } | Self::Ranks { .. } | Self::Experts => false,
            Self::Sampled { .. } => true,
        }
    }

    /// Whether variances of the sources are asked for.
    pub(crate) const fn is_full(self) -> bool {
        match self {
            Self::Features { .. } | Self::Ranks { .. } => false,
            Self::Experts | Self::Sampled { .. } => true,
        }
    }
}

/// Which sources are nearest to the new data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Near {
    /// Those of nearest meta-features, as in MKL-GP.
    #[default]
    Features,
    /// Those of least Kendall tau distance to what was told, as in RC-GP.
    Ranks,
}

codes!(Near { Features = 0, Ranks = 1 });

/// How sources help to choose the next point where there is a model.
///
/// `mᵢ` is the mean of source i, `lowᵢ` its least over the points that were asked for, `w₀` = ¾, `width` the range of the told
/// targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    /// Not at all: they start a run, and may rule points out.
    Alone,
    /// Their means move that of the model (two-stage transfer surrogate, TST): (w₀m₀ + Σ wᵢmᵢ)/(w₀ + Σ wᵢ).
    Stage(Weights),
    /// Their improvements are added to that of the model (transfer acquisition function, TAF): (w₀EI + width Σ wᵢ max(lowᵢ − mᵢ, 0))/(w₀ + Σ wᵢ).
    Value(Weights),
    /// What a point adds to their cover is mixed with its improvement (adaptive hyperparameter transfer, AHT, of a
    /// hyperparameter optimization machine, HOM): α EI/width − (1 − α) 1/M Σ min(lowᵢ, mᵢ).
    Function {
        /// The share of the improvement at the beginning, from 0 to 1.
        alpha: f64,
        /// After how many trials it is 1, growing evenly; 0 lets it stay.
        growth: u32,
    },
    /// They are the prior of the model.
    Prior,
    /// The nearest of them share a process with the run, all values in units of their data set (multiple kernel learning, MKL-GP;
    /// rank correlation, RC-GP): α I(same data set) k(x, x′) + (1 − α)(1 − |x − x′|/dims).
    Neighbours {
        /// The share of the kernel within a data set, from 0 to 1.
        alpha: f64,
        /// How many sources, from 1 to 16.
        count: u32,
        /// Which of them.
        by: Near,
    },
    /// A process over what ranks the configurations of all data sets (surrogate collaborative tuning, SCoT).
    Ranker,
    /// A factorised perceptron with an indicator of each data set (FMLP).
    Perceptron,
}

impl How {
    /// All of them as they usually are, each at the place of its number.
    pub const ALL: [Self; 8] = [
        Self::Alone,
        Self::Stage(Weights::ALL[1]),
        Self::Value(Weights::ALL[1]),
        Self::Function { alpha: 0.5, growth: 0 },
        Self::Prior,
        Self::Neighbours { alpha: 0.3, count: 3, by: Near::Features },
        Self::Ranker,
        Self::Perceptron,
    ];
    /// Most neighbours.
    pub(super) const MOST_NEIGHBOURS: u32 = 16;

    /// Its number in a saved block.
    #[must_use]
    pub const fn code(self) -> u64 {
        match self {
            Self::Alone => 0,
            Self::Stage(_) => 1,
            Self::Value(_) => 2,
            Self::Function { .. } => 3,
            Self::Prior => 4,
            Self::Neighbours { .. } => 5,
            Self::Ranker => 6,
            Self::Perceptron => 7,
        }
    }

    /// Its weights, if it has any.
    #[must_use]
    pub const fn weights(self) -> Option<Weights> {
        match self {
            Self::Stage(weights) | Self::Value(weights) => Some(weights),
            Self::Alone
            | Self::Function { .. }
            | Self::Prior
            | Self::Neighbours { .. }
            | Self::Ranker
            | Self::Perceptron => None,
        }
    }

    /// Whether the model says something else with sources than without.
    pub(crate) const fn moves_model(self) -> bool {
        match self {
            Self::Stage(_) | Self::Prior | Self::Neighbours { .. } | Self::Ranker | Self::Perceptron => true,
            Self::Alone | Self::Value(_) | Self::Function { .. } => false,
        }
    }

    /// Whether what it predicts has an order and no unit.
    pub(crate) const fn only_ranks(self) -> bool {
        match self {
            Self::Ranker => true,
            Self::Alone
            | Self::Stage(_)
            | Self::Value(_)
            | Self::Function { .. }
            | Self::Prior
            | Self::Neighbours { .. }
            | Self::Perceptron => false,
        }
    }
}

impl Default for Transfer {
    fn default() -> Self {
        Self::USUAL
    }
}

impl Transfer {
    /// The default.
    pub(crate) const USUAL: Self = Self { start: Start::Cover, trials: 3, how: How::Prior, keep: 1.0 };
    /// Most trials of a start.
    const MOST: u32 = 1 << 8;

    /// Refuses numbers that are out of range.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub(crate) fn check(&self) -> Result<(), Error> {
        let how = match self.how {
            How::Alone | How::Prior | How::Ranker | How::Perceptron => true,
            How::Stage(weights) | How::Value(weights) => weights.is_valid(),
            How::Function { alpha, .. } => (0.0..=1.0).contains(&alpha),
            How::Neighbours { alpha, count, .. } => {
                (0.0..=1.0).contains(&alpha) && (1..=How::MOST_NEIGHBOURS).contains(&count)
            }
        };
        let keep = self.keep > 0.0 && self.keep <= 1.0;
        Error::Config.when(!(how && keep && self.trials <= Self::MOST))
    }

    /// Whether sources have a say where a model proposes.
    pub(crate) fn helps(&self) -> bool {
        self.how != How::Alone || self.keep < 1.0
    }

    /// Whether meta-features are needed of the sources and of the new data set.
    pub(crate) fn needs_features(&self) -> bool {
        let by_features = match self.how {
            How::Stage(weights) | How::Value(weights) => matches!(weights, Weights::Features { .. }),
            How::Neighbours { by, .. } => by == Near::Features,
            How::Alone | How::Function { .. } | How::Prior | How::Ranker | How::Perceptron => false,
        };
        by_features || self.start == Start::Nearest
    }

    /// Whether variances of the sources are needed.
    pub(crate) fn needs_variances(&self) -> bool {
        self.how.weights().is_some_and(Weights::is_full)
    }

    /// Whether more is needed of a source than its means and its rows one by one.
    pub(crate) fn needs_rows(&self) -> bool {
        self.needs_variances() || matches!(self.how, How::Neighbours { .. } | How::Ranker)
    }
}
