/**
 * @file
 * infill: Bayesian optimization in one bounded block of memory.
 *
 * It finds the minimum of a function that is expensive to evaluate, in few evaluations. To maximise, tell -y.
 *
 * Conventions
 *
 * 1. Parameters come in the order self, inputs, outputs. No parameter is both.
 * 2. A function that can fail returns infill_status: 0, or a negative number that never changes its meaning.
 * 3. Outputs are written only on success. On failure nothing has changed, in the handle or elsewhere. The work that
 *    finds that there is no point or run to ask for, or that a model cannot be fitted, may stay, such as what was
 *    learnt for it; no function shows it.
 * 4. Every pointer is checked for NULL and for alignment, every handle and every structure for being one:
 *    INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_FOREIGN, INFILL_ERROR_VERSION. Any function may return
 *    these; what else it may return stands in its comment: behind Errors, and behind Nothing to give what says that there
 *    is no answer and is no error. A pointer may be NULL only where that says so.
 * 5. Structures that are read carry their size first and may grow; structures that are written never do. A choice is a
 *    number of fixed width, and its type says which: infill_choice_name and infill_choice_number know their names.
 * 6. There is no global state. One object is used by one thread at a time, different objects are independent;
 *    functions that take a const handle may run together.
 * 7. A callback may stop a run. It must not unwind through this library (no longjmp, no exception), and must
 *    not use the handle it works for.
 * 8. Nothing allocates but what says so. A defect of the library becomes INFILL_PANIC and spoils the handle;
 *    in a build without an operating system it stops the machine.
 *
 * Tiers: 1 the whole loop, 2 ask and tell, 3 the parts. Simple things come first.
 *
 * Stability: what this header declares keeps its meaning while the first number of the version that is not 0 is the same.
 * What stands behind INFILL_EXPERIMENTAL at its end may change with the second: define that before the header is read.
 * What will go is INFILL_DEPRECATED for at least one version before it does; compilers then say what to use instead.
 *
 * The simplest complete program: cc program.c -linfill -lm
 *
 *     #include <infill.h>
 *     #include <stdio.h>
 *
 *     static int32_t bowl(void *user, const double *x, size_t dims, double *value) {
 *         (void)user, (void)dims;
 *         *value = (x[0] - 2) * (x[0] - 2) + (x[1] - 7) * (x[1] - 7);
 *         return 0;
 *     }
 *
 *     int main(void) {
 *         static const infill_param params[] = {INFILL_REAL(-5, 10), INFILL_INTEGER(1, 64)};
 *         static const infill_space space = INFILL_SPACE(params, 2);
 *         infill_config config;
 *         infill_opt *opt = NULL;
 *         double x[2], value = 0;
 *         infill_status status = infill_config_default(&config, sizeof config);
 *         if (status == INFILL_OK) status = infill_new(&space, &config, &opt);
 *         if (status == INFILL_OK) status = infill_minimize(opt, bowl, NULL, 30);
 *         if (status == INFILL_OK) status = infill_best(opt, x, 2, &value);
 *         if (status == INFILL_OK) printf("%g at %g, %g\n", value, x[0], x[1]);
 *         else fprintf(stderr, "%s\n", infill_status_str(status));
 *         infill_free(opt);
 *         return status == INFILL_OK ? 0 : 1;
 *     }
 *
 * Generated from ffi/src: do not edit. Licence: MIT OR Apache-2.0.
 */

#ifndef INFILL_H
#define INFILL_H

#include <stddef.h>
#include <stdint.h>

#define INFILL_VERSION_MAJOR 0 /**< Of the version of this header, what changes with incompatible ones. */
#define INFILL_VERSION_MINOR 1 /**< What changes with additions. */
#define INFILL_VERSION_PATCH 0 /**< What changes with corrections. */
/** The version of this header; infill_version() is that of the library. */
#define INFILL_VERSION (INFILL_VERSION_MAJOR << 16 | INFILL_VERSION_MINOR << 8 | INFILL_VERSION_PATCH)

/** Bytes to which a block is aligned: any array of uint64_t is. infill_align() for bindings. */
#define INFILL_ALIGN 8

/** Stands before a function that a later version drops: whoever calls it is told, and what to call instead. */
#if defined(__GNUC__)
#define INFILL_DEPRECATED(text) __attribute__((deprecated(text)))
#elif defined(_MSC_VER)
#define INFILL_DEPRECATED(text) __declspec(deprecated(text))
#elif defined(__cplusplus) ? __cplusplus >= 201402L : defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L
#define INFILL_DEPRECATED(text) [[deprecated(text)]]
#else
#define INFILL_DEPRECATED(text)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Which library this is, and what went wrong --------------------------------------------------------------- */

/** The version of the library, packed as INFILL_VERSION is: major << 16 | minor << 8 | patch. */
uint32_t infill_version(void);

/** The version of the library as text, "major.minor.patch". Lives as long as the library. */
const char *infill_version_str(void);

/** What a build of the library can do, as bits of infill_capabilities. */
typedef uint32_t infill_capability;
enum {
    INFILL_CAN_STD = 1, /**< Hosted: infill_new, infill_free, infill_backend; a panic becomes a status. */
    INFILL_CAN_FAER = 2, /**< infill_backend_faer works. */
    INFILL_CAN_F32 = 4, /**< INFILL_F32 may be chosen. */
    INFILL_CAN_F64 = 8, /**< INFILL_F64 may be chosen. */
    INFILL_CAN_GPU = 16 /**< infill_backend_gpu works. */
};

/** What this build can do: a sum of infill_capability. */
uint32_t infill_capabilities(void);

/**
 * What a call came to: 0, or a negative number that never changes its meaning.
 *
 * A call that returns an error has written no output and changed nothing.
 */
typedef int32_t infill_status;
enum {
    INFILL_OK = 0, /**< All is well. */
    INFILL_ERROR_MEMORY = -1, /**< The block is too small. infill_size says how many bytes it takes. */
    INFILL_ERROR_LIMITS = -2, /**< A limit is zero, too large, or smaller than what it has to hold. */
    /** The block was not written by this version of the library. Nor was such a handle; or the byte order is another one. */
    INFILL_ERROR_FOREIGN = -3,
    INFILL_ERROR_CORRUPT = -4, /**< The block is damaged. */
    INFILL_ERROR_FULL = -5, /**< Every trial has been used. Of a process, every row. */
    INFILL_ERROR_TOO_MANY_OPEN = -6, /**< Too many trials are open. The limits allow no more. */
    /** The trial is unknown or already closed. It may be from an earlier use of its place. */
    INFILL_ERROR_STALE_TRIAL = -7,
    /** The value or its variance is not a finite number. It is NaN or infinite, or the variance is negative. */
    INFILL_ERROR_NOT_FINITE = -8,
    INFILL_ERROR_EXHAUSTED = -9, /**< Every point of the space has been proposed. It is finite. */
    INFILL_ERROR_SHAPE = -10, /**< A count or an index does not fit the object. */
    /** The space has no parameter or too many. The limits also count its conditions and values. */
    INFILL_ERROR_DIMENSIONS = -11,
    /** A parameter has invalid bounds. They are not finite, not in order, or not positive on a log scale. */
    INFILL_ERROR_BOUNDS = -12,
    /** A parameter has too few or too many values. It needs two, and no more than the scalar counts exactly. */
    INFILL_ERROR_LEVELS = -13,
    /** A condition is invalid. It names no earlier parent, or values that the parent cannot take. */
    INFILL_ERROR_CONDITION = -14,
    INFILL_ERROR_OUT_OF_RANGE = -15, /**< The point is outside of the space. */
    /** The kernel is malformed or too large. The limits allow no more nodes, lists or hyperparameters. */
    INFILL_ERROR_KERNEL = -16,
    INFILL_ERROR_THETA = -17, /**< A hyperparameter, bound or prior is invalid. It is not finite or out of order. */
    /** The matrix is not positive definite. The largest jitter did not help. */
    INFILL_ERROR_NOT_POSITIVE_DEFINITE = -18,
    INFILL_ERROR_NO_DATA = -19, /**< The model has too little data. There is none, or fewer than its trend needs. */
    INFILL_ERROR_CONFIG = -20, /**< A setting is out of its range. A number that names no choice is, too. */
    INFILL_ERROR_BACKEND = -21, /**< The backend failed. It could not do its work. */
    /** Not defined for this model, or not in this build. infill_capabilities tells what was left out. */
    INFILL_ERROR_UNSUPPORTED = -22,
    INFILL_ERROR_FORBIDDEN = -23, /**< The point is forbidden. A clause of the space says so. */
    /** A forbidden clause is invalid. It names no parameter, or values that a parameter cannot take. */
    INFILL_ERROR_CLAUSE = -24,
    INFILL_ERROR_INFEASIBLE = -25, /**< Every configuration is forbidden. Or none was found that is not. */
    INFILL_ERROR_FORMAT = -26, /**< The text cannot be read. It is not what it should be. */
    INFILL_ERROR_SPACE = -27, /**< The block is over another space. infill_explain says what differs. */
    /** A name or a label is taken or has a zero byte. A name is that of an earlier parameter, or a label is there twice. */
    INFILL_ERROR_NAME = -28,
    INFILL_ERROR_NULL = -64, /**< A pointer is NULL. It must not be. */
    /** A pointer is not aligned. A block wants INFILL_ALIGN bytes, other data what their type wants. */
    INFILL_ERROR_ALIGNMENT = -65,
    /** A structure has a size that this version does not know. The size stands at its front. */
    INFILL_ERROR_VERSION = -66,
    INFILL_ERROR_ALLOCATION = -67, /**< There is no memory left. Only hosted builds say so. */
    INFILL_ABORTED = -68, /**< A callback stopped the run. */
    /** A defect of the library; the handle is spoilt. Nothing but infill_free takes it (hosted builds). */
    INFILL_PANIC = -69,
    INFILL_DONE = -70 /**< The run is over: every trial or every point has been used. infill_next says so. */
};

/** A sentence in English for a status; one for numbers that are none. Lives as long as the library. */
const char *infill_status_str(int32_t status);

/* ---- Spaces --------------------------------------------------------------------------------------------------- */

/** The sort of values that a parameter takes: infill_param.kind. */
typedef uint32_t infill_kind;
enum {
    INFILL_KIND_REAL = 1, /**< Every number from lo to hi. */
    INFILL_KIND_INTEGER = 2, /**< Every whole number from lo to hi. */
    /** The numbers in levels, which increase; their ranks are equally spaced, with log their logarithms count. */
    INFILL_KIND_ORDINAL = 3,
    INFILL_KIND_CATEGORICAL = 4 /**< One of count values without order, named 0 to count − 1. */
};

/**
 * One thing that may vary. INFILL_REAL, INFILL_INTEGER, INFILL_ORDINAL and INFILL_CATEGORICAL write one.
 *
 * Threads: plain data. Lifetime: it is read during a call only, and so are its levels.
 */
typedef struct infill_param {
    infill_kind kind; /**< The sort of values that a parameter takes. */
    uint32_t log; /**< 1 for a real, an integer or an ordinal that is uniform in its exponent, 0 otherwise. */
    double lo; /**< Least value of a real or an integer. */
    double hi; /**< Largest value of a real or an integer. */
    const double *levels; /**< The values of an ordinal, count of them; NULL for others. */
    size_t count; /**< Values of an ordinal or categorical; 0 for others. */
    double usual; /**< Its default, which INFILL_IMPUTE_USUAL writes where it does not matter. */
    uint32_t has_usual; /**< 1 if it has a default, 0 otherwise. */
    uint32_t reserved; /**< Zero. */
} infill_param;

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

/** Which values are meant: infill_condition.when, infill_term.when. */
typedef uint32_t infill_when;
enum {
    INFILL_WHEN_EQUALS = 1, /**< The value lo. */
    INFILL_WHEN_IN = 2, /**< One of the count values. */
    INFILL_WHEN_BETWEEN = 3 /**< Any value from lo to hi. */
};

/**
 * A parameter matters only where an earlier one takes certain values, in the parent's units.
 *
 * Several conditions on one child must all hold, but of a run of alternatives one: a condition with either = 1 and the one
 * before it on the same child. Any formula of "and" and "or" can be written so. INFILL_IF_EQUALS and its like write one,
 * INFILL_OR_EQUALS and its like an alternative.
 *
 * Threads: plain data. Lifetime: it is read during a call only, and so are its values.
 */
typedef struct infill_condition {
    uint32_t child; /**< Index of the parameter that is switched. */
    uint32_t parent; /**< Index of the parameter that switches it, a smaller one. */
    infill_when when; /**< Which values are meant. */
    uint32_t either; /**< 1 for an alternative to the condition before it on the same child, 0 otherwise. */
    double lo; /**< The value, or the least one. */
    double hi; /**< The largest value. */
    const double *values; /**< The values of INFILL_WHEN_IN, count of them; NULL for others. */
    size_t count; /**< How many values; 0 for others. */
} infill_condition;

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

/**
 * A parameter and some of its values: a part of a combination that is forbidden.
 *
 * A term with also = 1 belongs to the combination of the term before it, another one starts the next. What all terms of
 * a combination describe is forbidden; a parameter that does not matter has none of the values. INFILL_FORBID_EQUALS and
 * its like start a combination, INFILL_ALSO_EQUALS and its like go on with it.
 *
 * Threads: plain data. Lifetime: it is read during a call only, and so are its values.
 */
typedef struct infill_term {
    uint32_t parameter; /**< Index of the parameter. */
    infill_when when; /**< Which values are meant. */
    uint32_t also; /**< 1 if it belongs to the combination of the term before it, 0 if it starts one. */
    uint32_t reserved; /**< Zero. */
    double lo; /**< The value, or the least one. */
    double hi; /**< The largest value. */
    const double *values; /**< The values of INFILL_WHEN_IN, count of them; NULL for others. */
    size_t count; /**< How many values; 0 for others. */
} infill_term;

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

/** What a model sees of a parameter that does not matter: infill_space.impute. */
typedef uint32_t infill_impute;
enum {
    INFILL_IMPUTE_CENTRE = 0, /**< The middle of its range. The default. */
    INFILL_IMPUTE_USUAL = 1, /**< Its default, or the middle if it has none. */
    INFILL_IMPUTE_OUTSIDE = 2, /**< −1, outside of every range, so that kernels see what matters and what does not. */
    /**
     * Any number, which differs from one configuration to the next: no imputation, for comparison. The number is a
     * hash of what matters, so that equal configurations have equal bits.
     */
    INFILL_IMPUTE_SCATTER = 3
};

/**
 * What may vary: parameters, the conditions between them, and what is forbidden. INFILL_SPACE writes one without
 * conditions, INFILL_SPACE_IF one with them, INFILL_SPACE_FORBID one with both; names and labels are set afterwards.
 * At most 4096 parameters, conditions and terms; on a machine of 32 bits without an operating system 128, there and wherever
 * 4096 is named.
 *
 * Threads: plain data. Lifetime: it is read during a call only; an optimizer keeps what it needs.
 *
 * Errors: INFILL_ERROR_DIMENSIONS, _BOUNDS, _LEVELS, _CONDITION, _CLAUSE, INFILL_ERROR_OUT_OF_RANGE for a default that
 * its parameter cannot take, INFILL_ERROR_INFEASIBLE if nothing is left, INFILL_ERROR_LIMITS for too many conditions or
 * terms, INFILL_ERROR_NAME for names that are taken, INFILL_ERROR_CONFIG for a number that names no choice.
 */
typedef struct infill_space {
    size_t size; /**< sizeof(infill_space) */
    const infill_param *params; /**< The parameters. */
    size_t dims; /**< How many parameters. */
    const infill_condition *conditions; /**< The conditions; NULL if there are none. */
    size_t count; /**< How many conditions. */
    const infill_term *forbidden; /**< The terms of what is forbidden; NULL if nothing is. */
    size_t terms; /**< How many terms. */
    infill_impute impute; /**< What a model sees of a parameter that does not matter. */
    uint32_t reserved; /**< Zero. */
    /**
     * The names of the parameters, dims of them, each UTF-8 with a zero behind it or NULL; NULL if none has one. Not in
     * a build without text.
     */
    const char *const *names;
    /** For each parameter the labels of its values, count of them, or NULL; NULL if none has any. */
    const char *const *const *labels;
} infill_space;

