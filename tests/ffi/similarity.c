/*
 * Kernels of conditional and mixed spaces: what is refused of their nodes, and every similarity of the default kernel in an
 * optimizer.
 */

#include "check.h"

static infill_node node(uint32_t op, uint32_t degree, const uint16_t *list, size_t count) {
    infill_node n;
    memset(&n, 0, sizeof n);
    n.op = op;
    n.degree = degree;
    n.list = list;
    n.count = count;
    return n;
}

/* Degrees and lists that make no sense are refused; golden.c has the values. */
static void kernels(void) {
    static const uint16_t first[] = {0}, wrong[] = {2, 0, 1};
    infill_node n = node(INFILL_OP_ARC, INFILL_OP_MATERN12, first, 1);
    infill_kernel kernel = {&n, 1};
    size_t thetas = 9;
    OK(infill_kernel_thetas(&kernel, 3, &thetas));
    CHECK(thetas == 2);
    n.degree = INFILL_OP_LAPLACE;
    STATUS(INFILL_ERROR_KERNEL, infill_kernel_thetas(&kernel, 3, &thetas));
    n = node(INFILL_OP_ONE_HOT, INFILL_OP_MATERN52 + 256 * 2, wrong, 3);
    OK(infill_kernel_thetas(&kernel, 3, &thetas));
    n.degree = INFILL_OP_MATERN52 + 256 * 4;
    STATUS(INFILL_ERROR_KERNEL, infill_kernel_thetas(&kernel, 3, &thetas));
    n.degree = INFILL_OP_MATERN52;
    STATUS(INFILL_ERROR_KERNEL, infill_kernel_thetas(&kernel, 3, &thetas));
}

/* A choice of three, a number that matters for its second value, another category. */
static infill_status run(const infill_config *config) {
    infill_param params[] = {INFILL_CATEGORICAL(3), INFILL_REAL(0, 1), INFILL_CATEGORICAL(2)};
    infill_space space = INFILL_SPACE(params, 3);
    infill_condition condition;
    infill_opt *opt = NULL;
    infill_status status;
    memset(&condition, 0, sizeof condition);
    condition.child = 1;
    condition.when = INFILL_WHEN_EQUALS;
    condition.lo = 1;
    space.conditions = &condition;
    space.count = 1;
    status = infill_new(&space, config, &opt);
    for (int i = 0; status == INFILL_OK && i < 8; i++) {
        double x[3];
        infill_trial trial = 0;
        OK(infill_ask(opt, x, 3, &trial));
        OK(infill_tell(opt, trial, x[0] + (x[1] - 0.3) * (x[1] - 0.3) + x[2]));
    }
    infill_free(opt);
    return status;
}

static void similarities(void) {
    infill_config config = small_config(INFILL_F64);
    CHECK(config.categories == INFILL_CATEGORIES_HAMMING && config.structure == INFILL_STRUCTURE_PRODUCT);
    CHECK(config.branches == INFILL_BRANCHES_SHARED);
    for (uint32_t i = 0; i < 24; i++) {
        config.categories = i % 4;
        config.structure = i / 4 % 3;
        config.branches = i / 12;
        OK(run(&config));
    }
    config = small_config(INFILL_F64);
    config.model = INFILL_MODEL_MONDRIAN;
    config.branches = INFILL_BRANCHES_APART;
    OK(run(&config));
    config.categories = INFILL_CATEGORIES_ONE_HOT;
    STATUS(INFILL_ERROR_UNSUPPORTED, run(&config));
    config = small_config(INFILL_F64);
    config.categories = 4;
    STATUS(INFILL_ERROR_CONFIG, run(&config));
    config.categories = 0;
    config.structure = 3;
    STATUS(INFILL_ERROR_CONFIG, run(&config));
    config.structure = 0;
    config.branches = 2;
    STATUS(INFILL_ERROR_CONFIG, run(&config));
}

int main(void) {
    kernels();
    similarities();
    return report("similarity");
}
