/* excess.c - what the causer of a wait did longer than the waiter. */
#include "patterns/causes/passes.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "patterns/causes/apart.h"
#include "patterns/causes/parts.h"
#include "patterns/causes/plain.h"
#include "patterns/causes/start.h"

#include <stdlib.h>

/* -- all waits that one location ended -- */

struct charging {
        struct delaying *d;
        struct sides *sides;  /* by worker */
        struct charged **row; /* by worker and path */
        struct costs *costs;  /* by worker: those of all locations that it charged */
        struct own_costs {
                uint32_t first, n;
                unsigned worker;
        } * own;                    /* by location: where its costs are */
        uint8_t traits[PS_K_COUNT]; /* by kind of the causer's call */
};

/* SPECIAL: the causer's window may not be plain; OF_SEVERAL: mostly several wait for the last one to call. */
enum { SPECIAL = 1, OF_SEVERAL = 2 };

/* Room for parts at first. */
enum { PARTS_A_WAIT = 5, MANY_ENDED = 1 << 20, LOOK_EACH = 16 };

/* Its parts are the last ones that were found. */
static inline void charge_direct(const struct place *p, const struct waiting *w, bool counts,
                                 const struct part *behind)
{
        ps_time *of_cost = p->sides->direct[p->d->odd[w->pattern]];
        const struct part *const largest = p->parts->row + w->part;
        const ps_time excess = w->excess;
        ps_time direct = counts ? ps_split_of(p->d, w).direct : 0, left = direct;
        if (excess) {
                const bool are_short = are_shares_short(excess, direct);
#pragma GCC unroll 1
                for (const struct part *part = largest + 1; part < behind; part++) {
                        ps_time time = share_of_part(excess, direct, part, are_short);
                        left -= time;
                        of_cost[part->cost] += time;
                }
                of_cost[largest->cost] += left;
        }
        *sum_at(p->d->out, w->family, PS_DELAYED_SHORT, p->loc) += direct;
}

/* Is the causer's window plain that begins then? */
static inline bool is_causer_plain(const struct place *p, const struct waiting *w, ps_time begin)
{
        const struct timeline *line = p->line;
        const ps_op first = w->causer.op, by = w->by.op;
        return first != PS_NONE && is_between(line, first, by, begin) && line->enter[by] <= w->end &&
               (!(p->traits[line->ops->kind[by]] & SPECIAL) ||
                (line->enter[by] == line->leave[by] && !is_scalasca(p->d)));
}

/* Do both windows begin with a call, and end with the begins of calls? Finds where they begin. */
static inline bool are_plain(const struct place *p, const struct timeline *of_waiter, const struct waiting *w,
                             ps_time *begin)
{
        const ps_op first = w->causer.op, first_of_waiter = w->waiter.op;
        if (first == PS_NONE || first_of_waiter == PS_NONE)
                return false;
        *begin = later(begin_of_span(p->d, w),
                       earlier(of_waiter->leave[first_of_waiter], p->line->leave[first]));
        return is_between(of_waiter, first_of_waiter, w->op, *begin) && is_causer_plain(p, w, *begin);
}

/* Of many paths, whose windows have many pieces: each of these loops has all registers for itself. */
static __attribute__((noinline)) const struct waiting *
add_to_many(struct sums *sums, const struct timeline *line, ps_op first, ps_op last, ps_time begin,
            const struct waiting *wait, const struct waiting *behind)
{
        return add_plain(sums, ADD_MANY, line, first, last, begin, wait, behind);
}

static __attribute__((noinline)) void add_to_other(struct sums *sums, const struct timeline *line,
                                                   ps_op first, ps_op last, ps_time begin,
                                                   const struct waiting *wait, const struct waiting *behind)
{
        add_plain(sums, ADD_OTHER, line, first, last, begin, wait, behind);
}

/* Adds up what the causer does in a plain window; w->causer is gone then. */
WHERE_CONSTANT void add_causer(const struct place *p, bool are_few, struct waiting *w, ps_time begin)
{
        struct sums *causer = &p->sides->causer;
        const struct waiting *const wait = p->d->wait, *const behind = wait + w->behind;
        const struct waiting *first = are_few ? add_plain(causer, ADD_FEW, p->line, w->causer.op, w->by.op,
                                                          begin, wait + w->causer.wait, behind)
                                              : add_to_many(causer, p->line, w->causer.op, w->by.op, begin,
                                                            wait + w->causer.wait, behind);
        inherit_from(p->d, w, (uint32_t)(first - wait), w->behind,
                     first < behind ? later(0, begin - begin_of(first)) : 0);
}

