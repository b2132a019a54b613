/* The defaults are a configuration that is accepted, and say what the header says of them. choices.c tries every choice. */

#include "good.h"

static void defaults(void) {
    infill_param params[] = {INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 1);
    infill_config config;
    memset(&config, 0xA5, sizeof config);
    OK(infill_config_default(&config, sizeof config));
    CHECK(config.size == sizeof config && config.kernel == NULL && config.seed == 0);
    CHECK(config.scalar == INFILL_F64 && config.limits.trials == 100 && config.design == INFILL_DESIGN_SOBOL);
    CHECK(config.trend == INFILL_TREND_CONSTANT && config.targets == INFILL_TRANSFORM_POWER);
    CHECK(config.acquisition == INFILL_ACQUISITION_LOG_IMPROVEMENT && config.incumbent == INFILL_INCUMBENT_OBSERVED);
    CHECK(config.training_objective == INFILL_OBJECTIVE_EVIDENCE && config.when_full == INFILL_FULL_REFUSE);
    CHECK(config.model == INFILL_MODEL_PROCESS && config.hyper == INFILL_HYPER_MAP);
    CHECK(config.warp == INFILL_WARP_NONE && config.policy == INFILL_POLICY_CLOSED);
    CHECK(config.pending == INFILL_PENDING_BELIEVER && config.cooling == INFILL_COOLING_NONE);
    CHECK(config.sampler == INFILL_SAMPLER_SLICE && config.forest_spread == INFILL_SPREAD_TOTAL);
    CHECK(infill_size(&space, &config) == 8 * INFILL_WORDS(1, 100, INFILL_F64));
    /* By name; choices.c runs them all. */
    CHECK(strcmp(infill_preset_name(0), "default") == 0);
    OK(infill_config_preset(&config, sizeof config, "spearmint"));
    CHECK(config.hyper == INFILL_HYPER_MCMC && config.hyper_count == 10);
    CHECK(config.pending == INFILL_PENDING_FANTASIES && config.size == sizeof config);
}

int main(void) {
    defaults();
    return report("good/config");
}
