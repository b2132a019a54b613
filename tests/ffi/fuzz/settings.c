/* Configurations and kernels, mostly good ones. */
#include "fuzz.h"

/* Little work for each proposal: many calls are worth more than good proposals. */
static void small(infill_config *config)
{
    config->start = (uint32_t)below(5);
    config->limits.trials = 3 + (uint32_t)below(20);
    config->limits.open = 1 + (uint32_t)below(6);
    config->limits.features = 2 + (uint32_t)below(6);
    config->limits.trees = 3 + (uint32_t)below(6);
    config->search_global = 8 + (uint32_t)below(16);
    config->search_local = (uint32_t)below(8);
    config->search_starts = 1 + (uint32_t)below(2);
    config->search_rounds = 1;
    config->polish_evaluations = 1 + (uint32_t)below(5);
    config->training_restarts = (uint32_t)below(2);
    config->training_draws = 2;
    config->training_evaluations = 1 + (uint32_t)below(5);
    config->refit_evaluations = 3;
    config->hyper_count = 2;
    config->sampler_burn_in = 1;
    config->sampler_out = 4;
    config->sampler_shrink = 6;
    config->sampler_latent = 1;
    config->policy_representers = 4 + (uint32_t)below(6);
    config->policy_draws = 8;
    config->policy_fantasies = 3;
    config->policy_features = 8;
    config->pending_draws = 4;
    config->cooling_steps = 5;
}

void draw_config(infill_config *config, uint32_t scalar)
{
    static const double parameters[] = {0, 0.01, 0.01, 0, 1.5, 2, 1, 0, 0.1};
    infill_config_default(config, sizeof *config);
    small(config);
    config->scalar = scalar;
    config->seed = bits();
    if (chance(70)) config->model = (uint32_t)below(INFILL_MODEL_MONDRIAN + 1);
    if (chance(20)) config->hyper = (uint32_t)below(3);
    if (chance(20)) config->warp = (uint32_t)below(3);
    if (chance(40)) config->policy = (uint32_t)below(INFILL_POLICY_NOISY + 1);
    if (chance(40)) config->pending = (uint32_t)below(INFILL_PENDING_JOINT_EI + 1);
    if (chance(40)) config->acquisition = 1 + (uint32_t)below(INFILL_ACQUISITION_NOISY);
    if (config->pending == INFILL_PENDING_TEMPERATURES) config->acquisition = INFILL_ACQUISITION_LOG_MGF;
    config->acquisition_parameter = parameters[config->acquisition];
    if (chance(20)) config->cooling = (uint32_t)below(3);
    if (chance(30)) config->trend = (uint32_t)below(4);
    if (chance(40)) config->targets = (uint32_t)below(6);
    if (chance(40)) config->search_method = (uint32_t)below(INFILL_SEARCH_RANDOM + 1);
    config->sampler = (uint32_t)below(INFILL_SAMPLER_SURROGATE_SLICE + 1);
    config->design = (uint32_t)below(5);
    config->incumbent = (uint32_t)below(2);
    config->training_objective = (uint32_t)below(2);
    config->policy_minima = (uint32_t)below(2);
    config->forest_spread = (uint32_t)below(2);
    config->repeats = chance(15);
    config->when_full = chance(30);
    config->categories = (uint32_t)below(4);
    config->structure = (uint32_t)below(3);
    if (chance(20)) config->branches = 1;
    if (chance(20)) config->interleave_every = (uint32_t)below(4);
    if (chance(20)) config->refit_growth = 0;
    if (chance(10)) config->grid_levels = 2 + (uint32_t)below(3);
    if (chance(40)) {
        config->limits.sources = 1;
        config->transfer_start = (uint32_t)below(INFILL_START_ADAPTIVE + 1);
        config->transfer_trials = (uint32_t)below(4);
        config->transfer_weights = (uint32_t)below(2);
        if (chance(50)) config->transfer_how = (uint32_t)below(INFILL_HOW_PRIOR + 1);
        if (chance(20)) config->transfer_keep = between(0, 1);
    }
    if (chance(5)) config->noise_variance = any_number();
    if (chance(5)) config->acquisition_parameter = any_number();
    if (chance(3)) config->training_tolerance = any_number();
    if (chance(3)) config->polish_reach = any_number();
    if (chance(3)) config->scalar = (uint32_t)below(10);
    if (chance(3)) config->limits.starts = 1 + (uint32_t)below(3);
    if (chance(3)) config->size = below(2 * sizeof *config);
    if (chance(3)) config->limits.trials = chance(50) ? UINT32_MAX : 1;
    if (chance(3)) config->limits.dims = (uint32_t)below(7);
    if (chance(3)) config->limits.names = (uint32_t)below(64);
    if (chance(3)) config->model = (uint32_t)below(40);
    if (chance(3)) config->policy_representers = (uint32_t)below(3);
    if (chance(3)) config->evolve_offspring = (uint32_t)bits();
}

