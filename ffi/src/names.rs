//! The names of all choices. Written by tests/header.rs.
//!
//! Arrays, not texts: a linker keeps all texts of a library for one that a program uses.

/// Names, each with a zero behind it.
#[rustfmt::skip]
pub(crate) static NAMES: [u8; 2467] = *b"\
    infill_capability\0std\0faer\0f32\0f64\0gpu\0infill_status\0ok\0error_memory\0error_limits\0error_foreign\0\
    error_corrupt\0error_full\0error_too_many_open\0error_stale_trial\0error_not_finite\0error_exhausted\0\
    error_shape\0error_dimensions\0error_bounds\0error_levels\0error_condition\0error_out_of_range\0error_kernel\0\
    error_theta\0error_not_positive_definite\0error_no_data\0error_config\0error_backend\0error_unsupported\0\
    error_forbidden\0error_clause\0error_infeasible\0error_format\0error_null\0error_alignment\0error_version\0\
    error_allocation\0aborted\0panic\0done\0infill_kind\0real\0integer\0ordinal\0categorical\0infill_when\0equals\0\
    in\0between\0infill_impute\0centre\0usual\0outside\0scatter\0infill_origin\0design\0model\0queue\0fallback\0\
    method\0resumed\0infill_state\0queued\0open\0done\0failed\0infill_scalar\0f32\0f64\0infill_design_kind\0\
    uniform\0latin_hypercube\0sobol\0halton\0grid\0infill_model\0process\0student\0fitc\0variational\0spectrum\0\
    random_forest\0extra_trees\0boosted_trees\0random\0grid\0sobol\0anneal\0parzen\0cma_es\0mi_es\0mondrian\0\
    infill_trend\0zero\0constant\0linear\0quadratic\0infill_hyper_kind\0map\0mcmc\0quadrature\0infill_sampler\0\
    slice\0metropolis\0fixed\0whitened\0surrogate_metropolis\0surrogate_slice\0infill_objective_kind\0evidence\0\
    leave_one_out\0infill_spread\0total\0across\0infill_warp\0none\0kumaraswamy\0beta\0infill_categories\0hamming\0\
    exchangeable\0one_hot\0index\0infill_structure\0product\0sum\0both\0infill_branches\0shared\0apart\0\
    infill_transform\0none\0standard\0power\0rank\0box_cox\0yeo_johnson\0infill_acquisition\0probability\0\
    improvement\0log_improvement\0bound\0generalised\0log_mgf\0deviation\0noisy\0infill_cooling\0none\0exponential\0\
    linear\0infill_policy\0closed\0entropy_search\0predictive_entropy\0max_value\0thompson\0spectral\0knowledge\0\
    hedge\0portfolio\0noisy\0infill_minima\0joint\0gumbel\0infill_pending\0believer\0liar_min\0liar_mean\0liar_max\0\
    fantasies\0penalty\0temperatures\0joint_ei\0infill_incumbent\0observed\0mean\0infill_search_method\0auto\0\
    ascent\0smac\0typed\0evolution\0covariance\0random\0infill_strategy\0auto\0impute\0single\0whole\0baseline\0\
    infill_when_full\0refuse\0drop_worst\0infill_op\0sum\0product\0scale\0constant\0squared_exponential\0matern12\0\
    matern32\0matern52\0matern\0rational_quadratic\0gamma_exponential\0laplace\0periodic\0cosine\0linear\0\
    polynomial\0arc_sine\0hamming\0exchangeable\0branch\0active\0arc\0one_hot\0infill_role\0length\0variance\0\
    shape\0period\0weight\0bias\0correlation\0angle\0radius\0infill_prior\0log_normal\0uniform\0gamma\0horseshoe\0\
    infill_node_flag\0ard\0no_bias\0infill_statistic\0mean\0median\0quantile\0infill_power\0any\0low\0high\0\
    infill_api\0any\0vulkan\0gl\0metal\0dx12\0\
";

