//! Bayesian optimization in one bounded block of memory.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic"))]

#[cfg(any(test, feature = "std"))]
extern crate std;
#[cfg(feature = "alloc")]
extern crate alloc;

pub mod arena;
pub mod error;
pub mod math;
pub mod real;
pub mod rng;
pub mod stats;

pub mod descent;
pub mod linalg;
pub mod space;

pub mod kernel;

pub mod acquisition;

pub use error::Error;
pub use real::Real;
