/* Tunes the earlier plants, on a computer, and writes what that taught as C: sources that lie in the flash of transfer.c. */
#include "family.h"

#include <inttypes.h>
#include <stdio.h>

enum { WORDS = 1 << 15 };

static uint64_t block[WORDS], work[WORDS], source[WORDS];

/* Bytes of the source that tuning a plant leaves. */
static infill_status learn(const infill_space *space, struct plant plant, uint64_t seed, size_t *bytes)
{
    infill_config config;
    infill_opt *opt = NULL;
    size_t size, working;
    infill_status status = settings(&config, seed, 0);
    if (status == INFILL_OK) status = infill_init(block, sizeof block, space, &config, &opt);
    for (int i = 0; i < TRIALS && status == INFILL_OK; i++) {
        double x[DIMS];
        infill_trial trial;
        status = infill_ask(opt, x, DIMS, &trial);
        if (status == INFILL_OK) status = infill_tell(opt, trial, loss(plant, x));
    }
    if (status == INFILL_OK) status = infill_source_size(opt, INFILL_FORM_MEANS, 0, &size, &working);
    if (status == INFILL_OK && (size > sizeof source || working > sizeof work)) status = INFILL_ERROR_MEMORY;
    if (status == INFILL_OK)
        status = infill_source_export(opt, INFILL_FORM_MEANS, NULL, 0, work, sizeof work, source, sizeof source, bytes);
    return status;
}

int main(void)
{
    const infill_param params[DIMS] = CONTROLLER;
    const infill_space space = INFILL_SPACE(params, DIMS);
    const struct plant plants[EARLIER] = FAMILY;
    infill_config config;
    infill_status status = settings(&config, 1, EARLIER);

    /* The block of the run that they help: as large on the board. */
    printf("enum { BLOCK_WORDS = %lu };\n", (unsigned long)(infill_size(&space, &config) / sizeof block[0]));
    printf("static const uint64_t sources[] = {\n");
    for (int i = 0; i < EARLIER && status == INFILL_OK; i++) {
        size_t bytes = 0;
        status = learn(&space, plants[i], (uint64_t)i + 2, &bytes);
        for (size_t w = 0; w < bytes / sizeof source[0]; w++) printf("    UINT64_C(0x%016" PRIx64 "),\n", source[w]);
    }
    printf("};\n");
    if (status != INFILL_OK) fprintf(stderr, "%s\n", infill_status_str(status));
    return status == INFILL_OK ? 0 : 1;
}
