/* Blocks: as large as they say, saved, copied and taken up again. */

#include "good.h"

/* A saved block goes on to the same bits, wherever it lies; so does a copy with larger limits. */
static void saved(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_INTEGER(1, 9)};
    infill_space space = INFILL_SPACE(params, 2);
    infill_config config = small_config(scalar);
    size_t bytes = infill_size(&space, &config), larger;
    void *mem = reserve(bytes), *copy = reserve(bytes), *wide;
    infill_limits limits;
    infill_opt *all[4];
    infill_trial open = 0, trial = 0;
    double x[2], reference[2];
    OK(infill_init(mem, bytes, &space, &config, &all[0]));
    CHECK((void *)all[0] == mem);
    for (int i = 0; i < 5; i++) {
        OK(infill_ask(all[0], x, 2, &trial));
        OK(infill_tell(all[0], trial, bowl(x, 2)));
    }
    OK(infill_ask(all[0], x, 2, &open));
    memset(&limits, 0, sizeof limits);
    limits.trials = 40;
    limits.candidates = 32;
    larger = infill_clone_size(all[0], &limits);
    CHECK(larger > bytes && infill_clone_size(all[0], NULL) == bytes);
    wide = reserve(larger);
    memcpy(copy, mem, bytes);
    OK(infill_attach(copy, bytes, NULL, &all[1]));
    OK(infill_clone(all[0], &limits, wide, larger, &all[2]));
    CHECK((void *)all[1] == copy && (void *)all[2] == wide && infill_remaining(all[2]) == 34);
    CHECK(infill_bytes(all[2]) == larger);
    {
        void *same = reserve(bytes);
        OK(infill_clone(all[0], NULL, same, bytes, &all[3]));
        for (int i = 0; i < 4; i++) {
            OK(infill_ask(all[0], reference, 2, &trial));
            OK(infill_tell(all[0], trial, bowl(reference, 2)));
            for (int o = 1; o < 4; o++) {
                infill_trial other = 0;
                OK(infill_ask(all[o], x, 2, &other));
                CHECK(other == trial && same_bits(x, reference, sizeof x));
                OK(infill_tell(all[o], other, bowl(x, 2)));
            }
        }
        /* The open trial came along. */
        for (int o = 0; o < 4; o++) {
            OK(infill_tell(all[o], open, 0.25));
        }
        /* Nothing is open that an attach would mark. */
        OK(infill_attach(copy, bytes, NULL, &all[1]));
        CHECK(same_bits(mem, copy, bytes) == 1);
        free(same);
    }
    free(mem);
    free(copy);
    free(wide);
}

/* Two hundred parameters take the large buffers of the conversion. */
static void many(uint32_t scalar) {
    enum { DIMS = 200 };
    static infill_param params[DIMS];
    static double x[DIMS], y[DIMS];
    infill_space space = INFILL_SPACE(params, DIMS);
    infill_config config = small_config(scalar);
    infill_opt *opt = NULL;
    infill_trial trial = 0;
    double value = NAN, mean = NAN, variance = NAN;
    size_t bytes;
    void *mem;
    for (size_t i = 0; i < DIMS; i++) {
        infill_param one = INFILL_REAL(0.1, 0.9);
        params[i] = one;
        x[i] = i % 2 ? 0.1 : 0.9;
    }
    config.limits.trials = 6;
    config.start = 2;
    bytes = infill_size(&space, &config);
    mem = reserve(bytes);
    OK(infill_init(mem, bytes, &space, &config, &opt));
    OK(infill_enqueue(opt, x, DIMS, &trial));
    for (int i = 0; i < 4; i++) {
        OK(infill_ask(opt, y, DIMS, &trial));
        OK(infill_tell(opt, trial, bowl(y, DIMS)));
        if (i == 0) {
            for (size_t k = 0; k < DIMS; k++) {
                CHECK(fabs(x[k] - y[k]) < 1e-7);
            }
        }
    }
    OK(infill_observe(opt, x, DIMS, 1000.0, &trial));
    OK(infill_best(opt, y, DIMS, &value));
    CLOSE(bowl(y, DIMS), value, 1e-6);
    OK(infill_predict(opt, y, DIMS, &mean, &variance));
    OK(infill_recommend(opt, y, DIMS, &mean, &variance));
    CHECK(mean == mean && variance >= 0);
    free(mem);
}

/* A block from the heap is as large as one that is lent, and goes on to the same bits. */
static void heap(uint32_t scalar) {
    infill_param params[] = {INFILL_REAL(0, 1), INFILL_INTEGER(1, 9)};
    infill_space space = INFILL_SPACE(params, 2);
    infill_config config = small_config(scalar);
    size_t bytes = infill_size(&space, &config);
    void *mem = reserve(bytes);
    infill_opt *lent = NULL, *owned = NULL;
    infill_trial trial = 0, other = 0;
    double x[2], y[2];
    OK(infill_init(mem, bytes, &space, &config, &lent));
    OK(infill_new(&space, &config, &owned));
    CHECK(infill_bytes(owned) == bytes && owned != lent);
    for (int i = 0; i < 6; i++) {
        OK(infill_ask(lent, x, 2, &trial));
        OK(infill_ask(owned, y, 2, &other));
        CHECK(trial == other && same_bits(x, y, sizeof x));
        OK(infill_tell(lent, trial, bowl(x, 2)));
        OK(infill_tell(owned, other, bowl(y, 2)));
    }
    infill_free(owned);
    infill_free(NULL);
    free(mem);
}

int main(void) {
    CHECK(infill_align() == INFILL_ALIGN);
    CHECK(infill_words(2, 20, INFILL_F64) == INFILL_WORDS(2, 20, INFILL_F64));
    in_both_scalars(saved);
    in_both_scalars(heap);
    in_both_scalars(many);
    return report("good/block");
}
