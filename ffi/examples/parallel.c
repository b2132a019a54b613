/*
 * Four evaluations at a time: one optimizer behind a lock, trials that stay open while others are told.
 *
 *     cc -std=c99 -D_POSIX_C_SOURCE=200809L parallel.c $(pkg-config --cflags --libs infill) -lm -lpthread -o parallel
 */
#include <infill.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define WORKERS 4
#define EVALUATIONS 48
#define MINIMUM -1.0316284534898774

/* What the workers share; the lock guards all of it. */
struct shared {
    pthread_mutex_t lock;
    infill_opt *opt;
    int left;             /* questions that are still to be asked */
    int open, most;       /* evaluations that run now, and the most there were */
    infill_status status; /* the first thing that went wrong */
};

/* The six-hump camel, which takes its time: 4 to 19 ms, depending on where. */
static double camel(const double *x)
{
    struct timespec time = {0, (4 + (long)(x[0] * x[0] * 7919) % 16) * 1000000};
    double a = x[0] * x[0], b = x[1] * x[1];

    nanosleep(&time, NULL);
    return (4 - 2.1 * a + a * a / 3) * a + x[0] * x[1] + (4 * b - 4) * b;
}

/* Asks, evaluates without the lock, and tells, until there are no more questions or something goes wrong. */
static void *work(void *argument)
{
    struct shared *shared = argument;

    pthread_mutex_lock(&shared->lock);
    while (shared->left > 0 && shared->status == INFILL_OK) {
        infill_trial trial;
        double x[2], value;
        infill_status status = infill_ask(shared->opt, x, 2, &trial);

        if (status == INFILL_OK) {
            shared->left--;
            shared->open++;
            if (shared->open > shared->most)
                shared->most = shared->open;
            pthread_mutex_unlock(&shared->lock);
            value = camel(x);
            pthread_mutex_lock(&shared->lock);
            shared->open--;
            status = infill_tell(shared->opt, trial, value);
        }
        if (status != INFILL_OK && shared->status == INFILL_OK)
            shared->status = status;
    }
    pthread_mutex_unlock(&shared->lock);
    return NULL;
}

static int fault(const char *what, infill_status status)
{
    fprintf(stderr, "%s: %s\n", what, infill_status_str(status));
    return 1;
}

int main(void)
{
    const infill_param params[] = {INFILL_REAL(-2, 2), INFILL_REAL(-1, 1)};
    const infill_space space = INFILL_SPACE(params, 2);
    struct shared shared = {PTHREAD_MUTEX_INITIALIZER, NULL, EVALUATIONS, 0, 0, INFILL_OK};
    pthread_t workers[WORKERS];
    infill_config config;
    infill_status status;
    double x[2], value;
    size_t closed;
    int i, started = 0;

    status = infill_config_default(&config, sizeof config);
    if (status != INFILL_OK)
        return fault("config", status);
    config.seed = 2;
    config.limits.trials = EVALUATIONS;
    config.limits.open = WORKERS;
    status = infill_new(&space, &config, &shared.opt);
    if (status != INFILL_OK)
        return fault("new", status);

    for (i = 0; i < WORKERS; i++)
        started += pthread_create(&workers[started], NULL, work, &shared) == 0;
    for (i = 0; i < started; i++)
        pthread_join(workers[i], NULL);

    status = shared.status;
    if (status == INFILL_OK)
        status = infill_best(shared.opt, x, 2, &value);
    closed = infill_closed(shared.opt);
    infill_free(shared.opt);
    if (status != INFILL_OK)
        return fault("work", status);

    printf("evaluations  %u, up to %d at a time by %d workers\n", (unsigned)closed, shared.most, started);
    printf("best         %.6f at (%.5f, %.5f)\n", value, x[0], x[1]);
    printf("minimum      %.6f at (0.08984, -0.71266) and opposite\n", MINIMUM);
    return closed == EVALUATIONS && value - MINIMUM < 1e-2 ? 0 : 1;
}
