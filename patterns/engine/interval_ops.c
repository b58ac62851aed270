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

/* Most gaps lie inside of the focus, in the interval of the one before. */
static inline ps_status add_gap(const struct tally *t, struct counter *c, struct overlaps *to,
                                uint32_t interval, ps_span inside, ps_span gap, ps_error *err)
{
        if (interval != c->interval || c->going != c->classes) {
                PS_TRY(add_gaps(c, to, err));
                c->interval = interval;
                c->classes = c->going;
        }
        ps_time time = gap.begin >= inside.begin && gap.end < inside.end
                               ? ps_time_sub(gap.end, gap.begin)
                               : ps_focus_clip(t->m->timing->focus, gap.begin, gap.end);
        c->gaps = ps_time_add(c->gaps, time);
        return PS_OK;
}

/* What goes on from a row that something else completes. */
static inline void start_overlap(const struct tally *t, struct counter *c, const ps_ops *ops, ps_ref start,
                                 uint8_t cls)
{
        ps_op done = ops->done[start.op];
        uint8_t flags = ops->flags[start.op];
        if (flags & PS_OP_ELSEWHERE || !t->goes_on[ops->kind[start.op]] || done <= start.op || done >= ops->n)
                done = completion_of(t->m->trace, start);
        if (done == PS_NONE || done < c->until[cls])
                return;
        c->until[cls] = done + 1;
        c->going |= 1u << cls;
        c->soonest = done < c->soonest ? done + 1 : c->soonest;
}

static void find_going(struct counter *c, ps_op before)
{
        c->soonest = PS_NONE;
        for (uint32_t left = c->going; left; left &= left - 1) {
                ps_op until = c->until[__builtin_ctz(left)];
                if (until <= before)
                        c->going &= ~(left & -left);
                else if (until < c->soonest)
                        c->soonest = until;
        }
}

/* Outside of calls, from the end of the one that starts an operation to the begin of the one that completes
 * it. */
static ps_status measure_overlap(const struct tally *t, struct counter *c, ps_loc loc, ps_error *err)
{
        const struct measure *m = t->m;
        const ps_ops ops = m->trace->ops[loc];
        const ps_time *enter = m->timing->enter[loc], *leave = m->timing->leave[loc];
        const uint32_t *interval = m->interval;
        const uint8_t *of_path = t->o->of_path;
        const ps_span inside = t->inside;
        struct overlaps *to = &t->o->overlaps[loc];
        ps_time end = 0;
        for (ps_op op = 0; op < ops.n; op++) {
                if (op >= c->soonest)
                        find_going(c, op);
                for (; !c->going && op < ops.n - 1 && ops.done[op] == PS_NONE; op++)
                        end = ps_time_later(leave[op], end);
                ps_path path = ops.path[op];
                ps_time begin = enter[op];
                if (c->going && begin > end)
                        PS_TRY(add_gap(t, c, to, interval[path], inside, (ps_span){end, begin}, err));
                /* Most start what is completed together with something that goes on already. */
                if (ops.done[op] != PS_NONE && of_path[path] != PS_IC_COUNT &&
                    (ops.done[op] >= c->until[of_path[path]] || ops.flags[op] & PS_OP_ELSEWHERE))
                        start_overlap(t, c, &ops, (ps_ref){loc, op}, of_path[path]);
                end = ps_time_later(leave[op], end);
        }
        return add_gaps(c, to, err);
}

/* Nested recursion of one region counts at each of its nodes; a call counts once, at its first row. Most
 * begin inside of the focus. */
static void count_operations(const struct tally *t, struct counter *c, ps_loc loc)
{
        const struct measure *m = t->m;
        const ps_ops ops = m->trace->ops[loc];
        const ps_time *enter = m->timing->enter[loc], *leave = m->timing->leave[loc];
        const ps_span inside = t->inside;
        const uint64_t length = inside.end > inside.begin ? (uint64_t)inside.end - (uint64_t)inside.begin : 0;
        const uint32_t *interval = m->interval;
        const uint8_t *of_kind = t->of_kind;
        uint64_t *operations = c->operations;
        for (ps_op op = 0; op < ops.n; op++) {
                uint64_t *n = &operations[interval[ops.path[op]] * WITH_NONE + of_kind[ops.kind[op]]];
                bool counts = !(ops.flags[op] & PS_OP_PART);
                if ((uint64_t)enter[op] - (uint64_t)inside.begin >= length)
                        counts &= ps_focus_clip(m->timing->focus, enter[op],
                                                ps_time_later(leave[op], enter[op] + 1)) > 0;
                *n += counts;
        }
}

static ps_status measure_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        const struct tally *t = ctx;
        struct counter *c = &t->counter[worker];
        const struct overlaps *overlaps = &t->o->overlaps[loc];
        if (t->m->processor[loc] == PS_NONE || (t->has_others && !ps_share_is_here(t->m->trace, loc)))
                return PS_OK;
        if (!t->m->trace->defs.is_dvm)
                count_operations(t, c, loc);
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
                        ps_time *to = share[m->processor[loc]].overlap;
                        for (int cls = 0; cls < PS_IC_COUNT; cls++)
                                to[cls] = ps_time_add(to[cls], overlap->time[cls]);
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
