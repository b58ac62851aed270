/* text.c - see text.h. */
#include "reader/picl/text.h"
#include "core/base/blocks.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ps_status ps_picl_lines_open(ps_picl_lines *lines, const char *path, ps_error *err)
{
        *lines = (ps_picl_lines){.fd = open(path, O_RDONLY | O_CLOEXEC), .path = path};
        if (lines->fd < 0)
                return PS_FAIL(err, PS_E_INPUT, "cannot open the trace: path=\"%s\", reason=\"%s\"", path,
                               strerror(errno));
        lines->window = malloc(PS_PICL_WINDOW + 1);
        return lines->window ? PS_OK : PS_NOMEM(err, "lines", PS_PICL_WINDOW);
}

void ps_picl_lines_close(ps_picl_lines *lines)
{
        if (lines->fd >= 0)
                close(lines->fd);
        free(lines->window);
        *lines = (ps_picl_lines){.fd = -1};
}

/* Moves the line that has begun to the front and fills up the rest of the window. */
static ps_status fill_window(ps_picl_lines *lines, ps_error *err)
{
        memmove(lines->window, lines->window + lines->at, lines->have - lines->at);
        lines->have -= lines->at;
        lines->at = 0;
        while (lines->have < PS_PICL_WINDOW && !lines->at_end) {
                ssize_t got =
                        ps_blocks_read(lines->fd, lines->window + lines->have, PS_PICL_WINDOW - lines->have);
                if (got < 0 && errno == EINTR)
                        continue;
                if (got < 0)
                        return PS_FAIL(err, PS_E_INPUT, "cannot read the trace: path=\"%s\", reason=\"%s\"",
                                       lines->path, strerror(errno));
                lines->at_end = got == 0;
                lines->have += (size_t)got;
        }
        return PS_OK;
}

static char *find_end(const ps_picl_lines *lines)
{
        return memchr(lines->window + lines->at, '\n', lines->have - lines->at);
}

/* Drops what is left of a line that does not fit into the window, but for its end. */
static ps_status skip_long(ps_picl_lines *lines, ps_error *err)
{
        while (!find_end(lines) && !(lines->at_end && lines->at == lines->have)) {
                lines->at = lines->have;
                PS_TRY(fill_window(lines, err));
        }
        return PS_OK;
}

ps_status ps_picl_lines_next(ps_picl_lines *lines, ps_picl_line *line, ps_error *err)
{
        ps_status status = PS_OK;
        char *end = find_end(lines);
        *line = (ps_picl_line){.is_whole = 1};
        if (!end && !lines->at_end) {
                status = fill_window(lines, err);
                end = find_end(lines);
        }
        if (status == PS_OK && !end && lines->have == PS_PICL_WINDOW) {
                line->is_too_long = true;
                status = skip_long(lines, err);
                end = find_end(lines);
                lines->at = end ? (size_t)(end - lines->window) : lines->have;
        }
        if (status != PS_OK || (!end && lines->at == lines->have && !line->is_too_long))
                return status;
        if (!end) {
                end = lines->window + lines->have;
                *end = '\n';
                line->is_whole = false;
        }
        line->text = lines->window + lines->at;
        line->end = end;
        lines->at = (size_t)(end - lines->window) + (size_t)line->is_whole;
        lines->line++;
        return PS_OK;
}

/* -- numbers -- */

const char *ps_picl_int_odd(const char *p, int64_t *out)
{
        uint64_t value;
        p = ps_picl_skip_blanks(p);
        bool is_negative = *p == '-';
        p += is_negative || *p == '+';
        const char *end = ps_picl_digits(p, &value);
        if (end == p || end - p > 18 || !ps_picl_ends_word(*end))
                return NULL;
        *out = is_negative ? -(int64_t)value : (int64_t)value;
        return end;
}

enum { FURTHEST_EXPONENT = 1000, PS_DIGITS = 12 };

struct decimal {
        const char *first, *end; /* digits and at most one point */
        long point;              /* how many digits stand before the point */
        long n_digits;
};

/* "e-05"; NULL when it is none. */
static const char *take_exponent(const char *p, long *out)
{
        bool is_negative = *p == '-';
        long value = 0;
        p += is_negative || *p == '+';
        if (!ps_text_is_digit(*p))
                return NULL;
        for (; ps_text_is_digit(*p); p++)
                value = value < FURTHEST_EXPONENT ? value * 10 + (*p - '0') : value;
        *out = is_negative ? -value : value;
        return p;
}

static const char *take_digits(const char *p, struct decimal *out)
{
        *out = (struct decimal){.first = p};
        while (ps_text_is_digit(*p))
                p++;
        out->point = out->n_digits = p - out->first;
        if (*p == '.') {
                const char *fraction = ++p;
                while (ps_text_is_digit(*p))
                        p++;
                out->n_digits += p - fraction;
        }
        out->end = p;
        return out->n_digits ? p : NULL;
}

/* The value times 10^exponent * 10^12, rounded half to even; saturates. */
static int64_t scale(const struct decimal *d, long exponent)
{
        int64_t value = 0;
        long wanted = d->point + exponent + PS_DIGITS, i = 0; /* digits that stand before the ps' point */
        int first_dropped = 0, others = 0, overflow = 0;
        for (const char *p = d->first; p < d->end; p++) {
                if (*p == '.')
                        continue;
                if (i < wanted)
                        overflow |= __builtin_mul_overflow(value, 10, &value) ||
                                    __builtin_add_overflow(value, *p - '0', &value);
                else if (i == wanted)
                        first_dropped = *p - '0';
                else
                        others |= *p - '0';
                i++;
        }
        for (; i < wanted && value && !overflow; i++)
                overflow |= __builtin_mul_overflow(value, 10, &value);
        int up = first_dropped > 5 || (first_dropped == 5 && (others || value % 2));
        return overflow || __builtin_add_overflow(value, up, &value) ? PS_TIME_MAX : value;
}

const char *ps_picl_seconds_odd(const char *p, ps_time *out, unsigned *decimals)
{
        struct decimal d;
        long exponent = 0;
        p = ps_picl_skip_blanks(p);
        bool is_negative = *p == '-';
        p += is_negative || *p == '+';
        p = take_digits(p, &d);
        if (p && (*p == 'e' || *p == 'E'))
                p = take_exponent(p + 1, &exponent);
        if (!p || !ps_picl_ends_word(*p))
                return NULL;
        int64_t value = scale(&d, exponent);
        *out = is_negative ? -value : value;
        long behind = d.n_digits - d.point - exponent;
        unsigned shown = behind < 0 ? 0 : behind > PS_DIGITS ? (unsigned)PS_DIGITS : (unsigned)behind;
        *decimals = shown > *decimals ? shown : *decimals;
        return p;
}
