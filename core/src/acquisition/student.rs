//! Acquisition functions of a Student-t prediction with ν degrees of freedom.
//!
//! Here u = b − margin − m is the gain if the location comes true, s the scale (not the deviation, which is
//! s·√(ν/(ν − 2))), and z = u/s; T and t are the standard distribution function and density.
//!
//! ```text
//! Probability     T(z)
//! Improvement     s·h(z),   h(z) = z·T(z) + (ν + z²)/(ν − 1)·t(z)
//! LogImprovement  ln s + ln h(z)
//! Bound           q·s − m,   T(−q) = Φ(−β)
//! ```
//!
//! For ν → ∞ each is the rule of the normal distribution, and for ν = ∞ to the bit.
//!
//! # References
//! Shah, Wilson and Ghahramani, *Student-t Processes as Alternatives to Gaussian Processes*, 2014. Tracey and Wolpert,
//! *Upgrading from Gaussian Processes to Student's-T Processes*, 2018, equation 13.

use super::{Acquisition, Prediction, StudentForm, bound, improvement};
use crate::error::Error;
use crate::real::Real;
use crate::stats::{normal, student};

/// The score of a rule, larger is better; [`Prediction::variance`] is the square of the scale.
///
/// No score is NaN. Infinite degrees of freedom give [`Acquisition::score`] itself.
///
/// # Errors
/// [`Error::Unsupported`] if the rule has no such form, if there are too few degrees of freedom for it (1 or fewer have
/// no expected improvement), or if they are not a number.
pub fn score<R: Real>(
    rule: Acquisition<R>,
    prediction: Prediction<R>,
    best: R,
    freedom: R,
) -> Result<R, Error> {
    score_gradient(rule, prediction, best, freedom).map(|(score, ..)| score)
}

/// The score with its derivatives by the mean and by the scale.
///
/// # Errors
/// As [`score`].
pub(crate) fn score_gradient<R: Real>(
    rule: Acquisition<R>,
    prediction: Prediction<R>,
    best: R,
    freedom: R,
) -> Result<(R, R, R), Error> {
    if freedom == R::INFINITY {
        return Ok(rule.score_gradient(prediction, best));
    }
    let (mean, scale) = (prediction.mean, prediction.deviation());
    // An expectation needs a mean.
    let (form, parameter) = (rule.rule().student().ok_or(Error::Unsupported)?, rule.code().1);
    let least = match form {
        StudentForm::Probability | StudentForm::Bound => R::of(1.0 / 128.0),
        StudentForm::Improvement | StudentForm::LogImprovement => R::ONE + R::EPSILON,
    };
    Error::Unsupported.when(freedom.is_nan() || freedom < least)?;
    let gain = best - parameter - mean;
    let (score, by_gain, by_scale) = match form {
        StudentForm::Probability => probability_gradient(gain, scale, freedom),
        StudentForm::Improvement => expected_gradient(gain, scale, freedom),
        StudentForm::LogImprovement => log_expected_gradient(gain, scale, freedom),
        StudentForm::Bound => bound::score_gradient(mean, scale, width(parameter, freedom)),
    };
    Ok((score, -by_gain, by_scale))
}

/// The score with its derivatives in x, from those of the mean and of the square of the scale.
///
/// # Errors
/// As [`score`].
pub(crate) fn chain<R: Real>(
    rule: Acquisition<R>,
    prediction: Prediction<R>,
    best: R,
    freedom: R,
    mean_gradient: &[R],
    variance_gradient: &[R],
    out: &mut [R],
) -> Result<R, Error> {
    let (value, by_mean, by_scale) = score_gradient(rule, prediction, best, freedom)?;
    let half = R::HALF / prediction.variance.sqrt().max(R::MIN_POSITIVE.sqrt());
    for ((out, &m), &v) in out.iter_mut().zip(mean_gradient).zip(variance_gradient) {
        *out = by_mean * m + by_scale * half * v;
    }
    Ok(value)
}

