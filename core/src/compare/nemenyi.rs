//! Nemenyi's test: how far apart average ranks must be.

use alloc::vec::Vec;

use crate::error::Error;
use crate::limits::Limit;
use crate::stats::range;

/// The difference of two average ranks that is significant at level `alpha`, for k methods on N problems.
///
/// ```text
/// CD = q·√(k(k + 1)/(6N)),   P(range of k normal draws > √2·q) = alpha
/// ```
///
/// It holds for every pair at once, and so finds less than tests of single pairs do. Cost: some milliseconds, for the
/// quantile of any k and alpha.
///
/// # Errors
/// [`Error::NoData`] for fewer than two methods or problems, [`Error::Limits`] for more than 2³² − 1 methods, and
/// [`Error::Config`] unless 0 < alpha < 1.
///
/// # References
/// Nemenyi, *Distribution-free multiple comparisons*, thesis, Princeton, 1963.
pub fn critical_difference(methods: usize, problems: usize, alpha: f64) -> Result<f64, Error> {
    Error::NoData.when(methods < 2 || problems < 2)?;
    Error::Config.when(!(alpha > 0.0 && alpha < 1.0))?;
    let count = u32::try_from(methods).map_err(|_| Limit::Methods.refuse(u32::MAX as usize))?;
    let (k, n) = (methods as f64, problems as f64);
    let q = range::quantile(alpha, count) / core::f64::consts::SQRT_2;
    Ok(q * libm::sqrt(k * (k + 1.0) / (6.0 * n)))
}

/// The largest groups of methods whose average ranks lie within `difference`, each as positions in the order of ranks.
///
/// Positions first..=last of the methods sorted by rank, best first; groups of one method are left out, and those within
/// another. NaN ranks are never in a group.
#[must_use]
pub fn groups(ranks: &[f64], difference: f64) -> Vec<(usize, usize)> {
    let mut sorted: Vec<f64> = ranks.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut found: Vec<(usize, usize)> = Vec::new();
    for first in 0..sorted.len() {
        let within = |&&rank: &&f64| rank - sorted[first] <= difference;
        let last = (first + sorted[first..].iter().take_while(within).count()).saturating_sub(1);
        if last > first && found.last().is_none_or(|&(_, end)| last > end) {
            found.push((first, last));
        }
    }
    found
}
