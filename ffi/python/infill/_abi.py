"""infill.h for ctypes: numbers, structures and functions, by their names without the prefix."""

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint16, c_uint32, c_uint64, c_void_p

from . import _library

doubles = POINTER(c_double)

STATUS = {
    "OK": 0,
    "ERROR_MEMORY": -1,
    "ERROR_LIMITS": -2,
    "ERROR_FOREIGN": -3,
    "ERROR_CORRUPT": -4,
    "ERROR_FULL": -5,
    "ERROR_TOO_MANY_OPEN": -6,
    "ERROR_STALE_TRIAL": -7,
    "ERROR_NOT_FINITE": -8,
    "ERROR_EXHAUSTED": -9,
    "ERROR_SHAPE": -10,
    "ERROR_DIMENSIONS": -11,
    "ERROR_BOUNDS": -12,
    "ERROR_LEVELS": -13,
    "ERROR_CONDITION": -14,
    "ERROR_OUT_OF_RANGE": -15,
    "ERROR_KERNEL": -16,
    "ERROR_THETA": -17,
    "ERROR_NOT_POSITIVE_DEFINITE": -18,
    "ERROR_NO_DATA": -19,
    "ERROR_CONFIG": -20,
    "ERROR_BACKEND": -21,
    "ERROR_UNSUPPORTED": -22,
    "ERROR_FORBIDDEN": -23,
    "ERROR_CLAUSE": -24,
    "ERROR_INFEASIBLE": -25,
    "ERROR_FORMAT": -26,
    "ERROR_NULL": -64,
    "ERROR_ALIGNMENT": -65,
    "ERROR_VERSION": -66,
    "ERROR_ALLOCATION": -67,
    "ABORTED": -68,
    "PANIC": -69,
}
CAN = {"STD": 1, "FAER": 2, "F32": 4, "F64": 8, "GPU": 16}
KIND = {"REAL": 1, "INTEGER": 2, "ORDINAL": 3, "CATEGORICAL": 4}
WHEN = {"EQUALS": 1, "IN": 2, "BETWEEN": 3}
IMPUTE = {"CENTRE": 0, "USUAL": 1, "OUTSIDE": 2, "SCATTER": 3}
SCALAR = {"F32": 4, "F64": 8}
SEARCH = {"AUTO": 0, "ASCENT": 1, "SMAC": 2, "TYPED": 3, "EVOLUTION": 4, "COVARIANCE": 5, "RANDOM": 6}
DESIGN = {"UNIFORM": 0, "LATIN_HYPERCUBE": 1, "SOBOL": 2, "HALTON": 3, "GRID": 4}
TREND = {"ZERO": 0, "CONSTANT": 1, "LINEAR": 2, "QUADRATIC": 3}
TRANSFORM = {"NONE": 0, "STANDARD": 1, "POWER": 2, "RANK": 3, "BOX_COX": 4, "YEO_JOHNSON": 5}
ACQUISITION = {
    "PROBABILITY": 1,
    "IMPROVEMENT": 2,
    "LOG_IMPROVEMENT": 3,
    "BOUND": 4,
    "GENERALISED": 5,
    "LOG_MGF": 6,
    "DEVIATION": 7,
    "NOISY": 8,
}
INCUMBENT = {"OBSERVED": 0, "MEAN": 1}
OBJECTIVE = {"EVIDENCE": 0, "LEAVE_ONE_OUT": 1}
FULL = {"REFUSE": 0, "DROP_WORST": 1}
MODEL = {
    "PROCESS": 0,
    "STUDENT": 1,
    "FITC": 2,
    "VARIATIONAL": 3,
    "SPECTRUM": 4,
    "RANDOM_FOREST": 5,
    "EXTRA_TREES": 6,
    "BOOSTED_TREES": 7,
    "RANDOM": 8,
    "GRID": 9,
    "SOBOL": 10,
    "ANNEAL": 11,
    "PARZEN": 12,
    "CMA_ES": 13,
    "MI_ES": 14,
    "MONDRIAN": 15,
}
SPREAD = {"TOTAL": 0, "ACROSS": 1}
TREATMENT = {"BEST": 0, "SAMPLED": 1, "QUADRATURE": 2}
SAMPLER = {
    "SLICE": 0,
    "METROPOLIS": 1,
    "FIXED": 2,
    "WHITENED": 3,
    "SURROGATE_METROPOLIS": 4,
    "SURROGATE_SLICE": 5,
}
WARP = {"NONE": 0, "KUMARASWAMY": 1, "BETA": 2}
POLICY = {
    "CLOSED": 0,
    "ENTROPY_SEARCH": 1,
    "PREDICTIVE_ENTROPY": 2,
    "MAX_VALUE": 3,
    "THOMPSON": 4,
    "SPECTRAL": 5,
    "KNOWLEDGE": 6,
    "HEDGE": 7,
    "PORTFOLIO": 8,
    "NOISY": 9,
}
MINIMA = {"JOINT": 0, "GUMBEL": 1}
BATCH = {
    "BELIEVER": 0,
    "LIAR_MIN": 1,
    "LIAR_MEAN": 2,
    "LIAR_MAX": 3,
    "FANTASIES": 4,
    "PENALTY": 5,
    "TEMPERATURES": 6,
    "EXPECTED": 7,
}
COOLING = {"NONE": 0, "EXPONENTIAL": 1, "LINEAR": 2}
CATEGORIES = {"HAMMING": 0, "EXCHANGEABLE": 1, "ONE_HOT": 2, "INDEX": 3}
STRUCTURE = {"PRODUCT": 0, "SUM": 1, "BOTH": 2}
BRANCHES = {"SHARED": 0, "APART": 1}
POWER = {"ANY": 0, "LOW": 1, "HIGH": 2}
API = {"ANY": 0, "VULKAN": 1, "GL": 2, "METAL": 3, "DX12": 4}
ORIGIN = {"DESIGN": 1, "MODEL": 2, "QUEUE": 3, "FALLBACK": 4}
STRATEGY = {"IMPUTE": 0, "SINGLE": 1, "WHOLE": 2, "BASELINE": 3}
STATE = {"QUEUED": 1, "OPEN": 2, "DONE": 3, "FAILED": 4}
OP = {
    "SUM": 1,
    "PRODUCT": 2,
    "SCALE": 3,
    "CONSTANT": 4,
    "SQUARED_EXPONENTIAL": 16,
    "MATERN12": 17,
    "MATERN32": 18,
    "MATERN52": 19,
    "MATERN": 20,
    "RATIONAL_QUADRATIC": 21,
    "GAMMA_EXPONENTIAL": 22,
    "LAPLACE": 24,
    "PERIODIC": 25,
    "COSINE": 26,
    "LINEAR": 32,
    "POLYNOMIAL": 33,
    "ARC_SINE": 34,
    "HAMMING": 48,
    "EXCHANGEABLE": 49,
    "BRANCH": 64,
    "ACTIVE": 65,
    "ARC": 66,
    "ONE_HOT": 67,
}
PRIOR = {"LOG_NORMAL": 0, "UNIFORM": 1, "GAMMA": 2, "HORSESHOE": 3}
ROLE = {
    "LENGTH": 1,
    "VARIANCE": 2,
    "SHAPE": 3,
    "PERIOD": 4,
    "WEIGHT": 5,
    "BIAS": 6,
    "CORRELATION": 7,
    "ANGLE": 8,
    "RADIUS": 9,
}
NODE = {"ARD": 1, "NO_BIAS": 2}

