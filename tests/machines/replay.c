/*
 * Proposals and other numbers of the library as bits, for machines of every kind: run.sh compares what they print.
 *
 * Needs nothing but a function that prints. What is computed here are sums, products and quotients, which every
 * machine rounds alike.
 */
#define INFILL_EXPERIMENTAL
#include "infill.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#ifdef __wasm__
extern void put(const char *text, size_t size);
#else
#include <stdio.h>
static void put(const char *text, size_t size) { fwrite(text, 1, size, stdout); }
#endif

/* A sum of what was printed since it was last set to 0: FNV-1a. */
static uint64_t sum;

static void print(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3;
    put(text, size);
}

static void say(const char *text)
{
    size_t size = 0;
    while (text[size] != 0) size++;
    print(text, size);
}

static void hex(uint64_t word)
{
    char text[16];
    size_t at = sizeof text;
    do {
        text[--at] = "0123456789abcdef"[word & 15];
        word >>= 4;
    } while (word != 0);
    say(" ");
    print(text + at, sizeof text - at);
}

static void number(double value)
{
    union {
        double value;
        uint64_t bits;
    } both;
    both.value = value;
    /* The sign of a NaN is no one's promise. */
    if (value != value) say(" nan");
    else hex(both.bits);
}

static void numbers(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) number(values[i]);
}

static int bad;

/* A status that is none of success is printed, as on every machine, and remembered. */
static int good(infill_status status)
{
    if (status == INFILL_OK) return 1;
    say(" failed: ");
    say(infill_status_str(status));
    say("\n");
    bad = 1;
    return 0;
}

enum { WORDS = 1 << 16, DIMS = 7 };
static uint64_t block[WORDS], saved[WORDS];

enum { RATE, DEPTH, LEVEL, METHOD, DECAY, LEAF, NARROW };
static const double levels[] = {1, 2, 4, 8};
static const double pair[] = {1, 2};
static const infill_param params[DIMS] = {
    INFILL_REAL(-1, 2), INFILL_INTEGER_LOG(1, 64), INFILL_ORDINAL(levels, 4), INFILL_CATEGORICAL(3),
    INFILL_REAL_LOG(1e-3, 10), INFILL_REAL(0, 1), INFILL_REAL(1000, 1001),
};
static const infill_condition conditions[] = {
    INFILL_IF_EQUALS(DECAY, METHOD, 1),
    INFILL_OR_BETWEEN(DECAY, DEPTH, 1, 4),
    INFILL_IF_IN(LEAF, METHOD, pair, 2),
};
static const infill_term forbidden[] = {
    INFILL_FORBID_EQUALS(METHOD, 2),
    INFILL_ALSO_BETWEEN(DEPTH, 9, 64),
    INFILL_FORBID_BETWEEN(LEAF, 0.25, 0.5),
};
static const infill_param plain[] = {INFILL_REAL(-1, 2), INFILL_INTEGER_LOG(1, 64)};

static double objective(const double *x, size_t dims)
{
    double a = x[0] - 0.3, b = x[1] / 64 - 0.5, sum = a * a + b * b;
    if (dims < DIMS) return sum;
    double c = x[LEVEL] - 2, d = x[DECAY] - 0.1, e = x[LEAF] - 0.3, f = x[NARROW] - 1000.5;
    return sum + c * c / 16 + f * f + (x[METHOD] == 1 ? 0.5 + d * d : 1) + (x[METHOD] > 0 ? e * e : 0);
}

/* What differs from the default; zeros do not. */
typedef struct setting {
    const char *name;
    uint32_t model, hyper, warp, policy, pending, acquisition, search, trend, targets, small;
} setting;

