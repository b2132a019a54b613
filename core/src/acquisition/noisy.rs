//! Augmented expected improvement of a noisy function: what another trial at a point would still teach.
//!
//! Here u = b − m is the gain if the mean comes true, s the deviation of the function itself, z = u/s, and σ that of the
//! noise of a trial. The best value of a noisy function is better taken from the model than from a lucky trial.

use super::improvement::{self, finite, standard};
use crate::real::Real;
use crate::stats::normal;

/// Augmented expected improvement: the expected gain times the share of the deviation that a trial would remove.
///
/// ```text
/// s·h(z)·(1 − σ/√(s² + σ²)) = s·h(z)/(w·(w + r)),   r = σ/s,  w = √(1 + r²)
/// ```
///
/// Without noise it is the expected gain. With noise it is 0 where s is.
///
/// # References
/// Huang, Allen, Notz and Zeng, *Global Optimization of Stochastic Black-Box Systems via Sequential Kriging
/// Meta-Models*, 2006.
pub(crate) fn expected<R: Real>(gain: R, deviation: R, noise: R) -> R {
    finite(improvement::expected(gain, deviation) * share(deviation, noise).0)
}

/// The augmented expectation with its derivatives by u and by s.
///
/// ```text
/// Φ(z)·f,   φ(z)·f + h(z)·r/w³,   f = 1/(w·(w + r))
/// ```
pub(super) fn expected_gradient<R: Real>(gain: R, deviation: R, noise: R) -> (R, R, R) {
    let (score, by_gain, by_deviation) = improvement::expected_gradient(gain, deviation);
    let (share, slope) = share(deviation, noise);
    // EI/s itself, for s is in the slope.
    let gained = match standard(gain, deviation) {
        Some(z) => normal::h(z),
        None => R::ZERO,
    };
    (finite(score * share), finite(by_gain * share), finite(by_deviation * share + gained * slope))
}

/// f, and s times its derivative by s.
fn share<R: Real>(deviation: R, noise: R) -> (R, R) {
    if noise == R::ZERO || deviation == R::INFINITY {
        return (R::ONE, R::ZERO);
    }
    let r = noise / deviation;
    let w = (R::ONE + r * r).sqrt();
    // So much noise that w and r are the same number; soon r² would overflow.
    if w.is_nan() || w > R::ONE / R::EPSILON / R::EPSILON {
        let inverse = finite(R::ONE / r);
        return (R::HALF * inverse * inverse, inverse * inverse);
    }
    (R::ONE / (w * (w + r)), r / w / w / w)
}

#[cfg(test)]
mod tests {
    use super::super::improvement::{self, tests::simpson};
    use super::{expected, expected_gradient};
    use crate::real::Real;

    #[test]
    fn agrees_with_quadrature() {
        for gain in [-3.0, -1.0, 0.0, 0.1, 4.0] {
            for deviation in [0.5, 1.0, 2.0] {
                for noise in [0.0, 0.01, 0.3, 1.0, 30.0] {
                    let from = f64::max(-gain / deviation, -12.0);
                    let mean = simpson(from, 12.0, |x| gain + deviation * x);
                    let share = 1.0 - noise / f64::hypot(deviation, noise);
                    let ours = expected(gain, deviation, noise);
                    assert!((ours / (mean * share) - 1.0).abs() < 1e-8, "{gain} {deviation} {noise}");
                }
            }
        }
    }

    fn tails<R: Real>() {
        let tail = improvement::expected(R::of(-8.0), R::ONE);
        for noise in [0.0f64, 1e-3, 1.0, 1e4] {
            // (1 − r/w) without its cancellation, in double precision.
            let w = (1.0 + noise * noise).sqrt();
            let value = tail.to_f64() / (w * (w + noise));
            let ours = expected(R::of(-8.0), R::ONE, R::of(noise)).to_f64();
            assert!((ours / value - 1.0).abs() < 8.0 * R::EPSILON.to_f64(), "{noise}: {ours} {value}");
        }
        // Much noise: s²/(2σ²) of it, and twice that over s as slope, where 1 − r/w is lost altogether.
        for noise in [1e5, 1e8, 1e12] {
            let (score, by_gain, by_deviation) = expected_gradient(R::ONE, R::ONE, R::of(noise));
            let near = |ours: R, value: f64| (ours.to_f64() * noise * noise / value - 1.0).abs() < 1e-6;
            let (h, cdf, density) =
                (1.083_315_470_587_686_4, 0.841_344_746_068_542_9, 0.241_970_724_519_143_34);
            assert!(near(score, 0.5 * h) && near(by_gain, 0.5 * cdf), "{noise}");
            assert!(near(by_deviation, 0.5 * density + h), "{noise}");
        }
    }

    #[test]
    fn much_noise_and_far_tails_keep_their_digits() {
        tails::<f64>();
        tails::<f32>();
        let far = expected(-30.0, 1.0, 1.0);
        assert!((far / improvement::expected(-30.0, 1.0) - (1.0 - 0.5f64.sqrt())).abs() < 1e-15);
    }

    #[test]
    fn the_ends_are_the_limits() {
        for gain in [-1.0, 0.0, 2.0] {
            for deviation in [0.0, 1e-3, 1.0] {
                assert_eq!(expected(gain, deviation, 0.0), improvement::expected(gain, deviation));
                assert_eq!(
                    expected_gradient(gain, deviation, 0.0),
                    improvement::expected_gradient(gain, deviation)
                );
            }
            // A trial where nothing is left to learn.
            assert_eq!(expected_gradient(gain, 0.0, 0.1), (0.0, 0.0, 0.0));
        }
    }
}
