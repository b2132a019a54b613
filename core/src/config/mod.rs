//! The configuration of an optimizer: what it is to do, and how much work it may spend on a question.

mod combine;
mod flat;
mod model;
mod preset;
mod strategy;
mod suit;
#[cfg(feature = "transfer")]
mod transfer;

use crate::acquisition::{Acquisition, Schedule};
use crate::baselines::Baseline;
use crate::error::Error;
use crate::gp::Training;
use crate::gp::warp::Warp;
pub use crate::kernel::{Branches, Categories, Similarity, Structure};
use crate::kernel::{Kernel, MIN_SD, Op, default_kernel};
use crate::lbfgs::Budget;
use crate::pending::Pending;
use crate::policy::Policy;
use crate::search::{Method, Search};
use crate::space::{Design, Domain, Kind, Space};
use crate::sparse;
use crate::targets::Transform;
use crate::transfer::Transfer;
use crate::trend::Trend;
pub use flat::Flat;
pub(crate) use flat::WORDS;
use model::Proposer;
pub use model::{Hyper, Model};
pub use preset::PRESETS;
pub use strategy::{Branching, Strategy};
pub(crate) use suit::MEMBERS;

/// Whether this build has more than an exact Gaussian process at its best hyperparameters and closed forms.
///
/// A constant, so that a program without feature `models` links nothing of the rest.
pub(crate) const CHOICES: bool = cfg!(feature = "models");
/// Whether this build can use sources; a constant for the same reason.
pub(crate) const TRANSFER: bool = cfg!(feature = "transfer");

/// The settings of an optimizer. `Config::default()` is a good choice for most problems.
///
/// ```
/// use infill::{Acquisition, Config, Pending};
/// let config = Config { seed: 7, ..Config::default() };
/// let config = config.with(|c| c.proposal.acquisition = Acquisition::Bound { beta: 2.0 });
/// assert_eq!((config.seed, config.proposal.pending), (7, Pending::Believer));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config<'a> {
    /// Seed of the generator: same seed, same bits.
    pub seed: u64,
    /// What is asked before there is a model.
    pub design: DesignConfig,
    /// The model of the function, and how it is trained.
    pub surrogate: SurrogateConfig<'a>,
    /// How values become targets.
    pub targets: Transform,
    /// How a proposal is chosen.
    pub proposal: ProposalConfig,
    /// The search for the best candidate.
    pub search: Search,
    /// One model, or one for each value of a category.
    pub strategy: Strategy,
    /// What is done with sources, where any are passed.
    #[cfg(feature = "transfer")]
    pub transfer: Transfer,
    /// What a run may do.
    pub run: RunConfig,
}

/// The starting design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DesignConfig {
    /// Where its trials lie.
    pub kind: Design,
    /// How many there are; 0 chooses by the number of parameters, or as a method without a model says.
    pub trials: u32,
}

/// The model of the function, and how it is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurrogateConfig<'a> {
    /// The model.
    pub model: Model,
    /// What becomes of the hyperparameters of an exact process.
    pub hyper: Hyper,
    /// How coordinates are bent before the kernel of an exact process sees them, learnt with its hyperparameters.
    pub warp: Warp,
    /// The kernel; `None` is Matérn-5/2 with a length scale per numeric parameter times a Hamming kernel over the
    /// categorical ones.
    pub kernel: Option<&'a Kernel>,
    /// How that kernel compares categories and branches; one's own is taken as it is.
    pub similarity: Similarity,
    /// The mean of the process.
    pub trend: Trend,
    /// Common noise of the targets.
    pub noise: Noise,
    /// Training of the hyperparameters when it starts afresh.
    pub training: Training,
    /// When hyperparameters are trained again.
    pub refit: Refit,
}

