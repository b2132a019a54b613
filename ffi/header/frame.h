#ifndef INFILL_H
#define INFILL_H

#include <stddef.h>
#include <stdint.h>

#define INFILL_VERSION_MAJOR @MAJOR@ /**< Of the version of this header, what changes with incompatible ones. */
#define INFILL_VERSION_MINOR @MINOR@ /**< What changes with additions. */
#define INFILL_VERSION_PATCH @PATCH@ /**< What changes with corrections. */
/** The version of this header; infill_version() is that of the library. */
#define INFILL_VERSION (INFILL_VERSION_MAJOR << 16 | INFILL_VERSION_MINOR << 8 | INFILL_VERSION_PATCH)

/** Bytes to which a block is aligned: any array of uint64_t is. infill_align() for bindings. */
#define INFILL_ALIGN 8

/** Stands before a function that a later version drops: whoever calls it is told, and what to call instead. */
#if defined(__GNUC__)
#define INFILL_DEPRECATED(text) __attribute__((deprecated(text)))
#elif defined(_MSC_VER)
#define INFILL_DEPRECATED(text) __declspec(deprecated(text))
#elif defined(__cplusplus) ? __cplusplus >= 201402L : defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L
#define INFILL_DEPRECATED(text) [[deprecated(text)]]
#else
#define INFILL_DEPRECATED(text)
#endif

#ifdef __cplusplus
extern "C" {
#endif

@STABLE@

#ifdef __cplusplus
}
#endif

#endif /* INFILL_H */

/* What may still change: define INFILL_EXPERIMENTAL before the header is read, for the first time or once more. */
#if defined(INFILL_EXPERIMENTAL) && !defined(INFILL_EXPERIMENTAL_H)
#define INFILL_EXPERIMENTAL_H /**< It was read. */

#ifdef __cplusplus
extern "C" {
#endif

@EXPERIMENTAL@

#ifdef __cplusplus
}
#endif

#endif /* INFILL_EXPERIMENTAL_H */
