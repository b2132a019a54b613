//! The C interface of infill: one block, three tiers, no surprises.
//!
//! The conventions that hold for every function are the first page of the header, `header/top.h`.
//!
//! Layers here: `pointer` (pointers, blocks, scalars), `export` (bodies of functions), `heap` and `status` below; `space`,
//! `kernel`, `choices`, `config`, `settings`, `select` turn C data into what the library takes; `block`, `minimize`, `ask`, `query`,
//! `source`, `backend`, `gpu`, `gp`, `primitives`, `race`, `compare`, `document` are the exported functions.
#![no_std]
#![allow(non_camel_case_types, reason = "the names are those of the header")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the contract of all pointers is written once, in header/top.h"
)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic"))]

#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(not(any(feature = "f32", feature = "f64")))]
compile_error!("one of the features f32 and f64 has to be on");

mod ask;
mod backend;
mod block;
mod choices;
#[cfg(feature = "std")]
mod compare;
mod config;
#[cfg(feature = "std")]
mod document;
mod explain;
mod export;
mod frace;
mod gp;
#[cfg(feature = "std")]
mod gpu;
#[cfg(feature = "std")]
mod heap;
mod kernel;
mod minimize;
mod names;
mod pointer;
mod primitives;
mod query;
mod race;
mod source;
mod space;
mod status;
mod version;

pub use ask::*;
pub use backend::*;
pub use block::*;
pub use choices::*;
#[cfg(feature = "std")]
pub use compare::*;
pub use config::*;
#[cfg(feature = "std")]
pub use document::*;
pub use explain::*;
pub use frace::*;
pub use gp::*;
#[cfg(feature = "std")]
pub use gpu::*;
pub use kernel::*;
pub use minimize::*;
pub use primitives::*;
pub use query::*;
pub use race::*;
pub use source::*;
pub use space::*;
pub use status::*;
pub use version::*;

/// Stops the machine: there is nobody to tell.
#[cfg(not(any(test, feature = "std")))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        export::trap();
    }
}
