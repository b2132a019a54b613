/*
 * A choice that decides which other parameters there are, and a combination that is forbidden.
 *
 * A made-up solver of equations: the preconditioner matters to two of three methods, its fill to one preconditioner, the
 * restart to one method or that preconditioner; the fastest setting would need more memory than there is.
 *
 *     cc -std=c99 conditional.c $(pkg-config --cflags --libs infill) -lm -o conditional && ./conditional
 */

#include <infill.h>
#include <math.h>
#include <stdio.h>

enum { METHOD, PRECONDITIONER, FILL, RESTART, DIMS };
enum { DIRECT, ITERATIVE, MULTIGRID };
enum { NONE, JACOBI, ILU };

/* Seconds of a solution, 1.6 at best: multigrid, ilu with a fill of 2 and a restart of 20. */
static int32_t seconds(void *user, const double *x, size_t dims, double *value)
{
    double restart = log(x[RESTART] / 20) * log(x[RESTART] / 20), preconditioned;

    (void)dims;
    if (x[METHOD] == MULTIGRID && x[PRECONDITIONER] == ILU && x[FILL] >= 3) ++*(int *)user;
    if (x[PRECONDITIONER] == NONE) preconditioned = 1.5;
    else if (x[PRECONDITIONER] == JACOBI) preconditioned = 0.8;
    else preconditioned = 0.3 * (4 - x[FILL]) + 0.2 * restart;
    if (x[METHOD] == DIRECT) *value = 4;
    else if (x[METHOD] == ITERATIVE) *value = 2 + preconditioned + restart;
    else *value = 1 + preconditioned;
    return 0;
}

int main(void)
{
    static const double preconditioned[] = {ITERATIVE, MULTIGRID};
    const infill_param params[DIMS] = {INFILL_CATEGORICAL(3), INFILL_CATEGORICAL(3), INFILL_INTEGER(0, 4),
                                       INFILL_INTEGER_LOG(5, 100)};
    const infill_condition conditions[] = {
        INFILL_IF_IN(PRECONDITIONER, METHOD, preconditioned, 2),
        INFILL_IF_EQUALS(FILL, PRECONDITIONER, ILU),
        INFILL_IF_EQUALS(RESTART, METHOD, ITERATIVE), /* one of these two */
        INFILL_OR_EQUALS(RESTART, PRECONDITIONER, ILU),
    };
    const infill_term forbidden[] = {
        INFILL_FORBID_EQUALS(METHOD, MULTIGRID),
        INFILL_ALSO_EQUALS(PRECONDITIONER, ILU),
        INFILL_ALSO_BETWEEN(FILL, 3, 4), /* does not fit into memory */
    };
    const infill_space space = INFILL_SPACE_FORBID(params, DIMS, conditions, 4, forbidden, 3);
    const double large[DIMS] = {MULTIGRID, ILU, 4, 20};
    infill_config config;
    infill_opt *opt = NULL;
    infill_trial trial;
    double x[DIMS] = {0}, value = 0;
    int broken = 0;

    infill_status status = infill_config_default(&config, sizeof config);
    config.seed = 5;
    config.limits.trials = 60;
    if (status == INFILL_OK) status = infill_new(&space, &config, &opt);
    if (status == INFILL_OK && infill_observe(opt, large, DIMS, 1, &trial) != INFILL_ERROR_FORBIDDEN) broken++;
    if (status == INFILL_OK) status = infill_minimize(opt, seconds, &broken, 60);
    if (status == INFILL_OK) status = infill_best(opt, x, DIMS, &value);
    if (status == INFILL_OK) {
        printf("method %g, preconditioner %g, fill %g, restart %g: %.3f s\n", x[METHOD], x[PRECONDITIONER], x[FILL],
               x[RESTART], value);
    } else {
        fprintf(stderr, "%s\n", infill_status_str(status));
    }
    infill_free(opt);
    return status == INFILL_OK && broken == 0 && value < 1.65 ? 0 : 1;
}
