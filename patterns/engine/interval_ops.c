/* interval_ops.c - what the operations of each location tell of the intervals: how many there are, and how
 * long the processor calculates while some that it has started go on. */
#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/vector.h"
#include "patterns/engine/measure.h"

#include <stdlib.h>
#include <string.h>

/* What goes on between two rows of a location. */
struct under_way {
        ps_op until[PS_IC_COUNT]; /* some of the class go on right before all rows in front of this one */
        uint32_t going;           /* bits of the classes of which any does, and */
        ps_op soonest;            /* the row at which that may change */
        ps_time end;              /* of the calls so far */
};

/* Gaps of an interval while these classes go on, which are added to the overlaps once others come. */
struct gaps {
        uint32_t interval, classes;
        ps_time sum;
};

/* What a worker knows of the rows at hand, and counts over all that it looks at. */
struct counter {
        uint64_t *operations;            /* by interval and class, of which the last is of no class */
        uint64_t of_kind[UINT8_MAX + 1]; /* instead, where there is one interval */
        uint32_t *row_of;                /* by interval: the row of the overlaps at hand + 1; 0: none */
        uint8_t *of_call;                /* ps_interval_class; of the calls of this location: */
        ps_loc loc; /* or PS_NONE; rows say again and again what stands close together here */
        uint32_t cap_calls;
        struct overlaps *to; /* those */
        struct under_way now;
};

/* Rows of a location: mostly all of them. */
struct range {
        ps_loc loc;
        ps_op from, end;
        struct under_way before, after; /* before: as far as the rows right before them tell */
        struct overlaps overlaps;
};

