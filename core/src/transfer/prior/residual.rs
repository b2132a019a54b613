//! The residual of a prior: a process with the average hyperparameters of the sources, given that it is nought where one of them
//! was observed.

use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::Tape;
use crate::linalg::{self, packed};
use crate::math::dot;
use crate::real::Real;
use crate::transfer::Source;
use crate::transfer::knowledge::Knowledge;

/// Rows of that source: of more, as many spread over all of them.
const ROWS: usize = 64;

/// A posterior covariance.
///
/// ```text
/// R(x, x′) = k(x, x′) − v(x)ᵀv(x′),   v(x) = L⁻¹k(X, x),   LLᵀ = k(X, X) + σ²I
/// ```
#[derive(Debug)]
pub(super) struct Residual<'p, R> {
    tape: Tape<'p>,
    thetas: usize,
    /// Points of the source.
    observed: usize,
    /// Means of the logarithms, the noise last.
    theta: &'p mut [R],
    /// Points of the source, then those of the run.
    x: &'p mut [R],
    factor: &'p mut [R],
    /// v of each point of the run.
    whitened: &'p mut [R],
    /// Covariances with all points.
    side: &'p mut [R],
    scratch: &'p mut [R],
    dims: usize,
}

impl<'p, R: Real> Residual<'p, R> {
    pub(super) const fn scalars(trials: usize, dims: usize, thetas: usize) -> usize {
        let points = ROWS + trials;
        // A slope takes the place of covariances.
        thetas
            + 1
            + points * dims
            + packed(ROWS)
            + trials * ROWS
            + points
            + dims
            + Tape::scratch(points, dims, thetas)
    }

    /// Prepares it for a run without points.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::NotPositiveDefinite`].
    pub(super) fn carve<'k: 'p>(
        memory: &mut Scratch<'p, R>,
        known: &Knowledge<'k, R>,
        source: &Source<'k, R>,
        trials: usize,
    ) -> Result<Self, Error> {
        let size = source.size();
        let (dims, thetas, observed) = (size.dims, size.thetas, size.rows.min(ROWS));
        let points = ROWS + trials;
        let own = Self {
            tape: source.tape(),
            thetas,
            observed,
            theta: memory.take(thetas + 1)?,
            x: memory.take(points * dims)?,
            factor: memory.take(packed(ROWS))?,
            whitened: memory.take(trials * ROWS)?,
            side: memory.take(points + dims)?,
            scratch: memory.take(Tape::scratch(points, dims, thetas))?,
            dims,
        };
        known.average_theta(own.theta);
        for (k, x) in own.x.chunks_exact_mut(dims).take(observed).enumerate() {
            x.copy_from_slice(source.point(k * size.rows / observed));
        }
        let noise = own.theta[thetas].exp();
        let (x, theta) = (&own.x[..observed * dims], &own.theta[..thetas]);
        let scratch = &mut *own.scratch;
        let tape = own.tape;
        let fill = |gram: &mut [R]| {
            // The slices are of the right length.
            let _ = tape.rows(theta, x, observed, scratch).and_then(|mut rows| rows.gram(gram));
            for i in 0..observed {
                gram[packed(i) + i] += noise;
            }
        };
        let most = tape.diagonal(theta, &x[..dims]) + noise;
        linalg::factor_with_jitter(fill, own.factor, observed, most)?;
        Ok(own)
    }

    /// Adds the j-th point of the run.
    pub(super) fn add(&mut self, j: usize, point: &[R]) -> Result<(), Error> {
        let (dims, n) = (self.dims, self.observed);
        let place = (n + j) * dims;
        self.x[place..place + dims].copy_from_slice(point);
        let side = &mut self.side[..n];
        let x = &self.x[..n * dims];
        self.tape.rows(&self.theta[..self.thetas], x, n, self.scratch)?.cross(point, side)?;
        linalg::solve_lower(self.factor, n, side)?;
        self.whitened[j * ROWS..j * ROWS + n].copy_from_slice(side);
        Ok(())
    }

    /// The points of a run.
    pub(super) fn points(&self, count: usize) -> &[R] {
        &self.x[self.observed * self.dims..][..count * self.dims]
    }

    /// R between the points of a run, packed.
    pub(super) fn gram(&mut self, count: usize, out: &mut [R]) -> Result<(), Error> {
        let (dims, n) = (self.dims, self.observed);
        let x = &self.x[n * dims..(n + count) * dims];
        self.tape
            .rows(&self.theta[..self.thetas], x, count, self.scratch)?
            .gram(&mut out[..packed(count)])?;
        for a in 0..count {
            for b in 0..=a {
                out[packed(a) + b] -= dot(self.of(a), self.of(b));
            }
        }
        Ok(())
    }

    fn of(&self, j: usize) -> &[R] {
        &self.whitened[j * ROWS..j * ROWS + self.observed]
    }

    /// R between a point and those of a run, and with itself.
    pub(super) fn cross(&mut self, point: &[R], count: usize) -> Result<(&[R], R), Error> {
        let (dims, n, theta) = (self.dims, self.observed, &self.theta[..self.thetas]);
        let x = &self.x[..(n + count) * dims];
        let all = &mut self.side[..n + count];
        self.tape.rows(theta, x, n + count, self.scratch)?.cross(point, all)?;
        let (own, others) = all.split_at_mut(n);
        linalg::solve_lower(self.factor, n, own)?;
        for (j, other) in others.iter_mut().enumerate() {
            *other -= dot(own, &self.whitened[j * ROWS..j * ROWS + n]);
        }
        let variance = self.tape.diagonal(theta, point) - dot(own, own);
        Ok((others, variance.max(R::ZERO)))
    }

    /// Whether it has a derivative in a coordinate.
    pub(super) fn smooth(&self, parameter: usize) -> bool {
        self.tape.differentiable(parameter)
    }

    /// Adds `share` times the derivatives of Σⱼ weightⱼ R(x, xⱼ) + `own` R(x, x) to a gradient, right after
    /// [`Residual::cross`] of that point.
    ///
    /// ```text
    /// ∂R(x, xⱼ) = ∂k(x, xⱼ) − Σₘ (L⁻ᵀvⱼ)ₘ ∂k(x, Xₘ)
    /// ```
    pub(super) fn add_slope(
        &mut self,
        point: &[R],
        weights: &[R],
        own: R,
        share: R,
        gradient: &mut [R],
    ) -> Result<(), Error> {
        let (dims, n, theta) = (self.dims, self.observed, &self.theta[..self.thetas]);
        let (seen, rest) = self.side.split_at_mut(n);
        for v in seen.iter_mut() {
            *v *= R::TWO * own;
        }
        for (j, &weight) in weights.iter().enumerate() {
            for (v, &other) in seen.iter_mut().zip(&self.whitened[j * ROWS..j * ROWS + n]) {
                *v += weight * other;
            }
        }
        linalg::solve_upper(self.factor, n, seen)?;
        let (slope, _) = rest.split_at_mut_checked(dims).ok_or(Error::Shape { needed: dims })?;
        let mut add = |other: &[R], weight: R| {
            self.tape.gradient_x(theta, point, other, slope);
            for (g, &slope) in gradient.iter_mut().zip(&*slope) {
                *g += share * weight * slope;
            }
        };
        // k(x, x) moves with both of its arguments.
        add(point, R::TWO * own);
        let (observed, run) = self.x.split_at(n * dims);
        for (x, &weight) in observed.chunks_exact(dims).zip(&*seen) {
            add(x, -weight);
        }
        for (x, &weight) in run.chunks_exact(dims).zip(weights) {
            add(x, weight);
        }
        Ok(())
    }
}
