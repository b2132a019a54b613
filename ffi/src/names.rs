//! The names of all choices. Written by tests/header.rs.
//!
//! Arrays, not texts: a linker keeps all texts of a library for one that a program uses.

use core::ffi::CStr;

use crate::infill_status::{self, *};

/// Names, each with a zero behind it.
#[rustfmt::skip]
pub(crate) static NAMES: [u8; 2696] = *b"\
    infill_capability\0std\0faer\0f32\0f64\0gpu\0infill_status\0ok\0error_memory\0error_limits\0error_foreign\0\
    error_corrupt\0error_full\0error_too_many_open\0error_stale_trial\0error_not_finite\0error_exhausted\0\
    error_shape\0error_dimensions\0error_bounds\0error_levels\0error_condition\0error_out_of_range\0error_kernel\0\
    error_theta\0error_not_positive_definite\0error_no_data\0error_config\0error_backend\0error_unsupported\0\
    error_forbidden\0error_clause\0error_infeasible\0error_format\0error_space\0error_name\0error_null\0\
    error_alignment\0error_version\0error_allocation\0aborted\0panic\0done\0infill_kind\0real\0integer\0ordinal\0\
    categorical\0infill_when\0equals\0in\0between\0infill_impute\0centre\0usual\0outside\0scatter\0infill_scalar\0\
    f32\0f64\0infill_origin\0design\0model\0queue\0fallback\0method\0resumed\0source\0infill_state\0queued\0open\0\
    done\0failed\0infill_form\0means\0full\0infill_design_kind\0uniform\0latin_hypercube\0sobol\0halton\0grid\0\
    infill_model\0process\0student\0fitc\0variational\0spectrum\0random_forest\0extra_trees\0boosted_trees\0random\0\
    grid\0sobol\0anneal\0parzen\0cma_es\0mi_es\0mondrian\0infill_trend\0zero\0constant\0linear\0quadratic\0\
    infill_hyper_kind\0map\0mcmc\0quadrature\0infill_sampler\0slice\0metropolis\0fixed\0whitened\0\
    surrogate_metropolis\0surrogate_slice\0infill_objective_kind\0evidence\0leave_one_out\0infill_spread\0total\0\
    across\0infill_warp\0none\0kumaraswamy\0beta\0infill_categories\0hamming\0exchangeable\0one_hot\0index\0\
    infill_structure\0product\0sum\0both\0infill_branches\0shared\0apart\0infill_transform\0none\0standard\0power\0\
    rank\0box_cox\0yeo_johnson\0infill_acquisition\0probability\0improvement\0log_improvement\0bound\0generalised\0\
    log_mgf\0deviation\0noisy\0infill_cooling\0none\0exponential\0linear\0infill_policy\0closed\0entropy_search\0\
    predictive_entropy\0max_value\0thompson\0spectral\0knowledge\0hedge\0portfolio\0noisy\0infill_minima\0joint\0\
    gumbel\0infill_pending\0believer\0liar_min\0liar_mean\0liar_max\0fantasies\0penalty\0temperatures\0joint_ei\0\
    infill_incumbent\0observed\0mean\0infill_search_method\0auto\0ascent\0smac\0typed\0evolution\0covariance\0\
    random\0infill_strategy\0auto\0impute\0single\0whole\0baseline\0infill_start\0design\0random\0nearest\0cover\0\
    learnt\0adaptive\0infill_how\0alone\0stage\0value\0function\0prior\0neighbours\0ranker\0perceptron\0\
    infill_weights\0features\0ranks\0experts\0sampled\0infill_when_full\0refuse\0drop_worst\0infill_op\0sum\0\
    product\0scale\0constant\0squared_exponential\0matern12\0matern32\0matern52\0matern\0rational_quadratic\0\
    gamma_exponential\0laplace\0periodic\0cosine\0linear\0polynomial\0arc_sine\0hamming\0exchangeable\0branch\0\
    active\0arc\0one_hot\0infill_role\0length\0variance\0shape\0period\0weight\0bias\0correlation\0angle\0radius\0\
    infill_prior\0log_normal\0uniform\0gamma\0horseshoe\0infill_node_flag\0ard\0no_bias\0infill_statistic\0mean\0\
    median\0quantile\0infill_power\0any\0low\0high\0infill_api\0any\0vulkan\0gl\0metal\0dx12\0\
";

