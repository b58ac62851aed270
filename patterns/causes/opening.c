/* opening.c - for each wait, where on both sides the two locations last waited for each other.
 *
 * Two locations synchronise where one of them waits for the other, and where a collective operation makes all
 * wait for all. Each location is walked once; it remembers for each other one the last wait between them, and
 * for each communicator the last operation of all for all. */
#include "patterns/causes/opening.h"

#include "core/base/memory.h"
#include "core/base/parallel.h"

#include <stdlib.h>

/* The last operation of a communicator in which all wait for all. They hang together, the latest first, in a
 * ring that begins and ends with one that stands for none. */
struct group {
        uint32_t before, after; /* PS_NONE: not in the ring */
        struct opening at;
};

struct walk {
        struct delaying *d;
        ps_loc loc;
        struct opening *pair;  /* by location: the last wait between it and this one */
        struct group *group;   /* by communicator, and behind them the one that stands for none */
        uint32_t *head, *next; /* by call: the first wait that it ended; by place in `ended`; both + 1 */
        struct opening begun;  /* the last begin of a thread's part of a team */
        uint32_t wait;         /* the location's next one */
};

static const struct opening nowhere = {.op = PS_NONE, .via = NO_WAIT};

/* -- groups -- */

static bool waits_for_all(const struct delaying *d, const ps_coll *coll, const ps_collective_view *view)
{
        uint16_t traits = ps_kinds[coll->kind].traits;
        if (is_scalasca(d) && (coll->kind == PS_K_FINALIZE || coll->kind == PS_K_ALLTOALLV ||
                               coll->kind == PS_K_ALLTOALLW || traits & PS_T_RMA))
                return false;
        if (traits & PS_T_RMA)
                return view->all.earliest_end >= view->all.latest_begin;
        if (coll->pgas)
                return traits & PS_T_BARRIER || view->own.in_sync == PS_SYNC_ALL;
        return (traits & (PS_T_BARRIER | PS_T_ALL_TO_ALL | PS_T_LIFE)) && view->own.takes_part;
}

static int compare_member(const void *key, const void *member)
{
        ps_loc a = *(const ps_loc *)key, b = ((const ps_member *)member)->ref.loc;
        return (a > b) - (a < b);
}

/* Does the other location take part in it, too? */
static bool is_in_group(const struct delaying *d, uint32_t member, ps_loc loc)
{
        const ps_trace *trace = d->trace;
        const ps_coll *coll = &trace->colls[trace->members[member].coll];
        const ps_member *m = bsearch(&loc, trace->members + coll->first, coll->n, sizeof(*m), compare_member);
        ps_collective_view view;
        if (!m || !(ps_kinds[coll->kind].traits & PS_T_ALL_TO_ALL) || coll->pgas)
                return m != NULL;
        return ps_view_collective(&view, d->colls, (uint32_t)(m - trace->members)) && view.own.takes_part;
}

static void put_first(struct group *group, uint32_t none, uint32_t comm)
{
        struct group *g = &group[comm];
        if (g->before != PS_NONE) {
                group[g->before].after = g->after;
                group[g->after].before = g->before;
        }
        g->before = none;
        g->after = group[none].after;
        group[g->after].before = comm;
        group[none].after = comm;
}

static void note_group(struct walk *w, ps_op op, uint32_t wait)
{
        const ps_trace *trace = w->d->trace;
        const ps_ops *ops = &trace->ops[w->loc];
        ps_collective_view view;
        if (!(ops->flags[op] & PS_OP_MATCHED) || ops->flags[op] & PS_OP_NONBLOCKING)
                return;
        uint32_t member = ops->link[op];
        const ps_coll *coll = &trace->colls[trace->members[member].coll];
        if (!ps_view_collective(&view, w->d->colls, member) || !waits_for_all(w->d, coll, &view))
                return;
        put_first(w->group, trace->defs.comms.n, coll->comm);
        w->group[coll->comm].at = (struct opening){.op = op, .via = member, .wait = wait, .is_group = 1};
}