/* The same of few paths where several may wait for the causer: they mostly look at the same window of it. */
static __attribute__((noinline)) void add_causer_of_several(const struct place *p, struct waiting *w,
                                                            ps_time begin)
{
        struct kept *kept = &p->sides->kept;
        ps_time *few = p->sides->causer.few - 1;
        const size_t size = (p->d->same.n + (size_t)1) * sizeof(*few);
        if (kept->by == w->by.op && kept->first == w->causer.op && kept->begin == begin) {
                memcpy(few, kept->few, size);
                w->waited = kept->waited;
                w->first = kept->from;
                w->behind = kept->behind;
                w->is_cut = kept->is_cut;
                return;
        }
        kept->by = w->by.op;
        kept->first = w->causer.op;
        kept->begin = begin;
        add_causer(p, true, w, begin);
        kept->waited = w->waited;
        kept->from = w->first;
        kept->behind = w->behind;
        kept->is_cut = w->is_cut;
        memcpy(kept->few, few, size);
}

/* Adds up what both sides do from `begin` on, where both windows are plain. */
WHERE_CONSTANT void compare_plain(const struct place *p, bool are_few, const struct timeline *line,
                                  struct waiting *w, ps_time begin)
{
        const struct waiting *const of_waiter = p->d->wait + w->waiter.wait, *first_of_call = w;
#pragma GCC unroll 1
        for (; first_of_call > of_waiter; first_of_call--)
                if (line->enter[first_of_call[-1].op] != line->enter[w->op])
                        break;
        if (are_few && p->traits[p->line->ops->kind[w->by.op]] & OF_SEVERAL)
                add_causer_of_several(p, w, begin);
        else
                add_causer(p, are_few, w, begin);
        if (are_few)
                add_plain(&p->sides->waiter, ADD_FEW, line, w->waiter.op, w->op, begin, of_waiter,
                          first_of_call);
        else
                add_to_other(&p->sides->causer, line, w->waiter.op, w->op, begin, of_waiter, first_of_call);
        if (are_few)
                sums_join_both(&p->sides->waiter, &p->sides->causer);
}

/* Of a wait of another process, which has told what the waiter did. */
static void compare_told(const struct place *p, struct waiting *w, struct window *causer)
{
        causer->begin = ps_apart_take_sums(&p->sides->waiter, p->d, w);
        causer->near = (struct near){w->causer.op, w->by.op, w->causer.wait};
        if (!is_causer_plain(p, w, causer->begin)) {
                causer->end = earlier(ending_of(p->d, w->by), w->end);
                inherit_in_window(p->d, w, causer);
                ps_own_add(&p->sides->causer, p->d, p->loc, causer);
                return;
        }
        causer->end = p->line->enter[w->by.op];
        if (p->sides->causer.few)
                add_causer(p, true, w, causer->begin);
        else
                add_causer(p, false, w, causer->begin);
        sums_join(&p->sides->causer);
}

/* Adds up what both sides do. */
static __attribute__((noinline)) void compare_anywhere(const struct place *p, struct waiting *w,
                                                       struct window *causer)
{
        struct window waiter;
        if (was_told(p->d, w)) {
                compare_told(p, w, causer);
        } else {
                windows_of(p->d, w, &waiter, causer);
                inherit_in_window(p->d, w, causer);
                ps_own_add(&p->sides->waiter, p->d, w->loc, &waiter);
                ps_own_add(&p->sides->causer, p->d, p->loc, causer);
        }
        sums_put_together(&p->sides->waiter, &p->sides->causer);
}

/* What waits in an earlier row of the call that `by` is one of is not in the causer's window, which begins
 * with wait w->first also where nothing opens it. */
static inline void leave_rows_out(const struct place *p, struct waiting *w)
{
        const ps_time *enter = p->line->enter;
        while (w->behind > w->first && enter[p->d->wait[w->behind - 1].op] == enter[w->by.op])
                w->behind--;
}

