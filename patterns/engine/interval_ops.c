/* interval_ops.c - what the operations of each location tell of the intervals: how many there are, and how
 * long the processor calculates while some that it has started go on. */
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/vector.h"
#include "patterns/engine/measure.h"

#include <stdlib.h>
#include <string.h>

/* What a worker knows of the location at hand, and counts over all of its locations. */
struct counter {
        uint64_t *operations;     /* by interval and class, of which the last is of no class */
        uint32_t *row_of;         /* by interval: the row of the overlaps at hand + 1; 0: none */
        ps_op until[PS_IC_COUNT]; /* some of the class go on right before all rows in front of this one */
        uint32_t going;           /* bits of the classes of which any does, and */
        ps_op soonest;            /* the row at which that may change */
        /* Of the gaps at hand, which are added to the overlaps once those of another interval or of other
         * classes come. */
        uint32_t interval, classes;
        ps_time gaps;
};

struct tally {
        const struct measure *m;
        struct operations *o;
        struct counter *counter;        /* by worker */
        bool has_others;                /* who count what is not here */
        bool has_parts;                 /* there is more than one interval */
        ps_span inside;                 /* of the focus, if that is all of it */
        uint8_t of_kind[UINT8_MAX + 1]; /* ps_interval_class */
        bool goes_on[UINT8_MAX + 1];    /* by kind: it is over in another operation, whatever its flags say */
};

/* The row of the location that completes what this one starts; PS_NONE: it starts nothing. */
static inline ps_op completion_of(const ps_trace *trace, ps_ref ref)
{
        ps_ref completion = ps_op_completion(trace, ref);
        return completion.loc == ref.loc && completion.op > ref.op && completion.op < trace->ops[ref.loc].n
                       ? completion.op
                       : PS_NONE;
}

/* Adds the gaps that were of one interval and of one set of classes. */
static ps_status add_gaps(struct counter *c, struct overlaps *to, ps_error *err)
{
        if (!c->gaps)
                return PS_OK;
        uint32_t *row_of = &c->row_of[c->interval];
        if (!*row_of) {
                if (PS_APPEND(to->row, to->n, to->cap, (struct overlap){.interval = c->interval}))
                        return PS_NOMEM(err, "intervals", to->n);
                *row_of = to->n;
        }
        ps_time *sum = to->row[*row_of - 1].time;
        for (uint32_t left = c->classes; left; left &= left - 1) {
                ps_time *of = &sum[__builtin_ctz(left)];
                *of = ps_time_add(*of, c->gaps);
        }
        c->gaps = 0;
        return PS_OK;
}

/* Not inlined, like what follows: most gaps lie inside of the focus, and are of what the one before was of.
 */
__attribute__((noinline)) static ps_status begin_gaps(const struct tally *t, struct counter *c, ps_ref at,
                                                      ps_error *err)
{
        PS_TRY(add_gaps(c, &t->o->overlaps[at.loc], err));
        c->interval = t->m->interval[t->m->trace->ops[at.loc].path[at.op]];
        c->classes = c->going;
        return PS_OK;
}

__attribute__((noinline)) static ps_time clip_gap(const struct tally *t, ps_time begin, ps_time end)
{
        return ps_focus_clip(t->m->timing->focus, begin, end);
}

/* What goes on from a row that something else completes. Most start what is completed together with something
 * that goes on already. */
static inline void start_overlap(const struct tally *t, struct counter *c, const ps_ops *ops, ps_ref start,
                                 ps_op done)
{
        uint8_t cls = t->o->of_path[ops->path[start.op]];
        bool is_elsewhere = ops->flags[start.op] & PS_OP_ELSEWHERE;
        if (cls == PS_IC_COUNT || (done < c->until[cls] && !is_elsewhere))
                return;
        if (is_elsewhere || !t->goes_on[ops->kind[start.op]] || done <= start.op || done >= ops->n)
                done = completion_of(t->m->trace, start);
        if (done == PS_NONE || done < c->until[cls])
                return;
        c->until[cls] = done + 1;
        c->going |= 1u << cls;
        c->soonest = done < c->soonest ? done + 1 : c->soonest;
}

/* What goes on right before a row. */
static inline void find_going(struct counter *c, ps_op before)
{
        c->soonest = PS_NONE;
        for (uint32_t left = c->going; left; left &= left - 1) {
                ps_op until = c->until[__builtin_ctz(left)];
                if (until <= before)
                        c->going ^= left & -left;
                else if (until < c->soonest)
                        c->soonest = until;
        }
}

