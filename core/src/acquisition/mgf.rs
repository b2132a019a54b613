//! The moment-generating function of improvement (MGFI): all powers of the gain at once, weighed by a temperature.
//!
//! Here u = b − m is the gain if the mean comes true, s the deviation, z = u/s, and t the temperature: the higher, the more
//! a large gain counts that is unlikely. Neither t nor the 1 below is free of a scale, so that values should be
//! standardised, as an optimizer's are.

use super::improvement::{finite, floored};
use crate::real::Real;
use crate::stats::normal;

/// The logarithm of the function, which ranks as it does and has no overflow to cap.
///
/// ```text
/// M(t) = e⁻ᵗ·E[e^{t·I}·1{I > 0}] = Φ(z′)·exp(t·(u − 1) + t²s²/2),   z′ = z + t·s,  I = max(b − f, 0)
/// ln M = ln Φ(z′) + t·(u − 1 + t·s²/2)          for z′ > −1
///      = −z²/2 − ln √(2π) − ln(φ/Φ)(z′) − t      below, where the squares would cancel
/// ```
///
/// s is at least the floor of [`improvement::log_expected`](super::improvement::log_expected): without a deviation it is
/// t·(u − 1) where something is gained, and falls steeply with −u where not. It is ln Φ(z) for t = 0, the logarithm of the
/// probability of a gain. Whatever overflows is the nearest finite number. Above, its error is 8 ε of the largest of 1 and
/// the terms, below of the result.
///
/// # References
/// Wang, van Stein, Emmerich and Bäck, *A New Acquisition Function for Bayesian Optimization Based on the
/// Moment-Generating Function*, 2017.
pub(crate) fn log<R: Real>(gain: R, deviation: R, temperature: R) -> R {
    parts(gain, deviation, temperature).0
}

/// The logarithm with its derivatives by u and by s.
///
/// ```text
/// t + λ/s,   λ·(t − z/s) + t²s,   λ = φ(z′)/Φ(z′)
/// ```
pub(super) fn log_gradient<R: Real>(gain: R, deviation: R, temperature: R) -> (R, R, R) {
    let (score, z, floored) = parts(gain, deviation, temperature);
    if gain.is_nan() {
        return (score, R::ZERO, R::ZERO);
    }
    let slope = normal::log_cdf_slope(z + temperature * floored);
    let by_gain = finite(temperature + slope / floored);
    let by_deviation = if deviation < floored {
        R::ZERO
    } else {
        finite(slope * (temperature - z / floored)) + temperature * temperature * floored
    };
    (score, by_gain, finite(by_deviation))
}

/// ln M with the z and the s that it was taken at.
fn parts<R: Real>(gain: R, deviation: R, temperature: R) -> (R, R, R) {
    let floored = floored(deviation);
    let z = gain / floored;
    let tilted = z + temperature * floored;
    let score = if tilted > -R::ONE {
        let growth = gain - R::ONE + R::HALF * temperature * floored * floored;
        // A temperature of 0 is none, whatever grows.
        let growth = if temperature == R::ZERO { R::ZERO } else { temperature * growth };
        normal::log_cdf(tilted) + growth
    } else {
        normal::log_density(z) - normal::log_cdf_slope(tilted).ln() - temperature
    };
    (score.clamp(-R::MAX, R::MAX), z, floored)
}

#[cfg(test)]
mod tests {
    use super::super::generalised;
    use super::super::improvement::{self, tests::simpson};
    use super::{log, log_gradient};
    use crate::real::Real;

    /// u, s, t and ln M(t), with mpmath 1.3 from the closed form at 60 digits.
    #[rustfmt::skip]
    const TABLE: [[f64; 4]; 9] = [
        [-30.0, 1.0, 1.0, -455.287_419_909_730_15],
        [-30.0, 1.0, 29.5, -480.550_911_761_593_6],
        [-15.0, 0.5, 2.0, -456.287_419_909_730_15],
        [-8.0, 1.0, 0.5, -35.450_890_902_89],
        [-8.0, 1.0, 22.36, 48.744_799_999_999_99],
        [-1000.0, 1.0, 3.0, -500_010.823_690_309_2],
        [-3.0, 0.1, 0.0, -454.321_243_956_343_15],
        [-30.0, 1.0, 40.0, -440.0],
        [5.0, 1.0, 3.0, 16.5],
    ];

    fn table<R: Real>() {
        for [gain, deviation, temperature, value] in TABLE {
            let ours = log(R::of(gain), R::of(deviation), R::of(temperature)).to_f64();
            // The terms that are summed where the tail does not decide; in f32 also the rounding of s and t.
            let terms = temperature * (gain.abs() + 1.0 + temperature * deviation * deviation);
            let scale = value.abs()
                + 1.0
                + if gain / deviation + temperature * deviation > -1.0 { terms } else { 0.0 };
            assert!(
                (ours - value).abs() <= 8.0 * R::EPSILON.to_f64() * scale,
                "{gain} {deviation} {temperature}: {ours} {value}"
            );
        }
    }

