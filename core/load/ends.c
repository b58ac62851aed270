/* ends.c - see ends.h. */
#include "core/load/ends.h"
#include "core/load/absent.h"
#include "core/load/share.h"
#include "core/load/tasks.h"

#include "core/base/vector.h"
#include "core/exchange/numbers.h"
#include "core/model/focus.h"
#include "core/sums/ending.h"

#include <stdlib.h>
#include <string.h>

/* -- what the others tell: of each location of theirs, its edges, and what is open -- */

static void put_edge(ps_numbers *to, const ps_edge *edge, ps_time *before)
{
        ps_numbers_put(to, edge->at.op);
        ps_numbers_put_step(to, edge->time.begin, before);
        ps_numbers_put_step(to, edge->time.end, before);
        ps_numbers_put(to, edge->path);
        ps_numbers_put(to, edge->kind);
        ps_numbers_put(to, edge->is_cut);
}

static ps_edge take_edge(const uint8_t **at, ps_loc loc, ps_time *before)
{
        ps_edge edge = {.at = {loc, (ps_op)ps_numbers_take(at)}};
        edge.time.begin = ps_numbers_take_step(at, before);
        edge.time.end = ps_numbers_take_step(at, before);
        edge.path = (ps_path)ps_numbers_take(at);
        edge.kind = (uint8_t)ps_numbers_take(at);
        edge.is_cut = ps_numbers_take(at) != 0;
        return edge;
}

static bool is_edge(uint8_t kind)
{
        return kind == PS_K_INIT || kind == PS_K_FINALIZE;
}

/* So many rows are looked at together, as hardly any is one. */
enum { ROWS_AT_ONCE = 64 };

static bool has_edge(const uint8_t *kind)
{
        uint8_t has = 0;
        for (int i = 0; i < ROWS_AT_ONCE; i++)
                has |= (uint8_t)is_edge(kind[i]);
        return has;
}

static ps_op next_edge(const ps_ops *ops, ps_op op)
{
        while (ops->n - op >= ROWS_AT_ONCE && !has_edge(ops->kind + op))
                op += ROWS_AT_ONCE;
        while (op < ops->n && !is_edge(ops->kind[op]))
                op++;
        return op;
}

/* Looks at each row once. */
static void put_edges(ps_numbers *to, const ps_trace *here, ps_loc loc, ps_time *before)
{
        const ps_ops *ops = &here->ops[loc];
        PS_VECTOR(ps_op) edges = {0};
        for (ps_op op = next_edge(ops, 0); op < ops->n; op = next_edge(ops, op + 1))
                to->lacks |= PS_PUSH(edges, op) != 0;
        ps_numbers_put(to, edges.n);
        for (uint32_t i = 0; i < edges.n; i++) {
                const ps_edge edge = ps_focus_edge(here, (ps_ref){loc, edges.row[i]});
                put_edge(to, &edge, before);
        }
        free(edges.row);
}

/* Does it end in a Wait? */
static bool ends_in_wait(const ps_trace *here, ps_loc loc)
{
        const ps_ops *ops = &here->ops[loc];
        ps_op op = ops->n;
        bool is_wait = false;
        if (!ps_trace_ends_in_call(here, loc))
                return false;
        do
                is_wait |= ps_kinds[ops->kind[--op]].cls == PS_C_COMPLETE;
        while (op && ps_op_continues(ops, op));
        return is_wait;
}

/* That may be about any request that is open then. */
static void put_open(ps_numbers *to, const ps_trace *here, ps_loc loc)
{
        const ps_op n = ends_in_wait(here, loc) ? here->ops[loc].n : 0;
        ps_numbers_put(to, ps_trace_ends_in_call(here, loc));
        for (ps_op op = 0; op < n; op++)
                if (ps_op_is_open(here, (ps_ref){loc, op}))
                        ps_numbers_put(to, op + (uint64_t)1);
        ps_numbers_put(to, 0);
}

void ps_ends_tell(const ps_trace *here, unsigned n_threads, uint8_t *asked, size_t n)
{
        ps_error err = {0};
        ps_numbers text = {0};
        ps_pile nothing;
        ps_time before = 0;
        (void)n_threads, (void)asked, (void)n;
        for (ps_loc loc = 0; loc < here->n_locs; loc++) {
                if (!ps_share_is_here(here, loc))
                        continue;
                put_edges(&text, here, loc, &before);
                put_open(&text, here, loc);
        }
        ps_share_gather(here->spread->x, text.lacks ? PS_NOMEM(&err, "locations", here->n_locs) : PS_OK,
                        &nothing, text.row, text.n, &err);
        free(text.row);
}

