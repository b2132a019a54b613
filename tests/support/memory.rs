//! Counts allocations, to show that there are none.
//!
//! In a test binary:
//!
//! ```ignore
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! let (answer, count) = memory::count(|| optimizer.ask(&mut point));
//! assert_eq!(count, 0);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

thread_local! {
    // Constant initial value and no destructor: reading it never allocates.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting per thread: other tests of the same binary do not disturb.
#[derive(Clone, Copy, Debug)]
pub struct CountingAllocator;

// SAFETY: every call is passed on to `System` unchanged; the counter does not allocate.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller's promise is the one `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the one `System` asks for.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller's promise is the one `System` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        // SAFETY: the caller's promise is the one `System` asks for.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Runs `f` and counts the allocations and reallocations of this thread meanwhile.
///
/// Panics if the binary does not use [`CountingAllocator`]: a count of zero would mean nothing.
pub fn count<T>(f: impl FnOnce() -> T) -> (T, u64) {
    let before = ALLOCATIONS.get();
    drop(black_box(Box::new(1_u64)));
    assert!(ALLOCATIONS.get() > before, "CountingAllocator is not the #[global_allocator] of this binary");
    let before = ALLOCATIONS.get();
    let value = f();
    (value, ALLOCATIONS.get() - before)
}

fn note() {
    // At the end of a thread the counter may be gone; nobody reads it then.
    let _ = ALLOCATIONS.try_with(|cell| cell.set(cell.get() + 1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: CountingAllocator = CountingAllocator;

    #[test]
    fn counts_this_thread_only() {
        let (vector, made) = count(|| black_box(Vec::<u8>::with_capacity(10)));
        assert_eq!(made, 1);
        let (_, made) = count(|| black_box([1.0_f64; 64]).iter().sum::<f64>());
        assert_eq!(made, 0);
        let ((), grown) = count(move || black_box(vector).reserve(1000));
        assert_eq!(grown, 1);
    }
}
