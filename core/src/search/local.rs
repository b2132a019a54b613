//! Local search: steps to better neighbours.

use super::{Batch, Best, Run};
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;

/// Writes the k-th neighbour of a point in a parameter: generator, point, parameter, k, where to.
pub(super) type Neighbour<'n, R> =
    dyn FnMut(&mut Generator, &[R], usize, usize, &mut [R]) -> Option<bool> + 'n;

impl<R: Real> Run<'_, '_, R> {
    /// Moves `point` to the best of its neighbours if that gains more than `least`; its score, which is no lower.
    ///
    /// `neighbour` writes the k-th neighbour in a parameter that matters, given its coordinate: whether there is one, or
    /// nothing after the last. All are scored together, as many at a time as there is room for.
    pub(super) fn step(
        &mut self,
        dice: &mut Generator,
        point: &mut [R],
        score: R,
        least: R,
        neighbour: &mut Neighbour<'_, R>,
    ) -> Result<R, Error> {
        let dims = point.len();
        let Batch { points, scores, polish } = &mut *self.batch;
        let (winner, rest) = polish.split_at_mut(dims);
        // NaN where a parameter does not matter.
        let marked = &mut rest[..dims];
        marked.copy_from_slice(point);
        self.task.domain.mark(marked);
        let mut best = Best::new(dice, winner);
        let (mut parameter, mut k) = (0, 0);
        while parameter < dims {
            let mut filled = 0;
            while parameter < dims && filled < scores.len() {
                let place = &mut points[filled * dims..(filled + 1) * dims];
                let made = if marked[parameter].is_nan() {
                    None
                } else {
                    neighbour(self.generator, point, parameter, k, place)
                };
                let Some(made) = made else {
                    (parameter, k) = (parameter + 1, 0);
                    continue;
                };
                k += 1;
                filled += usize::from(made && place != point && !self.task.bars(place));
            }
            let points = &points[..filled * dims];
            self.goal.scores(points, &mut scores[..filled])?;
            for (candidate, &value) in points.chunks_exact(dims).zip(scores.iter()) {
                best.offer(candidate, value);
            }
        }
        match best.score {
            Some(value) if value - score > least => {
                point.copy_from_slice(best.point);
                Ok(value)
            }
            _ => Ok(score),
        }
    }
}
