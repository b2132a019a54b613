//! The budget of an iterated F-race: how many runs it takes, and what memory.

use crate::block::layout::sections;
use crate::error::Error;
use crate::limits::Limit;
use crate::real::Real;

/// Words before the arrays.
pub(super) const HEADER: usize = 32;

sections! {
    (plan: Plan) {
        header: words[HEADER],
        // Of the configurations of the race.
        names: words[plan.configs() as usize],
        states: words[plan.configs() as usize],
        alive: words[plan.configs() as usize],
        // Names of the elites.
        elites: words[plan.races() as usize],
        // In the unit cube.
        points: scalars[plan.configs() as usize * plan.dims as usize],
        kept: scalars[plan.races() as usize * plan.dims as usize],
        // A row for each instance, a column for each survivor.
        costs: scalars[plan.budget as usize],
        // Costs of the elites on all instances, a row for each elite; NaN where there is none.
        history: scalars[if plan.elitist { plan.races() as usize * plan.steps() } else { 0 }],
        // Sums of ranks, and a mask of parameters; not part of the state.
        sums: words[plan.configs() as usize],
        mask: words[(plan.dims as usize).div_ceil(64)],
    }
    => places {
        /// Where the sections of an iterated F-race lie.
        pub(super) struct Places
    }
}

/// What an iterated F-race does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Parameters of the space.
    pub dims: u32,
    /// Runs in all.
    pub budget: u32,
    /// Instances before the first test, at least two.
    pub first: u32,
    /// Instances between tests.
    pub each: u32,
    /// The level of the tests.
    pub level: f64,
    /// How many instances there are; every run has a seed of its own beside.
    pub instances: u32,
    /// The seed.
    pub seed: u64,
    /// Whether the best of a race keep their costs for the next one, where they are dropped only by others that have run as
    /// often; and whether the spread of new configurations widens again once they are all alike.
    pub elitist: bool,
    /// The cap of every run, infinite for none. With a cap, costs are times or the like: not negative.
    pub cap: f64,
    /// How many times its cap a stopped run costs: 10 is PAR10.
    pub penalty: f64,
    /// A configuration is stopped, and dropped, once its costs sum to this many times those of the leaders on the same
    /// instances; infinite for never. Only with a cap.
    pub slack: f64,
}

impl Plan {
    /// So many runs in a space of so many parameters: elitist, a test after five instances and after each further one, at level
    /// 0.05, without caps.
    #[must_use]
    pub const fn new(dims: u32, budget: u32) -> Self {
        Self {
            dims,
            budget,
            first: 5,
            each: 1,
            level: 0.05,
            instances: 1,
            seed: 0,
            elitist: true,
            cap: f64::INFINITY,
            penalty: 10.0,
            slack: f64::INFINITY,
        }
    }

    /// How many races are planned, and how many configurations a race ends with at most: ⌊2 + log₂ dims⌋.
    pub(crate) const fn races(&self) -> u32 {
        match self.dims.checked_ilog2() {
            Some(log) => 2 + log,
            None => 2,
        }
    }

    /// The most configurations of one race, which are those of the first: ⌊budget/races/(first + each)⌋.
    pub(crate) const fn configs(&self) -> u32 {
        match (self.budget / self.races()).checked_div(self.first.saturating_add(self.each)) {
            Some(configs) => configs,
            None => 0,
        }
    }

    /// The most instances of all races together: each is run by more than [`Plan::races`] configurations.
    pub(super) const fn steps(&self) -> usize {
        (self.budget / (self.races() + 1)) as usize + 1
    }

    /// Whether caps adapt.
    pub(super) fn adapts(&self) -> bool {
        self.cap.is_finite() && self.slack.is_finite()
    }

    /// Words of such a race: about budget + configs·(dims + 4) + 32, and as much as the budget again where it is elitist.
    #[must_use]
    pub const fn words<R: Real>(&self) -> usize {
        self.places::<R>().mask.end
    }

    /// Where the sections lie; those before the points do not depend on the scalar.
    pub(super) const fn places<R: Real>(&self) -> Places {
        Places::of::<R>(0, *self)
    }

    /// Whether this is a plan.
    ///
    /// # Errors
    /// [`Error::Config`] for fewer than two instances before a test, none between them, no instance at all, a level that is
    /// not between 0 and 1, a cap that is not positive, a penalty or slack below 1 or NaN, or an infinite penalty;
    /// [`Error::Limits`] for no parameter, more than 2¹⁶ of them, more than 2²⁴ runs, or so few runs that a race would begin
    /// with no more configurations than it ends with.
    pub fn check(&self) -> Result<(), Error> {
        let sound = self.first >= 2 && self.each >= 1 && self.instances >= 1;
        let caps = self.cap > 0.0 && self.penalty >= 1.0 && self.penalty.is_finite() && self.slack >= 1.0;
        Error::Config.when(!(sound && caps && self.level > 0.0 && self.level < 1.0))?;
        Limit::Dims.within(self.dims as usize, 1, 1 << 16)?;
        Limit::Budget.at_most(self.budget as usize, 1 << 24)?;
        Limit::Configs.at_least(self.configs() as usize, self.races() as usize + 1)
    }

    pub(super) fn to_words(self) -> [u64; 8] {
        [
            u64::from(self.dims) | u64::from(self.budget) << 32,
            u64::from(self.first) | u64::from(self.each) << 32,
            u64::from(self.instances) | u64::from(self.elitist) << 32,
            self.level.to_bits(),
            self.seed,
            self.cap.to_bits(),
            self.penalty.to_bits(),
            self.slack.to_bits(),
        ]
    }

    pub(super) fn from_words(words: &[u64]) -> Option<Self> {
        let &[size, tests, instances, level, seed, cap, penalty, slack] = words else { return None };
        if instances >> 33 != 0 {
            return None;
        }
        let plan = Self {
            dims: size as u32,
            budget: (size >> 32) as u32,
            first: tests as u32,
            each: (tests >> 32) as u32,
            instances: instances as u32,
            level: f64::from_bits(level),
            seed,
            elitist: instances >> 32 == 1,
            cap: f64::from_bits(cap),
            penalty: f64::from_bits(penalty),
            slack: f64::from_bits(slack),
        };
        plan.check().ok().map(|()| plan)
    }
}
