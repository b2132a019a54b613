//! The empirical cost of a configuration: one number for the costs of its runs.

use crate::error::Error;
use crate::real::Real;

/// How the costs of the runs of a configuration become one number.
///
/// ```text
/// ĉ(θ) = τ̂{oᵢ : θᵢ = θ}
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Statistic {
    /// The mean.
    #[default]
    Mean,
    /// The median; of an even number of costs, the mean of the middle two.
    Median,
    /// The quantile at that probability, linear between the sorted costs: 0 is the least, 1 the largest.
    Quantile(f64),
}

impl Statistic {
    /// The statistic of the costs, which are put into another order; NaN if there are none.
    ///
    /// Infinite costs are larger than all others. Cost: O(n) for the mean, O(n log n) for the others.
    pub(crate) fn of<R: Real>(self, costs: &mut [R]) -> R {
        let part = match self {
            Self::Mean => {
                // About the first cost, so that a large offset takes no digits from the differences.
                let Some(&first) = costs.first() else { return R::NAN };
                if costs.iter().any(|cost| !cost.is_finite()) {
                    return costs.iter().fold(R::ZERO, |sum, &cost| sum + cost);
                }
                let sum = costs.iter().fold(R::ZERO, |sum, &cost| sum + (cost - first));
                let count = R::of_usize(costs.len());
                let mean = first + sum / count;
                // The mean is in the range even where differences are not.
                return if mean.is_finite() {
                    mean
                } else {
                    costs.iter().fold(R::ZERO, |mean, &cost| mean + cost / count).clamp(-R::MAX, R::MAX)
                };
            }
            Self::Median => 0.5,
            Self::Quantile(q) => q,
        };
        if costs.is_empty() || !(0.0..=1.0).contains(&part) {
            return R::NAN;
        }
        costs.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(core::cmp::Ordering::Equal));
        let place = part * (costs.len() - 1) as f64;
        let below = libm::floor(place);
        let (low, high) = (costs[below as usize], costs[(below as usize + 1).min(costs.len() - 1)]);
        let weight = R::of(place - below);
        // Infinite times nothing is nothing here.
        let span = high - low;
        if weight == R::ZERO || low == high {
            low
        } else if span.is_finite() || !high.is_finite() {
            low + weight * span
        } else {
            (R::ONE - weight) * low + weight * high
        }
    }

    /// Whether the statistic can be taken.
    ///
    /// # Errors
    /// [`Error::Config`] for a quantile outside of [0, 1].
    pub(crate) fn check(self) -> Result<(), Error> {
        match self {
            Self::Quantile(q) if !(0.0..=1.0).contains(&q) => Err(Error::Config),
            Self::Mean | Self::Median | Self::Quantile(_) => Ok(()),
        }
    }

    pub(super) fn to_words(self) -> [u64; 2] {
        match self {
            Self::Mean => [0, 0],
            Self::Median => [1, 0],
            Self::Quantile(q) => [2, q.to_bits()],
        }
    }

    pub(super) fn from_words(words: [u64; 2]) -> Option<Self> {
        match words[0] {
            0 => Some(Self::Mean),
            1 => Some(Self::Median),
            2 => Some(Self::Quantile(f64::from_bits(words[1]))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Statistic;
    use crate::real::Real;

    fn worked<R: Real>() {
        let of = |statistic: Statistic, costs: &[f64]| {
            let mut mine: std::vec::Vec<R> = costs.iter().map(|&c| R::of(c)).collect();
            statistic.of(&mut mine).to_f64()
        };
        assert_eq!(of(Statistic::Mean, &[1.0, 2.0, 6.0]), 3.0);
        assert_eq!(of(Statistic::Median, &[6.0, 1.0, 2.0]), 2.0);
        assert_eq!(of(Statistic::Median, &[6.0, 1.0, 2.0, 4.0]), 3.0);
        for (q, expected) in [(0.0, 1.0), (0.25, 1.75), (0.5, 3.0), (0.75, 4.5), (1.0, 6.0)] {
            assert_eq!(of(Statistic::Quantile(q), &[6.0, 1.0, 2.0, 4.0]), expected);
        }
        assert_eq!(of(Statistic::Mean, &[1.0, f64::INFINITY]), f64::INFINITY);
        // Between numbers at both ends of the range, whatever their differences are.
        let most = R::MAX.to_f64();
        assert_eq!(of(Statistic::Mean, &[most; 3]), most);
        assert_eq!(of(Statistic::Mean, &[-most, most]), 0.0);
        assert!(of(Statistic::Mean, &[-most, most, most]).is_finite());
        assert_eq!(of(Statistic::Median, &[-most, most]), 0.0);
        // Two products are rounded, each by half a unit of the last place.
        let upper = of(Statistic::Quantile(0.75), &[-most, most]) / (most / 2.0);
        assert!((upper - 1.0).abs() <= 4.0 * R::EPSILON.to_f64());
        assert_eq!(of(Statistic::Median, &[1.0, 2.0, f64::INFINITY]), 2.0);
        assert_eq!(of(Statistic::Median, &[f64::INFINITY; 2]), f64::INFINITY);
        for statistic in [Statistic::Mean, Statistic::Median, Statistic::Quantile(0.3)] {
            assert!(of(statistic, &[]).is_nan());
            assert_eq!(Statistic::from_words(statistic.to_words()), Some(statistic));
        }
        assert!(Statistic::Quantile(1.5).check().is_err() && Statistic::Quantile(f64::NAN).check().is_err());
    }

    #[test]
    fn worked_by_hand() {
        worked::<f64>();
        worked::<f32>();
    }
}
