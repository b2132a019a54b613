/*
 * What the programs of this folder share. Each gives bad input to the functions of a part of infill.h: the documented
 * status, no output, nothing changed.
 *
 * All that a call could write to (outputs, inputs, the blocks of the handles, spare blocks) lies in one structure,
 * which is compared byte by byte with what it was.
 */

#ifndef WORLD_H
#define WORLD_H

#include "../check.h"

enum { DIMS = 2, TRIALS = 12, BLOCK = INFILL_WORDS(DIMS, TRIALS, INFILL_F64), PROCESS = 2048 };

typedef struct world {
    /* Blocks. */
    uint64_t opt[BLOCK], gp[PROCESS], spare[BLOCK + 8], helped[8 * BLOCK], none[64];
    /* Inputs. */
    infill_param params[DIMS];
    infill_condition conditions[1];
    infill_space space;
    infill_hyper hypers[1];
    infill_node nodes[3];
    infill_kernel kernel;
    infill_config config;
    infill_limits limits;
    infill_covariance covariance;
    infill_gp_config process;
    infill_training training;
    double a[4], b[4], theta[4], levels[3];
    /* Outputs, filled with a pattern before each call. */
    struct {
        double x[4], y[4], z[4], matrix[16], value, other, third;
        infill_trial trial;
        infill_proposal proposal;
        infill_record record;
        size_t count, other_count;
        double features[INFILL_META_FEATURES];
        infill_opt *opt;
        infill_gp *gp;
        infill_backend *backend;
        infill_config config;
        infill_gp_config process;
        infill_training training;
        infill_gpu_options gpu;
        char text[16];
        uint32_t api, software;
    } out;
} world;

static world w, before;
static infill_opt *opt;
static infill_gp *gp;
static infill_trial open_trial, queued_trial, closed_trial, forgotten_trial;
static long refused;

static inline void prepare(void) {
    memset(&w.out, 0xA5, sizeof w.out);
    memcpy(&before, &w, sizeof w);
}

/* The room in which a process converts points, the last of its block, is scratch: offsets in the world. */
static size_t scratch_from, scratch_to;

static inline void scratch_of(const void *block) {
    scratch_to = (size_t)((const char *)block - (const char *)&w) + infill_gp_size(&w.process);
    scratch_from = scratch_to - w.process.batch * DIMS * w.process.scalar;
}

static inline void unchanged(int line, const char *what) {
    const unsigned char *now = (const unsigned char *)&w, *then = (const unsigned char *)&before;
    refused++;
    if (same_bits(now, then, scratch_from) && same_bits(now + scratch_to, then + scratch_to, sizeof w - scratch_to)) {
        return;
    }
    for (size_t i = 0; i < sizeof w; i++) {
        if (now[i] != then[i] && (i < scratch_from || i >= scratch_to)) {
            const char *where = i < offsetof(world, gp) ? "the optimizer" : i < offsetof(world, spare) ? "the process"
                                : i < offsetof(world, params) ? "a spare block" : i < offsetof(world, out) ? "an input"
                                : "an output";
            failures++;
            printf("line %d: %s: changed %s at byte %lu\n", line, what, where, (unsigned long)i);
            memcpy(&w, &before, sizeof w);
            return;
        }
    }
}

static inline void refuse(int line, const char *what, int32_t expected, int32_t got) {
    status_at(line, what, expected, got);
    unchanged(line, what);
}
#define REFUSE(expected, call) (prepare(), refuse(__LINE__, #call, (int32_t)(expected), (int32_t)(call)))

static inline void zero(int line, const char *what, size_t got) {
    check_at(line, what, got == 0);
    unchanged(line, what);
}
#define ZERO(call) (prepare(), zero(__LINE__, #call " == 0", (size_t)(call)))

/* The pointer in a variable or field becomes NULL, then odd, then what it was. */
#define POINTER(name, call)                            \
    do {                                               \
        char *kept_, *odd_;                            \
        memcpy(&kept_, &name, sizeof kept_);           \
        odd_ = kept_ + 1;                              \
        memset(&name, 0, sizeof name);                 \
        REFUSE(INFILL_ERROR_NULL, call);               \
        memcpy(&name, &odd_, sizeof odd_);             \
        REFUSE(INFILL_ERROR_ALIGNMENT, call);          \
        memcpy(&name, &kept_, sizeof kept_);           \
    } while (0)
/* One that may be NULL. */
#define ODD(name, call)                                \
    do {                                               \
        char *kept_, *odd_;                            \
        memcpy(&kept_, &name, sizeof kept_);           \
        odd_ = (char *)w.none + 1;                     \
        memcpy(&name, &odd_, sizeof odd_);             \
        REFUSE(INFILL_ERROR_ALIGNMENT, call);          \
        memcpy(&name, &kept_, sizeof kept_);           \
    } while (0)
/* The same for functions that count. */
#define COUNTER(name, call)                            \
    do {                                               \
        char *kept_, *odd_;                            \
        memcpy(&kept_, &name, sizeof kept_);           \
        odd_ = kept_ + 1;                              \
        memset(&name, 0, sizeof name);                 \
        ZERO(call);                                    \
        memcpy(&name, &odd_, sizeof odd_);             \
        ZERO(call);                                    \
        memcpy(&name, &kept_, sizeof kept_);           \
    } while (0)
