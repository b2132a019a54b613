/*
 * Every operation of a kernel and every acquisition against its row of the golden tables, ../oracle/kernels.txt and
 * ../oracle/acquisitions.txt, which say what their lines mean.
 */

#include "check.h"

enum { MOST = 16, NAMES = 64 };

/* The numbers of the table by their names. */
static char names[NAMES][32];
static uint32_t codes[NAMES];
static size_t known;

static uint32_t code_of(const char *name) {
    for (size_t i = 0; i < known; i++) {
        if (strcmp(names[i], name) == 0) return codes[i];
    }
    printf("%s has no code\n", name);
    failures++;
    return 0;
}

static FILE *table(const char *name) {
    char path[1024];
    const char *here = strrchr(__FILE__, '/');
    FILE *file;
    snprintf(path, sizeof path, "%.*s/../oracle/%s", here == NULL ? 1 : (int)(here - __FILE__), here == NULL ? "." : __FILE__, name);
    file = fopen(path, "r");
    if (file == NULL) {
        printf("%s is not there\n", path);
        exit(2);
    }
    return file;
}

/* The numbers behind a key, and how many there are. */
static size_t numbers(const char *text, double *out) {
    size_t count = 0;
    char *end = NULL;
    for (double v = strtod(text, &end); end != text && count < MOST; v = strtod(text, &end)) {
        out[count++] = v;
        text = end;
    }
    return count;
}

static void same(const char *name, const char *what, double expected, double got) {
    /* A few operations on numbers of order 1, or the Bessel function, which is good to 1e-13; slopes are of order 10. */
    if (!(fabs(expected - got) <= 2e-12 * (fabs(expected) > 1 ? fabs(expected) : 1))) {
        failures++;
        printf("%s, %s: %.17g instead of %.17g\n", name, what, got, expected);
    }
}

static void read_codes(const char *file) {
    char line[4096], name[32] = "", key[32];
    FILE *in = table(file);
    known = 0;
    while (fgets(line, sizeof line, in) != NULL) {
        unsigned code = 0;
        if (sscanf(line, "case %31s", key) == 1) memcpy(name, key, sizeof name);
        if (sscanf(line, "code %u", &code) == 1 && known < NAMES) {
            memcpy(names[known], name, sizeof name);
            codes[known++] = code;
        }
    }
    fclose(in);
}

