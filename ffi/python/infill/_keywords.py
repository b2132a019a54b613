"""The keywords of settings, for those who check types. Written by tests/header.rs."""

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from .kernels import Kernel


class LimitsKeywords(TypedDict, total=False):
    """The settings of infill_limits."""

    #: Trials that are remembered: told, failed, open and queued ones together. 0 is 100.
    trials: int
    #: Parameters.
    dims: int
    #: Trials that may be open at a time.
    open: int
    #: Conditions of the space.
    conditions: int
    #: Values of ordinals, of conditions and of what is forbidden, and defaults, all together.
    levels: int
    #: Nodes of the kernel.
    nodes: int
    #: Coordinates that kernel nodes list, all together.
    lists: int
    #: Hyperparameters of the kernel.
    thetas: int
    #: Basis functions of the trend.
    columns: int
    #: Candidates that are scored at a time.
    candidates: int
    #: Candidates that are polished.
    starts: int
    #: Observations that an exact process may hold: as many as trials, and none of a model that is not exact.
    exact: int
    #: Fits that are held together, one for each draw of the hyperparameters.
    posteriors: int
    #: Points whose joint prediction is held, for policies and batches.
    anchors: int
    #: Scalars that policies and batches work in.
    work: int
    #: Inducing points, waves (at least 2) or trees (at least 4) of a sparse process. 0 is 64.
    features: int
    #: Trees of an ensemble. 0 is 100.
    trees: int
    #: Nodes of all of them together.
    tree_nodes: int
    #: Members of a portfolio.
    members: int
    #: Parameters that may be warped: all or none.
    warped: int
    #: Terms of what the space forbids.
    terms: int
    #: Values of the category that infill_config.strategy_parameter names, each with a model of its own.
    values: int
    #: Trials of each of those models; 0 is as many as there are in all.
    branch_trials: int
    #: Bytes of the names of parameters and labels of categories, each with a zero behind it; 0 for those of the
    #: space.
    names: int
    #: Sources that may be passed to a call; 0 for none.
    sources: int
    #: Rows of a source of which more than means are asked: INFILL_WEIGHTS_EXPERTS and _SAMPLED, INFILL_HOW_NEIGHBOURS
    #: and _RANKER; 0 where means do.
    source_rows: int


