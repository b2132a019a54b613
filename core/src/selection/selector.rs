//! The strategy of algorithm selection: what is selected, and how.

use super::branch::with_branch;
use crate::config::{CHOICES, Config, Model, WhenFull};
use crate::error::Error;
use crate::limits::Limits;
use crate::policy::Policy;
use crate::real::Real;
use crate::space::Space;
use crate::targets::Transform;

/// How a branch is chosen.
///
/// # References
/// Guo, "A new approach towards the combined algorithm selection and hyper-parameter optimization problem", 2019, chapter 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// One model over the whole space, where parameters that do not matter are imputed (EGO-impute).
    Impute,
    /// A model for each branch; the branch whose best point is worth most is asked (EGO-ss).
    ///
    /// ```text
    /// v* = argmax_v max_θ U_v(θ)
    /// ```
    Single,
    /// A model for each branch; one search over all of them together (EGO-ws).
    ///
    /// ```text
    /// (v*, θ*) = argmax U_v(θ)
    /// ```
    Whole,
    /// The same number of trials for each branch, each with a model and an incumbent of its own (EGO-baseline).
    ///
    /// What is left over, and what a branch has no points for, goes to the branch of the best value.
    Baseline {
        /// Evaluations in all: ⌊budget / branches⌋ for each branch.
        budget: u32,
    },
}

/// What is selected, and how.
///
/// ```
/// use infill::{Limits, Selector, Strategy};
/// const SELECTOR: Selector = Selector::new(0, Strategy::Single);
/// const LIMITS: Limits = Limits::new(3, 30).conditions(2, 0);
/// const WORDS: usize = SELECTOR.words::<f64>(&LIMITS, 2);
/// # assert!(WORDS > 2 * LIMITS.words::<f64>());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The category whose values are the branches; it has no condition.
    pub parameter: u32,
    /// How a branch is chosen.
    pub strategy: Strategy,
    /// Trials of the starting design of each branch; 0 for the numbers of the source: 10, with [`Strategy::Baseline`] 3,
    /// with [`Strategy::Impute`] 5 in all.
    pub start: u32,
    /// The most trials of one branch, 0 for as many as there are in all: what the memory is for.
    pub most: u32,
    /// Whether improvement is measured against the best value of the branch instead of the best of all.
    pub own_minimum: bool,
}

impl Selector {
    /// A selector with the starting design of the source and the best value of all as what is to be improved on.
    #[must_use]
    pub const fn new(parameter: u32, strategy: Strategy) -> Self {
        Self { parameter, strategy, start: 0, most: 0, own_minimum: false }
    }

    /// Words of `u64` that a [`Selection`](super::Selection) among so many values needs; `usize::MAX` for limits that are
    /// refused.
    ///
    /// The limits are those of the whole space and of all trials together. Each branch has room for a model of
    /// [`Selector::most`] trials.
    #[must_use]
    pub const fn words<R: Real>(&self, limits: &Limits, branches: u32) -> usize {
        let each = self.each(limits).words::<R>();
        if each == usize::MAX || branches > 1 << 16 {
            return usize::MAX;
        }
        let branches = self.blocks(branches);
        let front = self.front_words::<R>(limits, branches);
        front.saturating_add(each.saturating_mul(branches))
    }

    /// Optimizers for a category of so many values.
    pub(super) const fn blocks(&self, branches: u32) -> usize {
        if matches!(self.strategy, Strategy::Impute) { 1 } else { branches as usize }
    }

    /// Trials of the starting design of a branch.
    pub(super) const fn starting_trials(&self) -> u32 {
        match self.strategy {
            _ if self.start > 0 => self.start,
            Strategy::Impute => 5,
            Strategy::Single | Strategy::Whole => 10,
            Strategy::Baseline { .. } => 3,
        }
    }

    /// Trials of a branch that is one configuration.
    pub(super) const fn trials_of_one(&self, repeats: bool) -> usize {
        if !repeats {
            return 1;
        }
        match self.strategy {
            Strategy::Baseline { .. } => usize::MAX,
            Strategy::Impute | Strategy::Single | Strategy::Whole => self.starting_trials() as usize,
        }
    }

    /// Runs something with the space of a branch and the places of its parameters, as [`with_branch`]; with the whole space
    /// where one model serves all.
    pub(super) fn with_space<T>(
        &self,
        space: &Space<'_>,
        branch: usize,
        run: impl FnOnce(Option<&Space<'_>>, &[u32]) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if self.strategy == Strategy::Impute {
            return run(Some(space), &[]).map(Some);
        }
        with_branch(space, self.parameter, branch as f64, run)
    }

    /// The configuration of the optimizer of a branch.
    pub(super) fn config_of<'c>(&self, config: &Config<'c>, branch: usize) -> Config<'c> {
        // Far from each other, and none of them that of the selection itself.
        let own = config.seed.wrapping_add((branch as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let seed = if self.strategy == Strategy::Impute { config.seed } else { own };
        Config { start: self.starting_trials(), seed, ..*config }
    }

    /// Whether branches are compared by what their models say.
    pub(super) const fn compares(&self) -> bool {
        matches!(self.strategy, Strategy::Single | Strategy::Whole)
    }

    /// Refuses what cannot be worked with.
    pub(super) fn check(&self, config: &Config<'_>, branches: u32) -> Result<(), Error> {
        if !CHOICES || config.when_full != WhenFull::Refuse {
            return Err(Error::Unsupported);
        }
        // A process learns nothing from one value.
        let least = if config.model.has_kernel() { 2 } else { 1 };
        if self.starting_trials() < least {
            return Err(Error::Config);
        }
        if let Strategy::Baseline { budget } = self.strategy
            && budget < branches
        {
            return Err(Error::Config);
        }
        let closed = config.policy == Policy::Closed;
        let comparable = closed
            || self.strategy == Strategy::Single
                && matches!(
                    config.policy,
                    Policy::Thompson { .. } | Policy::Spectral { .. } | Policy::Noisy { .. }
                );
        let modelled = !matches!(config.model, Model::Baseline(_)) && config.transform != Transform::Rank;
        if self.compares() && !(comparable && modelled) {
            return Err(Error::Unsupported);
        }
        Ok(())
    }
}
