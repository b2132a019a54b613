//! Backends on a GPU. The functions are there in every hosted build; without the feature they say so.

use core::ffi::c_char;
use std::boxed::Box;

use crate::backend::infill_backend;
use crate::block::infill_opt;
use crate::export::{checked, guard_or, put};
use crate::infill_status::{self, *};
use crate::pointer::{Outcome, check, reference, slice_mut, write_default};

/// What an adapter should be chosen for: infill_gpu_options.power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_power {
    /// Whatever comes first.
    INFILL_POWER_ANY = 0,
    /// An integrated adapter before a discrete one.
    INFILL_POWER_LOW = 1,
    /// A discrete adapter before an integrated one. The default.
    INFILL_POWER_HIGH = 2,
}

/// The interface that an adapter is reached by: infill_gpu_options.api.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_api {
    /// Any. The default.
    INFILL_API_ANY = 0,
    /// Vulkan.
    INFILL_API_VULKAN = 1,
    /// OpenGL, or OpenGL ES.
    INFILL_API_GL = 2,
    /// Metal.
    INFILL_API_METAL = 3,
    /// Direct3D 12.
    INFILL_API_DX12 = 4,
}

/// Which adapter, and how much of it. Let infill_gpu_options_default fill it.
///
/// Threads: plain data. Lifetime: it is read during a call only, and so is the name.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_gpu_options {
    /// sizeof(infill_gpu_options), set by infill_gpu_options_default.
    pub size: usize,
    /// A part of the adapter's name, in any case; NULL for any.
    pub name: *const c_char,
    /// Flops below which the CPU is quicker than the way to the device.
    pub worth: u64,
    /// An infill_power.
    pub power: u32,
    /// An infill_api.
    pub api: u32,
    /// 1 if a CPU that plays a GPU will do, which is right and slow; 0 otherwise.
    pub software: u32,
    /// Candidates that are worked on at a time.
    pub batch: u32,
    /// Sets of hyperparameters that are worked on at a time.
    pub sets: u32,
    /// Seconds that the device may take for an answer; one that is silent for longer is lost, and the CPU goes on.
    pub patience: u32,
}

impl Default for infill_gpu_options {
    fn default() -> Self {
        // The defaults of the backend, which are these also where it was left out.
        Self {
            size: size_of::<Self>(),
            name: core::ptr::null(),
            worth: 20_000_000,
            power: infill_power::INFILL_POWER_HIGH as u32,
            api: infill_api::INFILL_API_ANY as u32,
            software: 0,
            batch: 4096,
            sets: 32,
            patience: 60,
        }
    }
}

/// Fills the options of a GPU backend with defaults.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gpu_options_default(
    options: *mut infill_gpu_options,
    size: usize,
) -> infill_status {
    checked!(write_default(options, size)?)
}

/// How many adapters there are, software ones included; 0 in a build without GPU. Asks the drivers at every call.
#[unsafe(no_mangle)]
pub extern "C" fn infill_gpu_count() -> usize {
    guard_or(0, || Ok(there::adapters().len()))
}

/// Adapter number index of infill_gpu_count: its name, ended by a zero and cut at size bytes, its infill_api, and
/// whether it is software.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_SHAPE if there is no such adapter or size is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gpu_adapter(
    index: usize,
    name: *mut c_char,
    size: usize,
    api: *mut u32,
    software: *mut u32,
) -> infill_status {
    checked!({
        check(name)?;
        let text = slice_mut(name.cast::<u8>(), size)?;
        put!((api, software), {
            let adapters = there::adapters();
            let (name, api, software) = adapters.get(index).ok_or(INFILL_ERROR_SHAPE)?;
            copy_text(name, text)?;
            (*api, u32::from(*software))
        })
    })
}

/// A backend on a GPU, for optimizers with the limits of opt; options = NULL takes the defaults. It allocates.
///
/// It screens in single precision what the CPU then decides. When the device fails, the CPU goes on:
/// infill_backend_reason says why.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_VERSION, INFILL_ERROR_CONFIG for options; INFILL_ERROR_BACKEND if there is no
/// such adapter or it is too small; INFILL_ERROR_UNSUPPORTED if it was left out of this build.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_backend_gpu(
    opt: *const infill_opt,
    options: *const infill_gpu_options,
    out: *mut *mut infill_backend,
) -> infill_status {
    checked!(put!(out, Box::into_raw(Box::new(there::make(opt, options)?))))
}

/// Why a backend on a GPU leaves its work to the CPU, ended by a zero and cut at size bytes.
///
/// Nothing to give: INFILL_ERROR_NO_DATA if it does not. Errors: INFILL_ERROR_NULL; INFILL_ERROR_SHAPE if size is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_backend_reason(
    backend: *const infill_backend,
    reason: *mut c_char,
    size: usize,
) -> infill_status {
    checked!({
        check(reason)?;
        let (text, backend) = (slice_mut(reason.cast::<u8>(), size)?, reference(backend)?);
        copy_text(&there::reason(backend).ok_or(INFILL_ERROR_NO_DATA)?, text)?
    })
}

