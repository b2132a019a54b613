/* Checks for the programs of this folder: each failure is printed, and the last line says how many there were. */

#ifndef CHECK_H
#define CHECK_H

#define INFILL_EXPERIMENTAL
#include "infill.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

/* The macro knows the line; the function keeps the expansion small. */
static inline void check_at(int line, const char *what, int holds) {
    if (!holds) {
        failures++;
        printf("line %d: %s\n", line, what);
    }
}
#define CHECK(condition) check_at(__LINE__, #condition, (condition) ? 1 : 0)

static inline void status_at(int line, const char *what, int32_t expected, int32_t got) {
    if (expected != got) {
        failures++;
        printf("line %d: %s: %d (%s) instead of %d\n", line, what, (int)got, infill_status_str(got), (int)expected);
    }
}
#define STATUS(expected, call) status_at(__LINE__, #call, (int32_t)(expected), (int32_t)(call))
#define OK(call) STATUS(INFILL_OK, call)

/* Relative to the larger of the expected number and 1. A NaN is never close. */
static inline void close_at(int line, const char *what, double expected, double got, double tolerance) {
    double scale = fabs(expected) > 1 ? fabs(expected) : 1;
    if (!(fabs(expected - got) <= tolerance * scale)) {
        failures++;
        printf("line %d: %s: %.17g instead of %.17g (tolerance %g)\n", line, what, got, expected, tolerance);
    }
}
#define CLOSE(expected, got, tolerance) close_at(__LINE__, #got, (expected), (got), (tolerance))

static inline int same_bits(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/* Little work for each proposal: what is tested is the border, and instrumented programs are slow. */
static inline infill_config small_config(uint32_t scalar) {
    infill_config config;
    OK(infill_config_default(&config, sizeof config));
    config.seed = 7;
    config.scalar = scalar;
    config.start = 3;
    config.limits.trials = 12;
    config.search_global = 16;
    config.search_local = 8;
    config.search_starts = 1;
    config.search_rounds = 1;
    config.polish_evaluations = 4;
    config.training_restarts = 0;
    config.training_evaluations = 4;
    config.refit_evaluations = 4;
    return config;
}

/* A block of so many bytes, zeroed. */
static inline void *reserve(size_t bytes) {
    void *mem = calloc(1, bytes > 0 ? bytes : 1);
    if (mem == NULL) {
        printf("no memory for %lu bytes\n", (unsigned long)bytes);
        exit(2);
    }
    return mem;
}

static inline int report(const char *name) {
    printf(failures == 0 ? "%s: all is well\n" : "%s: %d failures\n", name, failures);
    return failures == 0 ? 0 : 1;
}

#endif
