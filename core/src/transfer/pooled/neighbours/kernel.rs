//! The kernel of points of several data sets.

use super::Rows;
use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::{self, Tape};
use crate::linalg::packed;
use crate::math::axpy;
use crate::real::Real;

/// A kernel within a data set and one that all share.
///
/// ```text
/// α I(D = D′) k(x, x′)/s² + (1 − α)(1 − |x − x′|/P),   |x − x′| = √Σ dₖ² + how many categories differ
/// ```
///
/// dₖ is the difference of two numbers. One that does not matter, where it is marked by −1, is in the middle of its axis and
/// half of its length beside it: dₖ² = (xₖ − ½)² + ¼. What the kernel k has no slope in is a category.
///
/// The second part is positive and positive definite in any space of P parameters. Let N of them be numbers: the points lie in a
/// ball of radius √N/2 in 2N dimensions, over which C − |x − x′| is positive definite from
///
/// ```text
/// C = ½√N √π Γ(N + ½)/Γ(N) < ½√π N < N
/// ```
///
/// on, and N ≥ √N is the largest distance; each category adds 1 − I(xₖ ≠ xₖ′) = I(xₖ = xₖ′).
///
/// # References
/// Alexander and Stolarsky, *Extremal problems of distance geometry related to energy integrals*, 1974, for C.
#[derive(Debug)]
pub(in crate::transfer) struct Kernel<'p, R> {
    tape: Tape<'p>,
    /// α.
    share: R,
    /// 1/s².
    amplitude: R,
    /// Hyperparameters of k, the noise last.
    pub(in crate::transfer) theta: &'p mut [R],
    /// 1 for numbers, 0 for categories.
    numbers: &'p mut [R],
}

impl<'p, R: Real> Kernel<'p, R> {
    pub(super) const fn scalars(dims: usize, thetas: usize) -> usize {
        dims.saturating_add(thetas).saturating_add(1)
    }

