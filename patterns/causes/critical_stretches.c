/* critical_stretches.c - what locations do, by call path: while the critical path is on them, and in all. */
#include "patterns/causes/apart.h"
#include "patterns/causes/plain.h"

#include "core/base/arena.h"
#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/vector.h"

#include <stdlib.h>

/* Room for steps of the path at first: it goes through each wait once at most. */
enum { MANY_WAITS = 1 << 16 };

static __attribute__((noinline)) ps_critical_row *add_row(struct tracing *t, ps_path path)
{
        ps_critical *out = t->out;
        ps_time *by_location = PS_ARENA_NEW(out->times, ps_time, t->d->trace->n_locs);
        if (!by_location || PS_ROOM(out->row, out->n, t->cap))
                return NULL;
        out->row[out->n] = (ps_critical_row){.path = path, .by_location = by_location};
        t->row[path] = ++out->n;
        return &out->row[out->n - 1];
}

ps_status ps_critical_add_time(struct tracing *t, ps_path path, ps_loc loc, ps_time time, ps_error *err)
{
        const uint32_t known = t->row[path];
        ps_critical_row *row = known ? &t->out->row[known - 1] : add_row(t, path);
        if (!row)
                return PS_NOMEM(err, "critical path", t->out->n);
        row->by_location[loc] += time;
        row->time += time;
        t->out->length += time;
        return PS_OK;
}

ps_status ps_critical_make_room(struct tracing *t, ps_error *err)
{
        return ps_memory_grow(&t->stretch, &t->cap_stretches, t->room, sizeof(*t->stretch))
                       ? PS_NOMEM(err, "critical path", t->n_stretches)
                       : PS_OK;
}

/* Of a plain window, waits lie in its operations: then nobody takes them out. */
static inline void add_stretch(struct tracing *t, ps_loc loc, const struct window *window)
{
        const struct timeline *line = &t->d->line[loc];
        const ps_op first = ps_own_row(line, window->near.first);
        if (is_scalasca(t->d))
                ps_own_add(&t->path, t->d, loc, window);
        else if (is_window_plain(line, first, window))
                add_plain_window(&t->path, line, first, window, NULL, NULL);
        else
                ps_own_add_all(&t->path, t->d, loc, window);
}

/* All of a location at once: it does the same again and again. Waits without a causer count for the path, and
 * so do those that it meets because clocks contradict each other. */
static ps_status add_stretches(struct tracing *t, ps_loc loc, ps_error *err)
{
        sums_clear(&t->path);
        ps_blocks_look();
        for (uint32_t i = t->latest[loc]; i; i = t->stretch[i - 1].before)
                add_stretch(t, loc, &t->stretch[i - 1].window);
        sums_join(&t->path);
        for (uint32_t i = 0; i < sums_n(&t->path); i++) {
                const ps_path path = sums_path(&t->path, i);
                const ps_time time = sums_at(&t->path, path);
                if (time)
                        PS_TRY(ps_critical_add_time(t, path, loc, time, err));
        }
        return PS_OK;
}

ps_status ps_critical_add_all(struct tracing *t, ps_error *err)
{
        const struct delaying *d = t->d;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                if (t->latest[loc])
                        PS_TRY(add_stretches(t, loc, err));
                for (uint32_t s = 0; s < d->n_spans && ps_critical_is_running(d, loc) && is_here(d, loc); s++)
                        ps_own_add_span(&t->all, d, loc, d->span[s]);
        }
        return PS_OK;
}

ps_status ps_critical_begin_rows(struct tracing *t, ps_error *err)
{
        const uint32_t n = t->d->n_waits;
        t->room = t->d->n_spans + (n < MANY_WAITS ? n : MANY_WAITS);
        t->out = calloc(1, sizeof(*t->out));
        t->row = ps_memory_zeroed(t->d->trace->n_paths + (size_t)1, sizeof(*t->row));
        t->latest = ps_memory_zeroed(t->d->trace->n_locs + (size_t)1, sizeof(*t->latest));
        if (t->out)
                t->out->times = ps_arena_new();
        if (!t->out || !t->out->times || !t->row || !t->latest)
                return PS_NOMEM(err, "critical path", t->d->n_waits);
        PS_TRY(ps_sums_new(&t->all, &t->d->same, false, err));
        return ps_sums_new(&t->path, &t->d->same, false, err);
}

void ps_critical_end_rows(struct tracing *t)
{
        free(t->row);
        free(t->stretch);
        free(t->latest);
        ps_sums_free(&t->all);
        ps_sums_free(&t->path);
}
