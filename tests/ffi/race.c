/*
 * Races of noisy configurations and comparisons of methods: with good input, then with every bad pointer, number and state.
 */

#include "check.h"

#define METHODS 4
#define PROBLEMS 18

/* Errors of four methods on 18 data sets (Levesque, thesis, 2018, table 4.4), a row for each method, in hundredths. */
static const double printed[METHODS][PROBLEMS] = {
    {1552, 1067, 127, 1686, 245, 1249, 29, 306, 2552, 443, 647, 2320, 357, 10, 2391, 309, 2059, 3528},
    {1538, 1071, 156, 1672, 250, 1221, 28, 301, 2565, 437, 647, 2345, 294, 8, 2258, 317, 2059, 3509},
    {1527, 1060, 95, 1508, 236, 1221, 28, 297, 2403, 440, 636, 2340, 255, 9, 2263, 269, 2057, 3370},
    {1539, 1044, 81, 1506, 234, 1218, 30, 314, 2370, 458, 645, 2305, 273, 9, 2261, 251, 2027, 3329},
};
static const char *const names[METHODS] = {"BO-best", "BO-post", "EO-post", "EO"};

static infill_race_rules rules_of(uint32_t scalar) {
    infill_race_rules rules;
    OK(infill_race_default(&rules, sizeof rules));
    rules.scalar = scalar;
    rules.configs = 5;
    rules.runs = 200;
    rules.seed = 3;
    return rules;
}

static infill_race *race_of(const infill_race_rules *rules, void **mem) {
    size_t size = infill_race_size(rules);
    infill_race *race = NULL;
    CHECK(size > 0 && size % 8 == 0);
    *mem = reserve(size);
    OK(infill_race_init(*mem, size, rules, &race));
    CHECK((void *)race == *mem && infill_race_bytes(race) == size);
    return race;
}

/* A number in [-1/2, 1/2) that the seed alone decides. */
static double noise(uint64_t seed) { return (double)(seed >> 11) / 9007199254740992.0 - 0.5; }

static void racing(uint32_t scalar) {
    infill_race_rules rules = rules_of(scalar);
    void *mem;
    infill_race *race = race_of(&rules, &mem);
    infill_run run;
    infill_run_record record;
    uint32_t config, best = 9, told = 0;
    double cost;
    infill_status status;
    STATUS(INFILL_ERROR_EXHAUSTED, infill_race_ask(race, &run));
    STATUS(INFILL_ERROR_NO_DATA, infill_race_incumbent(race, &best));
    for (config = 0; config < 5; config++) OK(infill_race_challenge(race, config));
    STATUS(INFILL_ERROR_FULL, infill_race_challenge(race, 5));
    /* One is lost and comes again. */
    OK(infill_race_ask(race, &run));
    STATUS(INFILL_ERROR_TOO_MANY_OPEN, infill_race_ask(race, &run));
    OK(infill_race_forget(race, run.id));
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_race_tell(race, run.id, 1));
    OK(infill_race_begin(race, 10));
    while ((status = infill_race_ask(race, &run)) == INFILL_OK) {
        CHECK(run.config < 5 && run.instance == 0 && isinf(run.cap));
        /* The third is best. */
        OK(infill_race_tell(race, run.id, fabs((double)run.config - 3) + noise(run.seed)));
        told++;
        CHECK((infill_race_over(race) == 1) <= (told >= 10));
        if (told == 50) {
            /* Saved, moved, taken up again. */
            size_t size = infill_race_bytes(race);
            void *other = reserve(size);
            memcpy(other, mem, size);
            OK(infill_race_attach(other, size, &race));
            free(mem);
            mem = other;
        }
    }
    STATUS(INFILL_ERROR_FULL, status);
    CHECK(told == 200 && infill_race_count(race) == 200);
    OK(infill_race_incumbent(race, &best));
    CHECK(best == 3 && infill_race_runs(race, 3) > infill_race_runs(race, 0) && infill_race_runs(race, 9) == 0);
    OK(infill_race_cost(race, 3, &cost));
    CHECK(fabs(cost) < 0.2);
    OK(infill_race_record(race, 199, &record));
    CHECK(record.config < 5 && record.capped == 0 && isfinite(record.cost));
    STATUS(INFILL_ERROR_SHAPE, infill_race_record(race, 200, &record));
    free(mem);
}

