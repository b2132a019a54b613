/* Spaces, and what their points may be: conditions and clauses judged a second time, on the values that users get. */
#include "fuzz.h"

/* A range with few values of the scalar between its bounds. */
static void narrow(infill_param *param, uint32_t scalar)
{
    static const double single[][2] = {{1000, 1001}, {1e6, 1e6 + 8}, {1.7e9, 1.7e9 + 1e5}, {-16777216, -16777200}, {1, 1.00001}};
    static const double wide[][2] = {{1e15, 1e15 + 4}, {9e15, 9e15 + 64}, {-4e15, -4e15 + 16}, {1, 1 + 64 * DBL_EPSILON}};
    const double *ends = scalar == INFILL_F32 ? single[below(COUNT(single))] : wide[below(COUNT(wide))];
    param->lo = ends[0];
    param->hi = ends[1];
    param->log = ends[0] > 0 && chance(25);
}

static void draw_param(infill_param *param, uint32_t scalar)
{
    memset(param, 0, sizeof *param);
    param->kind = INFILL_KIND_REAL;
    switch (below(8)) {
    case 0:
    case 1:
        narrow(param, scalar);
        break;
    case 2:
        param->lo = pow(10, between(-6, 0));
        param->hi = param->lo * pow(10, between(0.5, 6));
        param->log = 1;
        break;
    case 3:
        param->kind = INFILL_KIND_INTEGER;
        param->lo = (double)below(5) + 1;
        param->hi = param->lo + 1 + (double)below(40);
        param->log = chance(30);
        break;
    case 4: {
        double *levels = take(4 * sizeof *levels);
        param->kind = INFILL_KIND_ORDINAL;
        param->count = 2 + below(3);
        for (size_t i = 0; i < param->count; i++) levels[i] = (i > 0 ? levels[i - 1] : -1) + 0.25 + between(0, 2);
        param->levels = levels;
        break;
    }
    case 5:
        param->kind = INFILL_KIND_CATEGORICAL;
        param->count = 2 + below(3);
        break;
    default:
        param->lo = between(-3, 3);
        param->hi = param->lo + pow(10, between(-2, 2));
    }
}

/* A value that the parameter can take, the same for both scalars where it is not a real. */
static double value_of(const infill_param *param, uint32_t scalar)
{
    double value;
    switch (param->kind) {
    case INFILL_KIND_ORDINAL: return param->levels[below(param->count)];
    case INFILL_KIND_CATEGORICAL: return (double)below(param->count);
    case INFILL_KIND_INTEGER: return param->lo + (double)below((size_t)(param->hi - param->lo) + 1);
    default: break;
    }
    value = chance(10) ? param->lo : chance(10) ? param->hi : between(param->lo, param->hi);
    if (scalar == INFILL_F32) value = (double)(float)value;
    return value < param->lo ? param->lo : value > param->hi ? param->hi : value;
}

/* Some values of a parameter, as a condition or a term has them. */
static void draw_values(const infill_param *param, uint32_t scalar, uint32_t *when, double *lo, double *hi, const double **list,
                        size_t *count)
{
    double a = value_of(param, scalar), b = value_of(param, scalar);
    *lo = a < b ? a : b;
    *hi = a < b ? b : a;
    *when = param->kind == INFILL_KIND_CATEGORICAL ? (chance(50) ? INFILL_WHEN_EQUALS : INFILL_WHEN_IN)
            : param->kind == INFILL_KIND_REAL      ? (chance(85) ? INFILL_WHEN_BETWEEN : INFILL_WHEN_EQUALS)
                                                   : (uint32_t)(INFILL_WHEN_EQUALS + below(3));
    if (*when == INFILL_WHEN_EQUALS) *hi = *lo;
    if (*when != INFILL_WHEN_IN) return;
    double *values = take(2 * sizeof *values);
    values[0] = a;
    values[1] = b;
    *list = values;
    *count = a == b ? 1 : 2;
    *lo = *hi = 0;
}

