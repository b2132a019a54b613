//! Cooling schedules of the MGFI temperature, which falls with the trials: explore first, refine in the end.

use crate::codes::codes;
use crate::error::Error;
use crate::real::Real;
use crate::rng::{self, Generator};

/// How a temperature falls with the iteration i, from t₀ to t_N.
///
/// ```
/// use infill::acquisition::cooling::Cooling;
/// let cooling = Cooling::exponential(190);
/// assert_eq!((cooling.temperature(0), cooling.temperature(190)), (2.0, 0.1));
/// assert!((cooling.temperature(95) - 0.2f64.sqrt()).abs() < 1e-15);
/// ```
///
/// # References
/// Wang, Emmerich and Bäck, *Cooling Strategies for the Moment-Generating Function in Bayesian Global Optimization*,
/// 2018.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cooling {
    /// The way down.
    pub decay: Decay,
    /// The temperature t₀ of iteration 0.
    pub from: f64,
    /// The temperature t_N of iteration N and of all that follow.
    pub to: f64,
    /// N.
    pub steps: u32,
}

/// The way down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Decay {
    /// t₀·(t_N/t₀)^(i/N): by the same factor each time.
    #[default]
    Exponential,
    /// t₀ − (t₀ − t_N)·i/N: by the same amount each time.
    Linear,
}

impl Cooling {
    /// From 2 to 0.1 by the same factor each time.
    #[must_use]
    pub const fn exponential(steps: u32) -> Self {
        Self { decay: Decay::Exponential, from: 2.0, to: 0.1, steps }
    }

    /// The temperature of an iteration, counted from 0.
    #[must_use]
    pub fn temperature(&self, iteration: u64) -> f64 {
        if iteration >= u64::from(self.steps) {
            return self.to;
        }
        let share = iteration as f64 / f64::from(self.steps);
        match self.decay {
            Decay::Exponential => self.from * Real::exp(Real::ln(self.to / self.from) * share),
            Decay::Linear => self.from - (self.from - self.to) * share,
        }
    }

    /// Refuses what does not cool.
    ///
    /// # Errors
    /// [`Error::Config`] unless ∞ > t₀ ≥ t_N > 0.
    pub(crate) fn check(&self) -> Result<(), Error> {
        // The quotient is taken, so that it must not vanish.
        let cools = self.from.is_finite() && self.from >= self.to && self.to / self.from > 0.0;
        if cools && self.to > 0.0 { Ok(()) } else { Err(Error::Config) }
    }
}

codes!(Decay { Exponential = 0, Linear = 1 });

/// Writes a temperature for each of several trials at once: most are low, a few are high.
///
/// ```text
/// t = exp(μ + σ·x),   x standard normal
/// ```
///
/// `location` is μ and `scale` is σ; the source has 0 and 1, and ln t moves the middle to a scheduled temperature t. One
/// word of the generator per temperature; each is positive and finite.
///
/// # References
/// Wang, van Stein, Emmerich and Bäck, *A New Acquisition Function for Bayesian Optimization Based on the
/// Moment-Generating Function*, 2017. Hutter, Hoos and Leyton-Brown, *Parallel Algorithm
/// Configuration*, 2012, for the same of a confidence bound.
pub(crate) fn draw<R: Real>(generator: &mut Generator, location: R, scale: R, out: &mut [R]) {
    for temperature in out {
        let x: R = rng::normal(generator);
        *temperature = (location + scale * x).exp().clamp(R::MIN_POSITIVE, R::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::{Cooling, Decay, draw};
    use crate::error::Error;
    use crate::rng::Generator;

    /// The factor of a step from 2 to 0.1, as MIP-EGO's formula (t_N/t₀)^(1/N) gives it, to ten digits.
    #[test]
    fn exponential_is_the_factor_again_and_again() {
        for (steps, factor) in [(190, 0.984_356_636_7), (100, 0.970_486_950_4), (39, 0.926_062_411_1)] {
            let cooling = Cooling::exponential(steps);
            assert_eq!((cooling.temperature(0), cooling.temperature(u64::from(steps))), (2.0, 0.1));
            assert_eq!(cooling.temperature(u64::MAX), 0.1);
            for i in 0..u64::from(steps) {
                let ratio = cooling.temperature(i + 1) / cooling.temperature(i);
                assert!((ratio - factor).abs() < 6e-11, "{steps} {i}: {ratio}");
            }
        }
        assert!((Cooling::exponential(100).temperature(50) - 0.447_213_595_5).abs() < 6e-11);
    }

    #[test]
    fn linear_is_the_step_again_and_again() {
        let cooling = Cooling { decay: Decay::Linear, ..Cooling::exponential(19) };
        let mut expected = 2.0;
        for i in 0..40 {
            assert!((cooling.temperature(i) - expected).abs() < 1e-14, "{i}");
            expected = f64::max(expected - 1.9 / 19.0, 0.1);
        }
    }

    #[test]
    fn only_what_cools_is_taken() {
        let good = Cooling::exponential(10);
        for decay in [Decay::Exponential, Decay::Linear] {
            let cooling = Cooling { decay, ..good };
            assert_eq!(cooling.check(), Ok(()));
        }
        assert_eq!([Decay::Exponential, Decay::Linear].map(Decay::code), [0, 1]);
        assert_eq!(Cooling { steps: 0, ..good }.temperature(0), 0.1);
        for (from, to) in [
            (f64::NAN, 0.1),
            (2.0, f64::NAN),
            (f64::INFINITY, 0.1),
            (f64::INFINITY, f64::INFINITY),
            (0.1, 2.0),
            (2.0, 0.0),
            (-1.0, -2.0),
            (1e300, 1e-300),
        ] {
            let bad = Cooling { from, to, ..good };
            assert_eq!(bad.check(), Err(Error::Config), "{from} {to}");
        }
    }

    /// Of exp(x): median 1, mean e^½, P(t > 5) = 0.0538; each within four standard errors.
    #[test]
    fn temperatures_are_log_normal() {
        let mut out = [0.0f64; 100_000];
        draw(&mut Generator::new(5), 0.0, 1.0, &mut out);
        let count = out.len() as f64;
        let share = |limit: f64| out.iter().filter(|&&t| t > limit).count() as f64 / count;
        assert!((share(1.0) - 0.5).abs() < 4.0 * (0.25 / count).sqrt());
        assert!((share(5.0) - 0.0538).abs() < 4.0 * (0.0538 * 0.9462 / count).sqrt());
        // The variance is (e − 1)·e.
        let mean = out.iter().sum::<f64>() / count;
        assert!((mean - 1.648_7).abs() < 4.0 * (1.718_3 * core::f64::consts::E / count).sqrt());
        let mut moved = [0.0f64; 8];
        draw(&mut Generator::new(5), 2.0f64.ln(), 0.5, &mut moved);
        for (moved, t) in moved.iter().zip(&out) {
            assert!((moved / (2.0 * t.sqrt()) - 1.0).abs() < 1e-14);
        }
        for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
            let mut out = [0.0f32; 4];
            draw(&mut Generator::new(1), odd as f32, odd as f32, &mut out);
            assert!(out.iter().all(|t| t.is_finite() && *t > 0.0));
        }
        draw(&mut Generator::new(1), 0.0, 1.0, &mut [0.0f32; 0]);
    }
}
