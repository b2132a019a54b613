//! Random search of the acquisition function.

use super::{Best, Run};
use crate::error::Error;
use crate::real::Real;

impl<R: Real> Run<'_, '_, R> {
    /// Offers random points.
    pub(super) fn random(&mut self, best: &mut Best<'_, R>) -> Result<(), Error> {
        let task = self.task;
        self.visit(|point, score| {
            if !task.bars(point) {
                best.offer(point, score);
            }
        })
    }

    /// Scores random points in batches, and shows each.
    pub(super) fn visit(&mut self, mut show: impl FnMut(&[R], R)) -> Result<(), Error> {
        let dims = self.task.domain.dims();
        let (mut left, batch) = (self.settings.global as usize, self.batch.scores.len());
        while left > 0 && batch > 0 {
            let size = batch.min(left);
            let (points, scores) = (&mut self.batch.points[..size * dims], &mut self.batch.scores[..size]);
            for unit in points.chunks_exact_mut(dims) {
                self.task.domain.sample(self.generator, unit)?;
            }
            self.goal.scores(points, scores)?;
            for (point, &score) in points.chunks_exact(dims).zip(scores.iter()) {
                show(point, score);
            }
            left -= size;
        }
        Ok(())
    }
}
