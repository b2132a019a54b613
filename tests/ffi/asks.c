/*
 * Prints the proposals of a run as bits: asks SCALAR SEED TOLD ASKS [faer | drawn | trees]. The Rust twin is in
 * tests/bits.rs.
 */
#include <infill.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIMS 5

static void check(infill_status status)
{
    if (status != INFILL_OK) {
        fprintf(stderr, "%s\n", infill_status_str(status));
        exit(1);
    }
}

static uint64_t bits(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

/* Only sums and products, so that every compiler gives the same bits. */
static double objective(const double *x)
{
    double a = x[0] - 0.3, b = x[1] / 64 - 0.5, c = x[2] - 2, d = x[4] - 0.1;
    return a * a + b * b + c * c + (x[3] == 1 ? 0.5 + d * d : 1);
}

int main(int argc, char **argv)
{
    static const double levels[] = {1, 2, 4, 8};
    static const infill_param params[DIMS] = {
        INFILL_REAL(-1, 2), INFILL_INTEGER_LOG(1, 64), INFILL_ORDINAL(levels, 4), INFILL_CATEGORICAL(3), INFILL_REAL_LOG(1e-3, 10),
    };
    static const infill_condition conditions[] = {INFILL_IF_EQUALS(4, 3, 1)};
    infill_space space = INFILL_SPACE_IF(params, DIMS, conditions, 1);
    infill_config config;
    infill_backend *backend = NULL;
    infill_opt *opt;
    double x[DIMS], state = 0.5;
    int i, k, told, asks;

    if (argc < 5)
        return 2;
    check(infill_config_default(&config, sizeof config));
    config.scalar = strcmp(argv[1], "f32") == 0 ? INFILL_F32 : INFILL_F64;
    config.seed = strtoull(argv[2], NULL, 10);
    config.limits.trials = 120;
    told = atoi(argv[3]);
    asks = atoi(argv[4]);
    if (argc > 5 && strcmp(argv[5], "faer") == 0)
        check(infill_backend_faer(1, &backend));
    if (argc > 5 && strcmp(argv[5], "drawn") == 0) {
        config.hyper = INFILL_HYPER_MCMC;
        config.hyper_count = 3;
        config.sampler = INFILL_SAMPLER_SURROGATE_SLICE;
        config.sampler_burn_in = 5;
        config.sampler_out = 20;
        config.warp = INFILL_WARP_KUMARASWAMY;
        config.policy = INFILL_POLICY_MAX_VALUE;
        config.policy_representers = 12;
        config.targets = INFILL_TRANSFORM_YEO_JOHNSON;
    }
    if (argc > 5 && strcmp(argv[5], "trees") == 0) {
        config.model = INFILL_MODEL_RANDOM_FOREST;
        config.forest_leaf = 3;
        config.limits.trees = 20;
        config.acquisition = INFILL_ACQUISITION_LOG_MGF;
        config.acquisition_parameter = 1;
        config.pending = INFILL_PENDING_TEMPERATURES;
        config.cooling = INFILL_COOLING_EXPONENTIAL;
        config.cooling_steps = 30;
    }
    check(infill_new(&space, &config, &opt));
    for (i = 0; i < told; i++) {
        infill_trial trial;
        double y;
        /* A logistic map: the same points in every language. */
        for (k = 0; k < DIMS; k++) {
            state = 3.9375 * state * (1 - state);
            x[k] = state;
        }
        x[0] = 3 * x[0] - 1;
        x[1] = 1 + (int)(63 * x[1]);
        x[2] = levels[(int)(4 * x[2])];
        x[3] = (int)(3 * x[3]);
        x[4] = 0.001 + 9 * x[4];
        y = objective(x);
        check(infill_observe(opt, x, DIMS, y, &trial));
    }
    for (i = 0; i < asks; i++) {
        infill_proposal proposal;
        check(infill_ask_with(opt, backend, x, DIMS, &proposal));
        printf("%" PRIx64, bits(proposal.acquisition));
        for (k = 0; k < DIMS; k++)
            printf(" %" PRIx64, bits(x[k]));
        printf("\n");
        check(infill_tell(opt, proposal.trial, objective(x)));
    }
    infill_free(opt);
    infill_backend_free(backend);
    return 0;
}