/* The last wait that it inherits from is one of this location. Leaves the causer's window in `causer`. */
WHERE_CONSTANT ps_status charge_wait(const struct place *p, bool are_few, struct waiting *w,
                                     struct window *causer, ps_error *err)
{
        const struct timeline *const of_waiter = &p->d->line[w->loc];
        if (p->d->has_rows && !is_scalasca(p->d))
                leave_rows_out(p, w);
        if (!are_plain(p, of_waiter, w, &causer->begin)) {
                compare_anywhere(p, w, causer);
        } else {
                causer->end = p->line->enter[w->by.op];
                causer->near = (struct near){w->causer.op, w->by.op, w->causer.wait};
                compare_plain(p, are_few, of_waiter, w, causer->begin);
        }
        if (inherits(w))
                p->d->heirs[w->behind - 1]++;
        w->first -= p->base;
        w->behind -= p->base;
        const struct part *behind;
        PS_TRY(find_excess(p, are_few, w, &behind, causer, err));
        charge_direct(p, w, of_waiter->counts, behind);
        return PS_OK;
}

/* What took too long once may make several locations wait: so the excess of one visit is the average over its
 * waits. Their parts are first .. end - 1. */
static inline void add_visit(const struct place *p, uint32_t first, uint32_t end, double n_waits)
{
        double *excess = p->sides->excess;
        const struct part *row = p->parts->row;
        if (first == end) /* there may be no row at all */
                return;
#pragma GCC unroll 1
        for (const struct part *part = row + first; part < row + end; part++)
                excess[part->cost] += (double)part->time / n_waits;
}

static ps_time take_direct(const struct place *p, unsigned odd, uint32_t i)
{
        const ps_time time = p->sides->direct[odd][i];
        p->sides->direct[odd][i] = 0;
        return time;
}

/* Moves what was charged to the location's rows, and clears the worker's. */
static void end_costs(const struct place *p)
{
        for (uint32_t i = 0; i < p->costs->n - p->first_cost; i++) {
                ps_delay_cost *cost = &p->costs->at[p->first_cost + i];
                cost->is_alone = !p->row[cost->path].in_both;
                cost->in_order = take_direct(p, ODD_ORDER, i);
                cost->locks = take_direct(p, ODD_LOCK, i);
                cost->direct = take_direct(p, NOT_ODD, i) + cost->in_order + cost->locks;
                cost->excess = p->sides->excess[i];
                p->sides->excess[i] = 0;
                p->row[cost->path] = (struct charged){NO_COST, 0};
        }
}

/* One after the other. */
WHERE_CONSTANT ps_status charge_waits(const struct place *p, bool are_few, ps_error *err)
{
        const struct delaying *d = p->d;
        const uint32_t begin = d->ending[p->loc], end = d->ending[p->loc + 1];
        uint32_t first = begin, part = 0; /* of a visit */
        size_t filled = 0;
        ps_time reach = 0; /* a window that begins before this belongs to it */
        for (uint32_t e = first; e < end; e++) {
                struct window causer;
                const uint32_t before = p->parts->n;
                if (e % LOOK_EACH == 0)
                        filled = look_ahead(p->parts, LOOK_EACH * PARTS_A_WAIT, filled);
                PS_TRY(charge_wait(p, are_few, &d->wait[d->ended[e]], &causer, err));
                if (causer.begin >= reach && e > begin) {
                        add_visit(p, part, before, e - first);
                        part = before;
                        first = e;
                }
                if (e == first)
                        reach = causer.end;
        }
        add_visit(p, part, p->parts->n, end - first);
        return p->costs->is_full ? PS_NOMEM(err, "costs", p->costs->n) : PS_OK;
}

static ps_status charge_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        struct charging *c = ctx;
        struct delaying *d = c->d;
        const uint32_t n = d->ending[loc + 1] - d->ending[loc];
        const struct place p = {.d = d,
                                .line = &d->line[loc],
                                .sides = &c->sides[worker],
                                .row = c->row[worker],
                                .costs = &c->costs[worker],
                                .first_cost = c->costs[worker].n,
                                .base = base_here(d, loc),
                                .parts = &d->parts[loc],
                                .traits = c->traits,
                                .n_parts = FEW_PATHS + (n < MANY_ENDED ? n : MANY_ENDED) * PARTS_A_WAIT,
                                .loc = loc};
        p.sides->kept.by = PS_NONE;
        const ps_status status =
                p.sides->causer.few ? charge_waits(&p, true, err) : charge_waits(&p, false, err);
        end_costs(&p);
        c->own[loc] = (struct own_costs){p.first_cost, p.costs->n - p.first_cost, worker};
        return status;
}

/* -- all -- */

