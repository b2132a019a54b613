/*
 * Every function of infill.h with good input, in both scalars; results are checked, not only statuses.
 *
 * With an argument the library is told of more memory than there is, which a checker has to notice.
 */

#include "check.h"

static const double PI = 3.14159265358979323846;

/* ---- Which library this is ---- */

static void version(void) {
    char text[32];
    CHECK(infill_version() == INFILL_VERSION);
    snprintf(text, sizeof text, "%d.%d.%d", INFILL_VERSION_MAJOR, INFILL_VERSION_MINOR, INFILL_VERSION_PATCH);
    CHECK(strcmp(infill_version_str(), text) == 0);
    CHECK((infill_capabilities() & INFILL_CAN_STD) && (infill_capabilities() & INFILL_CAN_F32));
    CHECK(infill_capabilities() & INFILL_CAN_F64);
    CHECK(infill_align() == INFILL_ALIGN);
    CHECK(strcmp(infill_status_str(INFILL_OK), "all is well") == 0);
    CHECK(strcmp(infill_status_str(1), infill_status_str(-1000)) == 0);
    for (int32_t status = -69; status <= 0; status++) {
        /* Every status has a sentence of its own, numbers between have the common one. */
        int known = status >= -26 || status <= -64;
        CHECK(known == (strcmp(infill_status_str(status), infill_status_str(1)) != 0));
    }
}

/* The defaults are a configuration that is accepted, and say what the header says of them. */
static void defaults(void) {
    infill_param params[] = {INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 1);
    infill_config config;
    memset(&config, 0xA5, sizeof config);
    OK(infill_config_default(&config, sizeof config));
    CHECK(config.size == sizeof config && config.kernel == NULL && config.seed == 0);
    CHECK(config.scalar == INFILL_F64 && config.limits.trials == 100 && config.design == INFILL_DESIGN_SOBOL);
    CHECK(config.trend == INFILL_TREND_CONSTANT && config.transform == INFILL_TRANSFORM_POWER);
    CHECK(config.acquisition == INFILL_ACQUISITION_LOG_IMPROVEMENT && config.incumbent == INFILL_INCUMBENT_OBSERVED);
    CHECK(config.training_objective == INFILL_OBJECTIVE_EVIDENCE && config.when_full == INFILL_FULL_REFUSE);
    CHECK(config.model == INFILL_MODEL_PROCESS && config.treatment == INFILL_TREATMENT_BEST);
    CHECK(config.warp == INFILL_WARP_NONE && config.policy == INFILL_POLICY_CLOSED);
    CHECK(config.batch == INFILL_BATCH_BELIEVER && config.cooling == INFILL_COOLING_NONE);
    CHECK(config.sampler == INFILL_SAMPLER_SLICE && config.forest_spread == INFILL_SPREAD_TOTAL);
    CHECK(infill_size(&space, &config) == 8 * INFILL_WORDS(1, 100, INFILL_F64));
    /* By name; choices.c runs them all. */
    CHECK(strcmp(infill_preset_name(0), "default") == 0);
    OK(infill_config_preset(&config, sizeof config, "spearmint"));
    CHECK(config.treatment == INFILL_TREATMENT_SAMPLED && config.treatment_count == 10);
    CHECK(config.batch == INFILL_BATCH_FANTASIES && config.size == sizeof config);
}

static void backend(void) {
    infill_backend *made = NULL;
    if (infill_capabilities() & INFILL_CAN_FAER) {
        OK(infill_backend_faer(1, &made));
        CHECK(made != NULL);
    } else {
        STATUS(INFILL_ERROR_UNSUPPORTED, infill_backend_faer(1, &made));
        CHECK(made == NULL);
    }
    infill_backend_free(made);
    infill_backend_free(NULL);
}

static int32_t parabola(void *user, const double *x, size_t dims, double *value) {
    (void)user, (void)dims;
    *value = (x[0] - 0.25) * (x[0] - 0.25);
    return 0;
}

