//! Iterated F-race: drop what a rank test finds worse, then sample around what is left.

mod caps;
mod conover;
mod elite;
mod plan;
mod sample;
mod state;
#[cfg(test)]
mod tests;

pub use plan::Plan;

use core::marker::PhantomData;

use super::{Outcome, Run};
use crate::error::Error;
use crate::real::Real;
use crate::space::Domain;
use state::{Field, Progress, State};

/// An iterated F-race over a space, in a block of words.
///
/// ```text
/// race j   begins with ⌊(Bⱼ + kept runs)/max(first + each·min(5, j), seen + 1)⌋ configurations,
///          Bⱼ = (budget left)/(races left);  kept = seen = 0 where it is not elitist
///          all survivors run on the same instances; after `first` of them, and every `each` further, Friedman's test
///          drops those that Conover's finds worse than the best
///          ends with ⌊2 + log₂ d⌋ survivors, or when its budget is used
/// then     new configurations around the best: normal, truncated, of deviation σⱼ = σⱼ₋₁·(1/new)^(1/d), σ₁ = ½;
///          a category is kept with probability 1 − Π(1 − (i − 1)/races), else drawn anew
/// ```
///
/// An elitist race runs on one new instance, then on those of earlier races in random order, then on new ones. The elites, with
/// which it begins, keep their costs: they run only where they have not yet, and are dropped only when the others have run as
/// often. Who has run most often is best, by ranks among equals. Where twenty draws were all within 10⁻⁴ of others,
/// σ ← min(σ·new^(2/d), ½·new^(−1/d)), and a tenth of the categories is drawn anew. The source also ends a race after two tests in
/// vain; where instances differ much, that was worse than no elites.
///
/// With [`Plan::cap`], a run that is stopped costs [`Plan::penalty`] caps; with [`Plan::slack`], the elites (before there are any:
/// the best so far, once `first` instances have passed) run first on each instance, and another configuration is stopped when its
/// mean cost exceeds the median of theirs so many times. It is then dropped without a test.
///
/// All survivors may be open together on one instance, but for caps that adapt. The source keeps for each elite the
/// probabilities of all categories; here earlier ancestors count as if they had had the parent's value, which needs no memory per
/// category.
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
/// let mut race = FRace::<f64, _>::new(&PLAN, domain, [0; PLAN.words::<f64>()])?;
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
/// Dubois-Lacoste, Pérez Cáceres, Birattari and Stützle, *The irace package*, Operations Research Perspectives 3, 2016;
/// Pérez Cáceres, López-Ibáñez, Hoos and Stützle, *An Experimental Study of Adaptive Capping in irace*, LION 11, 2017.
#[derive(Clone, Copy, Debug)]
pub struct FRace<R, M> {
    state: State<M>,
    scalar: PhantomData<R>,
}

impl<R: Real, M: AsRef<[u64]> + AsMut<[u64]>> FRace<R, M> {
    /// A race over a space that has not begun, in [`Plan::words`] words.
    ///
    /// # Errors
    /// As [`Plan::check`]; [`Error::Shape`] if the space has other parameters than the plan; [`Error::Memory`] for too few words.
    pub fn new(plan: &Plan, domain: Domain<'_>, mem: M) -> Result<Self, Error> {
        Ok(Self { state: State::new::<R>(plan, domain, mem)?, scalar: PhantomData })
    }