/// How a proposal is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProposalConfig {
    /// A method without a model that proposes instead of the acquisition; nothing is fitted then.
    pub baseline: Option<Baseline>,
    /// What it maximises.
    pub acquisition: Acquisition<f64>,
    /// How the parameter of that moves with the trials.
    pub schedule: Schedule,
    /// By the acquisition, or by what has no closed form.
    pub policy: Policy,
    /// How trials are reckoned with that are still open.
    pub pending: Pending,
    /// Proposals that a confidence bound decides instead of the acquisition.
    pub interleave: Interleave,
    /// The value that improvement is measured against.
    pub incumbent: Incumbent,
}

/// What a run may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RunConfig {
    /// Whether a point may be proposed twice. Not better where values are noisy: see [`Noise`].
    pub repeats: bool,
    /// What happens when every trial is used.
    pub when_full: WhenFull,
}

/// Variance of the noise on the scale of the targets, and the range in which training may move it.
///
/// Targets have about unit variance. The default is recommended for noisy values too: a `hi` of 1, with
/// [`Incumbent::Mean`] and [`RunConfig::repeats`], lost 7 : 23 against it at 50 evaluations (six problems × 5 seeds).
///
/// ```
/// use infill::Config;
/// let config = Config::default().with(|c| c.surrogate.noise.hi = 1e-3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// First guess.
    pub variance: f64,
    /// Least value.
    pub lo: f64,
    /// Largest value; equal ends freeze the noise.
    pub hi: f64,
    /// Spread of a log-normal prior around the first guess, 10⁻⁶ or more; 0 for a flat one.
    pub sd: f64,
}

impl Noise {
    /// A variance that training does not move.
    ///
    /// ```
    /// use infill::{Config, Noise};
    /// let config = Config::default().with(|c| c.surrogate.noise = Noise::fixed(1e-6));
    /// ```
    #[must_use]
    pub const fn fixed(variance: f64) -> Self {
        Self { variance, lo: variance, hi: variance, sd: 0.0 }
    }
}

/// Every so many proposals the lowest confidence bound decides instead of the acquisition.
///
/// Among numbers expected improvement spreads its proposals and the bound refines what is found; among categories a bound
/// that is wider and comes less often tries those that the model has given up. `benches/README.md` has what each does alone
/// and both in turn.
///
/// ```
/// use infill::{Config, Interleave, Limits, Optimizer, Origin, Param, Space};
/// let pure = Config::default().with(|c| c.proposal.interleave = Interleave::NEVER);
///
/// // Every second point by chance.
/// let every = Interleave { every: 2, beta: f64::INFINITY };
/// let random = Config::default().with(|c| c.proposal.interleave = every);
/// let params = [Param::real(0.0, 1.0)];
/// let (space, limits) = (Space::new(&params, &[])?, Limits::new(1, 12));
/// let mut optimizer = Optimizer::<f64, _>::new(&space, &random, limits, vec![0; limits.words::<f64>()])?;
/// let mut by_chance = 0;
/// for _ in 0..12 {
///     let mut x = [0.0];
///     let ask = optimizer.ask(&mut x)?;
///     by_chance += u32::from(ask.origin == Origin::Fallback);
///     optimizer.tell(ask.id, (x[0] - 0.3).powi(2))?;
/// }
/// assert_eq!(by_chance, 4); // of the eight after the starting design
/// # Ok::<(), infill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interleave {
    /// One proposal in so many; 0 is none, `u32::MAX` chooses both by the kind of space ([`Interleave::AUTO`]).
    pub every: u32,
    /// How many deviations below the mean; 0 takes the lowest mean, infinitely many a random point, for models that do not
    /// know what they do not know.
    pub beta: f64,
}

impl Interleave {
    /// The acquisition decides always.
    ///
    /// ```
    /// assert_eq!(infill::Interleave::NEVER.every, 0);
    /// ```
    pub const NEVER: Self = Self { every: 0, beta: 0.0 };

