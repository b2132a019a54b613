/* behind infill_param */
/** Initialiser of infill_param: every number from lo to hi. */
#define INFILL_REAL(lo, hi) {INFILL_KIND_REAL, 0, (double)(lo), (double)(hi), 0, 0, 0, 0, 0}
/** The same, uniform in its exponent. */
#define INFILL_REAL_LOG(lo, hi) {INFILL_KIND_REAL, 1, (double)(lo), (double)(hi), 0, 0, 0, 0, 0}
/** Every whole number from lo to hi. */
#define INFILL_INTEGER(lo, hi) {INFILL_KIND_INTEGER, 0, (double)(lo), (double)(hi), 0, 0, 0, 0, 0}
/** The same, uniform in its exponent. */
#define INFILL_INTEGER_LOG(lo, hi) {INFILL_KIND_INTEGER, 1, (double)(lo), (double)(hi), 0, 0, 0, 0, 0}
/** The numbers of an increasing array of doubles. */
#define INFILL_ORDINAL(levels, count) {INFILL_KIND_ORDINAL, 0, 0, 0, (levels), (size_t)(count), 0, 0, 0}
/** The same, positive: they lie where their logarithms do. */
#define INFILL_ORDINAL_LOG(levels, count) {INFILL_KIND_ORDINAL, 1, 0, 0, (levels), (size_t)(count), 0, 0, 0}
/** One of count categories, named 0 to count - 1. */
#define INFILL_CATEGORICAL(count) {INFILL_KIND_CATEGORICAL, 0, 0, 0, 0, (size_t)(count), 0, 0, 0}

/* behind infill_condition */
/** Initialiser of infill_condition: the child matters where the parent has this value. */
#define INFILL_IF_EQUALS(child, parent, value) \
    {(uint32_t)(child), (uint32_t)(parent), INFILL_WHEN_EQUALS, 0, (double)(value), (double)(value), 0, 0}
/** Where it has one of these. */
#define INFILL_IF_IN(child, parent, values, count) \
    {(uint32_t)(child), (uint32_t)(parent), INFILL_WHEN_IN, 0, 0, 0, (values), (size_t)(count)}
/** Where it has one between these. */
#define INFILL_IF_BETWEEN(child, parent, lo, hi) \
    {(uint32_t)(child), (uint32_t)(parent), INFILL_WHEN_BETWEEN, 0, (double)(lo), (double)(hi), 0, 0}
/** As INFILL_IF_EQUALS, as an alternative to the condition before, which is on the same child. */
#define INFILL_OR_EQUALS(child, parent, value) \
    {(uint32_t)(child), (uint32_t)(parent), INFILL_WHEN_EQUALS, 1, (double)(value), (double)(value), 0, 0}
/** As INFILL_IF_IN, as an alternative. */
#define INFILL_OR_IN(child, parent, values, count) \
    {(uint32_t)(child), (uint32_t)(parent), INFILL_WHEN_IN, 1, 0, 0, (values), (size_t)(count)}
/** As INFILL_IF_BETWEEN, as an alternative. */
#define INFILL_OR_BETWEEN(child, parent, lo, hi) \
    {(uint32_t)(child), (uint32_t)(parent), INFILL_WHEN_BETWEEN, 1, (double)(lo), (double)(hi), 0, 0}

/* behind infill_term */
/** Initialiser of infill_term: what is forbidden starts with a parameter of this value. */
#define INFILL_FORBID_EQUALS(parameter, value) \
    {(uint32_t)(parameter), INFILL_WHEN_EQUALS, 0, 0, (double)(value), (double)(value), 0, 0}
/** With one of these. */
#define INFILL_FORBID_IN(parameter, values, count) \
    {(uint32_t)(parameter), INFILL_WHEN_IN, 0, 0, 0, 0, (values), (size_t)(count)}
/** With one between these. */
#define INFILL_FORBID_BETWEEN(parameter, lo, hi) \
    {(uint32_t)(parameter), INFILL_WHEN_BETWEEN, 0, 0, (double)(lo), (double)(hi), 0, 0}
/** As INFILL_FORBID_EQUALS, but forbidden only together with the terms before. */
#define INFILL_ALSO_EQUALS(parameter, value) \
    {(uint32_t)(parameter), INFILL_WHEN_EQUALS, 1, 0, (double)(value), (double)(value), 0, 0}
/** As INFILL_FORBID_IN, together with the terms before. */
#define INFILL_ALSO_IN(parameter, values, count) \
    {(uint32_t)(parameter), INFILL_WHEN_IN, 1, 0, 0, 0, (values), (size_t)(count)}
/** As INFILL_FORBID_BETWEEN, together with the terms before. */
#define INFILL_ALSO_BETWEEN(parameter, lo, hi) \
    {(uint32_t)(parameter), INFILL_WHEN_BETWEEN, 1, 0, (double)(lo), (double)(hi), 0, 0}

