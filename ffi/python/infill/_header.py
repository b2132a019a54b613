"""infill.h for ctypes, by its names without the prefix. Written by tests/header.rs."""

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint16, c_uint32
from ctypes import c_uint64, c_void_p
from typing import Any, Dict

doubles = POINTER(c_double)

#: What a build of the library can do, as bits of infill_capabilities.
CAN: Dict[str, int] = {"STD": 1, "FAER": 2, "F32": 4, "F64": 8, "GPU": 16}

#: What a call came to: 0, or a negative number that never changes its meaning. A call that returns an error has
#: written no output and changed nothing.
STATUS: Dict[str, int] = {
    "OK": 0, "ERROR_MEMORY": -1, "ERROR_LIMITS": -2, "ERROR_FOREIGN": -3, "ERROR_CORRUPT": -4, "ERROR_FULL": -5,
    "ERROR_TOO_MANY_OPEN": -6, "ERROR_STALE_TRIAL": -7, "ERROR_NOT_FINITE": -8, "ERROR_EXHAUSTED": -9,
    "ERROR_SHAPE": -10, "ERROR_DIMENSIONS": -11, "ERROR_BOUNDS": -12, "ERROR_LEVELS": -13, "ERROR_CONDITION": -14,
    "ERROR_OUT_OF_RANGE": -15, "ERROR_KERNEL": -16, "ERROR_THETA": -17, "ERROR_NOT_POSITIVE_DEFINITE": -18,
    "ERROR_NO_DATA": -19, "ERROR_CONFIG": -20, "ERROR_BACKEND": -21, "ERROR_UNSUPPORTED": -22, "ERROR_FORBIDDEN": -23,
    "ERROR_CLAUSE": -24, "ERROR_INFEASIBLE": -25, "ERROR_FORMAT": -26, "ERROR_SPACE": -27, "ERROR_NAME": -28,
    "ERROR_NULL": -64, "ERROR_ALIGNMENT": -65, "ERROR_VERSION": -66, "ERROR_ALLOCATION": -67, "ABORTED": -68,
    "PANIC": -69, "DONE": -70,
}

#: The sort of values that a parameter takes: infill_param.kind.
KIND: Dict[str, int] = {"REAL": 1, "INTEGER": 2, "ORDINAL": 3, "CATEGORICAL": 4}

#: Which values are meant: infill_condition.when, infill_term.when.
WHEN: Dict[str, int] = {"EQUALS": 1, "IN": 2, "BETWEEN": 3}

#: What a model sees of a parameter that does not matter: infill_space.impute.
IMPUTE: Dict[str, int] = {"CENTRE": 0, "USUAL": 1, "OUTSIDE": 2, "SCATTER": 3}

#: The scalar inside a block: infill_config.scalar. The number is its size in bytes.
SCALAR: Dict[str, int] = {"F32": 4, "F64": 8}

#: Where a proposal comes from: infill_proposal.origin.
ORIGIN: Dict[str, int] = {"DESIGN": 1, "MODEL": 2, "QUEUE": 3, "FALLBACK": 4, "METHOD": 5, "RESUMED": 6, "SOURCE": 7}

#: What has become of a trial: infill_record.state.
STATE: Dict[str, int] = {"QUEUED": 1, "OPEN": 2, "DONE": 3, "FAILED": 4}

#: What a source can be asked, and how large it is.
FORM: Dict[str, int] = {"MEANS": 0, "FULL": 1}

#: The starting design: infill_config.design.
DESIGN: Dict[str, int] = {"UNIFORM": 0, "LATIN_HYPERCUBE": 1, "SOBOL": 2, "HALTON": 3, "GRID": 4}

#: The model of the function: infill_config.model. A Student-t process has model_freedom, a sparse one
#: limits.features, an ensemble limits.trees and forest_*. From INFILL_MODEL_RANDOM on they are methods without a
#: model: infill_predict is INFILL_ERROR_UNSUPPORTED, infill_recommend the best.
MODEL: Dict[str, int] = {
    "PROCESS": 0, "STUDENT": 1, "FITC": 2, "VARIATIONAL": 3, "SPECTRUM": 4, "RANDOM_FOREST": 5, "EXTRA_TREES": 6,
    "BOOSTED_TREES": 7, "RANDOM": 8, "GRID": 9, "SOBOL": 10, "ANNEAL": 11, "PARZEN": 12, "CMA_ES": 13, "MI_ES": 14,
    "MONDRIAN": 15,
}

#: The mean of the process, by its terms h: infill_config.trend. A term that the data cannot tell from those
#: before has coefficient 0.
TREND: Dict[str, int] = {"ZERO": 0, "CONSTANT": 1, "LINEAR": 2, "QUADRATIC": 3}

#: What becomes of the hyperparameters of an exact Gaussian process: infill_config.hyper.
HYPER: Dict[str, int] = {"MAP": 0, "MCMC": 1, "QUADRATURE": 2}

#: How hyperparameters are drawn: infill_config.sampler.
SAMPLER: Dict[str, int] = {
    "SLICE": 0, "METROPOLIS": 1, "FIXED": 2, "WHITENED": 3, "SURROGATE_METROPOLIS": 4, "SURROGATE_SLICE": 5,
}

#: What training maximises, with the log prior: infill_config.training_objective.
OBJECTIVE: Dict[str, int] = {"EVIDENCE": 0, "LEAVE_ONE_OUT": 1}

#: What the variance that averaged trees predict is made of: infill_config.forest_spread.
SPREAD: Dict[str, int] = {"TOTAL": 0, "ACROSS": 1}

#: How coordinates are bent before the kernel of an exact process sees them: infill_config.warp. The two shapes of
#: each are learnt with the other hyperparameters. The trend has to be zero or constant.
WARP: Dict[str, int] = {"NONE": 0, "KUMARASWAMY": 1, "BETA": 2}

#: How the default kernel compares two values without order: infill_config.categories.
CATEGORIES: Dict[str, int] = {"HAMMING": 0, "EXCHANGEABLE": 1, "ONE_HOT": 2, "INDEX": 3}