class ConfigKeywords(TypedDict, total=False):
    """The settings of infill_config."""

    #: Seed of the generator: same seed, same bits.
    seed: int
    #: How much the block holds.
    limits: LimitsKeywords
    #: The scalar inside a block.
    scalar: Literal["f32", "f64"]
    #: Trials of the starting design; 0 chooses by the number of parameters, or as a method without a model says.
    start: int
    #: The starting design.
    design: Literal["uniform", "latin_hypercube", "sobol", "halton", "grid"]
    #: The model of the function.
    model: Literal[
        "process", "student", "fitc", "variational", "spectrum", "random_forest", "extra_trees", "boosted_trees",
        "random", "grid", "sobol", "anneal", "parzen", "cma_es", "mi_es", "mondrian",
    ]
    #: Degrees of freedom of a Student-t process, more than 2.
    model_freedom: float
    #: The kernel; NULL is Matérn-5/2 with a length per number times Hamming over the categories.
    kernel: "Kernel"
    #: 1 if training may move them, 0 otherwise.
    model_learn_freedom: int
    #: The mean of the process, by its terms h.
    trend: Literal["zero", "constant", "linear", "quadratic"]
    #: First guess of the noise variance, on the scale of the targets: that of all values is 1.
    noise_variance: float
    #: Least noise variance.
    noise_lo: float
    #: Largest noise variance; equal ends freeze it.
    noise_hi: float
    #: Spread of a log-normal prior around the first guess; 0 is a flat one.
    noise_sd: float
    #: What becomes of the hyperparameters of an exact Gaussian process.
    hyper: Literal["map", "mcmc", "quadrature"]
    #: Draws of the hyperparameters, or nodes of a quadrature, at most 32.
    hyper_count: int
    #: How hyperparameters are drawn.
    sampler: Literal["slice", "metropolis", "fixed", "whitened", "surrogate_metropolis", "surrogate_slice"]
    #: Sweeps before the first draw.
    sampler_burn_in: int
    #: Sweeps from one draw to the next.
    sampler_thin: int
    #: Steps outwards at each end of a slice, at most.
    sampler_out: int
    #: Points tried in a slice, at most.
    sampler_shrink: int
    #: Updates of the values of the function in each sweep, by samplers that keep them.
    sampler_latent: int
    #: Width of the first interval of a slice, or first step, on the log scale.
    sampler_width: float
    #: What training maximises, with the log prior.
    training_objective: Literal["evidence", "leave_one_out"]
    #: Starts beside the present hyperparameters.
    training_restarts: int
    #: Draws from the prior of which each restart takes the best.
    training_draws: int
    #: Evaluations of each descent.
    training_evaluations: int
    #: Relative change at which a descent ends.
    training_tolerance: float
    #: Its first step, as a part of the range.
    training_reach: float
    #: Growth of the data that calls for a training from the last hyperparameters; 0 trains at each ask.
    refit_growth: float
    #: Growth that calls for a training with restarts.
    refit_afresh: float
    #: Evaluations of a training from the last hyperparameters.
    refit_evaluations: int
    #: Observations beyond which no training has restarts.
    refit_plenty: int
    #: What the variance that averaged trees predict is made of.
    forest_spread: Literal["total", "across"]
    #: Distinct rows in each leaf of a tree; 0 is what is usual for the model, here and below.
    forest_leaf: int
    #: Splits between the root and a leaf, at most; 0 is usual.
    forest_depth: int
    #: 1 if the rows of each tree of a random forest are drawn with replacement, 0 if it sees all.
    forest_bootstrap: int
    #: Share of the parameters that are looked at in each node; 0 is usual.
    forest_features: float
    #: Least variance that trees predict.
    forest_floor: float
    #: What each boosted tree contributes; 0 is usual.
    forest_rate: float
    #: Share of the rows that each boosted tree sees; 0 is usual.
    forest_share: float
    #: The low quantile of boosted trees; 0 is usual.
    forest_low: float
    #: Their high quantile; 0 is usual.
    forest_high: float
    #: How coordinates are bent before the kernel of an exact process sees them.
    warp: Literal["none", "kumaraswamy", "beta"]
    #: An infill_categories: how the default kernel compares values without order.
    categories: Literal["hamming", "exchangeable", "one_hot", "index"]
    #: An infill_structure: how it brings numbers and categories together.
    structure: Literal["product", "sum", "both"]
    #: An infill_branches: whether configurations of different branches are similar.
    branches: Literal["shared", "apart"]
    #: How values become targets, an infill_transform.
    targets: Literal["none", "standard", "power", "rank", "box_cox", "yeo_johnson"]
    #: What a proposal maximises.
    acquisition: Literal[
        "probability", "improvement", "log_improvement", "bound", "generalised", "log_mgf", "deviation", "noisy",
    ]
    #: Its margin or noise, in units of the values; or its β, order or temperature; 0 if it has none.
    acquisition_parameter: float
    #: If not 0, β grows so that all bounds hold together with probability 1 − delta.
    delta: float
    #: How the temperature of INFILL_ACQUISITION_LOG_MGF falls with the trials.
    cooling: Literal["none", "exponential", "linear"]
    #: Trials after the starting design in which the temperature falls.
    cooling_steps: int
    #: The first temperature.
    cooling_from: float
    #: The last.
    cooling_to: float
    #: How a proposal is chosen.
    policy: Literal[
        "closed", "entropy_search", "predictive_entropy", "max_value", "thompson", "spectral", "knowledge", "hedge",
        "portfolio", "noisy",
    ]
    #: Points among which its minimum is looked for, or drawn; 0 is what is usual for the policy, here and below.
    policy_representers: int
    #: Its draws; 0 is usual.
    policy_draws: int
    #: Values that a trial is imagined to have; 0 is usual.
    policy_fantasies: int
    #: Its waves; 0 is usual.
    policy_features: int
    #: How lowest values are drawn.
    policy_minima: Literal["joint", "gumbel"]
    #: How open trials are reckoned with.
    pending: Literal[
        "believer", "liar_min", "liar_mean", "liar_max", "fantasies", "penalty", "temperatures", "joint_ei",
    ]
    #: Its draws; powers of two serve best.
    pending_draws: int
    #: What improvement is measured against.
    incumbent: Literal["observed", "mean"]
    #: Every so many proposals a confidence bound decides instead of the acquisition; 0 is never, UINT32_MAX chooses
    #: this and the bound by the kind of space: 2 and 2 deviations among numbers, 4 and 3 where there are categories.
    interleave_every: int
    #: How many deviations below the mean that bound is; 0 takes the lowest mean, infinitely many a random point.
    interleave_beta: float
    #: Values of a real on the mesh of INFILL_MODEL_GRID, and of an integer that has more; 0 is 10.
    grid_levels: int
    #: Draws of INFILL_MODEL_PARZEN of which the best is taken; 0 is 24.
    parzen_candidates: int
    #: Its good trials, at most; 0 is 25.
    parzen_most: int
    #: 1 if open trials count among the bad ones, 0 if they do not count.
    parzen_liar: int
    #: The share of the trials that are good; 0 is a tenth.
    parzen_share: float
    #: Weight of a kernel as broad as the space beside one for each trial; 0 is 1.
    parzen_prior: float
    #: The first temperature of INFILL_MODEL_ANNEAL, in mean differences of values; 0 is a half.
    anneal_heat: float
    #: What a trial leaves of the temperature; 0 is 0.97.
    anneal_cooling: float
    #: Deviation of its first steps, as a part of the range; 0 is 0.2.
    anneal_reach: float
    #: Parents of INFILL_MODEL_MI_ES; 0 is 4.
    evolve_parents: int
    #: Values of a generation of INFILL_MODEL_MI_ES or INFILL_MODEL_CMA_ES; 0 is 28, or what is usual for the
    #: parameters.
    evolve_offspring: int
    #: An infill_search_method. Other than for the first two, search_global, search_starts and search_rounds are its
    #: own counts, and 0 is what is usual for it.
    search_method: Literal["auto", "ascent", "smac", "typed", "evolution", "covariance", "random"]
    #: Candidates spread over the space.
    search_global: int
    #: Candidates around the best points.
    search_local: int
    #: Candidates that are polished.
    search_starts: int
    #: Rounds of exchanges over the parameters without gradient.
    search_rounds: int
    #: Evaluations of each polish.
    polish_evaluations: int
    #: Relative change at which a polish ends.
    polish_tolerance: float
    #: Its first step, as a part of the range.
    polish_reach: float
    #: An infill_strategy: one model, or one for each value of a category.
    strategy: Literal["auto", "impute", "single", "whole", "baseline"]
    #: The category whose values have models of their own; it has no condition.
    strategy_parameter: Any
    #: Trials of the starting design of each of them, instead of start; 0 is 10, 3 of a baseline.
    strategy_start: int
    #: Evaluations in all, of INFILL_STRATEGY_BASELINE: budget / values for each, the rest for the best of them.
    strategy_budget: int
    #: 1 if improvement is measured against the best value of the category's value instead of the best of all, else 0.
    strategy_own_minimum: int
    #: An infill_start: what is asked for first where sources are passed.
    transfer_start: Literal["design", "random", "nearest", "cover", "learnt", "adaptive"]
    #: How many trials that takes, unless they are those of the design.
    transfer_trials: int
    #: An infill_how: how sources help to choose where there is a model.
    transfer_how: Literal["alone", "stage", "value", "function", "prior", "neighbours", "ranker", "perceptron"]
    #: An infill_weights: how much each counts, of INFILL_HOW_STAGE and INFILL_HOW_VALUE.
    transfer_weights: Literal["features", "ranks", "experts", "sampled"]
    #: INFILL_HOW_FUNCTION: after how many trials transfer_alpha has grown to 1; 0 if it stays.
    transfer_growth: int
    #: INFILL_WEIGHTS_SAMPLED: how many draws.
    transfer_draws: int
    #: INFILL_HOW_NEIGHBOURS: how many sources share a process with the run, 1 to 16.
    transfer_neighbours: int
    #: INFILL_HOW_NEIGHBOURS: an infill_near, which of them.
    transfer_near: int
    #: Their bandwidth: the distance of data sets from which on one counts nothing, above 0.
    transfer_rho: float
    #: INFILL_HOW_FUNCTION: the share of the improvement; INFILL_HOW_NEIGHBOURS: that of the kernel within a data set.
    #: 0 to 1.
    transfer_alpha: float
    #: The share of the space that is searched, by what the sources most alike make of it; 1 is all of it.
    transfer_keep: float
    #: 1 if a point may be proposed twice, 0 otherwise, also where values are noisy.
    repeats: int
    #: What happens when every trial is used.
    when_full: Literal["refuse", "drop_worst"]
    #: One of infill.presets(), of which the other settings are changes.
    preset: str


