//! Intensification: challengers against the incumbent on the same pairs of instance and seed.

use super::record::Status;
use super::state::{Entry, Field, Stage, State};
use super::{Outcome, Run, Statistic};
use crate::error::Error;
use crate::real::Real;
use crate::rng::below;

impl<M: AsRef<[u64]> + AsMut<[u64]>> State<M> {
    /// The next run.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::TooManyOpen`] or [`Error::Exhausted`].
    pub(super) fn next<R: Real>(&mut self) -> Result<Run<R>, Error> {
        let free = self.free().ok_or(Error::Full)?;
        // Each challenger is begun at most once here, and some may have nothing left to do.
        for _ in 0..=2 * self.size.configs as usize + 2 {
            match self.stage() {
                Stage::Idle => {
                    Error::Exhausted.when(self.number(Field::Waiting) == 0 && !self.refill::<R>())?;
                    let Some(config) = self.pop() else { return Err(Error::Exhausted) };
                    self.begin::<R>(config);
                }
                stage => {
                    let who = if stage == Stage::First { self.challenger() } else { self.incumbent() };
                    let (Some(who), Some(challenger)) = (who, self.challenger()) else {
                        return Err(Error::Corrupt);
                    };
                    if self.number(Field::Grow) == 1 {
                        let pair = self.count(Field::Pairs).saturating_sub(1);
                        let cap = self.rules().cap;
                        self.set(Field::Grow, 0);
                        self.set_held(pair, Some(free));
                        return Ok(self.open(free, who, pair, cap));
                    }
                    if self.number(Field::Left) > 0 {
                        let Some(pair) = self.missing::<R>(challenger) else {
                            self.set(Field::Left, 0);
                            continue;
                        };
                        let cap = self.allowance(challenger, pair);
                        if cap > 0.0 {
                            self.set(Field::Left, self.number(Field::Left) - 1);
                            let run = self.earlier(challenger, pair).unwrap_or(free);
                            return Ok(self.open(run, challenger, pair, cap));
                        }
                        self.set(Field::Lost, 1);
                        self.set(Field::Left, 0);
                    }
                    Error::TooManyOpen.when(self.number(Field::Open) > 0)?;
                    self.decide::<R>();
                }
            }
        }
        Err(Error::Exhausted)
    }

    /// Closes an open run.
    ///
    /// # Errors
    /// [`Error::StaleTrial`] or [`Error::NotFinite`].
    pub(super) fn close<R: Real>(&mut self, id: u64, outcome: Outcome<R>) -> Result<(), Error> {
        let run = self.opened(id)?;
        let mut entry = self.entry(run);
        let rules = self.rules();
        let timed = rules.cap < f64::INFINITY;
        let outcome = match outcome {
            Outcome::Cost(cost) if !cost.is_finite() || (timed && cost < R::ZERO) => {
                return Err(Error::NotFinite);
            }
            Outcome::Cost(cost) if cost.to_f64() > entry.cap => Outcome::Capped,
            Outcome::Capped if !timed => return Err(Error::NotFinite),
            other => other,
        };
        (entry.status, entry.cost) = match outcome {
            Outcome::Cost(cost) => (Status::Done, cost.to_f64()),
            Outcome::Crashed => (Status::Done, rules.penalty * rules.cap),
            Outcome::Capped if entry.cap < R::of(rules.cap).to_f64() => {
                (Status::Censored, rules.penalty * entry.cap)
            }
            Outcome::Capped => (Status::Capped, rules.penalty * entry.cap),
        };
        if timed {
            // A penalty of so many caps may be more than the scalar holds.
            entry.cost = entry.cost.min(R::MAX.to_f64());
        }
        self.set_entry(run, entry);
        self.set(Field::Open, self.number(Field::Open).saturating_sub(1));
        self.add(Field::Spent, 1);
        if entry.status == Status::Censored {
            self.set(Field::Lost, 1);
            self.set(Field::Left, 0);
        }
        self.settle::<R>();
        Ok(())
    }

    /// Gives an open run back: it will be asked for again.
    ///
    /// # Errors
    /// [`Error::StaleTrial`].
    pub(super) fn forget(&mut self, id: u64) -> Result<(), Error> {
        let run = self.opened(id)?;
        let entry = self.entry(run);
        self.set_entry(run, Entry { status: Status::Void, ..entry });
        self.set(Field::Open, self.number(Field::Open).saturating_sub(1));
        if self.held(entry.pair) == Some(run) {
            self.set_held(entry.pair, None);
            self.set(Field::Grow, 1);
        } else if self.number(Field::Lost) == 0 {
            self.add(Field::Left, 1);
        }
        Ok(())
    }

