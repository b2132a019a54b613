//! Local search from the best trials and among random points, as SMAC does it.

use super::{Best, Goal, Memory, Search, Task, keep_best, local, random};
use crate::error::Error;
use crate::real::Real;
use crate::rng::{Generator, normal};
use crate::space::Kind;

/// Neighbours of a number.
const DRAWS: usize = 4;
/// How far they are drawn, as a part of the cube.
const SD: f64 = 0.2;
/// Draws outside the cube before a neighbour is given up.
const TRIES: u32 = 16;

/// Searches from the trials of largest acquisition, and among random points.
///
/// ```text
/// start       the `starts` trials of largest acquisition
/// neighbours  every other category; four draws of N(u, 0.2²) for a number, those outside [0, 1] drawn again
/// step        to the best of them, until none is better
/// ```
///
/// # References
/// Hutter, Hoos and Leyton-Brown, *Sequential Model-Based Optimization for General Algorithm Configuration*, LION 5, 2011.
pub(super) fn propose<R: Real>(
    task: &Task<'_, R>,
    goal: &mut Goal<'_, R>,
    settings: &Search,
    generator: &mut Generator,
    memory: &mut Memory<'_, R>,
    best: &mut Best<'_, R>,
) -> Result<(), Error> {
    let dims = task.domain.dims();
    let starts = (settings.starts as usize).min(memory.values.len());
    memory.values.fill(R::NAN);
    rank_trials(task, goal, memory, starts)?;
    let Memory { points, scores, starts: from, values, polish } = &mut *memory;
    let (winner, rest) = polish.split_at_mut(dims);
    let mut room = local::Room { points, scores, winner, marked: &mut rest[..dims] };
    for (point, &value) in from.chunks_exact_mut(dims).zip(values.iter()).take(starts) {
        if value.is_nan() {
            continue;
        }
        let mut score = value;
        for _ in 0..settings.rounds {
            let neighbour = &mut |g: &mut Generator, point: &[R], i: usize, k: usize, out: &mut [R]| {
                if task.domain.kind(i) == Kind::Categorical {
                    return task.domain.exchange(point, i, k, out).then_some(true);
                }
                if k == DRAWS {
                    return None;
                }
                out.copy_from_slice(point);
                for _ in 0..TRIES {
                    let u = point[i] + R::of(SD) * normal::<R, _>(g);
                    if (R::ZERO..=R::ONE).contains(&u) {
                        out[i] = u;
                        task.domain.snap(out);
                        return Some(true);
                    }
                }
                Some(false)
            };
            let next =
                local::step(task, goal, generator, best.dice, &mut room, point, score, R::ZERO, neighbour)?;
            if next <= score {
                break;
            }
            score = next;
        }
        if !task.bars(point) {
            best.offer(point, score);
        }
    }
    random::propose(task, goal, settings.global, generator, memory, best)
}

/// Keeps the trials of largest acquisition as starts.
fn rank_trials<R: Real>(
    task: &Task<'_, R>,
    goal: &mut Goal<'_, R>,
    memory: &mut Memory<'_, R>,
    starts: usize,
) -> Result<(), Error> {
    let dims = task.domain.dims();
    let Memory { points, scores, starts: from, values, .. } = memory;
    let mut rows = (0..task.inputs.len() / dims).filter(|&row| (task.known)(row));
    loop {
        let mut filled = 0;
        for (place, row) in points.chunks_exact_mut(dims).take(scores.len()).zip(&mut rows) {
            place.copy_from_slice(&task.inputs[row * dims..(row + 1) * dims]);
            filled += 1;
        }
        if filled == 0 {
            return Ok(());
        }
        let points = &points[..filled * dims];
        goal.scores(points, &mut scores[..filled])?;
        for (point, &score) in points.chunks_exact(dims).zip(scores.iter()) {
            if starts > 0 {
                // Trials are where a search begins, not where it ends.
                keep_best(from, values, 0..starts, point, score, |_| false);
            }
        }
    }
}