#: How the default kernel brings numbers and categories together: infill_config.structure.
STRUCTURE: Dict[str, int] = {"PRODUCT": 0, "SUM": 1, "BOTH": 2}

#: Whether the default kernel finds configurations similar whose conditions turn out differently:
#: infill_config.branches.
BRANCHES: Dict[str, int] = {"SHARED": 0, "APART": 1}

#: How values become targets: infill_config.targets.
TRANSFORM: Dict[str, int] = {"NONE": 0, "STANDARD": 1, "POWER": 2, "RANK": 3, "BOX_COX": 4, "YEO_JOHNSON": 5}

#: What a proposal maximises: infill_config.acquisition.
ACQUISITION: Dict[str, int] = {
    "PROBABILITY": 1, "IMPROVEMENT": 2, "LOG_IMPROVEMENT": 3, "BOUND": 4, "GENERALISED": 5, "LOG_MGF": 6,
    "DEVIATION": 7, "NOISY": 8,
}

#: How the temperature of INFILL_ACQUISITION_LOG_MGF falls with the trials: infill_config.cooling.
COOLING: Dict[str, int] = {"NONE": 0, "EXPONENTIAL": 1, "LINEAR": 2}

#: How a proposal is chosen: infill_config.policy.
POLICY: Dict[str, int] = {
    "CLOSED": 0, "ENTROPY_SEARCH": 1, "PREDICTIVE_ENTROPY": 2, "MAX_VALUE": 3, "THOMPSON": 4, "SPECTRAL": 5,
    "KNOWLEDGE": 6, "HEDGE": 7, "PORTFOLIO": 8, "NOISY": 9,
}

#: How lowest values are drawn: infill_config.policy_minima.
MINIMA: Dict[str, int] = {"JOINT": 0, "GUMBEL": 1}

#: How open trials are reckoned with: infill_config.pending.
PENDING: Dict[str, int] = {
    "BELIEVER": 0, "LIAR_MIN": 1, "LIAR_MEAN": 2, "LIAR_MAX": 3, "FANTASIES": 4, "PENALTY": 5, "TEMPERATURES": 6,
    "JOINT_EI": 7,
}

#: What improvement is measured against: infill_config.incumbent. Where values are noisy, noise_hi = 1,
#: INFILL_INCUMBENT_MEAN and repeats lost 7 : 23 against the defaults at 50 evaluations (six problems, 5 seeds).
INCUMBENT: Dict[str, int] = {"OBSERVED": 0, "MEAN": 1}

#: How the best candidate is searched for: infill_config.search_method.
SEARCH: Dict[str, int] = {"AUTO": 0, "ASCENT": 1, "SMAC": 2, "TYPED": 3, "EVOLUTION": 4, "COVARIANCE": 5, "RANDOM": 6}

#: How a category whose values have parameters of their own is optimized: infill_config.strategy.
STRATEGY: Dict[str, int] = {"AUTO": 0, "IMPUTE": 1, "SINGLE": 2, "WHOLE": 3, "BASELINE": 4}

#: What is asked for first where sources are passed: infill_config.transfer_start.
START: Dict[str, int] = {"DESIGN": 0, "RANDOM": 1, "NEAREST": 2, "COVER": 3, "LEARNT": 4, "ADAPTIVE": 5}

#: How sources help to choose, where there is a model: infill_config.transfer_how.
HOW: Dict[str, int] = {
    "ALONE": 0, "STAGE": 1, "VALUE": 2, "FUNCTION": 3, "PRIOR": 4, "NEIGHBOURS": 5, "RANKER": 6, "PERCEPTRON": 7,
}

#: How much each source counts: infill_config.transfer_weights.
WEIGHTS: Dict[str, int] = {"FEATURES": 0, "RANKS": 1, "EXPERTS": 2, "SAMPLED": 3}

#: What happens when every trial is used: infill_config.when_full.
FULL: Dict[str, int] = {"REFUSE": 0, "DROP_WORST": 1}

#: What a node of a kernel computes: infill_node.op. ρ² = Σ (Δ/ℓ)² over the node's coordinates, Δ = a − b. The
#: numbers never change.
OP: Dict[str, int] = {
    "SUM": 1, "PRODUCT": 2, "SCALE": 3, "CONSTANT": 4, "SQUARED_EXPONENTIAL": 16, "MATERN12": 17, "MATERN32": 18,
    "MATERN52": 19, "MATERN": 20, "RATIONAL_QUADRATIC": 21, "GAMMA_EXPONENTIAL": 22, "LAPLACE": 24, "PERIODIC": 25,
    "COSINE": 26, "LINEAR": 32, "POLYNOMIAL": 33, "ARC_SINE": 34, "HAMMING": 48, "EXCHANGEABLE": 49, "BRANCH": 64,
    "ACTIVE": 65, "ARC": 66, "ONE_HOT": 67,
}

#: What a hyperparameter does in its node: infill_hyper.role.
ROLE: Dict[str, int] = {
    "LENGTH": 1, "VARIANCE": 2, "SHAPE": 3, "PERIOD": 4, "WEIGHT": 5, "BIAS": 6, "CORRELATION": 7, "ANGLE": 8,
    "RADIUS": 9,
}

#: What is believed about a hyperparameter before any data, within its bounds: infill_hyper.prior.
PRIOR: Dict[str, int] = {"LOG_NORMAL": 0, "UNIFORM": 1, "GAMMA": 2, "HORSESHOE": 3}

#: What a node of a kernel has: bits of infill_node.flags.
NODE: Dict[str, int] = {"ARD": 1, "NO_BIAS": 2}

#: What is compared: infill_race_rules.statistic.
STATISTIC: Dict[str, int] = {"MEAN": 0, "MEDIAN": 1, "QUANTILE": 2}

#: What an adapter should be chosen for: infill_gpu_options.power.
POWER: Dict[str, int] = {"ANY": 0, "LOW": 1, "HIGH": 2}

