//! Block-diagonal processes, whose kernel is zero between branches: one factor for each branch, in the place of the whole.
//!
//! ```text
//! K = P·diag(K₁, K₂, …)·Pᵀ        ln p(y) = Σ ln p(yᵢ)        only the branch of x speaks of x
//! ```
//!
//! Noise, hyperparameters and trend are common to all branches; the trend alone carries over from one to another. An
//! unseen branch gets the prior.
//!
//! # References
//! Lévesque, Durand, Gagné and Sabourin, IJCNN (2017).

use super::Gp;
use super::evidence::{Law, generalised_least_squares, orthonormalise};
use super::predict::{mean_from, variance_of};
use crate::acquisition::Prediction;
use crate::backend::{Backend, Gram, Inputs, Posterior, Regression};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Covariance, Tape};
use crate::limits::Limit;
use crate::linalg::{self, Block, Blocks, block_diagonal, packed};
use crate::math::{axpy, dot};
use crate::real::Real;
use crate::trend::leave_out;

/// Candidates that share one pass over the factor of their branch.
const TOGETHER: usize = 32;

impl<R: Real> Gp<'_, R> {
    /// Finds out which observations belong together under a covariance, all of them unless it is a tape with branches.
    pub(super) fn group(&mut self, covariance: &dyn Covariance<R>) {
        let (rows, row) = (self.rows(), |i: usize| self.data.point(i));
        match covariance.tape().filter(|tape| tape.branches()) {
            Some(tape) => {
                block_diagonal::group(self.fit.index, rows, |a, b| tape.same_branch(row(a), row(b)))
            }
            None => block_diagonal::clear(self.fit.index),
        }
    }
}

/// The rows that a point meets: all, or those of its branch, none if it is unseen.
pub(super) fn of<'a, R: Real>(
    covariance: &dyn Covariance<R>,
    inputs: &Inputs<'a, R>,
    point: &[R],
) -> Block<'a> {
    let tape = covariance.tape();
    let same = |block| tape.is_some_and(|tape| tape.same_branch(head(inputs, block), point));
    inputs.blocks.meeting(inputs.rows, same)
}

/// As [`Covariance::cross`], with the rows of a block.
pub(super) fn cross<R: Real>(
    covariance: &dyn Covariance<R>,
    inputs: &Inputs<'_, R>,
    block: Block<'_>,
    point: &[R],
    out: &mut [R],
    work: &mut [R],
) -> Result<(), Error> {
    if block.is_all() {
        return covariance.cross(inputs.theta, inputs.x, point, out, work);
    }
    let tape = covariance.tape().ok_or(Error::Kernel)?;
    tape.rows_of(inputs.theta, inputs.x, block, work)?.cross(point, out)
}

/// As [`Covariance::slopes`], over the rows of a block.
pub(super) fn slopes<R: Real>(
    covariance: &dyn Covariance<R>,
    inputs: &Inputs<'_, R>,
    block: Block<'_>,
    point: &[R],
    weights: [&[R]; 2],
    out: [&mut [R]; 2],
    work: &mut [R],
) -> Result<bool, Error> {
    if block.is_all() {
        return covariance.slopes(inputs.theta, inputs.x, point, weights, out, work);
    }
    let tape = covariance.tape().ok_or(Error::Kernel)?;
    tape.rows_of(inputs.theta, inputs.x, block, work)?.cross_gradient_x(point, weights, out)
}

/// Fills the rows of a factor with the covariances of each block.
pub(super) fn gram<R: Real, B: Backend<R> + ?Sized>(
    covariance: &dyn Covariance<R>,
    backend: &mut B,
    inputs: &Inputs<'_, R>,
    matrix: &mut [R],
    work: &mut [R],
) -> Result<(), Error> {
    let Some(tape) = covariance.tape() else {
        return covariance.gram(inputs.theta, inputs.x, inputs.rows, matrix, work);
    };
    if inputs.blocks.is_whole() {
        return backend.gram(&Gram { tape, inputs }, matrix, work);
    }
    for block in inputs.blocks.iter() {
        let mut scratch = Scratch::new(&mut *work);
        let triangle = scratch.take(packed(block.len()))?;
        tape.rows_of(inputs.theta, inputs.x, block, scratch.rest())?.gram(triangle)?;
        block.store(triangle, matrix)?;
    }
    Ok(())
}

