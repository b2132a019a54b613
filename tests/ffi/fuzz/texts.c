/* Comparisons of methods, and spaces with names. */
#include "fuzz.h"

static void diagram(const double *ranks, size_t methods)
{
    static const char *const all[] = {"a", "bee", "c d", "\xc3\xa4", "", "\xff"};
    const char **names = take(methods * sizeof *names);
    double difference = chance(10) ? any_number() : between(0, 2);
    size_t width = chance(10) ? below(2000) : 20 + below(60);
    for (size_t i = 0; i < methods; i++) names[i] = all[below(chance(10) ? COUNT(all) : 4)];
    if (methods > 0 && chance(3)) names[below(methods)] = NULL;
    size_t bytes = COUNTED(infill_compare_diagram_size, names, ranks, methods, difference, width);
    size_t given = bytes == 0 ? 64 : chance(5) ? bytes - 1 : bytes;
    char *text = out(given);
    if (bytes == 0 || given < bytes) spoil();
    if (CALL(infill_compare_diagram, bent(names), bent(ranks), methods, difference, width, missing(text), given) != INFILL_OK) return;
    if (text[bytes - 1] != 0) fail("the text does not end");
}

void compare(void)
{
    for (int i = 0; i < 12; i++) {
        size_t problems = chance(10) ? below(3) : 1 + below(8), methods = chance(10) ? below(3) : 2 + below(4);
        size_t count = problems * methods;
        double *values = take(count * sizeof *values), *ranks = out(methods * sizeof *ranks), *pairs;
        int64_t *net;
        infill_friedman *friedman;
        infill_wilcoxon *wilcoxon;
        int nan = 0;
        for (size_t k = 0; k < count; k++) {
            values[k] = chance(3) ? any_number() : chance(50) ? (double)below(4) : between(0, 1);
        }
        size_t which = below(7);
        /* Of an odd number, halves leave the last one out. */
        for (size_t k = 0; k < (which == 4 ? count / 2 * 2 : count); k++) nan |= isnan(values[k]) != 0;
        if (nan && which < 5) spoil();
        void *given = count > 0 && which < 5 ? bent(values) : values;
        switch (which) {
        case 0:
            if (CALL(infill_compare_ranks, given, problems, methods, methods > 0 ? bent(ranks) : ranks) != INFILL_OK) break;
            finite(ranks, methods, "a rank");
            diagram(ranks, methods);
            break;
        case 1:
            if (CALL(infill_compare_win_rates, given, problems, methods, methods > 0 ? bent(ranks) : ranks) == INFILL_OK) {
                finite(ranks, methods, "a rate");
            }
            break;
        case 2:
            net = out(methods * methods * sizeof *net);
            CALL(infill_compare_net_wins, given, problems, methods, methods > 0 ? bent(net) : net);
            break;
        case 3:
            friedman = out(sizeof *friedman);
            if (CALL(infill_compare_friedman, given, problems, methods, bent(friedman)) != INFILL_OK) break;
            finite(&friedman->chi_squared, 4, "a number of Friedman's test");
            finite(&friedman->f_p, 1, "the probability of F");
            /* Infinite if all problems have one order. */
            if (isnan(friedman->f)) fail("F is NaN");
            break;
        case 4:
            wilcoxon = out(sizeof *wilcoxon);
            if (CALL(infill_compare_wilcoxon, given, given == values ? values + count / 2 : values, count / 2, bent(wilcoxon)) ==
                INFILL_OK) {
                finite(&wilcoxon->statistic, 3, "a number of Wilcoxon's test");
            }
            break;
        case 5:
            pairs = out(sizeof *pairs);
            if (CALL(infill_compare_critical_difference, chance(10) ? (size_t)bits() : methods, problems,
                     chance(20) ? any_number() : between(0, 1), bent(pairs)) == INFILL_OK) {
                finite(pairs, 1, "the difference");
            }
            break;
        default: {
            double *own = take(methods * sizeof *own);
            for (size_t k = 0; k < methods; k++) own[k] = chance(4) ? any_number() : between(1, (double)methods);
            if (methods > 0) diagram(own, methods);
        }
        }
    }
}

static const char *const texts[] = {
    "{\"name\": \"s\", \"hyperparameters\": [{\"name\": \"x\", \"type\": \"uniform_float\", \"lower\": 0, \"upper\": 1, \"default_value\": 0.5, "
    "\"log\": false, \"meta\": null}, {\"name\": \"k\", \"type\": \"categorical\", \"choices\": [\"a\", \"b\"], \"weights\": null, "
    "\"default_value\": \"a\", \"meta\": null}], \"conditions\": [], \"forbiddens\": [], \"format_version\": 0.4}",
    "{}",
    "[1, 2",
    "{\"hyperparameters\": []}",
    "",
};

