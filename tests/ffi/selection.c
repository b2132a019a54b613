/* Selection among algorithms: every function with good input, then with bad. */

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

static infill_config config_of(uint32_t scalar) {
    infill_config config = small_config(scalar);
    config.limits.trials = 40;
    return config;
}

static void run(uint32_t scalar, uint32_t strategy) {
    infill_config config = config_of(scalar);
    infill_selector selector;
    infill_selection *selection = NULL, *again = NULL;
    infill_proposal proposal;
    infill_record record;
    infill_trial trial, other;
    double x[DIMS], y[DIMS], value, mean, variance;
    int ones = 0;

    OK(infill_selector_default(&selector, sizeof selector, 0, strategy));
    selector.start = 3;
    selector.budget = strategy == INFILL_STRATEGY_BASELINE ? 30 : 0;
    size_t size = infill_selection_size(&space, &selector, &config);
    CHECK(size > 0 && size % 8 == 0);
    void *memory = malloc(size), *copy = malloc(size);
    STATUS(INFILL_ERROR_MEMORY, infill_selection_init(memory, size - 8, &space, &selector, &config, &selection));
    OK(infill_selection_init(memory, size, &space, &selector, &config, &selection));
    CHECK((void *)selection == memory);
    CHECK(infill_selection_bytes(selection) == size);
    CHECK(infill_selection_dims(selection) == DIMS);
    CHECK(infill_selection_branches(selection) == 3);
    CHECK(infill_selection_has_space(selection, &space) == 1);
    STATUS(INFILL_ERROR_NO_DATA, infill_selection_best(selection, x, DIMS, &value));
    STATUS(INFILL_ERROR_NO_DATA, infill_selection_recommend(selection, x, DIMS, &mean, &variance));

    x[0] = 0, x[1] = 0.25, x[2] = NAN, x[3] = 1;
    OK(infill_selection_enqueue(selection, x, DIMS, &trial));
    OK(infill_selection_forget(selection, trial));
    OK(infill_selection_enqueue(selection, x, DIMS, &trial));
    OK(infill_selection_ask(selection, y, DIMS, &other));
    CHECK(trial == other && y[1] == 0.25 && y[2] == 5);
    OK(infill_selection_fail(selection, other));
    x[1] = 0.5;
    OK(infill_selection_observe(selection, x, DIMS, value_at(x), &trial));
    for (int i = 0; i < 20; i++) {
        OK(infill_selection_ask_with(selection, NULL, x, DIMS, &proposal));
        CHECK(proposal.origin >= INFILL_ORIGIN_DESIGN && proposal.origin <= INFILL_ORIGIN_FALLBACK);
        CHECK(x[0] == 0 || x[0] == 1 || x[0] == 2);
        CHECK(x[1] >= 0 && x[1] <= 1 && x[2] >= 1 && x[2] <= 9 && x[3] >= 1e-3 && x[3] <= 10.000001);
        ones += x[0] == 2;
        if (i % 2 == 0) {
            OK(infill_selection_tell(selection, proposal.trial, value_at(x)));
        } else {
            OK(infill_selection_tell_noisy(selection, proposal.trial, value_at(x), 1e-4));
        }
        STATUS(INFILL_ERROR_STALE_TRIAL, infill_selection_tell(selection, proposal.trial, 1));
        if (i == 10) {
            memcpy(copy, selection, size);
        }
    }
    /* The branch without parameters is evaluated once, and everything is counted. */
    CHECK(strategy == INFILL_STRATEGY_IMPUTE || ones == 1);
    CHECK(infill_selection_closed(selection) == 22);
    CHECK(infill_selection_count(selection) == 22);
    CHECK(infill_selection_remaining(selection) == 18);
    OK(infill_selection_best(selection, x, DIMS, &value));
    CHECK(fabs(value - value_at(x)) <= 1e-6);
    OK(infill_selection_recommend(selection, y, DIMS, &mean, &variance));
    CHECK(isfinite(mean) && variance >= 0);
    OK(infill_selection_predict(selection, y, DIMS, &mean, &variance));
    OK(infill_selection_record_at(selection, 0, y, DIMS, &record));
    CHECK(record.state == INFILL_STATE_FAILED || record.state == INFILL_STATE_DONE);
    STATUS(INFILL_ERROR_SHAPE, infill_selection_record_at(selection, 22, y, DIMS, &record));

    /* What was saved goes on to the same bits. */
    OK(infill_selection_attach(copy, size, &again));
    for (int i = 11; i < 20; i++) {
        OK(infill_selection_ask(again, x, DIMS, &trial));
        if (i % 2 == 0) {
            OK(infill_selection_tell(again, trial, value_at(x)));
        } else {
            OK(infill_selection_tell_noisy(again, trial, value_at(x), 1e-4));
        }
    }
    OK(infill_selection_best(again, y, DIMS, &mean));
    OK(infill_selection_best(selection, x, DIMS, &value));
    CHECK(mean == value && same_bits(x, y, sizeof x));
    CHECK(infill_selection_closed(again) == 22);

    /* Damage is seen. */
    ((unsigned char *)copy)[1001] ^= 4;
    STATUS(INFILL_ERROR_CORRUPT, infill_selection_attach(copy, size, &again));
    STATUS(INFILL_ERROR_MEMORY, infill_selection_attach(memory, size - 8, &again));
    ((unsigned char *)copy)[0] ^= 1;
    STATUS(INFILL_ERROR_FOREIGN, infill_selection_attach(copy, size, &again));
    /* A block of another kind is none of these. */
    STATUS(INFILL_ERROR_FOREIGN, infill_attach(memory, size, (infill_opt **)(void *)&again));
    free(memory);
    free(copy);
}