static void capping(void) {
    infill_race_rules rules = rules_of(INFILL_F64);
    void *mem;
    infill_race *race;
    infill_run run;
    infill_run_record record;
    double cost;
    rules.cap = 100;
    rules.slack = 1.5;
    rules.again = 0;
    rules.instances = 3;
    rules.statistic = INFILL_STATISTIC_MEAN;
    race = race_of(&rules, &mem);
    OK(infill_race_challenge(race, 10));
    OK(infill_race_challenge(race, 11));
    OK(infill_race_challenge(race, 12));
    while (infill_race_ask(race, &run) == INFILL_OK) {
        if (run.config == 11) {
            CHECK(run.cap == 6);
            OK(infill_race_capped(race, run.id));
        } else if (run.config == 12) {
            OK(infill_race_crashed(race, run.id));
        } else {
            OK(infill_race_tell(race, run.id, 4));
        }
    }
    OK(infill_race_cost(race, 11, &cost));
    CLOSE(60, cost, 0);
    OK(infill_race_cost(race, 12, &cost));
    CLOSE(1000, cost, 0);
    OK(infill_race_record(race, 2, &record));
    CHECK(record.config == 11 && record.capped == 1 && record.cap == 6);
    free(mem);
}

static void bad_races(void) {
    infill_race_rules rules = rules_of(INFILL_F64), other;
    size_t size = infill_race_size(&rules), i;
    void *mem = reserve(size);
    infill_race *race = NULL;
    infill_run run;
    infill_run_record record;
    uint32_t config;
    double cost;
    char *bytes = (char *)mem;
    STATUS(INFILL_ERROR_NULL, infill_race_default(NULL, sizeof rules));
    STATUS(INFILL_ERROR_VERSION, infill_race_default(&other, 8));
    CHECK(infill_race_size(NULL) == 0 && infill_race_bytes(NULL) == 0 && infill_race_count(NULL) == 0);
    CHECK(infill_race_over(NULL) == 0 && infill_race_runs(NULL, 0) == 0);
    STATUS(INFILL_ERROR_NULL, infill_race_init(NULL, size, &rules, &race));
    STATUS(INFILL_ERROR_NULL, infill_race_init(mem, size, NULL, &race));
    STATUS(INFILL_ERROR_NULL, infill_race_init(mem, size, &rules, NULL));
    STATUS(INFILL_ERROR_ALIGNMENT, infill_race_init(bytes + 4, size - 4, &rules, &race));
    STATUS(INFILL_ERROR_MEMORY, infill_race_init(mem, size - 8, &rules, &race));
    STATUS(INFILL_ERROR_NULL, infill_race_attach(NULL, size, &race));
    STATUS(INFILL_ERROR_FOREIGN, infill_race_attach(mem, size, &race));
#define BAD_RULE(expected, field, value)                                      \
    other = rules;                                                            \
    other.field = (value);                                                    \
    CHECK(infill_race_size(&other) == 0);                                     \
    STATUS(expected, infill_race_init(mem, size, &other, &race))
    BAD_RULE(INFILL_ERROR_VERSION, size, 4);
    BAD_RULE(INFILL_ERROR_CONFIG, penalty, 0.5);
    BAD_RULE(INFILL_ERROR_CONFIG, cap, -1);
    BAD_RULE(INFILL_ERROR_CONFIG, slack, 0.5);
    BAD_RULE(INFILL_ERROR_CONFIG, statistic, 3);
    BAD_RULE(INFILL_ERROR_CONFIG, scalar, 5);
    BAD_RULE(INFILL_ERROR_LIMITS, configs, 0);
    BAD_RULE(INFILL_ERROR_LIMITS, runs, UINT32_MAX);
    BAD_RULE(INFILL_ERROR_CONFIG, most, 0);
    BAD_RULE(INFILL_ERROR_CONFIG, challengers, 0);
    BAD_RULE(INFILL_ERROR_CONFIG, instances, 0);
    BAD_RULE(INFILL_ERROR_CONFIG, seeds, 2);
    BAD_RULE(INFILL_ERROR_CONFIG, again, 2);
    BAD_RULE(INFILL_ERROR_CONFIG, reserved, 1);
    CHECK(race == NULL);
    OK(infill_race_init(mem, size, &rules, &race));
    STATUS(INFILL_ERROR_NULL, infill_race_challenge(NULL, 0));
    STATUS(INFILL_ERROR_NULL, infill_race_ask(NULL, &run));
    STATUS(INFILL_ERROR_NULL, infill_race_ask(race, NULL));
    STATUS(INFILL_ERROR_NULL, infill_race_tell(NULL, 0, 1));
    STATUS(INFILL_ERROR_NULL, infill_race_capped(NULL, 0));
    STATUS(INFILL_ERROR_NULL, infill_race_crashed(NULL, 0));
    STATUS(INFILL_ERROR_NULL, infill_race_forget(NULL, 0));
    STATUS(INFILL_ERROR_NULL, infill_race_begin(NULL, 0));
    STATUS(INFILL_ERROR_NULL, infill_race_incumbent(NULL, &config));
    STATUS(INFILL_ERROR_NULL, infill_race_incumbent(race, NULL));
    STATUS(INFILL_ERROR_NULL, infill_race_cost(NULL, 0, &cost));
    STATUS(INFILL_ERROR_NULL, infill_race_cost(race, 0, NULL));
    STATUS(INFILL_ERROR_NO_DATA, infill_race_cost(race, 0, &cost));
    STATUS(INFILL_ERROR_NULL, infill_race_record(NULL, 0, &record));
    STATUS(INFILL_ERROR_NULL, infill_race_record(race, 0, NULL));
    STATUS(INFILL_ERROR_SHAPE, infill_race_record(race, 0, &record));
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_race_tell(race, 77, 1));
    OK(infill_race_challenge(race, 0));
    OK(infill_race_ask(race, &run));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_race_tell(race, run.id, NAN));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_race_capped(race, run.id));
    OK(infill_race_tell(race, run.id, 1));
    /* Each byte of the state counts. */
    for (i = 24; i < 600; i += 7) {
        bytes[i] = (char)(bytes[i] ^ 1);
        CHECK(infill_race_attach(mem, size, &race) != INFILL_OK);
        bytes[i] = (char)(bytes[i] ^ 1);
    }
    STATUS(INFILL_ERROR_MEMORY, infill_race_attach(mem, 16, &race));
    OK(infill_race_attach(mem, size, &race));
    free(mem);
}