struct tally {
        const struct measure *m;
        struct operations *o;
        struct counter *counter; /* by worker */
        struct range *range;     /* those of a location behind each other */
        uint32_t n_ranges;
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

#define PS_OVERLAP_INLINE __attribute__((always_inline)) static inline

/* Room at first: most programs have one interval, and there may be as many locations as one likes. */
enum { OVERLAPS = 1 };

/* The sums of an interval; NULL without memory. */
static ps_time *sums_of(struct counter *c, uint32_t interval)
{
        uint32_t *row_of = &c->row_of[interval];
        if (!*row_of) {
                struct overlaps *to = c->to;
                if (ps_memory_room(&to->row, to->n, &to->cap, OVERLAPS, sizeof(*to->row)))
                        return NULL;
                to->row[to->n++] = (struct overlap){.interval = interval};
                *row_of = to->n;
        }
        return c->to->row[*row_of - 1].time;
}

/* Adds the gaps that were of one interval and of one set of classes. */
__attribute__((noinline)) static ps_status add_gaps(struct counter *c, struct gaps gaps, ps_error *err)
{
        if (!gaps.sum)
                return PS_OK;
        ps_time *sum = sums_of(c, gaps.interval);
        if (!sum)
                return PS_NOMEM(err, "intervals", c->to->n);
        for (uint32_t left = gaps.classes; left; left &= left - 1) {
                ps_time *of = &sum[__builtin_ctz(left)];
                *of = ps_time_add(*of, gaps.sum);
        }
        return PS_OK;
}

/* Not inlined: most gaps lie inside of the focus. */
__attribute__((noinline)) static ps_time clip_gap(const struct tally *t, ps_time begin, ps_time end)
{
        return ps_focus_clip(t->m->timing->focus, begin, end);
}

static ps_status find_calls(const struct tally *t, struct counter *c, ps_loc loc, ps_error *err)
{
        const ps_ops *ops = &t->m->trace->ops[loc];
        if (c->loc == loc)
                return PS_OK;
        if (ops->n_calls > c->cap_calls) {
                free(c->of_call);
                c->of_call = malloc(ops->n_calls);
                c->cap_calls = c->of_call ? ops->n_calls : 0;
        }
        c->loc = loc;
        for (uint32_t i = 0; c->of_call && i < ops->n_calls; i++)
                c->of_call[i] = t->o->of_path[ops->calls[i].path];
        return c->of_call || !ops->n_calls ? PS_OK : PS_NOMEM(err, "calls", ops->n_calls);
}

/* What goes on from a row that something else completes. Most start what is completed together with something
 * that goes on already. `has_foreign`: some are completed by other threads. */
PS_OVERLAP_INLINE void start_overlap(const struct tally *t, struct under_way *now, const ps_ops *ops,
                                     uint8_t cls, ps_ref start, ps_op done, bool has_foreign)
{
        bool is_elsewhere = has_foreign && ops->flags[start.op] & PS_OP_ELSEWHERE;
        if (cls == PS_IC_COUNT || (done < now->until[cls] && !is_elsewhere))
                return;
        if (is_elsewhere || !t->goes_on[ops->kind[start.op]] || done <= start.op || done >= ops->n)
                done = completion_of(t->m->trace, start);
        if (done == PS_NONE || done < now->until[cls])
                return;
        now->until[cls] = done + 1;
        now->going |= 1u << cls;
        now->soonest = done < now->soonest ? done + 1 : now->soonest;
}

/* What goes on right before a row. */
static inline void find_going(struct under_way *now, ps_op before)
{
        now->soonest = PS_NONE;
        for (uint32_t left = now->going; left; left &= left - 1) {
                ps_op until = now->until[__builtin_ctz(left)];
                if (until <= before)
                        now->going ^= left & -left;
                else if (until < now->soonest)
                        now->soonest = until;
        }
}

/* May what the row starts be over in another one? Most transfers of PGAS programs are their own end. */
PS_OVERLAP_INLINE bool is_started(const uint32_t *done, size_t op, bool has_own_ends)
{
        return done[op] != PS_NONE && (!has_own_ends || done[op] != op);
}

/* Where nothing goes on, up to the row that starts something, or else the last one; `*end` of the calls
 * before it. */
PS_OVERLAP_INLINE size_t pass_calls(const uint32_t *done, const ps_time *leave, size_t op, size_t n,
                                    bool has_own_ends, ps_time *end)
{
        for (; !is_started(done, op, has_own_ends) && op < n - 1; op++)
                *end = ps_time_later(leave[op], *end);
        return op;
}

/* Outside of calls, from the end of the one that starts an operation to the begin of the one that completes
 * it. Gaps are apart from each other and behind 0, so that the sum of all is a time. */
PS_OVERLAP_INLINE ps_status measure_rows(const struct tally *t, struct counter *c, ps_loc loc, ps_op from,
                                         ps_op until, bool has_parts, bool has_foreign, bool has_own_ends,
                                         ps_error *err)
{
        const ps_ops ops = t->m->trace->ops[loc];
        const ps_time *enter = t->m->timing->enter[loc], *leave = t->m->timing->leave[loc];
        const uint32_t *done = ops.done;
        const ps_span inside = t->inside;
        const size_t n = until;
        struct under_way now = c->now;
        struct gaps gaps = {0};
        PS_TRY(find_calls(t, c, loc, err));
        const uint8_t *of_call = c->of_call;
        for (size_t op = from; op < n; op++) {
                if (!now.going) {
                        op = pass_calls(done, leave, op, n, has_own_ends, &now.end);
                } else if (enter[op] > now.end) {
                        if (now.going != gaps.classes ||
                            (has_parts && t->m->interval[ps_op_path(&ops, (ps_op)op)] != gaps.interval)) {
                                PS_TRY(add_gaps(c, gaps, err));
                                gaps = (struct gaps){t->m->interval[ps_op_path(&ops, (ps_op)op)], now.going,
                                                     0};
                        }
                        gaps.sum += now.end >= inside.begin && enter[op] < inside.end
                                            ? enter[op] - now.end
                                            : clip_gap(t, now.end, enter[op]);
                }
                if (is_started(done, op, has_own_ends)) {
                        ps_blocks_keep();
                        start_overlap(t, &now, &ops, of_call[ops.call[op]], (ps_ref){loc, (ps_op)op},
                                      done[op], has_foreign);
                }
                now.end = ps_time_later(leave[op], now.end);
                if (op + 1 >= now.soonest)
                        find_going(&now, (ps_op)op + 1);
        }
        c->now = now;
        return add_gaps(c, gaps, err);
}

__attribute__((noinline)) static ps_status measure_overlap(const struct tally *t, struct counter *c,
                                                           ps_loc loc, ps_op from, ps_op until, ps_error *err)
{
        const bool has_foreign = t->m->trace->n_foreign, has_parts = t->has_parts;
        if (has_foreign || has_parts)
                return measure_rows(t, c, loc, from, until, has_parts, has_foreign, false, err);
        return t->m->trace->defs.pgas_comm != PS_NONE
                       ? measure_rows(t, c, loc, from, until, false, false, true, err)
                       : measure_rows(t, c, loc, from, until, false, false, false, err);
}

/* Does it lie in the focus, at least in part? */
static bool is_inside(const ps_timing *timing, ps_ref at)
{
        ps_time begin = timing->enter[at.loc][at.op], end = timing->leave[at.loc][at.op];
        return ps_focus_clip(timing->focus, begin, ps_time_later(end, begin + 1)) > 0;
}

/* Nested recursion of one region counts at each of its nodes; a call counts once, at its first row. Most
 * begin inside of the focus. Where there is one interval, those of a kind are all alike. */
__attribute__((always_inline)) static inline void count_rows(const struct tally *t, struct counter *c,
                                                             const struct range *r, bool has_parts)
{
        const ps_ops *ops = &t->m->trace->ops[r->loc];
        const uint8_t *kind = ops->kind, *flags = ops->flags;
        const uint32_t *interval = t->m->interval, n = r->end;
        const ps_time *enter = t->m->timing->enter[r->loc];
        const uint64_t begin = (uint64_t)t->inside.begin,
                       length = t->inside.end > t->inside.begin ? (uint64_t)t->inside.end - begin : 0;
        for (ps_op op = r->from; op < n; op++) {
                if (flags[op] & PS_OP_PART ||
                    ((uint64_t)enter[op] - begin >= length && !is_inside(t->m->timing, (ps_ref){r->loc, op})))
                        continue;
                if (has_parts)
                        c->operations[interval[ps_op_path(ops, op)] * WITH_NONE + t->of_kind[kind[op]]]++;
                else
                        c->of_kind[kind[op]]++;
        }
}

__attribute__((noinline)) static void count_operations(const struct tally *t, struct counter *c,
                                                       const struct range *r)
{
        if (t->has_parts)
                count_rows(t, c, r, true);
        else
                count_rows(t, c, r, false);
}

static void let_go(struct counter *c)
{
        for (uint32_t i = 0; i < c->to->n; i++)
                c->row_of[c->to->row[i].interval] = 0;
}

static ps_status warm_up(const struct tally *t, struct counter *c, struct range *r, ps_error *err)
{
        ps_op warm = (t->m->range_ops ? t->m->range_ops : PS_RANGE_ROWS) / PS_RANGE_WARM;
        PS_TRY(measure_overlap(t, c, r->loc, r->from < warm ? 0 : r->from - warm, r->from, err));
        r->before = c->now;
        let_go(c);
        r->overlaps.n = 0;
        return PS_OK;
}

static ps_status measure_range(const struct tally *t, uint32_t i, unsigned worker, ps_error *err)
{
        struct counter *c = &t->counter[worker];
        struct range *r = &t->range[i];
        if (!t->m->trace->defs.is_dvm)
                count_operations(t, c, r);
        c->to = &r->overlaps;
        c->now = (struct under_way){.soonest = PS_NONE};
        if (r->from)
                PS_TRY(warm_up(t, c, r, err));
        PS_TRY(measure_overlap(t, c, r->loc, r->from, r->end, err));
        r->after = c->now;
        let_go(c);
        return PS_OK;
}

static ps_status measure_round(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        struct tally *t = ctx;
        if (!t->o->ends)
                return measure_range(t, i, worker, err);
        return i ? measure_range(t, i - 1, worker, err) : ps_measure_ends(t->o->ends, err);
}

/* -- ranges -- */

static uint32_t count_ranges(const struct tally *t, ps_loc loc, unsigned n_threads)
{
        const ps_trace *trace = t->m->trace;
        if (t->m->processor[loc] == PS_NONE || (t->has_others && !ps_share_is_here(trace, loc)))
                return 0;
        return ps_parallel_ranges(trace->ops[loc].n, trace->n_operations, t->m->range_ops, n_threads);
}

static ps_status make_ranges(struct tally *t, unsigned n_threads, ps_error *err)
{
        const ps_trace *trace = t->m->trace;
        uint64_t n = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                n += count_ranges(t, loc, n_threads);
        t->range = n < PS_NONE ? ps_memory_zeroed(n + 1, sizeof(*t->range)) : NULL;
        if (!t->range)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                uint64_t parts = count_ranges(t, loc, n_threads), n_ops = trace->ops[loc].n;
                for (uint64_t i = 0; i < parts; i++)
                        t->range[t->n_ranges++] = (struct range){.loc = loc,
                                                                 .from = (ps_op)(n_ops * i / parts),
                                                                 .end = (ps_op)(n_ops * (i + 1) / parts)};
        }
        return PS_OK;
}