    /// Every second one with β = 2 in a space of numbers, every fourth with β = 3 where a parameter is a category.
    ///
    /// ```
    /// use infill::{Config, Interleave};
    /// assert_eq!(Config::default().proposal.interleave, Interleave::AUTO);
    /// ```
    pub const AUTO: Self = Self { every: u32::MAX, beta: 2.0 };

    /// What is done in a space.
    pub(crate) fn of(self, domain: Domain<'_>) -> Self {
        if self.every != u32::MAX {
            return self;
        }
        let categories = (0..domain.dims()).any(|i| domain.kind(i) == Kind::Categorical);
        if categories { Self { every: 4, beta: 3.0 } } else { Self { every: 2, beta: 2.0 } }
    }
}

/// The value that improvement is measured against.
///
/// ```
/// use infill::{Config, Incumbent};
/// let config = Config::default().with(|c| c.proposal.incumbent = Incumbent::Mean);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Incumbent {
    /// The lowest value observed.
    #[default]
    Observed,
    /// The lowest posterior mean at an observed point. Not better where values are noisy.
    Mean,
}

/// When hyperparameters are trained again.
///
/// They are trained when the number of observations has grown by the fraction `growth` since the last time, from the
/// last hyperparameters with `evaluations`; and afresh, with restarts, whenever it has grown by `afresh`.
///
/// ```
/// use infill::Config;
/// let at_each_ask = Config::default().with(|c| c.surrogate.refit.growth = 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refit {
    /// Relative growth that calls for a training from the last hyperparameters; 0 trains at each ask.
    pub growth: f64,
    /// Relative growth that calls for a training with restarts.
    pub afresh: f64,
    /// Evaluations of a training from the last hyperparameters.
    pub evaluations: u32,
    /// Observations beyond which no training has restarts: with so many the evidence has one peak that counts.
    pub plenty: u32,
}

/// What happens when every trial is used.
///
/// ```
/// use infill::{Config, Limits, Optimizer, Param, Space, WhenFull};
/// let params = [Param::real(0.0, 1.0)];
/// let space = Space::new(&params, &[])?;
/// let config = Config::default().with(|c| c.run.when_full = WhenFull::DropWorst);
/// let limits = Limits::new(1, 2);
/// let mut optimizer = Optimizer::<f64, _>::new(&space, &config, limits, vec![0; limits.words::<f64>()])?;
/// for (x, y) in [(0.1, 3.0), (0.2, 1.0), (0.3, 2.0)] {
///     optimizer.observe(&[x], y)?;
/// }
/// assert!(optimizer.trials().all(|trial| trial.value < 3.0));
/// # Ok::<(), infill::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WhenFull {
    /// [`Error::Full`].
    #[default]
    Refuse,
    /// The closed trial with the worst value makes room.
    DropWorst,
}

impl Default for Config<'_> {
    fn default() -> Self {
        Self {
            seed: 0,
            design: DesignConfig::default(),
            surrogate: SurrogateConfig::default(),
            targets: Transform::Power,
            proposal: ProposalConfig::default(),
            search: Search::of(Method::Auto),
            strategy: Strategy::Auto,
            #[cfg(feature = "transfer")]
            transfer: Transfer::default(),
            run: RunConfig::default(),
        }
    }
}

impl Default for SurrogateConfig<'_> {
    fn default() -> Self {
        Self {
            model: Model::Process,
            hyper: Hyper::Map,
            warp: Warp::None,
            kernel: None,
            similarity: Similarity::PLAIN,
            trend: Trend::Constant,
            noise: Noise { variance: 1e-5, lo: 1e-10, hi: 0.1, sd: 0.0 },
            training: Training::default(),
            refit: Refit { growth: 0.03, afresh: 0.5, evaluations: 20, plenty: 300 },
        }
    }
}

impl Default for ProposalConfig {
    fn default() -> Self {
        Self {
            baseline: None,
            acquisition: Acquisition::LogImprovement { margin: 0.0 },
            schedule: Schedule::Constant,
            policy: Policy::Closed,
            pending: Pending::Believer,
            interleave: Interleave::AUTO,
            incumbent: Incumbent::Observed,
        }
    }
}

