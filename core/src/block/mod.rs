//! Blocks of words that outlive a program: how they are laid out, recognised and checked.
//!
//! ```text
//! header: magic, kind, version · scalar, words · checksum · fingerprint of the space │ sections of the object
//! ```

pub(crate) mod arena;
pub(crate) mod checksum;
pub(crate) mod header;
pub(crate) mod layout;

pub use arena::{Arena, scalar_words};
pub(crate) use arena::{Reader, Scratch, index_words};
pub use header::{Header, Kind};
