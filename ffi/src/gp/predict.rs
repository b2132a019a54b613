//! What a process says of points.

use library::rng::Generator;

use super::data::infill_gp;
use super::process::{Parts, Process, each, open};
use crate::export::changing;
use crate::infill_status::{self, *};
use crate::pointer::{MOST, Outcome, Scalar, buffered, slice, slice_mut};
use crate::query::wide;

/// Mean and variance of the function at a point, without the noise. Cost: n² flops.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE; INFILL_ERROR_NOT_FINITE for the point, or an answer out of the range;
/// INFILL_ERROR_NO_DATA before a fit and after one that failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_predict(
    gp: *mut infill_gp,
    x: *const f64,
    dims: usize,
    mean: *mut f64,
    variance: *mut f64,
) -> infill_status {
    changing!(gp, (mean, variance), {
        let x = slice(x, dims)?;
        each!(open(gp)?, process => {
            let (gp, covariance, point) = process.parts(x)?;
            wide(gp.predict(covariance, point)?)
        })
    })
}

/// As infill_gp_predict, with the derivatives of both by the point, by_mean[dims] and by_variance[dims]. Cost: 2n² flops.
///
/// Errors: as infill_gp_predict; INFILL_ERROR_UNSUPPORTED for a covariance without gradient_x.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_predict_gradient(
    gp: *mut infill_gp,
    x: *const f64,
    dims: usize,
    mean: *mut f64,
    variance: *mut f64,
    by_mean: *mut f64,
    by_variance: *mut f64,
) -> infill_status {
    changing!(gp, (mean, variance), {
        let by_mean = slice_mut(by_mean, dims)?;
        let by_variance = slice_mut(by_variance, dims)?;
        let x = slice(x, dims)?;
        each!(open(gp)?, process => {
            if process.custom.is_some_and(|custom| custom.gradient_x.is_none()) {
                return Err(INFILL_ERROR_UNSUPPORTED);
            }
            let (gp, covariance, point) = process.parts(x)?;
            wide(buffered(by_mean, |mean| {
                buffered(by_variance, |variance| Ok(gp.predict_gradient(covariance, point, mean, variance)?))
            })?)
        })
    })
}

/// Means and covariance of the function at count points, at most infill_gp_config.batch: means[count] and the lower
/// triangle matrix[count·(count + 1)/2], row i from i·(i + 1)/2 on.
///
/// Errors: as infill_gp_predict; INFILL_ERROR_SHAPE for more points. With INFILL_ERROR_NOT_FINITE, outputs of more than 4096
/// numbers are scratch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_predict_joint(
    gp: *mut infill_gp,
    points: *const f64,
    count: usize,
    dims: usize,
    means: *mut f64,
    matrix: *mut f64,
) -> infill_status {
    changing!(gp, {
        let (points, means, matrix) = several(points, count, dims, means, matrix)?;
        each!(open(gp)?, process => {
            let (gp, covariance, points) = asked(&mut process, points, count)?;
            buffered(means, |means| {
                buffered(matrix, |matrix| Ok(gp.predict_joint(covariance, points, means, matrix)?))
            })?
        })
    })
}

/// Points, as many values, and the triangle of their covariance.
unsafe fn several<'a>(
    points: *const f64,
    count: usize,
    dims: usize,
    values: *mut f64,
    matrix: *mut f64,
) -> Outcome<(&'a [f64], &'a mut [f64], &'a mut [f64])> {
    if !(1..=1 << 16).contains(&count) || dims > MOST {
        return Err(INFILL_ERROR_SHAPE);
    }
    let triangle = count * (count + 1) / 2;
    // SAFETY: the caller's pointers are what they say.
    unsafe { Ok((slice(points, count * dims)?, slice_mut(values, count)?, slice_mut(matrix, triangle)?)) }
}

/// The parts of a process that answers, with so many points.
fn asked<'b, 'a, R: Scalar>(
    process: &'b mut Process<'a, R>,
    points: &[f64],
    count: usize,
) -> Outcome<Parts<'b, 'a, R>> {
    let (gp, covariance, points) = process.parts(points)?;
    if points.len() != count * gp.dims() {
        return Err(INFILL_ERROR_SHAPE);
    }
    gp.predict(covariance, &points[..gp.dims()])?;
    Ok((gp, covariance, points))
}

/// A joint draw of the function at count points, values[count]; matrix[count·(count + 1)/2] is scratch.
///
/// Errors: as infill_gp_predict_joint; INFILL_ERROR_NOT_POSITIVE_DEFINITE, when more than 4096 values are scratch, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_sample(
    gp: *mut infill_gp,
    points: *const f64,
    count: usize,
    dims: usize,
    seed: u64,
    values: *mut f64,
    matrix: *mut f64,
) -> infill_status {
    changing!(gp, {
        let (points, values, matrix) = several(points, count, dims, values, matrix)?;
        each!(open(gp)?, process => {
            let (gp, covariance, points) = asked(&mut process, points, count)?;
            let mut generator = Generator::new(seed);
            buffered(values, |values| {
                R::write(matrix, |matrix| Ok(gp.sample(covariance, points, &mut generator, values, matrix)?))
            })?
        })
    })
}
