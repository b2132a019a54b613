//! A kernel over warped coordinates.

use super::{Maps, Slopes, Warp};
use crate::backend::{Inputs, Posterior};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{Covariance, Tape};
use crate::linalg::packed;
use crate::real::Real;
use crate::trend::Trend;
use core::cell::RefCell;

/// A kernel of warped coordinates, whose hyperparameters are those of the tape and then the shapes.
///
/// ```text
/// k(a, b; θ, shapes) = k(w(a), w(b); θ),   ∂/∂s Σ Wᵢⱼ Kᵢⱼ = 2 Σᵢₖ ∂wᵢₖ/∂s Σⱼ Wᵢⱼ ∂k(wᵢ, wⱼ)/∂wᵢₖ
/// ```
///
/// It has no tape: matrices are filled by the CPU and factored by any backend. The memory lent to it holds warped rows
/// during a call. One thread at a time; it lives as long as that memory.
#[derive(Debug)]
pub(crate) struct Warped<'a, R> {
    tape: Tape<'a>,
    kind: Warp,
    numeric: &'a [u64],
    memory: RefCell<&'a mut [R]>,
}

impl<'a, R: Real> Warped<'a, R> {
    /// The kernel `tape` over coordinates that are warped where `numeric` has a bit; `memory` has [`Warped::scalars`].
    ///
    /// # Errors
    /// [`Error::Shape`] if the memory does not even hold a pair of points.
    pub(crate) fn new(
        tape: Tape<'a>,
        kind: Warp,
        numeric: &'a [u64],
        memory: &'a mut [R],
    ) -> Result<Self, Error> {
        let needed = Self::scalars(0, tape.dims());
        Error::Shape { needed }.when(memory.len() < needed)?;
        Ok(Self { tape, kind, numeric, memory: RefCell::new(memory) })
    }

    /// Scalars that it needs for `rows` rows of `dims` coordinates.
    pub(crate) const fn scalars(rows: usize, dims: usize) -> usize {
        rows * dims + rows + 3 * dims
    }

