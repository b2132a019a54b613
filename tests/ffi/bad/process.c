/* A process alone: as it is made, asked and taught, and where its matrix is not positive definite. */

#include "world.h"

#define MAKE(type, field, bad, expected)                                                                       \
    do {                                                                                                       \
        type was_;                                                                                             \
        WITH(type, field, bad, expected, infill_gp_init(w.spare, sizeof w.spare, &w.process, &w.out.gp));      \
        WITH(type, field, bad, expected, infill_gp_new(&w.process, &w.out.gp));                                \
        was_ = field;                                                                                          \
        field = (bad);                                                                                         \
        ZERO(infill_gp_size(&w.process));                                                                      \
        field = was_;                                                                                          \
    } while (0)

static void processes_made(void) {
    void *mem = w.spare;
    infill_gp_config *config = &w.process, *filled = &w.out.process;
    infill_training *spent = &w.out.training;
    infill_gp **out = &w.out.gp;
    size_t bytes = infill_gp_size(config);
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    memset(w.spare, 0x5A, sizeof w.spare);
    CHECK(bytes > 0);
    POINTER(filled, infill_gp_config_default(filled, sizeof *filled));
    REFUSE(INFILL_ERROR_VERSION, infill_gp_config_default(filled, sizeof *filled + 8));
    REFUSE(INFILL_ERROR_VERSION, infill_gp_config_default(filled, sizeof *filled - 8));
    POINTER(spent, infill_training_default(spent, sizeof *spent));
    REFUSE(INFILL_ERROR_VERSION, infill_training_default(spent, sizeof *spent + 8));
    REFUSE(INFILL_ERROR_VERSION, infill_training_default(spent, sizeof *spent - 8));
    COUNTER(config, infill_gp_size(config));
    POINTER(mem, infill_gp_init(mem, sizeof w.spare, config, out));
    POINTER(config, infill_gp_init(mem, sizeof w.spare, config, out));
    POINTER(out, infill_gp_init(mem, sizeof w.spare, config, out));
    POINTER(config, infill_gp_new(config, out));
    POINTER(out, infill_gp_new(config, out));
    for (size_t size = 0; size < bytes; size += 64) {
        REFUSE(INFILL_ERROR_MEMORY, infill_gp_init(mem, size, config, out));
    }
    REFUSE(INFILL_ERROR_MEMORY, infill_gp_init(mem, bytes - 1, config, out));
    MAKE(size_t, w.process.size, sizeof w.process + 8, INFILL_ERROR_VERSION);
    MAKE(size_t, w.process.size, sizeof w.process - 8, INFILL_ERROR_VERSION);
    MAKE(size_t, w.process.size, 0, INFILL_ERROR_VERSION);
    MAKE(size_t, w.process.rows, 0, INFILL_ERROR_LIMITS);
    MAKE(size_t, w.process.rows, SIZE_MAX, INFILL_ERROR_LIMITS);
    MAKE(size_t, w.process.dims, 0, INFILL_ERROR_LIMITS);
    MAKE(size_t, w.process.dims, SIZE_MAX, INFILL_ERROR_LIMITS);
    MAKE(size_t, w.process.batch, 0, INFILL_ERROR_LIMITS);
    MAKE(size_t, w.process.batch, SIZE_MAX, INFILL_ERROR_LIMITS);
    MAKE(uint32_t, w.process.scalar, 0, INFILL_ERROR_CONFIG);
    MAKE(uint32_t, w.process.scalar, 6, INFILL_ERROR_CONFIG);
    MAKE(uint32_t, w.process.trend, 4, INFILL_ERROR_CONFIG);
    for (int i = 0; i < 3; i++) {
        MAKE(double, w.process.noise_variance, nan_or_inf[i], INFILL_ERROR_THETA);
        MAKE(double, w.process.noise_lo, nan_or_inf[i], INFILL_ERROR_THETA);
        MAKE(double, w.process.noise_hi, nan_or_inf[i], INFILL_ERROR_THETA);
        MAKE(double, w.process.noise_sd, nan_or_inf[i], INFILL_ERROR_THETA);
    }
    MAKE(double, w.process.noise_lo, 0, INFILL_ERROR_THETA);
    MAKE(double, w.process.noise_sd, -1, INFILL_ERROR_THETA);
    /* Priors of which the precision is no number. */
    MAKE(double, w.process.noise_sd, 1e-25, INFILL_ERROR_THETA);
    MAKE(double, w.hypers[0].prior_sd, 1e-25, INFILL_ERROR_THETA);
    MAKE(const infill_kernel *, w.process.kernel, NULL, INFILL_ERROR_NULL);
    POINTER(w.process.kernel, infill_gp_init(mem, sizeof w.spare, config, out));
    /* A covariance of one's own. */
    w.process.covariance = &w.covariance;
    CHECK(infill_gp_size(config) > 0);
    MAKE(size_t, w.covariance.size, sizeof w.covariance + 8, INFILL_ERROR_VERSION);
    MAKE(size_t, w.covariance.size, sizeof w.covariance - 8, INFILL_ERROR_VERSION);
    MAKE(size_t, w.covariance.thetas, SIZE_MAX, INFILL_ERROR_LIMITS);
    {
        double (*kept)(void *, const double *, const double *, const double *) = w.covariance.eval;
        w.covariance.eval = NULL;
        REFUSE(INFILL_ERROR_NULL, infill_gp_init(mem, sizeof w.spare, config, out));
        w.covariance.eval = kept;
    }
    POINTER(w.covariance.start, infill_gp_init(mem, sizeof w.spare, config, out));
    POINTER(w.covariance.lo, infill_gp_init(mem, sizeof w.spare, config, out));
    POINTER(w.covariance.hi, infill_gp_init(mem, sizeof w.spare, config, out));
    for (int i = 0; i < 3; i++) {
        MAKE(double, w.theta[0], nan_or_inf[i], INFILL_ERROR_THETA);
        MAKE(double, w.theta[1], nan_or_inf[i], INFILL_ERROR_THETA);
        MAKE(double, w.theta[2], nan_or_inf[i], INFILL_ERROR_THETA);
    }
    MAKE(double, w.theta[0], 2, INFILL_ERROR_THETA);
    ODD(w.process.covariance, infill_gp_init(mem, sizeof w.spare, config, out));
    /* Without gradients there is neither training nor the slope of a prediction. */
    {
        infill_gp *self = gp, *own = NULL;
        OK(infill_gp_init(mem, sizeof w.spare, config, &own));
        gp = own;
        scratch_of(w.spare);
        OK(infill_gp_push(gp, w.a, DIMS, 1, 0));
        OK(infill_gp_fit(gp, NULL));
        REFUSE(INFILL_ERROR_UNSUPPORTED, infill_gp_train(gp, NULL, NULL, 1, &w.out.value));
        REFUSE(INFILL_ERROR_UNSUPPORTED, infill_gp_evidence(gp, NULL, 0, &w.out.value, w.out.x, 2));
        REFUSE(INFILL_ERROR_UNSUPPORTED,
               infill_gp_predict_gradient(gp, w.a, DIMS, &w.out.value, &w.out.other, w.out.x, w.out.y));
        gp = self;
    }
    w.process.covariance = NULL;
    scratch_of(w.gp);
}

