//! What an optimizer is to do, as C data.

use library::descent::Budget;
use library::{
    Acquisition, Config, Design, Incumbent, Interleave, Kernel, Limits, Noise, Objective, Refit, Search,
    Space, Training, Transform, Trend, WhenFull,
};

use crate::border::{Outcome, guard, sized, write_sized};
use crate::infill_status::{self, *};
use crate::kernel::{build, infill_kernel};

/// The scalar inside a block: infill_config.scalar. The number is its size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_scalar {
    /// Half the memory; for machines without double precision. Bounds and points are rounded to it.
    INFILL_F32 = 4,
    /// The default.
    INFILL_F64 = 8,
}

/// The starting design: infill_config.design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_design_kind {
    /// Independent random points.
    INFILL_DESIGN_UNIFORM = 0,
    /// One point in each interval of every dimension.
    INFILL_DESIGN_LATIN_HYPERCUBE = 1,
    /// The scrambled sequence of Sobol. The default.
    INFILL_DESIGN_SOBOL = 2,
    /// The Halton sequence with random digits.
    INFILL_DESIGN_HALTON = 3,
    /// The centres of a full factorial, in random order.
    INFILL_DESIGN_GRID = 4,
}

/// The mean of the process: infill_config.trend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_trend {
    /// Zero.
    INFILL_TREND_ZERO = 0,
    /// One unknown constant. The default.
    INFILL_TREND_CONSTANT = 1,
    /// A constant and a slope per parameter.
    INFILL_TREND_LINEAR = 2,
    /// All monomials up to degree two.
    INFILL_TREND_QUADRATIC = 3,
}

/// How values become targets: infill_config.transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_transform {
    /// As they are.
    INFILL_TRANSFORM_NONE = 0,
    /// Zero mean, unit variance.
    INFILL_TRANSFORM_STANDARD = 1,
    /// A fitted power, then zero mean and unit variance. The default.
    INFILL_TRANSFORM_POWER = 2,
    /// Normal scores of the ranks.
    INFILL_TRANSFORM_RANK = 3,
    /// The power of Box and Cox, fitted; that of Yeo and Johnson where a value is not positive.
    INFILL_TRANSFORM_BOX_COX = 4,
    /// The power of Yeo and Johnson, fitted to standardised values.
    INFILL_TRANSFORM_YEO_JOHNSON = 5,
}

/// What a proposal maximises: infill_config.acquisition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_acquisition {
    /// The probability of improvement by more than a margin.
    INFILL_ACQUISITION_PROBABILITY = 1,
    /// The expected improvement beyond a margin.
    INFILL_ACQUISITION_IMPROVEMENT = 2,
    /// Its logarithm. The default.
    INFILL_ACQUISITION_LOG_IMPROVEMENT = 3,
    /// The lower confidence bound, β deviations below the mean.
    INFILL_ACQUISITION_BOUND = 4,
    /// The expected power of the improvement, of a whole order from 0 to 20: 1 is the expected improvement, more explores.
    INFILL_ACQUISITION_GENERALISED = 5,
    /// The logarithm of the moment-generating function of improvement, at a temperature of 0 or more.
    INFILL_ACQUISITION_LOG_MGF = 6,
    /// The largest deviation, wherever the mean is: the parameter must be 0.
    INFILL_ACQUISITION_DEVIATION = 7,
    /// The augmented expected improvement, for values with a noise of this standard deviation.
    INFILL_ACQUISITION_NOISY = 8,
}

/// What improvement is measured against: infill_config.incumbent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_incumbent {
    /// The lowest value told. The default.
    INFILL_INCUMBENT_OBSERVED = 0,
    /// The lowest posterior mean at a told point: for noisy values.
    INFILL_INCUMBENT_MEAN = 1,
}

/// What training maximises, with the log prior: infill_config.training_objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_objective_kind {
    /// The log marginal likelihood. The default.
    INFILL_OBJECTIVE_EVIDENCE = 0,
    /// The log predictive density of each value given all others.
    INFILL_OBJECTIVE_LEAVE_ONE_OUT = 1,
}

/// What happens when every trial is used: infill_config.when_full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum infill_when_full {
    /// INFILL_ERROR_FULL. The default.
    INFILL_FULL_REFUSE = 0,
    /// The closed trial of worst value makes room.
    INFILL_FULL_DROP_WORST = 1,
}

