//! The names of all choices. Written by tests/header.rs.

use core::ffi::CStr;

/// Each enumeration, with the number and the name of each member.
#[rustfmt::skip]
pub(crate) static NAMES: &[(&str, &[(i32, &CStr)])] = &[
    ("infill_capability", &[
        (1, c"std"), (2, c"faer"), (4, c"f32"), (8, c"f64"), (16, c"gpu"),
    ]),
    ("infill_status", &[
        (0, c"ok"), (-1, c"error_memory"), (-2, c"error_limits"), (-3, c"error_foreign"), (-4, c"error_corrupt"),
        (-5, c"error_full"), (-6, c"error_too_many_open"), (-7, c"error_stale_trial"), (-8, c"error_not_finite"),
        (-9, c"error_exhausted"), (-10, c"error_shape"), (-11, c"error_dimensions"), (-12, c"error_bounds"),
        (-13, c"error_levels"), (-14, c"error_condition"), (-15, c"error_out_of_range"), (-16, c"error_kernel"),
        (-17, c"error_theta"), (-18, c"error_not_positive_definite"), (-19, c"error_no_data"), (-20, c"error_config"),
        (-21, c"error_backend"), (-22, c"error_unsupported"), (-23, c"error_forbidden"), (-24, c"error_clause"),
        (-25, c"error_infeasible"), (-26, c"error_format"), (-27, c"error_space"), (-28, c"error_name"),
        (-64, c"error_null"), (-65, c"error_alignment"), (-66, c"error_version"), (-67, c"error_allocation"),
        (-68, c"aborted"), (-69, c"panic"), (-70, c"done"),
    ]),
    ("infill_kind", &[
        (1, c"real"), (2, c"integer"), (3, c"ordinal"), (4, c"categorical"),
    ]),
    ("infill_when", &[
        (1, c"equals"), (2, c"in"), (3, c"between"),
    ]),
    ("infill_impute", &[
        (0, c"centre"), (1, c"usual"), (2, c"outside"), (3, c"scatter"),
    ]),
    ("infill_scalar", &[
        (4, c"f32"), (8, c"f64"),
    ]),
    ("infill_origin", &[
        (1, c"design"), (2, c"model"), (3, c"queue"), (4, c"fallback"), (5, c"method"), (6, c"resumed"),
    ]),
    ("infill_state", &[
        (1, c"queued"), (2, c"open"), (3, c"done"), (4, c"failed"),
    ]),
    ("infill_design_kind", &[
        (0, c"uniform"), (1, c"latin_hypercube"), (2, c"sobol"), (3, c"halton"), (4, c"grid"),
    ]),
    ("infill_model", &[
        (0, c"process"), (1, c"student"), (2, c"fitc"), (3, c"variational"), (4, c"spectrum"), (5, c"random_forest"),
        (6, c"extra_trees"), (7, c"boosted_trees"), (8, c"random"), (9, c"grid"), (10, c"sobol"), (11, c"anneal"),
        (12, c"parzen"), (13, c"cma_es"), (14, c"mi_es"), (15, c"mondrian"),
    ]),
    ("infill_trend", &[
        (0, c"zero"), (1, c"constant"), (2, c"linear"), (3, c"quadratic"),
    ]),
    ("infill_hyper_kind", &[
        (0, c"map"), (1, c"mcmc"), (2, c"quadrature"),
    ]),
    ("infill_sampler", &[
        (0, c"slice"), (1, c"metropolis"), (2, c"fixed"), (3, c"whitened"), (4, c"surrogate_metropolis"),
        (5, c"surrogate_slice"),
    ]),
    ("infill_objective_kind", &[
        (0, c"evidence"), (1, c"leave_one_out"),
    ]),
    ("infill_spread", &[
        (0, c"total"), (1, c"across"),
    ]),
    ("infill_warp", &[
        (0, c"none"), (1, c"kumaraswamy"), (2, c"beta"),
    ]),
    ("infill_categories", &[
        (0, c"hamming"), (1, c"exchangeable"), (2, c"one_hot"), (3, c"index"),
    ]),
    ("infill_structure", &[
        (0, c"product"), (1, c"sum"), (2, c"both"),
    ]),
    ("infill_branches", &[
        (0, c"shared"), (1, c"apart"),
    ]),
    ("infill_transform", &[
        (0, c"none"), (1, c"standard"), (2, c"power"), (3, c"rank"), (4, c"box_cox"), (5, c"yeo_johnson"),
    ]),
    ("infill_acquisition", &[
        (1, c"probability"), (2, c"improvement"), (3, c"log_improvement"), (4, c"bound"), (5, c"generalised"),
        (6, c"log_mgf"), (7, c"deviation"), (8, c"noisy"),
    ]),
    ("infill_cooling", &[
        (0, c"none"), (1, c"exponential"), (2, c"linear"),
    ]),
    ("infill_policy", &[
        (0, c"closed"), (1, c"entropy_search"), (2, c"predictive_entropy"), (3, c"max_value"), (4, c"thompson"),
        (5, c"spectral"), (6, c"knowledge"), (7, c"hedge"), (8, c"portfolio"), (9, c"noisy"),
    ]),
    ("infill_minima", &[
        (0, c"joint"), (1, c"gumbel"),
    ]),
    ("infill_pending", &[
        (0, c"believer"), (1, c"liar_min"), (2, c"liar_mean"), (3, c"liar_max"), (4, c"fantasies"), (5, c"penalty"),
        (6, c"temperatures"), (7, c"joint_ei"),
    ]),
    ("infill_incumbent", &[
        (0, c"observed"), (1, c"mean"),
    ]),
    ("infill_search_method", &[
        (0, c"auto"), (1, c"ascent"), (2, c"smac"), (3, c"typed"), (4, c"evolution"), (5, c"covariance"),
        (6, c"random"),
    ]),
    ("infill_strategy", &[
        (0, c"auto"), (1, c"impute"), (2, c"single"), (3, c"whole"), (4, c"baseline"),
    ]),
    ("infill_when_full", &[
        (0, c"refuse"), (1, c"drop_worst"),
    ]),
    ("infill_op", &[
        (1, c"sum"), (2, c"product"), (3, c"scale"), (4, c"constant"), (16, c"squared_exponential"),
        (17, c"matern12"), (18, c"matern32"), (19, c"matern52"), (20, c"matern"), (21, c"rational_quadratic"),
        (22, c"gamma_exponential"), (24, c"laplace"), (25, c"periodic"), (26, c"cosine"), (32, c"linear"),
        (33, c"polynomial"), (34, c"arc_sine"), (48, c"hamming"), (49, c"exchangeable"), (64, c"branch"),
        (65, c"active"), (66, c"arc"), (67, c"one_hot"),
    ]),
    ("infill_role", &[
        (1, c"length"), (2, c"variance"), (3, c"shape"), (4, c"period"), (5, c"weight"), (6, c"bias"),
        (7, c"correlation"), (8, c"angle"), (9, c"radius"),
    ]),
    ("infill_prior", &[
        (0, c"log_normal"), (1, c"uniform"), (2, c"gamma"), (3, c"horseshoe"),
    ]),
    ("infill_node_flag", &[
        (1, c"ard"), (2, c"no_bias"),
    ]),
    ("infill_statistic", &[
        (0, c"mean"), (1, c"median"), (2, c"quantile"),
    ]),
    ("infill_power", &[
        (0, c"any"), (1, c"low"), (2, c"high"),
    ]),
    ("infill_api", &[
        (0, c"any"), (1, c"vulkan"), (2, c"gl"), (3, c"metal"), (4, c"dx12"),
    ]),
];
