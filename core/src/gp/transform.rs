//! Targets on a scale that a process with unit variance understands.

mod box_cox;
mod likelihood;
mod yeo_johnson;

use crate::real::Real;
use crate::stats::normal;

/// How observed values become targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transform {
    /// As they are.
    None,
    /// Zero mean, unit variance.
    #[default]
    Standard,
    /// A power of the distance to the best value, fitted by maximum likelihood, then zero mean, unit variance.
    ///
    /// ```text
    /// ψ(z) = ((1 + z)^λ − 1)/λ,   z = (y − min)/(median − min),   λ ∈ [−1, 2]
    /// ```
    Power,
    /// Normal scores of the ranks: Φ⁻¹((rank − ½)/n), ties sharing their mean rank.
    Rank,
    /// The power of Box and Cox, fitted by maximum likelihood, then zero mean, unit variance.
    ///
    /// ```text
    /// ψ(z) = (z^λ − 1)/λ,   z = y/geometric mean,   λ ∈ [−3, 3]
    /// ```
    ///
    /// For positive values only; where one is not, [`Transform::YeoJohnson`] takes its place.
    BoxCox,
    /// The power of Yeo and Johnson, fitted by maximum likelihood, then zero mean, unit variance.
    ///
    /// ```text
    /// ψ(z) = ((1 + z)^λ − 1)/λ  for z ≥ 0,   −((1 − z)^(2−λ) − 1)/(2 − λ)  below,   z = (y − mean)/deviation, λ ∈ [−2, 4]
    /// ```
    YeoJohnson,
}

impl Transform {
    /// The number of this transform in a saved block.
    #[must_use]
    pub const fn code(self) -> u64 {
        self as u64
    }

    /// The transform with that number.
    #[must_use]
    pub const fn from_code(code: u64) -> Option<Self> {
        match code {
            0 => Some(Self::None),
            1 => Some(Self::Standard),
            2 => Some(Self::Power),
            3 => Some(Self::Rank),
            4 => Some(Self::BoxCox),
            5 => Some(Self::YeoJohnson),
            _ => None,
        }
    }

    /// Fits the transform to `values` and writes the targets. Cost: O(n), O(n²) comparisons for ranks and medians.
    ///
    /// The values must be finite. Equal values become zeros.
    pub fn fit<R: Real>(self, values: &[R], targets: &mut [R]) -> Scale<R> {
        let mut scale = Scale {
            kind: self,
            shift: R::ZERO,
            spread: R::ONE,
            power: R::ONE,
            mean: R::ZERO,
            deviation: R::ONE,
        };
        let n = values.len().min(targets.len());
        if n == 0 {
            return scale;
        }
        let values = &values[..n];
        match self {
            Self::None => {}
            Self::Standard => (scale.mean, scale.deviation) = moments(values, |y| y),
            Self::Power => {
                let low = values.iter().fold(R::INFINITY, |a, &b| a.min(b));
                let middle = quantile(values, n / 2);
                let spread = middle * R::HALF - low * R::HALF;
                if spread > R::ZERO && spread.is_finite() {
                    scale.shift = low;
                    scale.spread = (spread * R::TWO).min(R::MAX);
                    scale.power = most_likely_power(&scale, values);
                    let fitted = scale;
                    (scale.mean, scale.deviation) = moments(values, |y| fitted.bend(y));
                } else {
                    scale.kind = Self::Standard;
                    (scale.mean, scale.deviation) = moments(values, |y| y);
                }
            }
            Self::Rank => {
                (scale.mean, scale.deviation) = moments(values, |y| y);
                let count = R::of_usize(n);
                for (target, &value) in targets.iter_mut().zip(values) {
                    let (mut below, mut equal) = (0usize, 0usize);
                    for &other in values {
                        below += usize::from(other < value);
                        equal += usize::from(other == value);
                    }
                    let rank = R::of_usize(below) + R::HALF * R::of_usize(equal);
                    *target = normal::quantile(rank / count);
                }
                return scale;
            }
            Self::BoxCox | Self::YeoJohnson => scale.fit_power(values, &mut targets[..n]),
        }
        for (target, &value) in targets.iter_mut().zip(values) {
            *target = scale.forward(value);
        }
        scale
    }
}

