/* critical.c - the critical path: what the length of the run depends on, found backward from the end.
 *
 * The walk begins at the location that ends last. Where that one had waited, it goes on at the location that
 * ended the wait, at the moment when it did so; all time in between is on the path, and what others run for
 * longer, too. So the path is exactly as long as the focus; where the focus has several spans, each has a
 * path of its own. In Scalasca's reading the path changes location at the begin of the calls, which may be a
 * little earlier than their records. */
#include "patterns/causes/apart.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/radix.h"
#include "core/base/vector.h"
#include "core/exchange/letters.h"

#include <stdlib.h>

/* -- the walk -- */

struct walking {
        struct tracing t;
        uint8_t *seen; /* by wait: the path went through it */
        struct forks forks;
        ps_numbers *stretches; /* by process: of locations whose rows it has; NULL: all are here */
};

static ps_status add_path_step(const struct tracing *t, ps_loc loc, ps_time from, ps_time to, ps_error *err)
{
        ps_critical *out = t->out;
        if (to <= from)
                return PS_OK;
        if (out->n_steps == out->cap_steps &&
            ps_memory_grow(&out->step, &out->cap_steps, t->room, sizeof(*out->step)))
                return PS_NOMEM(err, "steps of the critical path", out->n_steps);
        out->step[out->n_steps++] = (ps_critical_step){loc, from, to};
        return PS_OK;
}

/* The location's last wait before number *behind that has a causer, and its number there; NULL if it ends
 * before `begin`, or if the path went through it before: with clocks that contradict each other it might go
 * round in circles. */
static const struct waiting *wait_before(struct walking *w, ps_loc loc, uint32_t *behind, ps_time begin)
{
        const struct delaying *d = w->t.d;
        while (*behind > first_of_all(d, d->apart, loc)) {
                const struct waiting *wait = wait_of_all(d, d->apart, loc, --*behind);
                if (wait->end <= begin || (wait->is_caused && w->seen[*behind]))
                        return NULL;
                w->seen[*behind] = wait->is_caused;
                if (wait->is_caused)
                        return wait;
        }
        return NULL;
}

static ps_status add_stretch(struct walking *w, ps_loc loc, const struct window *step, ps_error *err)
{
        const struct delaying *d = w->t.d;
        if (!d->apart)
                return ps_critical_note_stretch(&w->t, loc, step, err);
        ps_apart_put_stretch(&w->stretches[owner_of(d, loc)], d, loc, step);
        return PS_OK;
}

/* What is left of the span when the location ends at which the walk begins. */
static ps_status add_rest(struct walking *w, const struct path_end *last, ps_error *err)
{
        const struct window rest = {last->until, last->rest_until, {PS_NONE, PS_NONE, PS_NONE}};
        if (rest.end <= rest.begin)
                return PS_OK;
        PS_TRY(add_path_step(&w->t, last->rest, rest.begin, rest.end, err));
        return add_stretch(w, last->rest, &rest, err);
}

/* Where the path leaves a location, and goes on. */
struct turn {
        ps_time at;
        ps_op first; /* the call that waited, and number of the wait; or PS_NONE */
        uint32_t wait;
        ps_ref to;       /* its location is PS_NONE: nowhere */
        uint32_t behind; /* the waits of that one before number `behind` come next */
};

/* The path has come to the location at `now`. If somebody has called it to a team since its last wait, it was
 * that one who had something to do before. */
static struct turn turn_before(struct walking *w, ps_loc loc, ps_time now, uint32_t behind, ps_span span)
{
        const struct delaying *d = w->t.d;
        const struct waiting *wait = wait_before(w, loc, &behind, span.begin);
        const struct fork *fork = ps_critical_fork_before(&w->forks, loc, now, wait ? wait->end : span.begin);
        if (fork) {
                if (wait)
                        w->seen[behind] = 0;
                return (struct turn){fork->at,
                                     PS_NONE,
                                     PS_NONE,
                                     {fork->by, PS_NONE},
                                     first_of_all(d, d->apart, fork->by) + fork->behind};
        }
        if (!wait)
                return (struct turn){
                        ps_critical_begin(d, loc, span), PS_NONE, PS_NONE, {PS_NONE, PS_NONE}, 0};
        return (struct turn){is_scalasca(d) ? d->timing->enter[loc][wait->op] : earlier(wait->end, now),
                             wait->op, behind, wait->by, base_of_all(d->apart, wait->by.loc) + wait->behind};
}