static bool is_alike(const struct under_way *a, const struct under_way *b, ps_op before)
{
        bool is_so = a->end == b->end;
        for (int cls = 0; cls < PS_IC_COUNT; cls++)
                is_so &= a->until[cls] == b->until[cls] ||
                         (a->until[cls] <= before && b->until[cls] <= before);
        return is_so;
}

/* Adds what is known of a range to what is known of all before; if more is under way there than it knew, its
 * rows are looked at once more. */
static ps_status join_range(const struct tally *t, struct counter *c, const struct range *r, ps_error *err)
{
        if (!is_alike(&c->now, &r->before, r->from))
                return measure_overlap(t, c, r->loc, r->from, r->end, err);
        for (uint32_t i = 0; i < r->overlaps.n; i++) {
                const struct overlap *overlap = &r->overlaps.row[i];
                ps_time *sum = sums_of(c, overlap->interval);
                if (!sum)
                        return PS_NOMEM(err, "intervals", c->to->n);
                for (int cls = 0; cls < PS_IC_COUNT; cls++)
                        sum[cls] = ps_time_add(sum[cls], overlap->time[cls]);
        }
        c->now = r->after;
        return PS_OK;
}

static ps_status join_ranges(const struct tally *t, ps_error *err)
{
        struct counter *c = t->counter;
        ps_status status = PS_OK;
        for (uint32_t i = 0; i < t->n_ranges && status == PS_OK;) {
                const struct range *first = &t->range[i];
                c->to = &t->o->overlaps[first->loc];
                *c->to = first->overlaps;
                t->range[i].overlaps = (struct overlaps){0};
                for (uint32_t k = 0; k < c->to->n; k++)
                        c->row_of[c->to->row[k].interval] = k + 1;
                c->now = first->after;
                for (i++; i < t->n_ranges && t->range[i].from && status == PS_OK; i++)
                        status = join_range(t, c, &t->range[i], err);
                let_go(c);
        }
        return status;
}

/* -- all -- */

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
                t->counter[w].loc = PS_NONE;
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
        for (unsigned w = 0; w < n_threads; w++) {
                for (uint32_t i = 0; i < t->m->tree->n * WITH_NONE; i++)
                        t->o->count[i] += t->counter[w].operations[i];
                for (int kind = 0; kind <= UINT8_MAX && !t->has_parts; kind++)
                        t->o->count[t->of_kind[kind]] += t->counter[w].of_kind[kind];
        }
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
        PS_THEN(status, make_ranges(&t, n_threads, err));
        PS_THEN(status, ps_parallel_for(n_threads, t.n_ranges + (o->ends != NULL), measure_round, &t, err));
        PS_THEN(status, join_ranges(&t, err));
        if (status == PS_OK)
                add_counts(&t, n_threads);
        for (unsigned w = 0; t.counter && w < n_threads; w++) {
                free(t.counter[w].operations);
                free(t.counter[w].row_of);
                free(t.counter[w].of_call);
        }
        free(t.counter);
        for (uint32_t i = 0; t.range && i < t.n_ranges; i++)
                free(t.range[i].overlaps.row);
        free(t.range);
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
        struct operations o = {.m = m, .ends = m};
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
