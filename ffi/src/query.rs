//! What an optimizer knows.

use core::ffi::c_char;

use library::{Prediction, Real, Trial, TrialId};

use crate::ask::{at, infill_trial};
use crate::block::infill_opt;
use crate::export::{changing, checked, counted, either, put};
use crate::infill_status::{self, *};
use crate::pointer::{Outcome, Scalar, open, slice, slice_mut, spread, tell_text, view};
use crate::space::{infill_space, with_space};

/// What has become of a trial: infill_record.state.
#[derive(Clone, Copy, Debug)]
pub enum infill_state {}

/// A trial as the optimizer remembers it; its point comes beside it.
///
/// Threads: plain data. Lifetime: that of the caller's variable; it never grows.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_record {
    /// Its name.
    pub trial: infill_trial,
    /// Its place, from 1 on, in the order in which trials were asked for or observed.
    pub sequence: u64,
    /// The value; NaN unless told.
    pub value: f64,
    /// The variance of the value that was told with it, 0 if none.
    pub variance: f64,
    /// An infill_state.
    pub state: u32,
    /// Zero.
    pub reserved: u32,
}

/// Writes the point and gives the rest.
pub(crate) fn record<R: Scalar>(trial: &Trial<'_, R>, x: &mut [f64]) -> Outcome<infill_record> {
    spread(trial.point, x)?;
    Ok(infill_record {
        trial: trial.id.to_bits(),
        sequence: trial.sequence,
        value: trial.value.to_f64(),
        variance: trial.variance.to_f64(),
        state: trial.state as u32,
        reserved: 0,
    })
}

/// The trial of lowest value told, with that value.
///
/// Nothing to give: INFILL_ERROR_NO_DATA if no value was told. Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if dims is not
/// the number of parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_best(
    opt: *const infill_opt,
    x: *mut f64,
    dims: usize,
    value: *mut f64,
) -> infill_status {
    checked!(put!(value, {
        let x = slice_mut(x, dims)?;
        either!(view(opt)?, optimizer => record(&optimizer.best().ok_or(INFILL_ERROR_NO_DATA)?, x)?.value)
    }))
}

/// The told trial of lowest posterior mean, with that mean and its variance: do not trust one lucky run.
///
/// Where there is too little data for a model, the trial of lowest value.
///
/// A look trains the hyperparameters if no ask has, as the next ask would, and again as the values grow: after values that
/// were only observed it says what it would say after an ask, and an ask that follows it proposes what it would have
/// proposed without. Once asks train, looks do not; nor while asks spread the starting design, when the hyperparameters
/// are the first guesses of the kernel.
///
/// Nothing to give: INFILL_ERROR_NO_DATA if no value was told. Errors: as infill_best.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_recommend(
    opt: *mut infill_opt,
    x: *mut f64,
    dims: usize,
    mean: *mut f64,
    variance: *mut f64,
) -> infill_status {
    changing!(opt, (mean, variance), {
        let x = slice_mut(x, dims)?;
        either!(open(opt)?, optimizer => {
            // The model is not asked for a point that has no place.
            if x.len() != optimizer.dims() {
                return Err(INFILL_ERROR_SHAPE);
            }
            let (trial, prediction) = optimizer.recommend()?;
            record(&trial, x)?;
            wide(prediction)
        })
    })
}

/// Mean and variance as outputs.
pub(crate) fn wide<R: Real>(prediction: Prediction<R>) -> (f64, f64) {
    (prediction.mean.to_f64(), prediction.variance.to_f64())
}

/// Mean and variance of the model at a point, in user units; trained when infill_recommend trains.
///
/// Nothing to give: INFILL_ERROR_NO_DATA if there is too little data for a model. Errors: INFILL_ERROR_NULL,
/// INFILL_ERROR_SHAPE, INFILL_ERROR_OUT_OF_RANGE, INFILL_ERROR_UNSUPPORTED for a method without a model,
/// INFILL_ERROR_NOT_POSITIVE_DEFINITE or INFILL_ERROR_NOT_FINITE if the model cannot be fitted to the values, where an ask proposes a random point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_predict(
    opt: *mut infill_opt,
    x: *const f64,
    dims: usize,
    mean: *mut f64,
    variance: *mut f64,
) -> infill_status {
    changing!(opt, (mean, variance), {
        let x = slice(x, dims)?;
        either!(open(opt)?, optimizer => wide(at(&mut optimizer, x, |optimizer, point| optimizer.predict(point))?))
    })
}

/// How many trials there are: told, failed, open and queued ones. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_count(opt: *const infill_opt) -> usize {
    counted!(either!(view(opt)?, optimizer => optimizer.trials().count()))
}

