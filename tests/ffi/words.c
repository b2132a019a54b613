/* INFILL_WORDS and INFILL_WORDS_FOR against infill_size: the constants are never too small, and no larger. */

#include "check.h"

/* At file scope the size of an array is a constant, or this does not compile. */
static uint64_t small_block[INFILL_WORDS(4, 32, INFILL_F32)];
static uint64_t other_block[INFILL_WORDS_FOR(2 + 1, 40, INFILL_F64, 1, 3, 8, 3, 4, 1, 16, 8)];
enum { WORDS_IN_ENUM = INFILL_WORDS(2, 20, INFILL_F64) };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define MOST 200

static infill_param params[MOST];

static size_t triangle(size_t n) { return n * (n + 1) / 2; }

static size_t columns_of(uint32_t trend, size_t dims) {
    switch (trend) {
    case INFILL_TREND_ZERO: return 0;
    case INFILL_TREND_CONSTANT: return 1;
    case INFILL_TREND_LINEAR: return 1 + dims;
    default: return 1 + dims + triangle(dims);
    }
}

/* Candidates that the library scores at a time if nobody says how many. */
static uint32_t batch_of(uint32_t trials) { return trials < 32 ? 16 : trials < 256 ? trials / 2 : 128; }

static long compared, above;

static void compare(int line, size_t words, size_t bytes) {
    compared++;
    above += words > bytes / 8;
    if (bytes == 0 || bytes % 8 != 0 || words * 8 < bytes || (double)words * 8 > 1.1 * (double)bytes) {
        failures++;
        printf("line %d: %lu words, %lu bytes\n", line, (unsigned long)words, (unsigned long)bytes);
    }
}
#define COMPARE(words, bytes) compare(__LINE__, (words), (bytes))

/* What the library chooses for limits that are zero. */
static void defaults(void) {
    static const uint32_t dims[] = {1, 2, 3, 4, 5, 7, 8, 13, 20, 64, 200};
    static const uint32_t trials[] = {1, 2, 3, 5, 16, 31, 63, 64, 65, 100, 333, 1000};
    static const uint32_t scalars[] = {INFILL_F32, INFILL_F64};
    for (size_t d = 0; d < COUNT(dims); d++) {
        for (size_t t = 0; t < COUNT(trials); t++) {
            for (size_t s = 0; s < 2; s++) {
                infill_space space = INFILL_SPACE(params, dims[d]);
                infill_config config;
                OK(infill_config_default(&config, sizeof config));
                config.scalar = scalars[s];
                config.limits.trials = trials[t];
                size_t words = INFILL_WORDS(dims[d], trials[t], scalars[s]);
                COMPARE(words, infill_size(&space, &config));
                CHECK(words == infill_words(dims[d], trials[t], scalars[s]));
                for (uint32_t trend = INFILL_TREND_ZERO; trend <= INFILL_TREND_QUADRATIC; trend++) {
                    size_t columns = columns_of(trend, dims[d]);
                    config.trend = trend;
                    if (columns <= 4096) {
                        COMPARE(INFILL_WORDS_FOR(dims[d], trials[t], scalars[s], 0, 0, 8, dims[d], dims[d] + 1,
                                                 columns, batch_of(trials[t]), 8),
                                infill_size(&space, &config));
                    } else {
                        CHECK(infill_size(&space, &config) == 0);
                    }
                }
            }
        }
    }
}

/* The constant is exact for everything small, and grows without a step: the words of a trial more are those of a row of its
 * factor, its coordinates, and half a candidate more. */
static void smooth(void) {
    infill_config config;
    OK(infill_config_default(&config, sizeof config));
    for (uint32_t scalar = 4; scalar <= 8; scalar += 4) {
        config.scalar = scalar;
        for (uint32_t dims = 1; dims <= 32; dims++) {
            infill_space space = INFILL_SPACE(params, dims);
            size_t before = 0;
            for (uint32_t trials = 1; trials <= 512; trials++) {
                size_t words = INFILL_WORDS(dims, trials, scalar);
                config.limits.trials = trials;
                CHECK(words == infill_words(dims, trials, scalar) && 8 * words == infill_size(&space, &config));
                CHECK(before == 0 || (words > before && words - before <= 2 * trials + 5 * dims + 48));
                before = words;
            }
        }
    }
}

