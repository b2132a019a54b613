/*
 * Every single byte of every kind of block that can be taken up again, changed in three ways: it is refused, or the byte is
 * scratch and what goes on from there is the same to the last bit. Of a process, which cannot be taken up, the sizes, the kernel
 * and the addresses: every call refuses. An argument sets the stride of the sweeps.
 *
 * Scratch is work memory, the unused rows of a factor behind the rest, and the optimizer of a branch that has none.
 */

#include "check.h"

static size_t stride = 1;
static uint32_t scalar, strategy;

/* What has come of a run, byte for byte. */
typedef struct trace {
    unsigned char bytes[4096];
    size_t length;
} trace;

static void note(trace *t, const void *what, size_t size) {
    CHECK(t->length + size <= sizeof t->bytes);
    memcpy(t->bytes + t->length, what, size);
    t->length += size;
}

typedef struct kind {
    const char *name;
    /* Makes a block in the middle of its life; its size. */
    size_t (*make)(void **mem);
    infill_status (*attach)(void *mem, size_t size, void **out);
    void (*go_on)(void *handle, trace *t);
} kind;

/* ---- The optimizer ---- */

static const infill_param pair[] = {INFILL_REAL(0, 100), INFILL_CATEGORICAL(3)};
static const infill_space pair_space = INFILL_SPACE(pair, 2);

static infill_config tiny_config(void) {
    infill_config config = small_config(scalar);
    config.limits.trials = 9;
    config.start = 2;
    return config;
}

static void ask_and_tell(infill_opt *opt, trace *t, int times) {
    for (int i = 0; i < times; i++) {
        double x[2];
        infill_trial trial;
        int32_t status = infill_ask(opt, x, 2, &trial);
        note(t, &status, sizeof status);
        if (status == INFILL_OK) {
            note(t, x, sizeof x);
            OK(infill_tell(opt, trial, fabs(x[0] - 30) / 10 + x[1]));
        }
    }
}

static size_t make_opt(void **mem) {
    infill_config config = tiny_config();
    size_t size = infill_size(&pair_space, &config);
    infill_opt *opt = NULL;
    trace none = {{0}, 0};
    OK(infill_init(*mem = reserve(size), size, &pair_space, &config, &opt));
    ask_and_tell(opt, &none, 4);
    return size;
}

static infill_status attach_opt(void *mem, size_t size, void **out) { return infill_attach(mem, size, NULL, (infill_opt **)out); }

static void go_on_opt(void *handle, trace *t) {
    infill_opt *opt = (infill_opt *)handle;
    double x[2] = {50, 1}, mean = 0, variance = 0;
    int32_t status = infill_predict(opt, x, 2, &mean, &variance);
    note(t, &status, sizeof status);
    note(t, &mean, sizeof mean);
    note(t, &variance, sizeof variance);
    ask_and_tell(opt, t, 4);
}

/* ---- A model for each value of a category: one with a real, one with nothing ---- */

static const infill_param branched[] = {INFILL_CATEGORICAL(2), INFILL_REAL(0, 1)};
static const infill_condition below[] = {INFILL_IF_EQUALS(1, 0, 0)};
static const infill_space branched_space = INFILL_SPACE_IF(branched, 2, below, 1);

static void select_and_tell(infill_opt *opt, trace *t, int times) {
    for (int i = 0; i < times; i++) {
        double x[2];
        infill_trial trial;
        int32_t status = infill_ask(opt, x, 2, &trial);
        note(t, &status, sizeof status);
        if (status == INFILL_OK) {
            note(t, x, sizeof x);
            OK(infill_tell(opt, trial, x[0] == 0 ? fabs(x[1] - 0.3) : 0.2));
        }
    }
}

static size_t make_branched(void **mem) {
    infill_config config = tiny_config();
    infill_opt *opt = NULL;
    size_t size;
    trace none = {{0}, 0};
    config.strategy = strategy;
    config.start = config.strategy_start = 2;
    config.strategy_budget = strategy == INFILL_STRATEGY_BASELINE ? 9 : 0;
    size = infill_size(&branched_space, &config);
    OK(infill_init(*mem = reserve(size), size, &branched_space, &config, &opt));
    select_and_tell(opt, &none, 4);
    return size;
}

static void go_on_branched(void *handle, trace *t) { select_and_tell((infill_opt *)handle, t, 4); }

