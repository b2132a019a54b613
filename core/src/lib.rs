//! Bayesian optimization in one bounded block of memory.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic"))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod arena;
pub mod error;
pub mod limits;
pub mod math;
pub mod real;
pub mod rng;
pub mod stats;

pub mod descent;
pub mod linalg;
pub mod space;
pub mod trend;

pub mod acquisition;
pub mod backend;
pub mod kernel;

pub mod gp;

#[cfg(feature = "faer")]
pub mod faer;
pub mod plain;

pub mod search;

pub mod config;
pub mod optimizer;
pub mod trial;

pub use acquisition::{Acquisition, Prediction};
pub use backend::{Backend, Objective};
pub use config::{Config, Incumbent, Noise, Refit, WhenFull};
pub use error::Error;
pub use gp::{Gp, Training, Transform};
pub use kernel::{Covariance, Kernel};
pub use limits::Limits;
pub use optimizer::Optimizer;
pub use plain::Plain;
pub use real::Real;
pub use search::Search;
pub use space::{Condition, Design, Param, Space, When};
pub use trend::Trend;
pub use trial::{Ask, Origin, State, Trial, TrialId};
