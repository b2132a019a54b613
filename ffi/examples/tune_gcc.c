/*
 * A real use: which flags of this machine's C compiler make a small program fastest, and still right?
 *
 *     cc -std=c99 -D_POSIX_C_SOURCE=200809L tune_gcc.c $(pkg-config --cflags --libs infill) -lm -o tune_gcc
 *     ./tune_gcc 40        # compiles and runs 40 times
 *
 * Most flags are choices without order, one is a number, and two matter only beside another flag. Some do not
 * compile everywhere, and one makes the program fast and wrong: those trials are told to have failed.
 */
#include <infill.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TEXT(...) #__VA_ARGS__

/* Smooths a map with gaps, which are NaN; prints a sum over the map and the least of ten times in milliseconds. */
static const char kernel[] = "#include <stdio.h>\n#include <time.h>\n" TEXT(
enum { N = 512 };
static float a[N][N], b[N][N];

static void smooth(float (*restrict out)[N], float (*restrict in)[N])
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++) {
            float near[5] = {in[i][j], in[i - 1][j], in[i + 1][j], in[i][j - 1], in[i][j + 1]};
            float sum = 0, count = 0;
            for (int k = 0; k < 5; k++) {
                int there = near[k] == near[k];
                sum += there ? near[k] : 0;
                count += there ? 1 : 0;
            }
            out[i][j] = count > 0 ? sum / count : near[0];
        }
}

