/*
 * Bad input to every function of infill.h: the documented status, no output, nothing changed.
 *
 * All that a call could write to (outputs, inputs, the blocks of the handles, spare blocks) lies in one structure,
 * which is compared byte by byte with what it was. An argument sets the stride of the sweeps through a block.
 */

#include "check.h"

enum { DIMS = 2, TRIALS = 12, BLOCK = INFILL_WORDS(DIMS, TRIALS, INFILL_F64), PROCESS = 2048 };

typedef struct world {
    /* Blocks. */
    uint64_t opt[BLOCK], gp[PROCESS], spare[BLOCK + 8], none[64];
    /* Inputs. */
    infill_param params[DIMS];
    infill_condition conditions[1];
    infill_space space;
    infill_hyper hypers[1];
    infill_node nodes[3];
    infill_kernel kernel;
    infill_config config;
    infill_limits limits;
    infill_covariance covariance;
    infill_gp_config process;
    infill_training training;
    double a[4], b[4], theta[4], levels[3];
    /* Outputs, filled with a pattern before each call. */
    struct {
        double x[4], y[4], z[4], matrix[16], value, other, third;
        infill_trial trial;
        infill_proposal proposal;
        infill_record record;
        size_t count;
        infill_opt *opt;
        infill_gp *gp;
        infill_backend *backend;
        infill_config config;
        infill_gp_config process;
        infill_training training;
        infill_gpu_options gpu;
        char text[16];
        uint32_t api, software;
    } out;
} world;

static world w, before;
static infill_opt *opt;
static infill_gp *gp;
static infill_trial open_trial, queued_trial, closed_trial, forgotten_trial;
static long refused;

static void prepare(void) {
    memset(&w.out, 0xA5, sizeof w.out);
    memcpy(&before, &w, sizeof w);
}

/* The room in which a process converts points, the last of its block, is scratch: offsets in the world. */
static size_t scratch_from, scratch_to;

static void scratch_of(const void *block) {
    scratch_to = (size_t)((const char *)block - (const char *)&w) + infill_gp_size(&w.process);
    scratch_from = scratch_to - w.process.batch * DIMS * w.process.scalar;
}

static void unchanged(int line, const char *what) {
    const unsigned char *now = (const unsigned char *)&w, *then = (const unsigned char *)&before;
    refused++;
    if (same_bits(now, then, scratch_from) && same_bits(now + scratch_to, then + scratch_to, sizeof w - scratch_to)) {
        return;
    }
    for (size_t i = 0; i < sizeof w; i++) {
        if (now[i] != then[i] && (i < scratch_from || i >= scratch_to)) {
            const char *where = i < offsetof(world, gp) ? "the optimizer" : i < offsetof(world, spare) ? "the process"
                                : i < offsetof(world, params) ? "a spare block" : i < offsetof(world, out) ? "an input"
                                : "an output";
            failures++;
            printf("line %d: %s: changed %s at byte %lu\n", line, what, where, (unsigned long)i);
            memcpy(&w, &before, sizeof w);
            return;
        }
    }
}

static void refuse(int line, const char *what, int32_t expected, int32_t got) {
    status_at(line, what, expected, got);
    unchanged(line, what);
}
#define REFUSE(expected, call) (prepare(), refuse(__LINE__, #call, (int32_t)(expected), (int32_t)(call)))

static void zero(int line, const char *what, size_t got) {
    check_at(line, what, got == 0);
    unchanged(line, what);
}
#define ZERO(call) (prepare(), zero(__LINE__, #call " == 0", (size_t)(call)))

/* The pointer in a variable or field becomes NULL, then odd, then what it was. */
#define POINTER(name, call)                            \
    do {                                               \
        char *kept_, *odd_;                            \
        memcpy(&kept_, &name, sizeof kept_);           \
        odd_ = kept_ + 1;                              \
        memset(&name, 0, sizeof name);                 \
        REFUSE(INFILL_ERROR_NULL, call);               \
        memcpy(&name, &odd_, sizeof odd_);             \
        REFUSE(INFILL_ERROR_ALIGNMENT, call);          \
        memcpy(&name, &kept_, sizeof kept_);           \
    } while (0)
/* One that may be NULL. */
#define ODD(name, call)                                \
    do {                                               \
        char *kept_, *odd_;                            \
        memcpy(&kept_, &name, sizeof kept_);           \
        odd_ = (char *)w.none + 1;                     \
        memcpy(&name, &odd_, sizeof odd_);             \
        REFUSE(INFILL_ERROR_ALIGNMENT, call);          \
        memcpy(&name, &kept_, sizeof kept_);           \
    } while (0)
/* The same for functions that count. */
#define COUNTER(name, call)                            \
    do {                                               \
        char *kept_, *odd_;                            \
        memcpy(&kept_, &name, sizeof kept_);           \
        odd_ = kept_ + 1;                              \
        memset(&name, 0, sizeof name);                 \
        ZERO(call);                                    \
        memcpy(&name, &odd_, sizeof odd_);             \
        ZERO(call);                                    \
        memcpy(&name, &kept_, sizeof kept_);           \
    } while (0)
/* A field takes a value for one call. */
#define WITH(type, field, bad, expected, call)         \
    do {                                               \
        type kept_ = field;                            \
        field = (bad);                                 \
        REFUSE(expected, call);                        \
        field = kept_;                                 \
    } while (0)
/* A handle of an optimizer: NULL, odd, no block, the block of a process. */
#define HANDLE(call)                                   \
    do {                                               \
        infill_opt *self_ = opt;                       \
        POINTER(opt, call);                            \
        opt = (infill_opt *)w.none;                    \
        REFUSE(INFILL_ERROR_FOREIGN, call);            \
        opt = (infill_opt *)w.gp;                      \
        REFUSE(INFILL_ERROR_FOREIGN, call);            \
        opt = self_;                                   \
    } while (0)
/* The same of a process. */
#define PROCESS_HANDLE(call)                           \
    do {                                               \
        infill_gp *self_ = gp;                         \
        POINTER(gp, call);                             \
        gp = (infill_gp *)w.none;                      \
        REFUSE(INFILL_ERROR_FOREIGN, call);            \
        gp = (infill_gp *)w.opt;                       \
        REFUSE(INFILL_ERROR_FOREIGN, call);            \
        gp = self_;                                    \
    } while (0)

static double eval(void *user, const double *theta, const double *a, const double *b) {
    (void)user;
    return exp(theta[0]) * exp(-fabs(a[0] - b[0]) - fabs(a[1] - b[1]));
}

