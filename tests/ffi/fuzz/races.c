/* Races and iterated F-races. */
#include "fuzz.h"

enum { OPEN = 64 };

/* Runs that were asked for, and one that never was. */
typedef struct opened {
    uint64_t ids[OPEN];
    size_t count;
} opened;

/* A run that is mostly open: what was taken comes again now and then. */
static uint64_t one(opened *runs)
{
    if (runs->count == 0 || chance(4)) return bits();
    size_t place = below(runs->count);
    uint64_t id = runs->ids[place];
    if (chance(90)) runs->ids[place] = runs->ids[--runs->count];
    return id;
}

static void note(opened *runs, uint64_t id) { runs->ids[runs->count < OPEN ? runs->count++ : below(OPEN)] = id; }

static void judge_run(const infill_run *run, double cap, uint32_t instances)
{
    if (run->instance >= instances) fail("an instance that does not exist");
    /* The cap alone may be infinite, where there is none. */
    if (isnan(run->cap) || run->cap > cap || run->cap < 0) fail("a cap of %g", run->cap);
}

static double cap_of(void) { return chance(50) ? INFINITY : chance(90) ? between(1, 9) : any_number(); }

static double cost_of(double cap, uint32_t scalar)
{
    double cost = chance(6) ? any_number() : fabs(some_value());
    if (!isfinite(cost) || (isfinite(cap) && rounded(scalar, cost) < 0)) spoil();
    return cost;
}

void race(void)
{
    infill_race_rules rules;
    infill_race **made = out(sizeof *made), *race;
    opened runs = {{0}, 0};
    if (CALL(infill_race_default, &rules, sizeof rules) != INFILL_OK) fail("refused");
    rules.seed = bits();
    rules.scalar = chance(50) ? INFILL_F32 : INFILL_F64;
    rules.configs = 1 + (uint32_t)below(6);
    rules.runs = 1 + (uint32_t)below(40);
    rules.most = 1 + (uint32_t)below(20);
    rules.challengers = (uint32_t)below(3);
    rules.instances = 1 + (uint32_t)below(4);
    rules.statistic = (uint32_t)below(3);
    rules.quantile = between(0, 1);
    rules.seeds = chance(50);
    rules.again = chance(50);
    rules.cap = cap_of();
    if (isfinite(rules.cap) && chance(50)) rules.slack = between(1, 3);
    if (chance(4)) rules.penalty = any_number();
    if (chance(3)) rules.slack = any_number();
    if (chance(3)) rules.runs = (uint32_t)bits();
    if (chance(3)) rules.size = below(99);
    size_t bytes = COUNTED(infill_race_size, &rules);
    made = out(sizeof *made);
    /* What is refused, or larger than a case is worth. */
    if (bytes == 0 || bytes > 1 << 22) {
        static uint64_t mem[512];
        spoil();
        CALL(infill_race_init, mem, sizeof mem, &rules, made);
        return;
    }
    void *mem = take(bytes);
    if (CALL(infill_race_init, bent(mem), bytes, bent(&rules), made) != INFILL_OK) return;
    race = *made;
    watch(mem, bytes, A_RACE);
    for (int i = 0, steps = 20 + (int)below(80); i < steps; i++) {
        infill_run *run = out(sizeof *run);
        infill_run_record *record;
        double *cost;
        uint32_t *best;
        size_t count;
        switch (below(12)) {
        case 0:
        case 1: CALL(infill_race_challenge, bent(race), (uint32_t)below(8)); break;
        case 2:
        case 3:
        case 4:
            if (CALL(infill_race_ask, bent(race), bent(run)) != INFILL_OK) break;
            judge_run(run, rounded(rules.scalar, rules.cap), rules.instances);
            note(&runs, run->id);
            break;
        case 5:
        case 6: CALL(infill_race_tell, bent(race), one(&runs), cost_of(rules.cap, rules.scalar)); break;
        case 7:
            if (!isfinite(rules.cap)) spoil();
            CALL(infill_race_capped, bent(race), one(&runs));
            break;
        case 8:
            if (chance(50)) CALL(infill_race_crashed, bent(race), one(&runs));
            else CALL(infill_race_forget, bent(race), one(&runs));
            break;
        case 9:
            CALL(infill_race_begin, bent(race), (uint32_t)below(9));
            COUNTED((size_t)infill_race_over, race);
            COUNTED((size_t)infill_race_runs, race, (uint32_t)below(8));
            best = out(sizeof *best);
            CALL(infill_race_incumbent, bent(race), bent(best));
            break;
        case 10:
            cost = out(sizeof *cost);
            /* A run that crashed without a cap costs more than anything. */
            if (CALL(infill_race_cost, bent(race), (uint32_t)below(8), bent(cost)) == INFILL_OK && isnan(*cost)) fail("a cost of NaN");
            count = COUNTED(infill_race_count, race);
            record = out(sizeof *record);
            if (CALL(infill_race_record, bent(race), below(count + 2), bent(record)) == INFILL_OK && isnan(record->cost)) {
                fail("a cost of NaN");
            }
            break;
        default: {
            unsigned char *copy = take(bytes);
            infill_race **again = out(sizeof *again);
            memcpy(copy, mem, bytes);
            if (chance(50)) copy[below(bytes)] ^= (unsigned char)(1u << below(8));
            CALL(infill_race_attach, bent(copy), chance(95) ? bytes : below(bytes), again);
            if (COUNTED(infill_race_bytes, race) != bytes) fail("another number of bytes");
        }
        }
    }
}

