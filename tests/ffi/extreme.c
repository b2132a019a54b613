/*
 * Every function of infill.h that takes or gives numbers, with finite numbers from all over the range: what is answered with
 * INFILL_OK is finite, but for what the header says of that output. An argument sets how many times fewer cases there are.
 */

#include "check.h"

#include <float.h>

static uint64_t dice = 1;
static unsigned long fewer = 1;
static long answered, refused;
static uint32_t scalar;

static uint64_t bits(void) {
    dice = dice * 6364136223846793005ull + 1442695040888963407ull;
    return dice >> 33;
}

static const double ends[] = {0, 5e-324, 1e-300, 1e-150, 1, 700, 9e15, 3e38, 1.4e154, 1e300, DBL_MAX};
enum { ENDS = sizeof ends / sizeof ends[0] };

/* Often a number of the ends of the range, of either sign. */
static double any(void) {
    double size = bits() % 4 == 0 ? (double)(bits() % 1000) / 1000 : ends[bits() % ENDS];
    return bits() % 2 ? size : -size;
}
static double positive(void) { return fabs(any()); }

static void finite_at(int line, const char *what, int32_t status, const double *out, size_t count) {
    answered += status == INFILL_OK;
    refused += status != INFILL_OK;
    if (status == INFILL_PANIC) check_at(line, what, 0);
    for (size_t i = 0; status == INFILL_OK && i < count; i++) {
        if (!isfinite(out[i])) {
            failures++;
            printf("line %d: %s: OK and output %lu is %g\n", line, what, (unsigned long)i, out[i]);
            return;
        }
    }
}
#define FINITE(call, out, count) finite_at(__LINE__, #call, (int32_t)(call), (out), (count))
#define NONE(call) FINITE(call, NULL, 0)

/* ---- Kernels ---- */

static void kernels(void) {
    static const uint32_t ops[] = {
        INFILL_OP_CONSTANT, INFILL_OP_SQUARED_EXPONENTIAL, INFILL_OP_MATERN12, INFILL_OP_MATERN32, INFILL_OP_MATERN52,
        INFILL_OP_MATERN, INFILL_OP_RATIONAL_QUADRATIC, INFILL_OP_GAMMA_EXPONENTIAL, INFILL_OP_LAPLACE, INFILL_OP_PERIODIC,
        INFILL_OP_COSINE, INFILL_OP_LINEAR, INFILL_OP_POLYNOMIAL, INFILL_OP_ARC_SINE, INFILL_OP_HAMMING,
        INFILL_OP_EXCHANGEABLE, INFILL_OP_BRANCH, INFILL_OP_ACTIVE, INFILL_OP_ARC, INFILL_OP_ONE_HOT};
    long before = answered;
    for (unsigned long i = 0; i < 60000 / fewer; i++) {
        infill_node nodes[4];
        infill_kernel kernel = {nodes, 1};
        double theta[16], a[2], b[2], x[6], value = 0, by_theta[16], by_a[2], matrix[6], out[19];
        size_t thetas = 0;
        memset(nodes, 0, sizeof nodes);
        memset(out, 0, sizeof out);
        nodes[0].op = ops[bits() % (sizeof ops / sizeof ops[0])];
        if (bits() % 2) nodes[0].flags = INFILL_NODE_ARD;
        if (nodes[0].op == INFILL_OP_POLYNOMIAL) nodes[0].degree = 1 + (uint32_t)(bits() % 16);
        if (nodes[0].op == INFILL_OP_ARC || nodes[0].op == INFILL_OP_ONE_HOT) nodes[0].degree = INFILL_OP_MATERN52;
        if (bits() % 2) {
            nodes[1] = nodes[0];
            nodes[2].op = bits() % 2 ? INFILL_OP_SUM : INFILL_OP_PRODUCT;
            nodes[3].op = INFILL_OP_SCALE;
            kernel.count = 3 + bits() % 2;
        }
        NONE(infill_kernel_thetas(&kernel, 2, &thetas));
        if (thetas > 16) continue;
        for (size_t j = 0; j < thetas; j++) theta[j] = bits() % 3 ? 0 : any();
        for (size_t j = 0; j < 6; j++) x[j] = bits() % 3 ? 0.25 * (double)j : any();
        memcpy(a, x, sizeof a);
        memcpy(b, x + 2, sizeof b);
        FINITE(infill_kernel_eval(&kernel, theta, thetas, a, b, 2, &value), &value, 1);
        if (infill_kernel_gradient(&kernel, theta, thetas, a, b, 2, &value, by_theta, by_a) == INFILL_OK) {
            out[0] = value;
            memcpy(out + 1, by_a, sizeof by_a);
            memcpy(out + 3, by_theta, thetas * sizeof(double));
            FINITE(INFILL_OK, out, 3 + thetas);
        }
        FINITE(infill_kernel_gram(&kernel, theta, thetas, x, 3, 2, matrix), matrix, 6);
        FINITE(infill_kernel_start(&kernel, 2, theta, thetas), theta, thetas);
    }
    CHECK(answered - before > 1000);
}