#: Every number of the header, by the prefix of its name there.
STATISTIC = {"MEAN": 0, "MEDIAN": 1, "QUANTILE": 2}
NUMBERS = {
    "": {**STATUS, **SCALAR},
    "CAN_": CAN,
    "KIND_": KIND,
    "WHEN_": WHEN,
    "IMPUTE_": IMPUTE,
    "DESIGN_": DESIGN,
    "TREND_": TREND,
    "TRANSFORM_": TRANSFORM,
    "ACQUISITION_": ACQUISITION,
    "INCUMBENT_": INCUMBENT,
    "OBJECTIVE_": OBJECTIVE,
    "FULL_": FULL,
    "MODEL_": MODEL,
    "SPREAD_": SPREAD,
    "TREATMENT_": TREATMENT,
    "SAMPLER_": SAMPLER,
    "WARP_": WARP,
    "POLICY_": POLICY,
    "MINIMA_": MINIMA,
    "BATCH_": BATCH,
    "SEARCH_": SEARCH,
    "STRATEGY_": STRATEGY,
    "COOLING_": COOLING,
    "CATEGORIES_": CATEGORIES,
    "STRUCTURE_": STRUCTURE,
    "BRANCHES_": BRANCHES,
    "ORIGIN_": ORIGIN,
    "POWER_": POWER,
    "API_": API,
    "STATISTIC_": STATISTIC,
    "STATE_": STATE,
    "OP_": OP,
    "PRIOR_": PRIOR,
    "ROLE_": ROLE,
    "NODE_": NODE,
}


