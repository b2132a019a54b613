//! The C interface of infill: one block, three tiers, no surprises.
//!
//! # Conventions
//!
//! 1. Parameters come in the order self, inputs, outputs. There are no parameters that are both.
//! 2. A function that can fail returns [`infill_status`]: 0, or a negative number that never changes its meaning.
//! 3. Outputs are written only on success. On failure nothing has changed, in the handle or elsewhere.
//! 4. Every pointer is checked for NULL and for alignment. A pointer may be NULL only where its comment says so.
//! 5. Structures that are read carry their size first and may grow; structures that are written never do.
//! 6. There is no global state. One object is used by one thread at a time; functions that take a `const` handle may
//!    run together.
//! 7. A callback may stop a run; it must not unwind through this library, and must not use the handle it works for.
//! 8. Nothing allocates but what says so. A panic, which is a defect of this library, becomes `INFILL_PANIC` and
//!    spoils the handle; without an operating system it stops the machine.
//!
//! Layers here: `border` (pointers, panics, scalars) and `status` below; `space`, `kernel`, `config` turn C data into
//! what the library takes; `block`, `minimize`, `ask`, `look`, `backend`, `gp`, `parts` are the exported functions.
#![no_std]
#![allow(non_camel_case_types, reason = "the names are those of the header")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the contract of all pointers is written once, in the conventions"
)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic"))]

#[cfg(any(test, feature = "std"))]
extern crate std;

#[cfg(not(any(feature = "f32", feature = "f64")))]
compile_error!("one of the features f32 and f64 has to be on");

mod ask;
mod backend;
mod block;
mod border;
mod config;
mod gp;
#[cfg(feature = "std")]
mod gpu;
mod kernel;
mod look;
mod minimize;
mod parts;
mod space;
mod status;
mod version;

pub use ask::*;
pub use backend::*;
pub use block::*;
pub use config::*;
pub use gp::*;
#[cfg(feature = "std")]
pub use gpu::*;
pub use kernel::*;
pub use look::*;
pub use minimize::*;
pub use parts::*;
pub use space::*;
pub use status::*;
pub use version::*;

/// Stops the machine: there is nobody to tell.
#[cfg(not(any(test, feature = "std")))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        border::trap();
    }
}