static void iterated(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_REAL(0, 1), INFILL_CATEGORICAL(3)};
    infill_space space = INFILL_SPACE(params, 3);
    infill_frace_plan plan, other;
    infill_frace *race = NULL;
    infill_run run;
    double x[3], sum;
    uint32_t config;
    size_t size, runs = 0;
    void *mem;
    char *bytes;
    infill_status status;
    OK(infill_frace_default(&plan, sizeof plan));
    STATUS(INFILL_ERROR_NULL, infill_frace_default(NULL, sizeof plan));
    plan.scalar = scalar;
    plan.budget = 400;
    plan.instances = 2;
    size = infill_frace_size(&space, &plan);
    CHECK(size > 0 && infill_frace_size(NULL, &plan) == 0 && infill_frace_size(&space, NULL) == 0);
    mem = reserve(size);
    bytes = (char *)mem;
    STATUS(INFILL_ERROR_NULL, infill_frace_init(NULL, size, &space, &plan, &race));
    STATUS(INFILL_ERROR_NULL, infill_frace_init(mem, size, NULL, &plan, &race));
    STATUS(INFILL_ERROR_NULL, infill_frace_init(mem, size, &space, NULL, &race));
    STATUS(INFILL_ERROR_NULL, infill_frace_init(mem, size, &space, &plan, NULL));
    STATUS(INFILL_ERROR_MEMORY, infill_frace_init(mem, size - 8, &space, &plan, &race));
    STATUS(INFILL_ERROR_FOREIGN, infill_frace_attach(mem, size, &race));
    other = plan;
    other.budget = 10;
    STATUS(INFILL_ERROR_LIMITS, infill_frace_init(mem, size, &space, &other, &race));
    other = plan;
    other.level = 2;
    STATUS(INFILL_ERROR_CONFIG, infill_frace_init(mem, size, &space, &other, &race));
    other = plan;
    other.elitist = 2;
    STATUS(INFILL_ERROR_CONFIG, infill_frace_init(mem, size, &space, &other, &race));
    OK(infill_frace_init(mem, size, &space, &plan, &race));
    CHECK(infill_frace_bytes(race) == size && infill_frace_bytes(NULL) == 0);
    CHECK(infill_frace_dims(race) == 3 && infill_frace_dims(NULL) == 0);
    STATUS(INFILL_ERROR_NO_DATA, infill_frace_best(race, x, 3, &config));
    STATUS(INFILL_ERROR_NULL, infill_frace_ask(NULL, x, 3, &run));
    STATUS(INFILL_ERROR_NULL, infill_frace_ask(race, NULL, 3, &run));
    STATUS(INFILL_ERROR_NULL, infill_frace_ask(race, x, 3, NULL));
    STATUS(INFILL_ERROR_SHAPE, infill_frace_ask(race, x, 2, &run));
    STATUS(INFILL_ERROR_NULL, infill_frace_tell(NULL, 0, 1));
    STATUS(INFILL_ERROR_NULL, infill_frace_crashed(NULL, 0));
    STATUS(INFILL_ERROR_NULL, infill_frace_forget(NULL, 0));
    STATUS(INFILL_ERROR_NULL, infill_frace_best(NULL, x, 3, &config));
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_frace_tell(race, 5, 1));
    OK(infill_frace_ask(race, x, 3, &run));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_frace_tell(race, run.id, NAN));
    OK(infill_frace_forget(race, run.id));
    OK(infill_frace_ask(race, x, 3, &run));
    OK(infill_frace_crashed(race, run.id));
    while ((status = infill_frace_ask(race, x, 3, &run)) == INFILL_OK) {
        CHECK(x[0] >= 0 && x[0] <= 1 && x[2] <= 2 && run.instance < 2);
        sum = fabs(x[0] - 0.5) + fabs(x[1] - 0.25) + x[2];
        OK(infill_frace_tell(race, run.id, sum + 0.02 * noise(run.seed)));
        if (++runs == 100) OK(infill_frace_attach(mem, size, &race));
    }
    STATUS(INFILL_ERROR_EXHAUSTED, status);
    CHECK(runs > 200 && runs < 400);
    OK(infill_frace_best(race, x, 3, &config));
    CHECK(x[2] == 0 && fabs(x[0] - 0.5) < 0.3 && fabs(x[1] - 0.25) < 0.3);
    bytes[200] = (char)(bytes[200] ^ 1);
    STATUS(INFILL_ERROR_CORRUPT, infill_frace_attach(mem, size, &race));
    STATUS(INFILL_ERROR_MEMORY, infill_frace_attach(mem, 64, &race));
    STATUS(INFILL_ERROR_NULL, infill_frace_attach(NULL, 64, &race));
    free(mem);
}

