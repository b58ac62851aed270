/* scan.h - finds the calls in a source text without compiling it.
 *
 * C, C++ and Fortran are understood as far as it takes to tell a call from a comment, a string, a dead
 * branch or another function's code. The text is blanked and indexed once; every question after that costs
 * a binary search, so that no trace can make one expensive by asking often. */
#ifndef PS_PATTERNS_SOURCE_SCAN_H
#define PS_PATTERNS_SOURCE_SCAN_H

#include "core/base/error.h"

typedef enum ps_scan_language {
        PS_SCAN_NONE, /* not a source file that we know */
        PS_SCAN_C,
        PS_SCAN_CPP,
        PS_SCAN_FORTRAN,      /* free form */
        PS_SCAN_FORTRAN_FIXED /* columns 1 to 6 have a meaning */
} ps_scan_language;

/* By the ending of the file's name. */
ps_scan_language ps_scan_language_of(const char *file);

/* A part of a name in C or Fortran? */
bool ps_scan_is_word(char c);

/* The longest name that is looked for; more matching lines than this are not told. */
enum { PS_SCAN_LONGEST_NAME = 128, PS_SCAN_MOST_LINES = 64 };

/* What a call of the region looks like: `f` for `ns::C::f<int>(double) const`, `mpi_recv` for `mpi_recv_` in
 * Fortran. Gives the length of `out`; 0 when there is no such name (operators, lambdas, destructors). */
size_t ps_scan_name(char out[PS_SCAN_LONGEST_NAME], const char *region, ps_scan_language language);

typedef struct ps_scan ps_scan;

/* Blanks what is no code in the `len` bytes at `text`, which must outlive the scan, and indexes the rest.
 * *out is NULL for a file that no compiler would take, either (a million blocks). Fails only for want of
 * memory. */
ps_status ps_scan_new(ps_scan **out, char *text, size_t len, ps_scan_language language, ps_error *err);
void ps_scan_free(ps_scan *scan);

ps_scan_language ps_scan_language_in(const ps_scan *scan);

/* Bytes [begin, end) of the text; begin == end: not found. */
typedef struct ps_scan_span {
        uint32_t begin, end;
} ps_scan_span;

/* The body of the function that begins in `line`, to its end or, if line_end >= line, to that line's end. A
 * function whose head does not bear `name` is not found: the text is not the one that was compiled. An empty
 * name is not compared. */
ps_scan_span ps_scan_function(const ps_scan *scan, const char *name, uint32_t line, uint32_t line_end);
ps_scan_span ps_scan_lines(const ps_scan *scan, uint32_t line, uint32_t line_end);

typedef struct ps_scan_calls {
        uint32_t line[PS_SCAN_MOST_LINES]; /* each once, rising */
        uint32_t n_lines;
        uint32_t column, column_end; /* of the name, 1-based, end exclusive; 0 unless `unique` */
        bool unique;                 /* there is exactly one call */
} ps_scan_calls;

void ps_scan_calls_of(const ps_scan *scan, const char *name, ps_scan_span span, ps_scan_calls *out);

#endif
