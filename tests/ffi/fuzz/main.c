/*
 * fuzz FIRST CALLS: the cases from seed FIRST on, until so many calls were made. Each failure is printed.
 * fuzz SEED: that case alone, every call printed.
 */
#include "fuzz.h"
#include "fuzz_case.h"

/* Cheap parts come less often than they could: what is left out there is soon seen. */
static void (*const parts[])(void) = {
    optimize, select_branches, optimize, regress, race, race_iterated, optimize, evaluate_kernels, score_and_design,
    regress, select_branches, compare, document,
};

static int one(uint64_t seed, int trace)
{
    sow(seed);
    return run_case(seed, parts[seed % COUNT(parts)], trace);
}

int main(int argc, char **argv)
{
    uint64_t failures = 0, first, seed, most;
    if (argc < 2) return 2;
    first = seed = strtoull(argv[1], NULL, 10);
    if (argc == 2) {
        failures = (uint64_t)one(seed, 1);
        end_cases();
        return failures > 0;
    }
    for (most = strtoull(argv[2], NULL, 10); calls < most; seed++) failures += (uint64_t)one(seed, 0);
    end_cases();
    printf("%llu calls in %llu cases, %llu failures\n", (unsigned long long)calls, (unsigned long long)(seed - first),
           (unsigned long long)failures);
    return failures > 0;
}