class Param(ctypes.Structure):
    _fields_ = [
        ("kind", c_uint32),
        ("log", c_uint32),
        ("lo", c_double),
        ("hi", c_double),
        ("levels", doubles),
        ("count", c_size_t),
        ("usual", c_double),
        ("has_usual", c_uint32),
        ("reserved", c_uint32),
    ]


class Condition(ctypes.Structure):
    _fields_ = [
        ("child", c_uint32),
        ("parent", c_uint32),
        ("when", c_uint32),
        ("either", c_uint32),
        ("lo", c_double),
        ("hi", c_double),
        ("values", doubles),
        ("count", c_size_t),
    ]


class Term(ctypes.Structure):
    _fields_ = [
        ("parameter", c_uint32),
        ("when", c_uint32),
        ("also", c_uint32),
        ("reserved", c_uint32),
        ("lo", c_double),
        ("hi", c_double),
        ("values", doubles),
        ("count", c_size_t),
    ]


class Space(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("params", POINTER(Param)),
        ("dims", c_size_t),
        ("conditions", POINTER(Condition)),
        ("count", c_size_t),
        ("forbidden", POINTER(Term)),
        ("terms", c_size_t),
        ("impute", c_uint32),
        ("reserved", c_uint32),
    ]


class Hyper(ctypes.Structure):
    _fields_ = [
        ("role", c_uint32),
        ("prior", c_uint32),
        ("value", c_double),
        ("lo", c_double),
        ("hi", c_double),
        ("prior_mean", c_double),
        ("prior_sd", c_double),
    ]


class Node(ctypes.Structure):
    _fields_ = [
        ("op", c_uint32),
        ("flags", c_uint32),
        ("degree", c_uint32),
        ("first", c_uint32),
        ("count", c_size_t),
        ("list", POINTER(c_uint16)),
        ("hypers", POINTER(Hyper)),
        ("hyper_count", c_size_t),
    ]


class Kernel(ctypes.Structure):
    _fields_ = [("nodes", POINTER(Node)), ("count", c_size_t)]


class Limits(ctypes.Structure):
    _fields_ = [
        ("trials", c_uint32),
        ("dims", c_uint32),
        ("open", c_uint32),
        ("conditions", c_uint32),
        ("levels", c_uint32),
        ("nodes", c_uint32),
        ("lists", c_uint32),
        ("thetas", c_uint32),
        ("columns", c_uint32),
        ("candidates", c_uint32),
        ("starts", c_uint32),
        ("exact", c_uint32),
        ("posteriors", c_uint32),
        ("anchors", c_uint32),
        ("work", c_uint32),
        ("features", c_uint32),
        ("trees", c_uint32),
        ("branches", c_uint32),
        ("members", c_uint32),
        ("warped", c_uint32),
        ("terms", c_uint32),
        ("reserved", c_uint32 * 3),
    ]


