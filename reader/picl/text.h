/* text.h - the lines of a trace in text, and the numbers in them.
 *
 * Lines come from a window on the file, so that memory does not follow the file's size. A line always ends
 * with '\n' (if need be one that the file does not have): the functions here stop there. */
#ifndef PS_READER_PICL_TEXT_H
#define PS_READER_PICL_TEXT_H

#include "core/base/error.h"
#include "core/base/types.h"
#include <stddef.h>

enum { PS_PICL_WINDOW = 1 << 18 };

typedef struct ps_picl_lines {
        int fd;
        char *window; /* PS_PICL_WINDOW bytes and room for an end of line */
        size_t at, have;
        uint64_t line; /* number of the line that was handed out last; the first is 1 */
        bool at_end;
        const char *path; /* for messages; the caller's */
} ps_picl_lines;

typedef struct ps_picl_line {
        const char *text, *end; /* end: the '\n'; valid until the next one */
        bool is_whole;          /* the file has the end of this line */
        bool is_too_long;       /* longer than the window: `text` is nothing */
} ps_picl_line;

ps_status ps_picl_lines_open(ps_picl_lines *lines, const char *path, ps_error *err);
void ps_picl_lines_close(ps_picl_lines *lines);
/* line->text is NULL at the end. */
ps_status ps_picl_lines_next(ps_picl_lines *lines, ps_picl_line *line, ps_error *err);

/* Blanks, tabs, carriage returns, and whatever else prints nothing. */
static inline bool ps_picl_is_blank(char c)
{
        return (unsigned char)c <= ' ' && c != '\n';
}

static inline bool ps_picl_ends_word(char c)
{
        return (unsigned char)c <= ' ';
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
        while (!ps_picl_ends_word(*p))
                p++;
        return p;
}

/* Behind the digits at `p`; *value is their number, if they are at most 19. */
static inline const char *ps_picl_digits(const char *p, uint64_t *value)
{
        uint64_t sum = 0;
        for (unsigned digit; (digit = (unsigned)(unsigned char)*p - '0') <= 9; p++)
                sum = sum * 10 + digit;
        *value = sum;
        return p;
}

/* ps_picl_int for more than one blank, and for signs that say nothing. */
const char *ps_picl_int_odd(const char *p, int64_t *out);

/* A whole number, blanks before it skipped; NULL when there is none or it does not fit. */
static inline const char *ps_picl_int(const char *p, int64_t *out)
{
        uint64_t value;
        const char *first = p + (*p == ' ');
        bool is_negative = *first == '-';
        first += is_negative;
        const char *end = ps_picl_digits(first, &value);
        if ((size_t)(end - first) - 1 >= 18 || !ps_picl_ends_word(*end))
                return ps_picl_int_odd(p, out);
        *out = is_negative ? -(int64_t)value : (int64_t)value;
        return end;
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
        uint64_t whole, rest;
        const char *first = p + (*p == ' ');
        bool is_negative = *first == '-';
        first += is_negative;
        const char *point = ps_picl_digits(first, &whole);
        if ((size_t)(point - first) - 1 >= 6 || *point != '.')
                return ps_picl_seconds_odd(p, out, decimals);
        const char *end = ps_picl_digits(point + 1, &rest);
        size_t n = (size_t)(end - point) - 1;
        if (n - 1 >= 12 || !ps_picl_ends_word(*end))
                return ps_picl_seconds_odd(p, out, decimals);
        int64_t time = (int64_t)whole * PS_PS_PER_S + (int64_t)rest * unit[n];
        *out = is_negative ? -time : time;
        *decimals = n > *decimals ? (unsigned)n : *decimals;
        return end;
}

#endif
