/* A process alone: against numbers solved by hand, with a covariance of the program's own, with rows that come and go. */

#include "good.h"

static infill_gp_config process_config(const infill_kernel *kernel, uint32_t scalar, uint32_t trend) {
    infill_gp_config config;
    OK(infill_gp_config_default(&config, sizeof config));
    CHECK(config.size == sizeof config && config.trend == INFILL_TREND_ZERO && config.kernel == NULL);
    config.rows = 6;
    config.dims = 1;
    config.batch = 4;
    config.kernel = kernel;
    config.scalar = scalar;
    config.trend = trend;
    config.noise_variance = 0.01;
    return config;
}

static double se(double a, double b) { return exp(-(a - b) * (a - b) / 2); }

/* Two observations of a process with a squared exponential of length 1, solved by hand. */
static void by_hand(uint32_t scalar) {
    const double tolerance = scalar == INFILL_F32 ? 2e-6 : 1e-13, v = 0.01;
    const double x[2] = {0.0, 1.0}, y[2] = {1.0, -0.5}, t[3] = {0.3, 1.4, 2.0};
    const double k = se(0, 1), d = 1 + v, det = d * d - k * k;
    const double a0 = (d * y[0] - k * y[1]) / det, a1 = (d * y[1] - k * y[0]) / det;
    infill_hyper length = hyper(INFILL_ROLE_LENGTH, 1);
    infill_node n = node(INFILL_OP_SQUARED_EXPONENTIAL);
    infill_kernel kernel = {&n, 1};
    infill_gp_config config = process_config(&kernel, scalar, INFILL_TREND_ZERO);
    infill_gp *gp = NULL;
    double mean = NAN, variance = NAN, means[3], matrix[6], slope[1], spread[1], value = NAN, other = NAN, theta[2];
    void *mem;
    n.hypers = &length;
    n.hyper_count = 1;
    CHECK(infill_gp_size(&config) > 0 && infill_gp_size(&config) % 8 == 0);
    mem = reserve(infill_gp_size(&config));
    OK(infill_gp_init(mem, infill_gp_size(&config), &config, &gp));
    CHECK((void *)gp == mem && infill_gp_rows(gp) == 0 && infill_gp_thetas(gp) == 2);
    OK(infill_gp_theta(gp, theta, 2));
    CLOSE(0.0, theta[0], 1e-15);
    CLOSE(log(v), theta[1], tolerance);
    OK(infill_gp_push(gp, &x[0], 1, y[0], 0));
    OK(infill_gp_push(gp, &x[1], 1, y[1], 0));
    CHECK(infill_gp_rows(gp) == 2);
    OK(infill_gp_fit(gp, NULL));
    OK(infill_gp_jitter(gp, &value));
    CHECK(value == 0);
    for (size_t i = 0; i < 3; i++) {
        double k0 = se(t[i], 0), k1 = se(t[i], 1), k0x = -t[i] * k0, k1x = -(t[i] - 1) * k1;
        double b0 = (d * k0 - k * k1) / det, b1 = (d * k1 - k * k0) / det;
        OK(infill_gp_predict(gp, &t[i], 1, &mean, &variance));
        CLOSE(k0 * a0 + k1 * a1, mean, tolerance);
        CLOSE(1 - k0 * b0 - k1 * b1, variance, tolerance);
        OK(infill_gp_predict_gradient(gp, &t[i], 1, &value, &other, slope, spread));
        CLOSE(mean, value, tolerance);
        CLOSE(variance, other, tolerance);
        CLOSE(k0x * a0 + k1x * a1, slope[0], tolerance);
        CLOSE(-2 * (k0x * b0 + k1x * b1), spread[0], 4 * tolerance);
    }
    OK(infill_gp_predict_joint(gp, t, 3, 1, means, matrix));
    for (size_t i = 0; i < 3; i++) {
        double k0 = se(t[i], 0), k1 = se(t[i], 1);
        OK(infill_gp_predict(gp, &t[i], 1, &mean, &variance));
        CLOSE(mean, means[i], tolerance);
        CLOSE(variance, matrix[i * (i + 1) / 2 + i], tolerance);
        for (size_t j = 0; j < i; j++) {
            double j0 = se(t[j], 0), j1 = se(t[j], 1);
            double b0 = (d * j0 - k * j1) / det, b1 = (d * j1 - k * j0) / det;
            CLOSE(se(t[i], t[j]) - k0 * b0 - k1 * b1, matrix[i * (i + 1) / 2 + j], tolerance);
        }
    }
    /* The evidence, and each value given the other. */
    OK(infill_gp_evidence(gp, NULL, INFILL_OBJECTIVE_EVIDENCE, &value, NULL, 0));
    CLOSE(-(y[0] * a0 + y[1] * a1) / 2 - log(det) / 2 - log(2 * PI), value, tolerance);
    OK(infill_gp_evidence(gp, NULL, INFILL_OBJECTIVE_LEAVE_ONE_OUT, &value, NULL, 0));
    {
        double s2 = d - k * k / d, e0 = y[0] - k / d * y[1], e1 = y[1] - k / d * y[0];
        CLOSE(-log(2 * PI * s2) - (e0 * e0 + e1 * e1) / (2 * s2), value, 4 * tolerance);
        CLOSE(-(log(2 * PI * (y[0] * a0 + y[1] * a1) / 2) + 1) - log(det) / 2,
              (OK(infill_gp_likelihood(gp, &other)), other), 4 * tolerance);
    }
    /* A fitted process stays fitted. */
    OK(infill_gp_predict(gp, &t[0], 1, &mean, &variance));
    CLOSE(means[0], mean, tolerance);
    free(mem);
}

