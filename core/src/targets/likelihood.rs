//! The power of largest likelihood.

use crate::math::golden_section;
use crate::real::Real;

/// The λ of largest profile likelihood within `bounds`: the bent values are normal with the best mean and variance.
///
/// ```text
/// −n/2·ln var ψ + (λ − 1)·Σ logs
/// ```
///
/// `logs` are the logarithms from which `bend` makes ψ. A grid of [`GRID`] intervals, then golden section between the
/// neighbours of its best point. Cost: 52·n exponentials. λ = 1 if nothing can be told.
pub(super) fn most_likely<R: Real>(logs: &[R], bounds: [f64; 2], bend: fn(R, R) -> R) -> R {
    let mut jacobian = R::ZERO;
    for &log in logs {
        jacobian += log;
    }
    let likelihood = |power: R| match log_deviation(logs, |log| bend(log, power)) {
        Some(log) => (power - R::ONE) * jacobian - R::of_usize(logs.len()) * log,
        None => -R::INFINITY,
    };
    let (low, high) = (R::of(bounds[0]), R::of(bounds[1]));
    let step = (high - low) / R::of_usize(GRID);
    let place = |i: usize| low + step * R::of_usize(i);
    let (mut best, mut highest) = (None, -R::INFINITY);
    for i in 0..=GRID {
        let value = likelihood(place(i));
        if value > highest {
            (best, highest) = (Some(i), value);
        }
    }
    let Some(best) = best else { return R::ONE };
    let (low, high) = (place(best.saturating_sub(1)), place((best + 1).min(GRID)));
    let (_, (inside, value)) = golden_section(low, high, 32, likelihood);
    if value > highest { inside } else { place(best) }
}

/// Intervals of the first search.
const GRID: usize = 18;

/// The logarithm of the standard deviation of `map(values)`; none if they are equal up to rounding.
fn log_deviation<R: Real>(values: &[R], map: impl Fn(R) -> R) -> Option<R> {
    let count = R::of_usize(values.len());
    let (mut low, mut high) = (R::INFINITY, -R::INFINITY);
    for &value in values {
        let bent = map(value);
        (low, high) = (low.min(bent), high.max(bent));
    }
    // Halves, so that the difference of the largest numbers is one.
    let reach = high * R::HALF - low * R::HALF;
    let size = high.abs().max(low.abs());
    if !(reach > R::EPSILON * size && reach.is_finite()) {
        return None;
    }
    let centred = |value: R| (map(value) * R::HALF - low * R::HALF) / reach;
    let mut mean = R::ZERO;
    for &value in values {
        mean += centred(value) / count;
    }
    let mut square = R::ZERO;
    for &value in values {
        let away = centred(value) - mean;
        square += away * away;
    }
    Some(R::HALF * (square / count).ln() + reach.ln() + R::of(core::f64::consts::LN_2))
}