/* ---- Processes ---- */

static double own(void *user, const double *theta, const double *a, const double *b) {
    (void)theta;
    return *(const double *)user * exp(-fabs(a[0] - b[0]));
}
static void own_slope(void *user, const double *theta, const double *a, const double *b, double *out) {
    *out = own(user, theta, a, b);
}

static void process(void) {
    infill_node nodes[2];
    infill_kernel kernel = {nodes, 2};
    infill_gp_config config;
    infill_training training;
    infill_covariance covariance;
    infill_gp *gp = NULL;
    double size = positive(), theta[4] = {0, 0, 0, 0}, x[2], beta[3], out[12];
    size_t thetas;
    memset(nodes, 0, sizeof nodes);
    nodes[0].op = bits() % 2 ? INFILL_OP_MATERN52 : INFILL_OP_LINEAR;
    nodes[1].op = INFILL_OP_SCALE;
    OK(infill_gp_config_default(&config, sizeof config));
    FINITE(INFILL_OK, &config.noise_variance, 4);
    OK(infill_training_default(&training, sizeof training));
    FINITE(INFILL_OK, &training.tolerance, 2);
    training.evaluations = 5;
    training.restarts = 1;
    config.rows = 6;
    config.dims = 1;
    config.batch = 2;
    config.scalar = scalar;
    config.trend = (uint32_t)(bits() % 4);
    config.kernel = &kernel;
    if (bits() % 4 == 0) {
        config.noise_variance = config.noise_hi = positive();
        config.noise_lo = fmin(config.noise_lo, config.noise_variance);
    }
    if (bits() % 4 == 0) {
        memset(&covariance, 0, sizeof covariance);
        covariance.size = sizeof covariance;
        covariance.eval = own;
        covariance.gradient = covariance.gradient_x = own_slope;
        covariance.user = &size;
        covariance.thetas = 1;
        covariance.start = theta;
        covariance.lo = theta;
        covariance.hi = theta;
        config.covariance = &covariance;
    }
    if (infill_gp_new(&config, &gp) != INFILL_OK) return;
    thetas = infill_gp_thetas(gp);
    FINITE(infill_gp_theta(gp, theta, thetas), theta, thetas);
    for (int i = 0; i < 4; i++) {
        x[0] = bits() % 2 ? 0.3 * i : any();
        NONE(infill_gp_push(gp, x, 1, any(), bits() % 3 ? 0 : positive()));
    }
    for (int round = 0; round < 3; round++) {
        memset(out, 0, sizeof out);
        if (round == 0) NONE(infill_gp_fit(gp, NULL));
        if (round == 1) FINITE(infill_gp_train(gp, NULL, &training, 1, out), out, 1);
        if (round == 2) {
            for (size_t i = 0; i < thetas; i++) theta[i] = bits() % 2 ? theta[i] : any();
            NONE(infill_gp_set_theta(gp, theta, thetas));
            NONE(infill_gp_set_noise(gp, positive(), positive(), positive()));
            NONE(infill_gp_fit(gp, NULL));
        }
        x[0] = any();
        x[1] = any();
        FINITE(infill_gp_predict(gp, x, 1, out, out + 1), out, 2);
        FINITE(infill_gp_predict_gradient(gp, x, 1, out, out + 1, out + 2, out + 3), out, 4);
        FINITE(infill_gp_predict_joint(gp, x, 2, 1, out, out + 2), out, 5);
        FINITE(infill_gp_sample(gp, x, 2, 1, bits(), out, out + 2), out, 2);
        FINITE(infill_gp_jitter(gp, out), out, 1);
        FINITE(infill_gp_likelihood(gp, out), out, 1);
        FINITE(infill_gp_evidence(gp, NULL, (uint32_t)(bits() % 2), out, out + 1, thetas), out, 1 + thetas);
        FINITE(infill_gp_trend(gp, beta, config.trend == 0 ? 0 : config.trend), beta, config.trend == 0 ? 0 : config.trend);
        NONE(infill_gp_extend(gp, x, 1, any(), bits() % 2 ? 0 : positive()));
        FINITE(infill_gp_predict(gp, x, 1, out, out + 1), out, 2);
    }
    infill_gp_free(gp);
}