/* ---- A race ---- */

static void race_on(infill_race *race, trace *t, int times) {
    for (int i = 0; i < times; i++) {
        infill_run run;
        int32_t status = infill_race_ask(race, &run);
        note(t, &status, sizeof status);
        if (status == INFILL_OK) {
            note(t, &run, sizeof run);
            OK(infill_race_tell(race, run.id, 3 - run.config + (double)(run.seed % 1000) / 1000));
        }
    }
}

static size_t make_race(void **mem) {
    infill_race_rules rules;
    infill_race *race = NULL;
    size_t size;
    trace none = {{0}, 0};
    OK(infill_race_default(&rules, sizeof rules));
    rules.scalar = scalar;
    rules.configs = 3;
    rules.runs = 24;
    rules.statistic = INFILL_STATISTIC_MEDIAN;
    size = infill_race_size(&rules);
    OK(infill_race_init(*mem = reserve(size), size, &rules, &race));
    for (uint32_t config = 0; config < 3; config++) OK(infill_race_challenge(race, config));
    race_on(race, &none, 8);
    return size;
}

static infill_status attach_race(void *mem, size_t size, void **out) {
    return infill_race_attach(mem, size, (infill_race **)out);
}

static void go_on_race(void *handle, trace *t) { race_on((infill_race *)handle, t, 16); }

/* ---- An iterated F-race, with its space behind it ---- */

static void frace_on(infill_frace *frace, trace *t, int times) {
    for (int i = 0; i < times; i++) {
        infill_run run;
        double x[2];
        int32_t status = infill_frace_ask(frace, x, 2, &run);
        note(t, &status, sizeof status);
        if (status == INFILL_OK) {
            note(t, x, sizeof x);
            note(t, &run, sizeof run);
            OK(infill_frace_tell(frace, run.id, fabs(x[0] - 30) / 10 + x[1] + (double)(run.seed % 1000) / 1000));
        }
    }
}

static size_t make_frace(void **mem) {
    infill_frace_plan plan;
    infill_frace *frace = NULL;
    size_t size;
    trace none = {{0}, 0};
    OK(infill_frace_default(&plan, sizeof plan));
    plan.scalar = scalar;
    plan.budget = 80;
    plan.first = 2;
    size = infill_frace_size(&pair_space, &plan);
    OK(infill_frace_init(*mem = reserve(size), size, &pair_space, &plan, &frace));
    frace_on(frace, &none, 31);
    return size;
}

static infill_status attach_frace(void *mem, size_t size, void **out) {
    return infill_frace_attach(mem, size, (infill_frace **)out);
}

static void go_on_frace(void *handle, trace *t) { frace_on((infill_frace *)handle, t, 49); }

static const kind kinds[] = {
    {"optimizer", make_opt, attach_opt, go_on_opt},
    {"branches", make_branched, attach_opt, go_on_branched},
    {"race", make_race, attach_race, go_on_race},
    {"F-race", make_frace, attach_frace, go_on_frace},
};

/* Goes on from a copy and compares with what the block itself came to. */
static void same_future(const kind *k, void *copy, size_t size, const trace *expected) {
    void *handle = NULL;
    trace t = {{0}, 0};
    OK(k->attach(copy, size, &handle));
    if (handle != NULL) {
        k->go_on(handle, &t);
        CHECK(t.length == expected->length && same_bits(t.bytes, expected->bytes, t.length));
    }
}

