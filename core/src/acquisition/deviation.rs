//! The largest deviation: a trial where least is known.

use crate::real::Real;

/// The deviation as a score: it ranks as the entropy of the value does, and the mean has no say.
///
/// ```text
/// s,   which ranks as ½·ln(2πe·(s² + σₙ²)) for any noise σₙ
/// ```
///
/// It is finite, and 0 if the mean is not a number.
///
/// # References
/// MacKay, *Information-Based Objective Functions for Active Data Selection*, 1992.
pub(crate) fn score<R: Real>(mean: R, deviation: R) -> R {
    if mean.is_nan() { R::ZERO } else { deviation.clamp(R::ZERO, R::MAX) }
}

/// The score with its derivatives by −m and by s: 0 and 1.
pub(super) fn score_gradient<R: Real>(mean: R, deviation: R) -> (R, R, R) {
    let slope = if mean.is_nan() { R::ZERO } else { R::ONE };
    (score(mean, deviation), R::ZERO, slope)
}

#[cfg(test)]
mod tests {
    use super::{score, score_gradient};

    /// s and what pyGPGO 0.5.1 scores by, the entropy ½·ln(2πe·(s² + σₙ²)) for σₙ² = 1 and 0.3.
    #[test]
    fn ranks_as_the_entropy_of_pygpgo() {
        let entropy = |s: f64, noise: f64| {
            0.5 * (2.0 * core::f64::consts::PI * core::f64::consts::E * (s * s + noise)).ln()
        };
        let table = [
            [0.001, 1.418_939_033_204_422_5, 0.816_953_797_705_593_5],
            [0.1, 1.423_913_698_631_256_8, 0.833_347_042_453_200_1],
            [0.5, 1.530_510_308_861_777_5, 1.120_020_032_826_862_6],
            [2.0, 2.223_657_489_421_723, 2.148_246_044_554_431],
        ];
        for rows in table.windows(2) {
            let ours = [score(7.0, rows[0][0]), score(-7.0, rows[1][0])];
            assert!(ours[0] < ours[1] && rows[0][1] < rows[1][1] && rows[0][2] < rows[1][2]);
        }
        for [s, wide, narrow] in table {
            assert!((entropy(score(0.0, s), 1.0) - wide).abs() < 1e-12);
            assert!((entropy(score(0.0, s), 0.3) - narrow).abs() < 1e-12);
        }
    }

    #[test]
    fn the_mean_has_no_say() {
        assert_eq!(score_gradient(3.0, 0.5), (0.5, 0.0, 1.0));
        assert_eq!(score_gradient(f64::NAN, 0.5), (0.0, 0.0, 0.0));
        assert_eq!(score(0.0, f32::INFINITY), f32::MAX);
        assert_eq!(score(0.0, f64::NAN), 0.0);
    }
}
