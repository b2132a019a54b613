//! Adaptive capping: what a stopped run costs, and who can no longer be among the best.

use super::FRace;
use super::elite::MOST;
use super::state::{Field, Progress};
use crate::error::Error;
use crate::race::Outcome;
use crate::real::Real;

/// What those who do not lead may cost up to and with the present instance.
#[derive(Clone, Copy, PartialEq)]
enum Limit {
    /// Anything.
    Open,
    /// It depends on runs of the leaders.
    Waiting,
    Sum(f64),
}

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> FRace<R, M> {
    /// The column of a survivor that is due, and the cap of its run.
    pub(super) fn due(&mut self) -> Option<(usize, f64)> {
        let limit = self.limit();
        for column in 0..self.state.count(Field::Alive) {
            if self.state.progress(self.state.alive(column)).0 == Progress::Due
                && let Some(cap) = self.cap(column, limit)
            {
                return Some((column, cap));
            }
        }
        None
    }

    /// The cost of what came of the open run in that column; infinite if it was stopped before its full cap.
    ///
    /// # Errors
    /// [`Error::NotFinite`].
    pub(super) fn price(&mut self, column: usize, outcome: Outcome<R>) -> Result<R, Error> {
        let plan = self.state.plan;
        if plan.cap.is_infinite() {
            return match outcome {
                Outcome::Cost(cost) if cost.is_finite() => Ok(cost),
                Outcome::Crashed => Ok(R::INFINITY),
                Outcome::Cost(_) | Outcome::Capped => Err(Error::NotFinite),
            };
        }
        let limit = self.limit();
        let cap = self.cap(column, limit).unwrap_or(plan.cap);
        let dear = R::of(plan.penalty * plan.cap);
        match outcome {
            Outcome::Cost(cost) if !(cost.is_finite() && cost >= R::ZERO) => Err(Error::NotFinite),
            Outcome::Cost(cost) if cost <= R::of(cap) => Ok(cost),
            Outcome::Cost(_) | Outcome::Capped if cap < plan.cap => Ok(R::INFINITY),
            Outcome::Cost(_) | Outcome::Capped | Outcome::Crashed => Ok(dear),
        }
    }

    /// Spares those a run who have cost too much before it.
    pub(super) fn excuse(&mut self) {
        let Limit::Sum(limit) = self.limit() else { return };
        let (alive, row) = (self.state.count(Field::Alive), self.state.count(Field::Rows));
        for column in 0..alive {
            let slot = self.state.alive(column);
            let spent = self.state.ranking::<R>().1[column] >= limit;
            if spent && self.state.progress(slot).0 == Progress::Due && !self.leads(column) {
                self.state.costs::<R>()[row * alive + column] = R::INFINITY;
                self.state.set_progress(slot, Progress::Told, 0);
            }
        }
    }

    /// Marks those by an infinite sum who have cost too much with the present instance.
    pub(super) fn dominate(&mut self) {
        let (alive, row) = (self.state.count(Field::Alive), self.state.count(Field::Rows));
        let Limit::Sum(limit) = self.limit() else {
            self.state.ranking::<R>().1[..alive].fill(0.0);
            return;
        };
        for column in 0..alive {
            // Whoever is marked was behind all who lead: no other comes to lead by that.
            if self.leads(column) {
                continue;
            }
            let (costs, sums) = self.state.ranking::<R>();
            if sums[column] + costs[row * alive + column].to_f64() > limit {
                sums[column] = f64::INFINITY;
            }
        }
    }

    /// The cap of a run; nothing while it cannot be told.
    fn cap(&mut self, column: usize, limit: Limit) -> Option<f64> {
        let cap = self.state.plan.cap;
        match limit {
            Limit::Open => Some(cap),
            _ if self.leads(column) => Some(cap),
            Limit::Waiting => None,
            Limit::Sum(limit) => Some(cap.min(limit - self.state.ranking::<R>().1[column])),
        }
    }

    /// What those who do not lead may cost in all; leaves in the sums what each has cost before the present instance.
    fn limit(&mut self) -> Limit {
        let (plan, alive, row) =
            (self.state.plan, self.state.count(Field::Alive), self.state.count(Field::Rows));
        if !plan.adapts() {
            return Limit::Open;
        }
        let (costs, sums) = self.state.ranking::<R>();
        let sums = &mut sums[..alive];
        sums.fill(0.0);
        for row in costs.chunks_exact(alive.max(1)).take(row) {
            sums.iter_mut().zip(row).for_each(|(sum, cost)| *sum += cost.to_f64());
        }
        let (mut means, mut count) = ([0.0; MOST], 0);
        for column in 0..alive {
            if count == MOST || !self.leads(column) {
                continue;
            }
            if self.state.progress(self.state.alive(column)).0 != Progress::Told {
                return Limit::Waiting;
            }
            let (costs, sums) = self.state.ranking::<R>();
            means[count] = sums[column] + costs[row * alive + column].to_f64();
            count += 1;
        }
        let means = &mut means[..count];
        means.sort_unstable_by(f64::total_cmp);
        match (means.get(count / 2), means.get(count.saturating_sub(1) / 2)) {
            (Some(high), Some(low)) => Limit::Sum(plan.slack * 0.5 * (low + high)),
            _ => Limit::Open,
        }
    }

    /// Whether a survivor is one of those that the others are measured by; the sums are what they have cost.
    fn leads(&mut self, column: usize) -> bool {
        let (plan, alive) = (self.state.plan, self.state.count(Field::Alive));
        let old = self.state.count(Field::Old);
        if (0..alive).any(|other| self.state.alive(other) < old) {
            return self.state.alive(column) < old;
        }
        if self.state.number(Field::Rows) < plan.first {
            return false;
        }
        let sums = &self.state.ranking::<R>().1[..alive];
        let mine = sums[column];
        let ahead = |other: usize| sums[other] < mine || (sums[other] == mine && other < column);
        (0..alive).filter(|&other| ahead(other)).count() < plan.races() as usize
    }
}
