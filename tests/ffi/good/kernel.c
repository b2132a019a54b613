/*
 * Kernels against their formulas, gradients against differences.
 *
 * With an argument the library is told of more memory than there is, which a checker has to notice.
 */

#include "good.h"

/*
 * k(a, b) of a kernel at its starting hyperparameters; the gradients are compared with differences, where there is
 * one: hyperparameters that are not learnt come last.
 */
static double kernel_at(const infill_kernel *kernel, const double *a, const double *b, size_t learnt, int smooth) {
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
        CLOSE(i < learnt ? (up - down) / (2 * h) : 0.0, by_theta[i], 1e-7);
    }
    for (size_t i = 0; i < 2; i++) {
        double point[2];
        memcpy(point, a, sizeof point);
        point[i] = a[i] + h;
        OK(infill_kernel_eval(kernel, theta, thetas, point, b, 2, &up));
        point[i] = a[i] - h;
        OK(infill_kernel_eval(kernel, theta, thetas, point, b, 2, &down));
        CLOSE(smooth ? (up - down) / (2 * h) : 0.0, by_a[i], 1e-7);
    }
    return value;
}

static double leaf(uint32_t op, uint32_t flags, uint32_t degree, const infill_hyper *hypers, size_t count) {
    static const double a[2] = {0.3, 0.9}, b[2] = {0.7, 0.4};
    infill_node n = node(op);
    infill_kernel kernel = {&n, 1};
    n.flags = flags;
    n.degree = degree;
    n.hypers = hypers;
    n.hyper_count = count;
    return kernel_at(&kernel, a, b, op == INFILL_OP_MATERN ? 1 : 8,
                     op != INFILL_OP_HAMMING && op != INFILL_OP_EXCHANGEABLE && op != INFILL_OP_CONSTANT);
}

static void kernels(void) {
    const double l = 0.6, s2 = 2.5, da = -0.4, db = 0.5, tolerance = 1e-13;
    const double r = sqrt(da * da + db * db) / l, aa = 0.3 * 0.3 + 0.9 * 0.9, bb = 0.7 * 0.7 + 0.4 * 0.4;
    const double ab = 0.3 * 0.7 + 0.9 * 0.4, w = 0.8, w0 = 0.25, p = 1.7, shape = 1.5;
    const double s5 = sqrt(5.0) * r, s3 = sqrt(3.0) * r;
    infill_hyper length = hyper(INFILL_ROLE_LENGTH, l), variance = hyper(INFILL_ROLE_VARIANCE, s2);
    infill_hyper weight = hyper(INFILL_ROLE_WEIGHT, w), correlation = hyper(INFILL_ROLE_CORRELATION, 0.3);
    infill_hyper waves[2], shaped[2], biased[2];
    waves[0] = length;
    waves[1] = hyper(INFILL_ROLE_PERIOD, p);
    shaped[0] = length;
    shaped[1] = hyper(INFILL_ROLE_SHAPE, shape);
    biased[0] = weight;
    biased[1] = hyper(INFILL_ROLE_BIAS, w0);
    CLOSE(s2, leaf(INFILL_OP_CONSTANT, 0, 0, &variance, 1), tolerance);
    CLOSE(exp(-r * r / 2), leaf(INFILL_OP_SQUARED_EXPONENTIAL, 0, 0, &length, 1), tolerance);
    CLOSE(exp(-r), leaf(INFILL_OP_MATERN12, 0, 0, &length, 1), tolerance);
    CLOSE((1 + s3) * exp(-s3), leaf(INFILL_OP_MATERN32, 0, 0, &length, 1), tolerance);
    CLOSE((1 + s5 + 5 * r * r / 3) * exp(-s5), leaf(INFILL_OP_MATERN52, 0, 0, &length, 1), tolerance);
    CLOSE((1 + s3) * exp(-s3), leaf(INFILL_OP_MATERN, 0, 0, shaped, 2), 1e-12);
    CLOSE(pow(1 + r * r / (2 * shape), -shape), leaf(INFILL_OP_RATIONAL_QUADRATIC, 0, 0, shaped, 2), tolerance);
    CLOSE(exp(-pow(r, shape)), leaf(INFILL_OP_GAMMA_EXPONENTIAL, 0, 0, shaped, 2), tolerance);
    CLOSE(exp(-(fabs(da) + fabs(db)) / l), leaf(INFILL_OP_LAPLACE, 0, 0, &length, 1), tolerance);
    CLOSE(exp(-2 * (pow(sin(PI * da / p), 2) + pow(sin(PI * db / p), 2)) / (l * l)),
          leaf(INFILL_OP_PERIODIC, 0, 0, waves, 2), tolerance);
    CLOSE(cos(2 * PI * (da + db) / p), leaf(INFILL_OP_COSINE, 0, 0, waves + 1, 1), tolerance);
    CLOSE(w * ab, leaf(INFILL_OP_LINEAR, 0, 0, &weight, 1), tolerance);
    CLOSE(pow(w * ab + w0, 3), leaf(INFILL_OP_POLYNOMIAL, 0, 3, biased, 2), tolerance);
    CLOSE(pow(w * ab, 2), leaf(INFILL_OP_POLYNOMIAL, INFILL_NODE_NO_BIAS, 2, &weight, 1), tolerance);
    CLOSE(2 / PI * asin(2 * (w0 + w * ab) / sqrt((1 + 2 * (w0 + w * aa)) * (1 + 2 * (w0 + w * bb)))),
          leaf(INFILL_OP_ARC_SINE, 0, 0, biased, 2), tolerance);
    CLOSE(exp(-2 * w), leaf(INFILL_OP_HAMMING, 0, 0, &weight, 1), tolerance);
    CLOSE(0.3 * 0.3, leaf(INFILL_OP_EXCHANGEABLE, 0, 0, &correlation, 1), tolerance);
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
    kernel_at(&kernel, x, x + 2, 8, 1);
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
    kernels();
    composite();
    return report("good/kernel");
}