static void gpu(void) {
    infill_param params[] = {INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 1);
    infill_config config = small_config(INFILL_F64);
    infill_gpu_options options;
    infill_backend *made = NULL;
    infill_opt *opt = NULL;
    char text[64];
    uint32_t api, software;
    double x, value;
    size_t i, count = infill_gpu_count();
    OK(infill_gpu_options_default(&options, sizeof options));
    CHECK(options.size == sizeof options && options.name == NULL && options.patience == 60 && options.software == 0);
    CHECK(options.power == INFILL_POWER_HIGH && options.api == INFILL_API_ANY);
    for (i = 0; i < count; i++) {
        OK(infill_gpu_adapter(i, text, sizeof text, &api, &software));
        CHECK(strlen(text) > 0 && api >= INFILL_API_VULKAN && api <= INFILL_API_DX12 && software <= 1);
        OK(infill_gpu_adapter(i, text, 1, &api, &software));
        CHECK(text[0] == 0);
    }
    STATUS(INFILL_ERROR_SHAPE, infill_gpu_adapter(count, text, sizeof text, &api, &software));
    OK(infill_new(&space, &config, &opt));
    if (!(infill_capabilities() & INFILL_CAN_GPU)) {
        CHECK(count == 0);
        STATUS(INFILL_ERROR_UNSUPPORTED, infill_backend_gpu(opt, &options, &made));
        CHECK(made == NULL);
    } else {
        options.name = "no adapter has this name";
        options.software = 1;
        STATUS(INFILL_ERROR_BACKEND, infill_backend_gpu(opt, &options, &made));
        options.name = NULL;
        options.worth = 0;
        if (count > 0) {
            OK(infill_backend_gpu(opt, &options, &made));
            OK(infill_minimize_with(opt, made, parabola, NULL, NULL, 10));
            OK(infill_best(opt, &x, 1, &value));
            CHECK(value < 1e-2);
            STATUS(INFILL_ERROR_NO_DATA, infill_backend_reason(made, text, sizeof text));
        }
    }
    infill_backend_free(made);
    infill_free(opt);
}

/* ---- The parts: kernels ---- */

static infill_hyper hyper(uint32_t role, double value) {
    infill_hyper h;
    memset(&h, 0, sizeof h);
    h.role = role;
    h.value = value;
    h.lo = value / 10;
    h.hi = role == INFILL_ROLE_CORRELATION ? 0.99 : role == INFILL_ROLE_SHAPE ? value * 1.2 : value * 10;
    return h;
}

static infill_node node(uint32_t op) {
    infill_node n;
    memset(&n, 0, sizeof n);
    n.op = op;
    return n;
}

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

/* ---- The parts: acquisitions and designs ---- */

static double density(double z) { return exp(-z * z / 2) / sqrt(2 * PI); }
static double cumulated(double z) { return erfc(-z / sqrt(2.0)) / 2; }

static void acquisitions(void) {
    const double mean = 0.4, variance = 0.09, best = 0.5, margin = 0.02, s = 0.3, h = 1e-6;
    const double gain = best - margin - mean, z = gain / s, improvement = gain * cumulated(z) + s * density(z);
    /* The others have no margin. E[I^3] is (u^2 + 2 s^2) E[I] + u s^2 Phi. */
    const double u = best - mean, t = 1.5, plain = u * cumulated(u / s) + s * density(u / s);
    const double expected[8] = {cumulated(z),
                                improvement,
                                log(improvement),
                                t * s - mean,
                                (2 * s * s + u * u) * plain + u * s * s * cumulated(u / s),
                                log(cumulated(u / s + t * s)) + t * (u - 1) + t * t * s * s / 2,
                                s,
                                plain * (1 - t / sqrt(s * s + t * t))};
    const double parameters[8] = {margin, margin, margin, t, 3, t, 0, t};
    double score = NAN, again = NAN, by_mean = NAN, by_deviation = NAN, up = NAN, down = NAN, beta = NAN;
    for (uint32_t rule = INFILL_ACQUISITION_PROBABILITY; rule <= INFILL_ACQUISITION_NOISY; rule++) {
        double parameter = parameters[rule - 1];
        OK(infill_acquisition_score(rule, parameter, mean, variance, best, &score));
        CLOSE(expected[rule - 1], score, 1e-13);
        OK(infill_acquisition_gradient(rule, parameter, mean, variance, best, &again, &by_mean, &by_deviation));
        CLOSE(score, again, 1e-14);
        OK(infill_acquisition_score(rule, parameter, mean + h, variance, best, &up));
        OK(infill_acquisition_score(rule, parameter, mean - h, variance, best, &down));
        CLOSE((up - down) / (2 * h), by_mean, 1e-8);
        OK(infill_acquisition_score(rule, parameter, mean, (s + h) * (s + h), best, &up));
        OK(infill_acquisition_score(rule, parameter, mean, (s - h) * (s - h), best, &down));
        CLOSE((up - down) / (2 * h), by_deviation, 1e-8);
        /* Never NaN, whatever the prediction. */
        OK(infill_acquisition_score(rule, parameter, NAN, variance, best, &score));
        CHECK(score == score);
    }
    OK(infill_bound_schedule(9, 3, 0.1, &beta));
    CLOSE(sqrt(2 * log(pow(9, 3 / 2.0 + 2) * PI * PI / (3 * 0.1))), beta, 1e-13);
}

