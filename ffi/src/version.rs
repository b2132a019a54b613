//! Which library this is, for programs that were built against another header.

use core::ffi::c_char;

/// The version of the library, packed as INFILL_VERSION is: major << 16 | minor << 8 | patch.
#[unsafe(no_mangle)]
pub extern "C" fn infill_version() -> u32 {
    number(env!("CARGO_PKG_VERSION_MAJOR")) << 16
        | number(env!("CARGO_PKG_VERSION_MINOR")) << 8
        | number(env!("CARGO_PKG_VERSION_PATCH"))
}

const fn number(text: &str) -> u32 {
    let (bytes, mut i, mut value) = (text.as_bytes(), 0, 0);
    while i < bytes.len() {
        value = value * 10 + (bytes[i] - b'0') as u32;
        i += 1;
    }
    value
}

/// The version of the library as text, "major.minor.patch". Lives as long as the library.
#[unsafe(no_mangle)]
pub extern "C" fn infill_version_str() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    TEXT.as_ptr().cast()
}

/// What a build of the library can do, as bits of infill_capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_capability {
    /// Hosted: infill_new, infill_free, infill_backend; a panic becomes a status.
    INFILL_CAN_STD = 1,
    /// infill_backend_faer works.
    INFILL_CAN_FAER = 2,
    /// INFILL_F32 may be chosen.
    INFILL_CAN_F32 = 4,
    /// INFILL_F64 may be chosen.
    INFILL_CAN_F64 = 8,
    /// infill_backend_gpu works.
    INFILL_CAN_GPU = 16,
}

/// What this build can do: a sum of infill_capability.
#[unsafe(no_mangle)]
pub extern "C" fn infill_capabilities() -> u32 {
    use infill_capability::*;
    let bit = |on: bool, bit: infill_capability| if on { bit as u32 } else { 0 };
    bit(cfg!(feature = "std"), INFILL_CAN_STD)
        | bit(cfg!(feature = "faer"), INFILL_CAN_FAER)
        | bit(cfg!(feature = "f32"), INFILL_CAN_F32)
        | bit(cfg!(feature = "f64"), INFILL_CAN_F64)
        | bit(cfg!(feature = "gpu"), INFILL_CAN_GPU)
}
