//! Grid search: every point of a mesh once.

use super::sobol::{TRIES, advance};
use super::{History, Workspace};
use crate::error::Error;
use crate::real::Real;
use crate::space::sobol::Sequence;
use crate::space::{Domain, Kind};

/// Points of the mesh that are gone through at most, once hits are rare.
const ENUMERATED: u64 = 1 << 20;

/// Writes a point of the mesh that no trial has.
///
/// Cost: O(trials × dims) for each of up to 256 points of the sequence and, where all were met before, for each point of the
/// mesh up to the first that was not.
///
/// # Errors
/// [`Error::Exhausted`] if there is none.
pub(super) fn propose<R: Real>(
    levels: u32,
    history: &History<'_, R>,
    desk: Workspace<'_, R>,
    unit: &mut [R],
) -> Result<Option<R>, Error> {
    let domain = history.domain;
    // A mesh has no point twice, whatever may be repeated elsewhere.
    let taken = |unit: &[R]| !domain.allows(unit) || (history.known)(unit);
    let sequence = Sequence { seed: desk.seed };
    for step in 0..TRIES {
        let position = advance(*desk.position, step);
        for (i, u) in unit.iter_mut().enumerate() {
            let radix = values::<R>(&domain, i, levels);
            let cell = (sequence.coordinate::<f64>(position as u32, i) * radix as f64) as u64;
            *u = coordinate(&domain, i, levels, cell);
        }
        domain.snap(unit);
        if !taken(unit) {
            *desk.position = position;
            return Ok(Some(R::NAN));
        }
    }
    let needed = unit.len();
    let digits = desk.work.get_mut(..needed).ok_or(Error::Shape { needed })?;
    digits.fill(R::ZERO);
    for _ in 0..ENUMERATED {
        for (i, u) in unit.iter_mut().enumerate() {
            *u = coordinate(&domain, i, levels, digits[i].to_f64() as u64);
        }
        domain.snap(unit);
        if !taken(unit) {
            return Ok(Some(R::NAN));
        }
        if !next(&domain, levels, digits, unit) {
            break;
        }
    }
    Err(Error::Exhausted)
}

/// Counts on, over the parameters that matter; false after the last point.
///
/// The last parameter that matters and has a value left takes it; all behind it begin anew. Those that do not matter stay
/// at 0, so that each configuration comes once, however many parameters it leaves out.
fn next<R: Real>(domain: &Domain<'_>, levels: u32, digits: &mut [R], marked: &mut [R]) -> bool {
    domain.mark(marked);
    for i in (0..digits.len()).rev() {
        let more = digits[i] + R::ONE < R::of(values::<R>(domain, i, levels) as f64);
        if !marked[i].is_nan() && more {
            digits[i] += R::ONE;
            return true;
        }
        digits[i] = R::ZERO;
    }
    false
}

/// Values of a parameter on the mesh.
fn values<R: Real>(domain: &Domain<'_>, parameter: usize, levels: u32) -> u64 {
    let levels = u64::from(levels);
    match (domain.kind(parameter), domain.values::<R>(parameter)) {
        (_, None) => levels,
        (Kind::Real | Kind::Integer, Some(count)) => count.min(levels),
        // More than this no scalar counts exactly, and no run sees.
        (Kind::Ordinal | Kind::Categorical, Some(count)) => count.min(1 << 22),
    }
}

/// The coordinate of one of them.
fn coordinate<R: Real>(domain: &Domain<'_>, parameter: usize, levels: u32, cell: u64) -> R {
    let values = values::<R>(domain, parameter, levels);
    match domain.values::<R>(parameter) {
        Some(count) if count == values => domain.at_rank(parameter, cell),
        _ if values > 1 => R::of(cell as f64 / (values - 1) as f64),
        _ => R::HALF,
    }
}