static void setup(uint32_t scalar) {
    infill_param real = INFILL_REAL(0, 1), whole = INFILL_INTEGER(1, 9);
    infill_condition condition = INFILL_IF_BETWEEN(1, 0, 0.25, 1);
    infill_space space = INFILL_SPACE_IF(w.params, DIMS, w.conditions, 0);
    double x[DIMS];
    memset(&w, 0, sizeof w);
    w.params[0] = real;
    w.params[1] = whole;
    w.conditions[0] = condition;
    w.space = space;
    w.hypers[0].role = INFILL_ROLE_VARIANCE;
    w.hypers[0].value = 1;
    w.hypers[0].lo = 0.1;
    w.hypers[0].hi = 10;
    w.nodes[0].op = INFILL_OP_MATERN52;
    w.nodes[1].op = INFILL_OP_SCALE;
    w.nodes[1].hypers = w.hypers;
    w.nodes[1].hyper_count = 1;
    w.kernel.nodes = w.nodes;
    w.kernel.count = 2;
    w.config = small_config(scalar);
    w.levels[0] = 1;
    w.levels[1] = 2;
    w.levels[2] = 4;
    w.a[0] = w.a[2] = 0.25;
    w.a[1] = w.a[3] = 4;
    w.b[0] = w.b[2] = 0.75;
    w.b[1] = w.b[3] = 5;
    w.covariance.size = sizeof w.covariance;
    w.covariance.eval = eval;
    w.covariance.thetas = 1;
    w.covariance.start = w.theta;
    w.covariance.lo = w.theta + 1;
    w.covariance.hi = w.theta + 2;
    w.theta[1] = -1;
    w.theta[2] = 1;
    OK(infill_gp_config_default(&w.process, sizeof w.process));
    w.process.rows = 4;
    w.process.dims = DIMS;
    w.process.batch = 2;
    w.process.kernel = &w.kernel;
    w.process.scalar = scalar;
    OK(infill_training_default(&w.training, sizeof w.training));
    OK(infill_init(w.opt, sizeof w.opt, &w.space, &w.config, &opt));
    for (int i = 0; i < 5; i++) {
        OK(infill_ask(opt, x, DIMS, &closed_trial));
        OK(infill_tell(opt, closed_trial, x[0] + x[1]));
    }
    OK(infill_ask(opt, x, DIMS, &forgotten_trial));
    OK(infill_forget(opt, forgotten_trial));
    OK(infill_ask(opt, x, DIMS, &open_trial));
    OK(infill_enqueue(opt, w.a, DIMS, &queued_trial));
    CHECK(infill_gp_size(&w.process) <= sizeof w.gp);
    scratch_of(w.gp);
    OK(infill_gp_init(w.gp, sizeof w.gp, &w.process, &gp));
    OK(infill_gp_push(gp, w.a, DIMS, 1, 0));
    OK(infill_gp_push(gp, w.b, DIMS, 2, 0));
    OK(infill_gp_fit(gp, NULL));
}

/* The numbers of the statuses, for ever. */
static void numbers(void) {
    static const struct { int32_t status, number; } pinned[] = {
        {INFILL_OK, 0}, {INFILL_ERROR_MEMORY, -1}, {INFILL_ERROR_LIMITS, -2}, {INFILL_ERROR_FOREIGN, -3},
        {INFILL_ERROR_CORRUPT, -4}, {INFILL_ERROR_FULL, -5}, {INFILL_ERROR_TOO_MANY_OPEN, -6},
        {INFILL_ERROR_STALE_TRIAL, -7}, {INFILL_ERROR_NOT_FINITE, -8}, {INFILL_ERROR_EXHAUSTED, -9},
        {INFILL_ERROR_SHAPE, -10}, {INFILL_ERROR_DIMENSIONS, -11}, {INFILL_ERROR_BOUNDS, -12},
        {INFILL_ERROR_LEVELS, -13}, {INFILL_ERROR_CONDITION, -14}, {INFILL_ERROR_OUT_OF_RANGE, -15},
        {INFILL_ERROR_KERNEL, -16}, {INFILL_ERROR_THETA, -17}, {INFILL_ERROR_NOT_POSITIVE_DEFINITE, -18},
        {INFILL_ERROR_NO_DATA, -19}, {INFILL_ERROR_CONFIG, -20}, {INFILL_ERROR_BACKEND, -21},
        {INFILL_ERROR_UNSUPPORTED, -22}, {INFILL_ERROR_FORBIDDEN, -23}, {INFILL_ERROR_CLAUSE, -24},
        {INFILL_ERROR_INFEASIBLE, -25}, {INFILL_ERROR_FORMAT, -26}, {INFILL_ERROR_NULL, -64}, {INFILL_ERROR_ALIGNMENT, -65},
        {INFILL_ERROR_VERSION, -66}, {INFILL_ERROR_ALLOCATION, -67}, {INFILL_ABORTED, -68}, {INFILL_PANIC, -69},
    };
    size_t count = sizeof pinned / sizeof pinned[0], known = 0;
    for (size_t i = 0; i < count; i++) {
        CHECK(pinned[i].status == pinned[i].number);
        for (size_t j = 0; j < i; j++) {
            CHECK(strcmp(infill_status_str(pinned[i].number), infill_status_str(pinned[j].number)) != 0);
        }
    }
    /* The table has all that the library has a sentence for. */
    for (int32_t number = -300; number <= 300; number++) {
        known += strcmp(infill_status_str(number), infill_status_str(INT32_MAX)) != 0;
    }
    CHECK(known == count);
    CHECK(strcmp(infill_status_str(INT32_MIN), infill_status_str(INT32_MAX)) == 0);
    /* These have no input that could be bad. */
    CHECK(infill_version() > 0 && infill_version_str() != NULL && infill_capabilities() != 0 && infill_align() == 8);
}

static void spaces(void);

/* ---- Making, attaching, copying ---- */

/* What both infill_init and infill_new have to refuse, and infill_size to call 0. */
#define SPACE_OR_CONFIG(type, field, bad, expected)                                             \
    do {                                                                                        \
        type was_ = field;                                                                      \
        WITH(type, field, bad, expected, infill_init(w.spare, sizeof w.spare, &w.space, &w.config, &w.out.opt)); \
        WITH(type, field, bad, expected, infill_new(&w.space, &w.config, &w.out.opt));          \
        field = (bad);                                                                          \
        ZERO(infill_size(&w.space, &w.config));                                                 \
        field = was_;                                                                           \
    } while (0)