    /// The empirical cost of a configuration over its runs that were told.
    pub(super) fn cost<R: Real>(&mut self, config: usize) -> Option<R> {
        let statistic = self.rules().statistic;
        let mut count = 0;
        for run in 0..self.count(Field::Runs) {
            if self.owner(run) != config {
                continue;
            }
            let entry = self.entry(run);
            if entry.status.told() {
                self.work::<R>().1[count] = R::of(entry.cost);
                count += 1;
            }
        }
        (count > 0).then(|| statistic.of(&mut self.work::<R>().1[..count]))
    }

    /// The costs of challenger and incumbent on the pairs that both have run.
    fn compare<R: Real>(&mut self, challenger: usize) -> Option<(R, R)> {
        let statistic = self.rules().statistic;
        let mut costs = [R::ZERO; 2];
        let mut common = 0;
        for side in 0..2 {
            common = 0;
            for run in 0..self.count(Field::Runs) {
                if self.owner(run) != challenger {
                    continue;
                }
                // A run that was stopped early will be made again.
                let entry = self.entry(run);
                if !matches!(entry.status, Status::Done | Status::Capped) {
                    continue;
                }
                let Some(other) = self.held(entry.pair).map(|run| self.entry(run)) else { continue };
                if other.status.told() {
                    let cost = if side == 0 { entry.cost } else { other.cost };
                    self.work::<R>().1[common] = R::of(cost);
                    common += 1;
                }
            }
            costs[side] = statistic.of(&mut self.work::<R>().1[..common]);
        }
        (common > 0).then_some((costs[0], costs[1]))
    }

    /// Goes on where a stage has no run left to hand out and none open.
    fn settle<R: Real>(&mut self) {
        let idle = self.number(Field::Left) == 0 && self.number(Field::Grow) == 0;
        if idle && self.number(Field::Open) == 0 && self.stage() != Stage::Idle {
            self.decide::<R>();
        }
    }

    /// Worse on the common pairs: rejected. No pair missing: the new incumbent, if better. Else twice as many pairs.
    fn decide<R: Real>(&mut self) {
        let Some(challenger) = self.challenger() else { return };
        if self.stage() == Stage::First {
            self.promote(challenger);
            return;
        }
        let costs = self.compare::<R>(challenger);
        let lost = self.number(Field::Lost) == 1;
        if lost || costs.is_some_and(|(mine, other)| mine > other) {
            self.finish();
            return;
        }
        let missing = self.mark::<R>(challenger);
        if missing > 0 {
            let batch = self.number(Field::Pending).saturating_mul(2);
            self.set(Field::Pending, batch);
            self.set(Field::Left, batch.min(missing as u32));
        } else if costs.is_some_and(|(mine, other)| mine < other) {
            self.promote(challenger);
        } else {
            self.finish();
        }
    }

    /// Makes a configuration that has run on every pair the incumbent.
    fn promote(&mut self, config: usize) {
        self.set(Field::Incumbent, config as u32 + 1);
        for run in 0..self.count(Field::Runs) {
            let entry = self.entry(run);
            if entry.config == config && entry.status.told() {
                self.set_held(entry.pair, Some(run));
            }
        }
        self.add(Field::Changes, 1);
        self.finish();
    }

    fn finish(&mut self) {
        self.set(Field::Challenger, 0);
        self.set_stage(Stage::Idle);
        self.add(Field::Decided, 1);
    }

    /// Begins the duel of a challenger: one pair more for the incumbent, one for the challenger.
    fn begin<R: Real>(&mut self, config: usize) {
        if self.incumbent() == Some(config) {
            return;
        }
        let first = self.incumbent().is_none();
        let grow = self.number(Field::Pairs) < self.rules().pairs(self.size);
        if grow {
            let pair = self.count(Field::Pairs);
            self.set_held(pair, None);
            self.add(Field::Pairs, 1);
        }
        let missing = if first { 0 } else { self.mark::<R>(config) };
        if !grow && missing == 0 {
            return;
        }
        self.set(Field::Challenger, config as u32 + 1);
        self.set_stage(if first { Stage::First } else { Stage::Duel });
        self.set(Field::Grow, u32::from(grow));
        self.set(Field::Pending, 1);
        self.set(Field::Left, u32::from(missing > 0));
        self.set(Field::Lost, 0);
    }

