/* cursor.c - the merged view by windows.
 *
 * Of each location one batch is loaded. The earliest end of a loaded batch, as a pair (time, location), is a
 * limit: whatever is not after it is loaded, because what comes later in any location is not before the end
 * of that location's batch. So all of it is gathered, sorted and handed out, and only the location that set
 * the limit needs its next batch. The limit is a pair, not a time, because that location's next batch may go
 * on at the same time: events of locations behind it wait then, those of locations before it do not.
 *
 * Two heaps, of locations and not of events, find the limit and the locations with something before it, so
 * that a window costs what it hands out, however many locations there are. */
#include "core/views/cursor.h"

#include "core/base/heap.h"
#include "core/base/radix.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/order/moments.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct moment {
        ps_time time;
        ps_loc location;
} moment;

typedef PS_VECTOR(moment) moment_heap;

/* What is loaded of one location: event[at .. n) has not been gathered yet. */
typedef struct stream {
        ps_event *event;
        uint32_t n, cap, at;
        ps_time last; /* of all events so far */
} stream;

/* An event of the window. */
typedef struct entry {
        uint64_t key; /* its time, counted from the window's earliest */
        ps_loc location;
        uint32_t at;
} entry;

struct ps_cursor {
        ps_source source;
        stream *streams;
        moment_heap heads, ends; /* by the next event of each location, and by the last one loaded */
        uint32_t *pending;       /* locations that need their next batch */
        uint32_t n_pending;
        uint32_t *touched; /* locations with events in the window */
        uint32_t n_touched;
        entry *window; /* in the order of location and index */
        size_t n_window, cap_window, handed_out;
        ps_moments order; /* in that of time: in the last bits where it is in the window */
        uint64_t at_bits;
        ps_batch batch;
        ps_cursor_event current;
};

static bool is_earlier_event(const moment *a, const moment *b)
{
        return a->time != b->time ? a->time < b->time : a->location < b->location;
}

PS_HEAP(moments, moment, is_earlier_event)

static void heap_push(moment_heap *h, moment what)
{
        moments_rise(h->row, h->n++, what);
}

static moment heap_pop(moment_heap *h)
{
        assert(h->n > 0);
        moment top = h->row[0];
        h->n--;
        moments_sink(h->row, h->n, 0, h->row[h->n]);
        return top;
}

ps_status ps_cursor_new(ps_cursor **out, ps_source source, ps_error *err)
{
        *out = NULL;
        ps_cursor *c = calloc(1, sizeof *c);
        if (!c)
                return PS_NOMEM(err, "cursor", 1);
        size_t n = source.n_locations ? source.n_locations : 1;
        c->source = source;
        c->streams = calloc(n, sizeof *c->streams);
        c->heads.row = calloc(n, sizeof *c->heads.row);
        c->ends.row = calloc(n, sizeof *c->ends.row);
        c->pending = calloc(n, sizeof *c->pending);
        c->touched = calloc(n, sizeof *c->touched);
        if (!c->streams || !c->heads.row || !c->ends.row || !c->pending || !c->touched) {
                ps_cursor_free(c);
                return PS_NOMEM(err, "locations of a cursor", n);
        }
        for (ps_loc loc = 0; loc < source.n_locations; loc++) {
                c->streams[loc].last = INT64_MIN;
                c->pending[c->n_pending++] = loc;
        }
        *out = c;
        return PS_OK;
}

void ps_cursor_free(ps_cursor *cursor)
{
        if (!cursor)
                return;
        for (ps_loc loc = 0; cursor->streams && loc < cursor->source.n_locations; loc++)
                free(cursor->streams[loc].event);
        free(cursor->streams);
        free(cursor->heads.row);
        free(cursor->ends.row);
        free(cursor->pending);
        free(cursor->touched);
        free(cursor->window);
        ps_moments_free(&cursor->order);
        free(cursor);
}

/* Keeps the batch in a block of its own size: most of thousands of locations have few events. */
static ps_status stream_fill(stream *s, const ps_batch *batch, ps_error *err)
{
        if (batch->n > s->cap) {
                ps_event *event = malloc(batch->n * sizeof *event);
                if (!event)
                        return PS_NOMEM(err, "events", batch->n);
                free(s->event);
                s->event = event;
                s->cap = batch->n;
        }
        for (uint32_t i = 0; i < batch->n; i++) {
                if (batch->event[i].time < s->last)
                        return PS_FAIL(err, PS_E_INTERNAL, "times of a location decrease: location=%u",
                                       batch->location);
                s->last = batch->event[i].time;
                s->event[i] = batch->event[i];
        }
        s->n = batch->n;
        s->at = 0;
        return PS_OK;
}

static ps_status load_batch(ps_cursor *c, ps_loc loc, ps_error *err)
{
        ps_batch *batch = &c->batch;
        batch->n = 0;
        ps_status st = c->source.next(c->source.ctx, loc, batch, err);
        if (st < 0)
                return st;
        if (batch->n > PS_BATCH_EVENTS)
                return PS_FAIL(err, PS_E_INTERNAL, "a batch is too long: location=%u, events=%u", loc,
                               batch->n);
        batch->location = loc;
        if (batch->n == 0)
                return PS_OK;
        if ((st = stream_fill(&c->streams[loc], batch, err)) < 0)
                return st;
        heap_push(&c->heads, (moment){batch->event[0].time, loc});
        heap_push(&c->ends, (moment){batch->event[batch->n - 1].time, loc});
        return PS_OK;
}

