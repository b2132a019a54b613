/*
 * Every model, treatment, sampler, warp, policy, batch, acquisition, transform and preset, once: made in a block of the
 * size that infill_size says, asked with trials open, saved, copied, enlarged, made to learn afresh.
 */

#include "check.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* What differs from a process with a closed form; zeros are the defaults. */
typedef struct row {
    const char *name;
    uint32_t model, hyper, sampler, warp, policy, minima, pending, acquisition, cooling, targets;
} row;

enum { MGF = INFILL_ACQUISITION_LOG_MGF };

static const row rows[] = {
    {"a process", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"a Student-t process", INFILL_MODEL_STUDENT, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"FITC", INFILL_MODEL_FITC, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"variational", INFILL_MODEL_VARIATIONAL, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"spectrum", INFILL_MODEL_SPECTRUM, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"Mondrian trees", INFILL_MODEL_MONDRIAN, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"random forest", INFILL_MODEL_RANDOM_FOREST, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"extra trees", INFILL_MODEL_EXTRA_TREES, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"boosted trees", INFILL_MODEL_BOOSTED_TREES, 0, 0, 0, 0, 0, 0, 0, 0, 0},

    {"slice", 0, INFILL_HYPER_MCMC, INFILL_SAMPLER_SLICE, 0, 0, 0, 0, 0, 0, 0},
    {"Metropolis", 0, INFILL_HYPER_MCMC, INFILL_SAMPLER_METROPOLIS, 0, 0, 0, 0, 0, 0, 0},
    {"fixed", 0, INFILL_HYPER_MCMC, INFILL_SAMPLER_FIXED, 0, 0, 0, 0, 0, 0, 0},
    {"whitened", 0, INFILL_HYPER_MCMC, INFILL_SAMPLER_WHITENED, 0, 0, 0, 0, 0, 0, 0},
    {"surrogate Metropolis", 0, INFILL_HYPER_MCMC, INFILL_SAMPLER_SURROGATE_METROPOLIS, 0, 0, 0, 0, 0, 0, 0},
    {"surrogate slice", 0, INFILL_HYPER_MCMC, INFILL_SAMPLER_SURROGATE_SLICE, 0, 0, 0, 0, 0, 0, 0},
    {"quadrature", 0, INFILL_HYPER_QUADRATURE, 0, 0, 0, 0, 0, 0, 0, 0},

    {"Kumaraswamy", 0, 0, 0, INFILL_WARP_KUMARASWAMY, 0, 0, 0, 0, 0, 0},
    {"beta", 0, 0, 0, INFILL_WARP_BETA, 0, 0, 0, 0, 0, 0},
    {"a warped Student-t process", INFILL_MODEL_STUDENT, 0, 0, INFILL_WARP_BETA, 0, 0, 0, 0, 0, 0},

    {"entropy search", 0, 0, 0, 0, INFILL_POLICY_ENTROPY_SEARCH, 0, 0, 0, 0, 0},
    {"predictive entropy", 0, 0, 0, 0, INFILL_POLICY_PREDICTIVE_ENTROPY, 0, 0, 0, 0, 0},
    {"max value", 0, 0, 0, 0, INFILL_POLICY_MAX_VALUE, INFILL_MINIMA_JOINT, 0, 0, 0, 0},
    {"max value by Gumbel", 0, 0, 0, 0, INFILL_POLICY_MAX_VALUE, INFILL_MINIMA_GUMBEL, 0, 0, 0, 0},
    {"Thompson", 0, 0, 0, 0, INFILL_POLICY_THOMPSON, 0, 0, 0, 0, 0},
    {"spectral Thompson", 0, 0, 0, 0, INFILL_POLICY_SPECTRAL, 0, 0, 0, 0, 0},
    {"knowledge gradient", 0, 0, 0, 0, INFILL_POLICY_KNOWLEDGE, 0, 0, 0, 0, 0},
    {"hedge", 0, 0, 0, 0, INFILL_POLICY_HEDGE, 0, 0, 0, 0, 0},
    {"portfolio", 0, 0, 0, 0, INFILL_POLICY_PORTFOLIO, 0, 0, 0, 0, 0},
    {"noisy improvement", 0, 0, 0, 0, INFILL_POLICY_NOISY, 0, 0, 0, 0, 0},
    {"knowledge of a forest", INFILL_MODEL_RANDOM_FOREST, 0, 0, 0, INFILL_POLICY_KNOWLEDGE, 0, 0, 0, 0, 0},
    {"entropy over draws", 0, INFILL_HYPER_MCMC, 0, 0, INFILL_POLICY_MAX_VALUE, 0, 0, 0, 0, 0},

    {"lowest lie", 0, 0, 0, 0, 0, 0, INFILL_PENDING_LIAR_MIN, 0, 0, 0},
    {"mean lie", 0, 0, 0, 0, 0, 0, INFILL_PENDING_LIAR_MEAN, 0, 0, 0},
    {"largest lie", 0, 0, 0, 0, 0, 0, INFILL_PENDING_LIAR_MAX, 0, 0, 0},
    {"fantasies", 0, 0, 0, 0, 0, 0, INFILL_PENDING_FANTASIES, 0, 0, 0},
    {"penalty", 0, 0, 0, 0, 0, 0, INFILL_PENDING_PENALTY, 0, 0, 0},
    {"temperatures", 0, 0, 0, 0, 0, 0, INFILL_PENDING_TEMPERATURES, MGF, 0, 0},
    {"joint improvement", 0, 0, 0, 0, 0, 0, INFILL_PENDING_JOINT_EI, 0, 0, 0},
    {"fantasies over draws", 0, INFILL_HYPER_MCMC, 0, 0, 0, 0, INFILL_PENDING_FANTASIES, 0, 0, 0},
    {"fantasies of FITC", INFILL_MODEL_FITC, 0, 0, 0, 0, 0, INFILL_PENDING_FANTASIES, 0, 0, 0},

    {"probability", 0, 0, 0, 0, 0, 0, 0, INFILL_ACQUISITION_PROBABILITY, 0, 0},
    {"improvement", 0, 0, 0, 0, 0, 0, 0, INFILL_ACQUISITION_IMPROVEMENT, 0, 0},
    {"bound", 0, 0, 0, 0, 0, 0, 0, INFILL_ACQUISITION_BOUND, 0, 0},
    {"generalised", 0, 0, 0, 0, 0, 0, 0, INFILL_ACQUISITION_GENERALISED, 0, 0},
    {"deviation", 0, 0, 0, 0, 0, 0, 0, INFILL_ACQUISITION_DEVIATION, 0, 0},
    {"noisy", 0, 0, 0, 0, 0, 0, 0, INFILL_ACQUISITION_NOISY, 0, 0},
    {"cooling by a factor", 0, 0, 0, 0, 0, 0, 0, MGF, INFILL_COOLING_EXPONENTIAL, 0},
    {"cooling by an amount", INFILL_MODEL_EXTRA_TREES, 0, 0, 0, 0, 0, 0, MGF, INFILL_COOLING_LINEAR, 0},

    {"standard", 0, 0, 0, 0, 0, 0, 0, 0, 0, INFILL_TRANSFORM_STANDARD},
    {"rank", 0, 0, 0, 0, 0, 0, 0, 0, 0, INFILL_TRANSFORM_RANK},
    {"Box-Cox", 0, 0, 0, 0, 0, 0, 0, 0, 0, INFILL_TRANSFORM_BOX_COX},
    {"Yeo-Johnson", 0, 0, 0, 0, 0, 0, 0, 0, 0, INFILL_TRANSFORM_YEO_JOHNSON},
};