/// A fitted [`Transform`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale<R> {
    kind: Transform,
    shift: R,
    spread: R,
    power: R,
    mean: R,
    deviation: R,
}

impl<R: Real> Scale<R> {
    /// The target of a value; for ranks the value itself, since a rank needs all values.
    pub fn forward(&self, value: R) -> R {
        match self.kind {
            Transform::None | Transform::Rank => value,
            Transform::Standard => (value - self.mean) / self.deviation,
            Transform::Power => (self.bend(value) - self.mean) / self.deviation,
            Transform::BoxCox | Transform::YeoJohnson => {
                let away = self.bend_log(self.log_of(value)) - self.mean;
                (away / self.deviation).clamp(-R::MAX, R::MAX)
            }
        }
    }

    /// The value of a target; `values` are those the scale was fitted to.
    ///
    /// For [`Transform::Rank`] the order statistic nearest to the target's probability.
    pub fn inverse(&self, target: R, values: &[R]) -> R {
        match self.kind {
            Transform::None => target,
            Transform::Standard => target * self.deviation + self.mean,
            Transform::Power => {
                let bent = target * self.deviation + self.mean;
                let inner = if self.power.abs() < R::of(1e-6) {
                    bent.exp()
                } else {
                    // Beyond the range of ψ the end of the range is the nearest answer.
                    (bent * self.power + R::ONE).max(R::EPSILON).pow(R::ONE / self.power)
                };
                self.shift + self.spread * (inner - R::ONE)
            }
            Transform::BoxCox | Transform::YeoJohnson => {
                let bent = (target * self.deviation + self.mean).clamp(-R::MAX, R::MAX);
                self.value_of(bent)
            }
            Transform::Rank => {
                if values.is_empty() {
                    return target;
                }
                let place = normal::cdf(target) * R::of_usize(values.len());
                quantile(values, (place.to_f64() as usize).min(values.len() - 1))
            }
        }
    }

    /// d target / d value: how standard deviations change scale (delta method).
    ///
    /// For [`Transform::Rank`] that of standardised values, since ranks have no derivative.
    pub fn slope(&self, value: R) -> R {
        match self.kind {
            Transform::None => R::ONE,
            Transform::Standard | Transform::Rank => R::ONE / self.deviation,
            Transform::Power => {
                let base = (R::ONE + (value - self.shift) / self.spread).max(R::EPSILON);
                base.pow(self.power - R::ONE) / (self.spread * self.deviation)
            }
            Transform::BoxCox => {
                // dψ/dln z over z, in logarithms.
                let log = self.log_of(value);
                (box_cox::log_slope(log, self.power) - log - self.spread.ln() - self.deviation.ln())
                    .exp()
                    .clamp(R::MIN_POSITIVE, R::MAX)
            }
            Transform::YeoJohnson => {
                let log = yeo_johnson::log_slope(self.log_of(value), self.power);
                (log - self.spread.ln() - self.deviation.ln()).exp().clamp(R::MIN_POSITIVE, R::MAX)
            }
        }
    }

    /// The scale as six scalars, for a saved block.
    pub fn to_scalars(&self) -> [R; 6] {
        [R::of(self.kind.code() as f64), self.shift, self.spread, self.power, self.mean, self.deviation]
    }

    /// The scale from six scalars, or `None` if they are not those of a scale.
    pub fn from_scalars(s: [R; 6]) -> Option<Self> {
        let code = s[0].to_f64();
        let kind =
            if (0.0..16.0).contains(&code) { Transform::from_code(code as u64)? } else { return None };
        let usable = s.iter().all(|v| v.is_finite()) && s[2] > R::ZERO && s[5] > R::ZERO;
        usable.then_some(Self { kind, shift: s[1], spread: s[2], power: s[3], mean: s[4], deviation: s[5] })
    }

