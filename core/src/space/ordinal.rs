//! Ordinal access, values by their rank, and points put together coordinate by coordinate: what evolution needs of a space.

use rand_core::Rng;

use crate::real::Real;

use super::Domain;
use super::axis::Axis;

impl Domain<'_> {
    /// The rank of the value whose bin holds a coordinate; 0 for a real that has more values than coordinates and beyond
    /// the last parameter.
    pub(crate) fn rank<R: Real>(&self, parameter: usize, u: R) -> u64 {
        if self.is_wide(parameter) {
            return 0;
        }
        self.axis(parameter).place::<R>(u.to_f64())
    }

    /// The coordinate of the value of a rank, the last one if there are fewer; ½ for a real that has more values than
    /// coordinates and beyond the last parameter.
    pub(crate) fn at_rank<R: Real>(&self, parameter: usize, rank: u64) -> R {
        match self.values::<R>(parameter) {
            Some(count) => self.axis(parameter).at_place(rank.min(count.saturating_sub(1))),
            None => R::HALF,
        }
    }

    /// Whether a parameter is uniform in its exponent.
    pub(crate) fn logarithmic(&self, parameter: usize) -> bool {
        parameter < self.dims()
            && matches!(self.axis(parameter), Axis::Integer { log: true, .. } | Axis::Real { log: true, .. })
    }

    /// Writes a point whose coordinates come from `gene`, parents first: NaN where a parameter does not matter, drawn
    /// anew where it matters and `gene` says NaN.
    ///
    /// `gene` is given the parameter and what stood there before.
    pub(crate) fn compose<R: Real, G: Rng + ?Sized>(
        &self,
        rng: &mut G,
        marked: &mut [R],
        mut gene: impl FnMut(&mut G, usize, R) -> R,
    ) {
        for i in 0..self.dims().min(marked.len()) {
            marked[i] = if self.wakes(i, marked) {
                let u = gene(rng, i, marked[i]);
                if u.is_nan() { self.draw(rng, i) } else { self.axis(i).snap(u) }
            } else {
                R::NAN
            };
        }
    }
}