static ps_status window_reserve(ps_cursor *c, size_t n, ps_error *err)
{
        if (n <= c->cap_window)
                return PS_OK;
        size_t cap = n + n / 2;
        free(c->window);
        c->window = malloc(cap * sizeof *c->window);
        c->cap_window = c->window ? cap : 0;
        return c->window ? PS_OK : PS_NOMEM(err, "events of a window", cap);
}

static int compare_locations(const void *a, const void *b)
{
        uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
        return PS_ORDER(x, y);
}

static uint32_t stream_end(const stream *s, ps_loc loc, moment limit)
{
        uint32_t i = s->at;
        while (i < s->n && !is_earlier_event(&limit, &(moment){s->event[i].time, loc}))
                i++;
        return i;
}

/* Finds the locations with events up to the limit. Returns the number of those events; *base is the time of
 * the earliest. The end of each run is left in pending[], which is not in use meanwhile. */
static size_t find_touched(ps_cursor *c, moment limit, ps_time *base)
{
        size_t n = 0;
        *base = c->heads.row[0].time;
        for (c->n_touched = 0; c->heads.n > 0 && !is_earlier_event(&limit, &c->heads.row[0]);)
                c->touched[c->n_touched++] = heap_pop(&c->heads).location;
        qsort(c->touched, c->n_touched, sizeof *c->touched, compare_locations);
        for (uint32_t i = 0; i < c->n_touched; i++) {
                const stream *s = &c->streams[c->touched[i]];
                c->pending[i] = stream_end(s, c->touched[i], limit);
                n += c->pending[i] - s->at;
        }
        return n;
}

/* In the order of location and index, which events of the same time keep. */
static void gather_window(ps_cursor *c, ps_time base)
{
        entry *w = c->window;
        for (uint32_t i = 0; i < c->n_touched; i++) {
                ps_loc loc = c->touched[i];
                stream *s = &c->streams[loc];
                const ps_event *event = s->event;
                for (uint32_t at = s->at, end = c->pending[i]; at < end; at++)
                        *w++ = (entry){(uint64_t)event[at].time - (uint64_t)base, loc, at};
                s->at = c->pending[i];
                if (s->at < s->n)
                        heap_push(&c->heads, (moment){s->event[s->at].time, loc});
        }
        c->n_window = (size_t)(w - c->window);
}

static uint64_t time_of(const void *row)
{
        const entry *e = row;
        return e->key;
}

static ps_row_number *const by_time[] = {time_of};

/* A number for each: its time, then where it is. Where there are no such numbers, because the window is too
 * long, it is sorted itself. */
static int sort_window(ps_cursor *c, uint64_t span)
{
        unsigned bits = 1;
        while (c->n_window >> bits)
                bits++;
        c->at_bits = (UINT64_C(1) << bits) - 1;
        bool is_long = span >> (63 - bits);
        if (is_long && ps_radix_sort(c->window, c->n_window, sizeof(*c->window), by_time, 1))
                return -1;
        if (c->n_window > UINT32_MAX || ps_moments_room(&c->order, (uint32_t)c->n_window))
                return -1;
        c->order.n = 0;
        for (uint32_t i = 0; i < (uint32_t)c->n_window; i++)
                ps_moments_put(&c->order, is_long ? i : c->window[i].key << bits | i);
        return is_long ? 0 : ps_moments_sort(&c->order, span << bits | c->at_bits);
}

/* Apart, so that who hands out an event saves no registers for it. */
__attribute__((noinline)) static ps_status next_window(ps_cursor *c, ps_error *err)
{
        ps_status st;
        ps_time base;
        c->n_window = c->handed_out = 0;
        while (c->n_pending > 0) {
                if ((st = load_batch(c, c->pending[c->n_pending - 1], err)) < 0)
                        return st;
                c->n_pending--;
        }
        if (c->ends.n == 0)
                return PS_OK;
        moment limit = heap_pop(&c->ends);
        if ((st = window_reserve(c, find_touched(c, limit, &base), err)) < 0)
                return st;
        gather_window(c, base);
        if (sort_window(c, (uint64_t)limit.time - (uint64_t)base))
                return PS_NOMEM(err, "events of a window", c->n_window);
        c->pending[c->n_pending++] = limit.location;
        return PS_OK;
}

ps_status ps_cursor_next(ps_cursor *cursor, const ps_cursor_event **out, ps_error *err)
{
        *out = NULL;
        if (cursor->handed_out == cursor->n_window) {
                ps_status st = next_window(cursor, err);
                if (st < 0)
                        return st;
                if (cursor->n_window == 0)
                        return PS_OK;
        }
        assert(cursor->handed_out < cursor->n_window);
        const entry *e = &cursor->window[cursor->order.row[++cursor->handed_out] & cursor->at_bits];
        cursor->current.location = e->location;
        cursor->current.event = cursor->streams[e->location].event[e->at];
        *out = &cursor->current;
        return PS_OK;
}
