/* Questions and answers of an optimizer: proposals are legal and new as users get them. */
#include "subject.h"

/* More points than a case can use up. */
enum { FEW = 120 };

static size_t dims_of(const subject *s) { return s->area.space.dims; }

int branched(const subject *s) { return s->config.strategy >= INFILL_STRATEGY_SINGLE; }

void watch_subject(const subject *s) { watch(s->opt, s->bytes, branched(s) ? A_BRANCHED : AN_OPT); }

subject copied(const subject *s)
{
    subject copy = *s;
    void *mem = take(s->bytes);
    memcpy(mem, s->opt, s->bytes);
    if (CALL(infill_attach, mem, s->bytes, NULL, &copy.opt) != INFILL_OK) fail("a copy is not taken up again");
    return copy;
}

/* The length of a point: now and then not that of the space, which is refused. */
static size_t length(const subject *s)
{
    if (!chance(2)) return dims_of(s);
    spoil();
    return dims_of(s) + 1 + below(3);
}

static infill_status at(const subject *s, size_t index, double *x, infill_record *record)
{
    return infill_record_at(s->opt, index, x, dims_of(s), record);
}

static size_t trials(const subject *s) { return infill_count(s->opt); }

/* Whether a remembered trial of another name is at the point. */
static int known(const subject *s, const double *x, infill_trial but)
{
    double y[MOST];
    infill_record record;
    for (size_t i = 0, count = trials(s); i < count; i++) {
        if (at(s, i, y, &record) != INFILL_OK) fail("a trial before the count is not there");
        if (record.trial != but && same_point(&s->area, x, y)) return 1;
    }
    return 0;
}

static int queue(const subject *s)
{
    double y[MOST];
    infill_record record;
    for (size_t i = 0, count = trials(s); i < count; i++) {
        if (at(s, i, y, &record) == INFILL_OK && record.state == INFILL_STATE_QUEUED) return 1;
    }
    return 0;
}

/* A space is exhausted when each of its points is remembered; a mesh ends before, and so do branches of one point. */
static void exhausted(const subject *s)
{
    static double points[FEW * MOST];
    size_t count = enumerate(&s->area, points, FEW);
    if (s->config.model == INFILL_MODEL_GRID) return;
    if (s->config.repeats && branched(s)) return;
    if (s->config.repeats) fail("exhausted, though points may be repeated");
    if (count > FEW) fail("exhausted, though there are more than %d points", FEW);
    for (size_t i = 0; i < count; i++) {
        if (!known(s, points + i * dims_of(s), 0)) fail("exhausted, and a point was never used");
    }
}

static void full(const subject *s)
{
    size_t left = infill_remaining(s->opt);
    /* Branches that have places may be used up. */
    int bounded = branched(s) && s->config.limits.branch_trials > 0;
    if (left > 0 && !bounded) fail("full, though %zu trials remain", left);
}

static void remember(subject *s, infill_trial trial)
{
    s->names[s->named < COUNT(s->names) ? s->named++ : below(s->named)] = trial;
}

static infill_status question(subject *s, double *x, size_t dims, infill_proposal *proposal)
{
    infill_status status;
    infill_trial *trial;
    if (chance(70)) {
        infill_proposal *answer = out(sizeof *answer);
        status = VERB(s, ask_with, NULL, bent(x), dims, bent(answer));
        if (status == INFILL_OK) *proposal = *answer;
        return status;
    }
    trial = out(sizeof *trial);
    proposal->origin = queue(s) ? INFILL_ORIGIN_QUEUE : 0;
    status = VERB(s, ask, bent(x), dims, bent(trial));
    if (status == INFILL_OK) proposal->trial = *trial;
    return status;
}

static void ask(subject *s)
{
    size_t dims = length(s);
    double *x = out(dims * sizeof *x);
    infill_trial *trial;
    infill_proposal proposal;
    subject copy = *s;
    void *mem = take(s->bytes);
    memcpy(mem, s->opt, s->bytes);
    infill_status status = question(s, x, dims, &proposal);
    if (status == INFILL_ERROR_EXHAUSTED) exhausted(s);
    if (status == INFILL_ERROR_FULL) full(s);
    if (status != INFILL_OK) return;
    remember(s, proposal.trial);
    legal(&s->area, x);
    if (proposal.origin == INFILL_ORIGIN_MODEL) finite(&proposal.acquisition, 1, "the acquisition of a model");
    if (proposal.origin > INFILL_ORIGIN_METHOD) fail("an origin that does not exist");
    if (!infill_has_space(s->opt, &s->area.space)) fail("the space is not that of the block");
    if (!s->config.repeats && proposal.origin != INFILL_ORIGIN_QUEUE && known(s, x, proposal.trial)) {
        fail("a point that is there already: %.17g ...", x[0]);
    }
    /* What was proposed may be observed. */
    copy.opt = mem;
    trial = out(sizeof *trial);
    status = CALL(infill_observe, copy.opt, x, dims, 0.5, trial);
    if (status == INFILL_ERROR_FORBIDDEN || status == INFILL_ERROR_OUT_OF_RANGE) fail("refuses what was just proposed");
}

