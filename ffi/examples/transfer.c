/*
 * What earlier runs taught: three data sets were tuned before, and the fourth starts near its answer.
 *
 *     cc -std=c99 transfer.c $(pkg-config --cflags --libs infill) -lm -o transfer && ./transfer
 */
#include <infill.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIMS 3
#define EARLIER 3
#define EVALUATIONS 40

/* A run on a data set: how good is good enough, and when that was so. */
struct run {
    int set;
    double target;
    uint32_t evaluations;
};

/* Validation loss by the rate, the penalty and the depth; what is best differs little from data set to data set. */
static int32_t loss(void *user, const double *x, size_t dims, double *value)
{
    const struct run *run = user;
    const double rate = log10(x[0]) + 2.6 - 0.1 * run->set, penalty = log10(x[1]) + 4 + 0.2 * run->set;
    const double depth = (x[2] - 6 - run->set % 2) / 4;

    if (dims != DIMS)
        return 1;
    *value = 0.1 * (run->set + 1) + 0.2 * rate * rate + 0.02 * penalty * penalty + 0.1 * depth * depth + 0.03 * rate * depth;
    return 0;
}

/* Called after each evaluation; anything but 0 stops the run. */
static int32_t report(void *user, const infill_step *step)
{
    struct run *run = user;

    run->evaluations = step->evaluation;
    return step->best <= run->target;
}

/* How many evaluations a new run takes until it is good enough; 0 if it fails. */
static uint32_t trials(const infill_space *space, const infill_config *config, const infill_sources *sources)
{
    struct run run = {EARLIER, 0.1 * (EARLIER + 1) + 0.02, 0};
    infill_opt *opt = NULL;
    infill_status status = infill_new(space, config, &opt);

    if (status == INFILL_OK)
        status = infill_minimize_from(opt, sources, NULL, loss, report, &run, EVALUATIONS);
    infill_free(opt);
    return status == INFILL_ABORTED ? run.evaluations : 0;
}

/* Appends what a run on a data set taught; the bytes of all sources, or 0 if something fails. */
static size_t learn(const infill_space *space, const infill_config *config, int set, void **sources, size_t used)
{
    struct run run = {set, -INFINITY, 0};
    infill_opt *opt = NULL;
    size_t bytes = 0, working = 0, written = 0;
    void *work = NULL, *grown = NULL;
    infill_status status = infill_new(space, config, &opt);

    if (status == INFILL_OK)
        status = infill_minimize_with(opt, NULL, loss, report, &run, EVALUATIONS);
    if (status == INFILL_OK)
        status = infill_source_size(opt, INFILL_FORM_MEANS, 0, &bytes, &working);
    if (status == INFILL_OK) {
        work = malloc(working);
        grown = realloc(*sources, used + bytes);
        if (grown != NULL)
            *sources = grown;
        if (work == NULL || grown == NULL)
            status = INFILL_ERROR_ALLOCATION;
    }
    /* The sources lie one behind the other: a file of them grows by what is appended. */
    if (status == INFILL_OK)
        status = infill_source_export(opt, INFILL_FORM_MEANS, NULL, 0, work, working, (char *)*sources + used, bytes, &written);
    free(work);
    infill_free(opt);
    if (status != INFILL_OK)
        fprintf(stderr, "data set %d: %s\n", set, infill_status_str(status));
    return status == INFILL_OK ? used + written : 0;
}

int main(void)
{
    const infill_param params[] = {INFILL_REAL_LOG(1e-5, 1), INFILL_REAL_LOG(1e-8, 1), INFILL_INTEGER(1, 16)};
    const infill_space space = INFILL_SPACE(params, DIMS);
    infill_config config;
    infill_sources sources = INFILL_SOURCES(NULL, 0);
    void *memory = NULL;
    uint32_t alone, helped;
    size_t count = 0, used = 0;
    int set;

    if (infill_config_default(&config, sizeof config) != INFILL_OK)
        return 1;
    config.limits.trials = EVALUATIONS;
    for (set = 0; set < EARLIER; set++) {
        config.seed = (uint64_t)set;
        used = learn(&space, &config, set, &memory, used);
        if (used == 0) {
            free(memory);
            return 1;
        }
    }
    sources.data = memory;
    sources.size = used;
    if (infill_sources_check(&sources, &count) != INFILL_OK) {
        free(memory);
        return 1;
    }
    printf("%lu sources in %lu bytes\n", (unsigned long)count, (unsigned long)used);

    config.limits.sources = EARLIER;
    alone = trials(&space, &config, NULL);
    helped = trials(&space, &config, &sources);
    free(memory);
    printf("without them good enough at evaluation %u\n", (unsigned)alone);
    printf("with them good enough at evaluation %u\n", (unsigned)helped);
    return helped > 0 && helped < alone ? 0 : 1;
}
