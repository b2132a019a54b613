//! One parameter: its values in order, and where each lies between 0 and 1.

use crate::error::Error;
use crate::real::Real;

use super::Kind;

/// Largest integer that survives the way through ln and exp in `f64`: three roundings of 2⁻⁵³ each, times this,
/// stay far below ½.
const LOG_LIMIT: f64 = 140_737_488_355_328.0; // 2⁴⁷

/// A parsed parameter. All arithmetic is in `f64`, also for `f32`: only the result is rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axis<'a> {
    Real { lo: f64, hi: f64, log: bool, span: f64 },
    Integer { lo: i64, hi: i64, log: bool, span: f64 },
    Ordinal { levels: &'a [f64], log: bool, span: f64 },
    Categorical { count: u64 },
}

impl<'a> Axis<'a> {
    pub(super) fn real(lo: f64, hi: f64, log: bool) -> Option<Self> {
        let sound = lo.is_finite() && hi.is_finite() && lo < hi && !(log && lo <= 0.0);
        let scale = half(lo, hi);
        let span = if log { log_ratio(hi, lo) } else { hi * scale - lo * scale };
        sound.then_some(Self::Real { lo, hi, log, span })
    }

    pub(super) fn integer(lo: i64, hi: i64, log: bool) -> Option<Self> {
        let sound = lo < hi && !(log && lo < 1);
        let span = if log { log_ratio(hi as f64 + 0.5, lo as f64 - 0.5) } else { 0.0 };
        sound.then_some(Self::Integer { lo, hi, log, span })
    }

    pub(super) fn ordinal(levels: &'a [f64], log: bool) -> Option<Self> {
        let sound = levels.len() >= 2
            && levels.iter().all(|v| v.is_finite() && (!log || *v > 0.0))
            && levels.windows(2).all(|w| w[0] < w[1]);
        sound.then(|| {
            let span = if log { log_edge(levels, levels.len()) } else { 0.0 };
            Self::Ordinal { levels, log, span }
        })
    }

    pub(super) fn categorical(count: u64) -> Option<Self> {
        (count >= 2).then_some(Self::Categorical { count })
    }

    /// Whether the constructors would have made this axis.
    pub(super) fn sound(&self) -> bool {
        let made = match *self {
            Self::Real { lo, hi, log, .. } => Self::real(lo, hi, log),
            Self::Integer { lo, hi, log, .. } => Self::integer(lo, hi, log),
            Self::Ordinal { levels, log, .. } => Self::ordinal(levels, log),
            Self::Categorical { count } => Self::categorical(count),
        };
        made == Some(*self)
    }

    /// Refuses values that are not distinct in `R`.
    pub(super) fn check_exact<R: Real>(&self, parameter: usize) -> Result<(), Error> {
        let parameter = parameter as u32;
        match (self.exact::<R>(), self.continuous()) {
            (true, _) => Ok(()),
            (false, true) => Err(Error::Bounds { parameter }),
            (false, false) => Err(Error::Levels { parameter }),
        }
    }

    /// Whether bounds stay distinct and finite, and values and coordinates distinct, in the scalar `R`.
    ///
    /// With at most 2ᵖ⁻² values the centre (k + ½)/n is rounded by at most 1/8 of a bin and its product with n
    /// by another 1/8, so that the floor of the product is k again (p = bits of the significand).
    fn exact<R: Real>(&self) -> bool {
        let limit = R::EXACT / 4.0;
        match *self {
            Self::Real { lo, hi, log, .. } => {
                let (lo, hi) = (R::of(lo), R::of(hi));
                // Below the smallest normal number values lie too far apart for a scale of exponents.
                lo.is_finite() && hi.is_finite() && lo < hi && !(log && lo < R::MIN_POSITIVE)
            }
            Self::Integer { lo, hi, log, span } => {
                let size = (lo.unsigned_abs().max(hi.unsigned_abs())) as f64;
                // Neighbours v and v + 1 are 1/(v·span) apart on a log scale.
                let fits = !log || hi as f64 * span.max(1.0) <= limit.min(LOG_LIMIT);
                size <= R::EXACT && self.count() as f64 <= limit && fits
            }
            Self::Ordinal { levels, log, .. } => {
                // On a log scale levels may lie closer to each other than their coordinates can.
                let returns = |rank: u64| self.rank(self.centre::<R>(rank).to_f64()) == rank;
                self.count() as f64 <= limit
                    && levels.iter().all(|&v| R::of(v).is_finite())
                    && levels.windows(2).all(|w| R::of(w[0]) < R::of(w[1]))
                    && (!log || (0..self.count()).all(returns))
            }
            Self::Categorical { count } => count as f64 <= limit,
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Real { .. } => Kind::Real,
            Self::Integer { .. } => Kind::Integer,
            Self::Ordinal { .. } => Kind::Ordinal,
            Self::Categorical { .. } => Kind::Categorical,
        }
    }