/** Initialiser of infill_space without conditions. */
#define INFILL_SPACE(params, dims) {sizeof(infill_space), (params), (size_t)(dims), 0, 0, 0, 0, INFILL_IMPUTE_CENTRE, 0, 0, 0}
/** With conditions. */
#define INFILL_SPACE_IF(params, dims, conditions, count) \
    {sizeof(infill_space), (params), (size_t)(dims), (conditions), (size_t)(count), 0, 0, INFILL_IMPUTE_CENTRE, 0, 0, 0}
/** With conditions and with what is forbidden. */
#define INFILL_SPACE_FORBID(params, dims, conditions, count, forbidden, terms) \
    {sizeof(infill_space), (params), (size_t)(dims), (conditions), (size_t)(count), (forbidden), (size_t)(terms), \
     INFILL_IMPUTE_CENTRE, 0, 0, 0}

/**
 * The index of the parameter, of the condition (INFILL_ERROR_CONDITION), or of the forbidden combination
 * (INFILL_ERROR_CLAUSE), for which a space is refused.
 *
 * −1 if the space is accepted, or refused for another reason.
 */
int64_t infill_space_fault(const infill_space *space);

/* ---- Blocks: how large, made, taken up again, copied ---------------------------------------------------------- */

typedef struct infill_config infill_config; /**< Its fields: see Settings, below. */

/**
 * Bytes of the block that an optimizer takes, a multiple of 8; 0 if the space or the configuration is refused.
 *
 * Never allocates. Why something is refused, infill_init says.
 */
size_t infill_size(const infill_space *space, const infill_config *config);

/** Bytes to which a block is aligned: INFILL_ALIGN. */
size_t infill_align(void);

/** The scalar inside a block: infill_config.scalar. The number is its size in bytes. */
typedef uint32_t infill_scalar;
enum {
    INFILL_F32 = 4, /**< Half the memory; for machines without double precision. Bounds and points are rounded to it. */
    INFILL_F64 = 8 /**< The default. */
};

/**
 * Words of 8 bytes that the default limits take: what INFILL_WORDS is at least; 0 for a scalar that is none.
 *
 * scalar is an infill_scalar, scalar = INFILL_F64 as a rule.
 */
