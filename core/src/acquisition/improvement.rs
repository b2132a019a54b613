//! Improvement over the best value: its probability (PI), its expectation (EI), and the logarithm of that (log-EI).
//!
//! Here u = b − margin − m is the gain if the mean comes true, s the deviation, and z = u/s. Where s is 0 (or so small
//! that z overflows) each function is its limit for s → 0.

use crate::real::Real;
use crate::stats::normal;

/// The probability of a gain.
///
/// ```text
/// Φ(z);   for s = 0:  1 if u > 0,  ½ if u = 0,  0 if u < 0
/// ```
///
/// # References
/// Kushner, *A New Method of Locating the Maximum Point of an Arbitrary Multipeak Curve in the Presence of Noise*,
/// 1964.
pub(crate) fn probability<R: Real>(gain: R, deviation: R) -> R {
    match standard(gain, deviation) {
        Some(z) => normal::cdf(z),
        None => step(gain),
    }
}

/// The probability with its derivatives by u and by s.
///
/// ```text
/// φ(z)/s,   −z·φ(z)/s
/// ```
pub(super) fn probability_gradient<R: Real>(gain: R, deviation: R) -> (R, R, R) {
    match standard(gain, deviation) {
        Some(z) => {
            let slope = finite(normal::density(z) / deviation);
            (normal::cdf(z), slope, finite(-z * slope))
        }
        None => (step(gain), R::ZERO, R::ZERO),
    }
}

/// The expected gain.
///
/// ```text
/// s·h(z) = u·Φ(z) + s·φ(z);   for s = 0:  max(u, 0)
/// ```
///
/// # References
/// Jones, Schonlau and Welch, *Efficient Global Optimization of Expensive Black-Box Functions*, 1998, equation 15.
pub(crate) fn expected<R: Real>(gain: R, deviation: R) -> R {
    match standard(gain, deviation) {
        Some(z) => finite(deviation * normal::h(z)),
        None => finite(gain.max(R::ZERO)),
    }
}

/// The expected gain with its derivatives by u and by s.
///
/// ```text
/// Φ(z),   φ(z)
/// ```
pub(super) fn expected_gradient<R: Real>(gain: R, deviation: R) -> (R, R, R) {
    let score = expected(gain, deviation);
    match standard(gain, deviation) {
        Some(z) => (score, normal::cdf(z), normal::density(z)),
        None if gain == R::ZERO => (score, R::HALF, normal::density(R::ZERO)),
        None => (score, step(gain), R::ZERO),
    }
}

/// The logarithm of the expected gain.
///
/// ```text
/// ln s + ln h(z),   s at least S = 2²⁰·√(smallest positive number)
/// ```
///
/// The floor S makes it finite where nothing can be gained any more, and there a lower mean is still the better one: it is
/// ln S − 0.92 at u = 0 and about −u²/(2S²) below. Whatever overflows is the lowest finite number.
///
/// # References
/// Ament, Daulton, Eriksson, Balandat and Bakshy, *Unexpected Improvements to Expected Improvement for Bayesian
/// Optimization*, 2023, equation 8.
pub(crate) fn log_expected<R: Real>(gain: R, deviation: R) -> R {
    log_parts(gain, deviation).0
}

/// The logarithm with its derivatives by u and by s.
///
/// ```text
/// Φ(z)/(s·h(z)),   φ(z)/(s·h(z)) = (1 − z·Φ(z)/h(z))/s
/// ```
pub(super) fn log_expected_gradient<R: Real>(gain: R, deviation: R) -> (R, R, R) {
    let (score, z, floored) = log_parts(gain, deviation);
    if gain.is_nan() {
        return (score, R::ZERO, R::ZERO);
    }
    if z == R::INFINITY {
        return (score, finite(R::ONE / gain), R::ZERO);
    }
    let slope = normal::log_h_slope(z);
    let by_gain = finite(slope / floored);
    // The difference would cancel above 0, the quotient underflow below.
    let by_deviation = if deviation < floored {
        R::ZERO
    } else if z > R::ZERO {
        normal::density(z) / normal::h(z) / floored
    } else {
        (R::ONE - z * slope) / floored
    };
    (score, by_gain, finite(by_deviation))
}

/// ln s + ln h(z) with the z and the s that it was taken at.
fn log_parts<R: Real>(gain: R, deviation: R) -> (R, R, R) {
    let floored = floored(deviation);
    let z = gain / floored;
    let score = if z == R::INFINITY { gain.ln() } else { floored.ln() + normal::log_h(z) };
    (score.clamp(-R::MAX, R::MAX), z, floored)
}

/// The deviation, at least 2²⁰·√(smallest positive number) and finite.
pub(super) fn floored<R: Real>(deviation: R) -> R {
    deviation.max(R::of(1_048_576.0) * R::MIN_POSITIVE.sqrt()).min(R::MAX)
}

/// z, if it is a number to work with.
pub(super) fn standard<R: Real>(gain: R, deviation: R) -> Option<R> {
    let z = gain / deviation;
    z.is_finite().then_some(z)
}

/// 1 above 0, ½ at 0, 0 below and for NaN.
fn step<R: Real>(gain: R) -> R {
    if gain > R::ZERO {
        R::ONE
    } else if gain == R::ZERO {
        R::HALF
    } else {
        R::ZERO
    }
}

