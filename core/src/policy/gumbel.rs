//! The Gumbel approximation of the lowest of many predictions, as if they were independent.

use crate::real::Real;
use crate::stats::normal;

/// Place and scale of y* = place + scale·ln E, E exponential, through the quartiles of the minimum of independent normals.
///
/// ```text
/// P(y* > y) = Π Φ((mᵢ − y)/sᵢ),   P(place + scale·ln E > y) = exp(−exp((y − place)/scale))
/// ```
pub(super) fn fit<R: Real>(means: &[R], deviations: &[R]) -> (R, R) {
    let (mut low, mut high) = (R::INFINITY, R::INFINITY);
    for (&m, &s) in means.iter().zip(deviations) {
        // The minimum is below every m + 5 s, and below all m − 9 s with a probability near 0 for any count.
        low = low.min(m - R::of(9.0) * s);
        high = high.min(m + R::of(5.0) * s);
    }
    let quantile = |log_above: f64| {
        let (mut lo, mut hi) = (low, high);
        for _ in 0..STEPS {
            let middle = R::HALF * (lo + hi);
            let mut sum = R::ZERO;
            for (&m, &s) in means.iter().zip(deviations) {
                let z = (m - middle) / s;
                sum += if z.is_finite() {
                    normal::log_cdf(z)
                } else if m > middle {
                    R::ZERO
                } else {
                    -R::MAX
                };
            }
            if sum > R::of(log_above) {
                lo = middle;
            } else {
                hi = middle;
            }
        }
        R::HALF * (lo + hi)
    };
    // exp(−exp(t)) = p at t = ln(−ln p): the quartiles are 1.5725 apart.
    let (upper, lower) = (quantile(LN_QUARTER), quantile(LN_THREE_QUARTERS));
    let scale = (upper - lower) / R::of(LOG_LOG_QUARTER - LOG_LOG_THREE_QUARTERS);
    (upper - scale * R::of(LOG_LOG_QUARTER), scale)
}

/// Bisections of a quantile.
const STEPS: u32 = 60;
const LN_QUARTER: f64 = -1.386_294_361_119_890_6;
const LN_THREE_QUARTERS: f64 = -0.287_682_072_451_780_9;
/// ln(−ln ¼)
const LOG_LOG_QUARTER: f64 = 0.326_634_259_978_281;
/// ln(−ln ¾)
const LOG_LOG_THREE_QUARTERS: f64 = -1.245_899_323_707_237_7;

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::fit;
    use crate::rng::{self, Generator};
    use crate::stats::normal;

    /// Many independent normals: the quartiles of the fit are those of the minimum, and of 10⁵ draws.
    #[test]
    fn gumbel_has_the_quartiles_of_the_minimum() {
        let n = 40usize;
        let means: Vec<f64> = (0..n).map(|i| (i % 7) as f64 * 0.1).collect();
        let deviations: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64 * 0.2).collect();
        let (place, scale) = fit(&means, &deviations);
        for p in [0.25, 0.75] {
            let y = place + scale * (-f64::ln(p)).ln();
            let above: f64 = (0..n).map(|i| normal::cdf((means[i] - y) / deviations[i])).product();
            assert!((above - p).abs() < 1e-12);
        }
        let generator = &mut Generator::new(5);
        let mut below = 0.0;
        let median = place + scale * core::f64::consts::LN_2.ln();
        for _ in 0..100_000 {
            let draw = (0..n).map(|i| means[i] + deviations[i] * rng::normal::<f64, _>(generator));
            below += f64::from(draw.fold(f64::INFINITY, f64::min) < median);
        }
        // The median is not fitted: it is off by a few thousandths.
        assert!((below / 1e5 - 0.5).abs() < 0.01 + 4.0 * 0.5 / 1e5f64.sqrt());
        let (place, scale) = fit(&[1.0f64, 2.0], &[0.0, 0.0]);
        assert!((place - 1.0).abs() < 1e-9 && scale.abs() < 1e-9);
        let (place, scale) = fit(&[0.0f32], &[1.0]);
        assert!(place.is_finite() && scale > 0.0);
    }
}