/// Where the name of a type begins, where that of a member, and its number.
#[rustfmt::skip]
pub(crate) static MEMBERS: [(u16, u16, i32); 237] = [
    (0, 18, 1), (0, 22, 2), (0, 27, 4), (0, 31, 8), (0, 35, 16), (39, 53, 0), (39, 56, -1), (39, 69, -2),
    (39, 82, -3), (39, 96, -4), (39, 110, -5), (39, 121, -6), (39, 141, -7), (39, 159, -8), (39, 176, -9),
    (39, 192, -10), (39, 204, -11), (39, 221, -12), (39, 234, -13), (39, 247, -14), (39, 263, -15), (39, 282, -16),
    (39, 295, -17), (39, 307, -18), (39, 335, -19), (39, 349, -20), (39, 362, -21), (39, 376, -22), (39, 394, -23),
    (39, 410, -24), (39, 423, -25), (39, 440, -26), (39, 453, -27), (39, 465, -28), (39, 476, -64), (39, 487, -65),
    (39, 503, -66), (39, 517, -67), (39, 534, -68), (39, 542, -69), (39, 548, -70), (553, 565, 1), (553, 570, 2),
    (553, 578, 3), (553, 586, 4), (598, 610, 1), (598, 617, 2), (598, 620, 3), (628, 642, 0), (628, 649, 1),
    (628, 655, 2), (628, 663, 3), (671, 685, 4), (671, 689, 8), (693, 707, 1), (693, 714, 2), (693, 720, 3),
    (693, 726, 4), (693, 735, 5), (693, 742, 6), (693, 750, 7), (757, 770, 1), (757, 777, 2), (757, 782, 3),
    (757, 787, 4), (794, 806, 0), (794, 812, 1), (817, 836, 0), (817, 844, 1), (817, 860, 2), (817, 866, 3),
    (817, 873, 4), (878, 891, 0), (878, 899, 1), (878, 907, 2), (878, 912, 3), (878, 924, 4), (878, 933, 5),
    (878, 947, 6), (878, 959, 7), (878, 973, 8), (878, 980, 9), (878, 985, 10), (878, 991, 11), (878, 998, 12),
    (878, 1005, 13), (878, 1012, 14), (878, 1018, 15), (1027, 1040, 0), (1027, 1045, 1), (1027, 1054, 2),
    (1027, 1061, 3), (1071, 1089, 0), (1071, 1093, 1), (1071, 1098, 2), (1109, 1124, 0), (1109, 1130, 1),
    (1109, 1141, 2), (1109, 1147, 3), (1109, 1156, 4), (1109, 1177, 5), (1193, 1215, 0), (1193, 1224, 1),
    (1238, 1252, 0), (1238, 1258, 1), (1265, 1277, 0), (1265, 1282, 1), (1265, 1294, 2), (1299, 1317, 0),
    (1299, 1325, 1), (1299, 1338, 2), (1299, 1346, 3), (1352, 1369, 0), (1352, 1377, 1), (1352, 1381, 2),
    (1386, 1402, 0), (1386, 1409, 1), (1415, 1432, 0), (1415, 1437, 1), (1415, 1446, 2), (1415, 1452, 3),
    (1415, 1457, 4), (1415, 1465, 5), (1477, 1496, 1), (1477, 1508, 2), (1477, 1520, 3), (1477, 1536, 4),
    (1477, 1542, 5), (1477, 1554, 6), (1477, 1562, 7), (1477, 1572, 8), (1578, 1593, 0), (1578, 1598, 1),
    (1578, 1610, 2), (1617, 1631, 0), (1617, 1638, 1), (1617, 1653, 2), (1617, 1672, 3), (1617, 1682, 4),
    (1617, 1691, 5), (1617, 1700, 6), (1617, 1710, 7), (1617, 1716, 8), (1617, 1726, 9), (1732, 1746, 0),
    (1732, 1752, 1), (1759, 1774, 0), (1759, 1783, 1), (1759, 1792, 2), (1759, 1802, 3), (1759, 1811, 4),
    (1759, 1821, 5), (1759, 1829, 6), (1759, 1842, 7), (1851, 1868, 0), (1851, 1877, 1), (1882, 1903, 0),
    (1882, 1908, 1), (1882, 1915, 2), (1882, 1920, 3), (1882, 1926, 4), (1882, 1936, 5), (1882, 1947, 6),
    (1954, 1970, 0), (1954, 1975, 1), (1954, 1982, 2), (1954, 1989, 3), (1954, 1995, 4), (2004, 2017, 0),
    (2004, 2024, 1), (2004, 2031, 2), (2004, 2039, 3), (2004, 2045, 4), (2004, 2052, 5), (2061, 2072, 0),
    (2061, 2078, 1), (2061, 2084, 2), (2061, 2090, 3), (2061, 2099, 4), (2061, 2105, 5), (2061, 2116, 6),
    (2061, 2123, 7), (2134, 2149, 0), (2134, 2158, 1), (2134, 2164, 2), (2134, 2172, 3), (2180, 2197, 0),
    (2180, 2204, 1), (2215, 2225, 1), (2215, 2229, 2), (2215, 2237, 3), (2215, 2243, 4), (2215, 2252, 16),
    (2215, 2272, 17), (2215, 2281, 18), (2215, 2290, 19), (2215, 2299, 20), (2215, 2306, 21), (2215, 2325, 22),
    (2215, 2343, 24), (2215, 2351, 25), (2215, 2360, 26), (2215, 2367, 32), (2215, 2374, 33), (2215, 2385, 34),
    (2215, 2394, 48), (2215, 2402, 49), (2215, 2415, 64), (2215, 2422, 65), (2215, 2429, 66), (2215, 2433, 67),
    (2441, 2453, 1), (2441, 2460, 2), (2441, 2469, 3), (2441, 2475, 4), (2441, 2482, 5), (2441, 2489, 6),
    (2441, 2494, 7), (2441, 2506, 8), (2441, 2512, 9), (2519, 2532, 0), (2519, 2543, 1), (2519, 2551, 2),
    (2519, 2557, 3), (2567, 2584, 1), (2567, 2588, 2), (2596, 2613, 0), (2596, 2618, 1), (2596, 2625, 2),
    (2634, 2647, 0), (2634, 2651, 1), (2634, 2655, 2), (2660, 2671, 0), (2660, 2675, 1), (2660, 2682, 2),
    (2660, 2685, 3), (2660, 2691, 4),
];