static ps_status make_charging(struct charging *c, unsigned n, ps_error *err)
{
        const ps_trace *trace = c->d->trace;
        size_t n_paths = trace->n_paths + (size_t)1;
        c->sides = calloc(n, sizeof(*c->sides));
        c->row = calloc(n, sizeof(*c->row));
        c->costs = calloc(n, sizeof(*c->costs));
        c->own = ps_memory_new((trace->n_locs + (size_t)1) * sizeof(*c->own));
        if (!c->sides || !c->row || !c->costs || !c->own)
                return PS_NOMEM(err, "costs", trace->n_locs);
        for (unsigned kind = 0; kind < PS_K_COUNT; kind++)
                c->traits[kind] =
                        (uint8_t)((is_scalasca(c->d) || ends_wait_late((uint8_t)kind) ? SPECIAL : 0) |
                                  (ps_kinds[kind].cls == PS_C_COLL ? OF_SEVERAL : 0));
        for (unsigned i = 0; i < n; i++) {
                c->row[i] = ps_memory_zeroed(n_paths, sizeof(**c->row));
                c->sides[i].excess = ps_memory_zeroed(n_paths, sizeof(double));
                bool has_room = c->row[i] && c->sides[i].excess;
                for (unsigned odd = 0; odd < N_ODD; odd++)
                        has_room &= !!(c->sides[i].direct[odd] = ps_memory_zeroed(n_paths, sizeof(ps_time)));
                if (!has_room)
                        return PS_NOMEM(err, "costs", n_paths);
                for (ps_path path = 0; path < trace->n_paths; path++)
                        c->row[i][path].cost = c->d->is_idle[path] ? IDLE : NO_COST;
                PS_TRY(ps_sums_new(&c->sides[i].waiter, &c->d->same, false, err));
                PS_TRY(ps_sums_new(&c->sides[i].causer, &c->d->same, false, err));
                for (ps_path path = 0; c->sides[i].causer.all && path < trace->n_paths; path++)
                        c->sides[i].causer.all[path].charged = &c->row[i][path];
                PS_TRY(ps_sums_new(&c->sides[i].ordered, &c->d->same, true, err));
        }
        return PS_OK;
}

static void free_charging(struct charging *c, unsigned n)
{
        for (unsigned i = 0; i < n; i++) {
                if (c->sides) {
                        ps_sums_free(&c->sides[i].waiter);
                        ps_sums_free(&c->sides[i].causer);
                        ps_sums_free(&c->sides[i].ordered);
                        for (unsigned odd = 0; odd < N_ODD; odd++)
                                free(c->sides[i].direct[odd]);
                        free(c->sides[i].excess);
                }
                if (c->row)
                        free(c->row[i]);
                if (c->costs)
                        free(c->costs[i].at);
        }
        free(c->sides);
        free(c->row);
        free(c->costs);
        free(c->own);
}

static ps_status gather_charges(struct charging *c, ps_error *err)
{
        struct delaying *d = c->d;
        ps_loc n_locs = d->trace->n_locs;
        size_t n = 0;
        for (ps_loc loc = 0; loc < n_locs; loc++)
                n += c->own[loc].n;
        d->costs = ps_memory_zeroed(n_locs + (size_t)1, sizeof(*d->costs));
        d->out->cost = n < PS_NONE ? ps_memory_new((n + 1) * sizeof(*d->out->cost)) : NULL;
        if (!d->costs || !d->out->cost)
                return PS_NOMEM(err, "costs", n);
        for (ps_loc loc = 0; loc < n_locs; loc++) {
                const struct own_costs *own = &c->own[loc];
                for (uint32_t i = 0; i < own->n; i++)
                        d->out->cost[d->out->n_costs++] = c->costs[own->worker].at[own->first + i];
                d->costs[loc + 1] = d->out->n_costs;
        }
        return PS_OK;
}

ps_status ps_excess_charge(struct delaying *d, ps_error *err)
{
        unsigned n = ps_parallel_threads(d->options.n_threads);
        struct charging c = {.d = d};
        d->heirs = ps_memory_zeroed(d->n_waits + (size_t)1, sizeof(*d->heirs));
        ps_status status = d->heirs ? make_charging(&c, n, err) : PS_NOMEM(err, "waits", d->n_waits);
        PS_THEN(status, ps_parallel_for(n, d->trace->n_locs, charge_location, &c, err));
        PS_THEN(status, gather_charges(&c, err));
        free_charging(&c, n);
        return status;
}