static const setting settings[] = {
    {"process", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"student", INFILL_MODEL_STUDENT, 0, INFILL_WARP_KUMARASWAMY, 0, INFILL_PENDING_LIAR_MAX, 0, 0, 0, 0, 0},
    {"fitc", INFILL_MODEL_FITC, 0, 0, INFILL_POLICY_THOMPSON, 0, 0, INFILL_SEARCH_SMAC, 0, 0, 0},
    {"variational", INFILL_MODEL_VARIATIONAL, 0, 0, 0, 0, 0, INFILL_SEARCH_TYPED, 0, INFILL_TRANSFORM_RANK, 0},
    {"spectrum", INFILL_MODEL_SPECTRUM, 0, 0, 0, 0, INFILL_ACQUISITION_BOUND, 0, 0, 0, 1},
    {"mondrian", INFILL_MODEL_MONDRIAN, 0, 0, 0, 0, 0, 0, 0, 0, 1},
    {"forest", INFILL_MODEL_RANDOM_FOREST, 0, 0, 0, INFILL_PENDING_TEMPERATURES, INFILL_ACQUISITION_LOG_MGF,
     INFILL_SEARCH_EVOLUTION, 0, 0, 0},
    {"extra trees", INFILL_MODEL_EXTRA_TREES, 0, 0, 0, 0, INFILL_ACQUISITION_IMPROVEMENT, 0, 0, 0, 0},
    {"boosted trees", INFILL_MODEL_BOOSTED_TREES, 0, 0, 0, 0, 0, INFILL_SEARCH_RANDOM, 0, 0, 0},
    {"sampled", 0, INFILL_HYPER_MCMC, INFILL_WARP_BETA, INFILL_POLICY_MAX_VALUE, 0, 0, 0, 0,
     INFILL_TRANSFORM_YEO_JOHNSON, 1},
    {"entropy", 0, 0, 0, INFILL_POLICY_ENTROPY_SEARCH, 0, 0, INFILL_SEARCH_COVARIANCE, 0, 0, 1},
    {"knowledge", 0, 0, 0, INFILL_POLICY_KNOWLEDGE, 0, 0, 0, INFILL_TREND_LINEAR, INFILL_TRANSFORM_BOX_COX, 1},
    {"spectral", 0, 0, 0, INFILL_POLICY_SPECTRAL, 0, 0, 0, 0, 0, 1},
    {"hedge", 0, 0, 0, INFILL_POLICY_HEDGE, 0, 0, 0, 0, 0, 0},
    {"penalty", 0, 0, 0, 0, INFILL_PENDING_PENALTY, INFILL_ACQUISITION_PROBABILITY, 0, 0, 0, 1},
    {"noisy", 0, 0, 0, INFILL_POLICY_NOISY, 0, 0, 0, 0, 0, 0},
    {"fantasies", 0, 0, 0, 0, INFILL_PENDING_FANTASIES, INFILL_ACQUISITION_GENERALISED, 0, 0, 0, 0},
    {"random", INFILL_MODEL_RANDOM, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"mesh", INFILL_MODEL_GRID, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"sobol", INFILL_MODEL_SOBOL, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"anneal", INFILL_MODEL_ANNEAL, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"parzen", INFILL_MODEL_PARZEN, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"cma-es", INFILL_MODEL_CMA_ES, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"mi-es", INFILL_MODEL_MI_ES, 0, 0, 0, 0, 0, 0, 0, 0, 0},
};

/* Emulated machines are slow: few trials, little work for each. */
enum { TRIALS = 14, START = 5 };

static infill_config configured(const setting *row, uint32_t scalar)
{
    static const double parameters[] = {0, 0.01, 0.01, 0, 1.5, 2, 1, 0, 0.1};
    infill_config config;
    good(infill_config_default(&config, sizeof config));
    config.scalar = scalar;
    config.seed = 11;
    config.start = START;
    config.limits.trials = TRIALS;
    config.limits.open = 4;
    config.limits.features = 8;
    config.limits.trees = 9;
    config.search_global = row->search > INFILL_SEARCH_ASCENT ? 0 : 64;
    config.search_local = 16;
    config.search_starts = row->search > INFILL_SEARCH_ASCENT ? 0 : 2;
    config.polish_evaluations = 10;
    config.training_restarts = 1;
    config.training_draws = 4;
    config.training_evaluations = 12;
    config.refit_evaluations = 8;
    config.hyper_count = 3;
    config.sampler_burn_in = 3;
    config.sampler_out = 10;
    config.policy_representers = 10;
    config.policy_draws = 16;
    config.policy_fantasies = 3;
    config.policy_features = 16;
    config.pending_draws = 8;
    config.model = row->model;
    config.hyper = row->hyper;
    config.warp = row->warp;
    config.policy = row->policy;
    config.pending = row->pending;
    config.search_method = row->search;
    if (row->acquisition != 0) {
        config.acquisition = row->acquisition;
        config.acquisition_parameter = parameters[row->acquisition];
    }
    if (row->trend != 0) config.trend = row->trend;
    if (row->targets != 0) config.targets = row->targets;
    return config;
}

/* Asks and tells with one trial open behind; what was asked is printed. */
static int go(infill_opt *opt, size_t dims, int asks, int late)
{
    infill_proposal first, second;
    double x[DIMS], y[DIMS];
    for (int i = 0; i < asks; i++) {
        if (!good(infill_ask_with(opt, NULL, x, dims, &first))) return 0;
        hex(first.origin);
        number(first.acquisition);
        numbers(x, dims);
        say("\n");
        if (late) {
            if (!good(infill_ask_with(opt, NULL, y, dims, &second))) return 0;
            numbers(y, dims);
            say("\n");
            if (!good(infill_tell_noisy(opt, second.trial, objective(y, dims), 0.01))) return 0;
        }
        if (!good(infill_tell(opt, first.trial, objective(x, dims)))) return 0;
    }
    return 1;
}