/* -- process 0 -- */

struct hearing {
        ps_trace *trace;
        ps_time before;           /* see put_edge() */
        PS_VECTOR(ps_op) open;    /* of one location */
        PS_VECTOR(ps_ref) wanted; /* rows of calls that locations end in, and of what is open */
};

static bool want(struct hearing *h, ps_loc loc, ps_op op)
{
        return !PS_PUSH(h->wanted, ((ps_ref){loc, op}));
}

static ps_status hear_open(ps_far *far, struct hearing *h, ps_loc loc, const uint8_t **at, ps_error *err)
{
        bool has_room = true;
        h->open.n = 0;
        far->ends_in_call = ps_numbers_take(at) != 0;
        if (far->ends_in_call)
                has_room = want(h, loc, h->trace->ops[loc].n - 1);
        for (uint64_t next = ps_numbers_take(at); next; next = ps_numbers_take(at)) {
                const ps_op op = (ps_op)(next - 1);
                has_room = has_room && !PS_PUSH(h->open, op) && want(h, loc, op);
        }
        far->n_open = h->open.n;
        far->open = PS_ARENA_NEW(h->trace->arena, ps_op, h->open.n + (size_t)1);
        if (!has_room || !far->open)
                return PS_NOMEM(err, "requests", h->open.n);
        if (h->open.n)
                memcpy(far->open, h->open.row, h->open.n * sizeof(*far->open));
        return PS_OK;
}

static ps_status hear_location(struct hearing *h, ps_loc loc, const uint8_t **at, ps_error *err)
{
        ps_far *far = &h->trace->far[loc];
        far->n_edges = (uint32_t)ps_numbers_take(at);
        far->edge = PS_ARENA_NEW(h->trace->arena, ps_edge, far->n_edges + (size_t)1);
        if (!far->edge)
                return PS_NOMEM(err, "calls", far->n_edges);
        for (uint32_t i = 0; i < far->n_edges; i++)
                far->edge[i] = take_edge(at, loc, &h->before);
        return hear_open(far, h, loc, at, err);
}

/* Those of process p. */
static ps_status hear_of(struct hearing *h, const ps_pile *pile, uint32_t p, ps_error *err)
{
        const ps_trace *trace = h->trace;
        size_t n;
        const uint8_t *at = ps_pile_part(pile, p, &n);
        h->before = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                if (trace->spread->owner[trace->defs.locations.row[loc].process] == p)
                        PS_TRY(hear_location(h, loc, &at, err));
        return PS_OK;
}

static ps_status hear_all(struct hearing *h, ps_error *err)
{
        ps_trace *trace = h->trace;
        ps_exchange *x = trace->spread->x;
        ps_pile pile;
        trace->far = PS_ARENA_NEW(trace->arena, ps_far, trace->n_locs + (size_t)1);
        if (!trace->far)
                return PS_NOMEM(err, "locations", trace->n_locs);
        memset(trace->far, 0, trace->n_locs * sizeof(*trace->far));
        PS_TRY(ps_task_ask(x, TASK_ENDS, NULL, 0, err));
        ps_status status = ps_share_gather(x, PS_OK, &pile, NULL, 0, err);
        for (uint32_t p = 1; p < x->size && status == PS_OK; p++)
                status = hear_of(h, &pile, p, err);
        ps_pile_clear(&pile);
        return status;
}

/* The last calls of processes that are told of because they ended there. */
static ps_status bring_last(ps_trace *trace, ps_error *err)
{
        ps_ending ending;
        PS_VECTOR(ps_ref) last = {0};
        ps_status status = ps_ending_find(&ending, trace, err);
        for (uint32_t i = 0; i < ending.n_cut_off && status == PS_OK; i++)
                if (ending.cut_off[i].last.op != PS_NONE && PS_PUSH(last, ending.cut_off[i].last))
                        status = PS_NOMEM(err, "calls", ending.n_cut_off);
        if (last.n)
                PS_THEN(status, ps_share_bring(trace, last.row, last.n, err));
        free(last.row);
        ps_ending_clear(&ending);
        return status;
}

ps_status ps_ends_hear(ps_trace *trace, ps_error *err)
{
        struct hearing h = {.trace = trace};
        if (!ps_share_is_apart(trace, &trace->measured))
                return PS_OK;
        ps_status status = hear_all(&h, err);
        if (h.wanted.n)
                PS_THEN(status, ps_share_bring(trace, h.wanted.row, h.wanted.n, err));
        PS_THEN(status, ps_absent_find(trace, err));
        PS_THEN(status, bring_last(trace, err));
        free(h.open.row);
        free(h.wanted.row);
        return status;
}