/// Gives the last row of the inputs its row of the factor and its place in the index; `inputs.rows` are before it.
///
/// Cost: m² flops and O(n) else.
pub(super) fn append<R: Real>(
    covariance: &dyn Covariance<R>,
    inputs: &Inputs<'_, R>,
    index: &mut [u32],
    factor: &mut [R],
    work: &mut [R],
) -> Result<(), Error> {
    let n = inputs.rows;
    let dims = inputs.x.len() / (n + 1);
    let row = |i: usize| &inputs.x[i * dims..(i + 1) * dims];
    let tape = covariance.tape().filter(|tape| tape.branches());
    if n == 0 {
        block_diagonal::clear(index);
    }
    if Blocks::of(index, n).is_whole() && (n > 0 || tape.is_none()) {
        let place = &mut factor[packed(n)..packed(n + 1)];
        covariance.cross(inputs.theta, &inputs.x[..n * dims], row(n), &mut place[..n], work)?;
        place[n] = covariance.eval(inputs.theta, row(n), row(n)) + inputs.nugget;
        return linalg::append(factor, n);
    }
    let tape = tape.ok_or(Error::Kernel)?;
    let mut done = || {
        let block = block_diagonal::insert(index, n, |head| tape.same_branch(row(head), row(n)))?;
        let place = factor.get_mut(packed(n)..packed(n + 1)).ok_or(Limit::Exact.refuse(n + 1))?;
        let (zeros, entries) = place.split_at_mut(n + 1 - block.len());
        zeros.fill(R::ZERO);
        tape.rows_of(inputs.theta, inputs.x, block, work)?.cross(row(n), entries)?;
        place[n] += inputs.nugget;
        block_diagonal::append(factor, block)
    };
    let appended = done();
    if appended.is_err() {
        block_diagonal::truncate(index, n + 1, n);
    }
    appended
}

/// As [`super::predict::each_prediction`], branch after branch. Cost: m² flops a point.
pub(super) fn each_prediction<R: Real>(
    tape: Tape<'_>,
    posterior: &Posterior<'_, R>,
    points: &[R],
    dims: usize,
    work: &mut [R],
    each: &mut dyn FnMut(usize, Prediction<R>),
) -> Result<(), Error> {
    let inputs = &posterior.inputs;
    let longest = inputs.blocks.iter().map(Block::len).max().unwrap_or(0);
    let mut scratch = Scratch::new(work);
    let gap = scratch.take(posterior.trend.columns(dims))?;
    let kernel_scratch = scratch.take(Tape::scratch(longest, dims, inputs.theta.len()))?;
    let sides = scratch.rest();
    Error::Shape { needed: longest }.when(sides.len() < longest)?;
    // k(x, x) of a stationary kernel is the same everywhere.
    let theta = inputs.theta;
    let constant = tape.is_stationary().then(|| tape.diagonal(theta, &points[..dims]));
    let prior = |point: &[R]| constant.unwrap_or_else(|| tape.diagonal(theta, point));
    let point = |i: usize| &points[i * dims..(i + 1) * dims];
    let count = points.len() / dims;
    for block in inputs.blocks.iter() {
        let m = block.len();
        let room = TOGETHER.min(sides.len() / m);
        let mut own = (0..count).filter(|&i| tape.same_branch(head(inputs, block), point(i))).peekable();
        if own.peek().is_none() {
            continue;
        }
        let mut rows = tape.rows_of(theta, inputs.x, block, kernel_scratch)?;
        let (mut which, mut means) = ([0; TOGETHER], [R::ZERO; TOGETHER]);
        while own.peek().is_some() {
            let mut size = 0;
            for ((i, which), mean) in own.by_ref().take(room).zip(&mut which).zip(&mut means) {
                let side = &mut sides[size * m..(size + 1) * m];
                rows.cross(point(i), side)?;
                *which = i;
                *mean = mean_from(posterior, point(i), block.dot(side, posterior.alpha));
                size += 1;
            }
            block.solve_lower(posterior.factor, sides, size)?;
            for (s, (&i, &mean)) in which[..size].iter().zip(&means).enumerate() {
                let side = &sides[s * m..(s + 1) * m];
                let variance = variance_of(posterior, block, point(i), prior(point(i)), side, gap)?;
                each(i, Prediction { mean, variance });
            }
        }
    }
    for i in 0..count {
        if !of(&tape, inputs, point(i)).is_empty() {
            continue;
        }
        let mean = mean_from(posterior, point(i), R::ZERO);
        let variance = variance_of(posterior, Block::default(), point(i), prior(point(i)), &[], gap)?;
        each(i, Prediction { mean, variance });
    }
    Ok(())
}

