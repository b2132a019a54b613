//! Bodies of exported functions: panics, statuses, outputs, and the two scalars.

use crate::infill_status::{self, *};
use crate::pointer::{Outcome, check};

/// Runs the body of an exported function; a panic becomes a status.
pub(crate) fn guard(body: impl FnOnce() -> Outcome<()>) -> infill_status {
    caught(body).err().unwrap_or(INFILL_OK)
}

/// As [`guard`], for functions that count: `none` where they cannot.
pub(crate) fn guard_or<T>(none: T, body: impl FnOnce() -> Outcome<T>) -> T {
    caught(body).unwrap_or(none)
}

/// The body of an exported function, which ends with nothing to give; the status tells how.
///
/// Here and in the next two the caller is trusted: each pointer is NULL, misaligned, or what the first page of the header
/// says of its type.
macro_rules! checked {
    ($body:expr) => {
        $crate::export::guard(|| {
            // SAFETY: by the contract of the header.
            let () = unsafe { $body };
            Ok(())
        })
    };
}
pub(crate) use checked;

/// As [`checked!`], of a function that changes the block of a handle, and perhaps [`put!`]s what comes of it.
macro_rules! changing {
    ($handle:expr, $outs:tt, $body:expr) => {
        $crate::export::changing!($handle, $crate::export::put!($outs, $body))
    };
    ($handle:expr, $body:expr) => {{
        let body = || {
            // SAFETY: by the contract of the header.
            let () = unsafe { $body };
            Ok(())
        };
        // SAFETY: as above; a handle points to its block.
        unsafe { $crate::export::guard_block($handle.cast(), body) }
    }};
}
pub(crate) use changing;

/// As [`checked!`], of a function that counts: 0 where it cannot.
macro_rules! counted {
    ($body:expr) => {
        // SAFETY: by the contract of the header.
        $crate::export::guard_or(0, || Ok(unsafe { $body }))
    };
}
pub(crate) use counted;

/// Writes one, two or three outputs, which are checked before the work is done.
macro_rules! put {
    (($first:expr, $second:expr), $value:expr) => {{
        let outs = ($crate::pointer::Out::new($first)?, $crate::pointer::Out::new($second)?);
        let value = $value;
        outs.0.write(value.0);
        outs.1.write(value.1);
    }};
    (($first:expr, $second:expr, $third:expr), $value:expr) => {{
        let last = $crate::pointer::Out::new($third)?;
        let (first, second, third) = $value;
        $crate::export::put!(($first, $second), (first, second));
        last.write(third);
    }};
    ($out:expr, $value:expr) => {{
        let out = $crate::pointer::Out::new($out)?;
        out.write($value);
    }};
}
pub(crate) use put;

/// The same for either scalar, by the number of its bytes: `$real` is the scalar.
macro_rules! scalar {
    ($bytes:expr, $real:ident => $body:expr) => {
        match $bytes {
            #[cfg(feature = "f32")]
            4 => {
                type $real = f32;
                $body
            }
            #[cfg(feature = "f64")]
            8 => {
                type $real = f64;
                $body
            }
            other => return Err($crate::pointer::missing(other)),
        }
    };
}
pub(crate) use scalar;

/// What is behind a handle, in its scalar: `$object` in the words that [`open`] or [`view`] gave.
macro_rules! resumed {
    ($handle:expr, $object:ident, $name:ident => $body:expr) => {{
        let (scalar, words) = $handle;
        $crate::export::scalar!(scalar, R => {
            #[allow(unused_mut, reason = "some bodies only look")]
            let mut $name = $object::<R, _>::resume(words)?;
            $body
        })
    }};
}
pub(crate) use resumed;

/// The optimizer behind a handle, in its scalar.
macro_rules! either {
    ($handle:expr, $optimizer:ident => $body:expr) => {{
        use library::Optimizer;
        $crate::export::resumed!($handle, Optimizer, $optimizer => $body)
    }};
}
pub(crate) use either;

/// As [`guard`], for what changes a block: a panic leaves one that nothing takes any more.
///
/// # Safety
/// `mem` is NULL, misaligned, or points to a block of which the first word may be written.
pub(crate) unsafe fn guard_block(mem: *mut u64, body: impl FnOnce() -> Outcome<()>) -> infill_status {
    let status = guard(body);
    if status == INFILL_PANIC && check(mem).is_ok() {
        // SAFETY: the first word of the block.
        unsafe { mem.write(0) };
    }
    status
}

#[cfg(feature = "std")]
fn caught<T>(body: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    std::panic::catch_unwind(core::panic::AssertUnwindSafe(body)).unwrap_or(Err(INFILL_PANIC))
}

#[cfg(not(feature = "std"))]
fn caught<T>(body: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    body()
}

/// An instruction that no program survives.
#[cfg(not(any(test, feature = "std")))]
pub(crate) fn trap() {
    // SAFETY: the instructions touch no memory; execution ends there.
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    unsafe {
        core::arch::asm!("ud2")
    };
    // SAFETY: as above.
    #[cfg(any(target_arch = "arm", target_arch = "aarch64"))]
    unsafe {
        core::arch::asm!("udf #0")
    };
    // SAFETY: as above.
    #[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
    unsafe {
        core::arch::asm!("unimp")
    };
}
