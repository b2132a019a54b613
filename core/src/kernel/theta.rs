//! Hyperparameters: logarithms of natural parameters, with bounds and a prior.

use super::node::{Op, Role};
use crate::arena::{Arena, scalar_words};
use crate::error::Error;
use crate::real::Real;

/// Largest magnitude of a logarithm: beyond e⁸⁰ a parameter, scaled and summed, leaves the range of `f32`.
pub const MAX_LOG: f64 = 80.0;

/// What is believed about a hyperparameter before any data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prior {
    /// Nothing, within the bounds.
    Flat,
    /// ln of the parameter is normal: the parameter is log-normal.
    LogNormal {
        /// Mean of the logarithm.
        mean: f64,
        /// Standard deviation of the logarithm, positive.
        sd: f64,
    },
}

/// The least spread of a prior: the square of its inverse has to be a number in `f32`.
pub const MIN_SD: f64 = 1e-6;

/// The hyperparameters of a kernel in five parallel slices, all on the log scale.
///
/// `lo == hi` marks a frozen parameter; a precision of 0 is a flat prior.
#[derive(Debug)]
pub struct Theta<'a, R> {
    /// The values.
    pub value: &'a mut [R],
    /// Lower bounds.
    pub lo: &'a mut [R],
    /// Upper bounds.
    pub hi: &'a mut [R],
    /// Means of the priors.
    pub prior_mean: &'a mut [R],
    /// Precisions (1/sd²) of the priors.
    pub prior_precision: &'a mut [R],
}

impl<'a, R: Real> Theta<'a, R> {
    /// A table of `count` parameters at the front of an arena.
    ///
    /// # Errors
    /// [`Error::Memory`] if fewer than [`Theta::words`] are left.
    pub fn carve(arena: &mut Arena<'a>, count: usize) -> Result<Self, Error> {
        Ok(Self {
            value: arena.scalars(count)?,
            lo: arena.scalars(count)?,
            hi: arena.scalars(count)?,
            prior_mean: arena.scalars(count)?,
            prior_precision: arena.scalars(count)?,
        })
    }

    /// This table with other values in the place of its own.
    #[must_use]
    pub(crate) fn with_values<'b>(&'b mut self, value: &'b mut [R]) -> Theta<'b, R> {
        Theta {
            value,
            lo: &mut *self.lo,
            hi: &mut *self.hi,
            prior_mean: &mut *self.prior_mean,
            prior_precision: &mut *self.prior_precision,
        }
    }

    /// Words of a table of `count` parameters.
    #[must_use]
    pub const fn words(count: usize) -> usize {
        5 * scalar_words::<R>(count)
    }

    /// Parameters that fit in every one of the slices.
    #[must_use]
    pub fn capacity(&self) -> usize {
        let bounds = self.lo.len().min(self.hi.len());
        self.value.len().min(bounds).min(self.prior_mean.len()).min(self.prior_precision.len())
    }

    /// The reason why the first `count` entries cannot be used, if there is one.
    ///
    /// # Errors
    /// [`Error::Shape`] if a slice is shorter than `count`; [`Error::Theta`] with the first entry whose value,
    /// bounds or prior is not finite or out of order.
    pub fn check(&self, count: usize) -> Result<(), Error> {
        if self.capacity() < count {
            return Err(Error::Shape { needed: count });
        }
        for i in 0..count {
            let (value, lo, hi) = (self.value[i], self.lo[i], self.hi[i]);
            let (mean, precision) = (self.prior_mean[i], self.prior_precision[i]);
            let ordered = lo <= value && value <= hi && precision >= R::ZERO;
            if !(ordered && lo.is_finite() && hi.is_finite() && mean.is_finite() && precision.is_finite()) {
                return Err(Error::Theta { index: i as u32 });
            }
        }
        Ok(())
    }

    pub(super) fn put(&mut self, index: usize, spec: Spec) {
        let (mean, precision) = match spec.prior {
            Prior::Flat => (0.0, 0.0),
            Prior::LogNormal { mean, sd } => (mean, 1.0 / (sd * sd)),
        };
        self.value[index] = R::of(spec.value);
        self.lo[index] = R::of(spec.lo);
        self.hi[index] = R::of(spec.hi);
        self.prior_mean[index] = R::of(mean);
        self.prior_precision[index] = R::of(precision);
    }
}