static void designs(void) {
    static const double levels[] = {1, 10, 100};
    infill_param params[] = {INFILL_REAL(-2, 2), INFILL_INTEGER(3, 7), INFILL_ORDINAL(levels, 3)};
    infill_space space = INFILL_SPACE(params, 3);
    double points[24], again[24];
    size_t bytes = infill_design_size(&space);
    void *mem = reserve(bytes);
    CHECK(bytes > 0 && bytes % 8 == 0);
    for (uint32_t kind = INFILL_DESIGN_UNIFORM; kind <= INFILL_DESIGN_GRID; kind++) {
        OK(infill_design(mem, bytes, &space, kind, 5, 8, points, 8, 3));
        OK(infill_design(mem, bytes, &space, kind, 5, 8, again, 8, 3));
        CHECK(same_bits(points, again, sizeof points));
        /* The first points are the same if fewer are wanted. */
        memset(again, 0, sizeof again);
        OK(infill_design(mem, bytes, &space, kind, 5, 8, again, 2, 3));
        CHECK(same_bits(points, again, 6 * sizeof points[0]) && again[6] == 0);
        OK(infill_design(mem, bytes, &space, kind, 6, 8, again, 8, 3));
        CHECK(!same_bits(points, again, sizeof points));
        for (size_t i = 0; i < 8; i++) {
            const double *x = points + 3 * i;
            CHECK(x[0] >= -2 && x[0] <= 2 && x[1] >= 3 && x[1] <= 7 && x[1] == floor(x[1]));
            CHECK(x[2] == 1 || x[2] == 10 || x[2] == 100);
        }
    }
    /* A Latin hypercube has one point in each of eight intervals. */
    OK(infill_design(mem, bytes, &space, INFILL_DESIGN_LATIN_HYPERCUBE, 5, 8, points, 8, 3));
    {
        unsigned seen = 0;
        for (size_t i = 0; i < 8; i++) {
            seen |= 1u << (unsigned)((points[3 * i] + 2) * 2);
        }
        CHECK(seen == 255);
    }
    /* No points are no work. */
    OK(infill_design(mem, bytes, &space, INFILL_DESIGN_SOBOL, 5, 8, NULL, 0, 3));
    free(mem);
}

/* ---- The parts: a process ---- */

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

/* ---- Ask and tell ---- */

static double bowl(const double *x, size_t dims) {
    double sum = 0;
    for (size_t i = 0; i < dims; i++) {
        sum += (x[i] - 0.3) * (x[i] - 0.3);
    }
    return sum;
}

