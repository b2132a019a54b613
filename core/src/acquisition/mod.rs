//! How much a trial is worth, before it is made.
//!
//! A surrogate predicts the mean m and the deviation s of the function at a point, and b is the best (lowest) value so
//! far. A score is larger where a trial is more worthwhile:
//!
//! ```text
//! Probability     Φ(z)                 z = (b − margin − m)/s
//! Improvement     s·h(z)               h(z) = φ(z) + z·Φ(z)
//! LogImprovement  ln s + ln h(z)
//! Bound           β·s − m
//! Generalised     sᵍ·H_g(z)            H_g(z) = E[max(z + x, 0)^g],  x standard normal
//! LogMgf          ln Φ(z + t·s) + t·(b − m − 1) + t²s²/2
//! Deviation       s
//! Noisy           s·h(z)·(1 − σ/√(s² + σ²))
//! ```
//!
//! [`cooling`] lowers a temperature with the trials, and [`eliminate`] tells which points need no trial any more.

pub mod bound;
pub mod cooling;
pub mod deviation;
pub mod eliminate;
pub mod generalised;
pub mod improvement;
pub mod mgf;
pub mod noisy;
pub mod student;

use crate::error::Error;
use crate::real::Real;

/// What a surrogate says about the function at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction<R> {
    /// The mean.
    pub mean: R,
    /// The variance of the function itself, without the noise of a trial.
    pub variance: R,
}

impl<R: Real> Prediction<R> {
    /// The standard deviation; 0 if the variance is negative or NaN, as rounding can make it where the function is
    /// known.
    #[inline]
    #[must_use]
    pub fn deviation(&self) -> R {
        if self.variance > R::ZERO { self.variance.sqrt() } else { R::ZERO }
    }
}

/// A rule that scores a prediction against the best value so far. We minimise.
///
/// No score and no derivative is NaN: a prediction that is not a number has the lowest score of its rule and a slope
/// of 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Acquisition<R> {
    /// The probability of improving by more than the margin; see [`improvement::probability`].
    Probability {
        /// What counts as an improvement, in units of the values.
        margin: R,
    },
    /// The expected improvement beyond the margin; see [`improvement::expected`].
    Improvement {
        /// What is taken off every improvement, in units of the values.
        margin: R,
    },
    /// The logarithm of the expected improvement, which does not go flat far from the best; see
    /// [`improvement::log_expected`].
    LogImprovement {
        /// What is taken off every improvement, in units of the values.
        margin: R,
    },
    /// The lower confidence bound, with its sign changed; see [`bound::score`].
    Bound {
        /// How many deviations below the mean.
        beta: R,
    },
    /// The expected power of the improvement; see [`generalised::expected`].
    Generalised {
        /// The power: 0 is the probability, 1 the expectation, the most [`generalised::MAX_ORDER`].
        order: u32,
    },
    /// The logarithm of the moment-generating function of improvement; see [`mgf::log`].
    LogMgf {
        /// How much a large improvement counts that is unlikely; 0 is the logarithm of the probability.
        temperature: R,
    },
    /// The largest deviation, which is the largest variance and the most entropy; see [`deviation::score`].
    Deviation,
    /// The augmented expected improvement, for noisy values; see [`noisy::expected`].
    Noisy {
        /// Standard deviation of the noise of a trial, in units of the values.
        noise: R,
    },
}

impl<R: Real> Acquisition<R> {
    /// The score: larger is better.
    #[must_use]
    pub fn score(&self, prediction: Prediction<R>, best: R) -> R {
        let (mean, deviation) = (prediction.mean, prediction.deviation());
        match *self {
            Self::Probability { margin } => improvement::probability(best - margin - mean, deviation),
            Self::Improvement { margin } => improvement::expected(best - margin - mean, deviation),
            Self::LogImprovement { margin } => improvement::log_expected(best - margin - mean, deviation),
            Self::Bound { beta } => bound::score(mean, deviation, beta),
            Self::Generalised { order } => generalised::expected(best - mean, deviation, order),
            Self::LogMgf { temperature } => mgf::log(best - mean, deviation, temperature),
            Self::Deviation => deviation::score(mean, deviation),
            Self::Noisy { noise } => noisy::expected(best - mean, deviation, noise),
        }
    }