static void sweep(const kind *k) {
    static const unsigned char masks[] = {0x01, 0x80, 0xff};
    void *mem = NULL;
    size_t size = k->make(&mem), noticed = 0, scratch = 0, regions = 0, last = 0;
    unsigned char *copy = (unsigned char *)reserve(size), *kept = (unsigned char *)reserve(size);
    unsigned char *harmless = (unsigned char *)reserve(size);
    trace expected = {{0}, 0};
    memcpy(copy, mem, size);
    {
        void *handle = NULL;
        OK(k->attach(copy, size, &handle));
        k->go_on(handle, &expected);
    }
    for (size_t at = 0; at < size; at += at < 128 ? 1 : stride) {
        int taken = 0;
        for (int m = 0; m < 3; m++) {
            void *handle = NULL;
            infill_status status;
            memcpy(copy, mem, size);
            copy[at] ^= masks[m];
            memcpy(kept, copy, size);
            status = k->attach(copy, size, &handle);
            CHECK(same_bits(copy, kept, size));
            CHECK(status == INFILL_OK || status == INFILL_ERROR_FOREIGN || status == INFILL_ERROR_CORRUPT ||
                  status == INFILL_ERROR_MEMORY);
            CHECK((handle != NULL) == (status == INFILL_OK));
            taken += status == INFILL_OK;
        }
        /* No byte is state for some of its values only. */
        CHECK(taken == 0 || taken == 3);
        harmless[at] = taken > 0;
        if (taken > 0) {
            regions += scratch == 0 || at - last > stride;
            last = at;
            scratch++;
            /* Each is one of those that are changed together below; some alone. */
            if (scratch % 257 == 1) {
                memcpy(copy, mem, size);
                copy[at] ^= 0xff;
                same_future(k, copy, size, &expected);
            }
        } else {
            noticed++;
        }
    }
    for (unsigned pattern = 0; pattern < 6; pattern++) {
        uint64_t dice = pattern;
        memcpy(copy, mem, size);
        for (size_t at = 0; at < size; at++) {
            dice = dice * 6364136223846793005ull + 1442695040888963407ull;
            if (harmless[at]) copy[at] = pattern == 0 ? 0x00 : pattern == 1 ? 0xff : (unsigned char)(dice >> 56);
        }
        same_future(k, copy, size, &expected);
    }
    printf("%s, %u: of %lu bytes %lu noticed, %lu scratch in %lu regions\n", k->name, (unsigned)scalar,
           (unsigned long)size, (unsigned long)noticed, (unsigned long)scratch, (unsigned long)regions);
    CHECK(noticed > 0 && regions <= 3);
    free(mem);
    free(copy);
    free(kept);
    free(harmless);
}

/* ---- A process ---- */

static void process(void) {
    infill_node node;
    infill_kernel kernel = {&node, 1};
    infill_gp_config config;
    infill_gp *gp = NULL;
    size_t size, at;
    unsigned char *mem;
    double x = 0.5, theta[2], mean, variance;
    memset(&node, 0, sizeof node);
    node.op = INFILL_OP_MATERN52;
    OK(infill_gp_config_default(&config, sizeof config));
    config.rows = 3;
    config.dims = 1;
    config.scalar = scalar;
    config.kernel = &kernel;
    size = infill_gp_size(&config);
    mem = (unsigned char *)reserve(size);
    OK(infill_gp_init(mem, size, &config, &gp));
    OK(infill_gp_push(gp, &x, 1, 1, 0));
    OK(infill_gp_fit(gp, NULL));
    for (at = 0; at < size; at++) {
        infill_status status;
        mem[at] ^= 0x80;
        status = infill_gp_theta(gp, theta, 2);
        if (status != INFILL_OK) {
            CHECK(status == INFILL_ERROR_CORRUPT || (status == INFILL_ERROR_FOREIGN && at < 16));
            STATUS(status, infill_gp_predict(gp, &x, 1, &mean, &variance));
            STATUS(status, infill_gp_push(gp, &x, 1, 1, 0));
            STATUS(status, infill_gp_fit(gp, NULL));
            CHECK(infill_gp_rows(gp) == 0);
        }
        mem[at] ^= 0x80;
        if (status == INFILL_OK) break;
    }
    printf("process, %u: %lu bytes of sizes, kernel and addresses\n", (unsigned)scalar, (unsigned long)at);
    /* Thirteen words of sizes, addresses and sum, then the kernel. */
    CHECK(at > 13 * 8 && at % 8 == 0);
    OK(infill_gp_predict(gp, &x, 1, &mean, &variance));
    free(mem);
}

int main(int count, char **arguments) {
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    if (count > 1) stride = (size_t)strtoul(arguments[1], NULL, 10);
    if (stride == 0) stride = 1;
    for (int i = 0; i < 2; i++) {
        scalar = scalars[i];
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            /* Branches by each strategy. */
            uint32_t last = kinds[k].make == make_branched ? INFILL_STRATEGY_BASELINE : INFILL_STRATEGY_IMPUTE;
            for (strategy = INFILL_STRATEGY_IMPUTE; strategy <= last; strategy++) sweep(&kinds[k]);
        }
        process();
    }
    return report("damage");
}