/* -- one location -- */

static bool is_no_earlier(const struct opening *a, const struct opening *b)
{
        return a->op != PS_NONE && (b->op == PS_NONE || a->op >= b->op);
}

static bool is_same_process(const struct walk *w, ps_loc loc)
{
        const ps_location_def *row = w->d->trace->defs.locations.row;
        return row[loc].process == row[w->loc].process;
}

/* Before the call at hand. */
static struct opening opening_with(const struct walk *w, ps_loc other)
{
        struct opening best = w->pair[other];
        uint32_t none = w->d->trace->defs.comms.n;
        if (is_no_earlier(&w->begun, &best) && is_same_process(w, other))
                best = w->begun;
        for (uint32_t g = w->group[none].after; g != none && is_no_earlier(&w->group[g].at, &best);
             g = w->group[g].after)
                if (is_in_group(w->d, w->group[g].at.via, other)) {
                        best = w->group[g].at;
                        break;
                }
        return best;
}

static uint32_t end_of_waits(const struct walk *w)
{
        return w->d->line[w->loc].wait + w->d->line[w->loc].n_waits;
}

static void look_back(struct walk *w, ps_op op)
{
        struct delaying *d = w->d;
        for (uint32_t i = w->wait; i < end_of_waits(w) && d->wait[i].op == op; i++)
                if (has_causer(&d->wait[i]))
                        d->wait[i].mine = opening_with(w, d->wait[i].by.loc);
        for (uint32_t e = w->head[op]; e; e = w->next[e - 1]) {
                struct waiting *ended = &d->wait[d->ended[e - 1].wait];
                ended->his = opening_with(w, d->ended[e - 1].loc);
                ended->first = ended->his.op == PS_NONE ? d->line[w->loc].wait : ended->his.wait;
                ended->behind = w->wait;
        }
}

static bool is_touched(const struct walk *w, ps_op op)
{
        return w->head[op] || (w->wait < end_of_waits(w) && w->d->wait[w->wait].op == op);
}

/* Passes the location's waits in this call. */
static void remember_pairs(struct walk *w, ps_op op)
{
        const struct delaying *d = w->d;
        struct opening here = {.op = op, .wait = w->wait};
        for (uint32_t e = w->head[op]; e; e = w->next[e - 1]) {
                here.via = d->ended[e - 1].wait;
                w->pair[d->ended[e - 1].loc] = here;
        }
        for (; w->wait < end_of_waits(w) && d->wait[w->wait].op == op; w->wait++) {
                here.via = w->wait;
                if (has_causer(&d->wait[w->wait]))
                        w->pair[d->wait[w->wait].by.loc] = here;
        }
}

static void walk_call(struct walk *w, ps_op op)
{
        uint32_t wait = w->wait;
        uint8_t kind = w->d->trace->ops[w->loc].kind[op];
        if (is_touched(w, op)) {
                look_back(w, op);
                remember_pairs(w, op);
        }
        if (ps_kinds[kind].cls == PS_C_COLL)
                note_group(w, op, wait);
        else if (kind == PS_K_TEAM_BEGIN)
                w->begun = (struct opening){.op = op, .via = NO_WAIT, .wait = wait};
}

static void begin_walk(struct walk *w, ps_loc loc)
{
        const struct delaying *d = w->d;
        w->loc = loc;
        w->wait = d->line[loc].wait;
        w->begun = nowhere;
        for (ps_op op = 0; op < d->trace->ops[loc].n; op++)
                w->head[op] = 0;
        for (uint32_t e = d->ending[loc + 1]; e-- > d->ending[loc];) {
                ps_op op = d->wait[d->ended[e].wait].by.op;
                w->next[e] = w->head[op];
                w->head[op] = e + 1;
        }
}

