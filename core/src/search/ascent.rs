//! Multi-start ascent: candidates in batches, the best few polished by quasi-Newton steps in the coordinates
//! that have a gradient, by exchanging single values in the others.

use rand_core::Rng;

use super::{Batch, Run, Starts};
use crate::backend::Sobol;
use crate::error::Error;
use crate::real::Real;
use crate::space::sobol;

impl<R: Real> Run<'_, '_, R> {
    /// Writes the point of largest score that was found to `out` and returns its score; `None` if every candidate was taken.
    ///
    /// # Errors
    /// What scoring reports.
    pub(super) fn ascent(&mut self, starts: &mut Starts<'_, R>, out: &mut [R]) -> Result<Option<R>, Error> {
        let count = (self.settings.starts.max(1) as usize).min(starts.values.len());
        starts.values.fill(R::NAN);
        self.screen(starts, count)?;

        let mut best: Option<R> = None;
        for (start, value) in starts.kept(count, out.len()) {
            let value = self.goal.decide(start, value)?;
            let value = self.polish(start, value)?;
            if best.is_none_or(|b| value > b) {
                best = Some(value);
                out.copy_from_slice(start);
            }
        }
        Ok(best)
    }

    /// Scores all candidates; keeps the best spread ones in the first half of the starts, the best local ones in the rest.
    fn screen(&mut self, starts: &mut Starts<'_, R>, count: usize) -> Result<(), Error> {
        let (task, dims, settings) = (self.task, self.task.domain.dims(), self.settings);
        let sequence = sobol::Sequence { seed: self.generator.next_u64() };
        // A single start is the best of all; of several, each kind of candidate gets its share.
        let shared = count == 1 || settings.local == 0;
        let spread = if shared { 0..count } else { 0..count.div_ceil(2) };
        let around = if shared { 0..count } else { spread.end..count };
        let passes = [(settings.global as usize, spread), (settings.local as usize, around)];
        for (pass, (total, keep)) in passes.into_iter().enumerate() {
            if pass == 0 && self.spread_by_backend(sequence, total, keep.clone(), starts)? {
                continue;
            }
            let Batch { points, scores, .. } = &mut *self.batch;
            let mut made = 0;
            while made < total {
                let size = scores.len().min(total - made);
                for (i, unit) in points[..size * dims].chunks_exact_mut(dims).enumerate() {
                    if pass == 0 {
                        for (k, u) in unit.iter_mut().enumerate() {
                            *u = sequence.coordinate((made + i) as u32, k);
                        }
                        task.domain.snap(unit);
                    } else {
                        // Half of the candidates around the best point, the rest around the next ones.
                        let pick = made + i;
                        let which = if pick % 2 == 0 { 0 } else { pick / 2 };
                        task.beside(which, self.generator, unit);
                    }
                }
                let (points, scores) = (&points[..size * dims], &mut scores[..size]);
                self.goal.scores(points, scores)?;
                for (point, &score) in points.chunks_exact(dims).zip(scores.iter()) {
                    starts.keep_best(keep.clone(), point, score, |unit| task.bars(unit));
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
    fn spread_by_backend(
        &mut self,
        sequence: sobol::Sequence,
        total: usize,
        keep: core::ops::Range<usize>,
        starts: &mut Starts<'_, R>,
    ) -> Result<bool, Error> {
        let (task, domain, dims) = (self.task, &self.task.domain, self.task.domain.dims());
        if total == 0 || domain.conditional() || domain.forbidding() || !(0..dims).all(|i| domain.is_wide(i))
        {
            return Ok(false);
        }
        let sobol = Sobol { sequence, count: total as u32 };
        let Batch { points, scores, .. } = &mut *self.batch;
        let Some(found) = self.goal.screen_sobol(sobol, points, scores)? else {
            return Ok(false);
        };
        for (point, &score) in points.chunks_exact(dims).zip(scores.iter()).take(found) {
            starts.keep_best(keep.clone(), point, score, |unit| task.bars(unit));
        }
        Ok(true)
    }
}
