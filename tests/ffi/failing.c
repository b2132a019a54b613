/*
 * A process after a call that failed: every call after every failing one, from every state. Without a fit it refuses to
 * predict; a call that does not fit changes nothing by failing; what is answered is finite, and nothing is written otherwise.
 */

#include "check.h"

enum { ROWS = 5, BLOCK = 2048 };

static uint32_t scalar;
static double huge;
static long failed, followed, refused;

/* ---- States ---- */

typedef enum afterwards { NOTHING, PUSH, REMOVE, CLEAR, REPEAT } afterwards;

typedef struct state {
    const char *name;
    uint32_t trend;
    int rows;
    double x[4], y[4];
    /* Whether it is fitted, and with what status; then what is done to it. */
    int fit;
    int32_t status;
    afterwards then;
    /* Whether it answers in the end. */
    int answers;
} state;

static state states[] = {
    {"empty", INFILL_TREND_ZERO, 0, {0}, {0}, 1, INFILL_ERROR_NO_DATA, NOTHING, 0},
    {"fitted", INFILL_TREND_ZERO, 3, {0, 0.5, 1}, {1, 2, -1}, 1, INFILL_OK, NOTHING, 1},
    {"fitted with a trend", INFILL_TREND_LINEAR, 4, {0, 0.3, 0.6, 1}, {1, 2, -1, 0}, 1, INFILL_OK, NOTHING, 1},
    {"not fitted", INFILL_TREND_CONSTANT, 3, {0, 0.5, 1}, {1, 2, -1}, 0, INFILL_OK, NOTHING, 0},
    {"too few rows for the trend", INFILL_TREND_LINEAR, 1, {0.5}, {1}, 1, INFILL_ERROR_NO_DATA, NOTHING, 0},
    {"rows that do not tell the trend", INFILL_TREND_LINEAR, 4, {0.5, 0.5, 0.5, 0.5}, {1, 2, 3, 4}, 1,
     INFILL_OK, NOTHING, 1},
    {"values out of the range", INFILL_TREND_ZERO, 3, {0, 0.5, 1}, {9e9, -9e9, 9e9}, 1, INFILL_ERROR_NOT_FINITE, NOTHING, 0},
    {"one row more than was fitted", INFILL_TREND_CONSTANT, 3, {0, 0.5, 1}, {1, 2, -1}, 1, INFILL_OK, PUSH, 0},
    {"one row less, and too few", INFILL_TREND_LINEAR, 2, {0, 1}, {1, -1}, 1, INFILL_OK, REMOVE, 0},
    {"one row less, and enough", INFILL_TREND_CONSTANT, 4, {0, 0.3, 0.6, 1}, {1, 2, -1, 0}, 1, INFILL_OK, REMOVE, 1},
    {"cleared", INFILL_TREND_CONSTANT, 3, {0, 0.5, 1}, {1, 2, -1}, 1, INFILL_OK, CLEAR, 0},
    {"fitted, then a fit that failed", INFILL_TREND_ZERO, 3, {0, 0.5, 1}, {1, 2, -1}, 1, INFILL_OK, REPEAT, 0},
};
enum { STATES = sizeof states / sizeof states[0] };

static infill_gp *make(const state *s, uint64_t *mem) {
    infill_node nodes[2];
    infill_kernel kernel = {nodes, 2};
    infill_gp_config config;
    infill_gp *gp = NULL;
    memset(nodes, 0, sizeof nodes);
    nodes[0].op = INFILL_OP_MATERN52;
    nodes[1].op = INFILL_OP_SCALE;
    OK(infill_gp_config_default(&config, sizeof config));
    config.rows = ROWS;
    config.dims = 1;
    config.batch = 2;
    config.scalar = scalar;
    config.trend = s->trend;
    config.kernel = &kernel;
    CHECK(infill_gp_size(&config) <= 8 * BLOCK);
    OK(infill_gp_init(mem, 8 * BLOCK, &config, &gp));
    for (int i = 0; i < s->rows; i++) {
        OK(infill_gp_push(gp, &s->x[i], 1, fabs(s->y[i]) > 1e9 ? copysign(huge, s->y[i]) : s->y[i], 0));
    }
    if (s->fit) STATUS(s->status, infill_gp_fit(gp, NULL));
    switch (s->then) {
    case NOTHING: break;
    case PUSH: OK(infill_gp_push(gp, &s->x[1], 1, 5, 0)); break;
    case REMOVE: OK(infill_gp_remove(gp, 0)); break;
    case CLEAR: OK(infill_gp_clear(gp)); break;
    case REPEAT: {
        double x = 0.7;
        OK(infill_gp_push(gp, &x, 1, huge, 0));
        x = 0.2;
        OK(infill_gp_push(gp, &x, 1, -huge, 0));
        STATUS(INFILL_ERROR_NOT_FINITE, infill_gp_fit(gp, NULL));
        break;
    }
    }
    return gp;
}

