/* walk_ranges.c - a location from its first operation to its last; where it is larger than a thread's part of
 * all, in ranges at the same time.
 *
 * Nothing goes from one call to the next but the waits that are remembered for their order. A range begins
 * a little before its first operation, to remember what it would, and guards what it cannot know of: it finds
 * out whether messages come that were sent before anything that it has seen. Then the ranges are joined from
 * the first to the last. What one remembers and the next does not was sent before the guard, or the next did
 * not know enough: its operations are walked over again. The result is the same. */
#include "patterns/engine/walk.h"

#include "core/base/memory.h"
#include "core/base/parallel.h"

#include <stdlib.h>
#include <string.h>

struct range {
        struct local local;
        ps_op from, end;
        uint32_t carried; /* so many waits it remembered before its first operation */
        ps_time_moves moves;
};

/* Of all locations that are cut, the ranges of one behind those of another. */
struct ranges {
        struct engine *engine;
        struct range *row;
        uint32_t n;
        struct worker *worker; /* by range */
};

/* Places that have fewer instances than their row asks for, or lost less in all than epsilon. */
static void drop_rare(struct local *l)
{
        uint32_t n = 0;
        for (uint32_t i = 0; i < l->findings.n; i++) {
                const ps_finding *f = &l->findings.row[i];
                uint32_t least = ps_pattern_at(f->pattern)->least;
                if (least <= 1 || (f->count >= least && f->lost >= l->engine->rules.epsilon))
                        l->findings.row[n++] = *f;
        }
        l->findings.n = n;
}

static struct local begin(struct engine *e, ps_loc loc, struct worker *w, ps_time_moves *moves)
{
        w->latest_sent = w->guard = INT64_MIN;
        bool is_told = ps_focus_tells(e->trace, e->timing, loc);
        return (struct local){.engine = e,
                              .worker = w,
                              .loc = loc,
                              .process = e->trace->defs.locations.row[loc].process,
                              .ops = &e->trace->ops[loc],
                              .enter = e->timing->enter[loc],
                              .leave = e->timing->leave[loc],
                              .moves = moves,
                              .is_told = is_told,
                              .is_plain = e->plain.is_so && is_told,
                              .is_plain_pgas = e->plain.is_pgas_so && e->master == PS_NONE && is_told};
}

static ps_status end(struct local *l, ps_error *err)
{
        while (l->worker->n)
                ps_walk_forget(l);
        drop_rare(l);
        ps_walk_find_distances(l);
        return l->status == PS_OK ? PS_OK : PS_NOMEM(err, "findings", l->findings.n);
}

static ps_status walk_location(struct engine *e, ps_loc loc, unsigned worker, ps_error *err)
{
        struct local *l = &e->local[loc];
        *l = begin(e, loc, &e->worker[worker], &e->moves[loc]);
        if (e->others && !ps_share_is_here(e->trace, loc))
                return PS_OK;
        ps_walk_rows(l, 0, l->ops->n);
        PS_TRY(end(l, err));
        return ps_walk_progress(e, l->ops->n, worker, err);
}

/* -- ranges -- */

static uint32_t count_ranges(const struct engine *e, ps_loc loc)
{
        bool may_cut = e->plain.is_so && !e->options->sink && (!e->others || ps_share_is_here(e->trace, loc));
        return may_cut ? ps_parallel_ranges(e->trace->ops[loc].n, e->trace->n_operations,
                                            e->options->range_ops, e->n_workers)
                       : 1;
}

/* No call, and no series of calls, goes on there. */
static ps_op find_border(const struct local *l, uint64_t near)
{
        ps_op op = (ps_op)near;
        while (op < l->ops->n &&
               (l->ops->flags[op] & PS_OP_PART || ps_walk_act(l->engine, l->ops, op) == ACT_SERIES))
                op++;
        return op;
}

/* Forgets all that was found, but not what is remembered. */
static void clear(struct range *r)
{
        const struct engine *e = r->local.engine;
        struct worker *w = r->local.worker;
        ps_tally_map_free(&r->local.findings);
        memset(&r->moves, 0, sizeof(r->moves));
        memset(w->waiting, 0, e->trace->n_paths * sizeof(*w->waiting));
        memset(w->awaited, 0, (e->trace->defs.processes.n + (size_t)1) * sizeof(*w->awaited));
        memset(w->outside, 0, sizeof(w->outside));
        w->doubtful = w->hidden = 0;
        w->doubtful_count = w->eager_max = 0;
        w->rendezvous_min = UINT64_MAX;
}

static ps_status walk_range(struct engine *e, struct range *r, unsigned worker, ps_error *err)
{
        struct local *l = &r->local;
        uint32_t warm = (e->options->range_ops ? e->options->range_ops : PS_RANGE_ROWS) / PS_RANGE_WARM;
        if (r->from >= r->end)
                return PS_OK;
        if (r->from) {
                ps_op op = find_border(l, r->from < warm ? 0 : r->from - warm);
                l->worker->latest_sent = l->worker->guard = l->enter[op];
                ps_walk_rows(l, op, r->from);
                clear(r);
                r->carried = l->worker->n;
        }
        ps_walk_rows(l, r->from, r->end);
        return ps_walk_progress(e, r->end - r->from, worker, err);
}

/* A thread takes ranges first, which are the larger part of the whole. */
static ps_status walk_part(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct ranges *all = ctx;
        if (i < all->n)
                return walk_range(all->engine, &all->row[i], worker, err);
        ps_loc loc = i - all->n;
        return count_ranges(all->engine, loc) > 1 ? PS_OK : walk_location(all->engine, loc, worker, err);
}

