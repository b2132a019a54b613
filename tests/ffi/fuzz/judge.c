/* Calls, what they return and what they touch. */
#include "fuzz.h"

#include "documented.h"
#include "fuzz_case.h"

#include <setjmp.h>
#include <stdarg.h>

uint64_t calls;

static const char *name = "";
static int spoilt, refused;
static jmp_buf end;
static uint64_t seed, step;
static int traced;

/* What has to be given back, in the order in which it was taken. */
enum owner { BYTES, OPT, GP, DOCUMENT };
static struct {
    void *pointer;
    enum owner kind;
} *owned;
static size_t owning, room;

static void own(void *pointer, enum owner kind)
{
    if (owning == room) {
        room = room ? 2 * room : 256;
        owned = realloc(owned, room * sizeof *owned);
        if (owned == NULL) exit(3);
    }
    owned[owning].pointer = pointer;
    owned[owning++].kind = kind;
}

void own_opt(infill_opt *opt) { own(opt, OPT); }
void own_gp(infill_gp *gp) { own(gp, GP); }
void own_document(infill_document *document) { own(document, DOCUMENT); }

static void give_back(void)
{
    while (owning > 0) {
        void *pointer = owned[--owning].pointer;
        switch (owned[owning].kind) {
        case BYTES: free(pointer); break;
        case OPT: infill_free(pointer); break;
        case GP: infill_gp_free(pointer); break;
        case DOCUMENT: infill_document_free(pointer); break;
        }
    }
}

void *take(size_t bytes)
{
    void *pointer = calloc(1, bytes > 0 ? bytes : 1);
    if (pointer == NULL) exit(3);
    own(pointer, BYTES);
    return pointer;
}

/* Outputs of the next call. */
enum { PATTERN = 0xA5 };
static struct {
    unsigned char *bytes;
    size_t size;
} outputs[12];
static size_t written;

void *out(size_t bytes)
{
    unsigned char *pointer = take(bytes);
    memset(pointer, PATTERN, bytes);
    if (written == COUNT(outputs)) fail("more outputs than a call can have");
    outputs[written].bytes = pointer;
    outputs[written++].size = bytes;
    return pointer;
}

void spoil(void) { spoilt = 1; }

void *bent(const void *pointer)
{
    if (!chance(1)) return (void *)(uintptr_t)pointer;
    spoilt = 1;
    return chance(50) ? NULL : (void *)((uintptr_t)pointer + 1);
}

void *missing(const void *pointer)
{
    if (!chance(1)) return (void *)(uintptr_t)pointer;
    spoilt = 1;
    return NULL;
}

static const char *status_name(infill_status status)
{
    for (size_t i = 0; i < COUNT(status_names); i++) {
        if (status_names[i].status == status) return status_names[i].name;
    }
    return "a status that does not exist";
}

/* Whether the header lists the status for the function. */
static int listed(infill_status status)
{
    for (size_t i = 0; i < COUNT(documented); i++) {
        if (strcmp(documented[i].name, name) != 0) continue;
        for (const int32_t *s = documented[i].statuses; *s != 0; s++) {
            if (*s == status) return 1;
        }
        return 0;
    }
    return 0;
}

void before(const char *function)
{
    name = function;
    calls++;
    step++;
    keep_watched();
    if (traced) {
        printf("%llu %s", (unsigned long long)step, name);
        fflush(stdout);
    }
}

infill_status after(infill_status status)
{
    int must = spoilt;
    size_t outs = written;
    if (traced) printf(": %s\n", status_name(status));
    spoilt = 0;
    written = 0;
    refused = status != INFILL_OK;
    if (!refused) {
        if (must) fail("a call that cannot be right was accepted");
        return status;
    }
    if (status == INFILL_PANIC || !listed(status)) fail("%s is not documented", status_name(status));
    if (watched_changed(status)) fail("%s, and the handle has changed", status_name(status));
    for (size_t i = 0; i < outs; i++) {
        for (size_t k = 0; k < outputs[i].size; k++) {
            if (outputs[i].bytes[k] != PATTERN) fail("%s, and output %zu was written", status_name(status), i);
        }
    }
    return status;
}

size_t counted(size_t result)
{
    if (traced) printf(": %zu\n", result);
    spoilt = 0;
    written = 0;
    if (watched_changed(INFILL_OK)) fail("looking has changed the handle");
    return result;
}

void finite(const double *values, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) fail("OK with %s = %g", what, values[i]);
    }
}

void fail(const char *format, ...)
{
    va_list list;
    printf("seed %llu, call %llu, %s: ", (unsigned long long)seed, (unsigned long long)step, name);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    fflush(stdout);
    longjmp(end, 1);
}

void trace(const char *format, ...)
{
    va_list list;
    if (!traced) return;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

int run_case(uint64_t of, void (*body)(void), int aloud)
{
    int failed;
    seed = of;
    step = 0;
    traced = aloud;
    spoilt = 0;
    written = 0;
    watch(NULL, 0, A_BLOCK);
    failed = setjmp(end);
    if (!failed) body();
    watch(NULL, 0, A_BLOCK);
    give_back();
    return failed;
}

void end_cases(void)
{
    free(owned);
    end_watch();
}
