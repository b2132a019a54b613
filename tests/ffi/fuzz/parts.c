/* Kernels, acquisitions, designs, backends and what tells of the library. */
#include "fuzz.h"

/* A hyperparameter as a logarithm, or a coordinate. */
static double coordinate(void) { return chance(5) ? any_number() : chance(10) ? any_finite() : between(-2, 2); }

static void fill(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = coordinate();
        if (!isfinite(values[i])) spoil();
    }
}

void evaluate_kernels(void)
{
    size_t dims = 1 + below(3), *thetas = out(sizeof *thetas), count;
    infill_kernel kernel;
    draw_kernel(&kernel, dims);
    if (CALL(infill_kernel_thetas, bent(&kernel), dims, bent(thetas)) != INFILL_OK) return;
    count = *thetas;
    for (int i = 0; i < 24; i++) {
        size_t rows = 1 + below(3), half = rows * (rows + 1) / 2;
        double *theta = take(count * sizeof *theta), *x = take(rows * dims * sizeof *x), *b = take(dims * sizeof *b);
        double *value = out(sizeof *value), *by_theta, *by_a, *matrix;
        switch (below(4)) {
        case 0:
            theta = out(count * sizeof *theta);
            if (CALL(infill_kernel_start, bent(&kernel), dims, count > 0 ? bent(theta) : theta, count) == INFILL_OK) {
                finite(theta, count, "a hyperparameter");
            }
            break;
        case 1:
            fill(theta, count);
            fill(x, dims);
            fill(b, dims);
            if (CALL(infill_kernel_eval, bent(&kernel), count > 0 ? bent(theta) : theta, count, bent(x), bent(b), dims,
                     bent(value)) == INFILL_OK) {
                finite(value, 1, "a covariance");
            }
            break;
        case 2:
            fill(theta, count);
            fill(x, dims);
            fill(b, dims);
            by_theta = out(count * sizeof *by_theta);
            by_a = out(dims * sizeof *by_a);
            if (CALL(infill_kernel_gradient, bent(&kernel), count > 0 ? bent(theta) : theta, count, bent(x), bent(b), dims,
                     bent(value), count > 0 ? bent(by_theta) : by_theta, bent(by_a)) != INFILL_OK) {
                break;
            }
            finite(value, 1, "a covariance");
            finite(by_theta, count, "a derivative by a hyperparameter");
            finite(by_a, dims, "a derivative by a coordinate");
            break;
        default:
            fill(theta, count);
            fill(x, rows * dims);
            matrix = out(half * sizeof *matrix);
            if (CALL(infill_kernel_gram, bent(&kernel), count > 0 ? bent(theta) : theta, count, bent(x), rows, dims,
                     bent(matrix)) == INFILL_OK) {
                finite(matrix, half, "a covariance");
            }
        }
    }
}

static void score(void)
{
    static const double parameters[] = {0, 0.01, 0.01, 0, 1.5, 2, 1, 0, 0.1};
    uint32_t rule = chance(3) ? (uint32_t)below(99) : 1 + (uint32_t)below(INFILL_ACQUISITION_NOISY);
    double parameter = rule >= COUNT(parameters) || chance(10) ? any_number() : parameters[rule];
    double mean = chance(20) ? any_number() : between(-2, 2), variance = chance(20) ? any_number() : between(0, 2);
    double best = chance(20) ? any_number() : between(-2, 2);
    double *value = out(sizeof *value), *by_mean, *by_deviation;
    int finely = isfinite(mean) && isfinite(variance) && isfinite(best);
    if (chance(50)) {
        if (CALL(infill_acquisition_score, rule, parameter, mean, variance, best, bent(value)) != INFILL_OK) return;
    } else {
        by_mean = out(sizeof *by_mean);
        by_deviation = out(sizeof *by_deviation);
        if (CALL(infill_acquisition_gradient, rule, parameter, mean, variance, best, bent(value), bent(by_mean),
                 bent(by_deviation)) != INFILL_OK) {
            return;
        }
        if (finely) {
            finite(by_mean, 1, "a derivative by the mean");
            finite(by_deviation, 1, "a derivative by the deviation");
        }
    }
    if (isnan(*value)) fail("a score that is NaN");
    if (finely) finite(value, 1, "a score");
}

/* Points of a design are points of the space, in double precision. */
static void design(void)
{
    area area;
    draw_space(&area, INFILL_F64);
    if (chance(10)) damage_space(&area);
    size_t bytes = COUNTED(infill_design_size, &area.space), count = below(6), dims = area.space.dims;
    uint32_t total = (uint32_t)(count + below(6)), kind = chance(3) ? (uint32_t)bits() : (uint32_t)below(5);
    void *mem = take(bytes > 0 ? bytes : 4096);
    double *points = out(count * dims * sizeof *points);
    if (bytes == 0 || total == 0) spoil();
    infill_status status = CALL(infill_design, bent(mem), bytes > 0 ? bytes : 4096, bent(&area.space), kind, bits(), total,
                                count > 0 ? bent(points) : points, count, dims);
    for (size_t i = 0; status == INFILL_OK && i < count; i++) legal(&area, points + i * dims);
}

static void backends(void)
{
    infill_backend **backend = out(sizeof *backend);
    infill_gpu_options options;
    char *text;
    uint32_t *api, *software;
    size_t count;
    switch (below(4)) {
    case 0:
        /* Left out of this build: nothing to give back. */
        spoil();
        CALL(infill_backend_faer, below(3), backend);
        return;
    case 1:
        CALL(infill_gpu_options_default, bent(&options), sizeof options);
        return;
    case 2:
        count = COUNTED(infill_gpu_count, );
        text = out(16);
        api = out(sizeof *api);
        software = out(sizeof *software);
        spoil();
        CALL(infill_gpu_adapter, count, text, 16, api, software);
        return;
    default:
        text = out(16);
        spoil();
        CALL(infill_backend_reason, NULL, text, 16);
    }
}

static void tell_of_library(void)
{
    infill_config config;
    static const char *const names[] = {"default", "spearmint", "mip-ego", "gpgo", "none", ""};
    if (infill_version_str() == NULL || infill_status_str((int32_t)bits()) == NULL) fail("no text");
    COUNTED((size_t)infill_version, );
    COUNTED((size_t)infill_capabilities, );
    COUNTED(infill_align, );
    COUNTED(infill_words, (uint32_t)below(9), (uint32_t)bits(), (uint32_t)below(10));
    (void)infill_preset_name((uint32_t)below(20));
    (void)infill_choice_name(missing("infill_model"), (uint32_t)below(20));
    CALL(infill_choice_number, missing("infill_model"), missing(names[below(COUNT(names))]), bent(&config.scalar));
    CALL(infill_config_preset, bent(&config), chance(90) ? sizeof config : below(9), missing(names[below(COUNT(names))]));
    CALL(infill_config_default, bent(&config), chance(90) ? sizeof config : 2 * sizeof config);
}

void score_and_design(void)
{
    for (int i = 0; i < 30; i++) {
        size_t verb = below(100);
        if (verb < 55) {
            score();
        } else if (verb < 65) {
            double delta = any_number(), *beta = out(sizeof *beta);
            size_t dims = chance(90) ? below(9) : (size_t)bits();
            if (CALL(infill_bound_schedule, chance(50) ? below(99) : bits(), dims, delta, bent(beta)) == INFILL_OK) {
                finite(beta, 1, "beta");
            }
        } else if (verb < 90) {
            design();
        } else if (verb < 95) {
            backends();
        } else {
            tell_of_library();
        }
    }
}