/* ---- Spaces, optimizers, designs, documents ---- */

enum { DIMS = 3 };
static infill_param params[DIMS];
static infill_condition conditions[1];
static infill_space space;

/* A category, a real of any bounds below it, a whole number. */
static void any_space(void) {
    double a = any(), b = any();
    infill_param category = INFILL_CATEGORICAL(2), real = INFILL_REAL(fmin(a, b), fmax(a, b)), whole = INFILL_INTEGER(0, 9);
    infill_param scaled = INFILL_REAL_LOG(fmin(fabs(a), fabs(b)), fmax(fabs(a), fabs(b)));
    infill_condition condition = INFILL_IF_EQUALS(1, 0, 0);
    infill_space made = INFILL_SPACE_IF(params, DIMS, conditions, 1);
    params[0] = category;
    params[1] = bits() % 2 ? scaled : real;
    params[2] = whole;
    conditions[0] = condition;
    space = made;
}

static double last;

static int32_t objective(void *user, const double *x, size_t dims, double *value) {
    (void)user;
    FINITE(INFILL_OK, x, dims);
    *value = last = any();
    return 0;
}

static int32_t progress(void *user, const infill_step *step) {
    (void)user;
    FINITE(INFILL_OK, step->x, step->dims);
    /* What is infinite as the scalar of the optimizer is an evaluation that failed. */
    if (scalar == INFILL_F64 || fabs(last) <= FLT_MAX) {
        FINITE(INFILL_OK, &step->value, 1);
        FINITE(INFILL_OK, &step->best, 1);
    }
    return 0;
}

static void proposal(const infill_proposal *p, const double *x) {
    FINITE(INFILL_OK, x, DIMS);
    if (p->origin == INFILL_ORIGIN_MODEL) FINITE(INFILL_OK, &p->acquisition, 1);
}

static void record(const infill_record *r, const double *x) {
    FINITE(INFILL_OK, x, DIMS);
    if (r->state == INFILL_STATE_DONE) FINITE(INFILL_OK, &r->value, 1);
    FINITE(INFILL_OK, &r->variance, 1);
}

static infill_config any_config(void) {
    infill_config config;
    uint32_t number = (uint32_t)bits();
    const char *name = infill_choice_name("infill_op", number % 2 ? number : number % 70);
    NONE(infill_config_default(&config, sizeof config));
    NONE(infill_config_preset(&config, sizeof config, "spearmint"));
    if (name != NULL) NONE(infill_choice_number("infill_op", name, &number));
    config = small_config(scalar);
    if (bits() % 2) config.targets = INFILL_TRANSFORM_NONE;
    return config;
}

