/* Sources: what is none, what is damaged, and what cannot be made or used. */

#include "world.h"

enum { FEATURES = 2, ROOM = 1024 };

static uint64_t scratch[8192], words[ROOM], other[ROOM];
static const double described[FEATURES] = {1, 2};

static int32_t objective(void *user, const double *x, size_t dims, double *value) {
    (void)user;
    *value = x[0] + (double)dims;
    return 0;
}

/* What an optimizer of this kind taught. */
static size_t made(const infill_space *space, const infill_config *config, size_t features, uint64_t *to) {
    infill_opt *one = NULL;
    infill_trial trial;
    size_t bytes = 0, more = 0;
    OK(infill_new(space, config, &one));
    OK(infill_observe(one, w.a, DIMS, 1, &trial));
    OK(infill_observe(one, w.b, DIMS, 2, &trial));
    OK(infill_source_size(one, INFILL_FORM_MEANS, features, &bytes, &more));
    CHECK(bytes <= ROOM * 8 && more <= sizeof scratch);
    OK(infill_source_export(one, INFILL_FORM_MEANS, described, features, scratch, sizeof scratch, to, ROOM * 8, &bytes));
    infill_free(one);
    return bytes;
}

static void written(void) {
    size_t *bytes = &w.out.count, *more = &w.out.other_count;
    const double *features = described, nan_or_inf[3] = {NAN, INFINITY, -INFINITY};
    void *work = scratch, *out = w.spare;
    size_t enough = 0, working = 0;
    OK(infill_source_size(opt, INFILL_FORM_FULL, FEATURES, &enough, &working));
    CHECK(enough <= sizeof w.spare && working <= sizeof scratch);
    HANDLE(infill_source_size(opt, INFILL_FORM_MEANS, 0, bytes, more));
    POINTER(bytes, infill_source_size(opt, INFILL_FORM_MEANS, 0, bytes, more));
    POINTER(more, infill_source_size(opt, INFILL_FORM_MEANS, 0, bytes, more));
    REFUSE(INFILL_ERROR_CONFIG, infill_source_size(opt, 2, 0, bytes, more));
    REFUSE(INFILL_ERROR_UNSUPPORTED, infill_source_size(opt, INFILL_FORM_MEANS, 4096, bytes, more));
    REFUSE(INFILL_ERROR_UNSUPPORTED, infill_source_size(opt, INFILL_FORM_MEANS, SIZE_MAX, bytes, more));
    HANDLE(infill_source_export(opt, INFILL_FORM_FULL, features, FEATURES, work, working, out, enough, bytes));
    POINTER(features, infill_source_export(opt, INFILL_FORM_FULL, features, FEATURES, work, working, out, enough, bytes));
    POINTER(work, infill_source_export(opt, INFILL_FORM_FULL, features, FEATURES, work, working, out, enough, bytes));
    POINTER(out, infill_source_export(opt, INFILL_FORM_FULL, features, FEATURES, work, working, out, enough, bytes));
    POINTER(bytes, infill_source_export(opt, INFILL_FORM_FULL, features, FEATURES, work, working, out, enough, bytes));
    REFUSE(INFILL_ERROR_CONFIG, infill_source_export(opt, 9, features, FEATURES, work, working, out, enough, bytes));
    REFUSE(INFILL_ERROR_MEMORY, infill_source_export(opt, 1, features, FEATURES, work, working - 8, out, enough, bytes));
    REFUSE(INFILL_ERROR_MEMORY, infill_source_export(opt, 1, features, FEATURES, work, working, out, enough - 8, bytes));
    REFUSE(INFILL_ERROR_MEMORY, infill_source_export(opt, 1, features, FEATURES, work, 0, out, enough, bytes));
    REFUSE(INFILL_ERROR_MEMORY, infill_source_export(opt, 1, features, FEATURES, work, working, out, 0, bytes));
    REFUSE(INFILL_ERROR_SHAPE, infill_source_export(opt, 1, features, SIZE_MAX, work, working, out, enough, bytes));
    for (int i = 0; i < 3; i++) {
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_source_export(opt, 1, nan_or_inf + i, 1, work, working, out, enough, bytes));
    }
    if (w.config.scalar == INFILL_F32) {
        const double large = 1e300;
        REFUSE(INFILL_ERROR_NOT_FINITE, infill_source_export(opt, 1, &large, 1, work, working, out, enough, bytes));
    }
    {
        /* Without values there is nothing to teach. */
        infill_opt *fresh = NULL;
        OK(infill_new(&w.space, &w.config, &fresh));
        REFUSE(INFILL_ERROR_NO_DATA, infill_source_export(fresh, 0, NULL, 0, work, working, out, enough, bytes));
        infill_free(fresh);
    }
}