int main(void)
{
    double least = 1e9, total = 0;
    for (int run = 0; run < 10; run++) {
        struct timespec from, to;
        unsigned random = 1;
        for (int i = 0; i < N * N; i++) {
            random = random * 1664525u + 1013904223u;
            a[i / N][i % N] = b[i / N][i % N] = random >> 28 ? (float)(random >> 8) : 0.0f / 0.0f;
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        for (int k = 0; k < 2; k++) {
            smooth(b, a);
            smooth(a, b);
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
        double time = 1e3 * (double)(to.tv_sec - from.tv_sec) + 1e-6 * (double)(to.tv_nsec - from.tv_nsec);
        least = time < least ? time : least;
    }
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            total += a[i][j];
    printf("%.9g %.6f", total, least);
    return 0;
}
);

enum { LEVEL, MATH, CPU, WIDTH, UNROLL, TIMES, DIMS };
static const char *const levels[] = {"-O1", "-O2", "-O3"};
static const char *const maths[] = {"", " -fno-trapping-math", " -ffast-math"};
static const double widths[] = {128, 256, 512};
static const double plain[DIMS] = {1, 0, 0, 256, 0, 2}; /* -O2 */

static void flags(const double *x, char *out, size_t size)
{
    int n = snprintf(out, size, "%s%s", levels[(int)x[LEVEL]], maths[(int)x[MATH]]);

    if (x[CPU] == 1)
        n += snprintf(out + n, size - (size_t)n, " -march=native -mprefer-vector-width=%d", (int)x[WIDTH]);
    if (x[UNROLL] == 1)
        snprintf(out + n, size - (size_t)n, " -funroll-loops --param max-unroll-times=%d", (int)x[TIMES]);
}

/*
 * Compiles the program and takes the least time of so many runs, in ms. NAN if it does not compile, or if its sum is
 * not `right`; with right = NULL any sum will do, and is written to `sum`.
 */
static double measure(const double *x, int runs, const double *right, double *sum)
{
    char text[256], command[512];
    double least = INFINITY, time = 0, got = 0;

    flags(x, text, sizeof text);
    snprintf(command, sizeof command, "cc -std=c99 -D_POSIX_C_SOURCE=200809L %s kernel.c -o kernel 2>errors", text);
    if (system(command) != 0)
        return NAN;
    while (runs-- > 0) {
        FILE *pipe = popen("./kernel", "r");
        int read = pipe == NULL ? 0 : fscanf(pipe, "%lf %lf", &got, &time);

        if (pipe == NULL || pclose(pipe) != 0 || read != 2)
            return NAN;
        /* Written so that a sum that is NaN is not right. */
        if (right != NULL && !(fabs(got - *right) <= 1e-5 * fabs(*right)))
            return NAN;
        least = time < least ? time : least;
    }
    if (sum != NULL)
        *sum = got;
    return least;
}

/* Asks, measures and tells; the status of the first call that failed. */
static infill_status tune(infill_opt *opt, uint32_t evaluations, double right)
{
    infill_trial trial;
    /* What one would have used anyway is tried first: the result is no worse. */
    infill_status status = infill_enqueue(opt, plain, DIMS, &trial);
    uint32_t i;

    for (i = 1; status == INFILL_OK && i <= evaluations; i++) {
        double x[DIMS], time;
        char text[256];

        status = infill_ask(opt, x, DIMS, &trial);
        if (status == INFILL_ERROR_EXHAUSTED)
            return INFILL_OK;
        if (status != INFILL_OK)
            return status;
        time = measure(x, 3, &right, NULL);
        flags(x, text, sizeof text);
        if (isnan(time)) {
            printf("%4u       failed  %s\n", (unsigned)i, text);
            status = infill_fail(opt, trial);
        } else {
            printf("%4u  %8.3f ms  %s\n", (unsigned)i, time, text);
            status = infill_tell(opt, trial, time);
        }
        fflush(stdout);
    }
    return status;
}

/* Prints what was found against -O2, both measured anew and in turns: the lowest of many times was a lucky one. */
static int compare(const double *x, double right)
{
    double before = INFINITY, after = INFINITY;
    char text[256];
    int i;

    for (i = 0; i < 3; i++) {
        double without = measure(plain, 3, &right, NULL), with = measure(x, 3, &right, NULL);

        if (isnan(without) || isnan(with))
            return 1;
        before = fmin(before, without);
        after = fmin(after, with);
    }
    flags(x, text, sizeof text);
    printf("\n-O2   %8.3f ms\nbest  %8.3f ms  %s\n%.1f times as fast\n", before, after, text, before / after);
    return 0;
}

/* Tunes in the present folder; 0 if all went well. */
static int run(uint32_t evaluations)
{
    const infill_param params[DIMS] = {INFILL_CATEGORICAL(3),     INFILL_CATEGORICAL(3), INFILL_CATEGORICAL(2),
                                       INFILL_ORDINAL(widths, 3), INFILL_CATEGORICAL(2), INFILL_INTEGER_LOG(2, 16)};
    const infill_condition conditions[] = {INFILL_IF_EQUALS(WIDTH, CPU, 1), INFILL_IF_EQUALS(TIMES, UNROLL, 1)};
    const infill_space space = INFILL_SPACE_IF(params, DIMS, conditions, 2);
    infill_opt *opt = NULL;
    infill_config config;
    infill_status status;
    double x[DIMS], right, mean, variance;

    if (isnan(measure(plain, 1, NULL, &right))) {
        fprintf(stderr, "cc -O2 does not work here\n");
        return 1;
    }
    status = infill_config_default(&config, sizeof config);
    if (status == INFILL_OK) {
        config.seed = 3;
        config.limits.trials = evaluations;
        status = infill_new(&space, &config, &opt);
    }
    if (status == INFILL_OK)
        status = tune(opt, evaluations, right);
    /* Times are noisy, and the shortest one is lucky. */
    if (status == INFILL_OK)
        status = infill_recommend(opt, x, DIMS, &mean, &variance);
    infill_free(opt);
    if (status != INFILL_OK) {
        fprintf(stderr, "tune: %s\n", infill_status_str(status));
        return 1;
    }
    return compare(x, right);
}

int main(int argc, char **argv)
{
    const long evaluations = argc > 1 ? strtol(argv[1], NULL, 10) : 40;
    char folder[] = "tune_gcc.XXXXXX";
    FILE *file;
    int bad;

    if (argc > 2 || evaluations < 1 || evaluations > 1000) {
        fprintf(stderr, "usage: %s [EVALUATIONS]\n", argv[0]);
        return 2;
    }
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    file = fopen("kernel.c", "w");
    bad = file == NULL || fputs(kernel, file) < 0 || fclose(file) != 0 || run((uint32_t)evaluations) != 0;
    remove("kernel.c");
    remove("kernel");
    remove("errors");
    if (chdir("..") != 0 || rmdir(folder) != 0)
        perror(folder);
    return bad;
}
