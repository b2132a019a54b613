/* Acquisitions, designs against what is promised of them. */

#include "good.h"

/* Their values are in golden.c. */
static void acquisitions(void) {
    double score = NAN, by_mean = NAN, by_deviation = NAN, beta = NAN;
    OK(infill_acquisition_score(INFILL_ACQUISITION_BOUND, 2, 0.5, 4, 1, &score));
    CLOSE(3.5, score, 1e-15);
    OK(infill_acquisition_gradient(INFILL_ACQUISITION_BOUND, 2, 0.5, 4, 1, &score, &by_mean, &by_deviation));
    CHECK(by_mean == -1 && by_deviation == 2);
    OK(infill_bound_schedule(9, 3, 0.1, &beta));
    CLOSE(sqrt(2 * log(pow(9, 3 / 2.0 + 2) * PI * PI / (3 * 0.1))), beta, 1e-13);
}

static void designs(void) {
    static const double levels[] = {1, 10, 100};
    infill_param params[] = {INFILL_REAL(-2, 2), INFILL_INTEGER(3, 7), INFILL_ORDINAL(levels, 3)};
    infill_space space = INFILL_SPACE(params, 3);
    double points[24], again[24];
    size_t bytes = infill_design_size(&space);
    void *mem = reserve(bytes);
    CHECK(bytes > 0 && bytes % 8 == 0);
    for (uint32_t kind = INFILL_DESIGN_UNIFORM; kind <= INFILL_DESIGN_GRID; kind++) {
        OK(infill_design(mem, bytes, &space, kind, 5, 8, points, 8, 3));
        OK(infill_design(mem, bytes, &space, kind, 5, 8, again, 8, 3));
        CHECK(same_bits(points, again, sizeof points));
        /* The first points are the same if fewer are wanted. */
        memset(again, 0, sizeof again);
        OK(infill_design(mem, bytes, &space, kind, 5, 8, again, 2, 3));
        CHECK(same_bits(points, again, 6 * sizeof points[0]) && again[6] == 0);
        OK(infill_design(mem, bytes, &space, kind, 6, 8, again, 8, 3));
        CHECK(!same_bits(points, again, sizeof points));
        for (size_t i = 0; i < 8; i++) {
            const double *x = points + 3 * i;
            CHECK(x[0] >= -2 && x[0] <= 2 && x[1] >= 3 && x[1] <= 7 && x[1] == floor(x[1]));
            CHECK(x[2] == 1 || x[2] == 10 || x[2] == 100);
        }
    }
    /* A Latin hypercube has one point in each of eight intervals. */
    OK(infill_design(mem, bytes, &space, INFILL_DESIGN_LATIN_HYPERCUBE, 5, 8, points, 8, 3));
    {
        unsigned seen = 0;
        for (size_t i = 0; i < 8; i++) {
            seen |= 1u << (unsigned)((points[3 * i] + 2) * 2);
        }
        CHECK(seen == 255);
    }
    /* Where a point is forbidden, one that is not stands for it; the others stay. */
    {
        infill_term terms[] = {INFILL_FORBID_BETWEEN(0, -1.5, 2)};
        infill_space less = INFILL_SPACE_FORBID(params, 3, NULL, 0, terms, 1);
        size_t more = infill_design_size(&less);
        void *room = reserve(more);
        for (uint32_t kind = INFILL_DESIGN_UNIFORM; kind <= INFILL_DESIGN_GRID; kind++) {
            OK(infill_design(mem, bytes, &space, kind, 5, 8, points, 8, 3));
            OK(infill_design(room, more, &less, kind, 5, 8, again, 8, 3));
            for (size_t i = 0; i < 8; i++) {
                const double *x = points + 3 * i, *y = again + 3 * i;
                CHECK(y[0] >= -2 && y[0] < -1.5);
                CHECK(x[0] >= -1.5 || same_bits(x, y, 3 * sizeof x[0]));
            }
        }
        free(room);
    }
    /* No points are no work. */
    OK(infill_design(mem, bytes, &space, INFILL_DESIGN_SOBOL, 5, 8, NULL, 0, 3));
    free(mem);
}

int main(void) {
    acquisitions();
    designs();
    return report("good/parts");
}
