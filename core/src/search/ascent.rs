//! Multi-start ascent: candidates in batches, the best few polished by quasi-Newton steps in the coordinates
//! that have a gradient, by exchanging single values in the others.

use super::{Goal, Memory, Search, Task, keep_best, polish};
use crate::backend::Sobol;
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::sobol;

/// Writes the point of largest score that was found to `out` and returns its score; `None` if every candidate was taken.
///
/// # Errors
/// What scoring reports.
pub(super) fn propose<R: Real>(
    task: &Task<'_, R>,
    goal: &mut Goal<'_, R>,
    settings: &Search,
    generator: &mut Generator,
    memory: &mut Memory<'_, R>,
    out: &mut [R],
) -> Result<Option<R>, Error> {
    let dims = task.domain.dims();
    let starts = (settings.starts.max(1) as usize).min(memory.values.len());
    memory.values.fill(R::NAN);
    screen(task, goal, settings, generator, memory, starts)?;

    let mut best: Option<R> = None;
    for k in 0..starts {
        let Memory { points, scores, starts, values, polish } = memory;
        let start = &mut starts[k * dims..(k + 1) * dims];
        if values[k].is_nan() {
            continue;
        }
        values[k] = goal.decide(start, values[k])?;
        let value = polish::polish(task, goal, settings, points, scores, polish, start, values[k])?;
        if best.is_none_or(|b| value > b) {
            best = Some(value);
            out.copy_from_slice(start);
        }
    }
    Ok(best)
}

/// Scores all candidates; keeps the best spread ones in the first half of the starts, the best local ones in the rest.
fn screen<R: Real>(
    task: &Task<'_, R>,
    goal: &mut Goal<'_, R>,
    settings: &Search,
    generator: &mut Generator,
    memory: &mut Memory<'_, R>,
    starts: usize,
) -> Result<(), Error> {
    let dims = task.domain.dims();
    let sequence = sobol::Sequence { seed: rand_core::Rng::next_u64(generator) };
    let batch = memory.scores.len();
    // A single start is the best of all; of several, each kind of candidate gets its share.
    let shared = starts == 1 || settings.local == 0;
    let spread = if shared { 0..starts } else { 0..starts.div_ceil(2) };
    let around = if shared { 0..starts } else { spread.end..starts };
    let passes = [(settings.global as usize, spread), (settings.local as usize, around)];
    for (pass, (total, keep)) in passes.into_iter().enumerate() {
        if pass == 0 && spread_by_backend(task, goal, sequence, total, keep.clone(), memory)? {
            continue;
        }
        let mut made = 0;
        while made < total {
            let size = batch.min(total - made);
            for (i, unit) in memory.points[..size * dims].chunks_exact_mut(dims).enumerate() {
                if pass == 0 {
                    for (k, u) in unit.iter_mut().enumerate() {
                        *u = sequence.coordinate((made + i) as u32, k);
                    }
                    task.domain.snap(unit);
                } else {
                    // Half of the candidates around the best point, the rest around the next ones.
                    let pick = made + i;
                    let which = if pick % 2 == 0 { 0 } else { pick / 2 };
                    task.beside(which, generator, unit);
                }
            }
            let points = &memory.points[..size * dims];
            let scores = &mut memory.scores[..size];
            goal.scores(points, scores)?;
            for (point, &score) in points.chunks_exact(dims).zip(scores.iter()) {
                keep_best(memory.starts, memory.values, keep.clone(), point, score, |unit| task.bars(unit));
            }
            made += size;
        }
    }
    Ok(())
}

/// Leaves the spread candidates to the backend, if it makes them itself; whether it did.
///
/// Only where every point of the sequence is a candidate as it is: all parameters real, of more values than
/// coordinates, without conditions and clauses.
fn spread_by_backend<R: Real>(
    task: &Task<'_, R>,
    goal: &mut Goal<'_, R>,
    sequence: sobol::Sequence,
    total: usize,
    keep: core::ops::Range<usize>,
    memory: &mut Memory<'_, R>,
) -> Result<bool, Error> {
    let (dims, domain) = (task.domain.dims(), &task.domain);
    if total == 0 || domain.conditional() || domain.forbidding() || !(0..dims).all(|i| domain.is_wide(i)) {
        return Ok(false);
    }
    let sobol = Sobol { sequence, count: total as u32 };
    let Some(found) = goal.screen_sobol(sobol, memory.points, memory.scores)? else {
        return Ok(false);
    };
    for (point, &score) in memory.points.chunks_exact(dims).zip(memory.scores.iter()).take(found) {
        keep_best(memory.starts, memory.values, keep.clone(), point, score, |unit| task.bars(unit));
    }
    Ok(true)
}
