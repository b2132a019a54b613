//! Hyperparameters by the marginal likelihood of all rows, and the factor at those.

use super::{Kernel, Room, Rows};
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::Tape;
use crate::lbfgs::{self, Budget};
use crate::linalg::{self, packed};
use crate::math::{axpy, dot};
use crate::real::Real;

/// How far a logarithm may go from the average of the neighbours.
const REACH: f64 = 2.5;
/// Evaluations of the marginal likelihood.
const BUDGET: Budget = Budget { evaluations: 10, tolerance: 1e-5, reach: 0.05 };

/// A fit.
#[derive(Debug)]
pub(in crate::transfer) struct Fit<'p, R> {
    factor: &'p mut [R],
    /// K⁻¹, and room for the matrix of one data set.
    inverse: &'p mut [R],
    /// K⁻¹y, 0 for what has no value.
    weights: &'p mut [R],
    /// Of the search: the hyperparameters, their bounds, and scratch.
    search: &'p mut [R],
    scratch: &'p mut [R],
}

/// The larger of two.
const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

impl<'p, R: Real> Fit<'p, R> {
    /// Scalars to work in on the rows of one data set, with one for each beside.
    const fn work_scalars(room: &Room) -> usize {
        let rows = larger(room.rows, room.trials);
        Tape::scratch(rows, room.dims, room.thetas).saturating_add(rows)
    }

    const fn search_scalars(thetas: usize) -> usize {
        lbfgs::scratch(thetas.saturating_add(1)).saturating_add(3 * (thetas + 1))
    }

    pub(super) const fn scalars(count: usize, room: &Room) -> usize {
        let rows = Rows::<R>::most(count, room);
        packed(rows)
            .saturating_mul(2)
            .saturating_add(rows)
            .saturating_add(Self::search_scalars(room.thetas))
            .saturating_add(Self::work_scalars(room))
    }

    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn carve(
        mut memory: Scratch<'p, R>,
        count: usize,
        room: &Room,
        thetas: usize,
    ) -> Result<Self, Error> {
        let rows = Rows::<R>::most(count, room);
        Ok(Self {
            factor: memory.take(packed(rows))?,
            inverse: memory.take(packed(rows))?,
            weights: memory.take(rows)?,
            search: memory.take(Self::search_scalars(thetas))?,
            scratch: memory.take(Self::work_scalars(room))?,
        })
    }

    /// The factor of all rows.
    pub(super) fn factor(&self) -> &[R] {
        self.factor
    }

    /// What each row counts in a mean.
    pub(super) fn weights(&self, count: usize) -> &[R] {
        &self.weights[..count]
    }

    /// One scalar for each of some rows, and scratch for their kernel.
    pub(super) fn work(&mut self, rows: usize) -> (&mut [R], &mut [R]) {
        self.scratch.split_at_mut(rows)
    }

    /// The weights, and scratch for a kernel.
    pub(super) fn split_weights(&mut self, count: usize) -> (&[R], &mut [R]) {
        (&self.weights[..count], self.scratch)
    }

    /// Finds the hyperparameters from those that the kernel has, and factors the matrix of all rows.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`], [`Error::Shape`].
    pub(super) fn maximise(&mut self, kernel: &mut Kernel<'_, R>, rows: &Rows<'_, R>) -> Result<(), Error> {
        let (search, count) = (core::mem::take(&mut self.search), kernel.theta.len());
        let (theta, rest) = search.split_at_mut(count);
        let (lo, rest) = rest.split_at_mut(count);
        let (hi, rest) = rest.split_at_mut(count);
        theta.copy_from_slice(kernel.theta);
        for ((lo, hi), &theta) in lo.iter_mut().zip(hi.iter_mut()).zip(&*theta) {
            (*lo, *hi) = (theta - R::of(REACH), theta + R::of(REACH));
        }
        lbfgs::minimize(theta, lo, hi, BUDGET, rest, &mut |theta, gradient| {
            kernel.theta.copy_from_slice(theta);
            self.loss(kernel, rows, gradient).unwrap_or(R::INFINITY)
        });
        kernel.theta.copy_from_slice(theta);
        self.search = search;
        self.refactor(kernel, rows, rows.count())?;
        self.solve(rows)
    }

    /// Factors the matrix of the first rows.
    pub(in crate::transfer) fn refactor(
        &mut self,
        kernel: &Kernel<'_, R>,
        rows: &Rows<'_, R>,
        count: usize,
    ) -> Result<(), Error> {
        let Self { factor, inverse, scratch, .. } = self;
        let noise = kernel.noise();
        let most = kernel.diagonal(rows.point(0)) + noise;
        let fill = |matrix: &mut [R]| {
            // The slices are of the right length.
            let _ = kernel.gram(rows, count, matrix, inverse, scratch);
            for i in 0..count {
                matrix[packed(i) + i] += noise;
            }
        };
        linalg::factor_with_jitter(fill, factor, count, most).map(|_| ())
    }

    /// K⁻¹y of the rows that have a value.
    fn solve(&mut self, rows: &Rows<'_, R>) -> Result<(), Error> {
        let values = rows.values();
        let (told, rest) = self.weights.split_at_mut(values.len());
        told.copy_from_slice(values);
        rest.fill(R::ZERO);
        linalg::solve_lower(self.factor, values.len(), told)?;
        linalg::solve_upper(self.factor, values.len(), told)
    }

    /// Minus the log marginal likelihood, but for a constant, and its derivatives in the logarithms.
    ///
    /// ```text
    /// ½ yᵀw + ½ ln|K|,   ∂ = ½ Σᵢⱼ (K⁻¹ − wwᵀ)ᵢⱼ ∂Kᵢⱼ,   w = K⁻¹y
    /// ```
    pub(in crate::transfer) fn loss(
        &mut self,
        kernel: &Kernel<'_, R>,
        rows: &Rows<'_, R>,
        gradient: &mut [R],
    ) -> Result<R, Error> {
        let n = rows.values().len();
        self.refactor(kernel, rows, n)?;
        self.solve(rows)?;
        linalg::invert(self.factor, n, self.inverse)?;
        let mut trace = R::ZERO;
        for i in 0..n {
            let row = &mut self.inverse[packed(i)..packed(i + 1)];
            axpy(-self.weights[i], &self.weights[..=i], row);
            trace += row[i];
        }
        let (by_theta, by_noise) = gradient.split_at_mut(kernel.theta.len() - 1);
        kernel.weighted_gradient(rows, n, self.inverse, by_theta, self.scratch)?;
        by_noise.fill(kernel.noise() * trace);
        gradient.iter_mut().for_each(|slope| *slope *= R::HALF);
        Ok(R::HALF * (dot(rows.values(), &self.weights[..n]) + linalg::log_determinant(self.factor, n)))
    }
}
