/* Configurations: other versions, names and numbers of no choice, numbers out of range, choices that do not go together. */

#include "world.h"

/* Models, treatments, policies, batches: numbers that name none, that are out of range, that do not go together. */
static void chosen(void) {
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    const infill_config plain = w.config;
    SPACE_OR_CONFIG(uint32_t, w.config.model, 16, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.model, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.model_learn_freedom, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.forest_spread, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.forest_bootstrap, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.warp, 3, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.hyper, 3, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.sampler, 6, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.policy, 10, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.policy_minima, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.pending, 8, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.cooling, 3, INFILL_ERROR_CONFIG);
    /* Numbers of what was chosen. */
    w.config.model = INFILL_MODEL_STUDENT;
    SPACE_OR_CONFIG(double, w.config.model_freedom, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.model_freedom, NAN, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.hyper, INFILL_HYPER_MCMC, INFILL_ERROR_UNSUPPORTED);
    SPACE_OR_CONFIG(uint32_t, w.config.pending, INFILL_PENDING_FANTASIES, INFILL_ERROR_UNSUPPORTED);
    for (uint32_t model = INFILL_MODEL_RANDOM_FOREST; model <= INFILL_MODEL_BOOSTED_TREES; model++) {
        w.config.model = model;
        for (int i = 0; i < 3; i++) {
            SPACE_OR_CONFIG(double, w.config.forest_features, nan_or_inf[i], INFILL_ERROR_CONFIG);
            SPACE_OR_CONFIG(double, w.config.forest_floor, nan_or_inf[i], INFILL_ERROR_CONFIG);
        }
        SPACE_OR_CONFIG(double, w.config.forest_features, 1.5, INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(uint32_t, w.config.forest_leaf, UINT32_MAX, INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(uint32_t, w.config.forest_depth, UINT32_MAX, INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(uint32_t, w.config.warp, INFILL_WARP_BETA, INFILL_ERROR_UNSUPPORTED);
        SPACE_OR_CONFIG(uint32_t, w.config.pending, INFILL_PENDING_PENALTY, INFILL_ERROR_UNSUPPORTED);
        SPACE_OR_CONFIG(uint32_t, w.config.policy, INFILL_POLICY_SPECTRAL, INFILL_ERROR_UNSUPPORTED);
    }
    for (int i = 0; i < 3; i++) {
        SPACE_OR_CONFIG(double, w.config.forest_rate, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.forest_share, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.forest_low, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.forest_high, nan_or_inf[i], INFILL_ERROR_CONFIG);
    }
    SPACE_OR_CONFIG(double, w.config.forest_high, 0.1, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.trees, 2, INFILL_ERROR_LIMITS);
    w.config.model = INFILL_MODEL_PROCESS;
    w.config.hyper = INFILL_HYPER_MCMC;
    SPACE_OR_CONFIG(uint32_t, w.config.hyper_count, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.hyper_count, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.sampler_thin, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.sampler_shrink, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.sampler_width, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.sampler_width, NAN, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.posteriors, 1, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.posteriors, UINT32_MAX, INFILL_ERROR_LIMITS);
    w.config.hyper = INFILL_HYPER_MAP;
    w.config.warp = INFILL_WARP_KUMARASWAMY;
    SPACE_OR_CONFIG(uint32_t, w.config.trend, INFILL_TREND_LINEAR, INFILL_ERROR_UNSUPPORTED);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.warped, 1, INFILL_ERROR_LIMITS);
    w.config.warp = INFILL_WARP_NONE;
    for (uint32_t policy = INFILL_POLICY_ENTROPY_SEARCH; policy <= INFILL_POLICY_PORTFOLIO; policy++) {
        w.config.policy = policy;
        if (policy != INFILL_POLICY_SPECTRAL && policy != INFILL_POLICY_HEDGE) {
            SPACE_OR_CONFIG(uint32_t, w.config.policy_representers, UINT32_MAX, INFILL_ERROR_CONFIG);
            SPACE_OR_CONFIG(uint32_t, w.config.limits.anchors, 1, INFILL_ERROR_LIMITS);
            SPACE_OR_CONFIG(uint32_t, w.config.limits.work, 1, INFILL_ERROR_LIMITS);
        }
        SPACE_OR_CONFIG(uint32_t, w.config.limits.anchors, UINT32_MAX, INFILL_ERROR_LIMITS);
        SPACE_OR_CONFIG(uint32_t, w.config.limits.work, UINT32_MAX, INFILL_ERROR_LIMITS);
        SPACE_OR_CONFIG(uint32_t, w.config.pending, INFILL_PENDING_FANTASIES, INFILL_ERROR_UNSUPPORTED);
    }
    w.config.policy = INFILL_POLICY_PORTFOLIO;
    SPACE_OR_CONFIG(uint32_t, w.config.policy_draws, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.policy_fantasies, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.members, 1, INFILL_ERROR_LIMITS);
    w.config.policy = INFILL_POLICY_SPECTRAL;
    SPACE_OR_CONFIG(uint32_t, w.config.policy_features, UINT32_MAX, INFILL_ERROR_CONFIG);
    w.config.policy = INFILL_POLICY_CLOSED;
    for (uint32_t batch = INFILL_PENDING_FANTASIES; batch <= INFILL_PENDING_JOINT_EI; batch += 3) {
        w.config.pending = batch;
        SPACE_OR_CONFIG(uint32_t, w.config.pending_draws, 0, INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(uint32_t, w.config.pending_draws, UINT32_MAX, INFILL_ERROR_CONFIG);
    }
    SPACE_OR_CONFIG(uint32_t, w.config.acquisition, INFILL_ACQUISITION_BOUND, INFILL_ERROR_UNSUPPORTED);
    w.config.pending = INFILL_PENDING_TEMPERATURES;
    SPACE_OR_CONFIG(uint32_t, w.config.start, 4, INFILL_ERROR_UNSUPPORTED);
    w.config.pending = INFILL_PENDING_BELIEVER;
    w.config.cooling = INFILL_COOLING_LINEAR;
    SPACE_OR_CONFIG(uint32_t, w.config.start, 4, INFILL_ERROR_UNSUPPORTED);
    w.config.acquisition = INFILL_ACQUISITION_LOG_MGF;
    SPACE_OR_CONFIG(double, w.config.cooling_from, 0.01, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.cooling_to, 0, INFILL_ERROR_CONFIG);
    for (int i = 0; i < 3; i++) {
        SPACE_OR_CONFIG(double, w.config.cooling_from, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.cooling_to, nan_or_inf[i], INFILL_ERROR_CONFIG);
    }
    w.config = plain;
    /* Limits that the choices make. */
    SPACE_OR_CONFIG(uint32_t, w.config.limits.exact, TRIALS - 1, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.exact, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.features, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.trees, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.tree_nodes, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.members, UINT32_MAX, INFILL_ERROR_LIMITS);
}

static void defaults(void) {
    static char endless[512];
    const char *const names[] = {"", "Default", "default ", "defaul", "\xff\xfe", endless};
    infill_config *filled = &w.out.config;
    memset(endless, 'a', sizeof endless - 1);
    POINTER(filled, infill_config_default(filled, sizeof *filled));
    REFUSE(INFILL_ERROR_VERSION, infill_config_default(filled, sizeof *filled + 8));
    REFUSE(INFILL_ERROR_VERSION, infill_config_default(filled, sizeof *filled - 8));
    REFUSE(INFILL_ERROR_VERSION, infill_config_default(filled, 0));
    POINTER(filled, infill_config_preset(filled, sizeof *filled, "default"));
    REFUSE(INFILL_ERROR_VERSION, infill_config_preset(filled, sizeof *filled + 8, "default"));
    REFUSE(INFILL_ERROR_VERSION, infill_config_preset(filled, sizeof *filled - 8, "default"));
    REFUSE(INFILL_ERROR_NULL, infill_config_preset(filled, sizeof *filled, NULL));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        REFUSE(INFILL_ERROR_CONFIG, infill_config_preset(filled, sizeof *filled, names[i]));
    }
    CHECK(infill_preset_name(UINT32_MAX) == NULL);
    uint32_t *number = &w.out.config.scalar;
    POINTER(number, infill_choice_number("infill_model", "grid", number));
    REFUSE(INFILL_ERROR_NULL, infill_choice_number(NULL, "grid", number));
    REFUSE(INFILL_ERROR_NULL, infill_choice_number("infill_model", NULL, number));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        REFUSE(INFILL_ERROR_CONFIG, infill_choice_number("infill_model", names[i], number));
        REFUSE(INFILL_ERROR_CONFIG, infill_choice_number(names[i], "grid", number));
        CHECK(infill_choice_name(names[i], 0) == NULL);
    }
    CHECK(infill_choice_name(NULL, 0) == NULL && infill_choice_name("infill_model", UINT32_MAX) == NULL);
}

static void configured(void) {
    void *mem = w.spare;
    infill_space *space = &w.space;
    infill_config *config = &w.config;
    infill_opt **out = &w.out.opt;
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    SPACE_OR_CONFIG(size_t, w.config.size, sizeof w.config + 8, INFILL_ERROR_VERSION);
    SPACE_OR_CONFIG(size_t, w.config.size, sizeof w.config - 8, INFILL_ERROR_VERSION);
    SPACE_OR_CONFIG(size_t, w.config.size, SIZE_MAX, INFILL_ERROR_VERSION);
    /* Numbers that name no choice. */
    SPACE_OR_CONFIG(uint32_t, w.config.scalar, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.scalar, 5, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.scalar, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.design, 5, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.trend, 4, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.targets, 6, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.acquisition, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.acquisition, 9, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.incumbent, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.training_objective, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.repeats, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.when_full, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.names, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.values, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.branch_trials, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.strategy, 5, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.strategy_own_minimum, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.transfer_start, 6, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.transfer_how, 8, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.transfer_trials, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.transfer_keep, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.sources, UINT32_MAX, INFILL_ERROR_LIMITS);
    /* Numbers out of their range. */
    for (int i = 0; i < 3; i++) {
        SPACE_OR_CONFIG(double, w.config.acquisition_parameter, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.delta, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.transfer_keep, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.noise_variance, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.noise_lo, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.noise_hi, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.noise_sd, nan_or_inf[i], INFILL_ERROR_CONFIG);
        if (nan_or_inf[i] != INFINITY) {
            SPACE_OR_CONFIG(double, w.config.interleave_beta, nan_or_inf[i], INFILL_ERROR_CONFIG);
        }
        SPACE_OR_CONFIG(double, w.config.refit_growth, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.refit_afresh, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.training_tolerance, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.training_reach, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.polish_tolerance, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.polish_reach, nan_or_inf[i], INFILL_ERROR_CONFIG);
    }
    SPACE_OR_CONFIG(double, w.config.noise_sd, 1e-25, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.noise_lo, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.noise_hi, w.config.noise_lo / 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.delta, 1, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.search_global, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.training_evaluations, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.training_restarts, UINT32_MAX, INFILL_ERROR_CONFIG);
    /* Limits. */
    SPACE_OR_CONFIG(uint32_t, w.config.limits.trials, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.candidates, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.starts, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.dims, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.thetas, UINT32_MAX, INFILL_ERROR_LIMITS);
    /* A limit smaller than what it has to hold. */
    WITH(uint32_t, w.config.limits.dims, 1, INFILL_ERROR_DIMENSIONS,
         infill_init(mem, sizeof w.spare, space, config, out));
    w.config.kernel = &w.kernel;
    WITH(uint32_t, w.config.limits.nodes, 1, INFILL_ERROR_LIMITS, infill_init(mem, sizeof w.spare, space, config, out));
    WITH(uint32_t, w.config.limits.thetas, 1, INFILL_ERROR_LIMITS,
         infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(w.config.kernel, (w.config.kernel == NULL ? INFILL_ERROR_NULL
                                                      : infill_init(mem, sizeof w.spare, space, config, out)));
    POINTER(w.kernel.nodes, infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(w.nodes[1].hypers, infill_init(mem, sizeof w.spare, space, config, out));
    WITH(double, w.hypers[0].value, NAN, INFILL_ERROR_THETA, infill_init(mem, sizeof w.spare, space, config, out));
    /* A prior of which the precision is no number of the scalar. */
    WITH(double, w.hypers[0].prior_sd, 1e-25, INFILL_ERROR_THETA, infill_init(mem, sizeof w.spare, space, config, out));
    w.config.kernel = NULL;
    w.config.trend = INFILL_TREND_LINEAR;
    WITH(uint32_t, w.config.limits.columns, 1, INFILL_ERROR_LIMITS,
         infill_init(mem, sizeof w.spare, space, config, out));
    w.config.trend = INFILL_TREND_CONSTANT;
}

static void work(void) {
    defaults();
    configured();
    chosen();
}

int main(void) { return in_both_scalars("bad/config", work); }
