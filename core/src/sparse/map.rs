//! From points to features, whatever the kind.

use super::inducing::Inducing;
use super::mondrian_features::Cells;
use super::size::Kind;
use super::spectrum::Waves;
use crate::error::Error;
use crate::kernel::Tape;
use crate::linalg;
use crate::math::dot;
use crate::real::Real;
use crate::trend::Trend;

/// The features of a process at one θ.
#[derive(Debug)]
pub(super) enum Map<'s, R> {
    /// Of inducing inputs.
    Inducing(Inducing<'s, R>),
    /// Of frequencies.
    Waves(Waves<'s, R>),
    /// Of trees.
    Cells(Cells<'s, R>),
}

impl<'s, R: Real> Map<'s, R> {
    /// The map of `features` features; `scratch` is that of a kernel over as many rows.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the kernel has no such features, [`Error::Shape`].
    pub(super) fn new(
        kind: Kind,
        tape: Tape<'s>,
        theta: &'s [R],
        spots: &'s [R],
        features: usize,
        root: &'s [R],
        scratch: &'s mut [R],
    ) -> Result<Self, Error> {
        Ok(match kind {
            Kind::Spectrum => Self::Waves(Waves::new(tape, theta, spots, scratch)?),
            Kind::Mondrian => Self::Cells(Cells::new(tape, theta, spots, scratch)?),
            Kind::Fitc | Kind::Variational => {
                Self::Inducing(Inducing::new(tape, theta, spots, features, root, scratch)?)
            }
        })
    }

    /// (φ, h) of consecutive points, one row of `stride` each. Cost: m² + O(m·d) flops a point.
    pub(super) fn rows(
        &mut self,
        trend: Trend,
        points: &[R],
        dims: usize,
        features: usize,
        stride: usize,
        out: &mut [R],
    ) -> Result<(), Error> {
        let count = points.len() / dims;
        for (point, row) in points.chunks_exact(dims).zip(out.chunks_exact_mut(stride)) {
            let (phi, basis) = row.split_at_mut(features);
            self.raw(point, phi)?;
            trend.basis(point, |column, value| basis[column] = value);
        }
        match self {
            Self::Inducing(map) => linalg::solve_lower_many(map.root, features, out, count, stride),
            Self::Waves(_) | Self::Cells(_) => Ok(()),
        }
    }

    /// φ before it is whitened.
    fn raw(&mut self, point: &[R], out: &mut [R]) -> Result<(), Error> {
        match self {
            Self::Inducing(map) => map.cross(point, out)?,
            Self::Waves(map) => map.features(point, out),
            Self::Cells(map) => map.features(point, out),
        }
        Ok(())
    }

    /// The variance at a point that its features do not explain: k(x, x) − φᵀφ.
    pub(super) fn gap(&self, point: &[R], phi: &[R]) -> R {
        match self {
            Self::Inducing(map) => (map.diagonal(point) - dot(phi, phi)).max(R::ZERO),
            Self::Waves(_) | Self::Cells(_) => R::ZERO,
        }
    }
}
