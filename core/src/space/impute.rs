//! Imputation: what stands for a parameter that is inactive.

use crate::real::Real;

use super::Domain;
use super::axis::clamp;
use super::hash::hash;
use super::sample::fraction;

/// The coordinate of a parameter that does not matter: what a model sees of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Impute {
    /// The middle of its range.
    #[default]
    Centre = 0,
    /// Its [default](super::Param::default_value), or the middle if it has none.
    Usual = 1,
    /// −1, outside of every range, so that kernels see what matters and what does not.
    Outside = 2,
    /// Any number, which differs from one configuration to the next: no imputation, for comparison.
    ///
    /// The number is a hash of what matters, so that equal configurations have equal bits.
    Scatter = 3,
}

impl Domain<'_> {
    /// The nearest admissible coordinate of a parameter that matters.
    pub(super) fn tidy<R: Real>(&self, parameter: usize, u: R) -> R {
        if self.impute() == Impute::Outside && u == -R::ONE {
            // It did not matter before.
            self.rest(parameter)
        } else if self.is_wide(parameter) {
            // The common case needs nothing of the record, and search comes here for every candidate.
            clamp(u)
        } else {
            self.axis(parameter).snap(u)
        }
    }

    /// Replaces the marks by the canonical coordinate.
    pub(super) fn settle<R: Real>(&self, unit: &mut [R]) {
        if self.conditional() {
            let dims = self.dims().min(unit.len());
            let key = self.key(&unit[..dims], |i| !unit[i].is_nan());
            for (i, u) in unit[..dims].iter_mut().enumerate() {
                if u.is_nan() {
                    *u = self.stand(i, key);
                }
            }
        }
    }

    /// A word from what matters of a point, if its parameters that do not matter depend on it.
    pub(super) fn key<R: Real>(&self, unit: &[R], active: impl Fn(usize) -> bool) -> u64 {
        if self.impute() != Impute::Scatter {
            return 0;
        }
        let bits = |i: usize| unit[i].to_f64().to_bits();
        (0..unit.len()).filter(|&i| active(i)).fold(0, |key, i| hash(key ^ bits(i), i as u64))
    }

    /// The coordinate of a parameter that does not matter.
    pub(super) fn stand<R: Real>(&self, parameter: usize, key: u64) -> R {
        match self.impute() {
            Impute::Centre | Impute::Usual => self.rest(parameter),
            Impute::Outside => -R::ONE,
            Impute::Scatter => self.axis(parameter).snap(fraction(hash(key, parameter as u64))),
        }
    }

    /// The coordinate of the value that a parameter has for want of another: its default, or the middle.
    pub(crate) fn rest<R: Real>(&self, parameter: usize) -> R {
        let axis = self.axis(parameter);
        let default_value =
            if self.impute() == Impute::Centre { None } else { self.default_value(parameter) };
        default_value.and_then(|value| axis.coordinate(R::of(value))).unwrap_or_else(|| axis.snap(R::HALF))
    }
}
