//! The lower confidence bound.

use crate::real::Real;

/// The confidence bound as a score.
///
/// ```text
/// −(m − β·s) = β·s − m
/// ```
///
/// It is limited to the finite numbers, and the lowest of them if it is not a number. β multiplies the deviation itself;
/// the second reference writes √β for it.
///
/// # References
/// Cox and John, *A Statistical Method for Global Optimization*, 1992. Srinivas, Krause, Kakade and Seeger, *Gaussian
/// Process Optimization in the Bandit Setting*, 2010, equation 6.
pub(crate) fn score<R: Real>(mean: R, deviation: R, beta: R) -> R {
    // No deviation is no deviation, even with an infinite β.
    let width = if deviation == R::ZERO { R::ZERO } else { beta * deviation };
    (width - mean).clamp(-R::MAX, R::MAX)
}

/// The score with its derivatives by −m and by s: 1 and β.
pub(super) fn score_gradient<R: Real>(mean: R, deviation: R, beta: R) -> (R, R, R) {
    let score = score(mean, deviation, beta);
    if mean.is_nan() || beta.is_nan() { (score, R::ZERO, R::ZERO) } else { (score, R::ONE, beta) }
}

/// The β that grows with the number of trials, slowly enough for a regret that vanishes.
///
/// ```text
/// β(t) = √(2·ln(t^(d/2 + 2)·π²/(3δ)))
/// ```
///
/// `trial` counts from 1 (0 is taken as 1), `dims` is d, and 1 − `delta` is the probability with which the bound on the
/// regret holds; it is moved into (0, 1].
///
/// # References
/// Srinivas, Krause, Kakade and Seeger, 2010, theorem 2; in this form Brochu, Cora and de Freitas, *A Tutorial on
/// Bayesian Optimization of Expensive Cost Functions*, 2010, section 2.3.
#[must_use]
pub fn schedule<R: Real>(trial: u64, dims: usize, delta: R) -> R {
    let delta = delta.clamp(R::MIN_POSITIVE, R::ONE);
    let power = R::HALF * R::of_usize(dims) + R::TWO;
    // As a sum of logarithms, since the power soon overflows.
    let log = power * R::of(trial.max(1) as f64).ln() + R::of(PI_SQUARED_THIRD).ln() - delta.ln();
    (R::TWO * log).sqrt()
}

/// π²/3
const PI_SQUARED_THIRD: f64 = 3.289_868_133_696_453;

#[cfg(test)]
mod tests {
    use super::schedule;

    #[test]
    fn the_schedule_is_the_formula() {
        let formula = |t: f64, d: f64, delta: f64| {
            (2.0 * (t.powf(d / 2.0 + 2.0) * core::f64::consts::PI.powi(2) / (3.0 * delta)).ln()).sqrt()
        };
        for t in [1u64, 2, 10, 1000] {
            for d in [1usize, 2, 10] {
                for delta in [0.01, 0.1, 1.0] {
                    let expected = formula(t as f64, d as f64, delta);
                    assert!((schedule(t, d, delta) - expected).abs() < 1e-14 * expected);
                    let single = schedule(t, d, delta as f32);
                    assert!((f64::from(single) - expected).abs() < 1e-6 * expected);
                }
            }
        }
        assert_eq!(schedule(0, 3, 0.1), schedule(1, 3, 0.1));
        for delta in [f64::NAN, -1.0, 0.0, 7.0, f64::INFINITY] {
            assert!(schedule(u64::MAX, 1000, delta).is_finite());
        }
    }
}
