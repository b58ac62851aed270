/* queue.c - see queue.h. Traces are long: the text is made without printf and handed on in blocks.
 */
#include "reader/picl/queue.h"

#include "reader/picl/table.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 1 << 16, LINE_ROOM = 512, RING_FIRST = 256 };

void ps_picl_queue_free(ps_picl_queue *queue)
{
        free(queue->ring);
        free(queue->text);
}

static void grow_queue(ps_picl_queue *queue)
{
        size_t cap = queue->cap ? 2 * queue->cap : RING_FIRST;
        ps_picl_queued *ring = cap <= SIZE_MAX / sizeof(*ring) ? malloc(cap * sizeof(*ring)) : NULL;

        if (!ring) {
                queue->status = PS_NOMEM(&queue->err, "records", cap);
                return;
        }
        for (uint64_t i = queue->head; i < queue->tail; i++)
                ring[i & (cap - 1)] = queue->ring[i & (queue->cap - 1)];
        free(queue->ring);
        queue->ring = ring;
        queue->cap = cap;
}

ps_picl_queued *ps_picl_queue_at(ps_picl_queue *queue, uint64_t number)
{
        return &queue->ring[number & (queue->cap - 1)];
}

uint64_t ps_picl_queue_add(ps_picl_queue *queue, const ps_picl_queued *line)
{
        if (queue->status == PS_OK && queue->tail - queue->head == queue->cap)
                grow_queue(queue);
        if (queue->status == PS_OK)
                *ps_picl_queue_at(queue, queue->tail++) = *line;
        return queue->tail - 1;
}

static void flush(ps_picl_queue *queue)
{
        if (queue->status == PS_OK && queue->n_text)
                queue->status = queue->sink.write(queue->sink.ctx, queue->text, queue->n_text, &queue->err);
        queue->n_text = 0;
}

ps_status ps_picl_queue_end(ps_picl_queue *queue, ps_error *err)
{
        flush(queue);
        if (queue->status != PS_OK && err)
                *err = queue->err;
        return queue->status;
}

/* Room for a line's worth of text, or NULL after a failure. */
static char *make_line_room(ps_picl_queue *queue)
{
        if (queue->status == PS_OK && !queue->text) {
                queue->text = malloc(TEXT_ROOM);
                if (!queue->text)
                        queue->status = PS_NOMEM(&queue->err, "text", TEXT_ROOM);
        }
        if (queue->n_text + LINE_ROOM > TEXT_ROOM)
                flush(queue);
        return queue->status == PS_OK ? queue->text + queue->n_text : NULL;
}

static void take_room(ps_picl_queue *queue, const char *end)
{
        queue->n_text = (size_t)(end - queue->text);
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

static char *print_number(char *at, int64_t number)
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
        return print_number(at, number);
}

static bool fits_int(const ps_picl_queued *line)
{
        for (unsigned i = 0; i < line->n; i++)
                if (line->value[i] > INT32_MAX || line->value[i] < INT32_MIN)
                        return 0;
        return 1;
}

static void write_line(ps_picl_queue *queue, const ps_picl_queued *line)
{
        char *at = make_line_room(queue);

        if (!at)
                return;
        at = print_number(at, line->record);
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
        take_room(queue, at);
        queue->n_written++;
}

void ps_picl_queue_pass(ps_picl_queue *queue)
{
        while (queue->head < queue->tail && queue->status == PS_OK) {
                const ps_picl_queued *line = ps_picl_queue_at(queue, queue->head);
                if (line->state == PS_PICL_HELD)
                        break;
                if (line->state == PS_PICL_READY)
                        write_line(queue, line);
                queue->head++;
        }
}

void ps_picl_queue_put(ps_picl_queue *queue, const char *text)
{
        for (size_t n = strlen(text), part; n; n -= part, text += part) {
                char *at = make_line_room(queue);
                part = n < LINE_ROOM ? n : LINE_ROOM;
                if (!at)
                        return;
                memcpy(at, text, part);
                take_room(queue, at + part);
        }
}

void ps_picl_queue_put_number(ps_picl_queue *queue, int64_t number)
{
        char *at = make_line_room(queue);

        if (at)
                take_room(queue, put_word(at, number));
}

void ps_picl_queue_define(ps_picl_queue *queue, int32_t record, int64_t event)
{
        char *at = make_line_room(queue);

        if (!at)
                return;
        at = print_number(at, record);
        at = put_word(at, event);
        take_room(queue, at);
        queue->n_written++;
        ps_picl_queue_put(queue, " 0.000000 -1 -1");
}
