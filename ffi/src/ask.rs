//! Questions and answers.

use library::{Ask, Backend, Error, Optimizer, Real, TrialId};

use crate::backend::{Choice, Chosen, infill_backend};
use crate::block::infill_opt;
use crate::export::{changing, either};
use crate::infill_status::{self, *};
use crate::pointer::{Outcome, Scalar, open, slice, slice_mut};

/// Names a trial. Plain data: it may be stored, and outlives a restart of the program with its block.
pub type infill_trial = u64;

/// Where a proposal comes from: infill_proposal.origin.
#[derive(Clone, Copy, Debug)]
pub enum infill_origin {}

/// The answer to infill_ask_with.
///
/// Threads: plain data. Lifetime: that of the caller's variable; it never grows.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_proposal {
    /// The name to tell the value under.
    pub trial: infill_trial,
    /// The acquisition at the point, or what the policy maximises instead (with INFILL_POLICY_HEDGE that of the rule which
    /// nominated the point), the end of the range beyond it; NaN if and only if the origin is not the model.
    pub acquisition: f64,
    /// An infill_origin.
    pub origin: u32,
    /// Zero.
    pub reserved: u32,
}

/// A question, by the backend or in the block: a new one, or with `NEXT` first what was open when the block was attached.
///
/// Known when it is compiled, so that a firmware that asks alone does without the other.
///
/// # Safety
/// As [`open`]; the backend is NULL or belongs to the caller alone.
pub(crate) unsafe fn ask<const NEXT: bool>(
    opt: *mut infill_opt,
    backend: *mut infill_backend,
    x: &mut [f64],
) -> Outcome<infill_proposal> {
    // SAFETY: as here.
    let (handle, mut chosen) = unsafe { (open(opt)?, Chosen::new(backend)?) };
    either!(handle, optimizer => {
        // A point of another length would be cut by the conversion: the refusal comes first.
        if x.len() != optimizer.dims() {
            return Err(INFILL_ERROR_SHAPE);
        }
        R::write(x, |point| put::<R, NEXT>(&mut optimizer, R::backend(&mut chosen), point)).map(proposal)
    })
}

fn put<R: Real, const NEXT: bool>(
    optimizer: &mut Optimizer<R, &mut [u64]>,
    chosen: Option<&mut dyn Backend<R>>,
    point: &mut [R],
) -> Outcome<Ask<R>> {
    let next = match chosen {
        // Compiled with the library, once: as a generic function it would be compiled again here.
        None if NEXT => optimizer.next(point)?,
        None => Some(optimizer.ask(point)?),
        #[cfg(any(feature = "faer", feature = "gpu"))]
        Some(backend) if NEXT => optimizer.next_with(backend, point)?,
        #[cfg(any(feature = "faer", feature = "gpu"))]
        Some(backend) => Some(optimizer.ask_with(backend, point)?),
        // Nothing makes a backend in this build.
        #[cfg(not(any(feature = "faer", feature = "gpu")))]
        Some(_) => return Err(INFILL_ERROR_UNSUPPORTED),
    };
    next.ok_or(INFILL_DONE)
}

pub(crate) fn proposal<R: Real>(ask: Ask<R>) -> infill_proposal {
    let (trial, acquisition) = (ask.id.to_bits(), ask.acquisition.to_f64());
    infill_proposal { trial, acquisition, origin: ask.origin as u32, reserved: 0 }
}

/// Proposes a point, in user units, and opens a trial for it. Many trials may be open.
///
/// Queued points come first, then the starting design, then those of largest acquisition, the open trials being
/// believed to give what the model predicts.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if dims is not the number of parameters,
/// INFILL_ERROR_TOO_MANY_OPEN, INFILL_ERROR_FULL, INFILL_ERROR_EXHAUSTED if every point of a finite space is used,
/// INFILL_ERROR_INFEASIBLE if no point was found that is not forbidden.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_ask(
    opt: *mut infill_opt,
    x: *mut f64,
    dims: usize,
    trial: *mut infill_trial,
) -> infill_status {
    changing!(opt, trial, ask::<false>(opt, core::ptr::null_mut(), slice_mut(x, dims)?)?.trial)
}

/// As infill_ask, with the arithmetic done by a backend and the origin of the point; backend = NULL is infill_ask's.
///
/// Errors: as infill_ask, and INFILL_ERROR_BACKEND; the trials are unchanged then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_ask_with(
    opt: *mut infill_opt,
    backend: *mut infill_backend,
    x: *mut f64,
    dims: usize,
    out: *mut infill_proposal,
) -> infill_status {
    changing!(opt, out, ask::<false>(opt, backend, slice_mut(x, dims)?)?)
}