class Config(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kernel", POINTER(Kernel)),
        ("seed", c_uint64),
        ("limits", Limits),
        ("scalar", c_uint32),
        ("start", c_uint32),
        ("design", c_uint32),
        ("trend", c_uint32),
        ("transform", c_uint32),
        ("acquisition", c_uint32),
        ("acquisition_parameter", c_double),
        ("delta", c_double),
        ("noise_variance", c_double),
        ("noise_lo", c_double),
        ("noise_hi", c_double),
        ("noise_sd", c_double),
        ("interleave_every", c_uint32),
        ("incumbent", c_uint32),
        ("interleave_beta", c_double),
        ("refit_growth", c_double),
        ("refit_afresh", c_double),
        ("refit_evaluations", c_uint32),
        ("refit_plenty", c_uint32),
        ("training_objective", c_uint32),
        ("training_restarts", c_uint32),
        ("training_draws", c_uint32),
        ("training_evaluations", c_uint32),
        ("training_tolerance", c_double),
        ("training_reach", c_double),
        ("search_global", c_uint32),
        ("search_local", c_uint32),
        ("search_starts", c_uint32),
        ("search_rounds", c_uint32),
        ("polish_tolerance", c_double),
        ("polish_reach", c_double),
        ("polish_evaluations", c_uint32),
        ("repeats", c_uint32),
        ("when_full", c_uint32),
        ("model", c_uint32),
        ("model_freedom", c_double),
        ("model_learn_freedom", c_uint32),
        ("forest_spread", c_uint32),
        ("forest_leaf", c_uint32),
        ("forest_depth", c_uint32),
        ("forest_features", c_double),
        ("forest_floor", c_double),
        ("forest_rate", c_double),
        ("forest_share", c_double),
        ("forest_low", c_double),
        ("forest_high", c_double),
        ("forest_bootstrap", c_uint32),
        ("warp", c_uint32),
        ("treatment", c_uint32),
        ("treatment_count", c_uint32),
        ("sampler", c_uint32),
        ("sampler_burn_in", c_uint32),
        ("sampler_thin", c_uint32),
        ("sampler_out", c_uint32),
        ("sampler_shrink", c_uint32),
        ("sampler_latent", c_uint32),
        ("sampler_width", c_double),
        ("policy", c_uint32),
        ("policy_representers", c_uint32),
        ("policy_draws", c_uint32),
        ("policy_fantasies", c_uint32),
        ("policy_features", c_uint32),
        ("policy_minima", c_uint32),
        ("batch", c_uint32),
        ("batch_draws", c_uint32),
        ("cooling", c_uint32),
        ("cooling_steps", c_uint32),
        ("cooling_from", c_double),
        ("cooling_to", c_double),
        ("search_method", c_uint32),
        ("search_reserved", c_uint32),
        ("grid_levels", c_uint32),
        ("parzen_candidates", c_uint32),
        ("parzen_most", c_uint32),
        ("parzen_liar", c_uint32),
        ("parzen_share", c_double),
        ("parzen_prior", c_double),
        ("anneal_heat", c_double),
        ("anneal_cooling", c_double),
        ("anneal_reach", c_double),
        ("evolve_parents", c_uint32),
        ("evolve_offspring", c_uint32),
        ("categories", c_uint32),
        ("structure", c_uint32),
        ("branches", c_uint32),
        ("similarity_reserved", c_uint32),
    ]


class Step(ctypes.Structure):
    _fields_ = [
        ("evaluation", c_uint32),
        ("evaluations", c_uint32),
        ("x", doubles),
        ("dims", c_size_t),
        ("value", c_double),
        ("best", c_double),
    ]


class Proposal(ctypes.Structure):
    _fields_ = [
        ("trial", c_uint64),
        ("acquisition", c_double),
        ("origin", c_uint32),
        ("reserved", c_uint32),
    ]


class Record(ctypes.Structure):
    _fields_ = [
        ("trial", c_uint64),
        ("sequence", c_uint64),
        ("value", c_double),
        ("variance", c_double),
        ("state", c_uint32),
        ("reserved", c_uint32),
    ]


OBJECTIVE_CALL = ctypes.CFUNCTYPE(c_int32, c_void_p, doubles, c_size_t, doubles)
PROGRESS_CALL = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(Step))
EVAL_CALL = ctypes.CFUNCTYPE(c_double, c_void_p, doubles, doubles, doubles)
SLOPE_CALL = ctypes.CFUNCTYPE(None, c_void_p, doubles, doubles, doubles, doubles)