    /// Fits shift, spread, power, mean and deviation of one of the learnt powers; `logs` is scratch.
    fn fit_power(&mut self, values: &[R], logs: &mut [R]) {
        let positive = values.iter().all(|&y| y > R::ZERO);
        let (mean, deviation) = moments(values, |y| y);
        if self.kind == Transform::BoxCox && positive {
            let count = R::of_usize(values.len());
            let mut log = R::ZERO;
            for &y in values {
                log += y.ln() / count;
            }
            self.spread = log.exp().clamp(R::MIN_POSITIVE, R::MAX);
        } else {
            (self.kind, self.shift, self.spread) = (Transform::YeoJohnson, mean, deviation);
        }
        for (log, &y) in logs.iter_mut().zip(values) {
            *log = self.log_of(y);
        }
        self.power = if self.kind == Transform::BoxCox {
            likelihood::most_likely(logs, box_cox::BOUNDS, box_cox::bend)
        } else {
            likelihood::most_likely(logs, yeo_johnson::BOUNDS, yeo_johnson::bend)
        };
        let fitted = *self;
        (self.mean, self.deviation) = moments(logs, |log| fitted.bend_log(log));
    }

    /// ln z of a value for Box and Cox, ±ln(1 + |z|) for Yeo and Johnson; limited where a power would overflow.
    fn log_of(&self, value: R) -> R {
        let most = R::of(0.3) * R::MAX.ln();
        let log = if self.kind == Transform::BoxCox {
            // Not the logarithm of the quotient, which may overflow.
            if value > R::ZERO { value.ln() - self.spread.ln() } else { -most }
        } else {
            // Halves, so that the difference of the largest numbers is one.
            let half = (value * R::HALF - self.shift * R::HALF) / self.spread;
            let z = (half + half).clamp(-R::MAX, R::MAX);
            let log = z.abs().ln_1p();
            if z < R::ZERO { -log } else { log }
        };
        log.clamp(-most, most)
    }

    /// ψ of such a logarithm.
    fn bend_log(&self, log: R) -> R {
        if self.kind == Transform::BoxCox {
            box_cox::bend(log, self.power)
        } else {
            yeo_johnson::bend(log, self.power)
        }
    }

    /// The value whose ψ this is.
    fn value_of(&self, bent: R) -> R {
        let value = if self.kind == Transform::BoxCox {
            (box_cox::unbend(bent, self.power) + self.spread.ln()).exp()
        } else {
            let log = yeo_johnson::unbend(bent, self.power);
            let z = log.abs().exp_m1();
            self.shift + self.spread * if log < R::ZERO { -z } else { z }
        };
        value.clamp(-R::MAX, R::MAX)
    }

    /// ψ(z) of a value.
    fn bend(&self, value: R) -> R {
        let base = (R::ONE + (value - self.shift) / self.spread).max(R::EPSILON);
        if self.power.abs() < R::of(1e-6) { base.ln() } else { (base.pow(self.power) - R::ONE) / self.power }
    }
}

/// Mean and standard deviation of `map(values)`; one for the deviation if all are equal.
///
/// The values are divided by the largest first, so that their squares neither overflow nor vanish.
fn moments<R: Real>(values: &[R], map: impl Fn(R) -> R) -> (R, R) {
    let count = R::of_usize(values.len());
    let largest = values.iter().fold(R::ZERO, |a, &b| a.max(map(b).abs()));
    if largest <= R::ZERO {
        return (R::ZERO, R::ONE);
    }
    let mut mean = R::ZERO;
    for &v in values {
        mean += map(v) / largest / count;
    }
    let mut square = R::ZERO;
    for &v in values {
        let d = map(v) / largest - mean;
        square += d * d;
    }
    let deviation = (square / count).sqrt();
    // Below rounding the values are equal for all purposes.
    let deviation = if deviation > R::EPSILON { deviation * largest } else { R::ONE };
    (mean * largest, if deviation > R::ZERO { deviation } else { R::ONE })
}