/* Runs that take a time and may be stopped: what all of them took. */
static double timed(uint32_t scalar, uint32_t elitist, double slack) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 2);
    infill_frace_plan plan;
    infill_frace *race = NULL;
    infill_run run;
    infill_status status;
    double x[2], spent = 0;
    uint32_t config;
    size_t size, runs = 0, stopped = 0;
    void *mem;
    OK(infill_frace_default(&plan, sizeof plan));
    CHECK(plan.size == sizeof plan && plan.elitist == 1 && isinf(plan.cap) && isinf(plan.slack) && plan.penalty == 10);
    plan.scalar = scalar;
    plan.budget = 400;
    plan.elitist = elitist;
    plan.cap = 8;
    plan.penalty = 3;
    plan.slack = slack;
    size = infill_frace_size(&space, &plan);
    mem = reserve(size);
    OK(infill_frace_init(mem, size, &space, &plan, &race));
    while ((status = infill_frace_ask(race, x, 2, &run)) == INFILL_OK) {
        double time = 0.5 + 10 * fabs(x[0] - 0.5) + 10 * fabs(x[1] - 0.25);
        CHECK(run.cap > 0 && run.cap <= 8);
        spent += time < run.cap ? time : run.cap;
        STATUS(INFILL_ERROR_NOT_FINITE, infill_frace_tell(race, run.id, -1));
        if (time > run.cap) {
            OK(infill_frace_capped(race, run.id));
            stopped++;
        } else {
            OK(infill_frace_tell(race, run.id, time));
        }
        if (++runs == 150) OK(infill_frace_attach(mem, size, &race));
    }
    STATUS(INFILL_ERROR_EXHAUSTED, status);
    CHECK(runs > 200 && runs <= 400 && stopped > 0 && stopped < runs);
    OK(infill_frace_best(race, x, 2, &config));
    CHECK(fabs(x[0] - 0.5) < 0.2 && fabs(x[1] - 0.25) < 0.2);
    free(mem);
    return spent;
}