static void looked(infill_opt *opt, size_t dims, uint32_t model)
{
    double x[DIMS], mean, variance;
    if (!good(infill_recommend(opt, x, dims, &mean, &variance))) return;
    numbers(x, dims);
    number(mean);
    number(variance);
    if ((model < INFILL_MODEL_RANDOM || model == INFILL_MODEL_MONDRIAN) &&
        good(infill_predict(opt, x, dims, &mean, &variance))) {
        number(mean);
        number(variance);
    }
    say("\n");
}

static void optimized(const setting *row, uint32_t scalar)
{
    infill_space space = INFILL_SPACE_FORBID(params, DIMS, conditions, 3, forbidden, 3);
    infill_space few = INFILL_SPACE(plain, 2);
    infill_config config = configured(row, scalar);
    infill_opt *opt = NULL, *again = NULL;
    size_t dims = row->small ? 2 : DIMS, bytes;
    infill_trial trial;
    uint64_t stayed;
    double x[DIMS] = {0.25, 3, 4, 1, 0.5, 0.75, 1000.5};
    say(row->name);
    hex(scalar);
    say("\n");
    if (!good(infill_init(block, sizeof block, row->small ? &few : &space, &config, &opt))) return;
    if (!good(infill_observe(opt, x, dims, objective(x, dims), &trial))) return;
    if (!go(opt, dims, START, 0) || !go(opt, dims, 1, 1)) return;
    /* Saved and taken up again: it goes on as the one that stayed. */
    bytes = infill_bytes(opt);
    for (size_t i = 0; i < bytes / 8; i++) saved[i] = block[i];
    if (!good(infill_attach(saved, bytes, NULL, &again))) return;
    sum = 0;
    if (go(opt, dims, 2, 1)) looked(opt, dims, row->model);
    stayed = sum;
    sum = 0;
    if (go(again, dims, 2, 1)) looked(again, dims, row->model);
    if (sum != stayed) {
        say("a saved block went on to other bits\n");
        bad = 1;
    }
}

static void selected(uint32_t strategy, uint32_t scalar)
{
    infill_space space = INFILL_SPACE_FORBID(params, DIMS, conditions, 3, forbidden, 3);
    infill_config config = configured(&settings[0], scalar);
    infill_opt *opt = NULL;
    double x[DIMS], mean, variance;
    infill_trial trial;
    say("selection");
    hex(strategy);
    say("\n");
    config.limits.trials = 16;
    config.strategy = strategy;
    config.strategy_parameter = METHOD;
    config.start = config.strategy_start = 2;
    config.strategy_budget = strategy == INFILL_STRATEGY_BASELINE ? 12 : 0;
    if (!good(infill_init(block, sizeof block, &space, &config, &opt))) return;
    for (int i = 0; i < 9; i++) {
        if (!good(infill_ask(opt, x, DIMS, &trial))) return;
        numbers(x, DIMS);
        say("\n");
        if (!good(infill_tell(opt, trial, objective(x, DIMS)))) return;
    }
    if (good(infill_recommend(opt, x, DIMS, &mean, &variance))) {
        number(mean);
        number(variance);
        say("\n");
    }
}

static const infill_node nodes[] = {
    {INFILL_OP_MATERN, 0, 0, 0, 1, NULL, NULL, 0},
    {INFILL_OP_RATIONAL_QUADRATIC, 0, 0, 1, 1, NULL, NULL, 0},
    {INFILL_OP_PRODUCT, 0, 0, 0, 0, NULL, NULL, 0},
    {INFILL_OP_PERIODIC, INFILL_NODE_ARD, 0, 0, 2, NULL, NULL, 0},
    {INFILL_OP_SUM, 0, 0, 0, 0, NULL, NULL, 0},
    {INFILL_OP_SCALE, 0, 0, 0, 0, NULL, NULL, 0},
};
static const infill_kernel kernel = {nodes, COUNT(nodes)};