#: The interface that an adapter is reached by: infill_gpu_options.api.
API: Dict[str, int] = {"ANY": 0, "VULKAN": 1, "GL": 2, "METAL": 3, "DX12": 4}

#: Every number, by the prefix of its name.
NUMBERS: Dict[str, Dict[str, int]] = {
    "CAN_": CAN, "": {**STATUS, **SCALAR}, "KIND_": KIND, "WHEN_": WHEN, "IMPUTE_": IMPUTE, "ORIGIN_": ORIGIN,
    "STATE_": STATE, "FORM_": FORM, "DESIGN_": DESIGN, "MODEL_": MODEL, "TREND_": TREND, "HYPER_": HYPER,
    "SAMPLER_": SAMPLER, "OBJECTIVE_": OBJECTIVE, "SPREAD_": SPREAD, "WARP_": WARP, "CATEGORIES_": CATEGORIES,
    "STRUCTURE_": STRUCTURE, "BRANCHES_": BRANCHES, "TRANSFORM_": TRANSFORM, "ACQUISITION_": ACQUISITION,
    "COOLING_": COOLING, "POLICY_": POLICY, "MINIMA_": MINIMA, "PENDING_": PENDING, "INCUMBENT_": INCUMBENT,
    "SEARCH_": SEARCH, "STRATEGY_": STRATEGY, "START_": START, "HOW_": HOW, "WEIGHTS_": WEIGHTS, "FULL_": FULL,
    "OP_": OP, "ROLE_": ROLE, "PRIOR_": PRIOR, "NODE_": NODE, "STATISTIC_": STATISTIC, "POWER_": POWER, "API_": API,
}


class Param(Structure):
    """One thing that may vary. INFILL_REAL, INFILL_INTEGER, INFILL_ORDINAL and INFILL_CATEGORICAL write one."""

    _fields_ = [
        ("kind", c_uint32), ("log", c_uint32), ("lo", c_double), ("hi", c_double), ("levels", doubles),
        ("count", c_size_t), ("usual", c_double), ("has_usual", c_uint32), ("reserved", c_uint32),
    ]
    kind: int
    log: int
    lo: float
    hi: float
    levels: Any
    count: int
    usual: float
    has_usual: int
    reserved: int


class Condition(Structure):
    """A parameter matters only where an earlier one takes certain values, in the parent's units.

    Several conditions on one child must all hold, but of a run of alternatives one: a condition with either = 1 and
    the one before it on the same child. Any formula of "and" and "or" can be written so. INFILL_IF_EQUALS and its
    like write one, INFILL_OR_EQUALS and its like an alternative.
    """

    _fields_ = [
        ("child", c_uint32), ("parent", c_uint32), ("when", c_uint32), ("either", c_uint32), ("lo", c_double),
        ("hi", c_double), ("values", doubles), ("count", c_size_t),
    ]
    child: int
    parent: int
    when: int
    either: int
    lo: float
    hi: float
    values: Any
    count: int


class Term(Structure):
    """A parameter and some of its values: a part of a combination that is forbidden.

    A term with also = 1 belongs to the combination of the term before it, another one starts the next. What all
    terms of a combination describe is forbidden; a parameter that does not matter has none of the values.
    INFILL_FORBID_EQUALS and its like start a combination, INFILL_ALSO_EQUALS and its like go on with it.
    """

    _fields_ = [
        ("parameter", c_uint32), ("when", c_uint32), ("also", c_uint32), ("reserved", c_uint32), ("lo", c_double),
        ("hi", c_double), ("values", doubles), ("count", c_size_t),
    ]
    parameter: int
    when: int
    also: int
    reserved: int
    lo: float
    hi: float
    values: Any
    count: int


class Space(Structure):
    """What may vary: parameters, the conditions between them, and what is forbidden.

    INFILL_SPACE writes one without conditions, INFILL_SPACE_IF one with them, INFILL_SPACE_FORBID one with both;
    names and labels are set afterwards. At most 4096 parameters, conditions and terms; on a machine of 32 bits
    without an operating system 128, there and wherever 4096 is named.
    """

    _fields_ = [
        ("size", c_size_t), ("params", POINTER(Param)), ("dims", c_size_t), ("conditions", POINTER(Condition)),
        ("count", c_size_t), ("forbidden", POINTER(Term)), ("terms", c_size_t), ("impute", c_uint32),
        ("reserved", c_uint32), ("names", POINTER(c_char_p)), ("labels", POINTER(POINTER(c_char_p))),
    ]
    size: int
    params: Any
    dims: int
    conditions: Any
    count: int
    forbidden: Any
    terms: int
    impute: int
    reserved: int
    names: Any
    labels: Any


class Step(Structure):
    """What a run has come to, after each evaluation."""

    _fields_ = [
        ("evaluation", c_uint32), ("evaluations", c_uint32), ("x", doubles), ("dims", c_size_t), ("value", c_double),
        ("best", c_double),
    ]
    evaluation: int
    evaluations: int
    x: Any
    dims: int
    value: float
    best: float


class Proposal(Structure):
    """The answer to infill_ask_with."""

    _fields_ = [("trial", c_uint64), ("acquisition", c_double), ("origin", c_uint32), ("reserved", c_uint32)]
    trial: int
    acquisition: float
    origin: int
    reserved: int


class Record(Structure):
    """A trial as the optimizer remembers it; its point comes beside it."""

    _fields_ = [
        ("trial", c_uint64), ("sequence", c_uint64), ("value", c_double), ("variance", c_double), ("state", c_uint32),
        ("reserved", c_uint32),
    ]
    trial: int
    sequence: int
    value: float
    variance: float
    state: int
    reserved: int