/// Where the name of a type begins, where that of a member, and its number.
#[rustfmt::skip]
pub(crate) static MEMBERS: [(u16, u16, i32); 214] = [
    (0, 18, 1), (0, 22, 2), (0, 27, 4), (0, 31, 8), (0, 35, 16), (39, 53, 0), (39, 56, -1), (39, 69, -2),
    (39, 82, -3), (39, 96, -4), (39, 110, -5), (39, 121, -6), (39, 141, -7), (39, 159, -8), (39, 176, -9),
    (39, 192, -10), (39, 204, -11), (39, 221, -12), (39, 234, -13), (39, 247, -14), (39, 263, -15), (39, 282, -16),
    (39, 295, -17), (39, 307, -18), (39, 335, -19), (39, 349, -20), (39, 362, -21), (39, 376, -22), (39, 394, -23),
    (39, 410, -24), (39, 423, -25), (39, 440, -26), (39, 453, -64), (39, 464, -65), (39, 480, -66), (39, 494, -67),
    (39, 511, -68), (39, 519, -69), (39, 525, -70), (530, 542, 1), (530, 547, 2), (530, 555, 3), (530, 563, 4),
    (575, 587, 1), (575, 594, 2), (575, 597, 3), (605, 619, 0), (605, 626, 1), (605, 632, 2), (605, 640, 3),
    (648, 662, 1), (648, 669, 2), (648, 675, 3), (648, 681, 4), (648, 690, 5), (648, 697, 6), (705, 718, 1),
    (705, 725, 2), (705, 730, 3), (705, 735, 4), (742, 756, 4), (742, 760, 8), (764, 783, 0), (764, 791, 1),
    (764, 807, 2), (764, 813, 3), (764, 820, 4), (825, 838, 0), (825, 846, 1), (825, 854, 2), (825, 859, 3),
    (825, 871, 4), (825, 880, 5), (825, 894, 6), (825, 906, 7), (825, 920, 8), (825, 927, 9), (825, 932, 10),
    (825, 938, 11), (825, 945, 12), (825, 952, 13), (825, 959, 14), (825, 965, 15), (974, 987, 0), (974, 992, 1),
    (974, 1001, 2), (974, 1008, 3), (1018, 1036, 0), (1018, 1040, 1), (1018, 1045, 2), (1056, 1071, 0),
    (1056, 1077, 1), (1056, 1088, 2), (1056, 1094, 3), (1056, 1103, 4), (1056, 1124, 5), (1140, 1162, 0),
    (1140, 1171, 1), (1185, 1199, 0), (1185, 1205, 1), (1212, 1224, 0), (1212, 1229, 1), (1212, 1241, 2),
    (1246, 1264, 0), (1246, 1272, 1), (1246, 1285, 2), (1246, 1293, 3), (1299, 1316, 0), (1299, 1324, 1),
    (1299, 1328, 2), (1333, 1349, 0), (1333, 1356, 1), (1362, 1379, 0), (1362, 1384, 1), (1362, 1393, 2),
    (1362, 1399, 3), (1362, 1404, 4), (1362, 1412, 5), (1424, 1443, 1), (1424, 1455, 2), (1424, 1467, 3),
    (1424, 1483, 4), (1424, 1489, 5), (1424, 1501, 6), (1424, 1509, 7), (1424, 1519, 8), (1525, 1540, 0),
    (1525, 1545, 1), (1525, 1557, 2), (1564, 1578, 0), (1564, 1585, 1), (1564, 1600, 2), (1564, 1619, 3),
    (1564, 1629, 4), (1564, 1638, 5), (1564, 1647, 6), (1564, 1657, 7), (1564, 1663, 8), (1564, 1673, 9),
    (1679, 1693, 0), (1679, 1699, 1), (1706, 1721, 0), (1706, 1730, 1), (1706, 1739, 2), (1706, 1749, 3),
    (1706, 1758, 4), (1706, 1768, 5), (1706, 1776, 6), (1706, 1789, 7), (1798, 1815, 0), (1798, 1824, 1),
    (1829, 1850, 0), (1829, 1855, 1), (1829, 1862, 2), (1829, 1867, 3), (1829, 1873, 4), (1829, 1883, 5),
    (1829, 1894, 6), (1901, 1917, 0), (1901, 1922, 1), (1901, 1929, 2), (1901, 1936, 3), (1901, 1942, 4),
    (1951, 1968, 0), (1951, 1975, 1), (1986, 1996, 1), (1986, 2000, 2), (1986, 2008, 3), (1986, 2014, 4),
    (1986, 2023, 16), (1986, 2043, 17), (1986, 2052, 18), (1986, 2061, 19), (1986, 2070, 20), (1986, 2077, 21),
    (1986, 2096, 22), (1986, 2114, 24), (1986, 2122, 25), (1986, 2131, 26), (1986, 2138, 32), (1986, 2145, 33),
    (1986, 2156, 34), (1986, 2165, 48), (1986, 2173, 49), (1986, 2186, 64), (1986, 2193, 65), (1986, 2200, 66),
    (1986, 2204, 67), (2212, 2224, 1), (2212, 2231, 2), (2212, 2240, 3), (2212, 2246, 4), (2212, 2253, 5),
    (2212, 2260, 6), (2212, 2265, 7), (2212, 2277, 8), (2212, 2283, 9), (2290, 2303, 0), (2290, 2314, 1),
    (2290, 2322, 2), (2290, 2328, 3), (2338, 2355, 1), (2338, 2359, 2), (2367, 2384, 0), (2367, 2389, 1),
    (2367, 2396, 2), (2405, 2418, 0), (2405, 2422, 1), (2405, 2426, 2), (2431, 2442, 0), (2431, 2446, 1),
    (2431, 2453, 2), (2431, 2456, 3), (2431, 2462, 4),
];