/* A field takes a value for one call. */
#define WITH(type, field, bad, expected, call)         \
    do {                                               \
        type kept_ = field;                            \
        field = (bad);                                 \
        REFUSE(expected, call);                        \
        field = kept_;                                 \
    } while (0)
/* A handle of a type: NULL, odd, no block, the block of something else. */
#define HANDLE_OF(type, self, other, call)             \
    do {                                               \
        type *self_ = self;                            \
        POINTER(self, call);                           \
        self = (type *)w.none;                         \
        REFUSE(INFILL_ERROR_FOREIGN, call);            \
        self = (type *)(other);                        \
        REFUSE(INFILL_ERROR_FOREIGN, call);            \
        self = self_;                                  \
    } while (0)
/* That of an optimizer, and that of a process. */
#define HANDLE(call) HANDLE_OF(infill_opt, opt, w.gp, call)
#define PROCESS_HANDLE(call) HANDLE_OF(infill_gp, gp, w.opt, call)

static inline double eval(void *user, const double *theta, const double *a, const double *b) {
    (void)user;
    return exp(theta[0]) * exp(-fabs(a[0] - b[0]) - fabs(a[1] - b[1]));
}

static inline void setup(uint32_t scalar) {
    infill_param real = INFILL_REAL(0, 1), whole = INFILL_INTEGER(1, 9);
    infill_condition condition = INFILL_IF_BETWEEN(1, 0, 0.25, 1);
    infill_space space = INFILL_SPACE_IF(w.params, DIMS, w.conditions, 0);
    double x[DIMS];
    memset(&w, 0, sizeof w);
    w.params[0] = real;
    w.params[1] = whole;
    w.conditions[0] = condition;
    w.space = space;
    w.hypers[0].role = INFILL_ROLE_VARIANCE;
    w.hypers[0].value = 1;
    w.hypers[0].lo = 0.1;
    w.hypers[0].hi = 10;
    w.nodes[0].op = INFILL_OP_MATERN52;
    w.nodes[1].op = INFILL_OP_SCALE;
    w.nodes[1].hypers = w.hypers;
    w.nodes[1].hyper_count = 1;
    w.kernel.nodes = w.nodes;
    w.kernel.count = 2;
    w.config = small_config(scalar);
    w.levels[0] = 1;
    w.levels[1] = 2;
    w.levels[2] = 4;
    w.a[0] = w.a[2] = 0.25;
    w.a[1] = w.a[3] = 4;
    w.b[0] = w.b[2] = 0.75;
    w.b[1] = w.b[3] = 5;
    w.covariance.size = sizeof w.covariance;
    w.covariance.eval = eval;
    w.covariance.thetas = 1;
    w.covariance.start = w.theta;
    w.covariance.lo = w.theta + 1;
    w.covariance.hi = w.theta + 2;
    w.theta[1] = -1;
    w.theta[2] = 1;
    OK(infill_gp_config_default(&w.process, sizeof w.process));
    w.process.rows = 4;
    w.process.dims = DIMS;
    w.process.batch = 2;
    w.process.kernel = &w.kernel;
    w.process.scalar = scalar;
    OK(infill_training_default(&w.training, sizeof w.training));
    OK(infill_init(w.opt, sizeof w.opt, &w.space, &w.config, &opt));
    for (int i = 0; i < 5; i++) {
        OK(infill_ask(opt, x, DIMS, &closed_trial));
        OK(infill_tell(opt, closed_trial, x[0] + x[1]));
    }
    OK(infill_ask(opt, x, DIMS, &forgotten_trial));
    OK(infill_forget(opt, forgotten_trial));
    OK(infill_ask(opt, x, DIMS, &open_trial));
    OK(infill_enqueue(opt, w.a, DIMS, &queued_trial));
    CHECK(infill_gp_size(&w.process) <= sizeof w.gp);
    scratch_of(w.gp);
    OK(infill_gp_init(w.gp, sizeof w.gp, &w.process, &gp));
    OK(infill_gp_push(gp, w.a, DIMS, 1, 0));
    OK(infill_gp_push(gp, w.b, DIMS, 2, 0));
    OK(infill_gp_fit(gp, NULL));
}

/* What both infill_init and infill_new have to refuse, and infill_size to call 0. */
#define SPACE_OR_CONFIG(type, field, bad, expected)                                             \
    do {                                                                                        \
        type was_ = field;                                                                      \
        WITH(type, field, bad, expected, infill_init(w.spare, sizeof w.spare, &w.space, &w.config, &w.out.opt)); \
        WITH(type, field, bad, expected, infill_new(&w.space, &w.config, &w.out.opt));          \
        field = (bad);                                                                          \
        ZERO(infill_size(&w.space, &w.config));                                                 \
        field = was_;                                                                           \
    } while (0)

/* The work in a world of each scalar. */
static inline int in_both_scalars(const char *name, void (*work)(void)) {
    setup(INFILL_F32);
    work();
    setup(INFILL_F64);
    work();
    printf("%ld refusals\n", refused);
    return report(name);
}

#endif