/* A list that is refused is refused by all that take one. */
static void refuse_list(int line, infill_status expected, infill_opt *one, const infill_sources *list) {
    const struct {
        const char *what;
        infill_status status;
    } got[] = {
        {"infill_ask_from", (prepare(), infill_ask_from(one, list, NULL, w.out.x, DIMS, &w.out.proposal))},
        {"infill_next_from", infill_next_from(one, list, NULL, w.out.x, DIMS, &w.out.proposal)},
        {"infill_minimize_from", infill_minimize_from(one, list, NULL, objective, NULL, NULL, 2)},
        {"infill_predict_from", infill_predict_from(one, list, NULL, w.a, DIMS, &w.out.value, &w.out.other)},
        {"infill_recommend_from", infill_recommend_from(one, list, NULL, w.out.x, DIMS, &w.out.value, &w.out.other)},
    };
    for (int i = 0; i < 5; i++) refuse(line, got[i].what, expected, got[i].status);
}
/* Both what checks lists and what takes them. */
#define LIST(expected, list)                                                    \
    do {                                                                        \
        REFUSE(expected, infill_sources_check(list, &w.out.count));             \
        refuse_list(__LINE__, expected, mine, list);                            \
    } while (0)
/* What takes lists alone. */
#define TAKEN(expected, list) refuse_list(__LINE__, expected, mine, list)

