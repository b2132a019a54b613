//! Metropolis–Hastings in one coordinate.

use super::{Moves, Target};
use crate::real::Real;
use crate::rng::{self, Generator};

/// The share of accepted steps that burning in aims at, the best for one coordinate of a normal target.
const AIM: f64 = 0.44;

/// One step in one coordinate; whether it was taken.
///
/// ```text
/// θ' = θ + width·z,  z ~ N(0, 1);   taken if ln U(0, 1) < ln p(θ') − ln p(θ)
/// ```
///
/// The proposal is symmetric on the log scale, on which the prior density counts with its Jacobian.
pub(super) fn step<R: Real, T: Target<R>>(
    theta: &mut [R],
    coordinate: usize,
    width: R,
    target: &mut T,
    generator: &mut Generator,
    trial: &mut [R],
    moves: &mut Moves,
) -> bool {
    let start = target.begin(theta, generator);
    moves.evaluations += 2;
    let z: R = rng::normal(generator);
    let level = rng::uniform_open::<R, _>(generator).ln();
    trial.copy_from_slice(theta);
    trial[coordinate] += width * z;
    let end = target.at(trial);
    // False for NaN.
    let taken = start.is_finite() && end.is_finite() && level < end - start;
    if taken {
        theta.copy_from_slice(trial);
        target.accept();
        moves.moved += 1;
    }
    taken
}

/// The width after a step of burning in: longer if it was taken, shorter if not, less and less so.
pub(super) fn adapt<R: Real>(width: R, taken: bool, sweep: u64, most: R) -> R {
    let gain = 1.0 / libm::sqrt(1.0 + sweep as f64 / 4.0);
    let toward = if taken { 1.0 - AIM } else { -AIM };
    (width * R::of(libm::exp(gain * toward))).clamp(R::of(1e-4), most.max(R::of(1e-4)))
}