    pub(super) fn continuous(&self) -> bool {
        matches!(self, Self::Real { .. })
    }

    /// Number of values; 0 for a real.
    pub(super) fn count(&self) -> u64 {
        match *self {
            Self::Real { .. } => 0,
            Self::Integer { lo, hi, .. } => (hi as u64).wrapping_sub(lo as u64).saturating_add(1),
            Self::Ordinal { levels, .. } => levels.len() as u64,
            Self::Categorical { count } => count,
        }
    }

    /// The rank of the value whose bin holds `u`, for discrete axes.
    pub(super) fn rank(&self, u: f64) -> u64 {
        let count = self.count();
        let rank = match *self {
            Self::Integer { lo, log: true, span, .. } => {
                Real::floor((lo as f64 - 0.5) * Real::exp(u * span) + 0.5) - lo as f64
            }
            Self::Ordinal { levels, log: true, .. } => {
                let (mut first, mut last) = (0, levels.len().saturating_sub(1));
                while first < last {
                    let middle = first.midpoint(last + 1);
                    (first, last) =
                        if self.edge(middle as f64) <= u { (middle, last) } else { (first, middle - 1) };
                }
                first as f64
            }
            Self::Real { .. } | Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => {
                Real::floor(u * count as f64)
            }
        };
        // `as` turns negative numbers and NaN into 0.
        (rank as u64).min(count.saturating_sub(1))
    }

    /// The coordinate of the value with this rank, for discrete axes: always the same bits.
    pub(super) fn centre<R: Real>(&self, rank: u64) -> R {
        R::of(match *self {
            Self::Integer { lo, log: true, span, .. } => {
                log_ratio(lo as f64 + rank as f64, lo as f64 - 0.5) / span
            }
            Self::Ordinal { levels, log: true, span } => {
                (0.5 * log_place(levels, 1) + log_place(levels, rank as usize)) / span
            }
            Self::Real { .. } | Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => {
                (rank as f64 + 0.5) / self.count() as f64
            }
        })
    }

    /// Where the bin of a rank starts, for discrete axes.
    pub(super) fn edge(&self, rank: f64) -> f64 {
        match *self {
            Self::Integer { lo, log: true, span, .. } => {
                let base = lo as f64 - 0.5;
                log_ratio(base + rank, base) / span
            }
            Self::Ordinal { levels, log: true, span } => log_edge(levels, rank as usize) / span,
            Self::Real { .. } | Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => {
                rank / self.count() as f64
            }
        }
    }

    /// The nearest admissible coordinate; the middle for NaN.
    pub(super) fn snap<R: Real>(&self, u: R) -> R {
        let u = clamp(u);
        match *self {
            Self::Real { .. } if self.narrow::<R>() => self.coordinate(self.value(u)).unwrap_or(u),
            Self::Real { .. } => u,
            Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => {
                self.centre(self.rank(u.to_f64()))
            }
        }
    }

