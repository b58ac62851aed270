/* critical.c - the critical path: what the length of the run depends on, found backward from the end.
 *
 * The walk begins at the location that ends last. Where that one had waited, it goes on at the location that
 * ended the wait, at the moment when it did so; all time in between is on the path. So the path is exactly as
 * long as the focus; where the focus has several spans, each has a path of its own. In Scalasca's reading the
 * path changes location at the begin of the calls, which may be a little earlier than their records. */
#include "core/base/search.h"
#include "patterns/causes/own.h"

#include "core/base/memory.h"
#include "core/base/vector.h"

#include <stdlib.h>
#include <string.h>

struct tracing {
        const struct delaying *d;
        ps_critical *out;
        struct sums all;  /* by path: what all locations do in the focus, without waits */
        struct sums path; /* what the location does in the step at hand */
        uint32_t *row;    /* by path: of out->row, + 1 */
        uint32_t cap;
        uint8_t *seen; /* by wait: the path went through it */
};

/* -- where it ends -- */

/* Idle regions that last up to the end are no work, however they are nested or follow each other. */
static ps_time end_of_work(const struct delaying *d, ps_loc loc, ps_time end)
{
        const ps_location_info *info = ps_timing_info(d->trace, d->timing, loc);
        for (uint32_t i = info->n_idle; i-- > 0;) {
                ps_span span = ps_idle_span(d->trace, d->timing, loc, &info->idle[i]);
                if (span.end < end)
                        break;
                end = earlier(end, span.begin);
        }
        return end;
}

/* Until when the location does something of its own. */
static ps_time end_of_own(const struct delaying *d, ps_loc loc, ps_span span)
{
        const struct timeline *line = &d->line[loc];
        const ps_ops *ops = &d->trace->ops[loc];
        ps_time end = earlier(line->last, span.end);
        ps_op behind = ops->n;
        while (line->finalize != PS_NONE && behind > line->finalize && line->leave[behind - 1] >= span.begin)
                behind--;
        if (behind == line->finalize)
                return earlier(end, line->enter[behind]);
        uint32_t last = ps_wait_after(d, loc, end - 1, PS_NONE);
        if (last < line->wait + line->n_waits && d->wait[last].begin < end)
                end = d->wait[last].begin;
        return end_of_work(d, loc, end);
}

static bool is_running(const struct delaying *d, ps_loc loc)
{
        return d->trace->defs.locations.row[loc].type == PS_LOCATION_CPU && d->trace->info[loc].n_events;
}

static ps_loc last_location(const struct delaying *d, ps_span span)
{
        ps_loc last = PS_NONE;
        ps_time latest = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                ps_time end = is_running(d, loc) ? end_of_own(d, loc, span) : 0;
                if (!is_running(d, loc) || (last != PS_NONE && end <= latest))
                        continue;
                last = loc;
                latest = end;
        }
        return last;
}

/* Scalasca begins where the location enters MPI_Init, and ends where the last one enters MPI_Finalize. */
static ps_time begin_of_path(const struct delaying *d, ps_loc loc, ps_span span)
{
        const ps_ops *ops = &d->trace->ops[loc];
        for (ps_op op = 0; is_scalasca(d) && op < ops->n; op++)
                if (ops->kind[op] == PS_K_INIT)
                        return d->timing->enter[loc][op];
        return span.begin;
}

/* -- the walk -- */

static ps_critical_row *row_at(struct tracing *t, ps_path path)
{
        ps_critical *out = t->out;
        uint32_t *row = &t->row[path];
        if (*row)
                return &out->row[*row - 1];
        ps_time *by_location = ps_memory_zeroed(t->d->trace->n_locs, sizeof(*by_location));
        if (!by_location || PS_ROOM(out->row, out->n, t->cap)) {
                free(by_location);
                return NULL;
        }
        out->row[out->n] = (ps_critical_row){.path = path, .by_location = by_location};
        *row = ++out->n;
        return &out->row[*row - 1];
}

/* Waits without a causer count for the path, and so do those that it meets because clocks contradict each
 * other. */
static void add_waits_on_path(struct tracing *t, ps_loc loc, const struct window *w)
{
        const struct delaying *d = t->d;
        uint32_t behind = d->line[loc].wait + d->line[loc].n_waits;
        for (uint32_t i = ps_wait_after(d, loc, w->begin, w->near.wait);
             i < behind && d->wait[i].begin < w->end; i++) {
                ps_time time = earlier(d->wait[i].end, w->end) - later(d->wait[i].begin, w->begin);
                sums_add(&t->path, d->same.first[d->trace->ops[loc].path[d->wait[i].op]], time);
        }
}

static ps_status add_stretch(struct tracing *t, ps_loc loc, const struct window *w, ps_error *err)
{
        sums_clear(&t->path);
        ps_own_add(&t->path, t->d, loc, w);
        if (!is_scalasca(t->d))
                add_waits_on_path(t, loc, w);
        for (uint32_t i = 0; i < sums_n(&t->path); i++) {
                ps_path path = sums_path(&t->path, i);
                ps_time time = sums_at(&t->path, path);
                ps_critical_row *row = time ? row_at(t, path) : NULL;
                if (time && !row)
                        return PS_NOMEM(err, "critical path", t->out->n);
                if (!time)
                        continue;
                row->by_location[loc] += time;
                row->time += time;
                t->out->length += time;
        }
        return PS_OK;
}

