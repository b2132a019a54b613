/* Reads the cases from the standard input, makes each call, and writes what infill_explain says of it. */

#include <infill.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, ROOM = 1 << 14 };

typedef struct {
    infill_param params[MOST];
    infill_condition conditions[MOST];
    infill_term terms[MOST];
    const char *names[MOST];
    const char *labels[MOST][MOST];
    const char *const *lists[MOST];
    double values[MOST][MOST];
    size_t used;
    infill_space space;
    infill_config config;
} problem;

static problem own, other;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* The numbers of a list with commas. */
static const double *list(problem *p, char *word, size_t *count) {
    double *out = p->values[p->used++];
    for (*count = 0; word != NULL; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) out[(*count)++] = strtod(word, NULL);
    return out;
}

static void when(problem *p, char **words, uint32_t *kind, double *lo, double *hi, const double **values, size_t *count) {
    *values = NULL;
    *count = 0;
    *lo = *hi = 0;
    if (!strcmp(words[0], "=")) {
        *kind = INFILL_WHEN_EQUALS;
        *lo = *hi = strtod(words[1], NULL);
    } else if (!strcmp(words[0], "in")) {
        *kind = INFILL_WHEN_IN;
        *values = list(p, words[1], count);
    } else {
        *kind = INFILL_WHEN_BETWEEN;
        *lo = strtod(words[1], NULL);
        *hi = strtod(words[3], NULL);
    }
}

static void parameter(problem *p, char **words, int count) {
    infill_param *param = &p->params[p->space.dims];
    int next = 4;
    memset(param, 0, sizeof *param);
    p->names[p->space.dims] = words[0];
    if (!strcmp(words[1], "real") || !strcmp(words[1], "integer")) {
        param->kind = words[1][0] == 'r' ? INFILL_KIND_REAL : INFILL_KIND_INTEGER;
        param->lo = strtod(words[2], NULL);
        param->hi = strtod(words[3], NULL);
    } else if (!strcmp(words[1], "ordinal")) {
        param->kind = INFILL_KIND_ORDINAL;
        param->levels = list(p, words[2], &param->count);
        next = 3;
    } else {
        param->kind = INFILL_KIND_CATEGORICAL;
        param->count = strtoul(words[2], NULL, 10);
        next = 3;
    }
    for (; next < count; next++) {
        if (!strcmp(words[next], "log")) {
            param->log = 1;
        } else if (!strcmp(words[next], "default")) {
            param->has_usual = 1;
            param->usual = strtod(words[++next], NULL);
        } else {
            size_t k = 0;
            for (char *label = strtok(words[next], ","); label != NULL; label = strtok(NULL, ",")) p->labels[p->space.dims][k++] = label;
            p->lists[p->space.dims] = p->labels[p->space.dims];
        }
    }
    p->space.dims++;
}

static void set(infill_config *config, const char *name, double value) {
#define REAL(field) if (!strcmp(name, #field)) { config->field = value; return; }
#define COUNT(field) if (!strcmp(name, #field)) { config->field = (uint32_t)value; return; }
    REAL(acquisition_parameter) REAL(delta) REAL(noise_variance) REAL(noise_lo) REAL(noise_hi) REAL(noise_sd) REAL(refit_growth)
    REAL(training_tolerance) REAL(forest_features) REAL(model_freedom) REAL(sampler_width) REAL(interleave_beta)
    REAL(polish_tolerance)
    COUNT(acquisition) COUNT(design) COUNT(trend) COUNT(targets) COUNT(training_objective) COUNT(model) COUNT(policy) COUNT(pending)
    COUNT(hyper) COUNT(hyper_count) COUNT(warp) COUNT(search_method) COUNT(strategy) COUNT(strategy_parameter) COUNT(incumbent)
    COUNT(when_full) COUNT(categories) COUNT(structure)
    fail(name);
}

static void limit(infill_limits *limits, const char *name, double value) {
#undef COUNT
#define COUNT(field) if (!strcmp(name, #field)) { limits->field = (uint32_t)value; return; }
    COUNT(trials) COUNT(dims) COUNT(conditions) COUNT(levels) COUNT(nodes) COUNT(lists) COUNT(thetas) COUNT(candidates) COUNT(starts)
    COUNT(exact) COUNT(columns) COUNT(names) COUNT(posteriors)
    fail(name);
}

static void begin(problem *p) {
    memset(p, 0, sizeof *p);
    p->space.size = sizeof p->space;
    p->space.params = p->params;
    p->space.conditions = p->conditions;
    p->space.forbidden = p->terms;
    p->space.names = p->names;
    p->space.labels = p->lists;
    infill_config_default(&p->config, sizeof p->config);
    p->config.limits.trials = 20;
}

static void explain(infill_given *given) {
    char text[1024];
    size_t length;
    if (infill_explain(given, text, sizeof text, &length) != INFILL_OK) fail("no explanation");
    puts(given->status == INFILL_OK ? "ACCEPTED" : text);
}

