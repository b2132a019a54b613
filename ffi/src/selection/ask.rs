//! A selection asks and is told.

use library::{Backend, Plain, Selection, TrialId};

use super::data::infill_selection;
use super::handle::{Handle, either, open};
use crate::ask::{infill_proposal, infill_trial, proposal};
use crate::backend::{Choice, Chosen, infill_backend};
use crate::border::{Out, Outcome, Scalar, slice, slice_mut};
use crate::export::guard_block;
use crate::infill_status::{self, *};

fn ask<R: Scalar>(
    selection: &mut Selection<R, &mut [u64]>, chosen: Option<&mut dyn Backend<R>>, x: &mut [f64],
) -> Outcome<infill_proposal> {
    if x.len() != selection.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    let ask = R::write(x, |point| {
        Ok(match chosen {
            None => selection.ask_with(&mut Plain, point)?,
            Some(backend) => selection.ask_with(backend, point)?,
        })
    })?;
    Ok(proposal(ask))
}

/// Proposes a point of the whole space, in user units, and opens a trial for it. Many trials may be open.
///
/// Queued points come first, then the starting designs of all branches in turn, then what the strategy says. Parameters that do
/// not matter are canonical.
///
/// Errors: as infill_ask; INFILL_ERROR_EXHAUSTED only where every branch is used up, INFILL_ERROR_FULL where those that are
/// not have no place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_ask(
    selection: *mut infill_selection, x: *mut f64, dims: usize, trial: *mut infill_trial,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let out = Out::new(trial)?;
            let x = slice_mut(x, dims)?;
            out.write(either!(open(selection)?, selection => ask(&mut selection, None, x)?).trial);
            Ok(())
        })
    }
}

/// As infill_selection_ask, with the arithmetic done by a backend and the origin of the point; backend = NULL is
/// infill_selection_ask's.
///
/// Errors: as infill_selection_ask, and INFILL_ERROR_BACKEND; the trials are unchanged then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_ask_with(
    selection: *mut infill_selection, backend: *mut infill_backend, x: *mut f64, dims: usize,
    out: *mut infill_proposal,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let (out, x) = (Out::new(out)?, slice_mut(x, dims)?);
            let (handle, mut chosen) = (open(selection)?, Chosen::new(backend)?);
            out.write(match handle {
                #[cfg(feature = "f32")]
                Handle::F32(mut selection) => ask(&mut selection, Choice::backend(&mut chosen), x)?,
                #[cfg(feature = "f64")]
                Handle::F64(mut selection) => ask(&mut selection, Choice::backend(&mut chosen), x)?,
            });
            Ok(())
        })
    }
}

/// Tells the value of an open trial.
///
/// Errors: as infill_tell.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_tell(
    selection: *mut infill_selection, trial: infill_trial, value: f64,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe { infill_selection_tell_noisy(selection, trial, value, 0.0) }
}

fn tell<R: Scalar>(
    selection: &mut Selection<R, &mut [u64]>, trial: infill_trial, value: f64, variance: f64,
) -> Outcome<()> {
    Ok(selection.tell_noisy(TrialId::from_bits(trial), R::of(value), R::of(variance))?)
}

/// Tells the value of an open trial and the known variance of that value.
///
/// Errors: as infill_tell_noisy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_tell_noisy(
    selection: *mut infill_selection, trial: infill_trial, value: f64, variance: f64,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe {
        guard_block(
            selection.cast(),
            || either!(open(selection)?, selection => tell(&mut selection, trial, value, variance)),
        )
    }
}

/// Tells that an open trial failed: its point counts as bad as the worst value told in any branch.
///
/// Errors: as infill_fail.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_fail(
    selection: *mut infill_selection, trial: infill_trial,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe {
        guard_block(selection.cast(), || {
            either!(open(selection)?, selection => selection.fail(TrialId::from_bits(trial))?);
            Ok(())
        })
    }
}

/// Forgets an open or queued trial.
///
/// Errors: as infill_forget.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_forget(
    selection: *mut infill_selection, trial: infill_trial,
) -> infill_status {
    // SAFETY: the caller's pointer is what it says.
    unsafe {
        guard_block(selection.cast(), || {
            either!(open(selection)?, selection => selection.forget(TrialId::from_bits(trial))?);
            Ok(())
        })
    }
}

/// A point of the caller's, in the scalar inside, given to `work`.
fn told<R: Scalar>(
    selection: &mut Selection<R, &mut [u64]>, x: &[f64],
    work: impl FnOnce(&mut Selection<R, &mut [u64]>, &[R]) -> Result<TrialId, library::Error>,
) -> Outcome<infill_trial> {
    if x.len() != selection.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    Ok(R::read(x, |point| work(selection, point))?.to_bits())
}

fn observe<R: Scalar>(
    selection: &mut Selection<R, &mut [u64]>, x: &[f64], value: f64,
) -> Outcome<infill_trial> {
    told(selection, x, |selection, point| selection.observe(point, R::of(value)))
}

/// Puts a point of the whole space in the queue: a later ask proposes it before any other. It has its place in its branch
/// from now on.
///
/// Errors: as infill_enqueue; INFILL_ERROR_FULL also if its branch has no place (infill_selector.most).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_enqueue(
    selection: *mut infill_selection, x: *const f64, dims: usize, trial: *mut infill_trial,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let (out, x) = (Out::new(trial)?, slice(x, dims)?);
            out.write(either!(open(selection)?, selection => {
                told(&mut selection, x, |selection, point| selection.enqueue(point))?
            }));
            Ok(())
        })
    }
}

/// Adds a value that was observed without an ask; it counts as an evaluation.
///
/// Errors: as infill_observe; INFILL_ERROR_FULL also if its branch has no place (infill_selector.most).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_observe(
    selection: *mut infill_selection, x: *const f64, dims: usize, value: f64, trial: *mut infill_trial,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let (out, x) = (Out::new(trial)?, slice(x, dims)?);
            out.write(either!(open(selection)?, selection => observe(&mut selection, x, value)?));
            Ok(())
        })
    }
}
