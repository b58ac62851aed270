/* shift.c - forward shifts.
 *
 * A receive that is over before its send began is made to end when the send began. Whatever its location did
 * until then, according to its clock, must have happened later too: each later time is raised to the same
 * moment, until one is late enough already; calls around the receive end no earlier than it does. A send that
 * was raised in this way may be too late for its own receive, so that one is looked at in the next round.
 *
 * Times only grow, and none by more than the clocks' noise, which ends it; but a circle of contradictions
 * might creep up to there in tiny steps. So rounds and raises are limited, and what is left is counted. */
#include "core/clock/shift.h"
#include "core/base/map.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include <stdlib.h>

enum { ROUNDS = 64, RAISES_PER_OPERATION = 16 };

/* A flow to look at: the message that `ref` receives, or {PS_NONE, instance}. */
typedef struct agenda {
        ps_ref *what;
        size_t n, cap;
} agenda;

typedef struct shifting {
        ps_trace *trace;
        ps_flows *flows;
        ps_time most;
        ps_map enter, leave; /* (location, row) -> the time before it was moved, of those that were */
        uint32_t **parents;  /* by location: the row whose call is open around each, plus 1 */
        uint8_t *shape;      /* by location */
        agenda now, later;
        uint64_t raises_left;
        bool no_memory;
} shifting;

enum { SHAPE_UNKNOWN, SHAPE_FLAT, SHAPE_NESTED };

static void agenda_add(shifting *s, agenda *list, ps_ref what)
{
        if (PS_APPEND(list->what, list->n, list->cap, what))
                s->no_memory = 1;
}

static ps_status note_violated(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        shifting *s = ctx;
        ps_time begun = INT64_MIN;
        for (uint32_t i = 0; i < flow->n; i++) {
                const ps_step *step = &flow->step[i];
                if (!step->takes) {
                        begun = step->time > begun ? step->time : begun;
                } else if (step->time < begun) {
                        agenda_add(s, &s->now, coll == PS_NONE ? step->ref : (ps_ref){PS_NONE, coll});
                        break;
                }
        }
        return s->no_memory ? PS_NOMEM(err, "contradictions", s->now.n) : PS_OK;
}

static void find_parents(const ps_ops *ops, const ps_time *enter, const ps_time *leave, uint32_t *parent)
{
        for (ps_op op = 1; op < ops->n; op++) {
                if (ps_op_continues(ops, op)) {
                        parent[op] = parent[op - 1];
                        continue;
                }
                parent[op] = op;
                while (parent[op] > 0 && leave[parent[op] - 1] <= enter[op])
                        parent[op] = parent[parent[op] - 1];
        }
}

/* Most locations have no call inside of another one and need no table of parents. */
static void find_shape(shifting *s, ps_loc loc)
{
        const ps_ops *ops = &s->trace->ops[loc];
        const ps_time *enter = s->trace->measured.enter[loc], *leave = s->trace->measured.leave[loc];
        s->shape[loc] = SHAPE_FLAT;
        for (ps_op op = 1; op < ops->n && s->shape[loc] == SHAPE_FLAT; op++)
                if (leave[op - 1] > enter[op] && !ps_op_continues(ops, op))
                        s->shape[loc] = SHAPE_NESTED;
        if (s->shape[loc] == SHAPE_FLAT)
                return;
        if ((s->parents[loc] = calloc(ops->n, sizeof **s->parents)))
                find_parents(ops, enter, leave, s->parents[loc]);
        else
                s->no_memory = 1;
}

static void raise_time(shifting *s, ps_map *originals, ps_time **times, ps_ref ref, ps_time to)
{
        ps_time *time = &times[ref.loc][ref.op];
        if (*time >= to)
                return;
        if (!ps_map_at(originals, ref.loc, ref.op, *time))
                s->no_memory = 1;
        *time = to;
        if (s->raises_left > 0)
                s->raises_left--;
}

static void raise_leave(shifting *s, ps_ref ref, ps_time to)
{
        ps_location_info *info = &s->trace->info[ref.loc];
        raise_time(s, &s->leave, s->trace->measured.leave, ref, to);
        if (info->first <= info->last && info->last < to)
                info->last = to;
}

/* A begin that moves may be too late for those who wait for it. */
static void raise_enter(shifting *s, ps_ref ref, ps_time to)
{
        const ps_ops *ops = &s->trace->ops[ref.loc];
        raise_time(s, &s->enter, s->trace->measured.enter, ref, to);
        if (!(ops->flags[ref.op] & PS_OP_MATCHED))
                return;
        if (ps_kinds[ops->kind[ref.op]].cls == PS_C_SEND)
                agenda_add(s, &s->later, ps_op_partner(s->trace, ref));
        else if (ps_kinds[ops->kind[ref.op]].cls == PS_C_COLL)
                agenda_add(s, &s->later, (ps_ref){PS_NONE, s->trace->members[ops->link[ref.op]].coll});
}

