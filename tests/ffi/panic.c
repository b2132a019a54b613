/*
 * Blocks smashed behind the library's back, which no check can prevent: a status, and never a crash. After
 * INFILL_PANIC nothing takes the handle but infill_free. An argument sets the stride of the sweeps.
 *
 * The addresses of a covariance's functions are under the checksum of the process: nothing jumps to nowhere.
 */

#include "check.h"

enum { DIMS = 2, CALLS = 16, GP_CALLS = 18 };

static long panics, others, fine;

static int32_t objective(void *user, const double *x, size_t dims, double *value) {
    (void)user;
    (void)dims;
    *value = x[0];
    return 0;
}

/* Every function that takes an optimizer, in an order that varies. */
static int32_t call(infill_opt *opt, int which) {
    static uint64_t copy[INFILL_WORDS(DIMS, 12, INFILL_F64)];
    double x[DIMS] = {0.5, 3}, value, other;
    infill_trial trial = 0;
    infill_proposal proposal;
    infill_record record;
    infill_opt *out;
    switch (which) {
    case 0: return infill_ask(opt, x, DIMS, &trial);
    case 1: return infill_tell(opt, 1ull << 32, 1);
    case 2: return infill_predict(opt, x, DIMS, &value, &other);
    case 3: return infill_recommend(opt, x, DIMS, &value, &other);
    case 4: return infill_observe(opt, x, DIMS, 1, &trial);
    case 5: return infill_enqueue(opt, x, DIMS, &trial);
    case 6: return infill_ask_with(opt, NULL, x, DIMS, &proposal);
    case 7: return infill_tell_noisy(opt, proposal.trial = 5, 1, 1);
    case 8: return infill_fail(opt, 1ull << 32 | 2);
    case 9: return infill_forget(opt, 3);
    case 10: return infill_best(opt, x, DIMS, &value);
    case 11: return infill_record_at(opt, 2, x, DIMS, &record);
    case 12: return infill_record_of(opt, 1, x, DIMS, &record);
    case 13: return infill_clone(opt, NULL, copy, sizeof copy, &out);
    case 14: return infill_minimize(opt, objective, NULL, 1);
    default: return infill_minimize_with(opt, NULL, objective, NULL, NULL, 1);
    }
}

static int known(int32_t status) { return strcmp(infill_status_str(status), infill_status_str(1)) != 0; }

static void counts(infill_opt *opt, int spoilt) {
    size_t sum = infill_count(opt) + infill_closed(opt) + infill_remaining(opt) + infill_dims(opt) + infill_bytes(opt) +
                 infill_scalar_of(opt) + infill_clone_size(opt, NULL);
    CHECK(!spoilt || sum == 0);
}

static infill_opt *make(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_INTEGER(1, 9)};
    infill_space space = INFILL_SPACE(params, DIMS);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    infill_trial trial;
    double x[DIMS];
    OK(infill_new(&space, &config, &opt));
    for (int i = 0; i < 5; i++) {
        OK(infill_ask(opt, x, DIMS, &trial));
        OK(infill_tell(opt, trial, x[0] + x[1]));
    }
    OK(infill_ask(opt, x, DIMS, &trial));
    return opt;
}

/* Uses a smashed optimizer until it panics, or has been asked everything. */
static void use(infill_opt *opt, int first) {
    for (int i = 0; i < CALLS; i++) {
        int32_t status = call(opt, (first + i) % CALLS);
        CHECK(known(status));
        if (status == INFILL_PANIC) {
            panics++;
            for (int j = 0; j < CALLS; j++) {
                STATUS(INFILL_ERROR_FOREIGN, call(opt, j));
            }
            counts(opt, 1);
            return;
        }
        *(status == INFILL_OK ? &fine : &others) += 1;
    }
    counts(opt, 0);
}

static const uint64_t patterns[] = {0, UINT64_MAX, 0x7FF8000000000000ull, 1ull << 63, 0x00000000FFFFFFFFull,
                                    0x3FF0000000000001ull, 0x7FC000007FC00000ull};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

static void smashed(uint32_t scalar, size_t stride) {
    infill_opt *opt = make(scalar);
    size_t words = infill_bytes(opt) / 8;
    int first = 0;
    infill_free(opt);
    for (size_t at = 0; at < words; at += stride) {
        for (int p = 0; p < PATTERNS; p++) {
            opt = make(scalar);
            ((uint64_t *)(void *)opt)[at] = patterns[p];
            use(opt, first++ % CALLS);
            infill_free(opt);
        }
        /* A region, but for the word by which the block is known. */
        opt = make(scalar);
        memset((char *)(void *)opt + 8 * (at > 0 ? at : 1), at % 2 ? 0xFF : 0x11, words - at < 48 ? 8 : 320);
        use(opt, first++ % CALLS);
        infill_free(opt);
    }
}

/* ---- A process ---- */

