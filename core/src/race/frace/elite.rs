//! Elitist races: the best of a race, and what they bring to the next.

use super::FRace;
use super::book::{Place, State};
use super::conover;
use crate::real::Real;

/// The most elites of any plan.
pub(super) const MOST: usize = 18;

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> FRace<R, M> {
    /// Says who has to run on the present instance: all who have no cost of it.
    pub(super) fn line_up(&mut self) {
        let (alive, row) = (self.book.count(Place::Alive), self.book.count(Place::Rows));
        for column in 0..alive {
            let slot = self.book.alive(column);
            match self.book.remembered::<R>(slot) {
                Some(cost) => {
                    self.book.costs::<R>()[row * alive + column] = cost;
                    self.book.set_state(slot, State::Told, 0);
                }
                None => self.book.set_state(slot, State::Due, 0),
            }
        }
    }

    /// Keeps what the elites cost on the present instance.
    pub(super) fn note(&mut self) {
        let (alive, row) = (self.book.count(Place::Alive), self.book.count(Place::Rows));
        let step = self.book.step(row as u32);
        self.book.set(Place::Step, self.book.number(Place::Step).max(step.saturating_add(1)));
        if !self.book.plan.elitist {
            return;
        }
        for column in 0..alive {
            let slot = self.book.alive(column);
            if slot < self.book.count(Place::Old) {
                let cost = self.book.costs::<R>()[row * alive + column];
                self.write(slot, step as usize, cost);
            }
        }
    }

    /// Ends a race: its best survivors become the elites, best first.
    pub(super) fn crown(&mut self) {
        let (alive, rows) = (self.book.count(Place::Alive), self.book.count(Place::Rows));
        let (costs, sums) = self.book.ranking::<R>();
        conover::rank_sums(&costs[..rows * alive], &mut sums[..alive]);
        self.rank_veterans();
        let elites = alive.min(self.book.plan.races() as usize).min(MOST);
        let mut best = [(0, 0); MOST];
        for place in &mut best[..elites] {
            let mut first: Option<(usize, usize)> = None;
            for column in 0..alive {
                let held = self.book.held::<R>(self.book.alive(column));
                let sums = &*self.book.ranking::<R>().1;
                let ahead =
                    |other: usize, runs: usize| held > runs || (held == runs && sums[column] < sums[other]);
                if sums[column].is_finite() && first.is_none_or(|(other, runs)| ahead(other, runs)) {
                    first = Some((column, held));
                }
            }
            let column = first.map_or(0, |(column, _)| column);
            self.book.ranking::<R>().1[column] = f64::INFINITY;
            *place = (self.book.alive(column), column);
        }
        for (place, &(slot, _)) in best[..elites].iter().enumerate() {
            self.book.keep::<R>(slot, place);
        }
        if self.book.plan.elitist {
            self.inherit(&best[..elites]);
        }
        self.book.set(Place::Elites, elites as u32);
        self.book.set(Place::Racing, 0);
    }

    /// Ranks those who have run more often than the race was long by all that they have in common.
    fn rank_veterans(&mut self) {
        let (alive, rows) = (self.book.count(Place::Alive), self.book.count(Place::Rows));
        let mut group = [(0, 0, 0); MOST];
        let mut size = 0;
        for column in 0..alive {
            let slot = self.book.alive(column);
            let held = self.book.held::<R>(slot);
            if held > rows && size < MOST {
                group[size] = (column, slot, held);
                size += 1;
            }
        }
        let group = &group[..size];
        for &(column, slot, held) in group {
            let peers = group.iter().filter(|peer| peer.2 == held);
            let mut sum = 0.0;
            for step in 0..self.book.plan.steps() {
                let cost = |slot: usize| self.book.history::<R>(slot).get(step).copied().unwrap_or(R::NAN);
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
            self.book.ranking::<R>().1[column] = sum;
        }
    }

    /// Hands the costs of the best, by place and column, over to the elites of the next race.
    fn inherit(&mut self, best: &[(usize, usize)]) {
        let (alive, rows) = (self.book.count(Place::Alive), self.book.count(Place::Rows));
        let (old, steps) = (self.book.count(Place::Old), self.book.plan.steps());
        // Whose costs stand where; those of elites that stay are moved first.
        let mut owners: [usize; MOST] = core::array::from_fn(|place| place);
        for (place, &(slot, _)) in best.iter().enumerate().filter(|(_, (slot, _))| *slot < old) {
            let Some(from) = owners.iter().position(|&owner| owner == slot) else { continue };
            owners.swap(from, place);
            let all = self.book.histories::<R>();
            for step in 0..steps {
                all.swap(from * steps + step, place * steps + step);
            }
        }
        for (place, &(_, column)) in best.iter().enumerate().filter(|(_, (slot, _))| *slot >= old) {
            self.book.histories::<R>()[place * steps..(place + 1) * steps].fill(R::NAN);
            for row in 0..rows {
                let cost = self.book.costs::<R>()[row * alive + column];
                let step = self.book.step(row as u32) as usize;
                self.write(place, step, cost);
            }
        }
        let unused = best.len() * steps;
        self.book.histories::<R>()[unused..].fill(R::NAN);
    }

    fn write(&mut self, place: usize, step: usize, cost: R) {
        let steps = self.book.plan.steps();
        if step < steps
            && let Some(cell) = self.book.histories::<R>().get_mut(place * steps + step)
        {
            *cell = cost;
        }
    }
}
