//! The residual of a prior: a process with the average hyperparameters of the sources.

use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::Tape;
use crate::linalg::packed;
use crate::real::Real;
use crate::transfer::Source;
use crate::transfer::knowledge::Knowledge;

/// A covariance and the points of a run.
#[derive(Debug)]
pub(super) struct Residual<'p, R> {
    tape: Tape<'p>,
    /// Means of the logarithms of the sources'.
    theta: &'p mut [R],
    /// Points of the run.
    x: &'p mut [R],
    /// Covariances with them, or a slope.
    side: &'p mut [R],
    scratch: &'p mut [R],
    dims: usize,
}

impl<'p, R: Real> Residual<'p, R> {
    pub(super) const fn scalars(trials: usize, dims: usize, thetas: usize) -> usize {
        // The noise is the last hyperparameter.
        thetas + 1 + trials * dims + trials + dims + Tape::scratch(trials, dims, thetas)
    }

    /// Prepares it for a run without points.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(super) fn carve<'k: 'p>(
        memory: &mut Scratch<'p, R>,
        known: &Knowledge<'k, R>,
        source: &Source<'k, R>,
        trials: usize,
    ) -> Result<Self, Error> {
        let size = source.size();
        let (dims, thetas) = (size.dims, size.thetas);
        let theta = memory.take(thetas + 1)?;
        known.average_theta(theta);
        Ok(Self {
            tape: source.tape(),
            theta: &mut theta[..thetas],
            x: memory.take(trials * dims)?,
            side: memory.take(trials + dims)?,
            scratch: memory.take(Tape::scratch(trials, dims, thetas))?,
            dims,
        })
    }

    /// Adds the j-th point of the run.
    pub(super) fn add(&mut self, j: usize, point: &[R]) {
        self.x[j * self.dims..(j + 1) * self.dims].copy_from_slice(point);
    }

    /// The points of a run.
    pub(super) fn points(&self, count: usize) -> &[R] {
        &self.x[..count * self.dims]
    }

    /// The covariances between the points of a run, packed.
    pub(super) fn gram(&mut self, count: usize, out: &mut [R]) -> Result<(), Error> {
        let x = &self.x[..count * self.dims];
        self.tape.rows(self.theta, x, count, self.scratch)?.gram(&mut out[..packed(count)])
    }

    /// The covariances between a point and those of a run, and with itself.
    pub(super) fn cross(&mut self, point: &[R], count: usize) -> Result<(&[R], R), Error> {
        let (x, side) = (&self.x[..count * self.dims], &mut self.side[..count]);
        self.tape.rows(self.theta, x, count, self.scratch)?.cross(point, side)?;
        Ok((side, self.tape.diagonal(self.theta, point)))
    }

    /// Whether it has a derivative in a coordinate.
    pub(super) fn smooth(&self, parameter: usize) -> bool {
        self.tape.differentiable(parameter)
    }

    /// Adds `share` times the derivatives of Σⱼ weightⱼ k(x, xⱼ) + `own` k(x, x) to a gradient.
    pub(super) fn add_slope(
        &mut self,
        point: &[R],
        weights: &[R],
        own: R,
        share: R,
        gradient: &mut [R],
    ) -> Result<(), Error> {
        let dims = self.dims;
        let slope = self.side.get_mut(..dims).ok_or(Error::Shape { needed: dims })?;
        let mut add = |other: &[R], weight: R| {
            self.tape.gradient_x(self.theta, point, other, slope);
            for (g, &slope) in gradient.iter_mut().zip(&*slope) {
                *g += share * weight * slope;
            }
        };
        // k(x, x) moves with both of its arguments.
        add(point, R::TWO * own);
        for (x, &weight) in self.x.chunks_exact(dims).zip(weights) {
            add(x, weight);
        }
        Ok(())
    }
}
