//! The names of all choices. Written by tests/header.rs.
//!
//! Arrays, not texts: a linker keeps all texts of a library for one that a program uses.

use core::ffi::CStr;

use crate::infill_status::{self, *};

/// Names, each with a zero behind it.
#[rustfmt::skip]
pub(crate) static NAMES: [u8; 2490] = *b"\
    infill_capability\0std\0faer\0f32\0f64\0gpu\0infill_status\0ok\0error_memory\0error_limits\0error_foreign\0\
    error_corrupt\0error_full\0error_too_many_open\0error_stale_trial\0error_not_finite\0error_exhausted\0\
    error_shape\0error_dimensions\0error_bounds\0error_levels\0error_condition\0error_out_of_range\0error_kernel\0\
    error_theta\0error_not_positive_definite\0error_no_data\0error_config\0error_backend\0error_unsupported\0\
    error_forbidden\0error_clause\0error_infeasible\0error_format\0error_space\0error_name\0error_null\0\
    error_alignment\0error_version\0error_allocation\0aborted\0panic\0done\0infill_kind\0real\0integer\0ordinal\0\
    categorical\0infill_when\0equals\0in\0between\0infill_impute\0centre\0usual\0outside\0scatter\0infill_scalar\0\
    f32\0f64\0infill_origin\0design\0model\0queue\0fallback\0method\0resumed\0infill_state\0queued\0open\0done\0\
    failed\0infill_design_kind\0uniform\0latin_hypercube\0sobol\0halton\0grid\0infill_model\0process\0student\0\
    fitc\0variational\0spectrum\0random_forest\0extra_trees\0boosted_trees\0random\0grid\0sobol\0anneal\0parzen\0\
    cma_es\0mi_es\0mondrian\0infill_trend\0zero\0constant\0linear\0quadratic\0infill_hyper_kind\0map\0mcmc\0\
    quadrature\0infill_sampler\0slice\0metropolis\0fixed\0whitened\0surrogate_metropolis\0surrogate_slice\0\
    infill_objective_kind\0evidence\0leave_one_out\0infill_spread\0total\0across\0infill_warp\0none\0kumaraswamy\0\
    beta\0infill_categories\0hamming\0exchangeable\0one_hot\0index\0infill_structure\0product\0sum\0both\0\
    infill_branches\0shared\0apart\0infill_transform\0none\0standard\0power\0rank\0box_cox\0yeo_johnson\0\
    infill_acquisition\0probability\0improvement\0log_improvement\0bound\0generalised\0log_mgf\0deviation\0noisy\0\
    infill_cooling\0none\0exponential\0linear\0infill_policy\0closed\0entropy_search\0predictive_entropy\0\
    max_value\0thompson\0spectral\0knowledge\0hedge\0portfolio\0noisy\0infill_minima\0joint\0gumbel\0\
    infill_pending\0believer\0liar_min\0liar_mean\0liar_max\0fantasies\0penalty\0temperatures\0joint_ei\0\
    infill_incumbent\0observed\0mean\0infill_search_method\0auto\0ascent\0smac\0typed\0evolution\0covariance\0\
    random\0infill_strategy\0auto\0impute\0single\0whole\0baseline\0infill_when_full\0refuse\0drop_worst\0\
    infill_op\0sum\0product\0scale\0constant\0squared_exponential\0matern12\0matern32\0matern52\0matern\0\
    rational_quadratic\0gamma_exponential\0laplace\0periodic\0cosine\0linear\0polynomial\0arc_sine\0hamming\0\
    exchangeable\0branch\0active\0arc\0one_hot\0infill_role\0length\0variance\0shape\0period\0weight\0bias\0\
    correlation\0angle\0radius\0infill_prior\0log_normal\0uniform\0gamma\0horseshoe\0infill_node_flag\0ard\0\
    no_bias\0infill_statistic\0mean\0median\0quantile\0infill_power\0any\0low\0high\0infill_api\0any\0vulkan\0gl\0\
    metal\0dx12\0\
";

