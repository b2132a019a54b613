//! Blocked, vectorised and threaded linear algebra by faer, for large matrices: blocks of its own choice.
//!
//! The packed rows of [`crate::linalg`] are copied into a square, worked on there and copied back. Results agree
//! with the plain code to rounding, not bit for bit. Small matrices stay with the plain code, which needs no copy.

use ::faer::traits::pulp::Arch;

use crate::acquisition::Prediction;
use crate::backend::{Backend, Cross, Evidence, Gram, Means, Member, Said, Score, TOGETHER};
use crate::error::Error;
use crate::gp::{evidence, predict};
use crate::kernel::Tape;
use crate::linalg::packed;
use crate::math::dot_here;
use crate::plain::Plain;
use crate::real::Real;

mod square;
#[cfg(test)]
mod tests;
mod training;
mod workspace;

use square::stride;
use workspace::{Buffer, Workspace, check};

/// The backend for a workstation: faer's blocked algebra, and this library's kernels in the machine's widest vectors.
///
/// Owns its memory, which grows to the largest matrix seen; the lent work is not used. One value is used by one
/// thread at a time, though it may set several to work.
///
/// ```
/// use infill::faer::Faer;
/// use infill::{Config, Limits, Optimizer, Param, Space};
///
/// let params = [Param::real(-1.0, 1.0)];
/// let space = Space::new(&params, &[])?;
/// let limits = Limits::new(1, 20);
/// let mut optimizer = Optimizer::<f64, _>::new(&space, &Config::default(), limits, vec![0; limits.words::<f64>()])?;
/// let mut faer = Faer::new();
/// let mut x = [0.0];
/// for _ in 0..12 {
///     let ask = optimizer.ask_with(&mut faer, &mut x)?;
///     optimizer.tell(ask.id, (x[0] - 0.3).powi(2))?;
/// }
/// assert!(optimizer.best().unwrap().value < 1e-4);
/// # Ok::<(), infill::Error>(())
/// ```
#[derive(Debug)]
pub struct Faer<R> {
    workspace: Workspace<R>,
    /// Scaled inputs and the blocks of a kernel.
    kernel: Buffer<R>,
    /// Right-hand sides.
    sides: Buffer<R>,
    /// As many scalars as the trend has coefficients, or their matrix.
    small: Buffer<R>,
}

impl<R: Real> Faer<R> {
    /// A backend for one thread; allocates nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::with_threads(1)
    }

    /// A backend for `threads` threads of the global pool; 0, or more than the pool has, means all of them.
    #[must_use]
    pub fn with_threads(threads: usize) -> Self {
        Self {
            workspace: Workspace::new(threads),
            kernel: Buffer::new(),
            sides: Buffer::new(),
            small: Buffer::new(),
        }
    }
}

impl<R: Real> Default for Faer<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Real> Backend<R> for Faer<R> {
    fn gram(&mut self, request: &Gram<'_, R>, out: &mut [R], _: &mut [R]) -> Result<(), Error> {
        let Gram { tape, inputs } = *request;
        let n = inputs.rows;
        Error::Shape { needed: packed(n) }.when(out.len() != packed(n))?;
        self.kernel.reserve(Tape::scratch(n, tape.dims(), inputs.theta.len()))?;
        let mut rows = tape.rows(inputs.theta, inputs.x, n, &mut self.kernel)?;
        wide(
            #[inline(always)]
            || {
                let mut rest = out;
                for (i, center) in inputs.x.chunks_exact(tape.dims()).enumerate() {
                    let (row, tail) = rest.split_at_mut(i + 1);
                    rows.values_here(center, 0, row);
                    rest = tail;
                }
            },
        );
        Ok(())
    }

    fn cross(&mut self, request: &Cross<'_, R>, out: &mut [R], _: &mut [R]) -> Result<(), Error> {
        let Cross { tape, inputs, points } = *request;
        let n = inputs.rows;
        self.kernel.reserve(Tape::scratch(n, tape.dims(), inputs.theta.len()))?;
        let mut rows = tape.rows(inputs.theta, inputs.x, n, &mut self.kernel)?;
        wide(
            #[inline(always)]
            || {
                for (point, out) in points.chunks_exact(tape.dims()).zip(out.chunks_exact_mut(n.max(1))) {
                    rows.values_here(point, 0, out);
                }
            },
        );
        Ok(())
    }

    fn factor(&mut self, matrix: &mut [R], rows: usize) -> Result<(), Error> {
        self.workspace.factor(matrix, rows)
    }

    fn solve(&mut self, factor: &[R], rows: usize, sides: &mut [R]) -> Result<(), Error> {
        let count = sides.len() / rows.max(1);
        self.workspace.solve(factor, rows, sides, count)
    }

    fn invert(&mut self, factor: &[R], rows: usize, out: &mut [R]) -> Result<(), Error> {
        self.workspace.invert(factor, rows, out)
    }

    fn evidence(
        &mut self,
        request: &Evidence<'_, R>,
        gradient: &mut [R],
        factor: &mut [R],
        work: &mut [R],
    ) -> Result<R, Error> {
        let Evidence { tape, regression } = *request;
        // Branch by branch: each comes back here as a matrix of its own.
        if regression.inputs.rows < SQUARE || !regression.inputs.blocks.is_whole() {
            return evidence::evaluate(&tape, self, regression, None, gradient, factor, work);
        }
        evidence::check(regression, tape.thetas(), gradient)?;
        self.evidence_in_square(tape, regression, gradient)
    }

