//! Elitist races: the best of a race, and what they bring to the next.

use super::FRace;
use super::conover;
use super::state::{Field, Progress};
use crate::real::Real;

/// The most elites of any plan.
pub(super) const MOST: usize = 18;

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> FRace<R, M> {
    /// Says who has to run on the present instance: all who have no cost of it.
    pub(super) fn line_up(&mut self) {
        let (alive, row) = (self.state.count(Field::Alive), self.state.count(Field::Rows));
        for column in 0..alive {
            let slot = self.state.alive(column);
            match self.state.remembered::<R>(slot) {
                Some(cost) => {
                    self.state.costs::<R>()[row * alive + column] = cost;
                    self.state.set_progress(slot, Progress::Told, 0);
                }
                None => self.state.set_progress(slot, Progress::Due, 0),
            }
        }
    }

    /// Keeps what the elites cost on the present instance.
    pub(super) fn note(&mut self) {
        let (alive, row) = (self.state.count(Field::Alive), self.state.count(Field::Rows));
        let step = self.state.step(row as u32);
        self.state.set(Field::Step, self.state.number(Field::Step).max(step.saturating_add(1)));
        if !self.state.plan.elitist {
            return;
        }
        for column in 0..alive {
            let slot = self.state.alive(column);
            if slot < self.state.count(Field::Old) {
                let cost = self.state.costs::<R>()[row * alive + column];
                self.write(slot, step as usize, cost);
            }
        }
    }

    /// Ends a race: its best survivors become the elites, best first.
    pub(super) fn crown(&mut self) {
        let (alive, rows) = (self.state.count(Field::Alive), self.state.count(Field::Rows));
        let (costs, sums) = self.state.ranking::<R>();
        conover::rank_sums(&costs[..rows * alive], &mut sums[..alive]);
        self.rank_veterans();
        let elites = alive.min(self.state.plan.races() as usize).min(MOST);
        let mut best = [(0, 0); MOST];
        for place in &mut best[..elites] {
            let mut first: Option<(usize, usize)> = None;
            for column in 0..alive {
                let held = self.state.held::<R>(self.state.alive(column));
                let sums = &*self.state.ranking::<R>().1;
                let ahead =
                    |other: usize, runs: usize| held > runs || (held == runs && sums[column] < sums[other]);
                if sums[column].is_finite() && first.is_none_or(|(other, runs)| ahead(other, runs)) {
                    first = Some((column, held));
                }
            }
            let column = first.map_or(0, |(column, _)| column);
            self.state.ranking::<R>().1[column] = f64::INFINITY;
            *place = (self.state.alive(column), column);
        }
        for (place, &(slot, _)) in best[..elites].iter().enumerate() {
            self.state.keep::<R>(slot, place);
        }
        if self.state.plan.elitist {
            self.inherit(&best[..elites]);
        }
        self.state.set(Field::Elites, elites as u32);
        self.state.set(Field::Racing, 0);
    }

    /// Ranks those who have run more often than the race was long by all that they have in common.
    fn rank_veterans(&mut self) {
        let (alive, rows) = (self.state.count(Field::Alive), self.state.count(Field::Rows));
        let mut group = [(0, 0, 0); MOST];
        let mut size = 0;
        for column in 0..alive {
            let slot = self.state.alive(column);
            let held = self.state.held::<R>(slot);
            if held > rows && size < MOST {
                group[size] = (column, slot, held);
                size += 1;
            }
        }
        let group = &group[..size];
        for &(column, slot, held) in group {
            let peers = group.iter().filter(|peer| peer.2 == held);
            let mut sum = 0.0;
            for step in 0..self.state.plan.steps() {
                let cost = |slot: usize| self.state.history::<R>(slot).get(step).copied().unwrap_or(R::NAN);
                if peers.clone().any(|peer| cost(peer.1).is_nan()) {
                    continue;
                }
                let mine = cost(slot);
                for peer in peers.clone() {
                    let other = cost(peer.1);
                    sum += if other < mine {
                        1.0
                    } else if other > mine {
                        0.0
                    } else {
                        0.5
                    };
                }
            }
            self.state.ranking::<R>().1[column] = sum;
        }
    }

    /// Hands the costs of the best, by place and column, over to the elites of the next race.
    fn inherit(&mut self, best: &[(usize, usize)]) {
        let (alive, rows) = (self.state.count(Field::Alive), self.state.count(Field::Rows));
        let (old, steps) = (self.state.count(Field::Old), self.state.plan.steps());
        // Whose costs stand where; those of elites that stay are moved first.
        let mut owners: [usize; MOST] = core::array::from_fn(|place| place);
        for (place, &(slot, _)) in best.iter().enumerate().filter(|(_, (slot, _))| *slot < old) {
            let Some(from) = owners.iter().position(|&owner| owner == slot) else { continue };
            owners.swap(from, place);
            let all = self.state.histories::<R>();
            for step in 0..steps {
                all.swap(from * steps + step, place * steps + step);
            }
        }
        for (place, &(_, column)) in best.iter().enumerate().filter(|(_, (slot, _))| *slot >= old) {
            self.state.histories::<R>()[place * steps..(place + 1) * steps].fill(R::NAN);
            for row in 0..rows {
                let cost = self.state.costs::<R>()[row * alive + column];
                let step = self.state.step(row as u32) as usize;
                self.write(place, step, cost);
            }
        }
        let unused = best.len() * steps;
        self.state.histories::<R>()[unused..].fill(R::NAN);
    }

    fn write(&mut self, place: usize, step: usize, cost: R) {
        let steps = self.state.plan.steps();
        if step < steps
            && let Some(cell) = self.state.histories::<R>().get_mut(place * steps + step)
        {
            *cell = cost;
        }
    }
}
