//! Local search from the best trials and among random points, as SMAC does it.

use super::{Batch, Best, Run, Starts};
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

impl<R: Real> Run<'_, '_, R> {
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
    pub(super) fn smac(&mut self, starts: &mut Starts<'_, R>, best: &mut Best<'_, R>) -> Result<(), Error> {
        let (task, dims) = (self.task, self.task.domain.dims());
        let count = (self.settings.starts as usize).min(starts.values.len());
        starts.values.fill(R::NAN);
        self.rank_trials(starts, count)?;
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
        for (point, mut score) in starts.kept(count, dims) {
            for _ in 0..self.settings.rounds {
                let next = self.step(best.dice, point, score, R::ZERO, neighbour)?;
                if next <= score {
                    break;
                }
                score = next;
            }
            if !task.bars(point) {
                best.offer(point, score);
            }
        }
        self.random(best)
    }

    /// Keeps the trials of largest acquisition as starts.
    fn rank_trials(&mut self, starts: &mut Starts<'_, R>, count: usize) -> Result<(), Error> {
        let (task, dims) = (self.task, self.task.domain.dims());
        let Batch { points, scores, .. } = &mut *self.batch;
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
            self.goal.scores(points, &mut scores[..filled])?;
            for (point, &score) in points.chunks_exact(dims).zip(scores.iter()) {
                if count > 0 {
                    // Trials are where a search begins, not where it ends.
                    starts.keep_best(0..count, point, score, |_| false);
                }
            }
        }
    }
}
