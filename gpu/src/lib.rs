//! The GPU backend: kernel matrices and batched acquisition as compute shaders.
//!
//! [`Hybrid`] is a [`Backend`](infill::Backend) of two: a [`Gpu`], whose arithmetic is in single precision, screens, a
//! backend of the CPU decides.
//!
//! | call | where |
//! | --- | --- |
//! | `score` | the device: cross-covariances, a blocked triangular solve, closed forms |
//! | [`Hybrid::screen`] | the device, candidates and the choice of the best included; the winners are scored again on the CPU in the model's scalar |
//! | `screen_sobol` | as [`Hybrid::screen`], so that an ask copies no candidates |
//! | `evidence_many` | the device: many sets of hyperparameters at once, for ranking them |
//! | `gram`, `factor` | the device if the noise outweighs its rounding ([`trusted`]), else the CPU |
//! | `means`, `pool` | the device: sources are copied once, known by the fingerprint of their list, weighted there |
//! | `cross`, `solve` | the device, for `f32`; the CPU for `f64` |
//! | `evidence`, `invert` | the CPU: training follows slopes that single precision does not have |
//!
//! A kernel with a Matérn node of general order, more than 64 dimensions, a trend with more than 64 basis functions, and
//! whatever is too small to be worth the way ([`Options::worth`]) is the CPU's. [`WithFallback`] goes
//! on when a device is lost.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic"))]

mod adapter;
mod counters;
mod device;
mod error;
mod evidence;
mod fallback;
mod gpu;
mod hybrid;
mod matrix;
mod means;
mod options;
mod precision;
mod score;
mod screen;
mod stage;
mod tape;
mod wait;

pub use adapter::{AdapterName, adapters};
pub use counters::Counters;
pub use error::Fault;
pub use fallback::{Fallback, WithFallback};
pub use gpu::Gpu;
pub use hybrid::{Hybrid, OnFault};
pub use options::{Api, Options, Power};
pub use precision::trusted;
pub use screen::{Candidates, Screen, Winner};
