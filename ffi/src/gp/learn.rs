//! Data, fits and hyperparameters of a process.

use library::rng::Generator;
use library::{Gp, Objective, Plain, Real, Training};

use super::data::{infill_gp, infill_training};
use super::process::{Process, each, open, pick};
use crate::backend::{Choice, Chosen, infill_backend};
use crate::export::{changing, counted};
use crate::infill_status::{self, *};
use crate::pointer::{Outcome, Scalar, buffered, given, slice, slice_mut, spread, with_buffer};

/// Adds an observation with a known variance, variance = 0 for none; infill_gp_fit or infill_gp_train makes it count.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_NOT_FINITE, INFILL_ERROR_FULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_push(
    gp: *mut infill_gp,
    x: *const f64,
    dims: usize,
    y: f64,
    variance: f64,
) -> infill_status {
    changing!(gp, {
        let x = slice(x, dims)?;
        each!(open(gp)?, process => {
            let (gp, _, point) = process.parts(x)?;
            gp.push(point, R::of(y), R::of(variance))?
        })
    })
}

/// Adds an observation to a process that is fitted, which it stays; variance = 0 as for infill_gp_push.
///
/// Cost: n² instead of the n³ of a fit.
///
/// Errors: as infill_gp_push; INFILL_ERROR_NO_DATA if it is not fitted; INFILL_ERROR_NOT_POSITIVE_DEFINITE if the
/// point adds nothing but rounding; INFILL_ERROR_NOT_FINITE also for a fit that would leave the range.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_extend(
    gp: *mut infill_gp,
    x: *const f64,
    dims: usize,
    y: f64,
    variance: f64,
) -> infill_status {
    changing!(gp, {
        let x = slice(x, dims)?;
        each!(open(gp)?, process => extend(&mut process, x, y, variance)?)
    })
}

fn extend<R: Scalar>(process: &mut Process<'_, R>, x: &[f64], y: f64, variance: f64) -> Outcome<()> {
    let (gp, covariance, point) = process.parts(x)?;
    if !gp.answers() {
        return Err(INFILL_ERROR_NO_DATA);
    }
    let rows = gp.rows();
    gp.extend(covariance, point, R::of(y), R::of(variance))?;
    if let Err(error) = gp.refresh() {
        // What was fits still: the same factor and values give the same α.
        gp.truncate(rows);
        gp.refresh()?;
        return Err(error.into());
    }
    Ok(())
}

/// Removes observation number row; those behind it move up. A fitted process stays fitted, unless there is nothing left to
/// predict from: no more rows than its trend has functions, or rows that infill_gp_fit would refuse.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if there is no such row.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_remove(gp: *mut infill_gp, row: usize) -> infill_status {
    changing!(gp, each!(open(gp)?, process => remove(&mut process.gp, row)?))
}

fn remove<R: Scalar>(gp: &mut Gp<'_, R>, row: usize) -> Outcome<()> {
    if row >= gp.rows() {
        return Err(INFILL_ERROR_SHAPE);
    }
    gp.remove(row)?;
    // The row is gone, whatever is left: without a fit, predictions are refused.
    let _ = gp.refresh();
    Ok(())
}

/// Removes all observations.
///
/// Errors: INFILL_ERROR_NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_clear(gp: *mut infill_gp) -> infill_status {
    changing!(gp, each!(open(gp)?, process => process.gp.clear()))
}

/// Fits the process to its data at the present hyperparameters; backend = NULL works in the block. Cost: n³/3 flops.
///
/// Errors: INFILL_ERROR_NULL; INFILL_ERROR_NO_DATA if there are no more rows than the trend has functions;
/// INFILL_ERROR_NOT_POSITIVE_DEFINITE, also if the rows do not tell those functions apart; INFILL_ERROR_NOT_FINITE if the fit
/// leaves the range; INFILL_ERROR_BACKEND. The process then has no fit, and refuses to predict.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_fit(gp: *mut infill_gp, backend: *mut infill_backend) -> infill_status {
    changing!(gp, {
        let mut chosen = Chosen::new(backend)?;
        each!(open(gp)?, process => {
            let (gp, covariance, _) = process.parts(&[])?;
            refit(gp, |gp| Ok(gp.fit(covariance, pick(&mut chosen, &mut Plain))?))?
        })
    })
}

