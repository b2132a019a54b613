/* An optimizer or a selection: what both have, by one name. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "fuzz.h"

typedef struct subject {
    /* One of the two. */
    infill_opt *opt;
    infill_selection *selection;
    area area;
    infill_config config;
    infill_selector selector;
    size_t bytes;
    /* Names that trials had, and some that none has. */
    infill_trial names[32];
    size_t named;
} subject;

#define EITHER(s, verb, ...)                                                              \
    ((s)->opt != NULL ? CALL(infill_##verb, bent((s)->opt), __VA_ARGS__)                  \
                      : CALL(infill_selection_##verb, bent((s)->selection), __VA_ARGS__))
#define EITHER_COUNT(s, verb)                                            \
    ((s)->opt != NULL ? COUNTED(infill_##verb, (s)->opt)                 \
                      : COUNTED(infill_selection_##verb, (s)->selection))

/* A random call among those that both have. */
void step(subject *s);
void watch_subject(const subject *s);
/* A copy of the block, taken up again. */
subject copied(const subject *s);

#endif
