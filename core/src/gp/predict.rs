//! The posterior predictive distribution: what a fitted process says about a point it has not seen.
//!
//! ```text
//! mean      h(x)ᵀβ + k(x)ᵀα
//! variance  k(x,x) − vᵀv + uᵀA⁻¹u,   v = L⁻¹k(x), u = h(x) − Gᵀv
//! ```

use super::block_diagonal;
use crate::acquisition::Prediction;
use crate::backend::{Backend, Cross, Posterior, Score};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Covariance, Tape};
use crate::linalg::{self, Block, packed};
use crate::math::dot;
use crate::real::Real;
use crate::surrogate;

/// Scalars of work for [`at`] and `gradient`.
pub(crate) const fn work(rows: usize, dims: usize, columns: usize, thetas: usize) -> usize {
    2 * rows + 2 * columns + Tape::scratch(rows, dims, thetas)
}

/// Scalars of work for `score` with `batch` candidates at a time.
pub const fn score_work(rows: usize, dims: usize, columns: usize, thetas: usize, batch: usize) -> usize {
    batch * (rows + 1) + columns + Tape::scratch(rows, dims, thetas)
}

/// Mean and variance of the latent function at one point. Cost: n² + O(n·dims) flops.
///
/// # Errors
/// [`Error::Shape`] if a slice is too short.
pub(crate) fn at<R: Real>(
    covariance: &dyn Covariance<R>,
    posterior: &Posterior<'_, R>,
    point: &[R],
    work: &mut [R],
) -> Result<Prediction<R>, Error> {
    let n = posterior.inputs.rows;
    let p = posterior.trend.columns(point.len());
    let mut scratch = Scratch::new(work);
    let cross = scratch.take(n)?;
    let gap = scratch.take(p)?;
    Ok(whitened(covariance, posterior, point, cross, gap, scratch.rest())?.0)
}

/// Mean and variance at a point, and the rows that it meets, for which L⁻¹k is left in `side`, and L_A⁻¹u in `gap`.
pub(super) fn whitened<'a, R: Real>(
    covariance: &dyn Covariance<R>,
    posterior: &Posterior<'a, R>,
    point: &[R],
    side: &mut [R],
    gap: &mut [R],
    work: &mut [R],
) -> Result<(Prediction<R>, Block<'a>), Error> {
    let inputs = &posterior.inputs;
    let block = block_diagonal::of(covariance, inputs, point);
    let side = side.get_mut(..block.len()).ok_or(Error::Shape { needed: block.len() })?;
    block_diagonal::cross(covariance, inputs, block, point, side, work)?;
    let mean = mean_from(posterior, point, block.dot(side, posterior.alpha));
    block.solve_lower(posterior.factor, side, 1)?;
    let prior = covariance.eval(inputs.theta, point, point);
    Ok((Prediction { mean, variance: variance_of(posterior, block, point, prior, side, gap)? }, block))
}

/// Mean and variance at one point with their gradients in x. Cost: 2n² + O(n·dims) flops.
///
/// Where the kernel has no derivative in a coordinate, that coordinate's gradient is zero.
///
/// # Errors
/// [`Error::Shape`] if a slice is too short.
pub(crate) fn gradient<R: Real>(
    covariance: &dyn Covariance<R>,
    posterior: &Posterior<'_, R>,
    point: &[R],
    slopes: [&mut [R]; 2],
    work: &mut [R],
) -> Result<Prediction<R>, Error> {
    let [mean_gradient, variance_gradient] = slopes;
    let n = posterior.inputs.rows;
    let dims = point.len();
    let p = posterior.trend.columns(dims);
    Error::Shape { needed: dims }.when(mean_gradient.len() != dims || variance_gradient.len() != dims)?;
    let mut scratch = Scratch::new(work);
    let cross = scratch.take(n)?;
    let weights = scratch.take(n)?;
    let gap = scratch.take(p)?;
    let coefficient = scratch.take(p)?;
    let kernel_scratch = scratch.rest();
    let theta = posterior.inputs.theta;
    let (prediction, block) = whitened(covariance, posterior, point, cross, gap, kernel_scratch)?;

    // ∂σ² = ∂k(x,x) − 2 Σⱼ tⱼ ∂kⱼ + 2 qᵀ∂h,   q = A⁻¹u, t = L⁻ᵀ(v + Gq)
    coefficient.copy_from_slice(gap);
    linalg::solve_upper(posterior.normal, p, coefficient)?;
    let slopes = [&mut *mean_gradient, &mut *variance_gradient];
    // Rows of other blocks have a weight too, but no slope.
    let weights = &mut weights[..block.len()];
    weights.copy_from_slice(&cross[..block.len()]);
    for c in 0..p {
        block.add(coefficient[c], &posterior.basis[c * n..(c + 1) * n], weights);
    }
    block.solve_upper(posterior.factor, weights)?;
    let weights = [block.gather(posterior.alpha, cross), weights];
    block_diagonal::slopes(covariance, &posterior.inputs, block, point, weights, slopes, kernel_scratch)?;
    // k(x,x) moves with both of its arguments: twice the slope of one.
    let slope = &mut Scratch::new(kernel_scratch).take(dims)?[..];
    covariance.gradient_x(theta, point, point, slope);
    for (g, &s) in variance_gradient.iter_mut().zip(slope.iter()) {
        *g = R::TWO * (s - *g);
    }
    posterior.trend.gradient(point, posterior.beta, mean_gradient);
    for q in coefficient.iter_mut() {
        *q *= R::TWO;
    }
    posterior.trend.gradient(point, coefficient, variance_gradient);
    Ok(prediction)
}