    /// The score with its derivatives by the mean and by the standard deviation.
    #[must_use]
    pub fn score_gradient(&self, prediction: Prediction<R>, best: R) -> (R, R, R) {
        let (mean, deviation) = (prediction.mean, prediction.deviation());
        let (score, by_gain, by_deviation) = match *self {
            Self::Probability { margin } => {
                improvement::probability_gradient(best - margin - mean, deviation)
            }
            Self::Improvement { margin } => improvement::expected_gradient(best - margin - mean, deviation),
            Self::LogImprovement { margin } => {
                improvement::log_expected_gradient(best - margin - mean, deviation)
            }
            Self::Bound { beta } => bound::score_gradient(mean, deviation, beta),
            Self::Generalised { order } => generalised::expected_gradient(best - mean, deviation, order),
            Self::LogMgf { temperature } => mgf::log_gradient(best - mean, deviation, temperature),
            Self::Deviation => deviation::score_gradient(mean, deviation),
            Self::Noisy { noise } => noisy::expected_gradient(best - mean, deviation, noise),
        };
        (score, -by_gain, by_deviation)
    }

    /// The score of a prediction with its derivatives in x, from those of the mean and of the variance.
    ///
    /// ```text
    /// ∂a = ∂a/∂m ∂m + ∂a/∂s ∂s,   ∂s = ∂s²/(2s)
    /// ```
    pub(crate) fn chain(
        &self,
        prediction: Prediction<R>,
        best: R,
        mean_gradient: &[R],
        variance_gradient: &[R],
        out: &mut [R],
    ) -> R {
        let (value, by_mean, by_deviation) = self.score_gradient(prediction, best);
        let half = R::HALF / prediction.variance.sqrt().max(R::MIN_POSITIVE.sqrt());
        for ((out, &m), &v) in out.iter_mut().zip(mean_gradient).zip(variance_gradient) {
            *out = by_mean * m + by_deviation * half * v;
        }
        value
    }

    /// The scores of many predictions.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many means and variances as scores; nothing is written.
    pub fn scores(&self, means: &[R], variances: &[R], best: R, out: &mut [R]) -> Result<(), Error> {
        if means.len() != out.len() || variances.len() != out.len() {
            return Err(Error::Shape { needed: out.len() });
        }
        for ((out, &mean), &variance) in out.iter_mut().zip(means).zip(variances) {
            *out = self.score(Prediction { mean, variance }, best);
        }
        Ok(())
    }

    /// The same rule in another scalar.
    #[must_use]
    pub fn cast<S: Real>(&self) -> Acquisition<S> {
        let same = |value: R| S::of(value.to_f64());
        match *self {
            Self::Probability { margin } => Acquisition::Probability { margin: same(margin) },
            Self::Improvement { margin } => Acquisition::Improvement { margin: same(margin) },
            Self::LogImprovement { margin } => Acquisition::LogImprovement { margin: same(margin) },
            Self::Bound { beta } => Acquisition::Bound { beta: same(beta) },
            Self::Generalised { order } => Acquisition::Generalised { order },
            Self::LogMgf { temperature } => Acquisition::LogMgf { temperature: same(temperature) },
            Self::Deviation => Acquisition::Deviation,
            Self::Noisy { noise } => Acquisition::Noisy { noise: same(noise) },
        }
    }

    /// The number of the rule, fixed for ever, and its parameter, 0 if it has none: what is written when it is saved.
    #[must_use]
    pub fn code(&self) -> (u64, R) {
        match *self {
            Self::Probability { margin } => (1, margin),
            Self::Improvement { margin } => (2, margin),
            Self::LogImprovement { margin } => (3, margin),
            Self::Bound { beta } => (4, beta),
            Self::Generalised { order } => (5, R::of(f64::from(order))),
            Self::LogMgf { temperature } => (6, temperature),
            Self::Deviation => (7, R::ZERO),
            Self::Noisy { noise } => (8, noise),
        }
    }

