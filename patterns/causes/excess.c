/* excess.c - see excess.h. */
#include "patterns/causes/excess.h"

#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/vector.h"
#include "patterns/causes/start.h"

#include <stdlib.h>

/* -- one wait -- */

ps_status ps_excess_new(struct excess *x, const ps_trace *trace, ps_error *err)
{
        size_t n = trace->n_paths + (size_t)1;
        *x = (struct excess){.path = ps_memory_new(n * sizeof(*x->path)),
                             .time = ps_memory_new(n * sizeof(*x->time)),
                             .part = ps_memory_new(n * sizeof(*x->part))};
        PS_TRY(x->path && x->time && x->part ? PS_OK : PS_NOMEM(err, "call paths", n));
        PS_TRY(ps_sums_new(&x->mine, trace, err));
        return ps_sums_new(&x->his, trace, err);
}

void ps_excess_free(struct excess *x)
{
        ps_sums_free(&x->mine);
        ps_sums_free(&x->his);
        free(x->path);
        free(x->time);
        free(x->part);
        *x = (struct excess){0};
}

static void begin_excess(struct excess *x)
{
        x->n = x->largest = 0;
        x->sum = 0;
}

static void add_part(struct excess *x, ps_path path, ps_time time)
{
        x->path[x->n] = path;
        x->time[x->n] = time;
        x->sum += time;
        if (time > x->time[x->largest])
                x->largest = x->n;
        x->n++;
}

static void find_excess(struct excess *x, const struct delaying *d, const struct waiting *w,
                        const struct window *his)
{
        struct window mine = ps_window_of_waiter(d, w);
        sums_clear(&x->mine);
        sums_clear(&x->his);
        ps_own_add(&x->mine, d, w->loc, mine.begin, mine.end, mine.near);
        ps_own_add(&x->his, d, w->by.loc, his->begin, his->end, his->near);
        begin_excess(x);
        for (uint32_t i = 0; i < x->his.n; i++) {
                ps_path path = x->his.path[i];
                ps_time time = x->his.time[path] - sums_at(&x->mine, path);
                if (time > 0 && !d->is_idle[path])
                        add_part(x, path, time);
        }
}

static int keep_excess(const struct excess *x, struct delaying *d, struct waiting *w)
{
        struct parts_of *parts = &d->parts[w->by.loc];
        w->part = parts->n;
        w->n_parts = x->n;
        for (uint32_t i = 0; i < x->n; i++)
                if (PS_APPEND(parts->row, parts->n, parts->cap, (struct part){x->time[i], x->path[i]}))
                        return -1;
        return 0;
}

void ps_excess_recall(struct excess *x, const struct delaying *d, const struct waiting *w)
{
        const struct part *part = d->parts[w->by.loc].row + w->part;
        begin_excess(x);
        for (uint32_t i = 0; i < w->n_parts; i++)
                add_part(x, part[i].path, part[i].time);
}

void ps_excess_deal(struct excess *x, ps_time sum)
{
        ps_time left = sum;
        for (uint32_t i = 0; i < x->n; i++) {
                x->part[i] = i == x->largest ? 0 : share_of(sum, x->time[i], x->sum);
                left -= x->part[i];
        }
        if (x->n)
                x->part[x->largest] = left;
}

/* Scalasca does not look whether a wait in a collective operation is longer than what could explain it. */
static bool is_bounded(const struct delaying *d, const struct waiting *w)
{
        return !is_scalasca(d) || w->family == PS_DELAY_LATE_SENDER || w->family == PS_DELAY_LATE_RECEIVER;
}

struct split ps_split_of(const struct delaying *d, const struct waiting *w)
{
        ps_time length = length_of(w);
        if (w->excess + w->waited <= 0)
                return (struct split){0, 0};
        if (length >= w->excess + w->waited && is_bounded(d, w))
                return (struct split){w->excess, w->waited};
        ps_time direct = part_of(length, w->excess, w->waited);
        return (struct split){direct, length - direct};
}

/* -- all that one location ended -- */

struct charging {
        struct delaying *d;
        struct excess *excess; /* by worker */
        uint32_t **row;        /* by worker and path: of the location's costs, + 1 */
        uint32_t **head;       /* by worker and call: the first that it ended, + 1 */
        uint32_t **order;      /* by worker: those that the location ended, in the order of its calls */
        uint32_t *next;        /* by place in d->ended: the next one of the same call, + 1 */
        struct costs {
                ps_delay_cost *at;
                uint32_t n, cap;
        } * costs; /* by location */
};

