//! Weights of a ranking-weighted ensemble (RGPE): how often a joint draw of a data set ranks the told values best.

use super::knowledge::Knowledge;
use super::source::Source;
use crate::block::Scratch;
use crate::error::Error;
use crate::linalg::packed;
use crate::real::Real;
use crate::rng::{self, Generator};
use crate::surrogate;

/// What was told, and what the model says of each without having been told it.
#[derive(Debug)]
pub(crate) struct Held<'t, R> {
    /// Row after row.
    pub(crate) points: &'t mut [R],
    pub(crate) values: &'t mut [R],
    /// Leave-one-out means and deviations, on the scale of the values.
    pub(crate) means: &'t mut [R],
    pub(crate) deviations: &'t mut [R],
}

impl<'t, R: Real> Held<'t, R> {
    /// Scalars for so many trials.
    pub(crate) const fn scalars(trials: usize, dims: usize) -> usize {
        trials.saturating_mul(dims.saturating_add(3))
    }

    /// Room for `count` told values in as many scalars as [`Held::scalars`] says, with what was written there.
    ///
    /// # Errors
    /// [`Error::Shape`].
    pub(crate) fn of(memory: &'t mut [R], count: usize, dims: usize) -> Result<Self, Error> {
        let mut memory = Scratch::new(memory);
        Ok(Self {
            points: memory.take(count * dims)?,
            values: memory.take(count)?,
            means: memory.take(count)?,
            deviations: memory.take(count)?,
        })
    }
}

/// Of the losses of the model: a source whose median is above it is left out, so that many bad sources do not dilute the few good.
const GUARD: f64 = 0.95;

/// Scalars of [`weigh`].
pub(crate) const fn scalars(
    sources: usize,
    rows: usize,
    trials: usize,
    draws: usize,
    dims: usize,
    thetas: usize,
) -> usize {
    let joint = Source::<f64>::joint_work(rows, dims, thetas, trials);
    // A copy of the covariance takes the place of what predicts.
    let work = if joint > packed(trials) { joint } else { packed(trials) };
    let losses = sources.saturating_add(2).saturating_mul(draws);
    losses.saturating_add(work).saturating_add(packed(trials)).saturating_add(3 * trials)
}

/// Weighs each source, and the new data set, by the share of draws in which it ranks the told values best.
///
/// ```text
/// L(f) = Σⱼ Σₖ I((fⱼ < fₖ) xor (yⱼ < yₖ)),   f ~ N(mᵢ(X), Cᵢ(X, X));   of the model fⱼ left out, against yₖ
/// wᵢ = 1/S Σₛ I(i ∈ argmin L)/|argmin L|;   0 where the median of L is above the 95th percentile of that of the model
/// ```
///
/// `memory` has as many scalars as [`scalars`] says. Cost: O(sources · (rows² t + draws · t²)) for t told values.
///
/// # Errors
/// [`Error::Unsupported`] for a source of means, [`Error::Shape`], [`Error::NotPositiveDefinite`].
///
/// # References
/// Feurer, Letham and Bakshy, *Scalable Meta-Learning for Bayesian Optimization using Ranking-Weighted Gaussian Process
/// Ensembles*, 2018.
pub(crate) fn weigh<R: Real>(
    known: &mut Knowledge<'_, R>,
    held: &Held<'_, R>,
    draws: usize,
    memory: &mut [R],
    seed: u64,
) -> Result<(), Error> {
    let (count, sources) = (held.values.len(), known.len());
    let mut memory = Scratch::new(memory);
    let losses = memory.take((sources + 1) * draws)?;
    let (sorted, mean) = (memory.take(draws)?, memory.take(count)?);
    let (drawn, matrix) = (memory.take(count)?, memory.take(packed(count))?);
    let work = memory.rest();
    let mut generator = Generator::new(seed);
    losses.fill(R::INFINITY);
    let (own, others) = losses.split_at_mut(draws);
    for out in own.iter_mut() {
        for (f, (&mean, &deviation)) in drawn.iter_mut().zip(held.means.iter().zip(&*held.deviations)) {
            *f = mean + deviation * rng::normal(&mut generator);
        }
        *out = loss(held.values, |j, k| drawn[j] < held.values[k]);
    }
    let guard = quantile(own, sorted, GUARD);
    known.each_counted(&mut |place, source| {
        let out = &mut others[place * draws..(place + 1) * draws];
        source.joint(held.points, mean, matrix, work)?;
        surrogate::factor(matrix, count, work)?;
        for out in out.iter_mut() {
            drawn.copy_from_slice(mean);
            surrogate::add_draw(drawn, matrix, &mut generator, work)?;
            *out = loss(held.values, |j, k| drawn[j] < drawn[k]);
        }
        if quantile(out, sorted, 0.5) > guard {
            out.fill(R::INFINITY);
        }
        Ok(())
    })?;
    known.own = R::ZERO;
    known.weights.fill(R::ZERO);
    let share = R::ONE / R::of_usize(draws);
    for s in 0..draws {
        let of_draw = || losses.iter().skip(s).step_by(draws);
        let least = of_draw().fold(R::INFINITY, |least, &loss| least.min(loss));
        let ties = of_draw().filter(|&&loss| loss == least).count();
        for (i, _) in of_draw().enumerate().filter(|&(_, &loss)| loss == least) {
            let weight = if i == 0 { &mut known.own } else { &mut known.weights[i - 1] };
            *weight += share / R::of_usize(ties);
        }
    }
    Ok(())
}

/// Ordered pairs of told values that are put the other way round.
fn loss<R: Real>(values: &[R], less: impl Fn(usize, usize) -> bool) -> R {
    let count = values.len();
    let wrong = |j: usize| (0..count).filter(|&k| k != j && less(j, k) != (values[j] < values[k])).count();
    R::of_usize((0..count).map(wrong).sum())
}

/// The value below which a share of several lies.
fn quantile<R: Real>(values: &[R], sorted: &mut [R], share: f64) -> R {
    sorted.copy_from_slice(values);
    sorted.sort_unstable_by(|a, b| a.to_f64().total_cmp(&b.to_f64()));
    let place = (share * sorted.len() as f64) as usize;
    sorted[place.min(sorted.len() - 1)]
}
