//! Uniform sampling under conditions and forbidden clauses.

use rand_core::Rng;

use crate::error::Error;
use crate::real::Real;
use crate::rng::uniform;

use super::Domain;

/// Draws before what clauses leave is gone through.
const DRAWS: u32 = 256;

impl Domain<'_> {
    /// A random point that no clause forbids: each parameter that matters is uniform on its scale, the others canonical.
    ///
    /// ```text
    /// P(x) = ∏ over active parameters: P(value),  given that no clause holds
    /// ```
    ///
    /// Every value of a discrete parameter is equally likely; integers on a log scale in proportion to their
    /// bins. Draws one number per parameter that matters, again while a clause forbids what was drawn; after 256 such
    /// draws the point is drawn from all that is left, which has the same distribution, by going through the cells that
    /// conditions and clauses tell apart. A slice that is too short for a clause is not held against it.
    ///
    /// # Errors
    /// [`Error::Infeasible`] if every draw was forbidden and going through the space, within 2¹⁸ steps, found nothing or
    /// did not end.
    pub(crate) fn sample<R: Real, G: Rng + ?Sized>(&self, rng: &mut G, unit: &mut [R]) -> Result<(), Error> {
        for _ in 0..DRAWS {
            self.scatter(rng, unit);
            if self.allows(unit) {
                return Ok(());
            }
        }
        self.sample_cells(rng, unit)
    }

    /// A random point that a clause may forbid.
    pub(crate) fn scatter<R: Real, G: Rng + ?Sized>(&self, rng: &mut G, unit: &mut [R]) {
        for i in 0..self.dims().min(unit.len()) {
            unit[i] = if self.wakes(i, unit) { self.draw(rng, i) } else { R::NAN };
        }
        self.settle(unit);
    }

    /// A random coordinate of one parameter.
    pub(super) fn draw<R: Real, G: Rng + ?Sized>(&self, rng: &mut G, parameter: usize) -> R {
        let axis = self.axis(parameter);
        // 24 bits would be uneven on millions of values.
        if axis.continuous() {
            self.tidy(parameter, uniform(rng))
        } else {
            axis.centre(axis.rank(uniform(rng)))
        }
    }
}

/// The top bits of a word as a number of `[0, 1)`: 24 or 53 of them, never rounded up to 1.
pub(super) fn fraction<R: Real>(bits: u64) -> R {
    let kept = if R::BYTES == 4 { 24 } else { 53 };
    R::of((bits >> (64 - kept)) as f64 / R::EXACT)
}
