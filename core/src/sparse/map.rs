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

/// What the features of a process are made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'s, R> {
    pub(super) kind: Kind,
    pub(super) trend: Trend,
    pub(super) tape: Tape<'s>,
    /// Without the noise.
    pub(super) theta: &'s [R],
    pub(super) spots: &'s [R],
    /// How many features.
    pub(super) features: usize,
    pub(super) dims: usize,
}

impl<'s, R: Real> Source<'s, R> {
    /// Features and basis functions together.
    pub(super) fn all(&self) -> usize {
        self.features + self.trend.columns(self.dims)
    }

    /// The map from points to features; `scratch` is that of a kernel over as many rows.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the kernel has no such features, [`Error::Shape`].
    pub(super) fn map<'m>(&self, root: &'m [R], scratch: &'m mut [R]) -> Result<Map<'m, R>, Error>
    where
        's: 'm,
    {
        let Self { tape, theta, spots, features, .. } = *self;
        Ok(match self.kind {
            Kind::Spectrum => Map::Waves(Waves::new(tape, theta, spots, scratch)?),
            Kind::Mondrian => Map::Cells(Cells::new(tape, theta, spots, scratch)?),
            Kind::Fitc | Kind::Variational => {
                Map::Inducing(Inducing::new(tape, theta, spots, features, root, scratch)?)
            }
        })
    }
}

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

impl<R: Real> Map<'_, R> {
    /// (φ, h) of consecutive points, one row each. Cost: m² + O(m·d) flops a point.
    pub(super) fn rows(&mut self, source: &Source<'_, R>, points: &[R], out: &mut [R]) -> Result<(), Error> {
        let (dims, features, stride) = (source.dims, source.features, source.all());
        let count = points.len() / dims;
        for (point, row) in points.chunks_exact(dims).zip(out.chunks_exact_mut(stride)) {
            let (phi, basis) = row.split_at_mut(features);
            self.raw(point, phi)?;
            source.trend.basis(point, |column, value| basis[column] = value);
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
