/* Gaussian processes: none that is not fitted predicts, and no number is NaN or infinite. */
#include "fuzz.h"

typedef struct process {
    infill_gp *gp;
    infill_gp_config config;
    size_t bytes;
    /* Whether a fit has succeeded since there were rows. */
    int fitted;
} process;

static double own_eval(void *user, const double *theta, const double *a, const double *b)
{
    size_t dims = *(const size_t *)user;
    double sum = 0;
    for (size_t i = 0; i < dims; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return exp(theta[0] - sum);
}

static void own_gradient(void *user, const double *theta, const double *a, const double *b, double *slope)
{
    slope[0] = own_eval(user, theta, a, b);
}

static void own_gradient_x(void *user, const double *theta, const double *a, const double *b, double *slope)
{
    size_t dims = *(const size_t *)user;
    for (size_t i = 0; i < dims; i++) slope[i] = -2 * (a[i] - b[i]) * own_eval(user, theta, a, b);
}

static const infill_covariance *draw_covariance(size_t dims)
{
    static const double start = 0, lo = -3, hi = 3;
    infill_covariance *own = take(sizeof *own);
    size_t *count = take(sizeof *count);
    *count = dims;
    own->size = sizeof *own;
    own->eval = own_eval;
    own->gradient = chance(70) ? own_gradient : NULL;
    own->gradient_x = chance(70) ? own_gradient_x : NULL;
    own->user = count;
    own->thetas = 1;
    own->start = &start;
    own->lo = &lo;
    own->hi = &hi;
    return own;
}

static int make(process *p)
{
    infill_kernel *kernel = take(sizeof *kernel);
    infill_gp **gp = out(sizeof *gp);
    if (CALL(infill_gp_config_default, &p->config, sizeof p->config) != INFILL_OK) fail("refused");
    p->config.dims = 1 + below(3);
    p->config.rows = 1 + below(20);
    p->config.batch = below(5);
    p->config.scalar = chance(50) ? INFILL_F32 : INFILL_F64;
    p->config.trend = (uint32_t)below(chance(70) ? 2 : 4);
    draw_kernel(kernel, p->config.dims);
    p->config.kernel = kernel;
    if (chance(15)) {
        p->config.kernel = NULL;
        p->config.covariance = draw_covariance(p->config.dims);
    }
    if (chance(4)) p->config.noise_variance = any_number();
    if (chance(3)) p->config.rows = chance(50) ? 0 : SIZE_MAX;
    if (chance(3)) p->config.trend = (uint32_t)below(9);
    if (chance(3)) p->config.size = below(200);
    p->bytes = COUNTED(infill_gp_size, &p->config);
    gp = out(sizeof *gp);
    if (p->bytes == 0) {
        static uint64_t mem[1 << 12];
        spoil();
        CALL(infill_gp_init, mem, sizeof mem, &p->config, gp);
        return 0;
    }
    void *mem = take(p->bytes);
    if (chance(30)) {
        if (CALL(infill_gp_new, bent(&p->config), gp) != INFILL_OK) return 0;
        own_gp(*gp);
    } else if (CALL(infill_gp_init, bent(mem), p->bytes, bent(&p->config), gp) != INFILL_OK) {
        return 0;
    }
    p->gp = *gp;
    return 1;
}

static void point(const process *p, double *x)
{
    for (size_t i = 0; i < p->config.dims; i++) x[i] = chance(4) ? any_number() : chance(30) ? (double)below(3) : between(0, 1);
}

/* Data and hyperparameters, as far as functions show them. */
typedef struct look {
    size_t rows;
    double theta[16];
} look;

static look looked(const process *p)
{
    look look;
    memset(&look, 0, sizeof look);
    look.rows = infill_gp_rows(p->gp);
    if (infill_gp_thetas(p->gp) <= COUNT(look.theta)) infill_gp_theta(p->gp, look.theta, infill_gp_thetas(p->gp));
    return look;
}

/* What was refused has changed neither. */
static void unchanged(const process *p, infill_status status, const look *was)
{
    look is = looked(p);
    if (status != INFILL_OK && memcmp(&is, was, sizeof is) != 0) fail("refused, and data or hyperparameters have changed");
}

static void data(process *p)
{
    size_t dims = p->config.dims, rows;
    look was = looked(p);
    infill_status status;
    double *x = take((dims + 1) * sizeof *x), y = chance(6) ? any_number() : some_value();
    double variance = chance(70) ? 0 : chance(90) ? between(0, 1) : any_number();
    int wrong = !isfinite(y) || !isfinite(variance) || rounded(p->config.scalar, variance) < 0;
    point(p, x);
    for (size_t i = 0; i < dims; i++) wrong |= !isfinite(x[i]);
    switch (below(10)) {
    case 0:
        spoil();
        status = CALL(infill_gp_push, p->gp, x, dims + 1, y, variance);
        break;
    case 1:
        rows = COUNTED(infill_gp_rows, p->gp);
        spoil();
        status = CALL(infill_gp_remove, p->gp, rows + below(2));
        break;
    case 2:
        status = CALL(infill_gp_remove, bent(p->gp), below(12));
        break;
    case 3:
        if (wrong) spoil();
        status = CALL(infill_gp_extend, bent(p->gp), bent(x), dims, y, variance);
        break;
    default:
        if (wrong) spoil();
        status = CALL(infill_gp_push, bent(p->gp), bent(x), dims, y, variance);
    }
    unchanged(p, status, &was);
}

static void fit(process *p)
{
    infill_training training, *given = NULL;
    double *value = out(sizeof *value);
    look was = looked(p);
    infill_status status;
    switch (below(3)) {
    case 0:
        status = CALL(infill_gp_fit, bent(p->gp), NULL);
        break;
    case 1:
        if (chance(80)) {
            given = &training;
            if (CALL(infill_training_default, given, sizeof training) != INFILL_OK) fail("refused");
            training.restarts = (uint32_t)below(2);
            training.draws = (uint32_t)below(3);
            training.evaluations = (uint32_t)below(6);
            if (chance(5)) training.tolerance = any_number();
            if (chance(5)) training.reach = any_number();
            if (chance(5)) training.objective = (uint32_t)below(5);
            if (chance(5)) training.size = below(80);
            value = out(sizeof *value);
        }
        status = CALL(infill_gp_train, bent(p->gp), NULL, given, bits(), bent(value));
        if (status == INFILL_OK) finite(value, 1, "the objective");
        break;
    default: {
        size_t thetas = infill_gp_thetas(p->gp);
        double *gradient = chance(50) ? NULL : out(thetas * sizeof *gradient);
        status = CALL(infill_gp_evidence, bent(p->gp), NULL, (uint32_t)below(3), bent(value), gradient, gradient ? thetas : 0);
        if (status != INFILL_OK) return;
        finite(value, 1, "the evidence");
        if (gradient != NULL) finite(gradient, thetas, "a derivative of the evidence");
        return;
    }
    }
    unchanged(p, status, &was);
    if (status == INFILL_OK) p->fitted = 1;
}

static void hyperparameters(process *p)
{
    size_t thetas = infill_gp_thetas(p->gp);
    double *theta = out(thetas * sizeof *theta), *one;
    switch (below(5)) {
    case 0:
        if (CALL(infill_gp_theta, bent(p->gp), bent(theta), thetas) == INFILL_OK) finite(theta, thetas, "a hyperparameter");
        return;
    case 1:
        if (CALL(infill_gp_theta, p->gp, theta, thetas) != INFILL_OK) fail("refused");
        for (size_t i = 0; i < thetas; i++) {
            if (chance(50)) theta[i] = chance(80) ? theta[i] + between(-1, 1) : any_number();
        }
        CALL(infill_gp_set_theta, bent(p->gp), bent(theta), thetas + chance(3));
        return;
    case 2: {
        double lo = any_number(), variance = any_number(), hi = any_number();
        if (chance(70)) lo = 1e-8, variance = between(1e-6, 1), hi = 10;
        if (!(0 < lo && lo <= variance && variance <= hi && isfinite(hi))) spoil();
        CALL(infill_gp_set_noise, bent(p->gp), variance, lo, hi);
        return;
    }
    case 3:
        one = out(sizeof *one);
        if (CALL(infill_gp_jitter, bent(p->gp), bent(one)) == INFILL_OK) finite(one, 1, "the jitter");
        return;
    default: {
        size_t dims = p->config.dims, columns[] = {0, 1, 1 + dims, 1 + dims + dims * (dims + 1) / 2};
        size_t count = columns[p->config.trend];
        double *beta = out(count * sizeof *beta);
        if (CALL(infill_gp_trend, bent(p->gp), count > 0 ? bent(beta) : beta, count) == INFILL_OK) finite(beta, count, "the trend");
        one = out(sizeof *one);
        if (CALL(infill_gp_likelihood, bent(p->gp), bent(one)) == INFILL_OK) finite(one, 1, "the likelihood");
    }
    }
}

static void predict(process *p)
{
    size_t dims = p->config.dims, count = 1 + below(4), half = count * (count + 1) / 2;
    double *points = take(count * dims * sizeof *points), *mean, *variance;
    infill_status status;
    for (size_t i = 0; i < count; i++) point(p, points + i * dims);
    switch (below(4)) {
    case 0:
        mean = out(sizeof *mean);
        variance = out(sizeof *variance);
        status = CALL(infill_gp_predict, bent(p->gp), bent(points), dims, bent(mean), bent(variance));
        count = half = 1;
        break;
    case 1: {
        mean = out(sizeof *mean);
        variance = out(sizeof *variance);
        double *by_mean = out(dims * sizeof *by_mean), *by_variance = out(dims * sizeof *by_variance);
        status = CALL(infill_gp_predict_gradient, bent(p->gp), bent(points), dims, bent(mean), bent(variance), bent(by_mean),
                      bent(by_variance));
        count = half = 1;
        if (status != INFILL_OK) break;
        finite(by_mean, dims, "the gradient of a mean");
        finite(by_variance, dims, "the gradient of a variance");
        break;
    }
    case 2:
        mean = out(count * sizeof *mean);
        variance = out(half * sizeof *variance);
        if (count > p->config.batch) spoil();
        status = CALL(infill_gp_predict_joint, bent(p->gp), bent(points), count, dims, bent(mean), bent(variance));
        break;
    default:
        /* The matrix is scratch, and so are the values of a draw that is not positive definite. */
        mean = take(count * sizeof *mean);
        variance = take(half * sizeof *variance);
        if (count > p->config.batch) spoil();
        status = CALL(infill_gp_sample, bent(p->gp), bent(points), count, dims, bits(), bent(mean), bent(variance));
        half = 0;
    }
    if (status != INFILL_OK) return;
    if (!p->fitted) fail("a process without a fit answers");
    finite(mean, count, "a mean");
    finite(variance, half, "a variance");
    for (size_t i = 0; half > 0 && i < count; i++) {
        if (variance[i * (i + 1) / 2 + i] < 0) fail("a variance of %g", variance[i * (i + 1) / 2 + i]);
    }
}

void regress(void)
{
    process p;
    memset(&p, 0, sizeof p);
    if (!make(&p)) return;
    for (int i = 0, steps = 20 + (int)below(60); i < steps; i++) {
        size_t verb = below(100);
        if (verb < 40) data(&p);
        else if (verb < 55) fit(&p);
        else if (verb < 70) hyperparameters(&p);
        else if (verb < 72 && CALL(infill_gp_clear, bent(p.gp)) == INFILL_OK) p.fitted = 0;
        else predict(&p);
    }
}