    /// User units → coordinate; nothing if the axis cannot take the value.
    pub(super) fn coordinate<R: Real>(&self, x: R) -> Option<R> {
        let value = x.to_f64();
        match *self {
            Self::Real { lo, hi, log, span } => {
                let (first, last) = (R::of(lo), R::of(hi));
                if x == first {
                    return Some(R::ZERO);
                }
                if x == last {
                    return Some(R::ONE);
                }
                if !(first < x && x < last) {
                    return None;
                }
                let scale = half(lo, hi);
                let u = if log { log_ratio(value, lo) / span } else { (value * scale - lo * scale) / span };
                Some(R::of(u).clamp(R::ZERO, R::ONE))
            }
            Self::Ordinal { levels, .. } => {
                let rank = levels.iter().position(|&level| R::of(level) == x)?;
                Some(self.centre(rank as u64))
            }
            Self::Integer { .. } | Self::Categorical { .. } => {
                self.token(value).map(|rank| self.centre(rank))
            }
        }
    }

    /// Coordinate → user units, always in range; 0 and 1 give the very bounds of a real.
    pub(super) fn value<R: Real>(&self, u: R) -> R {
        let u = clamp(u);
        match *self {
            Self::Real { lo, hi, log, span } => {
                let (first, last) = (R::of(lo), R::of(hi));
                if u <= R::ZERO {
                    return first;
                }
                if u >= R::ONE {
                    return last;
                }
                let scale = half(lo, hi);
                let step = u.to_f64() * span;
                let x = if !log {
                    (lo * scale + step) / scale
                } else if self.narrow::<R>() {
                    // Here 1 is large beside what the exponential adds to it.
                    lo + lo * Real::exp_m1(step)
                } else {
                    log_move(lo, step)
                };
                R::of(x).clamp(first, last)
            }
            Self::Integer { lo, .. } => R::of(lo.wrapping_add(self.rank(u.to_f64()) as i64) as f64),
            Self::Ordinal { levels, .. } => {
                levels.get(self.rank(u.to_f64()) as usize).map_or(R::ZERO, |&level| R::of(level))
            }
            Self::Categorical { .. } => R::of(self.rank(u.to_f64()) as f64),
        }
    }

    /// A user's `f64` as the word that conditions compare: the rank, or the bits of a real.
    pub(super) fn token(&self, value: f64) -> Option<u64> {
        match *self {
            Self::Real { lo, hi, .. } => (lo <= value && value <= hi).then_some(value.to_bits()),
            Self::Ordinal { levels, .. } => levels.iter().position(|&v| v == value).map(|rank| rank as u64),
            Self::Integer { .. } | Self::Categorical { .. } => {
                let (first, last) = self.range(value, value)?;
                (first == last).then_some(first)
            }
        }
    }

    /// A word as a number in the order of the values.
    pub(super) fn key(&self, token: u64) -> u64 {
        match (self.continuous(), f64::from_bits(token) == 0.0, token >> 63) {
            (false, ..) => token,
            // Both zeros are one value.
            (true, true, _) => 1 << 63,
            (true, false, 0) => token | 1 << 63,
            (true, false, _) => !token,
        }
    }

    /// The first and the last key.
    pub(super) fn ends(&self) -> (u64, u64) {
        match *self {
            Self::Real { lo, hi, .. } => (self.key(lo.to_bits()), self.key(hi.to_bits())),
            Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => {
                (0, self.count().saturating_sub(1))
            }
        }
    }

