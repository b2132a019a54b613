/*
 * Every way to search for the best candidate, in a space of reals, whole numbers and labels with a condition: proposals of
 * the model are in range, what does not matter is canonical, the same seed gives the same bits; numbers that name no way
 * are refused.
 */

#include "check.h"

#define DIMS 4
#define ASKS 12

static double value_at(const double *x) {
    double sum = (x[0] - 0.3) * (x[0] - 0.3) + (x[1] - 7) * (x[1] - 7) / 50 + x[2];
    return x[2] == 1 ? sum + (x[3] - 0.1) * (x[3] - 0.1) : sum;
}

/* Asks and tells; gives how many proposals came from the model. */
static int run(const infill_config *config, const infill_space *space, double *last) {
    size_t bytes = infill_size(space, config);
    int by_model = 0;
    CHECK(bytes > 0);
    uint64_t *mem = (uint64_t *)calloc(bytes / 8 + 1, 8);
    infill_opt *opt = NULL;
    OK(infill_init(mem, bytes, space, config, &opt));
    for (int i = 0; opt != NULL && i < ASKS; i++) {
        infill_proposal proposal;
        OK(infill_ask_with(opt, NULL, last, DIMS, &proposal));
        by_model += proposal.origin == INFILL_ORIGIN_MODEL;
        CHECK(last[0] >= 0 && last[0] <= 1);
        CHECK(last[1] >= 1 && last[1] <= 64 && floor(last[1]) == last[1]);
        CHECK(last[2] == 0 || last[2] == 1 || last[2] == 2);
        CHECK(last[3] >= 1e-3 && last[3] <= 1);
        if (last[2] != 1) {
            CLOSE(0.0316227766, last[3], 1e-6);
        }
        OK(infill_tell(opt, proposal.trial, value_at(last)));
    }
    free(mem);
    return by_model;
}

int main(void) {
    static const infill_param params[DIMS] = {
        INFILL_REAL(0, 1), INFILL_INTEGER_LOG(1, 64), INFILL_CATEGORICAL(3), INFILL_REAL_LOG(1e-3, 1),
    };
    static const infill_condition conditions[] = {INFILL_IF_EQUALS(3, 2, 1)};
    const infill_space space = INFILL_SPACE_IF(params, DIMS, conditions, 1);
    static const uint32_t models[] = {INFILL_MODEL_PROCESS, INFILL_MODEL_RANDOM_FOREST};
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    for (int m = 0; m < 4; m++) {
        for (uint32_t method = INFILL_SEARCH_AUTO; method <= INFILL_SEARCH_RANDOM; method++) {
            infill_config config = small_config(scalars[m % 2]);
            double x[DIMS], y[DIMS];
            config.limits.trees = models[m / 2] == INFILL_MODEL_RANDOM_FOREST ? 6 : 0;
            config.model = models[m / 2];
            config.interleave_every = 0;
            config.search_method = method;
            CHECK(run(&config, &space, x) >= ASKS - 4);
            CHECK(run(&config, &space, y) >= ASKS - 4);
            CHECK(same_bits(x, y, sizeof x));
            /* What is usual for it. */
            if (method == INFILL_SEARCH_TYPED || method == INFILL_SEARCH_RANDOM) {
                config.search_global = config.search_starts = config.search_rounds = 0;
                CHECK(run(&config, &space, x) >= ASKS - 4);
            }
        }
    }
    infill_config config = small_config(INFILL_F64);
    infill_opt *opt = NULL;
    static uint64_t mem[1 << 14];
    config.search_method = INFILL_SEARCH_RANDOM + 1;
    CHECK(infill_size(&space, &config) == 0);
    STATUS(INFILL_ERROR_CONFIG, infill_init(mem, sizeof mem, &space, &config, &opt));
    config.search_method = INFILL_SEARCH_AUTO;
    config.reserved = 1;
    CHECK(infill_size(&space, &config) == 0);
    STATUS(INFILL_ERROR_CONFIG, infill_init(mem, sizeof mem, &space, &config, &opt));
    config.reserved = 0;
    config.search_global = 0;
    STATUS(INFILL_ERROR_CONFIG, infill_init(mem, sizeof mem, &space, &config, &opt));
    CHECK(opt == NULL);
    return report("search");
}
