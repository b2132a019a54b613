/* Sources: written, checked, joined, and what they do for a run. */

#include "good.h"

enum { FEATURES = 3, ROOM = 4096 };

static const double described[3][FEATURES] = {{1, 2, 3}, {4, 5, 6}, {1, 2, 3.5}};

/* Lowest at a place that differs little from data set to data set. */
static double loss(const double *x, int set) {
    const double a = x[0] - 0.3 - 0.02 * set, b = x[1] - 0.7;
    return 10 * set + a * a + b * b;
}

static infill_param params[] = {INFILL_REAL(0, 1), INFILL_REAL(0, 1)};
static infill_space space = INFILL_SPACE(params, 2);

/* An optimizer that was told values all over the space. */
static infill_opt *told(uint32_t scalar, int set) {
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    infill_trial trial;
    config.limits.trials = 16;
    OK(infill_new(&space, &config, &opt));
    for (int i = 0; i < 16; i++) {
        const double x[2] = {(0.5 + i % 4) / 4, (0.5 + i / 4) / 4};
        OK(infill_observe(opt, x, 2, loss(x, set), &trial));
    }
    return opt;
}

/* Appends what a run taught. */
static size_t append(uint64_t *words, size_t used, uint32_t scalar, int set) {
    infill_opt *opt = told(scalar, set);
    size_t bytes = 0, more = 0, written = 0;
    uint64_t *work;
    OK(infill_source_size(opt, INFILL_FORM_MEANS, FEATURES, &bytes, &more));
    CHECK(bytes > 0 && bytes % 8 == 0 && more % 8 == 0 && used + bytes <= ROOM * sizeof *words);
    work = (uint64_t *)reserve(more);
    OK(infill_source_export(opt, INFILL_FORM_MEANS, described[set], FEATURES, work, more, words + used / 8, bytes, &written));
    CHECK(written == bytes);
    free(work);
    infill_free(opt);
    return used + written;
}

static void exported(uint32_t scalar) {
    infill_opt *opt = told(scalar, 0);
    size_t means = 0, full = 0, more = 0, described_one = 0, written = 0, count = 0;
    const size_t before = infill_bytes(opt);
    uint64_t *words, *work, *kept = (uint64_t *)reserve(before);
    memcpy(kept, opt, before);
    OK(infill_source_size(opt, INFILL_FORM_MEANS, 0, &means, &more));
    OK(infill_source_size(opt, INFILL_FORM_MEANS, FEATURES, &described_one, &more));
    OK(infill_source_size(opt, INFILL_FORM_FULL, 0, &full, &more));
    CHECK(described_one > means && full > described_one);
    words = (uint64_t *)reserve(full + 8);
    work = (uint64_t *)reserve(more);
    words[full / 8] = 7;
    OK(infill_source_export(opt, INFILL_FORM_FULL, NULL, 0, work, more, words, full + 8, &written));
    CHECK(written == full && words[full / 8] == 7 && same_bits(kept, opt, before));
    {
        const infill_sources one = INFILL_SOURCES(words, written);
        OK(infill_sources_check(&one, &count));
        CHECK(count == 1);
    }
    free(words);
    free(work);
    free(kept);
    infill_free(opt);
}

