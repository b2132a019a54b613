/*
 * Kernels of conditional and mixed spaces: each node against its formula and its differences, and every similarity of the
 * default kernel in an optimizer.
 */

#include "check.h"

static const double PI = 3.14159265358979323846;

/* k(a, b) over three coordinates at the first hyperparameters; slopes are compared with differences where there are some. */
static double at(infill_node node, const double *a, const double *b, size_t smooth) {
    infill_kernel kernel = {&node, 1};
    const double h = 1e-5;
    double theta[8], moved[8], by_theta[8], by_a[3], value = NAN, again = NAN, up = NAN, down = NAN;
    size_t thetas = 0;
    OK(infill_kernel_thetas(&kernel, 3, &thetas));
    CHECK(thetas <= 8);
    OK(infill_kernel_start(&kernel, 3, theta, thetas));
    OK(infill_kernel_eval(&kernel, theta, thetas, a, b, 3, &value));
    OK(infill_kernel_gradient(&kernel, theta, thetas, a, b, 3, &again, by_theta, by_a));
    CLOSE(value, again, 1e-14);
    for (size_t i = 0; i < thetas; i++) {
        memcpy(moved, theta, sizeof moved);
        moved[i] = theta[i] + h;
        OK(infill_kernel_eval(&kernel, moved, thetas, a, b, 3, &up));
        moved[i] = theta[i] - h;
        OK(infill_kernel_eval(&kernel, moved, thetas, a, b, 3, &down));
        CLOSE((up - down) / (2 * h), by_theta[i], 1e-7);
    }
    for (size_t i = 0; i < 3; i++) {
        double point[3];
        memcpy(point, a, sizeof point);
        point[i] = a[i] + h;
        OK(infill_kernel_eval(&kernel, theta, thetas, point, b, 3, &up));
        point[i] = a[i] - h;
        OK(infill_kernel_eval(&kernel, theta, thetas, point, b, 3, &down));
        CLOSE(i < smooth ? (up - down) / (2 * h) : 0.0, by_a[i], 1e-7);
    }
    return value;
}

static infill_node node(uint32_t op, uint32_t degree, const uint16_t *list, size_t count) {
    infill_node n;
    memset(&n, 0, sizeof n);
    n.op = op;
    n.degree = degree;
    n.list = list;
    n.count = count;
    return n;
}

static void kernels(void) {
    static const double a[3] = {0.3, 0.9, 0.25}, b[3] = {0.7, 0.4, 0.75}, c[3] = {0.2, -1, 0.25};
    static const uint16_t last[] = {2}, two[] = {0, 1}, first[] = {0}, mixed[] = {0, 1, 2}, wrong[] = {2, 0, 1};
    infill_hyper circle[2], length;
    double chord0 = 2 * 1.5 * sin(PI * 0.4 * 0.4 / 2), chord1 = 2 * 1.5 * sin(PI * 0.4 * 0.5 / 2), q;
    infill_node n = node(INFILL_OP_BRANCH, 0, last, 1);
    infill_kernel kernel = {&n, 1};
    size_t thetas = 9;
    CLOSE(0.0, at(n, a, b, 0), 0);
    CLOSE(1.0, at(n, a, c, 0), 0);
    OK(infill_kernel_thetas(&kernel, 3, &thetas));
    CHECK(thetas == 0);
    n = node(INFILL_OP_ACTIVE, 0, two, 2);
    CLOSE(1.0, at(n, a, b, 3), 0);
    CLOSE(0.0, at(n, a, c, 3), 0);
    memset(circle, 0, sizeof circle);
    circle[0].role = INFILL_ROLE_ANGLE;
    circle[0].value = 0.4;
    circle[0].lo = 0.1;
    circle[0].hi = 1;
    circle[1].role = INFILL_ROLE_RADIUS;
    circle[1].value = 1.5;
    circle[1].lo = 0.1;
    circle[1].hi = 10;
    n = node(INFILL_OP_ARC, INFILL_OP_SQUARED_EXPONENTIAL, two, 2);
    n.hypers = circle;
    n.hyper_count = 2;
    CLOSE(exp(-(chord0 * chord0 + chord1 * chord1) / 2), at(n, a, b, 3), 1e-13);
    n.degree = INFILL_OP_MATERN12;
    n.flags = INFILL_NODE_ARD;
    chord0 = 2 * 1.5 * sin(PI * 0.4 * 0.1 / 2);
    CLOSE(exp(-sqrt(chord0 * chord0 + 1.5 * 1.5)), at(n, a, c, 3), 1e-13);
    n.list = first;
    n.count = 1;
    CLOSE(exp(-chord0), at(n, a, c, 3), 1e-13);
    n.degree = INFILL_OP_LAPLACE;
    STATUS(INFILL_ERROR_KERNEL, infill_kernel_thetas(&kernel, 3, &thetas));
    memset(&length, 0, sizeof length);
    length.role = INFILL_ROLE_LENGTH;
    length.value = 0.8;
    length.lo = 0.1;
    length.hi = 10;
    n = node(INFILL_OP_ONE_HOT, INFILL_OP_MATERN52 + 256 * 1, mixed, 3);
    n.hypers = &length;
    n.hyper_count = 1;
    q = 5 * (0.4 * 0.4 + 0.5 * 0.5 + 2) / (0.8 * 0.8);
    CLOSE((1 + sqrt(q) + q / 3) * exp(-sqrt(q)), at(n, a, b, 2), 1e-13);
    n.list = wrong;
    n.degree = INFILL_OP_MATERN52 + 256 * 2;
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
    config.branches = 0;
    config.similarity_reserved = 1;
    STATUS(INFILL_ERROR_CONFIG, run(&config));
}

int main(void) {
    kernels();
    similarities();
    return report("similarity");
}