/* With a constant trend, observations that mirror each other have their mean as coefficient. */
static void trends(uint32_t scalar) {
    const double tolerance = scalar == INFILL_F32 ? 1e-5 : 1e-12, x[3] = {0, 1, 2}, y[3] = {3, 5, 7};
    infill_node n = node(INFILL_OP_SQUARED_EXPONENTIAL);
    infill_kernel kernel = {&n, 1};
    infill_gp_config config = process_config(&kernel, scalar, INFILL_TREND_CONSTANT);
    infill_gp *gp = NULL;
    double beta[2], mean = NAN, variance = NAN;
    OK(infill_gp_new(&config, &gp));
    OK(infill_gp_push(gp, &x[0], 1, y[0], 0));
    OK(infill_gp_push(gp, &x[1], 1, y[1], 0));
    OK(infill_gp_fit(gp, NULL));
    OK(infill_gp_trend(gp, beta, 1));
    CLOSE(4.0, beta[0], tolerance);
    infill_gp_free(gp);
    /* A line is a linear trend, and goes on as one far away. */
    config.trend = INFILL_TREND_LINEAR;
    OK(infill_gp_new(&config, &gp));
    for (size_t i = 0; i < 3; i++) {
        OK(infill_gp_push(gp, &x[i], 1, y[i], 0));
    }
    OK(infill_gp_fit(gp, NULL));
    OK(infill_gp_trend(gp, beta, 2));
    CLOSE(3.0, beta[0], tolerance);
    CLOSE(2.0, beta[1], tolerance);
    {
        double far = 50;
        OK(infill_gp_predict(gp, &far, 1, &mean, &variance));
        CLOSE(103.0, mean, tolerance);
    }
    infill_gp_free(gp);
    infill_gp_free(NULL);
}

/* The same squared exponential, with a variance, as functions of this program. */
static double own_eval(void *user, const double *theta, const double *a, const double *b) {
    double r = (a[0] - b[0]) / exp(theta[0]);
    ++*(long *)user;
    return exp(theta[1]) * exp(-r * r / 2);
}

static void own_gradient(void *user, const double *theta, const double *a, const double *b, double *out) {
    double r = (a[0] - b[0]) / exp(theta[0]), k = own_eval(user, theta, a, b);
    out[0] = k * r * r;
    out[1] = k;
}

static void own_gradient_x(void *user, const double *theta, const double *a, const double *b, double *out) {
    double l = exp(theta[0]);
    out[0] = -own_eval(user, theta, a, b) * (a[0] - b[0]) / (l * l);
}

