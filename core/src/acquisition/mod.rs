//! Acquisition functions in closed form: how much a trial is worth, before it is made.
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
pub(crate) mod deviation;
pub mod eliminate;
pub mod generalised;
pub(crate) mod improvement;
pub(crate) mod mgf;
pub(crate) mod noisy;
mod schedule;
pub mod student;
#[cfg(test)]
mod tests;

pub use schedule::Schedule;

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
pub enum Acquisition<R> {
    /// The probability of improving by more than the margin; see `improvement::probability`.
    Probability {
        /// What counts as an improvement, in units of the values.
        margin: R,
    },
    /// The expected improvement beyond the margin; see `improvement::expected`.
    Improvement {
        /// What is taken off every improvement, in units of the values.
        margin: R,
    },
    /// The logarithm of the expected improvement, which does not go flat far from the best; see
    /// `improvement::log_expected`.
    LogImprovement {
        /// What is taken off every improvement, in units of the values.
        margin: R,
    },
    /// The lower confidence bound, with its sign changed; see `bound::score`.
    Bound {
        /// How many deviations below the mean.
        beta: R,
    },
    /// The expected power of the improvement; see [`generalised::expected`].
    Generalised {
        /// The power: 0 is the probability, 1 the expectation, the most [`generalised::MAX_ORDER`].
        order: u32,
    },
    /// The logarithm of the moment-generating function of improvement; see `mgf::log`.
    LogMgf {
        /// How much a large improvement counts that is unlikely; 0 is the logarithm of the probability.
        temperature: R,
    },
    /// The largest deviation, which is the largest variance and the most entropy; see `deviation::score`.
    Deviation,
    /// The augmented expected improvement, for noisy values; see `noisy::expected`.
    Noisy {
        /// Standard deviation of the noise of a trial, in units of the values.
        noise: R,
    },
}

impl<R> Acquisition<R> {
    /// Which rule it is.
    pub(crate) const fn rule(&self) -> Rule {
        match self {
            Self::Probability { .. } => Rule::Probability,
            Self::Improvement { .. } => Rule::Improvement,
            Self::LogImprovement { .. } => Rule::LogImprovement,
            Self::Bound { .. } => Rule::Bound,
            Self::Generalised { .. } => Rule::Generalised,
            Self::LogMgf { .. } => Rule::LogMgf,
            Self::Deviation => Rule::Deviation,
            Self::Noisy { .. } => Rule::Noisy,
        }
    }
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
        let parameter = match *self {
            Self::Probability { margin } => margin,
            Self::Improvement { margin } => margin,
            Self::LogImprovement { margin } => margin,
            Self::Bound { beta } => beta,
            Self::Generalised { order } => R::of(f64::from(order)),
            Self::LogMgf { temperature } => temperature,
            Self::Deviation => R::ZERO,
            Self::Noisy { noise } => noise,
        };
        (self.rule().code(), parameter)
    }

    /// The rule with this number and this parameter.
    ///
    /// # Errors
    /// [`Error::Config`] if no rule has the number, the parameter is not finite, is negative (a margin may be), is not a
    /// whole number up to [`generalised::MAX_ORDER`] if it is an order, or is not 0 if the rule has none.
    pub fn from_code(code: u64, value: R) -> Result<Self, Error> {
        let rule = Rule::of(code).filter(|rule| rule.allows(value)).ok_or(Error::Config)?;
        Ok(match rule {
            Rule::Probability => Self::Probability { margin: value },
            Rule::Improvement => Self::Improvement { margin: value },
            Rule::LogImprovement => Self::LogImprovement { margin: value },
            Rule::Bound => Self::Bound { beta: value },
            Rule::Generalised => Self::Generalised { order: generalised::order(value).ok_or(Error::Config)? },
            Rule::LogMgf => Self::LogMgf { temperature: value },
            Rule::Deviation => Self::Deviation,
            Rule::Noisy => Self::Noisy { noise: value },
        })
    }
}

