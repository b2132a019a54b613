/*
 * Random sequences of calls over the whole header, each judged by what the header says.
 *
 * A case is decided by its seed alone. Every call goes through CALL, which looks whether the status is documented, and
 * whether a call that was refused has left its handle and its outputs as they were. What a failure prints is enough to
 * see it again: fuzz SEED prints the calls of that case.
 */
#ifndef FUZZ_H
#define FUZZ_H

#define INFILL_EXPERIMENTAL
#include "infill.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* random.c: everything that is drawn. */
void sow(uint64_t seed);
uint64_t bits(void);
size_t below(size_t count);
int chance(unsigned percent);
double between(double lo, double hi);
/* Any double, NaN and the infinities among them; any finite one, often extreme; one that is mostly tame. */
double any_number(void);
double any_finite(void);
double some_value(void);

/* judge.c, watch.c: calls, what they return and what they touch. */
#define CALL(function, ...) (before(#function), after(function(__VA_ARGS__)))
/* As CALL, for functions that return no status. */
#define COUNTED(function, ...) (before(#function), counted(function(__VA_ARGS__)))
void before(const char *function);
infill_status after(infill_status status);
size_t counted(size_t result);
/* Prints what is wrong with the last call and gives the case up. */
void fail(const char *format, ...);
/* Prints it where calls are printed. */
void trace(const char *format, ...);
/* A number that a call which succeeded has written: never NaN nor infinite. */
void finite(const double *values, size_t count, const char *what);
/* Memory that lasts for the case; exactly so many bytes, zeroed. */
void *take(size_t bytes);
/* Memory for an output of the next call, filled with a pattern that stays if the call is refused. */
void *out(size_t bytes);
/* A pointer that must be neither NULL nor misaligned: now and then it is, and the next call has to be refused. */
void *bent(const void *pointer);
/* The same of a pointer to characters, which are always aligned. */
void *missing(const void *pointer);
/* Says that the next call has to be refused. */
void spoil(void);
/*
 * From now on refused calls leave these bytes alone; NULL for none. What is not missed when it is damaged is room for work,
 * and may change; of a block that is nothing yet, no byte may.
 */
typedef enum kind { A_BLOCK, AN_OPT, A_BRANCHED, A_RACE, A_FRACE } kind;
void watch(const void *bytes, size_t size, kind kind);
/* A number as a block has it. */
double rounded(uint32_t scalar, double value);
/* Gives it back at the end of the case. */
void own_opt(infill_opt *opt);
void own_gp(infill_gp *gp);
void own_document(infill_document *document);
extern uint64_t calls;

/* spaces.c: spaces, and what their points may be. */
enum { MOST = 5 };
typedef struct area {
    infill_space space;
    infill_param params[MOST];
    infill_condition conditions[3];
    infill_term terms[4];
    uint32_t scalar;
} area;
void draw_space(area *area, uint32_t scalar);
void trace_space(const area *area);
void trace_config(const infill_config *config);
/* Damages a space, so that it is mostly refused. */
void damage_space(area *area);
/* A point that is mostly in range, in user units. */
void draw_point(const area *area, double *x);
/* Fails unless every value is in range, as the scalar has it, and no clause forbids the point. */
void legal(const area *area, const double *x);
/* Whether two points are the same where they matter. */
int same_point(const area *area, const double *a, const double *b);
/* Whether every value is in range, as the scalar has it; whether one that matters is not. */
int within(const area *area, const double *x);
int outside(const area *area, const double *x);
/* Whether a clause forbids it, as the scalar has its values. */
int forbidden(const area *area, const double *x);
/* Points that are not forbidden, at most `most` of them: most + 1 if there are more, 0 if that takes too long to tell. */
size_t enumerate(const area *area, double *points, size_t most);

/* settings.c */
void draw_config(infill_config *config, uint32_t scalar);
void draw_kernel(infill_kernel *kernel, size_t dims);

/* The parts, each a case of its own. */
void optimize(void);
void select_branches(void);
void regress(void);
void evaluate_kernels(void);
void score_and_design(void);
void race(void);
void race_iterated(void);
void compare(void);
void document(void);

#endif