/* Both processes, with the library's kernel and with one's own, agree in all they can be asked. */
static void own_covariance(uint32_t scalar) {
    const double tolerance = scalar == INFILL_F32 ? 3e-5 : 1e-11;
    const double start[2] = {log(0.5), 0.0}, lo[2] = {log(0.01), log(1e-4)}, hi[2] = {log(100.0), log(1e4)};
    infill_node nodes[2];
    infill_kernel kernel = {nodes, 2};
    infill_covariance covariance;
    infill_gp_config config = process_config(&kernel, scalar, INFILL_TREND_CONSTANT);
    infill_training training;
    infill_gp *pair[2];
    long calls = 0;
    double mean[2], variance[2], value[2], slope[2], spread[2], gradient[2][3], theta[2][3], drawn[2][3], joint[2][6];
    const double t[3] = {0.25, 0.55, 1.3}, set[3] = {-0.3, 0.4, log(0.02)};
    nodes[0] = node(INFILL_OP_SQUARED_EXPONENTIAL);
    nodes[1] = node(INFILL_OP_SCALE);
    memset(&covariance, 0, sizeof covariance);
    covariance.size = sizeof covariance;
    covariance.eval = own_eval;
    covariance.gradient = own_gradient;
    covariance.gradient_x = own_gradient_x;
    covariance.user = &calls;
    covariance.thetas = 2;
    covariance.start = start;
    covariance.lo = lo;
    covariance.hi = hi;
    OK(infill_gp_new(&config, &pair[0]));
    config.covariance = &covariance;
    config.kernel = NULL;
    OK(infill_gp_new(&config, &pair[1]));
    OK(infill_training_default(&training, sizeof training));
    CHECK(training.size == sizeof training && training.evaluations > 0);
    training.restarts = 1;
    training.draws = 2;
    training.evaluations = 6;
    for (size_t g = 0; g < 2; g++) {
        infill_gp *gp = pair[g];
        for (size_t i = 0; i < 4; i++) {
            double x = 0.4 * (double)i, y = sin(3 * x);
            OK(infill_gp_push(gp, &x, 1, y, i == 2 ? 0.05 : 0));
        }
        OK(infill_gp_set_theta(gp, set, 3));
        OK(infill_gp_fit(gp, NULL));
        OK(infill_gp_predict_gradient(gp, t, 1, &mean[g], &variance[g], &slope[g], &spread[g]));
        OK(infill_gp_evidence(gp, NULL, INFILL_OBJECTIVE_EVIDENCE, &value[g], gradient[g], 3));
        OK(infill_gp_predict_joint(gp, t, 3, 1, drawn[g], joint[g]));
        OK(infill_gp_sample(gp, t, 3, 1, 11, drawn[g], joint[g]));
    }
    CHECK(calls > 0);
    CLOSE(mean[0], mean[1], tolerance);
    CLOSE(variance[0], variance[1], tolerance);
    CLOSE(slope[0], slope[1], tolerance);
    CLOSE(spread[0], spread[1], tolerance);
    CLOSE(value[0], value[1], tolerance);
    for (size_t i = 0; i < 3; i++) {
        CLOSE(gradient[0][i], gradient[1][i], 10 * tolerance);
        CLOSE(drawn[0][i], drawn[1][i], 10 * tolerance);
    }
    if (scalar == INFILL_F64) {
        /* Derivatives of both objectives by all hyperparameters against differences. */
        for (uint32_t kind = INFILL_OBJECTIVE_EVIDENCE; kind <= INFILL_OBJECTIVE_LEAVE_ONE_OUT; kind++) {
            for (size_t g = 0; g < 2; g++) {
                OK(infill_gp_set_theta(pair[g], set, 3));
                OK(infill_gp_evidence(pair[g], NULL, kind, &value[g], gradient[g], 3));
                for (size_t i = 0; i < 3; i++) {
                    double moved[3], up = NAN, down = NAN;
                    memcpy(moved, set, sizeof moved);
                    moved[i] = set[i] + 1e-5;
                    OK(infill_gp_set_theta(pair[g], moved, 3));
                    OK(infill_gp_evidence(pair[g], NULL, kind, &up, NULL, 0));
                    moved[i] = set[i] - 1e-5;
                    OK(infill_gp_set_theta(pair[g], moved, 3));
                    OK(infill_gp_evidence(pair[g], NULL, kind, &down, NULL, 0));
                    CLOSE((up - down) / 2e-5, gradient[g][i], 1e-7);
                }
            }
        }
    }
    for (size_t g = 0; g < 2; g++) {
        OK(infill_gp_set_theta(pair[g], set, 3));
        OK(infill_gp_evidence(pair[g], NULL, INFILL_OBJECTIVE_EVIDENCE, &mean[g], NULL, 0));
        OK(infill_gp_train(pair[g], NULL, &training, 5, &value[g]));
        OK(infill_gp_theta(pair[g], theta[g], 3));
        CHECK(value[g] > mean[g]);
        /* The default training, too, goes uphill or stays. */
        OK(infill_gp_train(pair[g], NULL, NULL, 5, &mean[g]));
        CHECK(mean[g] >= value[g] - 1e-3);
    }
    if (scalar == INFILL_F64) {
        CLOSE(value[0], value[1], 1e-6);
        for (size_t i = 0; i < 3; i++) {
            CLOSE(theta[0][i], theta[1][i], 1e-4);
        }
    }
    infill_gp_free(pair[0]);
    infill_gp_free(pair[1]);
}