/// How much a block holds. A zero is chosen from the space and the rest of the configuration.
///
/// Threads: plain data. Lifetime: it is read during a call only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct infill_limits {
    /// Trials that are remembered: told, failed, open and queued ones together. 0 is 100.
    pub trials: u32,
    /// Parameters.
    pub dims: u32,
    /// Trials that may be open at a time.
    pub open: u32,
    /// Conditions of the space.
    pub conditions: u32,
    /// Values of ordinals and of conditions, all together.
    pub levels: u32,
    /// Nodes of the kernel.
    pub nodes: u32,
    /// Coordinates that kernel nodes list, all together.
    pub lists: u32,
    /// Hyperparameters of the kernel.
    pub thetas: u32,
    /// Basis functions of the trend.
    pub columns: u32,
    /// Candidates that are scored at a time.
    pub candidates: u32,
    /// Candidates that are polished.
    pub starts: u32,
    /// Zero.
    pub reserved: [u32; 5],
}

/// What an optimizer is to do. Let infill_config_default fill it, then change what the problem needs.
///
/// Threads: plain data. Lifetime: it is read during a call only; an optimizer keeps what it needs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_config {
    /// sizeof(infill_config), set by infill_config_default.
    pub size: usize,
    /// The kernel; NULL is Matérn-5/2 with a length per number times Hamming over the categories.
    pub kernel: *const infill_kernel,
    /// Seed of the generator: same seed, same bits.
    pub seed: u64,
    /// How much the block holds.
    pub limits: infill_limits,
    /// An infill_scalar.
    pub scalar: u32,
    /// Trials of the starting design; 0 chooses by the number of parameters.
    pub start: u32,
    /// An infill_design_kind.
    pub design: u32,
    /// An infill_trend.
    pub trend: u32,
    /// An infill_transform.
    pub transform: u32,
    /// An infill_acquisition.
    pub acquisition: u32,
    /// Its margin or noise, in units of the values; or its β, order or temperature; 0 if it has none.
    pub acquisition_parameter: f64,
    /// If not 0, β grows so that all bounds hold together with probability 1 − delta.
    pub delta: f64,
    /// First guess of the noise variance, on the scale of the targets: that of all values is 1.
    pub noise_variance: f64,
    /// Least noise variance.
    pub noise_lo: f64,
    /// Largest noise variance; equal ends freeze it.
    pub noise_hi: f64,
    /// Spread of a log-normal prior around the first guess; 0 is a flat one.
    pub noise_sd: f64,
    /// Every so many proposals a confidence bound decides instead of the acquisition; 0 is never.
    pub interleave_every: u32,
    /// An infill_incumbent.
    pub incumbent: u32,
    /// How many deviations below the mean that bound is.
    pub interleave_beta: f64,
    /// Growth of the data that calls for a training from the last hyperparameters; 0 trains at each ask.
    pub refit_growth: f64,
    /// Growth that calls for a training with restarts.
    pub refit_afresh: f64,
    /// Evaluations of a training from the last hyperparameters.
    pub refit_evaluations: u32,
    /// Observations beyond which no training has restarts.
    pub refit_plenty: u32,
    /// An infill_objective_kind.
    pub training_objective: u32,
    /// Starts beside the present hyperparameters.
    pub training_restarts: u32,
    /// Draws from the prior of which each restart takes the best.
    pub training_draws: u32,
    /// Evaluations of each descent.
    pub training_evaluations: u32,
    /// Relative change at which a descent ends.
    pub training_tolerance: f64,
    /// Its first step, as a part of the range.
    pub training_reach: f64,
    /// Candidates spread over the space.
    pub search_global: u32,
    /// Candidates around the best points.
    pub search_local: u32,
    /// Candidates that are polished.
    pub search_starts: u32,
    /// Rounds of exchanges over the parameters without gradient.
    pub search_rounds: u32,
    /// Relative change at which a polish ends.
    pub polish_tolerance: f64,
    /// Its first step, as a part of the range.
    pub polish_reach: f64,
    /// Evaluations of each polish.
    pub polish_evaluations: u32,
    /// 1 if a point may be proposed twice, 0 otherwise.
    pub repeats: u32,
    /// An infill_when_full.
    pub when_full: u32,
    /// Zero.
    pub reserved: u32,
}

/// Trials that an optimizer remembers if nobody says how many.
const TRIALS: u32 = 100;

