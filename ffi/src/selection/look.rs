//! What a selection knows.

use library::{Prediction, Selection};

use super::data::infill_selection;
use super::handle::{Handle, either, open, view};
use crate::border::{Out, Outcome, Scalar, slice, slice_mut};
use crate::export::{guard, guard_block, guard_or};
use crate::infill_status::{self, *};
use crate::look::{infill_record, record};
use crate::space::{infill_space, with_space};

/// The trial of lowest value told in any branch, with that value.
///
/// Errors: as infill_best.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_best(
    selection: *const infill_selection, x: *mut f64, dims: usize, value: *mut f64,
) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        let (handle, x, out) = unsafe { (view(selection)?, slice_mut(x, dims)?, Out::new(value)?) };
        let value = either!(handle, selection => {
            record(&selection.best().ok_or(INFILL_ERROR_NO_DATA)?, x)?.value
        });
        out.write(value);
        Ok(())
    })
}

fn recommend<R: Scalar>(selection: &mut Selection<R, &mut [u64]>, x: &mut [f64]) -> Outcome<(f64, f64)> {
    if x.len() != selection.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    let (trial, Prediction { mean, variance }) = selection.recommend()?;
    record(&trial, x)?;
    Ok((mean.to_f64(), variance.to_f64()))
}

/// The told trial of lowest posterior mean by the model of its branch, with that mean and its variance; the models are
/// trained when infill_recommend trains.
///
/// Errors: as infill_recommend.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_recommend(
    selection: *mut infill_selection, x: *mut f64, dims: usize, mean: *mut f64, variance: *mut f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let (handle, x) = (open(selection)?, slice_mut(x, dims)?);
            let (out, spread) = (Out::new(mean)?, Out::new(variance)?);
            let answer = either!(handle, selection => recommend(&mut selection, x)?);
            out.write(answer.0);
            spread.write(answer.1);
            Ok(())
        })
    }
}

fn predict<R: Scalar>(selection: &mut Selection<R, &mut [u64]>, x: &[f64]) -> Outcome<(f64, f64)> {
    if x.len() != selection.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    let Prediction { mean, variance } = R::read(x, |point| selection.predict(point))?;
    Ok((mean.to_f64(), variance.to_f64()))
}

/// Mean and variance of the model of its branch at a point of the whole space, in user units.
///
/// Errors: as infill_predict.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_predict(
    selection: *mut infill_selection, x: *const f64, dims: usize, mean: *mut f64, variance: *mut f64,
) -> infill_status {
    // SAFETY: the caller's pointers are what they say.
    unsafe {
        guard_block(selection.cast(), || {
            let (handle, x) = (open(selection)?, slice(x, dims)?);
            let (out, spread) = (Out::new(mean)?, Out::new(variance)?);
            let answer = either!(handle, selection => predict(&mut selection, x)?);
            out.write(answer.0);
            spread.write(answer.1);
            Ok(())
        })
    }
}

/// How many trials there are in all branches: told, failed, open and queued ones. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_count(selection: *const infill_selection) -> usize {
    guard_or(0, || {
        // SAFETY: the caller's pointer is what it says.
        Ok(either!(unsafe { view(selection) }?, selection => selection.trials().count()))
    })
}

/// Trial number index of infill_selection_count, in no particular order but with its sequence, and its point.
///
/// Errors: as infill_record_at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_record_at(
    selection: *const infill_selection, index: usize, x: *mut f64, dims: usize, out: *mut infill_record,
) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointers are what they say.
        let (handle, x, out) = unsafe { (view(selection)?, slice_mut(x, dims)?, Out::new(out)?) };
        out.write(either!(handle, selection => {
            record(&selection.trials().nth(index).ok_or(INFILL_ERROR_SHAPE)?, x)?
        }));
        Ok(())
    })
}

/// Evaluations that were told in all branches, starting designs and failures included. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_closed(selection: *const infill_selection) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(either!(unsafe { view(selection) }?, selection => selection.len())))
}

/// How many trials may still be asked for: places that are free, here and in the branches (infill_selector.most). Queued
/// trials have theirs; a branch that is one configuration counts as often as it is evaluated. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_remaining(selection: *const infill_selection) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(either!(unsafe { view(selection) }?, selection => selection.remaining())))
}

/// 1 if this is the space of the selection, as infill_has_space; 0 otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_has_space(
    selection: *const infill_selection, space: *const infill_space,
) -> u32 {
    // SAFETY: the caller's pointers are what they say.
    guard_or(0, || unsafe {
        let handle = view(selection)?;
        with_space(space, |space| Ok(u32::from(either!(handle, selection => selection.has_space(space)))))
    })
}

/// Number of parameters of the whole space. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_dims(selection: *const infill_selection) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(either!(unsafe { view(selection) }?, selection => selection.dims())))
}

/// Values of the category. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_branches(selection: *const infill_selection) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(either!(unsafe { view(selection) }?, selection => selection.branches())))
}

/// Bytes of the block from the handle on: copy them to save the selection. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_selection_bytes(selection: *const infill_selection) -> usize {
    // SAFETY: the caller's pointer is what it says.
    guard_or(0, || Ok(either!(unsafe { view(selection) }?, selection => size_of_val(selection.words()))))
}