class Sources(Structure):
    """What runs on other data sets taught: the sources that infill_source_export wrote, one behind the other.

    One is added by appending its bytes. All are over the space of the run that they are to help, in its scalar;
    their order decides where they are equally good. They are only read, and may lie in flash.
    infill_config.transfer_start, _how and _keep say what is made of them, infill_config.limits.sources how many
    there may be.
    """

    _fields_ = [("data", c_void_p), ("size", c_size_t), ("features", doubles), ("count", c_size_t)]
    data: Any
    size: int
    features: Any
    count: int


class Limits(Structure):
    """How much a block holds. A zero is chosen from the space and the rest of the configuration."""

    _fields_ = [
        ("trials", c_uint32), ("dims", c_uint32), ("open", c_uint32), ("conditions", c_uint32), ("levels", c_uint32),
        ("nodes", c_uint32), ("lists", c_uint32), ("thetas", c_uint32), ("columns", c_uint32),
        ("candidates", c_uint32), ("starts", c_uint32), ("exact", c_uint32), ("posteriors", c_uint32),
        ("anchors", c_uint32), ("work", c_uint32), ("features", c_uint32), ("trees", c_uint32),
        ("tree_nodes", c_uint32), ("members", c_uint32), ("warped", c_uint32), ("terms", c_uint32),
        ("values", c_uint32), ("branch_trials", c_uint32), ("names", c_uint32), ("sources", c_uint32),
        ("source_rows", c_uint32),
    ]
    trials: int
    dims: int
    open: int
    conditions: int
    levels: int
    nodes: int
    lists: int
    thetas: int
    columns: int
    candidates: int
    starts: int
    exact: int
    posteriors: int
    anchors: int
    work: int
    features: int
    trees: int
    tree_nodes: int
    members: int
    warped: int
    terms: int
    values: int
    branch_trials: int
    names: int
    sources: int
    source_rows: int


class Hyper(Structure):
    """Start, bounds and prior of the hyperparameters of one role in a node, in natural units."""

    _fields_ = [
        ("role", c_uint32), ("prior", c_uint32), ("value", c_double), ("lo", c_double), ("hi", c_double),
        ("prior_mean", c_double), ("prior_sd", c_double),
    ]
    role: int
    prior: int
    value: float
    lo: float
    hi: float
    prior_mean: float
    prior_sd: float


class Node(Structure):
    """A node of a kernel. With count = 0 and list = NULL it looks at all coordinates, or at none if it is no leaf."""

    _fields_ = [
        ("op", c_uint32), ("flags", c_uint32), ("degree", c_uint32), ("first", c_uint32), ("count", c_size_t),
        ("list", POINTER(c_uint16)), ("hypers", POINTER(Hyper)), ("hyper_count", c_size_t),
    ]
    op: int
    flags: int
    degree: int
    first: int
    count: int
    list: Any
    hypers: Any
    hyper_count: int


class Kernel(Structure):
    """A covariance function: nodes in postfix order, operands before what joins them.

    The product of a Matérn kernel over three numbers and a Hamming kernel over a label, with a variance: MATERN52
    (first 0, count 3) · HAMMING (first 3, count 1) · PRODUCT · SCALE.
    """

    _fields_ = [("nodes", POINTER(Node)), ("count", c_size_t)]
    nodes: Any
    count: int