    /// With hyperparameters of 0 and an amplitude of 1.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn carve(
        memory: &mut Scratch<'p, R>,
        tape: Tape<'p>,
        share: R,
    ) -> Result<Self, Error> {
        let (theta, numbers) = (memory.take(tape.thetas() + 1)?, memory.take(tape.dims())?);
        theta.fill(R::ZERO);
        for (k, number) in numbers.iter_mut().enumerate() {
            *number = if tape.differentiable(k) { R::ONE } else { R::ZERO };
        }
        Ok(Self { tape, share, amplitude: R::ONE, theta, numbers })
    }

    /// Adds hyperparameters to those that are averaged, if there are as many; whether there are.
    pub(super) fn add(&mut self, theta: &[R]) -> bool {
        let alike = theta.len() == self.theta.len();
        if alike {
            axpy(R::ONE, theta, self.theta);
        }
        alike
    }

    /// Divides the sum of so many; `spread` is ln s.
    pub(super) fn average(&mut self, count: usize, spread: R) {
        self.theta.iter_mut().for_each(|theta| *theta /= R::of_usize(count.max(1)));
        self.amplitude = (-R::TWO * spread).exp();
    }

    /// What k is multiplied by.
    pub(in crate::transfer) fn own(&self) -> R {
        self.share * self.amplitude
    }

    /// The variance of the noise.
    pub(in crate::transfer) fn noise(&self) -> R {
        self.amplitude * self.theta.last().map_or(R::ZERO, |theta| theta.exp())
    }

    fn theta(&self) -> &[R] {
        &self.theta[..self.tape.thetas()]
    }

    /// Whether it has a derivative in a coordinate.
    pub(super) fn smooth(&self, parameter: usize) -> bool {
        self.tape.differentiable(parameter)
    }

    /// k of points of one data set.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(super) fn prepare<'s>(
        &self,
        points: &'s [R],
        scratch: &'s mut [R],
    ) -> Result<kernel::Rows<'s, R>, Error>
    where
        'p: 's,
    {
        self.tape.rows(self.theta(), points, points.len() / self.numbers.len(), scratch)
    }

    /// What points share, of whatever data sets.
    pub(super) fn shared(&self, a: &[R], b: &[R]) -> R {
        let (mut square, mut differ) = (R::ZERO, R::ZERO);
        for ((&a, &b), &number) in a.iter().zip(b).zip(&*self.numbers) {
            if number > R::ZERO {
                square += square_of(a, b);
            } else if a != b {
                differ += R::ONE;
            }
        }
        (R::ONE - self.share) * (R::ONE - (square.sqrt() + differ) / R::of_usize(self.numbers.len()))
    }

    /// Its derivatives in the first point, 0 in categories, and where the points are the same.
    pub(super) fn shared_slope(&self, a: &[R], b: &[R], out: &mut [R]) {
        let numbers = || a.iter().zip(b).zip(&*self.numbers);
        let square = numbers().fold(R::ZERO, |sum, ((&a, &b), &number)| sum + number * square_of(a, b));
        out.fill(R::ZERO);
        if square > R::ZERO {
            let rate = (self.share - R::ONE) / (square.sqrt() * R::of_usize(a.len()));
            for (out, ((&a, &b), &number)) in out.iter_mut().zip(numbers()) {
                if a >= R::ZERO {
                    *out = rate * number * (a - if b < R::ZERO { R::HALF } else { b });
                }
            }
        }
    }

    /// The variance of a point.
    pub(super) fn diagonal(&self, point: &[R]) -> R {
        self.own() * self.tape.diagonal(self.theta(), point) + R::ONE - self.share
    }

    /// ∂k(x, x′)/∂x at x′ = x.
    pub(super) fn slope_at(&self, point: &[R], out: &mut [R]) {
        self.tape.gradient_x(self.theta(), point, point, out);
    }

    /// Writes the packed matrix of the first `count` rows; `block` is of the same size. Cost: O(count² · dims).
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn gram(
        &self,
        rows: &Rows<'_, R>,
        count: usize,
        out: &mut [R],
        block: &mut [R],
        scratch: &mut [R],
    ) -> Result<(), Error> {
        for i in 0..count {
            let point = rows.point(i);
            for (j, out) in out[packed(i)..packed(i + 1)].iter_mut().enumerate() {
                *out = self.shared(point, rows.point(j));
            }
        }
        for set in rows.each(count) {
            let block = &mut block[..packed(set.len())];
            self.prepare(rows.points(&set), scratch)?.gram(block)?;
            for i in set.clone() {
                let own = &block[packed(i - set.start)..packed(i - set.start + 1)];
                axpy(self.own(), own, &mut out[packed(i) + set.start..packed(i + 1)]);
            }
        }
        Ok(())
    }

    /// Writes Σᵢⱼ Wᵢⱼ ∂Kᵢⱼ/∂θₜ over the first `count` rows to `out`; W, packed, is spoilt.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(super) fn weighted_gradient(
        &self,
        rows: &Rows<'_, R>,
        count: usize,
        weights: &mut [R],
        out: &mut [R],
        scratch: &mut [R],
    ) -> Result<(), Error> {
        out.fill(R::ZERO);
        for set in rows.each(count) {
            // What belongs to the data set moves to the front, where only rows that are done with lie.
            for i in set.clone() {
                weights.copy_within(packed(i) + set.start..packed(i + 1), packed(i - set.start));
            }
            let own = &weights[..packed(set.len())];
            self.prepare(rows.points(&set), scratch)?.add_weighted_gradient(own, out)?;
        }
        let scale = self.own();
        out.iter_mut().for_each(|slope| *slope *= scale);
        Ok(())
    }
}

/// The square of the distance of two numbers, either of which may not matter.
fn square_of<R: Real>(a: R, b: R) -> R {
    let quarter = R::of(0.25);
    let square = |difference: R| difference * difference;
    match (a < R::ZERO, b < R::ZERO) {
        (false, false) => square(a - b),
        (true, true) => R::ZERO,
        (true, false) => square(b - R::HALF) + quarter,
        (false, true) => square(a - R::HALF) + quarter,
    }
}
