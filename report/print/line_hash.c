/* line_hash.c - a polynomial hash, modulo 2^64, that rolls over the 100 characters from the line's first on.
 *
 * Spaces and tabs do not count, all line ends are the same, and the text ends with a character of its own. A
 * line's hash is known when its first character leaves the window. */
#include "report/print/line_hash.h"
#include "core/base/text.h"
#include "report/print/text.h"

#include "core/base/map.h"

#include <stdlib.h>

enum { WINDOW = 100, FACTOR = 37, END_OF_TEXT = 65535, REPLACEMENT = 0xfffd };

typedef struct roller {
        uint64_t hash, drop;     /* drop: FACTOR to the power of WINDOW */
        uint32_t window[WINDOW]; /* characters */
        uint32_t begins[WINDOW]; /* the line that begins with this character, from 1, or 0 */
        unsigned at;
        bool line_start, after_cr;
        ps_line_hash *line;
        uint32_t n;
} roller;

/* The byte that ends a line; of CR LF the first. */
static bool ends_line(const char *text, size_t at)
{
        return text[at] == '\r' || (text[at] == '\n' && !(at && text[at - 1] == '\r'));
}

static uint32_t count_lines(const char *text, size_t len)
{
        uint32_t n = 1;

        for (size_t i = 0; i < len && n < UINT32_MAX; i++)
                n += (uint32_t)ends_line(text, i);
        return n;
}

static void roll_in(roller *r, uint32_t c)
{
        uint32_t oldest = r->window[r->at];

        r->window[r->at] = c;
        r->hash = FACTOR * r->hash + c - r->drop * oldest;
        r->at = (r->at + 1) % WINDOW;
}

static void settle_line(roller *r)
{
        if (r->begins[r->at])
                r->line[r->begins[r->at] - 1].hash = r->hash;
        r->begins[r->at] = 0;
}

static void take_character(roller *r, uint32_t c)
{
        int after_cr = r->after_cr;

        r->after_cr = c == '\r';
        if (c == ' ' || c == '\t' || (after_cr && c == '\n'))
                return;
        if (c == '\r')
                c = '\n';
        settle_line(r);
        if (r->line_start)
                r->begins[r->at] = ++r->n;
        r->line_start = c == '\n';
        roll_in(r, c);
}

/* What the text's characters are in UTF-16. */
static void take_text(roller *r, const char *text, size_t len)
{
        uint32_t line = 0;

        for (size_t i = 0; i < len;) {
                uint32_t c = REPLACEMENT;
                size_t n = ps_text_decode(text + i, &c);
                line += (uint32_t)ends_line(text, i);
                if (!n)
                        c = REPLACEMENT;
                if (text[i] != '\n' && text[i] != '\r')
                        r->line[line].columns += c > 0xffff ? 2 : 1;
                if (c > 0xffff)
                        take_character(r, 0xd7c0 + (c >> 10));
                take_character(r, c > 0xffff ? 0xdc00 + (c & 0x3ff) : c);
                i += n ? n : 1;
        }
}

static ps_status count_occurrences(ps_line_hash *line, uint32_t n, ps_error *err)
{
        ps_map seen = {0};
        ps_time *count = NULL;

        for (uint32_t i = 0; i < n; i++) {
                count = ps_map_at(&seen, (uint32_t)(line[i].hash >> 32), (uint32_t)line[i].hash, 0);
                if (!count)
                        break;
                line[i].occurrence = (uint32_t)++ * count;
        }
        ps_map_free(&seen);
        return count ? PS_OK : PS_NOMEM(err, "hashes of lines", n);
}

ps_status ps_line_hash_all(ps_line_hash **out, uint32_t *n, const char *text, size_t len, ps_error *err)
{
        roller r = {.drop = 1, .line_start = 1};
        ps_status status;

        *n = count_lines(text, len);
        *out = r.line = calloc(*n, sizeof(*r.line));
        if (!r.line)
                return PS_NOMEM(err, "lines", *n);
        for (int i = 0; i < WINDOW; i++)
                r.drop *= FACTOR;
        take_text(&r, text, len);
        take_character(&r, END_OF_TEXT);
        for (int i = 0; i < WINDOW; i++) {
                settle_line(&r);
                roll_in(&r, 0);
        }
        status = count_occurrences(r.line, *n, err);
        if (status != PS_OK) {
                free(*out);
                *out = NULL;
        }
        return status;
}
