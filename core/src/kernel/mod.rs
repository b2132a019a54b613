//! Kernels, covariance functions as data: the similarity of two points.
//!
//! A kernel is a postfix tape of sixteen-byte nodes; its hyperparameters θ are kept apart, as logarithms.
//! Build one with [`Kernel`], write it into words, and view the words as a [`Tape`]:
//! ```text
//! [Matérn 5/2, dims 0..3] [Hamming, dims {3}] [Product] [Scale]      θ = ln (ℓ₁ ℓ₂ ℓ₃ w σ²)
//! ```
//! The same words run here, on a GPU, and out of a saved block. [`Rows`] runs a tape over many points at once.

mod arc;
mod bessel;
mod block;
mod build;
pub(crate) mod covariance;
mod default_kernel;
mod discrete;
mod dot;
mod gate;
mod leaf;
mod node;
mod one_hot;
mod op;
mod prior;
mod rows;
mod similarity;
mod stationary;
mod tape;
#[cfg(test)]
mod tests;
mod theta;
mod vector;

pub use build::{Dims, Kernel, MAX_LISTS};
pub use covariance::{Covariance, gram};
pub(crate) use default_kernel::default_kernel;
pub(crate) use node::MAX_DEPTH;
pub use node::{MAX_NODES, Node};
pub(crate) use op::Spectrum;
pub use op::{Discrete, Form, Formula, Gate, Half, Op, Parameter, Profile, Role};
pub use prior::{MIN_SD, Prior};
pub use rows::Rows;
pub use similarity::{Branches, Categories, Similarity, Structure};
pub use tape::Tape;
pub use theta::Theta;
pub(crate) use theta::{MAX_LOG, ThetaRead};

/// Words of a tape of `nodes` nodes and `lists` list entries.
#[must_use]
pub const fn words(nodes: usize, lists: usize) -> usize {
    nodes.saturating_mul(2).saturating_add(lists.div_ceil(4))
}
