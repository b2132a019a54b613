//! Pattern search on mixed spaces: steps by the sort of each active parameter.

use super::{Best, Goal, Memory, Search, Task, keep_best, local, random};
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;

/// The first and the last step of a real, as a part of the cube.
const STEPS: (f64, f64) = (0.05, 0.00625);

/// Searches from the best of random points and from the best trial.
///
/// ```text
/// real           u ± h, cut at the bounds;  h = 0.05, halved down to 0.00625 where nothing is better
/// whole, level   the value before and the one after
/// category       every other one
/// ```
///
/// Parameters that begin or cease to matter become canonical after each move.
pub(super) fn propose<R: Real>(
    task: &Task<'_, R>,
    goal: &mut Goal<'_, R>,
    settings: &Search,
    generator: &mut Generator,
    memory: &mut Memory<'_, R>,
    best: &mut Best<'_, R>,
) -> Result<(), Error> {
    let dims = task.domain.dims();
    let starts = (settings.starts.max(1) as usize).min(memory.values.len());
    memory.values.fill(R::NAN);
    random::visit(task, goal, settings.global, generator, memory, |(from, values), point, score| {
        keep_best(from, values, 0..starts, point, score, |unit| task.bars(unit));
    })?;
    let Memory { points, scores, starts: from, values, polish } = &mut *memory;
    let (winner, rest) = polish.split_at_mut(dims);
    let (marked, rest) = rest.split_at_mut(dims);
    let mut room = local::Room { points, scores, winner, marked };
    for (point, &value) in from.chunks_exact_mut(dims).zip(values.iter()).take(starts) {
        if !value.is_nan() {
            walk(task, goal, settings, generator, &mut room, point, value, best)?;
        }
    }
    if let Some(&row) = task.anchors.first() {
        let point = &mut rest[..dims];
        point.copy_from_slice(&task.inputs[row * dims..(row + 1) * dims]);
        let value = goal.score(point)?;
        walk(task, goal, settings, generator, &mut room, point, value, best)?;
    }
    Ok(())
}

/// Walks from a point until nothing is better, and offers where it ends.
fn walk<R: Real>(
    task: &Task<'_, R>,
    goal: &mut Goal<'_, R>,
    settings: &Search,
    generator: &mut Generator,
    room: &mut local::Room<'_, R>,
    point: &mut [R],
    mut score: R,
    best: &mut Best<'_, R>,
) -> Result<(), Error> {
    let (first, last) = STEPS;
    let mut length = first;
    for _ in 0..settings.rounds {
        let neighbour = &mut |_: &mut Generator, point: &[R], i: usize, k: usize, out: &mut [R]| {
            if !task.domain.continuous(i) {
                return task.domain.exchange(point, i, k, out).then_some(true);
            }
            let shift = match k {
                0 => -length,
                1 => length,
                _ => return None,
            };
            out.copy_from_slice(point);
            out[i] = (point[i] + R::of(shift)).clamp(R::ZERO, R::ONE);
            task.domain.snap(out);
            Some(true)
        };
        let least = R::of(settings.polish.tolerance);
        let next = local::step(task, goal, generator, best.dice, room, point, score, least, neighbour)?;
        if next > score {
            score = next;
        } else if length > last {
            length *= 0.5;
        } else {
            break;
        }
    }
    if !task.bars(point) {
        best.offer(point, score);
    }
    Ok(())
}
