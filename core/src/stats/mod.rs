//! Probability distributions: the two of a prediction, [`normal`] for a Gaussian process, `student` when its scale is
//! integrated out. Both keep their relative accuracy in the far tails, where an acquisition function has to
//! compare points that are all unlikely to be good. Beside them, what bends inputs and fits degrees of freedom: `beta`,
//! `gamma`; and what tests of significance need: `chi_squared`, `fisher`, `range`.

pub(crate) mod beta;
pub(crate) mod chi_squared;
#[cfg(feature = "std")]
pub(crate) mod fisher;
pub(crate) mod gamma;
pub mod normal;
#[cfg(feature = "std")]
pub(crate) mod range;
pub(crate) mod student;