/// The acquisition at many points: cross-covariances, one batched solve, then the closed form.
///
/// Works through the points in batches as large as `work` allows. Cost: n² + O(n·dims) flops a point, n the rows of
/// its branch.
///
/// # Errors
/// [`Error::Shape`] if `work` has no room for one point, or what the backend reports.
pub(crate) fn score<R: Real, B: Backend<R> + ?Sized>(
    backend: &mut B,
    request: &Score<'_, R>,
    out: &mut [R],
    work: &mut [R],
) -> Result<(), Error> {
    let Score { tape, posterior, acquisition, best, points } = *request;
    each_prediction(backend, tape, posterior, points, out.len(), work, &mut |i, prediction| {
        out[i] = acquisition.score(prediction, best);
    })
}

/// Calls `each(index, prediction)` for `count` points, in batches as large as `work` allows.
///
/// # Errors
/// [`Error::Shape`] if `work` has no room for one point, or what the backend reports.
pub(crate) fn each_prediction<R: Real, B: Backend<R> + ?Sized>(
    backend: &mut B,
    tape: Tape<'_>,
    posterior: &Posterior<'_, R>,
    points: &[R],
    count: usize,
    work: &mut [R],
    each: &mut dyn FnMut(usize, Prediction<R>),
) -> Result<(), Error> {
    if count == 0 {
        return Ok(());
    }
    let n = posterior.inputs.rows;
    let dims = points.len() / count;
    Error::Shape { needed: count }.when(dims == 0 || points.len() != dims * count)?;
    if !posterior.inputs.blocks.is_whole() {
        return block_diagonal::each_prediction(tape, posterior, points, dims, work, each);
    }
    let p = posterior.trend.columns(dims);
    let fixed = p + Tape::scratch(n, dims, posterior.inputs.theta.len());
    let batch = work.len().saturating_sub(fixed) / (n + 1);
    Error::Shape { needed: fixed + n + 1 }.when(batch == 0)?;
    let mut scratch = Scratch::new(work);
    let gap = scratch.take(p)?;
    let kernel_scratch = scratch.take(Tape::scratch(n, dims, posterior.inputs.theta.len()))?;
    let means = scratch.take(batch)?;
    let sides = scratch.take(batch * n)?;
    let theta = posterior.inputs.theta;
    // k(x, x) of a stationary kernel is the same everywhere.
    let constant = tape.is_stationary().then(|| tape.eval(theta, &points[..dims], &points[..dims]));
    for (block, chunk) in points.chunks(batch * dims).enumerate() {
        let size = chunk.len() / dims;
        let sides = &mut sides[..size * n];
        let request = Cross { tape, inputs: &posterior.inputs, points: chunk };
        backend.cross(&request, sides, kernel_scratch)?;
        for (c, point) in chunk.chunks_exact(dims).enumerate() {
            means[c] = mean_from(posterior, point, dot(&sides[c * n..(c + 1) * n], posterior.alpha));
        }
        backend.solve(posterior.factor, n, sides)?;
        for (c, point) in chunk.chunks_exact(dims).enumerate() {
            let prior = constant.unwrap_or_else(|| tape.eval(theta, point, point));
            let side = &sides[c * n..(c + 1) * n];
            let variance = variance_of(posterior, Block::all(n), point, prior, side, gap)?;
            each(block * batch + c, Prediction { mean: means[c], variance });
        }
    }
    Ok(())
}

