//! Blocks of words that outlive a program: how they are laid out, recognised and checked.
//!
//! ```text
//! header: magic, kind, version · scalar, words · checksum · fingerprint of the space │ sections of the object
//! ```

pub mod arena;
pub mod checksum;
pub mod header;
pub(crate) mod layout;

pub use arena::{Arena, Reader, Scratch, index_words, scalar_words};
pub use header::{Header, Kind};
