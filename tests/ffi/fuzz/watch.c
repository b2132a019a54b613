/* The bytes of a handle: what a refused call must leave alone. */
#include "fuzz.h"
#include "fuzz_case.h"

static const unsigned char *watched;
static unsigned char *kept;
static size_t watching, keeping;
static kind watched_kind;

double rounded(uint32_t scalar, double value) { return scalar == INFILL_F32 ? (double)(float)value : value; }

/* As if it had been saved. */
static infill_status attach(void *mem)
{
    infill_opt *opt;
    infill_race *race;
    infill_frace *frace;
    switch (watched_kind) {
    case AN_OPT:
    case A_BRANCHED: return infill_attach(mem, watching, NULL, &opt);
    case A_RACE: return infill_race_attach(mem, watching, &race);
    case A_FRACE: return infill_frace_attach(mem, watching, &frace);
    case A_BLOCK: break;
    }
    return INFILL_ERROR_FOREIGN;
}

/* Trials, runs and the best of them, as far as functions show them. */
static int shown(const void *handle, size_t index, double *x, infill_record *record, infill_run_record *run)
{
    uint32_t best = 0;
    switch (watched_kind) {
    case AN_OPT:
    case A_BRANCHED: return infill_record_at(handle, index, x, infill_dims(handle), record);
    case A_RACE:
        record->reserved = infill_race_incumbent(handle, &best) == INFILL_OK ? best + 1 : 0;
        return infill_race_record(handle, index, run);
    case A_FRACE: return infill_frace_best(handle, x, MOST, &record->reserved);
    case A_BLOCK: break;
    }
    return -1;
}

static int shows_the_same(void)
{
    for (size_t i = 0;; i++) {
        double x[2][MOST];
        infill_record records[2];
        infill_run_record runs[2];
        memset(x, 0, sizeof x);
        memset(records, 0, sizeof records);
        memset(runs, 0, sizeof runs);
        int was = shown(kept, i, x[0], &records[0], &runs[0]), is = shown(watched, i, x[1], &records[1], &runs[1]);
        if (was != is || memcmp(x[0], x[1], sizeof x[0]) != 0 || memcmp(&records[0], &records[1], sizeof records[0]) != 0 ||
            memcmp(&runs[0], &runs[1], sizeof runs[0]) != 0) {
            return 0;
        }
        if (was != INFILL_OK || watched_kind == A_FRACE) return 1;
    }
}

void watch(const void *bytes, size_t size, kind kind)
{
    watched = bytes;
    watching = bytes == NULL ? 0 : size;
    watched_kind = kind;
    if (watching <= keeping) return;
    keeping = watching;
    free(kept);
    kept = malloc(keeping);
    if (kept == NULL) exit(3);
}

void keep_watched(void)
{
    if (watching > 0) memcpy(kept, watched, watching);
}

int watched_changed(infill_status status)
{
    size_t first = 0;
    if (watching == 0 || memcmp(kept, watched, watching) == 0) return 0;
    /* The work by which it was found may stay, where nothing shows it. */
    int worked = status == INFILL_ERROR_EXHAUSTED || status == INFILL_ERROR_INFEASIBLE ||
                 (status == INFILL_ERROR_TOO_MANY_OPEN && watched_kind == A_RACE) ||
                 /* One branch may be full, and another used up. */
                 (status == INFILL_ERROR_FULL && watched_kind == A_BRANCHED) ||
                 (status == INFILL_ERROR_NOT_POSITIVE_DEFINITE && (watched_kind == AN_OPT || watched_kind == A_BRANCHED));
    if (worked && shows_the_same()) return 0;
    while (kept[first] == watched[first]) first++;
    /* Every byte that differs is damaged in what was there before: if that is not missed, none of them is remembered. */
    for (size_t i = first; i < watching; i++) kept[i] ^= (unsigned char)(kept[i] != watched[i]);
    if (attach(kept) == INFILL_OK) return 0;
    printf("word %zu of %zu has changed; ", first / 8, watching / 8);
    return 1;
}

void end_watch(void) { free(kept); }