    fn score(&mut self, request: &Score<'_, R>, out: &mut [R], work: &mut [R]) -> Result<(), Error> {
        let inputs = &request.posterior.inputs;
        if inputs.rows < SCORE || !inputs.blocks.is_whole() {
            return Plain.score(request, out, work);
        }
        self.score_in_square(request, out)
    }

    fn means(
        &mut self,
        request: &Means<'_, R>,
        room: &mut [R],
        _: &mut [R],
        each: &mut dyn FnMut(&Said<'_, R>),
    ) -> Result<(), Error> {
        request.each(room, each, |member, points, out| self.means_of(member, points, out))
    }
}

impl<R: Real> Faer<R> {
    /// As [`Member::means`], in memory of its own.
    fn means_of(&mut self, member: &Member<'_, R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let Member { tape, inputs, alpha, offset, .. } = *member;
        let (n, dims) = (inputs.rows, tape.dims());
        let fits = alpha.len() == n && inputs.x.len() == n * dims && points.len() == out.len() * dims;
        Error::Shape { needed: out.len() * dims }.when(!fits)?;
        let together = n.min(TOGETHER);
        self.kernel.reserve(Tape::scratch(together, dims, inputs.theta.len()))?;
        self.small.reserve(together)?;
        out.fill(offset);
        for (x, alpha) in inputs.x.chunks(TOGETHER * dims).zip(alpha.chunks(TOGETHER)) {
            let side = &mut self.small[..alpha.len()];
            let mut rows = tape.rows(inputs.theta, x, alpha.len(), &mut self.kernel)?;
            wide(
                #[inline(always)]
                || {
                    for (point, out) in points.chunks_exact(dims).zip(out.iter_mut()) {
                        rows.values_here(point, 0, side);
                        *out += dot_here(side, alpha);
                    }
                },
            );
        }
        Ok(())
    }

    /// As [`predict::score`], with the factor loaded once and batches in memory of its own.
    fn score_in_square(&mut self, request: &Score<'_, R>, out: &mut [R]) -> Result<(), Error> {
        let Score { tape, posterior, acquisition, best, points } = *request;
        let (n, dims, count) = (posterior.inputs.rows, tape.dims(), out.len());
        let (theta, p) = (posterior.inputs.theta, posterior.trend.columns(dims));
        Error::Shape { needed: dims.saturating_mul(count) }
            .when(points.len() != dims.saturating_mul(count))?;
        if count == 0 {
            return Ok(());
        }
        check(posterior.alpha, n)?;
        check(posterior.basis, p.saturating_mul(n))?;
        check(posterior.beta, p)?;
        let Self { workspace, kernel, sides, small } = self;
        workspace.load(posterior.factor, n)?;
        let (batch, stride) = (BATCH.min(count), stride(n));
        kernel.reserve(Tape::scratch(n, dims, theta.len()))?;
        sides.reserve(batch.checked_mul(stride).ok_or(Error::Backend)?)?;
        // For each point of a batch: kᵀα or vᵀv, and Gᵀv.
        small.reserve(batch * (p + 2))?;
        let (means, rest) = small.split_at_mut(batch);
        let (squares, gaps) = rest.split_at_mut(batch);
        let mut rows = tape.rows(theta, posterior.inputs.x, n, kernel)?;
        // k(x, x) of a stationary kernel is the same everywhere.
        let constant = tape.is_stationary().then(|| tape.eval(theta, &points[..dims], &points[..dims]));
        for (block, chunk) in points.chunks(batch * dims).enumerate() {
            let size = chunk.len() / dims;
            wide(
                #[inline(always)]
                || {
                    for (c, point) in chunk.chunks_exact(dims).enumerate() {
                        let side = &mut sides[c * stride..][..n];
                        rows.values_here(point, 0, side);
                        means[c] = dot_here(side, posterior.alpha);
                    }
                },
            );
            workspace.solve_square(n, sides, size, stride, false)?;
            wide(
                #[inline(always)]
                || {
                    for c in 0..size {
                        let side = &sides[c * stride..][..n];
                        squares[c] = dot_here(side, side);
                        for k in 0..p {
                            gaps[c * p + k] = dot_here(&posterior.basis[k * n..][..n], side);
                        }
                    }
                },
            );
            for (c, point) in chunk.chunks_exact(dims).enumerate() {
                let mean = predict::mean_from(posterior, point, means[c]);
                let prior = constant.unwrap_or_else(|| tape.eval(theta, point, point));
                let left = prior - squares[c];
                let variance = predict::variance_from(posterior, point, left, &mut gaps[c * p..(c + 1) * p])?;
                out[block * batch + c] = acquisition.score(Prediction { mean, variance }, best);
            }
        }
        Ok(())
    }
}

/// Rows from which the objective of training is computed in square storage.
const SQUARE: usize = 32;

/// Rows from which candidates are scored in square storage.
const SCORE: usize = 16;

/// Candidates scored at a time: their sides stay in a last-level cache, the factor is read once for all of them.
const BATCH: usize = 512;

/// Runs a loop compiled for the widest vectors this machine has.
///
/// Only what is inlined into the closure is, the closure included: it needs `#[inline(always)]` as every function that
/// it calls. Multiplications and additions are not fused, so each value has the bits of the plain code.
#[inline(always)]
fn wide<T>(work: impl FnOnce() -> T) -> T {
    Arch::new().dispatch(work)
}
