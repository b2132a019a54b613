//! Representer points of policies, and the points of pending trials.

use super::block::TrialsRead;
use crate::pending::Pending;
use crate::policy::Policy;
use crate::real::Real;
use crate::rng::Generator;
use crate::search::{self, Task};
use crate::space::sobol;
use crate::trial::State;

/// Points at which the slope of the mean is looked at for a penalty.
const SLOPES: usize = 64;

/// Points at which the slope of the mean is looked at, if a penalty is asked for.
pub(super) fn slopes<'s, R: Real>(
    batch: Pending,
    seed: u64,
    search: &'s mut search::Memory<'_, R>,
    dims: usize,
) -> &'s [R] {
    if batch != Pending::Penalty {
        return &[];
    }
    let sequence = sobol::Sequence { seed };
    let points = search.points();
    let count = (points.len() / dims).min(SLOPES);
    for (i, point) in points.chunks_exact_mut(dims).take(count).enumerate() {
        for (k, u) in point.iter_mut().enumerate() {
            *u = sequence.coordinate(i as u32, k);
        }
    }
    &points[..count * dims]
}

/// Writes the trials in some states to `spots`, one state after the other; how many they are, at most as many as fit.
pub(super) fn fill_state<R: Real>(
    trials: &TrialsRead<'_, R>,
    states: &[State],
    spots: &mut [R],
    dims: usize,
) -> usize {
    let slots = states.iter().flat_map(|&state| trials.in_state(Some(state)));
    let mut count = 0;
    for (spot, slot) in spots.chunks_exact_mut(dims).zip(slots) {
        spot.copy_from_slice(trials.unit(slot));
        count += 1;
    }
    count
}

/// Writes points to `spots` at which a policy represents the function: the best told ones, points beside them, and
/// points spread over the space; how many.
pub(super) fn fill_representers<R: Real>(
    task: &Task<'_, R>,
    policy: Policy,
    generator: &mut Generator,
    spots: &mut [R],
    dims: usize,
) -> usize {
    // Those of a Gumbel fit are predicted one by one and not anchored.
    let wanted = if let Policy::MaxValue { representers, .. } = policy {
        representers as usize
    } else {
        policy.anchors(0)
    };
    let sequence = sobol::Sequence { seed: rand_core::Rng::next_u64(generator) };
    let mut count = 0;
    for (i, spot) in spots.chunks_exact_mut(dims).take(wanted).enumerate() {
        if let Some(&row) = task.anchors.get(i) {
            spot.copy_from_slice(&task.inputs[row * dims..(row + 1) * dims]);
        } else if i % 2 == 0 {
            task.beside(i / 2, generator, spot);
        } else {
            for (k, u) in spot.iter_mut().enumerate() {
                *u = sequence.coordinate(i as u32, k);
            }
            task.domain.snap(spot);
        }
        count += 1;
    }
    count
}
