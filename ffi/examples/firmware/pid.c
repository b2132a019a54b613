/* Tunes a PID controller on a simulated plant: the same program on a microcontroller and on a computer.
 * There is no heap and no C library; every number is printed with its bits, which are the same on both. */
#include "board.h"
#include "infill.h"
#include "plant.h"
#include "print.h"

#include <stddef.h>

static uint64_t block[INFILL_WORDS(DIMS, TRIALS, INFILL_F32)];

/* 32 questions to the optimizer, each answered by a simulation. */
static infill_status tune(double *best, double *value)
{
    const infill_param params[DIMS] = CONTROLLER;
    const struct plant plant = PLANT;
    const infill_space space = INFILL_SPACE(params, DIMS);
    infill_config config;
    infill_opt *opt = NULL;
    infill_status status = infill_config_default(&config, sizeof config);
    config.scalar = INFILL_F32;
    config.limits.trials = TRIALS;
    config.seed = 1;
    if (status == INFILL_OK) status = infill_init(block, sizeof block, &space, &config, &opt);
    print_memory("init", board_stack());

    for (int i = 0; i < TRIALS && status == INFILL_OK; i++) {
        double x[DIMS];
        infill_trial trial;
        status = infill_ask(opt, x, DIMS, &trial);
        if (status != INFILL_OK) break;
        const double y = cost(plant, (float)x[KP], (float)x[KI], (float)x[KD], x[WINDUP] > 0.5);
        print_trial("ask ", x, y);
        status = infill_tell(opt, trial, y);
    }
    return status == INFILL_OK ? infill_best(opt, best, DIMS, value) : status;
}

int main(void)
{
    double best[DIMS], value;
    const infill_status status = tune(best, &value);
    if (status != INFILL_OK) {
        board_write(infill_status_str(status));
        board_write("\n");
        return 1;
    }
    print_trial("best", best, value);
    print_memory("block", sizeof block);
    print_memory("static", board_static());
    print_memory("stack", board_stack());
    /* The best there is costs 1.2, the best of 32 random settings about 5. */
    return value < 2.0 ? 0 : 1;
}
