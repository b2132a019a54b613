/*
 * Blocks: too small, misaligned, of something else, damaged.
 *
 * An argument sets the stride of the sweep through a block.
 */

#include "world.h"

static size_t stride = 1;

static void made(void) {
    void *mem = w.spare;
    infill_space *space = &w.space;
    infill_config *config = &w.config;
    infill_opt **out = &w.out.opt;
    size_t bytes = infill_size(space, config);
    memset(w.spare, 0x5A, sizeof w.spare);
    POINTER(mem, infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(space, infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(config, infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(out, infill_init(mem, sizeof w.spare, space, config, out));
    POINTER(space, infill_new(space, config, out));
    POINTER(config, infill_new(space, config, out));
    POINTER(out, infill_new(space, config, out));
    COUNTER(space, infill_size(space, config));
    COUNTER(config, infill_size(space, config));
    for (size_t size = 0; size < bytes; size += 8) {
        REFUSE(INFILL_ERROR_MEMORY, infill_init(mem, size, space, config, out));
        REFUSE(INFILL_ERROR_MEMORY, infill_init(mem, size + 7, space, config, out));
    }
    /* Each word of alignment but 8. */
    for (int odd = 1; odd < 8; odd++) {
        REFUSE(INFILL_ERROR_ALIGNMENT, infill_init((char *)w.spare + odd, bytes, space, config, out));
        REFUSE(INFILL_ERROR_ALIGNMENT, infill_attach((char *)w.spare + odd, bytes, NULL, out));
    }
    /* Attaching what is no block. */
    POINTER(out, infill_attach(mem, sizeof w.spare, NULL, out));
    POINTER(mem, infill_attach(mem, sizeof w.spare, NULL, out));
    REFUSE(INFILL_ERROR_FOREIGN, infill_attach(mem, sizeof w.spare, NULL, out));
    REFUSE(INFILL_ERROR_FOREIGN, infill_attach(w.none, sizeof w.none, NULL, out));
    REFUSE(INFILL_ERROR_FOREIGN, infill_attach(w.gp, sizeof w.gp, NULL, out));
    for (size_t size = 0; size < infill_bytes(opt); size += 8) {
        REFUSE(INFILL_ERROR_MEMORY, infill_attach(w.opt, size, NULL, out));
    }
}

static void copied(void) {
    void *mem = w.spare;
    infill_opt **out = &w.out.opt;
    infill_limits *limits = &w.limits;
    size_t bytes = infill_bytes(opt);
    HANDLE(infill_clone(opt, limits, mem, sizeof w.spare, out));
    POINTER(mem, infill_clone(opt, limits, mem, sizeof w.spare, out));
    POINTER(out, infill_clone(opt, limits, mem, sizeof w.spare, out));
    ODD(limits, infill_clone(opt, limits, mem, sizeof w.spare, out));
    REFUSE(INFILL_ERROR_MEMORY, infill_clone(opt, limits, mem, bytes - 8, out));
    REFUSE(INFILL_ERROR_MEMORY, infill_clone(opt, NULL, mem, 0, out));
    WITH(uint32_t, limits->trials, TRIALS - 1, INFILL_ERROR_LIMITS,
         infill_clone(opt, limits, mem, sizeof w.spare, out));
    WITH(uint32_t, limits->dims, 1, INFILL_ERROR_LIMITS, infill_clone(opt, limits, mem, sizeof w.spare, out));
    WITH(uint32_t, limits->trials, UINT32_MAX, INFILL_ERROR_LIMITS,
         infill_clone(opt, limits, mem, sizeof w.spare, out));
    WITH(uint32_t, limits->names, UINT32_MAX, INFILL_ERROR_LIMITS, infill_clone(opt, limits, mem, sizeof w.spare, out));
    WITH(uint32_t, limits->values, UINT32_MAX, INFILL_ERROR_LIMITS, infill_clone(opt, limits, mem, sizeof w.spare, out));
    COUNTER(opt, infill_clone_size(opt, limits));
    w.limits.trials = UINT32_MAX;
    ZERO(infill_clone_size(opt, limits));
    /* Smaller limits are refused by infill_clone, and so their size is 0. */
    w.limits.trials = TRIALS - 1;
    ZERO(infill_clone_size(opt, limits));
    w.limits.trials = 0;
    w.limits.names = UINT32_MAX;
    ZERO(infill_clone_size(opt, limits));
    w.limits.names = 0;
    ZERO(infill_words(0, 10, INFILL_F64));
    ZERO(infill_words(2, 0, INFILL_F64));
    ZERO(infill_words(UINT32_MAX, 10, INFILL_F64));
    ZERO(infill_words(2, 10, 0));
    /* NULL is allowed here. */
    infill_free(NULL);
    /* This has no input that could be bad. */
    CHECK(infill_align() == 8);
}

/*
 * A flipped byte is noticed, or lies in scratch and makes no difference: the optimizer goes on to the same bits.
 * Also a block of which a part was lost, and one with two parts swapped.
 */
static void damaged(void) {
    static uint64_t copy[BLOCK], kept[BLOCK];
    size_t bytes = infill_bytes(opt), noticed = 0, harmless = 0;
    infill_opt *other;
    double expected[3][DIMS], x[DIMS];
    infill_trial trial;
    memcpy(copy, w.opt, bytes);
    OK(infill_attach(copy, bytes, NULL, &other));
    for (int i = 0; i < 3; i++) {
        OK(infill_ask(other, expected[i], DIMS, &trial));
        OK(infill_tell(other, trial, expected[i][0]));
    }
    for (size_t at = 0; at < bytes; at += at < 256 ? 1 : stride) {
        for (int bit = 0; bit < 8; bit += 1 + (at + 3) % 7) {
            infill_status status;
            infill_opt *handle = NULL;
            memcpy(copy, w.opt, bytes);
            ((unsigned char *)copy)[at] ^= (unsigned char)(1 << bit);
            memcpy(kept, copy, bytes);
            status = infill_attach(copy, bytes, NULL, &handle);
            if (status != INFILL_OK) {
                int documented = status == INFILL_ERROR_FOREIGN || status == INFILL_ERROR_CORRUPT;
                CHECK(documented && handle == NULL && same_bits(copy, kept, bytes));
                CHECK(status != INFILL_ERROR_FOREIGN || at < 24);
                noticed++;
                continue;
            }
            /* Taking it up again marks what is open, in a word of the front and in the checksum, and changes nothing else. */
            kept[2] = copy[2];
            kept[20] = copy[20];
            CHECK(same_bits(copy, kept, bytes));
            harmless++;
            for (int i = 0; i < 3; i++) {
                OK(infill_ask(handle, x, DIMS, &trial));
                CHECK(same_bits(x, expected[i], sizeof x));
                OK(infill_tell(handle, trial, x[0]));
            }
        }
    }
    printf("flipped bits: %lu noticed, %lu in scratch\n", (unsigned long)noticed, (unsigned long)harmless);
    CHECK(noticed > 256 && harmless > 0);
    /* The magic says version and byte order. */
    memcpy(copy, w.opt, bytes);
    for (size_t i = 0; i < 4; i++) {
        unsigned char *b = (unsigned char *)copy, swapped = b[i];
        b[i] = b[7 - i];
        b[7 - i] = swapped;
    }
    STATUS(INFILL_ERROR_FOREIGN, infill_attach(copy, bytes, NULL, &other));
    /* Halves of two moments. */
    memcpy(copy, w.opt, bytes);
    OK(infill_attach(copy, bytes, NULL, &other));
    OK(infill_ask(other, x, DIMS, &trial));
    OK(infill_tell(other, trial, 3));
    memcpy(copy, w.opt, 1024);
    memcpy(kept, copy, bytes);
    STATUS(INFILL_ERROR_CORRUPT, infill_attach(copy, bytes, NULL, &other));
    CHECK(same_bits(copy, kept, bytes));
    /* A tail that was never written. */
    memcpy(copy, w.opt, bytes);
    memset((char *)copy + 1024, 0, bytes - 1024);
    STATUS(INFILL_ERROR_CORRUPT, infill_attach(copy, bytes, NULL, &other));
}

static void work(void) {
    made();
    copied();
    damaged();
}

int main(int count, char **arguments) {
    size_t given = count > 1 ? (size_t)strtoul(arguments[1], NULL, 10) : 1;
    stride = given > 0 ? given : 1;
    return in_both_scalars("bad/block", work);
}
