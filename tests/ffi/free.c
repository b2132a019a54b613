/*
 * Every method without a model, in a space of reals, whole numbers and labels with a condition: proposals are in range and no
 * point comes twice, answers come late, fail or get lost, a block that was saved goes on with the same bits; there is nothing to
 * predict, and the best is recommended. A mesh ends. Settings that make no sense are refused.
 */

#include "check.h"

#define DIMS 4
#define ASKS 40

static double value_at(const double *x) {
    double sum = (x[0] - 0.3) * (x[0] - 0.3) + (x[1] - 7) * (x[1] - 7) / 50 + x[2];
    return x[2] == 1 ? sum + (x[3] - 0.1) * (x[3] - 0.1) : sum;
}

static void run(const infill_config *config, const infill_space *space) {
    double x[ASKS][DIMS], y[DIMS], best, mean, variance;
    infill_trial waiting[3];
    size_t bytes = infill_size(space, config);
    int open = 0;
    CHECK(bytes > 0);
    uint64_t *mem = (uint64_t *)calloc(bytes / 8 + 1, 8), *copy = (uint64_t *)calloc(bytes / 8 + 1, 8);
    infill_opt *opt = NULL, *again = NULL;
    OK(infill_init(mem, bytes, space, config, &opt));
    for (int i = 0; opt != NULL && i < ASKS; i++) {
        infill_proposal proposal, same;
        if (i % 10 == 9) {
            memcpy(copy, mem, bytes);
            OK(infill_attach(copy, bytes, NULL, &again));
            OK(infill_ask_with(again, NULL, y, DIMS, &same));
        }
        OK(infill_ask_with(opt, NULL, x[i], DIMS, &proposal));
        if (i % 10 == 9) {
            CHECK(same.trial == proposal.trial && same.origin == proposal.origin && same_bits(x[i], y, sizeof y));
        }
        CHECK(x[i][0] >= 0 && x[i][0] <= 1);
        CHECK(x[i][1] >= 1 && x[i][1] <= 64 && floor(x[i][1]) == x[i][1]);
        CHECK(x[i][2] == 0 || x[i][2] == 1 || x[i][2] == 2);
        CHECK(x[i][3] >= 1e-3 && x[i][3] <= 1);
        for (int j = 0; j < i; j++) {
            CHECK(!same_bits(x[i], x[j], sizeof y));
        }
        waiting[open++] = proposal.trial;
        if (open == 3) {
            /* The first of them is lost or fails now and then; the others are told the last first. */
            OK(infill_tell(opt, waiting[2], value_at(x[i])));
            OK(infill_tell(opt, waiting[1], value_at(x[i - 1])));
            OK(i % 4 == 0 ? infill_fail(opt, waiting[0]) : infill_tell(opt, waiting[0], value_at(x[i - 2])));
            open = 0;
        }
    }
    OK(infill_best(opt, y, DIMS, &best));
    OK(infill_recommend(opt, x[0], DIMS, &mean, &variance));
    CHECK(mean == best && variance == 0 && same_bits(x[0], y, sizeof y));
    STATUS(INFILL_ERROR_UNSUPPORTED, infill_predict(opt, y, DIMS, &mean, &variance));
    free(mem);
    free(copy);
}

int main(void) {
    static const infill_param params[DIMS] = {
        INFILL_REAL(0, 1), INFILL_INTEGER_LOG(1, 64), INFILL_CATEGORICAL(3), INFILL_REAL_LOG(1e-3, 1),
    };
    static const infill_condition conditions[] = {INFILL_IF_EQUALS(3, 2, 1)};
    const infill_space space = INFILL_SPACE_IF(params, DIMS, conditions, 1);
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    for (int s = 0; s < 2; s++) {
        for (uint32_t model = INFILL_MODEL_RANDOM; model <= INFILL_MODEL_MI_ES; model++) {
            infill_config config = small_config(scalars[s]);
            config.model = model;
            config.limits.trials = ASKS + 2;
            run(&config, &space);
            /* Settings of one's own. */
            config.grid_levels = 5;
            config.parzen_candidates = 7;
            config.parzen_most = 4;
            config.parzen_liar = 0;
            config.parzen_share = 0.3;
            config.parzen_prior = 0.5;
            config.anneal_heat = 2;
            config.anneal_cooling = 0.9;
            config.anneal_reach = 0.1;
            config.evolve_parents = 2;
            config.evolve_offspring = 6;
            run(&config, &space);
        }
    }

    /* Two levels of a real and three labels, of which one has two levels more: 2 · (2 + 2) points. */
    static const infill_param few[] = {INFILL_REAL(0, 1), INFILL_CATEGORICAL(3), INFILL_REAL(0, 1)};
    static const infill_condition one[] = {INFILL_IF_EQUALS(2, 1, 1)};
    const infill_space mesh = INFILL_SPACE_IF(few, 3, one, 1);
    infill_config config = small_config(INFILL_F64);
    infill_opt *opt = NULL;
    infill_proposal proposal;
    static uint64_t mem[1 << 14];
    double x[3];
    config.model = INFILL_MODEL_GRID;
    config.grid_levels = 2;
    OK(infill_init(mem, sizeof mem, &mesh, &config, &opt));
    for (int i = 0; i < 8; i++) {
        OK(infill_ask_with(opt, NULL, x, 3, &proposal));
        CHECK(proposal.origin == INFILL_ORIGIN_DESIGN);
        OK(infill_tell(opt, proposal.trial, x[0]));
    }
    STATUS(INFILL_ERROR_EXHAUSTED, infill_ask_with(opt, NULL, x, 3, &proposal));

    config.model = 1000;
    STATUS(INFILL_ERROR_CONFIG, infill_init(mem, sizeof mem, &mesh, &config, &opt));
    config.model = INFILL_MODEL_PARZEN;
    config.parzen_liar = 2;
    STATUS(INFILL_ERROR_CONFIG, infill_init(mem, sizeof mem, &mesh, &config, &opt));
    config.parzen_liar = 1;
    config.parzen_share = 2;
    STATUS(INFILL_ERROR_CONFIG, infill_init(mem, sizeof mem, &mesh, &config, &opt));
    config.parzen_share = 0;
    config.policy = INFILL_POLICY_THOMPSON;
    STATUS(INFILL_ERROR_UNSUPPORTED, infill_init(mem, sizeof mem, &mesh, &config, &opt));
    config.policy = INFILL_POLICY_CLOSED;
    config.model = INFILL_MODEL_MI_ES;
    config.evolve_parents = 9;
    config.evolve_offspring = 8;
    STATUS(INFILL_ERROR_CONFIG, infill_init(mem, sizeof mem, &mesh, &config, &opt));
    config.evolve_offspring = UINT32_MAX;
    CHECK(infill_size(&mesh, &config) == 0);
    config.model = INFILL_MODEL_ANNEAL;
    config.anneal_cooling = NAN;
    STATUS(INFILL_ERROR_CONFIG, infill_init(mem, sizeof mem, &mesh, &config, &opt));
    return report("free");
}
