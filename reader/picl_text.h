/* picl_text.h - the lines of a trace in text, and the numbers in them.
 *
 * Lines come from a window on the file, so that memory does not follow the file's size. A line always ends
 * with '\n' (if need be one that the file does not have): the functions here stop there. */
#ifndef PS_READER_PICL_TEXT_H
#define PS_READER_PICL_TEXT_H

#include "core/error.h"
#include "core/types.h"
#include <stddef.h>

enum { PS_PICL_WINDOW = 1 << 18 };

typedef struct ps_picl_lines {
        int fd;
        char *window; /* PS_PICL_WINDOW bytes and room for an end of line */
        size_t at, have;
        uint64_t line; /* number of the line that was handed out last; the first is 1 */
        int at_end;
        const char *path; /* for messages; the caller's */
} ps_picl_lines;

typedef struct ps_picl_line {
        const char *text, *end; /* end: the '\n'; valid until the next one */
        int is_whole;           /* the file has the end of this line */
        int is_too_long;        /* longer than the window: `text` is nothing */
} ps_picl_line;

ps_status ps_picl_lines_open(ps_picl_lines *lines, const char *path, ps_error *err);
void ps_picl_lines_close(ps_picl_lines *lines);
/* line->text is NULL at the end. */
ps_status ps_picl_lines_next(ps_picl_lines *lines, ps_picl_line *line, ps_error *err);

static inline int ps_picl_is_blank(char c)
{
        return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *ps_picl_skip_blanks(const char *p)
{
        while (ps_picl_is_blank(*p))
                p++;
        return p;
}

/* Behind the word that begins at `p`. */
static inline const char *ps_picl_skip_word(const char *p)
{
        while (!ps_picl_is_blank(*p) && *p != '\n')
                p++;
        return p;
}

/* A whole number, blanks before it skipped; NULL when there is none or it does not fit. */
static inline const char *ps_picl_int(const char *p, int64_t *out)
{
        p = ps_picl_skip_blanks(p);
        int is_negative = *p == '-';
        p += is_negative || *p == '+';
        const char *first = p;
        uint64_t value = 0;
        while (*p - '0' >= 0 && *p - '0' <= 9)
                value = value * 10 + (uint64_t)(*p++ - '0');
        if (p == first || p - first > 18 || (!ps_picl_is_blank(*p) && *p != '\n'))
                return NULL;
        *out = is_negative ? -(int64_t)value : (int64_t)value;
        return p;
}

/* The same for a number of 32 bits. */
static inline const char *ps_picl_int32(const char *p, int32_t *out)
{
        int64_t wide = 0;
        p = ps_picl_int(p, &wide);
        *out = (int32_t)wide;
        return p && wide == *out ? p : NULL;
}

/* ps_picl_seconds for whatever is not plain. */
const char *ps_picl_seconds_odd(const char *p, ps_time *out, unsigned *decimals);

/* Decimal seconds as picoseconds, exact up to twelve decimals, more are rounded half to even; blanks before
 * it skipped. Saturates at +-PS_TIME_MAX. *decimals is raised to the number of digits behind the point, up to
 * 12. NULL when there is no number. */
static inline const char *ps_picl_seconds(const char *p, ps_time *out, unsigned *decimals)
{
        static const int64_t unit[] = {
                1000000000000, 100000000000, 10000000000, 1000000000, 100000000, 10000000, 1000000,
                100000,        10000,        1000,        100,        10,        1};
        const char *q = ps_picl_skip_blanks(p);
        int is_negative = *q == '-';
        q += is_negative || *q == '+';
        const char *first = q;
        int64_t value = 0, whole;
        while (*q - '0' >= 0 && *q - '0' <= 9 && q - first < 6)
                value = value * 10 + (*q++ - '0');
        if (*q != '.' || q == first)
                return ps_picl_seconds_odd(p, out, decimals);
        whole = value;
        value = 0;
        first = ++q;
        while (*q - '0' >= 0 && *q - '0' <= 9 && q - first < 12)
                value = value * 10 + (*q++ - '0');
        unsigned n = (unsigned)(q - first);
        if (!n || (!ps_picl_is_blank(*q) && *q != '\n'))
                return ps_picl_seconds_odd(p, out, decimals);
        whole = whole * PS_PS_PER_S + value * unit[n];
        *out = is_negative ? -whole : whole;
        *decimals = n > *decimals ? n : *decimals;
        return q;
}

#endif