class GpConfigKeywords(TypedDict, total=False):
    """The settings of infill_gp_config."""

    #: The most observations.
    rows: int
    #: Coordinates of a point.
    dims: int
    #: The most points of a joint prediction.
    batch: int
    #: The kernel.
    kernel: "Kernel"
    #: First guess of the noise variance.
    noise_variance: float
    #: Least noise variance.
    noise_lo: float
    #: Largest noise variance; equal ends freeze it.
    noise_hi: float
    #: Spread of a log-normal prior around the first guess; 0 is a flat one.
    noise_sd: float
    #: The scalar inside a block.
    scalar: Literal["f32", "f64"]
    #: An infill_trend; the default is zero.
    trend: Literal["zero", "constant", "linear", "quadratic"]


class TrainingKeywords(TypedDict, total=False):
    """The settings of infill_training."""

    #: What training maximises, with the log prior.
    objective: Literal["evidence", "leave_one_out"]
    #: Starts beside the present hyperparameters.
    restarts: int
    #: Draws from the prior of which each restart takes the best.
    draws: int
    #: Evaluations of each descent.
    evaluations: int
    #: Relative change at which a descent ends.
    tolerance: float
    #: Its first step, as a part of the range.
    reach: float


class RaceRulesKeywords(TypedDict, total=False):
    """The settings of infill_race_rules."""

    #: The seed of the race.
    seed: int
    #: How many times its cap a stopped run costs: 10 is PAR10.
    penalty: float
    #: The cap of every run, infinite for none; with a cap, costs are not negative.
    cap: float
    #: A challenger is stopped once its costs sum to so many times the incumbent's; infinite for never.
    slack: float
    #: The probability of INFILL_STATISTIC_QUANTILE.
    quantile: float
    #: What is compared.
    statistic: Literal["mean", "median", "quantile"]
    #: The scalar inside a block.
    scalar: Literal["f32", "f64"]
    #: The most runs of one configuration.
    most: int
    #: The fewest challengers of a round.
    challengers: int
    #: How many instances there are.
    instances: int
    #: 1 if runs depend on their seed; 0 if a configuration is to run once per instance.
    seeds: int
    #: 1 if configurations that lost are challengers again when no others are left; 0 otherwise.
    again: int