void draw_space(area *area, uint32_t scalar)
{
    size_t dims = 1 + below(MOST), conditions = 0, terms = 0;
    memset(area, 0, sizeof *area);
    area->scalar = scalar;
    for (size_t i = 0; i < dims; i++) {
        infill_param *param = &area->params[i];
        draw_param(param, scalar);
        if (chance(15)) {
            param->has_usual = 1;
            param->usual = value_of(param, scalar);
        }
    }
    while (dims > 1 && conditions < COUNT(area->conditions) && chance(35)) {
        infill_condition *condition = &area->conditions[conditions];
        condition->parent = (uint32_t)below(dims - 1);
        condition->child = condition->parent + 1 + (uint32_t)below(dims - 1 - condition->parent);
        condition->either = conditions > 0 && condition[-1].child == condition->child && chance(50);
        draw_values(&area->params[condition->parent], scalar, &condition->when, &condition->lo, &condition->hi,
                    &condition->values, &condition->count);
        conditions++;
    }
    while (terms < COUNT(area->terms) && chance(45)) {
        infill_term *term = &area->terms[terms];
        term->parameter = (uint32_t)below(dims);
        /* A combination names a parameter once. */
        term->also = terms > 0 && term[-1].parameter < term->parameter && chance(60);
        draw_values(&area->params[term->parameter], scalar, &term->when, &term->lo, &term->hi, &term->values, &term->count);
        terms++;
    }
    infill_space space = INFILL_SPACE_FORBID(area->params, dims, conditions > 0 ? area->conditions : NULL, conditions,
                                             terms > 0 ? area->terms : NULL, terms);
    space.impute = (uint32_t)below(4);
    area->space = space;
}

static void trace_values(uint32_t when, double lo, double hi, const double *list, size_t count)
{
    if (when == INFILL_WHEN_IN) trace(" in %.17g %.17g\n", list[0], list[count - 1]);
    else trace(" from %.17g to %.17g\n", lo, hi);
}

void trace_space(const area *area)
{
    for (size_t i = 0; i < area->space.dims; i++) {
        const infill_param *p = &area->params[i];
        trace("    parameter %zu: kind %u, %.17g to %.17g, log %u, %zu values\n", i, p->kind, p->lo, p->hi, p->log, p->count);
    }
    for (size_t i = 0; i < area->space.count; i++) {
        const infill_condition *c = &area->space.conditions[i];
        trace("    %s %u if %u", c->either ? "or" : "condition:", c->child, c->parent);
        trace_values(c->when, c->lo, c->hi, c->values, c->count);
    }
    for (size_t i = 0; i < area->space.terms; i++) {
        const infill_term *t = &area->space.forbidden[i];
        trace("    %s %u", t->also ? "and" : "forbidden:", t->parameter);
        trace_values(t->when, t->lo, t->hi, t->values, t->count);
    }
}

void damage_space(area *area)
{
    infill_param *param = &area->params[below(area->space.dims)];
    switch (below(9)) {
    case 0: param->lo = any_number(); break;
    case 1: param->hi = any_number(); break;
    case 2: param->kind = (uint32_t)below(7); break;
    case 3: param->count = chance(50) ? below(3) : SIZE_MAX; break;
    case 4: param->has_usual = 1, param->usual = any_number(); break;
    case 5: area->conditions[0].parent = (uint32_t)below(7), area->space.conditions = area->conditions, area->space.count = 1; break;
    case 6: area->terms[0].lo = any_number(), area->space.forbidden = area->terms, area->space.terms = 1; break;
    case 7: area->space.impute = (uint32_t)below(7); break;
    default: area->space.size = below(2 * sizeof area->space); break;
    }
    /* A list of more values than there are would be read. */
    if (param->kind == INFILL_KIND_ORDINAL && (param->levels == NULL || param->count > 4)) param->kind = INFILL_KIND_REAL;
    if (param->kind == INFILL_KIND_ORDINAL && param->count > 2) param->count = 2;
}

void draw_point(const area *area, double *x)
{
    for (size_t i = 0; i < area->space.dims; i++) x[i] = value_of(&area->params[i], area->scalar);
    if (chance(6)) x[below(area->space.dims)] = any_number();
}

/* Whether a value is one of those meant. */
static int meant(const area *area, double value, uint32_t when, double lo, double hi, const double *list, size_t count)
{
    if (when == INFILL_WHEN_EQUALS) return value == rounded(area->scalar, lo);
    if (when == INFILL_WHEN_BETWEEN) return value >= rounded(area->scalar, lo) && value <= rounded(area->scalar, hi);
    for (size_t i = 0; i < count; i++) {
        if (value == rounded(area->scalar, list[i])) return 1;
    }
    return 0;
}

/* Which parameters matter: all groups of alternatives hold, and a parent that does not matter has no value. */
static void matter(const area *area, const double *x, int *active)
{
    for (size_t i = 0; i < area->space.dims; i++) {
        int holds = 1, group = 1, seen = 0;
        for (size_t k = 0; k < area->space.count; k++) {
            const infill_condition *c = &area->space.conditions[k];
            if (c->child != i) continue;
            int this = active[c->parent] && meant(area, rounded(area->scalar, x[c->parent]), c->when, c->lo, c->hi, c->values, c->count);
            if (seen && c->either) {
                group |= this;
            } else {
                holds &= group;
                group = this;
            }
            seen = 1;
        }
        active[i] = holds && group;
    }
}

