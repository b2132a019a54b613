/* Ask and tell, what can be looked at, and the whole loop. */

#include "good.h"

static void asked(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 2);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    infill_trial first = 0, second = 0, third = 0, queued = 0, seen = 0, none = 0;
    infill_proposal proposal;
    infill_record record;
    double x[2], y[2], value = NAN, mean = NAN, variance = NAN;
    const double mine[2] = {0.25, 0.75}, known[2] = {0.5, 0.5};
    CHECK(infill_space_fault(&space) == -1);
    OK(infill_new(&space, &config, &opt));
    CHECK(infill_dims(opt) == 2 && infill_scalar_of(opt) == scalar && infill_remaining(opt) == 12);
    CHECK(infill_count(opt) == 0 && infill_closed(opt) == 0);
    {
        infill_param others[2] = {space.params[0], space.params[1]};
        infill_space other = INFILL_SPACE(others, 2);
        CHECK(infill_has_space(opt, &space) == 1 && infill_has_space(opt, &other) == 1);
        others[1].hi += 1;
        CHECK(infill_has_space(opt, &other) == 0);
        other.dims = 1;
        CHECK(infill_has_space(opt, &other) == 0);
    }
    CHECK(infill_bytes(opt) == infill_size(&space, &config));
    OK(infill_ask(opt, x, 2, &first));
    CHECK(x[0] >= 0 && x[0] <= 1 && x[1] >= 0 && x[1] <= 1);
    OK(infill_ask_with(opt, NULL, x, 2, &proposal));
    second = proposal.trial;
    CHECK(proposal.origin == INFILL_ORIGIN_DESIGN && proposal.acquisition != proposal.acquisition);
    CHECK(proposal.reserved == 0 && first != second);
    OK(infill_tell(opt, first, 2.0));
    OK(infill_tell_noisy(opt, second, 1.0, 0.125));
    OK(infill_record_of(opt, second, y, 2, &record));
    CHECK(record.trial == second && record.value == 1.0 && record.variance == 0.125 && record.reserved == 0);
    CHECK(record.state == INFILL_STATE_DONE && record.sequence == 2 && same_bits(x, y, sizeof x));
    OK(infill_best(opt, y, 2, &value));
    CHECK(value == 1.0 && same_bits(x, y, sizeof x));
    OK(infill_enqueue(opt, mine, 2, &queued));
    OK(infill_record_of(opt, queued, y, 2, &record));
    CHECK(record.state == INFILL_STATE_QUEUED && same_bits(mine, y, sizeof mine) && record.value != record.value);
    OK(infill_ask_with(opt, NULL, x, 2, &proposal));
    CHECK(proposal.origin == INFILL_ORIGIN_QUEUE && proposal.trial == queued && same_bits(mine, x, sizeof x));
    OK(infill_fail(opt, queued));
    OK(infill_record_of(opt, queued, y, 2, &record));
    CHECK(record.state == INFILL_STATE_FAILED && record.value != record.value);
    OK(infill_observe(opt, known, 2, 0.5, &seen));
    OK(infill_best(opt, y, 2, &value));
    CHECK(value == 0.5 && same_bits(known, y, sizeof known));
    OK(infill_ask(opt, x, 2, &third));
    CHECK(infill_count(opt) == 5 && infill_closed(opt) == 4 && infill_remaining(opt) == 7);
    OK(infill_record_of(opt, third, y, 2, &record));
    CHECK(record.state == INFILL_STATE_OPEN && same_bits(x, y, sizeof x));
    OK(infill_forget(opt, third));
    CHECK(infill_count(opt) == 4 && infill_remaining(opt) == 8);
    STATUS(INFILL_ERROR_STALE_TRIAL, infill_record_of(opt, third, y, 2, &record));
    /* A queued point can be taken back, too. */
    OK(infill_enqueue(opt, mine, 2, &none));
    OK(infill_forget(opt, none));
    CHECK(infill_count(opt) == 4);
    /* With a model: predictions are near what was told, and doubt is least there. */
    for (int i = 0; i < 5; i++) {
        OK(infill_ask_with(opt, NULL, x, 2, &proposal));
        OK(infill_tell(opt, proposal.trial, bowl(x, 2)));
    }
    CHECK(proposal.origin == INFILL_ORIGIN_MODEL && proposal.acquisition == proposal.acquisition);
    OK(infill_predict(opt, x, 2, &mean, &variance));
    CHECK(mean == mean && variance >= 0);
    OK(infill_recommend(opt, y, 2, &mean, &variance));
    CHECK(variance >= 0 && mean < 2.0);
    /* What was learnt is forgotten, no trial is. */
    OK(infill_relearn(opt));
    CHECK(infill_count(opt) == 9 && infill_closed(opt) == 9);
    /* Each trial once, names agree with records, sequences are distinct. */
    {
        unsigned sequences = 0, states[5] = {0, 0, 0, 0, 0};
        for (size_t i = 0; i < infill_count(opt); i++) {
            infill_record again;
            OK(infill_record_at(opt, i, x, 2, &record));
            OK(infill_record_of(opt, record.trial, y, 2, &again));
            CHECK(again.trial == record.trial && again.sequence == record.sequence && same_bits(x, y, sizeof x));
            CHECK(record.sequence < 32 && !(sequences >> record.sequence & 1));
            sequences |= 1u << record.sequence;
            states[record.state]++;
        }
        CHECK(states[INFILL_STATE_DONE] == 8 && states[INFILL_STATE_FAILED] == 1);
        CHECK(states[INFILL_STATE_OPEN] == 0 && states[INFILL_STATE_QUEUED] == 0);
    }
    infill_free(opt);
    infill_free(NULL);
}