    /// The rule with this number and this parameter.
    ///
    /// # Errors
    /// [`Error::Config`] if no rule has the number, the parameter is not finite, is negative (a margin may be), is not a
    /// whole number up to [`generalised::MAX_ORDER`] if it is an order, or is not 0 if the rule has none.
    pub fn from_code(code: u64, value: R) -> Result<Self, Error> {
        let rule = match code {
            1 => Self::Probability { margin: value },
            2 => Self::Improvement { margin: value },
            3 => Self::LogImprovement { margin: value },
            4 if value >= R::ZERO => Self::Bound { beta: value },
            5 => Self::Generalised { order: generalised::order(value).ok_or(Error::Config)? },
            6 if value >= R::ZERO => Self::LogMgf { temperature: value },
            7 if value == R::ZERO => Self::Deviation,
            8 if value >= R::ZERO => Self::Noisy { noise: value },
            _ => return Err(Error::Config),
        };
        if value.is_finite() { Ok(rule) } else { Err(Error::Config) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Acquisition, Prediction};
    use crate::error::Error;

    type Rule = Acquisition<f64>;

    const RULES: [Rule; 8] = [
        Rule::Probability { margin: 0.01 },
        Rule::Improvement { margin: 0.01 },
        Rule::LogImprovement { margin: 0.01 },
        Rule::Bound { beta: 1.5 },
        Rule::Generalised { order: 2 },
        Rule::LogMgf { temperature: 1.5 },
        Rule::Deviation,
        Rule::Noisy { noise: 0.3 },
    ];

    /// Other parameters of the same rules: ends of their ranges, and what only a range test would refuse.
    const MORE: [Rule; 18] = [
        Rule::Improvement { margin: f64::NAN },
        Rule::Bound { beta: f64::INFINITY },
        Rule::LogImprovement { margin: f64::INFINITY },
        Rule::Generalised { order: 0 },
        Rule::Generalised { order: 1 },
        Rule::Generalised { order: 3 },
        Rule::Generalised { order: 20 },
        Rule::Generalised { order: u32::MAX },
        Rule::LogMgf { temperature: 0.0 },
        Rule::LogMgf { temperature: 1e-300 },
        Rule::LogMgf { temperature: 22.36 },
        Rule::LogMgf { temperature: f64::MAX },
        Rule::LogMgf { temperature: f64::NAN },
        Rule::LogMgf { temperature: f64::INFINITY },
        Rule::Noisy { noise: 0.0 },
        Rule::Noisy { noise: f64::MAX },
        Rule::Noisy { noise: f64::NAN },
        Rule::Noisy { noise: -1.0 },
    ];

    /// τ, μ, σ, PI, EI, UCB with β = 1.5 and 2.5, of pyGPGO 0.5.1, which maximises, with
    /// γ = (μ − τ − ε)/(σ + ε), PI = Φ(γ), EI = (μ − τ)·Φ(γ) + σ·φ(γ), ε = 10⁻⁶.
    #[test]
    fn agrees_with_pygpgo() {
        #[rustfmt::skip]
        let table = [
            [0.0, -1.5, 0.1, 3.678_717_250_902_484e-51, 2.426_019_659_948_259_2e-53, -1.35, -1.25],
            [0.0, -0.2, 0.5, 0.344_577_816_466_497_4, 0.115_219_418_473_593_9, 0.55, 1.05],
            [0.0, 0.0, 2.0, 0.499_999_800_528_959_54, 0.797_884_560_802_765_7, 3.0, 5.0],
            [0.0, 2.0, 0.1, 1.0, 2.0, 2.15, 2.25],
            [0.7, -1.5, 0.5, 5.412_713_518_706_746_5e-6, 5.636_390_477_899_758e-7, -0.75, -0.25],
            [0.7, -0.2, 2.0, 0.326_355_121_143_061_1, 0.427_334_226_664_140_67, 2.8, 4.8],
            [0.7, 0.6, 0.1, 0.158_655_253_931_457_07, 0.008_331_547_058_768_637, 0.75, 0.85],
            [0.7, 2.0, 0.5, 0.995_338_714_178_183, 1.300_731_940_185_832_6, 2.75, 3.25],
            [-1.2, -1.5, 2.0, 0.440_382_139_976_131, 0.656_843_969_526_779_4, 1.5, 3.5],
            [-1.2, 0.0, 0.1, 1.0, 1.2, 0.150_000_000_000_000_02, 0.25],
            [-1.2, 0.6, 0.5, 0.999_840_885_780_262_8, 1.800_019_555_502_760_3, 1.35, 1.85],
            [-1.2, 2.0, 2.0, 0.945_200_564_103_279, 3.246_483_935_920_138, 5.0, 7.0],
        ];
        let e = 1e-6;
        for [tau, mu, sigma, probability, expected, bound, wide] in table {
            let shifted = Prediction { mean: -mu, variance: (sigma + e) * (sigma + e) };
            let plain = Prediction { mean: -mu, variance: sigma * sigma };
            // Its Φ is good to a few ulp, which (μ − τ)·Φ + σ·φ magnifies by (μ − τ)·Φ/EI < 300 here.
            let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b.abs() + 1e-300, "{a:e} {b:e}");
            let (pi, by_mean, _) = Rule::Probability { margin: e }.score_gradient(shifted, -tau);
            close(pi, probability);
            // The two read γ with and the rest without ε; φ(γ) is −(σ + ε)·∂PI/∂μ.
            let density = -by_mean * (sigma + e);
            close(Rule::Improvement { margin: e }.score(shifted, -tau) + e * pi - e * density, expected);
            close(Rule::Bound { beta: 1.5 }.score(plain, -tau), bound);
            close(Rule::Bound { beta: 2.5 }.score(plain, -tau), wide);
        }
    }

