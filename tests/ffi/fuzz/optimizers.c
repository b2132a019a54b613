/* Optimizers from their beginning to their end. */
#include "subject.h"

static uint32_t any_scalar(void) { return chance(50) ? INFILL_F32 : INFILL_F64; }

/* The size that is asked for is enough, and one word less is not; what has no size is refused. */
static int make(subject *s)
{
    s->bytes = COUNTED(infill_size, &s->area.space, &s->config);
    if (s->bytes == 0) {
        static uint64_t mem[1 << 14];
        infill_opt **opt = out(sizeof *opt);
        spoil();
        CALL(infill_init, mem, sizeof mem, &s->area.space, &s->config, opt);
        return 0;
    }
    void *mem = take(s->bytes);
    infill_opt **opt = out(sizeof *opt);
    watch(mem, s->bytes, A_BLOCK);
    spoil();
    if (CALL(infill_init, mem, s->bytes - 8, &s->area.space, &s->config, opt) != INFILL_ERROR_MEMORY) fail("no MEMORY");
    opt = out(sizeof *opt);
    if (chance(30)) {
        watch(NULL, 0, A_BLOCK);
        if (CALL(infill_new, &s->area.space, &s->config, opt) != INFILL_OK) fail("has a size and is refused");
        own_opt(*opt);
    } else if (CALL(infill_init, mem, s->bytes, bent(&s->area.space), bent(&s->config), opt) != INFILL_OK) {
        return 0;
    }
    s->opt = *opt;
    s->area.scalar = infill_scalar_of(s->opt);
    trace_space(&s->area);
    trace_config(&s->config);
    watch_subject(s);
    return 1;
}

/* Also with larger limits: it goes on to the same bits. */
static void clone(subject *s)
{
    infill_limits limits, *given = NULL;
    memset(&limits, 0, sizeof limits);
    if (chance(60)) {
        given = &limits;
        limits.trials = chance(50) ? s->config.limits.trials + (uint32_t)below(9) : (uint32_t)below(40);
        limits.open = chance(50) ? 0 : (uint32_t)below(12);
        if (chance(5)) limits.names = (uint32_t)below(64);
        if (chance(5)) limits.candidates = (uint32_t)bits();
    }
    size_t bytes = COUNTED(infill_clone_size, s->opt, given);
    infill_opt **opt = out(sizeof *opt);
    if (bytes == 0) {
        void *mem = take(1 << 12);
        spoil();
        CALL(infill_clone, s->opt, given, mem, 1 << 12, opt);
        return;
    }
    void *mem = take(bytes);
    if (CALL(infill_clone, bent(s->opt), given, bent(mem), bytes, opt) != INFILL_OK) return;
    double x[MOST] = {0}, y[MOST] = {0};
    infill_trial first, second;
    void *kept = take(bytes);
    memcpy(kept, mem, bytes);
    infill_status status = CALL(infill_ask, s->opt, x, s->area.space.dims, &first);
    watch(NULL, 0, A_BLOCK);
    infill_status again = CALL(infill_ask, *opt, y, s->area.space.dims, &second);
    int room = status == INFILL_ERROR_FULL || status == INFILL_ERROR_TOO_MANY_OPEN || given != NULL;
    if (status != again && !room) fail("a clone answers %d instead of %d", (int)again, (int)status);
    if (status == INFILL_OK && again == INFILL_OK && s->config.when_full == 0 && memcmp(x, y, sizeof x) != 0) {
        fail("a clone goes on to other bits");
    }
    /* The clone goes on as it was made. */
    memcpy(mem, kept, bytes);
    s->opt = *opt;
    s->bytes = bytes;
    if (given != NULL && limits.trials != 0) s->config.limits.trials = limits.trials;
    watch_subject(s);
}

/* What a callback sees; it must not leave, so that it is told of afterwards. */
typedef struct seen {
    const area *area;
    int stops, bad;
} seen;

