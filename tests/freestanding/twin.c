/* Proposals as bits: the same whether the library has every model or only what it does by default. */
#include "infill.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { METHOD, DEPTH, RATE, LEAF, DIMS };
enum { TRIALS = 40 };

static uint64_t block[1 << 15];
static const double pair[] = {1, 2};

/* Conditions, an alternative and clauses: a small build has them all. */
static const infill_param params[DIMS] = {
    INFILL_CATEGORICAL(3), INFILL_INTEGER(1, 9), INFILL_REAL_LOG(1e-3, 1), INFILL_REAL(0, 1),
};
static const infill_condition conditions[] = {
    INFILL_IF_IN(DEPTH, METHOD, pair, 2),
    INFILL_IF_EQUALS(RATE, METHOD, 0),
    INFILL_OR_BETWEEN(RATE, DEPTH, 5, 9),
};
static const infill_term forbidden[] = {
    INFILL_FORBID_EQUALS(METHOD, 1),
    INFILL_ALSO_BETWEEN(DEPTH, 3, 9),
    INFILL_FORBID_BETWEEN(LEAF, 0.25, 0.75),
};

/* A kernel that is 0 between methods, whose factor is kept in blocks. */
static const uint16_t numbers[] = {DEPTH, RATE, LEAF};
static const infill_node nodes[] = {
    {INFILL_OP_MATERN52, INFILL_NODE_ARD, 0, 0, 3, numbers, NULL, 0},
    {INFILL_OP_BRANCH, 0, 0, METHOD, 1, NULL, NULL, 0},
    {INFILL_OP_PRODUCT, 0, 0, 0, 0, NULL, NULL, 0},
    {INFILL_OP_SCALE, 0, 0, 0, 0, NULL, NULL, 0},
};
static const infill_kernel apart = {nodes, 4};

static double objective(const double *x)
{
    const double a = x[LEAF] - 0.2, b = (x[DEPTH] - 2.0) / 9.0, c = x[RATE] - 0.1;
    return x[METHOD] + a * a + (x[METHOD] > 0.0 ? b * b : c * c);
}

static infill_status run(uint32_t scalar, const infill_kernel *kernel)
{
    const infill_space space = INFILL_SPACE_FORBID(params, DIMS, conditions, 3, forbidden, 3);
    infill_config config;
    infill_opt *opt = NULL;
    infill_status status = infill_config_default(&config, sizeof config);
    config.scalar = scalar;
    config.kernel = kernel;
    config.limits.trials = TRIALS;
    if (status == INFILL_OK) status = infill_init(block, sizeof block, &space, &config, &opt);
    for (int i = 0; i < TRIALS && status == INFILL_OK; i++) {
        double x[DIMS];
        infill_trial trial;
        status = infill_ask(opt, x, DIMS, &trial);
        if (status != INFILL_OK) break;
        /* The last three stay open: they are believed to have given what is predicted. */
        if (i < TRIALS - 3) status = infill_tell(opt, trial, objective(x));
        for (int k = 0; k < DIMS; k++) {
            uint64_t bits;
            memcpy(&bits, &x[k], sizeof bits);
            printf("%" PRIx64 " ", bits);
        }
        printf("\n");
    }
    return status;
}

int main(void)
{
    for (uint32_t scalar = INFILL_F32; scalar <= INFILL_F64; scalar += INFILL_F64 - INFILL_F32) {
        infill_status status = run(scalar, NULL);
        if (status == INFILL_OK) status = run(scalar, &apart);
        if (status != INFILL_OK) {
            fprintf(stderr, "%s\n", infill_status_str(status));
            return 1;
        }
    }
    return 0;
}
