//! Narrow reals: bounds so close together that the scalar has fewer values between them than coordinates.
//!
//! ```text
//! f32, [1000, 1001]        16,385 values 6.1e-5 apart, 2²⁴ coordinates
//! f64, [1e15, 1e15 + 4]    33 values 1/8 apart, 2⁵³ coordinates
//! ```
//!
//! What counts is the value that a user gets. A narrow real therefore has one coordinate for each of its values, and is
//! gone through value by value where other reals are gone through in cells.

use super::axis::Axis;
use crate::real::Real;

/// Coordinates for each value from which on a real is narrow.
///
/// Way to a coordinate and back, on a log scale, in `f64`: a quotient, a logarithm, a quotient, a product, an exponential
/// and a product have errors of ½, 1, ½, ½, 1 and ½ units in the last place, 4 in all: 8·2⁻⁵³ of dx/du, a quarter of the
/// distance of two values, so that the nearest value is the one that was meant. A real that is not narrow has at most 64 ε
/// of its coordinate for one value, which is what counts as one point.
const MARGIN: f64 = 32.0;

impl Axis<'_> {
    /// Whether every value of a real in `R` lies well apart from the next one on the scale of the coordinates.
    ///
    /// ```text
    /// (distance of neighbouring values at the bound closer to zero) · 2ᵖ ≥ 32 · dx/du,   dx/du = hi − lo  or  hi·ln(hi/lo)
    /// ```
    pub(super) fn narrow<R: Real>(&self) -> bool {
        let Self::Real { lo, hi, log, span } = *self else { return false };
        let (first, last) = (R::of(lo), R::of(hi));
        if !(first.is_finite() && last.is_finite() && first < last) {
            return false;
        }
        let least = if first <= R::ZERO && last >= R::ZERO { R::ZERO } else { first.abs().min(last.abs()) };
        let step = at_order::<R>(order(least) + 1).to_f64() - least.to_f64();
        let width = last.to_f64() - first.to_f64();
        step * R::EXACT >= MARGIN * if log { last.to_f64() * span } else { width }
    }

    /// Number of values in `R`; nothing for a real that is not narrow.
    pub(super) fn values<R: Real>(&self) -> Option<u64> {
        match *self {
            Self::Real { lo, hi, .. } => {
                self.narrow::<R>().then(|| (order(R::of(hi)) - order(R::of(lo))).unsigned_abs() + 1)
            }
            Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => Some(self.count()),
        }
    }

    /// The place of the value at a coordinate among the values in `R`, from 0; 0 for a real that is not narrow.
    pub(super) fn place<R: Real>(&self, u: f64) -> u64 {
        match *self {
            Self::Real { lo, .. } if self.narrow::<R>() => {
                (order(self.value(R::of(u))) - order(R::of(lo))).unsigned_abs()
            }
            Self::Real { .. } => 0,
            Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => self.rank(u),
        }
    }

    /// The place of the value that is meant by a word of a condition or a clause.
    pub(super) fn place_of<R: Real>(&self, token: u64) -> u64 {
        match *self {
            Self::Real { lo, .. } => {
                (order(R::of(f64::from_bits(token))) - order(R::of(lo))).max(0).unsigned_abs()
            }
            Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => token,
        }
    }

    /// The coordinate of the value at a place: always the same bits.
    pub(super) fn at_place<R: Real>(&self, place: u64) -> R {
        match *self {
            Self::Real { lo, hi, .. } => {
                let value = order(R::of(lo)).saturating_add_unsigned(place).min(order(R::of(hi)));
                self.coordinate(at_order::<R>(value)).unwrap_or(R::HALF)
            }
            Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => self.centre(place),
        }
    }

    /// Where the coordinates of the value at a place begin: half-way from the value before it.
    pub(super) fn start<R: Real>(&self, place: f64) -> f64 {
        match *self {
            Self::Real { .. } => {
                let end = self.values::<R>().map_or(1.0, |count| count as f64);
                if place <= 0.0 {
                    0.0
                } else if place >= end {
                    1.0
                } else {
                    let at = |place: f64| self.at_place::<R>(place as u64).to_f64();
                    0.5 * (at(place - 1.0) + at(place))
                }
            }
            Self::Integer { .. } | Self::Ordinal { .. } | Self::Categorical { .. } => self.edge(place),
        }
    }
}

/// The number of a finite value in the order of all values of `R`: 0 for both zeros, one more for the next larger value.
fn order<R: Real>(value: R) -> i64 {
    let (bits, sign) = if R::BYTES == 4 {
        (i64::from((value.to_f64() as f32).to_bits()), 1 << 31)
    } else {
        (value.to_f64().to_bits() as i64, i64::MIN)
    };
    if bits & sign == 0 { bits } else { -(bits & !sign) }
}