static const char *now = "";

/* Says which of the table failed, too. */
#define TRY(condition)                                     \
    do {                                                   \
        int was_ = failures;                               \
        CHECK(condition);                                  \
        if (failures != was_) printf("    %s\n", now);     \
    } while (0)
#define DO(call)                                           \
    do {                                                   \
        int was_ = failures;                               \
        OK(call);                                          \
        if (failures != was_) printf("    %s\n", now);     \
    } while (0)

/* Small counts: what is tested is that each is reached. */
static infill_config small(uint32_t scalar) {
    infill_config config = small_config(scalar);
    config.limits.trials = 14;
    config.limits.open = 4;
    config.limits.features = 4;
    config.limits.trees = 6;
    config.hyper_count = 3;
    config.sampler_burn_in = 3;
    config.sampler_out = 10;
    config.sampler_shrink = 10;
    config.sampler_latent = 2;
    config.policy_representers = 8;
    config.policy_draws = 16;
    config.policy_fantasies = 3;
    config.policy_features = 16;
    config.pending_draws = 8;
    config.cooling_steps = 6;
    config.interleave_every = 0;
    return config;
}

static double value_at(const double *x, size_t dims) {
    double sum = 1;
    for (size_t i = 0; i < dims; i++) {
        sum += (x[i] - 0.3) * (x[i] - 0.3) * (double)(i + 1);
    }
    return sum;
}