static void asked(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 2);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    infill_trial first = 0, second = 0, third = 0, queued = 0, seen = 0, none = 0;
    infill_proposal proposal;
    infill_record record;
    double x[2], y[2], value = NAN, mean = NAN, variance = NAN;
    const double mine[2] = {0.25, 0.75}, known[2] = {0.5, 0.5};
    CHECK(infill_space_fault(&space) == -1);
    OK(infill_new(&space, &config, &opt));
    CHECK(infill_dims(opt) == 2 && infill_scalar_of(opt) == scalar && infill_remaining(opt) == 12);
    CHECK(infill_count(opt) == 0 && infill_closed(opt) == 0);
    CHECK(infill_bytes(opt) == infill_size(&space, &config));
    OK(infill_ask(opt, x, 2, &first));
    CHECK(x[0] >= 0 && x[0] <= 1 && x[1] >= 0 && x[1] <= 1);
    OK(infill_ask_with(opt, NULL, x, 2, &proposal));
    second = proposal.trial;
    CHECK(proposal.origin == INFILL_ORIGIN_DESIGN && proposal.acquisition != proposal.acquisition);
    CHECK(proposal.reserved == 0 && first != second);
    OK(infill_tell(opt, first, 2.0));
    OK(infill_tell_noisy(opt, second, 1.0, 0.125));
    OK(infill_record_of(opt, second, y, 2, &record));
    CHECK(record.trial == second && record.value == 1.0 && record.variance == 0.125 && record.reserved == 0);
    CHECK(record.state == INFILL_STATE_DONE && record.sequence == 2 && same_bits(x, y, sizeof x));
    OK(infill_best(opt, y, 2, &value));
    CHECK(value == 1.0 && same_bits(x, y, sizeof x));
    OK(infill_enqueue(opt, mine, 2, &queued));
    OK(infill_record_of(opt, queued, y, 2, &record));
    CHECK(record.state == INFILL_STATE_QUEUED && same_bits(mine, y, sizeof mine) && record.value != record.value);
    OK(infill_ask_with(opt, NULL, x, 2, &proposal));
    CHECK(proposal.origin == INFILL_ORIGIN_QUEUE && proposal.trial == queued && same_bits(mine, x, sizeof x));
    OK(infill_fail(opt, queued));
    OK(infill_record_of(opt, queued, y, 2, &record));
    CHECK(record.state == INFILL_STATE_FAILED && record.value != record.value);
    OK(infill_observe(opt, known, 2, 0.5, &seen));
    OK(infill_best(opt, y, 2, &value));
    CHECK(value == 0.5 && same_bits(known, y, sizeof known));
    OK(infill_ask(opt, x, 2, &third));
    CHECK(infill_count(opt) == 5 && infill_closed(opt) == 4 && infill_remaining(opt) == 7);
    OK(infill_record_of(opt, third, y, 2, &record));
    CHECK(record.state == INFILL_STATE_OPEN && same_bits(x, y, sizeof x));
    OK(infill_forget(opt, third));
    CHECK(infill_count(opt) == 4 && infill_remaining(opt) == 8);
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_record_of(opt, third, y, 2, &record));
    /* A queued point can be taken back, too. */
    OK(infill_enqueue(opt, mine, 2, &none));
    OK(infill_forget(opt, none));
    CHECK(infill_count(opt) == 4);
    /* With a model: predictions are near what was told, and doubt is least there. */
    for (int i = 0; i < 5; i++) {
        OK(infill_ask_with(opt, NULL, x, 2, &proposal));
        OK(infill_tell(opt, proposal.trial, bowl(x, 2)));
    }
    CHECK(proposal.origin == INFILL_ORIGIN_MODEL && proposal.acquisition == proposal.acquisition);
    OK(infill_predict(opt, x, 2, &mean, &variance));
    CHECK(mean == mean && variance >= 0);
    OK(infill_recommend(opt, y, 2, &mean, &variance));
    CHECK(variance >= 0 && mean < 2.0);
    /* What was learnt is forgotten, no trial is. */
    OK(infill_relearn(opt));
    CHECK(infill_count(opt) == 9 && infill_closed(opt) == 9);
    /* Each trial once, names agree with records, sequences are distinct. */
    {
        unsigned sequences = 0, states[5] = {0, 0, 0, 0, 0};
        for (size_t i = 0; i < infill_count(opt); i++) {
            infill_record again;
            OK(infill_record_at(opt, i, x, 2, &record));
            OK(infill_record_of(opt, record.trial, y, 2, &again));
            CHECK(again.trial == record.trial && again.sequence == record.sequence && same_bits(x, y, sizeof x));
            CHECK(record.sequence < 32 && !(sequences >> record.sequence & 1));
            sequences |= 1u << record.sequence;
            states[record.state]++;
        }
        CHECK(states[INFILL_STATE_DONE] == 8 && states[INFILL_STATE_FAILED] == 1);
        CHECK(states[INFILL_STATE_OPEN] == 0 && states[INFILL_STATE_QUEUED] == 0);
    }
    infill_free(opt);
    infill_free(NULL);
}