/// The value with that number.
fn at_order<R: Real>(number: i64) -> R {
    let size = if R::BYTES == 4 {
        f64::from(f32::from_bits(number.unsigned_abs() as u32))
    } else {
        f64::from_bits(number.unsigned_abs())
    };
    R::of(if number < 0 { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::{at_order, order};
    use crate::real::Real;
    use crate::space::axis::Axis;
    use crate::space::tests::Dice;
    use rand_core::Rng;

    #[test]
    fn the_order_of_values_has_no_gap() {
        fn check<R: Real>(values: &[f64]) {
            for &value in values {
                let value = R::of(value);
                let next = at_order::<R>(order(value) + 1);
                assert!(at_order::<R>(order(value)) == value && next > value);
                let middle = R::of(0.5 * value.to_f64() + 0.5 * next.to_f64());
                assert!(middle == value || middle == next, "{value} {next}");
            }
        }
        let values = [0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, 1e-38, 0.1, -3.7, 1e30, -1e30];
        check::<f64>(&values);
        check::<f32>(&values);
        assert_eq!((order(0.0f32), order(-0.0f64), order(f32::from_bits(1))), (0, 0, 1));
    }

    #[test]
    fn what_is_narrow() {
        let narrow = |lo: f64, hi: f64, log: bool| {
            let axis = Axis::real(lo, hi, log).unwrap();
            (axis.values::<f32>(), axis.values::<f64>())
        };
        assert_eq!(narrow(1000.0, 1001.0, false), (Some(16_385), Some((1 << 43) + 1)));
        assert_eq!(narrow(-1001.0, -1000.0, false).0, Some(16_385));
        assert_eq!(narrow(1e6, 1e6 + 8.0, false).0, Some(129));
        assert_eq!(narrow(1.7e9, 1.7e9 + 1e5, false).0, Some(782));
        assert_eq!(narrow(1e15, 1e15 + 4.0, false), (None, Some(33)));
        assert_eq!(narrow(1e15, 1e15 + 4.0, true), (None, Some(33)));
        assert_eq!(narrow(0.0, 1e-322, false), (None, Some(21)));
        assert_eq!(narrow(-1e-44, 1e-44, false).0, Some(15));
        assert_eq!(narrow(2.0f64.powi(53), 2.0f64.powi(53) + 2.0, false).1, Some(2));
        for (lo, hi, log) in [(0.0, 1.0, false), (-5.0, 10.0, false), (1e-5, 1.0, true), (1.0, 2.0, true)] {
            assert_eq!(narrow(lo, hi, log), (None, None));
        }
        assert_eq!(narrow(-f64::MAX, f64::MAX, false), (None, None));
    }

    /// Every value has one coordinate and every coordinate the value next to it, up to the widest of narrow reals.
    fn one_to_one<R: Real>() {
        let mut dice = Dice(3);
        let (mut found, mut widest) = (0, 0);
        while found < 20_000 {
            let first = f64::from_bits(dice.next_u64());
            let first =
                R::of(if found % 4 == 0 { first } else { 1.0 + (dice.next_u64() % 9000) as f64 * 0.37 });
            let gap = 1i64 << (dice.next_u64() % (if R::BYTES == 4 { 20 } else { 49 }));
            let gap = gap + (dice.next_u64() % gap as u64) as i64;
            let (sign, log) = (dice.next_u64() & 1 == 0, dice.next_u64() & 1 == 0);
            if !first.is_finite() || first == R::ZERO {
                continue;
            }
            let lo = if sign && !log { first.to_f64() } else { first.abs().to_f64() };
            let hi = at_order::<R>(order(R::of(lo)) + gap).to_f64();
            let Some(axis) = Axis::real(lo, hi, log).filter(|_| hi.is_finite()) else { continue };
            if axis.check_exact::<R>(0).is_err() {
                continue;
            }
            let Some(count) = axis.values::<R>() else { continue };
            (found, widest) = (found + 1, widest.max(count));
            assert_eq!(count, gap as u64 + 1);
            for _ in 0..8 {
                let place = match dice.next_u64() % 4 {
                    0 => 0,
                    1 => count - 1,
                    _ => dice.next_u64() % count,
                };
                let u: R = axis.at_place(place);
                assert_eq!(axis.place::<R>(u.to_f64()), place, "{axis:?} {place} of {count}");
                assert_eq!(axis.snap(u), u);
                assert_eq!(axis.coordinate(axis.value(u)), Some(u));
                assert!(place == 0 || axis.at_place::<R>(place - 1) < u);
                let drawn = R::of((dice.next_u64() >> 11) as f64 / R::EXACT.max(2f64.powi(53)));
                let snapped = axis.snap(drawn);
                assert!(axis.value(drawn) == axis.value(snapped) && axis.snap(snapped) == snapped);
                let (from, to) = (place as f64, place as f64 + 1.0);
                let inside = 0.5 * (axis.start::<R>(from) + axis.start::<R>(to));
                assert!(axis.start::<R>(from) < axis.start::<R>(to));
                assert!(axis.place::<R>(inside).abs_diff(place) <= 1);
            }
        }
        assert!(widest as f64 > R::EXACT / 256.0, "{widest}");
    }

    #[test]
    fn values_and_coordinates_are_one_to_one() {
        one_to_one::<f32>();
        one_to_one::<f64>();
    }
}
