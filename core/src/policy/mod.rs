//! Lookahead and sampling policies (entropy search, knowledge gradient, Thompson sampling, portfolios): what a trial is worth
//! where no closed form of one prediction says it.
//!
//! Every policy asks the model through [`Surrogate`](crate::surrogate::Surrogate) alone, so that exact processes, sparse
//! ones and forests are served alike; only `rff_thompson` needs a kernel. Each is a struct of lent slices: `scalars` says how
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

pub(crate) mod entropy;
mod gumbel;
pub(crate) mod hedge;
pub(crate) mod hermite;
mod joint;
pub(crate) mod knowledge;
pub(crate) mod max_value;
pub(crate) mod portfolio;
pub(crate) mod predictive;
mod prepared;
pub(crate) mod rff_thompson;
pub(crate) mod spectral_density;
#[cfg(test)]
mod tests;
pub(crate) mod thompson;

pub(crate) use entropy::EntropySearch;
pub(crate) use hedge::Hedge;
pub(crate) use knowledge::Knowledge;
pub(crate) use max_value::MaxValue;
pub use max_value::Minima;
pub(crate) use predictive::PredictiveEntropy;
pub(crate) use prepared::{Prepared, Question};
pub(crate) use rff_thompson::RffThompson;
pub(crate) use thompson::Thompson;

use crate::error::Error;
use crate::pending::Joint;
use crate::real::Real;

/// Most representers, or candidates of a joint draw.
pub(crate) const MAX_REPRESENTERS: u32 = 1024;
/// Most draws.
pub(crate) const MAX_DRAWS: u32 = 1 << 14;
/// Most values that a trial is imagined to have.
pub(crate) const MAX_FANTASIES: u32 = hermite::MAX_NODES as u32;
/// Most frequencies.
pub(crate) const MAX_FEATURES: u32 = 2048;

/// The points at which a policy looks at the model before it is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sites {
    /// None.
    Nowhere,
    /// The open trials.
    Open,
    /// All trials, told and open.
    Trials,
    /// Representers.
    Representers,
}

/// The settings of a policy, those of all policies together; 0 where it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Points among which a minimiser is looked for, or candidates of a joint draw.
    pub representers: u32,
    /// Joint draws.
    pub draws: u32,
    /// Values that a trial is imagined to have.
    pub fantasies: u32,
    /// Frequencies.
    pub features: u32,
    /// How lowest values are drawn.
    pub minima: Minima,
}

impl Counts {
    const NONE: Self = Self { representers: 0, draws: 0, fantasies: 0, features: 0, minima: Minima::Joint };
}