/* ---- Going on after a crash ---- */

/* Three open trials are lost with their workers: attached again, each is handed out once, then the run goes on to its end. */
static void resumed(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 2);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL, *again = NULL;
    infill_trial lost[3], trial = 0;
    infill_proposal proposal;
    double x[2], points[3][2];
    uint32_t asked = 0, handed = 0;
    void *saved;
    size_t bytes;
    OK(infill_new(&space, &config, &opt));
    OK(infill_next(opt, x, 2, &trial));
    OK(infill_tell(opt, trial, bowl(x, 2)));
    /* Without a crash what is open is not handed out again. */
    for (int i = 0; i < 3; i++) {
        OK(infill_next(opt, points[i], 2, &lost[i]));
        CHECK(i == 0 || lost[i] != lost[i - 1]);
    }
    bytes = infill_bytes(opt);
    saved = malloc(bytes);
    CHECK(saved != NULL);
    memcpy(saved, opt, bytes);
    OK(infill_attach(saved, bytes, NULL, &again));
    for (int i = 2; i >= 0; i--) {
        OK(infill_next_with(again, NULL, x, 2, &proposal));
        CHECK(proposal.trial == lost[i] && proposal.origin == INFILL_ORIGIN_RESUMED && same_bits(x, points[i], sizeof x));
        if (i == 2) OK(infill_tell(again, proposal.trial, bowl(x, 2)));
    }
    while (infill_next_with(again, NULL, x, 2, &proposal) == INFILL_OK) {
        CHECK(proposal.origin != INFILL_ORIGIN_RESUMED);
        OK(infill_tell(again, proposal.trial, bowl(x, 2)));
        asked++;
    }
    STATUS(INFILL_DONE, infill_next_with(again, NULL, x, 2, &proposal));
    CHECK(asked == 8 && infill_closed(again) == 10 && infill_remaining(again) == 0);
    /* Attached once more, the two that are still open come, and nothing else. */
    OK(infill_attach(saved, bytes, NULL, &again));
    while (infill_next(again, x, 2, &trial) == INFILL_OK) {
        OK(infill_tell(again, trial, bowl(x, 2)));
        handed++;
    }
    CHECK(handed == 2 && infill_closed(again) == 12);
    free(saved);
    infill_free(opt);
}

/* ---- The whole loop ---- */

