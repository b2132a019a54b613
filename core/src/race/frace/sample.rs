//! Sampling around elites: the configurations that a race begins with.

use super::FRace;
use super::state::{Field, Progress};
use crate::error::Error;
use crate::real::Real;
use crate::rng::{Generator, below, uniform};
use crate::space::{Domain, Kind, is_active};
use crate::stats::normal;

/// Draws before a copy of another configuration is replaced by a random one.
const TRIES: usize = 20;
/// How far apart the coordinates of configurations are that count as copies.
const ALIKE: f64 = 1e-4;

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> FRace<R, M> {
    /// Begins the next race, if there are runs enough for one.
    ///
    /// # Errors
    /// [`Error::Exhausted`], or those of [`Domain::sample`]; nothing has changed then.
    pub(super) fn begin(&mut self, domain: Domain<'_>) -> Result<(), Error> {
        let plan = self.state.plan;
        let race = self.state.number(Field::Race).saturating_add(1);
        let left = plan.budget.saturating_sub(self.state.number(Field::Used));
        let share = left / plan.races().saturating_sub(race - 1).max(1);
        let (mut cost, mut kept) = (plan.each.saturating_mul(race.min(5)).saturating_add(plan.first), 0);
        let seen = self.state.number(Field::Step);
        if plan.elitist {
            cost = cost.max(seen.saturating_add(1));
            kept = self.state.histories::<R>().iter().filter(|cost| !cost.is_nan()).count() as u32;
        }
        let configs = (share.saturating_add(kept) / cost).min(plan.configs());
        Error::Exhausted.when(configs <= plan.races() || (plan.elitist && seen as usize >= plan.steps()))?;
        let elites = self.state.number(Field::Elites).min(configs);
        let fresh = configs - elites;
        let (mut sd, mut loose) = self.state.spread();
        if race > 1 {
            sd *= libm::pow(1.0 / f64::from(fresh.max(1)), 1.0 / f64::from(plan.dims));
            loose *= (1.0 - f64::from(race - 1) / f64::from(plan.races())).max(0.0);
        }
        let mut dice = self.state.dice();
        let dims = plan.dims as usize;
        let (points, kept, mask) = self.state.points::<R>();
        let (near, mut widened) = (R::of(if plan.elitist { ALIKE } else { 0.0 }), false);
        let mut before = Ok(());
        for slot in 0..configs as usize {
            let (done, rest) = points.split_at_mut(slot * dims);
            let unit = &mut rest[..dims];
            if slot < elites as usize {
                unit.copy_from_slice(&kept[slot * dims..][..dims]);
                domain.snap(unit);
                continue;
            }
            let known = |unit: &[R]| done.chunks_exact(dims).any(|other| alike(other, unit, near));
            let mut drawn = false;
            for attempt in 0..if elites > 0 { 2 * TRIES } else { 0 } {
                if attempt == TRIES {
                    if widened || !plan.elitist {
                        break;
                    }
                    widened = true;
                    let (new, d) = (f64::from(fresh.max(1)), f64::from(plan.dims));
                    sd = (sd * libm::pow(new, 2.0 / d)).min(0.5 * libm::pow(new, -1.0 / d));
                    loose = 0.9 * loose + 0.1;
                }
                let parent = &kept[parent(&mut dice, elites) * dims..][..dims];
                around(domain, &mut dice, parent, (sd, loose), mask, unit);
                drawn = domain.allows(unit) && !known(unit);
                if drawn {
                    break;
                }
            }
            if !drawn {
                before = domain.sample(&mut dice, unit);
            }
            if before.is_err() {
                break;
            }
        }
        before?;
        self.state.set_spread(sd, loose);
        self.state.set_generator(&dice);
        let names = self.state.number(Field::Names);
        for slot in 0..configs as usize {
            let fresh = names.wrapping_add((slot as u32).wrapping_sub(elites));
            let name = if slot < elites as usize { self.state.kept_name(slot) } else { fresh };
            self.state.set_name(slot, name);
            self.state.set_progress(slot, Progress::Due, 0);
            self.state.set_alive(slot, slot);
        }
        self.state.set(Field::Names, names.wrapping_add(fresh));
        self.state.set(Field::Race, race);
        self.state.set(Field::Configs, configs);
        self.state.set(Field::Alive, configs);
        self.state.set(Field::Rows, 0);
        self.state.set(Field::Until, self.state.number(Field::Used) + share);
        self.state.set(Field::Seen, seen);
        self.state.set(Field::Old, elites);
        self.state.set(Field::Racing, 1);
        self.line_up();
        Ok(())
    }
}

/// Whether two configurations are as good as the same.
fn alike<R: Real>(a: &[R], b: &[R], near: R) -> bool {
    a.iter().zip(b).all(|(&a, &b)| (a - b).abs() <= near)
}

/// An elite, the best most often.
///
/// ```text
/// P(r) = (n − r + 1)/(n(n + 1)/2),   r = 1 … n
/// ```
fn parent(dice: &mut Generator, elites: u32) -> usize {
    let n = u64::from(elites);
    let mut ticket = below(dice, n * (n + 1) / 2);
    for place in 0..n {
        if ticket < n - place {
            return place as usize;
        }
        ticket -= n - place;
    }
    0
}

/// A configuration near the parent; what does not matter there is drawn anew.
fn around<R: Real>(
    domain: Domain<'_>,
    dice: &mut Generator,
    parent: &[R],
    (sd, loose): (f64, f64),
    mask: &mut [u64],
    unit: &mut [R],
) {
    domain.active(parent, mask);
    for (i, (coordinate, &mean)) in unit.iter_mut().zip(parent).enumerate() {
        *coordinate = if !is_active(mask, i) {
            uniform(dice)
        } else if domain.kind(i) == Kind::Categorical {
            if uniform::<f64, _>(dice) < loose { uniform(dice) } else { mean }
        } else {
            truncated(dice, mean, R::of(sd))
        };
    }
    domain.snap(unit);
}

/// A normal draw within [0, 1], by inversion.
fn truncated<R: Real>(dice: &mut Generator, mean: R, sd: R) -> R {
    let u: R = uniform(dice);
    if sd <= R::ZERO {
        return mean;
    }
    let (low, high) = (normal::cdf(-mean / sd), normal::cdf((R::ONE - mean) / sd));
    (mean + sd * normal::quantile(low + u * (high - low))).clamp(R::ZERO, R::ONE)
}
