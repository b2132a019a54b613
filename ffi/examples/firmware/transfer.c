/* Tunes the controller of a new plant twice, as if there had been none before, and with what eight earlier ones taught.
 * The sources lie in flash; otherwise it is pid.c, whose proposals are those of the first run. */
#include "board.h"
#include "family.h"
#include "print.h"
#include "sources.h" /* written by sources.c */

#include <stddef.h>

static uint64_t block[BLOCK_WORDS];

/* 32 questions to the optimizer; how many until a cost is reached, and the least cost. */
struct run {
    int trials;
    double best;
};

static infill_status tune(const infill_sources *known, double until, struct run *run)
{
    const infill_param params[DIMS] = CONTROLLER;
    const infill_space space = INFILL_SPACE(params, DIMS);
    const struct plant plant = PLANT;
    infill_config config;
    infill_opt *opt = NULL;
    infill_status status = settings(&config, 1, known == NULL ? 0 : EARLIER);
    if (status == INFILL_OK) status = infill_init(block, sizeof block, &space, &config, &opt);
    if (known == NULL) print_memory("init", board_stack());

    run->trials = 0;
    run->best = 1e30;
    for (int i = 1; i <= TRIALS && status == INFILL_OK; i++) {
        double x[DIMS];
        infill_proposal ask;
        status = infill_ask_from(opt, known, NULL, x, DIMS, &ask);
        if (status != INFILL_OK) break;
        const double y = loss(plant, x);
        print_trial("ask ", x, y);
        if (y < run->best) {
            if (run->best > until) run->trials = i;
            run->best = y;
        }
        status = infill_tell(opt, ask.trial, y);
    }
    return status;
}

static void print_trials(const char *name, const struct run *run)
{
    board_write("trials ");
    board_write(name);
    board_write(" ");
    print_count((uint32_t)run->trials);
    print_number(" to ", (float)run->best);
    board_write("\n");
}

int main(void)
{
    const infill_sources known = INFILL_SOURCES(sources, sizeof sources);
    struct run plain, helped = {0, 0.0};
    infill_status status = tune(NULL, 0.0, &plain);
    if (status == INFILL_OK) status = tune(&known, plain.best, &helped);
    if (status != INFILL_OK) {
        board_write(infill_status_str(status));
        board_write("\n");
        return 1;
    }
    print_trials("without", &plain);
    print_trials("with", &helped);
    print_memory("block", sizeof block);
    print_memory("sources", sizeof sources);
    print_memory("static", board_static());
    print_memory("stack", board_stack());
    /* The sources have to bring it there in fewer trials. */
    return helped.best <= plain.best && helped.trials < plain.trials ? 0 : 1;
}
