/* lines.h - a source file as it stands, line by line: for who shows a line, or looks whether it is still the
 * same one. */
#ifndef PS_PATTERNS_SOURCE_LINES_H
#define PS_PATTERNS_SOURCE_LINES_H

#include "core/base/error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct ps_lines {
        char *text;   /* each line ends with a NUL, where its end was */
        size_t *line; /* where each begins */
        uint32_t n;
} ps_lines;

/* Of the `n` bytes at `text`, which is malloc'ed with room for one more, and owned from now on. */
ps_status ps_lines_make(ps_lines *out, char *text, size_t n, ps_error *err);
/* Of a file; *out is empty if it is none that can be read, or too large for a source. Fails only for want of
 * memory. */
ps_status ps_lines_read(ps_lines *out, const char *path, ps_error *err);
void ps_lines_clear(ps_lines *lines);

/* Without its end; NULL: there is no such line, the first is 1. */
const char *ps_lines_at(const ps_lines *lines, uint32_t line);

#endif
