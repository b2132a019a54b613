/* A model for each value of a category, by every strategy, through the functions of any optimizer. */

#include "check.h"

#define DIMS 4

/* One of three: a real and a real below it, a whole number, nothing. */
static const infill_param params[DIMS] = {
    INFILL_CATEGORICAL(3),
    INFILL_REAL(0, 1),
    INFILL_INTEGER(1, 9),
    INFILL_REAL_LOG(1e-3, 10),
};
static const infill_condition conditions[] = {
    INFILL_IF_EQUALS(1, 0, 0),
    INFILL_IF_EQUALS(2, 0, 1),
    INFILL_IF_EQUALS(3, 0, 0),
};
static const infill_space space = INFILL_SPACE_IF(params, DIMS, conditions, 3);

static double value_at(const double *x) {
    if (x[0] == 0) {
        return 0.5 + (x[1] - 0.3) * (x[1] - 0.3) + 0.01 * x[3];
    }
    return x[0] == 1 ? (x[2] - 7) * (x[2] - 7) / 10 : 3;
}

static infill_config config_of(uint32_t scalar, uint32_t strategy) {
    infill_config config = small_config(scalar);
    config.limits.trials = 40;
    config.strategy = strategy;
    config.start = config.strategy_start = 3;
    config.strategy_budget = strategy == INFILL_STRATEGY_BASELINE ? 30 : 0;
    return config;
}

static void run(uint32_t scalar, uint32_t strategy) {
    infill_config config = config_of(scalar, strategy);
    infill_limits limits;
    infill_opt *opt = NULL, *again = NULL, *larger = NULL;
    infill_proposal proposal;
    infill_record record;
    infill_trial trial, other;
    double x[DIMS], y[DIMS], value, mean, variance;
    int ones = 0;

    size_t size = infill_size(&space, &config);
    CHECK(size > 0 && size % 8 == 0);
    void *memory = malloc(size), *copy = malloc(size);
    STATUS(INFILL_ERROR_MEMORY, infill_init(memory, size - 8, &space, &config, &opt));
    OK(infill_init(memory, size, &space, &config, &opt));
    CHECK((void *)opt == memory);
    CHECK(infill_bytes(opt) == size);
    CHECK(infill_dims(opt) == DIMS);
    CHECK(infill_scalar_of(opt) == scalar);
    CHECK(infill_has_space(opt, &space) == 1);
    STATUS(INFILL_ERROR_NO_DATA, infill_best(opt, x, DIMS, &value));
    STATUS(INFILL_ERROR_NO_DATA, infill_recommend(opt, x, DIMS, &mean, &variance));

    x[0] = 0, x[1] = 0.25, x[2] = NAN, x[3] = 1;
    OK(infill_enqueue(opt, x, DIMS, &trial));
    OK(infill_forget(opt, trial));
    OK(infill_enqueue(opt, x, DIMS, &trial));
    OK(infill_ask(opt, y, DIMS, &other));
    CHECK(trial == other && y[1] == 0.25 && y[2] == 5);
    OK(infill_fail(opt, other));
    x[1] = 0.5;
    OK(infill_observe(opt, x, DIMS, value_at(x), &trial));
    for (int i = 0; i < 20; i++) {
        OK(infill_ask_with(opt, NULL, x, DIMS, &proposal));
        CHECK(proposal.origin >= INFILL_ORIGIN_DESIGN && proposal.origin <= INFILL_ORIGIN_FALLBACK);
        CHECK(x[0] == 0 || x[0] == 1 || x[0] == 2);
        CHECK(x[1] >= 0 && x[1] <= 1 && x[2] >= 1 && x[2] <= 9 && x[3] >= 1e-3 && x[3] <= 10.000001);
        ones += x[0] == 2;
        if (i % 2 == 0) {
            OK(infill_tell(opt, proposal.trial, value_at(x)));
        } else {
            OK(infill_tell_noisy(opt, proposal.trial, value_at(x), 1e-4));
        }
        STATUS(INFILL_ERROR_STALE_TRIAL, infill_tell(opt, proposal.trial, 1));
        if (i == 10) {
            memcpy(copy, opt, size);
        }
    }
    /* The branch without parameters is evaluated once, and everything is counted. */
    CHECK(strategy == INFILL_STRATEGY_IMPUTE || ones == 1);
    CHECK(infill_closed(opt) == 22);
    CHECK(infill_count(opt) == 22);
    CHECK(infill_remaining(opt) == 18);
    OK(infill_best(opt, x, DIMS, &value));
    CHECK(fabs(value - value_at(x)) <= 1e-6);
    OK(infill_recommend(opt, y, DIMS, &mean, &variance));
    CHECK(isfinite(mean) && variance >= 0);
    OK(infill_predict(opt, y, DIMS, &mean, &variance));
    OK(infill_record_at(opt, 0, y, DIMS, &record));
    CHECK(record.state == INFILL_STATE_FAILED || record.state == INFILL_STATE_DONE);
    STATUS(INFILL_ERROR_SHAPE, infill_record_at(opt, 22, y, DIMS, &record));

    /* What was saved goes on to the same bits. */
    OK(infill_attach(copy, size, NULL, &again));
    for (int i = 11; i < 20; i++) {
        OK(infill_ask(again, x, DIMS, &trial));
        if (i % 2 == 0) {
            OK(infill_tell(again, trial, value_at(x)));
        } else {
            OK(infill_tell_noisy(again, trial, value_at(x), 1e-4));
        }
    }
    OK(infill_best(again, y, DIMS, &mean));
    OK(infill_best(opt, x, DIMS, &value));
    CHECK(mean == value && same_bits(x, y, sizeof x));
    CHECK(infill_closed(again) == 22);

    /* So does what has more room. */
    memset(&limits, 0, sizeof limits);
    limits.trials = 60;
    size_t wide = infill_clone_size(opt, &limits);
    CHECK(wide > size);
    void *room = malloc(wide);
    OK(infill_clone(opt, &limits, room, wide, &larger));
    CHECK(infill_remaining(larger) == 38);
    OK(infill_ask(opt, x, DIMS, &trial));
    OK(infill_ask(larger, y, DIMS, &other));
    CHECK(trial == other && same_bits(x, y, sizeof x));
    OK(infill_relearn(larger));
    CHECK(infill_closed(larger) == 22);
    limits.trials = 30;
    CHECK(infill_clone_size(opt, &limits) == 0);
    free(room);

    /* Damage is seen. */
    ((unsigned char *)copy)[1001] ^= 4;
    STATUS(INFILL_ERROR_CORRUPT, infill_attach(copy, size, NULL, &again));
    STATUS(INFILL_ERROR_MEMORY, infill_attach(memory, size - 8, NULL, &again));
    ((unsigned char *)copy)[0] ^= 1;
    STATUS(INFILL_ERROR_FOREIGN, infill_attach(copy, size, NULL, &again));
    free(memory);
    free(copy);
}

