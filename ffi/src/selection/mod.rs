//! Selection among algorithms that each have parameters of their own.

mod ask;
mod data;
mod handle;
mod look;
mod make;

pub use ask::*;
pub use data::*;
pub use look::*;
pub use make::*;
