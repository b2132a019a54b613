//! What kind of ensemble to fit, and how.

use crate::error::Error;
use crate::limits::Limit;

/// How an ensemble is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// The kind of ensemble.
    pub kind: Kind,
    /// Share of the features that are looked at in each node, at least one, in (0, 1]. One that is constant in a node
    /// does not count.
    pub features: f64,
    /// Distinct rows that each leaf holds, 1 … 2²⁴.
    pub leaf: u32,
    /// Splits between the root and a leaf, 0 … 2¹⁶.
    pub depth: u32,
    /// What the variance is made of; boosted ensembles have only one.
    pub spread: Spread,
    /// Least variance that is predicted, finite and not negative.
    pub floor: f64,
}

/// The kinds of ensembles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Averaged trees, each with the best cuts of as many rows drawn with replacement; or of all rows.
    Random {
        /// Whether rows are drawn.
        bootstrap: bool,
    },
    /// Averaged trees of all rows with random cuts.
    Extra,
    /// Gradient boosting, a third of the trees each for the mean and for a low and a high quantile.
    ///
    /// ```text
    /// s(x) = (F_high(x) − F_low(x)) / (Φ⁻¹(high) − Φ⁻¹(low)),   0 where the quantiles cross
    /// ```
    Boosted {
        /// What each tree contributes, in (0, 1].
        rate: f64,
        /// Share of the rows that each tree sees, in (0, 1].
        share: f64,
        /// The low quantile, 0 < low < high.
        low: f64,
        /// The high quantile, low < high < 1.
        high: f64,
    },
}

/// What a predicted variance is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// (1/B) Σ [v_b + (m_b − m)²]: the law of total variance.
    Total,
    /// (1/(B−1)) Σ (m_b − m)²: what the trees disagree about; 0 for a single tree.
    Across,
}

impl Settings {
    /// A random forest: 5/6 of the features, two rows in a leaf.
    pub const RANDOM: Self = Self {
        kind: Kind::Random { bootstrap: true },
        features: 5.0 / 6.0,
        leaf: 2,
        depth: 64,
        spread: Spread::Total,
        floor: 0.0,
    };

    /// Extremely randomised trees: all features, two rows in a leaf.
    pub const EXTRA: Self = Self { kind: Kind::Extra, features: 1.0, ..Self::RANDOM };

    /// Gradient boosting with the quantiles 0.16 and 0.84: trees of depth 3, rate 0.1.
    pub const BOOSTED: Self = Self {
        kind: Kind::Boosted { rate: 0.1, share: 1.0, low: 0.16, high: 0.84 },
        features: 1.0,
        leaf: 1,
        depth: 3,
        ..Self::RANDOM
    };

    /// Whether every setting is in its range, for so many trees.
    ///
    /// # Errors
    /// [`Error::Config`]; [`Error::Limits`] for a boosted ensemble of fewer than three trees.
    pub(crate) fn check(&self, trees: usize) -> Result<(), Error> {
        // NaN is in no range.
        let share = |value: f64| value > 0.0 && value <= 1.0;
        let kind = match self.kind {
            Kind::Boosted { rate, share: rows, low, high } => {
                Limit::Trees.at_least(trees, 3)?;
                share(rate) && share(rows) && low >= 1e-6 && high <= 1.0 - 1e-6 && low + 1e-6 <= high
            }
            Kind::Random { .. } | Kind::Extra => true,
        };
        let counts = self.leaf > 0 && self.leaf <= 1 << 24 && self.depth <= 1 << 16;
        let floor = self.floor >= 0.0 && self.floor.is_finite();
        if kind && counts && floor && share(self.features) { Ok(()) } else { Err(Error::Config) }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::RANDOM
    }
}