/// The evidence, a sum over branches, and its derivatives; as [`super::evidence::evaluate`] otherwise.
///
/// Vectors over the observations are in the order of the blocks here, the factors one after the other. Only the blocks
/// on the diagonal of the weights meet a derivative that is not zero. Cost: Σm³/3 flops for the value, Σm³ with the
/// gradient.
pub(super) fn evidence<R: Real, B: Backend<R> + ?Sized>(
    tape: Tape<'_>,
    backend: &mut B,
    request: &Regression<'_, R>,
    law: Option<&Law<'_, R>>,
    gradient: &mut [R],
    factor: &mut [R],
    work: &mut [R],
) -> Result<R, Error> {
    let inputs = &request.inputs;
    let (n, thetas, dims) = (inputs.rows, tape.thetas(), tape.dims());
    let (theta, noise) = (&inputs.theta[..thetas], inputs.theta[thetas].exp());
    let p = request.trend.columns(dims);
    let longest = inputs.blocks.iter().map(Block::len).max().unwrap_or(0);
    let mut scratch = Scratch::new(work);
    let residual = scratch.take(n)?;
    let basis = scratch.take(n * p)?;
    let normal = scratch.take(packed(p))?;
    let beta = scratch.take(p)?;
    let inverse = scratch.take(packed(longest))?;
    let kernel_scratch = scratch.rest();

    for (block, first, _) in places(inputs.blocks) {
        for (t, row) in block.rows().enumerate() {
            residual[first + t] = request.targets[row];
            let point = &inputs.x[row * dims..(row + 1) * dims];
            request.trend.basis(point, |column, value| basis[column * n + first + t] = value);
        }
    }
    leave_out(basis, n, p, normal)?;
    let mut log_determinant = R::ZERO;
    for (block, first, at) in places(inputs.blocks) {
        let m = block.len();
        let factor = &mut factor[at..at + packed(m)];
        tape.rows_of(theta, inputs.x, block, kernel_scratch)?.gram(factor)?;
        for (t, row) in block.rows().enumerate() {
            factor[packed(t) + t] += noise + request.noise[row];
        }
        backend.factor(factor, m).map_err(|error| block.named(error))?;
        linalg::solve_lower(factor, m, &mut residual[first..])?;
        for column in basis.chunks_exact_mut(n) {
            linalg::solve_lower(factor, m, &mut column[first..])?;
        }
        log_determinant += linalg::log_determinant(factor, m);
    }
    let (log_normal, rank) = generalised_least_squares(residual, basis, n, p, normal, beta)?;
    let log_determinant = log_determinant + log_normal;
    let square = dot(residual, residual);
    let (value, weight) = match law {
        None => (square + R::of_usize(n - rank) * (R::TWO * R::PI).ln(), R::ONE),
        Some(law) => {
            let (log, weight) = law(square, n - rank);
            (-R::TWO * log, weight)
        }
    };
    let value = -R::HALF * (value + log_determinant);
    Error::NotPositiveDefinite { row: 0 }.when(value.is_nan())?;
    if gradient.is_empty() {
        return Ok(value);
    }

    let (kernel_part, noise_part) = gradient.split_at_mut(thetas);
    kernel_part.fill(R::ZERO);
    let mut trace = R::ZERO;
    orthonormalise(basis, n, p, normal);
    for (block, first, at) in places(inputs.blocks) {
        let m = block.len();
        let factor = &factor[at..at + packed(m)];
        let inverse = &mut inverse[..packed(m)];
        let alpha = &mut residual[first..first + m];
        linalg::solve_upper(factor, m, alpha)?;
        backend.invert(factor, m, inverse)?;
        // W = ½(c ααᵀ − P),   P = K⁻¹ − QQᵀ
        for weight in inverse.iter_mut() {
            *weight *= -R::HALF;
        }
        add_square(R::HALF * weight, alpha, inverse);
        for column in basis.chunks_exact_mut(n) {
            let column = &mut column[first..first + m];
            linalg::solve_upper(factor, m, column)?;
            add_square(R::HALF, column, inverse);
        }
        tape.rows_of(theta, inputs.x, block, kernel_scratch)?.add_weighted_gradient(inverse, kernel_part)?;
        for t in 0..m {
            trace += inverse[packed(t) + t];
        }
    }
    noise_part[0] = noise * trace;
    Ok(value)
}

/// Each block, how many rows lie before it and how many elements of the triangles of those.
fn places<'a>(groups: Blocks<'a>) -> impl Iterator<Item = (Block<'a>, usize, usize)> {
    groups.iter().scan((0, 0), |(rows, elements), block| {
        let place = (block, *rows, *elements);
        *rows += block.len();
        *elements += packed(block.len());
        Some(place)
    })
}

/// Adds weight·v·vᵀ to a packed matrix.
fn add_square<R: Real>(weight: R, v: &[R], matrix: &mut [R]) {
    for (t, &value) in v.iter().enumerate() {
        axpy(weight * value, &v[..=t], &mut matrix[packed(t)..=packed(t) + t]);
    }
}

/// The first row of a block.
fn head<'a, R: Real>(inputs: &Inputs<'a, R>, block: Block<'_>) -> &'a [R] {
    let dims = inputs.x.len() / inputs.rows.max(1);
    inputs.x.get(block.row(0) * dims..).unwrap_or(&[])
}

#[cfg(test)]
mod tests;