class GpuOptionsKeywords(TypedDict, total=False):
    """The settings of infill_gpu_options."""

    #: A part of the adapter's name, in any case; NULL for any.
    name: str
    #: Flops below which the CPU is quicker than the way to the device.
    worth: int
    #: What an adapter should be chosen for.
    power: Literal["any", "low", "high"]
    #: The interface that an adapter is reached by.
    api: Literal["any", "vulkan", "gl", "metal", "dx12"]
    #: 1 if a CPU that plays a GPU will do, which is right and slow; 0 otherwise.
    software: int
    #: Candidates that are worked on at a time.
    batch: int
    #: Sets of hyperparameters that are worked on at a time.
    sets: int
    #: Seconds that the device may take for an answer; one that is silent for longer is lost, and the CPU goes on.
    patience: int


class FracePlanKeywords(TypedDict, total=False):
    """The settings of infill_frace_plan."""

    #: The seed.
    seed: int
    #: The level of the tests.
    level: float
    #: Instances before the first test of a race, at least two.
    first: int
    #: Instances between tests.
    each: int
    #: How many instances there are.
    instances: int
    #: The scalar inside a block.
    scalar: Literal["f32", "f64"]
    #: 1 if the best of a race keep their costs for the next one, where only others that have run as often may drop
    #: them; else 0.
    elitist: int
    #: The cap of every run, infinite for none. With a cap, costs are times or the like: not negative.
    cap: float
    #: How many times its cap a stopped run costs.
    penalty: float
    #: A configuration is stopped once its costs sum to this many times those of the best; infinite for never. Only
    #: with a cap.
    slack: float
