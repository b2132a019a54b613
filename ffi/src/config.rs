//! What an optimizer is to do and how much it may hold, as C data.

use core::ffi::c_char;

use library::config::Flat;
use library::{Config, Design, Kernel, Limits, Objective, Space, Strategy, Trend};

use crate::choices::SCALAR;
use crate::export::checked;
use crate::infill_status::{self, *};
use crate::kernel::{build, infill_kernel};
use crate::names::PRESET_NAMES;
use crate::pointer::{Outcome, given, text, write_default, write_sized};

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
    /// Values of ordinals, of conditions and of what is forbidden, and defaults, all together.
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
    /// Observations that an exact process may hold: as many as trials, and none of a model that is not exact.
    pub exact: u32,
    /// Fits that are held together, one for each draw of the hyperparameters.
    pub posteriors: u32,
    /// Points whose joint prediction is held, for policies and batches.
    pub anchors: u32,
    /// Scalars that policies and batches work in.
    pub work: u32,
    /// Inducing points, waves (at least 2) or trees (at least 4) of a sparse process. 0 is 64.
    pub features: u32,
    /// Trees of an ensemble. 0 is 100.
    pub trees: u32,
    /// Nodes of all of them together.
    pub tree_nodes: u32,
    /// Members of a portfolio.
    pub members: u32,
    /// Parameters that may be warped: all or none.
    pub warped: u32,
    /// Terms of what the space forbids.
    pub terms: u32,
    /// Values of the category that infill_config.strategy_parameter names, each with a model of its own.
    pub values: u32,
    /// Trials of each of those models; 0 is as many as there are in all.
    pub branch_trials: u32,
    /// Bytes of the names of parameters and labels of categories, each with a zero behind it; 0 for those of the space.
    pub names: u32,
    /// Sources that may be passed to a call; 0 for none.
    pub sources: u32,
    /// Rows of a source of which more than means are asked: INFILL_WEIGHTS_EXPERTS and _SAMPLED, INFILL_HOW_NEIGHBOURS and _RANKER;
    /// 0 where means do.
    pub source_rows: u32,
}