/// The value of given rank, by counting.
fn quantile<R: Real>(values: &[R], rank: usize) -> R {
    for &candidate in values {
        let below = values.iter().filter(|&&v| v < candidate).count();
        let equal = values.iter().filter(|&&v| v == candidate).count();
        if below <= rank && rank < below + equal {
            return candidate;
        }
    }
    R::ZERO
}

/// λ of largest likelihood by golden section: −½ n ln var ψ + (λ − 1) Σ ln(1 + z).
fn most_likely_power<R: Real>(scale: &Scale<R>, values: &[R]) -> R {
    let mut jacobian = R::ZERO;
    for &y in values {
        jacobian += (R::ONE + (y - scale.shift) / scale.spread).max(R::EPSILON).ln();
    }
    let likelihood = |power: R| {
        let bent = Scale { power, ..*scale };
        let (_, deviation) = moments(values, |y| bent.bend(y));
        (power - R::ONE) * jacobian - R::of_usize(values.len()) * deviation.ln()
    };
    let ratio = R::of(0.618_033_988_749_894_9);
    let (mut lo, mut hi) = (-R::ONE, R::TWO);
    let (mut a, mut b) = (hi - ratio * (hi - lo), lo + ratio * (hi - lo));
    let (mut fa, mut fb) = (likelihood(a), likelihood(b));
    for _ in 0..24 {
        if fa > fb {
            (hi, b, fb) = (b, a, fa);
            a = hi - ratio * (hi - lo);
            fa = likelihood(a);
        } else {
            (lo, a, fa) = (a, b, fb);
            b = lo + ratio * (hi - lo);
            fb = likelihood(b);
        }
    }
    (lo + hi) * R::HALF
}

#[cfg(test)]
mod tests {
    use super::{Scale, Transform, box_cox, yeo_johnson};
    use crate::real::Real;
    use crate::stats::normal;
    use std::vec::Vec;

    fn values() -> Vec<f64> {
        (0..40).map(|i| ((i * 17 % 40) as f64 / 7.0).exp()).collect()
    }

    #[test]
    fn targets_have_zero_mean_and_unit_variance() {
        let all = [
            Transform::Standard,
            Transform::Power,
            Transform::Rank,
            Transform::BoxCox,
            Transform::YeoJohnson,
        ];
        for kind in all {
            let values = values();
            let mut targets = values.clone();
            kind.fit(&values, &mut targets);
            let mean = targets.iter().sum::<f64>() / 40.0;
            let variance = targets.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / 40.0;
            assert!(mean.abs() < 1e-12, "{kind:?} {mean}");
            assert!(
                (variance - 1.0).abs() < if kind == Transform::Rank { 0.1 } else { 1e-9 },
                "{kind:?} {variance}"
            );
        }
    }

    #[test]
    fn inverse_undoes_forward_and_slope_is_its_derivative() {
        let values = values();
        let all = [
            Transform::None,
            Transform::Standard,
            Transform::Power,
            Transform::BoxCox,
            Transform::YeoJohnson,
        ];
        for kind in all {
            let mut targets = values.clone();
            let scale = kind.fit(&values, &mut targets);
            for (&y, &t) in values.iter().zip(&targets) {
                assert!((scale.inverse(t, &values) - y).abs() < 1e-9 * y.max(1.0), "{kind:?}");
                let h = 1e-5 * y;
                let slope = (scale.forward(y + h) - scale.forward(y - h)) / (2.0 * h);
                if y > 1.1 {
                    assert!((scale.slope(y) / slope - 1.0).abs() < 1e-6, "{kind:?} {y}");
                }
            }
            assert_eq!(Scale::from_scalars(scale.to_scalars()), Some(scale));
        }
    }