static ps_status add_path_step(ps_critical *out, ps_loc loc, ps_time from, ps_time to, ps_error *err)
{
        const ps_critical_step step = {loc, from, to};
        return to <= from || !PS_APPEND(out->step, out->n_steps, out->cap_steps, step)
                       ? PS_OK
                       : PS_NOMEM(err, "steps of the critical path", out->n_steps);
}

/* The location's last wait before number `behind` that has a causer; NULL if it ends before `begin`, or if
 * the path went through it before: with clocks that contradict each other it might go round in circles. */
static const struct waiting *wait_before(const struct tracing *t, ps_loc loc, uint32_t behind, ps_time begin)
{
        while (behind-- > t->d->line[loc].wait && t->d->wait[behind].end > begin)
                if (t->d->wait[behind].is_caused)
                        return t->seen[behind] ? NULL : &t->d->wait[behind];
        return NULL;
}

static ps_status walk_back(struct tracing *t, ps_loc loc, ps_span span, ps_error *err)
{
        const struct delaying *d = t->d;
        ps_time now = is_scalasca(d) ? end_of_own(d, loc, span) : span.end;
        uint32_t behind = ps_wait_after(d, loc, now, PS_NONE);
        ps_op op = PS_NONE;
        for (;;) {
                const struct waiting *w = wait_before(t, loc, behind, span.begin);
                ps_time from = !w               ? begin_of_path(d, loc, span)
                               : is_scalasca(d) ? d->timing->enter[loc][w->op]
                                                : earlier(w->end, now);
                const struct window step = {
                        from, now, {w ? w->op : PS_NONE, op, w ? (uint32_t)(w - d->wait) : PS_NONE}};
                PS_TRY(add_path_step(t->out, loc, from, now, err));
                PS_TRY(add_stretch(t, loc, &step, err));
                if (!w)
                        return PS_OK;
                t->seen[w - d->wait] = 1;
                loc = w->by.loc;
                op = w->by.op;
                now = is_scalasca(d) ? d->timing->enter[loc][op] : from;
                behind = w->behind;
        }
}

/* -- the rows -- */

static void add_all(struct tracing *t, uint32_t *n_locs)
{
        const struct delaying *d = t->d;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                if (!is_running(d, loc))
                        continue;
                for (uint32_t s = 0; s < d->n_spans; s++)
                        ps_own_add_span(&t->all, d, loc, d->span[s]);
                ++*n_locs;
        }
}

/* Locations that nobody asked for are left out of the rows, but still count for the length of the path. */
static void leave_out_untold(ps_critical *out, const struct delaying *d)
{
        uint32_t kept = 0;
        for (uint32_t i = 0; i < out->n; i++) {
                ps_critical_row row = out->row[i];
                for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                        if (row.by_location[loc] && !ps_focus_tells(d->trace, d->timing, loc)) {
                                row.time -= row.by_location[loc];
                                row.by_location[loc] = 0;
                        }
                row.imbalance = earlier(row.imbalance, row.time);
                if (row.time)
                        out->row[kept++] = row;
                else
                        free(row.by_location);
        }
        out->n = kept;
}

static int compare_critical_rows(const void *a, const void *b)
{
        const ps_critical_row *x = a, *y = b;
        PS_ORDER_BY(y->time, x->time);
        return PS_ORDER(x->path, y->path);
}

static ps_status find_path(struct tracing *t, ps_error *err)
{
        uint32_t n_locs = 0;
        for (uint32_t s = 0; s < t->d->n_spans; s++) {
                ps_loc last = last_location(t->d, t->d->span[s]);
                if (last != PS_NONE)
                        PS_TRY(walk_back(t, last, t->d->span[s], err));
        }
        add_all(t, &n_locs);
        for (uint32_t i = 0; i < t->out->n; i++) {
                ps_critical_row *row = &t->out->row[i];
                row->imbalance = later(0, row->time - sums_at(&t->all, row->path) / (n_locs ? n_locs : 1));
        }
        leave_out_untold(t->out, t->d);
        if (t->out->n)
                qsort(t->out->row, t->out->n, sizeof(*t->out->row), compare_critical_rows);
        return PS_OK;
}

ps_status ps_critical_new(ps_critical **out, const ps_delays *delays, ps_error *err)
{
        const struct delaying *d = delays->of;
        struct tracing t = {.d = d,
                            .out = *out = calloc(1, sizeof(**out)),
                            .row = ps_memory_zeroed(d->trace->n_paths + (size_t)1, sizeof(*t.row)),
                            .seen = ps_memory_zeroed(d->n_waits + (size_t)1, 1)};
        ps_status status = *out && t.row && t.seen ? PS_OK : PS_NOMEM(err, "critical path", d->n_waits);
        PS_THEN(status, ps_sums_new(&t.all, &d->same, false, err));
        PS_THEN(status, ps_sums_new(&t.path, &d->same, false, err));
        PS_THEN(status, find_path(&t, err));
        free(t.row);
        free(t.seen);
        ps_sums_free(&t.all);
        ps_sums_free(&t.path);
        if (status != PS_OK) {
                ps_critical_free(*out);
                *out = NULL;
        }
        return status;
}

void ps_critical_free(ps_critical *critical)
{
        if (!critical)
                return;
        for (uint32_t i = 0; i < critical->n; i++)
                free(critical->row[i].by_location);
        free(critical->row);
        free(critical->step);
        free(critical);
}