class Config(Structure):
    """What an optimizer is to do. Let infill_config_default fill it, then change what the problem needs."""

    _fields_ = [
        ("size", c_size_t), ("seed", c_uint64), ("limits", Limits), ("scalar", c_uint32), ("start", c_uint32),
        ("design", c_uint32), ("model", c_uint32), ("model_freedom", c_double), ("kernel", POINTER(Kernel)),
        ("model_learn_freedom", c_uint32), ("trend", c_uint32), ("noise_variance", c_double), ("noise_lo", c_double),
        ("noise_hi", c_double), ("noise_sd", c_double), ("hyper", c_uint32), ("hyper_count", c_uint32),
        ("sampler", c_uint32), ("sampler_burn_in", c_uint32), ("sampler_thin", c_uint32), ("sampler_out", c_uint32),
        ("sampler_shrink", c_uint32), ("sampler_latent", c_uint32), ("sampler_width", c_double),
        ("training_objective", c_uint32), ("training_restarts", c_uint32), ("training_draws", c_uint32),
        ("training_evaluations", c_uint32), ("training_tolerance", c_double), ("training_reach", c_double),
        ("refit_growth", c_double), ("refit_afresh", c_double), ("refit_evaluations", c_uint32),
        ("refit_plenty", c_uint32), ("forest_spread", c_uint32), ("forest_leaf", c_uint32),
        ("forest_depth", c_uint32), ("forest_bootstrap", c_uint32), ("forest_features", c_double),
        ("forest_floor", c_double), ("forest_rate", c_double), ("forest_share", c_double), ("forest_low", c_double),
        ("forest_high", c_double), ("warp", c_uint32), ("categories", c_uint32), ("structure", c_uint32),
        ("branches", c_uint32), ("targets", c_uint32), ("acquisition", c_uint32), ("acquisition_parameter", c_double),
        ("delta", c_double), ("cooling", c_uint32), ("cooling_steps", c_uint32), ("cooling_from", c_double),
        ("cooling_to", c_double), ("policy", c_uint32), ("policy_representers", c_uint32), ("policy_draws", c_uint32),
        ("policy_fantasies", c_uint32), ("policy_features", c_uint32), ("policy_minima", c_uint32),
        ("pending", c_uint32), ("pending_draws", c_uint32), ("incumbent", c_uint32), ("interleave_every", c_uint32),
        ("interleave_beta", c_double), ("grid_levels", c_uint32), ("parzen_candidates", c_uint32),
        ("parzen_most", c_uint32), ("parzen_liar", c_uint32), ("parzen_share", c_double), ("parzen_prior", c_double),
        ("anneal_heat", c_double), ("anneal_cooling", c_double), ("anneal_reach", c_double),
        ("evolve_parents", c_uint32), ("evolve_offspring", c_uint32), ("search_method", c_uint32),
        ("search_global", c_uint32), ("search_local", c_uint32), ("search_starts", c_uint32),
        ("search_rounds", c_uint32), ("polish_evaluations", c_uint32), ("polish_tolerance", c_double),
        ("polish_reach", c_double), ("strategy", c_uint32), ("strategy_parameter", c_uint32),
        ("strategy_start", c_uint32), ("strategy_budget", c_uint32), ("strategy_own_minimum", c_uint32),
        ("transfer_start", c_uint32), ("transfer_trials", c_uint32), ("transfer_how", c_uint32),
        ("transfer_weights", c_uint32), ("transfer_growth", c_uint32), ("transfer_draws", c_uint32),
        ("transfer_neighbours", c_uint32), ("transfer_near", c_uint32), ("reserved", c_uint32),
        ("transfer_rho", c_double), ("transfer_alpha", c_double), ("transfer_keep", c_double), ("repeats", c_uint32),
        ("when_full", c_uint32),
    ]
    size: int
    seed: int
    limits: Any
    scalar: int
    start: int
    design: int
    model: int
    model_freedom: float
    kernel: Any
    model_learn_freedom: int
    trend: int
    noise_variance: float
    noise_lo: float
    noise_hi: float
    noise_sd: float
    hyper: int
    hyper_count: int
    sampler: int
    sampler_burn_in: int
    sampler_thin: int
    sampler_out: int
    sampler_shrink: int
    sampler_latent: int
    sampler_width: float
    training_objective: int
    training_restarts: int
    training_draws: int
    training_evaluations: int
    training_tolerance: float
    training_reach: float
    refit_growth: float
    refit_afresh: float
    refit_evaluations: int
    refit_plenty: int
    forest_spread: int
    forest_leaf: int
    forest_depth: int
    forest_bootstrap: int
    forest_features: float
    forest_floor: float
    forest_rate: float
    forest_share: float
    forest_low: float
    forest_high: float
    warp: int
    categories: int
    structure: int
    branches: int
    targets: int
    acquisition: int
    acquisition_parameter: float
    delta: float
    cooling: int
    cooling_steps: int
    cooling_from: float
    cooling_to: float
    policy: int
    policy_representers: int
    policy_draws: int
    policy_fantasies: int
    policy_features: int
    policy_minima: int
    pending: int
    pending_draws: int
    incumbent: int
    interleave_every: int
    interleave_beta: float
    grid_levels: int
    parzen_candidates: int
    parzen_most: int
    parzen_liar: int
    parzen_share: float
    parzen_prior: float
    anneal_heat: float
    anneal_cooling: float
    anneal_reach: float
    evolve_parents: int
    evolve_offspring: int
    search_method: int
    search_global: int
    search_local: int
    search_starts: int
    search_rounds: int
    polish_evaluations: int
    polish_tolerance: float
    polish_reach: float
    strategy: int
    strategy_parameter: int
    strategy_start: int
    strategy_budget: int
    strategy_own_minimum: int
    transfer_start: int
    transfer_trials: int
    transfer_how: int
    transfer_weights: int
    transfer_growth: int
    transfer_draws: int
    transfer_neighbours: int
    transfer_near: int
    reserved: int
    transfer_rho: float
    transfer_alpha: float
    transfer_keep: float
    repeats: int
    when_full: int


class Given(Structure):
    """What a refused call was given: what it had not is NULL or 0.

    INFILL_GIVEN writes one for a space and a configuration.
    """

    _fields_ = [
        ("size", c_size_t), ("status", c_int32), ("reserved", c_uint32), ("space", POINTER(Space)),
        ("config", POINTER(Config)), ("opt", c_void_p), ("mem", c_void_p), ("bytes", c_size_t), ("trial", c_uint64),
        ("x", doubles), ("dims", c_size_t), ("value", c_double), ("variance", c_double), ("text", c_char_p),
        ("length", c_size_t),
    ]
    size: int
    status: int
    reserved: int
    space: Any
    config: Any
    opt: Any
    mem: Any
    bytes: int
    trial: int
    x: Any
    dims: int
    value: float
    variance: float
    text: Any
    length: int


#:
Eval = ctypes.CFUNCTYPE(c_double, c_void_p, doubles, doubles, doubles)


#:
Gradient = ctypes.CFUNCTYPE(None, c_void_p, doubles, doubles, doubles, doubles)


#:
GradientX = ctypes.CFUNCTYPE(None, c_void_p, doubles, doubles, doubles, doubles)


class Covariance(Structure):
    """A covariance function of the program's own, symmetric and positive definite, with hyperparameters on the log
    scale.
    """

    _fields_ = [
        ("size", c_size_t), ("eval", Eval), ("gradient", Gradient), ("gradient_x", GradientX), ("user", c_void_p),
        ("thetas", c_size_t), ("start", doubles), ("lo", doubles), ("hi", doubles),
    ]
    size: int
    eval: Any
    gradient: Any
    gradient_x: Any
    user: Any
    thetas: int
    start: Any
    lo: Any
    hi: Any


class GpConfig(Structure):
    """What a process is. Let infill_gp_config_default fill it, then set rows, dims and a kernel."""

    _fields_ = [
        ("size", c_size_t), ("rows", c_size_t), ("dims", c_size_t), ("batch", c_size_t), ("kernel", POINTER(Kernel)),
        ("covariance", POINTER(Covariance)), ("noise_variance", c_double), ("noise_lo", c_double),
        ("noise_hi", c_double), ("noise_sd", c_double), ("scalar", c_uint32), ("trend", c_uint32),
    ]
    size: int
    rows: int
    dims: int
    batch: int
    kernel: Any
    covariance: Any
    noise_variance: float
    noise_lo: float
    noise_hi: float
    noise_sd: float
    scalar: int
    trend: int


class Training(Structure):
    """How much a training may spend. Let infill_training_default fill it."""

    _fields_ = [
        ("size", c_size_t), ("objective", c_uint32), ("restarts", c_uint32), ("draws", c_uint32),
        ("evaluations", c_uint32), ("tolerance", c_double), ("reach", c_double),
    ]
    size: int
    objective: int
    restarts: int
    draws: int
    evaluations: int
    tolerance: float
    reach: float