/* A covariance that is none, once it is told to. */
static double broken_value;
static double broken(void *user, const double *theta, const double *a, const double *b) {
    return broken_value != 0 ? broken_value : eval(user, theta, a, b);
}
static void broken_gradient(void *user, const double *theta, const double *a, const double *b, double *out) {
    out[0] = broken(user, theta, a, b);
}

/* The matrix is not positive definite: no output, and the data and hyperparameters are those that were. */
static void indefinite(void) {
    infill_gp *self = gp;
    const double values[2] = {NAN, -1};
    double theta[2], then[2], mean = NAN, variance = NAN, m = NAN, v = NAN;
    w.process.covariance = &w.covariance;
    w.covariance.eval = broken;
    w.covariance.gradient = broken_gradient;
    w.process.noise_variance = w.process.noise_lo = 1e-30;
    OK(infill_gp_init(w.spare, sizeof w.spare, &w.process, &gp));
    /* Bytes of the factor and of work may be used. */
    scratch_from = offsetof(world, spare);
    scratch_to = offsetof(world, none);
    OK(infill_gp_push(gp, w.a, DIMS, 1, 0));
    OK(infill_gp_push(gp, w.b, DIMS, 2, 0));
    OK(infill_gp_theta(gp, then, 2));
    for (int i = 0; i < 2; i++) {
        broken_value = values[i];
        REFUSE(INFILL_ERROR_NOT_POSITIVE_DEFINITE, infill_gp_fit(gp, NULL));
        REFUSE(INFILL_ERROR_NOT_POSITIVE_DEFINITE, infill_gp_evidence(gp, NULL, 0, &w.out.value, w.out.x, 2));
        REFUSE(INFILL_ERROR_NOT_POSITIVE_DEFINITE, infill_gp_evidence(gp, NULL, 1, &w.out.value, NULL, 0));
        REFUSE(INFILL_ERROR_NOT_POSITIVE_DEFINITE, infill_gp_train(gp, NULL, &w.training, 1, &w.out.value));
        REFUSE(INFILL_ERROR_NO_DATA, infill_gp_predict(gp, w.a, DIMS, &w.out.value, &w.out.other));
        OK(infill_gp_theta(gp, theta, 2));
        CHECK(infill_gp_rows(gp) == 2 && same_bits(theta, then, sizeof theta));
    }
    /* A point that is there already, without noise to tell them apart. */
    broken_value = 0;
    OK(infill_gp_fit(gp, NULL));
    OK(infill_gp_predict(gp, w.b, DIMS, &mean, &variance));
    REFUSE(INFILL_ERROR_NOT_POSITIVE_DEFINITE, infill_gp_extend(gp, w.a, DIMS, 1, 0));
    CHECK(infill_gp_rows(gp) == 2);
    OK(infill_gp_predict(gp, w.b, DIMS, &m, &v));
    CHECK(same_bits(&m, &mean, sizeof m) && same_bits(&v, &variance, sizeof v));
    w.process.covariance = NULL;
    gp = self;
}