static void lists(void) {
    const infill_sources *all, none = INFILL_SOURCES(NULL, 0);
    infill_sources list = INFILL_SOURCES_LIKE(words, 0, described, FEATURES), many = INFILL_SOURCES(other, 0);
    infill_config config = w.config;
    infill_opt *mine = NULL, *self = opt;
    infill_backend *backend = NULL;
    infill_proposal *proposal = &w.out.proposal;
    double *x = w.out.x, *mean = &w.out.value, *variance = &w.out.other;
    const double *at = w.a;
    size_t *count = &w.out.count, bytes;
    list.size = bytes = made(&w.space, &w.config, FEATURES, words);
    all = &list;
    config.limits.sources = 1;
    OK(infill_init(w.helped, sizeof w.helped, &w.space, &config, &mine));
    opt = mine;
    POINTER(count, infill_sources_check(all, count));
    ODD(all, infill_sources_check(all, count));
    HANDLE(infill_ask_from(opt, all, backend, x, DIMS, proposal));
    ODD(all, infill_ask_from(opt, all, backend, x, DIMS, proposal));
    POINTER(x, infill_ask_from(opt, all, backend, x, DIMS, proposal));
    POINTER(proposal, infill_ask_from(opt, all, backend, x, DIMS, proposal));
    HANDLE(infill_next_from(opt, all, backend, x, DIMS, proposal));
    ODD(all, infill_next_from(opt, all, backend, x, DIMS, proposal));
    POINTER(x, infill_next_from(opt, all, backend, x, DIMS, proposal));
    POINTER(proposal, infill_next_from(opt, all, backend, x, DIMS, proposal));
    HANDLE(infill_minimize_from(opt, all, backend, objective, NULL, NULL, 1));
    ODD(all, infill_minimize_from(opt, all, backend, objective, NULL, NULL, 1));
    REFUSE(INFILL_ERROR_NULL, infill_minimize_from(opt, all, backend, NULL, NULL, NULL, 1));
    HANDLE(infill_predict_from(opt, all, backend, at, DIMS, mean, variance));
    ODD(all, infill_predict_from(opt, all, backend, at, DIMS, mean, variance));
    POINTER(at, infill_predict_from(opt, all, backend, at, DIMS, mean, variance));
    POINTER(mean, infill_predict_from(opt, all, backend, at, DIMS, mean, variance));
    POINTER(variance, infill_predict_from(opt, all, backend, at, DIMS, mean, variance));
    HANDLE(infill_recommend_from(opt, all, backend, x, DIMS, mean, variance));
    ODD(all, infill_recommend_from(opt, all, backend, x, DIMS, mean, variance));
    POINTER(x, infill_recommend_from(opt, all, backend, x, DIMS, mean, variance));
    POINTER(mean, infill_recommend_from(opt, all, backend, x, DIMS, mean, variance));
    POINTER(variance, infill_recommend_from(opt, all, backend, x, DIMS, mean, variance));
    REFUSE(INFILL_ERROR_NO_DATA, infill_predict_from(opt, all, backend, at, DIMS, mean, variance));
    REFUSE(INFILL_ERROR_NO_DATA, infill_recommend_from(opt, all, backend, x, DIMS, mean, variance));
    for (size_t dims = 0; dims < 4; dims++) {
        if (dims == DIMS) continue;
        REFUSE(INFILL_ERROR_SHAPE, infill_predict_from(opt, all, backend, at, dims, mean, variance));
        REFUSE(INFILL_ERROR_SHAPE, infill_predict_from(opt, &none, backend, at, dims, mean, variance));
        REFUSE(INFILL_ERROR_SHAPE, infill_recommend_from(opt, all, backend, x, dims, mean, variance));
        REFUSE(INFILL_ERROR_SHAPE, infill_recommend_from(opt, &none, backend, x, dims, mean, variance));
        REFUSE(INFILL_ERROR_SHAPE, infill_ask_from(opt, all, backend, x, dims, proposal));
        REFUSE(INFILL_ERROR_SHAPE, infill_next_from(opt, all, backend, x, dims, proposal));
        REFUSE(INFILL_ERROR_SHAPE, infill_ask_from(opt, &none, backend, x, dims, proposal));
    }
    opt = self;
    /* The fields of a list. */
    list.data = NULL;
    LIST(INFILL_ERROR_NULL, all);
    list.data = (const char *)words + 1;
    LIST(INFILL_ERROR_ALIGNMENT, all);
    list.data = words;
    list.features = NULL;
    LIST(INFILL_ERROR_NULL, all);
    list.features = (const double *)(const void *)((const char *)described + 1);
    LIST(INFILL_ERROR_ALIGNMENT, all);
    list.features = described;
    list.count = SIZE_MAX;
    LIST(INFILL_ERROR_SHAPE, all);
    list.count = FEATURES;
    for (size_t less = 1; less < 9; less++) {
        list.size = bytes - less;
        LIST(INFILL_ERROR_MEMORY, all);
    }
    list.size = bytes + 1;
    LIST(INFILL_ERROR_MEMORY, all);
    list.size = 8;
    LIST(INFILL_ERROR_MEMORY, all);
    list.size = bytes;
    {
        const double bad[FEATURES] = {1, NAN};
        list.features = bad;
        LIST(INFILL_ERROR_NOT_FINITE, all);
        list.features = described;
    }
    /* Every bit counts. */
    for (size_t bit = 0; bit < 8 * bytes; bit += 61) {
        words[bit / 64] ^= 1ull << bit % 64;
        prepare();
        CHECK(infill_sources_check(all, &w.out.count) != INFILL_OK);
        CHECK(infill_ask_from(mine, all, NULL, w.out.x, DIMS, &w.out.proposal) != INFILL_OK);
        unchanged(__LINE__, "a damaged source");
        words[bit / 64] ^= 1ull << bit % 64;
    }
    words[bytes / 16] ^= 1;
    LIST(INFILL_ERROR_CORRUPT, all);
    words[bytes / 16] ^= 1;
    /* The block of something else. */
    list.data = mine;
    list.size = infill_bytes(mine);
    LIST(INFILL_ERROR_FOREIGN, all);
    list.data = words;
    /* Two spaces or two scalars in one list; another space or scalar than that of the run; more than there is room for. */
    {
        infill_space narrow = w.space;
        infill_param real[DIMS];
        size_t more;
        memcpy(real, w.params, sizeof real);
        real[0].hi = 2;
        narrow.params = real;
        many.size = made(&narrow, &w.config, FEATURES, other);
        OK(infill_sources_check(&many, &more));
        CHECK(more == 1);
        TAKEN(INFILL_ERROR_FOREIGN, &many);
        memcpy(other + many.size / 8, words, bytes);
        many.size += bytes;
        LIST(INFILL_ERROR_FOREIGN, &many);
        config.scalar = w.config.scalar == INFILL_F32 ? INFILL_F64 : INFILL_F32;
        many.size = made(&w.space, &config, FEATURES, other);
        OK(infill_sources_check(&many, &more));
        TAKEN(INFILL_ERROR_FOREIGN, &many);
        memcpy(other + many.size / 8, words, bytes);
        many.size += bytes;
        LIST(INFILL_ERROR_FOREIGN, &many);
        config.scalar = w.config.scalar;
        memcpy(other, words, bytes);
        memcpy(other + bytes / 8, words, bytes);
        many.size = 2 * bytes;
        OK(infill_sources_check(&many, &more));
        CHECK(more == 2);
        TAKEN(INFILL_ERROR_LIMITS, &many);
    }
    /* Meta-features that are needed and missing, or others. */
    list.size = bytes;
    config.transfer_start = INFILL_START_NEAREST;
    OK(infill_init(w.helped, sizeof w.helped, &w.space, &config, &mine));
    list.count = 1;
    TAKEN(INFILL_ERROR_SHAPE, all);
    list.count = 0;
    TAKEN(INFILL_ERROR_SHAPE, all);
    list.count = FEATURES;
    list.size = made(&w.space, &w.config, 0, words);
    TAKEN(INFILL_ERROR_SHAPE, all);
}