class RaceRules(Structure):
    """How a race is run, and how much it holds. Let infill_race_default fill it."""

    _fields_ = [
        ("size", c_size_t), ("seed", c_uint64), ("penalty", c_double), ("cap", c_double), ("slack", c_double),
        ("quantile", c_double), ("statistic", c_uint32), ("scalar", c_uint32), ("configs", c_uint32),
        ("runs", c_uint32), ("most", c_uint32), ("challengers", c_uint32), ("instances", c_uint32),
        ("seeds", c_uint32), ("again", c_uint32), ("reserved", c_uint32),
    ]
    size: int
    seed: int
    penalty: float
    cap: float
    slack: float
    quantile: float
    statistic: int
    scalar: int
    configs: int
    runs: int
    most: int
    challengers: int
    instances: int
    seeds: int
    again: int
    reserved: int


class Run(Structure):
    """A run to be made."""

    _fields_ = [("id", c_uint64), ("seed", c_uint64), ("cap", c_double), ("config", c_uint32), ("instance", c_uint32)]
    id: int
    seed: int
    cap: float
    config: int
    instance: int


class RunRecord(Structure):
    """A run that was made."""

    _fields_ = [
        ("seed", c_uint64), ("cap", c_double), ("cost", c_double), ("config", c_uint32), ("instance", c_uint32),
        ("capped", c_uint32), ("reserved", c_uint32),
    ]
    seed: int
    cap: float
    cost: float
    config: int
    instance: int
    capped: int
    reserved: int


class GpuOptions(Structure):
    """Which adapter, and how much of it. Let infill_gpu_options_default fill it."""

    _fields_ = [
        ("size", c_size_t), ("name", c_char_p), ("worth", c_uint64), ("power", c_uint32), ("api", c_uint32),
        ("software", c_uint32), ("batch", c_uint32), ("sets", c_uint32), ("patience", c_uint32),
    ]
    size: int
    name: Any
    worth: int
    power: int
    api: int
    software: int
    batch: int
    sets: int
    patience: int


class FracePlan(Structure):
    """What an iterated F-race does. Let infill_frace_default fill it."""

    _fields_ = [
        ("size", c_size_t), ("seed", c_uint64), ("level", c_double), ("budget", c_uint32), ("first", c_uint32),
        ("each", c_uint32), ("instances", c_uint32), ("scalar", c_uint32), ("elitist", c_uint32), ("cap", c_double),
        ("penalty", c_double), ("slack", c_double),
    ]
    size: int
    seed: int
    level: float
    budget: int
    first: int
    each: int
    instances: int
    scalar: int
    elitist: int
    cap: float
    penalty: float
    slack: float


class Friedman(Structure):
    """The outcome of Friedman's test."""

    _fields_ = [
        ("chi_squared", c_double), ("p", c_double), ("corrected", c_double), ("corrected_p", c_double),
        ("f", c_double), ("f_p", c_double), ("freedom", c_uint64), ("below", c_uint64),
    ]
    chi_squared: float
    p: float
    corrected: float
    corrected_p: float
    f: float
    f_p: float
    freedom: int
    below: int


class Wilcoxon(Structure):
    """The outcome of Wilcoxon's signed-rank test, two-sided."""

    _fields_ = [
        ("statistic", c_double), ("p", c_double), ("approximate", c_double), ("pairs", c_uint64), ("exact", c_uint32),
        ("reserved", c_uint32),
    ]
    statistic: float
    p: float
    approximate: float
    pairs: int
    exact: int
    reserved: int


#:
Objective = ctypes.CFUNCTYPE(c_int32, c_void_p, doubles, c_size_t, doubles)


#:
Progress = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(Step))


#: Every structure by its name in C.
STRUCTURES: Dict[str, Any] = {
    "infill_param": Param, "infill_condition": Condition, "infill_term": Term, "infill_space": Space,
    "infill_step": Step, "infill_proposal": Proposal, "infill_record": Record, "infill_given": Given,
    "infill_sources": Sources, "infill_limits": Limits, "infill_config": Config, "infill_hyper": Hyper,
    "infill_node": Node, "infill_kernel": Kernel, "infill_covariance": Covariance, "infill_gp_config": GpConfig,
    "infill_training": Training, "infill_race_rules": RaceRules, "infill_run": Run, "infill_run_record": RunRecord,
    "infill_gpu_options": GpuOptions, "infill_frace_plan": FracePlan, "infill_friedman": Friedman,
    "infill_wilcoxon": Wilcoxon,
}

#: The fields of structures that are choices, which go by words.
WORDS: Dict[Any, Dict[str, Dict[str, int]]] = {
    Param: {"kind": KIND},
    Condition: {"when": WHEN},
    Term: {"when": WHEN},
    Space: {"impute": IMPUTE},
    Proposal: {"origin": ORIGIN},
    Record: {"state": STATE},
    Config: {
        "scalar": SCALAR, "design": DESIGN, "model": MODEL, "trend": TREND, "hyper": HYPER, "sampler": SAMPLER,
        "training_objective": OBJECTIVE, "forest_spread": SPREAD, "warp": WARP, "categories": CATEGORIES,
        "structure": STRUCTURE, "branches": BRANCHES, "targets": TRANSFORM, "acquisition": ACQUISITION,
        "cooling": COOLING, "policy": POLICY, "policy_minima": MINIMA, "pending": PENDING, "incumbent": INCUMBENT,
        "search_method": SEARCH, "strategy": STRATEGY, "transfer_start": START, "transfer_how": HOW,
        "transfer_weights": WEIGHTS, "when_full": FULL,
    },
    Hyper: {"role": ROLE, "prior": PRIOR},
    Node: {"op": OP},
    GpConfig: {"scalar": SCALAR, "trend": TREND},
    Training: {"objective": OBJECTIVE},
    RaceRules: {"statistic": STATISTIC, "scalar": SCALAR},
    GpuOptions: {"power": POWER, "api": API},
    FracePlan: {"scalar": SCALAR},
}