void race_iterated(void)
{
    area area;
    infill_frace_plan plan;
    infill_frace **made = out(sizeof *made), *race;
    opened runs = {{0}, 0};
    draw_space(&area, chance(50) ? INFILL_F32 : INFILL_F64);
    if (chance(5)) damage_space(&area);
    if (CALL(infill_frace_default, &plan, sizeof plan) != INFILL_OK) fail("refused");
    plan.seed = bits();
    plan.scalar = area.scalar;
    plan.budget = 30 + (uint32_t)below(150);
    plan.first = 2 + (uint32_t)below(4);
    plan.each = 1 + (uint32_t)below(3);
    plan.instances = 1 + (uint32_t)below(6);
    plan.elitist = chance(50);
    plan.cap = cap_of();
    if (isfinite(plan.cap) && chance(50)) plan.slack = between(1, 3);
    if (chance(4)) plan.level = any_number();
    if (chance(4)) plan.penalty = any_number();
    if (chance(3)) plan.budget = (uint32_t)bits();
    if (chance(3)) plan.size = below(99);
    size_t bytes = COUNTED(infill_frace_size, &area.space, &plan), dims = area.space.dims;
    made = out(sizeof *made);
    if (bytes == 0 || bytes > 1 << 22) {
        static uint64_t mem[512];
        spoil();
        CALL(infill_frace_init, mem, sizeof mem, &area.space, &plan, made);
        return;
    }
    void *mem = take(bytes);
    if (CALL(infill_frace_init, bent(mem), bytes, bent(&area.space), bent(&plan), made) != INFILL_OK) return;
    race = *made;
    trace_space(&area);
    watch(mem, bytes, A_FRACE);
    for (int i = 0, steps = 40 + (int)below(160); i < steps; i++) {
        double *x = out(dims * sizeof *x);
        infill_run *run = out(sizeof *run);
        uint32_t *config;
        switch (below(12)) {
        case 0:
            if (!isfinite(plan.cap)) spoil();
            CALL(infill_frace_capped, bent(race), one(&runs));
            break;
        case 1:
            if (chance(50)) CALL(infill_frace_crashed, bent(race), one(&runs));
            else CALL(infill_frace_forget, bent(race), one(&runs));
            break;
        case 2: {
            config = out(sizeof *config);
            if (CALL(infill_frace_best, bent(race), bent(x), dims, bent(config)) == INFILL_OK) legal(&area, x);
            break;
        }
        case 3: {
            unsigned char *copy = take(bytes);
            infill_frace **again = out(sizeof *again);
            double y[MOST] = {0}, z[MOST] = {0};
            infill_run first, second;
            memcpy(copy, mem, bytes);
            if (chance(60)) copy[below(bytes)] ^= (unsigned char)(1u << below(8));
            if (CALL(infill_frace_attach, bent(copy), chance(95) ? bytes : below(bytes), again) != INFILL_OK) break;
            if (COUNTED(infill_frace_bytes, *again) != bytes) fail("another number of bytes");
            if (COUNTED(infill_frace_dims, *again) != dims) fail("another number of parameters");
            /* What is taken up goes on to the same bits. */
            infill_status status = CALL(infill_frace_ask, race, y, dims, &first);
            watch(NULL, 0, A_BLOCK);
            infill_status same = CALL(infill_frace_ask, *again, z, dims, &second);
            watch(mem, bytes, A_FRACE);
            if (status != same || memcmp(y, z, sizeof y) != 0) fail("a copy goes on to another configuration");
            if (status == INFILL_OK) note(&runs, first.id);
            break;
        }
        case 4:
        case 5:
        case 6:
        case 7: {
            size_t given = chance(2) ? (spoil(), dims - 1) : dims;
            if (CALL(infill_frace_ask, bent(race), given > 0 ? bent(x) : x, given, bent(run)) != INFILL_OK) break;
            judge_run(run, rounded(plan.scalar, plan.cap), plan.instances);
            legal(&area, x);
            note(&runs, run->id);
            break;
        }
        default: CALL(infill_frace_tell, bent(race), one(&runs), cost_of(plan.cap, plan.scalar));
        }
    }
}
