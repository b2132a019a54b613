/* Acquisitions and designs. */

#include "world.h"

static void acquisitions(void) {
    double *score = &w.out.value, *by_mean = &w.out.other, *by_deviation = &w.out.third;
    const uint32_t none[] = {0, 9, UINT32_MAX};
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY}, deltas[] = {0, 1, -1, 2, NAN, INFINITY};
    POINTER(score, infill_acquisition_score(2, 0, 1, 1, 1, score));
    POINTER(score, infill_acquisition_gradient(2, 0, 1, 1, 1, score, by_mean, by_deviation));
    POINTER(by_mean, infill_acquisition_gradient(2, 0, 1, 1, 1, score, by_mean, by_deviation));
    POINTER(by_deviation, infill_acquisition_gradient(2, 0, 1, 1, 1, score, by_mean, by_deviation));
    POINTER(score, infill_bound_schedule(3, 2, 0.1, score));
    for (int i = 0; i < 3; i++) {
        REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(none[i], 0, 1, 1, 1, score));
        REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_gradient(none[i], 0, 1, 1, 1, score, by_mean, by_deviation));
        for (uint32_t rule = 1; rule <= 8; rule++) {
            REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(rule, nan_or_inf[i], 1, 1, 1, score));
        }
    }
    for (uint32_t rule = INFILL_ACQUISITION_BOUND; rule <= INFILL_ACQUISITION_NOISY; rule++) {
        REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(rule, -1, 1, 1, 1, score));
    }
    REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(INFILL_ACQUISITION_GENERALISED, 1.5, 1, 1, 1, score));
    REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(INFILL_ACQUISITION_GENERALISED, 21, 1, 1, 1, score));
    REFUSE(INFILL_ERROR_CONFIG, infill_acquisition_score(INFILL_ACQUISITION_DEVIATION, 1, 1, 1, 1, score));
    for (size_t i = 0; i < sizeof deltas / sizeof deltas[0]; i++) {
        REFUSE(INFILL_ERROR_CONFIG, infill_bound_schedule(3, 2, deltas[i], score));
    }
}

static void designs(void) {
    infill_space *space = &w.space;
    void *mem = w.spare;
    double *points = w.out.matrix;
    size_t bytes = infill_design_size(space);
    POINTER(mem, infill_design(mem, bytes, space, 2, 1, 4, points, 4, DIMS));
    POINTER(space, infill_design(mem, bytes, space, 2, 1, 4, points, 4, DIMS));
    POINTER(points, infill_design(mem, bytes, space, 2, 1, 4, points, 4, DIMS));
    REFUSE(INFILL_ERROR_MEMORY, infill_design(mem, bytes - 8, space, 2, 1, 4, points, 4, DIMS));
    REFUSE(INFILL_ERROR_MEMORY, infill_design(mem, 0, space, 2, 1, 4, points, 4, DIMS));
    REFUSE(INFILL_ERROR_CONFIG, infill_design(mem, bytes, space, 5, 1, 4, points, 4, DIMS));
    REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 0, points, 0, DIMS));
    REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 3, points, 4, DIMS));
    REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 4, points, 4, DIMS - 1));
    REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 4, points, 4, DIMS + 1));
    REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 4, points, 4, 0));
    REFUSE(INFILL_ERROR_SHAPE, infill_design(mem, bytes, space, 2, 1, 4, points, 4, SIZE_MAX));
}

static void work(void) {
    acquisitions();
    designs();
}

int main(void) { return in_both_scalars("bad/parts", work); }
