/* Kernels, alone and of a process. */

#include "world.h"

/* A malformed kernel is refused by all that take one. */
#define KERNEL(expected)                                                                                   \
    do {                                                                                                   \
        REFUSE(expected, infill_kernel_thetas(&w.kernel, DIMS, &w.out.count));                             \
        REFUSE(expected, infill_kernel_start(&w.kernel, DIMS, w.out.x, 2));                                \
        REFUSE(expected, infill_kernel_eval(&w.kernel, w.theta, 2, w.a, w.b, DIMS, &w.out.value));         \
        REFUSE(expected, infill_kernel_gradient(&w.kernel, w.theta, 2, w.a, w.b, DIMS, &w.out.value,       \
                                                w.out.x, w.out.y));                                        \
        REFUSE(expected, infill_kernel_gram(&w.kernel, w.theta, 2, w.a, 2, DIMS, w.out.matrix));           \
        REFUSE(expected, infill_gp_init(w.spare, sizeof w.spare, &w.process, &w.out.gp));                  \
        REFUSE(expected, infill_gp_new(&w.process, &w.out.gp));                                            \
        ZERO(infill_gp_size(&w.process));                                                                  \
    } while (0)

static void kernels(void) {
    const infill_kernel *kernel = &w.kernel;
    const double *theta = w.theta, *a = w.a, *b = w.b;
    double *x = w.out.x, *y = w.out.y, *value = &w.out.value, *matrix = w.out.matrix;
    size_t *count = &w.out.count;
    const infill_node leaf = w.nodes[0], scale = w.nodes[1];
    const infill_hyper hyper = w.hypers[0];
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    static const uint16_t falling[] = {1, 0}, beyond[] = {0, 2};
    POINTER(kernel, infill_kernel_thetas(kernel, DIMS, count));
    POINTER(count, infill_kernel_thetas(kernel, DIMS, count));
    POINTER(kernel, infill_kernel_start(kernel, DIMS, x, 2));
    POINTER(x, infill_kernel_start(kernel, DIMS, x, 2));
    POINTER(kernel, infill_kernel_eval(kernel, theta, 2, a, b, DIMS, value));
    POINTER(theta, infill_kernel_eval(kernel, theta, 2, a, b, DIMS, value));
    POINTER(a, infill_kernel_eval(kernel, theta, 2, a, b, DIMS, value));
    POINTER(b, infill_kernel_eval(kernel, theta, 2, a, b, DIMS, value));
    POINTER(value, infill_kernel_eval(kernel, theta, 2, a, b, DIMS, value));
    POINTER(kernel, infill_kernel_gradient(kernel, theta, 2, a, b, DIMS, value, x, y));
    POINTER(theta, infill_kernel_gradient(kernel, theta, 2, a, b, DIMS, value, x, y));
    POINTER(a, infill_kernel_gradient(kernel, theta, 2, a, b, DIMS, value, x, y));
    POINTER(b, infill_kernel_gradient(kernel, theta, 2, a, b, DIMS, value, x, y));
    POINTER(value, infill_kernel_gradient(kernel, theta, 2, a, b, DIMS, value, x, y));
    POINTER(x, infill_kernel_gradient(kernel, theta, 2, a, b, DIMS, value, x, y));
    POINTER(y, infill_kernel_gradient(kernel, theta, 2, a, b, DIMS, value, x, y));
    POINTER(kernel, infill_kernel_gram(kernel, theta, 2, a, 2, DIMS, matrix));
    POINTER(theta, infill_kernel_gram(kernel, theta, 2, a, 2, DIMS, matrix));
    POINTER(a, infill_kernel_gram(kernel, theta, 2, a, 2, DIMS, matrix));
    POINTER(matrix, infill_kernel_gram(kernel, theta, 2, a, 2, DIMS, matrix));
    /* Counts. */
    REFUSE(INFILL_ERROR_SHAPE, infill_kernel_start(kernel, DIMS, x, 1));
    REFUSE(INFILL_ERROR_SHAPE, infill_kernel_start(kernel, DIMS, x, 3));
    REFUSE(INFILL_ERROR_SHAPE, infill_kernel_start(kernel, DIMS, x, 0));
    REFUSE(INFILL_ERROR_SHAPE, infill_kernel_eval(kernel, theta, 1, a, b, DIMS, value));
    REFUSE(INFILL_ERROR_SHAPE, infill_kernel_eval(kernel, theta, 3, a, b, DIMS, value));
    REFUSE(INFILL_ERROR_SHAPE, infill_kernel_eval(kernel, theta, SIZE_MAX, a, b, DIMS, value));
    REFUSE(INFILL_ERROR_SHAPE, infill_kernel_gradient(kernel, theta, 1, a, b, DIMS, value, x, y));
    REFUSE(INFILL_ERROR_SHAPE, infill_kernel_gram(kernel, theta, 1, a, 2, DIMS, matrix));
    REFUSE(INFILL_ERROR_SHAPE, infill_kernel_gram(kernel, theta, 2, a, SIZE_MAX, DIMS, matrix));
    REFUSE(INFILL_ERROR_SHAPE, infill_kernel_gram(kernel, theta, 2, a, 2, SIZE_MAX, matrix));
    for (int i = 0; i < 3; i++) {
        WITH(double, w.theta[0], nan_or_inf[i], INFILL_ERROR_NOT_FINITE,
             infill_kernel_eval(kernel, theta, 2, a, b, DIMS, value));
        WITH(double, w.a[0], nan_or_inf[i], INFILL_ERROR_NOT_FINITE,
             infill_kernel_eval(kernel, theta, 2, a, b, DIMS, value));
        WITH(double, w.b[1], nan_or_inf[i], INFILL_ERROR_NOT_FINITE,
             infill_kernel_gradient(kernel, theta, 2, a, b, DIMS, value, x, y));
        WITH(double, w.a[3], nan_or_inf[i], INFILL_ERROR_NOT_FINITE,
             infill_kernel_gram(kernel, theta, 2, a, 2, DIMS, matrix));
    }
    /* Pointers and numbers inside. */
    w.kernel.nodes = NULL;
    KERNEL(INFILL_ERROR_NULL);
    w.kernel.nodes = (const infill_node *)(const void *)((const char *)w.nodes + 4);
    KERNEL(INFILL_ERROR_ALIGNMENT);
    w.kernel.nodes = w.nodes;
    w.kernel.count = 0;
    KERNEL(INFILL_ERROR_KERNEL);
    w.kernel.count = 3;
    KERNEL(INFILL_ERROR_KERNEL);
    w.kernel.count = 2;
    w.nodes[1].hypers = NULL;
    KERNEL(INFILL_ERROR_NULL);
    w.nodes[1].hypers = (const infill_hyper *)(const void *)((const char *)w.hypers + 4);
    KERNEL(INFILL_ERROR_ALIGNMENT);
    w.nodes[1] = scale;
    w.nodes[0].list = (const uint16_t *)(const void *)((const char *)w.none + 1);
    w.nodes[0].count = 1;
    KERNEL(INFILL_ERROR_ALIGNMENT);
    w.nodes[0].list = falling;
    w.nodes[0].count = 2;
    KERNEL(INFILL_ERROR_KERNEL);
    w.nodes[0].list = beyond;
    KERNEL(INFILL_ERROR_KERNEL);
    w.nodes[0] = leaf;
    {
        const uint32_t none[] = {0, 5, 15, 50, 255, 256 + INFILL_OP_MATERN52, UINT32_MAX};
        for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
            w.nodes[0].op = none[i];
            KERNEL(INFILL_ERROR_KERNEL);
        }
    }
    w.nodes[0] = leaf;
    w.nodes[0].flags = 4;
    KERNEL(INFILL_ERROR_KERNEL);
    w.nodes[0].flags = UINT32_MAX;
    KERNEL(INFILL_ERROR_KERNEL);
    /* No polynomial: neither a degree nor a constant input. */
    w.nodes[0] = leaf;
    w.nodes[0].degree = 2;
    KERNEL(INFILL_ERROR_KERNEL);
    w.nodes[0] = leaf;
    w.nodes[0].op = INFILL_OP_POLYNOMIAL;
    w.nodes[0].degree = 17;
    KERNEL(INFILL_ERROR_KERNEL);
    w.nodes[0] = leaf;
    w.nodes[0].first = 1;
    w.nodes[0].count = 2;
    KERNEL(INFILL_ERROR_KERNEL);
    w.nodes[0].first = UINT32_MAX;
    KERNEL(INFILL_ERROR_KERNEL);
    w.nodes[0] = leaf;
    w.nodes[0].count = SIZE_MAX;
    KERNEL(INFILL_ERROR_KERNEL);
    w.nodes[0] = scale;
    w.nodes[1] = leaf;
    KERNEL(INFILL_ERROR_KERNEL);
    w.nodes[0] = leaf;
    KERNEL(INFILL_ERROR_KERNEL);
    w.nodes[1] = scale;
    w.hypers[0].role = 0;
    KERNEL(INFILL_ERROR_KERNEL);
    w.hypers[0].role = 8;
    KERNEL(INFILL_ERROR_KERNEL);
    w.hypers[0].role = INFILL_ROLE_LENGTH;
    KERNEL(INFILL_ERROR_KERNEL);
    w.hypers[0] = hyper;
    w.hypers[0].prior = 4;
    KERNEL(INFILL_ERROR_KERNEL);
    /* A uniform prior has no numbers; those of others are positive. */
    w.hypers[0].prior = INFILL_PRIOR_UNIFORM;
    w.hypers[0].prior_sd = 1;
    KERNEL(INFILL_ERROR_KERNEL);
    for (uint32_t prior = INFILL_PRIOR_GAMMA; prior <= INFILL_PRIOR_HORSESHOE; prior++) {
        w.hypers[0].prior = prior;
        for (int i = 0; i < 3; i++) {
            w.hypers[0].prior_mean = i == 0 ? nan_or_inf[0] : 0 - (double)i;
            w.hypers[0].prior_sd = 1;
            KERNEL(INFILL_ERROR_THETA);
            w.hypers[0].prior_sd = w.hypers[0].prior_mean;
            w.hypers[0].prior_mean = 1;
            KERNEL(INFILL_ERROR_THETA);
        }
    }
    w.hypers[0] = hyper;
    for (int i = 0; i < 3; i++) {
        w.hypers[0].value = nan_or_inf[i];
        KERNEL(INFILL_ERROR_THETA);
        w.hypers[0] = hyper;
        w.hypers[0].lo = nan_or_inf[i];
        KERNEL(INFILL_ERROR_THETA);
        w.hypers[0] = hyper;
        w.hypers[0].hi = nan_or_inf[i];
        KERNEL(INFILL_ERROR_THETA);
        w.hypers[0] = hyper;
        w.hypers[0].prior_sd = nan_or_inf[i];
        KERNEL(INFILL_ERROR_THETA);
        w.hypers[0].prior_sd = 1;
        w.hypers[0].prior_mean = nan_or_inf[i];
        KERNEL(INFILL_ERROR_THETA);
        w.hypers[0] = hyper;
    }
    w.hypers[0].lo = 0;
    KERNEL(INFILL_ERROR_THETA);
    w.hypers[0] = hyper;
    w.hypers[0].value = 20;
    KERNEL(INFILL_ERROR_THETA);
    w.hypers[0] = hyper;
    w.hypers[0].prior_sd = -1;
    KERNEL(INFILL_ERROR_THETA);
    w.hypers[0] = hyper;
}

int main(void) { return in_both_scalars("bad/kernel", kernels); }