typedef struct run {
    uint32_t calls, steps, stop_at, fail_at, stop_step;
    double best;
} run;

static int32_t objective(void *user, const double *x, size_t dims, double *value) {
    run *r = (run *)user;
    r->calls++;
    *value = r->calls == r->fail_at ? NAN : bowl(x, dims);
    if (r->calls != r->fail_at && r->calls != r->stop_at && *value < r->best) {
        r->best = *value;
    }
    return r->calls == r->stop_at;
}

static int32_t progress(void *user, const infill_step *step) {
    run *r = (run *)user;
    r->steps++;
    CHECK(step->evaluation == r->steps && step->evaluations == 6 && step->dims == 2 && r->calls == r->steps);
    if (r->calls == r->fail_at) {
        CHECK(step->value != step->value);
    } else {
        CLOSE(bowl(step->x, 2), step->value, 1e-6);
    }
    if (r->best < 1e9) {
        CLOSE(r->best, step->best, 1e-6);
    } else {
        CHECK(step->best != step->best);
    }
    return r->steps == r->stop_step;
}

static void loop(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_REAL(0, 1)};
    infill_space space = INFILL_SPACE(params, 2);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL, *same = NULL;
    run r = {0, 0, 0, 1, 0, 1e9}, s = {0, 0, 0, 0, 0, 1e9};
    double x[2], y[2], value = NAN;
    infill_trial trial = 0;
    OK(infill_new(&space, &config, &opt));
    /* The first evaluation fails: no best yet. */
    OK(infill_minimize_with(opt, NULL, objective, progress, &r, 6));
    CHECK(r.calls == 6 && r.steps == 6 && infill_closed(opt) == 6 && infill_count(opt) == 6);
    OK(infill_best(opt, x, 2, &value));
    CLOSE(r.best, value, 1e-6);
    /* Going on; the callback stops the run and its trial is forgotten. */
    r.stop_at = 8;
    STATUS(INFILL_ABORTED, infill_minimize(opt, objective, &r, 6));
    CHECK(r.calls == 8 && infill_closed(opt) == 7 && infill_count(opt) == 7);
    infill_free(opt);
    /* The progress callback stops it after the trial was told. */
    OK(infill_new(&space, &config, &opt));
    s.stop_step = 2;
    STATUS(INFILL_ABORTED, infill_minimize_with(opt, NULL, objective, progress, &s, 6));
    CHECK(s.calls == 2 && infill_closed(opt) == 2);
    infill_free(opt);
    /* The loop is ask and tell, to the bit; an open trial is left alone; no evaluations are no work. */
    OK(infill_new(&space, &config, &opt));
    OK(infill_new(&space, &config, &same));
    OK(infill_minimize(opt, objective, &s, 0));
    CHECK(infill_count(opt) == 0);
    s.stop_at = 0;
    OK(infill_minimize_with(opt, NULL, objective, NULL, &s, 5));
    for (int i = 0; i < 5; i++) {
        OK(infill_ask(same, y, 2, &trial));
        OK(infill_tell(same, trial, bowl(y, 2)));
    }
    OK(infill_ask(opt, x, 2, &trial));
    OK(infill_ask(same, y, 2, &trial));
    CHECK(same_bits(x, y, sizeof x));
    OK(infill_minimize(opt, objective, &s, 1));
    OK(infill_tell(opt, trial, 1.0));
    infill_free(opt);
    infill_free(same);
}