static void optimizer(uint32_t strategy) {
    infill_config config = any_config();
    infill_opt *opt = NULL;
    infill_proposal p;
    infill_record r;
    infill_trial trial;
    double x[DIMS], out[2];
    config.strategy = strategy;
    config.strategy_start = 2;
    if (infill_new(&space, &config, &opt) != INFILL_OK) return;
    x[0] = 1, x[1] = params[1].hi, x[2] = 3;
    NONE(infill_enqueue(opt, x, DIMS, &trial));
    NONE(infill_observe(opt, x, DIMS, any(), &trial));
    for (int i = 0; i < 7; i++) {
        FINITE(infill_ask(opt, x, DIMS, &trial), x, DIMS);
        NONE(bits() % 2 ? infill_tell(opt, trial, any()) : infill_tell_noisy(opt, trial, any(), positive()));
        if (infill_ask_with(opt, NULL, x, DIMS, &p) == INFILL_OK) {
            proposal(&p, x);
            if (bits() % 2) NONE(infill_tell(opt, p.trial, any()));
        }
        FINITE(infill_predict(opt, x, DIMS, out, out + 1), out, 2);
        FINITE(infill_recommend(opt, x, DIMS, out, out + 1), out, 2);
        FINITE(infill_best(opt, x, DIMS, out), out, 1);
        if (infill_record_at(opt, 0, x, DIMS, &r) == INFILL_OK) record(&r, x);
        if (infill_record_of(opt, trial, x, DIMS, &r) == INFILL_OK) record(&r, x);
    }
    infill_free(opt);
    OK(infill_new(&space, &config, &opt));
    FINITE(infill_next(opt, x, DIMS, &trial), x, DIMS);
    if (infill_next_with(opt, NULL, x, DIMS, &p) == INFILL_OK) proposal(&p, x);
    NONE(infill_minimize(opt, objective, NULL, 2));
    NONE(infill_minimize_with(opt, NULL, objective, progress, NULL, 5));
    infill_free(opt);
}

/* What a run of such values taught, and a run by its help. */
static void transferred(void) {
    static uint64_t words[1 << 12], work[1 << 14];
    infill_config config = any_config();
    infill_opt *opt = NULL;
    infill_sources sources = INFILL_SOURCES(words, 0);
    infill_proposal p;
    infill_trial trial;
    double x[DIMS], features[2], out[2], described[INFILL_META_FEATURES];
    const uint32_t labels[] = {0, 1, 1};
    features[0] = any(), features[1] = any();
    FINITE(infill_meta_features(ends + bits() % 5, 2, labels, 3, described), described, INFILL_META_FEATURES);
    config.limits.sources = 1;
    config.transfer_start = (uint32_t)(bits() % 6);
    config.transfer_how = bits() % 2 ? INFILL_HOW_STAGE : INFILL_HOW_VALUE;
    if (infill_new(&space, &config, &opt) != INFILL_OK) return;
    for (int i = 0; i < 6; i++) {
        x[0] = i % 2, x[1] = bits() % 2 ? params[1].hi : params[1].lo, x[2] = i;
        NONE(infill_observe(opt, x, DIMS, any(), &trial));
    }
    NONE(infill_source_export(opt, INFILL_FORM_MEANS, features, 2, work, sizeof work, words, sizeof words, &sources.size));
    infill_free(opt);
    sources.features = features;
    sources.count = 2;
    OK(infill_new(&space, &config, &opt));
    for (int i = 0; i < 6; i++) {
        const infill_status status = i % 2 ? infill_ask_from(opt, &sources, NULL, x, DIMS, &p)
                                           : infill_next_from(opt, &sources, NULL, x, DIMS, &p);
        NONE(status);
        if (status != INFILL_OK) break;
        proposal(&p, x);
        NONE(infill_tell(opt, p.trial, any()));
        FINITE(infill_predict_from(opt, &sources, NULL, x, DIMS, out, out + 1), out, 2);
        FINITE(infill_recommend_from(opt, &sources, NULL, x, DIMS, out, out + 1), out, 2);
    }
    NONE(infill_minimize_from(opt, &sources, NULL, objective, progress, NULL, 2));
    infill_free(opt);
}