/* Models, treatments, policies, batches: numbers that name none, that are out of range, that do not go together. */
static void chosen(void) {
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    const infill_config plain = w.config;
    SPACE_OR_CONFIG(uint32_t, w.config.model, 16, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.model, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.model_learn_freedom, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.forest_spread, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.forest_bootstrap, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.warp, 3, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.treatment, 3, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.sampler, 6, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.policy, 10, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.policy_minima, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.batch, 8, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.cooling, 3, INFILL_ERROR_CONFIG);
    /* Numbers of what was chosen. */
    w.config.model = INFILL_MODEL_STUDENT;
    SPACE_OR_CONFIG(double, w.config.model_freedom, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.model_freedom, NAN, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.treatment, INFILL_TREATMENT_SAMPLED, INFILL_ERROR_UNSUPPORTED);
    SPACE_OR_CONFIG(uint32_t, w.config.batch, INFILL_BATCH_FANTASIES, INFILL_ERROR_UNSUPPORTED);
    for (uint32_t model = INFILL_MODEL_RANDOM_FOREST; model <= INFILL_MODEL_BOOSTED_TREES; model++) {
        w.config.model = model;
        for (int i = 0; i < 3; i++) {
            SPACE_OR_CONFIG(double, w.config.forest_features, nan_or_inf[i], INFILL_ERROR_CONFIG);
            SPACE_OR_CONFIG(double, w.config.forest_floor, nan_or_inf[i], INFILL_ERROR_CONFIG);
        }
        SPACE_OR_CONFIG(double, w.config.forest_features, 1.5, INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(uint32_t, w.config.forest_leaf, UINT32_MAX, INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(uint32_t, w.config.forest_depth, UINT32_MAX, INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(uint32_t, w.config.warp, INFILL_WARP_BETA, INFILL_ERROR_UNSUPPORTED);
        SPACE_OR_CONFIG(uint32_t, w.config.batch, INFILL_BATCH_PENALTY, INFILL_ERROR_UNSUPPORTED);
        SPACE_OR_CONFIG(uint32_t, w.config.policy, INFILL_POLICY_SPECTRAL, INFILL_ERROR_UNSUPPORTED);
    }
    for (int i = 0; i < 3; i++) {
        SPACE_OR_CONFIG(double, w.config.forest_rate, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.forest_share, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.forest_low, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.forest_high, nan_or_inf[i], INFILL_ERROR_CONFIG);
    }
    SPACE_OR_CONFIG(double, w.config.forest_high, 0.1, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.trees, 2, INFILL_ERROR_LIMITS);
    w.config.model = INFILL_MODEL_PROCESS;
    w.config.treatment = INFILL_TREATMENT_SAMPLED;
    SPACE_OR_CONFIG(uint32_t, w.config.treatment_count, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.treatment_count, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.sampler_thin, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.sampler_shrink, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.sampler_width, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.sampler_width, NAN, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.posteriors, 1, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.posteriors, UINT32_MAX, INFILL_ERROR_LIMITS);
    w.config.treatment = INFILL_TREATMENT_BEST;
    w.config.warp = INFILL_WARP_KUMARASWAMY;
    SPACE_OR_CONFIG(uint32_t, w.config.trend, INFILL_TREND_LINEAR, INFILL_ERROR_UNSUPPORTED);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.warped, 1, INFILL_ERROR_LIMITS);
    w.config.warp = INFILL_WARP_NONE;
    for (uint32_t policy = INFILL_POLICY_ENTROPY_SEARCH; policy <= INFILL_POLICY_PORTFOLIO; policy++) {
        w.config.policy = policy;
        if (policy != INFILL_POLICY_SPECTRAL && policy != INFILL_POLICY_HEDGE) {
            SPACE_OR_CONFIG(uint32_t, w.config.policy_representers, UINT32_MAX, INFILL_ERROR_CONFIG);
            SPACE_OR_CONFIG(uint32_t, w.config.limits.anchors, 1, INFILL_ERROR_LIMITS);
            SPACE_OR_CONFIG(uint32_t, w.config.limits.work, 1, INFILL_ERROR_LIMITS);
        }
        SPACE_OR_CONFIG(uint32_t, w.config.limits.anchors, UINT32_MAX, INFILL_ERROR_LIMITS);
        SPACE_OR_CONFIG(uint32_t, w.config.limits.work, UINT32_MAX, INFILL_ERROR_LIMITS);
        SPACE_OR_CONFIG(uint32_t, w.config.batch, INFILL_BATCH_FANTASIES, INFILL_ERROR_UNSUPPORTED);
    }
    w.config.policy = INFILL_POLICY_PORTFOLIO;
    SPACE_OR_CONFIG(uint32_t, w.config.policy_draws, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.policy_fantasies, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.members, 1, INFILL_ERROR_LIMITS);
    w.config.policy = INFILL_POLICY_SPECTRAL;
    SPACE_OR_CONFIG(uint32_t, w.config.policy_features, UINT32_MAX, INFILL_ERROR_CONFIG);
    w.config.policy = INFILL_POLICY_CLOSED;
    for (uint32_t batch = INFILL_BATCH_FANTASIES; batch <= INFILL_BATCH_EXPECTED; batch += 3) {
        w.config.batch = batch;
        SPACE_OR_CONFIG(uint32_t, w.config.batch_draws, 0, INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(uint32_t, w.config.batch_draws, UINT32_MAX, INFILL_ERROR_CONFIG);
    }
    SPACE_OR_CONFIG(uint32_t, w.config.acquisition, INFILL_ACQUISITION_BOUND, INFILL_ERROR_UNSUPPORTED);
    w.config.batch = INFILL_BATCH_TEMPERATURES;
    SPACE_OR_CONFIG(uint32_t, w.config.start, 4, INFILL_ERROR_UNSUPPORTED);
    w.config.batch = INFILL_BATCH_BELIEVER;
    w.config.cooling = INFILL_COOLING_LINEAR;
    SPACE_OR_CONFIG(uint32_t, w.config.start, 4, INFILL_ERROR_UNSUPPORTED);
    w.config.acquisition = INFILL_ACQUISITION_LOG_MGF;
    SPACE_OR_CONFIG(double, w.config.cooling_from, 0.01, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.cooling_to, 0, INFILL_ERROR_CONFIG);
    for (int i = 0; i < 3; i++) {
        SPACE_OR_CONFIG(double, w.config.cooling_from, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.cooling_to, nan_or_inf[i], INFILL_ERROR_CONFIG);
    }
    w.config = plain;
    /* Limits that the choices make. */
    SPACE_OR_CONFIG(uint32_t, w.config.limits.exact, TRIALS - 1, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.exact, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.features, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.trees, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.branches, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.members, UINT32_MAX, INFILL_ERROR_LIMITS);
}

static void made(void) {
    void *mem = w.spare;
    infill_space *space = &w.space;
    infill_config *config = &w.config;
    infill_opt **out = &w.out.opt;
    infill_limits *limits = &w.limits;
    size_t bytes = infill_size(space, config);
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    static char endless[512];
    const char *const names[] = {"", "Default", "default ", "defaul", "\xff\xfe", endless};
    memset(endless, 'a', sizeof endless - 1);
    memset(w.spare, 0x5A, sizeof w.spare);
    POINTER(mem, infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(space, infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(config, infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(out, infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(space, infill_new(space, config, out));
    POINTER(config, infill_new(space, config, out));
    POINTER(out, infill_new(space, config, out));
    COUNTER(space, infill_size(space, config));
    COUNTER(config, infill_size(space, config));
    for (size_t size = 0; size < bytes; size += 8) {
        REFUSE(INFILL_ERROR_MEMORY, infill_init(mem, size, space, config, out));
        REFUSE(INFILL_ERROR_MEMORY, infill_init(mem, size + 7, space, config, out));
    }
    /* Each word of alignment but 8. */
    for (int odd = 1; odd < 8; odd++) {
        REFUSE(INFILL_ERROR_ALIGNMENT, infill_init((char *)w.spare + odd, bytes, space, config, out));
        REFUSE(INFILL_ERROR_ALIGNMENT, infill_attach((char *)w.spare + odd, bytes, out));
    }
    /* Structures of another version. */
    SPACE_OR_CONFIG(size_t, w.space.size, sizeof w.space + 8, INFILL_ERROR_VERSION);
    SPACE_OR_CONFIG(size_t, w.space.size, sizeof w.space - 8, INFILL_ERROR_VERSION);
    SPACE_OR_CONFIG(size_t, w.space.size, 0, INFILL_ERROR_VERSION);
    SPACE_OR_CONFIG(size_t, w.config.size, sizeof w.config + 8, INFILL_ERROR_VERSION);
    SPACE_OR_CONFIG(size_t, w.config.size, sizeof w.config - 8, INFILL_ERROR_VERSION);
    SPACE_OR_CONFIG(size_t, w.config.size, SIZE_MAX, INFILL_ERROR_VERSION);
    {
        infill_config *filled = &w.out.config;
        POINTER(filled, infill_config_default(filled, sizeof *filled));
        REFUSE(INFILL_ERROR_VERSION, infill_config_default(filled, sizeof *filled + 8));
        REFUSE(INFILL_ERROR_VERSION, infill_config_default(filled, sizeof *filled - 8));
        REFUSE(INFILL_ERROR_VERSION, infill_config_default(filled, 0));
        POINTER(filled, infill_config_preset(filled, sizeof *filled, "default"));
        REFUSE(INFILL_ERROR_VERSION, infill_config_preset(filled, sizeof *filled + 8, "default"));
        REFUSE(INFILL_ERROR_VERSION, infill_config_preset(filled, sizeof *filled - 8, "default"));
        REFUSE(INFILL_ERROR_NULL, infill_config_preset(filled, sizeof *filled, NULL));
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            REFUSE(INFILL_ERROR_CONFIG, infill_config_preset(filled, sizeof *filled, names[i]));
        }
        CHECK(infill_preset_name(UINT32_MAX) == NULL);
    }
    /* Numbers that name no choice. */
    SPACE_OR_CONFIG(uint32_t, w.config.scalar, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.scalar, 5, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.scalar, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.design, 5, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.trend, 4, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.transform, 6, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.acquisition, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.acquisition, 9, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.incumbent, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.training_objective, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.repeats, 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.when_full, 2, INFILL_ERROR_CONFIG);
    for (int i = 0; i < 3; i++) {
        SPACE_OR_CONFIG(uint32_t, w.config.limits.reserved[i], 1, INFILL_ERROR_CONFIG);
    }
    /* Numbers out of their range. */
    for (int i = 0; i < 3; i++) {
        SPACE_OR_CONFIG(double, w.config.acquisition_parameter, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.delta, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.noise_variance, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.noise_lo, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.noise_hi, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.noise_sd, nan_or_inf[i], INFILL_ERROR_CONFIG);
        if (nan_or_inf[i] != INFINITY) {
            SPACE_OR_CONFIG(double, w.config.interleave_beta, nan_or_inf[i], INFILL_ERROR_CONFIG);
        }
        SPACE_OR_CONFIG(double, w.config.refit_growth, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.refit_afresh, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.training_tolerance, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.training_reach, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.polish_tolerance, nan_or_inf[i], INFILL_ERROR_CONFIG);
        SPACE_OR_CONFIG(double, w.config.polish_reach, nan_or_inf[i], INFILL_ERROR_CONFIG);
    }
    SPACE_OR_CONFIG(double, w.config.noise_sd, 1e-25, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.noise_lo, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.noise_hi, w.config.noise_lo / 2, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(double, w.config.delta, 1, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.search_global, 0, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.training_evaluations, UINT32_MAX, INFILL_ERROR_CONFIG);
    SPACE_OR_CONFIG(uint32_t, w.config.training_restarts, UINT32_MAX, INFILL_ERROR_CONFIG);
    chosen();
    /* Limits. */
    SPACE_OR_CONFIG(uint32_t, w.config.limits.trials, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.candidates, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.starts, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.dims, UINT32_MAX, INFILL_ERROR_LIMITS);
    SPACE_OR_CONFIG(uint32_t, w.config.limits.thetas, UINT32_MAX, INFILL_ERROR_LIMITS);
    /* A limit smaller than what it has to hold. */
    WITH(uint32_t, w.config.limits.dims, 1, INFILL_ERROR_DIMENSIONS,
         infill_init(mem, sizeof w.spare, space, config, out));
    w.config.kernel = &w.kernel;
    WITH(uint32_t, w.config.limits.nodes, 1, INFILL_ERROR_KERNEL, infill_init(mem, sizeof w.spare, space, config, out));
    WITH(uint32_t, w.config.limits.thetas, 1, INFILL_ERROR_KERNEL,
         infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(w.config.kernel, (w.config.kernel == NULL ? INFILL_ERROR_NULL
                                                      : infill_init(mem, sizeof w.spare, space, config, out)));
    POINTER(w.kernel.nodes, infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(w.nodes[1].hypers, infill_init(mem, sizeof w.spare, space, config, out));
    WITH(double, w.hypers[0].value, NAN, INFILL_ERROR_THETA, infill_init(mem, sizeof w.spare, space, config, out));
    /* A prior of which the precision is no number of the scalar. */
    WITH(double, w.hypers[0].prior_sd, 1e-25, INFILL_ERROR_THETA, infill_init(mem, sizeof w.spare, space, config, out));
    w.config.kernel = NULL;
    w.config.trend = INFILL_TREND_LINEAR;
    WITH(uint32_t, w.config.limits.columns, 1, INFILL_ERROR_LIMITS,
         infill_init(mem, sizeof w.spare, space, config, out));
    w.config.trend = INFILL_TREND_CONSTANT;
    spaces();
    /* Attaching what is no block. */
    out = &w.out.opt;
    POINTER(out, infill_attach(mem, sizeof w.spare, out));
    POINTER(mem, infill_attach(mem, sizeof w.spare, out));
    REFUSE(INFILL_ERROR_FOREIGN, infill_attach(mem, sizeof w.spare, out));
    REFUSE(INFILL_ERROR_FOREIGN, infill_attach(w.none, sizeof w.none, out));
    REFUSE(INFILL_ERROR_FOREIGN, infill_attach(w.gp, sizeof w.gp, out));
    for (size_t size = 0; size < infill_bytes(opt); size += 8) {
        REFUSE(INFILL_ERROR_MEMORY, infill_attach(w.opt, size, out));
    }
    /* Copies. */
    bytes = infill_bytes(opt);
    HANDLE(infill_clone(opt, limits, mem, sizeof w.spare, out));
    POINTER(mem, infill_clone(opt, limits, mem, sizeof w.spare, out));
    POINTER(out, infill_clone(opt, limits, mem, sizeof w.spare, out));
    ODD(limits, infill_clone(opt, limits, mem, sizeof w.spare, out));
    REFUSE(INFILL_ERROR_MEMORY, infill_clone(opt, limits, mem, bytes - 8, out));
    REFUSE(INFILL_ERROR_MEMORY, infill_clone(opt, NULL, mem, 0, out));
    WITH(uint32_t, limits->trials, TRIALS - 1, INFILL_ERROR_LIMITS,
         infill_clone(opt, limits, mem, sizeof w.spare, out));
    WITH(uint32_t, limits->dims, 1, INFILL_ERROR_LIMITS, infill_clone(opt, limits, mem, sizeof w.spare, out));
    WITH(uint32_t, limits->trials, UINT32_MAX, INFILL_ERROR_LIMITS,
         infill_clone(opt, limits, mem, sizeof w.spare, out));
    for (int i = 0; i < 3; i++) {
        WITH(uint32_t, limits->reserved[i], 1, INFILL_ERROR_CONFIG,
             infill_clone(opt, limits, mem, sizeof w.spare, out));
    }
    COUNTER(opt, infill_clone_size(opt, limits));
    w.limits.trials = UINT32_MAX;
    ZERO(infill_clone_size(opt, limits));
    /* Smaller limits are refused by infill_clone, and so their size is 0. */
    w.limits.trials = TRIALS - 1;
    ZERO(infill_clone_size(opt, limits));
    w.limits.trials = 0;
    w.limits.reserved[0] = 1;
    ZERO(infill_clone_size(opt, limits));
    w.limits.reserved[0] = 0;
    ZERO(infill_words(0, 10, INFILL_F64));
    ZERO(infill_words(2, 0, INFILL_F64));
    ZERO(infill_words(UINT32_MAX, 10, INFILL_F64));
    ZERO(infill_words(2, 10, 0));
    /* NULL is allowed here. */
    infill_free(NULL);
    infill_gp_free(NULL);
    infill_backend_free(NULL);
    {
        infill_backend **backend = &w.out.backend;
        POINTER(backend, infill_backend_faer(1, backend));
        if (!(infill_capabilities() & INFILL_CAN_FAER)) {
            REFUSE(INFILL_ERROR_UNSUPPORTED, infill_backend_faer(1, backend));
        }
        POINTER(backend, infill_backend_gpu(opt, NULL, backend));
        POINTER(opt, infill_backend_gpu(opt, NULL, backend));
        if (!(infill_capabilities() & INFILL_CAN_GPU)) {
            REFUSE(INFILL_ERROR_UNSUPPORTED, infill_backend_gpu(opt, NULL, backend));
        }
    }
    {
        infill_gpu_options *filled = &w.out.gpu;
        uint32_t *api = &w.out.api, *software = &w.out.software;
        size_t none = infill_gpu_count();
        POINTER(filled, infill_gpu_options_default(filled, sizeof *filled));
        REFUSE(INFILL_ERROR_VERSION, infill_gpu_options_default(filled, sizeof *filled + 8));
        REFUSE(INFILL_ERROR_VERSION, infill_gpu_options_default(filled, sizeof *filled - 8));
        POINTER(api, infill_gpu_adapter(none, w.out.text, sizeof w.out.text, api, software));
        POINTER(software, infill_gpu_adapter(none, w.out.text, sizeof w.out.text, api, software));
        REFUSE(INFILL_ERROR_NULL, infill_gpu_adapter(none, NULL, sizeof w.out.text, api, software));
        REFUSE(INFILL_ERROR_SHAPE, infill_gpu_adapter(none, w.out.text, sizeof w.out.text, api, software));
        REFUSE(INFILL_ERROR_NULL, infill_backend_reason(NULL, w.out.text, sizeof w.out.text));
        REFUSE(INFILL_ERROR_NULL, infill_backend_reason(NULL, NULL, sizeof w.out.text));
    }
}

/* ---- Spaces ---- */

/* The space as it is now: infill_init, infill_new, infill_size, infill_space_fault and infill_design agree. */
#define SPACE(expected, fault)                                                                          \
    do {                                                                                                \
        REFUSE(expected, infill_init(w.spare, sizeof w.spare, &w.space, &w.config, &w.out.opt));        \
        REFUSE(expected, infill_new(&w.space, &w.config, &w.out.opt));                                  \
        REFUSE(expected, infill_design(w.spare, sizeof w.spare, &w.space, 2, 1, 2, w.out.matrix, 2, w.space.dims)); \
        ZERO(infill_size(&w.space, &w.config));                                                         \
        ZERO(infill_design_size(&w.space));                                                             \
        CHECK(infill_space_fault(&w.space) == (fault));                                                 \
    } while (0)

static void spaces(void) {
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    infill_param real = w.params[0], whole = w.params[1], one = INFILL_CATEGORICAL(1);
    infill_param ordinal = INFILL_ORDINAL(w.levels, 3), log_real = INFILL_REAL_LOG(0, 1), huge = INFILL_CATEGORICAL(3);
    infill_space *space = &w.space;
    infill_condition condition = w.conditions[0];
    CHECK(infill_space_fault(space) == -1 && infill_space_fault(NULL) == -1);
    CHECK(infill_space_fault((const infill_space *)(const void *)((const char *)space + 1)) == -1);
    COUNTER(space, infill_design_size(space));
    /* Parameter 1 is bad each time. */
    for (int i = 0; i < 3; i++) {
        w.params[1] = real;
        w.params[1].lo = nan_or_inf[i];
        SPACE(INFILL_ERROR_BOUNDS, 1);
        w.params[1] = real;
        w.params[1].hi = nan_or_inf[i];
        SPACE(INFILL_ERROR_BOUNDS, 1);
        w.params[1] = whole;
        w.params[1].hi = nan_or_inf[i];
        SPACE(INFILL_ERROR_BOUNDS, 1);
        w.params[1] = ordinal;
        w.levels[2] = nan_or_inf[i];
        SPACE(INFILL_ERROR_LEVELS, 1);
        w.levels[2] = 4;
    }
    w.params[1] = real;
    w.params[1].lo = 1;
    SPACE(INFILL_ERROR_BOUNDS, 1);
    w.params[1].lo = 2;
    SPACE(INFILL_ERROR_BOUNDS, 1);
    w.params[1] = log_real;
    SPACE(INFILL_ERROR_BOUNDS, 1);
    w.params[1].lo = -1;
    SPACE(INFILL_ERROR_BOUNDS, 1);
    w.params[1] = whole;
    w.params[1].lo = 1.5;
    SPACE(INFILL_ERROR_BOUNDS, 1);
    w.params[1].lo = 10;
    SPACE(INFILL_ERROR_BOUNDS, 1);
    w.params[1].lo = 9;
    SPACE(INFILL_ERROR_LEVELS, 1);
    w.params[1].hi = 1e300;
    SPACE(INFILL_ERROR_BOUNDS, 1);
    w.params[1] = one;
    SPACE(INFILL_ERROR_LEVELS, 1);
    w.params[1] = ordinal;
    w.params[1].count = 1;
    SPACE(INFILL_ERROR_LEVELS, 1);
    w.params[1].count = 0;
    SPACE(INFILL_ERROR_LEVELS, 1);
    w.params[1].count = 3;
    w.levels[1] = 4;
    SPACE(INFILL_ERROR_LEVELS, 1);
    w.levels[1] = 5;
    SPACE(INFILL_ERROR_LEVELS, 1);
    w.levels[1] = 2;
    w.params[1].levels = NULL;
    SPACE(INFILL_ERROR_NULL, -1);
    w.params[1].levels = (const double *)(const void *)((const char *)w.levels + 1);
    SPACE(INFILL_ERROR_ALIGNMENT, -1);
    /* More values than a float counts. */
    w.params[1] = huge;
    w.params[1].count = (size_t)1 << 28;
    if (w.config.scalar == INFILL_F32) {
        REFUSE(INFILL_ERROR_LEVELS, infill_init(w.spare, sizeof w.spare, space, &w.config, &w.out.opt));
    }
    w.params[1].count = SIZE_MAX;
    SPACE_OR_CONFIG(size_t, w.params[1].count, SIZE_MAX, INFILL_ERROR_LEVELS);
    /* Bounds that no float has, or that it cannot tell apart. */
    w.params[1] = real;
    if (w.config.scalar == INFILL_F32) {
        w.params[1].hi = 1e300;
        REFUSE(INFILL_ERROR_BOUNDS, infill_init(w.spare, sizeof w.spare, space, &w.config, &w.out.opt));
        w.params[1].lo = 1;
        w.params[1].hi = 1 + 1e-12;
        REFUSE(INFILL_ERROR_BOUNDS, infill_init(w.spare, sizeof w.spare, space, &w.config, &w.out.opt));
    }
    w.params[1] = whole;
    /* Numbers that name no choice. */
    w.params[1].kind = 0;
    SPACE(INFILL_ERROR_CONFIG, -1);
    w.params[1].kind = 5;
    SPACE(INFILL_ERROR_CONFIG, -1);
    w.params[1] = whole;
    w.params[1].log = 2;
    SPACE(INFILL_ERROR_CONFIG, -1);
    w.params[1] = ordinal;
    w.params[1].log = 1;
    SPACE(INFILL_ERROR_CONFIG, -1);
    w.params[1] = whole;
    /* The space itself. */
    w.space.params = NULL;
    SPACE(INFILL_ERROR_NULL, -1);
    w.space.params = (const infill_param *)(const void *)((const char *)w.params + 4);
    SPACE(INFILL_ERROR_ALIGNMENT, -1);
    w.space.params = w.params;
    w.space.dims = 0;
    SPACE(INFILL_ERROR_DIMENSIONS, -1);
    w.space.dims = SIZE_MAX;
    REFUSE(INFILL_ERROR_SHAPE, infill_init(w.spare, sizeof w.spare, space, &w.config, &w.out.opt));
    w.space.dims = DIMS;
    {
        enum { TOO_MANY = 4097 };
        static infill_param many[TOO_MANY];
        for (size_t i = 0; i < TOO_MANY; i++) {
            many[i] = real;
        }
        w.space.params = many;
        w.space.dims = TOO_MANY;
        REFUSE(INFILL_ERROR_DIMENSIONS, infill_init(w.spare, sizeof w.spare, space, &w.config, &w.out.opt));
        ZERO(infill_size(space, &w.config));
        w.space.params = w.params;
        w.space.dims = DIMS;
    }
    /* Conditions. */
    w.space.count = 1;
    w.space.conditions = NULL;
    SPACE(INFILL_ERROR_NULL, -1);
    w.space.conditions = (const infill_condition *)(const void *)((const char *)w.conditions + 4);
    SPACE(INFILL_ERROR_ALIGNMENT, -1);
    w.space.conditions = w.conditions;
    CHECK(infill_space_fault(space) == -1 && infill_size(space, &w.config) > 0);
    w.conditions[0].parent = 1;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0].parent = 2;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0].parent = UINT32_MAX;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0] = condition;
    w.conditions[0].child = 2;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0] = condition;
    w.conditions[0].lo = NAN;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0].lo = INFINITY;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0] = condition;
    w.conditions[0].hi = NAN;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0] = condition;
    w.conditions[0].lo = 2;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0] = condition;
    w.conditions[0].when = 0;
    SPACE(INFILL_ERROR_CONFIG, -1);
    w.conditions[0].when = 4;
    SPACE(INFILL_ERROR_CONFIG, -1);
    w.conditions[0] = condition;
    w.conditions[0].either = 1;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0].either = 2;
    SPACE(INFILL_ERROR_CONFIG, -1);
    w.conditions[0] = condition;
    w.conditions[0].when = INFILL_WHEN_IN;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0].count = 1;
    SPACE(INFILL_ERROR_NULL, -1);
    w.conditions[0].values = (const double *)(const void *)((const char *)w.levels + 1);
    SPACE(INFILL_ERROR_ALIGNMENT, -1);
    w.conditions[0].values = w.levels + 1;
    SPACE(INFILL_ERROR_CONDITION, 0);
    w.conditions[0] = condition;
    w.params[1] = ordinal;
    WITH(uint32_t, w.config.limits.levels, 2, INFILL_ERROR_DIMENSIONS,
         infill_init(w.spare, sizeof w.spare, space, &w.config, &w.out.opt));
    w.params[1] = whole;
    w.space.count = 0;
    CHECK(infill_space_fault(space) == -1);
    /* Designs. */
    {
        void *mem = w.spare;
        double *points = w.out.matrix;
        size_t bytes = infill_design_size(space);
        POINTER(mem, infill_design(mem, bytes, space, 2, 1, 4, points, 4, DIMS));
        POINTER(space, infill_design(mem, bytes, space, 2, 1, 4, points, 4, DIMS));
        POINTER(points, infill_design(mem, bytes, space, 2, 1, 4, points, 4, DIMS));
        REFUSE(INFILL_ERROR_MEMORY, infill_design(mem, bytes - 8, space, 2, 1, 4, points, 4, DIMS));
        REFUSE(INFILL_ERROR_MEMORY, infill_design(mem, 0, space, 2, 1, 4, points, 4, DIMS));
        REFUSE(INFILL_ERROR_CONFIG, infill_design(mem, bytes, space, 5, 1, 4, points, 4, DIMS));
        REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 0, points, 0, DIMS));
        REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 3, points, 4, DIMS));
        REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 4, points, 4, DIMS - 1));
        REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 4, points, 4, DIMS + 1));
        REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 4, points, 4, 0));
        REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 4, points, 4, SIZE_MAX));
    }
}

