/* quantity.h - times and shares as they are written on a command line. */
#ifndef PS_LIBRARY_RUN_QUANTITY_H
#define PS_LIBRARY_RUN_QUANTITY_H

#include "core/base/error.h"
#include "core/base/types.h"

/* A time, or a share of something. */
typedef struct ps_quantity {
        bool is_share;
        ps_time time;
        double share; /* 1: all of it */
} ps_quantity;

/* "10us", "0.5 s", "5%", or a plain 0. `what` is named when the text is none of them: "epsilon". */
ps_status ps_quantity_parse(ps_quantity *out, const char *text, size_t len, const char *what, ps_error *err);

/* A whole number of the option --NAME; `most` is told in the error unless it is UINT64_MAX. */
ps_status ps_whole_parse(uint64_t *out, const char *name, const char *text, uint64_t least, uint64_t most,
                         ps_error *err);

/* A number of bytes, 1 at least, with K, M, G or T (powers of 1024; also k, Ki, KB and KiB), as in "512M".
 * `what` is named in the error: "--memory". */
ps_status ps_size_parse(uint64_t *out, const char *text, const char *what, ps_error *err);

/* The place of `word` in "a|b|c", or -1. */
int ps_choice_find(const char *choices, const char *word, size_t len);

#endif