/// Declares the rules with their rows.
macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $rule:ident = $code:literal, $name:literal, $kind:expr, $domain:expr, student: $student:expr;)+) => {
        /// Which closed form an [`Acquisition`] is; the numbers are part of the saved format and never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Rule {
            $($(#[doc = $doc])+ $rule = $code,)+
        }

        impl Rule {
            /// All of them, by their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$rule),+];

            /// The name, in lower case with underscores.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)+
                }
            }

            /// Its documentation: the formula, and what its parameter is.
            #[must_use]
            pub const fn doc(self) -> &'static str {
                match self {
                    $(Self::$rule => concat!($($doc, "\n"),+),)+
                }
            }

            /// The rule of this number, if there is one.
            const fn of(code: u64) -> Option<Self> {
                match code {
                    $($code => Some(Self::$rule),)+
                    _ => None,
                }
            }

            /// What its scores are.
            pub(crate) const fn kind(self) -> ScoreKind {
                match self {
                    $(Self::$rule => $kind,)+
                }
            }

            /// What its parameter may be.
            const fn domain(self) -> Domain {
                match self {
                    $(Self::$rule => $domain,)+
                }
            }

            /// Its form where the prediction is a Student distribution, if there is one: those of [`student`].
            const fn student(self) -> Option<StudentForm> {
                match self {
                    $(Self::$rule => $student,)+
                }
            }
        }
    };
}

rules! {
    /// The probability of improving by more than a margin, its parameter.
    Probability = 1, "probability", ScoreKind::Positive, Domain::Any, student: Some(StudentForm::Probability);
    /// The expected improvement beyond a margin, its parameter.
    Improvement = 2, "improvement", ScoreKind::Positive, Domain::Any, student: Some(StudentForm::Improvement);
    /// The logarithm of the expected improvement beyond a margin, its parameter. The default.
    LogImprovement = 3, "log_improvement", ScoreKind::Log, Domain::Any, student: Some(StudentForm::LogImprovement);
    /// The lower confidence bound, with its sign changed; its parameter is β, the deviations below the mean.
    Bound = 4, "bound", ScoreKind::Signed, Domain::NotNegative, student: Some(StudentForm::Bound);
    /// The expected power of the improvement; its parameter is the order, whole and 0 to 20: 1 is the expected improvement,
    /// more explores.
    Generalised = 5, "generalised", ScoreKind::Positive, Domain::Order, student: None;
    /// The logarithm of the moment-generating function of improvement; its parameter is the temperature, 0 or more.
    LogMgf = 6, "log_mgf", ScoreKind::Log, Domain::NotNegative, student: None;
    /// The deviation, wherever the mean is: the parameter must be 0.
    Deviation = 7, "deviation", ScoreKind::Positive, Domain::None, student: None;
    /// The augmented expected improvement of noisy values; its parameter is the deviation of the noise.
    Noisy = 8, "noisy", ScoreKind::Positive, Domain::NotNegative, student: None;
}

/// What the scores of a rule are, which decides how they are averaged and multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScoreKind {
    /// Logarithms of something.
    Log,
    /// 0 or more.
    Positive,
    /// Of any sign.
    Signed,
}

impl ScoreKind {
    pub(crate) fn of<R>(rule: &Acquisition<R>) -> Self {
        rule.rule().kind()
    }
}

/// A form of a rule for Student distributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StudentForm {
    Probability,
    Improvement,
    LogImprovement,
    Bound,
}

/// What the parameter of a rule may be, besides finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Domain {
    Any,
    NotNegative,
    /// A whole number up to [`generalised::MAX_ORDER`].
    Order,
    /// 0: there is none.
    None,
}

impl Rule {
    /// The number, fixed for ever.
    #[must_use]
    pub const fn code(self) -> u64 {
        self as u64
    }

    /// Whether the rule can have this parameter.
    fn allows<R: Real>(self, value: R) -> bool {
        value.is_finite()
            && match self.domain() {
                Domain::Any => true,
                Domain::NotNegative => value >= R::ZERO,
                Domain::Order => generalised::order(value).is_some(),
                Domain::None => value == R::ZERO,
            }
    }
}
