//! The whole loop.

use core::ffi::c_void;

use library::{Real, TrialId};

use crate::ask::{ask, infill_proposal, tell};
use crate::backend::infill_backend;
use crate::block::infill_opt;
use crate::export::{changing, either};
use crate::infill_status::{self, *};
use crate::pointer::{Outcome, open, view, with_buffer};

/// What is to be minimised: writes the value at x, dims numbers, to value and returns 0.
///
/// A value that is NaN or infinite, in the scalar of the optimizer, says that the evaluation failed. Anything but 0 stops the run.
/// It must not unwind, and must not use the optimizer that calls it.
pub type infill_objective =
    Option<unsafe extern "C" fn(user: *mut c_void, x: *const f64, dims: usize, value: *mut f64) -> i32>;

/// What a run has come to, after each evaluation.
///
/// Threads: plain data. Lifetime: that of the call to infill_progress; so does what it points to.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_step {
    /// Evaluations of this run so far.
    pub evaluation: u32,
    /// Evaluations that it was started for.
    pub evaluations: u32,
    /// The point just evaluated.
    pub x: *const f64,
    /// Number of parameters.
    pub dims: usize,
    /// The value just told; NaN if the evaluation failed.
    pub value: f64,
    /// The lowest value told so far; NaN if there is none.
    pub best: f64,
}

/// Hears of each evaluation. Anything but 0 stops the run. It must not unwind, and must not use the optimizer.
pub type infill_progress = Option<unsafe extern "C" fn(user: *mut c_void, step: *const infill_step) -> i32>;

/// Asks, evaluates and tells, so many times, or until there is nothing left to ask as infill_next says. Never allocates.
///
/// Call it again to go on, in a block that was attached too; infill_best has what was found. Trials that others opened since
/// then are left alone.
///
/// Errors: INFILL_ABORTED if the callback stopped the run: its trial is forgotten, those told are kept.
/// INFILL_ERROR_NULL for opt or objective, and what infill_ask returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_minimize(
    opt: *mut infill_opt,
    objective: infill_objective,
    user: *mut c_void,
    evaluations: u32,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe { infill_minimize_with(opt, core::ptr::null_mut(), objective, None, user, evaluations) }
}

/// As infill_minimize, by a backend (NULL for none) and with progress (NULL for none); both callbacks get user.
///
/// Errors: as infill_minimize, and INFILL_ERROR_BACKEND.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_minimize_with(
    opt: *mut infill_opt,
    backend: *mut infill_backend,
    objective: infill_objective,
    progress: infill_progress,
    user: *mut c_void,
    evaluations: u32,
) -> infill_status {
    changing!(opt, run(opt, objective, progress, user, evaluations, |x| ask::<true>(opt, backend, x))?)
}

/// Evaluates what `next` asks for.
///
/// # Safety
/// As [`open`]; the callbacks are what the header says.
pub(crate) unsafe fn run(
    opt: *mut infill_opt,
    objective: infill_objective,
    progress: infill_progress,
    user: *mut c_void,
    evaluations: u32,
    mut next: impl FnMut(&mut [f64]) -> Outcome<infill_proposal>,
) -> Outcome<()> {
    // No slice of the block lives while a callback runs.
    // SAFETY: as here.
    let dims = either!(unsafe { view(opt) }?, optimizer => optimizer.dims());
    let objective = objective.ok_or(INFILL_ERROR_NULL)?;
    with_buffer(dims, 0.0, |x| {
        for evaluation in 1..=evaluations {
            let trial = match next(x) {
                Err(INFILL_DONE) => break,
                next => next?.trial,
            };
            let mut value = f64::NAN;
            // SAFETY: the objective reads so many numbers and writes one.
            if unsafe { objective(user, x.as_ptr(), dims, &raw mut value) } != 0 {
                // SAFETY: as here.
                either!(unsafe { open(opt) }?, optimizer => optimizer.forget(TrialId::from_bits(trial))?);
                return Err(INFILL_ABORTED);
            }
            // SAFETY: as here.
            match unsafe { tell(opt, trial, value, 0.0) } {
                Err(INFILL_ERROR_NOT_FINITE) => {
                    value = f64::NAN;
                    // SAFETY: as here.
                    either!(unsafe { open(opt) }?, optimizer => optimizer.fail(TrialId::from_bits(trial))?);
                }
                told => told?,
            }
            if let Some(progress) = progress {
                // SAFETY: as here.
                let best = either!(unsafe { view(opt) }?, optimizer => {
                    optimizer.best().map_or(f64::NAN, |best| best.value.to_f64())
                });
                let x = x.as_ptr();
                let step = infill_step { evaluation, evaluations, x, dims, value, best };
                // SAFETY: the step lives as long as the call.
                if unsafe { progress(user, &raw const step) } != 0 {
                    return Err(INFILL_ABORTED);
                }
            }
        }
        Ok(())
    })
}