/* ---- Blocks that were damaged ---- */

/*
 * A flipped byte is noticed, or lies in scratch and makes no difference: the optimizer goes on to the same bits.
 * Also a block of which a part was lost, and one with two parts swapped.
 */
static void damaged(size_t stride) {
    static uint64_t copy[BLOCK], kept[BLOCK];
    size_t bytes = infill_bytes(opt), noticed = 0, harmless = 0;
    infill_opt *other;
    double expected[3][DIMS], x[DIMS];
    infill_trial trial;
    memcpy(copy, w.opt, bytes);
    OK(infill_attach(copy, bytes, &other));
    for (int i = 0; i < 3; i++) {
        OK(infill_ask(other, expected[i], DIMS, &trial));
        OK(infill_tell(other, trial, expected[i][0]));
    }
    for (size_t at = 0; at < bytes; at += at < 256 ? 1 : stride) {
        for (int bit = 0; bit < 8; bit += 1 + (at + 3) % 7) {
            infill_status status;
            infill_opt *handle = NULL;
            memcpy(copy, w.opt, bytes);
            ((unsigned char *)copy)[at] ^= (unsigned char)(1 << bit);
            memcpy(kept, copy, bytes);
            status = infill_attach(copy, bytes, &handle);
            if (status != INFILL_OK) {
                int documented = status == INFILL_ERROR_FOREIGN || status == INFILL_ERROR_CORRUPT;
                CHECK(documented && handle == NULL && same_bits(copy, kept, bytes));
                CHECK(status != INFILL_ERROR_FOREIGN || at < 24);
                noticed++;
                continue;
            }
            /* Taking it up again changes nothing, either. */
            CHECK(same_bits(copy, kept, bytes));
            harmless++;
            for (int i = 0; i < 3; i++) {
                OK(infill_ask(handle, x, DIMS, &trial));
                CHECK(same_bits(x, expected[i], sizeof x));
                OK(infill_tell(handle, trial, x[0]));
            }
        }
    }
    printf("flipped bits: %lu noticed, %lu in scratch\n", (unsigned long)noticed, (unsigned long)harmless);
    CHECK(noticed > 256 && harmless > 0);
    /* The magic says version and byte order. */
    memcpy(copy, w.opt, bytes);
    for (size_t i = 0; i < 4; i++) {
        unsigned char *b = (unsigned char *)copy, swapped = b[i];
        b[i] = b[7 - i];
        b[7 - i] = swapped;
    }
    STATUS(INFILL_ERROR_FOREIGN, infill_attach(copy, bytes, &other));
    /* Halves of two moments. */
    memcpy(copy, w.opt, bytes);
    OK(infill_attach(copy, bytes, &other));
    OK(infill_ask(other, x, DIMS, &trial));
    OK(infill_tell(other, trial, 3));
    memcpy(copy, w.opt, 1024);
    memcpy(kept, copy, bytes);
    STATUS(INFILL_ERROR_CORRUPT, infill_attach(copy, bytes, &other));
    CHECK(same_bits(copy, kept, bytes));
    /* A tail that was never written. */
    memcpy(copy, w.opt, bytes);
    memset((char *)copy + 1024, 0, bytes - 1024);
    STATUS(INFILL_ERROR_CORRUPT, infill_attach(copy, bytes, &other));
}

