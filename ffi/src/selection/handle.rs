//! A selection behind a handle, in its scalar.

use library::Selection;
use library::block::{Header, Kind};

use super::data::infill_selection;
use crate::border::{Outcome, check, slice, slice_mut};
use crate::infill_status::*;

/// A selection behind a handle.
pub(super) enum Handle<M> {
    #[cfg(feature = "f32")]
    F32(Selection<f32, M>),
    #[cfg(feature = "f64")]
    F64(Selection<f64, M>),
}

impl<M: AsRef<[u64]>> Handle<M> {
    fn of(scalar: usize, words: M) -> Outcome<Self> {
        match scalar {
            #[cfg(feature = "f32")]
            4 => Ok(Self::F32(Selection::resume(words)?)),
            #[cfg(feature = "f64")]
            8 => Ok(Self::F64(Selection::resume(words)?)),
            _ => Err(INFILL_ERROR_UNSUPPORTED),
        }
    }
}

/// The same for either scalar.
macro_rules! either {
    ($handle:expr, $selection:ident => $body:expr) => {
        match $handle {
            #[cfg(feature = "f32")]
            #[allow(unused_mut, reason = "some bodies only look")]
            Handle::F32(mut $selection) => $body,
            #[cfg(feature = "f64")]
            #[allow(unused_mut, reason = "some bodies only look")]
            Handle::F64(mut $selection) => $body,
        }
    };
}
pub(super) use either;

unsafe fn saved(handle: *const infill_selection) -> Outcome<Header> {
    check(handle.cast::<u64>())?;
    // SAFETY: a handle points to a block, which has at least a header.
    let header = unsafe { core::slice::from_raw_parts(handle.cast::<u64>(), Header::WORDS) };
    Ok(Header::read(header, Kind::Selection)?)
}

/// # Safety
/// If the handle is neither NULL nor misaligned, it came from this library and belongs to the caller alone.
pub(super) unsafe fn open<'a>(handle: *mut infill_selection) -> Outcome<Handle<&'a mut [u64]>> {
    // SAFETY: as here.
    let saved = unsafe { saved(handle) }?;
    // SAFETY: the block has as many words as its header says.
    Handle::of(saved.scalar, unsafe { slice_mut(handle.cast::<u64>(), saved.words) }?)
}

/// # Safety
/// As [`open`], but others may look too.
pub(super) unsafe fn view<'a>(handle: *const infill_selection) -> Outcome<Handle<&'a [u64]>> {
    // SAFETY: as here.
    let saved = unsafe { saved(handle) }?;
    // SAFETY: the block has as many words as its header says.
    Handle::of(saved.scalar, unsafe { slice(handle.cast::<u64>(), saved.words) }?)
}
