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

/* The names of choices, both ways. */
static void names(void) {
    static const char *const sets[] = {"infill_kind", "infill_acquisition", "infill_op", "infill_api", "infill_scalar"};
    uint32_t number = 0;
    CHECK(strcmp(infill_choice_name("infill_model", INFILL_MODEL_CMA_ES), "cma_es") == 0);
    CHECK(strcmp(infill_choice_name("infill_status", (uint32_t)INFILL_ERROR_FULL), "error_full") == 0);
    OK(infill_choice_number("infill_acquisition", "log_improvement", &number));
    CHECK(number == INFILL_ACQUISITION_LOG_IMPROVEMENT);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        unsigned found = 0;
        for (uint32_t code = 0; code < 100; code++) {
            const char *name = infill_choice_name(sets[i], code);
            if (name == NULL) continue;
            found++;
            OK(infill_choice_number(sets[i], name, &number));
            CHECK(number == code);
        }
        CHECK(found >= 2);
    }
}

int main(void) {
    defaults();
    names();
    return report("good/config");
}