/* Only what was touched is made as it was: a location knows few others. */
static void end_walk(struct walk *w)
{
        const struct delaying *d = w->d;
        uint32_t none = d->trace->defs.comms.n;
        for (uint32_t e = d->ending[w->loc]; e < d->ending[w->loc + 1]; e++)
                w->pair[d->ended[e].loc] = nowhere;
        for (uint32_t i = d->line[w->loc].wait; i < end_of_waits(w); i++)
                if (has_causer(&d->wait[i]))
                        w->pair[d->wait[i].by.loc] = nowhere;
        for (uint32_t c = w->group[none].after, next; c != none; c = next) {
                next = w->group[c].after;
                w->group[c].before = PS_NONE;
        }
        w->group[none].before = w->group[none].after = none;
}

static ps_status walk_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        (void)err;
        struct walk *w = (struct walk *)ctx + worker;
        begin_walk(w, loc);
        for (ps_op op = 0; op < w->d->trace->ops[loc].n; op++)
                walk_call(w, op);
        end_walk(w);
        return PS_OK;
}

/* -- all -- */

/* The waits, by the location that ended them. */
static ps_status turn_round(struct delaying *d, ps_error *err)
{
        ps_loc n = d->trace->n_locs;
        d->ending = ps_memory_zeroed(n + (size_t)2, sizeof(*d->ending));
        d->ended = ps_memory_new((d->n_waits + (size_t)1) * sizeof(*d->ended));
        if (!d->ending || !d->ended)
                return PS_NOMEM(err, "waits", d->n_waits);
        for (uint32_t i = 0; i < d->n_waits; i++)
                if (has_causer(&d->wait[i]))
                        d->ending[d->wait[i].by.loc + 2]++;
        for (ps_loc loc = 0; loc < n; loc++)
                d->ending[loc + 1] += d->ending[loc];
        for (uint32_t i = 0; i < d->n_waits; i++)
                if (has_causer(&d->wait[i]))
                        d->ended[d->ending[d->wait[i].by.loc + 1]++] = (struct ended){d->wait[i].loc, i};
        return PS_OK;
}

static ps_status make_walk(struct walk *w, struct delaying *d, size_t most_ops, ps_error *err)
{
        uint32_t n_locs = d->trace->n_locs, none = d->trace->defs.comms.n;
        w->d = d;
        w->pair = ps_memory_new((n_locs + (size_t)1) * sizeof(*w->pair));
        w->group = ps_memory_new((none + (size_t)1) * sizeof(*w->group));
        w->head = ps_memory_new((most_ops + 1) * sizeof(*w->head));
        if (!w->pair || !w->group || !w->head)
                return PS_NOMEM(err, "waits", most_ops);
        for (ps_loc loc = 0; loc < n_locs; loc++)
                w->pair[loc] = nowhere;
        for (uint32_t c = 0; c < none; c++)
                w->group[c].before = PS_NONE;
        w->group[none] = (struct group){none, none, nowhere};
        return PS_OK;
}

static ps_status walk_all(struct walk *walk, unsigned n, struct delaying *d, uint32_t *next, ps_error *err)
{
        size_t most_ops = 0;
        ps_status status = PS_OK;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                most_ops = d->trace->ops[loc].n > most_ops ? d->trace->ops[loc].n : most_ops;
        for (unsigned i = 0; i < n && status == PS_OK; i++) {
                walk[i].next = next;
                status = make_walk(&walk[i], d, most_ops, err);
        }
        return status == PS_OK ? ps_parallel_for(n, d->trace->n_locs, walk_location, walk, err) : status;
}

ps_status ps_openings_find(struct delaying *d, ps_error *err)
{
        unsigned n = ps_parallel_threads(d->options.n_threads);
        struct walk *walk = calloc(n, sizeof(*walk));
        uint32_t *next = ps_memory_new((d->n_waits + (size_t)1) * sizeof(*next));
        ps_status status = walk && next ? turn_round(d, err) : PS_NOMEM(err, "waits", d->n_waits);
        PS_THEN(status, walk_all(walk, n, d, next, err));
        for (unsigned i = 0; walk && i < n; i++) {
                free(walk[i].pair);
                free(walk[i].group);
                free(walk[i].head);
        }
        free(walk);
        free(next);
        return status;
}