static void bad(void) {
    infill_config config = config_of(INFILL_F64);
    infill_selector selector, other;
    infill_selection *selection = NULL, *none = NULL;
    infill_proposal proposal;
    infill_record record;
    infill_trial trial = 0;
    double x[DIMS] = {0, 0.5, 1, 1}, value, variance;

    STATUS(INFILL_ERROR_NULL, infill_selector_default(NULL, sizeof selector, 0, INFILL_STRATEGY_SINGLE));
    STATUS(INFILL_ERROR_VERSION, infill_selector_default(&selector, 4, 0, INFILL_STRATEGY_SINGLE));
    OK(infill_selector_default(&selector, sizeof selector, 0, INFILL_STRATEGY_SINGLE));
    STATUS(INFILL_ERROR_NULL, infill_selection_new(NULL, &selector, &config, &selection));
    STATUS(INFILL_ERROR_NULL, infill_selection_new(&space, NULL, &config, &selection));
    STATUS(INFILL_ERROR_NULL, infill_selection_new(&space, &selector, NULL, &selection));
    STATUS(INFILL_ERROR_NULL, infill_selection_new(&space, &selector, &config, NULL));
    STATUS(INFILL_ERROR_NULL, infill_selection_init(NULL, 8, &space, &selector, &config, &selection));
    STATUS(INFILL_ERROR_NULL, infill_selection_attach(NULL, 8, &selection));
    CHECK(infill_selection_size(NULL, &selector, &config) == 0);
    other = selector;
    other.parameter = 1;
    STATUS(INFILL_ERROR_UNSUPPORTED, infill_selection_new(&space, &other, &config, &selection));
    other.parameter = DIMS;
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_selection_new(&space, &other, &config, &selection));
    other = selector;
    other.strategy = 9;
    STATUS(INFILL_ERROR_CONFIG, infill_selection_new(&space, &other, &config, &selection));
    other = selector;
    other.own_minimum = 2;
    STATUS(INFILL_ERROR_CONFIG, infill_selection_new(&space, &other, &config, &selection));
    other = selector;
    other.reserved[3] = 1;
    STATUS(INFILL_ERROR_CONFIG, infill_selection_new(&space, &other, &config, &selection));
    other = selector;
    other.start = 1;
    STATUS(INFILL_ERROR_CONFIG, infill_selection_new(&space, &other, &config, &selection));
    other = selector;
    other.strategy = INFILL_STRATEGY_BASELINE;
    STATUS(INFILL_ERROR_CONFIG, infill_selection_new(&space, &other, &config, &selection));
    other = selector;
    other.size = 8;
    STATUS(INFILL_ERROR_VERSION, infill_selection_new(&space, &other, &config, &selection));
    CHECK(infill_selection_size(&space, &other, &config) == 0);
    config.scalar = 5;
    STATUS(INFILL_ERROR_CONFIG, infill_selection_new(&space, &selector, &config, &selection));
    config.scalar = INFILL_F64;
    config.transform = INFILL_TRANSFORM_RANK;
    STATUS(INFILL_ERROR_UNSUPPORTED, infill_selection_new(&space, &selector, &config, &selection));
    config = config_of(INFILL_F64);
    CHECK(selection == NULL);

    OK(infill_selection_new(&space, &selector, &config, &selection));
    STATUS(INFILL_ERROR_NULL, infill_selection_ask(none, x, DIMS, &trial));
    STATUS(INFILL_ERROR_NULL, infill_selection_ask(selection, NULL, DIMS, &trial));
    STATUS(INFILL_ERROR_NULL, infill_selection_ask(selection, x, DIMS, NULL));
    STATUS(INFILL_ERROR_SHAPE, infill_selection_ask(selection, x, DIMS - 1, &trial));
    STATUS(INFILL_ERROR_NULL, infill_selection_ask_with(none, NULL, x, DIMS, &proposal));
    STATUS(INFILL_ERROR_SHAPE, infill_selection_ask_with(selection, NULL, x, 0, &proposal));
    STATUS(INFILL_ERROR_NULL, infill_selection_tell(none, 1, 1));
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_selection_tell(selection, 77, 1));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_selection_tell(selection, 77, NAN));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_selection_tell_noisy(selection, 77, 1, -1));
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_selection_fail(selection, 77));
    STATUS(INFILL_ERROR_NULL, infill_selection_fail(none, 77));
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_selection_forget(selection, 77));
    STATUS(INFILL_ERROR_NULL, infill_selection_forget(none, 77));
    STATUS(INFILL_ERROR_SHAPE, infill_selection_enqueue(selection, x, 1, &trial));
    x[1] = 2;
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_selection_enqueue(selection, x, DIMS, &trial));
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_selection_observe(selection, x, DIMS, 1, &trial));
    x[1] = 0.5;
    STATUS(INFILL_ERROR_NOT_FINITE, infill_selection_observe(selection, x, DIMS, INFINITY, &trial));
    STATUS(INFILL_ERROR_NULL, infill_selection_observe(selection, x, DIMS, 1, NULL));
    STATUS(INFILL_ERROR_NULL, infill_selection_best(none, x, DIMS, &value));
    STATUS(INFILL_ERROR_NULL, infill_selection_recommend(selection, x, DIMS, &value, NULL));
    STATUS(INFILL_ERROR_SHAPE, infill_selection_recommend(selection, x, 2, &value, &variance));
    STATUS(INFILL_ERROR_NO_DATA, infill_selection_predict(selection, x, DIMS, &value, &variance));
    STATUS(INFILL_ERROR_SHAPE, infill_selection_predict(selection, x, 2, &value, &variance));
    STATUS(INFILL_ERROR_NULL, infill_selection_record_at(none, 0, x, DIMS, &record));
    STATUS(INFILL_ERROR_SHAPE, infill_selection_record_at(selection, 0, x, DIMS, &record));
    CHECK(infill_selection_count(none) == 0 && infill_selection_closed(none) == 0);
    CHECK(infill_selection_remaining(none) == 0 && infill_selection_dims(none) == 0);
    CHECK(infill_selection_branches(none) == 0 && infill_selection_bytes(none) == 0);
    CHECK(infill_selection_has_space(none, &space) == 0 && infill_selection_has_space(selection, NULL) == 0);
    CHECK(infill_selection_count(selection) == 0 && infill_selection_remaining(selection) == 40);
    infill_selection_free(selection);
    infill_selection_free(NULL);
}

int main(void) {
    static const uint32_t strategies[] = {
        INFILL_STRATEGY_IMPUTE,
        INFILL_STRATEGY_SINGLE,
        INFILL_STRATEGY_WHOLE,
        INFILL_STRATEGY_BASELINE,
    };
    for (size_t i = 0; i < 4; i++) {
        run(INFILL_F64, strategies[i]);
        run(INFILL_F32, strategies[i]);
    }
    bad();
    return report("selection");
}
