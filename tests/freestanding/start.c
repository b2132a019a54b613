/* Ask and tell from the first instruction of a process: no C library, no heap, no main. */
#include "infill.h"

#include <stddef.h>

enum { DIMS = 2, TRIALS = 30 };

static uint64_t block[INFILL_WORDS(DIMS, TRIALS, INFILL_F64)];

/* A valley: the minimum is 0 at (0.3, 7). */
static double valley(const double *x)
{
    const double a = x[0] - 0.3, b = (x[1] - 7.0) / 10.0;
    return 4.0 * a * a + b * b + a * b;
}

static const infill_node nodes[] = {{INFILL_OP_MATERN, 0, 0, 0, 0, NULL, NULL, 0}};
static const infill_kernel any_order = {nodes, 1};

static int run(uint32_t scalar)
{
    const infill_param params[DIMS] = {INFILL_REAL(0.0, 1.0), INFILL_INTEGER(0, 10)};
    const infill_space space = INFILL_SPACE(params, DIMS);
    infill_config config;
    infill_opt *opt;
    double best = 1e9;
    if (infill_config_default(&config, sizeof config) != INFILL_OK) return 1;
    config.scalar = scalar;
    config.limits.trials = TRIALS;
    /* What is left out of a small build is refused, and nothing else. */
    config.model = INFILL_MODEL_RANDOM_FOREST;
    if (infill_init(block, sizeof block, &space, &config, &opt) != INFILL_ERROR_UNSUPPORTED) return 6;
    config.model = INFILL_MODEL_PROCESS;
    config.kernel = &any_order;
    if (infill_init(block, sizeof block, &space, &config, &opt) != INFILL_ERROR_UNSUPPORTED) return 7;
    config.kernel = NULL;
    const char *const names[DIMS] = {"share", NULL};
    infill_space named = space;
    named.names = names;
    if (infill_init(block, sizeof block, &named, &config, &opt) != INFILL_ERROR_UNSUPPORTED) return 8;
    config.limits.sources = 1;
    if (infill_init(block, sizeof block, &space, &config, &opt) != INFILL_ERROR_UNSUPPORTED) return 8;
    config.limits.sources = 0;
    /* It can be asked why, and says what it can without sentences of its own. */
    const infill_param wrong[1] = {INFILL_REAL(1.0, 0.0)};
    const infill_space reversed = INFILL_SPACE(wrong, 1);
    const infill_given given = INFILL_GIVEN(INFILL_ERROR_BOUNDS, &reversed, &config);
    char text[64];
    size_t length = 0;
    if (infill_explain(&given, text, sizeof text, &length) != INFILL_OK) return 9;
    const char *const status = infill_status_str(INFILL_ERROR_BOUNDS);
    for (size_t i = 0; i <= length; i++) {
        if (text[i] != status[i]) return 9;
    }
    if (infill_init(block, sizeof block, &space, &config, &opt) != INFILL_OK) return 2;
    for (int i = 0; i < TRIALS; i++) {
        double x[DIMS];
        infill_trial trial;
        if (infill_ask(opt, x, DIMS, &trial) != INFILL_OK) return 3;
        const double value = valley(x);
        if (value < best) best = value;
        if (infill_tell(opt, trial, value) != INFILL_OK) return 4;
    }
    size_t bytes = 0;
    if (infill_source_size(opt, INFILL_FORM_MEANS, 0, &bytes, &length) != INFILL_ERROR_UNSUPPORTED) return 8;
    return best < 1e-3 ? 0 : 5;
}

/* The status of the process: 0, or a digit for what went wrong in single precision and one for double. */
__attribute__((used)) static int both(void) { return 10 * run(INFILL_F32) + run(INFILL_F64); }

__asm__(".globl _start\n"
        "_start:\n"
        "    xor %ebp, %ebp\n"
        "    and $-16, %rsp\n"
        "    call both\n"
        "    mov %eax, %edi\n"
        "    mov $60, %eax\n" /* exit */
        "    syscall\n");
