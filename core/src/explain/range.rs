//! The range of a number, found by asking what is accepted: the check itself is the only place that knows it.

use core::fmt;

/// The accepted numbers around one that is accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least of them.
    pub least: f64,
    /// The largest of them.
    pub most: f64,
    /// Whether they are whole numbers.
    pub whole: bool,
}

/// A finite number as an integer of the same order.
fn rank(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
}

/// The number of that rank.
fn of_rank(rank: i64) -> f64 {
    f64::from_bits(if rank < 0 { i64::MIN.wrapping_sub(rank) } else { rank } as u64)
}

impl Range {
    /// Of reals around `known`, which is accepted. Cost: 128 questions.
    pub(super) fn of_reals(known: f64, mut accepts: impl FnMut(f64) -> bool) -> Self {
        let mut end = |extreme: f64| of_rank(last(rank(known), rank(extreme), |rank| accepts(of_rank(rank))));
        Self { least: end(-f64::MAX), most: end(f64::MAX), whole: false }
    }

    /// Of counts around `known`, which is accepted. Cost: 64 questions.
    pub(super) fn of_counts(known: u32, mut accepts: impl FnMut(u32) -> bool) -> Self {
        let mut end = |extreme: u32| last(known.into(), extreme.into(), |count| accepts(count as u32)) as f64;
        Self { least: end(0), most: end(u32::MAX), whole: true }
    }
}

/// The last number that is accepted on the way from one that is to another, by bisection.
fn last(mut accepted: i64, extreme: i64, mut accepts: impl FnMut(i64) -> bool) -> i64 {
    if accepts(extreme) {
        return extreme;
    }
    let mut refused = extreme;
    while accepted.abs_diff(refused) > 1 {
        // Their sum may not fit.
        let middle = (i128::from(accepted) + i128::from(refused)).div_euclid(2) as i64;
        if accepts(middle) {
            accepted = middle;
        } else {
            refused = middle;
        }
    }
    accepted
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most, whole } = *self;
        if whole {
            return if least == most {
                write!(f, "{least}")
            } else if most >= f64::from(u32::MAX) {
                write!(f, "{least} or more")
            } else {
                write!(f, "{least} to {most}")
            };
        }
        if least == most {
            return Number(least).fmt(f);
        }
        // Beside an open end stands a shorter number than the end itself.
        let (below, above) = (least.next_down(), most.next_up());
        let (open, closed) = (length(below) < length(least), least > -f64::MAX);
        match (closed, open) {
            (false, _) => f.write_str("any number")?,
            (true, true) => write!(f, "above {}", Number(below))?,
            (true, false) => Number(least).fmt(f)?,
        }
        match (most < f64::MAX, length(above) < length(most)) {
            (false, _) if closed && !open => f.write_str(" or more"),
            (false, _) => Ok(()),
            (true, true) => write!(f, " to below {}", Number(above)),
            (true, false) => write!(f, " to {}", Number(most)),
        }
    }
}

/// A number as people write it: without many zeros.
pub(super) struct Number(pub(super) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        let size = value.abs();
        if size != 0.0 && value.is_finite() && !(1e-4..1e9).contains(&size) {
            write!(f, "{value:e}")
        } else {
            write!(f, "{value}")
        }
    }
}

/// Characters of a number: the fewer, the likelier it is a bound that a person wrote.
fn length(value: f64) -> usize {
    struct Count(usize);
    impl fmt::Write for Count {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting never fails.
    let _ = fmt::Write::write_fmt(&mut count, format_args!("{value:e}"));
    count.0
}
