/* An optimizer, with one model or one for each value of a category. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "fuzz.h"

typedef struct subject {
    infill_opt *opt;
    area area;
    infill_config config;
    size_t bytes;
    /* Names that trials had, and some that none has. */
    infill_trial names[32];
    size_t named;
} subject;

#define VERB(s, verb, ...) CALL(infill_##verb, bent((s)->opt), __VA_ARGS__)
#define NUMBER(s, verb) COUNTED(infill_##verb, (s)->opt)

/* Whether its values have models of their own. */
int branched(const subject *s);
/* A random call. */
void step(subject *s);
void watch_subject(const subject *s);
/* A copy of the block, taken up again. */
subject copied(const subject *s);

#endif
