/*
 * infill: Bayesian optimization in one bounded block of memory.
 *
 * It finds the minimum of a function that is expensive to evaluate, in few evaluations. To maximise, tell -y.
 *
 *     infill_param params[] = {INFILL_REAL(-5, 10), INFILL_INTEGER(1, 64)};
 *     infill_space space = INFILL_SPACE(params, 2);
 *     infill_config config;
 *     infill_config_default(&config, sizeof config);
 *     infill_opt *opt;
 *     if (infill_new(&space, &config, &opt) == INFILL_OK) {
 *         infill_minimize(opt, f, NULL, 40);
 *         ...
 *         infill_free(opt);
 *     }
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
 *    these; what else it may return stands behind Errors in its comment. A pointer may be NULL only where that says so.
 * 5. Structures that are read carry their size first and may grow; structures that are written never do.
 * 6. There is no global state. One object is used by one thread at a time, different objects are independent;
 *    functions that take a const handle may run together.
 * 7. A callback may stop a run. It must not unwind through this library (no longjmp, no exception), and must
 *    not use the handle it works for.
 * 8. Nothing allocates but what says so. A defect of the library becomes INFILL_PANIC and spoils the handle;
 *    in a build without an operating system it stops the machine.
 *
 * Tiers: 1 the whole loop, 2 ask and tell, 3 the parts. Generated from ffi/src: do not edit.
 *
 * Licence: MIT OR Apache-2.0.
 */
