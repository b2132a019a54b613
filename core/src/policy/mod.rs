//! Lookahead and sampling policies (entropy search, knowledge gradient, Thompson sampling, portfolios): what a trial is worth
//! where no closed form of one prediction says it.
//!
//! Every policy asks the model through [`Surrogate`](crate::surrogate::Surrogate) alone, so that exact processes, sparse
//! ones and forests are served alike; only [`rff_thompson`] needs a kernel. Each is a struct of lent slices: `scalars` says how
//! many, `new` divides them, `prepare` does once per ask what does not depend on the candidate, `score` is larger where a
//! trial is worth more. x* is the minimiser, y* the lowest value:
//!
//! ```text
//! entropy      H[x*] − E H[x* | y(x)]                     over representers, draws conditioned on fantasies
//! predictive   H[y(x)] − E H[y(x) | x*]                   by moments
//! max_value    H[f(x)] − E H[f(x) | y*]                   closed in m and s once y* is drawn
//! knowledge    min m − E min m′                           exact over representers and candidate
//! thompson     −f(x), f drawn jointly at candidates       spectral   the same, f a sum of waves
//! hedge        a rule by what became of its proposals     portfolio  a proposal by the entropy it leaves
//! noisy        E a(x | min f)                             over joint draws at all trials
//! ```
//!
//! A policy that anchors representers owns the anchors of its model from `prepare` to the last `score`.

pub mod entropy;
mod gumbel;
pub mod hedge;
pub mod hermite;
mod joint;
pub mod knowledge;
pub mod max_value;
pub mod portfolio;
pub mod predictive;
mod prepared;
pub mod rff_thompson;
pub mod spectral_density;
#[cfg(test)]
mod tests;
pub mod thompson;

pub use entropy::EntropySearch;
pub use hedge::Hedge;
pub use knowledge::Knowledge;
pub use max_value::{MaxValue, Minima};
pub use predictive::PredictiveEntropy;
pub(crate) use prepared::{Prepared, Question};
pub use rff_thompson::RffThompson;
pub use thompson::Thompson;

use crate::error::Error;
use crate::pending::Joint;
use crate::real::Real;

/// How proposals are chosen, as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// By the closed form that the configuration names.
    #[default]
    Closed,
    /// See [`EntropySearch`].
    EntropySearch {
        /// Points among which the minimiser is looked for.
        representers: u32,
        /// Joint draws.
        draws: u32,
        /// Values that a trial is imagined to have.
        fantasies: u32,
    },
    /// See [`PredictiveEntropy`].
    PredictiveEntropy {
        /// Points among which the minimiser is looked for.
        representers: u32,
        /// Joint draws.
        draws: u32,
    },
    /// See [`MaxValue`].
    MaxValue {
        /// Points over which the lowest value is drawn.
        representers: u32,
        /// Lowest values that are drawn.
        draws: u32,
        /// How they are drawn.
        minima: Minima,
    },
    /// See [`Thompson`].
    Thompson {
        /// Points of the joint draw.
        candidates: u32,
    },
    /// See [`RffThompson`].
    Spectral {
        /// Frequencies, each of two waves.
        features: u32,
    },
    /// See [`Knowledge`].
    Knowledge {
        /// Points among which the lowest mean is looked for.
        representers: u32,
    },
    /// See [`Hedge`], over [`portfolio::members`].
    Hedge,
    /// Of what [`portfolio::members`] nominate, that which leaves the least doubt.
    Portfolio {
        /// Points among which the minimiser is looked for.
        representers: u32,
        /// Joint draws.
        draws: u32,
        /// Values that a trial is imagined to have.
        fantasies: u32,
    },
    /// The acquisition against what the best of the noisy values may be; see [`crate::pending`].
    Noisy {
        /// Joint draws at all trials, told and open.
        draws: u32,
    },
}

/// Most representers, or candidates of a joint draw.
pub const MAX_REPRESENTERS: u32 = 1024;
/// Most draws.
pub const MAX_DRAWS: u32 = 1 << 14;
/// Most values that a trial is imagined to have.
pub const MAX_FANTASIES: u32 = hermite::MAX_NODES as u32;
/// Most frequencies.
pub const MAX_FEATURES: u32 = 2048;

impl Policy {
    /// Entropy search with counts for everyday use.
    pub const ENTROPY_SEARCH: Self = Self::EntropySearch { representers: 48, draws: 128, fantasies: 5 };
    /// Predictive entropy search with counts for everyday use.
    pub const PREDICTIVE_ENTROPY: Self = Self::PredictiveEntropy { representers: 64, draws: 128 };
    /// Max-value entropy search with counts for everyday use.
    pub const MAX_VALUE: Self = Self::MaxValue { representers: 64, draws: 16, minima: Minima::Joint };
    /// Joint Thompson sampling with counts for everyday use.
    pub const THOMPSON: Self = Self::Thompson { candidates: 128 };
    /// Spectral Thompson sampling with counts for everyday use.
    pub const SPECTRAL: Self = Self::Spectral { features: 128 };
    /// Knowledge gradient with counts for everyday use.
    pub const KNOWLEDGE: Self = Self::Knowledge { representers: 64 };
    /// Noisy expected improvement with counts for everyday use.
    pub const NOISY: Self = Self::Noisy { draws: 32 };
    /// An entropy-search portfolio with counts for everyday use.
    pub const PORTFOLIO: Self = Self::Portfolio { representers: 64, draws: 256, fantasies: 8 };

