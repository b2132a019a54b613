/* Alternatives, forbidden combinations, defaults and imputation, from C. */

#include "check.h"

enum { METHOD, DEPTH, RATE, LEAF, DIMS };

static const double pair[] = {1, 2};

/* A space that has everything. */
static const infill_param params[DIMS] = {
    INFILL_CATEGORICAL(3),
    {INFILL_KIND_INTEGER, 0, 1, 9, 0, 0, 4, 1, 0},
    {INFILL_KIND_REAL, 1, 1e-3, 1, 0, 0, 0.1, 1, 0},
    INFILL_REAL(0, 1),
};
static const infill_condition conditions[] = {
    INFILL_IF_IN(DEPTH, METHOD, pair, 2),
    INFILL_IF_EQUALS(RATE, METHOD, 0),
    INFILL_OR_BETWEEN(RATE, DEPTH, 5, 9),
    INFILL_IF_EQUALS(LEAF, METHOD, 2),
    INFILL_OR_IN(LEAF, METHOD, pair, 2),
    INFILL_OR_EQUALS(LEAF, DEPTH, 1),
};
static const infill_term forbidden[] = {
    INFILL_FORBID_EQUALS(METHOD, 1),
    INFILL_ALSO_BETWEEN(DEPTH, 3, 9),
    INFILL_FORBID_BETWEEN(LEAF, 0.25, 0.75),
    INFILL_FORBID_IN(METHOD, pair, 2),
    INFILL_ALSO_EQUALS(DEPTH, 2),
    INFILL_FORBID_EQUALS(METHOD, 0),
    INFILL_ALSO_IN(RATE, pair, 1),
};

static int is_allowed(const double *x) {
    int deep = x[METHOD] > 0, leaf = x[METHOD] > 0;
    if (x[METHOD] == 1 && x[DEPTH] >= 3) return 0;
    if (leaf && x[LEAF] >= 0.25 && x[LEAF] <= 0.75) return 0;
    if (deep && x[DEPTH] == 2) return 0;
    return !(x[METHOD] == 0 && x[RATE] == 1);
}

static infill_space whole(void) {
    infill_space space = INFILL_SPACE_FORBID(params, DIMS, conditions, 6, forbidden, 7);
    return space;
}

/* Every imputation, both scalars: what is proposed is allowed, and what does not matter changes nothing. */
static void proposals(void) {
    for (uint32_t scalar = 4; scalar <= 8; scalar += 4) {
        for (uint32_t impute = 0; impute < 4; impute++) {
            infill_space space = whole();
            infill_config config;
            infill_opt *one, *two;
            double x[DIMS], y[DIMS];
            space.impute = impute;
            OK(infill_config_default(&config, sizeof config));
            config.scalar = scalar;
            config.limits.trials = 16;
            config.start = 4;
            config.search_global = 32;
            config.search_local = 16;
            config.search_starts = 2;
            OK(infill_new(&space, &config, &one));
            OK(infill_new(&space, &config, &two));
            for (int i = 0; i < 10; i++) {
                infill_record record;
                double value = 0;
                infill_trial asked, trial;
                OK(infill_ask(one, x, DIMS, &asked));
                CHECK(is_allowed(x));
                for (int k = 0; k < DIMS; k++) value += x[k];
                OK(infill_tell(one, asked, value));
                memcpy(y, x, sizeof y);
                /* Rubbish where it does not matter: of method 0 the depth and the leaf. */
                if (x[METHOD] == 0) y[DEPTH] = NAN, y[LEAF] = 1e9;
                OK(infill_observe(two, y, DIMS, value, &trial));
                OK(infill_record_of(two, trial, y, DIMS, &record));
                if (x[METHOD] == 0) CHECK(y[DEPTH] >= 1 && y[DEPTH] <= 9 && y[LEAF] >= 0 && y[LEAF] <= 1);
                if (x[METHOD] == 0 && (impute == INFILL_IMPUTE_USUAL || impute == INFILL_IMPUTE_OUTSIDE)) {
                    CHECK(y[DEPTH] == 4 && y[LEAF] == 0.5);
                }
            }
            {
                double forbid[DIMS] = {1, 3, 0.5, 0.1};
                infill_trial trial = 7;
                STATUS(INFILL_ERROR_FORBIDDEN, infill_observe(one, forbid, DIMS, 1, &trial));
                STATUS(INFILL_ERROR_FORBIDDEN, infill_enqueue(one, forbid, DIMS, &trial));
                CHECK(trial == 7);
            }
            infill_free(one);
            infill_free(two);
        }
    }
}

