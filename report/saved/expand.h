/* expand.h - compact reports as the JSON reports that they stand for (report/print/compact.h). */
#ifndef PS_REPORT_SAVED_EXPAND_H
#define PS_REPORT_SAVED_EXPAND_H

#include "core/base/error.h"

#include <stddef.h>

/* Whoever asks for no more of the rows of a table than these keys, the last of them NULL, reads it sooner. */
typedef struct ps_saved_asked {
        const char *table;
        const char *const *keys;
} ps_saved_asked;

/* What a compact report stands for, with a NUL behind it, the caller's to free, and *n is how long that is;
 * NULL of any other text, and *n stays. One that contradicts itself, or would be larger than `most` bytes, is
 * PS_E_INPUT; `what` is as of ps_saved_read(). Of the tables in `asked`, the last of them {NULL}, some keys
 * are left out of the rows; NULL: none are. */
ps_status ps_saved_expand(char **out, const char *text, size_t *n, size_t most, const ps_saved_asked *asked,
                          const char *what, const char *path, ps_error *err);

#endif
