//! The strategy of CASH, combined algorithm selection and hyperparameter optimization: one model for all algorithms, or one
//! for each.

use super::{CHOICES, Config, WhenFull};
use crate::error::Error;
use crate::policy::Policy;
use crate::targets::Transform;

/// How a category whose values have parameters of their own is optimized: its values are the algorithms, or branches.
///
/// ```text
/// (v*, θ*) = argmin f_v(θ),   v the value of the category, θ the parameters that matter then
/// ```
///
/// Models of their own need room: [`Limits::branching`](crate::Limits::branching).
///
/// ```
/// use infill::{Branching, Condition, Config, Limits, Optimizer, Param, Space, Strategy, When};
///
/// let params = [Param::categorical(2), Param::real(0.0, 1.0), Param::integer(1, 9)];
/// let conditions = [Condition::new(1, 0, When::Equals(0.0)), Condition::new(2, 0, When::Equals(1.0))];
/// let space = Space::new(&params, &conditions)?;
/// let config = Config { strategy: Strategy::Single(Branching::of(0)), ..Config::default() };
/// let limits = Limits::new(3, 40).conditions(2, 0).branching(2, 0);
/// let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()])?;
/// let mut x = [0.0; 3];
/// for _ in 0..30 {
///     let ask = optimizer.ask(&mut x)?;
///     let value = if x[0] == 0.0 { 0.1 + (x[1] - 0.3).powi(2) } else { (x[2] - 7.0).powi(2) };
///     optimizer.tell(ask.id, value)?;
/// }
/// assert_eq!(optimizer.best().unwrap().point, [1.0, 0.5, 7.0]);
/// # Ok::<(), infill::Error>(())
/// ```
///
/// # References
/// Guo, "A new approach towards the combined algorithm selection and hyper-parameter optimization problem", 2019, chapter 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Strategy {
    /// By the space: one model over the whole of it, which `benches/README.md` finds best; where the default kernel cannot
    /// serve so many mixed parameters and the limits have room, [`Strategy::Single`] over the category with the most values
    /// among those that have children and no condition.
    #[default]
    Auto,
    /// One model over the whole space, where parameters that do not matter are imputed (EGO-impute).
    Impute,
    /// A model for each branch; the branch whose best point is worth most is asked (EGO-ss).
    ///
    /// ```text
    /// v* = argmax_v max_θ U_v(θ)
    /// ```
    Single(Branching),
    /// A model for each branch; one search over all of them together (EGO-ws).
    ///
    /// ```text
    /// (v*, θ*) = argmax U_v(θ)
    /// ```
    Whole(Branching),
    /// The same number of trials for each branch, each with a model and an incumbent of its own (EGO-baseline).
    ///
    /// What is left over, and what a branch has no points for, goes to the branch of the best value.
    Baseline {
        /// What is branched on.
        branching: Branching,
        /// Evaluations in all: ⌊budget / branches⌋ for each branch.
        budget: u32,
    },
}

/// What is branched on, and how each branch starts.
///
/// A branch without parameters is one configuration, evaluated once, or as often as its starting design says with
/// [`RunConfig::repeats`](super::RunConfig::repeats).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branching {
    /// The category whose values are the branches; it has no condition.
    pub parameter: u32,
    /// Trials of the starting design of each branch, instead of [`DesignConfig::trials`](super::DesignConfig::trials); 0 for the numbers of the source: 10, with
    /// [`Strategy::Baseline`] 3.
    pub start: u32,
    /// Whether improvement is measured against the best value of the branch instead of the best of all.
    pub own_minimum: bool,
}

impl Branching {
    /// The starting design of the source, and the best value of all as what is to be improved on.
    #[must_use]
    pub const fn of(parameter: u32) -> Self {
        Self { parameter, start: 0, own_minimum: false }
    }
}

impl Strategy {
    /// All of them with nothing chosen about their branches, each at the place of its number, which is fixed for ever.
    pub(crate) const ALL: [Self; 5] = [
        Self::Auto,
        Self::Impute,
        Self::Single(Branching::of(0)),
        Self::Whole(Branching::of(0)),
        Self::Baseline { branching: Branching::of(0), budget: 0 },
    ];

    /// The number of the strategy in [`Strategy::ALL`].
    pub(crate) const fn code(&self) -> u32 {
        match self {
            Self::Auto => 0,
            Self::Impute => 1,
            Self::Single(_) => 2,
            Self::Whole(_) => 3,
            Self::Baseline { .. } => 4,
        }
    }

    /// What is branched on; `None` for one model.
    pub(crate) const fn branching(&self) -> Option<Branching> {
        match *self {
            Self::Auto | Self::Impute => None,
            Self::Single(branching) | Self::Whole(branching) | Self::Baseline { branching, .. } => {
                Some(branching)
            }
        }
    }

    /// Trials of the starting design of a branch.
    pub(crate) const fn starting_trials(&self) -> u32 {
        match *self {
            Self::Auto | Self::Impute => 0,
            Self::Single(Branching { start, .. }) | Self::Whole(Branching { start, .. }) => {
                if start > 0 {
                    start
                } else {
                    10
                }
            }
            Self::Baseline { branching: Branching { start, .. }, .. } => {
                if start > 0 {
                    start
                } else {
                    3
                }
            }
        }
    }

    /// Trials of a branch that is one configuration.
    pub(crate) const fn trials_of_one(&self, repeats: bool) -> usize {
        if !repeats {
            return 1;
        }
        match self {
            Self::Baseline { .. } => usize::MAX,
            Self::Auto | Self::Impute | Self::Single(_) | Self::Whole(_) => self.starting_trials() as usize,
        }
    }

    /// Whether branches are compared by what their models say.
    pub(crate) const fn compares(&self) -> bool {
        matches!(self, Self::Single(_) | Self::Whole(_))
    }

    /// Refuses what branches cannot work with.
    ///
    /// # Errors
    /// [`Error::Unsupported`] without feature `models`, with [`WhenFull::DropWorst`], and for transforms, models and policies
    /// whose values cannot be compared; [`Error::Config`] for a start of one trial with a process.
    pub(super) fn combines(&self, config: &Config<'_>) -> Result<(), Error> {
        if self.branching().is_none() {
            return Ok(());
        }
        Error::Unsupported.when(!CHOICES || config.run.when_full != WhenFull::Refuse)?;
        // A process learns nothing from one value.
        let modelled = config.proposal.baseline.is_none();
        let least = if modelled && config.surrogate.model.has_kernel() { 2 } else { 1 };
        Error::Config.when(self.starting_trials() < least)?;
        let drawn = matches!(
            config.proposal.policy,
            Policy::Thompson { .. } | Policy::Spectral { .. } | Policy::Noisy { .. }
        );
        let comparable = config.proposal.policy == Policy::Closed || drawn && matches!(self, Self::Single(_));
        let modelled = modelled && config.targets != Transform::Rank;
        if self.compares() && !(comparable && modelled) { Err(Error::Unsupported) } else { Ok(()) }
    }
}