impl Default for infill_config {
    fn default() -> Self {
        let c = Config::default();
        let (acquisition, acquisition_parameter) = c.acquisition.code();
        let scalar =
            if cfg!(feature = "f64") { infill_scalar::INFILL_F64 } else { infill_scalar::INFILL_F32 };
        Self {
            size: size_of::<Self>(),
            kernel: core::ptr::null(),
            seed: c.seed,
            limits: infill_limits { trials: TRIALS, ..infill_limits::default() },
            scalar: scalar as u32,
            start: c.start,
            design: c.design.code() as u32,
            trend: c.trend.code() as u32,
            transform: c.transform.code() as u32,
            acquisition: acquisition as u32,
            acquisition_parameter,
            delta: c.delta,
            noise_variance: c.noise.variance,
            noise_lo: c.noise.lo,
            noise_hi: c.noise.hi,
            noise_sd: c.noise.sd,
            interleave_every: c.interleave.every,
            incumbent: c.incumbent as u32,
            interleave_beta: c.interleave.beta,
            refit_growth: c.refit.growth,
            refit_afresh: c.refit.afresh,
            refit_evaluations: c.refit.evaluations,
            refit_plenty: c.refit.plenty,
            training_objective: c.training.objective as u32,
            training_restarts: c.training.restarts,
            training_draws: c.training.draws,
            training_evaluations: c.training.budget.evaluations,
            training_tolerance: c.training.budget.tolerance,
            training_reach: c.training.budget.reach,
            search_global: c.search.global,
            search_local: c.search.local,
            search_starts: c.search.starts,
            search_rounds: c.search.rounds,
            polish_tolerance: c.search.polish.tolerance,
            polish_reach: c.search.polish.reach,
            polish_evaluations: c.search.polish.evaluations,
            repeats: u32::from(c.repeats),
            when_full: c.when_full as u32,
            reserved: 0,
        }
    }
}

/// One of several choices by its number.
pub(crate) fn choice<T: Copy, const N: usize>(number: u32, all: [T; N]) -> Outcome<T> {
    all.get(number as usize).copied().ok_or(INFILL_ERROR_CONFIG)
}

impl infill_config {
    /// The settings, with a kernel that was built from [`infill_config::kernel`].
    fn settings<'a>(&self, kernel: Option<&'a Kernel>) -> Outcome<Config<'a>> {
        Ok(Config {
            seed: self.seed,
            start: self.start,
            design: design(self.design)?,
            kernel,
            trend: trend(self.trend)?,
            transform: Transform::from_code(self.transform.into()).ok_or(INFILL_ERROR_CONFIG)?,
            noise: Noise {
                variance: self.noise_variance,
                lo: self.noise_lo,
                hi: self.noise_hi,
                sd: self.noise_sd,
            },
            acquisition: Acquisition::from_code(self.acquisition.into(), self.acquisition_parameter)?,
            delta: self.delta,
            interleave: Interleave { every: self.interleave_every, beta: self.interleave_beta },
            incumbent: choice(self.incumbent, [Incumbent::Observed, Incumbent::Mean])?,
            training: Training {
                objective: objective(self.training_objective)?,
                restarts: self.training_restarts,
                draws: self.training_draws,
                budget: Budget {
                    evaluations: self.training_evaluations,
                    tolerance: self.training_tolerance,
                    reach: self.training_reach,
                },
            },
            refit: Refit {
                growth: self.refit_growth,
                afresh: self.refit_afresh,
                evaluations: self.refit_evaluations,
                plenty: self.refit_plenty,
            },
            search: Search {
                global: self.search_global,
                local: self.search_local,
                starts: self.search_starts,
                polish: Budget {
                    evaluations: self.polish_evaluations,
                    tolerance: self.polish_tolerance,
                    reach: self.polish_reach,
                },
                rounds: self.search_rounds,
            },
            repeats: choice(self.repeats, [false, true])?,
            when_full: choice(self.when_full, [WhenFull::Refuse, WhenFull::DropWorst])?,
        })
    }

    /// The limits: what is given, and for zeros what the space and the settings need.
    fn bounds(&self, space: &Space<'_>, config: &Config<'_>) -> Outcome<Limits> {
        let small = |count: usize| u32::try_from(count).map_err(|_| INFILL_ERROR_LIMITS);
        let or = |given: u32, other: u32| if given > 0 { given } else { other };
        let given = self.limits;
        if given.reserved != [0; 5] || self.reserved != 0 {
            return Err(INFILL_ERROR_CONFIG);
        }
        let dims = or(given.dims, small(space.dims())?);
        let base = Limits::new(dims, or(given.trials, TRIALS));
        let (nodes, lists, thetas) = match config.kernel {
            None => (base.nodes, base.lists, base.thetas),
            Some(kernel) => {
                (small(kernel.nodes())?, small(kernel.list_entries())?, small(kernel.thetas(space.dims())?)?)
            }
        };
        let columns = small(config.trend.columns(dims as usize))?;
        Ok(base
            .open(or(given.open, base.open))
            .conditions(
                or(given.conditions, small(space.conditions())?),
                or(given.levels, small(space.levels())?),
            )
            .kernel(or(given.nodes, nodes), or(given.lists, lists), or(given.thetas, thetas))
            .trend(or(given.columns, columns))
            .candidates(or(given.candidates, base.candidates))
            .starts(or(given.starts, base.starts.max(config.search.starts))))
    }
}