/// A fit that fails leaves none.
fn refit<'a, R: Scalar, T>(
    gp: &mut Gp<'a, R>,
    work: impl FnOnce(&mut Gp<'a, R>) -> Outcome<T>,
) -> Outcome<T> {
    let outcome = work(gp);
    if outcome.is_err() {
        gp.unfit();
    }
    outcome
}

/// Finds the hyperparameters that explain the data best, then fits; training = NULL takes the defaults.
///
/// Writes objective plus log prior at the chosen hyperparameters. The seed decides where restarts begin.
///
/// Errors: as infill_gp_fit, and INFILL_ERROR_NOT_FINITE if no hyperparameters explain the data; the hyperparameters are as they
/// were, and there is no fit. INFILL_ERROR_CONFIG, INFILL_ERROR_VERSION for training; INFILL_ERROR_UNSUPPORTED for a covariance
/// without gradient: nothing has changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_train(
    gp: *mut infill_gp,
    backend: *mut infill_backend,
    training: *const infill_training,
    seed: u64,
    value: *mut f64,
) -> infill_status {
    changing!(gp, value, {
        let mut chosen = Chosen::new(backend)?;
        let training = if training.is_null() { Training::default() } else { given(training)?.settings()? };
        each!(open(gp)?, process => train(&mut process, &mut chosen, &training, seed)?)
    })
}

fn train<R: Choice>(
    process: &mut Process<'_, R>,
    chosen: &mut Chosen<'_>,
    training: &Training,
    seed: u64,
) -> Outcome<f64> {
    if process.custom.is_some_and(|custom| custom.gradient.is_none()) {
        return Err(INFILL_ERROR_UNSUPPORTED);
    }
    let (gp, covariance, _) = process.parts(&[])?;
    with_buffer(gp.theta().len(), R::ZERO, |before| {
        before.copy_from_slice(gp.theta());
        let trained = refit(gp, |gp| {
            let mut plain = Plain;
            let backend = pick(chosen, &mut plain);
            let trained = gp.train(covariance, backend, training, &mut Generator::new(seed))?;
            if trained.value.is_finite() { Ok(trained.value.to_f64()) } else { Err(INFILL_ERROR_NOT_FINITE) }
        });
        if trained.is_err() {
            gp.theta_table().value.copy_from_slice(before);
        }
        trained
    })
}

/// The training objective at the present hyperparameters, without the log prior. A fitted process stays fitted.
///
/// With gradient = NULL and thetas = 0 the value alone; otherwise the derivatives by all hyperparameters, the noise
/// last, infill_gp_thetas of them.
///
/// Errors: as infill_gp_fit, after which a fitted process stays fitted, too, unless the backend failed; INFILL_ERROR_NOT_FINITE
/// for an answer out of the range; INFILL_ERROR_SHAPE, INFILL_ERROR_CONFIG for objective, INFILL_ERROR_UNSUPPORTED for the
/// gradient of a covariance without one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_evidence(
    gp: *mut infill_gp,
    backend: *mut infill_backend,
    objective: u32,
    value: *mut f64,
    gradient: *mut f64,
    thetas: usize,
) -> infill_status {
    changing!(gp, value, {
        let (mut chosen, gradient) = (Chosen::new(backend)?, slice_mut(gradient, thetas)?);
        let objective = crate::config::objective(objective)?;
        each!(open(gp)?, process => evidence(&mut process, &mut chosen, objective, gradient)?)
    })
}