/* Outside of calls, from the end of the one that starts an operation to the begin of the one that completes
 * it. Gaps are apart from each other and behind 0, so that the sum of all is a time. */
__attribute__((noinline)) static ps_status measure_overlap(const struct tally *t, struct counter *c,
                                                           ps_loc loc, ps_error *err)
{
        const ps_ops *ops = &t->m->trace->ops[loc];
        const ps_time *enter = t->m->timing->enter[loc], *leave = t->m->timing->leave[loc];
        const uint32_t *done = ops->done;
        const size_t n = ops->n;
        ps_time end = 0;
        for (size_t op = 0; op < n; op++) {
                if (!c->going) {
                        for (; done[op] == PS_NONE && op < n - 1; op++)
                                end = ps_time_later(leave[op], end);
                } else if (enter[op] > end) {
                        if (c->going != c->classes ||
                            (t->has_parts && t->m->interval[ops->path[op]] != c->interval))
                                PS_TRY(begin_gaps(t, c, (ps_ref){loc, (ps_op)op}, err));
                        c->gaps += end >= t->inside.begin && enter[op] < t->inside.end
                                           ? enter[op] - end
                                           : clip_gap(t, end, enter[op]);
                }
                if (done[op] != PS_NONE)
                        start_overlap(t, c, ops, (ps_ref){loc, (ps_op)op}, done[op]);
                end = ps_time_later(leave[op], end);
                if (op + 1 >= c->soonest)
                        find_going(c, (ps_op)op + 1);
        }
        return add_gaps(c, &t->o->overlaps[loc], err);
}

/* Does it lie in the focus, at least in part? */
static bool is_inside(const ps_timing *timing, ps_ref at)
{
        ps_time begin = timing->enter[at.loc][at.op], end = timing->leave[at.loc][at.op];
        return ps_focus_clip(timing->focus, begin, ps_time_later(end, begin + 1)) > 0;
}

/* Nested recursion of one region counts at each of its nodes; a call counts once, at its first row. Most
 * begin inside of the focus. */
__attribute__((noinline)) static void count_operations(const struct tally *t, uint64_t *operations,
                                                       ps_loc loc)
{
        const struct measure *m = t->m;
        const ps_ops *ops = &m->trace->ops[loc];
        const uint8_t *kind = ops->kind, *flags = ops->flags;
        const uint32_t *interval = m->interval, *path = ops->path, n = ops->n;
        const ps_time *enter = m->timing->enter[loc];
        const uint64_t begin = (uint64_t)t->inside.begin,
                       length = t->inside.end > t->inside.begin ? (uint64_t)t->inside.end - begin : 0;
        for (ps_op op = 0; op < n; op++)
                if (!(flags[op] & PS_OP_PART) &&
                    ((uint64_t)enter[op] - begin < length || is_inside(m->timing, (ps_ref){loc, op})))
                        operations[interval[path[op]] * WITH_NONE + t->of_kind[kind[op]]]++;
}

static ps_status measure_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct tally *t = ctx;
        struct counter *c = &t->counter[worker];
        const struct overlaps *overlaps = &t->o->overlaps[loc];
        if (t->m->processor[loc] == PS_NONE || (t->has_others && !ps_share_is_here(t->m->trace, loc)))
                return PS_OK;
        if (!t->m->trace->defs.is_dvm)
                count_operations(t, c->operations, loc);
        *c = (struct counter){.operations = c->operations, .row_of = c->row_of, .soonest = PS_NONE};
        PS_TRY(measure_overlap(t, c, loc, err));
        for (uint32_t i = 0; i < overlaps->n; i++)
                c->row_of[overlaps->row[i].interval] = 0;
        return PS_OK;
}

