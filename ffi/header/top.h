/**
 * @file
 * infill: Bayesian optimization in one bounded block of memory.
 *
 * It finds the minimum of a function that is expensive to evaluate, in few evaluations. To maximise, tell -y.
 *
 * Conventions
 *
 * 1. Parameters come in the order self, inputs, outputs. No parameter is both.
 * 2. A function that can fail returns infill_status: 0, or a negative number that never changes its meaning.
 * 3. Outputs are written only on success. On failure nothing has changed, in the handle or elsewhere. The work that
 *    finds that there is no point or run to ask for, or that a model cannot be fitted, may stay, such as what was
 *    learnt for it; no function shows it.
 * 4. Every pointer is checked for NULL and for alignment, every handle and every structure for being one:
 *    INFILL_ERROR_NULL, INFILL_ERROR_ALIGNMENT, INFILL_ERROR_FOREIGN, INFILL_ERROR_VERSION. Any function may return
 *    these; what else it may return stands in its comment: behind Errors, and behind Nothing to give what says that there
 *    is no answer and is no error. A pointer may be NULL only where that says so.
 * 5. Structures that are read carry their size first and may grow; structures that are written never do. A choice is a
 *    number of fixed width, and its type says which: infill_choice_name and infill_choice_number know their names.
 * 6. There is no global state. One object is used by one thread at a time, different objects are independent;
 *    functions that take a const handle may run together.
 * 7. A callback may stop a run. It must not unwind through this library (no longjmp, no exception), and must
 *    not use the handle it works for.
 * 8. Nothing allocates but what says so. A defect of the library becomes INFILL_PANIC and spoils the handle;
 *    in a build without an operating system it stops the machine.
 *
 * Tiers: 1 the whole loop, 2 ask and tell, 3 the parts. Simple things come first.
 *
 * Stability: what this header declares keeps its meaning while the first number of the version that is not 0 is the same.
 * What stands behind INFILL_EXPERIMENTAL at its end may change with the second: define that before the header is read.
 * What will go is INFILL_DEPRECATED for at least one version before it does; compilers then say what to use instead.
 *
 * The simplest complete program: cc program.c -linfill -lm
 *
 *     #include <infill.h>
 *     #include <stdio.h>
 *
 *     static int32_t bowl(void *user, const double *x, size_t dims, double *value) {
 *         (void)user, (void)dims;
 *         *value = (x[0] - 2) * (x[0] - 2) + (x[1] - 7) * (x[1] - 7);
 *         return 0;
 *     }
 *
 *     int main(void) {
 *         static const infill_param params[] = {INFILL_REAL(-5, 10), INFILL_INTEGER(1, 64)};
 *         static const infill_space space = INFILL_SPACE(params, 2);
 *         infill_config config;
 *         infill_opt *opt = NULL;
 *         double x[2], value = 0;
 *         infill_status status = infill_config_default(&config, sizeof config);
 *         if (status == INFILL_OK) status = infill_new(&space, &config, &opt);
 *         if (status == INFILL_OK) status = infill_minimize(opt, bowl, NULL, 30);
 *         if (status == INFILL_OK) status = infill_best(opt, x, 2, &value);
 *         if (status == INFILL_OK) printf("%g at %g, %g\n", value, x[0], x[1]);
 *         else fprintf(stderr, "%s\n", infill_status_str(status));
 *         infill_free(opt);
 *         return status == INFILL_OK ? 0 : 1;
 *     }
 *
 * Generated from ffi/src: do not edit. Licence: MIT OR Apache-2.0.
 */