static void bad_plans(void) {
    infill_param params[] = {INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 1);
    infill_frace_plan plan, other;
    infill_frace *race = NULL;
    infill_run run;
    double x;
    size_t size;
    void *mem;
    OK(infill_frace_default(&plan, sizeof plan));
    size = infill_frace_size(&space, &plan);
    mem = reserve(size);
    other = plan;
    other.cap = 0;
    STATUS(INFILL_ERROR_CONFIG, infill_frace_init(mem, size, &space, &other, &race));
    other = plan;
    other.penalty = NAN;
    STATUS(INFILL_ERROR_CONFIG, infill_frace_init(mem, size, &space, &other, &race));
    other = plan;
    other.slack = 0.5;
    STATUS(INFILL_ERROR_CONFIG, infill_frace_init(mem, size, &space, &other, &race));
    CHECK(infill_frace_size(&space, &other) == 0);
    other = plan;
    other.size = offsetof(infill_frace_plan, cap);
    STATUS(INFILL_ERROR_VERSION, infill_frace_init(mem, size, &space, &other, &race));
    /* Without elites it needs less. */
    other = plan;
    other.elitist = 0;
    CHECK(infill_frace_size(&space, &other) > 0 && infill_frace_size(&space, &other) < size);
    OK(infill_frace_init(mem, size, &space, &other, &race));
    OK(infill_frace_ask(race, &x, 1, &run));
    CHECK(isinf(run.cap));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_frace_capped(race, run.id));
    STATUS(INFILL_ERROR_NULL, infill_frace_capped(NULL, run.id));
    OK(infill_frace_tell(race, run.id, -1));
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_frace_capped(race, run.id));
    free(mem);
}

static void comparing(void) {
    double values[PROBLEMS * METHODS], ranks[METHODS], rates[METHODS], difference;
    const double expected[METHODS] = {3.389, 2.833, 1.917, 1.861};
    int64_t net[METHODS * METHODS];
    infill_friedman friedman;
    infill_wilcoxon wilcoxon;
    size_t i, j, size;
    char *text;
    for (i = 0; i < METHODS; i++)
        for (j = 0; j < PROBLEMS; j++) values[j * METHODS + i] = printed[i][j];
    OK(infill_compare_ranks(values, PROBLEMS, METHODS, ranks));
    OK(infill_compare_win_rates(values, PROBLEMS, METHODS, rates));
    OK(infill_compare_net_wins(values, PROBLEMS, METHODS, net));
    for (i = 0; i < METHODS; i++) {
        int64_t sum = 0;
        CHECK(fabs(ranks[i] - expected[i]) < 6e-4);
        CLOSE(ranks[i], 0.5 + METHODS * (1 - rates[i]), 1e-12);
        for (j = 0; j < METHODS; j++) sum += net[i * METHODS + j];
        CLOSE(ranks[i], (METHODS + 1) / 2.0 - (double)sum / (2.0 * PROBLEMS), 1e-12);
    }
    OK(infill_compare_friedman(values, PROBLEMS, METHODS, &friedman));
    CHECK(fabs(friedman.chi_squared - 17.817) < 6e-4 && fabs(friedman.p - 4.80e-4) < 6e-7);
    CHECK(fabs(friedman.corrected - 18.326) < 6e-4 && fabs(friedman.corrected_p - 3.77e-4) < 6e-7);
    CHECK(friedman.freedom == 3 && friedman.below == 51 && friedman.f > 0 && friedman.f_p < 0.001);
    OK(infill_compare_wilcoxon(printed[0], printed[1], PROBLEMS, &wilcoxon));
    CHECK(fabs(wilcoxon.approximate - 0.3131) < 6e-5 && wilcoxon.pairs == 16 && wilcoxon.exact == 0);
    OK(infill_compare_critical_difference(METHODS, PROBLEMS, 0.05, &difference));
    CHECK(fabs(difference - 1.106) < 6e-4);
    size = infill_compare_diagram_size(names, ranks, METHODS, difference, 40);
    CHECK(size > 100);
    text = (char *)reserve(size);
    OK(infill_compare_diagram(names, ranks, METHODS, difference, 40, text, size));
    CHECK(strlen(text) + 1 == size && strstr(text, "CD = 1.106") != NULL && strstr(text, "3.389 BO-best") != NULL);
    STATUS(INFILL_ERROR_MEMORY, infill_compare_diagram(names, ranks, METHODS, difference, 40, text, size - 1));
    free(text);
}

