/* line_hash.h - the fingerprint by which code scanning services know a line again after the code around it
 * has moved: primaryLocationLineHash, as github/codeql-action computes it. */
#ifndef PS_REPORT_PRINT_LINE_HASH_H
#define PS_REPORT_PRINT_LINE_HASH_H

#include "core/base/error.h"

typedef struct ps_line_hash {
        uint64_t hash;
        uint32_t occurrence; /* how many lines up to this one have the hash */
        uint32_t columns;    /* UTF-16 units of the line, without its end */
} ps_line_hash;

/* Of each line of `text`, which ends with a NUL behind its `len` bytes; *n is 1 at least, because the end of
 * the text begins a line, too. Bytes that are no UTF-8 count as U+FFFD each. */
ps_status ps_line_hash_all(ps_line_hash **out, uint32_t *n, const char *text, size_t len, ps_error *err);

#endif