static void listed(uint32_t scalar) {
    static uint64_t words[ROOM];
    infill_sources none = INFILL_SOURCES(NULL, 0), all = INFILL_SOURCES_LIKE(words, 0, described[2], FEATURES);
    size_t count = 9;
    OK(infill_sources_check(NULL, &count));
    CHECK(count == 0);
    for (int set = 0; set < 2; set++) {
        all.size = append(words, all.size, scalar, set);
        OK(infill_sources_check(&all, &count));
        CHECK(count == (size_t)set + 1);
    }
    OK(infill_sources_check(&none, &count));
    CHECK(count == 0);
    /* The start is by sources, in whichever way; then comes the model. */
    for (uint32_t start = INFILL_START_RANDOM; start <= INFILL_START_ADAPTIVE; start++) {
        infill_config config = small_config(scalar);
        infill_opt *opt = NULL;
        infill_proposal proposal;
        double x[2];
        config.limits.sources = 2;
        config.transfer_start = start;
        config.transfer_trials = 1;
        config.transfer_how = start == INFILL_START_NEAREST ? INFILL_HOW_STAGE : INFILL_HOW_VALUE;
        if (start == INFILL_START_NEAREST) {
            config.transfer_weights = INFILL_WEIGHTS_FEATURES;
            config.transfer_rho = 3;
        }
        OK(infill_new(&space, &config, &opt));
        OK(infill_ask_from(opt, &all, NULL, x, 2, &proposal));
        CHECK(proposal.origin == INFILL_ORIGIN_SOURCE && proposal.acquisition != proposal.acquisition);
        CHECK(fabs(x[0] - 0.3) < 0.2 && fabs(x[1] - 0.7) < 0.2);
        OK(infill_tell(opt, proposal.trial, loss(x, 2)));
        for (int i = 0; i < 4; i++) {
            OK(infill_next_from(opt, &all, NULL, x, 2, &proposal));
            OK(infill_tell(opt, proposal.trial, loss(x, 2)));
        }
        CHECK(proposal.origin == INFILL_ORIGIN_MODEL);
        infill_free(opt);
    }
}

static int32_t objective(void *user, const double *x, size_t dims, double *value) {
    int *calls = (int *)user;
    ++*calls;
    *value = loss(x, 2);
    return dims != 2;
}

/* What remains the same: no sources are none, and a run by them is its questions one by one; a lost trial comes back first. */
static void the_same(uint32_t scalar) {
    static uint64_t words[ROOM];
    const size_t bytes = append(words, append(words, 0, scalar, 0), scalar, 1);
    const infill_sources none = INFILL_SOURCES(NULL, 0), all = INFILL_SOURCES(words, bytes);
    infill_config config = small_config(scalar);
    infill_opt *first = NULL, *second = NULL, *again = NULL;
    infill_proposal one, two;
    double x[2], y[2], value = NAN;
    int calls = 0;
    config.limits.sources = 2;
    config.transfer_how = INFILL_HOW_STAGE;
    OK(infill_new(&space, &config, &first));
    OK(infill_new(&space, &config, &second));
    for (int i = 0; i < 6; i++) {
        OK(infill_ask_with(first, NULL, x, 2, &one));
        OK(infill_ask_from(second, i % 2 ? &none : NULL, NULL, y, 2, &two));
        CHECK(same_bits(x, y, sizeof x) && one.trial == two.trial && one.origin == two.origin);
        OK(infill_tell(first, one.trial, loss(x, 2)));
        OK(infill_tell(second, two.trial, loss(y, 2)));
    }
    infill_free(first);
    infill_free(second);
    OK(infill_new(&space, &config, &first));
    OK(infill_new(&space, &config, &second));
    OK(infill_minimize_from(first, &all, NULL, objective, NULL, &calls, 7));
    CHECK(calls == 7);
    for (int i = 0; i < 7; i++) {
        OK(infill_next_from(second, &all, NULL, y, 2, &two));
        OK(infill_tell(second, two.trial, loss(y, 2)));
    }
    CHECK(same_bits(first, second, infill_bytes(first)));
    OK(infill_best(first, x, 2, &value));
    CHECK(value < 20.05);
    OK(infill_next_from(first, &all, NULL, x, 2, &one));
    OK(infill_attach(first, infill_bytes(first), &space, &again));
    OK(infill_next_from(again, &all, NULL, y, 2, &two));
    CHECK(two.origin == INFILL_ORIGIN_RESUMED && two.trial == one.trial && same_bits(x, y, sizeof x));
    infill_free(first);
    infill_free(second);
}