/* Told in turn, then with three open; gives how many proposals came from the model. */
static int asked(infill_opt *opt, size_t dims) {
    int by_model = 0;
    double x[3], values[3];
    infill_proposal proposal;
    infill_trial open[3];
    for (int i = 0; i < 6; i++) {
        DO(infill_ask_with(opt, NULL, x, dims, &proposal));
        by_model += proposal.origin == INFILL_ORIGIN_MODEL;
        DO(infill_tell(opt, proposal.trial, value_at(x, dims)));
    }
    for (int i = 0; i < 3; i++) {
        DO(infill_ask_with(opt, NULL, x, dims, &proposal));
        by_model += proposal.origin == INFILL_ORIGIN_MODEL;
        open[i] = proposal.trial;
        values[i] = value_at(x, dims);
        for (size_t k = 0; k < dims; k++) {
            TRY(x[k] >= 0 && x[k] <= 2);
        }
    }
    for (int i = 2; i >= 0; i--) {
        DO(infill_tell(opt, open[i], values[i]));
    }
    return by_model;
}

static void run(const infill_config *config, size_t dims) {
    const infill_param params[] = {INFILL_REAL(0, 1), INFILL_REAL(0, 1), INFILL_INTEGER(0, 2)};
    infill_space space = INFILL_SPACE(params, dims);
    size_t bytes = infill_size(&space, config), larger;
    infill_limits limits;
    infill_opt *opt = NULL, *again = NULL, *grown = NULL;
    double x[3] = {0.5, 0.25, 1}, y[3], mean = NAN, variance = NAN;
    infill_trial trial = 0, other = 0;
    TRY(bytes > 0);
    uint64_t *mem = (uint64_t *)reserve(bytes), *copy = (uint64_t *)reserve(bytes), *room;
    int was = failures;
    DO(infill_init(mem, bytes, &space, config, &opt));
    if (failures != was) {
        free(mem);
        free(copy);
        return;
    }
    TRY(infill_bytes(opt) == bytes);
    TRY(infill_init(copy, bytes - 8, &space, config, &again) == INFILL_ERROR_MEMORY);
    TRY(asked(opt, dims) > 0);
    DO(infill_predict(opt, x, dims, &mean, &variance));
    TRY(isfinite(mean) && variance >= 0 && isfinite(variance));
    DO(infill_recommend(opt, y, dims, &mean, &variance));
    TRY(isfinite(mean) && variance >= 0);
    /* What is saved goes on to the same bits, and so does a larger copy. */
    memcpy(copy, mem, bytes);
    DO(infill_attach(copy, bytes, NULL, &again));
    memset(&limits, 0, sizeof limits);
    limits.candidates = 32;
    limits.trials = 40;
    limits.open = 16;
    larger = infill_clone_size(opt, &limits);
    TRY(larger > bytes);
    room = (uint64_t *)reserve(larger);
    DO(infill_clone(opt, &limits, room, larger, &grown));
    DO(infill_attach(room, larger, NULL, &grown));
    DO(infill_ask(opt, x, dims, &trial));
    for (int which = 0; which < 2; which++) {
        infill_opt *saved = which == 0 ? again : grown;
        if (saved != NULL) {
            DO(infill_ask(saved, y, dims, &other));
            TRY(trial == other && same_bits(x, y, dims * sizeof *x));
        }
    }
    DO(infill_tell(opt, trial, value_at(x, dims)));
    /* The trials stay, what was learnt goes. */
    DO(infill_relearn(opt));
    TRY(infill_closed(opt) == 10);
    DO(infill_ask(opt, x, dims, &trial));
    DO(infill_tell(opt, trial, value_at(x, dims)));
    free(mem);
    free(copy);
    free(room);
}

static void table(uint32_t scalar) {
    static const double parameters[] = {0, 0.01, 0.01, 0, 1.5, 2, 1, 0, 0.1};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const row *r = &rows[i];
        infill_config config = small(scalar);
        now = r->name;
        config.model = r->model;
        config.hyper = r->hyper;
        config.sampler = r->sampler;
        config.warp = r->warp;
        config.policy = r->policy;
        config.policy_minima = r->minima;
        config.pending = r->pending;
        config.cooling = r->cooling;
        if (r->acquisition != 0) {
            config.acquisition = r->acquisition;
            config.acquisition_parameter = parameters[r->acquisition];
        }
        if (r->targets != 0) {
            config.targets = r->targets;
        }
        /* A quadrature is for few hyperparameters. */
        run(&config, r->hyper == INFILL_HYPER_QUADRATURE ? 1 : 3);
    }
}

/* Each prior, of a length that is drawn. */
static void priors(void) {
    static const double numbers[][2] = {{-1, 0.5}, {0, 0}, {2, 4}, {0.5, 1}};
    infill_config config = small(INFILL_F64);
    infill_hyper hyper;
    infill_node node;
    infill_kernel kernel = {&node, 1};
    now = "priors";
    memset(&node, 0, sizeof node);
    memset(&hyper, 0, sizeof hyper);
    node.op = INFILL_OP_MATERN52;
    node.hypers = &hyper;
    node.hyper_count = 1;
    hyper.role = INFILL_ROLE_LENGTH;
    hyper.value = 0.5;
    hyper.lo = 0.01;
    hyper.hi = 10;
    config.kernel = &kernel;
    config.hyper = INFILL_HYPER_MCMC;
    for (uint32_t prior = INFILL_PRIOR_LOG_NORMAL; prior <= INFILL_PRIOR_HORSESHOE; prior++) {
        hyper.prior = prior;
        hyper.prior_mean = numbers[prior][0];
        hyper.prior_sd = numbers[prior][1];
        run(&config, 2);
    }
}