void trace_config(const infill_config *c)
{
    trace("    scalar %u, model %u, policy %u, batch %u, treatment %u, warp %u, acquisition %u (%g), search %u, trend %u, transform %u, "
          "repeats %u, when full %u, start %u, trials %u, open %u, features %u\n",
          c->scalar, c->model, c->policy, c->pending, c->hyper, c->warp, c->acquisition, c->acquisition_parameter,
          c->search_method, c->trend, c->targets, c->repeats, c->when_full, c->start, c->limits.trials, c->limits.open,
          c->limits.features);
}

void draw_kernel(infill_kernel *kernel, size_t dims)
{
    static const uint32_t leaves[] = {
        INFILL_OP_SQUARED_EXPONENTIAL, INFILL_OP_MATERN12, INFILL_OP_MATERN32, INFILL_OP_MATERN52, INFILL_OP_MATERN,
        INFILL_OP_RATIONAL_QUADRATIC, INFILL_OP_GAMMA_EXPONENTIAL, INFILL_OP_LAPLACE, INFILL_OP_PERIODIC, INFILL_OP_COSINE,
        INFILL_OP_LINEAR, INFILL_OP_POLYNOMIAL, INFILL_OP_ARC_SINE, INFILL_OP_HAMMING, INFILL_OP_EXCHANGEABLE,
        INFILL_OP_BRANCH, INFILL_OP_ACTIVE, INFILL_OP_CONSTANT, INFILL_OP_ARC,
    };
    infill_node *nodes = take(8 * sizeof *nodes);
    size_t count = 0, depth = 0;
    do {
        infill_node *node = &nodes[count++];
        if (depth >= 2 && chance(60)) {
            node->op = chance(50) ? INFILL_OP_SUM : INFILL_OP_PRODUCT;
            depth--;
        } else if (depth >= 1 && chance(20)) {
            node->op = INFILL_OP_SCALE;
        } else {
            node->op = leaves[below(COUNT(leaves))];
            node->flags = chance(30) ? INFILL_NODE_ARD : 0;
            if (node->op == INFILL_OP_POLYNOMIAL) node->degree = 1 + (uint32_t)below(4);
            if (node->op == INFILL_OP_ARC) node->degree = (uint32_t)(INFILL_OP_SQUARED_EXPONENTIAL + below(4));
            if (chance(30)) {
                node->first = (uint32_t)below(dims);
                node->count = 1 + below(dims - node->first);
            }
            depth++;
        }
    } while (count < 5 && chance(60));
    while (depth > 1 && count < 8) {
        nodes[count++].op = chance(50) ? INFILL_OP_SUM : INFILL_OP_PRODUCT;
        depth--;
    }
    if (chance(4)) nodes[below(count)].op = (uint32_t)below(70);
    if (chance(3)) nodes[below(count)].first = (uint32_t)bits();
    if (chance(3)) nodes[below(count)].degree = (uint32_t)below(300);
    if (chance(3)) nodes[below(count)].flags = (uint32_t)below(8);
    kernel->nodes = nodes;
    kernel->count = count;
}