size_t infill_words(uint32_t dims, uint32_t trials, infill_scalar scalar);

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
    (45 + 66 + 4 * (size_t)(dims) + 3 * (size_t)(conditions) + (size_t)(levels) + 2 * (size_t)(nodes) + \
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

/**
 * An optimizer. The handle is the first byte of its block: to save it, copy infill_bytes of them.
 *
 * Threads: one optimizer is used by one thread at a time; functions that take it as `const` may run together.
 * Lifetime: as long as its block is neither freed, moved nor written by others; from infill_new, until infill_free.
 */
typedef struct infill_opt infill_opt;

/**
 * Makes an optimizer without trials in size bytes of the caller's, aligned to INFILL_ALIGN. Never allocates.
 *
 * The handle is mem. Size is at least infill_size; a static array has INFILL_WORDS words.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION, INFILL_ERROR_MEMORY for a block that
 * is too small; those of infill_space; INFILL_ERROR_LIMITS, _KERNEL, _THETA, _CONFIG, _UNSUPPORTED for the
 * configuration; INFILL_ERROR_OUT_OF_RANGE if there is no strategy_parameter, INFILL_ERROR_INFEASIBLE if all its values are
 * forbidden. The block is then as it was.
 */
infill_status infill_init(void *mem, size_t size, const infill_space *space, const infill_config *config,
    infill_opt **out);

/**
 * As infill_init, in a block of its own from the heap. Hosted builds only; infill_free gives it back.
 *
 * Errors: as infill_init, and INFILL_ERROR_ALLOCATION.
 */
infill_status infill_new(const infill_space *space, const infill_config *config, infill_opt **out);

/** Gives back an optimizer from infill_new; NULL is allowed. Hosted builds only. */
void infill_free(infill_opt *opt);

/**
 * The optimizer in a block that was saved, copied or moved, after all that it remembers has been checked.
 *
 * Its room for work is not: nothing there is read before it is written.
 *
 * size is what is there, at least what infill_bytes said. space is the one that its points are to be read by: a block over
 * another one is refused, and infill_explain says what differs; with NULL nothing is compared. Never allocates. Cost: reads the
 * block once.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT; INFILL_ERROR_MEMORY if bytes are missing;
 * INFILL_ERROR_FOREIGN for a block of another version or byte order, or of none; INFILL_ERROR_CORRUPT for a
 * damaged one; INFILL_ERROR_UNSUPPORTED for a scalar that was left out of this build; INFILL_ERROR_SPACE if the block is over
 * another space, also one with other names or labels where both have them; those of infill_space. The block is then as it was.
 */
infill_status infill_attach(void *mem, size_t size, const infill_space *space, infill_opt **out);

typedef struct infill_limits infill_limits; /**< Its fields: see Settings, below. */

/**
 * Bytes of the block that a copy with these limits takes; 0 if they are refused. Zeros, and limits = NULL, are as infill_clone
 * says.
 */
size_t infill_clone_size(const infill_opt *opt, const infill_limits *limits);

/**
 * Copies an optimizer into another block, also with larger limits: it goes on to the same bits. Never allocates.
 *
 * Zeros in limits, and limits = NULL, are as they were, or what the choices of its configuration need within the
 * others. The blocks must not overlap.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_LIMITS if a limit is smaller than it was,
 * INFILL_ERROR_MEMORY.
 */
infill_status infill_clone(const infill_opt *opt, const infill_limits *limits, void *mem, size_t size,
    infill_opt **out);

/* ---- Tier 1: the whole loop ----------------------------------------------------------------------------------- */

/**
 * What is to be minimised: writes the value at x, dims numbers, to value and returns 0.
 *
 * A value that is NaN or infinite, in the scalar of the optimizer, says that the evaluation failed. Anything but 0 stops the run.
 * It must not unwind, and must not use the optimizer that calls it.
 */
typedef int32_t (*infill_objective)(void *user, const double *x, size_t dims, double *value);

/**
 * Asks, evaluates and tells, so many times, or until there is nothing left to ask as infill_next says. Never allocates.
 *
 * Call it again to go on, in a block that was attached too; infill_best has what was found. Trials that others opened since
 * then are left alone.
 *
 * Errors: INFILL_ABORTED if the callback stopped the run: its trial is forgotten, those told are kept.
 * INFILL_ERROR_NULL for opt or objective, and what infill_ask returns.
 */
infill_status infill_minimize(infill_opt *opt, infill_objective objective, void *user, uint32_t evaluations);

/**
 * Who does the arithmetic of infill_ask_with and infill_minimize_with.
 *
 * Threads: one backend is used by one thread at a time; what threads it starts itself it waits for.
 * Lifetime: from infill_backend_faer or infill_backend_gpu until infill_backend_free; it may serve many optimizers, one after the other.
 */
typedef struct infill_backend infill_backend;

/**
 * What a run has come to, after each evaluation.
 *
 * Threads: plain data. Lifetime: that of the call to infill_progress; so does what it points to.
 */
typedef struct infill_step {
    uint32_t evaluation; /**< Evaluations of this run so far. */
    uint32_t evaluations; /**< Evaluations that it was started for. */
    const double *x; /**< The point just evaluated. */
    size_t dims; /**< Number of parameters. */
    double value; /**< The value just told; NaN if the evaluation failed. */
    double best; /**< The lowest value told so far; NaN if there is none. */
} infill_step;

/** Hears of each evaluation. Anything but 0 stops the run. It must not unwind, and must not use the optimizer. */
typedef int32_t (*infill_progress)(void *user, const infill_step *step);

/**
 * As infill_minimize, by a backend (NULL for none) and with progress (NULL for none); both callbacks get user.
 *
 * Errors: as infill_minimize, and INFILL_ERROR_BACKEND.
 */
infill_status infill_minimize_with(infill_opt *opt, infill_backend *backend, infill_objective objective,
    infill_progress progress, void *user, uint32_t evaluations);

/* ---- Tier 2: ask and tell ------------------------------------------------------------------------------------- */

/** Names a trial. Plain data: it may be stored, and outlives a restart of the program with its block. */
typedef uint64_t infill_trial;

/**
 * Proposes a point, in user units, and opens a trial for it. Many trials may be open.
 *
 * Queued points come first, then the starting design, then those of largest acquisition, the open trials being
 * believed to give what the model predicts.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if dims is not the number of parameters,
 * INFILL_ERROR_TOO_MANY_OPEN, INFILL_ERROR_FULL, INFILL_ERROR_EXHAUSTED if every point of a finite space is used,
 * INFILL_ERROR_INFEASIBLE if no point was found that is not forbidden.
 */
infill_status infill_ask(infill_opt *opt, double *x, size_t dims, infill_trial *trial);

/** Where a proposal comes from: infill_proposal.origin. */
typedef uint32_t infill_origin;
enum {
    INFILL_ORIGIN_DESIGN = 1, /**< The starting design. */
    /** The surrogate: the point of largest acquisition that was found. Also Parzen estimators, whose score is ln(l/g). */
    INFILL_ORIGIN_MODEL = 2,
    INFILL_ORIGIN_QUEUE = 3, /**< A point that was enqueued. */
    /** A random point, because the surrogate could not be fitted or had nothing new to offer. */
    INFILL_ORIGIN_FALLBACK = 4,
    /** A method that has neither a surrogate nor an acquisition: annealing, CMA-ES, MI-ES. */
    INFILL_ORIGIN_METHOD = 5,
    INFILL_ORIGIN_RESUMED = 6, /**< A trial that was open when the block was attached, handed out again. */
    INFILL_ORIGIN_SOURCE = 7 /**< Sources alone: the start of a run. */
};

/**
 * The answer to infill_ask_with.
 *
 * Threads: plain data. Lifetime: that of the caller's variable; it never grows.
 */
typedef struct infill_proposal {
    infill_trial trial; /**< The name to tell the value under. */
    /**
     * The acquisition at the point, or what the policy maximises instead (with INFILL_POLICY_HEDGE that of the rule which
     * nominated the point), the end of the range beyond it; NaN if and only if the origin is not the model.
     */
    double acquisition;
    infill_origin origin; /**< Where a proposal comes from. */
    uint32_t reserved; /**< Zero. */
} infill_proposal;

/**
 * As infill_ask, with the arithmetic done by a backend and the origin of the point; backend = NULL is infill_ask's.
 *
 * Errors: as infill_ask, and INFILL_ERROR_BACKEND; the trials are unchanged then.
 */
infill_status infill_ask_with(infill_opt *opt, infill_backend *backend, double *x, size_t dims, infill_proposal *out);

/**
 * The next question of a run: a trial that was open when its block was attached, the newest first, or an infill_ask.
 *
 * The loop while (infill_next(opt, x, dims, &trial) == INFILL_OK) that tells, and saves the block after both, is right
 * before and after a crash: what was told is not done again, what was open is, once.
 *
 * Nothing to give: INFILL_DONE when every trial of the limits or every point of a finite space has been used. Errors: those
 * of infill_ask.
 */
infill_status infill_next(infill_opt *opt, double *x, size_t dims, infill_trial *trial);

/**
 * As infill_next, with the arithmetic done by a backend and the origin of the point; backend = NULL is infill_next's.
 *
 * Errors: as infill_next, and INFILL_ERROR_BACKEND; the trials are unchanged then.
 */
infill_status infill_next_with(infill_opt *opt, infill_backend *backend, double *x, size_t dims, infill_proposal *out);

/**
 * Tells the value of an open trial.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_STALE_TRIAL unless the trial is open; INFILL_ERROR_NOT_FINITE.
 */
infill_status infill_tell(infill_opt *opt, infill_trial trial, double value);

/**
 * Tells the value of an open trial and the known variance of that value, which adds to the noise that is learnt.
 *
 * Errors: as infill_tell; INFILL_ERROR_NOT_FINITE also for a negative variance.
 */
infill_status infill_tell_noisy(infill_opt *opt, infill_trial trial, double value, double variance);

/**
 * Tells that an open trial failed: its point counts as bad as the worst value told.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_STALE_TRIAL unless the trial is open.
 */
infill_status infill_fail(infill_opt *opt, infill_trial trial);

/**
 * Forgets an open or queued trial: its worker is lost, its place is free, its point may be proposed again.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_STALE_TRIAL unless the trial is open or queued.
 */
infill_status infill_forget(infill_opt *opt, infill_trial trial);

/**
 * Puts a point in the queue: a later ask proposes it before any other.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_OUT_OF_RANGE, INFILL_ERROR_FORBIDDEN, INFILL_ERROR_FULL.
 */
infill_status infill_enqueue(infill_opt *opt, const double *x, size_t dims, infill_trial *trial);

/**
 * Adds a value that was observed without an ask.
 *
 * Errors: as infill_enqueue, and INFILL_ERROR_NOT_FINITE.
 */
infill_status infill_observe(infill_opt *opt, const double *x, size_t dims, double value, infill_trial *trial);

/**
 * Forgets what was learnt of the hyperparameters, as if all trials had just been told: for a function that has changed.
 *
 * The next ask learns them afresh; the trials stay.
 *
 * Errors: INFILL_ERROR_NULL.
 */
infill_status infill_relearn(infill_opt *opt);

/**
 * The trial of lowest value told, with that value.
 *
 * Nothing to give: INFILL_ERROR_NO_DATA if no value was told. Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if dims is not
 * the number of parameters.
 */
infill_status infill_best(const infill_opt *opt, double *x, size_t dims, double *value);

/**
 * The told trial of lowest posterior mean, with that mean and its variance: do not trust one lucky run.
 *
 * Where there is too little data for a model, the trial of lowest value.
 *
 * A look trains the hyperparameters if no ask has, as the next ask would, and again as the values grow: after values that
 * were only observed it says what it would say after an ask, and an ask that follows it proposes what it would have
 * proposed without. Once asks train, looks do not; nor while asks spread the starting design, when the hyperparameters
 * are the first guesses of the kernel.
 *
 * Nothing to give: INFILL_ERROR_NO_DATA if no value was told. Errors: as infill_best.
 */
infill_status infill_recommend(infill_opt *opt, double *x, size_t dims, double *mean, double *variance);

/**
 * Mean and variance of the model at a point, in user units; trained when infill_recommend trains.
 *
 * Nothing to give: INFILL_ERROR_NO_DATA if there is too little data for a model. Errors: INFILL_ERROR_NULL,
 * INFILL_ERROR_SHAPE, INFILL_ERROR_OUT_OF_RANGE, INFILL_ERROR_UNSUPPORTED for a method without a model,
 * INFILL_ERROR_NOT_POSITIVE_DEFINITE or INFILL_ERROR_NOT_FINITE if the model cannot be fitted to the values, where an ask proposes a random point.
 */
infill_status infill_predict(infill_opt *opt, const double *x, size_t dims, double *mean, double *variance);

/** How many trials there are: told, failed, open and queued ones. 0 for NULL. */
size_t infill_count(const infill_opt *opt);

/** What has become of a trial: infill_record.state. */
typedef uint32_t infill_state;
enum {
    INFILL_STATE_QUEUED = 1, /**< Enqueued, not asked for yet. */
    INFILL_STATE_OPEN = 2, /**< Asked for, not told yet. */
    INFILL_STATE_DONE = 3, /**< Told. */
    INFILL_STATE_FAILED = 4 /**< Told to have failed. */
};

/**
 * A trial as the optimizer remembers it; its point comes beside it.
 *
 * Threads: plain data. Lifetime: that of the caller's variable; it never grows.
 */
typedef struct infill_record {
    infill_trial trial; /**< Its name. */
    uint64_t sequence; /**< Its place, from 1 on, in the order in which trials were asked for or observed. */
    double value; /**< The value; NaN unless told. */
    double variance; /**< The variance of the value that was told with it, 0 if none. */
    infill_state state; /**< What has become of a trial. */
    uint32_t reserved; /**< Zero. */
} infill_record;

/**
 * Trial number index of infill_count, in no particular order but with its sequence, and its point.
 *
 * A resumed program finds here which questions are still open. Cost: O(limits.trials).
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if there is no such trial or dims is not the number of parameters.
 */
infill_status infill_record_at(const infill_opt *opt, size_t index, double *x, size_t dims, infill_record *out);

/**
 * The trial of this name, and its point.
 *
 * Nothing to give: INFILL_ERROR_STALE_TRIAL if no trial has the name any more. Errors: INFILL_ERROR_NULL,
 * INFILL_ERROR_SHAPE.
 */
infill_status infill_record_of(const infill_opt *opt, infill_trial trial, double *x, size_t dims, infill_record *out);

/** How many trials are closed: told and failed ones. 0 for NULL. */
size_t infill_closed(const infill_opt *opt);

/** How many trials may still be asked for or observed before the optimizer is full. 0 for NULL. */
size_t infill_remaining(const infill_opt *opt);

/**
 * Writes 1 for each parameter that matters at a trial and 0 for each that does not: what an objective has to look at.
 *
 * dims is the number of parameters. Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_STALE_TRIAL for a trial that is
 * unknown or forgotten.
 */
infill_status infill_active(const infill_opt *opt, infill_trial trial, uint8_t *active, size_t dims);

/**
 * The name of a parameter in the block; empty for a parameter without one, and in a block without room for names. With
 * text = NULL and capacity = 0 it tells the length only, else it writes length bytes and a zero.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if there is no such parameter, INFILL_ERROR_MEMORY if capacity is not larger
 * than the length.
 */
infill_status infill_name(const infill_opt *opt, size_t parameter, char *text, size_t capacity, size_t *length);

/**
 * The label of a value of a category in the block, as infill_name.
 *
 * Errors: as infill_name, INFILL_ERROR_SHAPE also for a value that the parameter has not.
 */
infill_status infill_label(const infill_opt *opt, size_t parameter, size_t value, char *text, size_t capacity,
    size_t *length);

/**
 * 1 if this is the space of the optimizer: the same kinds, bounds, scales, values, defaults, conditions, forbidden
 * combinations, imputation and, where both have them, names and labels, in the same order. 0 if not, for NULL, and for a space that is refused.
 *
 * For a block that was saved: its points are numbers, which another space reads as other points.
 */
uint32_t infill_has_space(const infill_opt *opt, const infill_space *space);

/** Number of parameters. 0 for NULL. */
size_t infill_dims(const infill_opt *opt);

/** Bytes of the block from the handle on: copy them to save the optimizer. 0 for NULL. */
size_t infill_bytes(const infill_opt *opt);

/** The scalar inside: an infill_scalar. 0 for NULL. */
infill_scalar infill_scalar_of(const infill_opt *opt);

/* ---- Why a call was refused ----------------------------------------------------------------------------------- */

/**
 * What a refused call was given: what it had not is NULL or 0. INFILL_GIVEN writes one for a space and a configuration.
 *
 * Threads: plain data. Lifetime: it is read during a call only, and so is what it points to.
 */
typedef struct infill_given {
    size_t size; /**< sizeof(infill_given) */
    int32_t status; /**< What the call returned: an infill_status. */
    uint32_t reserved; /**< Zero. */
    const infill_space *space; /**< The space. */
    const infill_config *config; /**< The configuration. */
    const infill_opt *opt; /**< The optimizer. */
    const void *mem; /**< The block that was to be attached, or in which an optimizer was to be made. */
    size_t bytes; /**< Its bytes. */
    infill_trial trial; /**< The trial. */
    const double *x; /**< The point, dims numbers. */
    size_t dims; /**< How many numbers. */
    double value; /**< The value that was told. */
    double variance; /**< Its variance. */
    const char *text; /**< The document that was read, length bytes. */
    size_t length; /**< How many bytes. */
} infill_given;

/** Initialiser of infill_given for a call that was given a space and a configuration. */
#define INFILL_GIVEN(status, space, config) \
    {sizeof(infill_given), (status), 0, (space), (config), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * Writes why a call was refused, as one sentence with the name or index of the culprit, what was given and what may be: length
 * bytes and a zero, or as many of them as capacity holds. Never allocates.
 *
 * It looks at what the call was given as the call did, in the order of infill_given, and tells the first thing that is refused
 * with that status; if there is none, and in a build without text, what infill_status_str says. Cost: that of the checks, some hundred times for a setting.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
 */
infill_status infill_explain(const infill_given *given, char *text, size_t capacity, size_t *length);

/* ---- Sources: what runs on other data sets taught ------------------------------------------------------------- */

/** What a source can be asked, and how large it is. */
typedef uint32_t infill_form;
enum {
    INFILL_FORM_MEANS = 0, /**< Its means, in O(rows × dims) words. */
    INFILL_FORM_FULL = 1 /**< Its variances too, in O(rows²) words. */
};

/**
 * Bytes of the source that infill_source_export would write of the trials that are told now, and of the memory that it works in.
 *
 * form is an infill_form, form = INFILL_FORM_MEANS where sources help other runs. features is how many meta-features the data set
 * has, features = 0 if none.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_CONFIG for form; INFILL_ERROR_UNSUPPORTED with a strategy that has a model for each value
 * of a category, for more than a source holds, and in a build without sources; INFILL_ERROR_CORRUPT for a block that was damaged since it was attached.
 */
infill_status infill_source_size(const infill_opt *opt, infill_form form, size_t features, size_t *bytes,
    size_t *work_bytes);

/**
 * Writes what the told trials taught to the front of out, as a source for runs over the same space; written is how many bytes it
 * takes. The optimizer does not change.
 *
 * A process with the kernel of this run is trained on values that are scaled to lie between 0 and 1. A table of known values becomes
 * a source by infill_observe. features are the count meta-features of the data set, NULL and 0 for none. work, of work_size bytes,
 * is scratch; both it and out, of size bytes, are aligned to INFILL_ALIGN and as large as infill_source_size says. Never allocates.
 * Cost: that of a training.
 *
 * Errors: as infill_source_size; INFILL_ERROR_NO_DATA without values, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_MEMORY if there is too
 * little of it, INFILL_ERROR_NOT_FINITE for a meta-feature that is not; INFILL_ERROR_UNSUPPORTED for the full form of a kernel that
 * keeps branches apart; INFILL_ERROR_NOT_POSITIVE_DEFINITE if the values cannot be fitted. out is then as it was.
 */
infill_status infill_source_export(const infill_opt *opt, uint32_t form, const double *features, size_t count,
    void *work, size_t work_size, void *out, size_t size, size_t *written);

/**
 * What runs on other data sets taught: the sources that infill_source_export wrote, one behind the other.
 *
 * One is added by appending its bytes. All are over the space of the run that they are to help, in its scalar; their order
 * decides where they are equally good. They are only read, and may lie in flash. infill_config.transfer_start, _how and _keep say
 * what is made of them, infill_config.limits.sources how many there may be.
 *
 * Threads: plain data, which any number of threads may read. Lifetime: that of the caller's memory; nothing keeps a pointer to
 * it.
 */
typedef struct infill_sources {
    const void *data; /**< Their bytes, aligned to INFILL_ALIGN; NULL if there are none. */
    size_t size; /**< How many bytes, a multiple of 8; 0 says that there are no sources. */
    /** The meta-features of the new data set, for INFILL_START_NEAREST and INFILL_WEIGHTS_FEATURES; NULL if there are none. */
    const double *features;
    size_t count; /**< How many, as many as each source has. */
} infill_sources;

/** Initialiser of infill_sources without meta-features. */
#define INFILL_SOURCES(data, size) {(data), (size_t)(size), 0, 0}
/** The same with those of the new data set. */
#define INFILL_SOURCES_LIKE(data, size, features, count) {(data), (size_t)(size), (features), (size_t)(count)}
/** How many numbers infill_meta_features writes. */
#define INFILL_META_FEATURES 22

/**
 * How many sources there are, after all of them have been checked as infill_ask_from does; sources = NULL are none.
 *
 * Cost: reads them once.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT; INFILL_ERROR_MEMORY if bytes are missing; INFILL_ERROR_FOREIGN for what is no
 * source, one of another version or byte order, or two of different scalars or over different spaces; INFILL_ERROR_CORRUPT for
 * damaged bytes; INFILL_ERROR_SHAPE for more meta-features than any source has, INFILL_ERROR_NOT_FINITE for one that is not;
 * INFILL_ERROR_UNSUPPORTED for a scalar, or sources, that were left out of this build.
 */
infill_status infill_sources_check(const infill_sources *sources, size_t *count);

/**
 * As infill_ask_with, with the help of sources, as infill_config.transfer_start, _how and _keep say; sources = NULL, and one of no
 * bytes, is infill_ask_with, to the bit.
 *
 * The list may differ from call to call; what it says of the told trials is computed anew. Where it starts the run, the origin is
 * INFILL_ORIGIN_SOURCE. Cost: reads the sources once more than the answer does, for all of them are checked.
 *
 * Errors: as infill_ask_with and infill_sources_check; INFILL_ERROR_FOREIGN also for sources over another space or in another scalar
 * than the optimizer, INFILL_ERROR_LIMITS for more than limits.sources or a kernel of more hyperparameters than limits.thetas,
 * INFILL_ERROR_SHAPE also for meta-features that are needed and missing; INFILL_ERROR_UNSUPPORTED with a strategy that has a model for
 * each value of a category, and in a build without sources.
 */
infill_status infill_ask_from(infill_opt *opt, const infill_sources *sources, infill_backend *backend, double *x,
    size_t dims, infill_proposal *out);

/**
 * As infill_next_with, with the help of sources as infill_ask_from; sources = NULL is infill_next_with.
 *
 * Nothing to give: INFILL_DONE as infill_next. Errors: those of infill_ask_from.
 */
infill_status infill_next_from(infill_opt *opt, const infill_sources *sources, infill_backend *backend, double *x,
    size_t dims, infill_proposal *out);

/**
 * As infill_minimize_with, with the help of sources as infill_ask_from; sources = NULL is infill_minimize_with.
 *
 * Errors: as infill_minimize_with and infill_ask_from.
 */
infill_status infill_minimize_from(infill_opt *opt, const infill_sources *sources, infill_backend *backend,
    infill_objective objective, infill_progress progress, void *user, uint32_t evaluations);

/**
 * As infill_predict, by the model that infill_ask_from would use, open trials aside; sources = NULL is infill_predict, to the bit.
 *
 * Nothing to give: INFILL_ERROR_NO_DATA as infill_predict. Errors: those of infill_predict and infill_ask_from;
 * INFILL_ERROR_UNSUPPORTED also with INFILL_HOW_RANKER, whose predictions have no unit.
 */
infill_status infill_predict_from(infill_opt *opt, const infill_sources *sources, infill_backend *backend,
    const double *x, size_t dims, double *mean, double *variance);

/**
 * As infill_recommend, by the model of infill_predict_from; with INFILL_HOW_RANKER mean and variance are those that were told.
 *
 * Nothing to give: INFILL_ERROR_NO_DATA if no value was told. Errors: those of infill_recommend and infill_ask_from.
 */
infill_status infill_recommend_from(infill_opt *opt, const infill_sources *sources, infill_backend *backend, double *x,
    size_t dims, double *mean, double *variance);

/**
 * The meta-features of a data set for classification: counts, class probabilities, moments of the predictors.
 *
 * columns are features·instances numbers, one predictor after the other; labels are instances numbers, which need not be dense.
 * out takes INFILL_META_FEATURES numbers. They may be scaled, or left out, as long as it is done alike for all data sets; they are
 * what infill_source_export and infill_sources take. Computed in double precision.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT; INFILL_ERROR_NO_DATA without instances, or without predictors that are not zero
 * throughout; INFILL_ERROR_SHAPE for more numbers than an address counts, INFILL_ERROR_NOT_FINITE for a predictor that is not.
 */
infill_status infill_meta_features(const double *columns, size_t features, const uint32_t *labels, size_t instances,
    double *out);

/* ---- Settings ------------------------------------------------------------------------------------------------- */

/**
 * How much a block holds. A zero is chosen from the space and the rest of the configuration.
 *
 * Threads: plain data. Lifetime: it is read during a call only.
 */
struct infill_limits {
    uint32_t trials; /**< Trials that are remembered: told, failed, open and queued ones together. 0 is 100. */
    uint32_t dims; /**< Parameters. */
    uint32_t open; /**< Trials that may be open at a time. */
    uint32_t conditions; /**< Conditions of the space. */
    uint32_t levels; /**< Values of ordinals, of conditions and of what is forbidden, and defaults, all together. */
    uint32_t nodes; /**< Nodes of the kernel. */
    uint32_t lists; /**< Coordinates that kernel nodes list, all together. */
    uint32_t thetas; /**< Hyperparameters of the kernel. */
    uint32_t columns; /**< Basis functions of the trend. */
    uint32_t candidates; /**< Candidates that are scored at a time. */
    uint32_t starts; /**< Candidates that are polished. */
    /** Observations that an exact process may hold: as many as trials, and none of a model that is not exact. */
    uint32_t exact;
    uint32_t posteriors; /**< Fits that are held together, one for each draw of the hyperparameters. */
    uint32_t anchors; /**< Points whose joint prediction is held, for policies and batches. */
    uint32_t work; /**< Scalars that policies and batches work in. */
    uint32_t features; /**< Inducing points, waves (at least 2) or trees (at least 4) of a sparse process. 0 is 64. */
    uint32_t trees; /**< Trees of an ensemble. 0 is 100. */
    uint32_t tree_nodes; /**< Nodes of all of them together. */
    uint32_t members; /**< Members of a portfolio. */
    uint32_t warped; /**< Parameters that may be warped: all or none. */
    uint32_t terms; /**< Terms of what the space forbids. */
    /** Values of the category that infill_config.strategy_parameter names, each with a model of its own. */
    uint32_t values;
    uint32_t branch_trials; /**< Trials of each of those models; 0 is as many as there are in all. */
    /** Bytes of the names of parameters and labels of categories, each with a zero behind it; 0 for those of the space. */
    uint32_t names;
    uint32_t sources; /**< Sources that may be passed to a call; 0 for none. */
    /**
     * Rows of a source of which more than means are asked: INFILL_WEIGHTS_EXPERTS and _SAMPLED, INFILL_HOW_NEIGHBOURS and _RANKER;
     * 0 where means do.
     */
    uint32_t source_rows;
};

/** The starting design: infill_config.design. */
typedef uint32_t infill_design_kind;
enum {
    INFILL_DESIGN_UNIFORM = 0, /**< Independent random points. */
    /** One point in each of total intervals of every dimension. McKay, Beckman and Conover (1979). */
    INFILL_DESIGN_LATIN_HYPERCUBE = 1,
    /** The scrambled Sequence of Sobol: even in many projections, best for powers of two. The default. */
    INFILL_DESIGN_SOBOL = 2,
    /** The Halton sequence with random digits: a prime base per dimension; for few dimensions. */
    INFILL_DESIGN_HALTON = 3,
    /**
     * The centres of a full factorial, each once, in random order. The numbers of levels per dimension differ by at
     * most one, are at most the number of values of a discrete parameter, and their product is at least total if the
     * space has so many points; otherwise the order starts again.
     */
    INFILL_DESIGN_GRID = 4
};

/**
 * The model of the function: infill_config.model.
 *
 * A Student-t process has model_freedom, a sparse one limits.features, an ensemble limits.trees and forest_*. From
 * INFILL_MODEL_RANDOM on they are methods without a model: infill_predict is INFILL_ERROR_UNSUPPORTED, infill_recommend the best.
 */
typedef uint32_t infill_model;
enum {
    INFILL_MODEL_PROCESS = 0, /**< An exact Gaussian process: the best for hundreds of trials. The default. */
    /** A Student-t process: values that are further out than expected widen all its predictions. */
    INFILL_MODEL_STUDENT = 1,
    /** A process through inducing points; what they do not explain is independent noise. For thousands of trials. */
    INFILL_MODEL_FITC = 2,
    INFILL_MODEL_VARIATIONAL = 3, /**< A process through inducing points by a lower bound of its evidence. */
    INFILL_MODEL_SPECTRUM = 4, /**< A process of random waves from the spectral density of the kernel. */
    INFILL_MODEL_RANDOM_FOREST = 5, /**< Averaged trees, each with the best cuts of rows drawn with replacement. */
    INFILL_MODEL_EXTRA_TREES = 6, /**< Averaged trees of all rows with random cuts. */
    /** Gradient boosting, a third of the trees each for the mean and for two quantiles. */
    INFILL_MODEL_BOOSTED_TREES = 7,
    INFILL_MODEL_RANDOM = 8, /**< None: random points. */
    INFILL_MODEL_GRID = 9, /**< None: the points of a mesh, each once: grid_levels. */
    INFILL_MODEL_SOBOL = 10, /**< None: a scrambled Sobol sequence. */
    INFILL_MODEL_ANNEAL = 11, /**< None: simulated annealing: anneal_heat, anneal_cooling, anneal_reach. */
    /** None: densities of the good and of the bad trials, multivariate and conditional TPE: parzen_*. */
    INFILL_MODEL_PARZEN = 12,
    INFILL_MODEL_CMA_ES = 13, /**< None: the evolution strategy CMA-ES: evolve_offspring. */
    /** None: MI-ES, the evolution strategy for mixed and conditional spaces: evolve_parents, evolve_offspring. */
    INFILL_MODEL_MI_ES = 14,
    /** A process of random signs of the cells of Mondrian trees: for a Laplace kernel, which is then the default. */
    INFILL_MODEL_MONDRIAN = 15
};

/**
 * The mean of the process, by its terms h: infill_config.trend.
 *
 * A term that the data cannot tell from those before has coefficient 0.
 */
typedef uint32_t infill_trend;
enum {
    INFILL_TREND_ZERO = 0, /**< No basis: the mean is zero (simple kriging). */
    INFILL_TREND_CONSTANT = 1, /**< h = (1): one unknown constant (ordinary kriging). The default. */
    INFILL_TREND_LINEAR = 2, /**< h = (1, x₁, …, x_d) */
    INFILL_TREND_QUADRATIC = 3 /**< h = (1, x₁, …, x_d, x₁², x₁x₂, …, x_d²) */
};

/** What becomes of the hyperparameters of an exact Gaussian process: infill_config.hyper. */
typedef uint32_t infill_hyper_kind;
enum {
    INFILL_HYPER_MAP = 0, /**< The best are taken. The default. */
    INFILL_HYPER_MCMC = 1, /**< Acquisitions are averaged over draws from their posterior. */
    /** Acquisitions are averaged over the nodes of a quadrature, for at most three free hyperparameters. */
    INFILL_HYPER_QUADRATURE = 2
};

/** How hyperparameters are drawn: infill_config.sampler. */
typedef uint32_t infill_sampler;
enum {
    /**
     * Slice sampling with f integrated out: a random direction in the parameters that are no lengths, then each length
     * by itself, in random order. The default.
     */
    INFILL_SAMPLER_SLICE = 0,
    /** Metropolis–Hastings with f integrated out: a normal step in each parameter, in random order. */
    INFILL_SAMPLER_METROPOLIS = 1,
    INFILL_SAMPLER_FIXED = 2, /**< Metropolis–Hastings for fixed f; good where the data are strong. */
    INFILL_SAMPLER_WHITENED = 3, /**< Metropolis–Hastings for fixed whitened ν = L⁻¹f; good where the data are weak. */
    INFILL_SAMPLER_SURROGATE_METROPOLIS = 4, /**< Metropolis–Hastings with surrogate data. */
    INFILL_SAMPLER_SURROGATE_SLICE = 5 /**< Slice sampling with surrogate data: no step to be tuned. */
};

/** What training maximises, with the log prior: infill_config.training_objective. */
typedef uint32_t infill_objective_kind;
enum {
    /** The log marginal likelihood (restricted to contrasts if the trend is estimated). The default. */
    INFILL_OBJECTIVE_EVIDENCE = 0,
    /** The sum of the log predictive densities of each observation given all others. */
    INFILL_OBJECTIVE_LEAVE_ONE_OUT = 1
};

/** What the variance that averaged trees predict is made of: infill_config.forest_spread. */
typedef uint32_t infill_spread;
enum {
    INFILL_SPREAD_TOTAL = 0, /**< (1/B) Σ [v_b + (m_b − m)²]: the law of total variance. The default. */
    INFILL_SPREAD_ACROSS = 1 /**< (1/(B−1)) Σ (m_b − m)²: what the trees disagree about; 0 for a single tree. */
};

/**
 * How coordinates are bent before the kernel of an exact process sees them: infill_config.warp.
 *
 * The two shapes of each are learnt with the other hyperparameters. The trend has to be zero or constant.
 */
typedef uint32_t infill_warp;
enum {
    INFILL_WARP_NONE = 0, /**< No change, and no shapes. The default. */
    INFILL_WARP_KUMARASWAMY = 1, /**< The distribution function of Kumaraswamy, 1 − (1 − uᵃ)ᵇ. */
    INFILL_WARP_BETA = 2 /**< The distribution function of the beta distribution. */
};

/** How the default kernel compares two values without order: infill_config.categories. */
typedef uint32_t infill_categories;
enum {
    INFILL_CATEGORIES_HAMMING = 0, /**< A weight for each parameter that differs: exp(−Σ w [a ≠ b]). The default. */
    /** One correlation for any two different values of a parameter: Π (a = b ? 1 : c). */
    INFILL_CATEGORIES_EXCHANGEABLE = 1,
    INFILL_CATEGORIES_ONE_HOT = 2, /**< Unit vectors in the distance of the numbers: Δ² = 2 [a ≠ b]. */
    /** The index as if it were a number: wrong unless the values happen to have an order; for comparison. */
    INFILL_CATEGORIES_INDEX = 3
};

/** How the default kernel brings numbers and categories together: infill_config.structure. */
typedef uint32_t infill_structure;
enum {
    /**
     * Their product: points are similar if both are; one-hot and index categories are part of one distance. The
     * default.
     */
    INFILL_STRUCTURE_PRODUCT = 0,
    /** Their sum, a variance each: what is learnt of the numbers holds for every category. */
    INFILL_STRUCTURE_SUM = 1,
    INFILL_STRUCTURE_BOTH = 2 /**< Product, sum and a constant: σ² (1 + σ₁² k₁)(1 + σ₂² k₂). */
};

/** Whether the default kernel finds configurations similar whose conditions turn out differently: infill_config.branches. */
typedef uint32_t infill_branches;
enum {
    INFILL_BRANCHES_SHARED = 0, /**< As their coordinates are, those included that do not matter. The default. */
    /**
     * Not at all: the covariance is zero unless the parents of all conditions have equal values. A real parent is not
     * compared by its value: its children have to be active in both or in neither, which is seen where inactive
     * coordinates are outside (INFILL_IMPUTE_OUTSIDE); an integer parent likewise, if they are. Otherwise, and where
     * inactive parents have no common value (INFILL_IMPUTE_SCATTER), it is INFILL_ERROR_UNSUPPORTED.
     */
    INFILL_BRANCHES_APART = 1
};

/** How values become targets: infill_config.targets. */
typedef uint32_t infill_transform;
enum {
    INFILL_TRANSFORM_NONE = 0, /**< As they are. */
    INFILL_TRANSFORM_STANDARD = 1, /**< Zero mean, unit variance. */
    /**
     * A power of the distance to the best value, fitted by maximum likelihood, then zero mean, unit variance. The
     * default.
     */
    INFILL_TRANSFORM_POWER = 2,
    INFILL_TRANSFORM_RANK = 3, /**< Normal scores of the ranks: Φ⁻¹((rank − ½)/n), ties sharing their mean rank. */
    /**
     * The power of Box and Cox, fitted by maximum likelihood, then zero mean, unit variance. For positive values only;
     * where one is not, INFILL_TRANSFORM_YEO_JOHNSON takes its place.
     */
    INFILL_TRANSFORM_BOX_COX = 4,
    /** The power of Yeo and Johnson, fitted by maximum likelihood, then zero mean, unit variance. */
    INFILL_TRANSFORM_YEO_JOHNSON = 5
};

/** What a proposal maximises: infill_config.acquisition. */
typedef uint32_t infill_acquisition;
enum {
    INFILL_ACQUISITION_PROBABILITY = 1, /**< The probability of improving by more than a margin, its parameter. */
    INFILL_ACQUISITION_IMPROVEMENT = 2, /**< The expected improvement beyond a margin, its parameter. */
    /** The logarithm of the expected improvement beyond a margin, its parameter. The default. */
    INFILL_ACQUISITION_LOG_IMPROVEMENT = 3,
    /** The lower confidence bound, with its sign changed; its parameter is β, the deviations below the mean. */
    INFILL_ACQUISITION_BOUND = 4,
    /**
     * The expected power of the improvement; its parameter is the order, whole and 0 to 20: 1 is the expected
     * improvement,
     * more explores.
     */
    INFILL_ACQUISITION_GENERALISED = 5,
    /** The logarithm of the moment-generating function of improvement; its parameter is the temperature, 0 or more. */
    INFILL_ACQUISITION_LOG_MGF = 6,
    INFILL_ACQUISITION_DEVIATION = 7, /**< The deviation, wherever the mean is: the parameter must be 0. */
    /** The augmented expected improvement of noisy values; its parameter is the deviation of the noise. */
    INFILL_ACQUISITION_NOISY = 8
};

/** How the temperature of INFILL_ACQUISITION_LOG_MGF falls with the trials: infill_config.cooling. */
typedef uint32_t infill_cooling;
enum {
    INFILL_COOLING_NONE = 0, /**< It does not: it is acquisition_parameter. The default. */
    /** From cooling_from to cooling_to by the same factor at each of cooling_steps trials. */
    INFILL_COOLING_EXPONENTIAL = 1,
    INFILL_COOLING_LINEAR = 2 /**< By the same amount at each of them. */
};

/** How a proposal is chosen: infill_config.policy. */
typedef uint32_t infill_policy;
enum {
    INFILL_POLICY_CLOSED = 0, /**< By the closed form that the configuration names. The default. */
    /**
     * Entropy search: the expected fall of the entropy of the minimiser (Hennig and Schuler, 2012). Settings:
     * policy_representers, policy_draws, policy_fantasies.
     */
    INFILL_POLICY_ENTROPY_SEARCH = 1,
    /**
     * Predictive entropy search: the expected fall of the entropy of a trial if the minimiser were known
     * (Hernández-Lobato, Hoffman and Ghahramani, 2014). Settings: policy_representers, policy_draws.
     */
    INFILL_POLICY_PREDICTIVE_ENTROPY = 2,
    /**
     * Max-value entropy search: the expected fall of the entropy of a trial if the lowest value were known (Wang and
     * Jegelka, 2017). Settings: policy_representers, policy_draws, policy_minima.
     */
    INFILL_POLICY_MAX_VALUE = 3,
    /**
     * Thompson sampling: the minimiser of a joint draw over candidates (Thompson, 1933). Settings:
     * policy_representers.
     */
    INFILL_POLICY_THOMPSON = 4,
    /**
     * Thompson sampling by random Fourier features, of an exact Gaussian process: the minimiser of a draw that is a
     * function of the whole space (Rahimi and Recht, 2007). Settings: policy_features.
     */
    INFILL_POLICY_SPECTRAL = 5,
    /**
     * Knowledge gradient: the expected fall of the lowest mean (Frazier, Powell and Dayanik, 2009). Settings:
     * policy_representers.
     */
    INFILL_POLICY_KNOWLEDGE = 6,
    /**
     * GP-Hedge: one of three rules by chance, more often the one whose nominees did well (Hoffman, Brochu and de
     * Freitas, 2011).
     */
    INFILL_POLICY_HEDGE = 7,
    /**
     * Of what a portfolio of rules nominates, that which leaves the least doubt. Settings: policy_representers,
     * policy_draws, policy_fantasies.
     */
    INFILL_POLICY_PORTFOLIO = 8,
    /** The acquisition against what the best of the noisy values may be. Settings: policy_draws. */
    INFILL_POLICY_NOISY = 9
};

/** How lowest values are drawn: infill_config.policy_minima. */
typedef uint32_t infill_minima;
enum {
    INFILL_MINIMA_JOINT = 0, /**< From joint draws at the representers: exact there. The default. */
    /**
     * From a Gumbel distribution through the quartiles of the minimum of independent predictions: cheap, needs no
     * joint prediction, and too low where the representers are correlated.
     */
    INFILL_MINIMA_GUMBEL = 1
};

/** How open trials are reckoned with: infill_config.pending. */
typedef uint32_t infill_pending;
enum {
    INFILL_PENDING_BELIEVER = 0, /**< They are believed to give what the model predicts. The default. */
    /** They are said to have given the lowest value told: proposals stay near what looks good. */
    INFILL_PENDING_LIAR_MIN = 1,
    INFILL_PENDING_LIAR_MEAN = 2, /**< They are said to have given the mean value told. */
    INFILL_PENDING_LIAR_MAX = 3, /**< They are said to have given the largest value told: proposals go elsewhere. */
    INFILL_PENDING_FANTASIES = 4, /**< The acquisition is averaged over pending_draws draws of what they may give. */
    INFILL_PENDING_PENALTY = 5, /**< The acquisition is less where they will have looked. */
    /** They are left alone; each proposal is made at another temperature of INFILL_ACQUISITION_LOG_MGF. */
    INFILL_PENDING_TEMPERATURES = 6,
    /** What a trial improves beyond them, by pending_draws draws: for expected improvement and its logarithm. */
    INFILL_PENDING_JOINT_EI = 7
};

/**
 * What improvement is measured against: infill_config.incumbent. Where values are noisy, noise_hi = 1, INFILL_INCUMBENT_MEAN and
 * repeats lost 7 : 23 against the defaults at 50 evaluations (six problems, 5 seeds).
 */
typedef uint32_t infill_incumbent;
enum {
    INFILL_INCUMBENT_OBSERVED = 0, /**< The lowest value observed. The default. */
    INFILL_INCUMBENT_MEAN = 1 /**< The lowest posterior mean at an observed point. Not better where values are noisy. */
};

/** How the best candidate is searched for: infill_config.search_method. */
typedef uint32_t infill_search_method;
enum {
    INFILL_SEARCH_AUTO = 0, /**< What suits the space and the model. The default. */
    /**
     * Candidates spread over the space and around the best points, the best of them polished: quasi-Newton steps where
     * there is a gradient, exchanges of single values elsewhere.
     */
    INFILL_SEARCH_ASCENT = 1,
    /**
     * The search of SMAC: from the trials of largest acquisition to better ones that differ in one parameter, four
     * random ones per number, and random points. With interleaving of every second proposal at infinitely many
     * deviations, that one is random, as there.
     */
    INFILL_SEARCH_SMAC = 2,
    /**
     * Steps of one active parameter: a fixed step for a real, which is halved, one value for a whole number, any
     * category.
     */
    INFILL_SEARCH_TYPED = 3,
    INFILL_SEARCH_EVOLUTION = 4, /**< A mixed-integer evolution strategy, Mies, begun again where it stalls. */
    INFILL_SEARCH_COVARIANCE = 5, /**< Covariance matrix adaptation, Cma, begun again where it stalls. */
    INFILL_SEARCH_RANDOM = 6 /**< The best of random points. */
};

/** How a category whose values have parameters of their own is optimized: infill_config.strategy. */
typedef uint32_t infill_strategy;
enum {
    /**
     * By the space: one model over the whole of it, which benches/README.md finds best; where the default kernel
     * cannot serve so many mixed parameters and the limits have room, INFILL_STRATEGY_SINGLE over the category with
     * the most values among those that have children and no condition. The default.
     */
    INFILL_STRATEGY_AUTO = 0,
    /** One model over the whole space, where parameters that do not matter are imputed (EGO-impute). */
    INFILL_STRATEGY_IMPUTE = 1,
    /** A model for each branch; the branch whose best point is worth most is asked (EGO-ss). */
    INFILL_STRATEGY_SINGLE = 2,
    INFILL_STRATEGY_WHOLE = 3, /**< A model for each branch; one search over all of them together (EGO-ws). */
    /**
     * The same number of trials for each branch, each with a model and an incumbent of its own (EGO-baseline). What is
     * left over, and what a branch has no points for, goes to the branch of the best value.
     */
    INFILL_STRATEGY_BASELINE = 4
};

/** What is asked for first where sources are passed: infill_config.transfer_start. */
typedef uint32_t infill_start;
enum {
    INFILL_START_DESIGN = 0, /**< The starting design, as without sources. */
    INFILL_START_RANDOM = 1, /**< The best points of sources drawn at random (random best initialization, RBI). */
    /** The best points of the sources of nearest meta-features, the nearest first (nearest best initialization, NBI). */
    INFILL_START_NEAREST = 2,
    /**
     * Points that together are good on the sources, each the lowest of Σᵢ wᵢ min(mᵢ(x), lowᵢ), wᵢ the agreement with
     * what was told. The default.
     */
    INFILL_START_COVER = 3,
    /** Those of the cover, moved along the gradient to where they are better together (learned initialization, LI). */
    INFILL_START_LEARNT = 4,
    /**
     * As INFILL_START_LEARNT, while sources count by the share of told pairs that they put in the same order
     * (adaptive, aLI).
     */
    INFILL_START_ADAPTIVE = 5
};

/** How sources help to choose, where there is a model: infill_config.transfer_how. */
typedef uint32_t infill_how;
enum {
    INFILL_HOW_ALONE = 0, /**< Not at all: they start a run, and may rule points out. */
    /** Their means move that of the model (two-stage transfer surrogate, TST): (w₀m₀ + Σ wᵢmᵢ)/(w₀ + Σ wᵢ). */
    INFILL_HOW_STAGE = 1,
    /**
     * Their improvements are added to that of the model (transfer acquisition function, TAF): (w₀EI + width Σ wᵢ
     * max(lowᵢ − mᵢ, 0))/(w₀ + Σ wᵢ).
     */
    INFILL_HOW_VALUE = 2,
    /**
     * What a point adds to their cover is mixed with its improvement (adaptive hyperparameter transfer, AHT, of a
     * hyperparameter optimization machine, HOM): α EI/width − (1 − α) 1/M Σ min(lowᵢ, mᵢ).
     */
    INFILL_HOW_FUNCTION = 3,
    INFILL_HOW_PRIOR = 4, /**< They are the prior of the model. The default. */
    /**
     * The nearest of them share a process with the run, all values in units of their data set (multiple kernel
     * learning, MKL-GP; rank correlation, RC-GP): α I(same data set) k(x, x′) + (1 − α)(1 − |x − x′|/dims).
     */
    INFILL_HOW_NEIGHBOURS = 5,
    /** A process over what ranks the configurations of all data sets (surrogate collaborative tuning, SCoT). */
    INFILL_HOW_RANKER = 6,
    INFILL_HOW_PERCEPTRON = 7 /**< A factorised perceptron with an indicator of each data set (FMLP). */
};

/** How much each source counts: infill_config.transfer_weights. */
typedef uint32_t infill_weights;
enum {
    /**
     * By the distance d of meta-features, each scaled over all data sets to lie between 0 and 1: ¾(1 − (d/ρ)²) below
     * ρ, 0 beyond.
     */
    INFILL_WEIGHTS_FEATURES = 0,
    /** By the Kendall tau distance of the told values and the means of the source, likewise. The default. */
    INFILL_WEIGHTS_RANKS = 1,
    /**
     * By its precision at the point that is predicted (product of experts, PoE): sᵢ⁻²(x). Takes sources in the full
     * form.
     */
    INFILL_WEIGHTS_EXPERTS = 2,
    /**
     * By how often a joint draw of it ranks the told values best of all (ranking-weighted ensemble, RGPE). Takes
     * sources in the full form.
     */
    INFILL_WEIGHTS_SAMPLED = 3
};

/** What happens when every trial is used: infill_config.when_full. */
typedef uint32_t infill_when_full;
enum {
    INFILL_FULL_REFUSE = 0, /**< INFILL_ERROR_FULL. The default. */
    INFILL_FULL_DROP_WORST = 1 /**< The closed trial with the worst value makes room. */
};

typedef struct infill_kernel infill_kernel; /**< Its fields: see Tier 3: the parts. Kernels, below. */

/**
 * What an optimizer is to do. Let infill_config_default fill it, then change what the problem needs.
 *
 * Threads: plain data. Lifetime: it is read during a call only; an optimizer keeps what it needs.
 */
struct infill_config {
    size_t size; /**< sizeof(infill_config), set by infill_config_default. */
    uint64_t seed; /**< Seed of the generator: same seed, same bits. */

    /* ---- The block ---- */
    infill_limits limits; /**< How much the block holds. */
    infill_scalar scalar; /**< The scalar inside a block. */

    /* ---- The starting design ---- */
    /** Trials of the starting design; 0 chooses by the number of parameters, or as a method without a model says. */
    uint32_t start;
    infill_design_kind design; /**< The starting design. */

    /* ---- The surrogate: model, trend and noise ---- */
    infill_model model; /**< The model of the function. */
    double model_freedom; /**< Degrees of freedom of a Student-t process, more than 2. */
    /** The kernel; NULL is Matérn-5/2 with a length per number times Hamming over the categories. */
    const infill_kernel *kernel;
    uint32_t model_learn_freedom; /**< 1 if training may move them, 0 otherwise. */
    infill_trend trend; /**< The mean of the process, by its terms h. */
    /** First guess of the noise variance, on the scale of the targets: that of all values is 1. */
    double noise_variance;
    double noise_lo; /**< Least noise variance. */
    double noise_hi; /**< Largest noise variance; equal ends freeze it. */
    double noise_sd; /**< Spread of a log-normal prior around the first guess; 0 is a flat one. */

    /* ---- The surrogate: hyperparameters ---- */
    infill_hyper_kind hyper; /**< What becomes of the hyperparameters of an exact Gaussian process. */
    uint32_t hyper_count; /**< Draws of the hyperparameters, or nodes of a quadrature, at most 32. */
    infill_sampler sampler; /**< How hyperparameters are drawn. */
    uint32_t sampler_burn_in; /**< Sweeps before the first draw. */
    uint32_t sampler_thin; /**< Sweeps from one draw to the next. */
    uint32_t sampler_out; /**< Steps outwards at each end of a slice, at most. */
    uint32_t sampler_shrink; /**< Points tried in a slice, at most. */
    uint32_t sampler_latent; /**< Updates of the values of the function in each sweep, by samplers that keep them. */
    double sampler_width; /**< Width of the first interval of a slice, or first step, on the log scale. */

    /* ---- The surrogate: training ---- */
    infill_objective_kind training_objective; /**< What training maximises, with the log prior. */
    uint32_t training_restarts; /**< Starts beside the present hyperparameters. */
    uint32_t training_draws; /**< Draws from the prior of which each restart takes the best. */
    uint32_t training_evaluations; /**< Evaluations of each descent. */
    double training_tolerance; /**< Relative change at which a descent ends. */
    double training_reach; /**< Its first step, as a part of the range. */
    /** Growth of the data that calls for a training from the last hyperparameters; 0 trains at each ask. */
    double refit_growth;
    double refit_afresh; /**< Growth that calls for a training with restarts. */
    uint32_t refit_evaluations; /**< Evaluations of a training from the last hyperparameters. */
    uint32_t refit_plenty; /**< Observations beyond which no training has restarts. */

    /* ---- The surrogate: trees ---- */
    infill_spread forest_spread; /**< What the variance that averaged trees predict is made of. */
    /** Distinct rows in each leaf of a tree; 0 is what is usual for the model, here and below. */
    uint32_t forest_leaf;
    uint32_t forest_depth; /**< Splits between the root and a leaf, at most; 0 is usual. */
    /** 1 if the rows of each tree of a random forest are drawn with replacement, 0 if it sees all. */
    uint32_t forest_bootstrap;
    double forest_features; /**< Share of the parameters that are looked at in each node; 0 is usual. */
    double forest_floor; /**< Least variance that trees predict. */
    double forest_rate; /**< What each boosted tree contributes; 0 is usual. */
    double forest_share; /**< Share of the rows that each boosted tree sees; 0 is usual. */
    double forest_low; /**< The low quantile of boosted trees; 0 is usual. */
    double forest_high; /**< Their high quantile; 0 is usual. */

    /* ---- The surrogate: similarity ---- */
    infill_warp warp; /**< How coordinates are bent before the kernel of an exact process sees them. */
    infill_categories categories; /**< An infill_categories: how the default kernel compares values without order. */
    infill_structure structure; /**< An infill_structure: how it brings numbers and categories together. */
    infill_branches branches; /**< An infill_branches: whether configurations of different branches are similar. */

    /* ---- Targets ---- */
    infill_transform targets; /**< How values become targets, an infill_transform. */

    /* ---- Proposals ---- */
    infill_acquisition acquisition; /**< What a proposal maximises. */
    /** Its margin or noise, in units of the values; or its β, order or temperature; 0 if it has none. */
    double acquisition_parameter;
    double delta; /**< If not 0, β grows so that all bounds hold together with probability 1 − delta. */
    infill_cooling cooling; /**< How the temperature of INFILL_ACQUISITION_LOG_MGF falls with the trials. */
    uint32_t cooling_steps; /**< Trials after the starting design in which the temperature falls. */
    double cooling_from; /**< The first temperature. */
    double cooling_to; /**< The last. */
    infill_policy policy; /**< How a proposal is chosen. */
    /** Points among which its minimum is looked for, or drawn; 0 is what is usual for the policy, here and below. */
    uint32_t policy_representers;
    uint32_t policy_draws; /**< Its draws; 0 is usual. */
    uint32_t policy_fantasies; /**< Values that a trial is imagined to have; 0 is usual. */
    uint32_t policy_features; /**< Its waves; 0 is usual. */
    infill_minima policy_minima; /**< How lowest values are drawn. */
    infill_pending pending; /**< How open trials are reckoned with. */
    uint32_t pending_draws; /**< Its draws; powers of two serve best. */
    infill_incumbent incumbent; /**< What improvement is measured against. */
    /**
     * Every so many proposals a confidence bound decides instead of the acquisition; 0 is never, UINT32_MAX chooses this and
     * the bound by the kind of space: 2 and 2 deviations among numbers, 4 and 3 where there are categories.
     */
    uint32_t interleave_every;
    /** How many deviations below the mean that bound is; 0 takes the lowest mean, infinitely many a random point. */
    double interleave_beta;

    /* ---- Proposals: methods without a model ---- */
    /** Values of a real on the mesh of INFILL_MODEL_GRID, and of an integer that has more; 0 is 10. */
    uint32_t grid_levels;
    uint32_t parzen_candidates; /**< Draws of INFILL_MODEL_PARZEN of which the best is taken; 0 is 24. */
    uint32_t parzen_most; /**< Its good trials, at most; 0 is 25. */
    uint32_t parzen_liar; /**< 1 if open trials count among the bad ones, 0 if they do not count. */
    double parzen_share; /**< The share of the trials that are good; 0 is a tenth. */
    double parzen_prior; /**< Weight of a kernel as broad as the space beside one for each trial; 0 is 1. */
    /** The first temperature of INFILL_MODEL_ANNEAL, in mean differences of values; 0 is a half. */
    double anneal_heat;
    double anneal_cooling; /**< What a trial leaves of the temperature; 0 is 0.97. */
    double anneal_reach; /**< Deviation of its first steps, as a part of the range; 0 is 0.2. */
    uint32_t evolve_parents; /**< Parents of INFILL_MODEL_MI_ES; 0 is 4. */
    /** Values of a generation of INFILL_MODEL_MI_ES or INFILL_MODEL_CMA_ES; 0 is 28, or what is usual for the parameters. */
    uint32_t evolve_offspring;

    /* ---- The search for a proposal ---- */
    /**
     * An infill_search_method. Other than for the first two, search_global, search_starts and search_rounds are its own counts,
     * and 0 is what is usual for it.
     */
    infill_search_method search_method;
    uint32_t search_global; /**< Candidates spread over the space. */
    uint32_t search_local; /**< Candidates around the best points. */
    uint32_t search_starts; /**< Candidates that are polished. */
    uint32_t search_rounds; /**< Rounds of exchanges over the parameters without gradient. */
    uint32_t polish_evaluations; /**< Evaluations of each polish. */
    double polish_tolerance; /**< Relative change at which a polish ends. */
    double polish_reach; /**< Its first step, as a part of the range. */

    /* ---- The strategy ---- */
    infill_strategy strategy; /**< An infill_strategy: one model, or one for each value of a category. */
    uint32_t strategy_parameter; /**< The category whose values have models of their own; it has no condition. */
    /** Trials of the starting design of each of them, instead of start; 0 is 10, 3 of a baseline. */
    uint32_t strategy_start;
    /** Evaluations in all, of INFILL_STRATEGY_BASELINE: budget / values for each, the rest for the best of them. */
    uint32_t strategy_budget;
    /** 1 if improvement is measured against the best value of the category's value instead of the best of all, else 0. */
    uint32_t strategy_own_minimum;

    /* ---- Sources ---- */
    infill_start transfer_start; /**< An infill_start: what is asked for first where sources are passed. */
    uint32_t transfer_trials; /**< How many trials that takes, unless they are those of the design. */
    infill_how transfer_how; /**< An infill_how: how sources help to choose where there is a model. */
    /** An infill_weights: how much each counts, of INFILL_HOW_STAGE and INFILL_HOW_VALUE. */
    infill_weights transfer_weights;
    /** INFILL_HOW_FUNCTION: after how many trials transfer_alpha has grown to 1; 0 if it stays. */
    uint32_t transfer_growth;
    uint32_t transfer_draws; /**< INFILL_WEIGHTS_SAMPLED: how many draws. */
    uint32_t transfer_neighbours; /**< INFILL_HOW_NEIGHBOURS: how many sources share a process with the run, 1 to 16. */
    uint32_t transfer_near; /**< INFILL_HOW_NEIGHBOURS: an infill_near, which of them. */
    uint32_t reserved; /**< 0. */
    double transfer_rho; /**< Their bandwidth: the distance of data sets from which on one counts nothing, above 0. */
    /** INFILL_HOW_FUNCTION: the share of the improvement; INFILL_HOW_NEIGHBOURS: that of the kernel within a data set. 0 to 1. */
    double transfer_alpha;
    /** The share of the space that is searched, by what the sources most alike make of it; 1 is all of it. */
    double transfer_keep;

    /* ---- The run ---- */
    uint32_t repeats; /**< 1 if a point may be proposed twice, 0 otherwise, also where values are noisy. */
    infill_when_full when_full; /**< What happens when every trial is used. */
};

/**
 * Fills a configuration with the defaults, which suit most problems: give it a seed and its limits.trials.
 *
 * size is sizeof(infill_config), by which the library knows the header that the program was built with.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
 */
infill_status infill_config_default(infill_config *config, size_t size);

/**
 * Fills a configuration with the settings of a name, in the manner of a well-known program; then give it a seed and
 * its limits.trials. The names are those of infill_preset_name.
 *
 * "default" is infill_config_default. "spearmint" averages over ten draws of the hyperparameters, and over fantasies
 * of open trials; "mip-ego" has a random forest and a temperature that falls; "gpgo" trains at each ask, "gpgo-student",
 * "gpgo-mcmc", "gpgo-forest", "gpgo-extra" and "gpgo-boosted" are the same with other models. name ends with a zero.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION, INFILL_ERROR_CONFIG for an unknown name.
 */
infill_status infill_config_preset(infill_config *config, size_t size, const char *name);

/** The names that infill_config_preset knows, from index 0 on; NULL behind the last. */
const char *infill_preset_name(uint32_t index);

/**
 * The name of a choice: "log_improvement" is number INFILL_ACQUISITION_LOG_IMPROVEMENT of the type "infill_acquisition".
 *
 * Lives as long as the library; NULL for a type or a number that is none. Of "infill_status", the number is (uint32_t)status.
 */
const char *infill_choice_name(const char *type_name, uint32_t number);

/**
 * The number of a choice by the name that infill_choice_name gives it.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT; INFILL_ERROR_CONFIG for a type or a name that is none.
 */
infill_status infill_choice_number(const char *type_name, const char *name, uint32_t *number);

/* ---- Backends ------------------------------------------------------------------------------------------------- */

/**
 * A backend of blocked, vectorised and threaded linear algebra: faster with hundreds of trials.
 *
 * threads = 0 takes all there are. It allocates as it needs. It agrees with infill_ask to rounding, not to the bit.
 * Hosted builds only.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_UNSUPPORTED if it was left out of this build.
 */
infill_status infill_backend_faer(size_t threads, infill_backend **out);

/** Gives back a backend; NULL is allowed. Hosted builds only. */
void infill_backend_free(infill_backend *backend);

/* ---- Tier 3: the parts. Kernels ------------------------------------------------------------------------------- */

/**
 * What a node of a kernel computes: infill_node.op.
 *
 * ρ² = Σ (Δ/ℓ)² over the node's coordinates, Δ = a − b. The numbers never change.
 */
typedef uint32_t infill_op;
enum {
    INFILL_OP_SUM = 1, /**< The sum of the two kernels before it. */
    INFILL_OP_PRODUCT = 2, /**< The product of the two kernels before it. */
    INFILL_OP_SCALE = 3, /**< σ² times the kernel before it. */
    INFILL_OP_CONSTANT = 4, /**< The constant σ². */
    INFILL_OP_SQUARED_EXPONENTIAL = 16, /**< exp(−ρ²/2) */
    INFILL_OP_MATERN12 = 17, /**< exp(−ρ) */
    INFILL_OP_MATERN32 = 18, /**< (1 + √3ρ) exp(−√3ρ) */
    INFILL_OP_MATERN52 = 19, /**< (1 + √5ρ + 5ρ²/3) exp(−√5ρ) */
    /**
     * 2¹⁻ᵛ/Γ(ν) zᵛ Kᵥ(z), z = √(2ν) ρ: the Matérn kernel of any order ν, which is not learnt (the derivative by it is
     * 0).
     * Not in a build without the other models.
     */
    INFILL_OP_MATERN = 20,
    INFILL_OP_RATIONAL_QUADRATIC = 21, /**< (1 + ρ²/(2α))⁻ᵅ */
    INFILL_OP_GAMMA_EXPONENTIAL = 22, /**< exp(−ρᵞ) */
    INFILL_OP_LAPLACE = 24, /**< exp(−Σ |Δ|/ℓ) */
    INFILL_OP_PERIODIC = 25, /**< exp(−2 Σ sin²(πΔ/p)/ℓ²) */
    INFILL_OP_COSINE = 26, /**< cos(2π Σ Δ/p) */
    INFILL_OP_LINEAR = 32, /**< Σ w a b */
    INFILL_OP_POLYNOMIAL = 33, /**< (Σ w a b + w₀)ᵈ */
    INFILL_OP_ARC_SINE = 34, /**< 2/π arcsin of a normalised dot product. */
    INFILL_OP_HAMMING = 48, /**< exp(−Σ w [a ≠ b]) */
    INFILL_OP_EXCHANGEABLE = 49, /**< Π (a = b ? 1 : c) */
    INFILL_OP_BRANCH = 64, /**< Π [a = b]: zero across branches of a conditional space. */
    /** Π [(a < 0) = (b < 0)]: zero unless the same coordinates are active, that is, not negative. */
    INFILL_OP_ACTIVE = 65,
    /** A radial kernel (degree: its number) of points r (sin πωx, cos πωx) on circles, (0, 0) for inactive coordinates. */
    INFILL_OP_ARC = 66,
    /**
     * A radial kernel of numbers and of categories as unit vectors, the last of its coordinates; a list increases up
     * to
     * the first category, and again from there. Its degree is the number of that kernel and 256 for each category.
     */
    INFILL_OP_ONE_HOT = 67
};

/** What a hyperparameter does in its node: infill_hyper.role. */
typedef uint32_t infill_role;
enum {
    INFILL_ROLE_LENGTH = 1, /**< A length scale ℓ, one per dimension under ARD. */
    INFILL_ROLE_VARIANCE = 2, /**< A variance σ² that multiplies a kernel, or the value of a constant. */
    INFILL_ROLE_SHAPE = 3, /**< ν, α or γ. */
    INFILL_ROLE_PERIOD = 4, /**< A period p, one per dimension under ARD. */
    INFILL_ROLE_WEIGHT = 5, /**< A weight w, one per dimension under ARD. */
    INFILL_ROLE_BIAS = 6, /**< The variance w₀ of the constant input of a dot-product kernel. */
    INFILL_ROLE_CORRELATION = 7, /**< The correlation c of two different categories, one per dimension under ARD. */
    /** The part ω of a half circle that the values of an arc kernel's parameter span, one per dimension under ARD. */
    INFILL_ROLE_ANGLE = 8,
    INFILL_ROLE_RADIUS = 9 /**< The radius r of the circle of an arc kernel's parameter, one per dimension under ARD. */
};

/** What is believed about a hyperparameter before any data, within its bounds: infill_hyper.prior. */
typedef uint32_t infill_prior;
enum {
    /** Log-normal: prior_mean and prior_sd of the logarithm; prior_sd = 0 is flat in the logarithm. */
    INFILL_PRIOR_LOG_NORMAL = 0,
    INFILL_PRIOR_UNIFORM = 1, /**< Flat in the hyperparameter itself; prior_mean and prior_sd are 0. */
    INFILL_PRIOR_GAMMA = 2, /**< Gamma: the shape in prior_mean, the rate in prior_sd. */
    /** Close to a horseshoe, of a power of the hyperparameter: the scale in prior_mean, the power in prior_sd. */
    INFILL_PRIOR_HORSESHOE = 3
};

/**
 * Start, bounds and prior of the hyperparameters of one role in a node, in natural units.
 *
 * Threads: plain data. Lifetime: it is read during a call only.
 */
typedef struct infill_hyper {
    infill_role role; /**< What a hyperparameter does in its node. */
    infill_prior prior; /**< What is believed about a hyperparameter before any data, within its bounds. */
    double value; /**< Where training starts. */
    double lo; /**< Least value. */
    double hi; /**< Largest value; equal to the least one it freezes the hyperparameter. */
    double prior_mean; /**< Mean of the logarithm, of a log-normal prior; the first number of another one. */
    double prior_sd; /**< Deviation of the logarithm; 0 is a flat prior. The second number of another prior. */
} infill_hyper;

/** What a node of a kernel has: bits of infill_node.flags. */
typedef uint32_t infill_node_flag;
enum {
    INFILL_NODE_ARD = 1, /**< Each coordinate has its own length, period, weight, correlation, angle or radius. */
    INFILL_NODE_NO_BIAS = 2 /**< A polynomial or arc sine without constant input. */
};

/**
 * A node of a kernel.
 *
 * With count = 0 and list = NULL it looks at all coordinates, or at none if it is no leaf.
 *
 * Threads: plain data. Lifetime: it is read during a call only, and so is what it points to.
 */
typedef struct infill_node {
    infill_op op; /**< What a node of a kernel computes. */
    uint32_t flags; /**< A sum of infill_node_flag. */
    /**
     * Degree of a polynomial, 1 to 16; the profile of INFILL_OP_ARC and INFILL_OP_ONE_HOT, one of
     * INFILL_OP_SQUARED_EXPONENTIAL to INFILL_OP_MATERN52; 0 otherwise.
     */
    uint32_t degree;
    uint32_t first; /**< The first coordinate, if there is no list. */
    size_t count; /**< How many coordinates. */
    const uint16_t *list; /**< The coordinates, count of them, strictly increasing; NULL for those from first on. */
    const infill_hyper *hypers; /**< Settings of its hyperparameters; NULL for the standard ones. */
    size_t hyper_count; /**< How many settings. */
} infill_node;

/**
 * A covariance function: nodes in postfix order, operands before what joins them.
 *
 * The product of a Matérn kernel over three numbers and a Hamming kernel over a label, with a variance:
 * MATERN52 (first 0, count 3) · HAMMING (first 3, count 1) · PRODUCT · SCALE.
 *
 * Threads: plain data. Lifetime: it is read during a call only; an optimizer keeps what it needs.
 */
struct infill_kernel {
    const infill_node *nodes; /**< The nodes. */
    size_t count; /**< How many nodes. */
};

/**
 * The number of hyperparameters of a kernel over points of dims coordinates.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_KERNEL, INFILL_ERROR_THETA.
 */
infill_status infill_kernel_thetas(const infill_kernel *kernel, size_t dims, size_t *thetas);

/**
 * The hyperparameters at which training starts, as logarithms.
 *
 * Errors: as infill_kernel_thetas, and INFILL_ERROR_SHAPE if thetas is not their number.
 */
infill_status infill_kernel_start(const infill_kernel *kernel, size_t dims, double *theta, size_t thetas);

/**
 * k(a, b), in double precision.
 *
 * Errors: as infill_kernel_thetas; INFILL_ERROR_SHAPE if thetas is not their number; INFILL_ERROR_NOT_FINITE for a number that
 * is not finite, given or found: hyperparameters and coordinates may be finite and the kernel leave the range.
 */
infill_status infill_kernel_eval(const infill_kernel *kernel, const double *theta, size_t thetas, const double *a,
    const double *b, size_t dims, double *value);

/**
 * k(a, b) with its derivatives by the hyperparameters, by_theta[thetas], and by a, by_a[dims].
 *
 * A coordinate in which the kernel has no derivative gets 0.
 *
 * Errors: as infill_kernel_eval. With INFILL_ERROR_NOT_FINITE, outputs of more than 4096 numbers are scratch.
 */
infill_status infill_kernel_gradient(const infill_kernel *kernel, const double *theta, size_t thetas, const double *a,
    const double *b, size_t dims, double *value, double *by_theta, double *by_a);

/**
 * The matrix k(xᵢ, xⱼ) of rows points, row after row in x: its lower triangle, matrix[rows·(rows + 1)/2], row i from
 * i·(i + 1)/2 on.
 *
 * Errors: as infill_kernel_eval. With INFILL_ERROR_NOT_FINITE, a matrix of more than 4096 numbers is scratch.
 */
infill_status infill_kernel_gram(const infill_kernel *kernel, const double *theta, size_t thetas, const double *x,
    size_t rows, size_t dims, double *matrix);

/* ---- Gaussian-process regression ------------------------------------------------------------------------------ */

/**
 * A Gaussian process over points as they are given: no space, no units.
 *
 * Threads: one process is used by one thread at a time, also for looking.
 * Lifetime: as long as its block is neither freed nor written by others; from infill_gp_new, until infill_gp_free.
 * It may be moved, but belongs to the program that made it: it is not for files. Every call checks sizes, kernel and addresses
 * by a checksum (INFILL_ERROR_CORRUPT); data, hyperparameters and fit have none.
 */
typedef struct infill_gp infill_gp;

/**
 * A covariance function of the program's own, symmetric and positive definite, with hyperparameters on the log scale.
 *
 * Threads: it is called by the thread that uses the process. Lifetime: its functions and user as long as the process;
 * the rest is read by infill_gp_init only.
 */
typedef struct infill_covariance {
    size_t size; /**< sizeof(infill_covariance) */
    double (*eval)(void *user, const double *theta, const double *a, const double *b); /**< k(a, b). */
    /** Writes ∂k(a, b)/∂θ; NULL if the process is not trained. */
    void (*gradient)(void *user, const double *theta, const double *a, const double *b, double *out);
    /** Writes ∂k(a, b)/∂a; NULL if no gradient of a prediction is asked for. */
    void (*gradient_x)(void *user, const double *theta, const double *a, const double *b, double *out);
    void *user; /**< Passed to the functions. */
    size_t thetas; /**< How many hyperparameters, which may be 0. */
    const double *start; /**< Where training starts, thetas of them. */
    const double *lo; /**< Least values. */
    const double *hi; /**< Largest values. */
} infill_covariance;

/**
 * What a process is. Let infill_gp_config_default fill it, then set rows, dims and a kernel.
 *
 * Threads: plain data. Lifetime: it is read during a call only.
 */
typedef struct infill_gp_config {
    size_t size; /**< sizeof(infill_gp_config), set by infill_gp_config_default. */
    size_t rows; /**< The most observations. */
    size_t dims; /**< Coordinates of a point. */
    size_t batch; /**< The most points of a joint prediction. */
    const infill_kernel *kernel; /**< The kernel. */
    const infill_covariance *covariance; /**< A covariance of one's own instead of the kernel; NULL otherwise. */
    double noise_variance; /**< First guess of the noise variance. */
    double noise_lo; /**< Least noise variance. */
    double noise_hi; /**< Largest noise variance; equal ends freeze it. */
    double noise_sd; /**< Spread of a log-normal prior around the first guess; 0 is a flat one. */
    infill_scalar scalar; /**< The scalar inside a block. */
    infill_trend trend; /**< An infill_trend; the default is zero. */
} infill_gp_config;

/**
 * Fills the configuration of a process with defaults; rows, dims and a kernel have to be set.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
 */
infill_status infill_gp_config_default(infill_gp_config *config, size_t size);

/**
 * How much a training may spend. Let infill_training_default fill it.
 *
 * Threads: plain data. Lifetime: it is read during a call only.
 */
typedef struct infill_training {
    size_t size; /**< sizeof(infill_training), set by infill_training_default. */
    infill_objective_kind objective; /**< What training maximises, with the log prior. */
    uint32_t restarts; /**< Starts beside the present hyperparameters. */
    uint32_t draws; /**< Draws from the prior of which each restart takes the best. */
    uint32_t evaluations; /**< Evaluations of each descent. */
    double tolerance; /**< Relative change at which a descent ends. */
    double reach; /**< Its first step, as a part of the range. */
} infill_training;

/**
 * Fills what a training may spend with defaults.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
 */
infill_status infill_training_default(infill_training *training, size_t size);

/** Bytes of the block that a process takes; 0 if the configuration is refused. */
size_t infill_gp_size(const infill_gp_config *config);

/**
 * Makes a process without data in size bytes of the caller's, aligned to INFILL_ALIGN. Never allocates.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION, INFILL_ERROR_MEMORY, INFILL_ERROR_LIMITS
 * for sizes that are zero or too large, INFILL_ERROR_KERNEL, INFILL_ERROR_THETA for hyperparameters or noise,
 * INFILL_ERROR_CONFIG, INFILL_ERROR_UNSUPPORTED.
 */
infill_status infill_gp_init(void *mem, size_t size, const infill_gp_config *config, infill_gp **out);

/**
 * As infill_gp_init, in a block of its own from the heap. Hosted builds only; infill_gp_free gives it back.
 *
 * Errors: as infill_gp_init, and INFILL_ERROR_ALLOCATION.
 */
infill_status infill_gp_new(const infill_gp_config *config, infill_gp **out);

/** Gives back a process from infill_gp_new; NULL is allowed. Hosted builds only. */
void infill_gp_free(infill_gp *gp);

/**
 * Adds an observation with a known variance, variance = 0 for none; infill_gp_fit or infill_gp_train makes it count.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_NOT_FINITE, INFILL_ERROR_FULL.
 */
infill_status infill_gp_push(infill_gp *gp, const double *x, size_t dims, double y, double variance);

/**
 * Adds an observation to a process that is fitted, which it stays; variance = 0 as for infill_gp_push.
 *
 * Cost: n² instead of the n³ of a fit.
 *
 * Errors: as infill_gp_push; INFILL_ERROR_NO_DATA if it is not fitted; INFILL_ERROR_NOT_POSITIVE_DEFINITE if the
 * point adds nothing but rounding; INFILL_ERROR_NOT_FINITE also for a fit that would leave the range.
 */
infill_status infill_gp_extend(infill_gp *gp, const double *x, size_t dims, double y, double variance);

/**
 * Removes observation number row; those behind it move up. A fitted process stays fitted, unless there is nothing left to
 * predict from: no more rows than its trend has functions, or rows that infill_gp_fit would refuse.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE if there is no such row.
 */
infill_status infill_gp_remove(infill_gp *gp, size_t row);

/**
 * Removes all observations.
 *
 * Errors: INFILL_ERROR_NULL.
 */
infill_status infill_gp_clear(infill_gp *gp);

/**
 * Fits the process to its data at the present hyperparameters; backend = NULL works in the block. Cost: n³/3 flops.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_NO_DATA if there are no more rows than the trend has functions;
 * INFILL_ERROR_NOT_POSITIVE_DEFINITE, also if the rows do not tell those functions apart; INFILL_ERROR_NOT_FINITE if the fit
 * leaves the range; INFILL_ERROR_BACKEND. The process then has no fit, and refuses to predict.
 */
infill_status infill_gp_fit(infill_gp *gp, infill_backend *backend);

/**
 * Finds the hyperparameters that explain the data best, then fits; training = NULL takes the defaults.
 *
 * Writes objective plus log prior at the chosen hyperparameters. The seed decides where restarts begin.
 *
 * Errors: as infill_gp_fit, and INFILL_ERROR_NOT_FINITE if no hyperparameters explain the data; the hyperparameters are as they
 * were, and there is no fit. INFILL_ERROR_CONFIG, INFILL_ERROR_VERSION for training; INFILL_ERROR_UNSUPPORTED for a covariance
 * without gradient: nothing has changed.
 */
infill_status infill_gp_train(infill_gp *gp, infill_backend *backend, const infill_training *training, uint64_t seed,
    double *value);

/**
 * The training objective at the present hyperparameters, without the log prior. A fitted process stays fitted.
 *
 * With gradient = NULL and thetas = 0 the value alone; otherwise the derivatives by all hyperparameters, the noise
 * last, infill_gp_thetas of them.
 *
 * Errors: as infill_gp_fit, after which a fitted process stays fitted, too, unless the backend failed; INFILL_ERROR_NOT_FINITE
 * for an answer out of the range; INFILL_ERROR_SHAPE, INFILL_ERROR_CONFIG for objective, INFILL_ERROR_UNSUPPORTED for the
 * gradient of a covariance without one.
 */
infill_status infill_gp_evidence(infill_gp *gp, infill_backend *backend, uint32_t objective, double *value,
    double *gradient, size_t thetas);

/** How many observations there are. 0 for NULL. */
size_t infill_gp_rows(infill_gp *gp);

/** How many hyperparameters there are, with the noise. 0 for NULL. */
size_t infill_gp_thetas(infill_gp *gp);

/**
 * The hyperparameters as logarithms, the noise variance last, infill_gp_thetas of them.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE.
 */
infill_status infill_gp_theta(infill_gp *gp, double *theta, size_t thetas);

/**
 * Sets all hyperparameters, as logarithms, the noise variance last; infill_gp_fit makes them count.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_THETA for one outside of its bounds.
 */
infill_status infill_gp_set_theta(infill_gp *gp, const double *theta, size_t thetas);

/**
 * Sets the noise variance and the range in which training may move it; infill_gp_fit makes it count.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_THETA unless 0 < lo ≤ variance ≤ hi.
 */
infill_status infill_gp_set_noise(infill_gp *gp, double variance, double lo, double hi);

/**
 * What was added to the diagonal beyond the noise to keep the matrix positive definite; 0 without a fit.
 *
 * Errors: INFILL_ERROR_NULL.
 */
infill_status infill_gp_jitter(infill_gp *gp, double *jitter);

/**
 * The coefficients of the trend, one per basis function: 1, x…, x x… as infill_trend says.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_NO_DATA before a fit and after one that failed.
 */
infill_status infill_gp_trend(infill_gp *gp, double *beta, size_t columns);

/**
 * The log likelihood with the trend and the process variance at their best values, for a kernel of unit variance.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_NO_DATA before a fit and after one that failed; INFILL_ERROR_NOT_FINITE out of the range,
 * as where the trend explains everything.
 */
infill_status infill_gp_likelihood(infill_gp *gp, double *value);

/**
 * Mean and variance of the function at a point, without the noise. Cost: n² flops.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE; INFILL_ERROR_NOT_FINITE for the point, or an answer out of the range;
 * INFILL_ERROR_NO_DATA before a fit and after one that failed.
 */
infill_status infill_gp_predict(infill_gp *gp, const double *x, size_t dims, double *mean, double *variance);

/**
 * As infill_gp_predict, with the derivatives of both by the point, by_mean[dims] and by_variance[dims]. Cost: 2n² flops.
 *
 * Errors: as infill_gp_predict; INFILL_ERROR_UNSUPPORTED for a covariance without gradient_x.
 */
infill_status infill_gp_predict_gradient(infill_gp *gp, const double *x, size_t dims, double *mean, double *variance,
    double *by_mean, double *by_variance);

/**
 * Means and covariance of the function at count points, at most infill_gp_config.batch: means[count] and the lower
 * triangle matrix[count·(count + 1)/2], row i from i·(i + 1)/2 on.
 *
 * Errors: as infill_gp_predict; INFILL_ERROR_SHAPE for more points. With INFILL_ERROR_NOT_FINITE, outputs of more than 4096
 * numbers are scratch.
 */
infill_status infill_gp_predict_joint(infill_gp *gp, const double *points, size_t count, size_t dims, double *means,
    double *matrix);

/**
 * A joint draw of the function at count points, values[count]; matrix[count·(count + 1)/2] is scratch.
 *
 * Errors: as infill_gp_predict_joint; INFILL_ERROR_NOT_POSITIVE_DEFINITE, when more than 4096 values are scratch, too.
 */
infill_status infill_gp_sample(infill_gp *gp, const double *points, size_t count, size_t dims, uint64_t seed,
    double *values, double *matrix);

/* ---- Acquisitions and designs --------------------------------------------------------------------------------- */

/**
 * What a trial is worth where the model predicts this mean and variance and best is the lowest value so far.
 *
 * acquisition is an infill_acquisition and parameter its margin, β, order, temperature or noise, or 0. Larger is better;
 * never NaN, but infinite where it leaves the range: the logarithm of nothing is -INFINITY.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_CONFIG for an unknown rule or a parameter that is not one of its own.
 */
infill_status infill_acquisition_score(infill_acquisition acquisition, double parameter, double mean, double variance,
    double best, double *score);

/**
 * As infill_acquisition_score, with the derivatives by the mean and by the standard deviation, which may be infinite, too.
 *
 * Errors: as infill_acquisition_score.
 */
infill_status infill_acquisition_gradient(uint32_t acquisition, double parameter, double mean, double variance,
    double best, double *score, double *by_mean, double *by_deviation);

/**
 * The β after so many trials with which all bounds hold together with probability 1 − delta.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_CONFIG unless 0 < delta < 1.
 */
infill_status infill_bound_schedule(uint64_t trial, size_t dims, double delta, double *beta);

/** Bytes of memory that infill_design needs; 0 if the space is refused. */
size_t infill_design_size(const infill_space *space);

/**
 * The first count points of a design of total points, row after row in user units, computed in double precision.
 *
 * design is an infill_design_kind. mem is scratch of infill_design_size bytes, aligned to INFILL_ALIGN. Where a point of
 * the design is forbidden, a random one that is not stands for it, by the seed and its index alone.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_MEMORY, INFILL_ERROR_CONFIG for design,
 * INFILL_ERROR_SHAPE if total is 0 or less than count, or dims is not the number of parameters, those of infill_space,
 * and INFILL_ERROR_INFEASIBLE if no point was found that is not forbidden.
 */
infill_status infill_design(void *mem, size_t size, const infill_space *space, uint32_t design_kind, uint64_t seed,
    uint32_t total, double *points, size_t count, size_t dims);

/* ---- Races of noisy configurations ---------------------------------------------------------------------------- */

/** What is compared: infill_race_rules.statistic. */
typedef uint32_t infill_statistic;
enum {
    INFILL_STATISTIC_MEAN = 0, /**< The mean. The default. */
    INFILL_STATISTIC_MEDIAN = 1, /**< The median; of an even number of costs, the mean of the middle two. */
    /** The quantile at that probability, linear between the sorted costs: 0 is the least, 1 the largest. */
    INFILL_STATISTIC_QUANTILE = 2
};

/**
 * How a race is run, and how much it holds. Let infill_race_default fill it.
 *
 * Threads: plain data. Lifetime: it is read during a call only.
 */
typedef struct infill_race_rules {
    size_t size; /**< sizeof(infill_race_rules), set by infill_race_default. */
    uint64_t seed; /**< The seed of the race. */
    double penalty; /**< How many times its cap a stopped run costs: 10 is PAR10. */
    double cap; /**< The cap of every run, infinite for none; with a cap, costs are not negative. */
    /** A challenger is stopped once its costs sum to so many times the incumbent's; infinite for never. */
    double slack;
    double quantile; /**< The probability of INFILL_STATISTIC_QUANTILE. */
    infill_statistic statistic; /**< What is compared. */
    infill_scalar scalar; /**< The scalar inside a block. */
    uint32_t configs; /**< The most configurations. */
    uint32_t runs; /**< The most runs in all. */
    uint32_t most; /**< The most runs of one configuration. */
    uint32_t challengers; /**< The fewest challengers of a round. */
    uint32_t instances; /**< How many instances there are. */
    uint32_t seeds; /**< 1 if runs depend on their seed; 0 if a configuration is to run once per instance. */
    uint32_t again; /**< 1 if configurations that lost are challengers again when no others are left; 0 otherwise. */
    uint32_t reserved; /**< Zero. */
} infill_race_rules;

/**
 * Fills the rules of a race with defaults: means of at most 1000 runs of 100 configurations, without caps.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
 */
infill_status infill_race_default(infill_race_rules *rules, size_t size);

/** Bytes of the block that a race takes, a multiple of 8; 0 if the rules are refused. */
size_t infill_race_size(const infill_race_rules *rules);

/**
 * A race: which of several noisy configurations is best. The handle is the first byte of its block.
 *
 * Threads: one race is used by one thread at a time; functions that take it as `const` may run together.
 * Lifetime: as long as its block is neither freed, moved nor written by others.
 */
typedef struct infill_race infill_race;

/**
 * Makes a race without configurations in size bytes of the caller's, aligned to INFILL_ALIGN. Never allocates.
 *
 * The handle is mem; to save the race, copy infill_race_bytes of it.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION, INFILL_ERROR_MEMORY; INFILL_ERROR_LIMITS for no
 * configurations or runs or too many; INFILL_ERROR_CONFIG for another setting; INFILL_ERROR_UNSUPPORTED for the scalar.
 */
infill_status infill_race_init(void *mem, size_t size, const infill_race_rules *rules, infill_race **out);

/**
 * The race in a block that was saved, copied or moved, after all that it remembers has been checked.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_MEMORY, INFILL_ERROR_FOREIGN, INFILL_ERROR_CORRUPT,
 * INFILL_ERROR_UNSUPPORTED for a scalar that was left out of this build.
 */
infill_status infill_race_attach(void *mem, size_t size, infill_race **out);

/**
 * Queues a configuration, by a number of the caller's; the first one becomes the incumbent after one run.
 *
 * Nothing happens if it is the incumbent, is being tried or waits already.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN; INFILL_ERROR_FULL if it is new and there is no room.
 */
infill_status infill_race_challenge(infill_race *race, uint32_t config);

/**
 * A run to be made.
 *
 * Threads: plain data. Lifetime: its own.
 */
typedef struct infill_run {
    uint64_t id; /**< The name to tell its cost under. */
    uint64_t seed; /**< The seed for whatever is random in it. */
    double cap; /**< The cost at which it may be stopped; infinite if there is none. */
    uint32_t config; /**< The configuration, by the number that the caller gave it. */
    uint32_t instance; /**< The instance, counted from zero. */
} infill_run;

/**
 * The next run to make. Runs of one batch may be open together.
 *
 * Nothing to give: INFILL_ERROR_EXHAUSTED if nobody is left to challenge, INFILL_ERROR_FULL if all runs were made. Errors:
 * INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN; INFILL_ERROR_TOO_MANY_OPEN if what comes next depends on runs that are open.
 */
infill_status infill_race_ask(infill_race *race, infill_run *out);

/**
 * What a run cost; a cost above its cap counts as capped.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN; INFILL_ERROR_STALE_TRIAL for a run that is not open;
 * INFILL_ERROR_NOT_FINITE for NaN, an infinity, or a negative cost where runs have a cap.
 */
infill_status infill_race_tell(infill_race *race, uint64_t run, double cost);

/**
 * A run was stopped at its cap: it costs penalty times that.
 *
 * Errors: as infill_race_tell; INFILL_ERROR_NOT_FINITE if runs have no cap.
 */
infill_status infill_race_capped(infill_race *race, uint64_t run);

/**
 * A run broke down: it costs more than anything, or as much as a capped one where runs have a cap.
 *
 * Errors: as infill_race_tell.
 */
infill_status infill_race_crashed(infill_race *race, uint64_t run);

/**
 * Gives an open run back, for whoever made it is gone; it is asked for again.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN, INFILL_ERROR_STALE_TRIAL.
 */
infill_status infill_race_forget(infill_race *race, uint64_t run);

/**
 * Begins a round of at most so many runs: infill_race_over tells its end.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN.
 */
infill_status infill_race_begin(infill_race *race, uint32_t runs);

/** 1 if the round has taken its runs and tried its challengers, so that it is time to think of others; 0 otherwise. */
uint32_t infill_race_over(const infill_race *race);

/**
 * The best configuration so far.
 *
 * Nothing to give: INFILL_ERROR_NO_DATA before the first run. Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN.
 */
infill_status infill_race_incumbent(const infill_race *race, uint32_t *config);

/**
 * The mean, median or quantile of the costs of a configuration; infinite if runs of it crashed without a cap. Uses the room
 * for work of the block.
 *
 * Nothing to give: INFILL_ERROR_NO_DATA if it has no run. Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN.
 */
infill_status infill_race_cost(infill_race *race, uint32_t config, double *cost);

/** How many runs of a configuration were told; 0 if it is unknown. */
uint32_t infill_race_runs(const infill_race *race, uint32_t config);

/** How many runs were told in all: the records of infill_race_record. */
size_t infill_race_count(const infill_race *race);

/**
 * A run that was made.
 *
 * Threads: plain data. Lifetime: its own.
 */
typedef struct infill_run_record {
    uint64_t seed; /**< The seed. */
    double cap; /**< The cap it ran under; infinite if there was none. */
    double cost; /**< What it cost, with the penalty if it was stopped; infinite if it crashed without a cap. */
    uint32_t config; /**< The configuration. */
    uint32_t instance; /**< The instance. */
    uint32_t capped; /**< 1 if it was stopped at its cap. */
    uint32_t reserved; /**< Zero. */
} infill_run_record;

/**
 * A run that was told, by its place before infill_race_count.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN; INFILL_ERROR_SHAPE if there is no such place.
 */
infill_status infill_race_record(const infill_race *race, size_t index, infill_run_record *out);

/** Bytes of the block of a race; 0 if it is none. */
size_t infill_race_bytes(const infill_race *race);

#ifdef __cplusplus
}
#endif

#endif /* INFILL_H */

/* What may still change: define INFILL_EXPERIMENTAL before the header is read, for the first time or once more. */
#if defined(INFILL_EXPERIMENTAL) && !defined(INFILL_EXPERIMENTAL_H)
#define INFILL_EXPERIMENTAL_H /**< It was read. */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Backends on a GPU ---------------------------------------------------------------------------------------- */

/** What an adapter should be chosen for: infill_gpu_options.power. */
typedef uint32_t infill_power;
enum {
    INFILL_POWER_ANY = 0, /**< Whatever comes first. */
    INFILL_POWER_LOW = 1, /**< An integrated adapter before a discrete one. */
    INFILL_POWER_HIGH = 2 /**< A discrete adapter before an integrated one. The default. */
};

/** The interface that an adapter is reached by: infill_gpu_options.api. */
typedef uint32_t infill_api;
enum {
    INFILL_API_ANY = 0, /**< Any. The default. */
    INFILL_API_VULKAN = 1, /**< Vulkan. */
    INFILL_API_GL = 2, /**< OpenGL, or OpenGL ES. */
    INFILL_API_METAL = 3, /**< Metal. */
    INFILL_API_DX12 = 4 /**< Direct3D 12. */
};

/**
 * Which adapter, and how much of it. Let infill_gpu_options_default fill it.
 *
 * Threads: plain data. Lifetime: it is read during a call only, and so is the name.
 */
typedef struct infill_gpu_options {
    size_t size; /**< sizeof(infill_gpu_options), set by infill_gpu_options_default. */
    const char *name; /**< A part of the adapter's name, in any case; NULL for any. */
    uint64_t worth; /**< Flops below which the CPU is quicker than the way to the device. */
    infill_power power; /**< What an adapter should be chosen for. */
    infill_api api; /**< The interface that an adapter is reached by. */
    uint32_t software; /**< 1 if a CPU that plays a GPU will do, which is right and slow; 0 otherwise. */
    uint32_t batch; /**< Candidates that are worked on at a time. */
    uint32_t sets; /**< Sets of hyperparameters that are worked on at a time. */
    /** Seconds that the device may take for an answer; one that is silent for longer is lost, and the CPU goes on. */
    uint32_t patience;
} infill_gpu_options;

/**
 * Fills the options of a GPU backend with defaults.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
 */
infill_status infill_gpu_options_default(infill_gpu_options *options, size_t size);

/** How many adapters there are, software ones included; 0 in a build without GPU. Asks the drivers at every call. */
size_t infill_gpu_count(void);

/**
 * Adapter number index of infill_gpu_count: its name, ended by a zero and cut at size bytes, its infill_api, and
 * whether it is software.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_SHAPE if there is no such adapter or size is 0.
 */
infill_status infill_gpu_adapter(size_t index, char *name, size_t size, uint32_t *api, uint32_t *software);

/**
 * A backend on a GPU, for optimizers with the limits of opt; options = NULL takes the defaults. It allocates.
 *
 * It screens in single precision what the CPU then decides. When the device fails, the CPU goes on:
 * infill_backend_reason says why.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_VERSION, INFILL_ERROR_CONFIG for options; INFILL_ERROR_BACKEND if there is no
 * such adapter or it is too small; INFILL_ERROR_UNSUPPORTED if it was left out of this build.
 */
infill_status infill_backend_gpu(const infill_opt *opt, const infill_gpu_options *options, infill_backend **out);

/**
 * Why a backend on a GPU leaves its work to the CPU, ended by a zero and cut at size bytes.
 *
 * Nothing to give: INFILL_ERROR_NO_DATA if it does not. Errors: INFILL_ERROR_NULL; INFILL_ERROR_SHAPE if size is 0.
 */
infill_status infill_backend_reason(const infill_backend *backend, char *reason, size_t size);

/* ---- Iterated F-races ----------------------------------------------------------------------------------------- */

/**
 * What an iterated F-race does. Let infill_frace_default fill it.
 *
 * Threads: plain data. Lifetime: it is read during a call only.
 */
typedef struct infill_frace_plan {
    size_t size; /**< sizeof(infill_frace_plan), set by infill_frace_default. */
    uint64_t seed; /**< The seed. */
    double level; /**< The level of the tests. */
    uint32_t budget; /**< Runs in all. */
    uint32_t first; /**< Instances before the first test of a race, at least two. */
    uint32_t each; /**< Instances between tests. */
    uint32_t instances; /**< How many instances there are. */
    infill_scalar scalar; /**< The scalar inside a block. */
    /** 1 if the best of a race keep their costs for the next one, where only others that have run as often may drop them; else 0. */
    uint32_t elitist;
    double cap; /**< The cap of every run, infinite for none. With a cap, costs are times or the like: not negative. */
    double penalty; /**< How many times its cap a stopped run costs. */
    /** A configuration is stopped once its costs sum to this many times those of the best; infinite for never. Only with a cap. */
    double slack;
} infill_frace_plan;

/**
 * Fills the plan of an iterated F-race with defaults: elitist, 1000 runs, a test after five instances and after each further
 * one, no caps.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION.
 */
infill_status infill_frace_default(infill_frace_plan *plan, size_t size);

/** Bytes of the block that an iterated F-race takes, a multiple of 8; 0 if the space or the plan is refused. */
size_t infill_frace_size(const infill_space *space, const infill_frace_plan *plan);

/**
 * An iterated F-race: configurations that a rank test finds worse are dropped, new ones sampled around the best.
 *
 * Threads: one race is used by one thread at a time; functions that take it as `const` may run together.
 * Lifetime: as long as its block is neither freed, moved nor written by others.
 */
typedef struct infill_frace infill_frace;

/**
 * Makes an iterated F-race in size bytes of the caller's, aligned to INFILL_ALIGN. Never allocates.
 *
 * The handle is mem; to save the race, copy infill_frace_bytes of it.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_VERSION, INFILL_ERROR_MEMORY; those of infill_space;
 * INFILL_ERROR_LIMITS for too few or too many runs; INFILL_ERROR_CONFIG for another setting; INFILL_ERROR_UNSUPPORTED for
 * the scalar.
 */
infill_status infill_frace_init(void *mem, size_t size, const infill_space *space, const infill_frace_plan *plan,
    infill_frace **out);

/**
 * The race in a block that was saved, copied or moved, after checksums over all that it remembers and over its space.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_MEMORY, INFILL_ERROR_FOREIGN; INFILL_ERROR_CORRUPT for any
 * damage; INFILL_ERROR_UNSUPPORTED for a scalar that was left out of this build.
 */
infill_status infill_frace_attach(void *mem, size_t size, infill_frace **out);

/**
 * The next run to make, and its configuration in user units. All survivors of a race may be open together, but for caps that
 * adapt.
 *
 * Nothing to give: INFILL_ERROR_EXHAUSTED if the runs are used up. Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN;
 * INFILL_ERROR_SHAPE if dims is not the number of parameters; INFILL_ERROR_TOO_MANY_OPEN if all survivors are running;
 * INFILL_ERROR_INFEASIBLE if every configuration is forbidden.
 */
infill_status infill_frace_ask(infill_frace *frace, double *x, size_t dims, infill_run *out);

/**
 * What a run cost.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN; INFILL_ERROR_STALE_TRIAL for a run that is not open;
 * INFILL_ERROR_NOT_FINITE for NaN or an infinity, or a negative cost where runs have a cap.
 */
infill_status infill_frace_tell(infill_frace *frace, uint64_t run, double cost);

/**
 * A run was stopped at its cap.
 *
 * Errors: as infill_frace_tell; INFILL_ERROR_NOT_FINITE if runs have no cap.
 */
infill_status infill_frace_capped(infill_frace *frace, uint64_t run);

/**
 * A run broke down: it ranks last, or costs as much as a capped one where runs have a cap.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN, INFILL_ERROR_STALE_TRIAL.
 */
infill_status infill_frace_crashed(infill_frace *frace, uint64_t run);

/**
 * Gives an open run back; it is asked for again.
 *
 * Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN, INFILL_ERROR_STALE_TRIAL.
 */
infill_status infill_frace_forget(infill_frace *frace, uint64_t run);

/**
 * The best configuration of the last race that ended, in user units, and its number.
 *
 * Nothing to give: INFILL_ERROR_NO_DATA before the first race ended. Errors: INFILL_ERROR_NULL, INFILL_ERROR_FOREIGN,
 * INFILL_ERROR_SHAPE.
 */
infill_status infill_frace_best(const infill_frace *frace, double *x, size_t dims, uint32_t *config);

/** Number of parameters of the space of an iterated F-race; 0 if it is none. */
size_t infill_frace_dims(const infill_frace *frace);

/** Bytes of the block of an iterated F-race; 0 if it is none. */
size_t infill_frace_bytes(const infill_frace *frace);

/* ---- Comparisons of methods ----------------------------------------------------------------------------------- */

/**
 * The average rank of each method, ranks[methods], 1 for the best; equal values share theirs.
 *
 * values has a row of methods for each problem; less is better. Hosted builds only, and so are all comparisons.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_NO_DATA for fewer than two methods or no problem; INFILL_ERROR_NOT_FINITE for
 * NaN.
 */
infill_status infill_compare_ranks(const double *values, size_t problems, size_t methods, double *ranks);

/**
 * The share of comparisons that each method wins, rates[methods], itself and equals as half a win.
 *
 * Errors: as infill_compare_ranks.
 */
infill_status infill_compare_win_rates(const double *values, size_t problems, size_t methods, double *rates);

/**
 * On how many more problems each method beats each other than the other way round: net[methods·methods].
 *
 * Errors: as infill_compare_ranks.
 */
infill_status infill_compare_net_wins(const double *values, size_t problems, size_t methods, int64_t *net);

/**
 * The outcome of Friedman's test.
 *
 * Threads: plain data. Lifetime: its own.
 */
typedef struct infill_friedman {
    double chi_squared; /**< χ² of the average ranks, as if no values were equal. */
    double p; /**< Its probability if all methods are the same. */
    double corrected; /**< χ² corrected for equal values within a problem. */
    double corrected_p; /**< Its probability. */
    double f; /**< Iman and Davenport's F of the uncorrected χ²; infinite if all problems have one order. */
    double f_p; /**< Its probability. */
    uint64_t freedom; /**< Degrees of freedom of χ², and above in F. */
    uint64_t below; /**< Degrees of freedom below in F. */
} infill_friedman;

/**
 * Friedman's test: do the methods differ at all.
 *
 * Errors: as infill_compare_ranks; INFILL_ERROR_NO_DATA for fewer than two problems.
 */
infill_status infill_compare_friedman(const double *values, size_t problems, size_t methods, infill_friedman *out);

/**
 * The outcome of Wilcoxon's signed-rank test, two-sided.
 *
 * Threads: plain data. Lifetime: its own.
 */
typedef struct infill_wilcoxon {
    double statistic; /**< The smaller sum of ranks. */
    /** Its probability: exact for at most 50 pairs without zeros and ties, else by the normal approximation. */
    double p;
    double approximate; /**< The same by the normal approximation. */
    uint64_t pairs; /**< Differences that are not zero. */
    uint32_t exact; /**< 1 if p is exact. */
    uint32_t reserved; /**< Zero. */
} infill_wilcoxon;

/**
 * Wilcoxon's two-sided signed-rank test of count pairs; pairs of equal values are dropped.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_NO_DATA for fewer than two pairs; INFILL_ERROR_NOT_FINITE for NaN.
 */
infill_status infill_compare_wilcoxon(const double *a, const double *b, size_t count, infill_wilcoxon *out);

/**
 * Nemenyi's critical difference: how far apart average ranks must be to differ at the level alpha,
 * alpha = 0.05 as a rule.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_NO_DATA for fewer than two methods or problems; INFILL_ERROR_LIMITS for more
 * than 2³² − 1 methods; INFILL_ERROR_CONFIG unless 0 < alpha < 1.
 */
infill_status infill_compare_critical_difference(size_t methods, size_t problems, double alpha, double *difference);

/** Bytes that infill_compare_diagram takes, with the zero at its end; 0 if it is refused. */
size_t infill_compare_diagram_size(const char *const *names, const double *ranks, size_t methods, double difference,
    size_t width);

/**
 * A critical-difference diagram as text in UTF-8: an axis of ranks of so many characters, names on both sides, bars under
 * groups of methods that do not differ. Ended by a zero.
 *
 * Errors: INFILL_ERROR_NULL; INFILL_ERROR_NO_DATA for fewer than two methods; INFILL_ERROR_NOT_FINITE unless ranks are
 * between 1 and methods and the difference is not negative; INFILL_ERROR_CONFIG unless the width is between 10 and 1000
 * and names are shorter than 256 bytes; INFILL_ERROR_FORMAT for a name that is not UTF-8; INFILL_ERROR_MEMORY if the text
 * has more than size bytes.
 */
infill_status infill_compare_diagram(const char *const *names, const double *ranks, size_t methods, double difference,
    size_t width, char *text, size_t size);

/* ---- Spaces with names, as JSON ------------------------------------------------------------------------------- */

/**
 * A space with names.
 *
 * Parameters with but one value are constants: they belong to configurations, but not to the space. Categories and the
 * values of ordinals go by their place in the document, from 0.
 *
 * Threads: it never changes, so that any number of threads may use it. Lifetime: from infill_document_read or
 * infill_document_of until infill_document_free.
 */
typedef struct infill_document infill_document;

/**
 * The document of a JSON text of so many bytes, which need not end with a zero.
 *
 * Hosted builds only. Errors: INFILL_ERROR_NULL, INFILL_ERROR_FORMAT for what is no such document,
 * INFILL_ERROR_BOUNDS, _CONDITION, _CLAUSE for parameters, conditions and clauses that make no sense or close a circle,
 * INFILL_ERROR_INFEASIBLE if nothing is left, INFILL_ERROR_UNSUPPORTED for distributions without bounds and relations
 * between reals, INFILL_ERROR_DIMENSIONS for constants only.
 */
infill_status infill_document_read(const char *text, size_t length, infill_document **out);

/**
 * The document of a space; names are those of its parameters, or NULL for x0, x1 and so on.
 *
 * Hosted builds only. Errors: those of infill_space; INFILL_ERROR_BOUNDS for a name that is there twice,
 * INFILL_ERROR_FORMAT for one that is not UTF-8, INFILL_ERROR_UNSUPPORTED for forbidden ranges that the format has no
 * word for.
 */
infill_status infill_document_of(const infill_space *space, const char *const *names, infill_document **out);

/** Gives back a document; NULL is allowed. Hosted builds only. */
void infill_document_free(infill_document *document);

/**
 * The space of a document, which lives as long as the document. Hosted builds only.
 *
 * Errors: INFILL_ERROR_NULL.
 */
infill_status infill_document_space(const infill_document *document, const infill_space **out);

/**
 * The document as JSON: length bytes and a zero. With text = NULL and capacity = 0 it tells the length only.
 *
 * Hosted builds only. Errors: INFILL_ERROR_NULL; INFILL_ERROR_MEMORY if capacity is not larger than the length.
 */
infill_status infill_document_write(const infill_document *document, char *text, size_t capacity, size_t *length);

/**
 * The name of a parameter of the space. Length bytes and a zero, as infill_document_write.
 *
 * Hosted builds only. Errors: as infill_document_write; INFILL_ERROR_SHAPE for a parameter that is not there.
 */
infill_status infill_document_name(const infill_document *document, size_t parameter, char *text, size_t capacity,
    size_t *length);

/**
 * The configuration at a point of the space as a JSON object of names and values, constants among them; what does not
 * matter is left out. Length bytes and a zero, as infill_document_write.
 *
 * Hosted builds only. Errors: as infill_document_write; INFILL_ERROR_SHAPE, INFILL_ERROR_OUT_OF_RANGE.
 */
infill_status infill_document_values(const infill_document *document, const double *x, size_t dims, char *text,
    size_t capacity, size_t *length);

/**
 * The point of the space at which parameters have the values of a JSON object; those that it does not name have their
 * defaults.
 *
 * Hosted builds only. Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_FORMAT for what is no object or an
 * unknown name, INFILL_ERROR_OUT_OF_RANGE.
 */
infill_status infill_document_point(const infill_document *document, const char *text, size_t length, double *x,
    size_t dims);

/**
 * The vector by which Python's ConfigSpace stands for a point: one number for each parameter of the document, constants
 * among them, in its order; NaN for what does not matter.
 *
 * Hosted builds only. Errors: INFILL_ERROR_NULL, INFILL_ERROR_SHAPE, INFILL_ERROR_OUT_OF_RANGE.
 */
infill_status infill_document_vector(const infill_document *document, const double *x, size_t dims, double *vector,
    size_t count);

#ifdef __cplusplus
}
#endif

#endif /* INFILL_EXPERIMENTAL_H */