static void processes(void) {
    const double *at = w.a;
    double *x = w.out.x, *y = w.out.y, *value = &w.out.value, *other = &w.out.other, *matrix = w.out.matrix;
    const double *theta = w.theta;
    infill_training *training = &w.training;
    infill_backend *backend = NULL;
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    const size_t sizes[] = {0, DIMS - 1, DIMS + 1, SIZE_MAX};
    PROCESS_HANDLE(infill_gp_push(gp, at, DIMS, 1, 0));
    POINTER(at, infill_gp_push(gp, at, DIMS, 1, 0));
    PROCESS_HANDLE(infill_gp_extend(gp, at, DIMS, 1, 0));
    POINTER(at, infill_gp_extend(gp, at, DIMS, 1, 0));
    PROCESS_HANDLE(infill_gp_remove(gp, 0));
    PROCESS_HANDLE(infill_gp_clear(gp));
    PROCESS_HANDLE(infill_gp_fit(gp, backend));
    PROCESS_HANDLE(infill_gp_train(gp, backend, training, 1, value));
    ODD(training, infill_gp_train(gp, backend, training, 1, value));
    POINTER(value, infill_gp_train(gp, backend, training, 1, value));
    PROCESS_HANDLE(infill_gp_evidence(gp, backend, 0, value, x, 3));
    POINTER(value, infill_gp_evidence(gp, backend, 0, value, x, 3));
    POINTER(x, infill_gp_evidence(gp, backend, 0, value, x, 3));
    PROCESS_HANDLE(infill_gp_predict(gp, at, DIMS, value, other));
    POINTER(at, infill_gp_predict(gp, at, DIMS, value, other));
    POINTER(value, infill_gp_predict(gp, at, DIMS, value, other));
    POINTER(other, infill_gp_predict(gp, at, DIMS, value, other));
    PROCESS_HANDLE(infill_gp_predict_gradient(gp, at, DIMS, value, other, x, y));
    POINTER(at, infill_gp_predict_gradient(gp, at, DIMS, value, other, x, y));
    POINTER(value, infill_gp_predict_gradient(gp, at, DIMS, value, other, x, y));
    POINTER(other, infill_gp_predict_gradient(gp, at, DIMS, value, other, x, y));
    POINTER(x, infill_gp_predict_gradient(gp, at, DIMS, value, other, x, y));
    POINTER(y, infill_gp_predict_gradient(gp, at, DIMS, value, other, x, y));
    PROCESS_HANDLE(infill_gp_predict_joint(gp, at, 2, DIMS, x, matrix));
    POINTER(at, infill_gp_predict_joint(gp, at, 2, DIMS, x, matrix));
    POINTER(x, infill_gp_predict_joint(gp, at, 2, DIMS, x, matrix));
    POINTER(matrix, infill_gp_predict_joint(gp, at, 2, DIMS, x, matrix));
    PROCESS_HANDLE(infill_gp_sample(gp, at, 2, DIMS, 1, x, matrix));
    POINTER(at, infill_gp_sample(gp, at, 2, DIMS, 1, x, matrix));
    POINTER(x, infill_gp_sample(gp, at, 2, DIMS, 1, x, matrix));
    POINTER(matrix, infill_gp_sample(gp, at, 2, DIMS, 1, x, matrix));
    COUNTER(gp, infill_gp_rows(gp));
    COUNTER(gp, infill_gp_thetas(gp));
    PROCESS_HANDLE(infill_gp_theta(gp, x, 3));
    POINTER(x, infill_gp_theta(gp, x, 3));
    PROCESS_HANDLE(infill_gp_set_theta(gp, theta, 3));
    POINTER(theta, infill_gp_set_theta(gp, theta, 3));
    PROCESS_HANDLE(infill_gp_set_noise(gp, 0.1, 0.01, 1));
    PROCESS_HANDLE(infill_gp_jitter(gp, value));
    POINTER(value, infill_gp_jitter(gp, value));
    PROCESS_HANDLE(infill_gp_trend(gp, x, 0));
    POINTER(x, infill_gp_trend(gp, x, 1));
    PROCESS_HANDLE(infill_gp_likelihood(gp, value));
    POINTER(value, infill_gp_likelihood(gp, value));
    /* Counts. */
    for (size_t i = 0; i < 4; i++) {
        REFUSE(INFILL_ERROR_SHAPE, infill_gp_push(gp, at, sizes[i], 1, 0));
        REFUSE(INFILL_ERROR_SHAPE, infill_gp_extend(gp, at, sizes[i], 1, 0));
        REFUSE(INFILL_ERROR_SHAPE, infill_gp_predict(gp, at, sizes[i], value, other));
        REFUSE(INFILL_ERROR_SHAPE, infill_gp_predict_gradient(gp, at, sizes[i], value, other, x, y));
        REFUSE(INFILL_ERROR_SHAPE, infill_gp_predict_joint(gp, at, 1, sizes[i], x, matrix));
        REFUSE(INFILL_ERROR_SHAPE, infill_gp_sample(gp, at, 1, sizes[i], 1, x, matrix));
        /* 2 batch, 3 hyperparameters with the noise, 0 coefficients: none of these counts. */
        if (sizes[i] > 2) {
            REFUSE(INFILL_ERROR_SHAPE, infill_gp_predict_joint(gp, at, sizes[i], DIMS, x, matrix));
            REFUSE(INFILL_ERROR_SHAPE, infill_gp_sample(gp, at, sizes[i], DIMS, 1, x, matrix));
        }
        if (sizes[i] != 3) {
            REFUSE(INFILL_ERROR_SHAPE, infill_gp_theta(gp, x, sizes[i]));
            REFUSE(INFILL_ERROR_SHAPE, infill_gp_set_theta(gp, theta, sizes[i]));
        }
        if (sizes[i] != 3 && sizes[i] != 0) {
            REFUSE(INFILL_ERROR_SHAPE, infill_gp_evidence(gp, NULL, 0, value, x, sizes[i]));
        }
        if (sizes[i] != 0) {
            REFUSE(INFILL_ERROR_SHAPE, infill_gp_trend(gp, x, sizes[i]));
        }
    }
    REFUSE(INFILL_ERROR_SHAPE, infill_gp_predict_joint(gp, at, 0, DIMS, x, matrix));
    REFUSE(INFILL_ERROR_SHAPE, infill_gp_sample(gp, at, 0, DIMS, 1, x, matrix));
    REFUSE(INFILL_ERROR_SHAPE, infill_gp_remove(gp, 2));
    REFUSE(INFILL_ERROR_SHAPE, infill_gp_remove(gp, SIZE_MAX));
    /* Numbers. */
    REFUSE(INFILL_ERROR_CONFIG, infill_gp_evidence(gp, NULL, 2, value, NULL, 0));
    REFUSE(INFILL_ERROR_CONFIG, infill_gp_evidence(gp, NULL, UINT32_MAX, value, x, 3));
    for (int i = 0; i < 3; i++) {
        const double bad = nan_or_inf[i];
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_gp_push(gp, at, DIMS, bad, 0));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_gp_push(gp, at, DIMS, 1, bad));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_gp_extend(gp, at, DIMS, bad, 0));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_gp_extend(gp, at, DIMS, 1, bad));
        WITH(double, w.a[1], bad, INFILL_ERROR_NOT_FINITE, infill_gp_push(gp, at, DIMS, 1, 0));
        WITH(double, w.a[1], bad, INFILL_ERROR_NOT_FINITE, infill_gp_extend(gp, at, DIMS, 1, 0));
        WITH(double, w.a[1], bad, INFILL_ERROR_NOT_FINITE, infill_gp_predict(gp, at, DIMS, value, other));
        WITH(double, w.a[1], bad, INFILL_ERROR_NOT_FINITE,
             infill_gp_predict_gradient(gp, at, DIMS, value, other, x, y));
        WITH(double, w.a[3], bad, INFILL_ERROR_NOT_FINITE, infill_gp_predict_joint(gp, at, 2, DIMS, x, matrix));
        WITH(double, w.a[3], bad, INFILL_ERROR_NOT_FINITE, infill_gp_sample(gp, at, 2, DIMS, 1, x, matrix));
        WITH(double, w.theta[0], bad, INFILL_ERROR_THETA, infill_gp_set_theta(gp, theta, 3));
        REFUSE(INFILL_ERROR_THETA, infill_gp_set_noise(gp, bad, 0.01, 1));
        REFUSE(INFILL_ERROR_THETA, infill_gp_set_noise(gp, 0.1, bad, 1));
        REFUSE(INFILL_ERROR_THETA, infill_gp_set_noise(gp, 0.1, 0.01, bad));
        WITH(double, w.training.tolerance, bad, INFILL_ERROR_CONFIG, infill_gp_train(gp, NULL, training, 1, value));
        WITH(double, w.training.reach, bad, INFILL_ERROR_CONFIG, infill_gp_train(gp, NULL, training, 1, value));
    }
    if (w.config.scalar == INFILL_F32) {
        /* Numbers that a float does not have. */
        WITH(double, w.a[1], 1e300, INFILL_ERROR_NOT_FINITE, infill_gp_push(gp, at, DIMS, 1, 0));
        WITH(double, w.a[1], 1e300, INFILL_ERROR_NOT_FINITE, infill_gp_extend(gp, at, DIMS, 1, 0));
        WITH(double, w.a[1], 1e300, INFILL_ERROR_NOT_FINITE, infill_gp_predict(gp, at, DIMS, value, other));
        WITH(double, w.a[3], 1e300, INFILL_ERROR_NOT_FINITE, infill_gp_predict_joint(gp, at, 2, DIMS, x, matrix));
        WITH(double, w.a[3], 1e300, INFILL_ERROR_NOT_FINITE, infill_gp_sample(gp, at, 2, DIMS, 1, x, matrix));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_gp_push(gp, at, DIMS, 1e300, 0));
        REFUSE(INFILL_ERROR_THETA, infill_gp_set_noise(gp, 0.1, 0.01, 1e300));
    }
    REFUSE(INFILL_ERROR_NOT_FINITE, infill_gp_push(gp, at, DIMS, 1, -1));
    WITH(double, w.theta[0], 100, INFILL_ERROR_THETA, infill_gp_set_theta(gp, theta, 3));
    REFUSE(INFILL_ERROR_THETA, infill_gp_set_noise(gp, 0.1, 0, 1));
    REFUSE(INFILL_ERROR_THETA, infill_gp_set_noise(gp, 2, 0.1, 1));
    WITH(size_t, w.training.size, sizeof w.training + 8, INFILL_ERROR_VERSION,
         infill_gp_train(gp, NULL, training, 1, value));
    WITH(size_t, w.training.size, sizeof w.training - 8, INFILL_ERROR_VERSION,
         infill_gp_train(gp, NULL, training, 1, value));
    WITH(uint32_t, w.training.objective, 2, INFILL_ERROR_CONFIG, infill_gp_train(gp, NULL, training, 1, value));
    WITH(uint32_t, w.training.restarts, UINT32_MAX, INFILL_ERROR_CONFIG, infill_gp_train(gp, NULL, training, 1, value));
    WITH(uint32_t, w.training.draws, UINT32_MAX, INFILL_ERROR_CONFIG, infill_gp_train(gp, NULL, training, 1, value));
    WITH(uint32_t, w.training.evaluations, UINT32_MAX, INFILL_ERROR_CONFIG,
         infill_gp_train(gp, NULL, training, 1, value));
    /* A full one. */
    OK(infill_gp_push(gp, w.b, DIMS, 1, 1));
    OK(infill_gp_push(gp, w.b, DIMS, 1, 1));
    /* Rows that wait for a fit. */
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_predict(gp, at, DIMS, value, other));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_extend(gp, at, DIMS, 1, 0));
    REFUSE(INFILL_ERROR_FULL, infill_gp_push(gp, at, DIMS, 1, 0));
    OK(infill_gp_fit(gp, NULL));
    REFUSE(INFILL_ERROR_FULL, infill_gp_push(gp, at, DIMS, 1, 0));
    REFUSE(INFILL_ERROR_FULL, infill_gp_extend(gp, at, DIMS, 1, 0));
    /* An empty one. */
    OK(infill_gp_clear(gp));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_fit(gp, NULL));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_train(gp, NULL, NULL, 1, value));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_evidence(gp, NULL, 0, value, x, 3));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_extend(gp, at, DIMS, 1, 0));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_predict(gp, at, DIMS, value, other));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_predict_gradient(gp, at, DIMS, value, other, x, y));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_predict_joint(gp, at, 2, DIMS, x, matrix));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_sample(gp, at, 2, DIMS, 1, x, matrix));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_trend(gp, x, 0));
    REFUSE(INFILL_ERROR_NO_DATA, infill_gp_likelihood(gp, value));
    REFUSE(INFILL_ERROR_SHAPE, infill_gp_remove(gp, 0));
}

static void work(void) {
    processes_made();
    processes();
    indefinite();
    /* NULL is allowed here. */
    infill_gp_free(NULL);
}

int main(void) { return in_both_scalars("bad/process", work); }
