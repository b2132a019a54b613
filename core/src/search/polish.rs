//! Polishing a candidate by L-BFGS-B and exchanges, to the top of its hill.

use super::{Batch, Goal, Run, Task};
use crate::error::Error;
use crate::lbfgs;
use crate::real::Real;

impl<R: Real> Run<'_, '_, R> {
    /// Improves `point` in place and returns its score, never lower than `score`.
    ///
    /// Alternates quasi-Newton steps in the coordinates with a gradient and exchanges in the others, until neither helps.
    pub(super) fn polish(&mut self, point: &mut [R], score: R) -> Result<R, Error> {
        let mut score = self.climb(point, score)?;
        if (0..point.len()).all(|i| is_smooth(self.task, &self.goal, i)) {
            return Ok(score);
        }
        for _ in 0..self.settings.rounds {
            let exchanged = self.exchange(point, score)?;
            if exchanged <= score {
                break;
            }
            score = self.climb(point, exchanged)?;
        }
        Ok(score)
    }

    /// Quasi-Newton steps in the smooth coordinates.
    fn climb(&mut self, point: &mut [R], score: R) -> Result<R, Error> {
        let (task, goal, budget, dims) = (self.task, &mut self.goal, self.settings.polish, point.len());
        let (lo, rest) = self.batch.polish.split_at_mut(dims);
        let (hi, rest) = rest.split_at_mut(dims);
        let (current, rest) = rest.split_at_mut(dims);
        let (slopes, scratch) = rest.split_at_mut(2 * dims);
        let mut any = false;
        current.copy_from_slice(point);
        task.domain.mark(current);
        for i in 0..dims {
            // Coordinates that do not matter are marked by NaN.
            let moves = is_smooth(task, goal, i) && !current[i].is_nan();
            any |= moves;
            (lo[i], hi[i]) = if moves { (R::ZERO, R::ONE) } else { (point[i], point[i]) };
        }
        if !any || budget.evaluations == 0 {
            return Ok(score);
        }
        current.copy_from_slice(point);
        let mut failure = None;
        lbfgs::minimize(current, lo, hi, budget, scratch, &mut |x, gradient| match goal
            .gradient(x, [gradient, slopes])
        {
            Ok(value) => {
                for g in gradient.iter_mut() {
                    *g = -*g;
                }
                -value
            }
            Err(error) => {
                failure = Some(error);
                R::INFINITY
            }
        });
        if let Some(error) = failure {
            return Err(error);
        }
        task.domain.snap(current);
        let value = goal.score(current)?;
        if value > score && !task.bars(current) {
            point.copy_from_slice(current);
            return Ok(value);
        }
        Ok(score)
    }

    /// Moves `point` to the best of the points that differ from it in one value of a coordinate without gradient.
    fn exchange(&mut self, point: &mut [R], score: R) -> Result<R, Error> {
        let (task, goal, dims) = (self.task, &mut self.goal, point.len());
        let Batch { points, scores, polish } = &mut *self.batch;
        let winner = &mut polish[..dims];
        let mut best = score;
        let (mut parameter, mut alternative) = (0, 0);
        while parameter < dims {
            let mut filled = 0;
            while parameter < dims && filled < scores.len() {
                let place = &mut points[filled * dims..(filled + 1) * dims];
                if !is_smooth(task, goal, parameter)
                    && task.domain.exchange(point, parameter, alternative, place)
                {
                    alternative += 1;
                    filled += usize::from(!task.bars(place));
                } else {
                    (parameter, alternative) = (parameter + 1, 0);
                }
            }
            let points = &points[..filled * dims];
            goal.scores(points, &mut scores[..filled])?;
            for (candidate, &value) in points.chunks_exact(dims).zip(scores.iter()) {
                if value > best {
                    best = value;
                    winner.copy_from_slice(candidate);
                }
            }
        }
        if best > score {
            best = goal.decide(winner, best)?;
        }
        if best > score {
            point.copy_from_slice(winner);
        }
        Ok(best)
    }
}

/// Whether quasi-Newton steps may move a coordinate.
fn is_smooth<R: Real>(task: &Task<'_, R>, goal: &Goal<'_, R>, parameter: usize) -> bool {
    task.domain.continuous(parameter) && goal.smooth(parameter)
}