/* ---- Ask, tell and look ---- */

static int32_t objective(void *user, const double *x, size_t dims, double *value) {
    (void)user;
    *value = x[0];
    return dims == DIMS ? 0 : 1;
}

static void asked(void) {
    double *x = w.out.x, *value = &w.out.value, *other = &w.out.other;
    const double *at = w.a;
    infill_trial *trial = &w.out.trial;
    infill_proposal *proposal = &w.out.proposal;
    infill_record *record = &w.out.record;
    infill_backend *backend = NULL;
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    const infill_trial stale[] = {closed_trial, forgotten_trial, 0, UINT64_MAX, open_trial ^ 1, open_trial ^ 1ull << 40,
                                  open_trial ^ 1ull << 63};
    HANDLE(infill_ask(opt, x, DIMS, trial));
    POINTER(x, infill_ask(opt, x, DIMS, trial));
    POINTER(trial, infill_ask(opt, x, DIMS, trial));
    HANDLE(infill_ask_with(opt, backend, x, DIMS, proposal));
    POINTER(x, infill_ask_with(opt, backend, x, DIMS, proposal));
    POINTER(proposal, infill_ask_with(opt, backend, x, DIMS, proposal));
    HANDLE(infill_tell(opt, open_trial, 1));
    HANDLE(infill_tell_noisy(opt, open_trial, 1, 1));
    HANDLE(infill_fail(opt, open_trial));
    HANDLE(infill_forget(opt, open_trial));
    HANDLE(infill_relearn(opt));
    HANDLE(infill_enqueue(opt, at, DIMS, trial));
    POINTER(at, infill_enqueue(opt, at, DIMS, trial));
    POINTER(trial, infill_enqueue(opt, at, DIMS, trial));
    HANDLE(infill_observe(opt, at, DIMS, 1, trial));
    POINTER(at, infill_observe(opt, at, DIMS, 1, trial));
    POINTER(trial, infill_observe(opt, at, DIMS, 1, trial));
    HANDLE(infill_best(opt, x, DIMS, value));
    POINTER(x, infill_best(opt, x, DIMS, value));
    POINTER(value, infill_best(opt, x, DIMS, value));
    HANDLE(infill_recommend(opt, x, DIMS, value, other));
    POINTER(x, infill_recommend(opt, x, DIMS, value, other));
    POINTER(value, infill_recommend(opt, x, DIMS, value, other));
    POINTER(other, infill_recommend(opt, x, DIMS, value, other));
    HANDLE(infill_predict(opt, at, DIMS, value, other));
    POINTER(at, infill_predict(opt, at, DIMS, value, other));
    POINTER(value, infill_predict(opt, at, DIMS, value, other));
    POINTER(other, infill_predict(opt, at, DIMS, value, other));
    HANDLE(infill_record_at(opt, 0, x, DIMS, record));
    POINTER(x, infill_record_at(opt, 0, x, DIMS, record));
    POINTER(record, infill_record_at(opt, 0, x, DIMS, record));
    HANDLE(infill_record_of(opt, open_trial, x, DIMS, record));
    POINTER(x, infill_record_of(opt, open_trial, x, DIMS, record));
    POINTER(record, infill_record_of(opt, open_trial, x, DIMS, record));
    HANDLE(infill_minimize(opt, objective, NULL, 1));
    REFUSE(INFILL_ERROR_NULL, infill_minimize(opt, NULL, NULL, 1));
    REFUSE(INFILL_ERROR_NULL, infill_minimize(opt, NULL, NULL, 0));
    HANDLE(infill_minimize_with(opt, backend, objective, NULL, NULL, 1));
    REFUSE(INFILL_ERROR_NULL, infill_minimize_with(opt, backend, NULL, NULL, NULL, 1));
    COUNTER(opt, infill_count(opt));
    COUNTER(opt, infill_closed(opt));
    COUNTER(opt, infill_remaining(opt));
    COUNTER(opt, infill_dims(opt));
    COUNTER(opt, infill_bytes(opt));
    COUNTER(opt, infill_scalar_of(opt));
    {
        infill_opt *self = opt;
        opt = (infill_opt *)w.none;
        ZERO(infill_count(opt));
        ZERO(infill_closed(opt));
        ZERO(infill_remaining(opt));
        ZERO(infill_dims(opt));
        ZERO(infill_bytes(opt));
        ZERO(infill_scalar_of(opt));
        ZERO(infill_clone_size(opt, NULL));
        opt = self;
    }
    /* Wrong numbers of parameters. */
    for (size_t i = 0; i < 4; i++) {
        const size_t dims = i == 0 ? 0 : i == 1 ? DIMS - 1 : i == 2 ? DIMS + 1 : SIZE_MAX;
        REFUSE(INFILL_ERROR_SHAPE, infill_ask(opt, x, dims, trial));
        REFUSE(INFILL_ERROR_SHAPE, infill_ask_with(opt, NULL, x, dims, proposal));
        REFUSE(INFILL_ERROR_SHAPE, infill_enqueue(opt, at, dims, trial));
        REFUSE(INFILL_ERROR_SHAPE, infill_observe(opt, at, dims, 1, trial));
        REFUSE(INFILL_ERROR_SHAPE, infill_best(opt, x, dims, value));
        REFUSE(INFILL_ERROR_SHAPE, infill_recommend(opt, x, dims, value, other));
        REFUSE(INFILL_ERROR_SHAPE, infill_predict(opt, at, dims, value, other));
        REFUSE(INFILL_ERROR_SHAPE, infill_record_at(opt, 0, x, dims, record));
        REFUSE(INFILL_ERROR_SHAPE, infill_record_of(opt, open_trial, x, dims, record));
    }
    REFUSE(INFILL_ERROR_SHAPE, infill_record_at(opt, infill_count(opt), x, DIMS, record));
    REFUSE(INFILL_ERROR_SHAPE, infill_record_at(opt, SIZE_MAX, x, DIMS, record));
    /* Stale trials. */
    for (size_t i = 0; i < sizeof stale / sizeof stale[0]; i++) {
        REFUSE(INFILL_ERROR_STALE_TRIAL, infill_tell(opt, stale[i], 1));
        REFUSE(INFILL_ERROR_STALE_TRIAL, infill_tell_noisy(opt, stale[i], 1, 1));
        REFUSE(INFILL_ERROR_STALE_TRIAL, infill_fail(opt, stale[i]));
        REFUSE(INFILL_ERROR_STALE_TRIAL, infill_forget(opt, stale[i]));
        if (stale[i] != closed_trial) {
            REFUSE(INFILL_ERROR_STALE_TRIAL, infill_record_of(opt, stale[i], x, DIMS, record));
        }
    }
    REFUSE(INFILL_ERROR_STALE_TRIAL, infill_tell(opt, queued_trial, 1));
    REFUSE(INFILL_ERROR_STALE_TRIAL, infill_fail(opt, queued_trial));
    /* Values that are none, and points outside. */
    for (int i = 0; i < 3; i++) {
        const double bad = nan_or_inf[i];
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_tell(opt, open_trial, bad));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_tell_noisy(opt, open_trial, bad, 1));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_tell_noisy(opt, open_trial, 1, bad));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_observe(opt, at, DIMS, bad, trial));
        WITH(double, w.a[0], bad, INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, at, DIMS, trial));
        WITH(double, w.a[1], bad, INFILL_ERROR_OUT_OF_RANGE, infill_observe(opt, at, DIMS, 1, trial));
        WITH(double, w.a[0], bad, INFILL_ERROR_OUT_OF_RANGE, infill_predict(opt, at, DIMS, value, other));
    }
    REFUSE(INFILL_ERROR_NOT_FINITE, infill_tell_noisy(opt, open_trial, 1, -1));
    if (w.config.scalar == INFILL_F32) {
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_tell(opt, open_trial, 1e300));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_observe(opt, at, DIMS, -1e300, trial));
        WITH(double, w.a[0], 1e300, INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, at, DIMS, trial));
    }
    WITH(double, w.a[0], 1.001, INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, at, DIMS, trial));
    WITH(double, w.a[0], -0.001, INFILL_ERROR_OUT_OF_RANGE, infill_observe(opt, at, DIMS, 1, trial));
    WITH(double, w.a[1], 1.5, INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, at, DIMS, trial));
    WITH(double, w.a[1], 10, INFILL_ERROR_OUT_OF_RANGE, infill_predict(opt, at, DIMS, value, other));
}

