/* interval_ends.c - when operations end: how much earlier than the last one a processor is through with a
 * collective operation. */
#include "core/base/blocks.h"
#include "core/base/map.h"
#include "core/base/memory.h"
#include "patterns/engine/measure.h"

#include <stdlib.h>
#include <string.h>

unsigned ps_measure_knows_ends(const ps_trace *trace)
{
        bool compares_clocks = trace->clock.trust != PS_CLOCK_UNKNOWN;
        return PS_KNOWS_OVERLAP | (compares_clocks ? PS_KNOWS_VARIATION : 0);
}

/* -- time variation -- */

/* Intervals, and the class of each path. */
struct variation {
        struct measure *m;
        uint8_t *of_path;
        ps_span inside; /* of the focus, if that is all of it */
        /* What was asked of last: its path, and where times of it go; PS_NONE: of none so far. */
        ps_path path;
        uint8_t cls;
        ps_share *share;
};

static ps_status ask_path(struct variation *v, ps_path path, ps_error *err)
{
        v->cls = v->of_path[path];
        if (v->cls != PS_IC_COUNT)
                PS_TRY(ps_intervals_shares(v->m->tree, v->m->interval[path], &v->share, err));
        v->path = path;
        return PS_OK;
}

/* So much earlier than the last one is a location through at this row. */
__attribute__((always_inline)) static inline ps_status add_time(struct variation *v, ps_ref ref, ps_time time,
                                                                ps_error *err)
{
        const struct measure *m = v->m;
        const uint32_t processor = m->processor[ref.loc];
        if (time <= 0 || processor == PS_NONE)
                return PS_OK;
        ps_path path = ps_op_path(&m->trace->ops[ref.loc], ref.op);
        if (path != v->path)
                PS_TRY(ask_path(v, path, err));
        if (v->cls == PS_IC_COUNT)
                return PS_OK;
        ps_time *to = &v->share[processor].variation[v->cls];
        *to = ps_time_add(*to, time);
        return PS_OK;
}

static ps_status add_earlier(struct variation *v, ps_ref ref, ps_time last, ps_error *err)
{
        const ps_timing *timing = v->m->timing;
        return add_time(v, ref, ps_focus_clip(timing->focus, timing->leave[ref.loc][ref.op], last), err);
}

/* When the first and the last of the members that the trace has are through; both are -1 where each is done
 * with it whenever it asks. */
static ps_span ends_of(const struct measure *m, const ps_coll *coll)
{
        ps_span ends = {PS_TIME_MAX, 0};
        const ps_ops *ops = m->trace->ops;
        ps_time *const *leave = m->timing->leave;
        for (const ps_member *at = m->trace->members + coll->first, *end = at + coll->n; at < end; at++) {
                const ps_ref ref = at->ref;
                ps_blocks_keep();
                if (ops[ref.loc].flags[ref.op] & PS_OP_NONBLOCKING)
                        return (ps_span){-1, -1};
                const ps_time left = leave[ref.loc][ref.op];
                ends.begin = ps_time_earlier(left, ends.begin);
                ends.end = ps_time_later(left, ends.end);
        }
        return ends;
}

/* Nearly all lie inside of the focus, as a whole. */
static ps_status add_variation(struct variation *v, const ps_coll *coll, ps_error *err)
{
        const ps_span ends = ends_of(v->m, coll);
        const bool is_inside = ends.begin >= v->inside.begin && ends.end <= v->inside.end;
        ps_time *const *leave = v->m->timing->leave;
        if (ends.end < 0)
                return PS_OK;
        for (const ps_member *at = v->m->trace->members + coll->first, *end = at + coll->n; at < end; at++) {
                const ps_ref ref = at->ref;
                ps_blocks_keep();
                PS_TRY(is_inside ? add_time(v, ref, ends.end - leave[ref.loc][ref.op], err)
                                 : add_earlier(v, ref, ends.end, err));
        }
        return PS_OK;
}

/* -- the same where several processes have the members, each of which tells what is its own -- */

/* Whoever is asked by process 0 has it for another one. */
static bool are_spread(const struct measure *m)
{
        const ps_spread *spread = m->trace->spread;
        return m->tree->known & PS_KNOWS_VARIATION && spread && spread->agreed.agrees &&
               (spread->x->rank || ps_share_others(m->trace, m->timing));
}

struct ending {
        struct operations *o;
        ps_map rows; /* by location and interval: which of its overlaps is meant */
        ps_status status;
        ps_error *err;
};

static void put_last(void *ctx, uint32_t coll, int64_t *row)
{
        const struct ending *e = ctx;
        *row = ends_of(e->o->m, &e->o->m->trace->colls[coll]).end;
}

static void add_last(int64_t *to, const int64_t *row)
{
        *to = ps_time_later(*to, *row);
}