    #[test]
    fn agrees_with_high_precision() {
        table::<f64>();
        table::<f32>();
    }

    #[test]
    fn agrees_with_quadrature() {
        for gain in [-3.0, -1.0, -0.2, 0.0, 0.1, 1.5, 4.0] {
            for deviation in [0.5, 1.0, 2.0] {
                for temperature in [0.0, 1e-3, 0.1, 1.0, 2.0, 4.0] {
                    // e^{tI} moves the weight by t·s deviations.
                    let from = f64::max(-gain / deviation, -14.0);
                    let to = 14.0 + temperature * deviation;
                    let value = simpson(from, to, |x| (temperature * (gain + deviation * x - 1.0)).exp());
                    let ours = log(gain, deviation, temperature);
                    assert!((ours - value.ln()).abs() < 1e-8, "{gain} {deviation} {temperature}");
                }
            }
        }
    }

    /// y_min, μ, s, t and M(t), of a published comparison, ten digits.
    #[test]
    fn agrees_with_golden_values() {
        for [best, mean, sd, t, value] in [
            [0.0, 0.0, 1.0, 1.0, 0.510_301_383_9],
            [0.0, 1.0, 1.0, 1.0, 0.111_565_080_1],
            [0.0, 0.5, 0.25, 2.0, 0.003_769_004_4],
            [1.0, 0.2, 0.7, 0.1, 0.871_969_637_6],
            [0.0, -0.3, 0.4, 2.0, 0.319_025_967_2],
            [0.0, 2.0, 0.5, 5.0, 4.651e-7],
        ] {
            assert!((log(best - mean, sd, t).exp() - value).abs() < 6e-11);
        }
    }

    /// M(t) is the mean of the generalised improvements of all orders, Poisson with mean t; its slope at 0 gives the
    /// expected improvement.
    #[test]
    fn it_is_made_of_all_orders() {
        for (gain, deviation) in [(-1.0, 0.7), (0.0, 1.0), (0.4, 0.3)] {
            let t = 0.8;
            let mut weight = f64::exp(-t);
            let mut sum = 0.0;
            for order in 0..=generalised::MAX_ORDER {
                sum += weight * generalised::expected(gain, deviation, order);
                weight *= t / f64::from(order + 1);
            }
            assert!((log(gain, deviation, t).exp() - sum).abs() < 1e-9, "{gain}");
            let (small, chance) = (1e-7, improvement::probability(gain, deviation));
            let slope = ((log(gain, deviation, small) + small).exp() - chance) / small;
            assert!((slope - improvement::expected(gain, deviation)).abs() < 1e-6);
        }
    }

    /// Far below the tail of the normal decides and the temperature moves it little: −z²/2, with slopes −z/s and z²/s.
    #[test]
    fn the_tail_keeps_its_ranking() {
        for z in [-30.0, -1e3, -1e6] {
            let (score, by_gain, by_deviation) = log_gradient(z, 1.0, 2.0);
            assert!((score / (-0.5 * z * z) - 1.0f64).abs() < 20.0 / (z * z) * z.abs().ln());
            assert!((by_gain / -z - 1.0).abs() < 3.0 / (z * z) && by_deviation > 0.0);
        }
        let mut before = f32::NEG_INFINITY;
        for i in 0..2000 {
            let score = log(-30.0 + 0.02 * i as f32, 0.9, 1.5f32);
            assert!(score > before, "{i}");
            before = score;
        }
    }

    fn floor<R: Real>() {
        let t = R::of(1.5);
        for gain in [1e-3, 1.0, 1e6] {
            let expected = 1.5 * (gain - 1.0);
            let error = (log(R::of(gain), R::ZERO, t).to_f64() - expected).abs();
            assert!(error <= 4.0 * R::EPSILON.to_f64() * (1.0 + gain));
        }
        let mut before = R::INFINITY;
        for gain in [1.0, 1e-5, 0.0, -1e-5, -1e-3, -1.0, -1000.0] {
            let (score, by_gain, by_deviation) = log_gradient(R::of(gain), R::ZERO, t);
            assert!(score.is_finite() && score < before && score > -R::MAX, "{gain}");
            assert!(by_gain > R::ZERO && by_gain.is_finite() && by_deviation == R::ZERO);
            before = score;
        }
    }

    #[test]
    fn without_deviation_the_mean_still_decides() {
        floor::<f64>();
        floor::<f32>();
        assert!((log(0.0, 0.0, 1.5) - (0.5f64.ln() - 1.5)).abs() < 1e-15);
        assert_eq!(log(f64::NAN, 1.0, 1.0), -f64::MAX);
        assert_eq!(log(1.0, f64::INFINITY, 1.0), f64::MAX);
        assert_eq!(log(f64::INFINITY, 1.0, 0.0), 0.0);
    }
}