    /// Queues those that lost and have pairs left to run, in random order; whether there are any.
    fn refill<R: Real>(&mut self) -> bool {
        if !self.rules().again {
            return false;
        }
        let grow = self.number(Field::Pairs) < self.rules().pairs(self.size);
        for config in 0..self.count(Field::Configs) {
            if self.incumbent() != Some(config) && (grow || self.mark::<R>(config) > 0) {
                self.push(config);
            }
        }
        let waiting = self.count(Field::Waiting);
        for last in (1..waiting).rev() {
            let other = self.draw(|generator| below(generator, last as u64 + 1)) as usize;
            let (a, b) = (self.waiting(last), self.waiting(other));
            self.set_waiting(last, b);
            self.set_waiting(other, a);
        }
        waiting > 0
    }

    /// Sets a bit for every pair that the configuration has run on or is running; how many are missing.
    fn mark<R: Real>(&mut self, config: usize) -> usize {
        self.work::<R>().0.fill(0);
        let mut present = 0;
        for run in 0..self.count(Field::Runs) {
            if self.owner(run) != config {
                continue;
            }
            let entry = self.entry(run);
            if matches!(entry.status, Status::Open | Status::Done | Status::Capped) {
                self.work::<R>().0[entry.pair / 64] |= 1 << (entry.pair % 64);
                present += 1;
            }
        }
        self.count(Field::Pairs).saturating_sub(present)
    }

    /// A random pair of those that the configuration has not run on.
    fn missing<R: Real>(&mut self, config: usize) -> Option<usize> {
        let missing = self.mark::<R>(config);
        if missing == 0 {
            return None;
        }
        let mut skip = self.draw(|generator| below(generator, missing as u64));
        let pairs = self.count(Field::Pairs);
        let mask = self.work::<R>().0;
        for pair in (0..pairs).filter(|pair| mask[pair / 64] >> (pair % 64) & 1 == 0) {
            if skip == 0 {
                return Some(pair);
            }
            skip -= 1;
        }
        None
    }

    /// The cap of the challenger's next run: what is left before it has spent `slack` times what the incumbent has.
    fn allowance(&self, challenger: usize, pair: usize) -> f64 {
        let rules = self.rules();
        if rules.statistic != Statistic::Mean || rules.slack == f64::INFINITY || rules.cap == f64::INFINITY {
            return rules.cap;
        }
        // A run of the incumbent that is still open costs at most the penalty.
        let price = |pair: usize| match self.held(pair).map(|run| self.entry(run)) {
            Some(entry) if entry.status.told() => entry.cost,
            _ => rules.penalty * rules.cap,
        };
        let (mut spent, mut total) = (0.0, price(pair));
        for entry in self.entries().filter(|entry| entry.config == challenger && entry.pair != pair) {
            // What was stopped early will run again, so that it is not held against the challenger.
            if entry.status != Status::Censored {
                total += price(entry.pair);
                spent += if entry.status == Status::Open { 0.0 } else { entry.cost };
            }
        }
        (rules.slack * total - spent).min(rules.cap)
    }

    /// A record of the configuration on that pair that was stopped early and is to be replaced.
    fn earlier(&self, config: usize, pair: usize) -> Option<usize> {
        (0..self.count(Field::Runs)).find(|&run| {
            let entry = self.entry(run);
            entry.status == Status::Censored && entry.config == config && entry.pair == pair
        })
    }

    /// A free place for a record.
    fn free(&self) -> Option<usize> {
        let runs = self.count(Field::Runs);
        (0..runs)
            .find(|&run| self.entry(run).status == Status::Void)
            .or_else(|| (runs < self.size.runs as usize).then_some(runs))
    }

    /// Hands a run out.
    fn open<R: Real>(&mut self, run: usize, config: usize, pair: usize, cap: f64) -> Run<R> {
        let sequence = self.number(Field::Sequence).wrapping_add(1);
        self.set(Field::Sequence, sequence);
        // What the scalar cannot say must not be above what is meant.
        let cap = R::of(cap);
        let entry = Entry { config, pair, sequence, status: Status::Open, cap: cap.to_f64(), cost: 0.0 };
        self.set_entry(run, entry);
        if run >= self.count(Field::Runs) {
            self.set(Field::Runs, run as u32 + 1);
        }
        self.add(Field::Open, 1);
        let (instance, seed) = self.pair(pair);
        let id = run as u64 | u64::from(sequence) << 32;
        Run { id, config: self.id(config), instance, seed, cap }
    }

    /// The open record that a name means.
    fn opened(&self, id: u64) -> Result<usize, Error> {
        let run = id as u32 as usize;
        Error::StaleTrial.when(run >= self.count(Field::Runs))?;
        let entry = self.entry(run);
        let same = entry.status == Status::Open && u64::from(entry.sequence) == id >> 32;
        if same { Ok(run) } else { Err(Error::StaleTrial) }
    }
}
