/* Ask, tell, look and the whole loop. */

#include "world.h"

static int32_t objective(void *user, const double *x, size_t dims, double *value) {
    (void)user;
    *value = x[0];
    return dims == DIMS ? 0 : 1;
}

static void asked(void) {
    double *x = w.out.x, *value = &w.out.value, *other = &w.out.other;
    const double *at = w.a;
    infill_trial *trial = &w.out.trial;
    infill_proposal *proposal = &w.out.proposal;
    infill_record *record = &w.out.record;
    infill_backend *backend = NULL;
    infill_given given = INFILL_GIVEN(INFILL_ERROR_BOUNDS, &w.space, NULL);
    uint8_t active[DIMS];
    char text[64];
    size_t room = 0, *length = &room;
    const double nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    const infill_trial stale[] = {closed_trial, forgotten_trial, 0, UINT64_MAX, open_trial ^ 1, open_trial ^ 1ull << 40,
                                  open_trial ^ 1ull << 63};
    HANDLE(infill_ask(opt, x, DIMS, trial));
    POINTER(x, infill_ask(opt, x, DIMS, trial));
    POINTER(trial, infill_ask(opt, x, DIMS, trial));
    HANDLE(infill_ask_with(opt, backend, x, DIMS, proposal));
    POINTER(x, infill_ask_with(opt, backend, x, DIMS, proposal));
    POINTER(proposal, infill_ask_with(opt, backend, x, DIMS, proposal));
    HANDLE(infill_next(opt, x, DIMS, trial));
    POINTER(x, infill_next(opt, x, DIMS, trial));
    POINTER(trial, infill_next(opt, x, DIMS, trial));
    HANDLE(infill_next_with(opt, backend, x, DIMS, proposal));
    POINTER(x, infill_next_with(opt, backend, x, DIMS, proposal));
    POINTER(proposal, infill_next_with(opt, backend, x, DIMS, proposal));
    HANDLE(infill_tell(opt, open_trial, 1));
    HANDLE(infill_tell_noisy(opt, open_trial, 1, 1));
    HANDLE(infill_fail(opt, open_trial));
    HANDLE(infill_forget(opt, open_trial));
    HANDLE(infill_relearn(opt));
    HANDLE(infill_enqueue(opt, at, DIMS, trial));
    POINTER(at, infill_enqueue(opt, at, DIMS, trial));
    POINTER(trial, infill_enqueue(opt, at, DIMS, trial));
    HANDLE(infill_observe(opt, at, DIMS, 1, trial));
    POINTER(at, infill_observe(opt, at, DIMS, 1, trial));
    POINTER(trial, infill_observe(opt, at, DIMS, 1, trial));
    HANDLE(infill_best(opt, x, DIMS, value));
    POINTER(x, infill_best(opt, x, DIMS, value));
    POINTER(value, infill_best(opt, x, DIMS, value));
    HANDLE(infill_recommend(opt, x, DIMS, value, other));
    POINTER(x, infill_recommend(opt, x, DIMS, value, other));
    POINTER(value, infill_recommend(opt, x, DIMS, value, other));
    POINTER(other, infill_recommend(opt, x, DIMS, value, other));
    HANDLE(infill_predict(opt, at, DIMS, value, other));
    POINTER(at, infill_predict(opt, at, DIMS, value, other));
    POINTER(value, infill_predict(opt, at, DIMS, value, other));
    POINTER(other, infill_predict(opt, at, DIMS, value, other));
    HANDLE(infill_record_at(opt, 0, x, DIMS, record));
    POINTER(x, infill_record_at(opt, 0, x, DIMS, record));
    POINTER(record, infill_record_at(opt, 0, x, DIMS, record));
    HANDLE(infill_record_of(opt, open_trial, x, DIMS, record));
    POINTER(x, infill_record_of(opt, open_trial, x, DIMS, record));
    POINTER(record, infill_record_of(opt, open_trial, x, DIMS, record));
    HANDLE(infill_minimize(opt, objective, NULL, 1));
    REFUSE(INFILL_ERROR_NULL, infill_minimize(opt, NULL, NULL, 1));
    REFUSE(INFILL_ERROR_NULL, infill_minimize(opt, NULL, NULL, 0));
    HANDLE(infill_minimize_with(opt, backend, objective, NULL, NULL, 1));
    REFUSE(INFILL_ERROR_NULL, infill_minimize_with(opt, backend, NULL, NULL, NULL, 1));
    HANDLE(infill_active(opt, open_trial, active, DIMS));
    REFUSE(INFILL_ERROR_NULL, infill_active(opt, open_trial, NULL, DIMS));
    REFUSE(INFILL_ERROR_SHAPE, infill_active(opt, open_trial, active, DIMS - 1));
    REFUSE(INFILL_ERROR_STALE_TRIAL, infill_active(opt, ~(infill_trial)0, active, DIMS));
    HANDLE(infill_name(opt, 0, text, sizeof text, length));
    POINTER(length, infill_name(opt, 0, text, sizeof text, length));
    REFUSE(INFILL_ERROR_NULL, infill_name(opt, 0, NULL, sizeof text, length));
    REFUSE(INFILL_ERROR_SHAPE, infill_name(opt, DIMS, text, sizeof text, length));
    HANDLE(infill_label(opt, 0, 0, text, sizeof text, length));
    POINTER(length, infill_label(opt, 0, 0, text, sizeof text, length));
    REFUSE(INFILL_ERROR_SHAPE, infill_label(opt, 0, 0, text, sizeof text, length));
    REFUSE(INFILL_ERROR_SHAPE, infill_label(opt, SIZE_MAX, SIZE_MAX, text, sizeof text, length));
    {
        const infill_given *asked = &given;
        POINTER(asked, infill_explain(asked, text, sizeof text, length));
        POINTER(length, infill_explain(asked, text, sizeof text, length));
        REFUSE(INFILL_ERROR_NULL, infill_explain(asked, NULL, sizeof text, length));
        given.size = 8;
        REFUSE(INFILL_ERROR_VERSION, infill_explain(asked, text, sizeof text, length));
    }
    COUNTER(opt, infill_count(opt));
    COUNTER(opt, infill_closed(opt));
    COUNTER(opt, infill_remaining(opt));
    COUNTER(opt, infill_dims(opt));
    COUNTER(opt, infill_bytes(opt));
    COUNTER(opt, infill_scalar_of(opt));
    COUNTER(opt, infill_has_space(opt, &w.space));
    {
        infill_opt *self = opt;
        opt = (infill_opt *)w.none;
        ZERO(infill_count(opt));
        ZERO(infill_closed(opt));
        ZERO(infill_remaining(opt));
        ZERO(infill_dims(opt));
        ZERO(infill_bytes(opt));
        ZERO(infill_scalar_of(opt));
        ZERO(infill_has_space(opt, &w.space));
        ZERO(infill_clone_size(opt, NULL));
        opt = self;
    }
    /* Wrong numbers of parameters. */
    for (size_t i = 0; i < 4; i++) {
        const size_t dims = i == 0 ? 0 : i == 1 ? DIMS - 1 : i == 2 ? DIMS + 1 : SIZE_MAX;
        REFUSE(INFILL_ERROR_SHAPE, infill_ask(opt, x, dims, trial));
        REFUSE(INFILL_ERROR_SHAPE, infill_ask_with(opt, NULL, x, dims, proposal));
        REFUSE(INFILL_ERROR_SHAPE, infill_next(opt, x, dims, trial));
        REFUSE(INFILL_ERROR_SHAPE, infill_next_with(opt, NULL, x, dims, proposal));
        REFUSE(INFILL_ERROR_SHAPE, infill_enqueue(opt, at, dims, trial));
        REFUSE(INFILL_ERROR_SHAPE, infill_observe(opt, at, dims, 1, trial));
        REFUSE(INFILL_ERROR_SHAPE, infill_best(opt, x, dims, value));
        REFUSE(INFILL_ERROR_SHAPE, infill_recommend(opt, x, dims, value, other));
        REFUSE(INFILL_ERROR_SHAPE, infill_predict(opt, at, dims, value, other));
        REFUSE(INFILL_ERROR_SHAPE, infill_record_at(opt, 0, x, dims, record));
        REFUSE(INFILL_ERROR_SHAPE, infill_record_of(opt, open_trial, x, dims, record));
    }
    REFUSE(INFILL_ERROR_SHAPE, infill_record_at(opt, infill_count(opt), x, DIMS, record));
    REFUSE(INFILL_ERROR_SHAPE, infill_record_at(opt, SIZE_MAX, x, DIMS, record));
    /* Stale trials. */
    for (size_t i = 0; i < sizeof stale / sizeof stale[0]; i++) {
        REFUSE(INFILL_ERROR_STALE_TRIAL, infill_tell(opt, stale[i], 1));
        REFUSE(INFILL_ERROR_STALE_TRIAL, infill_tell_noisy(opt, stale[i], 1, 1));
        REFUSE(INFILL_ERROR_STALE_TRIAL, infill_fail(opt, stale[i]));
        REFUSE(INFILL_ERROR_STALE_TRIAL, infill_forget(opt, stale[i]));
        if (stale[i] != closed_trial) {
            REFUSE(INFILL_ERROR_STALE_TRIAL, infill_record_of(opt, stale[i], x, DIMS, record));
        }
    }
    REFUSE(INFILL_ERROR_STALE_TRIAL, infill_tell(opt, queued_trial, 1));
    REFUSE(INFILL_ERROR_STALE_TRIAL, infill_fail(opt, queued_trial));
    /* Values that are none, and points outside. */
    for (int i = 0; i < 3; i++) {
        const double bad = nan_or_inf[i];
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_tell(opt, open_trial, bad));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_tell_noisy(opt, open_trial, bad, 1));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_tell_noisy(opt, open_trial, 1, bad));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_observe(opt, at, DIMS, bad, trial));
        WITH(double, w.a[0], bad, INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, at, DIMS, trial));
        WITH(double, w.a[1], bad, INFILL_ERROR_OUT_OF_RANGE, infill_observe(opt, at, DIMS, 1, trial));
        WITH(double, w.a[0], bad, INFILL_ERROR_OUT_OF_RANGE, infill_predict(opt, at, DIMS, value, other));
    }
    REFUSE(INFILL_ERROR_NOT_FINITE, infill_tell_noisy(opt, open_trial, 1, -1));
    if (w.config.scalar == INFILL_F32) {
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_tell(opt, open_trial, 1e300));
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_observe(opt, at, DIMS, -1e300, trial));
        WITH(double, w.a[0], 1e300, INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, at, DIMS, trial));
    }
    WITH(double, w.a[0], 1.001, INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, at, DIMS, trial));
    WITH(double, w.a[0], -0.001, INFILL_ERROR_OUT_OF_RANGE, infill_observe(opt, at, DIMS, 1, trial));
    WITH(double, w.a[1], 1.5, INFILL_ERROR_OUT_OF_RANGE, infill_enqueue(opt, at, DIMS, trial));
    WITH(double, w.a[1], 10, INFILL_ERROR_OUT_OF_RANGE, infill_predict(opt, at, DIMS, value, other));
}

