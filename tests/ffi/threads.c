/*
 * What the header says of threads: objects are independent, one may be shared behind a lock, looking runs together.
 *
 * With an argument one optimizer is shared without a lock, which a race detector has to notice.
 */

#include "check.h"

#include <pthread.h>

enum { THREADS = 4, EACH = 3, DIMS = 2 };

static infill_param params[DIMS] = {INFILL_REAL(0, 1), INFILL_INTEGER(1, 9)};

static infill_opt *make(uint32_t scalar) {
    infill_space space = INFILL_SPACE(params, DIMS);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    config.limits.trials = THREADS * (EACH + 4);
    if (infill_new(&space, &config, &opt) != INFILL_OK) {
        exit(2);
    }
    return opt;
}

/* What a thread found wrong; failures is not for many threads. */
typedef struct task {
    infill_opt *opt;
    pthread_mutex_t *lock;
    uint32_t scalar;
    int wrong;
    double last[DIMS];
} task;

static void hold(task *t) {
    if (t->lock != NULL) {
        pthread_mutex_lock(t->lock);
    }
}

static void let_go(task *t) {
    if (t->lock != NULL) {
        pthread_mutex_unlock(t->lock);
    }
}

static void *ask_and_tell(void *argument) {
    task *t = (task *)argument;
    for (int i = 0; i < EACH + 3; i++) {
        double x[DIMS], mean, variance;
        infill_trial trial = 0;
        hold(t);
        t->wrong += infill_ask(t->opt, x, DIMS, &trial) != INFILL_OK;
        let_go(t);
        hold(t);
        t->wrong += infill_tell(t->opt, trial, x[0] + x[1]) != INFILL_OK;
        let_go(t);
        hold(t);
        t->wrong += infill_recommend(t->opt, x, DIMS, &mean, &variance) != INFILL_OK;
        let_go(t);
        memcpy(t->last, x, sizeof x);
    }
    return NULL;
}

/* An optimizer and a process of its own, made and given back by the thread. */
static void *alone(void *argument) {
    task *t = (task *)argument;
    infill_node node;
    infill_kernel kernel = {&node, 1};
    infill_gp_config config;
    infill_gp *gp = NULL;
    double x[DIMS] = {0.5, 0.25}, mean, variance;
    t->opt = make(t->scalar);
    ask_and_tell(t);
    infill_free(t->opt);
    memset(&node, 0, sizeof node);
    node.op = INFILL_OP_MATERN52;
    t->wrong += infill_gp_config_default(&config, sizeof config) != INFILL_OK;
    config.rows = 2;
    config.dims = DIMS;
    config.kernel = &kernel;
    config.scalar = t->scalar;
    t->wrong += infill_gp_new(&config, &gp) != INFILL_OK;
    t->wrong += infill_gp_push(gp, x, DIMS, 1, 0) != INFILL_OK;
    t->wrong += infill_gp_fit(gp, NULL) != INFILL_OK;
    t->wrong += infill_gp_predict(gp, x, DIMS, &mean, &variance) != INFILL_OK;
    infill_gp_free(gp);
    return NULL;
}

/* Every function that takes a const handle, on one optimizer by all threads together. */
static void *look(void *argument) {
    task *t = (task *)argument;
    size_t bytes = infill_clone_size(t->opt, NULL), count = infill_count(t->opt);
    void *mem = malloc(bytes);
    infill_opt *copy = NULL;
    infill_record record, again;
    double x[DIMS], y[DIMS], value;
    infill_trial trial;
    t->wrong += mem == NULL || bytes != infill_bytes(t->opt) || infill_dims(t->opt) != DIMS;
    t->wrong += infill_scalar_of(t->opt) != t->scalar;
    t->wrong += infill_closed(t->opt) > count || infill_remaining(t->opt) == 0;
    t->wrong += infill_best(t->opt, x, DIMS, &value) != INFILL_OK;
    for (size_t i = 0; i < count; i++) {
        t->wrong += infill_record_at(t->opt, i, x, DIMS, &record) != INFILL_OK;
        t->wrong += infill_record_of(t->opt, record.trial, y, DIMS, &again) != INFILL_OK;
        t->wrong += !same_bits(x, y, sizeof x);
    }
    t->wrong += infill_clone(t->opt, NULL, mem, bytes, &copy) != INFILL_OK;
    t->wrong += infill_ask(copy, t->last, DIMS, &trial) != INFILL_OK;
    free(mem);
    return NULL;
}

static void *look_and_enqueue(void *argument) {
    task *t = (task *)argument;
    double x[DIMS] = {0.5, 3};
    infill_trial trial;
    (void)infill_enqueue(t->opt, x, DIMS, &trial);
    (void)infill_count(t->opt);
    return NULL;
}

static void together(void *(*work)(void *), task tasks[THREADS]) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, &tasks[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(tasks[i].wrong == 0);
    }
}

/* Wrong on purpose: what comes of it does not matter. */
static int careless(void) {
    task tasks[THREADS];
    infill_opt *shared = make(INFILL_F64);
    memset(tasks, 0, sizeof tasks);
    for (int i = 0; i < THREADS; i++) {
        tasks[i].opt = shared;
    }
    together(look_and_enqueue, tasks);
    infill_free(shared);
    return 0;
}

int main(int count, char **arguments) {
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    (void)arguments;
    if (count > 1) {
        return careless();
    }
    for (int s = 0; s < 2; s++) {
        pthread_mutex_t lock;
        task tasks[THREADS];
        infill_opt *shared = make(scalars[s]);
        CHECK(pthread_mutex_init(&lock, NULL) == 0);
        memset(tasks, 0, sizeof tasks);
        for (int i = 0; i < THREADS; i++) {
            tasks[i].scalar = scalars[s];
        }
        together(alone, tasks);
        for (int i = 0; i < THREADS; i++) {
            /* The same seed: the same answer, whoever runs beside it. */
            CHECK(same_bits(tasks[i].last, tasks[0].last, sizeof tasks[0].last));
            tasks[i].opt = shared;
            tasks[i].lock = &lock;
        }
        together(ask_and_tell, tasks);
        CHECK(infill_closed(shared) == THREADS * (EACH + 3));
        for (int i = 0; i < THREADS; i++) {
            tasks[i].lock = NULL;
        }
        together(look, tasks);
        for (int i = 0; i < THREADS; i++) {
            /* Copies of one optimizer go on alike. */
            CHECK(same_bits(tasks[i].last, tasks[0].last, sizeof tasks[0].last));
        }
        infill_free(shared);
        pthread_mutex_destroy(&lock);
    }
    return report("threads");
}