static ps_status make_tally(struct tally *t, unsigned n_threads, ps_error *err)
{
        const ps_trace *trace = t->m->trace;
        uint32_t n = t->m->tree->n;
        t->counter = ps_memory_zeroed(n_threads, sizeof(*t->counter));
        t->o->count = ps_memory_zeroed((size_t)n * WITH_NONE, sizeof(*t->o->count));
        t->o->overlaps = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*t->o->overlaps));
        if (!t->counter || !t->o->count || !t->o->overlaps)
                return PS_NOMEM(err, "locations", trace->n_locs);
        for (unsigned w = 0; w < n_threads; w++) {
                t->counter[w].operations = ps_memory_zeroed((size_t)n * WITH_NONE, sizeof(uint64_t));
                t->counter[w].row_of = ps_memory_zeroed(n, sizeof(uint32_t));
                if (!t->counter[w].operations || !t->counter[w].row_of)
                        return PS_NOMEM(err, "intervals", n);
        }
        for (int kind = 0; kind <= UINT8_MAX; kind++)
                t->of_kind[kind] =
                        (uint8_t)ps_measure_class_of_kind(kind < PS_K_COUNT ? (ps_kind)kind : PS_K_NONE);
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                t->goes_on[kind] = !(ps_kinds[kind].traits & PS_T_BLOCKING) &&
                                   (ps_kinds[kind].cls <= PS_C_RECV || ps_kinds[kind].cls == PS_C_RMA);
        return PS_OK;
}

/* Those of all workers. */
static void add_counts(const struct tally *t, unsigned n_threads)
{
        for (unsigned w = 0; w < n_threads; w++)
                for (uint32_t i = 0; i < t->m->tree->n * WITH_NONE; i++)
                        t->o->count[i] += t->counter[w].operations[i];
}

ps_status ps_operations_count(struct operations *o, unsigned n_threads, ps_error *err)
{
        const struct measure *m = o->m;
        const ps_focus *focus = m->timing->focus;
        struct tally t = {.m = m,
                          .o = o,
                          .has_others = ps_share_others(m->trace, m->timing),
                          .has_parts = m->tree->n > 1,
                          .inside = focus && focus->n_spans == 1 ? focus->span[0] : (ps_span){0, 0}};
        n_threads = ps_parallel_threads(n_threads);
        ps_status status = make_tally(&t, n_threads, err);
        PS_THEN(status, ps_parallel_for(n_threads, m->trace->n_locs, measure_location, &t, err));
        if (status == PS_OK)
                add_counts(&t, n_threads);
        for (unsigned w = 0; t.counter && w < n_threads; w++) {
                free(t.counter[w].operations);
                free(t.counter[w].row_of);
        }
        free(t.counter);
        return status;
}

void ps_operations_clear(struct operations *o)
{
        for (ps_loc loc = 0; o->overlaps && loc < o->m->trace->n_locs; loc++)
                free(o->overlaps[loc].row);
        free(o->overlaps);
        free(o->count);
}

static ps_status add_results(struct measure *m, const struct operations *o, ps_error *err)
{
        for (uint32_t i = 0; i < m->tree->n; i++)
                for (uint32_t cls = 0; cls < PS_IC_COUNT; cls++)
                        m->tree->row[i].operations[cls] += o->count[i * WITH_NONE + cls];
        for (ps_loc loc = 0; loc < m->trace->n_locs; loc++)
                for (uint32_t i = 0; i < o->overlaps[loc].n; i++) {
                        const struct overlap *overlap = &o->overlaps[loc].row[i];
                        ps_share *share;
                        PS_TRY(ps_intervals_shares(m->tree, overlap->interval, &share, err));
                        share += m->processor[loc];
                        for (int cls = 0; cls < PS_IC_COUNT; cls++) {
                                share->overlap[cls] = ps_time_add(share->overlap[cls], overlap->time[cls]);
                                share->variation[cls] =
                                        ps_time_add(share->variation[cls], overlap->earlier[cls]);
                        }
                }
        return PS_OK;
}

static ps_status find_classes(struct operations *o, ps_error *err)
{
        uint32_t n = o->m->trace->n_paths;
        o->of_path = ps_memory_new(n + (size_t)1);
        if (!o->of_path)
                return PS_NOMEM(err, "call paths", n);
        for (ps_path path = 0; path < n; path++)
                o->of_path[path] = (uint8_t)ps_measure_class(o->m, path);
        return PS_OK;
}

ps_status ps_measure_operations(struct measure *m, unsigned n_threads, ps_error *err)
{
        struct operations o = {.m = m};
        ps_exchange *others = ps_share_others(m->trace, m->timing);
        ps_status status = find_classes(&o, err);
        if (others)
                PS_THEN(status, ps_operations_ask(&o, others, err));
        bool is_asked = status == PS_OK && others;
        PS_THEN(status, ps_operations_count(&o, n_threads, err));
        if (is_asked)
                status = ps_operations_gather(&o, others, status, err);
        PS_THEN(status, add_results(m, &o, err));
        ps_operations_clear(&o);
        free(o.of_path);
        return status;
}