static int32_t objective(void *user, const double *x, size_t dims, double *value)
{
    seen *seen = user;
    for (size_t i = 0; i < dims; i++) seen->bad |= !isfinite(x[i]);
    seen->bad |= forbidden(seen->area, x) || !within(seen->area, x);
    *value = chance(10) ? any_number() : x[0];
    return seen->stops && chance(20);
}

static int32_t progress(void *user, const infill_step *step)
{
    seen *seen = user;
    seen->bad |= step->evaluation > step->evaluations || isinf(step->value) || isinf(step->best);
    return seen->stops && chance(20);
}

static void minimize(subject *s)
{
    seen seen = {&s->area, chance(50), 0};
    uint32_t evaluations = (uint32_t)below(5);
    /* Evaluations before the one that failed are kept. */
    watch(NULL, 0, A_BLOCK);
    if (chance(20)) CALL(infill_minimize_from, bent(s->opt), NULL, NULL, objective, progress, &seen, evaluations);
    else if (chance(50)) CALL(infill_minimize, bent(s->opt), chance(2) ? (spoil(), (infill_objective)0) : objective, &seen, evaluations);
    else CALL(infill_minimize_with, bent(s->opt), NULL, objective, chance(50) ? progress : NULL, &seen, evaluations);
    if (seen.bad) fail("a callback was given a point or a number that cannot be");
    watch_subject(s);
}

/* What it has been told so far, as a source for itself, mostly undamaged. */
static void transfer(subject *s)
{
    size_t *bytes = out(sizeof *bytes), *more = out(sizeof *more), *count, *written, size, features = below(3);
    uint32_t form = chance(4) ? (uint32_t)below(9) : (uint32_t)below(2);
    double numbers[2] = {between(-2, 2), chance(3) ? any_number() : 1};
    infill_sources list;
    infill_proposal *proposal;
    if (form > 1) spoil();
    if (CALL(infill_source_size, bent(s->opt), form, features, bent(bytes), bent(more)) != INFILL_OK) return;
    size = *bytes;
    void *work = take(*more), *source = out(size);
    written = out(sizeof *written);
    if (features == 2 && !isfinite(rounded(s->area.scalar, numbers[1]))) spoil();
    if (CALL(infill_source_export, s->opt, form, features > 0 ? bent(numbers) : NULL, features, bent(work), *more, bent(source), size,
             bent(written)) != INFILL_OK) {
        return;
    }
    if (*written != size) fail("a source of another size");
    memset(&list, 0, sizeof list);
    list.data = source;
    list.size = size;
    list.features = numbers;
    list.count = chance(90) ? features : below(3);
    if (list.count == 2 && !isfinite(rounded(s->area.scalar, numbers[1]))) spoil();
    if (chance(10)) {
        ((unsigned char *)source)[below(size)] ^= (unsigned char)(1u << below(8));
        spoil();
    } else if (chance(5)) {
        list.size -= 1 + below(size - 1);
        spoil();
    }
    count = out(sizeof *count);
    if (CALL(infill_sources_check, &list, bent(count)) != INFILL_OK) return;
    if (*count != 1) fail("%zu sources instead of one", *count);
    double *x = out(s->area.space.dims * sizeof *x);
    proposal = out(sizeof *proposal);
    if (s->config.limits.sources == 0 || branched(s)) spoil();
    infill_status status = chance(50) ? VERB(s, ask_from, &list, NULL, bent(x), s->area.space.dims, bent(proposal))
                                      : VERB(s, next_from, &list, NULL, bent(x), s->area.space.dims, bent(proposal));
    if (status == INFILL_OK) legal(&s->area, x);
    else return;
    double *mean = out(sizeof *mean), *variance = out(sizeof *variance);
    status = chance(50) ? VERB(s, predict_from, &list, NULL, bent(x), s->area.space.dims, bent(mean), bent(variance))
                        : VERB(s, recommend_from, &list, NULL, bent(x), s->area.space.dims, bent(mean), bent(variance));
    if (status != INFILL_OK) return;
    finite(mean, 1, "mean");
    finite(variance, 1, "variance");
    if (*variance < 0) fail("a variance of %.17g", *variance);
}