/* Raises the end of the call that `ref` is a row of; returns the row after its last one. */
static ps_op raise_call(shifting *s, ps_ref ref, ps_time to)
{
        const ps_ops *ops = &s->trace->ops[ref.loc];
        while (ps_op_continues(ops, ref.op))
                ref.op--;
        do {
                raise_leave(s, ref, to);
                if (ops->flags[ref.op] & PS_OP_BARE)
                        raise_enter(s, ref, to);
                ref.op++;
        } while (ps_op_continues(ops, ref.op));
        return ref.op;
}

/* The first row from `op` on that was begun at `time` or later. */
static ps_op first_from(const ps_time *enter, ps_op op, ps_op n, ps_time time)
{
        PS_BISECT(op, n, i, enter[i] < time);
        return op;
}

/* Lets the call end later, and all that follows it no earlier than that. */
static void push_call(shifting *s, ps_ref call, ps_time by)
{
        ps_time *enter = s->trace->measured.enter[call.loc], *leave = s->trace->measured.leave[call.loc];
        ps_time was = leave[call.op], to = ps_time_add(was, by);
        ps_op n = s->trace->ops[call.loc].n;
        if (by <= 0 || ps_time_sub(to, ps_map_get(&s->leave, call.loc, call.op, was)) > s->most)
                return;
        if (s->shape[call.loc] == SHAPE_UNKNOWN)
                find_shape(s, call.loc);
        if (s->no_memory)
                return;
        const uint32_t *parent = s->parents[call.loc];
        for (uint32_t p = parent ? parent[call.op] : 0; p > 0 && leave[p - 1] < to; p = parent[p - 1])
                raise_call(s, (ps_ref){call.loc, p - 1}, to);
        ps_op next = first_from(enter, raise_call(s, call, to), n, was);
        for (; next < n && enter[next] < to; next++) {
                raise_enter(s, (ps_ref){call.loc, next}, to);
                raise_leave(s, (ps_ref){call.loc, next}, to);
        }
}

static void resolve_end(shifting *s, ps_ref what)
{
        ps_flow flow =
                what.loc == PS_NONE ? ps_flow_coll(s->flows, what.op) : ps_flow_message(s->flows, what);
        ps_time begun = INT64_MIN;
        for (uint32_t i = 0; i < flow.n && s->raises_left > 0; i++) {
                const ps_step *step = &flow.step[i];
                if (!step->takes)
                        begun = step->time > begun ? step->time : begun;
                else if (step->time < begun)
                        push_call(
                                s, ps_op_completion(s->trace, step->ref),
                                ps_time_sub(begun, ps_op_record_end(s->trace, s->flows->timing, step->ref)));
        }
}

static void run_shift(shifting *s)
{
        for (int round = 0; round < ROUNDS && s->now.n > 0; round++) {
                for (size_t i = 0; i < s->now.n && !s->no_memory; i++)
                        resolve_end(s, s->now.what[i]);
                agenda done = s->now;
                s->now = s->later;
                s->later = done;
                s->later.n = 0;
        }
}

ps_status ps_clock_shift(ps_trace *trace, ps_flows *flows, ps_time most, uint64_t *moved, ps_error *err)
{
        shifting s = {.trace = trace, .flows = flows, .most = most};
        ps_status st = PS_OK;
        s.parents = calloc((size_t)trace->n_locs + 1, sizeof *s.parents);
        s.shape = calloc((size_t)trace->n_locs + 1, sizeof *s.shape);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                s.raises_left += (uint64_t)RAISES_PER_OPERATION * trace->ops[loc].n;
        s.no_memory = !s.parents || !s.shape;
        if (!s.no_memory && (st = ps_flows_visit(flows, PS_FLOWS_SUSPECT, note_violated, &s, err)) >= 0)
                run_shift(&s);
        if (s.no_memory && st >= 0)
                st = PS_NOMEM(err, "corrected times", s.enter.n + s.leave.n);
        *moved = s.enter.n + s.leave.n;
        for (ps_loc loc = 0; s.parents && loc < trace->n_locs; loc++)
                free(s.parents[loc]);
        free(s.parents);
        free(s.shape);
        free(s.now.what);
        free(s.later.what);
        ps_map_free(&s.enter);
        ps_map_free(&s.leave);
        return st;
}