/* Rows come and go: an extension is a fit with one more, a removal one with less. */
static void rows(uint32_t scalar) {
    const double tolerance = scalar == INFILL_F32 ? 1e-4 : 1e-11, at = 0.35;
    infill_node n = node(INFILL_OP_MATERN52);
    infill_kernel kernel = {&n, 1};
    infill_gp_config config = process_config(&kernel, scalar, INFILL_TREND_ZERO);
    infill_gp *gp = NULL, *whole = NULL;
    double mean = NAN, variance = NAN, m = NAN, v = NAN, values[2], matrix[3], sum[2] = {0, 0}, square[3] = {0, 0, 0};
    const double two[2] = {0.35, 0.8};
    const long draws = 2000;
    OK(infill_gp_new(&config, &gp));
    OK(infill_gp_new(&config, &whole));
    for (size_t i = 0; i < 4; i++) {
        double x = 0.3 * (double)i, y = x * x;
        OK(infill_gp_push(whole, &x, 1, y, 0.001));
        if (i == 0) {
            OK(infill_gp_push(gp, &x, 1, y, 0.001));
            OK(infill_gp_fit(gp, NULL));
        } else {
            OK(infill_gp_extend(gp, &x, 1, y, 0.001));
        }
    }
    OK(infill_gp_fit(whole, NULL));
    OK(infill_gp_predict(gp, &at, 1, &mean, &variance));
    OK(infill_gp_predict(whole, &at, 1, &m, &v));
    CLOSE(m, mean, tolerance);
    CLOSE(v, variance, tolerance);
    /* Draws have the moments of the joint prediction. */
    for (long i = 0; i < draws; i++) {
        OK(infill_gp_sample(gp, two, 2, 1, (uint64_t)i, values, matrix));
        sum[0] += values[0];
        sum[1] += values[1];
        square[0] += values[0] * values[0];
        square[1] += values[0] * values[1];
        square[2] += values[1] * values[1];
    }
    OK(infill_gp_predict_joint(gp, two, 2, 1, values, matrix));
    for (size_t i = 0; i < 2; i++) {
        double deviation = sqrt(matrix[2 * i]);
        CHECK(fabs(sum[i] / (double)draws - values[i]) < 5 * deviation / sqrt((double)draws));
        for (size_t j = 0; j <= i; j++) {
            double found = square[i + j] / (double)draws - sum[i] * sum[j] / (double)(draws * draws);
            double scale = sqrt(matrix[2 * i] * matrix[2 * j]);
            CHECK(fabs(found - matrix[i + j]) < 5 * scale * sqrt(2.0 / (double)draws));
        }
    }
    OK(infill_gp_remove(gp, 1));
    CHECK(infill_gp_rows(gp) == 3);
    OK(infill_gp_clear(whole));
    CHECK(infill_gp_rows(whole) == 0);
    for (size_t i = 0; i < 4; i++) {
        double x = 0.3 * (double)i, y = x * x;
        if (i != 1) {
            OK(infill_gp_push(whole, &x, 1, y, 0.001));
        }
    }
    OK(infill_gp_fit(whole, NULL));
    OK(infill_gp_predict(gp, &at, 1, &mean, &variance));
    OK(infill_gp_predict(whole, &at, 1, &m, &v));
    CLOSE(m, mean, tolerance);
    CLOSE(v, variance, tolerance);
    /* More noise, more doubt. */
    OK(infill_gp_set_noise(gp, 0.5, 0.1, 1.0));
    OK(infill_gp_fit(gp, NULL));
    OK(infill_gp_predict(gp, &at, 1, &m, &v));
    CHECK(v > variance);
    infill_gp_free(gp);
    infill_gp_free(whole);
}

int main(void) {
    in_both_scalars(by_hand);
    in_both_scalars(trends);
    in_both_scalars(own_covariance);
    in_both_scalars(rows);
    return report("good/process");
}