static void designed(void) {
    static uint64_t mem[64];
    double points[4 * DIMS];
    FINITE(infill_design(mem, sizeof mem, &space, (uint32_t)(bits() % 5), bits(), 4, points, 4, DIMS), points, 4 * DIMS);
}

static void document(void) {
    static const char *const names[] = {"a", "b", "c"};
    infill_document *made = NULL;
    double x[DIMS] = {0, params[1].lo, 3}, vector[DIMS];
    char text[128];
    size_t length = 0;
    if (infill_document_of(&space, names, &made) != INFILL_OK) return;
    x[1] = bits() % 2 ? any() : params[1].hi;
    if (infill_document_values(made, x, DIMS, text, sizeof text, &length) == INFILL_OK) {
        FINITE(infill_document_point(made, text, length, x, DIMS), x, DIMS);
        /* All matter: the category is 0. */
        FINITE(infill_document_vector(made, x, DIMS, vector, DIMS), vector, DIMS);
    }
    infill_document_free(made);
}

/* ---- Acquisitions: never NaN, but infinite where they leave the range ---- */

static void acquisitions(void) {
    uint32_t rule = 1 + (uint32_t)(bits() % 8);
    double parameter = rule == INFILL_ACQUISITION_GENERALISED ? (double)(bits() % 5) : rule == INFILL_ACQUISITION_DEVIATION ? 0 : any();
    double mean = any(), variance = positive(), best = any(), out[3] = {0, 0, 0};
    NONE(infill_acquisition_score(rule, parameter, mean, variance, best, out));
    NONE(infill_acquisition_gradient(rule, parameter, mean, variance, best, out, out + 1, out + 2));
    for (int i = 0; i < 3; i++) {
        if (isnan(out[i])) {
            failures++;
            printf("rule %u, %g, mean %g, variance %g, best %g: output %d is NaN\n", (unsigned)rule, parameter, mean, variance, best, i);
        }
    }
    FINITE(infill_bound_schedule(bits() % 2 ? bits() : UINT64_MAX, bits() % 2 ? 3 : SIZE_MAX, positive(), out), out, 1);
}

/* ---- Races: a cap may be infinite, and the cost of a crash without one ---- */

static void race(void) {
    static uint64_t mem[256];
    infill_race_rules rules;
    infill_race *r = NULL;
    infill_run run;
    infill_run_record told;
    double cost = 0;
    OK(infill_race_default(&rules, sizeof rules));
    rules.scalar = scalar;
    rules.configs = 3;
    rules.runs = 12;
    rules.statistic = (uint32_t)(bits() % 3);
    rules.quantile = (double)(bits() % 11) / 10;
    rules.penalty = 1 + positive();
    if (bits() % 2) rules.cap = positive();
    if (bits() % 2) rules.slack = 1 + positive();
    if (infill_race_init(mem, sizeof mem, &rules, &r) != INFILL_OK) return;
    for (uint32_t config = 0; config < 3; config++) NONE(infill_race_challenge(r, config));
    for (int i = 0; i < 12; i++) {
        if (infill_race_ask(r, &run) != INFILL_OK) break;
        CHECK(!isnan(run.cap));
        if (isfinite(rules.cap) && bits() % 3 == 0) {
            NONE(bits() % 2 ? infill_race_capped(r, run.id) : infill_race_crashed(r, run.id));
        } else {
            NONE(infill_race_tell(r, run.id, isfinite(rules.cap) ? positive() : any()));
        }
        for (uint32_t config = 0; config < 3; config++) FINITE(infill_race_cost(r, config, &cost), &cost, 1);
        if (infill_race_record(r, 0, &told) == INFILL_OK) {
            FINITE(INFILL_OK, &told.cost, 1);
            CHECK(!isnan(told.cap));
        }
    }
}