/// One row a policy: its number, fixed for ever; its name; the name of its everyday form, and its settings there with the
/// member of [`Counts`] that each is; where it looks at the model; whether a score costs about what a closed form costs.
macro_rules! policies {
    ($(
        $(#[$doc:meta])*
        $number:literal: $name:ident
        $($usual:ident { $($(#[$of:meta])* $field:ident: $type:ty = $value:expr => $count:ident),+ })?,
        $sites:ident, cheap: $cheap:literal;
    )+) => {
        /// How proposals are chosen, as plain data.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub enum Policy {
            $($(#[$doc])* $name $({ $($(#[$of])* $field: $type),+ })?,)+
        }

        impl Policy {
            $($(
                #[doc = concat!("[`Policy::", stringify!($name), "`] with counts for everyday use.")]
                pub const $usual: Self = Self::$name { $($field: $value),+ };
            )?)+

            /// Each with counts for everyday use, at the place of its number.
            pub const ALL: [Self; [$($number),+].len()] = [$(Self::$name $({ $($field: $value),+ })?),+];

            /// Its settings.
            pub(crate) const fn counts(&self) -> Counts {
                match *self {
                    $(Self::$name $({ $($field),+ })? => {
                        Counts { $($($count: $field,)+)? ..Counts::NONE }
                    })+
                }
            }

            /// The same with such of these settings as it has.
            pub(crate) const fn with_counts(&self, counts: &Counts) -> Self {
                match self {
                    $(Self::$name $({ $($field: _),+ })? => Self::$name $({ $($field: counts.$count),+ })?,)+
                }
            }

            /// The number of the policy in [`Policy::ALL`], fixed for ever.
            #[must_use]
            pub const fn code(&self) -> u32 {
                match self {
                    $(Self::$name $({ $($field: _),+ })? => $number,)+
                }
            }

            /// Where it looks at the model before it is scored.
            pub(crate) const fn sites(&self) -> Sites {
                match self {
                    $(Self::$name $({ $($field: _),+ })? => Sites::$sites,)+
                }
            }

            /// Whether a score costs about what a closed form costs; the others cost a hundred times that.
            pub(crate) const fn is_cheap(&self) -> bool {
                match self {
                    $(Self::$name $({ $($field: _),+ })? => $cheap,)+
                }
            }
        }
    };
}

policies! {
    /// By the closed form that the configuration names.
    #[default]
    0: Closed, Open, cheap: true;
    /// Entropy search: the expected fall of the entropy of the minimiser (Hennig and Schuler, 2012).
    1: EntropySearch ENTROPY_SEARCH {
        /// Points among which the minimiser is looked for.
        representers: u32 = 48 => representers,
        /// Joint draws.
        draws: u32 = 128 => draws,
        /// Values that a trial is imagined to have.
        fantasies: u32 = 5 => fantasies
    }, Representers, cheap: false;
    /// Predictive entropy search: the expected fall of the entropy of a trial if the minimiser were known
    /// (Hernández-Lobato, Hoffman and Ghahramani, 2014).
    2: PredictiveEntropy PREDICTIVE_ENTROPY {
        /// Points among which the minimiser is looked for.
        representers: u32 = 64 => representers,
        /// Joint draws.
        draws: u32 = 128 => draws
    }, Representers, cheap: false;
    /// Max-value entropy search: the expected fall of the entropy of a trial if the lowest value were known (Wang and
    /// Jegelka, 2017).
    3: MaxValue MAX_VALUE {
        /// Points over which the lowest value is drawn.
        representers: u32 = 64 => representers,
        /// Lowest values that are drawn.
        draws: u32 = 16 => draws,
        /// How they are drawn.
        minima: Minima = Minima::Joint => minima
    }, Representers, cheap: true;
    /// Thompson sampling: the minimiser of a joint draw over candidates (Thompson, 1933).
    4: Thompson THOMPSON {
        /// Points of the joint draw.
        candidates: u32 = 128 => representers
    }, Representers, cheap: false;
    /// Thompson sampling by random Fourier features, of an exact Gaussian process: the minimiser of a draw that is a function
    /// of the whole space (Rahimi and Recht, 2007).
    5: Spectral SPECTRAL {
        /// Frequencies, each of two waves.
        features: u32 = 128 => features
    }, Nowhere, cheap: true;
    /// Knowledge gradient: the expected fall of the lowest mean (Frazier, Powell and Dayanik, 2009).
    6: Knowledge KNOWLEDGE {
        /// Points among which the lowest mean is looked for.
        representers: u32 = 64 => representers
    }, Representers, cheap: false;
    /// GP-Hedge: one of three rules by chance, more often the one whose nominees did well (Hoffman, Brochu and de Freitas,
    /// 2011).
    7: Hedge, Nowhere, cheap: true;
    /// Of what a portfolio of rules nominates, that which leaves the least doubt.
    8: Portfolio PORTFOLIO {
        /// Points among which the minimiser is looked for.
        representers: u32 = 64 => representers,
        /// Joint draws.
        draws: u32 = 256 => draws,
        /// Values that a trial is imagined to have.
        fantasies: u32 = 8 => fantasies
    }, Representers, cheap: true;
    /// The acquisition against what the best of the noisy values may be.
    9: Noisy NOISY {
        /// Joint draws at all trials, told and open.
        draws: u32 = 32 => draws
    }, Trials, cheap: false;
}

impl Policy {
    /// Whether every count is at least 1 and at most its bound.
    ///
    /// # Errors
    /// [`Error::Config`] if not.
    pub(crate) const fn check(&self) -> Result<(), Error> {
        // A setting that is 0 in everyday use is none of this policy's.
        const fn fits(count: u32, usual: u32, most: u32) -> bool {
            usual == 0 || 0 < count && count <= most
        }
        let (own, usual) = (self.counts(), Self::ALL[self.code() as usize].counts());
        let sound = fits(own.representers, usual.representers, MAX_REPRESENTERS)
            && fits(own.draws, usual.draws, MAX_DRAWS)
            && fits(own.fantasies, usual.fantasies, MAX_FANTASIES)
            && fits(own.features, usual.features, MAX_FEATURES);
        if sound { Ok(()) } else { Err(Error::Config) }
    }

    /// Points that the policy anchors at most with so many trials: what the model needs room for.
    pub(crate) const fn anchors(&self, trials: usize) -> usize {
        match self.sites() {
            Sites::Trials => trials,
            // Those of a Gumbel fit are predicted one by one and not anchored.
            Sites::Representers if matches!(self, Self::MaxValue { minima: Minima::Gumbel, .. }) => 0,
            Sites::Representers => self.counts().representers as usize,
            Sites::Open | Sites::Nowhere => 0,
        }
    }

    /// Scalars of memory that the policy works in during an ask, for as many observations, coordinates and basis
    /// functions of the trend. What a [`Hedge`] keeps between asks is not among them: it is [`Hedge::scalars`].
    pub(crate) const fn scalars<R: Real>(&self, rows: usize, dims: usize, columns: usize) -> usize {
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
}