/* Bounds that no float has exactly belong to the space all the same, and so does what comes back. */
static void bounds(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0.1, 0.3), INFILL_REAL_LOG(0.1, 0.7), INFILL_REAL(-0.3, -0.1)};
    infill_space space = INFILL_SPACE(params, 3);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    infill_trial trial = 0;
    double x[3], value = NAN;
    const double low[3] = {0.1, 0.1, -0.3}, high[3] = {0.3, 0.7, -0.1}, out[3] = {0.1 - 1e-3, 0.2, -0.2};
    OK(infill_new(&space, &config, &opt));
    OK(infill_enqueue(opt, low, 3, &trial));
    OK(infill_enqueue(opt, high, 3, &trial));
    OK(infill_observe(opt, low, 3, 1.0, &trial));
    OK(infill_observe(opt, high, 3, 2.0, &trial));
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, out, 3, &trial));
    STATUS(INFILL_ERROR_OUT_OF_RANGE, infill_observe(opt, out, 3, 1.0, &trial));
    OK(infill_ask(opt, x, 3, &trial));
    for (size_t i = 0; i < 3; i++) {
        CHECK(x[i] == (scalar == INFILL_F32 ? (double)(float)low[i] : low[i]));
    }
    OK(infill_best(opt, x, 3, &value));
    OK(infill_observe(opt, x, 3, 1.5, &trial));
    infill_free(opt);
}

/* A saved block goes on to the same bits, wherever it lies; so does a copy with larger limits. */
static void saved(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_INTEGER(1, 9)};
    infill_space space = INFILL_SPACE(params, 2);
    infill_config config = small_config(scalar);
    size_t bytes = infill_size(&space, &config), larger;
    void *mem = reserve(bytes), *copy = reserve(bytes), *wide;
    infill_limits limits;
    infill_opt *all[4];
    infill_trial open = 0, trial = 0;
    double x[2], reference[2];
    OK(infill_init(mem, bytes, &space, &config, &all[0]));
    CHECK((void *)all[0] == mem);
    for (int i = 0; i < 5; i++) {
        OK(infill_ask(all[0], x, 2, &trial));
        OK(infill_tell(all[0], trial, bowl(x, 2)));
    }
    OK(infill_ask(all[0], x, 2, &open));
    memset(&limits, 0, sizeof limits);
    limits.trials = 40;
    limits.candidates = 32;
    larger = infill_clone_size(all[0], &limits);
    CHECK(larger > bytes && infill_clone_size(all[0], NULL) == bytes);
    wide = reserve(larger);
    memcpy(copy, mem, bytes);
    OK(infill_attach(copy, bytes, &all[1]));
    OK(infill_clone(all[0], &limits, wide, larger, &all[2]));
    CHECK((void *)all[1] == copy && (void *)all[2] == wide && infill_remaining(all[2]) == 34);
    CHECK(infill_bytes(all[2]) == larger);
    {
        void *same = reserve(bytes);
        OK(infill_clone(all[0], NULL, same, bytes, &all[3]));
        for (int i = 0; i < 4; i++) {
            OK(infill_ask(all[0], reference, 2, &trial));
            OK(infill_tell(all[0], trial, bowl(reference, 2)));
            for (int o = 1; o < 4; o++) {
                infill_trial other = 0;
                OK(infill_ask(all[o], x, 2, &other));
                CHECK(other == trial && same_bits(x, reference, sizeof x));
                OK(infill_tell(all[o], other, bowl(x, 2)));
            }
        }
        /* The open trial came along. */
        for (int o = 0; o < 4; o++) {
            OK(infill_tell(all[o], open, 0.25));
        }
        CHECK(same_bits(mem, copy, bytes) == 1);
        free(same);
    }
    free(mem);
    free(copy);
    free(wide);
}

