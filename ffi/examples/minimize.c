/*
 * The whole loop in one call: a function of two numbers, a report of progress, and a reason to stop early.
 *
 *     cc -std=c99 minimize.c $(pkg-config --cflags --libs infill) -lm -o minimize && ./minimize
 */
#include <infill.h>
#include <math.h>
#include <stdio.h>

#define EVALUATIONS 60
#define MINIMUM 0.39788735772973816

/* What both callbacks share: the library hands it through and never looks at it. */
struct run {
    double target;
    uint32_t evaluations;
};

/* Branin's function; stands for a simulation that takes minutes. */
static int32_t branin(void *user, const double *x, size_t dims, double *value)
{
    const double pi = 3.14159265358979323846;
    struct run *run = user;
    double bowl;

    if (dims != 2)
        return 1;
    bowl = x[1] - 5.1 / (4 * pi * pi) * x[0] * x[0] + 5 / pi * x[0] - 6;
    *value = bowl * bowl + 10 * (1 - 1 / (8 * pi)) * cos(x[0]) + 10;
    run->evaluations++;
    return 0;
}

/* Called after each evaluation; anything but 0 stops the run. */
static int32_t report(void *user, const infill_step *step)
{
    const struct run *run = user;

    if (step->value == step->best)
        printf("%3u of %u  (%8.5f, %8.5f)  %.6f\n", (unsigned)step->evaluation, (unsigned)step->evaluations,
               step->x[0], step->x[1], step->best);
    return step->best <= run->target;
}

static int fault(const char *what, infill_status status)
{
    fprintf(stderr, "%s: %s\n", what, infill_status_str(status));
    return 1;
}

int main(void)
{
    const infill_param params[] = {INFILL_REAL(-5, 10), INFILL_REAL(0, 15)};
    const infill_space space = INFILL_SPACE(params, 2);
    struct run run = {MINIMUM + 1e-3, 0};
    infill_config config;
    infill_opt *opt;
    double x[2], value;
    infill_status status;

    status = infill_config_default(&config, sizeof config);
    if (status != INFILL_OK)
        return fault("config", status);
    config.seed = 1;
    config.limits.trials = EVALUATIONS;
    status = infill_new(&space, &config, &opt);
    if (status != INFILL_OK)
        return fault("new", status);

    status = infill_minimize_with(opt, NULL, branin, report, &run, EVALUATIONS);
    if (status == INFILL_ABORTED) {
        printf("good enough after %u evaluations\n", (unsigned)run.evaluations);
        status = INFILL_OK;
    }
    if (status == INFILL_OK)
        status = infill_best(opt, x, 2, &value);
    infill_free(opt);
    if (status != INFILL_OK)
        return fault("minimize", status);

    printf("best       (%8.5f, %8.5f)  %.6f\n", x[0], x[1], value);
    printf("minimum                          %.6f\n", MINIMUM);
    return value <= run.target ? 0 : 1;
}
