//! Who does the arithmetic, for programs that have an operating system.

use library::Backend;

#[cfg(feature = "std")]
use crate::infill_status;
use crate::infill_status::*;
use crate::pointer::{Outcome, Scalar};

/// Who does the arithmetic of infill_ask_with and infill_minimize_with.
///
/// Threads: one backend is used by one thread at a time; what threads it starts itself it waits for.
/// Lifetime: from infill_backend_faer or infill_backend_gpu until infill_backend_free; it may serve many optimizers, one after the other.
#[derive(Debug)]
pub struct infill_backend {
    pub(crate) kind: Kind,
}

/// The backends of this build.
#[derive(Debug)]
pub(crate) enum Kind {
    #[cfg(feature = "faer")]
    Faer {
        #[cfg(feature = "f32")]
        f32: library::Faer<f32>,
        #[cfg(feature = "f64")]
        f64: library::Faer<f64>,
    },
    #[cfg(feature = "gpu")]
    Gpu(infill_gpu::WithFallback),
}

/// A backend of blocked, vectorised and threaded linear algebra: faster with hundreds of trials.
///
/// threads = 0 takes all there are. It allocates as it needs. It agrees with infill_ask to rounding, not to the bit.
/// Hosted builds only.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_UNSUPPORTED if it was left out of this build.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_backend_faer(threads: usize, out: *mut *mut infill_backend) -> infill_status {
    crate::export::checked!(crate::export::put!(
        out,
        std::boxed::Box::into_raw(std::boxed::Box::new(make(threads)?))
    ))
}

#[cfg(feature = "faer")]
fn make(threads: usize) -> Outcome<infill_backend> {
    let kind = Kind::Faer {
        #[cfg(feature = "f32")]
        f32: library::Faer::with_threads(threads),
        #[cfg(feature = "f64")]
        f64: library::Faer::with_threads(threads),
    };
    Ok(infill_backend { kind })
}

#[cfg(all(feature = "std", not(feature = "faer")))]
fn make(_: usize) -> Outcome<infill_backend> {
    Err(INFILL_ERROR_UNSUPPORTED)
}

/// Gives back a backend; NULL is allowed. Hosted builds only.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_backend_free(backend: *mut infill_backend) {
    if !backend.is_null() {
        // SAFETY: the caller has it from infill_backend_faer.
        drop(unsafe { std::boxed::Box::from_raw(backend) });
    }
}

/// The backend that was passed in, if one was.
pub(crate) struct Chosen<'a>(Option<&'a mut infill_backend>);

impl<'a> Chosen<'a> {
    /// # Safety
    /// The pointer is NULL, misaligned, or a backend that belongs to the caller alone.
    pub(crate) unsafe fn new(backend: *mut infill_backend) -> Outcome<Self> {
        if !backend.is_aligned() {
            return Err(INFILL_ERROR_ALIGNMENT);
        }
        // SAFETY: as here.
        Ok(Self(unsafe { backend.as_mut() }))
    }
}

/// A scalar in which backends work.
pub(crate) trait Choice: Scalar {
    /// The chosen backend, if one was.
    fn backend<'a>(chosen: &'a mut Chosen<'_>) -> Option<&'a mut dyn Backend<Self>>;
}

macro_rules! choice {
    ($scalar:ident, $feature:literal) => {
        #[cfg(feature = $feature)]
        impl Choice for $scalar {
            fn backend<'a>(chosen: &'a mut Chosen<'_>) -> Option<&'a mut dyn Backend<Self>> {
                chosen.0.as_deref_mut().map(|backend| -> &mut dyn Backend<Self> {
                    match backend.kind {
                        #[cfg(feature = "faer")]
                        Kind::Faer { ref mut $scalar, .. } => $scalar,
                        #[cfg(feature = "gpu")]
                        Kind::Gpu(ref mut gpu) => gpu,
                    }
                })
            }
        }
    };
}
choice!(f32, "f32");
choice!(f64, "f64");