/// The probability of a gain, T(z), with its derivatives by u and by s; for a scale of 0 that of `improvement`.
///
/// ```text
/// t(z)/s,   −z·t(z)/s
/// ```
fn probability_gradient<R: Real>(gain: R, scale: R, freedom: R) -> (R, R, R) {
    match standard(gain, scale) {
        Some(z) => {
            let slope = finite(student::density(z, freedom) / scale);
            (finite(student::cdf(z, freedom)), slope, finite(-z * slope))
        }
        None => improvement::probability_gradient(gain, R::ZERO),
    }
}

/// The expected gain with its derivatives by u and by s.
///
/// ```text
/// s·h(z) = u·T(z) + s·(ν + z²)/(ν − 1)·t(z),   ν > 1;   for s = 0:  max(u, 0)
/// T(z),   (ν + z²)/(ν − 1)·t(z)
/// ```
///
/// The relative error is below (10³ + 4·|ln h|)·ε, also in the tail.
fn expected_gradient<R: Real>(gain: R, scale: R, freedom: R) -> (R, R, R) {
    match standard(gain, scale) {
        Some(z) => {
            let score = finite(scale * student::h(z, freedom));
            (score, finite(student::cdf(z, freedom)), finite(even_part(z, freedom)))
        }
        None => {
            let (score, by_gain, by_scale) = improvement::expected_gradient(gain, R::ZERO);
            // The slope at u = 0 is that of the distribution; elsewhere it is 0.
            let by_scale = if by_scale > R::ZERO { finite(even_part(R::ZERO, freedom)) } else { by_scale };
            (score, by_gain, by_scale)
        }
    }
}

/// The logarithm of the expected gain, ln s + ln h(z), with its derivatives by u and by s; under s is the floor of
/// `improvement::log_expected`.
///
/// ```text
/// T(z)/(s·h(z)),   (1 − z·T(z)/h(z))/s
/// ```
///
/// It falls like (ν − 1)·ln(−z) far below the best, where that of a normal distribution falls like z²/2.
fn log_expected_gradient<R: Real>(gain: R, scale: R, freedom: R) -> (R, R, R) {
    if gain.is_nan() || freedom.is_nan() || freedom <= R::ONE {
        return (-R::MAX, R::ZERO, R::ZERO);
    }
    let floored = scale.max(R::of(1_048_576.0) * R::MIN_POSITIVE.sqrt()).min(R::MAX);
    let z = gain / floored;
    if z == R::INFINITY {
        return (gain.ln().clamp(-R::MAX, R::MAX), finite(R::ONE / gain), R::ZERO);
    }
    let score = (floored.ln() + student::log_h(z, freedom)).clamp(-R::MAX, R::MAX);
    let slope = finite(student::log_h_slope(z, freedom));
    let by_gain = finite(slope / floored);
    // The difference would cancel above 0, the quotient underflow below.
    let by_scale = if scale < floored {
        R::ZERO
    } else if z > R::ZERO {
        even_part(z, freedom) / student::h(z, freedom) / floored
    } else {
        (R::ONE - z * slope) / floored
    };
    (score, by_gain, finite(by_scale))
}

/// How many scales below the location the bound lies that is as safe as β deviations of a normal distribution.
///
/// ```text
/// T(−q; ν) = Φ(−β)
/// ```
///
/// Fewer degrees of freedom know less, so q > β. Where Φ(−β) is 0 in the machine's numbers, its smallest number is taken.
/// Cost: one quantile. It depends on no point: for many, ask once and score by [`bound::score`].
pub(crate) fn width<R: Real>(beta: R, freedom: R) -> R {
    if freedom == R::INFINITY || beta.is_nan() {
        return beta;
    }
    let tail = normal::cdf(-beta.abs()).max(R::MIN_POSITIVE);
    let q = -student::quantile(tail, freedom);
    if beta < R::ZERO { -q } else { q }
}

