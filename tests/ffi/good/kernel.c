/*
 * A composite kernel against its formula, gradients against differences; each operation is in golden.c.
 *
 * With an argument the library is told of more memory than there is, which a checker has to notice.
 */

#include "good.h"

/* k(a, b) of a kernel at its starting hyperparameters; the gradients are compared with differences. */
static void kernel_at(const infill_kernel *kernel, const double *a, const double *b) {
    double theta[8], moved[8], by_theta[8], by_a[2], value = NAN, again = NAN, up = NAN, down = NAN;
    const double h = 1e-5;
    size_t thetas = 0;
    OK(infill_kernel_thetas(kernel, 2, &thetas));
    CHECK(thetas <= 8);
    OK(infill_kernel_start(kernel, 2, theta, thetas));
    OK(infill_kernel_eval(kernel, theta, thetas, a, b, 2, &value));
    OK(infill_kernel_gradient(kernel, theta, thetas, a, b, 2, &again, by_theta, by_a));
    CLOSE(value, again, 1e-14);
    OK(infill_kernel_eval(kernel, theta, thetas, b, a, 2, &again));
    CLOSE(value, again, 1e-14);
    for (size_t i = 0; i < thetas; i++) {
        memcpy(moved, theta, sizeof moved);
        moved[i] = theta[i] + h;
        OK(infill_kernel_eval(kernel, moved, thetas, a, b, 2, &up));
        moved[i] = theta[i] - h;
        OK(infill_kernel_eval(kernel, moved, thetas, a, b, 2, &down));
        CLOSE((up - down) / (2 * h), by_theta[i], 1e-7);
    }
    for (size_t i = 0; i < 2; i++) {
        double point[2];
        memcpy(point, a, sizeof point);
        point[i] = a[i] + h;
        OK(infill_kernel_eval(kernel, theta, thetas, point, b, 2, &up));
        point[i] = a[i] - h;
        OK(infill_kernel_eval(kernel, theta, thetas, point, b, 2, &down));
        CLOSE((up - down) / (2 * h), by_a[i], 1e-7);
    }
}

/* s²·(SE over coordinate 0 + Matérn-1/2 over coordinate 1)·SE with a length for each of both, and its matrix. */
static void composite(void) {
    static const uint16_t list[] = {1};
    static const double x[6] = {0.1, 0.2, 0.6, 0.9, 0.4, 0.3};
    infill_node nodes[6];
    infill_kernel kernel = {nodes, 6};
    infill_hyper variance = hyper(INFILL_ROLE_VARIANCE, 3);
    double theta[8], matrix[6], value = NAN;
    size_t thetas = 0;
    nodes[0] = node(INFILL_OP_SQUARED_EXPONENTIAL);
    nodes[0].count = 1;
    nodes[1] = node(INFILL_OP_MATERN12);
    nodes[1].list = list;
    nodes[1].count = 1;
    nodes[2] = node(INFILL_OP_SUM);
    nodes[3] = node(INFILL_OP_SQUARED_EXPONENTIAL);
    nodes[3].flags = INFILL_NODE_ARD;
    nodes[4] = node(INFILL_OP_PRODUCT);
    nodes[5] = node(INFILL_OP_SCALE);
    nodes[5].hypers = &variance;
    nodes[5].hyper_count = 1;
    OK(infill_kernel_thetas(&kernel, 2, &thetas));
    CHECK(thetas == 5);
    OK(infill_kernel_start(&kernel, 2, theta, thetas));
    OK(infill_kernel_gram(&kernel, theta, thetas, x, 3, 2, matrix));
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j <= i; j++) {
            /* The standard length is 1/2. */
            double d0 = 2 * (x[2 * i] - x[2 * j]), d1 = 2 * (x[2 * i + 1] - x[2 * j + 1]);
            double expected = 3 * (exp(-d0 * d0 / 2) + exp(-fabs(d1))) * exp(-(d0 * d0 + d1 * d1) / 2);
            CLOSE(expected, matrix[i * (i + 1) / 2 + j], 1e-13);
            OK(infill_kernel_eval(&kernel, theta, thetas, x + 2 * i, x + 2 * j, 2, &value));
            CLOSE(expected, value, 1e-13);
        }
    }
    kernel_at(&kernel, x, x + 2);
}

/* Wrong on purpose: three numbers where four are announced. */
static int overread(void) {
    infill_node n = node(INFILL_OP_LINEAR);
    infill_kernel kernel = {&n, 1};
    double *x = (double *)reserve(3 * sizeof *x), matrix[3], theta = 0;
    (void)infill_kernel_gram(&kernel, &theta, 1, x, 2, 2, matrix);
    free(x);
    return 0;
}

int main(int count, char **arguments) {
    (void)arguments;
    if (count > 1) {
        return overread();
    }
    composite();
    return report("good/kernel");
}