/// The names of the presets, each with zeros behind it.
#[rustfmt::skip]
pub(crate) static PRESET_NAMES: [[u8; 13]; 9] = [
    *b"default\0\0\0\0\0\0", *b"spearmint\0\0\0\0", *b"mip-ego\0\0\0\0\0\0", *b"gpgo\0\0\0\0\0\0\0\0\0",
    *b"gpgo-student\0", *b"gpgo-mcmc\0\0\0\0", *b"gpgo-forest\0\0", *b"gpgo-extra\0\0\0", *b"gpgo-boosted\0",
];

/// Every status, and a sentence for it.
#[rustfmt::skip]
pub(crate) const SENTENCES: [(infill_status, &CStr); 36] = [
    (INFILL_OK, c"all is well"),
    (INFILL_ERROR_MEMORY, c"the block is too small"),
    (INFILL_ERROR_LIMITS, c"a limit is zero, too large, or smaller than what it has to hold"),
    (INFILL_ERROR_FOREIGN, c"the block was not written by this version of the library"),
    (INFILL_ERROR_CORRUPT, c"the block is damaged"),
    (INFILL_ERROR_FULL, c"every trial has been used"),
    (INFILL_ERROR_TOO_MANY_OPEN, c"too many trials are open"),
    (INFILL_ERROR_STALE_TRIAL, c"the trial is unknown or already closed"),
    (INFILL_ERROR_NOT_FINITE, c"the value or its variance is not a finite number"),
    (INFILL_ERROR_EXHAUSTED, c"every point of the space has been proposed"),
    (INFILL_ERROR_SHAPE, c"a count or an index does not fit the object"),
    (INFILL_ERROR_DIMENSIONS, c"the space has no parameter or too many"),
    (INFILL_ERROR_BOUNDS, c"a parameter has invalid bounds"),
    (INFILL_ERROR_LEVELS, c"a parameter has too few or too many values"),
    (INFILL_ERROR_CONDITION, c"a condition is invalid"),
    (INFILL_ERROR_OUT_OF_RANGE, c"the point is outside of the space"),
    (INFILL_ERROR_KERNEL, c"the kernel is malformed or too large"),
    (INFILL_ERROR_THETA, c"a hyperparameter, bound or prior is invalid"),
    (INFILL_ERROR_NOT_POSITIVE_DEFINITE, c"the matrix is not positive definite"),
    (INFILL_ERROR_NO_DATA, c"the model has too little data"),
    (INFILL_ERROR_CONFIG, c"a setting is out of its range"),
    (INFILL_ERROR_BACKEND, c"the backend failed"),
    (INFILL_ERROR_UNSUPPORTED, c"not defined for this model, or not in this build"),
    (INFILL_ERROR_FORBIDDEN, c"the point is forbidden"),
    (INFILL_ERROR_CLAUSE, c"a forbidden clause is invalid"),
    (INFILL_ERROR_INFEASIBLE, c"every configuration is forbidden"),
    (INFILL_ERROR_FORMAT, c"the text cannot be read"),
    (INFILL_ERROR_SPACE, c"the block is over another space"),
    (INFILL_ERROR_NAME, c"a name or a label is taken or has a zero byte"),
    (INFILL_ERROR_NULL, c"a pointer is NULL"),
    (INFILL_ERROR_ALIGNMENT, c"a pointer is not aligned"),
    (INFILL_ERROR_VERSION, c"a structure has a size that this version does not know"),
    (INFILL_ERROR_ALLOCATION, c"there is no memory left"),
    (INFILL_ABORTED, c"a callback stopped the run"),
    (INFILL_PANIC, c"a defect of the library; the handle is spoilt"),
    (INFILL_DONE, c"the run is over: every trial or every point has been used"),
];