static void bad_comparisons(void) {
    double values[4] = {1, 2, 3, NAN}, out[4] = {1, 2, 1, 2};
    int64_t net[4];
    infill_friedman friedman;
    infill_wilcoxon wilcoxon;
    char text[2000];
    const char *pair[2] = {"a", NULL};
    const char *odd[2] = {"a", "\xff"};
    STATUS(INFILL_ERROR_NOT_FINITE, infill_compare_ranks(values, 2, 2, out));
    STATUS(INFILL_ERROR_NO_DATA, infill_compare_ranks(values, 2, 1, out));
    STATUS(INFILL_ERROR_NO_DATA, infill_compare_ranks(values, 0, 2, out));
    STATUS(INFILL_ERROR_NULL, infill_compare_ranks(NULL, 2, 2, out));
    STATUS(INFILL_ERROR_NULL, infill_compare_ranks(values, 1, 2, NULL));
    STATUS(INFILL_ERROR_SHAPE, infill_compare_ranks(values, SIZE_MAX, 2, out));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_compare_win_rates(values, 2, 2, out));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_compare_net_wins(values, 2, 2, net));
    STATUS(INFILL_ERROR_NO_DATA, infill_compare_friedman(values, 1, 2, &friedman));
    STATUS(INFILL_ERROR_NULL, infill_compare_friedman(values, 1, 2, NULL));
    STATUS(INFILL_ERROR_NO_DATA, infill_compare_wilcoxon(values, values, 1, &wilcoxon));
    STATUS(INFILL_ERROR_NULL, infill_compare_wilcoxon(values, NULL, 2, &wilcoxon));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_compare_wilcoxon(values, out, 4, &wilcoxon));
    STATUS(INFILL_ERROR_CONFIG, infill_compare_critical_difference(3, 3, 1, out));
    STATUS(INFILL_ERROR_NO_DATA, infill_compare_critical_difference(1, 3, 0.5, out));
    STATUS(INFILL_ERROR_NULL, infill_compare_critical_difference(3, 3, 0.5, NULL));
    CHECK(infill_compare_diagram_size(NULL, out, 2, 1, 40) == 0);
    STATUS(INFILL_ERROR_NULL, infill_compare_diagram(pair, out, 2, 1, 40, text, sizeof text));
    STATUS(INFILL_ERROR_FORMAT, infill_compare_diagram(odd, out, 2, 1, 40, text, sizeof text));
    pair[1] = "b";
    STATUS(INFILL_ERROR_NULL, infill_compare_diagram(pair, out, 2, 1, 40, NULL, 2000));
    STATUS(INFILL_ERROR_CONFIG, infill_compare_diagram(pair, out, 2, 1, 9, text, sizeof text));
    STATUS(INFILL_ERROR_NOT_FINITE, infill_compare_diagram(pair, values + 2, 2, 1, 40, text, sizeof text));
    OK(infill_compare_diagram(pair, out, 2, 1, 40, text, sizeof text));
}

int main(void) {
    racing(INFILL_F64);
    racing(INFILL_F32);
    capping();
    bad_races();
    iterated(INFILL_F64);
    iterated(INFILL_F32);
    CHECK(timed(INFILL_F64, 1, 1) < timed(INFILL_F64, 1, HUGE_VAL));
    CHECK(timed(INFILL_F32, 0, 1) < timed(INFILL_F32, 0, HUGE_VAL));
    bad_plans();
    comparing();
    bad_comparisons();
    return report("race");
}