/* A document of a space that is drawn, or of a text that is damaged. */
static infill_document *read(area *area)
{
    infill_document **made = out(sizeof *made);
    infill_status status;
    if (chance(60)) {
        static const char *const names[] = {"a", "b", "c", "d", "\xc3\xa4"};
        draw_space(area, INFILL_F64);
        if (chance(10)) damage_space(area);
        status = CALL(infill_document_of, bent(&area->space), chance(50) ? NULL : names, made);
    } else {
        const char *text = texts[below(COUNT(texts))];
        size_t length = strlen(text);
        char *own = take(length);
        memcpy(own, text, length);
        if (length > 0 && chance(60)) own[below(length)] = (char)(chance(80) ? 32 + below(95) : bits());
        status = CALL(infill_document_read, length > 0 ? missing(own) : own, chance(80) ? length : below(length + 1), made);
        area->space.dims = 0;
    }
    if (status != INFILL_OK) return NULL;
    own_document(*made);
    return *made;
}

/* The length, then the text. */
static void written(const infill_document *document)
{
    size_t *length = out(sizeof *length), *again;
    if (CALL(infill_document_write, bent(document), NULL, 0, bent(length)) != INFILL_OK) return;
    size_t capacity = *length + 1 - chance(10);
    char *text = out(capacity);
    again = out(sizeof *again);
    if (capacity <= *length) spoil();
    if (CALL(infill_document_write, document, text, capacity, bent(again)) != INFILL_OK) return;
    if (*again != *length || text[*length] != 0) fail("the text is not as long as it says");
    infill_document **same = out(sizeof *same);
    if (CALL(infill_document_read, text, *length, same) != INFILL_OK) fail("what was written cannot be read");
    own_document(*same);
}

void document(void)
{
    area area;
    const infill_document *document = read(&area);
    const infill_space **space = out(sizeof *space);
    if (document == NULL) return;
    if (CALL(infill_document_space, document, space) != INFILL_OK) fail("no space");
    /* A constant is no parameter of the space. */
    size_t dims = (*space)->dims, own = area.space.dims;
    if (own > 0 && own != dims) fail("another number of parameters");
    for (int i = 0; i < 12; i++) {
        double *x = take((dims + 1) * sizeof *x);
        char *text = out(400);
        size_t *length = out(sizeof *length);
        for (size_t k = 0; k < dims; k++) {
            const infill_param *param = &(*space)->params[k];
            x[k] = chance(10) ? any_number() : param->kind == INFILL_KIND_CATEGORICAL ? 0 : param->kind == INFILL_KIND_ORDINAL ? param->levels[0] : param->lo;
        }
        switch (below(5)) {
        case 0: written(document); break;
        case 1: CALL(infill_document_name, bent(document), below(dims + 2), missing(text), 400, bent(length)); break;
        case 2: {
            if (CALL(infill_document_values, bent(document), bent(x), dims + chance(3), missing(text), 400, bent(length)) != INFILL_OK) break;
            size_t size = *length;
            double *point = out(dims * sizeof *point);
            if (CALL(infill_document_point, bent(document), text, chance(90) ? size : below(size), bent(point), dims) == INFILL_OK) {
                finite(point, dims, "a coordinate");
            }
            break;
        }
        case 3: {
            double *point = out(dims * sizeof *point);
            static const char *const objects[] = {"{}", "{\"x\": 0.25}", "{\"x\": 1e999}", "[]", "{\"k\": \"b\", \"x\": 1}", "{\"x\": null}"};
            const char *object = objects[below(COUNT(objects))];
            if (CALL(infill_document_point, bent(document), missing(object), strlen(object), bent(point), dims) == INFILL_OK) {
                finite(point, dims, "a coordinate");
            }
            break;
        }
        default: {
            /* NaN for what does not matter. */
            size_t count = dims + below(2);
            double *vector = out(count * sizeof *vector);
            if (CALL(infill_document_vector, bent(document), bent(x), dims, bent(vector), count) != INFILL_OK) break;
            for (size_t k = 0; k < count; k++) {
                if (isinf(vector[k])) fail("an infinite coordinate");
            }
        }
        }
    }
}
