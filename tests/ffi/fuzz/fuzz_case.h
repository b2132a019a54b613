/* What main.c, judge.c and watch.c share: a case from its beginning to its end, and the bytes of its handle. */
#ifndef FUZZ_CASE_H
#define FUZZ_CASE_H

#define INFILL_EXPERIMENTAL
#include "infill.h"

/* Whether the case failed; trace = 1 prints every call. */
int run_case(uint64_t seed, void (*body)(void), int trace);
void end_cases(void);
/* The bytes before a call, and whether it has changed what is remembered. */
void keep_watched(void);
int watched_changed(infill_status status);
void end_watch(void);

#endif