/// What an optimizer is to do. Let infill_config_default fill it, then change what the problem needs.
///
/// Threads: plain data. Lifetime: it is read during a call only; an optimizer keeps what it needs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct infill_config {
    /// sizeof(infill_config), set by infill_config_default.
    pub size: usize,
    /// Seed of the generator: same seed, same bits.
    pub seed: u64,
    /// # The block
    ///
    /// How much the block holds.
    pub limits: infill_limits,
    /// An infill_scalar.
    pub scalar: u32,
    /// # The starting design
    ///
    /// Trials of the starting design; 0 chooses by the number of parameters, or as a method without a model says.
    pub start: u32,
    /// An infill_design_kind.
    pub design: u32,
    /// # The surrogate: model, trend and noise
    ///
    /// An infill_model.
    pub model: u32,
    /// Degrees of freedom of a Student-t process, more than 2.
    pub model_freedom: f64,
    /// The kernel; NULL is Matérn-5/2 with a length per number times Hamming over the categories.
    pub kernel: *const infill_kernel,
    /// 1 if training may move them, 0 otherwise.
    pub model_learn_freedom: u32,
    /// An infill_trend.
    pub trend: u32,
    /// First guess of the noise variance, on the scale of the targets: that of all values is 1.
    pub noise_variance: f64,
    /// Least noise variance.
    pub noise_lo: f64,
    /// Largest noise variance; equal ends freeze it.
    pub noise_hi: f64,
    /// Spread of a log-normal prior around the first guess; 0 is a flat one.
    pub noise_sd: f64,
    /// # The surrogate: hyperparameters
    ///
    /// An infill_hyper_kind.
    pub hyper: u32,
    /// Draws of the hyperparameters, or nodes of a quadrature, at most 32.
    pub hyper_count: u32,
    /// An infill_sampler.
    pub sampler: u32,
    /// Sweeps before the first draw.
    pub sampler_burn_in: u32,
    /// Sweeps from one draw to the next.
    pub sampler_thin: u32,
    /// Steps outwards at each end of a slice, at most.
    pub sampler_out: u32,
    /// Points tried in a slice, at most.
    pub sampler_shrink: u32,
    /// Updates of the values of the function in each sweep, by samplers that keep them.
    pub sampler_latent: u32,
    /// Width of the first interval of a slice, or first step, on the log scale.
    pub sampler_width: f64,
    /// # The surrogate: training
    ///
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
    /// Growth of the data that calls for a training from the last hyperparameters; 0 trains at each ask.
    pub refit_growth: f64,
    /// Growth that calls for a training with restarts.
    pub refit_afresh: f64,
    /// Evaluations of a training from the last hyperparameters.
    pub refit_evaluations: u32,
    /// Observations beyond which no training has restarts.
    pub refit_plenty: u32,
    /// # The surrogate: trees
    ///
    /// An infill_spread.
    pub forest_spread: u32,
    /// Distinct rows in each leaf of a tree; 0 is what is usual for the model, here and below.
    pub forest_leaf: u32,
    /// Splits between the root and a leaf, at most; 0 is usual.
    pub forest_depth: u32,
    /// 1 if the rows of each tree of a random forest are drawn with replacement, 0 if it sees all.
    pub forest_bootstrap: u32,
    /// Share of the parameters that are looked at in each node; 0 is usual.
    pub forest_features: f64,
    /// Least variance that trees predict.
    pub forest_floor: f64,
    /// What each boosted tree contributes; 0 is usual.
    pub forest_rate: f64,
    /// Share of the rows that each boosted tree sees; 0 is usual.
    pub forest_share: f64,
    /// The low quantile of boosted trees; 0 is usual.
    pub forest_low: f64,
    /// Their high quantile; 0 is usual.
    pub forest_high: f64,
    /// # The surrogate: similarity
    ///
    /// An infill_warp.
    pub warp: u32,
    /// An infill_categories: how the default kernel compares values without order.
    pub categories: u32,
    /// An infill_structure: how it brings numbers and categories together.
    pub structure: u32,
    /// An infill_branches: whether configurations of different branches are similar.
    pub branches: u32,
    /// # Targets
    ///
    /// How values become targets, an infill_transform.
    pub targets: u32,
    /// # Proposals
    ///
    /// An infill_acquisition.
    pub acquisition: u32,
    /// Its margin or noise, in units of the values; or its β, order or temperature; 0 if it has none.
    pub acquisition_parameter: f64,
    /// If not 0, β grows so that all bounds hold together with probability 1 − delta.
    pub delta: f64,
    /// An infill_cooling.
    pub cooling: u32,
    /// Trials after the starting design in which the temperature falls.
    pub cooling_steps: u32,
    /// The first temperature.
    pub cooling_from: f64,
    /// The last.
    pub cooling_to: f64,
    /// An infill_policy.
    pub policy: u32,
    /// Points among which its minimum is looked for, or drawn; 0 is what is usual for the policy, here and below.
    pub policy_representers: u32,
    /// Its draws; 0 is usual.
    pub policy_draws: u32,
    /// Values that a trial is imagined to have; 0 is usual.
    pub policy_fantasies: u32,
    /// Its waves; 0 is usual.
    pub policy_features: u32,
    /// An infill_minima.
    pub policy_minima: u32,
    /// An infill_pending.
    pub pending: u32,
    /// Its draws; powers of two serve best.
    pub pending_draws: u32,
    /// An infill_incumbent.
    pub incumbent: u32,
    /// Every so many proposals a confidence bound decides instead of the acquisition; 0 is never, UINT32_MAX chooses this and
    /// the bound by the kind of space: 2 and 2 deviations among numbers, 4 and 3 where there are categories.
    pub interleave_every: u32,
    /// How many deviations below the mean that bound is; 0 takes the lowest mean, infinitely many a random point.
    pub interleave_beta: f64,
    /// # Proposals: methods without a model
    ///
    /// Values of a real on the mesh of INFILL_MODEL_GRID, and of an integer that has more; 0 is 10.
    pub grid_levels: u32,
    /// Draws of INFILL_MODEL_PARZEN of which the best is taken; 0 is 24.
    pub parzen_candidates: u32,
    /// Its good trials, at most; 0 is 25.
    pub parzen_most: u32,
    /// 1 if open trials count among the bad ones, 0 if they do not count.
    pub parzen_liar: u32,
    /// The share of the trials that are good; 0 is a tenth.
    pub parzen_share: f64,
    /// Weight of a kernel as broad as the space beside one for each trial; 0 is 1.
    pub parzen_prior: f64,
    /// The first temperature of INFILL_MODEL_ANNEAL, in mean differences of values; 0 is a half.
    pub anneal_heat: f64,
    /// What a trial leaves of the temperature; 0 is 0.97.
    pub anneal_cooling: f64,
    /// Deviation of its first steps, as a part of the range; 0 is 0.2.
    pub anneal_reach: f64,
    /// Parents of INFILL_MODEL_MI_ES; 0 is 4.
    pub evolve_parents: u32,
    /// Values of a generation of INFILL_MODEL_MI_ES or INFILL_MODEL_CMA_ES; 0 is 28, or what is usual for the parameters.
    pub evolve_offspring: u32,
    /// # The search for a proposal
    ///
    /// An infill_search_method. Other than for the first two, search_global, search_starts and search_rounds are its own counts,
    /// and 0 is what is usual for it.
    pub search_method: u32,
    /// Candidates spread over the space.
    pub search_global: u32,
    /// Candidates around the best points.
    pub search_local: u32,
    /// Candidates that are polished.
    pub search_starts: u32,
    /// Rounds of exchanges over the parameters without gradient.
    pub search_rounds: u32,
    /// Evaluations of each polish.
    pub polish_evaluations: u32,
    /// Relative change at which a polish ends.
    pub polish_tolerance: f64,
    /// Its first step, as a part of the range.
    pub polish_reach: f64,
    /// # The strategy
    ///
    /// An infill_strategy: one model, or one for each value of a category.
    pub strategy: u32,
    /// The category whose values have models of their own; it has no condition.
    pub strategy_parameter: u32,
    /// Trials of the starting design of each of them, instead of start; 0 is 10, 3 of a baseline.
    pub strategy_start: u32,
    /// Evaluations in all, of INFILL_STRATEGY_BASELINE: budget / values for each, the rest for the best of them.
    pub strategy_budget: u32,
    /// 1 if improvement is measured against the best value of the category's value instead of the best of all, else 0.
    pub strategy_own_minimum: u32,
    /// # Sources
    ///
    /// An infill_start: what is asked for first where sources are passed.
    pub transfer_start: u32,
    /// How many trials that takes, unless they are those of the design.
    pub transfer_trials: u32,
    /// An infill_how: how sources help to choose where there is a model.
    pub transfer_how: u32,
    /// An infill_weights: how much each counts, of INFILL_HOW_STAGE and INFILL_HOW_VALUE.
    pub transfer_weights: u32,
    /// INFILL_HOW_FUNCTION: after how many trials transfer_alpha has grown to 1; 0 if it stays.
    pub transfer_growth: u32,
    /// INFILL_WEIGHTS_SAMPLED: how many draws.
    pub transfer_draws: u32,
    /// INFILL_HOW_NEIGHBOURS: how many sources share a process with the run, 1 to 16.
    pub transfer_neighbours: u32,
    /// INFILL_HOW_NEIGHBOURS: an infill_near, which of them.
    pub transfer_near: u32,
    /// 0.
    pub reserved: u32,
    /// Their bandwidth: the distance of data sets from which on one counts nothing, above 0.
    pub transfer_rho: f64,
    /// INFILL_HOW_FUNCTION: the share of the improvement; INFILL_HOW_NEIGHBOURS: that of the kernel within a data set. 0 to 1.
    pub transfer_alpha: f64,
    /// The share of the space that is searched, by what the sources most alike make of it; 1 is all of it.
    pub transfer_keep: f64,
    /// # The run
    ///
    /// 1 if a point may be proposed twice, 0 otherwise, also where values are noisy.
    pub repeats: u32,
    /// An infill_when_full.
    pub when_full: u32,
}

