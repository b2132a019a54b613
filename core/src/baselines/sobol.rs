//! Quasi-random search: points of a scrambled Sobol sequence.

use super::{History, Workspace};
use crate::real::Real;
use crate::space::sobol::Sequence;

/// Points of the sequence that are tried before others have to do.
pub(super) const TRIES: u32 = 256;
/// Where the sequence starts again.
const END: u64 = 1 << 31;

/// Writes the next point of the sequence that is not taken.
pub(super) fn propose<R: Real>(
    history: &History<'_, R>,
    desk: Workspace<'_, R>,
    unit: &mut [R],
) -> Option<R> {
    let sequence = Sequence { seed: desk.seed };
    for step in 0..TRIES {
        let position = advance(*desk.position, step);
        for (i, u) in unit.iter_mut().enumerate() {
            *u = sequence.coordinate(position as u32, i);
        }
        history.domain.snap(unit);
        if !history.taken(unit) {
            *desk.position = position;
            return Some(R::NAN);
        }
    }
    None
}

/// So many steps along the sequence.
pub(super) const fn advance(position: u64, step: u32) -> u64 {
    (position % END + step as u64) % END
}
