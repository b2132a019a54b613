//! Kernel matrices and batched acquisition on a GPU.
//!
//! [`Gpu`] is a [`Backend`](infill::Backend) whose arithmetic runs as compute shaders, in single precision. It screens,
//! the CPU decides:
//!
//! | call | where |
//! | --- | --- |
//! | `score` | the device: cross-covariances, a blocked triangular solve, closed forms |
//! | [`Gpu::screen`] | the device, candidates and the choice of the best included; the winners are scored again on the CPU in the model's scalar |
//! | `spread` | as [`Gpu::screen`], so that an ask copies no candidates |
//! | `evidence_many` | the device: many sets of hyperparameters at once, for ranking them |
//! | `gram`, `factor` | the device if the noise outweighs its rounding ([`trusted`]), else the CPU |
//! | `cross`, `solve` | the device, for `f32`; the CPU for `f64` |
//! | `evidence`, `invert` | the CPU: training follows slopes that single precision does not have |
//!
//! A kernel with a Matérn node of general order, more than 64 dimensions, a trend with more than 64 basis functions, and
//! whatever is too small to be worth the way ([`Options::worth`]) is the CPU's. [`OrPlain`] goes on when a device is lost; [`Or`] leaves
//! the CPU's share to any other backend.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic"))]

mod adapter;
mod counters;
mod device;
mod error;
mod evidence;
mod evidence_error;
mod gpu;
mod matrix;
mod options;
mod or;
mod precision;
mod rounding;
mod score;
mod screen;
mod split;
mod stage;
mod tape;
mod wait;

pub use adapter::{AdapterName, adapters};
pub use counters::Counters;
pub use error::Fault;
pub use gpu::Gpu;
pub use options::{Api, Options, Power};
pub use or::{Or, OrPlain};
pub use precision::{Errors, trusted};
pub use screen::{Candidates, Screen, Winner};
pub use split::Split;
