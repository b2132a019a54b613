//! TPE, the tree-structured Parzen estimator.

use super::density::Density;
use super::{History, Outcome, Workspace, index};
use crate::error::Error;
use crate::real::Real;
use crate::rng::Generator;
use crate::space::Domain;

/// Multivariate, conditional TPE: the point whose density among the good trials is largest beside that among the others.
///
/// ```text
/// x = argmax l(x)/g(x) over candidates drawn from l;   l of the min(⌈share·n⌉, most) best trials, g of the rest
/// ```
///
/// Parameters that have mattered in the same trials share joint densities, over those trials alone; groups are drawn one after
/// the other, parents first, each with its own candidates, so that the parameters of a branch are those that did well in
/// that branch. Failed trials are bad ones. Old trials weigh less: the last 25 have weight 1, those before 1/n to 1.
///
/// Cost: O(candidates × trials × dims).
///
/// # References
/// Bergstra, Bardenet, Bengio and Kégl, *Algorithms for Hyper-Parameter Optimization*, NIPS 2011; Watanabe, *Tree-Structured
/// Parzen Estimator: Understanding Its Algorithm Components and Their Roles*, 2023.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parzen {
    /// Draws of each group of parameters, of which the best is taken.
    pub candidates: u32,
    /// The share of the trials that are good.
    pub share: f64,
    /// The most good ones.
    pub most: u32,
    /// Weight of the broad kernel beside the trials, each of which has at most 1.
    pub prior: f64,
    /// Whether open trials count among the bad ones, so that workers do not crowd.
    pub liar: bool,
}

/// Points put together before a random one has to do.
const ROUNDS: u32 = 8;
/// Latest trials with full weight.
const LATEST: usize = 25;

impl Parzen {
    /// 24 candidates, a tenth of the trials and at most 25 of them good, a prior like one trial, open trials bad.
    pub(crate) const USUAL: Self = Self { candidates: 24, share: 0.1, most: 25, prior: 1.0, liar: true };

    pub(super) fn is_sound(&self) -> bool {
        (1..=1 << 16).contains(&self.candidates)
            && self.share > 0.0
            && self.share <= 1.0
            && self.most > 0
            && (1e-6..=1e6).contains(&self.prior)
    }

    /// Writes the best of the candidates: the sum of the logarithms of l/g over its groups.
    pub(super) fn propose<R: Real>(
        &self,
        history: &History<'_, R>,
        desk: Workspace<'_, R>,
        unit: &mut [R],
    ) -> Result<Option<R>, Error> {
        let mut paper = Paper::cut(desk.work, history.sequence.len(), unit.len())?;
        let Some((good, all)) = self.split(history, paper.order) else { return Ok(None) };
        paper.copy(history, good, all);
        for _ in 0..ROUNDS {
            let score = self.compose(history.domain, &mut paper, good, all, desk.generator, unit);
            history.domain.snap(unit);
            if score.is_finite() && !history.taken(unit) {
                return Ok(Some(score));
            }
        }
        Ok(None)
    }

    /// Writes the good trials, then the bad ones, each in their order; how many are good, and all. `None` without a value.
    fn split<R: Real>(&self, history: &History<'_, R>, order: &mut [R]) -> Option<(usize, usize)> {
        let closed = |outcome| matches!(outcome, Outcome::Told(_) | Outcome::Failed);
        let all = history.in_order(order, |outcome| closed(outcome) || self.liar && outcome == Outcome::Open);
        let order = &mut order[..all];
        let outcomes = || order.iter().map(|&trial| (history.outcome)(index(trial)));
        let told = outcomes().filter(|outcome| matches!(outcome, Outcome::Told(_))).count();
        let closed = outcomes().filter(|&outcome| closed(outcome)).count();
        let good = Real::min(-Real::floor(-self.share * closed as f64), f64::from(self.most));
        let good = (good as usize).max(1).min(told);
        let value = |trial: R| match (history.outcome)(index(trial)) {
            Outcome::Told(value) => value,
            Outcome::Absent | Outcome::Open | Outcome::Failed => R::INFINITY,
        };
        let sequence = |trial: R| history.sequence[index(trial)];
        order.sort_unstable_by(|&a, &b| {
            let by_value = value(a).partial_cmp(&value(b)).unwrap_or(core::cmp::Ordering::Equal);
            by_value.then(sequence(a).cmp(&sequence(b)))
        });
        order[..good].sort_unstable_by_key(|&trial| sequence(trial));
        order[good..].sort_unstable_by_key(|&trial| sequence(trial));
        (good > 0).then_some((good, all))
    }