/* What it says at its told points, by the sources and by itself; the recommended one is the lowest. */
static void looked(uint32_t scalar) {
    static uint64_t words[ROOM];
    static const uint32_t hows[] = {INFILL_HOW_ALONE, INFILL_HOW_VALUE, INFILL_HOW_FUNCTION, INFILL_HOW_STAGE, INFILL_HOW_PRIOR};
    const size_t bytes = append(words, append(words, 0, scalar, 0), scalar, 1);
    const infill_sources none = INFILL_SOURCES(NULL, 0), all = INFILL_SOURCES(words, bytes);
    const double at[2] = {0.4, 0.6};
    for (size_t h = 0; h < sizeof hows / sizeof *hows; h++) {
        infill_config config = small_config(scalar);
        infill_opt *opt = NULL;
        infill_trial trial;
        double x[2], plain[2], own[2], lowest = INFINITY, mean, variance;
        const int moves = hows[h] >= INFILL_HOW_STAGE && hows[h] != INFILL_HOW_VALUE && hows[h] != INFILL_HOW_FUNCTION;
        config.limits.sources = 2;
        config.transfer_how = hows[h];
        OK(infill_new(&space, &config, &opt));
        STATUS(INFILL_ERROR_NO_DATA, infill_predict_from(opt, &all, NULL, at, 2, own, own + 1));
        STATUS(INFILL_ERROR_NO_DATA, infill_recommend_from(opt, &all, NULL, x, 2, own, own + 1));
        for (int i = 0; i < 6; i++) {
            const double y[2] = {0.1 + 0.15 * i, 0.9 - 0.12 * i};
            OK(infill_observe(opt, y, 2, loss(y, 2), &trial));
        }
        OK(infill_predict(opt, at, 2, plain, plain + 1));
        OK(infill_predict_from(opt, &none, NULL, at, 2, own, own + 1));
        CHECK(same_bits(plain, own, sizeof own));
        OK(infill_predict_from(opt, NULL, NULL, at, 2, own, own + 1));
        CHECK(same_bits(plain, own, sizeof own));
        OK(infill_predict_from(opt, &all, NULL, at, 2, own, own + 1));
        CHECK(same_bits(plain, own, sizeof own) == !moves && own[1] >= 0);
        CHECK(!moves || fabs(own[0] - loss(at, 2)) < 0.5);
        OK(infill_recommend(opt, x, 2, plain, plain + 1));
        OK(infill_recommend_from(opt, NULL, NULL, x, 2, own, own + 1));
        CHECK(same_bits(plain, own, sizeof own));
        OK(infill_recommend_from(opt, &all, NULL, x, 2, own, own + 1));
        for (int i = 0; i < 6; i++) {
            const double y[2] = {0.1 + 0.15 * i, 0.9 - 0.12 * i};
            OK(infill_predict_from(opt, &all, NULL, y, 2, &mean, &variance));
            if (mean < lowest) lowest = mean;
        }
        OK(infill_predict_from(opt, &all, NULL, x, 2, &mean, &variance));
        CHECK(!moves || (mean == own[0] && variance == own[1] && mean == lowest));
        infill_free(opt);
    }
}

static void meta_features(void) {
    static const double columns[] = {1, 2, 3, 6, 2, 4, 4, 10};
    static const uint32_t labels[] = {0, 0, 0, 7};
    double out[INFILL_META_FEATURES];
    OK(infill_meta_features(columns, 2, labels, 4, out));
    CHECK(out[0] == 2 && out[1] == 4 && out[3] == 2);
    CLOSE(0.5623351446188083, out[9], 1e-12);
    CLOSE(0.25, out[10], 1e-15);
}

int main(void) {
    in_both_scalars(exported);
    in_both_scalars(listed);
    in_both_scalars(the_same);
    in_both_scalars(looked);
    meta_features();
    return report("good/source");
}