static ps_status walk_back(struct walking *w, struct path_end last, ps_span span, ps_error *err)
{
        const struct delaying *d = w->t.d;
        ps_ref at = {last.loc, PS_NONE};
        ps_time now = is_scalasca(d) ? last.time : last.until;
        uint32_t behind = first_of_all(d, d->apart, last.loc) + last.behind;
        if (!is_scalasca(d))
                PS_TRY(add_rest(w, &last, err));
        for (;;) {
                const struct turn turn = turn_before(w, at.loc, now, behind, span);
                const struct window step = {turn.at, now, {turn.first, at.op, turn.wait}};
                ps_blocks_keep();
                PS_TRY(add_path_step(&w->t, at.loc, turn.at, now, err));
                PS_TRY(add_stretch(w, at.loc, &step, err));
                if (turn.to.loc == PS_NONE)
                        return PS_OK;
                at = turn.to;
                now = is_scalasca(d) ? d->timing->enter[at.loc][at.op] : turn.at;
                behind = turn.behind;
        }
}

/* -- the rows -- */

static uint32_t count_running(const struct delaying *d)
{
        uint32_t n = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                n += ps_critical_is_running(d, loc);
        return n;
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
        }
        out->n = kept;
}

/* Descending. */
static uint64_t by_time(const void *row)
{
        return ~ps_radix_signed(((const ps_critical_row *)row)->time);
}

static uint64_t by_path(const void *row)
{
        return ((const ps_critical_row *)row)->path;
}

static ps_status begin(struct walking *w, ps_error *err)
{
        const struct delaying *d = w->t.d;
        if (d->apart) {
                w->forks = d->apart->forks;
                d->apart->forks = (struct forks){0};
        } else {
                PS_TRY(ps_critical_find_forks(&w->forks, d, err));
        }
        w->seen = ps_memory_zeroed(count_of_all(d) + (size_t)1, 1);
        if (!w->seen)
                return PS_NOMEM(err, "waits", count_of_all(d));
        PS_TRY(ps_critical_begin_rows(&w->t, err));
        return d->apart ? ps_letters_new(&w->stretches, d->apart->x, err) : PS_OK;
}

static ps_status walk_all_back(struct walking *w, ps_error *err)
{
        const struct delaying *d = w->t.d;
        for (uint32_t s = 0; s < d->n_spans; s++) {
                struct path_end last = d->apart ? d->apart->last[s] : ps_critical_end(d, d->span[s]);
                if (last.loc != PS_NONE)
                        PS_TRY(walk_back(w, last, d->span[s], err));
        }
        return PS_OK;
}

ps_status ps_critical_order_rows(struct tracing *t, ps_error *err)
{
        const struct delaying *d = t->d;
        uint32_t n_locs = count_running(d);
        for (uint32_t i = 0; i < t->out->n; i++) {
                ps_critical_row *row = &t->out->row[i];
                row->imbalance = later(0, row->time - sums_at(&t->all, row->path) / (n_locs ? n_locs : 1));
        }
        leave_out_untold(t->out, d);
        return ps_radix_sort(t->out->row, t->out->n, sizeof(*t->out->row),
                             (ps_row_number *[]){by_time, by_path}, 2)
                       ? PS_NOMEM(err, "critical path", t->out->n)
                       : PS_OK;
}

/* Whoever has rows waits for this, whatever has failed so far. */
static ps_status add_up(struct walking *w, ps_status status, ps_error *err)
{
        if (w->t.d->apart)
                return ps_apart_trace(&w->t, w->stretches, status, err);
        PS_THEN(status, ps_critical_add_all(&w->t, err));
        PS_THEN(status, ps_critical_order_rows(&w->t, err));
        return status;
}

ps_status ps_critical_find(ps_critical **out, const struct delaying *d, ps_error *err)
{
        struct walking w = {.t.d = d};
        ps_status status = begin(&w, err);
        PS_THEN(status, walk_all_back(&w, err));
        status = add_up(&w, status, err);
        ps_critical_end_rows(&w.t);
        ps_critical_forget_forks(&w.forks);
        free(w.seen);
        if (status != PS_OK) {
                ps_critical_free(w.t.out);
                w.t.out = NULL;
        }
        *out = w.t.out;
        return status;
}

void ps_critical_free(ps_critical *critical)
{
        if (!critical)
                return;
        ps_arena_free(critical->times);
        free(critical->row);
        free(critical->step);
        free(critical);
}