/* What is done with an optimizer that was made. */
static void act(char **words, infill_opt *opt, infill_given given) {
    double x[MOST];
    const size_t dims = own.space.dims, bytes = infill_bytes(opt);
    infill_trial trial = 0;
    infill_opt *again;
    size_t count = 0;
    char *copy = malloc(bytes);
    if (copy == NULL) fail("no memory");
    given.config = NULL;
    if (!strcmp(words[0], "attach")) {
        given.space = &other.space;
        given.mem = copy;
        given.bytes = bytes;
        memcpy(copy, opt, bytes);
        given.status = infill_attach(copy, bytes, &other.space, &again);
    } else if (!strcmp(words[0], "truncate") || !strcmp(words[0], "flip")) {
        const size_t at = strtoul(words[1], NULL, 10);
        memcpy(copy, opt, bytes);
        given.space = NULL;
        given.mem = copy;
        given.bytes = words[0][0] == 't' ? at : bytes;
        if (words[0][0] == 'f') copy[at] ^= 0x55;
        given.status = infill_attach(copy, given.bytes, NULL, &again);
    } else {
        given.opt = opt;
        if (!strcmp(words[0], "observe") || !strcmp(words[0], "enqueue")) {
            given.x = list(&own, words[1], &count);
            given.dims = count;
            given.value = words[0][0] == 'o' ? strtod(words[2], NULL) : 0;
            given.status = words[0][0] == 'o' ? infill_observe(opt, given.x, count, given.value, &trial) : infill_enqueue(opt, given.x, count, &trial);
        } else if (!strcmp(words[0], "tell")) {
            given.trial = strtoull(words[1], NULL, 10);
            given.status = infill_tell(opt, given.trial, strtod(words[2], NULL));
        } else if (!strcmp(words[0], "fill")) {
            while ((given.status = infill_ask(opt, x, dims, &trial)) == INFILL_OK) infill_fail(opt, trial);
        } else if (!strcmp(words[0], "open")) {
            while ((given.status = infill_ask(opt, x, dims, &trial)) == INFILL_OK) continue;
        } else {
            infill_ask(opt, x, dims, &given.trial);
            if (!strcmp(words[0], "forget")) {
                infill_forget(opt, given.trial);
                given.status = infill_forget(opt, given.trial);
            } else {
                given.value = strtod(words[1], NULL);
                if (!strcmp(words[0], "again")) infill_tell(opt, given.trial, given.value);
                given.status = infill_tell(opt, given.trial, given.value);
            }
        }
    }
    explain(&given);
    free(copy);
}

static void run(char *line) {
    char *parts[64], *action[MOST] = {0};
    size_t count = 0;
    problem *p = &own;
    begin(&own);
    begin(&other);
    for (char *at = line; at != NULL;) {
        char *next = strstr(at, " ; ");
        parts[count++] = at;
        if (next != NULL) *next = 0;
        at = next != NULL ? next + 3 : NULL;
    }
    for (size_t i = 0; i < count; i++) {
        char *words[MOST] = {0};
        int n = 0;
        for (char *word = strtok(parts[i], " "); word != NULL; word = strtok(NULL, " ")) words[n++] = word;
        if (!strcmp(words[0], "if") || !strcmp(words[0], "or")) {
            infill_condition *c = &p->conditions[p->space.count++];
            c->child = (uint32_t)strtoul(words[1], NULL, 10);
            c->parent = (uint32_t)strtoul(words[2], NULL, 10);
            c->either = words[0][0] == 'o';
            when(p, words + 3, &c->when, &c->lo, &c->hi, &c->values, &c->count);
        } else if (!strcmp(words[0], "forbid") || !strcmp(words[0], "also")) {
            infill_term *t = &p->terms[p->space.terms++];
            t->parameter = (uint32_t)strtoul(words[1], NULL, 10);
            t->also = words[0][0] == 'a';
            when(p, words + 2, &t->when, &t->lo, &t->hi, &t->values, &t->count);
        } else if (!strcmp(words[0], "set")) {
            set(&p->config, words[1], strtod(words[2], NULL));
        } else if (!strcmp(words[0], "limit")) {
            limit(&p->config.limits, words[1], strtod(words[2], NULL));
        } else if (!strcmp(words[0], "impute")) {
            p->space.impute = INFILL_IMPUTE_OUTSIDE;
        } else if (n > 1 && (!strcmp(words[1], "real") || !strcmp(words[1], "integer") || !strcmp(words[1], "ordinal") || !strcmp(words[1], "category"))) {
            parameter(p, words, n);
        } else {
            memcpy(action, words, sizeof action);
            if (!strcmp(words[0], "attach")) p = &other;
        }
    }
    {
        infill_opt *opt = NULL;
        infill_given given = INFILL_GIVEN(0, &own.space, &own.config);
        given.status = infill_new(&own.space, &own.config, &opt);
        if (given.status == INFILL_OK && action[0] != NULL) act(action, opt, given);
        else explain(&given);
        infill_free(opt);
    }
}

int main(void) {
    static char line[ROOM];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] != '#' && line[0] != 0) run(line);
    }
    return 0;
}