    #[test]
    fn the_power_undoes_the_power_that_made_the_values() {
        // A uniform sample in ψ has no better power than the one it was made with; look for it by brute force.
        let values: Vec<f64> = (1..200).map(|i| (0.05 * f64::from(i)).exp()).collect();
        let mut targets = values.clone();
        let scale = Transform::Power.fit(&values, &mut targets);
        let likelihood = |power: f64| {
            let bent: Vec<f64> = values.iter().map(|&y| Scale { power, ..scale }.bend(y)).collect();
            let mean = bent.iter().sum::<f64>() / 199.0;
            let variance = bent.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / 199.0;
            let z = values.iter().map(|&y| (1.0 + (y - scale.shift) / scale.spread).ln()).sum::<f64>();
            (power - 1.0) * z - 99.5 * variance.ln()
        };
        let best = (-100..=200)
            .map(|i| f64::from(i) / 100.0)
            .max_by(|a, b| likelihood(*a).total_cmp(&likelihood(*b)));
        assert!((scale.power - best.unwrap()).abs() < 0.011, "{} {best:?}", scale.power);
        assert!(scale.power < 0.5);
    }

    #[test]
    fn extreme_values_stay_finite() {
        for values in [[1e-30f64, 1.0, 1e30, 2.0], [5.0; 4], [-1e300, 1e300, 0.0, 1e299], [0.0; 4]] {
            let all = [
                Transform::Standard,
                Transform::Power,
                Transform::Rank,
                Transform::BoxCox,
                Transform::YeoJohnson,
            ];
            for kind in all {
                let mut targets = values;
                kind.fit(&values, &mut targets);
                assert!(targets.iter().all(|t| t.is_finite()), "{kind:?} {values:?} {targets:?}");
            }
        }
    }

    /// λ and likelihood: `boxcox_llf` and `yeojohnson_llf` of scipy 1.17.1, maximised to 10⁻¹² by `minimize_scalar`; the
    /// values are standardised first for the second.
    #[test]
    fn powers_agree_with_scipy() {
        let skewed = [0.031, 0.12, 0.27, 0.44, 0.9, 1.3, 1.7, 2.6, 4.9, 7.7, 13.0, 41.5];
        let signed = [-7.5, -3.1, -2.2, -1.4, -0.8, -0.35, -0.1, 0.2, 0.25, 0.4, 0.55, 0.6];
        let wide = [-2.0, -1.9, -1.1, -0.3, 0.2, 1.5, 3.0, 8.0, 21.0, 60.0, 75.0, 200.0];
        let inverse: Vec<f64> =
            (0..12).map(f64::from).map(|i| 1.0 / (0.2 + 0.11 * i + 0.01 * i * i)).collect();
        let cases: [(&[f64], Transform, f64); 6] = [
            (&skewed, Transform::BoxCox, 0.042_273_279_818_598_28),
            (&inverse, Transform::BoxCox, -0.411_956_663_682_064_24),
            (&skewed, Transform::YeoJohnson, -1.574_662_682_208_313),
            (&inverse, Transform::YeoJohnson, -0.541_357_156_819_202),
            (&signed, Transform::YeoJohnson, 2.622_354_590_031_638),
            (&wide, Transform::YeoJohnson, -1.476_908_303_446_343_5),
        ];
        for (values, kind, power) in cases {
            let mut targets = [0.0; 12];
            let scale = kind.fit(values, &mut targets);
            // The summit is flat: √ε of its width is what a search by values can tell.
            assert!((scale.power - power).abs() < 1e-6, "{kind:?} {} {power}", scale.power);
            assert_eq!(scale.kind, kind);
        }
        // ψ itself: `yeojohnson` of the first three standardised values at that λ.
        let mut targets = [0.0; 12];
        let scale = Transform::YeoJohnson.fit(&signed, &mut targets);
        for (y, bent) in
            signed.iter().zip([-0.914_662_888_327_121_1, -0.525_764_921_815_120_4, -0.350_797_710_190_166_15])
        {
            assert!((scale.bend_log(scale.log_of(*y)) - bent).abs() < 1e-6);
        }
        // Values of both signs have no power of their own.
        assert_eq!(Transform::BoxCox.fit(&signed, &mut targets), scale);
    }