/* Every kind of parameter, with conditions: proposals are exact values of their kind. */
static void mixed(uint32_t scalar) {
    static const double levels[] = {16, 32, 64}, some[] = {0, 2};
    infill_param params[] = {INFILL_CATEGORICAL(3), INFILL_INTEGER_LOG(8, 512), INFILL_ORDINAL(levels, 3),
                             INFILL_REAL(0, 0.5), INFILL_REAL_LOG(0.001, 1)};
    infill_condition conditions[] = {INFILL_IF_EQUALS(3, 0, 2), INFILL_IF_IN(2, 0, some, 2),
                                     INFILL_IF_BETWEEN(4, 1, 8, 64)};
    infill_space space = INFILL_SPACE_IF(params, 5, conditions, 3);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    infill_trial trial = 0;
    double x[5];
    CHECK(infill_space_fault(&space) == -1);
    static const double parameters[8] = {0.01, 0.01, 0.01, 1.5, 3, 1, 0, 0.1};
    for (int rule = 0; rule < 8; rule++) {
        config.acquisition = INFILL_ACQUISITION_PROBABILITY + (uint32_t)rule;
        config.acquisition_parameter = parameters[rule];
        config.transform = (uint32_t)rule % 4;
        config.incumbent = (uint32_t)rule & 1;
        config.trend = (uint32_t)rule & 1;
        config.design = (uint32_t)rule % 4 + 1;
        OK(infill_new(&space, &config, &opt));
        for (int i = 0; i < 6; i++) {
            OK(infill_ask(opt, x, 5, &trial));
            CHECK(x[0] == 0 || x[0] == 1 || x[0] == 2);
            CHECK(x[1] >= 8 && x[1] <= 512 && x[1] == floor(x[1]));
            CHECK(x[2] == 16 || x[2] == 32 || x[2] == 64);
            CHECK(x[3] >= 0 && x[3] <= 0.5);
            /* In single precision a bound is the nearest float. */
            CHECK(x[4] >= 0.001 * (1 - 1e-7) && x[4] <= 1);
            OK(infill_tell(opt, trial, x[0] + log(x[1]) + (x[0] == 2 ? x[3] : 0)));
        }
        infill_free(opt);
    }
    /* A finite space comes to its end, a full block drops its worst trial. */
    {
        infill_param two[] = {INFILL_CATEGORICAL(2), INFILL_INTEGER(0, 1)};
        infill_space finite = INFILL_SPACE(two, 2);
        config = small_config(scalar);
        OK(infill_new(&finite, &config, &opt));
        for (int i = 0; i < 4; i++) {
            OK(infill_ask(opt, x, 2, &trial));
            OK(infill_tell(opt, trial, x[0] + x[1]));
        }
        STATUS(INFILL_ERROR_EXHAUSTED, infill_ask(opt, x, 2, &trial));
        infill_free(opt);
        config.repeats = 1;
        config.when_full = INFILL_FULL_DROP_WORST;
        config.limits.trials = 3;
        OK(infill_new(&finite, &config, &opt));
        for (int i = 0; i < 6; i++) {
            OK(infill_ask(opt, x, 2, &trial));
            OK(infill_tell(opt, trial, x[0] + x[1]));
        }
        CHECK(infill_count(opt) == 3);
        infill_free(opt);
    }
}

/* Two hundred parameters take the large buffers of the conversion. */
static void many(uint32_t scalar) {
    enum { DIMS = 200 };
    static infill_param params[DIMS];
    static double x[DIMS], y[DIMS];
    infill_space space = INFILL_SPACE(params, DIMS);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    infill_trial trial = 0;
    double value = NAN, mean = NAN, variance = NAN;
    size_t bytes;
    void *mem;
    for (size_t i = 0; i < DIMS; i++) {
        infill_param one = INFILL_REAL(0.1, 0.9);
        params[i] = one;
        x[i] = i % 2 ? 0.1 : 0.9;
    }
    config.limits.trials = 6;
    config.start = 2;
    bytes = infill_size(&space, &config);
    mem = reserve(bytes);
    OK(infill_init(mem, bytes, &space, &config, &opt));
    OK(infill_enqueue(opt, x, DIMS, &trial));
    for (int i = 0; i < 4; i++) {
        OK(infill_ask(opt, y, DIMS, &trial));
        OK(infill_tell(opt, trial, bowl(y, DIMS)));
        if (i == 0) {
            for (size_t k = 0; k < DIMS; k++) {
                CHECK(fabs(x[k] - y[k]) < 1e-7);
            }
        }
    }
    OK(infill_observe(opt, x, DIMS, 1000.0, &trial));
    OK(infill_best(opt, y, DIMS, &value));
    CLOSE(bowl(y, DIMS), value, 1e-6);
    OK(infill_predict(opt, y, DIMS, &mean, &variance));
    OK(infill_recommend(opt, y, DIMS, &mean, &variance));
    CHECK(mean == mean && variance >= 0);
    free(mem);
}