/// The next question of a run: a trial that was open when its block was attached, the newest first, or an infill_ask.
///
/// The loop while (infill_next(opt, x, dims, &trial) == INFILL_OK) that tells, and saves the block after both, is right
/// before and after a crash: what was told is not done again, what was open is, once.
///
/// Nothing to give: INFILL_DONE when every trial of the limits or every point of a finite space has been used. Errors: those
/// of infill_ask.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_next(
    opt: *mut infill_opt,
    x: *mut f64,
    dims: usize,
    trial: *mut infill_trial,
) -> infill_status {
    changing!(opt, trial, ask::<true>(opt, core::ptr::null_mut(), slice_mut(x, dims)?)?.trial)
}

/// As infill_next, with the arithmetic done by a backend and the origin of the point; backend = NULL is infill_next's.
///
/// Errors: as infill_next, and INFILL_ERROR_BACKEND; the trials are unchanged then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_next_with(
    opt: *mut infill_opt,
    backend: *mut infill_backend,
    x: *mut f64,
    dims: usize,
    out: *mut infill_proposal,
) -> infill_status {
    changing!(opt, out, ask::<true>(opt, backend, slice_mut(x, dims)?)?)
}

/// Tells the value of an open trial.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_STALE_TRIAL unless the trial is open; INFILL_ERROR_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_tell(opt: *mut infill_opt, trial: infill_trial, value: f64) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe { infill_tell_noisy(opt, trial, value, 0.0) }
}

/// Tells the value of an open trial and the known variance of that value, which adds to the noise that is learnt.
///
/// Errors: as infill_tell; INFILL_ERROR_NOT_FINITE also for a negative variance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_tell_noisy(
    opt: *mut infill_opt,
    trial: infill_trial,
    value: f64,
    variance: f64,
) -> infill_status {
    changing!(opt, tell(opt, trial, value, variance)?)
}

/// # Safety
/// As [`open`].
pub(crate) unsafe fn tell(
    opt: *mut infill_opt,
    trial: infill_trial,
    value: f64,
    variance: f64,
) -> Outcome<()> {
    let id = TrialId::from_bits(trial);
    // SAFETY: as here.
    either!(unsafe { open(opt) }?, optimizer => optimizer.tell_noisy(id, R::of(value), R::of(variance))?);
    Ok(())
}

/// Tells that an open trial failed: its point counts as bad as the worst value told.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_STALE_TRIAL unless the trial is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_fail(opt: *mut infill_opt, trial: infill_trial) -> infill_status {
    changing!(opt, either!(open(opt)?, optimizer => optimizer.fail(TrialId::from_bits(trial))?))
}

/// Forgets an open or queued trial: its worker is lost, its place is free, its point may be proposed again.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_STALE_TRIAL unless the trial is open or queued.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_forget(opt: *mut infill_opt, trial: infill_trial) -> infill_status {
    changing!(opt, either!(open(opt)?, optimizer => optimizer.forget(TrialId::from_bits(trial))?))
}

/// What an optimizer says of a point of the right length.
pub(crate) fn at<'a, R: Scalar, T>(
    optimizer: &mut Optimizer<R, &'a mut [u64]>,
    x: &[f64],
    work: impl FnOnce(&mut Optimizer<R, &'a mut [u64]>, &[R]) -> Result<T, Error>,
) -> Outcome<T> {
    if x.len() != optimizer.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    Ok(R::read(x, |point| work(optimizer, point))?)
}

/// Puts a point in the queue: a later ask proposes it before any other.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_OUT_OF_RANGE, INFILL_ERROR_FORBIDDEN, INFILL_ERROR_FULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_enqueue(
    opt: *mut infill_opt,
    x: *const f64,
    dims: usize,
    trial: *mut infill_trial,
) -> infill_status {
    changing!(opt, trial, {
        let x = slice(x, dims)?;
        either!(open(opt)?, optimizer => at(&mut optimizer, x, |optimizer, point| optimizer.enqueue(point))?.to_bits())
    })
}

/// Adds a value that was observed without an ask.
///
/// Errors: as infill_enqueue, and INFILL_ERROR_NOT_FINITE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_observe(
    opt: *mut infill_opt,
    x: *const f64,
    dims: usize,
    value: f64,
    trial: *mut infill_trial,
) -> infill_status {
    changing!(opt, trial, {
        let x = slice(x, dims)?;
        either!(open(opt)?, optimizer => {
            at(&mut optimizer, x, |optimizer, point| optimizer.observe(point, R::of(value)))?.to_bits()
        })
    })
}

/// Forgets what was learnt of the hyperparameters, as if all trials had just been told: for a function that has changed.
///
/// The next ask learns them afresh; the trials stay.
///
/// Errors: INFILL_ERROR_NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_relearn(opt: *mut infill_opt) -> infill_status {
    changing!(opt, either!(open(opt)?, optimizer => optimizer.relearn()?))
}