#: The functions that return a status, and their parameters.
CHECKED: Dict[str, Any] = {
    "init": [c_void_p, c_size_t, POINTER(Space), POINTER(Config), POINTER(c_void_p)],
    "new": [POINTER(Space), POINTER(Config), POINTER(c_void_p)],
    "attach": [c_void_p, c_size_t, POINTER(Space), POINTER(c_void_p)],
    "clone": [c_void_p, POINTER(Limits), c_void_p, c_size_t, POINTER(c_void_p)],
    "minimize": [c_void_p, Objective, c_void_p, c_uint32],
    "minimize_with": [c_void_p, c_void_p, Objective, Progress, c_void_p, c_uint32],
    "ask": [c_void_p, doubles, c_size_t, POINTER(c_uint64)],
    "ask_with": [c_void_p, c_void_p, doubles, c_size_t, POINTER(Proposal)],
    "next": [c_void_p, doubles, c_size_t, POINTER(c_uint64)],
    "next_with": [c_void_p, c_void_p, doubles, c_size_t, POINTER(Proposal)], "tell": [c_void_p, c_uint64, c_double],
    "tell_noisy": [c_void_p, c_uint64, c_double, c_double], "fail": [c_void_p, c_uint64],
    "forget": [c_void_p, c_uint64], "enqueue": [c_void_p, doubles, c_size_t, POINTER(c_uint64)],
    "observe": [c_void_p, doubles, c_size_t, c_double, POINTER(c_uint64)], "relearn": [c_void_p],
    "best": [c_void_p, doubles, c_size_t, doubles], "recommend": [c_void_p, doubles, c_size_t, doubles, doubles],
    "predict": [c_void_p, doubles, c_size_t, doubles, doubles],
    "record_at": [c_void_p, c_size_t, doubles, c_size_t, POINTER(Record)],
    "record_of": [c_void_p, c_uint64, doubles, c_size_t, POINTER(Record)],
    "active": [c_void_p, c_uint64, c_void_p, c_size_t],
    "name": [c_void_p, c_size_t, c_char_p, c_size_t, POINTER(c_size_t)],
    "label": [c_void_p, c_size_t, c_size_t, c_char_p, c_size_t, POINTER(c_size_t)],
    "explain": [POINTER(Given), c_char_p, c_size_t, POINTER(c_size_t)],
    "source_size": [c_void_p, c_uint32, c_size_t, POINTER(c_size_t), POINTER(c_size_t)],
    "source_export": [c_void_p, c_uint32, doubles, c_size_t, c_void_p, c_size_t, c_void_p, c_size_t, POINTER(c_size_t)],
    "sources_check": [POINTER(Sources), POINTER(c_size_t)],
    "ask_from": [c_void_p, POINTER(Sources), c_void_p, doubles, c_size_t, POINTER(Proposal)],
    "next_from": [c_void_p, POINTER(Sources), c_void_p, doubles, c_size_t, POINTER(Proposal)],
    "minimize_from": [c_void_p, POINTER(Sources), c_void_p, Objective, Progress, c_void_p, c_uint32],
    "predict_from": [c_void_p, POINTER(Sources), c_void_p, doubles, c_size_t, doubles, doubles],
    "recommend_from": [c_void_p, POINTER(Sources), c_void_p, doubles, c_size_t, doubles, doubles],
    "meta_features": [doubles, c_size_t, POINTER(c_uint32), c_size_t, doubles],
    "config_default": [POINTER(Config), c_size_t], "config_preset": [POINTER(Config), c_size_t, c_char_p],
    "choice_number": [c_char_p, c_char_p, POINTER(c_uint32)], "backend_faer": [c_size_t, POINTER(c_void_p)],
    "kernel_thetas": [POINTER(Kernel), c_size_t, POINTER(c_size_t)],
    "kernel_start": [POINTER(Kernel), c_size_t, doubles, c_size_t],
    "kernel_eval": [POINTER(Kernel), doubles, c_size_t, doubles, doubles, c_size_t, doubles],
    "kernel_gradient": [POINTER(Kernel), doubles, c_size_t, doubles, doubles, c_size_t, doubles, doubles, doubles],
    "kernel_gram": [POINTER(Kernel), doubles, c_size_t, doubles, c_size_t, c_size_t, doubles],
    "gp_config_default": [POINTER(GpConfig), c_size_t], "training_default": [POINTER(Training), c_size_t],
    "gp_init": [c_void_p, c_size_t, POINTER(GpConfig), POINTER(c_void_p)],
    "gp_new": [POINTER(GpConfig), POINTER(c_void_p)], "gp_push": [c_void_p, doubles, c_size_t, c_double, c_double],
    "gp_extend": [c_void_p, doubles, c_size_t, c_double, c_double], "gp_remove": [c_void_p, c_size_t],
    "gp_clear": [c_void_p], "gp_fit": [c_void_p, c_void_p],
    "gp_train": [c_void_p, c_void_p, POINTER(Training), c_uint64, doubles],
    "gp_evidence": [c_void_p, c_void_p, c_uint32, doubles, doubles, c_size_t],
    "gp_theta": [c_void_p, doubles, c_size_t], "gp_set_theta": [c_void_p, doubles, c_size_t],
    "gp_set_noise": [c_void_p, c_double, c_double, c_double], "gp_jitter": [c_void_p, doubles],
    "gp_trend": [c_void_p, doubles, c_size_t], "gp_likelihood": [c_void_p, doubles],
    "gp_predict": [c_void_p, doubles, c_size_t, doubles, doubles],
    "gp_predict_gradient": [c_void_p, doubles, c_size_t, doubles, doubles, doubles, doubles],
    "gp_predict_joint": [c_void_p, doubles, c_size_t, c_size_t, doubles, doubles],
    "gp_sample": [c_void_p, doubles, c_size_t, c_size_t, c_uint64, doubles, doubles],
    "acquisition_score": [c_uint32, c_double, c_double, c_double, c_double, doubles],
    "acquisition_gradient": [c_uint32, c_double, c_double, c_double, c_double, doubles, doubles, doubles],
    "bound_schedule": [c_uint64, c_size_t, c_double, doubles],
    "design": [c_void_p, c_size_t, POINTER(Space), c_uint32, c_uint64, c_uint32, doubles, c_size_t, c_size_t],
    "race_default": [POINTER(RaceRules), c_size_t],
    "race_init": [c_void_p, c_size_t, POINTER(RaceRules), POINTER(c_void_p)],
    "race_attach": [c_void_p, c_size_t, POINTER(c_void_p)], "race_challenge": [c_void_p, c_uint32],
    "race_ask": [c_void_p, POINTER(Run)], "race_tell": [c_void_p, c_uint64, c_double],
    "race_capped": [c_void_p, c_uint64], "race_crashed": [c_void_p, c_uint64], "race_forget": [c_void_p, c_uint64],
    "race_begin": [c_void_p, c_uint32], "race_incumbent": [c_void_p, POINTER(c_uint32)],
    "race_cost": [c_void_p, c_uint32, doubles], "race_record": [c_void_p, c_size_t, POINTER(RunRecord)],
    "gpu_options_default": [POINTER(GpuOptions), c_size_t],
    "gpu_adapter": [c_size_t, c_char_p, c_size_t, POINTER(c_uint32), POINTER(c_uint32)],
    "backend_gpu": [c_void_p, POINTER(GpuOptions), POINTER(c_void_p)],
    "backend_reason": [c_void_p, c_char_p, c_size_t], "frace_default": [POINTER(FracePlan), c_size_t],
    "frace_init": [c_void_p, c_size_t, POINTER(Space), POINTER(FracePlan), POINTER(c_void_p)],
    "frace_attach": [c_void_p, c_size_t, POINTER(c_void_p)], "frace_ask": [c_void_p, doubles, c_size_t, POINTER(Run)],
    "frace_tell": [c_void_p, c_uint64, c_double], "frace_capped": [c_void_p, c_uint64],
    "frace_crashed": [c_void_p, c_uint64], "frace_forget": [c_void_p, c_uint64],
    "frace_best": [c_void_p, doubles, c_size_t, POINTER(c_uint32)],
    "compare_ranks": [doubles, c_size_t, c_size_t, doubles],
    "compare_win_rates": [doubles, c_size_t, c_size_t, doubles],
    "compare_net_wins": [doubles, c_size_t, c_size_t, POINTER(c_int64)],
    "compare_friedman": [doubles, c_size_t, c_size_t, POINTER(Friedman)],
    "compare_wilcoxon": [doubles, doubles, c_size_t, POINTER(Wilcoxon)],
    "compare_critical_difference": [c_size_t, c_size_t, c_double, doubles],
    "compare_diagram": [POINTER(c_char_p), doubles, c_size_t, c_double, c_size_t, c_char_p, c_size_t],
    "document_read": [c_char_p, c_size_t, POINTER(c_void_p)],
    "document_of": [POINTER(Space), POINTER(c_char_p), POINTER(c_void_p)],
    "document_space": [c_void_p, POINTER(POINTER(Space))],
    "document_write": [c_void_p, c_char_p, c_size_t, POINTER(c_size_t)],
    "document_name": [c_void_p, c_size_t, c_char_p, c_size_t, POINTER(c_size_t)],
    "document_values": [c_void_p, doubles, c_size_t, c_char_p, c_size_t, POINTER(c_size_t)],
    "document_point": [c_void_p, c_char_p, c_size_t, doubles, c_size_t],
    "document_vector": [c_void_p, doubles, c_size_t, doubles, c_size_t],
}