/// The mean from kᵀα.
pub(crate) fn mean_from<R: Real>(posterior: &Posterior<'_, R>, point: &[R], product: R) -> R {
    let mut mean = product;
    posterior.trend.basis(point, |column, value| mean += value * posterior.beta[column]);
    mean
}

/// The variance from v = L⁻¹k over the rows of a block; leaves L_A⁻¹u in `gap`.
pub(super) fn variance_of<R: Real>(
    posterior: &Posterior<'_, R>,
    block: Block<'_>,
    point: &[R],
    prior: R,
    v: &[R],
    gap: &mut [R],
) -> Result<R, Error> {
    let n = posterior.inputs.rows;
    for (c, u) in gap.iter_mut().enumerate() {
        *u = block.dot(v, &posterior.basis[c * n..(c + 1) * n]);
    }
    variance_from(posterior, point, prior - dot(v, v), gap)
}

/// The variance from k(x,x) − vᵀv and, in `gap`, Gᵀv; leaves L_A⁻¹u in `gap`.
pub(crate) fn variance_from<R: Real>(
    posterior: &Posterior<'_, R>,
    point: &[R],
    conditional: R,
    gap: &mut [R],
) -> Result<R, Error> {
    let mut variance = conditional;
    if !gap.is_empty() {
        posterior.trend.basis(point, |column, value| gap[column] = value - gap[column]);
        linalg::solve_lower(posterior.normal, gap.len(), gap)?;
        variance += dot(gap, gap);
    }
    Ok(variance.max(R::ZERO))
}

/// The prediction at a point, and its covariances with others. Cost: n² + O(n·dims) flops, and n for each of the others.
///
/// `own` becomes v = L⁻¹k and then the whitened gap of the trend; so does each of the others bring them behind its
/// coordinates.
///
/// # Errors
/// [`Error::Shape`] if a slice is too short.
pub(super) fn against<'o, R: Real>(
    covariance: &dyn Covariance<R>,
    posterior: &Posterior<'_, R>,
    point: &[R],
    others: impl Iterator<Item = (&'o [R], &'o [R])>,
    covariances: &mut [R],
    own: &mut [R],
    work: &mut [R],
) -> Result<Prediction<R>, Error> {
    let n = posterior.inputs.rows;
    let (side, gap) = own.split_at_mut(n);
    let (prediction, block) = whitened(covariance, posterior, point, side, gap, work)?;
    block.spread(side);
    for (out, (other, own)) in covariances.iter_mut().zip(others) {
        let (other_side, other_gap) = own.split_at(n);
        *out = covariance.eval(posterior.inputs.theta, point, other) - dot(side, other_side)
            + dot(gap, other_gap);
    }
    Ok(prediction)
}

/// Joint mean and packed covariance of the latent function at several points. Cost: n² + n·count flops a point.
///
/// # Errors
/// [`Error::Shape`] if a slice is too short.
pub(crate) fn joint<R: Real>(
    covariance: &dyn Covariance<R>,
    posterior: &Posterior<'_, R>,
    points: &[R],
    mean: &mut [R],
    matrix: &mut [R],
    work: &mut [R],
) -> Result<(), Error> {
    let count = mean.len();
    let dims = points.len().checked_div(count).unwrap_or(1);
    Error::Shape { needed: packed(count) }.when(dims == 0 || matrix.len() < packed(count))?;
    let stride = posterior.inputs.rows + posterior.trend.columns(dims);
    let mut scratch = Scratch::new(work);
    let sides = scratch.take(count * stride)?;
    let (work, mut done) = (scratch.rest(), 0);
    surrogate::anchor(dims, points, mean, matrix, |point, covariances| {
        let (before, rest) = sides.split_at_mut(done * stride);
        let others = points.chunks_exact(dims).zip(before.chunks_exact(stride));
        done += 1;
        against(covariance, posterior, point, others, covariances, &mut rest[..stride], work)
    })
}