    /// Puts a point together group by group; its score.
    fn compose<R: Real>(
        &self,
        domain: Domain<'_>,
        paper: &mut Paper<'_, R>,
        good: usize,
        all: usize,
        generator: &mut Generator,
        unit: &mut [R],
    ) -> R {
        let dims = unit.len();
        // What is not drawn yet is NaN, as what does not matter.
        unit.fill(R::NAN);
        let mut score = R::ZERO;
        for first in 0..dims {
            if !unit[first].is_nan() || !domain.wakes(first, unit) {
                continue;
            }
            let mut count = 0;
            for i in first..dims {
                let same = paper.pattern[i] == paper.pattern[first] && unit[i].is_nan();
                if same && domain.wakes(i, unit) {
                    paper.members[count] = R::of_usize(i);
                    count += 1;
                }
            }
            let members = &paper.members[..count];
            let prior = R::of(self.prior);
            let (rows, norms) = (&paper.rows[..all * dims], &mut paper.norms[..all * dims]);
            let (low, high) = rows.split_at(good * dims);
            let (low_norms, high_norms) = norms.split_at_mut(good * dims);
            let (low_weights, high_weights) = paper.weights[..all].split_at(good);
            let l = Density::new(domain, low, low_norms, low_weights, members, prior);
            let g = Density::new(domain, high, high_norms, high_weights, members, prior);
            let mut best = -R::INFINITY;
            for _ in 0..self.candidates {
                l.sample(generator, paper.candidate);
                for &member in members {
                    let i = index(member);
                    let (lo, hi) = domain.bin(i, paper.candidate[i].to_f64());
                    (paper.edges[2 * i], paper.edges[2 * i + 1]) = (R::of(lo), R::of(hi));
                }
                let ratio = l.log(paper.candidate, paper.edges) - g.log(paper.candidate, paper.edges);
                if ratio > best {
                    best = ratio;
                    members.iter().for_each(|&m| paper.best[index(m)] = paper.candidate[index(m)]);
                }
            }
            if !best.is_finite() {
                return R::NAN;
            }
            members.iter().for_each(|&m| unit[index(m)] = paper.best[index(m)]);
            score += best;
        }
        score
    }
}

/// What is worked in.
struct Paper<'p, R> {
    /// Points of the trials, NaN where a parameter does not matter.
    rows: &'p mut [R],
    norms: &'p mut [R],
    weights: &'p mut [R],
    order: &'p mut [R],
    members: &'p mut [R],
    /// A number for the trials in which each parameter matters.
    pattern: &'p mut [R],
    candidate: &'p mut [R],
    best: &'p mut [R],
    edges: &'p mut [R],
}

/// Scalars of [`Paper`].
///
/// ```text
/// 2nd + 2n + 6d
/// ```
pub(super) const fn work(trials: usize, dims: usize) -> usize {
    let rows = trials.saturating_mul(dims).saturating_mul(2);
    rows.saturating_add(trials.saturating_mul(2)).saturating_add(dims.saturating_mul(6))
}

impl<'p, R: Real> Paper<'p, R> {
    fn cut(memory: &'p mut [R], trials: usize, dims: usize) -> Result<Self, Error> {
        let needed = work(trials, dims);
        let memory = memory.get_mut(..needed).ok_or(Error::Shape { needed })?;
        let (rows, rest) = memory.split_at_mut(trials * dims);
        let (norms, rest) = rest.split_at_mut(trials * dims);
        let (weights, rest) = rest.split_at_mut(trials);
        let (order, rest) = rest.split_at_mut(trials);
        let (members, rest) = rest.split_at_mut(dims);
        let (pattern, rest) = rest.split_at_mut(dims);
        let (candidate, rest) = rest.split_at_mut(dims);
        let (best, edges) = rest.split_at_mut(dims);
        Ok(Self { rows, norms, weights, order, members, pattern, candidate, best, edges })
    }

    /// Copies the trials in order, with their weights, and sees which parameters matter together.
    fn copy(&mut self, history: &History<'_, R>, good: usize, all: usize) {
        let dims = self.members.len();
        for (row, &trial) in self.rows.chunks_exact_mut(dims).zip(&self.order[..all]) {
            row.copy_from_slice(history.point(index(trial)));
            history.domain.mark(row);
        }
        let (low, high) = self.weights[..all].split_at_mut(good);
        fill_weights(low);
        fill_weights(high);
        for (i, pattern) in self.pattern.iter_mut().enumerate() {
            let rows = self.rows.chunks_exact(dims).take(all).enumerate();
            let sum = rows.filter(|(_, row)| !row[i].is_nan()).fold(0u64, |sum, (k, _)| {
                sum.wrapping_add((k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7)
            });
            // As many bits as every scalar holds.
            *pattern = R::of((sum.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 42) as f64);
        }
    }
}

/// The last [`LATEST`] weigh 1, those before less and less.
fn fill_weights<R: Real>(weights: &mut [R]) {
    let count = weights.len();
    let old = count.saturating_sub(LATEST);
    for (k, weight) in weights.iter_mut().enumerate() {
        let least = 1.0 / count as f64;
        let age = if old > 1 { k as f64 / (old - 1) as f64 } else { 0.0 };
        *weight = R::of(if k < old { least + (1.0 - least) * age } else { 1.0 });
    }
}