#: Those that return something else, and their parameters.
PLAIN: Dict[str, Any] = {
    "version": (c_uint32, []), "version_str": (c_char_p, []), "capabilities": (c_uint32, []),
    "status_str": (c_char_p, [c_int32]), "space_fault": (c_int64, [POINTER(Space)]),
    "size": (c_size_t, [POINTER(Space), POINTER(Config)]), "align": (c_size_t, []),
    "words": (c_size_t, [c_uint32, c_uint32, c_uint32]), "free": (None, [c_void_p]),
    "clone_size": (c_size_t, [c_void_p, POINTER(Limits)]), "count": (c_size_t, [c_void_p]),
    "closed": (c_size_t, [c_void_p]), "remaining": (c_size_t, [c_void_p]),
    "has_space": (c_uint32, [c_void_p, POINTER(Space)]), "dims": (c_size_t, [c_void_p]),
    "bytes": (c_size_t, [c_void_p]), "scalar_of": (c_uint32, [c_void_p]), "preset_name": (c_char_p, [c_uint32]),
    "choice_name": (c_char_p, [c_char_p, c_uint32]), "backend_free": (None, [c_void_p]),
    "gp_size": (c_size_t, [POINTER(GpConfig)]), "gp_free": (None, [c_void_p]), "gp_rows": (c_size_t, [c_void_p]),
    "gp_thetas": (c_size_t, [c_void_p]), "design_size": (c_size_t, [POINTER(Space)]),
    "race_size": (c_size_t, [POINTER(RaceRules)]), "race_over": (c_uint32, [c_void_p]),
    "race_runs": (c_uint32, [c_void_p, c_uint32]), "race_count": (c_size_t, [c_void_p]),
    "race_bytes": (c_size_t, [c_void_p]), "gpu_count": (c_size_t, []),
    "frace_size": (c_size_t, [POINTER(Space), POINTER(FracePlan)]), "frace_dims": (c_size_t, [c_void_p]),
    "frace_bytes": (c_size_t, [c_void_p]),
    "compare_diagram_size": (c_size_t, [POINTER(c_char_p), doubles, c_size_t, c_double, c_size_t]),
    "document_free": (None, [c_void_p]),
}