/* Every limit on its own, and two at a time. */
static void limits(void) {
    static const uint32_t values[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 100};
    infill_space space = INFILL_SPACE(params, 1);
    /* One node, one hyperparameter: it fits within the least limits. */
    infill_node node;
    infill_kernel kernel = {&node, 1};
    memset(&node, 0, sizeof node);
    node.op = INFILL_OP_MATERN52;
    for (int which = 0; which < 11; which++) {
        for (int second = which; second < 11; second++) {
            for (size_t v = 0; v < COUNT(values); v++) {
                for (size_t u = 0; u < COUNT(values); u += 3) {
                    for (uint32_t scalar = 4; scalar <= 8; scalar += 4) {
                        /* trials, dims, open, conditions, levels, nodes, lists, thetas, columns, candidates, starts */
                        uint32_t l[11] = {20, 3, 7, 1, 2, 8, 3, 4, 1, 16, 8};
                        infill_config config;
                        l[which] = values[v];
                        l[second] = values[second == which ? v : u];
                        OK(infill_config_default(&config, sizeof config));
                        config.scalar = scalar;
                        config.kernel = &kernel;
                        memcpy(&config.limits, l, sizeof l);
                        COMPARE(INFILL_WORDS_FOR(l[1], l[0], scalar, l[3], l[4], l[5], l[6], l[7], l[8], l[9], l[10]),
                                infill_size(&space, &config));
                    }
                }
            }
        }
    }
}

/* Conditions, the levels of ordinals and a kernel of one's own make room for themselves. */
static void rich(void) {
    static const double levels[] = {16, 32, 64};
    static const double values[] = {1, 2};
    static const uint16_t list[] = {0, 3};
    infill_param some[] = {INFILL_CATEGORICAL(3), INFILL_ORDINAL(levels, 3), INFILL_INTEGER(1, 9), INFILL_REAL(0, 1)};
    infill_condition conditions[] = {INFILL_IF_EQUALS(1, 0, 2), INFILL_IF_IN(2, 0, values, 2),
                                     INFILL_IF_BETWEEN(3, 2, 2, 5)};
    infill_space space = INFILL_SPACE_IF(some, 4, conditions, 3);
    infill_node nodes[2];
    infill_kernel kernel = {nodes, 2};
    infill_config config = small_config(INFILL_F32);
    infill_opt *opt;
    memset(nodes, 0, sizeof nodes);
    nodes[0].op = INFILL_OP_MATERN32;
    nodes[0].flags = INFILL_NODE_ARD;
    nodes[0].list = list;
    nodes[0].count = 2;
    nodes[1].op = INFILL_OP_SCALE;
    for (int own = 0; own < 2; own++) {
        for (uint32_t scalar = 4; scalar <= 8; scalar += 4) {
            size_t nodes_room = own ? 2 : 8, lists = own ? 2 : 4, thetas = own ? 3 : 5;
            config.kernel = own ? &kernel : NULL;
            config.scalar = scalar;
            COMPARE(INFILL_WORDS_FOR(4, 12, scalar, 3, 3 + 2, nodes_room, lists, thetas, 1, 16, 8),
                    infill_size(&space, &config));
        }
    }
    config.kernel = NULL;
    config.scalar = INFILL_F32;
    config.limits.trials = 32;
    space.count = 0;
    some[1] = some[3];
    OK(infill_init(small_block, sizeof small_block, &space, &config, &opt));
    STATUS(INFILL_ERROR_MEMORY, infill_init(small_block, sizeof small_block - 8, &space, &config, &opt));
}

int main(void) {
    for (size_t i = 0; i < MOST; i++) {
        infill_param unit = INFILL_REAL(0, 1);
        params[i] = unit;
    }
    other_block[0] = 0;
    CHECK(sizeof other_block / 8 == INFILL_WORDS_FOR(3, 40, INFILL_F64, 1, 3, 8, 3, 4, 1, 16, 8));
    CHECK((size_t)WORDS_IN_ENUM == infill_words(2, 20, INFILL_F64));
    CHECK(infill_words(2, 20, 5) == 0 && infill_words(0, 20, INFILL_F64) == 0 && infill_words(2, 0, INFILL_F64) == 0);
    CHECK(infill_align() == INFILL_ALIGN);
    defaults();
    smooth();
    limits();
    rich();
    printf("%ld sizes compared, %ld above\n", compared, above);
    CHECK(compared > 5000 && above == 0);
    return report("words");
}
