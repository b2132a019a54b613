//! Random search of the acquisition function.

use super::{Best, Goal, Memory, Task};
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;

/// Offers `count` random points.
pub(super) fn propose<R: Real>(
    task: &Task<'_, R>,
    goal: &mut Goal<'_, R>,
    count: u32,
    generator: &mut Generator,
    memory: &mut Memory<'_, R>,
    best: &mut Best<'_, R>,
) -> Result<(), Error> {
    visit(task, goal, count, generator, memory, |_, point, score| {
        if !task.bars(point) {
            best.offer(point, score);
        }
    })
}

/// Scores `count` random points in batches, and shows each.
pub(super) fn visit<R: Real>(
    task: &Task<'_, R>,
    goal: &mut Goal<'_, R>,
    count: u32,
    generator: &mut Generator,
    memory: &mut Memory<'_, R>,
    mut show: impl FnMut((&mut [R], &mut [R]), &[R], R),
) -> Result<(), Error> {
    let dims = task.domain.dims();
    let (mut left, batch) = (count as usize, memory.scores.len());
    while left > 0 && batch > 0 {
        let size = batch.min(left);
        let Memory { points, scores, starts, values, .. } = &mut *memory;
        let (points, scores) = (&mut points[..size * dims], &mut scores[..size]);
        for unit in points.chunks_exact_mut(dims) {
            task.domain.sample(generator, unit)?;
        }
        goal.scores(points, scores)?;
        for (point, &score) in points.chunks_exact(dims).zip(scores.iter()) {
            show((starts, values), point, score);
        }
        left -= size;
    }
    Ok(())
}
