//! Slice sampling along a line.

use super::{Moves, Sampling, Target};
use crate::real::Real;
use crate::rng::{self, Generator};

/// One move along `direction`; whether the place changed.
///
/// ```text
/// level   ln p(θ) + ln U(0, 1)
/// window  of the given width, placed uniformly around 0; each end moves out while p is above the level
/// point   uniform in the window; one that is not above the level becomes its new end
/// ```
///
/// `out` = 0 leaves the window as it is: for a target that changes with each move. After the stated counts, or
/// where the density at the start is none, the place stays. `trial` has the length of `theta`.
///
/// # References
/// Neal, *Slice sampling*, Annals of Statistics 31(3), 2003, figures 3 and 5.
pub(super) fn along<R: Real, T: Target<R>>(
    theta: &mut [R],
    direction: &[R],
    sampling: &Sampling,
    out: u32,
    target: &mut T,
    generator: &mut Generator,
    trial: &mut [R],
    moves: &mut Moves,
) -> bool {
    let start = target.begin(theta, generator);
    moves.evaluations += 1;
    if !start.is_finite() {
        return false;
    }
    let width = R::of(sampling.width);
    let level = start + rng::uniform_open::<R, _>(generator).ln();
    let mut hi = width * rng::uniform_open::<R, _>(generator);
    let mut lo = hi - width;
    let mut above = |at: R, target: &mut T| {
        for (place, (&from, &way)) in trial.iter_mut().zip(theta.iter().zip(direction)) {
            *place = from + at * way;
        }
        moves.evaluations += 1;
        // False for NaN.
        target.at(trial) > level
    };
    for _ in 0..out {
        if !above(lo, target) {
            break;
        }
        lo -= width;
    }
    for _ in 0..out {
        if !above(hi, target) {
            break;
        }
        hi += width;
    }
    for _ in 0..sampling.shrink {
        let z = lo + (hi - lo) * rng::uniform_open::<R, _>(generator);
        if above(z, target) {
            theta.copy_from_slice(trial);
            target.accept();
            moves.moved += 1;
            return true;
        }
        if z < R::ZERO {
            lo = z;
        } else if z > R::ZERO {
            hi = z;
        } else {
            break;
        }
    }
    false
}