    /// The next run to make, and the configuration in user units.
    ///
    /// # Errors
    /// [`Error::Shape`] if the space or the point have other parameters than the plan; [`Error::TooManyOpen`] if all
    /// survivors are running, or those whose costs decide on the caps of the others; [`Error::Exhausted`] if the budget is used;
    /// [`Error::Foreign`] if the space is not that of the race; [`Error::Infeasible`] if no point was found that is not forbidden.
    pub fn ask(&mut self, domain: Domain<'_>, point: &mut [R]) -> Result<Run<R>, Error> {
        self.state.check_space(domain, point.len())?;
        if self.state.number(Field::Racing) == 0 {
            let begun = self.begin(domain);
            self.state.write_checksum::<R>();
            begun?;
        }
        let (column, cap) = self.due().ok_or(Error::TooManyOpen)?;
        let slot = self.state.alive(column);
        let sequence = self.state.number(Field::Sequence).wrapping_add(1);
        self.state.set(Field::Sequence, sequence);
        self.state.set_progress(slot, Progress::Open, sequence);
        domain.decode(self.state.point::<R>(slot), point);
        let (instance, seed) = self.state.pair();
        let run = Run {
            id: slot as u64 | u64::from(sequence) << 32,
            config: self.state.name(slot),
            instance,
            seed,
            cap: R::of(cap),
        };
        self.state.write_checksum::<R>();
        Ok(run)
    }

    /// The outcome of a run.
    ///
    /// When the last survivor on an instance is told, tests are made and a race may end. Cost: O(1), then O(instances ×
    /// survivors²).
    ///
    /// # Errors
    /// [`Error::StaleTrial`] for a run that is not open; [`Error::NotFinite`] for a cost that is not finite, a negative one
    /// where runs have a cap, or a capped run where they have none.
    pub fn tell(&mut self, run: u64, outcome: Outcome<R>) -> Result<(), Error> {
        let slot = self.opened(run)?;
        let alive = self.state.count(Field::Alive);
        let column = (0..alive).find(|&column| self.state.alive(column) == slot).ok_or(Error::StaleTrial)?;
        let cost = self.price(column, outcome)?;
        let row = self.state.count(Field::Rows);
        self.state.costs::<R>()[row * alive + column] = cost;
        self.state.set_progress(slot, Progress::Told, 0);
        self.state.set(Field::Used, self.state.number(Field::Used).saturating_add(1));
        self.advance();
        self.state.write_checksum::<R>();
        Ok(())
    }

    /// Gives an open run back; it is asked for again.
    ///
    /// # Errors
    /// [`Error::StaleTrial`] for a run that is not open.
    pub fn forget(&mut self, run: u64) -> Result<(), Error> {
        let slot = self.opened(run)?;
        self.state.set_progress(slot, Progress::Due, 0);
        self.state.write_checksum::<R>();
        Ok(())
    }

    /// A race that was saved; every number that is later trusted is checked. Cost: O(words).
    ///
    /// # Errors
    /// [`Error::Memory`] for missing words, [`Error::Foreign`] for another version or scalar, [`Error::Corrupt`] for
    /// damage.
    pub fn attach(mem: M) -> Result<Self, Error> {
        Ok(Self { state: State::attach::<R>(mem)?, scalar: PhantomData })
    }

    /// The place of an open run.
    fn opened(&self, run: u64) -> Result<usize, Error> {
        let slot = run as u32 as usize;
        let open = slot < self.state.count(Field::Configs)
            && self.state.progress(slot) == (Progress::Open, (run >> 32) as u32);
        if open { Ok(slot) } else { Err(Error::StaleTrial) }
    }

    /// Goes on as long as nobody has to run on the present instance.
    pub(super) fn advance(&mut self) {
        while self.state.number(Field::Racing) == 1 {
            self.excuse();
            let alive = self.state.count(Field::Alive);
            if (0..alive).any(|column| self.state.progress(self.state.alive(column)).0 != Progress::Told) {
                return;
            }
            self.note();
            self.dominate();
            self.state.set(Field::Rows, self.state.number(Field::Rows) + 1);
            self.compact();
            self.thin();
            self.compact();
            self.go_on();
        }
    }

    /// Marks the survivors that are worse than the best, if it is time for a test.
    fn thin(&mut self) {
        let (plan, alive, rows) =
            (self.state.plan, self.state.count(Field::Alive), self.state.number(Field::Rows));
        let (costs, sums) = self.state.ranking::<R>();
        if rows < plan.first || !(rows - plan.first).is_multiple_of(plan.each) {
            sums[..alive].fill(0.0);
            return;
        }
        let rows = rows as usize;
        let sums = &mut sums[..alive];
        let squares = conover::rank_sums(&costs[..rows * alive], sums);
        let limit = conover::threshold(sums, squares, rows, plan.level).unwrap_or(f64::INFINITY);
        for column in 0..alive {
            // Who has run more often than the others is not dropped for what they have in common.
            let safe = self.state.held::<R>(self.state.alive(column)) > rows;
            let sum = &mut self.state.ranking::<R>().1[column];
            *sum = if *sum > limit && !safe { f64::INFINITY } else { 0.0 };
        }
    }

