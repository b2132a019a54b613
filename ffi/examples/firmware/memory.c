/* The five functions of C that every compiler may call, for programs without a C library. */
#include <stddef.h>

/* Keeps the compiler from recognising a loop and replacing it by a call to the very function it is in. */
#define STEP __asm__ volatile("" ::: "memory")

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    for (size_t i = 0; i < size; i++) {
        out[i] = in[i];
        STEP;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    for (size_t i = 0; i < size; i++) {
        const size_t at = out < in ? i : size - 1 - i;
        out[at] = in[at];
        STEP;
    }
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    unsigned char *out = to;
    for (size_t i = 0; i < size; i++) {
        out[i] = (unsigned char)byte;
        STEP;
    }
    return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
    const unsigned char *a = left, *b = right;
    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
        STEP;
    }
    return 0;
}

int bcmp(const void *left, const void *right, size_t size) { return memcmp(left, right, size); }