class Covariance(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("eval", EVAL_CALL),
        ("gradient", SLOPE_CALL),
        ("gradient_x", SLOPE_CALL),
        ("user", c_void_p),
        ("thetas", c_size_t),
        ("start", doubles),
        ("lo", doubles),
        ("hi", doubles),
    ]


class GpConfig(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("rows", c_size_t),
        ("dims", c_size_t),
        ("batch", c_size_t),
        ("kernel", POINTER(Kernel)),
        ("covariance", POINTER(Covariance)),
        ("noise_variance", c_double),
        ("noise_lo", c_double),
        ("noise_hi", c_double),
        ("noise_sd", c_double),
        ("scalar", c_uint32),
        ("trend", c_uint32),
    ]


class Training(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("objective", c_uint32),
        ("restarts", c_uint32),
        ("draws", c_uint32),
        ("evaluations", c_uint32),
        ("tolerance", c_double),
        ("reach", c_double),
    ]


class GpuOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("worth", c_uint64),
        ("power", c_uint32),
        ("api", c_uint32),
        ("software", c_uint32),
        ("batch", c_uint32),
        ("sets", c_uint32),
        ("patience", c_uint32),
    ]


class Selector(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("parameter", c_uint32),
        ("strategy", c_uint32),
        ("budget", c_uint32),
        ("start", c_uint32),
        ("most", c_uint32),
        ("own_minimum", c_uint32),
        ("reserved", c_uint32 * 4),
    ]


#: Every structure of the header by its name there.
class RaceRules(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("seed", c_uint64),
        ("penalty", c_double),
        ("cap", c_double),
        ("slack", c_double),
        ("quantile", c_double),
        ("statistic", c_uint32),
        ("scalar", c_uint32),
        ("configs", c_uint32),
        ("runs", c_uint32),
        ("most", c_uint32),
        ("challengers", c_uint32),
        ("instances", c_uint32),
        ("seeds", c_uint32),
        ("again", c_uint32),
        ("reserved", c_uint32),
    ]


class FracePlan(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("seed", c_uint64),
        ("level", c_double),
        ("budget", c_uint32),
        ("first", c_uint32),
        ("each", c_uint32),
        ("instances", c_uint32),
        ("scalar", c_uint32),
        ("elitist", c_uint32),
        ("cap", c_double),
        ("penalty", c_double),
        ("slack", c_double),
    ]


class Run(ctypes.Structure):
    _fields_ = [
        ("id", c_uint64),
        ("seed", c_uint64),
        ("cap", c_double),
        ("config", c_uint32),
        ("instance", c_uint32),
    ]


class RunRecord(ctypes.Structure):
    _fields_ = [
        ("seed", c_uint64),
        ("cap", c_double),
        ("cost", c_double),
        ("config", c_uint32),
        ("instance", c_uint32),
        ("capped", c_uint32),
        ("reserved", c_uint32),
    ]


class Friedman(ctypes.Structure):
    _fields_ = [
        ("chi_squared", c_double),
        ("p", c_double),
        ("corrected", c_double),
        ("corrected_p", c_double),
        ("f", c_double),
        ("f_p", c_double),
        ("freedom", c_uint64),
        ("below", c_uint64),
    ]


class Wilcoxon(ctypes.Structure):
    _fields_ = [
        ("statistic", c_double),
        ("p", c_double),
        ("approximate", c_double),
        ("pairs", c_uint64),
        ("exact", c_uint32),
        ("reserved", c_uint32),
    ]


STRUCTURES = {
    "infill_param": Param,
    "infill_condition": Condition,
    "infill_term": Term,
    "infill_space": Space,
    "infill_hyper": Hyper,
    "infill_node": Node,
    "infill_kernel": Kernel,
    "infill_limits": Limits,
    "infill_config": Config,
    "infill_step": Step,
    "infill_proposal": Proposal,
    "infill_record": Record,
    "infill_covariance": Covariance,
    "infill_gp_config": GpConfig,
    "infill_training": Training,
    "infill_gpu_options": GpuOptions,
    "infill_selector": Selector,
    "infill_race_rules": RaceRules,
    "infill_run": Run,
    "infill_run_record": RunRecord,
    "infill_frace_plan": FracePlan,
    "infill_friedman": Friedman,
    "infill_wilcoxon": Wilcoxon,
}