/* Names and labels go into the block, what is active is told, and a block over another space says what differs. */
static void named(uint32_t scalar) {
    infill_param params[] = {INFILL_CATEGORICAL(2), INFILL_REAL(0, 1)};
    infill_condition conditions[] = {INFILL_IF_EQUALS(1, 0, 1)};
    infill_space space = INFILL_SPACE_IF(params, 2, conditions, 1);
    infill_config config = small_config(scalar);
    const char *names[] = {"optimizer", "momentum"}, *labels[] = {"adam", "sgd"};
    const char *const *lists[] = {NULL, NULL};
    const double plain[] = {0, NAN}, heavy[] = {1, 0.5};
    infill_given given = INFILL_GIVEN(INFILL_ERROR_SPACE, &space, NULL);
    infill_opt *opt = NULL, *again = NULL;
    infill_trial trial = 0;
    uint8_t active[2] = {9, 9};
    size_t length = 0, bytes;
    uint64_t *copy;
    char text[160];
    bytes = infill_size(&space, &config);
    lists[0] = labels;
    space.names = names;
    space.labels = lists;
    CHECK(infill_size(&space, &config) > bytes);
    OK(infill_new(&space, &config, &opt));
    bytes = infill_bytes(opt);
    OK(infill_observe(opt, plain, 2, 1, &trial));
    OK(infill_active(opt, trial, active, 2));
    CHECK(active[0] == 1 && active[1] == 0);
    OK(infill_observe(opt, heavy, 2, 2, &trial));
    OK(infill_active(opt, trial, active, 2));
    CHECK(active[0] == 1 && active[1] == 1);
    OK(infill_name(opt, 1, NULL, 0, &length));
    CHECK(length == 8);
    OK(infill_name(opt, 1, text, sizeof text, &length));
    CHECK(strcmp(text, "momentum") == 0);
    OK(infill_label(opt, 0, 1, text, sizeof text, &length));
    CHECK(length == 3 && strcmp(text, "sgd") == 0);
    copy = (uint64_t *)malloc(bytes);
    memcpy(copy, opt, bytes);
    OK(infill_attach(copy, bytes, &space, &again));
    labels[0] = "sgd";
    labels[1] = "adam";
    STATUS(INFILL_ERROR_SPACE, infill_attach(copy, bytes, &space, &again));
    CHECK(infill_has_space(opt, &space) == 0);
    given.mem = copy;
    given.bytes = bytes;
    OK(infill_explain(&given, text, sizeof text, &length));
    CHECK(strcmp(text, "the block is over another space: parameter 0 (optimizer): category 0 is called sgd, in the block adam") == 0);
    CHECK(length == strlen(text));
    /* As much as there is room for; the length is that of the whole. */
    OK(infill_explain(&given, text, 10, &length));
    CHECK(strcmp(text, "the block") == 0 && length > 10);
    OK(infill_explain(&given, NULL, 0, &length));
    CHECK(length > 10);
    /* Whatever the room, the front of the sentence up to a whole character, and nothing behind its zero. */
    labels[0] = "s\303\244ge \342\201\265\302\263 \342\200\246";
    OK(infill_explain(&given, text, sizeof text, &length));
    for (size_t room = 0; room <= length + 2; room++) {
        char cut[256];
        size_t kept = 0, whole = 0;
        memset(cut, '#', sizeof cut);
        OK(infill_explain(&given, cut, room, &whole));
        CHECK(whole == length);
        while (kept < room && cut[kept] != 0) kept++;
        CHECK(room == 0 ? cut[0] == '#' : kept < room && memcmp(cut, text, kept) == 0);
        /* The next character would not have fitted: it has as many bytes as it says. */
        if (room > 0 && kept < length) {
            const unsigned char first = (unsigned char)text[kept];
            const size_t next = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
            CHECK((first & 0xc0) != 0x80 && kept + next >= room);
        }
        for (size_t i = room == 0 ? 0 : kept + 1; i < sizeof cut; i++) CHECK(cut[i] == '#');
    }
    /* A number that is no setting. */
    config.scalar = 3;
    given.config = &config;
    given.mem = NULL;
    given.bytes = 0;
    labels[0] = "adam";
    labels[1] = "sgd";
    given.status = infill_new(&space, &config, &again);
    OK(infill_explain(&given, text, sizeof text, &length));
    CHECK(given.status == INFILL_ERROR_CONFIG && strstr(text, "infill_config.scalar") != NULL);
    free(copy);
    infill_free(opt);
}

int main(void) {
    in_both_scalars(named);
    in_both_scalars(asked);
    in_both_scalars(resumed);
    in_both_scalars(loop);
    return report("good/ask");
}