/// Gives `work` the scalar, the settings and the limits that C data describe.
///
/// # Safety
/// The pointer and those in the data are NULL, misaligned, or point to what they say.
pub(crate) unsafe fn with_config<T>(
    config: *const infill_config,
    space: &Space<'_>,
    work: impl FnOnce(u32, &Config<'_>, Limits) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: as here.
    let config = unsafe { sized(config, size_of::<infill_config>(), infill_config::default()) }?;
    if config.kernel.is_null() {
        let settings = config.settings(None)?;
        work(config.scalar, &settings, config.bounds(space, &settings)?)
    } else {
        // SAFETY: as here.
        let kernel = unsafe { build(config.kernel) }?;
        let settings = config.settings(Some(&kernel))?;
        work(config.scalar, &settings, config.bounds(space, &settings)?)
    }
}

pub(crate) fn design(number: u32) -> Outcome<Design> {
    Design::from_code(number.into()).ok_or(INFILL_ERROR_CONFIG)
}

pub(crate) fn trend(number: u32) -> Outcome<Trend> {
    Trend::from_code(number.into()).ok_or(INFILL_ERROR_CONFIG)
}

pub(crate) fn objective(number: u32) -> Outcome<Objective> {
    choice(number, [Objective::Evidence, Objective::LeaveOneOut])
}

/// Fills a configuration with the defaults, which suit most problems: give it a seed and its limits.trials.
///
/// size is sizeof(infill_config), by which the library knows the header that the program was built with.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_config_default(config: *mut infill_config, size: usize) -> infill_status {
    guard(|| {
        // SAFETY: the caller's pointer is what it says.
        unsafe { write_sized(config, size, size_of::<infill_config>(), &infill_config::default()) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use library::Param;

    #[test]
    fn defaults_are_those_of_the_library() {
        assert_eq!(infill_config::default().settings(None).unwrap(), Config::default());
        let params = [Param::real(0.0, 1.0), Param::categorical(3)];
        let space = Space::new(&params, &[]).unwrap();
        let config = infill_config::default();
        assert_eq!(config.bounds(&space, &Config::default()).unwrap(), Limits::new(2, TRIALS));
    }

    #[test]
    fn numbers_are_those_of_the_library() {
        use infill_acquisition::*;
        use infill_design_kind::*;
        use infill_transform::*;
        use infill_trend::*;
        let designs = [
            INFILL_DESIGN_UNIFORM,
            INFILL_DESIGN_LATIN_HYPERCUBE,
            INFILL_DESIGN_SOBOL,
            INFILL_DESIGN_HALTON,
            INFILL_DESIGN_GRID,
        ];
        let theirs = [Design::Uniform, Design::LatinHypercube, Design::Sobol, Design::Halton, Design::Grid];
        for (ours, theirs) in designs.into_iter().zip(theirs) {
            assert_eq!(design(ours as u32).unwrap(), theirs);
        }
        let trends = [INFILL_TREND_ZERO, INFILL_TREND_CONSTANT, INFILL_TREND_LINEAR, INFILL_TREND_QUADRATIC];
        let theirs = [Trend::Zero, Trend::Constant, Trend::Linear, Trend::Quadratic];
        for (ours, theirs) in trends.into_iter().zip(theirs) {
            assert_eq!(trend(ours as u32).unwrap(), theirs);
        }
        let transforms = [
            (INFILL_TRANSFORM_NONE, Transform::None),
            (INFILL_TRANSFORM_STANDARD, Transform::Standard),
            (INFILL_TRANSFORM_POWER, Transform::Power),
            (INFILL_TRANSFORM_RANK, Transform::Rank),
            (INFILL_TRANSFORM_BOX_COX, Transform::BoxCox),
            (INFILL_TRANSFORM_YEO_JOHNSON, Transform::YeoJohnson),
        ];
        for (ours, theirs) in transforms {
            assert_eq!(u64::from(ours as u32), theirs.code());
        }
        let rules = [
            (INFILL_ACQUISITION_PROBABILITY, Acquisition::Probability { margin: 1.0 }),
            (INFILL_ACQUISITION_IMPROVEMENT, Acquisition::Improvement { margin: 1.0 }),
            (INFILL_ACQUISITION_LOG_IMPROVEMENT, Acquisition::LogImprovement { margin: 1.0 }),
            (INFILL_ACQUISITION_BOUND, Acquisition::Bound { beta: 1.0 }),
            (INFILL_ACQUISITION_GENERALISED, Acquisition::Generalised { order: 1 }),
            (INFILL_ACQUISITION_LOG_MGF, Acquisition::LogMgf { temperature: 1.0 }),
            (INFILL_ACQUISITION_NOISY, Acquisition::Noisy { noise: 1.0 }),
        ];
        for (ours, theirs) in rules {
            assert_eq!(Acquisition::from_code(u64::from(ours as u32), 1.0).unwrap(), theirs);
        }
        let alone = Acquisition::from_code(INFILL_ACQUISITION_DEVIATION as u64, 0.0).unwrap();
        assert_eq!(alone, Acquisition::Deviation);
    }
}
