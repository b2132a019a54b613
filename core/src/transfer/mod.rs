//! Transfer learning between data sets: what earlier runs of the same search on other data teach the next one.
//!
//! ```text
//! source                         mean(x) = o + k(x, X)ᵀα,  fitted to values between 0 and 1             [`Source`], [`Sources`]
//! distance of two data sets      KTRC = discordant ordered pairs / (t(t − 1))                          [`ktrc`]
//! kernel of a distance           δ(r) = ¾(1 − r²) for r ≤ 1, 0 beyond                                  [`epanechnikov`]
//! search without a model         c(x) = Σ_D min over X ∪ {x} of rank_D                                 [`Sequence`]
//! description of a data set      22 numbers: counts, class probabilities, moments of the predictors    [`features`]
//! ```
//!
//! # References
//! Wistuba, *Automated Machine Learning: Bayesian Optimization, Meta-Learning & Applications*, dissertation, Hildesheim 2017.

mod distance;
pub mod features;
mod list;
mod sequence;
mod source;
#[cfg(test)]
mod tests;

pub use distance::{epanechnikov, ktrc};
pub use list::Sources;
pub use sequence::{Rule, Sequence};
pub(crate) use source::Observed;
pub use source::{Form, Size, Source};
