//! Every rule against differences, its limits and its numbers; the values are those of `tests/oracle/acquisitions.txt`.

use super::{self as acquisition, Acquisition, Prediction, student};
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
                    assert!(!(a.is_nan() || b.is_nan() || c.is_nan()), "{rule:?} {mean} {variance} {best}");
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
        (acquisition::Rule::ALL.len() as u64 + 1, 0.0),
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

#[test]
fn names_are_those_of_the_members() {
    for &rule in acquisition::Rule::ALL {
        let words: std::string::String = rule.name().split('_').collect();
        assert_eq!(words, std::format!("{rule:?}").to_lowercase());
    }
}

#[test]
fn the_rules_with_a_student_form_are_those_of_their_rows() {
    let at = Prediction { mean: 0.3, variance: 0.04 };
    for &rule in acquisition::Rule::ALL {
        let one = Rule::from_code(rule.code(), 0.0).unwrap();
        assert_eq!(one.rule(), rule);
        let found = student::score(one, at, 0.2, 1e6);
        let Some(_) = rule.student() else {
            assert_eq!(found, Err(Error::Unsupported), "{rule:?}");
            continue;
        };
        // A million degrees of freedom are as good as infinitely many: the form is that of the rule.
        assert!((found.unwrap() - one.score(at, 0.2)).abs() < 1e-5, "{rule:?}: its form in its row");
    }
}