fn evidence<R: Choice>(
    process: &mut Process<'_, R>,
    chosen: &mut Chosen<'_>,
    objective: Objective,
    gradient: &mut [f64],
) -> Outcome<f64> {
    let differentiable = process.custom.is_none_or(|custom| custom.gradient.is_some());
    let (gp, covariance, _) = process.parts(&[])?;
    if !gradient.is_empty() && gradient.len() != gp.theta().len() {
        return Err(INFILL_ERROR_SHAPE);
    }
    if !gradient.is_empty() && !differentiable {
        return Err(INFILL_ERROR_UNSUPPORTED);
    }
    let fitted = gp.answers();
    let mut plain = Plain;
    let backend = pick(chosen, &mut plain);
    let value = buffered(gradient, |out| {
        let value = gp.evidence(covariance, &mut *backend, objective, out);
        // The factor was spoilt, whatever came of it.
        if fitted {
            refit(gp, |gp| Ok(gp.fit(covariance, backend)?))?;
        }
        Ok(value?)
    })?;
    Ok(value.to_f64())
}

/// How many observations there are. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_rows(gp: *mut infill_gp) -> usize {
    counted!(each!(open(gp)?, process => process.gp.rows()))
}

/// How many hyperparameters there are, with the noise. 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_thetas(gp: *mut infill_gp) -> usize {
    counted!(each!(open(gp)?, process => process.gp.theta().len()))
}

/// The hyperparameters as logarithms, the noise variance last, infill_gp_thetas of them.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_theta(
    gp: *mut infill_gp,
    theta: *mut f64,
    thetas: usize,
) -> infill_status {
    changing!(gp, {
        let out = slice_mut(theta, thetas)?;
        each!(open(gp)?, process => spread(process.gp.theta(), out)?)
    })
}

/// Sets all hyperparameters, as logarithms, the noise variance last; infill_gp_fit makes them count.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_THETA for one outside of its bounds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_set_theta(
    gp: *mut infill_gp,
    theta: *const f64,
    thetas: usize,
) -> infill_status {
    changing!(gp, {
        let theta = slice(theta, thetas)?;
        each!(open(gp)?, process => set_theta(&mut process.gp, theta)?)
    })
}

fn set_theta<R: Scalar>(gp: &mut Gp<'_, R>, theta: &[f64]) -> Outcome<()> {
    if theta.len() != gp.theta().len() {
        return Err(INFILL_ERROR_SHAPE);
    }
    let table = gp.theta_table();
    let inside = |(i, &value): (usize, &f64)| table.lo[i] <= R::of(value) && R::of(value) <= table.hi[i];
    if !theta.iter().enumerate().all(inside) {
        return Err(INFILL_ERROR_THETA);
    }
    for (place, &value) in table.value.iter_mut().zip(theta) {
        *place = R::of(value);
    }
    // The factor belongs to the hyperparameters that were.
    gp.unfit();
    Ok(())
}

/// Sets the noise variance and the range in which training may move it; infill_gp_fit makes it count.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_THETA unless 0 < lo ≤ variance ≤ hi.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_set_noise(
    gp: *mut infill_gp,
    variance: f64,
    lo: f64,
    hi: f64,
) -> infill_status {
    changing!(gp, each!(open(gp)?, process => process.gp.set_noise(variance, lo, hi)?))
}

/// What was added to the diagonal beyond the noise to keep the matrix positive definite; 0 without a fit.
///
/// Errors: INFILL_ERROR_NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_jitter(gp: *mut infill_gp, jitter: *mut f64) -> infill_status {
    changing!(gp, jitter, each!(open(gp)?, process => process.gp.jitter().to_f64()))
}

/// The coefficients of the trend, one per basis function: 1, x…, x x… as infill_trend says.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_NO_DATA before a fit and after one that failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_trend(
    gp: *mut infill_gp,
    beta: *mut f64,
    columns: usize,
) -> infill_status {
    changing!(gp, {
        let out = slice_mut(beta, columns)?;
        each!(open(gp)?, process => {
            if !process.gp.answers() {
                return Err(INFILL_ERROR_NO_DATA);
            }
            spread(process.gp.trend_coefficients(), out)?
        })
    })
}

/// The log likelihood with the trend and the process variance at their best values, for a kernel of unit variance.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_NO_DATA before a fit and after one that failed; INFILL_ERROR_NOT_FINITE out of the range,
/// as where the trend explains everything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_gp_likelihood(gp: *mut infill_gp, value: *mut f64) -> infill_status {
    changing!(gp, value, each!(open(gp)?, process => process.gp.concentrated_likelihood()?.to_f64()))
}