    /// Drops the survivors whose sum is marked as infinite.
    fn compact(&mut self) {
        let (alive, rows) = (self.state.count(Field::Alive), self.state.count(Field::Rows));
        let (costs, sums) = self.state.ranking::<R>();
        // Rows move together from the front: what is written was read before.
        let mut to = 0;
        for from in 0..rows * alive {
            if sums[from % alive] < f64::INFINITY {
                costs[to] = costs[from];
                to += 1;
            }
        }
        let mut to = 0;
        for column in 0..alive {
            if self.state.ranking::<R>().1[column] < f64::INFINITY {
                let slot = self.state.alive(column);
                self.state.set_alive(to, slot);
                to += 1;
            }
        }
        self.state.set(Field::Alive, to as u32);
    }

    /// The next instance, or the end of the race.
    fn go_on(&mut self) {
        let (plan, alive, rows) =
            (self.state.plan, self.state.number(Field::Alive), self.state.number(Field::Rows));
        let due = (0..alive as usize)
            .filter(|&column| self.state.remembered::<R>(self.state.alive(column)).is_none())
            .count() as u32;
        let enough = self.state.number(Field::Used).saturating_add(due) <= self.state.number(Field::Until);
        // Never short for a race that was not tampered with.
        let room = (rows as usize + 1) * alive as usize <= plan.budget as usize
            && (!plan.elitist || (rows as usize) < plan.steps());
        // What is short of a first test goes on as far as the runs reach.
        if alive > plan.races() && enough && room {
            self.line_up();
        } else {
            self.crown();
        }
    }
}

impl<R: Real, M: AsRef<[u64]>> FRace<R, M> {
    /// A race in words that [`FRace::new`] or [`FRace::attach`] had before: only their header is looked at.
    ///
    /// # Errors
    /// [`Error::Memory`], [`Error::Foreign`], or [`Error::Corrupt`] for a plan that is none.
    pub fn resume(mem: M) -> Result<Self, Error> {
        Ok(Self { state: State::resume::<R>(mem)?, scalar: PhantomData })
    }

    /// The best configuration of the last race that ended, in user units; its number, or nothing before.
    ///
    /// # Errors
    /// [`Error::Shape`] if the space or the point have other parameters than the plan, [`Error::Foreign`] if the space is not that
    /// of the race.
    pub fn best(&self, domain: Domain<'_>, point: &mut [R]) -> Result<Option<u32>, Error> {
        self.state.check_space(domain, point.len())?;
        if self.state.number(Field::Elites) == 0 {
            return Ok(None);
        }
        domain.decode(self.state.kept::<R>(0), point);
        Ok(Some(self.state.kept_name(0)))
    }

    /// Whether it is over a space.
    #[must_use]
    pub fn is_over(&self, domain: Domain<'_>) -> bool {
        self.state.check_space(domain, domain.dims()).is_ok()
    }

    /// How many races have begun.
    #[must_use]
    pub fn races(&self) -> u32 {
        self.state.number(Field::Race)
    }

    /// How many configurations are left in the race that is on.
    #[must_use]
    pub fn survivors(&self) -> u32 {
        self.state.number(Field::Alive)
    }

    /// How many runs were told.
    #[must_use]
    pub fn runs(&self) -> u32 {
        self.state.number(Field::Used)
    }

    /// What it does.
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.state.plan
    }

    /// The words, for saving them.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.state.words.as_ref()[..self.state.plan.words::<R>()]
    }

    /// The memory, given back.
    #[must_use]
    pub fn into_inner(self) -> M {
        self.state.words
    }
}
