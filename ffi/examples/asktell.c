/*
 * Ask and tell, saved after every step: kill it at any moment, start it again, and it goes on as if nothing had been.
 *
 *     cc -std=c99 -D_POSIX_C_SOURCE=200809L asktell.c $(pkg-config --cflags --libs infill) -lm -o asktell
 *     ./asktell run.infill 40        # 40 evaluations in all, however often it is interrupted; the first run says how many
 *     ./asktell run.infill 40 500    # each of which takes 500 ms
 */
#include <errno.h>
#include <fcntl.h>
#include <infill.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DIMS 2

static const infill_param params[DIMS] = {INFILL_REAL(-2, 2), INFILL_REAL(-1, 3)};
static const infill_space space = INFILL_SPACE(params, DIMS);

/* Rosenbrock's valley, least at (1, 1); stands for an experiment that takes `delay` milliseconds. */
static double valley(const double *x, long delay)
{
    struct timespec left = {delay / 1000, delay % 1000 * 1000000};
    double a = 1 - x[0], b = x[1] - x[0] * x[0];

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
    return a * a + 10 * b * b;
}

static void fault(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void check(const char *what, infill_status status)
{
    if (status != INFILL_OK)
        fault(what, infill_status_str(status));
}

/*
 * Replaces the file by the optimizer. At any moment the file is the old block or the new one, never a part of one:
 * the bytes go to another file, reach the disk, and take the name in one step, which then reaches the disk, too.
 */
static void save(const infill_opt *opt, const char *path)
{
    char other[4096], folder[4096];
    const char *bytes = (const char *)opt;
    size_t left = infill_bytes(opt);
    int file;

    if (snprintf(other, sizeof other, "%s.new", path) >= (int)sizeof other)
        fault(path, "the name is too long");
    strcpy(folder, other);
    file = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0)
        fault(other, strerror(errno));
    while (left > 0) {
        ssize_t written = write(file, bytes, left);

        if (written < 0 && errno != EINTR)
            fault(other, strerror(errno));
        if (written > 0) {
            bytes += written;
            left -= (size_t)written;
        }
    }
    if (fsync(file) != 0 || close(file) != 0 || rename(other, path) != 0)
        fault(path, strerror(errno));
    file = open(dirname(folder), O_RDONLY);
    if (file < 0 || fsync(file) != 0 || close(file) != 0)
        fault(path, strerror(errno));
}

/* The optimizer in the file, in memory from malloc; NULL if there is no file yet. */
static infill_opt *load(const char *path)
{
    FILE *file = fopen(path, "rb");
    infill_opt *opt;
    infill_status status;
    void *block;
    long size;

    if (file == NULL && errno == ENOENT)
        return NULL;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        fault(path, strerror(errno));
    size = ftell(file);
    rewind(file);
    block = size > 0 ? malloc((size_t)size) : NULL;
    if (block == NULL || fread(block, 1, (size_t)size, file) != (size_t)size)
        fault(path, "cannot be read");
    fclose(file);
    /* A file that is damaged, that no optimizer wrote, or that belongs to another problem is refused here. */
    status = infill_attach(block, (size_t)size, &space, &opt);
    if (status != INFILL_OK) {
        infill_given given = INFILL_GIVEN(status, &space, NULL);
        char why[256];
        size_t length;

        given.mem = block;
        given.bytes = (size_t)size;
        check(path, infill_explain(&given, why, sizeof why, &length));
        fault(path, why);
    }
    return opt;
}

/* A new optimizer, in memory from malloc. */
static infill_opt *begin(uint32_t trials)
{
    infill_config config;
    infill_opt *opt;
    void *block;
    size_t size;

    check("config", infill_config_default(&config, sizeof config));
    config.seed = 11;
    config.limits.trials = trials;
    size = infill_size(&space, &config);
    block = malloc(size > 0 ? size : 1);
    if (block == NULL)
        fault("begin", "no memory");
    check("begin", infill_init(block, size, &space, &config, &opt));
    return opt;
}

int main(int argc, char **argv)
{
    long evaluations = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    long delay = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
    double x[DIMS], value;
    infill_trial trial;
    infill_status status;
    infill_opt *opt;

    if (argc < 3 || argc > 4 || evaluations < 1 || evaluations > 10000 || delay < 0) {
        fprintf(stderr, "usage: %s FILE EVALUATIONS [MILLISECONDS]\n", argv[0]);
        return 2;
    }
    /* A line counts once it is out: a killed program does not empty its buffers. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    opt = load(argv[1]);
    if (opt == NULL)
        opt = begin((uint32_t)evaluations);

    /* First what was open when the program was killed, then new questions, until the trials of the block are used. */
    while ((status = infill_next(opt, x, DIMS, &trial)) == INFILL_OK) {
        save(opt, argv[1]);
        printf("try   %.17g %.17g\n", x[0], x[1]);
        value = valley(x, delay);
        status = infill_tell(opt, trial, value);
        if (status == INFILL_ERROR_NOT_FINITE)
            status = infill_fail(opt, trial);
        check("tell", status);
        save(opt, argv[1]);
        printf("saved %.17g %.17g %.17g\n", x[0], x[1], value);
    }
    if (status != INFILL_DONE)
        check("next", status);
    check("best", infill_best(opt, x, DIMS, &value));
    printf("best  %.17g %.17g %.17g\n", x[0], x[1], value);
    free(opt);
    /* Thirty evaluations are enough to find the floor of the valley. */
    return evaluations < 30 || value < 0.1 ? 0 : 1;
}