/* An optimizer that has nothing yet, and ones that are full. */
static void ends(void) {
    double *x = w.out.x, *value = &w.out.value, *other = &w.out.other;
    infill_trial *trial = &w.out.trial, told = 0;
    infill_opt *self = opt, *fresh;
    double point[DIMS];
    w.config.limits.open = 2;
    w.config.limits.trials = 3;
    OK(infill_init(w.spare, sizeof w.spare, &w.space, &w.config, &fresh));
    opt = fresh;
    REFUSE(INFILL_ERROR_NO_DATA, infill_best(opt, x, DIMS, value));
    REFUSE(INFILL_ERROR_NO_DATA, infill_recommend(opt, x, DIMS, value, other));
    REFUSE(INFILL_ERROR_NO_DATA, infill_predict(opt, w.a, DIMS, value, other));
    REFUSE(INFILL_ERROR_SHAPE, infill_record_at(opt, 0, x, DIMS, &w.out.record));
    OK(infill_ask(opt, point, DIMS, &told));
    OK(infill_ask(opt, point, DIMS, &told));
    REFUSE(INFILL_ERROR_TOO_MANY_OPEN, infill_ask(opt, x, DIMS, trial));
    REFUSE(INFILL_ERROR_TOO_MANY_OPEN, infill_ask_with(opt, NULL, x, DIMS, &w.out.proposal));
    REFUSE(INFILL_ERROR_TOO_MANY_OPEN, infill_minimize(opt, objective, NULL, 1));
    OK(infill_tell(opt, told, 1));
    OK(infill_ask(opt, point, DIMS, &told));
    OK(infill_tell(opt, told, 2));
    REFUSE(INFILL_ERROR_STALE_TRIAL, infill_tell(opt, told, 2));
    REFUSE(INFILL_ERROR_FULL, infill_ask(opt, x, DIMS, trial));
    REFUSE(INFILL_ERROR_FULL, infill_enqueue(opt, w.a, DIMS, trial));
    REFUSE(INFILL_ERROR_FULL, infill_observe(opt, w.a, DIMS, 1, trial));
    REFUSE(INFILL_ERROR_FULL, infill_minimize_with(opt, NULL, objective, NULL, NULL, 1));
    CHECK(infill_remaining(opt) == 0);
    /* Every point of a finite space. */
    w.config.limits.open = 0;
    w.config.limits.trials = TRIALS;
    {
        infill_param pair = INFILL_CATEGORICAL(2), kept = w.params[0];
        w.params[0] = pair;
        w.space.dims = 1;
        OK(infill_init(w.spare, sizeof w.spare, &w.space, &w.config, &fresh));
        for (int i = 0; i < 2; i++) {
            OK(infill_ask(fresh, point, 1, &told));
            OK(infill_tell(fresh, told, point[0]));
        }
        REFUSE(INFILL_ERROR_EXHAUSTED, infill_ask(fresh, x, 1, trial));
        REFUSE(INFILL_ERROR_EXHAUSTED, infill_minimize(fresh, objective, NULL, 1));
        w.params[0] = kept;
        w.space.dims = DIMS;
    }
    opt = self;
}