/// Where the name of a type begins, where that of a member, and its number.
#[rustfmt::skip]
pub(crate) static MEMBERS: [(u16, u16, i32); 216] = [
    (0, 18, 1), (0, 22, 2), (0, 27, 4), (0, 31, 8), (0, 35, 16), (39, 53, 0), (39, 56, -1), (39, 69, -2),
    (39, 82, -3), (39, 96, -4), (39, 110, -5), (39, 121, -6), (39, 141, -7), (39, 159, -8), (39, 176, -9),
    (39, 192, -10), (39, 204, -11), (39, 221, -12), (39, 234, -13), (39, 247, -14), (39, 263, -15), (39, 282, -16),
    (39, 295, -17), (39, 307, -18), (39, 335, -19), (39, 349, -20), (39, 362, -21), (39, 376, -22), (39, 394, -23),
    (39, 410, -24), (39, 423, -25), (39, 440, -26), (39, 453, -27), (39, 465, -28), (39, 476, -64), (39, 487, -65),
    (39, 503, -66), (39, 517, -67), (39, 534, -68), (39, 542, -69), (39, 548, -70), (553, 565, 1), (553, 570, 2),
    (553, 578, 3), (553, 586, 4), (598, 610, 1), (598, 617, 2), (598, 620, 3), (628, 642, 0), (628, 649, 1),
    (628, 655, 2), (628, 663, 3), (671, 685, 4), (671, 689, 8), (693, 707, 1), (693, 714, 2), (693, 720, 3),
    (693, 726, 4), (693, 735, 5), (693, 742, 6), (750, 763, 1), (750, 770, 2), (750, 775, 3), (750, 780, 4),
    (787, 806, 0), (787, 814, 1), (787, 830, 2), (787, 836, 3), (787, 843, 4), (848, 861, 0), (848, 869, 1),
    (848, 877, 2), (848, 882, 3), (848, 894, 4), (848, 903, 5), (848, 917, 6), (848, 929, 7), (848, 943, 8),
    (848, 950, 9), (848, 955, 10), (848, 961, 11), (848, 968, 12), (848, 975, 13), (848, 982, 14), (848, 988, 15),
    (997, 1010, 0), (997, 1015, 1), (997, 1024, 2), (997, 1031, 3), (1041, 1059, 0), (1041, 1063, 1),
    (1041, 1068, 2), (1079, 1094, 0), (1079, 1100, 1), (1079, 1111, 2), (1079, 1117, 3), (1079, 1126, 4),
    (1079, 1147, 5), (1163, 1185, 0), (1163, 1194, 1), (1208, 1222, 0), (1208, 1228, 1), (1235, 1247, 0),
    (1235, 1252, 1), (1235, 1264, 2), (1269, 1287, 0), (1269, 1295, 1), (1269, 1308, 2), (1269, 1316, 3),
    (1322, 1339, 0), (1322, 1347, 1), (1322, 1351, 2), (1356, 1372, 0), (1356, 1379, 1), (1385, 1402, 0),
    (1385, 1407, 1), (1385, 1416, 2), (1385, 1422, 3), (1385, 1427, 4), (1385, 1435, 5), (1447, 1466, 1),
    (1447, 1478, 2), (1447, 1490, 3), (1447, 1506, 4), (1447, 1512, 5), (1447, 1524, 6), (1447, 1532, 7),
    (1447, 1542, 8), (1548, 1563, 0), (1548, 1568, 1), (1548, 1580, 2), (1587, 1601, 0), (1587, 1608, 1),
    (1587, 1623, 2), (1587, 1642, 3), (1587, 1652, 4), (1587, 1661, 5), (1587, 1670, 6), (1587, 1680, 7),
    (1587, 1686, 8), (1587, 1696, 9), (1702, 1716, 0), (1702, 1722, 1), (1729, 1744, 0), (1729, 1753, 1),
    (1729, 1762, 2), (1729, 1772, 3), (1729, 1781, 4), (1729, 1791, 5), (1729, 1799, 6), (1729, 1812, 7),
    (1821, 1838, 0), (1821, 1847, 1), (1852, 1873, 0), (1852, 1878, 1), (1852, 1885, 2), (1852, 1890, 3),
    (1852, 1896, 4), (1852, 1906, 5), (1852, 1917, 6), (1924, 1940, 0), (1924, 1945, 1), (1924, 1952, 2),
    (1924, 1959, 3), (1924, 1965, 4), (1974, 1991, 0), (1974, 1998, 1), (2009, 2019, 1), (2009, 2023, 2),
    (2009, 2031, 3), (2009, 2037, 4), (2009, 2046, 16), (2009, 2066, 17), (2009, 2075, 18), (2009, 2084, 19),
    (2009, 2093, 20), (2009, 2100, 21), (2009, 2119, 22), (2009, 2137, 24), (2009, 2145, 25), (2009, 2154, 26),
    (2009, 2161, 32), (2009, 2168, 33), (2009, 2179, 34), (2009, 2188, 48), (2009, 2196, 49), (2009, 2209, 64),
    (2009, 2216, 65), (2009, 2223, 66), (2009, 2227, 67), (2235, 2247, 1), (2235, 2254, 2), (2235, 2263, 3),
    (2235, 2269, 4), (2235, 2276, 5), (2235, 2283, 6), (2235, 2288, 7), (2235, 2300, 8), (2235, 2306, 9),
    (2313, 2326, 0), (2313, 2337, 1), (2313, 2345, 2), (2313, 2351, 3), (2361, 2378, 1), (2361, 2382, 2),
    (2390, 2407, 0), (2390, 2412, 1), (2390, 2419, 2), (2428, 2441, 0), (2428, 2445, 1), (2428, 2449, 2),
    (2454, 2465, 0), (2454, 2469, 1), (2454, 2476, 2), (2454, 2479, 3), (2454, 2485, 4),
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
