/* Spaces: bounds, levels and conditions that cannot be, and who is at fault. */

#include "world.h"

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
    /* Structures of another version. */
    SPACE_OR_CONFIG(size_t, w.space.size, sizeof w.space + 8, INFILL_ERROR_VERSION);
    SPACE_OR_CONFIG(size_t, w.space.size, sizeof w.space - 8, INFILL_ERROR_VERSION);
    SPACE_OR_CONFIG(size_t, w.space.size, 0, INFILL_ERROR_VERSION);
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
    /* Levels that have no logarithm, and names, which never have. */
    w.params[1] = ordinal;
    w.params[1].log = 1;
    w.levels[0] = 0;
    SPACE(INFILL_ERROR_LEVELS, 1);
    w.levels[0] = 1;
    w.params[1] = huge;
    w.params[1].log = 1;
    SPACE(INFILL_ERROR_BOUNDS, 1);
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
}

int main(void) { return in_both_scalars("bad/space", spaces); }