/* An optimizer that has nothing yet, and ones that are full. */
static void ends(void) {
    double *x = w.out.x, *value = &w.out.value, *other = &w.out.other;
    infill_trial *trial = &w.out.trial, told = 0;
    infill_opt *self = opt, *fresh;
    double point[DIMS];
    w.config.limits.open = 2;
    w.config.limits.trials = 3;
    OK(infill_init(w.spare, sizeof w.spare, &w.space, &w.config, &fresh));
    opt = fresh;
    REFUSE(INFILL_ERROR_NO_DATA, infill_best(opt, x, DIMS, value));
    REFUSE(INFILL_ERROR_NO_DATA, infill_recommend(opt, x, DIMS, value, other));
    REFUSE(INFILL_ERROR_NO_DATA, infill_predict(opt, w.a, DIMS, value, other));
    REFUSE(INFILL_ERROR_SHAPE, infill_record_at(opt, 0, x, DIMS, &w.out.record));
    OK(infill_ask(opt, point, DIMS, &told));
    OK(infill_ask(opt, point, DIMS, &told));
    REFUSE(INFILL_ERROR_TOO_MANY_OPEN, infill_ask(opt, x, DIMS, trial));
    REFUSE(INFILL_ERROR_TOO_MANY_OPEN, infill_ask_with(opt, NULL, x, DIMS, &w.out.proposal));
    REFUSE(INFILL_ERROR_TOO_MANY_OPEN, infill_next(opt, x, DIMS, trial));
    REFUSE(INFILL_ERROR_TOO_MANY_OPEN, infill_minimize(opt, objective, NULL, 1));
    OK(infill_tell(opt, told, 1));
    OK(infill_ask(opt, point, DIMS, &told));
    OK(infill_tell(opt, told, 2));
    REFUSE(INFILL_ERROR_STALE_TRIAL, infill_tell(opt, told, 2));
    REFUSE(INFILL_ERROR_FULL, infill_ask(opt, x, DIMS, trial));
    REFUSE(INFILL_ERROR_FULL, infill_enqueue(opt, w.a, DIMS, trial));
    REFUSE(INFILL_ERROR_FULL, infill_observe(opt, w.a, DIMS, 1, trial));
    REFUSE(INFILL_DONE, infill_next(opt, x, DIMS, trial));
    REFUSE(INFILL_DONE, infill_next_with(opt, NULL, x, DIMS, &w.out.proposal));
    OK(infill_minimize_with(opt, NULL, objective, NULL, NULL, 1));
    CHECK(infill_remaining(opt) == 0);
    /* Every point of a finite space. */
    w.config.limits.open = 0;
    w.config.limits.trials = TRIALS;
    {
        infill_param pair = INFILL_CATEGORICAL(2), kept = w.params[0];
        w.params[0] = pair;
        w.space.dims = 1;
        OK(infill_init(w.spare, sizeof w.spare, &w.space, &w.config, &fresh));
        for (int i = 0; i < 2; i++) {
            OK(infill_ask(fresh, point, 1, &told));
            OK(infill_tell(fresh, told, point[0]));
        }
        REFUSE(INFILL_ERROR_EXHAUSTED, infill_ask(fresh, x, 1, trial));
        REFUSE(INFILL_DONE, infill_next(fresh, x, 1, trial));
        OK(infill_minimize(fresh, objective, NULL, 1));
        w.params[0] = kept;
        w.space.dims = DIMS;
    }
    opt = self;
}

static void work(void) {
    asked();
    ends();
}

int main(void) { return in_both_scalars("bad/ask", work); }