/* behind infill_space */
/** Initialiser of infill_space without conditions. */
#define INFILL_SPACE(params, dims) {sizeof(infill_space), (params), (size_t)(dims), 0, 0, 0, 0, INFILL_IMPUTE_CENTRE, 0, 0, 0}
/** With conditions. */
#define INFILL_SPACE_IF(params, dims, conditions, count) \
    {sizeof(infill_space), (params), (size_t)(dims), (conditions), (size_t)(count), 0, 0, INFILL_IMPUTE_CENTRE, 0, 0, 0}
/** With conditions and with what is forbidden. */
#define INFILL_SPACE_FORBID(params, dims, conditions, count, forbidden, terms) \
    {sizeof(infill_space), (params), (size_t)(dims), (conditions), (size_t)(count), (forbidden), (size_t)(terms), \
     INFILL_IMPUTE_CENTRE, 0, 0, 0}

/* behind infill_words */
/**
 * Words of uint64_t for a block of so many parameters and trials with the default kernel, trend and choices, as a
 * constant:
 *
 *     static uint64_t block[INFILL_WORDS(4, 32, INFILL_F32)];
 *
 * Never less than infill_size asks for the same limits; infill_words() for bindings. Other models, treatments, warps,
 * policies, batches and strategies take more: ask infill_size.
 */
#define INFILL_WORDS(dims, trials, scalar) \
    INFILL_WORDS_FOR(dims, trials, scalar, 0, 0, 8, dims, (dims) + 1, 1, \
                     (trials) < 32 ? 16 : (trials) < 256 ? (trials) / 2 : 128, 8)

/**
 * The same for all of infill_limits: conditions and their values, a kernel, a trend, candidates and starts. Each term of
 * what is forbidden takes 3 words more.
 */
#define INFILL_WORDS_FOR(dims, trials, scalar, conditions, levels, nodes, lists, thetas, columns, candidates, starts) \
    (45 + @SETTINGS@ + 4 * (size_t)(dims) + 3 * (size_t)(conditions) + (size_t)(levels) + 2 * (size_t)(nodes) + \
     ((size_t)(lists) + 3) / 4 + 3 * (size_t)(trials) + ((size_t)(trials) + 1) / 2 + 5 * INFILL_PART_(scalar, trials) + \
     3 * INFILL_PART_(scalar, (size_t)(trials) * (size_t)(dims)) + INFILL_PART_(scalar, 6) + \
     INFILL_PART_(scalar, dims) + 5 * INFILL_PART_(scalar, (size_t)(thetas) + 1) + ((size_t)(thetas) + 8) / 8 + \
     INFILL_PART_(scalar, columns) + INFILL_PART_(scalar, (size_t)(columns) * (size_t)(trials)) + \
     INFILL_PART_(scalar, INFILL_HALF_(columns)) + INFILL_PART_(scalar, INFILL_HALF_(trials)) + \
     INFILL_PART_(scalar, INFILL_WORK_((size_t)(dims), (size_t)(trials), (size_t)(thetas), (size_t)(columns), \
                                       (size_t)(candidates))) + \
     INFILL_PART_(scalar, (size_t)(candidates) * (size_t)(dims)) + INFILL_PART_(scalar, candidates) + \
     INFILL_PART_(scalar, (size_t)(starts) * (size_t)(dims)) + INFILL_PART_(scalar, starts) + \
     INFILL_PART_(scalar, 25 * (size_t)(dims) + 16))
/** Words of count scalars. */
#define INFILL_PART_(scalar, count) (((size_t)(count) * (size_t)(scalar) + 7) / 8)
/** A triangle of n rows. */
#define INFILL_HALF_(n) ((size_t)(n) * ((size_t)(n) + 1) / 2)
/** Scalars of work, in which the phases of a call take turns. */
#define INFILL_WORK_(d, n, t, p, b) \
    (n * d + t + 768 + p + INFILL_MAX_(23 * (t + 1) + 16 + INFILL_HALF_(n) + 3 * n + p * n + INFILL_HALF_(p), \
                                       INFILL_MAX_(b * (n + 1), 2 * n + p)))
/** The larger of two numbers. */
#define INFILL_MAX_(a, b) ((a) > (b) ? (a) : (b))

/* behind infill_sources */
/** Initialiser of infill_sources without meta-features. */
#define INFILL_SOURCES(data, size) {(data), (size_t)(size), 0, 0}
/** The same with those of the new data set. */
#define INFILL_SOURCES_LIKE(data, size, features, count) {(data), (size_t)(size), (features), (size_t)(count)}
/** How many numbers infill_meta_features writes. */
#define INFILL_META_FEATURES @FEATURES@

/* behind infill_given */
/** Initialiser of infill_given for a call that was given a space and a configuration. */
#define INFILL_GIVEN(status, space, config) \
    {sizeof(infill_given), (status), 0, (space), (config), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