/* ---- The whole loop ---- */

typedef struct run {
    uint32_t calls, steps, stop_at, fail_at, stop_step;
    double best;
} run;

static int32_t objective(void *user, const double *x, size_t dims, double *value) {
    run *r = (run *)user;
    r->calls++;
    *value = r->calls == r->fail_at ? NAN : bowl(x, dims);
    if (r->calls != r->fail_at && r->calls != r->stop_at && *value < r->best) {
        r->best = *value;
    }
    return r->calls == r->stop_at;
}

static int32_t progress(void *user, const infill_step *step) {
    run *r = (run *)user;
    r->steps++;
    CHECK(step->evaluation == r->steps && step->evaluations == 6 && step->dims == 2 && r->calls == r->steps);
    if (r->calls == r->fail_at) {
        CHECK(step->value != step->value);
    } else {
        CLOSE(bowl(step->x, 2), step->value, 1e-6);
    }
    if (r->best < 1e9) {
        CLOSE(r->best, step->best, 1e-6);
    } else {
        CHECK(step->best != step->best);
    }
    return r->steps == r->stop_step;
}

static void loop(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 2);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL, *same = NULL;
    run r = {0, 0, 0, 1, 0, 1e9}, s = {0, 0, 0, 0, 0, 1e9};
    double x[2], y[2], value = NAN;
    infill_trial trial = 0;
    OK(infill_new(&space, &config, &opt));
    /* The first evaluation fails: no best yet. */
    OK(infill_minimize_with(opt, NULL, objective, progress, &r, 6));
    CHECK(r.calls == 6 && r.steps == 6 && infill_closed(opt) == 6 && infill_count(opt) == 6);
    OK(infill_best(opt, x, 2, &value));
    CLOSE(r.best, value, 1e-6);
    /* Going on; the callback stops the run and its trial is forgotten. */
    r.stop_at = 8;
    STATUS(INFILL_ABORTED, infill_minimize(opt, objective, &r, 6));
    CHECK(r.calls == 8 && infill_closed(opt) == 7 && infill_count(opt) == 7);
    infill_free(opt);
    /* The progress callback stops it after the trial was told. */
    OK(infill_new(&space, &config, &opt));
    s.stop_step = 2;
    STATUS(INFILL_ABORTED, infill_minimize_with(opt, NULL, objective, progress, &s, 6));
    CHECK(s.calls == 2 && infill_closed(opt) == 2);
    infill_free(opt);
    /* The loop is ask and tell, to the bit; an open trial is left alone; no evaluations are no work. */
    OK(infill_new(&space, &config, &opt));
    OK(infill_new(&space, &config, &same));
    OK(infill_minimize(opt, objective, &s, 0));
    CHECK(infill_count(opt) == 0);
    s.stop_at = 0;
    OK(infill_minimize_with(opt, NULL, objective, NULL, &s, 5));
    for (int i = 0; i < 5; i++) {
        OK(infill_ask(same, y, 2, &trial));
        OK(infill_tell(same, trial, bowl(y, 2)));
    }
    OK(infill_ask(opt, x, 2, &trial));
    OK(infill_ask(same, y, 2, &trial));
    CHECK(same_bits(x, y, sizeof x));
    OK(infill_minimize(opt, objective, &s, 1));
    OK(infill_tell(opt, trial, 1.0));
    infill_free(opt);
    infill_free(same);
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
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    (void)arguments;
    if (count > 1) {
        return overread();
    }
    version();
    defaults();
    backend();
    gpu();
    kernels();
    composite();
    acquisitions();
    designs();
    for (int i = 0; i < 2; i++) {
        by_hand(scalars[i]);
        trends(scalars[i]);
        own_covariance(scalars[i]);
        rows(scalars[i]);
        asked(scalars[i]);
        bounds(scalars[i]);
        saved(scalars[i]);
        mixed(scalars[i]);
        many(scalars[i]);
        loop(scalars[i]);
    }
    CHECK(infill_words(2, 20, INFILL_F64) == INFILL_WORDS(2, 20, INFILL_F64));
    return report("every");
}