/* -- joining -- */

/* Did the next range see all that the first so many of the remembered waits could be charged for? */
static bool has_seen(const struct worker *w, uint32_t n, const struct worker *next)
{
        for (uint32_t i = 0; i < n; i++) {
                const struct waited *waited = &w->remembered[ps_walk_place_in_ring(w->first + i)];
                if (waited->found.lost && waited->sent > next->guard)
                        return false;
        }
        return true;
}

/* What the next one remembers is the latest; that with which it began both remember. */
static void join_remembered(struct local *l, const struct range *next)
{
        struct worker *w = l->worker;
        const struct worker *after = next->local.worker;
        while (w->n - next->carried + after->n > REMEMBERED)
                ps_walk_forget(l);
        w->n -= next->carried;
        for (uint32_t i = 0; i < after->n; i++)
                w->remembered[ps_walk_place_in_ring(w->first + w->n++)] =
                        after->remembered[ps_walk_place_in_ring(after->first + i)];
        w->latest_sent = w->latest_sent > after->latest_sent ? w->latest_sent : after->latest_sent;
}

/* The first of the largest ones is the worst. */
static void join_findings(struct local *l, const ps_tally_map *next)
{
        for (uint32_t i = 0; i < next->n && l->status == PS_OK; i++) {
                const ps_finding *more = &next->row[i];
                ps_finding *f =
                        ps_tally_map_at(&l->findings, more->pattern, more->path, l->loc, &l->worker->hints);
                if (!f) {
                        l->status = PS_E_NOMEM;
                        return;
                }
                if (!f->count || more->worst.lost > f->worst.lost)
                        f->worst = more->worst;
                f->count += more->count;
                f->lost = ps_time_add(f->lost, more->lost);
                f->least = ps_time_add(f->least, more->least);
        }
}

static void join_moves(ps_time_moves *to, const ps_time_moves *next)
{
        for (int from = 0; from < PS_TIME_KINDS; from++)
                for (int kind = 0; kind < PS_TIME_KINDS; kind++)
                        to->moved[from][kind] = ps_time_add(to->moved[from][kind], next->moved[from][kind]);
}

static void join(struct local *l, const struct range *next)
{
        const struct worker *after = next->local.worker;
        if (next->from >= next->end)
                return;
        if (!has_seen(l->worker, l->worker->n - next->carried, after)) {
                ps_walk_rows(l, next->from, next->end);
                return;
        }
        join_remembered(l, next);
        join_findings(l, &next->local.findings);
        join_moves(l->moves, &next->moves);
        ps_walk_add(l->worker, l->engine, after);
        l->status = l->status == PS_OK ? next->local.status : l->status;
}

/* Of the location whose first range this is; returns how many it has. */
static uint32_t join_location(const struct ranges *all, struct range *first, ps_status *status, ps_error *err)
{
        struct engine *e = all->engine;
        struct local *l = &e->local[first->local.loc];
        uint32_t n = count_ranges(e, first->local.loc);
        *l = first->local;
        first->local.findings = (ps_tally_map){0};
        for (uint32_t i = 1; i < n; i++)
                join(l, &first[i]);
        *status = end(l, err);
        ps_walk_add(&e->worker[0], e, l->worker);
        l->worker = &e->worker[0];
        return n;
}

static void cut_location(const struct ranges *all, struct range *first, ps_loc loc, uint32_t n)
{
        struct engine *e = all->engine;
        for (uint32_t i = 0; i < n; i++) {
                struct range *r = &first[i];
                uint64_t n_ops = e->trace->ops[loc].n;
                r->local = begin(e, loc, &all->worker[r - all->row], i ? &r->moves : &e->moves[loc]);
                r->from = i ? first[i - 1].end : 0;
                r->end = find_border(&r->local, n_ops * (i + 1) / n);
        }
}

static ps_status cut_locations(struct ranges *all, ps_error *err)
{
        const struct engine *e = all->engine;
        for (ps_loc loc = 0; loc < e->trace->n_locs; loc++) {
                uint32_t n = count_ranges(e, loc);
                all->n += n > 1 ? n : 0;
        }
        if (!all->n)
                return PS_OK;
        all->row = calloc(all->n, sizeof(*all->row));
        if (!all->row)
                return PS_NOMEM(err, "ranges", all->n);
        PS_TRY(ps_walk_new_workers(&all->worker, e, all->n, err));
        struct range *at = all->row;
        for (ps_loc loc = 0; loc < e->trace->n_locs; loc++) {
                uint32_t n = count_ranges(e, loc);
                if (n > 1) {
                        cut_location(all, at, loc, n);
                        at += n;
                }
        }
        return PS_OK;
}

ps_status ps_walk_all(struct engine *e, ps_error *err)
{
        struct ranges all = {.engine = e};
        ps_walk_find_released(e);
        ps_status status = cut_locations(&all, err);
        PS_THEN(status, ps_parallel_for(e->n_workers, all.n + e->trace->n_locs, walk_part, &all, err));
        for (uint32_t i = 0; i < all.n && status == PS_OK;)
                i += join_location(&all, &all.row[i], &status, err);
        for (uint32_t i = 0; all.row && i < all.n; i++)
                ps_tally_map_free(&all.row[i].local.findings);
        ps_walk_free_workers(all.worker);
        free(all.row);
        return status;
}