/* ---- Calls ---- */

typedef struct outputs {
    double value, other, slopes[3], spreads[3], triangle[3];
} outputs;

/* What a call does to a fit: nothing, needs one, makes one or leaves none, ends it. */
enum { LOOKS, PREDICTS, FITS, ENDS };

static const int effects[] = {
    PREDICTS, PREDICTS, PREDICTS, PREDICTS, PREDICTS, PREDICTS, PREDICTS, /* predict ... likelihood, extend */
    FITS, FITS, LOOKS, LOOKS,                                             /* fit, train, evidence twice */
    ENDS, ENDS, ENDS, ENDS, ENDS,                                         /* push, remove, clear, theta, noise */
    LOOKS, LOOKS,                                                         /* theta, jitter */
    LOOKS, LOOKS, LOOKS, LOOKS, LOOKS, LOOKS, ENDS,                       /* what is refused, but for a value that may fit */
    LOOKS, LOOKS, LOOKS, LOOKS, LOOKS, LOOKS, LOOKS,
};
enum { CALLS = sizeof effects / sizeof effects[0] };

static int32_t call(infill_gp *gp, int which, outputs *o) {
    static const double x[3] = {0.25, 0.75, 0.9}, bad[2] = {1e308, NAN};
    double theta[3] = {0, 0, -3};
    infill_training training;
    OK(infill_training_default(&training, sizeof training));
    training.evaluations = 3;
    training.restarts = 1;
    switch (which) {
    case 0: return infill_gp_predict(gp, x, 1, &o->value, &o->other);
    case 1: return infill_gp_predict_gradient(gp, x, 1, &o->value, &o->other, o->slopes, o->spreads);
    case 2: return infill_gp_predict_joint(gp, x, 2, 1, o->slopes, o->triangle);
    case 3: return infill_gp_sample(gp, x, 2, 1, 7, o->slopes, o->triangle);
    case 4: return infill_gp_trend(gp, o->slopes, 0);
    case 5: return infill_gp_likelihood(gp, &o->value);
    case 6: return infill_gp_extend(gp, x, 1, 1, 0);
    case 7: return infill_gp_fit(gp, NULL);
    case 8: return infill_gp_train(gp, NULL, &training, 3, &o->value);
    case 9: return infill_gp_evidence(gp, NULL, INFILL_OBJECTIVE_EVIDENCE, &o->value, o->slopes, 3);
    case 10: return infill_gp_evidence(gp, NULL, INFILL_OBJECTIVE_LEAVE_ONE_OUT, &o->value, NULL, 0);
    case 11: return infill_gp_push(gp, x, 1, 1, 0);
    case 12: return infill_gp_remove(gp, 0);
    case 13: return infill_gp_clear(gp);
    case 14: return infill_gp_set_theta(gp, theta, 3);
    case 15: return infill_gp_set_noise(gp, 0.01, 1e-6, 1);
    case 16: return infill_gp_theta(gp, o->slopes, 3);
    case 17: return infill_gp_jitter(gp, &o->value);
    /* Refused wherever they are made, and a few that may be. */
    case 18: return infill_gp_predict(gp, bad, 1, &o->value, &o->other);
    case 19: return infill_gp_predict(gp, bad + 1, 1, &o->value, &o->other);
    case 20: return infill_gp_predict_gradient(gp, bad, 1, &o->value, &o->other, o->slopes, o->spreads);
    case 21: return infill_gp_predict_joint(gp, x, 3, 1, o->slopes, o->triangle);
    case 22: return infill_gp_push(gp, bad + 1, 1, 1, 0);
    case 23: return infill_gp_push(gp, x, 2, 1, 0);
    case 24: return infill_gp_extend(gp, x, 1, huge, 0);
    case 25: return infill_gp_extend(gp, bad + 1, 1, 1, 0);
    case 26: return infill_gp_remove(gp, ROWS);
    case 27: return infill_gp_set_theta(gp, bad, 3 - 1);
    case 28: theta[1] = 1e9; return infill_gp_set_theta(gp, theta, 3);
    case 29: return infill_gp_set_noise(gp, -1, 1e-6, 1);
    case 30: return infill_gp_evidence(gp, NULL, 99, &o->value, NULL, 0);
    default: training.evaluations = UINT32_MAX; return infill_gp_train(gp, NULL, &training, 3, &o->value);
    }
}