/// Trials that an optimizer remembers if nobody says how many.
pub(crate) const TRIALS: u32 = 100;

macro_rules! mirror {
    (
        reals { $($real:ident)* } counts { $($count:ident)* }
        absent { reals { $($no_real:ident)* } counts { $($no_count:ident)* } }
    ) => {
        impl infill_config {
            /// The settings as C data, but for a kernel; with the default limits.
            pub(crate) fn of(config: &Config<'_>) -> Self {
                let flat = Flat::of(config);
                Self {
                    size: size_of::<Self>(),
                    kernel: core::ptr::null(),
                    limits: infill_limits { trials: TRIALS, ..infill_limits::default() },
                    scalar: SCALAR,
                    reserved: 0,
                    seed: flat.seed,
                    $($real: flat.$real,)*
                    $($count: flat.$count,)*
                    $($no_real: 0.0,)*
                    $($no_count: 0,)*
                }
            }

            pub(crate) fn flat(&self) -> Flat {
                Flat { seed: self.seed, $($real: self.$real,)* $($count: self.$count,)* }
            }
        }
    };
}

library::settings!(mirror);

impl Default for infill_config {
    fn default() -> Self {
        Self::of(&Config::default())
    }
}

impl infill_config {
    /// The settings, with a kernel that was built from [`infill_config::kernel`].
    fn settings<'a>(&self, kernel: Option<&'a Kernel>) -> Outcome<Config<'a>> {
        if self.reserved != 0 {
            return Err(INFILL_ERROR_CONFIG);
        }
        Ok(self.flat().or_usual()?.config(kernel)?)
    }

    /// A field that no setting is for, and whose number has no meaning.
    pub(crate) fn oddity(&self) -> Option<&'static str> {
        let scalar = matches!(self.scalar, 4 | 8);
        match (self.reserved, scalar) {
            (0, true) => None,
            (0, false) => Some("infill_config.scalar has to be INFILL_F32 (4) or INFILL_F64 (8)"),
            (1.., _) => Some("infill_config.reserved has to be 0"),
        }
    }

    /// The limits: what is given, and for zeros what the space and the settings need.
    pub(crate) fn bounds(&self, space: &Space<'_>, config: &Config<'_>) -> Limits {
        // More than can be counted is refused as the largest count.
        let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let given = self.limits;
        let dims = or(given.dims, small(space.dims()));
        let base = Limits::new(dims, or(given.trials, TRIALS));
        let (nodes, lists, thetas) = match config.surrogate.kernel {
            None => (base.nodes, base.lists, base.thetas),
            // What has none is refused by the optimizer.
            Some(kernel) => {
                let thetas = kernel.thetas(space.dims()).unwrap_or(0);
                (small(kernel.nodes()), small(kernel.list_entries()), small(thetas))
            }
        };
        let columns = small(config.surrogate.trend.columns(dims as usize));
        let branches = match config.strategy {
            Strategy::Auto | Strategy::Impute => 0,
            Strategy::Single(_) | Strategy::Whole(_) | Strategy::Baseline { .. } => {
                space.categories(self.strategy_parameter as usize).unwrap_or(0)
            }
        };
        let plain = base
            .branching(or(given.values, branches), given.branch_trials)
            .open(or(given.open, base.open))
            .conditions(
                or(given.conditions, small(space.conditions())),
                or(given.levels, small(space.levels())),
            )
            .terms(or(given.terms, small(space.terms())))
            .names(or(given.names, space.limits(1).names))
            .sources(given.sources)
            .source_rows(given.source_rows)
            .kernel(or(given.nodes, nodes), or(given.lists, lists), thetas)
            .trend(or(given.columns, columns))
            .candidates(or(given.candidates, base.candidates))
            .starts(or(given.starts, base.starts.max(config.search.starts)))
            .features(given.features)
            .forest(given.trees, given.tree_nodes);
        // What is refused must not be multiplied.
        let mut limits = if plain.check().is_ok() { plain.suit(config) } else { plain };
        limits.exact = or(given.exact, limits.exact);
        limits.posteriors = or(given.posteriors, limits.posteriors);
        limits.anchors = or(given.anchors, limits.anchors);
        limits.work = or(given.work, limits.work);
        limits.members = or(given.members, limits.members);
        limits.warped = or(given.warped, limits.warped);
        limits.thetas = or(given.thetas, limits.thetas);
        limits
    }
}

