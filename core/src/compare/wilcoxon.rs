//! Wilcoxon's signed-rank test: do two methods differ.

use alloc::vec;
use alloc::vec::Vec;

use super::friedman::ties;
use crate::error::Error;
use crate::stats::normal;

/// The outcome of a two-sided signed-rank test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wilcoxon {
    /// The smaller of the sums of ranks of positive and negative differences.
    pub statistic: f64,
    /// The probability of a statistic as small, if the differences are symmetric about zero.
    pub p: f64,
    /// The same by the normal approximation, whether or not `p` is exact.
    pub approximate: f64,
    /// Differences that are not zero.
    pub pairs: usize,
    /// Whether `p` is exact, not from the normal approximation.
    pub exact: bool,
}

/// Wilcoxon's two-sided signed-rank test of the paired values a and b; differences of zero are dropped.
///
/// ```text
/// W = min(Σ ranks of dᵢ > 0, Σ ranks of dᵢ < 0),   ranks of |dᵢ|, equals share their mean
/// z = (W − n(n + 1)/4)/√(n(n + 1)(2n + 1)/24 − Σ(t³ − t)/48),   p = 2Φ(z)
/// ```
///
/// With at most 50 pairs, none of them zero and no two differences equal in size, p is exact: the share of the 2ⁿ signs
/// with a sum of at most W, twice. This is the rule of the widely used statistics packages; there is no correction for
/// continuity. Without any difference p is 1. Differences of decimal numbers are taken as they are rounded: 0.3 − 0.2 and
/// 0.2 − 0.1 are not equal. Tables of few digits are better scaled to whole numbers, so that ties are seen.
///
/// # Errors
/// [`Error::Shape`] if the lengths differ, [`Error::NoData`] for fewer than two pairs, [`Error::NotFinite`] for NaN.
///
/// # References
/// Wilcoxon, *Individual Comparisons by Ranking Methods*, Biometrics Bulletin 1(6), 1945.
pub fn wilcoxon(a: &[f64], b: &[f64]) -> Result<Wilcoxon, Error> {
    Error::Shape { needed: a.len() }.when(a.len() != b.len())?;
    Error::NoData.when(a.len() < 2)?;
    Error::NotFinite.when(a.iter().chain(b).any(|v| v.is_nan()))?;
    // Two infinite values are equal, though their difference is nothing.
    let mut differences: Vec<f64> = a.iter().zip(b).filter(|(x, y)| x != y).map(|(x, y)| x - y).collect();
    let pairs = differences.len();
    if pairs == 0 {
        return Ok(Wilcoxon { statistic: 0.0, p: 1.0, approximate: 1.0, pairs, exact: false });
    }
    differences.sort_by(|x, y| x.abs().total_cmp(&y.abs()));
    let (mut above, mut below, mut before) = (0.0, 0.0, 0.0);
    for group in differences.chunk_by(|x, y| x.abs() == y.abs()) {
        let rank = before + 0.5 * (group.len() as f64 + 1.0);
        before += group.len() as f64;
        let positive = group.iter().filter(|&&d| d > 0.0).count();
        above += rank * positive as f64;
        below += rank * (group.len() - positive) as f64;
    }
    let statistic = f64::min(above, below);
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    let tied = ties(&sizes);
    let exact = pairs == a.len() && pairs <= 50 && tied == 0.0;
    let approximate = nearly(pairs as f64, statistic, tied).min(1.0);
    let p = if exact { exactly(pairs, statistic as usize).min(1.0) } else { approximate };
    Ok(Wilcoxon { statistic, p, approximate, pairs, exact })
}

/// Twice the share of the signs of 1 … n whose positive sum is at most `sum`.
fn exactly(n: usize, sum: usize) -> f64 {
    let mut counts = vec![0.0; sum + 1];
    counts[0] = 1.0;
    for rank in 1..=n {
        for total in (rank..=sum).rev() {
            counts[total] += counts[total - rank];
        }
    }
    // The counts are whole numbers of at most 2⁵⁰, and so exact.
    2.0 * counts.iter().sum::<f64>() / libm::exp2(n as f64)
}

/// The normal approximation, corrected for ties.
fn nearly(n: f64, statistic: f64, tied: f64) -> f64 {
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tied / 48.0;
    let z = (statistic - 0.25 * n * (n + 1.0)) / libm::sqrt(variance);
    2.0 * normal::cdf(z)
}
