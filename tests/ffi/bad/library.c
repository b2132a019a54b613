/* The numbers of the statuses, for ever; the rest of this part has no input that could be bad. */

#include "../check.h"

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
        {INFILL_ERROR_INFEASIBLE, -25}, {INFILL_ERROR_FORMAT, -26}, {INFILL_ERROR_SPACE, -27},
        {INFILL_ERROR_NAME, -28}, {INFILL_ERROR_NULL, -64}, {INFILL_ERROR_ALIGNMENT, -65},
        {INFILL_ERROR_VERSION, -66}, {INFILL_ERROR_ALLOCATION, -67}, {INFILL_ABORTED, -68}, {INFILL_PANIC, -69},
        {INFILL_DONE, -70},
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
    CHECK(infill_version() > 0 && infill_version_str() != NULL && infill_capabilities() != 0);
}

int main(void) {
    numbers();
    return report("bad/library");
}