    /// Whether every count is at least 1 and at most its bound.
    ///
    /// # Errors
    /// [`Error::Config`] if not.
    pub const fn check(&self) -> Result<(), Error> {
        let sound = match *self {
            Self::Closed | Self::Hedge => true,
            Self::EntropySearch { representers, draws, fantasies }
            | Self::Portfolio { representers, draws, fantasies } => {
                within(representers, MAX_REPRESENTERS)
                    && within(draws, MAX_DRAWS)
                    && within(fantasies, MAX_FANTASIES)
            }
            Self::PredictiveEntropy { representers, draws } | Self::MaxValue { representers, draws, .. } => {
                within(representers, MAX_REPRESENTERS) && within(draws, MAX_DRAWS)
            }
            Self::Thompson { candidates: count } | Self::Knowledge { representers: count } => {
                within(count, MAX_REPRESENTERS)
            }
            Self::Spectral { features } => within(features, MAX_FEATURES),
            Self::Noisy { draws } => within(draws, MAX_DRAWS),
        };
        if sound { Ok(()) } else { Err(Error::Config) }
    }

    /// Whether a score costs about what a closed form costs; the others cost a hundred times that.
    pub(crate) const fn is_cheap(&self) -> bool {
        match self {
            Self::Closed
            | Self::Hedge
            | Self::Portfolio { .. }
            | Self::MaxValue { .. }
            | Self::Spectral { .. } => true,
            Self::EntropySearch { .. }
            | Self::PredictiveEntropy { .. }
            | Self::Thompson { .. }
            | Self::Knowledge { .. }
            | Self::Noisy { .. } => false,
        }
    }

    /// Points that the policy anchors at most with so many trials: what the model needs room for.
    #[must_use]
    pub const fn anchors(&self, trials: usize) -> usize {
        match *self {
            Self::Noisy { .. } => trials,
            Self::EntropySearch { representers, .. }
            | Self::PredictiveEntropy { representers, .. }
            | Self::MaxValue { representers, minima: Minima::Joint, .. }
            | Self::Knowledge { representers }
            | Self::Portfolio { representers, .. }
            | Self::Thompson { candidates: representers } => representers as usize,
            Self::Closed | Self::Hedge | Self::Spectral { .. } | Self::MaxValue { .. } => 0,
        }
    }

    /// Scalars of memory that the policy works in during an ask, for as many observations, coordinates and basis
    /// functions of the trend. What a [`Hedge`] keeps between asks is not among them: it is [`Hedge::scalars`].
    #[must_use]
    pub const fn scalars<R: Real>(&self, rows: usize, dims: usize, columns: usize) -> usize {
        match *self {
            Self::Closed | Self::Hedge => 0,
            Self::EntropySearch { representers, draws, fantasies }
            | Self::Portfolio { representers, draws, fantasies } => {
                EntropySearch::<R>::scalars(representers as usize, draws as usize, fantasies as usize)
            }
            Self::PredictiveEntropy { representers, .. } => {
                PredictiveEntropy::<R>::scalars(representers as usize)
            }
            Self::MaxValue { representers, draws, .. } => {
                MaxValue::<R>::scalars(representers as usize, draws as usize)
            }
            Self::Thompson { candidates } => Thompson::<R>::scalars(candidates as usize),
            Self::Spectral { features } => RffThompson::<R>::scalars(rows, dims, columns, features as usize),
            Self::Knowledge { representers } => Knowledge::<R>::scalars(representers as usize),
            Self::Noisy { draws } => Joint::<R>::scalars(rows, dims, draws as usize),
        }
    }

    /// The number of the policy, fixed for ever, and its counts: what is written when it is saved.
    #[must_use]
    pub const fn words(&self) -> [u64; 4] {
        match *self {
            Self::Closed => [0, 0, 0, 0],
            Self::EntropySearch { representers, draws, fantasies } => {
                [1, representers as u64, draws as u64, fantasies as u64]
            }
            Self::PredictiveEntropy { representers, draws } => [2, representers as u64, draws as u64, 0],
            Self::MaxValue { representers, draws, minima } => {
                [3, representers as u64, draws as u64, minima as u64]
            }
            Self::Thompson { candidates } => [4, candidates as u64, 0, 0],
            Self::Spectral { features } => [5, features as u64, 0, 0],
            Self::Knowledge { representers } => [6, representers as u64, 0, 0],
            Self::Hedge => [7, 0, 0, 0],
            Self::Portfolio { representers, draws, fantasies } => {
                [8, representers as u64, draws as u64, fantasies as u64]
            }
            Self::Noisy { draws } => [9, draws as u64, 0, 0],
        }
    }

    /// The policy that [`Policy::words`] wrote.
    ///
    /// # Errors
    /// [`Error::Config`] if no policy has the number, a count is out of its range, or a word that is not used is not 0.
    pub fn from_words(words: [u64; 4]) -> Result<Self, Error> {
        let count = |i: usize| u32::try_from(words[i]).map_err(|_| Error::Config);
        let policy = match words[0] {
            0 => Self::Closed,
            1 => Self::EntropySearch { representers: count(1)?, draws: count(2)?, fantasies: count(3)? },
            2 => Self::PredictiveEntropy { representers: count(1)?, draws: count(2)? },
            3 => {
                let minima = if words[3] == 0 { Minima::Joint } else { Minima::Gumbel };
                Self::MaxValue { representers: count(1)?, draws: count(2)?, minima }
            }
            4 => Self::Thompson { candidates: count(1)? },
            5 => Self::Spectral { features: count(1)? },
            6 => Self::Knowledge { representers: count(1)? },
            7 => Self::Hedge,
            8 => Self::Portfolio { representers: count(1)?, draws: count(2)?, fantasies: count(3)? },
            9 => Self::Noisy { draws: count(1)? },
            _ => return Err(Error::Config),
        };
        policy.check()?;
        if policy.words() == words { Ok(policy) } else { Err(Error::Config) }
    }
}

const fn within(count: u32, most: u32) -> bool {
    0 < count && count <= most
}