static void classify(void)
{
    double columns[6], *described = out(INFILL_META_FEATURES * sizeof *described);
    uint32_t labels[3];
    for (size_t i = 0; i < COUNT(columns); i++) {
        columns[i] = chance(95) ? any_finite() : any_number();
        if (!isfinite(columns[i])) spoil();
    }
    for (size_t i = 0; i < COUNT(labels); i++) labels[i] = (uint32_t)below(3);
    if (CALL(infill_meta_features, bent(columns), 2, bent(labels), 3, bent(described)) == INFILL_OK) {
        finite(described, INFILL_META_FEATURES, "a meta-feature");
    }
}

static void live(subject *s, int steps)
{
    for (int i = 0; i < steps; i++) {
        size_t verb = below(100);
        if (verb < 2) CALL(infill_relearn, bent(s->opt));
        else if (verb < 5) clone(s);
        else if (verb < 8) minimize(s);
        else if (verb < 12) transfer(s);
        else if (verb < 13) classify();
        else step(s);
    }
}

void optimize(void)
{
    subject s;
    memset(&s, 0, sizeof s);
    draw_space(&s.area, any_scalar());
    draw_config(&s.config, s.area.scalar);
    if (chance(8)) {
        damage_space(&s.area);
        COUNTED((size_t)infill_space_fault, &s.area.space);
    }
    if (chance(10)) {
        s.config.kernel = take(sizeof *s.config.kernel);
        draw_kernel((infill_kernel *)(uintptr_t)s.config.kernel, s.area.space.dims);
    }
    /* Choices that do not go together are drawn anew. */
    for (int i = 0; !make(&s); i++) {
        if (i == 3) return;
        draw_config(&s.config, s.area.scalar);
    }
    live(&s, 30 + (int)below(90));
}

/* A model for each value of the first parameter, mostly. */
static void draw_strategy(infill_config *config)
{
    config->strategy = 1 + (uint32_t)below(4);
    config->strategy_start = (uint32_t)below(4);
    config->strategy_budget = config->strategy == INFILL_STRATEGY_BASELINE ? 4 + (uint32_t)below(12) : 0;
    if (chance(40)) config->limits.branch_trials = 2 + (uint32_t)below(8);
    config->strategy_own_minimum = chance(30);
    if (chance(4)) config->strategy_parameter = (uint32_t)below(6);
    if (chance(4)) config->strategy = (uint32_t)below(9);
    if (chance(4)) config->limits.values = (uint32_t)below(6);
}

void select_branches(void)
{
    subject s;
    memset(&s, 0, sizeof s);
    draw_space(&s.area, any_scalar());
    draw_config(&s.config, s.area.scalar);
    if (chance(5)) damage_space(&s.area);
    /* A category without condition: the first parameter has none. */
    if (chance(95)) {
        infill_param category = INFILL_CATEGORICAL(2 + below(3));
        for (size_t i = 0; i < s.area.space.count; i++) {
            if (s.area.conditions[i].parent == 0) s.area.space.count = 0;
        }
        for (size_t i = 0; i < s.area.space.terms; i++) {
            if (s.area.terms[i].parameter == 0) s.area.space.terms = 0;
        }
        s.area.params[0] = category;
        if (s.area.space.dims > 1 && chance(60)) {
            infill_condition only = INFILL_IF_EQUALS(1, 0, below(2));
            s.area.conditions[0] = only;
            s.area.space.conditions = s.area.conditions;
            s.area.space.count = 1;
        }
    }
    for (int i = 0; draw_strategy(&s.config), !make(&s); i++) {
        if (i == 3) return;
        draw_config(&s.config, s.area.scalar);
    }
    live(&s, 30 + (int)below(60));
}