    /// μ, σ, τ, PI, EI of a maximiser, from the published formulas.
    #[test]
    fn agrees_with_golden_values() {
        let table = [
            [0.0, 1.0, 1.96, 0.024_997_895_148, 0.009_445_069_843],
            [0.5, 0.2, 0.4, 0.691_462_461_274, 0.139_559_311_480],
            [1.0, 0.3, 1.0, 0.5, 0.119_682_684_120],
            [2.0, 1e-9, 1.0, 1.0, 1.0],
            [0.0, 1e-9, 1.0, 0.0, 0.0],
        ];
        for [mu, sigma, tau, probability, expected] in table {
            let prediction = Prediction { mean: -mu, variance: sigma * sigma };
            // Half a unit of the twelfth decimal of the table.
            assert!((Rule::Probability { margin: 0.0 }.score(prediction, -tau) - probability).abs() < 6e-13);
            assert!((Rule::Improvement { margin: 0.0 }.score(prediction, -tau) - expected).abs() < 6e-13);
        }
    }

    /// Central differences of each score by mean and deviation.
    #[test]
    fn gradients_are_derivatives() {
        let more = MORE.into_iter().filter(|rule| rule.code().1.abs() < 1e3 && *rule != MORE[17]);
        for rule in RULES.into_iter().chain(more) {
            for mean in [-2.0, -0.3, 0.2, 0.29, 0.5, 1.0, 3.0] {
                for sd in [0.05, 0.3, 1.0, 4.0] {
                    let at = |mean: f64, sd: f64| rule.score(Prediction { mean, variance: sd * sd }, 0.3);
                    let (score, by_mean, by_sd) =
                        rule.score_gradient(Prediction { mean, variance: sd * sd }, 0.3);
                    assert_eq!(score, at(mean, sd));
                    // The third derivatives are of the order (1 + z² + g)³/σ³ times the score or 1.
                    let step = 1e-5 * sd;
                    let z = (0.3 - mean) / sd;
                    let power = if let Rule::Generalised { order } = rule { f64::from(order) } else { 0.0 };
                    let bound = 1e-9 * (1.0 + z * z + power).powi(3) * (1.0 + score.abs()) / sd;
                    let mean_slope = (at(mean + step, sd) - at(mean - step, sd)) / (2.0 * step);
                    let sd_slope = (at(mean, sd + step) - at(mean, sd - step)) / (2.0 * step);
                    let bound = bound.min(1e-5 * (by_mean.abs() + by_sd.abs()) + 1e-10);
                    assert!((mean_slope - by_mean).abs() < bound, "{rule:?} {mean} {sd}");
                    assert!((sd_slope - by_sd).abs() < bound, "{rule:?} {mean} {sd}");
                }
            }
        }
    }

