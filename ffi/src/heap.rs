//! Blocks from the heap; hosted builds only.

use crate::export::guard;
use crate::infill_status::*;
use crate::pointer::Outcome;

/// A block of zeroed words from the heap that `fill` has made something of.
///
/// Its length stands in the words before it, so that it can be given back whatever has become of its content.
pub(crate) fn boxed(words: usize, fill: impl FnOnce(&mut [u64]) -> Outcome<()>) -> Outcome<*mut u64> {
    let all = words.checked_add(PREFIX).ok_or(INFILL_ERROR_ALLOCATION)?;
    let layout = std::alloc::Layout::array::<u64>(all).map_err(|_| INFILL_ERROR_ALLOCATION)?;
    // SAFETY: the layout is not empty.
    let start = unsafe { std::alloc::alloc_zeroed(layout) }.cast::<u64>();
    if start.is_null() {
        return Err(INFILL_ERROR_ALLOCATION);
    }
    // SAFETY: the allocation has `PREFIX` words and `words` behind them.
    let block = unsafe {
        start.write(all as u64);
        start.add(PREFIX)
    };
    // SAFETY: as above, and all of them are zero.
    let filled = guard(|| fill(unsafe { core::slice::from_raw_parts_mut(block, words) }));
    if filled == INFILL_OK {
        return Ok(block);
    }
    // SAFETY: it was made here.
    unsafe { unbox(block) };
    Err(filled)
}

/// Words before a block from the heap: two, which keeps it aligned to 16 bytes if the heap is.
const PREFIX: usize = 2;

/// Gives back a block from [`boxed`].
///
/// # Safety
/// It is NULL or was made by [`boxed`] and not given back yet.
pub(crate) unsafe fn unbox(block: *mut u64) {
    if block.is_null() {
        return;
    }
    // SAFETY: the prefix stands before the block and says how long all of it is.
    unsafe {
        let start = block.sub(PREFIX);
        if let Ok(layout) = std::alloc::Layout::array::<u64>(start.read() as usize) {
            std::alloc::dealloc(start.cast(), layout);
        }
    }
}
