//! The range of several standard normal draws: the studentised range with infinitely many degrees of freedom.

use super::normal;
use crate::real::Real;

/// The probability that the largest of `count` standard normal draws is more than `width` above the smallest.
///
/// ```text
/// P(range > w) = k ∫ φ(z)·(Φ(z)ᵏ⁻¹ − (Φ(z) − Φ(z − w))ᵏ⁻¹) dz
/// ```
///
/// The integrand is entire and falls like a normal density, so that equal steps of 1/16 converge beyond the scalar's
/// precision; the difference of powers is taken without cancellation, so that small probabilities keep their relative
/// accuracy, about k·64 ε. NaN for fewer than two draws or a negative or undefined width. Cost: 900 evaluations of Φ,
/// twice.
///
/// # References
/// Copenhaver and Holland, *Computation of the distribution of the maximum studentized range statistic*, Journal of
/// Statistical Computation and Simulation 30(1), 1988, equation 2.
pub(crate) fn survival<R: Real>(width: R, count: u32) -> R {
    if count < 2 || width.is_nan() || width < R::ZERO {
        return R::NAN;
    }
    if width > R::of(WIDEST) {
        return R::ZERO;
    }
    let power = R::of(f64::from(count - 1));
    let mut sum = R::ZERO;
    for i in -160..=720 {
        let z = R::of(f64::from(i) * STEP);
        // ln Φ above zero from its small complement, so that powers of it keep their digits.
        let log_below = normal::log_cdf(z);
        let between = (normal::log_cdf(z - width) - log_below).exp();
        let lost = -(power * (-between).ln_1p()).exp_m1();
        sum += (normal::log_density(z) + power * log_below).exp() * lost;
    }
    (sum * R::of(STEP) * (power + R::ONE)).clamp(R::ZERO, R::ONE)
}

/// The width that `count` draws exceed with probability `tail`; NaN unless 0 < tail < 1 and count ≥ 2.
///
/// Bisection down to two neighbours. Cost: at most 64 evaluations of [`survival`]: some milliseconds.
pub(crate) fn quantile<R: Real>(tail: R, count: u32) -> R {
    if count < 2 || !(tail > R::ZERO && tail < R::ONE) {
        return R::NAN;
    }
    let (mut lo, mut hi) = (R::ZERO, R::of(WIDEST));
    for _ in 0..64 {
        let middle = R::HALF * (lo + hi);
        if middle <= lo || middle >= hi {
            break;
        }
        if survival(middle, count) > tail {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    R::HALF * (lo + hi)
}

/// Step of the quadrature.
const STEP: f64 = 1.0 / 16.0;
/// No probability of a wider range is a normal number.
const WIDEST: f64 = 55.0;

#[cfg(test)]
mod tests {
    use super::{quantile, survival};
    use crate::real::Real;
    use crate::stats::normal;

    /// The difference of two draws is normal with deviation √2; of three, P is an integral that a finer rule repeats.
    fn two_draws<R: Real>() {
        for width in [0.0, 0.1, 1.0, 2.77, 6.0, 12.0] {
            let expected = 2.0 * normal::cdf(-R::of(width).to_f64() / core::f64::consts::SQRT_2);
            let ours = survival(R::of(width), 2).to_f64();
            assert!(
                (ours - expected).abs() <= 512.0 * R::EPSILON.to_f64() * expected,
                "{width} {ours} {expected}"
            );
        }
    }

    #[test]
    fn two_draws_are_a_difference() {
        two_draws::<f64>();
        two_draws::<f32>();
    }

    /// The printed table of the Nemenyi test at 0.05: q/√2.
    #[test]
    fn printed_table() {
        for (count, q) in [(4, 2.569), (6, 2.850), (8, 3.031), (10, 3.164), (11, 3.219), (16, 3.426)] {
            let ours = quantile(0.05, count) / core::f64::consts::SQRT_2;
            assert!((ours - q).abs() < 5.1e-4, "{count} {ours}");
            assert!((survival(quantile(0.05, count), count) - 0.05).abs() < 1e-13);
            assert!((quantile(0.05f32, count) - quantile(0.05, count) as f32).abs() < 1e-4);
        }
    }

    /// A rule that shares nothing but the integrand: Simpson's on the distribution itself.
    #[test]
    fn another_rule() {
        for (width, count) in [(0.5, 3u32), (3.0, 5), (4.5, 30), (7.0, 200)] {
            let n = 40_000;
            let h = 20.0 / f64::from(n);
            let mut sum = 0.0;
            for i in 0..=n {
                let z = -10.0 + h * f64::from(i);
                let weight = if i == 0 || i == n {
                    1.0
                } else if i % 2 == 1 {
                    4.0
                } else {
                    2.0
                };
                let part: f64 = normal::cdf(z) - normal::cdf(z - width);
                sum += weight * normal::density(z) * part.powi(count as i32 - 1);
            }
            let expected = 1.0 - f64::from(count) * sum * h / 3.0;
            assert!((survival(width, count) - expected).abs() < 1e-11, "{width} {count}");
        }
    }

    #[test]
    fn nonsense_gives_nan() {
        assert!(survival(1.0, 1).is_nan() && survival(f64::NAN, 3).is_nan() && survival(-1.0, 3).is_nan());
        assert_eq!((survival(f64::INFINITY, 3), survival(0.0, 3)), (0.0, 1.0));
        for tail in [0.0, 1.0, f64::NAN] {
            assert!(quantile(tail, 3).is_nan());
        }
        assert!(quantile(0.1, 0).is_nan());
    }
}
