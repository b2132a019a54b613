//! Pattern search on mixed spaces: steps by the sort of each active parameter.

use super::{Best, Run, Starts};
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;

/// The first and the last step of a real, as a part of the cube.
const STEPS: (f64, f64) = (0.05, 0.00625);

impl<R: Real> Run<'_, '_, R> {
    /// Searches from the best of random points and from the best trial.
    ///
    /// ```text
    /// real           u ± h, cut at the bounds;  h = 0.05, halved down to 0.00625 where nothing is better
    /// whole, level   the value before and the one after
    /// category       every other one
    /// ```
    ///
    /// Parameters that begin or cease to matter become canonical after each move.
    pub(super) fn typed(&mut self, starts: &mut Starts<'_, R>, best: &mut Best<'_, R>) -> Result<(), Error> {
        let (task, dims) = (self.task, self.task.domain.dims());
        let count = (self.settings.starts.max(1) as usize).min(starts.values.len());
        starts.values.fill(R::NAN);
        self.visit(|point, score| starts.keep_best(0..count, point, score, |unit| task.bars(unit)))?;
        for (point, value) in starts.kept(count, dims) {
            self.walk(point, value, best)?;
        }
        if let Some(&row) = task.anchors.first() {
            let point = &mut starts.points[..dims];
            point.copy_from_slice(&task.inputs[row * dims..(row + 1) * dims]);
            let value = self.goal.score(point)?;
            self.walk(point, value, best)?;
        }
        Ok(())
    }

    /// Walks from a point until nothing is better, and offers where it ends.
    fn walk(&mut self, point: &mut [R], mut score: R, best: &mut Best<'_, R>) -> Result<(), Error> {
        let (task, least) = (self.task, R::of(self.settings.polish.tolerance));
        let (first, last) = STEPS;
        let mut length = first;
        for _ in 0..self.settings.rounds {
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
            let next = self.step(best.dice, point, score, least, neighbour)?;
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
}