static int32_t gp_call(infill_gp *gp, int which) {
    static const double x[4] = {0.1, 0.2, 0.3, 0.4};
    double y[4], z[4], matrix[3], value, other;
    infill_training training;
    infill_training_default(&training, sizeof training);
    training.evaluations = 3;
    training.restarts = 0;
    memset(y, 0, sizeof y);
    switch (which) {
    case 0: return infill_gp_predict(gp, x, DIMS, &value, &other);
    case 1: return infill_gp_predict_gradient(gp, x, DIMS, &value, &other, y, z);
    case 2: return infill_gp_predict_joint(gp, x, 2, DIMS, y, matrix);
    case 3: return infill_gp_sample(gp, x, 2, DIMS, 1, y, matrix);
    case 4: return infill_gp_extend(gp, x, DIMS, 1, 0);
    case 5: return infill_gp_evidence(gp, NULL, 0, &value, y, 3);
    case 6: return infill_gp_evidence(gp, NULL, 1, &value, NULL, 0);
    case 7: return infill_gp_remove(gp, 1);
    case 8: return infill_gp_theta(gp, y, 3);
    case 9: return infill_gp_push(gp, x + 2, DIMS, 1, 0);
    case 10: return infill_gp_fit(gp, NULL);
    case 11: return infill_gp_train(gp, NULL, &training, 1, &value);
    case 12: return infill_gp_set_theta(gp, y, 3);
    case 13: return infill_gp_set_noise(gp, 0.1, 0.01, 1);
    case 14: return infill_gp_jitter(gp, &value);
    case 15: return infill_gp_trend(gp, y, 1);
    case 16: return infill_gp_likelihood(gp, &value);
    default: return infill_gp_clear(gp);
    }
}

static infill_gp *make_gp(uint32_t scalar) {
    infill_node nodes[2];
    infill_kernel kernel = {nodes, 2};
    infill_gp_config config;
    infill_gp *gp = NULL;
    memset(nodes, 0, sizeof nodes);
    nodes[0].op = INFILL_OP_MATERN52;
    nodes[1].op = INFILL_OP_SCALE;
    OK(infill_gp_config_default(&config, sizeof config));
    config.rows = 6;
    config.dims = DIMS;
    config.batch = 2;
    config.scalar = scalar;
    config.trend = INFILL_TREND_CONSTANT;
    config.kernel = &kernel;
    OK(infill_gp_new(&config, &gp));
    for (int i = 0; i < 4; i++) {
        double x[DIMS] = {0.2 * i, 1 - 0.3 * i};
        OK(infill_gp_push(gp, x, DIMS, x[0], 0));
    }
    OK(infill_gp_fit(gp, NULL));
    return gp;
}

static void use_gp(infill_gp *gp, int first) {
    for (int i = 0; i < GP_CALLS; i++) {
        int32_t status = gp_call(gp, (first + i) % GP_CALLS);
        CHECK(known(status));
        if (status == INFILL_PANIC) {
            panics++;
            for (int j = 0; j < GP_CALLS; j++) {
                STATUS(INFILL_ERROR_FOREIGN, gp_call(gp, j));
            }
            CHECK(infill_gp_rows(gp) == 0 && infill_gp_thetas(gp) == 0);
            return;
        }
        *(status == INFILL_OK ? &fine : &others) += 1;
    }
    (void)(infill_gp_rows(gp) + infill_gp_thetas(gp));
}

static void smashed_gp(uint32_t scalar, size_t stride) {
    infill_node node;
    infill_kernel kernel = {&node, 1};
    infill_gp_config config;
    size_t words;
    int first = 0;
    memset(&node, 0, sizeof node);
    node.op = INFILL_OP_MATERN52;
    OK(infill_gp_config_default(&config, sizeof config));
    config.rows = 6;
    config.dims = DIMS;
    config.batch = 2;
    config.scalar = scalar;
    config.trend = INFILL_TREND_CONSTANT;
    config.kernel = &kernel;
    /* With one hyperparameter less than make_gp has: no more words than that. */
    words = infill_gp_size(&config) / 8;
    for (size_t at = 0; at < words; at += at < 16 ? 1 : stride) {
        for (int p = 0; p < PATTERNS; p++) {
            infill_gp *gp = make_gp(scalar);
            ((uint64_t *)(void *)gp)[at] = patterns[p];
            use_gp(gp, first++ % GP_CALLS);
            infill_gp_free(gp);
        }
    }
}

int main(int count, char **arguments) {
    size_t stride = count > 1 ? (size_t)strtoul(arguments[1], NULL, 10) : 1;
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    for (int i = 0; i < 2; i++) {
        smashed(scalars[i], stride > 0 ? stride : 1);
        smashed_gp(scalars[i], stride > 0 ? stride : 1);
    }
    printf("%ld panics, %ld other refusals, %ld calls that did not mind\n", panics, others, fine);
    CHECK(panics > 0 && others > 0 && fine > 0);
    return report("panic");
}
