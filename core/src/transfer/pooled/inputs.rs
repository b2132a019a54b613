//! Configurations and data sets as numbers: categories one-hot, meta-features scaled over all data sets.

use crate::block::Scratch;
use crate::error::Error;
use crate::kernel::Tape;
use crate::real::Real;
use crate::transfer::knowledge::Knowledge;

/// Inputs of a coordinate: the first is its value, or each stands for a category; of more categories, neighbours share one.
pub(in crate::transfer) const SLOTS: usize = 8;
/// Meta-features that are looked at; of more, the first.
pub(in crate::transfer) const FEATURES: usize = 32;

/// How configurations and data sets become inputs.
///
/// ```text
/// number     u, 0 where it does not matter                                    input SLOTS·k of coordinate k
/// category   1, nothing where it does not matter                              input SLOTS·k + ⌊SLOTS u⌋
/// feature    (v − lowest)/(highest − lowest)/√F over all data sets            F of them
/// ```
///
/// Of up to [`SLOTS`] categories, each has an input of its own. Categories are what the kernel of a source has no slope in.
#[derive(Debug)]
pub(in crate::transfer) struct Inputs<'p, R> {
    /// 1 for a coordinate of categories, 0 for one of numbers.
    labels: &'p mut [R],
    lowest: &'p mut [R],
    highest: &'p mut [R],
    /// Meta-features; none unless all data sets have the same number.
    features: usize,
}

impl<'p, R: Real> Inputs<'p, R> {
    pub(in crate::transfer) const fn scalars(dims: usize) -> usize {
        dims.saturating_add(2 * FEATURES)
    }

    /// Inputs of all coordinates together.
    pub(in crate::transfer) const fn count(dims: usize) -> usize {
        dims.saturating_mul(SLOTS)
    }

    /// The input that is the value of a coordinate.
    pub(in crate::transfer) const fn place(coordinate: usize) -> usize {
        coordinate * SLOTS
    }

    /// Reads them from the sources.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(in crate::transfer) fn carve(
        memory: &mut Scratch<'p, R>,
        known: &Knowledge<'_, R>,
        tape: Tape<'_>,
        dims: usize,
    ) -> Result<Self, Error> {
        let (labels, lowest, highest) = (memory.take(dims)?, memory.take(FEATURES)?, memory.take(FEATURES)?);
        for (k, label) in labels.iter_mut().enumerate() {
            *label = if tape.differentiable(k) { R::ZERO } else { R::ONE };
        }
        let features = known.read_ranges(lowest, highest);
        Ok(Self { labels, lowest, highest, features })
    }

    /// Whether a coordinate is a number.
    pub(in crate::transfer) fn is_number(&self, coordinate: usize) -> bool {
        self.labels.get(coordinate).is_some_and(|&label| label == R::ZERO)
    }

    /// Calls with the place and the value of each input that is not 0.
    #[inline(always)]
    pub(in crate::transfer) fn each(&self, point: &[R], mut of: impl FnMut(usize, R)) {
        for (k, (&u, &label)) in point.iter().zip(&*self.labels).enumerate() {
            if label == R::ZERO {
                if u > R::ZERO {
                    of(k * SLOTS, u);
                }
            } else if u >= R::ZERO {
                of(k * SLOTS + slot(u), R::ONE);
            }
        }
    }

    /// Calls with the place of each input that a point may use.
    pub(in crate::transfer) fn each_place(&self, mut of: impl FnMut(usize)) {
        for (k, &label) in self.labels.iter().enumerate() {
            let count = if label == R::ZERO { 1 } else { SLOTS };
            (k * SLOTS..k * SLOTS + count).for_each(&mut of);
        }
    }

    /// Meta-features of a data set.
    pub(in crate::transfer) fn features(&self) -> usize {
        self.features
    }

    /// A meta-feature from 0 to 1/√F: the length of their gap is then that of one of them, on average.
    pub(in crate::transfer) fn scaled(&self, feature: usize, value: R) -> R {
        let (lo, hi) = (self.lowest[feature], self.highest[feature]);
        // Half of each, so that no difference leaves the range.
        let width = R::HALF * hi - R::HALF * lo;
        if width <= R::ZERO {
            return R::ZERO;
        }
        (R::HALF * value - R::HALF * lo) / width / R::of_usize(self.features).sqrt()
    }
}

/// The input of a category.
fn slot<R: Real>(u: R) -> usize {
    ((u.to_f64() * SLOTS as f64) as usize).min(SLOTS - 1)
}