/// As much of a text as there is room for, and a zero.
fn copy_text(text: &str, out: &mut [u8]) -> Outcome<()> {
    let room = out.len().checked_sub(1).ok_or(INFILL_ERROR_SHAPE)?;
    let cut = text.len().min(room);
    out[..cut].copy_from_slice(&text.as_bytes()[..cut]);
    out[cut] = 0;
    Ok(())
}

/// What a build with the feature does.
#[cfg(feature = "gpu")]
mod there {
    use std::ffi::CStr;
    use std::string::{String, ToString};
    use std::vec::Vec;

    use infill_gpu::{Api, Gpu, Options, Power};

    use super::{infill_api, infill_gpu_options};
    use crate::backend::{Kind, infill_backend};
    use crate::block::infill_opt;
    use crate::config::choice;
    use crate::export::either;
    use crate::infill_status::*;
    use crate::pointer::{Outcome, given, view};

    pub(super) fn adapters() -> Vec<(String, u32, bool)> {
        let number = |api| match api {
            Api::Vulkan => infill_api::INFILL_API_VULKAN,
            Api::Gl => infill_api::INFILL_API_GL,
            Api::Metal => infill_api::INFILL_API_METAL,
            Api::Dx12 => infill_api::INFILL_API_DX12,
        };
        infill_gpu::adapters().into_iter().map(|a| (a.name, number(a.api) as u32, a.software)).collect()
    }

    pub(super) unsafe fn make(
        opt: *const infill_opt,
        options: *const infill_gpu_options,
    ) -> Outcome<infill_backend> {
        // SAFETY: the caller's pointers are what they say.
        let limits = either!(unsafe { view(opt) }?, optimizer => *optimizer.limits());
        let options = if options.is_null() {
            infill_gpu_options::default()
        } else {
            // SAFETY: as above.
            *unsafe { given(options) }?
        };
        let name = if options.name.is_null() {
            None
        } else {
            // SAFETY: as above; a name ends with a zero.
            Some(unsafe { CStr::from_ptr(options.name) }.to_string_lossy().into_owned())
        };
        let apis = [None, Some(Api::Vulkan), Some(Api::Gl), Some(Api::Metal), Some(Api::Dx12)];
        let options = Options {
            power: choice(options.power, [Power::Any, Power::Low, Power::High])?,
            name,
            api: choice(options.api, apis)?,
            software: choice(options.software, [false, true])?,
            batch: options.batch,
            sets: options.sets,
            worth: options.worth,
            patience: options.patience,
        };
        let gpu = Gpu::new(&limits, &options).map_err(|_| INFILL_ERROR_BACKEND)?;
        Ok(infill_backend {
            kind: Kind::Gpu(infill_gpu::WithFallback { gpu: gpu.into(), cpu: library::Plain }),
        })
    }

    pub(super) fn reason(backend: &infill_backend) -> Option<String> {
        match &backend.kind {
            Kind::Gpu(gpu) => gpu.gpu.reason().map(ToString::to_string),
            #[cfg(feature = "faer")]
            Kind::Faer { .. } => None,
        }
    }
}

/// What a build without the feature does.
#[cfg(not(feature = "gpu"))]
mod there {
    use std::string::String;
    use std::vec::Vec;

    use super::infill_gpu_options;
    use crate::backend::infill_backend;
    use crate::block::infill_opt;
    use crate::infill_status::*;
    use crate::pointer::{Outcome, view};

    pub(super) fn adapters() -> Vec<(String, u32, bool)> {
        Vec::new()
    }

    pub(super) unsafe fn make(
        opt: *const infill_opt,
        _: *const infill_gpu_options,
    ) -> Outcome<infill_backend> {
        // SAFETY: the caller's pointer is what it says.
        unsafe { view(opt) }?;
        Err(INFILL_ERROR_UNSUPPORTED)
    }

    pub(super) fn reason(_: &infill_backend) -> Option<String> {
        None
    }
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::infill_gpu_options;

    #[test]
    fn defaults_are_those_of_the_backend() {
        let (ours, theirs) = (infill_gpu_options::default(), infill_gpu::Options::default());
        assert_eq!((ours.worth, ours.batch, ours.sets), (theirs.worth, theirs.batch, theirs.sets));
        assert_eq!(ours.patience, theirs.patience);
        assert_eq!(theirs.power, infill_gpu::Power::High);
        assert!(theirs.api.is_none() && theirs.name.is_none() && !theirs.software);
    }
}
