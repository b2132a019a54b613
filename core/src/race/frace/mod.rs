//! Iterated F-race: drop what a rank test finds worse, then sample around what is left.

mod book;
mod conover;
mod plan;
mod sample;
#[cfg(test)]
mod tests;

pub use plan::Plan;

use core::marker::PhantomData;

use super::{Outcome, Run};
use crate::error::Error;
use crate::real::Real;
use crate::space::Domain;
use book::{Book, Place, State};

/// An iterated F-race over a space, in a block of words.
///
/// ```text
/// race j   begins with ⌊Bⱼ/(first + each·min(5, j))⌋ configurations, Bⱼ = (budget left)/(races left)
///          all survivors run on the same instances; after `first` of them, and every `each` further, Friedman's test
///          drops those that Conover's finds worse than the best
///          ends with ⌊2 + log₂ d⌋ survivors, or when its budget is used
/// then     new configurations around the best: normal, truncated, of deviation σⱼ = σⱼ₋₁·(1/new)^(1/d), σ₁ = ½;
///          a category is kept with probability 1 − Π(1 − (i − 1)/races), else drawn anew
/// ```
///
/// All survivors may be open together on one instance. The source keeps for each elite the probabilities of all
/// categories; here earlier ancestors count as if they had had the parent's value, which needs no memory per category.
///
/// ```
/// # use infill::{Error, Param, Space, space::Domain};
/// use infill::race::{FRace, Outcome, Plan};
///
/// let params = [Param::real(0.0, 1.0), Param::categorical(3)];
/// let mut words = [0; 64];
/// Space::new(&params, &[])?.write(&mut words)?;
/// let domain = Domain::attach::<f64>(&words)?;
///
/// const PLAN: Plan = Plan::new(2, 300);
/// let mut race = FRace::<f64, _>::new(&PLAN, [0; PLAN.words::<f64>()])?;
/// let mut x = [0.0; 2];
/// while let Ok(run) = race.ask(domain, &mut x) {
///     let noise = (run.seed % 1000) as f64 / 5000.0;
///     race.tell(run.id, Outcome::Cost((x[0] - 0.3).abs() + x[1] + noise))?;
/// }
/// race.best(domain, &mut x)?.ok_or(Error::NoData)?;
/// assert!((x[0] - 0.3).abs() < 0.2 && x[1] == 0.0);
/// # Ok::<(), Error>(())
/// ```
///
/// # References
/// Balaprakash, Birattari and Stützle, *Improvement Strategies for the F-Race Algorithm*, HM 2007; López-Ibáñez,
/// Dubois-Lacoste, Pérez Cáceres, Birattari and Stützle, *The irace package*, Operations Research Perspectives 3, 2016,
/// without its elitist races and restarts.
#[derive(Clone, Copy, Debug)]
pub struct FRace<R, M> {
    book: Book<M>,
    scalar: PhantomData<R>,
}

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> FRace<R, M> {
    /// A race that has not begun, in [`Plan::words`] words.
    ///
    /// # Errors
    /// As [`Plan::check`]; [`Error::Memory`] for too few words.
    pub fn new(plan: &Plan, mem: M) -> Result<Self, Error> {
        Ok(Self { book: Book::new::<R>(plan, mem)?, scalar: PhantomData })
    }

    /// The next run to make, and the configuration in user units. Runs have no cap.
    ///
    /// # Errors
    /// [`Error::Shape`] if the space or the point have other parameters than the plan; [`Error::TooManyOpen`] if all
    /// survivors are running; [`Error::Exhausted`] if the budget is used; those of [`Domain::sample`].
    pub fn ask(&mut self, domain: Domain<'_>, point: &mut [R]) -> Result<Run<R>, Error> {
        let needed = self.book.plan.dims as usize;
        if domain.dims() != needed || point.len() != needed {
            return Err(Error::Shape { needed });
        }
        if self.book.number(Place::Racing) == 0 {
            let begun = self.begin(domain);
            self.book.seal::<R>();
            begun?;
        }
        let column = (0..self.book.count(Place::Alive))
            .find(|&column| self.book.state(self.book.alive(column)).0 == State::Due)
            .ok_or(Error::TooManyOpen)?;
        let slot = self.book.alive(column);
        let sequence = self.book.number(Place::Sequence).wrapping_add(1);
        self.book.set(Place::Sequence, sequence);
        self.book.set_state(slot, State::Open, sequence);
        domain.decode(self.book.point::<R>(slot), point);
        let (instance, seed) = self.book.pair();
        let run = Run {
            id: slot as u64 | u64::from(sequence) << 32,
            config: self.book.name(slot),
            instance,
            seed,
            cap: R::INFINITY,
        };
        self.book.seal::<R>();
        Ok(run)
    }

    /// The outcome of a run.
    ///
    /// When the last survivor on an instance is told, tests are made and a race may end. Cost: O(1), then O(instances ×
    /// survivors²).
    ///
    /// # Errors
    /// [`Error::StaleTrial`] for a run that is not open; [`Error::NotFinite`] for a cost that is not finite, or a capped run.
    pub fn tell(&mut self, run: u64, outcome: Outcome<R>) -> Result<(), Error> {
        let slot = self.opened(run)?;
        let cost = match outcome {
            Outcome::Cost(cost) if cost.is_finite() => cost,
            Outcome::Crashed => R::INFINITY,
            _ => return Err(Error::NotFinite),
        };
        let alive = self.book.count(Place::Alive);
        let column = (0..alive).find(|&column| self.book.alive(column) == slot).ok_or(Error::StaleTrial)?;
        let row = self.book.count(Place::Rows);
        self.book.costs::<R>()[row * alive + column] = cost;
        self.book.set_state(slot, State::Told, 0);
        self.book.set(Place::Used, self.book.number(Place::Used).saturating_add(1));
        if (0..alive).all(|column| self.book.state(self.book.alive(column)).0 == State::Told) {
            self.book.set(Place::Rows, row as u32 + 1);
            self.book.set(Place::Step, self.book.number(Place::Step).saturating_add(1));
            self.thin();
            self.go_on();
        }
        self.book.seal::<R>();
        Ok(())
    }

    /// Gives an open run back; it is asked for again.
    ///
    /// # Errors
    /// [`Error::StaleTrial`] for a run that is not open.
    pub fn forget(&mut self, run: u64) -> Result<(), Error> {
        let slot = self.opened(run)?;
        self.book.set_state(slot, State::Due, 0);
        self.book.seal::<R>();
        Ok(())
    }

    /// A race that was saved; every number that is later trusted is checked. Cost: O(words).
    ///
    /// # Errors
    /// [`Error::Memory`] for missing words, [`Error::Foreign`] for another version or scalar, [`Error::Corrupt`] for
    /// damage.
    pub fn attach(mem: M) -> Result<Self, Error> {
        Ok(Self { book: Book::attach::<R>(mem)?, scalar: PhantomData })
    }

    /// The place of an open run.
    fn opened(&self, run: u64) -> Result<usize, Error> {
        let slot = run as u32 as usize;
        let open = slot < self.book.count(Place::Configs)
            && self.book.state(slot) == (State::Open, (run >> 32) as u32);
        if open { Ok(slot) } else { Err(Error::StaleTrial) }
    }

    /// Drops the survivors that are worse than the best, if it is time for a test.
    fn thin(&mut self) {
        let (plan, alive, rows) =
            (self.book.plan, self.book.count(Place::Alive), self.book.number(Place::Rows));
        if rows < plan.first || !(rows - plan.first).is_multiple_of(plan.each) {
            return;
        }
        let rows = rows as usize;
        let (costs, sums) = self.book.ranking::<R>();
        let (costs, sums) = (&mut costs[..rows * alive], &mut sums[..alive]);
        let squares = conover::rank_sums(costs, sums);
        let Some(limit) = conover::threshold(sums, squares, rows, plan.level) else { return };
        let left = sums.iter().filter(|&&sum| sum <= limit).count();
        // Rows move together from the front: what is written was read before.
        let mut to = 0;
        for from in 0..costs.len() {
            if sums[from % alive] <= limit {
                costs[to] = costs[from];
                to += 1;
            }
        }
        let mut to = 0;
        for column in 0..alive {
            if self.book.ranking::<R>().1[column] <= limit {
                let slot = self.book.alive(column);
                self.book.set_alive(to, slot);
                to += 1;
            }
        }
        self.book.set(Place::Alive, left as u32);
    }

    /// The next instance, or the end of the race.
    fn go_on(&mut self) {
        let alive = self.book.number(Place::Alive);
        let enough = self.book.number(Place::Used).saturating_add(alive) <= self.book.number(Place::Until);
        // What is short of a first test goes on as far as the runs reach.
        if alive > self.book.plan.races() && enough {
            for column in 0..alive as usize {
                let slot = self.book.alive(column);
                self.book.set_state(slot, State::Due, 0);
            }
        } else {
            self.crown();
        }
    }

    /// Ends a race: its best survivors become the elites, best first.
    fn crown(&mut self) {
        let (alive, rows) = (self.book.count(Place::Alive), self.book.count(Place::Rows));
        let (costs, sums) = self.book.ranking::<R>();
        conover::rank_sums(&costs[..rows * alive], &mut sums[..alive]);
        let elites = alive.min(self.book.plan.races() as usize);
        for place in 0..elites {
            let sums = self.book.ranking::<R>().1;
            let best =
                (0..alive).fold(0, |best, column| if sums[column] < sums[best] { column } else { best });
            sums[best] = f64::INFINITY;
            let slot = self.book.alive(best);
            self.book.keep::<R>(slot, place);
        }
        self.book.set(Place::Elites, elites as u32);
        self.book.set(Place::Racing, 0);
    }
}