/* What is refused, and which part of it is at fault. */
static void refusals(void) {
    infill_config config;
    infill_opt *opt = NULL;
    infill_space space = whole();
    infill_term terms[2] = {INFILL_FORBID_EQUALS(METHOD, 0), INFILL_ALSO_EQUALS(DEPTH, 4)};
    infill_condition rules[2] = {INFILL_IF_EQUALS(DEPTH, METHOD, 1), INFILL_IF_EQUALS(DEPTH, METHOD, 2)};
    infill_param own[DIMS];
    OK(infill_config_default(&config, sizeof config));
#define REFUSED(status, fault)                                   \
    do {                                                         \
        STATUS(status, infill_new(&space, &config, &opt));       \
        CHECK(infill_space_fault(&space) == (fault) && !opt);    \
        CHECK(infill_size(&space, &config) == 0);                \
    } while (0)
    space.forbidden = terms;
    space.terms = 2;
    CHECK(infill_space_fault(&space) == -1 && infill_size(&space, &config) > 0);
    terms[0].also = 1;
    REFUSED(INFILL_ERROR_CLAUSE, 0);
    terms[0].also = 2;
    REFUSED(INFILL_ERROR_CONFIG, -1);
    terms[0].also = 0;
    terms[1].reserved = 1;
    REFUSED(INFILL_ERROR_CONFIG, -1);
    terms[1].reserved = 0;
    terms[1].when = 4;
    REFUSED(INFILL_ERROR_CONFIG, -1);
    terms[1].when = INFILL_WHEN_IN;
    terms[1].count = 1;
    REFUSED(INFILL_ERROR_NULL, -1);
    terms[1].when = INFILL_WHEN_EQUALS;
    terms[1].also = 0;
    terms[1].parameter = DIMS;
    REFUSED(INFILL_ERROR_CLAUSE, 1);
    terms[1].parameter = DEPTH;
    terms[1].lo = 0;
    REFUSED(INFILL_ERROR_CLAUSE, 1);
    /* Nothing is left. */
    terms[0].when = INFILL_WHEN_BETWEEN;
    terms[0].hi = 2;
    space.terms = 1;
    REFUSED(INFILL_ERROR_INFEASIBLE, -1);
    space.forbidden = NULL;
    REFUSED(INFILL_ERROR_NULL, -1);
    space.forbidden = (const infill_term *)(const void *)((const char *)terms + 4);
    REFUSED(INFILL_ERROR_ALIGNMENT, -1);
    space = whole();
    space.impute = 4;
    REFUSED(INFILL_ERROR_CONFIG, -1);
    space = whole();
    space.reserved = 1;
    REFUSED(INFILL_ERROR_CONFIG, -1);
    space = whole();
    config.limits.terms = 6;
    STATUS(INFILL_ERROR_DIMENSIONS, infill_new(&space, &config, &opt));
    config.limits.terms = 0;
    /* Conditions that no value meets, alternatives to nothing. */
    space.terms = 0;
    space.conditions = rules;
    space.count = 2;
    REFUSED(INFILL_ERROR_CONDITION, 0);
    rules[1].either = 1;
    CHECK(infill_space_fault(&space) == -1);
    rules[0].either = 1;
    REFUSED(INFILL_ERROR_CONDITION, 0);
    rules[0].either = 0;
    /* Defaults that are no values. */
    memcpy(own, params, sizeof own);
    space.params = own;
    own[DEPTH].usual = 4.5;
    REFUSED(INFILL_ERROR_OUT_OF_RANGE, DEPTH);
    own[DEPTH].usual = NAN;
    REFUSED(INFILL_ERROR_OUT_OF_RANGE, DEPTH);
    own[DEPTH].usual = 4;
    own[DEPTH].has_usual = 2;
    REFUSED(INFILL_ERROR_CONFIG, -1);
    own[DEPTH].has_usual = 1;
    own[DEPTH].reserved = 1;
    REFUSED(INFILL_ERROR_CONFIG, -1);
}

/* Terms make room for themselves, and for the values that they list. */
static void sizes(void) {
    infill_config config;
    infill_space space = whole();
    size_t with;
    OK(infill_config_default(&config, sizeof config));
    with = infill_size(&space, &config);
    space.terms = 0;
    CHECK(with - infill_size(&space, &config) == 8 * (7 * 3 + 3));
}

int main(void) {
    proposals();
    refusals();
    sizes();
    return report("conditional");
}
