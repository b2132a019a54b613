//! What several tests share: reference numbers, calculus by brute force, test problems, an allocation
//! counter and a plot.
//!
//! Nothing here uses the library under test, so that an agreement between the two means something.

pub mod calculus;
pub mod contest;
pub mod cpp;
pub mod declarations;
pub mod families;
mod font;
pub mod golden;
pub mod grid;
pub mod interface;
pub mod manual;
pub mod members;
pub mod memory;
pub mod metadata;
pub mod mixed;
pub mod native;
pub mod oracle;
pub mod plot;
pub mod problems;
pub mod random;
pub mod regret;
pub mod scaling;
mod shape;
pub mod statuses;
pub mod stubs;
pub mod study;
pub mod summary;
mod texts;

/// The Rust of the front page, which is compiled and run as a documentation test.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