static ps_delay_cost *cost_at(struct charging *c, unsigned worker, ps_loc loc, ps_path path)
{
        struct costs *costs = &c->costs[loc];
        uint32_t *row = &c->row[worker][path];
        if (!*row) {
                if (PS_ROOM(costs->at, costs->n, costs->cap))
                        return NULL;
                costs->at[costs->n] = (ps_delay_cost){.location = loc, .path = path, .is_alone = 1};
                *row = ++costs->n;
        }
        return &costs->at[*row - 1];
}

static void charge_path(struct excess *x, const struct waiting *w, uint32_t i, ps_delay_cost *cost)
{
        cost->direct += x->part[i];
        cost->in_order += w->order ? x->part[i] : 0;
        cost->locks += w->family == PS_DELAY_LOCK ? x->part[i] : 0;
        if (sums_at(&x->mine, x->path[i]) > 0)
                cost->is_alone = false;
}

static ps_status charge_wait(struct charging *c, unsigned worker, struct waiting *w, const struct window *his,
                             ps_error *err)
{
        struct excess *x = &c->excess[worker];
        ps_loc loc = w->by.loc;
        ps_window_inherit(c->d, w, his);
        find_excess(x, c->d, w, his);
        w->excess = x->sum;
        ps_time direct = ps_split_of(c->d, w).direct;
        ps_excess_deal(x, direct);
        if (keep_excess(x, c->d, w))
                return PS_NOMEM(err, "costs", x->n);
        for (uint32_t i = 0; i < x->n; i++) {
                ps_delay_cost *cost = cost_at(c, worker, loc, x->path[i]);
                if (!cost)
                        return PS_NOMEM(err, "costs", c->costs[loc].n);
                charge_path(x, w, i, cost);
        }
        *sum_at(c->d->out, w->family, PS_DELAYED_SHORT, loc) += direct;
        return PS_OK;
}

/* What is too long once may make several wait: on average over those. */
static void add_visit(struct charging *c, unsigned worker, ps_loc loc, const uint32_t *ended, uint32_t n)
{
        const struct delaying *d = c->d;
        for (uint32_t k = 0; k < n; k++) {
                const struct waiting *w = &d->wait[d->ended[ended[k]].wait];
                const struct part *part = d->parts[loc].row + w->part;
                for (uint32_t i = 0; i < w->n_parts; i++)
                        c->costs[loc].at[c->row[worker][part[i].path] - 1].excess += (double)part[i].time / n;
        }
}

/* In the order of the calls that ended them; how many there are. */
static uint32_t put_in_order(struct charging *c, unsigned worker, ps_loc loc)
{
        const struct delaying *d = c->d;
        uint32_t *head = c->head[worker], n = 0;
        for (uint32_t e = d->ending[loc + 1]; e-- > d->ending[loc];) {
                ps_op op = d->wait[d->ended[e].wait].by.op;
                c->next[e] = head[op];
                head[op] = e + 1;
        }
        for (ps_op op = 0; op < d->trace->ops[loc].n; op++) {
                for (uint32_t e = head[op]; e; e = c->next[e - 1])
                        c->order[worker][n++] = e - 1;
                head[op] = 0;
        }
        return n;
}

static int compare_costs(const void *a, const void *b)
{
        const ps_delay_cost *x = a, *y = b;
        return (x->path > y->path) - (x->path < y->path);
}

static ps_status charge_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        struct charging *c = ctx;
        struct delaying *d = c->d;
        const uint32_t *order = c->order[worker];
        uint32_t n = put_in_order(c, worker, loc), first = 0;
        ps_time reach = 0; /* up to here the same visit goes on */
        ps_status status = PS_OK;
        for (uint32_t k = 0; k < n && status == PS_OK; k++) {
                struct waiting *w = &d->wait[d->ended[order[k]].wait];
                struct window his = ps_window_of_causer(d, w);
                if (k && his.begin >= reach) {
                        add_visit(c, worker, loc, order + first, k - first);
                        first = k;
                }
                if (k == first)
                        reach = his.end;
                status = charge_wait(c, worker, w, &his, err);
        }
        if (status == PS_OK)
                add_visit(c, worker, loc, order + first, n - first);
        for (uint32_t i = 0; i < c->costs[loc].n; i++)
                c->row[worker][c->costs[loc].at[i].path] = 0;
        if (c->costs[loc].n)
                qsort(c->costs[loc].at, c->costs[loc].n, sizeof(*c->costs[loc].at), compare_costs);
        return status;
}

