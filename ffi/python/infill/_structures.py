"""The structures of infill.h for ctypes, and the functions that it calls back."""

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int32, c_size_t, c_uint16, c_uint32, c_uint64, c_void_p

doubles = POINTER(c_double)


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
        ("reserved", c_uint32),
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


#: Every structure of the header by its name there.
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