/* ---- The parts ---- */

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

static void acquisitions(void) {
    double *score = &w.out.value, *by_mean = &w.out.other, *by_deviation = &w.out.third;
    const uint32_t none[] = {0, 9, UINT32_MAX};
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY}, deltas[] = {0, 1, -1, 2, NAN, INFINITY};
    POINTER(score, infill_acquisition_score(2, 0, 1, 1, 1, score));
    POINTER(score, infill_acquisition_gradient(2, 0, 1, 1, 1, score, by_mean, by_deviation));
    POINTER(by_mean, infill_acquisition_gradient(2, 0, 1, 1, 1, score, by_mean, by_deviation));
    POINTER(by_deviation, infill_acquisition_gradient(2, 0, 1, 1, 1, score, by_mean, by_deviation));
    POINTER(score, infill_bound_schedule(3, 2, 0.1, score));
    for (int i = 0; i < 3; i++) {
        REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(none[i], 0, 1, 1, 1, score));
        REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_gradient(none[i], 0, 1, 1, 1, score, by_mean, by_deviation));
        for (uint32_t rule = 1; rule <= 8; rule++) {
            REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(rule, nan_or_inf[i], 1, 1, 1, score));
        }
    }
    for (uint32_t rule = INFILL_ACQUISITION_BOUND; rule <= INFILL_ACQUISITION_NOISY; rule++) {
        REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(rule, -1, 1, 1, 1, score));
    }
    REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(INFILL_ACQUISITION_GENERALISED, 1.5, 1, 1, 1, score));
    REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(INFILL_ACQUISITION_GENERALISED, 21, 1, 1, 1, score));
    REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(INFILL_ACQUISITION_DEVIATION, 1, 1, 1, 1, score));
    for (size_t i = 0; i < sizeof deltas / sizeof deltas[0]; i++) {
        REFUSE(INFILL_ERROR_CONFIG, infill_bound_schedule(3, 2, deltas[i], score));
    }
}

int main(int count, char **arguments) {
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    size_t stride = count > 1 ? (size_t)strtoul(arguments[1], NULL, 10) : 1;
    numbers();
    for (int i = 0; i < 2; i++) {
        setup(scalars[i]);
        made();
        damaged(stride > 0 ? stride : 1);
        asked();
        ends();
        kernels();
        processes_made();
        processes();
        acquisitions();
        indefinite();
    }
    printf("%ld refusals\n", refused);
    return report("bad");
}
