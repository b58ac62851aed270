/* picl_lines.c - see picl_lines.h. Traces are long: the text is made without printf and handed on in blocks.
 */
#include "reader/picl_lines.h"

#include "reader/picl_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 1 << 16, LINE_ROOM = 512, RING_FIRST = 256 };

void ps_picl_lines_free(ps_picl_lines *lines)
{
        free(lines->ring);
        free(lines->text);
}

static void grow(ps_picl_lines *lines)
{
        size_t cap = lines->cap ? 2 * lines->cap : RING_FIRST;
        ps_picl_line *ring = cap <= SIZE_MAX / sizeof(*ring) ? malloc(cap * sizeof(*ring)) : NULL;

        if (!ring) {
                lines->status = PS_NOMEM(&lines->err, "records", cap);
                return;
        }
        for (uint64_t i = lines->head; i < lines->tail; i++)
                ring[i & (cap - 1)] = lines->ring[i & (lines->cap - 1)];
        free(lines->ring);
        lines->ring = ring;
        lines->cap = cap;
}

ps_picl_line *ps_picl_lines_at(ps_picl_lines *lines, uint64_t number)
{
        return &lines->ring[number & (lines->cap - 1)];
}

uint64_t ps_picl_lines_add(ps_picl_lines *lines, const ps_picl_line *line)
{
        if (lines->status == PS_OK && lines->tail - lines->head == lines->cap)
                grow(lines);
        if (lines->status == PS_OK)
                *ps_picl_lines_at(lines, lines->tail++) = *line;
        return lines->tail - 1;
}

static void flush(ps_picl_lines *lines)
{
        if (lines->status == PS_OK && lines->n_text)
                lines->status = lines->sink.write(lines->sink.ctx, lines->text, lines->n_text, &lines->err);
        lines->n_text = 0;
}

ps_status ps_picl_lines_end(ps_picl_lines *lines, ps_error *err)
{
        flush(lines);
        if (lines->status && err)
                *err = lines->err;
        return lines->status;
}

/* Room for a line's worth of text, or NULL after a failure. */
static char *make_room(ps_picl_lines *lines)
{
        if (lines->status == PS_OK && !lines->text) {
                lines->text = malloc(TEXT_ROOM);
                if (!lines->text)
                        lines->status = PS_NOMEM(&lines->err, "text", TEXT_ROOM);
        }
        if (lines->n_text + LINE_ROOM > TEXT_ROOM)
                flush(lines);
        return lines->status == PS_OK ? lines->text + lines->n_text : NULL;
}

static void take_room(ps_picl_lines *lines, const char *end)
{
        lines->n_text = (size_t)(end - lines->text);
}

static char *put_digits(char *at, uint64_t number, unsigned least)
{
        char digits[24];
        unsigned n = 0;

        for (; number || n < least; number /= 10)
                digits[n++] = (char)('0' + number % 10);
        while (n)
                *at++ = digits[--n];
        return at;
}

static char *put_number(char *at, int64_t number)
{
        if (number < 0)
                *at++ = '-';
        return put_digits(at, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 1);
}

static char *put_time(char *at, ps_time time)
{
        uint64_t ps = time < 0 ? 0 - (uint64_t)time : (uint64_t)time, part = ps % PS_PS_PER_S;

        if (time < 0)
                *at++ = '-';
        at = put_digits(at, ps / PS_PS_PER_S, 1);
        *at++ = '.';
        if (part % 1000000 == 0)
                return put_digits(at, part / 1000000, 6);
        return part % 1000 == 0 ? put_digits(at, part / 1000, 9) : put_digits(at, part, 12);
}

static char *put_word(char *at, int64_t number)
{
        *at++ = ' ';
        return put_number(at, number);
}

static int fits_int(const ps_picl_line *line)
{
        for (unsigned i = 0; i < line->n; i++)
                if (line->value[i] > INT32_MAX || line->value[i] < INT32_MIN)
                        return 0;
        return 1;
}

static void write_line(ps_picl_lines *lines, const ps_picl_line *line)
{
        char *at = make_room(lines);

        if (!at)
                return;
        at = put_number(at, line->record);
        at = put_word(at, line->event);
        *at++ = ' ';
        at = put_time(at, line->time);
        at = put_word(at, line->node);
        at = put_word(at, line->pid);
        at = put_word(at, line->n);
        if (line->n)
                at = put_word(at, fits_int(line) ? PS_PICL_D_INT : PS_PICL_D_LONG);
        for (unsigned i = 0; i < line->n; i++)
                at = put_word(at, line->value[i]);
        *at++ = '\n';
        take_room(lines, at);
        lines->n_written++;
}

void ps_picl_lines_pass(ps_picl_lines *lines)
{
        while (lines->head < lines->tail && lines->status == PS_OK) {
                const ps_picl_line *line = ps_picl_lines_at(lines, lines->head);
                if (line->state == PS_PICL_HELD)
                        break;
                if (line->state == PS_PICL_READY)
                        write_line(lines, line);
                lines->head++;
        }
}

void ps_picl_lines_put(ps_picl_lines *lines, const char *text)
{
        for (size_t n = strlen(text), part; n; n -= part, text += part) {
                char *at = make_room(lines);
                part = n < LINE_ROOM ? n : LINE_ROOM;
                if (!at)
                        return;
                memcpy(at, text, part);
                take_room(lines, at + part);
        }
}

void ps_picl_lines_put_number(ps_picl_lines *lines, int64_t number)
{
        char *at = make_room(lines);

        if (at)
                take_room(lines, put_word(at, number));
}

void ps_picl_lines_define(ps_picl_lines *lines, int32_t record, int64_t event)
{
        char *at = make_room(lines);

        if (!at)
                return;
        at = put_number(at, record);
        at = put_word(at, event);
        take_room(lines, at);
        lines->n_written++;
        ps_picl_lines_put(lines, " 0.000000 -1 -1");
}