    /// The first and last word of the values between `lo` and `hi`; nothing if there is none.
    pub(super) fn range(&self, lo: f64, hi: f64) -> Option<(u64, u64)> {
        if lo.is_nan() || hi.is_nan() || lo > hi {
            return None;
        }
        match *self {
            Self::Real { lo: first, hi: last, .. } => (lo <= last && first <= hi)
                .then(|| (Real::max(lo, first).to_bits(), Real::min(hi, last).to_bits())),
            Self::Integer { lo: first, hi: last, .. } => {
                let from = (-Real::floor(-lo) as i64).max(first);
                let to = (Real::floor(hi) as i64).min(last);
                let rank = |v: i64| (v as u64).wrapping_sub(first as u64);
                (from <= to).then(|| (rank(from), rank(to)))
            }
            Self::Ordinal { levels, .. } => {
                let from = levels.iter().position(|&v| lo <= v)?;
                let to = levels.iter().rposition(|&v| v <= hi)?;
                (from <= to).then_some((from as u64, to as u64))
            }
            Self::Categorical { count } => {
                let from = -Real::floor(-lo) as u64;
                let to = (Real::floor(hi) as u64).min(count - 1);
                (hi >= 0.0 && from <= to).then_some((from, to))
            }
        }
    }

    /// Whether a word is one that [`Axis::token`] may return.
    pub(super) fn takes(&self, token: u64) -> bool {
        match *self {
            Self::Real { lo, hi, .. } => {
                let value = f64::from_bits(token);
                lo <= value && value <= hi
            }
            Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => token < self.count(),
        }
    }

    /// Whether the coordinate `u` lies between two words, or the value that it stands for does.
    ///
    /// A value beside an edge may round to it; a user's value on an edge may have a coordinate whose value is beside it.
    pub(super) fn between<R: Real>(&self, u: R, from: u64, to: u64) -> bool {
        match *self {
            Self::Real { .. } => {
                let edge = |token: u64| R::of(f64::from_bits(token));
                let (value, from, to) = (self.value(u), edge(from), edge(to));
                // The edges take the same way as the value did, so that a value on an edge is inside.
                from <= value && value <= to
                    || self.coordinate(from).is_some_and(|from| from <= u)
                        && self.coordinate(to).is_some_and(|to| u <= to)
            }
            Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => {
                let rank = self.rank(u.to_f64());
                from <= rank && rank <= to
            }
        }
    }
}

/// The nearest coordinate of a real; the middle for NaN.
pub(super) fn clamp<R: Real>(u: R) -> R {
    // Adding zero removes the sign of −0, so that equal coordinates have equal bits.
    if u.is_nan() { R::HALF } else { u.clamp(R::ZERO, R::ONE) + R::ZERO }
}

/// ½ where hi − lo overflows, otherwise 1: both bounds are scaled by it before they are subtracted.
fn half(lo: f64, hi: f64) -> f64 {
    if (hi - lo).is_finite() { 1.0 } else { 0.5 }
}

/// ln(x / base) for 0 < base ≤ x, without cancellation for close values and without overflow for far ones.
fn log_ratio(x: f64, base: f64) -> f64 {
    let excess = (x - base) / base;
    if excess < 1.0 {
        Real::ln_1p(excess)
    } else if (x / base).is_finite() {
        Real::ln(x / base)
    } else {
        Real::ln(x) - Real::ln(base)
    }
}

/// ln of a level over the first one.
fn log_place(levels: &[f64], rank: usize) -> f64 {
    levels.get(rank).map_or(0.0, |&level| log_ratio(level, levels[0]))
}

/// Where the bin of a rank begins on a log scale, half-way from the level before it; from where the first bin begins, which is as
/// far before its level as it ends behind it. For the number of levels, where the last bin ends, likewise.
fn log_edge(levels: &[f64], rank: usize) -> f64 {
    let (last, margin) = (levels.len().saturating_sub(1), 0.5 * log_place(levels, 1));
    let place = |rank: usize| log_place(levels, rank);
    match rank {
        0 => 0.0,
        rank if rank > last => margin + place(last) + 0.5 * (place(last) - place(last.saturating_sub(1))),
        rank => margin + 0.5 * (place(rank - 1) + place(rank)),
    }
}

/// base·exp(step) where exp(step) alone may overflow: e⁷⁰⁰ is finite, and a step is at most ln(MAX/MIN) < 1455.
fn log_move(base: f64, step: f64) -> f64 {
    if step <= 700.0 {
        base * Real::exp(step)
    } else {
        let third = Real::exp(step / 3.0);
        base * third * third * third
    }
}