/* Every name is a configuration that works; the first is the default, to the byte. */
static void presets(void) {
    infill_config named, plain;
    uint32_t count = 0;
    for (const char *name = infill_preset_name(0); name != NULL; name = infill_preset_name(++count)) {
        now = name;
        memset(&named, 0xA5, sizeof named);
        DO(infill_config_preset(&named, sizeof named, name));
        TRY(named.size == sizeof named && named.kernel == NULL && named.limits.trials == 100);
        named.limits.trials = 14;
        named.limits.trees = 6;
        named.search_global = 16;
        named.search_local = 8;
        named.search_starts = 1;
        named.polish_evaluations = 4;
        named.training_restarts = 0;
        named.training_evaluations = 4;
        named.hyper_count = 2;
        named.sampler_burn_in = 2;
        named.sampler_out = 10;
        run(&named, 2);
    }
    now = "presets";
    TRY(count == 9 && infill_preset_name(count) == NULL && infill_preset_name(UINT32_MAX) == NULL);
    memset(&named, 0, sizeof named);
    memset(&plain, 0, sizeof plain);
    DO(infill_config_preset(&named, sizeof named, "default"));
    DO(infill_config_default(&plain, sizeof plain));
    TRY(same_bits(&named, &plain, sizeof plain));
}

/* The numbers of the choices, for ever. */
static void numbers(void) {
    CHECK(INFILL_MODEL_PROCESS == 0 && INFILL_MODEL_STUDENT == 1 && INFILL_MODEL_FITC == 2);
    CHECK(INFILL_MODEL_VARIATIONAL == 3 && INFILL_MODEL_SPECTRUM == 4 && INFILL_MODEL_RANDOM_FOREST == 5);
    CHECK(INFILL_MODEL_EXTRA_TREES == 6 && INFILL_MODEL_BOOSTED_TREES == 7);
    CHECK(INFILL_SPREAD_TOTAL == 0 && INFILL_SPREAD_ACROSS == 1);
    CHECK(INFILL_HYPER_MAP == 0 && INFILL_HYPER_MCMC == 1 && INFILL_HYPER_QUADRATURE == 2);
    CHECK(INFILL_SAMPLER_SLICE == 0 && INFILL_SAMPLER_METROPOLIS == 1 && INFILL_SAMPLER_FIXED == 2);
    CHECK(INFILL_SAMPLER_WHITENED == 3 && INFILL_SAMPLER_SURROGATE_METROPOLIS == 4);
    CHECK(INFILL_SAMPLER_SURROGATE_SLICE == 5);
    CHECK(INFILL_WARP_NONE == 0 && INFILL_WARP_KUMARASWAMY == 1 && INFILL_WARP_BETA == 2);
    CHECK(INFILL_POLICY_CLOSED == 0 && INFILL_POLICY_ENTROPY_SEARCH == 1 && INFILL_POLICY_PREDICTIVE_ENTROPY == 2);
    CHECK(INFILL_POLICY_MAX_VALUE == 3 && INFILL_POLICY_THOMPSON == 4 && INFILL_POLICY_SPECTRAL == 5);
    CHECK(INFILL_POLICY_KNOWLEDGE == 6 && INFILL_POLICY_HEDGE == 7 && INFILL_POLICY_PORTFOLIO == 8);
    CHECK(INFILL_POLICY_NOISY == 9);
    CHECK(INFILL_MINIMA_JOINT == 0 && INFILL_MINIMA_GUMBEL == 1);
    CHECK(INFILL_PENDING_BELIEVER == 0 && INFILL_PENDING_LIAR_MIN == 1 && INFILL_PENDING_LIAR_MEAN == 2);
    CHECK(INFILL_PENDING_LIAR_MAX == 3 && INFILL_PENDING_FANTASIES == 4 && INFILL_PENDING_PENALTY == 5);
    CHECK(INFILL_PENDING_TEMPERATURES == 6 && INFILL_PENDING_JOINT_EI == 7);
    CHECK(INFILL_COOLING_NONE == 0 && INFILL_COOLING_EXPONENTIAL == 1 && INFILL_COOLING_LINEAR == 2);
}

int main(void) {
    numbers();
    table(INFILL_F64);
    table(INFILL_F32);
    priors();
    presets();
    return report("choices");
}