/// (ν + z²)/(ν − 1)·t(z); by logarithms where the square overflows.
fn even_part<R: Real>(z: R, freedom: R) -> R {
    let square = z * z;
    if square.is_finite() {
        (freedom + square) / (freedom - R::ONE) * student::density(z, freedom)
    } else {
        (R::TWO * z.abs().ln() - (freedom - R::ONE).ln() + student::log_density(z, freedom)).exp()
    }
}

/// z, if it is a number to work with.
fn standard<R: Real>(gain: R, scale: R) -> Option<R> {
    let z = gain / scale;
    z.is_finite().then_some(z)
}

/// The nearest finite number; 0 for NaN.
fn finite<R: Real>(value: R) -> R {
    if value.is_nan() { R::ZERO } else { value.clamp(-R::MAX, R::MAX) }
}

#[cfg(test)]
mod tests {
    use super::{
        expected_gradient, log_expected_gradient, probability_gradient, score, score_gradient, width,
    };
    use crate::acquisition::{Acquisition, Prediction, bound};
    use crate::error::Error;
    use crate::stats::{normal, student};

    type Rule = Acquisition<f64>;

    fn expected(gain: f64, scale: f64, freedom: f64) -> f64 {
        expected_gradient(gain, scale, freedom).0
    }

    fn probability(gain: f64, scale: f64, freedom: f64) -> f64 {
        probability_gradient(gain, scale, freedom).0
    }

    const RULES: [Rule; 4] = [
        Rule::Probability { margin: 0.01 },
        Rule::Improvement { margin: 0.01 },
        Rule::LogImprovement { margin: 0.01 },
        Rule::Bound { beta: 1.5 },
    ];

    /// τ, μ, s, and the expected improvement of a maximiser with ν = 3 and 7: the closed form by scipy 1.17.1, checked by
    /// its quadrature to 3·10⁻¹² (every fourth of the sixty stored pointwise cases of the exact keys).
    #[test]
    fn agrees_with_scipy() {
        #[rustfmt::skip]
        let table = [
            [0.0, -1.5, 0.001, 2.450_348_686_040_421e-10, 1.932_160_717_551_376e-21],
            [0.0, -0.2, 0.001, 1.378_260_217_376_289_2e-8, 3.437_452_130_515_421_5e-16],
            [0.0, 0.0, 0.001, 0.000_551_328_895_421_792_1, 0.000_449_156_692_637_645_24],
            [0.0, 0.6, 0.001, 0.600_000_001_531_461_5, 0.6],
            [0.0, 2.0, 0.001, 2.000_000_000_137_832, 2.0],
            [0.7, -1.5, 0.001, 1.139_108_864_426_056_1e-10, 1.941_137_969_891_949_1e-22],
            [0.7, -0.2, 0.001, 6.806_514_447_527_244e-10, 4.141_237_531_378_583e-20],
            [0.7, 0.0, 0.001, 1.125_156_877_838_422_4e-9, 1.870_644_402_739_969_5e-19],
            [0.7, 0.6, 0.001, 5.512_296_774_811_957e-8, 2.197_277_156_756_784e-14],
            [0.7, 2.0, 0.001, 1.300_000_000_326_229_8, 1.3],
            [-1.2, -1.5, 0.001, 6.125_754_101_182_388e-9, 3.018_475_209_884_723e-17],
            [-1.2, -0.2, 0.001, 1.000_000_000_551_327_9, 1.0],
            [-1.2, 0.0, 0.001, 1.200_000_000_382_866_8, 1.2],
            [-1.2, 0.6, 0.001, 1.800_000_000_170_162_8, 1.799_999_999_999_999_8],
            [-1.2, 2.0, 0.001, 3.200_000_000_053_840_7, 3.2],
        ];
        for [tau, mu, s, three, seven] in table {
            for (freedom, theirs) in [(3.0, three), (7.0, seven)] {
                let ours: f64 = expected(mu - tau, s, freedom);
                // Their u·T + s·(…)·t cancels in the tail: its terms are |u|·T each.
                let lost = 1e-14 * (mu - tau).abs() * student::cdf((mu - tau) / s, freedom);
                assert!(
                    (ours - theirs).abs() <= 1e-10 * theirs.abs() + lost,
                    "{tau} {mu} {s} {ours:e} {theirs:e}"
                );
            }
        }
        // The golden value of the specification, with half a unit of its last decimal.
        assert!((expected(0.3 - 0.5, 0.7, 5.0) - 0.242_914_360_8f64).abs() < 6e-11);
    }

