//! Friedman's test, and who is worse than the best if it finds a difference.

use crate::real::Real;
use crate::stats::{chi_squared, student};

/// Sums the ranks of each of k columns over the rows, equals sharing their mean; the sum of all squared ranks.
///
/// `sums` has k numbers. Cost: O(rows × k²).
pub(super) fn rank_sums<R: Real>(costs: &[R], sums: &mut [f64]) -> f64 {
    sums.fill(0.0);
    let mut squares = 0.0;
    for row in costs.chunks_exact(sums.len().max(1)) {
        for (sum, &cost) in sums.iter_mut().zip(row) {
            let mut rank = 0.5;
            for &other in row {
                rank += if other < cost {
                    1.0
                } else if other > cost {
                    0.0
                } else {
                    0.5
                };
            }
            *sum += rank;
            squares += rank * rank;
        }
    }
    squares
}

/// How far above the lowest sum of ranks a column must be to be worse; nothing unless Friedman's test finds a difference.
///
/// ```text
/// T = (k − 1) Σⱼ(Rⱼ − n(k + 1)/2)²/(A − n·k(k + 1)²/4),   A the sum of all squared ranks
/// R₀ + t₁₋α⸝₂·√(2n(1 − T/(n(k − 1)))(A − n·k(k + 1)²/4)/((n − 1)(k − 1)))
/// ```
///
/// # References
/// Conover, *Practical Nonparametric Statistics*, 3rd edition, 1999, section 5.8; Birattari, Stützle, Paquete and
/// Varrentrapp, *A Racing Algorithm for Configuring Metaheuristics*, GECCO 2002.
pub(super) fn threshold(sums: &[f64], squares: f64, rows: usize, level: f64) -> Option<f64> {
    let (k, n) = (sums.len() as f64, rows as f64);
    if sums.len() < 2 || rows < 2 {
        return None;
    }
    let spread = squares - n * k * (k + 1.0) * (k + 1.0) / 4.0;
    if spread <= 0.0 {
        return None;
    }
    let centre = 0.5 * n * (k + 1.0);
    let statistic = (k - 1.0) * sums.iter().map(|sum| (sum - centre) * (sum - centre)).sum::<f64>() / spread;
    if chi_squared::survival(statistic, k - 1.0) >= level {
        return None;
    }
    let freedom = (n - 1.0) * (k - 1.0);
    let left = (1.0 - statistic / (n * (k - 1.0))).max(0.0);
    let best = sums.iter().copied().fold(f64::INFINITY, f64::min);
    let margin =
        student::quantile(1.0 - 0.5 * level, freedom) * libm::sqrt(2.0 * n * left * spread / freedom);
    // Infinite times nothing is nothing here.
    Some((best + margin).max(best))
}

#[cfg(test)]
mod tests {
    use super::{rank_sums, threshold};

    /// Conover's example of section 5.8, example 1: twelve homeowners rank four grasses; T = 8.097, and sums that differ by
    /// more than 11.49 differ at the level 0.05.
    #[test]
    fn grasses() {
        #[rustfmt::skip]
        let ranks = [
            4.0, 3.0, 2.0, 1.0,   4.0, 2.0, 3.0, 1.0,   3.0, 1.5, 1.5, 4.0,   3.0, 1.0, 2.0, 4.0,
            4.0, 2.0, 1.0, 3.0,   2.0, 2.0, 2.0, 4.0,   1.0, 3.0, 2.0, 4.0,   2.0, 4.0, 1.0, 3.0,
            3.5, 1.0, 2.0, 3.5,   4.0, 1.0, 3.0, 2.0,   4.0, 2.0, 3.0, 1.0,   3.5, 1.0, 2.0, 3.5,
        ];
        let mut sums = [0.0; 4];
        let squares = rank_sums(&ranks, &mut sums);
        assert_eq!(sums, [38.0, 23.5, 24.5, 34.0]);
        let limit = threshold(&sums, squares, 12, 0.05).unwrap();
        assert!((limit - 23.5 - 11.49).abs() < 0.01, "{}", limit - 23.5);
        // T is 8.097, between the points of χ² with 3 degrees of freedom at 0.05 and 0.025.
        assert!(
            threshold(&sums, squares, 12, 0.045).is_some() && threshold(&sums, squares, 12, 0.043).is_none()
        );
    }

    #[test]
    fn nothing_to_tell_apart() {
        let mut sums = [0.0; 3];
        let squares = rank_sums(&[1.0f32; 12], &mut sums);
        assert_eq!(sums, [8.0; 3]);
        assert!(threshold(&sums, squares, 4, 0.05).is_none());
        assert!(threshold(&[], 0.0, 4, 0.05).is_none() && threshold(&sums, 60.0, 1, 0.05).is_none());
        // The same order on every instance leaves no doubt.
        let squares = rank_sums(&[1.0, 2.0, f64::INFINITY].repeat(5), &mut sums);
        assert_eq!(threshold(&sums, squares, 5, 0.05), Some(5.0));
        assert_eq!(rank_sums(&[1.0f64, 2.0], &mut []), 0.0);
    }
}