int forbidden(const area *area, const double *x)
{
    int active[MOST], all = 0;
    matter(area, x, active);
    for (size_t k = 0; k < area->space.terms; k++) {
        const infill_term *t = &area->space.forbidden[k];
        int this = active[t->parameter] &&
                   meant(area, rounded(area->scalar, x[t->parameter]), t->when, t->lo, t->hi, t->values, t->count);
        if (!t->also && all) return 1;
        all = t->also ? all && this : this;
    }
    return all;
}

/* Whether a parameter can have the value, as the scalar has both. */
static int possible(const area *area, const infill_param *param, double value)
{
    if (value != rounded(area->scalar, value)) return 0;
    switch (param->kind) {
    case INFILL_KIND_ORDINAL:
        for (size_t i = 0; i < param->count; i++) {
            if (value == rounded(area->scalar, param->levels[i])) return 1;
        }
        return 0;
    case INFILL_KIND_CATEGORICAL: return value == floor(value) && value >= 0 && value < (double)param->count;
    case INFILL_KIND_INTEGER: return value == floor(value) && value >= param->lo && value <= param->hi;
    default: return value >= rounded(area->scalar, param->lo) && value <= rounded(area->scalar, param->hi);
    }
}

int within(const area *area, const double *x)
{
    for (size_t i = 0; i < area->space.dims; i++) {
        if (!possible(area, &area->params[i], rounded(area->scalar, x[i]))) return 0;
    }
    return 1;
}

int outside(const area *area, const double *x)
{
    int active[MOST];
    matter(area, x, active);
    for (size_t i = 0; i < area->space.dims; i++) {
        if (active[i] && !possible(area, &area->params[i], rounded(area->scalar, x[i]))) return 1;
    }
    return 0;
}

void legal(const area *area, const double *x)
{
    finite(x, area->space.dims, "a coordinate");
    for (size_t i = 0; i < area->space.dims; i++) {
        if (!possible(area, &area->params[i], x[i])) fail("parameter %zu cannot be %.17g", i, x[i]);
    }
    if (forbidden(area, x)) fail("a point that a clause forbids: %.17g ...", x[area->space.forbidden[0].parameter]);
}

int same_point(const area *area, const double *a, const double *b)
{
    int first[MOST], second[MOST];
    matter(area, a, first);
    matter(area, b, second);
    for (size_t i = 0; i < area->space.dims; i++) {
        if (first[i] != second[i] || (first[i] && a[i] != b[i])) return 0;
    }
    return 1;
}

/* The value behind one that a parameter can take; NaN behind the last. */
static double next(const area *area, const infill_param *param, double value)
{
    double last = rounded(area->scalar, param->hi);
    switch (param->kind) {
    case INFILL_KIND_ORDINAL:
        for (size_t i = 0; i + 1 < param->count; i++) {
            if (value == rounded(area->scalar, param->levels[i])) return rounded(area->scalar, param->levels[i + 1]);
        }
        return NAN;
    case INFILL_KIND_CATEGORICAL: return value + 1 < (double)param->count ? value + 1 : NAN;
    case INFILL_KIND_INTEGER: return value + 1 <= param->hi ? value + 1 : NAN;
    default:
        value = area->scalar == INFILL_F32 ? (double)nextafterf((float)value, INFINITY) : nextafter(value, INFINITY);
        return value <= last ? value : NAN;
    }
}

static double least(const area *area, const infill_param *param)
{
    return param->kind == INFILL_KIND_ORDINAL ? rounded(area->scalar, param->levels[0])
           : param->kind == INFILL_KIND_CATEGORICAL ? 0
                                                    : rounded(area->scalar, param->lo);
}

size_t enumerate(const area *area, double *points, size_t most)
{
    size_t dims = area->space.dims, count = 0, looked = 0;
    double x[MOST];
    for (size_t i = 0; i < dims; i++) x[i] = least(area, &area->params[i]);
    for (;;) {
        int known = forbidden(area, x);
        for (size_t k = 0; k < count && !known; k++) known = same_point(area, x, points + k * dims);
        if (!known) {
            if (count == most) return most + 1;
            memcpy(points + count++ * dims, x, dims * sizeof *x);
        }
        if (++looked > 64 * most) return 0;
        /* The last that matters changes first: whether it does, the parameters before it decide. */
        int active[MOST];
        matter(area, x, active);
        size_t i = dims;
        for (; i > 0; i--) {
            double after = active[i - 1] ? next(area, &area->params[i - 1], x[i - 1]) : NAN;
            x[i - 1] = isnan(after) ? least(area, &area->params[i - 1]) : after;
            if (!isnan(after)) break;
        }
        if (i == 0) return count;
    }
}
