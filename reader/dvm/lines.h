/* lines.h - the lines of a text file, plain or packed by gzip, of any length. */
#ifndef PS_READER_DVM_LINES_H
#define PS_READER_DVM_LINES_H

#include "core/base/error.h"

#include <zlib.h>

/* The present line is [at, end), without its end (LF or CR LF). It stays until the next call. */
typedef struct ps_dvm_lines {
        const char *at, *end;
        uint64_t number;   /* of the present line, from 1 */
        uint8_t unended;   /* the file ends within this line */
        uint8_t corrupt;   /* the rest cannot be unpacked */
        uint64_t n_packed; /* the file's size */

        gzFile file;
        char *window;
        size_t cap, next, n; /* window[next .. n) is not yet handed out */
        uint64_t base;       /* how much text stood before window[0] */
        uint8_t at_end;
} ps_dvm_lines;

ps_status ps_dvm_lines_open(ps_dvm_lines *lines, const char *path, ps_error *err);
void ps_dvm_lines_close(ps_dvm_lines *lines);

/* 1 and the next line, 0 at the end, or an error. */
int ps_dvm_lines_next(ps_dvm_lines *lines, ps_error *err);

#endif