    /// ∫ f(x) t(x) dx by Simpson's rule in x = sinh(w), whose tails fall like e^(−νw).
    fn integral(from: f64, freedom: f64, f: impl Fn(f64) -> f64) -> f64 {
        // Twenty scales, or the power law down to e⁻⁶⁰ of where it starts.
        let (low, steps) = (from.asinh(), 40_000);
        let high = (20.0 + from.abs()).asinh() + 60.0 / (freedom - 1.0);
        let step = (high - low) / f64::from(steps);
        let mut sum = 0.0;
        for i in 0..=steps {
            let w = low + step * f64::from(i);
            let weight = if i == 0 || i == steps { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
            sum += weight * f(w.sinh()) * student::density(w.sinh(), freedom) * w.cosh();
        }
        sum * step / 3.0
    }

    #[test]
    fn agrees_with_quadrature() {
        for freedom in [2.5, 3.0, 7.0, 40.5, 600.0] {
            for (gain, scale) in [(0.3, 0.7), (-0.2, 0.7), (-3.0, 0.5), (2.0, 0.1), (0.0, 1.0), (-9.0, 1.0)] {
                // Improvements are the guesses above −z.
                let z = gain / scale;
                let mean = integral(-z, freedom, |x| (gain + scale * x).max(0.0));
                let area = integral(-z, freedom, |_| 1.0);
                let (ei, pi) = (expected(gain, scale, freedom), probability(gain, scale, freedom));
                assert!((ei / mean - 1.0).abs() < 1e-8, "{freedom} {gain} {scale} {ei:e} {mean:e}");
                assert!((pi / area - 1.0).abs() < 1e-8, "{freedom} {gain} {scale} {pi:e} {area:e}");
                assert!((log_expected_gradient(gain, scale, freedom).0 - mean.ln()).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn gradients_are_derivatives() {
        for rule in RULES {
            for freedom in [2.2, 5.0, 30.0, 1e3] {
                for mean in [-2.0, -0.3, 0.2, 0.29, 0.5, 1.0, 3.0] {
                    for s in [0.05, 0.3, 1.0, 4.0] {
                        let at = |mean: f64, s: f64| {
                            score(rule, Prediction { mean, variance: s * s }, 0.3, freedom).unwrap()
                        };
                        let prediction = Prediction { mean, variance: s * s };
                        let (value, by_mean, by_scale) =
                            score_gradient(rule, prediction, 0.3, freedom).unwrap();
                        assert_eq!(value, at(mean, s));
                        let step = 1e-5 * s;
                        let mean_slope = (at(mean + step, s) - at(mean - step, s)) / (2.0 * step);
                        let scale_slope = (at(mean, s + step) - at(mean, s - step)) / (2.0 * step);
                        // The step's square times the third derivatives, and rounding over the step.
                        let z = (0.3 - mean) / s;
                        let bound = 1e-9 * (1.0 + z * z) * (1.0 + value.abs()) / s;
                        let bound = bound.min(1e-5 * (by_mean.abs() + by_scale.abs()) + 1e-9);
                        assert!((mean_slope - by_mean).abs() < bound, "{rule:?} {freedom} {mean} {s}");
                        assert!((scale_slope - by_scale).abs() < bound, "{rule:?} {freedom} {mean} {s}");
                    }
                }
            }
        }
    }

    #[test]
    fn many_degrees_of_freedom_are_the_normal_rules() {
        for rule in RULES {
            for mean in [-1.0, 0.2, 0.7, 3.0] {
                let prediction = Prediction { mean, variance: 0.25 };
                let normal = rule.score_gradient(prediction, 0.3);
                assert_eq!(score_gradient(rule, prediction, 0.3, f64::INFINITY), Ok(normal));
                let (a, b, c) = score_gradient(rule, prediction, 0.3, 1e10).unwrap();
                for (ours, theirs) in [(a, normal.0), (b, normal.1), (c, normal.2)] {
                    assert!((ours - theirs).abs() < 1e-8 * (1.0 + theirs.abs()), "{rule:?} {mean}");
                }
            }
        }
    }

    #[test]
    fn the_tail_has_a_slope_and_the_mean_decides_without_scale() {
        for z in [-1e3f64, -1e8, -1e150] {
            let (value, by_gain, by_scale) = log_expected_gradient(z, 1.0, 5.0);
            // A power law: slope (ν − 1)/(−z) by u, ν by s.
            assert!(
                value.is_finite()
                    && (by_gain * -z / 4.0 - 1.0f64).abs() < 1e-4
                    && (by_scale / 5.0 - 1.0).abs() < 1e-4
            );
        }
        let mut before = f64::INFINITY;
        for gain in [1.0f64, 1e-5, 0.0, -1e-5, -1e-3, -1.0, -1000.0] {
            let (value, by_gain, by_scale) = log_expected_gradient(gain, 0.0, 6.0);
            assert!(value.is_finite() && value < before && by_gain > 0.0 && by_scale == 0.0, "{gain}");
            before = value;
        }
        assert_eq!(
            (expected(2.0, 0.0, 3.0), expected(-2.0, 0.0, 3.0), probability(0.0, 0.0, 3.0)),
            (2.0, 0.0, 0.5)
        );
    }

    #[test]
    fn the_bound_is_as_safe_as_that_of_the_normal() {
        for freedom in [2.5f64, 7.0, 50.0] {
            for beta in [0.5, 1.5, 3.0] {
                let q = width(beta, freedom);
                assert!(q > beta && (student::cdf(-q, freedom) / normal::cdf(-beta) - 1.0).abs() < 1e-12);
                let prediction = Prediction { mean: 0.4, variance: 0.09 };
                let value = score(Rule::Bound { beta }, prediction, 0.0, freedom);
                assert_eq!(value, Ok(bound::score(0.4, prediction.deviation(), q)));
            }
        }
        assert_eq!(width(0.0, 4.0), 0.0);
        assert!(width(60.0f64, 3.0).is_finite() && width(60.0f32, 3.0).is_finite());
    }

    #[test]
    fn nothing_gives_nan_and_too_few_are_refused() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 0.0, 1e-300, -1.0];
        for rule in RULES {
            for mean in odd {
                for variance in odd {
                    for best in odd {
                        for freedom in [1.5, 8.0, 1e5] {
                            let (a, b, c) =
                                score_gradient(rule, Prediction { mean, variance }, best, freedom).unwrap();
                            assert!(
                                !(a.is_nan() || b.is_nan() || c.is_nan()),
                                "{rule:?} {mean} {variance} {best}"
                            );
                        }
                    }
                }
            }
            for freedom in [f64::NAN, -1.0, 0.0] {
                let prediction = Prediction { mean: 0.0, variance: 1.0 };
                assert_eq!(score(rule, prediction, 0.0, freedom), Err(Error::Unsupported));
            }
        }
        let prediction = Prediction { mean: 0.0, variance: 1.0 };
        assert_eq!(score(RULES[1], prediction, 0.0, 1.0), Err(Error::Unsupported));
        assert!(score(RULES[0], prediction, 0.0, 1.0).is_ok());
    }
}