static void meta_features(void) {
    const double numbers[6] = {1, 2, 3, 4, 5, 7}, zeros[6] = {0, 0, 0, 0, 0, 0}, odd[3] = {1, NAN, 2}, *columns = numbers;
    const uint32_t classes[3] = {0, 1, 1}, *labels = classes;
    double *out = w.out.features;
    POINTER(columns, infill_meta_features(columns, 2, labels, 3, out));
    POINTER(labels, infill_meta_features(columns, 2, labels, 3, out));
    POINTER(out, infill_meta_features(columns, 2, labels, 3, out));
    REFUSE(INFILL_ERROR_NO_DATA, infill_meta_features(columns, 0, labels, 3, out));
    REFUSE(INFILL_ERROR_NO_DATA, infill_meta_features(columns, 2, labels, 0, out));
    REFUSE(INFILL_ERROR_NO_DATA, infill_meta_features(zeros, 2, labels, 3, out));
    REFUSE(INFILL_ERROR_NOT_FINITE, infill_meta_features(odd, 1, labels, 3, out));
    REFUSE(INFILL_ERROR_SHAPE, infill_meta_features(columns, SIZE_MAX, labels, 3, out));
    REFUSE(INFILL_ERROR_SHAPE, infill_meta_features(columns, SIZE_MAX / 2, labels, 1, out));
}

static void work(void) {
    written();
    lists();
    meta_features();
}

int main(void) { return in_both_scalars("bad/source", work); }
