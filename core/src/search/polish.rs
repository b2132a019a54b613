//! From a good candidate to the top of its hill.

use super::{Search, Task};
use crate::acquisition::Prediction;
use crate::backend::Backend;
use crate::descent;
use crate::error::Error;
use crate::gp::predict;
use crate::real::Real;

/// Improves `point` in place and returns its score, never lower than `score`.
///
/// Alternates quasi-Newton steps in the coordinates with a gradient and exchanges in the others, until neither helps.
pub(super) fn polish<R, B, T>(
    task: &Task<'_, R, T>,
    settings: &Search,
    backend: &mut B,
    batch: &mut [R],
    scores: &mut [R],
    memory: &mut [R],
    work: &mut [R],
    point: &mut [R],
    score: R,
) -> Result<R, Error>
where
    R: Real,
    B: Backend<R> + ?Sized,
    T: Fn(&[R]) -> bool,
{
    let mut score = climb(task, settings, memory, work, point, score)?;
    if (0..point.len()).all(|i| is_smooth(task, i)) {
        return Ok(score);
    }
    for _ in 0..settings.rounds {
        let winner = &mut memory[..point.len()];
        let exchanged = exchange(task, backend, batch, scores, winner, work, point, score)?;
        if exchanged <= score {
            break;
        }
        score = climb(task, settings, memory, work, point, exchanged)?;
    }
    Ok(score)
}

/// Whether quasi-Newton steps may move a coordinate.
fn is_smooth<R: Real, T>(task: &Task<'_, R, T>, parameter: usize) -> bool {
    task.domain.continuous(parameter) && task.tape.differentiable(parameter)
}

/// Quasi-Newton steps in the smooth coordinates.
fn climb<R: Real, T: Fn(&[R]) -> bool>(
    task: &Task<'_, R, T>,
    settings: &Search,
    memory: &mut [R],
    work: &mut [R],
    point: &mut [R],
    score: R,
) -> Result<R, Error> {
    let dims = point.len();
    let (lo, rest) = memory.split_at_mut(dims);
    let (hi, rest) = rest.split_at_mut(dims);
    let (current, rest) = rest.split_at_mut(dims);
    let (mean_gradient, rest) = rest.split_at_mut(dims);
    let (variance_gradient, scratch) = rest.split_at_mut(dims);
    let mut any = false;
    current.copy_from_slice(point);
    task.domain.mark(current);
    for i in 0..dims {
        // Coordinates that do not matter are marked by NaN.
        let moves = is_smooth(task, i) && !current[i].is_nan();
        any |= moves;
        (lo[i], hi[i]) = if moves { (R::ZERO, R::ONE) } else { (point[i], point[i]) };
    }
    if !any || settings.polish.evaluations == 0 {
        return Ok(score);
    }
    current.copy_from_slice(point);
    let mut failure = None;
    descent::minimize(current, lo, hi, settings.polish, scratch, |x, gradient| {
        match predict::gradient(&task.tape, &task.posterior, x, mean_gradient, variance_gradient, work) {
            Ok(prediction) => {
                let (value, by_mean, by_deviation) = task.acquisition.score_gradient(prediction, task.best);
                // ∂σ = ∂σ²/(2σ)
                let half = R::HALF / prediction.variance.sqrt().max(R::MIN_POSITIVE.sqrt());
                for i in 0..dims {
                    gradient[i] = -(by_mean * mean_gradient[i] + by_deviation * half * variance_gradient[i]);
                }
                -value
            }
            Err(error) => {
                failure = Some(error);
                R::INFINITY
            }
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    task.domain.snap(current);
    let Prediction { mean, variance } = predict::at(&task.tape, &task.posterior, current, work)?;
    let value = task.acquisition.score(Prediction { mean, variance }, task.best);
    if value > score && !(task.taken)(current) {
        point.copy_from_slice(current);
        return Ok(value);
    }
    Ok(score)
}

/// Moves `point` to the best of the points that differ from it in one value of a coordinate without gradient.
fn exchange<R, B, T>(
    task: &Task<'_, R, T>,
    backend: &mut B,
    batch: &mut [R],
    scores: &mut [R],
    winner: &mut [R],
    work: &mut [R],
    point: &mut [R],
    score: R,
) -> Result<R, Error>
where
    R: Real,
    B: Backend<R> + ?Sized,
    T: Fn(&[R]) -> bool,
{
    let dims = point.len();
    let mut best = score;
    let (mut parameter, mut alternative) = (0, 0);
    while parameter < dims {
        let mut filled = 0;
        while parameter < dims && filled < scores.len() {
            let place = &mut batch[filled * dims..(filled + 1) * dims];
            if !is_smooth(task, parameter) && task.domain.exchange(point, parameter, alternative, place) {
                alternative += 1;
                filled += usize::from(!(task.taken)(place));
            } else {
                (parameter, alternative) = (parameter + 1, 0);
            }
        }
        let points = &batch[..filled * dims];
        backend.score(
            task.tape,
            &task.posterior,
            task.acquisition,
            task.best,
            points,
            &mut scores[..filled],
            work,
        )?;
        for (candidate, &value) in points.chunks_exact(dims).zip(scores.iter()) {
            if value > best {
                best = value;
                winner.copy_from_slice(candidate);
            }
        }
    }
    if best > score && backend.screens() {
        best = super::exact(task, winner, work)?;
    }
    if best > score {
        point.copy_from_slice(winner);
    }
    Ok(best)
}