    #[test]
    fn powers_that_made_the_values_are_recovered() {
        // Quantiles instead of draws: the only error left is that of the finite sample's tails.
        let normals: Vec<f64> = (0..2000).map(|i| normal::quantile((f64::from(i) + 0.5) / 2000.0)).collect();
        for power in [-1.5, -0.5, 0.0, 0.5, 2.0] {
            // ψ stays within its range: |λψ| < 4·0.2.
            let spread = if power == 0.0 { 0.8 } else { 0.2 / f64::abs(power) };
            let values: Vec<f64> =
                normals.iter().map(|z| 7.0 * box_cox::unbend(spread * z, power).exp()).collect();
            let mut targets = values.clone();
            let scale = Transform::BoxCox.fit(&values, &mut targets);
            assert!((scale.power - power).abs() < 0.01, "{power} {}", scale.power);
            for (target, z) in targets.iter().zip(&normals) {
                assert!((target - z).abs() < 0.02, "{power} {target} {z}");
            }
        }
        for power in [0.0, 0.6, 1.0, 1.7] {
            let values: Vec<f64> = normals
                .iter()
                .map(|z| {
                    let log: f64 = yeo_johnson::unbend(*z, power);
                    if log < 0.0 { -(-log).exp_m1() } else { log.exp_m1() }
                })
                .collect();
            let mut targets = values.clone();
            let scale = Transform::YeoJohnson.fit(&values, &mut targets);
            let skew = |v: &[f64]| v.iter().map(|t| t.powi(3)).sum::<f64>() / v.len() as f64;
            // Standardised first, the values are of the family only nearly; what is left is little.
            let mut straight = values.clone();
            Transform::Standard.fit(&values, &mut straight);
            assert!(skew(&targets).abs() < 0.35, "{power} {} {}", scale.power, skew(&targets));
            assert!(power == 1.0 || skew(&targets).abs() < skew(&straight).abs(), "{power}");
        }
    }

    fn monotone<R: Real>() {
        let values: Vec<R> = (0..40).map(|i| R::of(((i * 17 % 40) as f64 / 7.0).exp())).collect();
        for kind in [Transform::BoxCox, Transform::YeoJohnson] {
            let mut targets = values.clone();
            let scale = kind.fit(&values, &mut targets);
            let mut before = -R::INFINITY;
            for i in -400..4000 {
                let y = R::of(f64::from(i) / 4.0);
                let target = scale.forward(y);
                assert!(target >= before && target.is_finite(), "{kind:?} {y}");
                before = target;
            }
            // Beyond the data, and beyond the range of ψ, all is finite and in order.
            let mut before = -R::INFINITY;
            for t in [-1e30, -1e6, -1e3, -10.0, -3.0, 0.0, 3.0, 10.0, 1e3, 1e6, 1e30] {
                let y = scale.inverse(R::of(t), &values);
                assert!(y.is_finite() && y >= before, "{kind:?} {t} {y}");
                before = y;
                let slope = scale.slope(y);
                assert!(slope.is_finite() && slope > R::ZERO, "{kind:?} {t} {slope}");
            }
            for y in [R::MAX, -R::MAX, R::ZERO, R::MIN_POSITIVE] {
                assert!(
                    scale.forward(y).is_finite() && scale.slope(y) > R::ZERO && scale.slope(y).is_finite()
                );
            }
        }
    }

    #[test]
    fn learnt_powers_are_monotone_and_safe_at_the_ends() {
        monotone::<f64>();
        monotone::<f32>();
        for code in 0..6 {
            assert_eq!(Transform::from_code(code).unwrap().code(), code);
        }
        assert_eq!(Transform::from_code(6), None);
    }
}