static void frace(void) {
    static uint64_t mem[2048];
    infill_frace_plan plan;
    infill_frace *f = NULL;
    infill_run run;
    uint32_t config;
    double x[DIMS];
    OK(infill_frace_default(&plan, sizeof plan));
    plan.scalar = scalar;
    plan.budget = 80;
    plan.first = 2;
    plan.penalty = 1 + positive();
    if (bits() % 2) plan.cap = positive();
    if (bits() % 2) plan.slack = 1 + positive();
    if (infill_frace_init(mem, sizeof mem, &space, &plan, &f) != INFILL_OK) return;
    while (infill_frace_ask(f, x, DIMS, &run) == INFILL_OK) {
        FINITE(INFILL_OK, x, DIMS);
        CHECK(!isnan(run.cap));
        if (infill_frace_tell(f, run.id, isfinite(plan.cap) ? positive() : any()) != INFILL_OK) {
            NONE(isfinite(plan.cap) && bits() % 2 ? infill_frace_capped(f, run.id) : infill_frace_crashed(f, run.id));
        }
        FINITE(infill_frace_best(f, x, DIMS, &config), x, DIMS);
    }
}

/* ---- Comparisons: F is infinite if all problems have one order ---- */

static void comparisons(void) {
    static const char *const names[] = {"a", "b", "c"};
    double values[12], out[9];
    int64_t net[9];
    char text[1024];
    infill_friedman f;
    infill_wilcoxon w;
    for (int i = 0; i < 12; i++) values[i] = any();
    FINITE(infill_compare_ranks(values, 4, 3, out), out, 3);
    NONE(infill_compare_diagram(names, out, 3, positive(), 40, text, sizeof text));
    NONE(infill_compare_diagram_size(names, out, 3, positive(), 40) > 0 ? INFILL_OK : INFILL_ERROR_CONFIG);
    FINITE(infill_compare_win_rates(values, 4, 3, out), out, 3);
    NONE(infill_compare_net_wins(values, 4, 3, net));
    if (infill_compare_friedman(values, 4, 3, &f) == INFILL_OK) {
        FINITE(INFILL_OK, &f.chi_squared, 4);
        FINITE(INFILL_OK, &f.f_p, 1);
        CHECK(!isnan(f.f));
    }
    if (infill_compare_wilcoxon(values, values + 6, 6, &w) == INFILL_OK) FINITE(INFILL_OK, &w.statistic, 3);
}

int main(int count, char **arguments) {
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    double difference = 0;
    if (count > 1) fewer = strtoul(arguments[1], NULL, 10);
    if (fewer == 0) fewer = 1;
    kernels();
    for (int s = 0; s < 2; s++) {
        scalar = scalars[s];
        for (unsigned long i = 0; i < 2000 / fewer; i++) process();
        for (unsigned long i = 0; i < 2000 / fewer; i++) {
            any_space();
            designed();
            document();
            frace();
            if (i % 10 == 0) optimizer(INFILL_STRATEGY_AUTO);
            if (i % 10 == 2) transferred();
            if (i % 10 == 5) optimizer((uint32_t)(INFILL_STRATEGY_IMPUTE + bits() % 3));
        }
        for (unsigned long i = 0; i < 20000 / fewer; i++) {
            acquisitions();
            race();
            comparisons();
        }
    }
    for (int i = 0; i < ENDS; i++) {
        FINITE(infill_compare_critical_difference(2, 2, ends[i], &difference), &difference, 1);
        FINITE(infill_compare_critical_difference(3000000000u, 2, 1 - ends[i] / 2, &difference), &difference, 1);
        FINITE(infill_compare_critical_difference(5, SIZE_MAX, 0.05, &difference), &difference, 1);
    }
    printf("%ld answers, %ld refusals\n", answered, refused);
    CHECK(answered > refused / 4);
    return report("extreme");
}
