//! Region elimination by confidence bounds (branch and bound): which points need no trial any more.
//!
//! ```text
//! x can be ignored if   m(x) − q·s(x) > min over x′ of m(x′) + q·s(x′)
//! ```
//!
//! As long as the function stays within q deviations of the mean, its minimum is not at such a point. Nothing is decided
//! by it: it tells how much of a space is still open.
//!
//! # References
//! de Freitas, Smola and Zoghi, *Exponential Regret Bounds for Gaussian Process Bandits with Deterministic Observations*,
//! 2012.

use super::Prediction;
use crate::error::Error;
use crate::real::Real;

/// The lowest upper bound that these predictions give on the minimum, q deviations above their means; infinite if there
/// are none. What is not a number says nothing.
#[must_use]
fn ceiling<R: Real>(predictions: impl IntoIterator<Item = Prediction<R>>, q: R) -> R {
    let upper = predictions.into_iter().filter_map(|prediction| {
        let (_, upper) = band(prediction, q)?;
        Some(upper)
    });
    upper.fold(R::INFINITY, R::min)
}

/// Whether a point can be ignored, q deviations below its mean and still above the ceiling.
#[must_use]
fn ignorable<R: Real>(prediction: Prediction<R>, q: R, ceiling: R) -> bool {
    band(prediction, q).is_some_and(|(lower, _)| lower > ceiling)
}

/// Marks the points that can be ignored and returns the `ceiling` that they are above. Cost: two passes.
///
/// # Errors
/// [`Error::Shape`] if there are not as many means and variances as marks, [`Error::Config`] if q is negative or not
/// finite; nothing is written.
pub fn eliminate<R: Real>(means: &[R], variances: &[R], q: R, ignored: &mut [bool]) -> Result<R, Error> {
    if means.len() != ignored.len() || variances.len() != ignored.len() {
        return Err(Error::Shape { needed: ignored.len() });
    }
    Error::Config.when(!(q >= R::ZERO && q.is_finite()))?;
    let predictions = || means.iter().zip(variances).map(|(&mean, &variance)| Prediction { mean, variance });
    let ceiling = ceiling(predictions(), q);
    for (ignored, prediction) in ignored.iter_mut().zip(predictions()) {
        *ignored = ignorable(prediction, q, ceiling);
    }
    Ok(ceiling)
}

/// m − q·s and m + q·s, if they are numbers; an unknown deviation is not none.
fn band<R: Real>(prediction: Prediction<R>, q: R) -> Option<(R, R)> {
    let width = q * prediction.deviation();
    let (lower, upper) = (prediction.mean - width, prediction.mean + width);
    let known = !(prediction.variance.is_nan() || lower.is_nan() || upper.is_nan());
    known.then_some((lower, upper))
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::{ceiling, eliminate, ignorable};
    use crate::acquisition::Prediction;
    use crate::error::Error;
    use crate::linalg::{self, packed};

    /// sin at 0, 2π/3, 4π/3 and 2π, squared exponential of length 1, q = 1.96, on a grid of step 0.01: the source
    /// maximises, keeps [0.42, 3.39] and has the highest lower bound 0.858325 at 2.09. We minimise −sin. Its variance is
    /// that of a trial, with a noise of 10⁻⁶. It draws the grid to 7, where past the last trial all is open again.
    #[test]
    fn keeps_the_interval_of_the_worked_example() {
        let third = 2.0 * core::f64::consts::PI / 3.0;
        let kernel = |a: f64, b: f64| (-0.5 * (a - b) * (a - b)).exp();
        let x: [f64; 4] = core::array::from_fn(|i| third * i as f64);
        let mut factor = [0.0; packed(4)];
        for i in 0..4 {
            for j in 0..=i {
                factor[packed(i) + j] = kernel(x[i], x[j]) + if i == j { 1e-6 } else { 0.0 };
            }
        }
        linalg::factor(&mut factor, 4).unwrap();
        let mut weights = x.map(|x| -x.sin());
        linalg::solve_lower(&factor, 4, &mut weights).unwrap();
        linalg::solve_upper(&factor, 4, &mut weights).unwrap();
        let grid: Vec<f64> = (0..=628).map(|i| f64::from(i) / 100.0).collect();
        let (mut means, mut variances) = (Vec::new(), Vec::new());
        for &at in &grid {
            let mut k = x.map(|x| kernel(x, at));
            means.push(k.iter().zip(&weights).map(|(k, w)| k * w).sum::<f64>());
            linalg::solve_lower(&factor, 4, &mut k).unwrap();
            variances.push(1.0 + 1e-6 - k.iter().map(|k| k * k).sum::<f64>());
        }
        let mut ignored = std::vec![false; grid.len()];
        let ceiling = eliminate(&means, &variances, 1.96, &mut ignored).unwrap();
        assert!((ceiling + 0.858_325).abs() < 6e-7, "{ceiling}");
        // The band crosses at 0.4108 and 3.3886: 0.42 is the first that is kept, 3.39 the first that is not any more.
        for (&at, &ignored) in grid.iter().zip(&ignored) {
            assert_eq!(ignored, !(0.415..3.385).contains(&at), "{at}");
        }
    }

    #[test]
    fn what_is_not_known_is_not_ignored() {
        let (means, variances) = ([0.0, 5.0, f64::NAN, 5.0, 5.0, 5.0], [1.0, 1.0, 0.0, f64::NAN, -1.0, 1e9]);
        let mut ignored = [true; 6];
        assert_eq!(eliminate(&means, &variances, 2.0, &mut ignored), Ok(2.0));
        assert_eq!(ignored, [false, true, false, false, true, false]);
        // On the ceiling is not above it.
        assert!(!ignorable(Prediction { mean: 2.0, variance: 0.0 }, 2.0, 2.0));
        assert!(ignorable(Prediction { mean: 2.1f32, variance: 0.0 }, 2.0, 2.0));
        assert_eq!(ceiling::<f32>([], 1.0), f32::INFINITY);
        assert_eq!(eliminate::<f64>(&[], &[], 1.0, &mut []), Ok(f64::INFINITY));
        assert_eq!(eliminate(&[f64::NAN], &[1.0], 1.0, &mut [true]), Ok(f64::INFINITY));
        for q in [f64::NAN, -1.0, f64::INFINITY] {
            assert_eq!(eliminate(&means, &variances, q, &mut ignored), Err(Error::Config));
        }
        assert_eq!(eliminate(&means, &variances, 1.0, &mut [true; 2]), Err(Error::Shape { needed: 2 }));
        assert_eq!(ignored, [false, true, false, false, true, false]);
    }
}