static ps_status tell_earlier(struct ending *e, ps_ref ref, ps_time last)
{
        const struct measure *m = e->o->m;
        ps_path path = ps_op_path(&m->trace->ops[ref.loc], ref.op);
        uint8_t cls = e->o->of_path[path];
        ps_time time = ps_focus_clip(m->timing->focus, m->timing->leave[ref.loc][ref.op], last);
        struct overlaps *to = &e->o->overlaps[ref.loc];
        if (cls == PS_IC_COUNT || m->processor[ref.loc] == PS_NONE || time <= 0)
                return PS_OK;
        ps_time *row = ps_map_at(&e->rows, ref.loc, m->interval[path], to->n);
        if (!row || (*row == to->n &&
                     PS_APPEND(to->row, to->n, to->cap, (struct overlap){.interval = m->interval[path]})))
                return PS_NOMEM(e->err, "intervals", to->n);
        ps_time *sum = &to->row[*row].earlier[cls];
        *sum = ps_time_add(*sum, time);
        return PS_OK;
}

static void take_last(void *ctx, uint32_t coll, const int64_t *row)
{
        struct ending *e = ctx;
        const ps_trace *trace = e->o->m->trace;
        const ps_coll *c = &trace->colls[coll];
        for (uint32_t i = c->first; i < c->first + c->n && e->status == PS_OK; i++)
                if (ps_share_is_here(trace, trace->members[i].ref.loc))
                        e->status = tell_earlier(e, trace->members[i].ref, *row);
}

ps_status ps_measure_ends_here(struct operations *o, ps_error *err)
{
        static const ps_reduced last = {0, false};
        struct ending e = {.o = o, .err = err};
        const ps_agreed_rows rows = {{&last, 1, add_last}, put_last, take_last, &e};
        const ps_spread *spread = o->m->trace->spread;
        if (!are_spread(o->m))
                return PS_OK;
        ps_status status = ps_agreed_reduce(&spread->agreed, spread->x, &rows, err);
        ps_map_free(&e.rows);
        return status == PS_OK ? e.status : status;
}

/* -- waves -- */

/* A call that waits for nothing, in a loop with dependences of a DVM program: there its wave is over. */
static bool ends_wave(const ps_trace *trace, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &trace->ops[loc];
        ps_region region = trace->paths[trace->paths[ps_op_path(ops, op)].parent].region;
        const ps_region_def *def = region == PS_NONE ? NULL : &trace->defs.regions.row[region];
        return ops->kind[op] == PS_K_WAITALL && !ps_op_tag(ops, op) && def && def->role == PS_ROLE_LOOP &&
               def->dvm.counts;
}

/* Waves by loop and number: the n-th of a location is that of the others. */
typedef struct waves {
        ps_map last; /* when the last one was through */
        uint32_t *n; /* by path, of the location at hand */
} waves;

static ps_status visit_wave(struct variation *v, waves *w, ps_ref ref, bool is_first_pass, ps_error *err)
{
        const struct measure *m = v->m;
        ps_path path = ps_op_path(&m->trace->ops[ref.loc], ref.op);
        ps_time leave = m->timing->leave[ref.loc][ref.op];
        ps_time *last = ps_map_at(&w->last, path, w->n[path]++, leave);
        if (!last)
                return PS_NOMEM(err, "waves", path);
        *last = leave > *last ? leave : *last;
        return is_first_pass ? PS_OK : add_earlier(v, ref, *last, err);
}

static ps_status visit_waves(struct variation *v, waves *w, bool is_first_pass, ps_error *err)
{
        const struct measure *m = v->m;
        for (ps_loc loc = 0; loc < m->trace->n_locs; loc++) {
                memset(w->n, 0, (m->trace->n_paths + (size_t)1) * sizeof(*w->n));
                for (ps_op op = 0; op < m->trace->ops[loc].n; op++)
                        if (ends_wave(m->trace, loc, op))
                                PS_TRY(visit_wave(v, w, (ps_ref){loc, op}, is_first_pass, err));
        }
        return PS_OK;
}

static ps_status add_waves(struct variation *v, ps_error *err)
{
        const struct measure *m = v->m;
        waves w = {.n = ps_memory_zeroed(m->trace->n_paths + (size_t)1, sizeof(*w.n))};
        ps_status status =
                w.n ? visit_waves(v, &w, true, err) : PS_NOMEM(err, "call paths", m->trace->n_paths);
        PS_THEN(status, visit_waves(v, &w, false, err));
        ps_map_free(&w.last);
        free(w.n);
        return status;
}

static ps_status add_all(struct variation *v, ps_error *err)
{
        const ps_trace *trace = v->m->trace;
        for (ps_path path = 0; path < trace->n_paths; path++)
                v->of_path[path] = (uint8_t)ps_measure_class(v->m, path);
        for (uint32_t i = 0; !are_spread(v->m) && i < trace->n_colls; i++)
                PS_TRY(add_variation(v, &trace->colls[i], err));
        return trace->defs.is_dvm ? add_waves(v, err) : PS_OK;
}

ps_status ps_measure_ends(struct measure *m, ps_error *err)
{
        if (!(m->tree->known & PS_KNOWS_VARIATION) || (!m->trace->n_colls && !m->trace->defs.is_dvm))
                return PS_OK;
        const ps_focus *focus = m->timing->focus;
        struct variation v = {.m = m,
                              .of_path = ps_memory_new(m->trace->n_paths + (size_t)1),
                              .inside = focus && focus->n_spans == 1 ? focus->span[0] : (ps_span){0, -1},
                              .path = PS_NONE,
                              .cls = PS_IC_COUNT};
        ps_status status = v.of_path ? add_all(&v, err) : PS_NOMEM(err, "call paths", m->trace->n_paths);
        free(v.of_path);
        return status;
}
