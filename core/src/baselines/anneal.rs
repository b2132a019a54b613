//! Simulated annealing.

use super::{History, Outcome, Workspace, index};
use crate::real::Real;
use crate::rng::{self, Generator};

/// Simulated annealing: a chain of Metropolis steps whose temperature falls from trial to trial.
///
/// ```text
/// trial k is accepted with probability min(1, exp((y − yₖ)/Tₖ)),   Tₖ = heat · cooling^k · sₖ
/// sₖ the mean of |yₖ − y| so far, y the value where the chain is; steps of deviation max(0.01, reach · cooling^(k/2))
/// ```
///
/// A proposal is a neighbour of where the chain is: one parameter that matters moves for certain, the others each with
/// probability 1/d. The chain is walked anew for each question, over the closed trials in the order in which they were asked
/// for: answers may come late and in any order, and what was told without a question counts as a step. Failed trials are never
/// accepted. The first point has every parameter at its default, or at its centre.
///
/// Cost: O(n log n).
///
/// # References
/// Kirkpatrick, Gelatt and Vecchi, *Optimization by Simulated Annealing*, Science 220, 1983.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anneal {
    /// The first temperature, in mean differences of values.
    pub heat: f64,
    /// What a trial leaves of the temperature.
    pub cooling: f64,
    /// Deviation of the first steps, as a part of the range.
    pub reach: f64,
}

/// Neighbours that are tried before a random point has to do.
const TRIES: u32 = 64;
/// The least step.
const LEAST: f64 = 0.01;

impl Anneal {
    /// A temperature of half a mean difference that halves in 23 trials, steps of a fifth of the range.
    pub(crate) const USUAL: Self = Self { heat: 0.5, cooling: 0.97, reach: 0.2 };

    pub(super) fn is_sound(&self) -> bool {
        self.heat >= 0.0
            && self.heat <= 1e6
            && self.cooling > 0.0
            && self.cooling <= 1.0
            && self.reach > 0.0
            && self.reach <= 1.0
    }

    /// Writes a neighbour of where the chain is.
    pub(super) fn propose<R: Real>(
        &self,
        history: &History<'_, R>,
        desk: Workspace<'_, R>,
        unit: &mut [R],
    ) -> Option<R> {
        let Some((here, cold)) = self.walk(history, desk.seed, desk.work) else {
            (0..unit.len()).for_each(|i| unit[i] = history.domain.rest(i));
            history.domain.snap(unit);
            return (!history.taken(unit)).then_some(R::NAN);
        };
        let sd = R::of(Real::max(self.reach * cold.sqrt(), LEAST));
        let share = R::ONE / R::of_usize(unit.len());
        for _ in 0..TRIES {
            unit.copy_from_slice(history.point(here));
            history.domain.perturb(desk.generator, sd, share, unit);
            if !history.taken(unit) {
                return Some(R::NAN);
            }
        }
        None
    }

    /// Where the chain is, and what is left of the temperature; `None` before the first value.
    fn walk<R: Real>(&self, history: &History<'_, R>, seed: u64, order: &mut [R]) -> Option<(usize, f64)> {
        let count = history.in_order(order, |outcome| matches!(outcome, Outcome::Told(_) | Outcome::Failed));
        let mut here: Option<(usize, f64)> = None;
        let (mut cold, mut spread, mut steps) = (1.0, 0.0, 0.0);
        for &trial in &order[..count] {
            let trial = index(trial);
            cold *= self.cooling;
            let Outcome::Told(value) = (history.outcome)(trial) else { continue };
            let value = value.to_f64();
            let Some((_, current)) = here else {
                here = Some((trial, value));
                continue;
            };
            let rise = value - current;
            steps += 1.0;
            // Halves first: a difference of values at the ends of the range would leave it.
            spread += (Real::abs(value * 0.5 - current * 0.5) - spread) / steps;
            let key = history.sequence[trial].wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let chance: f64 = rng::uniform(&mut Generator::new(seed ^ key));
            let temperature = 2.0 * self.heat * cold * spread;
            if rise <= 0.0 || temperature > 0.0 && chance < Real::exp(-rise / temperature) {
                here = Some((trial, value));
            }
        }
        here.map(|(trial, _)| (trial, cold))
    }
}