/* A trial, mostly one that is open. */
static infill_trial name(const subject *s)
{
    double y[MOST];
    infill_record record;
    size_t count = trials(s), first = count > 0 ? below(count) : 0;
    for (size_t i = 0; i < count && chance(95); i++) {
        if (at(s, (first + i) % count, y, &record) == INFILL_OK && record.state == INFILL_STATE_OPEN) return record.trial;
    }
    return s->named == 0 || chance(20) ? bits() : s->names[below(s->named)];
}

static void tell(subject *s)
{
    double value = chance(5) ? any_number() : some_value();
    double variance = chance(70) ? 0 : chance(90) ? between(0, 2) : any_number();
    if (!isfinite(value)) spoil();
    if (chance(60)) {
        VERB(s, tell, name(s), value);
        return;
    }
    if (!isfinite(variance) || rounded(s->area.scalar, variance) < 0) spoil();
    VERB(s, tell_noisy, name(s), value, variance);
}

/* Points of the caller's: refused exactly when they are forbidden or out of range. */
static void add(subject *s)
{
    size_t dims = length(s), own = dims_of(s);
    double *x = take(dims * sizeof *x), value = chance(5) ? any_number() : some_value();
    infill_trial *trial = out(sizeof *trial);
    infill_status status;
    draw_point(&s->area, x);
    int right = dims == own && within(&s->area, x), never = right && forbidden(&s->area, x);
    if (never || (dims == own && !right && outside(&s->area, x))) spoil();
    if (chance(50)) {
        if (!isfinite(value)) spoil();
        status = VERB(s, observe, bent(x), dims, value, bent(trial));
    } else {
        status = VERB(s, enqueue, bent(x), dims, bent(trial));
    }
    if (status == INFILL_OK) remember(s, *trial);
    if (status == INFILL_ERROR_FORBIDDEN && right && !never) fail("no clause forbids the point");
    if (status == INFILL_ERROR_OUT_OF_RANGE && right) fail("the point is in range");
}

static void look(subject *s)
{
    size_t dims = length(s);
    double *x = out(dims * sizeof *x), *a = out(sizeof *a), *b;
    switch (below(3)) {
    case 0:
        if (VERB(s, best, bent(x), dims, bent(a)) != INFILL_OK) return;
        legal(&s->area, x);
        finite(a, 1, "the best value");
        return;
    case 1:
        b = out(sizeof *b);
        if (VERB(s, recommend, bent(x), dims, bent(a), bent(b)) != INFILL_OK) return;
        legal(&s->area, x);
        break;
    default: {
        double *point = take(dims * sizeof *point);
        draw_point(&s->area, point);
        b = out(sizeof *b);
        if (VERB(s, predict, bent(point), dims, bent(a), bent(b)) != INFILL_OK) return;
    }
    }
    finite(a, 1, "a mean");
    finite(b, 1, "a variance");
    if (*b < 0) fail("a variance of %g", *b);
}

static void records(subject *s)
{
    size_t dims = length(s), count = NUMBER(s, count), index;
    double *x = out(dims * sizeof *x);
    infill_record *record = out(sizeof *record);
    NUMBER(s, closed);
    NUMBER(s, remaining);
    if (NUMBER(s, dims) != dims_of(s)) fail("another number of parameters");
    if (NUMBER(s, bytes) != s->bytes) fail("another number of bytes");
    /* Counting takes no outputs: those of the next call are made anew. */
    x = out(dims * sizeof *x);
    record = out(sizeof *record);
    if (dims != dims_of(s)) spoil();
    if (chance(40)) {
        if (CALL(infill_record_of, s->opt, name(s), bent(x), dims, bent(record)) != INFILL_OK) return;
    } else {
        index = below(count + 2);
        if (index >= count) spoil();
        if (VERB(s, record_at, index, bent(x), dims, bent(record)) != INFILL_OK) return;
    }
    legal(&s->area, x);
    if ((record->state == INFILL_STATE_DONE) != (isfinite(record->value) != 0)) fail("a value without being told, or none");
    finite(&record->variance, 1, "the variance of a trial");
}

/* A copy goes on to the same bits; a damaged one is refused, or what was damaged is no part of it. */
static void twin(subject *s)
{
    double x[MOST], y[MOST];
    subject copy = copied(s), other = copied(s);
    unsigned char *byte = (unsigned char *)other.opt + below(s->bytes);
    infill_trial first, second;
    infill_status status, again;
    *byte ^= (unsigned char)(1u << below(8));
    again = CALL(infill_attach, other.opt, s->bytes, NULL, &other.opt);
    if (again == INFILL_OK && chance(50)) copy = other;
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    status = CALL(infill_ask, s->opt, x, dims_of(s), &first);
    if (status == INFILL_OK) {
        remember(s, first);
        legal(&s->area, x);
    }
    watch(NULL, 0, A_BLOCK);
    again = CALL(infill_ask, copy.opt, y, dims_of(s), &second);
    watch_subject(s);
    if (status != again) fail("a copy answers %d instead of %d", (int)again, (int)status);
    if (status == INFILL_OK && (first != second || memcmp(x, y, sizeof x) != 0)) fail("a copy goes on to other bits");
}

void step(subject *s)
{
    size_t verb = below(100);
    if (verb < 33) ask(s);
    else if (verb < 60) tell(s);
    else if (verb < 63) VERB(s, fail, name(s));
    else if (verb < 66) VERB(s, forget, name(s));
    else if (verb < 77) add(s);
    else if (verb < 89) look(s);
    else if (verb < 95) records(s);
    else twin(s);
}
