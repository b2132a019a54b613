//! Exhaustive search: every configuration of a small space.

use super::{Batch, Best, Run, Task};
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;

/// Configurations of a space that is gone through one by one: about as many as a search has candidates.
const MOST: usize = 2048;
/// Steps of counting them.
const STEPS: u32 = 1 << 16;

/// Whether a space has at most [`MOST`] configurations; `work` is a point.
pub(super) fn is_small<R: Real>(task: &Task<'_, R>, generator: &Generator, work: &mut [R]) -> bool {
    let (domain, mut generator, mut steps) = (&task.domain, generator.clone(), STEPS);
    if !(0..domain.dims()).all(|i| domain.values::<R>(i).is_some()) {
        return false;
    }
    let mut count = 0;
    while count <= MOST && domain.successor(&mut generator, count == 0, &mut steps, work) {
        count += 1;
    }
    count <= MOST && steps > 0
}

impl<R: Real> Run<'_, '_, R> {
    /// Offers every configuration that may be proposed.
    ///
    /// Cost: the scores of all of them.
    pub(super) fn whole(&mut self, best: &mut Best<'_, R>) -> Result<(), Error> {
        let (task, dims) = (self.task, self.task.domain.dims());
        let Batch { points, scores, polish } = &mut *self.batch;
        let at = &mut polish[..dims];
        let (mut first, mut steps, mut more) = (true, STEPS, true);
        while more {
            let mut filled = 0;
            while filled < scores.len() {
                more = task.domain.successor(self.generator, first, &mut steps, at);
                first = false;
                if !more {
                    break;
                }
                if !task.bars(at) {
                    points[filled * dims..(filled + 1) * dims].copy_from_slice(at);
                    filled += 1;
                }
            }
            let points = &points[..filled * dims];
            self.goal.scores(points, &mut scores[..filled])?;
            for (point, &score) in points.chunks_exact(dims).zip(scores.iter()) {
                best.offer(point, score);
            }
        }
        Ok(())
    }
}