impl Config<'_> {
    /// The same with a change, to any of its parts.
    ///
    /// ```
    /// use infill::{Config, Hyper, Policy};
    /// let config = Config::default().with(|c| {
    ///     c.surrogate.hyper = Hyper::Quadrature { count: 9 };
    ///     c.proposal.policy = Policy::KNOWLEDGE;
    /// });
    /// ```
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// A build without sources does not carry along what is done with them: each byte of a configuration is code where it is
    /// made, read and passed on.
    #[cfg(not(feature = "transfer"))]
    pub(crate) const fn transfer(&self) -> Transfer {
        Transfer::USUAL
    }

    /// What is done with sources.
    #[cfg(feature = "transfer")]
    pub(crate) const fn transfer(&self) -> Transfer {
        self.transfer
    }

    /// The kernel that is taken where none is given, behind the nodes of `kernel`; trees of cuts have that which they average.
    ///
    /// # Errors
    /// As [`default_kernel`].
    pub(crate) fn default_kernel(&self, space: &Space<'_>, kernel: &mut Kernel) -> Result<(), Error> {
        let trees = CHOICES && self.surrogate.model == Model::Sparse(sparse::Kind::Mondrian);
        let smooth = if trees { Op::Laplace } else { Op::Matern52 };
        default_kernel(space, self.surrogate.similarity, smooth, kernel)
    }

    /// The number of starting trials for a space of `dims` parameters.
    pub(crate) fn starting_trials(&self, dims: usize) -> u32 {
        if let Some(free) = self.proposal.baseline {
            if free.is_design() {
                return 0;
            } else if self.design.trials == 0 {
                return free.starting_trials();
            }
        }
        if self.design.trials == 0 { (dims as u32 + 1).clamp(4, 20) } else { self.design.trials }
    }

    /// The rule after so many observations.
    pub(crate) fn acquisition_at(&self, rows: usize, dims: usize) -> Acquisition<f64> {
        let started = u64::from(self.starting_trials(dims));
        self.proposal.schedule.at(self.proposal.acquisition, rows as u64, started, dims)
    }

    /// Refuses settings that cannot be worked with.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Noise { variance, lo, hi, sd } = self.surrogate.noise;
        let noise = lo > 0.0 && lo <= variance && variance <= hi && hi <= 1e30;
        let noise = noise && (sd == 0.0 || sd >= MIN_SD && sd.is_finite());
        let fraction = |f: f64| f.is_finite() && f >= 0.0;
        let refit = fraction(self.surrogate.refit.growth) && fraction(self.surrogate.refit.afresh);
        let budget =
            |b: &Budget| fraction(b.tolerance) && b.reach > 0.0 && b.reach <= 1.0 && b.evaluations <= 1 << 12;
        let training = self.surrogate.training.draws <= 1 << 8 && self.surrogate.training.restarts <= 1 << 8;
        let search = self.search.global <= 1 << 17
            && self.search.local <= 1 << 17
            && self.search.global > 0
            && self.search.rounds <= 1 << 10;
        let (code, parameter) = self.proposal.acquisition.code();
        let Interleave { beta, .. } = self.proposal.interleave;
        let acquisition = Acquisition::from_code(code, parameter).is_ok() && beta >= 0.0;
        let budgets = budget(&self.surrogate.training.budget)
            && budget(&self.search.polish)
            && self.surrogate.refit.evaluations <= 1 << 12;
        Error::Config.when(!(noise && refit && training && search && budgets && acquisition))?;
        // A build without choices refuses others than the defaults of these, whatever their settings.
        if CHOICES {
            Proposer::of(self).check()?;
            self.surrogate.hyper.check()?;
            self.proposal.policy.check()?;
            self.proposal.pending.check()?;
        }
        if TRANSFER {
            self.transfer().check()?;
        }
        self.proposal.schedule.check()
    }
}
