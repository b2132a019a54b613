//! Input warping: coordinates bent before the kernel sees them, so that a stationary kernel fits a function that is not.
//!
//! Each numeric coordinate goes through a monotone map of [0, 1] onto itself with two shapes, which are learnt with the
//! other hyperparameters; categories stay as they are.
//!
//! ```text
//! Kumaraswamy  w(u) = 1 − (1 − uᵃ)ᵇ
//! Beta         w(u) = I(u; a, b)
//! ```
//!
//! Shapes of 1 are no change, to the bit. Training sees the covariance `Warped`; predictions are made by the plain tape
//! over warped rows (`Warped::posterior`) at warped points (`Warping`), so that any backend can make them.
//!
//! # References
//! Snoek, Swersky, Zemel and Adams, *Input Warping for Bayesian Optimization of Non-Stationary Functions*, 2014.

mod beta;
mod covariance;
mod kumaraswamy;
mod view;

pub(crate) use covariance::Warped;
pub(crate) use view::Warping;

use crate::error::Error;
use crate::kernel::{MIN_SD, Theta};
use crate::real::Real;

/// A family of monotone maps of [0, 1] onto itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Warp {
    /// No change, and no shapes.
    #[default]
    None,
    /// The distribution function of Kumaraswamy, 1 − (1 − uᵃ)ᵇ.
    Kumaraswamy,
    /// The distribution function of the beta distribution.
    Beta,
}

/// A warped coordinate with its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slopes<R> {
    /// w(u)
    pub value: R,
    /// ∂w/∂u, finite: at an end that of a point one rounding inside.
    pub by_u: R,
    /// ∂w/∂ln a
    pub by_first: R,
    /// ∂w/∂ln b
    pub by_second: R,
}

impl Warp {
    /// The number of this family in a saved block.
    #[must_use]
    pub const fn code(self) -> u64 {
        self as u64
    }

    /// The family with that number.
    pub(crate) const fn from_code(code: u64) -> Option<Self> {
        match code {
            0 => Some(Self::None),
            1 => Some(Self::Kumaraswamy),
            2 => Some(Self::Beta),
            _ => None,
        }
    }

    /// Shapes of `dims` coordinates: two each, also for categories, where they are frozen.
    pub(crate) const fn thetas(self, dims: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Kumaraswamy | Self::Beta => 2 * dims,
        }
    }

    /// w(u) for the shapes a and b, which are moved into [[`LEAST`], 128].
    ///
    /// What is not in [0, 1] stays as it is, and so do both ends. The error of Kumaraswamy's is below ε/2·w, or
    /// (16 + 4·|ln w| + 4·|ln (1 − w)|)·ε of the smaller of w and 1 − w; that of the beta distribution is stated at
    /// [`stats::beta`](crate::stats::beta::regularized).
    pub(crate) fn forward<R: Real>(self, u: R, a: R, b: R) -> R {
        if !inside(u) || a == R::ONE && b == R::ONE {
            return u;
        }
        match self {
            Self::None => u,
            Self::Kumaraswamy => kumaraswamy::forward(u, held(a), held(b)),
            Self::Beta => beta::forward(u, held(a), held(b)),
        }
    }

    /// w(u) with its derivatives by u and by the logarithms of the shapes.
    pub(crate) fn slopes<R: Real>(self, u: R, a: R, b: R) -> Slopes<R> {
        let flat = Slopes { value: u, by_u: R::ONE, by_first: R::ZERO, by_second: R::ZERO };
        if !(u >= R::ZERO && u <= R::ONE) || self == Self::None {
            return flat;
        }
        let (a, b) = (held(a), held(b));
        let near = u.clamp(R::EPSILON, R::ONE - R::EPSILON);
        let at = |u: R| match self {
            Self::None => flat,
            Self::Kumaraswamy => kumaraswamy::slopes(u, a, b),
            Self::Beta => beta::slopes(u, a, b),
        };
        let mut it = at(near);
        if inside(u) {
            let by_u = it.by_u;
            it = if near == u { it } else { Slopes { by_u, ..at(u) } };
            it.value = self.forward(u, a, b);
        } else {
            (it.value, it.by_first, it.by_second) = (u, R::ZERO, R::ZERO);
        }
        if a == R::ONE && b == R::ONE {
            it.by_u = R::ONE;
        }
        it
    }

    /// Writes the shapes of `dims` coordinates into a table of hyperparameters from `first` on: ln a and ln b of each
    /// coordinate, one after the other, all 0, between ±`reach`, with normal priors around 0.
    ///
    /// `sd` is the standard deviation of the priors, 0 for flat ones. Coordinates whose bit in `numeric` is not set are
    /// frozen.
    ///
    /// # Errors
    /// [`Error::Shape`] if the table is too short; [`Error::Config`] unless 0 ≤ `reach` ≤ ln [`MOST`] and `sd` is 0 or from
    /// [`MIN_SD`] on.
    pub(crate) fn write_theta<R: Real>(
        self,
        dims: usize,
        numeric: &[u64],
        sd: f64,
        reach: f64,
        theta: &mut Theta<'_, R>,
        first: usize,
    ) -> Result<(), Error> {
        let needed = first.saturating_add(self.thetas(dims));
        Error::Shape { needed }.when(theta.capacity() < needed)?;
        if !(reach >= 0.0 && reach <= libm::log(MOST)) || sd != 0.0 && !(sd >= MIN_SD && sd.is_finite()) {
            return Err(Error::Config);
        }
        for i in 0..self.thetas(dims) {
            let free = is_set(numeric, i / 2);
            let at = first + i;
            theta.value[at] = R::ZERO;
            theta.lo[at] = if free { R::of(-reach) } else { R::ZERO };
            theta.hi[at] = if free { R::of(reach) } else { R::ZERO };
            theta.set_spread(at, sd)?;
        }
        Ok(())
    }
}