static ps_status charge_inherited(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        struct charging *c = ctx;
        struct delaying *d = c->d;
        struct excess *x = &c->excess[worker];
        ps_delay_cost *cost = d->out->cost + d->costs[loc];
        (void)err;
        for (uint32_t i = d->costs[loc]; i < d->costs[loc + 1]; i++)
                c->row[worker][d->out->cost[i].path] = i - d->costs[loc];
        for (uint32_t e = d->ending[loc]; e < d->ending[loc + 1]; e++) {
                const struct waiting *w = &d->wait[d->ended[e].wait];
                if (!w->passed)
                        continue;
                ps_excess_recall(x, d, w);
                ps_excess_deal(x, w->passed);
                for (uint32_t i = 0; i < x->n; i++)
                        cost[c->row[worker][x->path[i]]].indirect += x->part[i];
        }
        return PS_OK;
}

/* -- all -- */

static size_t most_operations(const ps_trace *trace)
{
        size_t most = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                most = trace->ops[loc].n > most ? trace->ops[loc].n : most;
        return most;
}

static size_t most_ended(const struct delaying *d)
{
        size_t most = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                most = d->ending[loc + 1] - d->ending[loc] > most ? d->ending[loc + 1] - d->ending[loc]
                                                                  : most;
        return most + 1;
}

static ps_status make_charging(struct charging *c, unsigned n, ps_error *err)
{
        const ps_trace *trace = c->d->trace;
        size_t n_ops = most_operations(trace) + 1, n_paths = trace->n_paths + (size_t)1;
        c->excess = calloc(n, sizeof(*c->excess));
        c->row = calloc(n, sizeof(*c->row));
        c->head = calloc(n, sizeof(*c->head));
        c->order = calloc(n, sizeof(*c->order));
        c->next = ps_memory_new((c->d->n_waits + (size_t)1) * sizeof(*c->next));
        c->costs = ps_memory_zeroed(trace->n_locs + (size_t)1, sizeof(*c->costs));
        if (!c->excess || !c->row || !c->head || !c->order || !c->next || !c->costs)
                return PS_NOMEM(err, "costs", trace->n_locs);
        for (unsigned i = 0; i < n; i++) {
                c->row[i] = ps_memory_zeroed(n_paths, sizeof(**c->row));
                c->head[i] = ps_memory_zeroed(n_ops, sizeof(**c->head));
                c->order[i] = ps_memory_new(most_ended(c->d) * sizeof(**c->order));
                if (!c->row[i] || !c->head[i] || !c->order[i])
                        return PS_NOMEM(err, "costs", n_ops);
                PS_TRY(ps_excess_new(&c->excess[i], trace, err));
        }
        return PS_OK;
}

static void free_charging(struct charging *c, unsigned n)
{
        for (unsigned i = 0; i < n; i++) {
                if (c->excess)
                        ps_excess_free(&c->excess[i]);
                if (c->row)
                        free(c->row[i]);
                if (c->head)
                        free(c->head[i]);
                if (c->order)
                        free(c->order[i]);
        }
        for (ps_loc loc = 0; c->costs && loc < c->d->trace->n_locs; loc++)
                free(c->costs[loc].at);
        free(c->excess);
        free(c->row);
        free(c->head);
        free(c->order);
        free(c->next);
        free(c->costs);
}

static ps_status gather(struct charging *c, ps_error *err)
{
        struct delaying *d = c->d;
        ps_loc n_locs = d->trace->n_locs;
        size_t n = 0;
        for (ps_loc loc = 0; loc < n_locs; loc++)
                n += c->costs[loc].n;
        d->costs = ps_memory_zeroed(n_locs + (size_t)1, sizeof(*d->costs));
        d->out->cost = n < PS_NONE ? ps_memory_new((n + 1) * sizeof(*d->out->cost)) : NULL;
        if (!d->costs || !d->out->cost)
                return PS_NOMEM(err, "costs", n);
        for (ps_loc loc = 0; loc < n_locs; loc++) {
                for (uint32_t i = 0; i < c->costs[loc].n; i++)
                        d->out->cost[d->out->n_costs++] = c->costs[loc].at[i];
                d->costs[loc + 1] = d->out->n_costs;
        }
        return PS_OK;
}

static ps_status charge(struct delaying *d, ps_status (*work)(void *, uint32_t, unsigned, ps_error *),
                        ps_error *err)
{
        unsigned n = ps_parallel_threads(d->options.n_threads);
        struct charging c = {.d = d};
        ps_status status = make_charging(&c, n, err);
        PS_THEN(status, ps_parallel_for(n, d->trace->n_locs, work, &c, err));
        if (status == PS_OK && !d->costs)
                status = gather(&c, err);
        free_charging(&c, n);
        return status;
}

ps_status ps_excess_charge(struct delaying *d, ps_error *err)
{
        return charge(d, charge_location, err);
}

ps_status ps_excess_charge_inherited(struct delaying *d, ps_error *err)
{
        return charge(d, charge_inherited, err);
}
