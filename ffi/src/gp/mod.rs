//! Gaussian-process regression alone, in a lent block.
//!
//! ```text
//! block = head │ nodes, lists of the kernel │ process │ room for points that are converted
//! ```

mod data;
mod learn;
mod make;
mod predict;
mod process;

pub use data::*;
pub use learn::*;
pub use make::*;
pub use predict::*;