    /// The process fitted with this covariance as one of the tape over warped rows, which are written to `rows`.
    ///
    /// It predicts at warped points what the other predicts at the points themselves.
    ///
    /// # Errors
    /// [`Error::Shape`] unless `rows` is as long as the inputs and θ has the shapes; [`Error::Unsupported`] for a trend that
    /// depends on the inputs, since that was fitted to the rows as they were.
    pub(crate) fn posterior<'p>(
        &self,
        posterior: Posterior<'p, R>,
        rows: &'p mut [R],
    ) -> Result<Posterior<'p, R>, Error> {
        Error::Unsupported.when(!matches!(posterior.trend, Trend::Zero | Trend::Constant))?;
        let (theta, maps) = self.split(posterior.inputs.theta)?;
        maps.warp(posterior.inputs.x, rows)?;
        Ok(Posterior { inputs: Inputs { theta, x: rows, ..posterior.inputs }, ..posterior })
    }

    /// θ of the tape, and the maps of the shapes.
    fn split<'t: 'm, 'm>(&'m self, theta: &'t [R]) -> Result<(&'t [R], Maps<'m, R>), Error> {
        let kernel = self.tape.thetas();
        let needed = kernel + self.kind.thetas(self.tape.dims());
        Error::Shape { needed }.when(theta.len() < needed)?;
        let maps = Maps { kind: self.kind, shapes: &theta[kernel..needed], numeric: self.numeric };
        Ok((&theta[..kernel], maps))
    }

    /// Calls `f` with the two points warped and room for one more.
    fn pair<T>(
        &self,
        theta: &[R],
        a: &[R],
        b: &[R],
        f: impl FnOnce(&[R], Maps<'_, R>, &[R], &[R], &mut [R]) -> T,
    ) -> Result<T, Error> {
        let (theta, maps) = self.split(theta)?;
        let dims = self.tape.dims();
        let mut memory = self.memory.try_borrow_mut().map_err(|_| Error::Backend)?;
        let mut scratch = Scratch::new(&mut memory[..]);
        let (first, second, third) = (scratch.take(dims)?, scratch.take(dims)?, scratch.take(dims)?);
        maps.warp(a, first)?;
        maps.warp(b, second)?;
        Ok(f(theta, maps, first, second, third))
    }

    /// Calls `f` with the rows and a point warped, then room for a row of weights and a point.
    fn rows<T>(
        &self,
        theta: &[R],
        x: &[R],
        point: &[R],
        f: impl FnOnce(&[R], Maps<'_, R>, &[R], &[R], &mut [R], &mut [R]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (theta, maps) = self.split(theta)?;
        let dims = self.tape.dims();
        let mut memory = self.memory.try_borrow_mut().map_err(|_| Error::Backend)?;
        let mut scratch = Scratch::new(&mut memory[..]);
        let rows = scratch.take(x.len())?;
        let weights = scratch.take(x.len() / dims.max(1))?;
        let (warped, spare) = (scratch.take(point.len())?, scratch.take(dims)?);
        maps.warp(x, rows)?;
        maps.warp(point, warped)?;
        f(theta, maps, rows, warped, weights, spare)
    }
}

impl<R: Real> Covariance<R> for Warped<'_, R> {
    fn thetas(&self) -> usize {
        self.tape.thetas() + self.kind.thetas(self.tape.dims())
    }

    fn eval(&self, theta: &[R], a: &[R], b: &[R]) -> R {
        self.pair(theta, a, b, |theta, _, a, b, _| self.tape.eval(theta, a, b)).unwrap_or(R::NAN)
    }

    fn gradient(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) {
        let kernel = self.tape.thetas();
        if out.len() < self.thetas() {
            return;
        }
        let (in_kernel, in_shapes) = out.split_at_mut(kernel);
        let done = self.pair(theta, a, b, |theta, maps, wa, wb, slope| {
            self.tape.gradient(theta, wa, wb, in_kernel);
            in_shapes.fill(R::ZERO);
            for (from, to, point) in [(wa, wb, a), (wb, wa, b)] {
                self.tape.gradient_x(theta, from, to, slope);
                for (k, &u) in point.iter().enumerate() {
                    if let Some(Slopes { by_first, by_second, .. }) = maps.slopes(k, u) {
                        in_shapes[2 * k] += slope[k] * by_first;
                        in_shapes[2 * k + 1] += slope[k] * by_second;
                    }
                }
            }
        });
        if done.is_err() {
            out.fill(R::NAN);
        }
    }

    fn gradient_x(&self, theta: &[R], a: &[R], b: &[R], out: &mut [R]) -> bool {
        let found = self.pair(theta, a, b, |theta, maps, wa, wb, _| {
            let whole = self.tape.gradient_x(theta, wa, wb, out);
            maps.chain(a, [out]);
            whole
        });
        found.unwrap_or(false)
    }

    fn gram(&self, theta: &[R], x: &[R], n: usize, out: &mut [R], scratch: &mut [R]) -> Result<(), Error> {
        self.rows(theta, x, &[], |theta, _, rows, _, _, _| self.tape.gram(theta, rows, n, out, scratch))
    }

    fn cross(
        &self,
        theta: &[R],
        x: &[R],
        point: &[R],
        out: &mut [R],
        scratch: &mut [R],
    ) -> Result<(), Error> {
        self.rows(theta, x, point, |theta, _, rows, point, _, _| {
            self.tape.cross(theta, rows, point, out, scratch)
        })
    }

    fn weighted_gradient(
        &self,
        theta: &[R],
        x: &[R],
        n: usize,
        weights: &[R],
        out: &mut [R],
        scratch: &mut [R],
    ) -> Result<(), Error> {
        let (kernel, dims) = (self.tape.thetas(), self.tape.dims());
        Error::Shape { needed: self.thetas() }.when(out.len() != self.thetas())?;
        Error::Shape { needed: packed(n) }.when(weights.len() < packed(n))?;
        let (in_kernel, in_shapes) = out.split_at_mut(kernel);
        self.rows(theta, x, &[], |theta, maps, rows, _, row, slope| {
            let mut prepared = self.tape.rows(theta, rows, n, scratch)?;
            prepared.weighted_gradient(weights, in_kernel)?;
            in_shapes.fill(R::ZERO);
            if in_shapes.is_empty() {
                return Ok(());
            }
            for i in 0..n {
                for (j, w) in row.iter_mut().enumerate() {
                    *w = weights[if j <= i { packed(i) + j } else { packed(j) + i }];
                }
                prepared.cross_gradient_x(&rows[i * dims..(i + 1) * dims], [row], [slope])?;
                for k in 0..dims {
                    if let Some(Slopes { by_first, by_second, .. }) = maps.slopes(k, x[i * dims + k]) {
                        let twice = slope[k] + slope[k];
                        in_shapes[2 * k] += twice * by_first;
                        in_shapes[2 * k + 1] += twice * by_second;
                    }
                }
            }
            Ok(())
        })
    }

    fn slopes(
        &self,
        theta: &[R],
        x: &[R],
        point: &[R],
        weights: [&[R]; 2],
        out: [&mut [R]; 2],
        scratch: &mut [R],
    ) -> Result<bool, Error> {
        let [first, second] = out;
        self.rows(theta, x, point, |theta, maps, rows, warped, _, _| {
            let both = [&mut *first, &mut *second];
            let mut prepared = self.tape.rows(theta, rows, weights[0].len(), scratch)?;
            let whole = prepared.cross_gradient_x(warped, weights, both)?;
            maps.chain(point, [first, second]);
            Ok(whole)
        })
    }
}