/* All of the outputs are finite; the pattern with which they are filled is, too. */
static int all_finite(const outputs *o) {
    for (size_t i = 0; i < sizeof *o / sizeof(double); i++) {
        if (!isfinite(((const double *)o)[i])) return 0;
    }
    return 1;
}

/* A call: its outputs are finite on success and untouched on failure, but for the scratch of a draw. */
static int32_t checked(infill_gp *gp, int which, outputs *o) {
    outputs before;
    int32_t status;
    memset(o, 0xA5, sizeof *o);
    before = *o;
    status = call(gp, which, o);
    if (status != INFILL_OK) {
        if (which == 3) memcpy(o->triangle, before.triangle, sizeof before.triangle);
        CHECK(same_bits(o, &before, sizeof before));
    }
    CHECK(all_finite(o));
    return status;
}

static void after(const state *s, int which) {
    static uint64_t mem[BLOCK], again[BLOCK];
    infill_gp *gp = make(s, mem);
    outputs before, o, now;
    int failures_before = failures, answers;
    int32_t first = checked(gp, 0, &before), status;
    CHECK((first == INFILL_OK) == s->answers);
    status = checked(gp, which, &o);
    if (status == INFILL_OK) return;
    failed++;
    answers = s->answers && effects[which] != FITS;
    for (int next = 0; next < CALLS; next++) {
        memcpy(again, mem, sizeof mem);
        status = checked((infill_gp *)(void *)again, next, &o);
        followed++;
        if (!answers && effects[next] == PREDICTS) {
            STATUS(INFILL_ERROR_NO_DATA, status);
            refused++;
        }
        if (answers && next == 0) CHECK(same_bits(&o, &before, sizeof o));
        if (!answers && next == 17) CHECK(status == INFILL_OK && o.value == 0);
        /* A second look says the same: what fits makes it answer, and nothing else does. */
        int answered = checked((infill_gp *)(void *)again, 0, &now) == INFILL_OK;
        if (effects[next] == FITS) CHECK(answered == (status == INFILL_OK));
        if (effects[next] != FITS && (effects[next] == LOOKS || status != INFILL_OK)) {
            /* After the evidence the factor is a new one, with rounding of its own. */
            int anew = next == 9 || next == 10;
            CHECK(answered == answers);
            if (answers) CHECK(anew ? fabs(now.value - before.value) < 1e-4 : same_bits(&now, &before, sizeof now));
        }
    }
    if (failures != failures_before) printf("... in the state \"%s\" after call %d\n", s->name, which);
}

int main(void) {
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    for (int i = 0; i < 2; i++) {
        scalar = scalars[i];
        huge = scalar == INFILL_F32 ? 3e38 : 1.7e308;
        for (int s = 0; s < STATES; s++) {
            for (int which = 0; which < CALLS; which++) after(&states[s], which);
        }
    }
    printf("%ld calls that failed, %ld after them, %ld refused for want of a fit\n", failed, followed, refused);
    CHECK(failed > 200 && refused > 500);
    return report("failing");
}
