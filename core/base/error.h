/* error.h - an error is a chain of causes on the caller's stack.
 *
 * The place that notices a failure calls PS_FAIL with what happened and the values concerned
 * ("cannot read event: path=\"a.evt\", offset=512"); each layer above may add what it was doing with
 * PS_CAUSE. Both return the status, so that `return PS_FAIL(...)` is the whole error path. */
#ifndef PS_CORE_BASE_ERROR_H
#define PS_CORE_BASE_ERROR_H

#include "patscan/patscan.h"

#include <stdbool.h>

/* The public names, as short as all others inside. */
typedef patscan_status ps_status;
typedef patscan_error ps_error;

#define PS_OK          PATSCAN_OK
#define PS_E_USAGE     PATSCAN_E_USAGE
#define PS_E_INPUT     PATSCAN_E_INPUT
#define PS_E_NOMEM     PATSCAN_E_NOMEM
#define PS_E_OUTPUT    PATSCAN_E_OUTPUT
#define PS_E_INTERNAL  PATSCAN_E_INTERNAL
#define PS_E_CANCELLED PATSCAN_E_CANCELLED

enum { PS_ERROR_CAUSES = PATSCAN_ERROR_CAUSES, PS_ERROR_TEXT = PATSCAN_ERROR_TEXT };

#if defined(__GNUC__)
#define PS_FORMAT(fmt, va) __attribute__((format(printf, fmt, va)))
#else
#define PS_FORMAT(fmt, va)
#endif

/* `err` may be NULL for callers who only want the status. */
void ps_error_set(ps_error *err, ps_status status, const char *file, int line, const char *fmt, ...)
        PS_FORMAT(5, 6);
void ps_error_add(ps_error *err, ps_status status, const char *file, int line, const char *fmt, ...)
        PS_FORMAT(5, 6);

/* The status itself is their value, so that compilers and analyzers see that what failed is not PS_OK. */
#define PS_FAIL(err, status, ...)  (ps_error_set((err), (status), __FILE__, __LINE__, __VA_ARGS__), (status))
#define PS_CAUSE(err, status, ...) (ps_error_add((err), (status), __FILE__, __LINE__, __VA_ARGS__), (status))
#define PS_NOMEM(err, what, count)                                                                           \
        PS_FAIL((err), PS_E_NOMEM, "out of memory: what=\"%s\", count=%zu", (what), (size_t)(count))

/* A status is compared with PS_OK. Of steps that each need the one before, PS_TRY leaves the function with
 * the status of the one that fails; in a function that has to clean up after them, PS_THEN goes on only while
 * `status` says that all was well, and keeps in it what the step says. */
#define PS_TRY(...)                                                                                          \
        do {                                                                                                 \
                ps_status tried_ = (__VA_ARGS__);                                                            \
                if (tried_ != PS_OK)                                                                         \
                        return tried_;                                                                       \
        } while (0)
#define PS_THEN(status, ...) ((status) = (status) == PS_OK ? (__VA_ARGS__) : (status))

#endif
