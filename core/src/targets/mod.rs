//! Transforms of the targets (standardisation, Box–Cox, Yeo–Johnson, ranks): a scale that a process of unit variance understands.

mod box_cox;
mod likelihood;
mod yeo_johnson;

use crate::math::golden_section;
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
    pub(crate) fn fit<R: Real>(self, values: &[R], targets: &mut [R]) -> Scale<R> {
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
            Self::Standard => (scale.mean, scale.deviation) = moments(values, &|y| y),
            Self::Power => {
                let low = values.iter().fold(R::INFINITY, |a, &b| a.min(b));
                let middle = quantile(values, n / 2);
                let spread = middle * R::HALF - low * R::HALF;
                if spread > R::ZERO && spread.is_finite() {
                    scale.shift = low;
                    scale.spread = (spread * R::TWO).min(R::MAX);
                    scale.power = most_likely_power(&scale, values);
                    let fitted = scale;
                    (scale.mean, scale.deviation) = moments(values, &|y| fitted.bend(y));
                } else {
                    scale.kind = Self::Standard;
                    (scale.mean, scale.deviation) = moments(values, &|y| y);
                }
            }
            Self::Rank => {
                (scale.mean, scale.deviation) = moments(values, &|y| y);
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
pub(crate) struct Scale<R> {
    kind: Transform,
    shift: R,
    spread: R,
    power: R,
    mean: R,
    deviation: R,
}

impl<R: Real> Scale<R> {
    /// The target of a value; for ranks the value itself, since a rank needs all values.
    pub(crate) fn forward(&self, value: R) -> R {
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
    pub(crate) fn inverse(&self, target: R, values: &[R]) -> R {
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
    pub(crate) fn slope(&self, value: R) -> R {
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
    pub(crate) fn to_scalars(self) -> [R; 6] {
        [R::of(self.kind.code() as f64), self.shift, self.spread, self.power, self.mean, self.deviation]
    }

    /// The scale from six scalars, or `None` if they are not those of a scale.
    pub(crate) fn from_scalars(s: [R; 6]) -> Option<Self> {
        let code = s[0].to_f64();
        let kind =
            if (0.0..16.0).contains(&code) { Transform::from_code(code as u64)? } else { return None };
        let usable = s.iter().all(|v| v.is_finite()) && s[2] > R::ZERO && s[5] > R::ZERO;
        usable.then_some(Self { kind, shift: s[1], spread: s[2], power: s[3], mean: s[4], deviation: s[5] })
    }

    /// Fits shift, spread, power, mean and deviation of one of the learnt powers; `logs` is scratch.
    fn fit_power(&mut self, values: &[R], logs: &mut [R]) {
        let positive = values.iter().all(|&y| y > R::ZERO);
        let (mean, deviation) = moments(values, &|y| y);
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
        (self.mean, self.deviation) = moments(logs, &|log| fitted.bend_log(log));
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
fn moments<R: Real>(values: &[R], map: &dyn Fn(R) -> R) -> (R, R) {
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
        let (_, deviation) = moments(values, &|y| bent.bend(y));
        (power - R::ONE) * jacobian - R::of_usize(values.len()) * deviation.ln()
    };
    let ([lo, hi], _) = golden_section(-R::ONE, R::TWO, 24, likelihood);
    (lo + hi) * R::HALF
}

#[cfg(test)]
mod tests;