impl<R: Real, M: AsRef<[u64]>> FRace<R, M> {
    /// A race in words that [`FRace::new`] or [`FRace::attach`] had before: only their header is looked at.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Foreign`], or [`Error::Corrupt`] for a plan that is none.
    pub fn resume(mem: M) -> Result<Self, Error> {
        Ok(Self { book: Book::resume::<R>(mem)?, scalar: PhantomData })
    }

    /// The best configuration of the last race that ended, in user units; its number, or nothing before.
    ///
    /// # Errors
    /// [`Error::Shape`] if the space or the point have other parameters than the plan.
    pub fn best(&self, domain: Domain<'_>, point: &mut [R]) -> Result<Option<u32>, Error> {
        let needed = self.book.plan.dims as usize;
        if domain.dims() != needed || point.len() != needed {
            return Err(Error::Shape { needed });
        }
        if self.book.number(Place::Elites) == 0 {
            return Ok(None);
        }
        domain.decode(self.book.kept::<R>(0), point);
        Ok(Some(self.book.kept_name(0)))
    }

    /// How many races have begun.
    #[must_use]
    pub fn races(&self) -> u32 {
        self.book.number(Place::Race)
    }

    /// How many configurations are left in the race that is on.
    #[must_use]
    pub fn survivors(&self) -> u32 {
        self.book.number(Place::Alive)
    }

    /// How many runs were told.
    #[must_use]
    pub fn runs(&self) -> u32 {
        self.book.number(Place::Used)
    }

    /// What it does.
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.book.plan
    }

    /// The words, for saving them.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.book.words.as_ref()[..self.book.plan.words::<R>()]
    }

    /// The memory, given back.
    #[must_use]
    pub fn into_inner(self) -> M {
        self.book.words
    }
}
