/* Spaces: what is proposed belongs to them, whatever the kinds of their parameters and the scalar inside. */

#include "good.h"

/* Bounds that no float has exactly belong to the space all the same, and so does what comes back. */
static void bounds(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0.1, 0.3), INFILL_REAL_LOG(0.1, 0.7), INFILL_REAL(-0.3, -0.1)};
    infill_space space = INFILL_SPACE(params, 3);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    infill_trial trial = 0;
    double x[3], value = NAN;
    const double low[3] = {0.1, 0.1, -0.3}, high[3] = {0.3, 0.7, -0.1}, out[3] = {0.1 - 1e-3, 0.2, -0.2};
    OK(infill_new(&space, &config, &opt));
    OK(infill_enqueue(opt, low, 3, &trial));
    OK(infill_enqueue(opt, high, 3, &trial));
    OK(infill_observe(opt, low, 3, 1.0, &trial));
    OK(infill_observe(opt, high, 3, 2.0, &trial));
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, out, 3, &trial));
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_observe(opt, out, 3, 1.0, &trial));
    OK(infill_ask(opt, x, 3, &trial));
    for (size_t i = 0; i < 3; i++) {
        CHECK(x[i] == (scalar == INFILL_F32 ? (double)(float)low[i] : low[i]));
    }
    OK(infill_best(opt, x, 3, &value));
    OK(infill_observe(opt, x, 3, 1.5, &trial));
    infill_free(opt);
}

/* Every kind of parameter, with conditions: proposals are exact values of their kind. */
static void mixed(uint32_t scalar) {
    static const double levels[] = {16, 32, 64}, some[] = {0, 2};
    infill_param params[] = {INFILL_CATEGORICAL(3), INFILL_INTEGER_LOG(8, 512), INFILL_ORDINAL(levels, 3),
                             INFILL_REAL(0, 0.5), INFILL_REAL_LOG(0.001, 1)};
    infill_condition conditions[] = {INFILL_IF_EQUALS(3, 0, 2), INFILL_IF_IN(2, 0, some, 2),
                                     INFILL_IF_BETWEEN(4, 1, 8, 64)};
    infill_space space = INFILL_SPACE_IF(params, 5, conditions, 3);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    infill_trial trial = 0;
    double x[5];
    CHECK(infill_space_fault(&space) == -1);
    static const double parameters[8] = {0.01, 0.01, 0.01, 1.5, 3, 1, 0, 0.1};
    for (int rule = 0; rule < 8; rule++) {
        config.acquisition = INFILL_ACQUISITION_PROBABILITY + (uint32_t)rule;
        config.acquisition_parameter = parameters[rule];
        config.targets = (uint32_t)rule % 4;
        config.incumbent = (uint32_t)rule & 1;
        config.trend = (uint32_t)rule & 1;
        config.design = (uint32_t)rule % 4 + 1;
        OK(infill_new(&space, &config, &opt));
        for (int i = 0; i < 6; i++) {
            OK(infill_ask(opt, x, 5, &trial));
            CHECK(x[0] == 0 || x[0] == 1 || x[0] == 2);
            CHECK(x[1] >= 8 && x[1] <= 512 && x[1] == floor(x[1]));
            CHECK(x[2] == 16 || x[2] == 32 || x[2] == 64);
            CHECK(x[3] >= 0 && x[3] <= 0.5);
            /* In single precision a bound is the nearest float. */
            CHECK(x[4] >= 0.001 * (1 - 1e-7) && x[4] <= 1);
            OK(infill_tell(opt, trial, x[0] + log(x[1]) + (x[0] == 2 ? x[3] : 0)));
        }
        infill_free(opt);
    }
    /* A finite space comes to its end, a full block drops its worst trial. */
    {
        infill_param two[] = {INFILL_CATEGORICAL(2), INFILL_INTEGER(0, 1)};
        infill_space finite = INFILL_SPACE(two, 2);
        config = small_config(scalar);
        OK(infill_new(&finite, &config, &opt));
        for (int i = 0; i < 4; i++) {
            OK(infill_ask(opt, x, 2, &trial));
            OK(infill_tell(opt, trial, x[0] + x[1]));
        }
        STATUS(INFILL_ERROR_EXHAUSTED, infill_ask(opt, x, 2, &trial));
        infill_free(opt);
        config.repeats = 1;
        config.when_full = INFILL_FULL_DROP_WORST;
        config.limits.trials = 3;
        OK(infill_new(&finite, &config, &opt));
        for (int i = 0; i < 6; i++) {
            OK(infill_ask(opt, x, 2, &trial));
            OK(infill_tell(opt, trial, x[0] + x[1]));
        }
        CHECK(infill_count(opt) == 3);
        infill_free(opt);
    }
}

int main(void) {
    in_both_scalars(bounds);
    in_both_scalars(mixed);
    return report("good/space");
}