/// The least shape.
pub(crate) const LEAST: f64 = 1.0 / 128.0;
/// The largest shape.
pub(crate) const MOST: f64 = 128.0;
/// The standard deviation of the logarithm of a shape that is usual as a prior.
pub(crate) const USUAL_SD: f64 = 0.5;
/// The largest logarithm of a shape that is usual: shapes between 1/10 and 10.
pub(crate) const USUAL_REACH: f64 = core::f64::consts::LN_10;

/// The maps of all coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maps<'a, R> {
    /// Their family.
    pub kind: Warp,
    /// ln a and ln b of each coordinate, as they lie among the hyperparameters.
    pub shapes: &'a [R],
    /// Which coordinates are numbers, one bit each; the others stay as they are.
    pub numeric: &'a [u64],
}

impl<R: Real> Maps<'_, R> {
    /// Warps rows of the unit cube.
    ///
    /// # Errors
    /// [`Error::Shape`] if `units` is not rows of as many coordinates as there are pairs of shapes, or `out` is of another
    /// length.
    fn warp(&self, units: &[R], out: &mut [R]) -> Result<(), Error> {
        Error::Shape { needed: units.len() }.when(out.len() != units.len())?;
        out.copy_from_slice(units);
        if self.kind == Warp::None {
            return Ok(());
        }
        let dims = self.shapes.len() / 2;
        Error::Shape { needed: dims }.when(dims == 0 || !units.len().is_multiple_of(dims))?;
        let pairs = self.shapes.chunks_exact(2).enumerate();
        for (k, pair) in pairs.filter(|(k, _)| is_set(self.numeric, *k)) {
            let (a, b) = (pair[0].exp(), pair[1].exp());
            for row in out.chunks_exact_mut(dims) {
                row[k] = self.kind.forward(row[k], a, b);
            }
        }
        Ok(())
    }

    /// Coordinate `k` with its derivatives; none if it is not warped.
    fn slopes(&self, k: usize, u: R) -> Option<Slopes<R>> {
        if self.kind == Warp::None || !is_set(self.numeric, k) {
            return None;
        }
        Some(self.kind.slopes(u, self.shapes[2 * k].exp(), self.shapes[2 * k + 1].exp()))
    }

    /// Turns derivatives by warped coordinates of a point into those by the coordinates themselves.
    fn chain<const N: usize>(&self, point: &[R], mut out: [&mut [R]; N]) {
        for (k, &u) in point.iter().enumerate() {
            if let Some(it) = self.slopes(k, u) {
                out.iter_mut().filter_map(|out| out.get_mut(k)).for_each(|slope| *slope *= it.by_u);
            }
        }
    }
}

/// Whether bit `k` of a mask is set; those beyond its words are not.
fn is_set(mask: &[u64], k: usize) -> bool {
    mask.get(k / 64).is_some_and(|word| word >> (k % 64) & 1 == 1)
}

/// Whether a coordinate lies between the ends.
fn inside<R: Real>(u: R) -> bool {
    u > R::ZERO && u < R::ONE
}

/// A shape that all functions can use.
fn held<R: Real>(shape: R) -> R {
    shape.clamp(R::of(LEAST), R::of(MOST))
}

#[cfg(test)]
mod tests;