static void kernels(void) {
    char line[4096], key[32], name[32] = "", op[32], ard[8], bias[8];
    static uint16_t lists[4][MOST];
    infill_node nodes[4];
    infill_kernel kernel = {nodes, 0};
    double theta[MOST], a[MOST], b[MOST], want[MOST], by_theta[MOST], by_a[MOST], value = NAN, again = NAN, matrix[3], x[2 * MOST];
    size_t dims = 0, thetas = 0, pairs = 0;
    FILE *in = table("kernels.txt");
    memset(nodes, 0, sizeof nodes);
    while (fgets(line, sizeof line, in) != NULL) {
        unsigned degree = 0;
        int used = 0;
        if (sscanf(line, "%31s%n", key, &used) != 1 || key[0] == '#') continue;
        const char *rest = line + used;
        if (strcmp(key, "case") == 0) {
            sscanf(rest, "%31s", name);
            kernel.count = thetas = 0;
        } else if (strcmp(key, "dims") == 0) {
            dims = (size_t)strtoul(rest, NULL, 10);
        } else if (strcmp(key, "node") == 0 && kernel.count < 4) {
            infill_node *node = nodes + kernel.count;
            uint16_t *list = lists[kernel.count++];
            double coordinates[MOST];
            CHECK(sscanf(rest, "%31s %7s %7s %u%n", op, ard, bias, &degree, &used) == 4);
            memset(node, 0, sizeof *node);
            node->op = code_of(op);
            node->degree = degree;
            node->flags = (strcmp(ard, "ard") == 0 ? (uint32_t)INFILL_NODE_ARD : 0u)
                          | (strcmp(bias, "bias") == 0 ? 0u : (uint32_t)INFILL_NODE_NO_BIAS);
            node->count = numbers(rest + used, coordinates);
            for (size_t i = 0; i < node->count; i++) list[i] = (uint16_t)coordinates[i];
            node->list = node->count > 0 ? list : NULL;
        } else if (strcmp(key, "theta") == 0) {
            thetas = numbers(rest, theta);
            for (size_t i = 0; i < thetas; i++) theta[i] = log(theta[i]);
        } else if (strcmp(key, "a") == 0) {
            CHECK(numbers(rest, a) == dims);
        } else if (strcmp(key, "b") == 0) {
            size_t needed = MOST;
            CHECK(numbers(rest, b) == dims);
            OK(infill_kernel_thetas(&kernel, dims, &needed));
            CHECK(needed == thetas);
            OK(infill_kernel_eval(&kernel, theta, thetas, a, b, dims, &value));
            OK(infill_kernel_gradient(&kernel, theta, thetas, a, b, dims, &again, by_theta, by_a));
            memcpy(x, a, dims * sizeof *x);
            memcpy(x + dims, b, dims * sizeof *x);
            OK(infill_kernel_gram(&kernel, theta, thetas, x, 2, dims, matrix));
            pairs++;
        } else if (strcmp(key, "value") == 0) {
            CHECK(numbers(rest, want) == 1);
            same(name, "value", want[0], value);
            same(name, "value with gradient", want[0], again);
            same(name, "matrix", want[0], matrix[1]);
        } else if (strcmp(key, "by_theta") == 0) {
            CHECK(numbers(rest, want) == thetas);
            for (size_t i = 0; i < thetas; i++) same(name, "by theta", want[i], by_theta[i]);
        } else if (strcmp(key, "by_a") == 0) {
            CHECK(numbers(rest, want) == dims);
            for (size_t i = 0; i < dims; i++) same(name, "by a", want[i], by_a[i]);
        }
    }
    fclose(in);
    CHECK(pairs >= known);
}

static void acquisitions(void) {
    char line[4096], key[32], name[32] = "";
    double at[MOST], want[MOST], score = NAN, again = NAN, by_mean = NAN, by_deviation = NAN;
    size_t rows = 0;
    FILE *in = table("acquisitions.txt");
    while (fgets(line, sizeof line, in) != NULL) {
        int used = 0;
        if (sscanf(line, "%31s%n", key, &used) != 1 || key[0] == '#') continue;
        const char *rest = line + used;
        if (strcmp(key, "case") == 0) {
            sscanf(rest, "%31s", name);
        } else if (strcmp(key, "at") == 0) {
            const uint32_t rule = code_of(name);
            CHECK(numbers(rest, at) == 4);
            OK(infill_acquisition_score(rule, at[3], at[0], at[1] * at[1], at[2], &score));
            OK(infill_acquisition_gradient(rule, at[3], at[0], at[1] * at[1], at[2], &again, &by_mean, &by_deviation));
            CHECK(same_bits(&score, &again, sizeof score));
            rows++;
            /* Never NaN, whatever the prediction. */
            OK(infill_acquisition_score(rule, at[3], NAN, at[1] * at[1], at[2], &again));
            CHECK(again == again);
        } else if (strcmp(key, "score") == 0) {
            CHECK(numbers(rest, want) == 1);
            same(name, "score", want[0], score);
        } else if (strcmp(key, "by_mean") == 0) {
            CHECK(numbers(rest, want) == 1);
            same(name, "by mean", want[0], by_mean);
        } else if (strcmp(key, "by_deviation") == 0) {
            CHECK(numbers(rest, want) == 1);
            same(name, "by deviation", want[0], by_deviation);
        }
    }
    fclose(in);
    CHECK(rows >= known);
}

int main(void) {
    read_codes("kernels.txt");
    CHECK(known > 20);
    kernels();
    read_codes("acquisitions.txt");
    CHECK(known > 7);
    acquisitions();
    return report("golden");
}
