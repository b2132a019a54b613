/* Acquisitions against their formulas, designs against what is promised of them. */

#include "good.h"

static double density(double z) { return exp(-z * z / 2) / sqrt(2 * PI); }
static double cumulated(double z) { return erfc(-z / sqrt(2.0)) / 2; }

static void acquisitions(void) {
    const double mean = 0.4, variance = 0.09, best = 0.5, margin = 0.02, s = 0.3, h = 1e-6;
    const double gain = best - margin - mean, z = gain / s, improvement = gain * cumulated(z) + s * density(z);
    /* The others have no margin. E[I^3] is (u^2 + 2 s^2) E[I] + u s^2 Phi. */
    const double u = best - mean, t = 1.5, plain = u * cumulated(u / s) + s * density(u / s);
    const double expected[8] = {cumulated(z),
                                improvement,
                                log(improvement),
                                t * s - mean,
                                (2 * s * s + u * u) * plain + u * s * s * cumulated(u / s),
                                log(cumulated(u / s + t * s)) + t * (u - 1) + t * t * s * s / 2,
                                s,
                                plain * (1 - t / sqrt(s * s + t * t))};
    const double parameters[8] = {margin, margin, margin, t, 3, t, 0, t};
    double score = NAN, again = NAN, by_mean = NAN, by_deviation = NAN, up = NAN, down = NAN, beta = NAN;
    for (uint32_t rule = INFILL_ACQUISITION_PROBABILITY; rule <= INFILL_ACQUISITION_NOISY; rule++) {
        double parameter = parameters[rule - 1];
        OK(infill_acquisition_score(rule, parameter, mean, variance, best, &score));
        CLOSE(expected[rule - 1], score, 1e-13);
        OK(infill_acquisition_gradient(rule, parameter, mean, variance, best, &again, &by_mean, &by_deviation));
        CLOSE(score, again, 1e-14);
        OK(infill_acquisition_score(rule, parameter, mean + h, variance, best, &up));
        OK(infill_acquisition_score(rule, parameter, mean - h, variance, best, &down));
        CLOSE((up - down) / (2 * h), by_mean, 1e-8);
        OK(infill_acquisition_score(rule, parameter, mean, (s + h) * (s + h), best, &up));
        OK(infill_acquisition_score(rule, parameter, mean, (s - h) * (s - h), best, &down));
        CLOSE((up - down) / (2 * h), by_deviation, 1e-8);
        /* Never NaN, whatever the prediction. */
        OK(infill_acquisition_score(rule, parameter, NAN, variance, best, &score));
        CHECK(score == score);
    }
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
