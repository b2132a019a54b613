//! Single parts: what a trial is worth, points to start with.

use core::ffi::c_void;

use library::acquisition::bound;
use library::space::Domain;
use library::{Acquisition, Prediction};

use crate::config::design;
use crate::export::{checked, counted, put};
use crate::infill_status::{self, *};
use crate::pointer::{Outcome, block, slice_mut, with_buffer};
use crate::space::{infill_space, with_space};

fn rule(acquisition: u32, parameter: f64) -> Outcome<Acquisition<f64>> {
    Ok(Acquisition::from_code(acquisition.into(), parameter)?)
}

/// What a trial is worth where the model predicts this mean and variance and best is the lowest value so far.
///
/// acquisition is an infill_acquisition and parameter its margin, β, order, temperature or noise, or 0. Larger is better;
/// never NaN, but infinite where it leaves the range: the logarithm of nothing is -INFINITY.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_CONFIG for an unknown rule or a parameter that is not one of its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_acquisition_score(
    acquisition: u32,
    parameter: f64,
    mean: f64,
    variance: f64,
    best: f64,
    score: *mut f64,
) -> infill_status {
    checked!(put!(score, rule(acquisition, parameter)?.score(Prediction { mean, variance }, best)))
}

/// As infill_acquisition_score, with the derivatives by the mean and by the standard deviation, which may be infinite, too.
///
/// Errors: as infill_acquisition_score.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_acquisition_gradient(
    acquisition: u32,
    parameter: f64,
    mean: f64,
    variance: f64,
    best: f64,
    score: *mut f64,
    by_mean: *mut f64,
    by_deviation: *mut f64,
) -> infill_status {
    checked!(put!((score, by_mean, by_deviation), {
        rule(acquisition, parameter)?.score_gradient(Prediction { mean, variance }, best)
    }))
}

/// The β after so many trials with which all bounds hold together with probability 1 − delta.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_CONFIG unless 0 < delta < 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_bound_schedule(
    trial: u64,
    dims: usize,
    delta: f64,
    beta: *mut f64,
) -> infill_status {
    checked!(put!(beta, {
        if !(delta > 0.0 && delta < 1.0) {
            return Err(INFILL_ERROR_CONFIG);
        }
        bound::schedule(trial, dims, delta)
    }))
}

/// Bytes of memory that infill_design needs; 0 if the space is refused.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_design_size(space: *const infill_space) -> usize {
    counted!(with_space(space, |space| Ok(8 * space.words()))?)
}

/// The first count points of a design of total points, row after row in user units, computed in double precision.
///
/// design is an infill_design_kind. mem is scratch of infill_design_size bytes, aligned to INFILL_ALIGN. Where a point of
/// the design is forbidden, a random one that is not stands for it, by the seed and its index alone.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_MEMORY, INFILL_ERROR_CONFIG for design,
/// INFILL_ERROR_SHAPE if total is 0 or less than count, or dims is not the number of parameters, those of infill_space,
/// and INFILL_ERROR_INFEASIBLE if no point was found that is not forbidden.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_design(
    mem: *mut c_void,
    size: usize,
    space: *const infill_space,
    design_kind: u32,
    seed: u64,
    total: u32,
    points: *mut f64,
    count: usize,
    dims: usize,
) -> infill_status {
    checked!({
        let design = design(design_kind)?;
        if total == 0 || count > total as usize {
            return Err(INFILL_ERROR_SHAPE);
        }
        let all = count.checked_mul(dims).ok_or(INFILL_ERROR_SHAPE)?;
        let (words, points) = (block(mem, size)?, slice_mut(points, all)?);
        with_space(space, |space| {
            if space.dims() != dims {
                return Err(INFILL_ERROR_SHAPE);
            }
            space.check_exact::<f64>()?;
            space.write(words)?;
            let domain = Domain::attach::<f64>(words)?;
            with_buffer(dims, 0.0, |unit| {
                // Nothing is written unless all are found.
                if domain.forbidding() {
                    (0..count as u32).try_for_each(|i| design.allowed(seed, i, total, domain, unit))?;
                }
                for (index, row) in (0..total).zip(points.chunks_exact_mut(dims)) {
                    design.allowed(seed, index, total, domain, unit)?;
                    domain.decode(unit, row);
                }
                Ok(())
            })
        })?
    })
}
