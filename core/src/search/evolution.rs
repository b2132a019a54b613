//! Evolution strategies on the acquisition.

use super::{Batch, Best, Goal, Method, Run, Search, Task};
use crate::error::Error;
use crate::evolution::{Cma, Mies, Population, Strategy};
use crate::limits::Limit;
use crate::real::Real;
use crate::rng::Generator;

/// Changes of the best score of a generation that are none, as a part of all its changes.
const TOLERANCE: f64 = 1e-5;
/// Changes of the score that are none: a start without more gain was in vain.
const GAIN: f64 = 1e-9;

impl Method {
    /// Candidates in whose room a strategy and one generation of it find place, for `dims` parameters or fewer.
    ///
    /// ```text
    /// λ + scalars(d)/d ≤ λ + scalars(1),  and d more for a matrix
    /// ```
    pub(crate) const fn candidates(self, dims: usize) -> usize {
        match self {
            Self::Evolution => mies(dims).offspring + Mies::<f64>::scalars(mies(1)),
            Self::Covariance => {
                let group = cma(dims);
                let one = Cma::<f64>::scalars(Population { dims: 1, ..group });
                group.offspring.saturating_add(one).saturating_add(dims)
            }
            Self::Auto | Self::Ascent | Self::Smac | Self::Typed | Self::Random => 0,
        }
    }
}

/// Four parents and ten offspring, all of them open together.
const fn mies(dims: usize) -> Population {
    Population { dims, parents: 4, offspring: 10, open: 10 }
}

const fn cma(dims: usize) -> Population {
    let group = Population::cma(dims, 1);
    Population { open: group.offspring, ..group }
}

impl<R: Real> Run<'_, '_, R> {
    /// [`Method::Evolution`], or else [`Method::Covariance`].
    pub(super) fn evolution(&mut self, best: &mut Best<'_, R>) -> Result<(), Error> {
        let Self { task, goal, settings, generator, batch: Batch { points, scores, .. } } = self;
        let (dims, tolerance) = (task.domain.dims(), R::of(TOLERANCE));
        if settings.method == Method::Evolution {
            let group = mies(dims);
            let (points, state) = room(points, group)?;
            let strategy = Mies::new(state, group)?.tolerance(tolerance);
            run(task, goal, settings, generator, (points, scores), group, strategy, best)
        } else {
            let group = cma(dims);
            let (points, state) = room(points, group)?;
            let strategy = Cma::new(state, group)?.tolerance(tolerance);
            run(task, goal, settings, generator, (points, scores), group, strategy, best)
        }
    }
}

/// Room for one generation, and for the strategy.
fn room<R: Real>(points: &mut [R], group: Population) -> Result<(&mut [R], &mut [R]), Error> {
    points.split_at_mut_checked(group.offspring * group.dims).ok_or(Limit::Candidates.refuse(group.offspring))
}

/// Scores generation after generation: at most `global` points and `rounds` starts per parameter, and until `starts` starts in
/// a row gained nothing.
fn run<'s, R: Real>(
    task: &Task<'_, R>,
    goal: &mut Goal<'_, R>,
    settings: &Search,
    generator: &mut Generator,
    (points, scores): (&mut [R], &mut [R]),
    group: Population,
    mut strategy: impl Strategy<'s, R>,
    best: &mut Best<'_, R>,
) -> Result<(), Error> {
    let (dims, size) = (group.dims, group.offspring);
    let scores = scores.get_mut(..size).ok_or(Limit::Candidates.refuse(size))?;
    let budget = u64::from(settings.global).saturating_mul(dims as u64).div_ceil(size as u64);
    let most = u64::from(settings.rounds).saturating_mul(dims as u64).max(1);
    let (mut begun, mut vain, mut before) = (0, 0, None);
    for _ in 0..budget {
        for (key, unit) in points.chunks_exact_mut(dims).enumerate() {
            strategy.ask(&task.domain, generator, key as u64, unit)?;
        }
        goal.scores(points, scores)?;
        for (key, (point, &score)) in points.chunks_exact(dims).zip(scores.iter()).enumerate() {
            // A score that is NaN, or none at all, is the worst.
            let lost = score.is_nan() || score == R::INFINITY;
            strategy.tell(key as u64, if lost { R::INFINITY } else { -score })?;
            let leads = best.score.is_none_or(|best| score >= best);
            if leads && !task.bars(point) {
                best.offer(point, score);
            }
        }
        if strategy.stalled() {
            let gained = match (before, best.score) {
                (Some(before), Some(now)) => now - before > R::of(GAIN),
                (None, now) => now.is_some(),
                _ => false,
            };
            (begun, vain) = (begun + 1, if gained { 0 } else { vain + 1 });
            before = best.score;
            if begun >= most || vain >= settings.starts.max(1) {
                break;
            }
        }
    }
    Ok(())
}