    #[test]
    fn a_lower_mean_is_never_worse() {
        for rule in RULES {
            for variance in [f64::NAN, -1.0, 0.0, 1e-320, 1e-20, 1.0, 1e20, f64::INFINITY] {
                let mut before = f64::INFINITY;
                for i in -60..60 {
                    let prediction = Prediction { mean: f64::from(i) / 7.0, variance };
                    let (score, by_mean, by_sd) = rule.score_gradient(prediction, 0.3);
                    assert_eq!(score, rule.score(prediction, 0.3));
                    assert!(score <= before, "{rule:?} {variance} {i}");
                    assert!(by_mean <= 0.0 && !by_sd.is_nan(), "{rule:?} {variance} {i}");
                    before = score;
                }
            }
        }
    }

    #[test]
    fn nothing_gives_nan() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 0.0, 1e-300, -1.0];
        for rule in RULES.into_iter().chain(MORE) {
            for mean in odd {
                for variance in odd {
                    for best in odd {
                        let (a, b, c) = rule.score_gradient(Prediction { mean, variance }, best);
                        assert!(
                            !(a.is_nan() || b.is_nan() || c.is_nan()),
                            "{rule:?} {mean} {variance} {best}"
                        );
                        assert_eq!(a, rule.score(Prediction { mean, variance }, best));
                        let single = Prediction { mean: mean as f32, variance: variance as f32 };
                        let (a, b, c) = rule.cast::<f32>().score_gradient(single, best as f32);
                        assert!(
                            !(a.is_nan() || b.is_nan() || c.is_nan()),
                            "{rule:?} {mean} {variance} {best}, in f32"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn batches_are_single_scores() {
        let (means, variances, mut out) = ([0.1, 0.2, f64::NAN], [1.0, 0.0, 2.0], [7.0; 3]);
        for rule in RULES {
            rule.scores(&means, &variances, 0.15, &mut out).unwrap();
            for i in 0..3 {
                assert_eq!(out[i], rule.score(Prediction { mean: means[i], variance: variances[i] }, 0.15));
            }
        }
        let mut short = [7.0; 2];
        assert_eq!(RULES[0].scores(&means, &variances, 0.0, &mut short), Err(Error::Shape { needed: 2 }));
        assert_eq!(short, [7.0; 2]);
    }

    /// Every number, once. A removed rule keeps its number here as reserved.
    #[test]
    fn codes_are_pinned() {
        for (i, rule) in RULES.iter().enumerate() {
            let (code, value) = rule.code();
            assert_eq!(code, i as u64 + 1);
            assert_eq!(Rule::from_code(code, value), Ok(*rule));
        }
        for (code, value) in [
            (0, 0.0),
            (9, 0.0),
            (1, f64::NAN),
            (4, -1.0),
            (4, f64::INFINITY),
            (5, -1.0),
            (5, 1.5),
            (5, 21.0),
            (5, f64::NAN),
            (6, -1.0),
            (6, f64::INFINITY),
            (7, 1.0),
            (7, f64::NAN),
            (8, -1.0),
            (8, f64::NAN),
        ] {
            assert_eq!(Rule::from_code(code, value), Err(Error::Config));
        }
        for order in 0..=20 {
            assert_eq!(Rule::from_code(5, f64::from(order)), Ok(Rule::Generalised { order }));
        }
    }
}