static void process(uint32_t scalar)
{
    infill_gp_config config;
    infill_gp *gp = NULL;
    double x[2], slope[4], means[3], matrix[6], theta[16], value, mean, variance;
    double points[] = {0.1, 0.2, 0.5, 0.5, 0.9, 0.3};
    size_t thetas = 0;
    say("process of its own");
    hex(scalar);
    say("\n");
    good(infill_gp_config_default(&config, sizeof config));
    config.rows = 20;
    config.dims = 2;
    config.batch = 3;
    config.kernel = &kernel;
    config.scalar = scalar;
    config.trend = INFILL_TREND_LINEAR;
    if (!good(infill_gp_init(block, sizeof block, &config, &gp))) return;
    for (int i = 0; i < 15; i++) {
        x[0] = (double)(i * 7 % 15) / 15;
        x[1] = (double)(i * 4 % 15) / 15;
        if (!good(infill_gp_push(gp, x, 2, (x[0] - 0.4) * (x[0] - 0.4) + x[1] * x[0], 0.001))) return;
    }
    if (!good(infill_gp_train(gp, NULL, NULL, 5, &value))) return;
    number(value);
    if (good(infill_gp_theta(gp, theta, infill_gp_thetas(gp)))) numbers(theta, infill_gp_thetas(gp));
    for (int i = 0; i < 3; i++) {
        if (!good(infill_gp_predict_gradient(gp, points + 2 * i, 2, &mean, &variance, slope, slope + 2))) return;
        number(mean);
        number(variance);
        numbers(slope, 4);
    }
    if (good(infill_gp_sample(gp, points, 3, 2, 9, means, matrix))) numbers(means, 3);
    say("\n");
    if (!good(infill_kernel_thetas(&kernel, 2, &thetas)) || !good(infill_kernel_start(&kernel, 2, theta, thetas))) return;
    if (good(infill_kernel_gram(&kernel, theta, thetas, points, 3, 2, matrix))) numbers(matrix, 6);
    say("\n");
}

static void designed(void)
{
    infill_space space = INFILL_SPACE_IF(params, DIMS, conditions, 3);
    double points[4 * DIMS], score, by_mean, by_deviation;
    for (uint32_t kind = INFILL_DESIGN_UNIFORM; kind <= INFILL_DESIGN_GRID; kind++) {
        say("design");
        if (good(infill_design(block, sizeof block, &space, kind, 3, 16, points, 4, DIMS))) numbers(points, 4 * DIMS);
        say("\n");
    }
    for (uint32_t rule = INFILL_ACQUISITION_PROBABILITY; rule <= INFILL_ACQUISITION_NOISY; rule++) {
        double parameter = rule == INFILL_ACQUISITION_DEVIATION ? 0 : 2;
        say("acquisition");
        if (good(infill_acquisition_gradient(rule, parameter, 1.5, 0.7, 1.25, &score, &by_mean, &by_deviation))) {
            number(score);
            number(by_mean);
            number(by_deviation);
        }
        say("\n");
    }
}

static void raced(uint32_t scalar)
{
    infill_space space = INFILL_SPACE_FORBID(params, DIMS, conditions, 3, forbidden, 3);
    infill_race_rules rules;
    infill_frace_plan plan;
    infill_race *race = NULL;
    infill_frace *frace = NULL;
    infill_run run;
    double x[DIMS], cost;
    uint32_t best;
    say("races");
    hex(scalar);
    say("\n");
    good(infill_race_default(&rules, sizeof rules));
    rules.scalar = scalar;
    rules.configs = 5;
    rules.runs = 40;
    rules.statistic = INFILL_STATISTIC_QUANTILE;
    rules.quantile = 0.3;
    if (!good(infill_race_init(block, sizeof block, &rules, &race))) return;
    for (uint32_t i = 0; i < 5; i++) good(infill_race_challenge(race, i));
    while (infill_race_ask(race, &run) == INFILL_OK) {
        hex(run.config);
        hex(run.seed);
        if (!good(infill_race_tell(race, run.id, (double)run.config + (double)(run.seed >> 40) / 8388608))) return;
    }
    if (good(infill_race_incumbent(race, &best)) && good(infill_race_cost(race, best, &cost))) number(cost);
    say("\n");
    good(infill_frace_default(&plan, sizeof plan));
    plan.scalar = scalar;
    plan.budget = 150;
    plan.instances = 7;
    if (!good(infill_frace_init(block, sizeof block, &space, &plan, &frace))) return;
    while (infill_frace_ask(frace, x, DIMS, &run) == INFILL_OK) {
        hex(run.seed);
        numbers(x, DIMS);
        say("\n");
        if (!good(infill_frace_tell(frace, run.id, objective(x, DIMS) + (double)run.instance / 8))) return;
    }
    if (good(infill_frace_best(frace, x, DIMS, &best))) numbers(x, DIMS);
    say("\n");
}

int main(void)
{
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    for (size_t s = 0; s < COUNT(scalars); s++) {
        for (size_t i = 0; i < COUNT(settings); i++) optimized(&settings[i], scalars[s]);
        for (uint32_t strategy = INFILL_STRATEGY_IMPUTE; strategy <= INFILL_STRATEGY_BASELINE; strategy++) {
            selected(strategy, scalars[s]);
        }
        process(scalars[s]);
        raced(scalars[s]);
    }
    designed();
    say("end\n");
    return bad;
}
