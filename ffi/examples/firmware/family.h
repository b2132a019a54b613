/* What eight tuned plants teach about a new one. */
#ifndef FAMILY_H
#define FAMILY_H

#include "infill.h"
#include "plant.h"

enum { EARLIER = 8 };

/* The plants that were tuned earlier: other heaters, losses, doors and dead times than those of PLANT. */
#define FAMILY \
    { \
        {2.0f, 0.9f, 0.4f, 5}, \
        {3.2f, 1.0f, 0.6f, 8}, \
        {1.8f, 1.5f, 0.3f, 6}, \
        {2.8f, 1.7f, 0.5f, 7}, \
        {2.2f, 1.3f, 0.6f, 4}, \
        {3.0f, 1.4f, 0.4f, 6}, \
        {2.4f, 0.8f, 0.3f, 7}, \
        {2.0f, 1.1f, 0.5f, 8}, \
    }

/* Single precision, 32 trials, and room for so many sources. */
static infill_status settings(infill_config *config, uint64_t seed, uint32_t sources)
{
    const infill_status status = infill_config_default(config, sizeof *config);
    if (status != INFILL_OK) return status;
    config->scalar = INFILL_F32;
    config->limits.trials = TRIALS;
    config->limits.sources = sources;
    config->seed = seed;
    return INFILL_OK;
}

/* How much a controller costs on a plant. */
static double loss(struct plant plant, const double *x)
{
    return cost(plant, (float)x[KP], (float)x[KI], (float)x[KD], x[WINDUP] > 0.5);
}

#endif