/// One of several choices by its number.
pub(crate) fn choice<T: Copy, const N: usize>(number: u32, all: [T; N]) -> Outcome<T> {
    all.get(number as usize).copied().ok_or(INFILL_ERROR_CONFIG)
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

/// What is given; if that is 0, the other.
pub(crate) fn or<T: PartialEq + Default>(given: T, other: T) -> T {
    if given == T::default() { other } else { given }
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
    let whole = unsafe { given(config) }?;
    if whole.kernel.is_null() {
        with_settings(whole, None, space, work)
    } else {
        // SAFETY: as here.
        unsafe { with_kernel(whole, space, work) }
    }
}

/// As [`with_config`], with a kernel of the caller's, which lies on the stack of this function alone.
///
/// # Safety
/// As [`with_config`].
#[inline(never)]
unsafe fn with_kernel<T>(
    config: &infill_config,
    space: &Space<'_>,
    work: impl FnOnce(u32, &Config<'_>, Limits) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: as here.
    let kernel = unsafe { build(config.kernel) }?;
    with_settings(config, Some(&kernel), space, work)
}

fn with_settings<T>(
    config: &infill_config,
    kernel: Option<&Kernel>,
    space: &Space<'_>,
    work: impl FnOnce(u32, &Config<'_>, Limits) -> Outcome<T>,
) -> Outcome<T> {
    let settings = config.settings(kernel)?;
    work(config.scalar, &settings, config.bounds(space, &settings))
}

/// Fills a configuration with the defaults, which suit most problems: give it a seed and its limits.trials.
///
/// size is sizeof(infill_config), by which the library knows the header that the program was built with.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_config_default(config: *mut infill_config, size: usize) -> infill_status {
    checked!(write_default(config, size)?)
}

/// Fills a configuration with the settings of a name, in the manner of a well-known program; then give it a seed and
/// its limits.trials. The names are those of infill_preset_name.
///
/// "default" is infill_config_default. "spearmint" averages over ten draws of the hyperparameters, and over fantasies
/// of open trials; "mip-ego" has a random forest and a temperature that falls; "gpgo" trains at each ask, "gpgo-student",
/// "gpgo-mcmc", "gpgo-forest", "gpgo-extra" and "gpgo-boosted" are the same with other models. name ends with a zero.
///
/// Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION, INFILL_ERROR_CONFIG for an unknown name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn infill_config_preset(
    config: *mut infill_config,
    size: usize,
    name: *const c_char,
) -> infill_status {
    checked!({
        let name = core::str::from_utf8(text(name)?).ok();
        let preset = name.and_then(Config::preset).ok_or(INFILL_ERROR_CONFIG)?;
        write_sized(config, size, infill_config::of(&preset))?
    })
}

/// The names that infill_config_preset knows, from index 0 on; NULL behind the last.
#[unsafe(no_mangle)]
pub extern "C" fn infill_preset_name(index: u32) -> *const c_char {
    PRESET_NAMES.get(index as usize).map_or(core::ptr::null(), |name| name.as_ptr().cast())
}

#[cfg(test)]
mod tests {
    use super::*;
    use library::{Hyper, PRESETS, Param};

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn no_field_leaves_a_gap() {
        // The size and the kernel, the limits, the scalar and what is reserved.
        let own = 2 * size_of::<usize>() + size_of::<infill_limits>() + 2 * size_of::<u32>();
        assert_eq!(size_of::<infill_config>(), own + size_of::<Flat>());
    }

    #[test]
    fn limits_are_those_of_the_library() {
        let params = [Param::real(0.0, 1.0), Param::categorical(3)];
        let space = Space::new(&params, &[]).unwrap();
        let config = infill_config::default();
        assert_eq!(config.bounds(&space, &Config::default()), Limits::new(2, TRIALS));
        for name in PRESETS {
            let preset = Config::preset(name).unwrap();
            let limits = infill_config::of(&preset).bounds(&space, &preset);
            assert_eq!(limits, Limits::new(2, TRIALS).suit(&preset), "{name}");
        }
        let sampled = Hyper::Mcmc { count: 4, sampling: Default::default() };
        let settings = Config::default().with(|c| c.surrogate.hyper = sampled);
        let mut config = infill_config::of(&settings);
        config.limits.posteriors = 7;
        assert_eq!(config.bounds(&space, &settings).posteriors, 7);
    }

    #[test]
    fn defaults_are_those_of_the_library() {
        assert_eq!(infill_config::default().settings(None).unwrap(), Config::default());
        for name in PRESETS {
            let preset = Config::preset(name).unwrap();
            assert_eq!(infill_config::of(&preset).settings(None).unwrap(), preset, "{name}");
        }
    }

    #[test]
    fn names_end_with_a_zero() {
        for (i, name) in PRESETS.iter().enumerate() {
            // SAFETY: it is NULL or ends with a zero.
            let text = unsafe { text(infill_preset_name(i as u32)) }.unwrap();
            assert_eq!(text, name.as_bytes());
        }
        assert!(infill_preset_name(PRESETS.len() as u32).is_null() && infill_preset_name(u32::MAX).is_null());
    }
}
