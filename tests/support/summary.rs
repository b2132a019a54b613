//! Summaries of repeated runs.

/// The quantile at `level` in [0, 1], linear between order statistics (R's type 7, numpy's default).
///
/// Panics on an empty slice or NaN.
pub fn quantile(values: &[f64], level: f64) -> f64 {
    assert!(
        !values.is_empty() && (0.0..=1.0).contains(&level),
        "quantile {level} of {} values",
        values.len()
    );
    assert!(values.iter().all(|v| !v.is_nan()), "quantile of NaN");
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let position = level * (sorted.len() - 1) as f64;
    let (below, part) = (position as usize, position.fract());
    let low = sorted[below];
    // No product when the position is exact: 0·∞ would be NaN.
    if part == 0.0 { low } else { low + part * (sorted[below + 1] - low) }
}

/// The middle value, or the mean of the two middle ones.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The smallest value so far, at each step: turns the values of a run into its best-so-far curve.
pub fn running_minimum(values: &[f64]) -> Vec<f64> {
    let next = |best: &mut f64, &value: &f64| {
        *best = best.min(value);
        Some(*best)
    };
    values.iter().scan(f64::INFINITY, next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_type_seven() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(median(&values), 2.5);
        assert_eq!(quantile(&values, 0.0), 1.0);
        assert_eq!(quantile(&values, 1.0), 4.0);
        assert_eq!(quantile(&values, 0.25), 1.75);
        assert_eq!(median(&[7.0]), 7.0);
        assert_eq!(median(&[1.0, f64::INFINITY, f64::INFINITY]), f64::INFINITY);
    }

    #[test]
    fn running_minimum_never_rises() {
        assert_eq!(running_minimum(&[3.0, 4.0, 1.0, 2.0]), [3.0, 3.0, 1.0, 1.0]);
    }
}