/// The logarithm of the prior density up to a constant, its gradient added to `gradient`.
///
/// ```text
/// ln p(θ) = −½ Σ precisionₜ (θₜ − meanₜ)²
/// ```
/// Slices shorter than θ end the sum; `gradient` may be empty.
pub fn log_prior<R: Real>(theta: &[R], mean: &[R], precision: &[R], gradient: &mut [R]) -> R {
    let mut sum = R::ZERO;
    for (i, ((&t, &m), &p)) in theta.iter().zip(mean).zip(precision).enumerate() {
        let pull = p * (t - m);
        sum -= R::HALF * pull * (t - m);
        if let Some(g) = gradient.get_mut(i) {
            *g -= pull;
        }
    }
    sum
}

/// How one role of one node starts: value and bounds as logarithms, and the prior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spec {
    pub(super) role: Role,
    pub(super) value: f64,
    pub(super) lo: f64,
    pub(super) hi: f64,
    pub(super) prior: Prior,
}

impl Spec {
    /// Natural units, turned into logarithms.
    pub(super) fn new(role: Role, value: f64, lo: f64, hi: f64, prior: Prior) -> Self {
        Self { role, value: libm::log(value), lo: libm::log(lo), hi: libm::log(hi), prior }
    }

    /// The start for inputs in the unit cube and outputs of unit variance.
    pub(super) fn standard(op: Op, role: Role) -> Self {
        let (value, lo, hi) = match (op, role) {
            (_, Role::Length) => (0.5, 0.01, 100.0),
            (_, Role::Variance) => (1.0, 1e-4, 1e4),
            (Op::GammaExponential, Role::Shape) => (1.5, 0.1, 2.0),
            (_, Role::Shape) => (1.0, 0.05, 50.0),
            (_, Role::Period) => (1.0, 0.05, 20.0),
            (Op::Hamming, Role::Weight) => (1.0, 1e-3, 20.0),
            (_, Role::Weight | Role::Bias) => (1.0, 1e-3, 1e3),
            (_, Role::Correlation) => (0.5, 1e-3, 0.999),
        };
        Self::new(role, value, lo, hi, Prior::Flat)
    }

    /// Whether the kernel is defined over the whole of these bounds.
    pub(super) fn is_valid(&self, op: Op) -> bool {
        let top = match (op, self.role) {
            (Op::GammaExponential, Role::Shape) => core::f64::consts::LN_2,
            (Op::Matern, Role::Shape) => libm::log(super::bessel::MAX_ORDER),
            (_, Role::Correlation) => 0.0,
            _ => MAX_LOG,
        };
        let prior = match self.prior {
            Prior::Flat => true,
            Prior::LogNormal { mean, sd } => mean.is_finite() && sd >= MIN_SD && sd.is_finite(),
        };
        -MAX_LOG <= self.lo && self.lo <= self.value && self.value <= self.hi && self.hi <= top && prior
    }
}

#[cfg(test)]
mod tests {
    use super::{Theta, log_prior};
    use crate::error::Error;

    #[test]
    fn prior_is_a_parabola_with_its_gradient() {
        let (mean, precision) = ([0.5, -1.0, 3.0], [4.0, 0.0, 0.25]);
        let theta = [0.7, 9.0, 1.0];
        let mut gradient = [1.0, 1.0, 1.0];
        let value = log_prior(&theta, &mean, &precision, &mut gradient);
        assert!((value - (-0.5 * 4.0 * 0.04 - 0.5 * 0.25 * 4.0f64)).abs() < 1e-15);
        for i in 0..3 {
            let mut up = theta;
            let mut down = theta;
            up[i] += 1e-4;
            down[i] -= 1e-4;
            let difference = (log_prior(&up, &mean, &precision, &mut [0.0; 3])
                - log_prior(&down, &mean, &precision, &mut [0.0; 3]))
                / 2e-4;
            assert!((gradient[i] - 1.0 - difference).abs() < 1e-9);
        }
    }

    #[test]
    fn check_names_the_bad_entry() {
        let mut v = [[0.0f32, 0.0], [-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]];
        let check = |v: &mut [[f32; 2]; 5], count| {
            let [value, lo, hi, prior_mean, prior_precision] = v;
            Theta { value, lo, hi, prior_mean, prior_precision }.check(count)
        };
        assert_eq!(check(&mut v, 2), Ok(()));
        assert_eq!(check(&mut v, 3), Err(Error::Shape { needed: 3 }));
        v[0][1] = 2.0;
        assert_eq!(check(&mut v, 2), Err(Error::Theta { index: 1 }));
        v[0][1] = f32::NAN;
        assert_eq!(check(&mut v, 2), Err(Error::Theta { index: 1 }));
        v[0][1] = 0.0;
        v[4][0] = -1.0;
        assert_eq!(check(&mut v, 2), Err(Error::Theta { index: 0 }));
    }
}