handle = c_void_p
size = c_size_t
trial = c_uint64

#: Every function of the header: its result, then its parameters. None is a status that is looked at.
FUNCTIONS = {
    "version": (c_uint32, []),
    "version_str": (c_char_p, []),
    "capabilities": (c_uint32, []),
    "status_str": (c_char_p, [c_int32]),
    "space_fault": (c_int64, [POINTER(Space)]),
    "config_default": (None, [POINTER(Config), size]),
    "config_preset": (None, [POINTER(Config), size, c_char_p]),
    "preset_name": (c_char_p, [c_uint32]),
    "size": (size, [POINTER(Space), POINTER(Config)]),
    "align": (size, []),
    "words": (size, [c_uint32, c_uint32, c_uint32]),
    "init": (None, [c_void_p, size, POINTER(Space), POINTER(Config), POINTER(handle)]),
    "new": (None, [POINTER(Space), POINTER(Config), POINTER(handle)]),
    "free": ("void", [handle]),
    "attach": (None, [c_void_p, size, POINTER(handle)]),
    "clone_size": (size, [handle, POINTER(Limits)]),
    "clone": (None, [handle, POINTER(Limits), c_void_p, size, POINTER(handle)]),
    "minimize": (None, [handle, OBJECTIVE_CALL, c_void_p, c_uint32]),
    "minimize_with": (None, [handle, handle, OBJECTIVE_CALL, PROGRESS_CALL, c_void_p, c_uint32]),
    "ask": (None, [handle, doubles, size, POINTER(trial)]),
    "ask_with": (None, [handle, handle, doubles, size, POINTER(Proposal)]),
    "tell": (None, [handle, trial, c_double]),
    "tell_noisy": (None, [handle, trial, c_double, c_double]),
    "fail": (None, [handle, trial]),
    "forget": (None, [handle, trial]),
    "enqueue": (None, [handle, doubles, size, POINTER(trial)]),
    "relearn": (None, [handle]),
    "observe": (None, [handle, doubles, size, c_double, POINTER(trial)]),
    "best": (None, [handle, doubles, size, doubles]),
    "recommend": (None, [handle, doubles, size, doubles, doubles]),
    "predict": (None, [handle, doubles, size, doubles, doubles]),
    "count": (size, [handle]),
    "record_at": (None, [handle, size, doubles, size, POINTER(Record)]),
    "record_of": (None, [handle, trial, doubles, size, POINTER(Record)]),
    "closed": (size, [handle]),
    "remaining": (size, [handle]),
    "dims": (size, [handle]),
    "bytes": (size, [handle]),
    "scalar_of": (c_uint32, [handle]),
    "selector_default": (None, [POINTER(Selector), size, c_uint32, c_uint32]),
    "selection_size": (size, [POINTER(Space), POINTER(Selector), POINTER(Config)]),
    "selection_init": (
        None,
        [c_void_p, size, POINTER(Space), POINTER(Selector), POINTER(Config), POINTER(handle)],
    ),
    "selection_new": (None, [POINTER(Space), POINTER(Selector), POINTER(Config), POINTER(handle)]),
    "selection_free": ("void", [handle]),
    "selection_attach": (None, [c_void_p, size, POINTER(handle)]),
    "selection_ask": (None, [handle, doubles, size, POINTER(trial)]),
    "selection_ask_with": (None, [handle, handle, doubles, size, POINTER(Proposal)]),
    "selection_tell": (None, [handle, trial, c_double]),
    "selection_tell_noisy": (None, [handle, trial, c_double, c_double]),
    "selection_fail": (None, [handle, trial]),
    "selection_forget": (None, [handle, trial]),
    "selection_enqueue": (None, [handle, doubles, size, POINTER(trial)]),
    "selection_observe": (None, [handle, doubles, size, c_double, POINTER(trial)]),
    "selection_best": (None, [handle, doubles, size, doubles]),
    "selection_recommend": (None, [handle, doubles, size, doubles, doubles]),
    "selection_predict": (None, [handle, doubles, size, doubles, doubles]),
    "selection_count": (size, [handle]),
    "selection_record_at": (None, [handle, size, doubles, size, POINTER(Record)]),
    "selection_closed": (size, [handle]),
    "selection_remaining": (size, [handle]),
    "selection_dims": (size, [handle]),
    "selection_branches": (size, [handle]),
    "selection_bytes": (size, [handle]),
    "document_read": (None, [c_char_p, size, POINTER(handle)]),
    "document_of": (None, [POINTER(Space), POINTER(c_char_p), POINTER(handle)]),
    "document_free": ("void", [handle]),
    "document_space": (None, [handle, POINTER(POINTER(Space))]),
    "document_write": (None, [handle, c_char_p, size, POINTER(size)]),
    "document_name": (None, [handle, size, c_char_p, size, POINTER(size)]),
    "document_values": (None, [handle, doubles, size, c_char_p, size, POINTER(size)]),
    "document_point": (None, [handle, c_char_p, size, doubles, size]),
    "document_vector": (None, [handle, doubles, size, doubles, size]),
    "backend_faer": (None, [size, POINTER(handle)]),
    "backend_free": ("void", [handle]),
    "gpu_options_default": (None, [POINTER(GpuOptions), size]),
    "gpu_count": (size, []),
    "gpu_adapter": (None, [size, c_char_p, size, POINTER(c_uint32), POINTER(c_uint32)]),
    "backend_gpu": (None, [handle, POINTER(GpuOptions), POINTER(handle)]),
    "backend_reason": (None, [handle, c_char_p, size]),
    "kernel_thetas": (None, [POINTER(Kernel), size, POINTER(size)]),
    "kernel_start": (None, [POINTER(Kernel), size, doubles, size]),
    "kernel_eval": (None, [POINTER(Kernel), doubles, size, doubles, doubles, size, doubles]),
    "kernel_gradient": (None, [POINTER(Kernel), doubles, size, doubles, doubles, size, doubles, doubles, doubles]),
    "kernel_gram": (None, [POINTER(Kernel), doubles, size, doubles, size, size, doubles]),
    "gp_config_default": (None, [POINTER(GpConfig), size]),
    "training_default": (None, [POINTER(Training), size]),
    "gp_size": (size, [POINTER(GpConfig)]),
    "gp_init": (None, [c_void_p, size, POINTER(GpConfig), POINTER(handle)]),
    "gp_new": (None, [POINTER(GpConfig), POINTER(handle)]),
    "gp_free": ("void", [handle]),
    "gp_push": (None, [handle, doubles, size, c_double, c_double]),
    "gp_extend": (None, [handle, doubles, size, c_double, c_double]),
    "gp_remove": (None, [handle, size]),
    "gp_clear": (None, [handle]),
    "gp_fit": (None, [handle, handle]),
    "gp_train": (None, [handle, handle, POINTER(Training), c_uint64, doubles]),
    "gp_evidence": (None, [handle, handle, c_uint32, doubles, doubles, size]),
    "gp_predict": (None, [handle, doubles, size, doubles, doubles]),
    "gp_predict_gradient": (None, [handle, doubles, size, doubles, doubles, doubles, doubles]),
    "gp_predict_joint": (None, [handle, doubles, size, size, doubles, doubles]),
    "gp_sample": (None, [handle, doubles, size, size, c_uint64, doubles, doubles]),
    "gp_rows": (size, [handle]),
    "gp_thetas": (size, [handle]),
    "gp_theta": (None, [handle, doubles, size]),
    "gp_set_theta": (None, [handle, doubles, size]),
    "gp_set_noise": (None, [handle, c_double, c_double, c_double]),
    "gp_jitter": (None, [handle, doubles]),
    "gp_trend": (None, [handle, doubles, size]),
    "gp_likelihood": (None, [handle, doubles]),
    "acquisition_score": (None, [c_uint32, c_double, c_double, c_double, c_double, doubles]),
    "acquisition_gradient": (None, [c_uint32, c_double, c_double, c_double, c_double, doubles, doubles, doubles]),
    "bound_schedule": (None, [c_uint64, size, c_double, doubles]),
    "design_size": (size, [POINTER(Space)]),
    "design": (None, [c_void_p, size, POINTER(Space), c_uint32, c_uint64, c_uint32, doubles, size, size]),
    "race_default": (None, [POINTER(RaceRules), size]),
    "race_size": (size, [POINTER(RaceRules)]),
    "race_init": (None, [c_void_p, size, POINTER(RaceRules), POINTER(handle)]),
    "race_attach": (None, [c_void_p, size, POINTER(handle)]),
    "race_challenge": (None, [handle, c_uint32]),
    "race_ask": (None, [handle, POINTER(Run)]),
    "race_tell": (None, [handle, c_uint64, c_double]),
    "race_capped": (None, [handle, c_uint64]),
    "race_crashed": (None, [handle, c_uint64]),
    "race_forget": (None, [handle, c_uint64]),
    "race_begin": (None, [handle, c_uint32]),
    "race_over": (c_uint32, [handle]),
    "race_incumbent": (None, [handle, POINTER(c_uint32)]),
    "race_cost": (None, [handle, c_uint32, doubles]),
    "race_runs": (c_uint32, [handle, c_uint32]),
    "race_count": (size, [handle]),
    "race_record": (None, [handle, size, POINTER(RunRecord)]),
    "race_bytes": (size, [handle]),
    "frace_default": (None, [POINTER(FracePlan), size]),
    "frace_size": (size, [POINTER(Space), POINTER(FracePlan)]),
    "frace_init": (None, [c_void_p, size, POINTER(Space), POINTER(FracePlan), POINTER(handle)]),
    "frace_attach": (None, [c_void_p, size, POINTER(handle)]),
    "frace_ask": (None, [handle, doubles, size, POINTER(Run)]),
    "frace_tell": (None, [handle, c_uint64, c_double]),
    "frace_capped": (None, [handle, c_uint64]),
    "frace_crashed": (None, [handle, c_uint64]),
    "frace_forget": (None, [handle, c_uint64]),
    "frace_best": (None, [handle, doubles, size, POINTER(c_uint32)]),
    "frace_bytes": (size, [handle]),
    "compare_ranks": (None, [doubles, size, size, doubles]),
    "compare_win_rates": (None, [doubles, size, size, doubles]),
    "compare_net_wins": (None, [doubles, size, size, POINTER(c_int64)]),
    "compare_friedman": (None, [doubles, size, size, POINTER(Friedman)]),
    "compare_wilcoxon": (None, [doubles, doubles, size, POINTER(Wilcoxon)]),
    "compare_critical_difference": (None, [size, size, c_double, doubles]),
    "compare_diagram_size": (size, [POINTER(c_char_p), doubles, size, c_double, size]),
    "compare_diagram": (None, [POINTER(c_char_p), doubles, size, c_double, size, c_char_p, size]),
}


class Error(Exception):
    """What the library refused: ``code`` is its number, ``name`` that of infill.h, such as ``"ERROR_FULL"``."""

    def __init__(self, code, detail=""):
        self.code = code
        self.name = next((name for name, number in STATUS.items() if number == code), "unknown")
        self.detail = detail
        text = lib.status_str(code).decode()
        super().__init__("%s: %s" % (detail, text) if detail else text)

    def __reduce__(self):
        return Error, (self.code, self.detail)


def _checked(status, function, arguments):
    if status != 0:
        raise Error(status)


class _Functions:
    """The functions of the library as attributes; one that can fail raises Error."""

    def __init__(self, library):
        for name, (result, parameters) in FUNCTIONS.items():
            function = library["infill_" + name]
            function.argtypes = parameters
            if result is None:
                function.restype, function.errcheck = c_int32, _checked
            else:
                function.restype = None if result == "void" else result
            setattr(self, name, function)


lib = _Functions(_library.load())


def block(size):
    """Memory for an optimizer or a process, aligned as the library wants it."""
    return (c_uint64 * ((size + 7) // 8))()
