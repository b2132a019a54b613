//! Making a selection and taking it up again.

use core::ffi::c_void;

use library::block::{Header, Kind};
use library::{Config, Limits, Selection, Selector, Space};

use super::data::{blank, infill_selection, infill_selector};
use crate::border::{Out, Outcome, block, missing, sized};
use crate::config::{infill_config, with_config};
use crate::export::{guard, guard_or};
use crate::infill_status::{self, *};
use crate::space::{infill_space, with_space};

/// Gives `work` a scalar, a space, a selector, a configuration and limits.
///
/// # Safety
/// As for all of them.
unsafe fn with_all<T>(
    space: *const infill_space, selector: *const infill_selector, config: *const infill_config,
    work: impl FnOnce(u32, &Space<'_>, Selector, &Config<'_>, Limits) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: as here.
    let selector = unsafe { sized(selector, size_of::<infill_selector>(), blank()) }?.selector()?;
    // SAFETY: as here.
    unsafe {
        with_space(space, |space| {
            with_config(config, space, |scalar, config, limits| work(scalar, space, selector, config, limits))
        })
    }
}

fn start(
    scalar: u32, space: &Space<'_>, selector: Selector, config: &Config<'_>, limits: Limits, mem: &mut [u64],
) -> Result<(), library::Error> {
    match scalar {
        #[cfg(feature = "f32")]
        4 => Selection::<f32, _>::new(space, selector, config, limits, mem).map(|_| ()),
        #[cfg(feature = "f64")]
        8 => Selection::<f64, _>::new(space, selector, config, limits, mem).map(|_| ()),
        _ => Err(library::Error::Config),
    }
}

/// Words of the block, found by asking for it in none: what is refused for another reason would be refused in any.
fn words(
    scalar: u32, space: &Space<'_>, selector: Selector, config: &Config<'_>, limits: Limits,
) -> Outcome<usize> {
    if !matches!(scalar, 4 if cfg!(feature = "f32")) && !matches!(scalar, 8 if cfg!(feature = "f64")) {
        return Err(missing(scalar));
    }
    match start(scalar, space, selector, config, limits, &mut []) {
        Err(library::Error::Memory { needed }) => Ok(needed),
        refused => refused.map(|()| 0).map_err(infill_status::from),
    }
}

/// Bytes of the block that a selection takes, a multiple of 8; 0 if something is refused.
///
/// The limits of the configuration are those of the whole space and of all trials together. Never allocates. Why something
/// is refused, infill_selection_init says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_size(
    space: *const infill_space, selector: *const infill_selector, config: *const infill_config,
) -> usize {
    guard_or(0, || {
        // SAFETY: the caller's pointers are what they say.
        let words = unsafe { with_all(space, selector, config, words) }?;
        words.checked_mul(8).ok_or(INFILL_ERROR_LIMITS)
    })
}

/// Makes a selection without trials in size bytes of the caller's, aligned to INFILL_ALIGN. Never allocates.
///
/// The handle is mem. Each value of the category is a branch with a model of its own over the parameters that can matter
/// then; config is that of every branch, each with a seed of its own.
///
/// Errors: as infill_init; INFILL_ERROR_OUT_OF_RANGE if there is no such parameter; INFILL_ERROR_UNSUPPORTED if it is no
/// category or has a condition, for INFILL_TRANSFORM_RANK and policies whose values cannot be compared, and without models in
/// this build; INFILL_ERROR_CONFIG for an unknown strategy, a start of one trial with a process or a budget of less than one
/// trial for each branch; INFILL_ERROR_INFEASIBLE if every branch is forbidden.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_init(
    mem: *mut c_void, size: usize, space: *const infill_space, selector: *const infill_selector,
    config: *const infill_config, out: *mut *mut infill_selection,
) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        unsafe {
            let out = Out::new(out)?;
            let memory = block(mem, size)?;
            with_all(space, selector, config, |scalar, space, selector, config, limits| {
                words(scalar, space, selector, config, limits)?;
                Ok(start(scalar, space, selector, config, limits, memory)?)
            })?;
            out.write(mem.cast());
        }
        Ok(())
    })
}

/// As infill_selection_init, in a block of its own from the heap. Hosted builds only; infill_selection_free gives it back.
///
/// Errors: as infill_selection_init, and INFILL_ERROR_ALLOCATION.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_new(
    space: *const infill_space, selector: *const infill_selector, config: *const infill_config,
    out: *mut *mut infill_selection,
) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        unsafe {
            let out = Out::new(out)?;
            let made = with_all(space, selector, config, |scalar, space, selector, config, limits| {
                let words = words(scalar, space, selector, config, limits)?;
                crate::heap::boxed(words, |memory| {
                    Ok(start(scalar, space, selector, config, limits, memory)?)
                })
            })?;
            out.write(made.cast());
        }
        Ok(())
    })
}

/// Gives back a selection from infill_selection_new; NULL is allowed. Hosted builds only.
#[cfg(feature = "std")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_free(selection: *mut infill_selection) {
    // SAFETY: the caller has it from infill_selection_new.
    unsafe { crate::heap::unbox(selection.cast()) }
}

/// The selection in a block that was saved, copied or moved, after all that it remembers has been checked.
///
/// Errors: as infill_attach.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_attach(
    mem: *mut c_void, size: usize, out: *mut *mut infill_selection,
) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        let (out, words) = unsafe { (Out::new(out)?, block(mem, size)?) };
        match Header::read(words, Kind::Selection)?.scalar {
            #[cfg(feature = "f32")]
            4 => Selection::<f32, _>::attach(words).map(|_| ())?,
            #[cfg(feature = "f64")]
            8 => Selection::<f64, _>::attach(words).map(|_| ())?,
            _ => return Err(INFILL_ERROR_UNSUPPORTED),
        }
        out.write(mem.cast());
        Ok(())
    })
}