/// Trial number index of infill_count, in no particular order but with its sequence, and its point.
///
/// A resumed program finds here which questions are still open. Cost: O(limits.trials).
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if there is no such trial or dims is not the number of parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_record_at(
    opt: *const infill_opt,
    index: usize,
    x: *mut f64,
    dims: usize,
    out: *mut infill_record,
) -> infill_status {
    checked!(put!(out, {
        let x = slice_mut(x, dims)?;
        either!(view(opt)?, optimizer => record(&optimizer.trials().nth(index).ok_or(INFILL_ERROR_SHAPE)?, x)?)
    }))
}

/// The trial of this name, and its point.
///
/// Nothing to give: INFILL_ERROR_STALE_TRIAL if no trial has the name any more. Errors: INFILL_ERROR_NULL,
/// INFILL_ERROR_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_record_of(
    opt: *const infill_opt,
    trial: infill_trial,
    x: *mut f64,
    dims: usize,
    out: *mut infill_record,
) -> infill_status {
    checked!(put!(out, {
        let (x, id) = (slice_mut(x, dims)?, TrialId::from_bits(trial));
        either!(view(opt)?, optimizer => {
            record(&optimizer.trials().find(|trial| trial.id == id).ok_or(INFILL_ERROR_STALE_TRIAL)?, x)?
        })
    }))
}

/// How many trials are closed: told and failed ones. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_closed(opt: *const infill_opt) -> usize {
    counted!(either!(view(opt)?, optimizer => optimizer.len()))
}

/// How many trials may still be asked for or observed before the optimizer is full. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_remaining(opt: *const infill_opt) -> usize {
    counted!(either!(view(opt)?, optimizer => optimizer.remaining()))
}

/// Writes 1 for each parameter that matters at a trial and 0 for each that does not: what an objective has to look at.
///
/// dims is the number of parameters. Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_STALE_TRIAL for a trial that is
/// unknown or forgotten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_active(
    opt: *const infill_opt,
    trial: infill_trial,
    active: *mut u8,
    dims: usize,
) -> infill_status {
    checked!({
        let (handle, active) = (view(opt)?, slice_mut(active, dims)?);
        either!(handle, optimizer => {
            if active.len() != optimizer.dims() {
                return Err(INFILL_ERROR_SHAPE);
            }
            let trial = TrialId::from_bits(trial);
            // Known before anything is written.
            optimizer.for_each_active(trial, |_| ())?;
            active.fill(0);
            optimizer.for_each_active(trial, |parameter| active[parameter] = 1)?;
        });
    })
}

/// The name of a parameter in the block; empty for a parameter without one, and in a block without room for names. With
/// text = NULL and capacity = 0 it tells the length only, else it writes length bytes and a zero.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if there is no such parameter, INFILL_ERROR_MEMORY if capacity is not larger
/// than the length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_name(
    opt: *const infill_opt,
    parameter: usize,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> infill_status {
    checked!(either!(view(opt)?, optimizer => {
        let space = optimizer.space()?;
        let there = if parameter < space.dims() { Ok(()) } else { Err(INFILL_ERROR_SHAPE) };
        tell_text(text, capacity, length, || there.map(|()| space.name(parameter).unwrap_or("")))?
    }))
}

/// The label of a value of a category in the block, as infill_name.
///
/// Errors: as infill_name, INFILL_ERROR_SHAPE also for a value that the parameter has not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_label(
    opt: *const infill_opt,
    parameter: usize,
    value: usize,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> infill_status {
    checked!(either!(view(opt)?, optimizer => {
        let space = optimizer.space()?;
        let count = space.categories(parameter).unwrap_or(0);
        let there = if (value as u64) < count { Ok(()) } else { Err(INFILL_ERROR_SHAPE) };
        tell_text(text, capacity, length, || there.map(|()| space.label(parameter, value).unwrap_or("")))?
    }))
}

/// 1 if this is the space of the optimizer: the same kinds, bounds, scales, values, defaults, conditions, forbidden
/// combinations, imputation and, where both have them, names and labels, in the same order. 0 if not, for NULL, and for a space that is refused.
///
/// For a block that was saved: its points are numbers, which another space reads as other points.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_has_space(opt: *const infill_opt, space: *const infill_space) -> u32 {
    counted!({
        let handle = view(opt)?;
        with_space(space, |space| {
            Ok(u32::from(either!(handle, optimizer => optimizer.check_space(space).is_ok())))
        })?
    })
}

/// Number of parameters. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_dims(opt: *const infill_opt) -> usize {
    counted!(either!(view(opt)?, optimizer => optimizer.dims()))
}

/// Bytes of the block from the handle on: copy them to save the optimizer. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_bytes(opt: *const infill_opt) -> usize {
    counted!(either!(view(opt)?, optimizer => size_of_val(optimizer.words())))
}

/// The scalar inside: an infill_scalar. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_scalar_of(opt: *const infill_opt) -> u32 {
    counted!(either!(view(opt)?, _optimizer => R::BYTES as u32))
}