/// The value without its infinities; 0 for NaN.
pub(super) fn finite<R: Real>(value: R) -> R {
    if value.is_nan() { R::ZERO } else { value.clamp(-R::MAX, R::MAX) }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{expected, log_expected, log_expected_gradient, probability};
    use crate::real::Real;

    /// ∫ f(x) φ(x) dx over [a, b] by Simpson's rule.
    pub(in crate::acquisition) fn simpson(a: f64, b: f64, f: impl Fn(f64) -> f64) -> f64 {
        let n = 20_000;
        let step = (b - a) / f64::from(n);
        let at = |i: i32| {
            let x = a + step * f64::from(i);
            f(x) * (-0.5 * x * x).exp() / (2.0 * core::f64::consts::PI).sqrt()
        };
        let inner: f64 = (1..n).map(|i| if i % 2 == 1 { 4.0 } else { 2.0 } * at(i)).sum();
        (at(0) + at(n) + inner) * step / 3.0
    }

    /// A gain comes true where u + s·x > 0, that is x > −z; beyond 12 deviations there is less than 10⁻³³.
    #[test]
    fn agrees_with_quadrature() {
        for gain in [-3.0, -1.0, -0.2, 0.0, 0.1, 1.5, 4.0] {
            for deviation in [0.5, 1.0, 2.0] {
                let from = f64::max(-gain / deviation, -12.0);
                let hit = simpson(from, 12.0, |_| 1.0);
                let mean = simpson(from, 12.0, |x| gain + deviation * x);
                assert!((probability(gain, deviation) / hit - 1.0).abs() < 1e-8);
                assert!((expected(gain, deviation) / mean - 1.0).abs() < 1e-8);
                assert!((log_expected(gain, deviation) - mean.ln()).abs() < 1e-8);
            }
        }
    }

    /// Expected improvement of deviation 1, sixteen digits, computed from the formula in double precision.
    #[test]
    fn agrees_with_golden_values() {
        let table = [
            (-4.0, 7.145_258_432_405_508e-6),
            (-2.0, 0.008_490_702_616_829_6),
            (-1.0, 0.083_315_470_587_686_3),
            (-0.5, 0.197_796_557_401_306_1),
            (0.0, 0.398_942_280_401_432_7),
            (0.5, 0.697_796_557_401_306_1),
            (1.0, 1.083_315_470_587_686_4),
            (2.0, 2.008_490_702_616_829_7),
            (4.0, 4.000_007_145_258_432),
        ];
        for (z, value) in table {
            // At −4 the table has lost the digits of z·Φ/h ≈ 18.
            assert!((expected(z, 1.0) / value - 1.0f64).abs() < 5e-14, "{z}");
            assert!((expected(z * 3.0, 3.0) / value - 3.0).abs() < 2e-13, "{z}");
            assert!((expected(z, 1.0) - expected(-z, 1.0) - z).abs() < 1e-15);
        }
    }

    #[test]
    fn the_logarithm_has_a_slope_where_the_rest_is_flat() {
        for z in [-50.0, -1000.0, -1e8] {
            assert_eq!((expected(z, 1.0), probability(z, 1.0)), (0.0, 0.0));
            let (score, by_gain, by_deviation) = log_expected_gradient(z, 1.0);
            assert!(score.is_finite());
            // ln h ≈ −z²/2: slope −z by u, z² by s, each to the next order of 1/z² and rounding.
            assert!((by_gain / -z - 1.0f64).abs() < 3.0 / (z * z) + 1e-14);
            assert!((by_deviation / (z * z) - 1.0).abs() < 4.0 / (z * z) + 1e-14);
        }
        let (score, by_gain, by_deviation) = log_expected_gradient(-30.0f32, 0.5);
        assert!(score.is_finite() && by_gain > 0.0 && by_deviation > 0.0);
    }

    fn floor<R: Real>() {
        let at = |gain: f64| log_expected(R::of(gain), R::ZERO);
        // Where something is certain to be gained it is its logarithm.
        for gain in [1e-3, 1.0, 1e6] {
            assert!((at(gain).to_f64() - gain.ln()).abs() <= 32.0 * R::EPSILON.to_f64() * 90.0);
        }
        let mut before = R::INFINITY;
        for gain in [1.0, 1e-5, 0.0, -1e-5, -1e-3, -1.0, -2.0, -1000.0, -1e5] {
            let (score, by_gain, by_deviation) = log_expected_gradient(R::of(gain), R::ZERO);
            assert!(score.is_finite() && score < before, "{gain}");
            assert!(by_gain > R::ZERO && by_gain.is_finite() && by_deviation == R::ZERO, "{gain}");
            before = score;
        }
    }

    #[test]
    fn without_deviation_the_mean_still_decides() {
        floor::<f64>();
        floor::<f32>();
        assert_eq!(log_expected(f64::NAN, 1.0), -f64::MAX);
        assert_eq!(log_expected(-1e300, 0.0), -f64::MAX);
        for (gain, chance, mean) in [(2.0, 1.0, 2.0), (0.0, 0.5, 0.0), (-2.0, 0.0, 0.0)] {
            assert_eq!((probability(gain, 0.0), expected(gain, 0.0)), (chance, mean));
            // A deviation that makes z overflow.
            assert_eq!((probability(gain, 5e-324), expected(gain, 5e-324) - mean < 1e-300), (chance, true));
        }
    }
}