/* Refused with a field of the configuration changed. */
#define REFUSED(expected, change)                                       \
    do {                                                                \
        infill_config config = config_of(INFILL_F64, INFILL_STRATEGY_SINGLE); \
        change;                                                         \
        STATUS(expected, infill_new(&space, &config, &opt));            \
        CHECK(opt == NULL && infill_size(&space, &config) == 0);        \
    } while (0)

static void bad(void) {
    infill_opt *opt = NULL;
    infill_trial trial = 0;
    double x[DIMS] = {0, 0.5, 1, 1}, value, variance;

    REFUSED(INFILL_ERROR_UNSUPPORTED, config.strategy_parameter = 1);
    REFUSED(INFILL_ERROR_OUT_OF_RANGE, config.strategy_parameter = DIMS);
    REFUSED(INFILL_ERROR_CONFIG, config.strategy = 9);
    REFUSED(INFILL_ERROR_CONFIG, config.strategy_own_minimum = 2);
    REFUSED(INFILL_ERROR_CONFIG, config.strategy_start = 1);
    REFUSED(INFILL_ERROR_CONFIG, config.strategy = INFILL_STRATEGY_BASELINE);
    REFUSED(INFILL_ERROR_LIMITS, config.limits.values = 2);
    REFUSED(INFILL_ERROR_LIMITS, config.limits.values = UINT32_MAX);
    REFUSED(INFILL_ERROR_LIMITS, config.limits.branch_trials = UINT32_MAX);
    REFUSED(INFILL_ERROR_UNSUPPORTED, config.targets = INFILL_TRANSFORM_RANK);
    REFUSED(INFILL_ERROR_UNSUPPORTED, config.when_full = INFILL_FULL_DROP_WORST);

    infill_config config = config_of(INFILL_F64, INFILL_STRATEGY_SINGLE);
    config.limits.branch_trials = 3;
    OK(infill_new(&space, &config, &opt));
    CHECK(infill_remaining(opt) == 3 + 3 + 1);
    STATUS(INFILL_ERROR_SHAPE, infill_ask(opt, x, DIMS - 1, &trial));
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_tell(opt, 77, 1));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_tell_noisy(opt, 77, 1, -1));
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_fail(opt, 77));
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_forget(opt, 77));
    STATUS(INFILL_ERROR_SHAPE, infill_enqueue(opt, x, 1, &trial));
    x[1] = 2;
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, x, DIMS, &trial));
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_observe(opt, x, DIMS, 1, &trial));
    x[1] = 0.5;
    STATUS(INFILL_ERROR_NOT_FINITE, infill_observe(opt, x, DIMS, INFINITY, &trial));
    STATUS(INFILL_ERROR_NO_DATA, infill_predict(opt, x, DIMS, &value, &variance));
    STATUS(INFILL_ERROR_SHAPE, infill_recommend(opt, x, 2, &value, &variance));
    CHECK(infill_count(opt) == 0);
    /* A branch has so many places and no more. */
    for (int i = 0; i < 3; i++) {
        x[1] = 0.25 * i;
        OK(infill_observe(opt, x, DIMS, value_at(x), &trial));
    }
    x[1] = 0.9;
    STATUS(INFILL_ERROR_FULL, infill_observe(opt, x, DIMS, 1, &trial));
    STATUS(INFILL_ERROR_FULL, infill_enqueue(opt, x, DIMS, &trial));
    CHECK(infill_count(opt) == 3 && infill_remaining(opt) == 3 + 1);
    infill_free(opt);
}

int main(void) {
    for (uint32_t strategy = INFILL_STRATEGY_IMPUTE; strategy <= INFILL_STRATEGY_BASELINE; strategy++) {
        run(INFILL_F64, strategy);
        run(INFILL_F32, strategy);
    }
    bad();
    return report("strategy");
}
