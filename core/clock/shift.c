/* shift.c - forward shifts.
 *
 * A receive that is over before its send began is made to end when the send began. Whatever its location did
 * until then, according to its clock, must have happened later too: each later time is raised to the same
 * moment, until one is late enough already; calls around the receive end no earlier than it does. A send that
 * was raised in this way may be too late for its own receive, so that one is looked at in the next round.
 *
 * Times only grow, and none by more than the clocks' noise, which ends it; but a circle of contradictions
 * might creep up to there in tiny steps. So rounds and raises are limited, and what is left is counted.
 *
 * Since nothing moves farther than that, it takes only the rows near those ends: of some flows at a time,
 * whoever has them (vicinity.c). What was raised is kept apart until the end. */
#include "core/clock/shift.h"
#include "core/base/map.h"
#include "core/base/search.h"
#include "core/clock/orders.h"
#include "core/clock/vicinity.h"
#include <stdlib.h>

enum { ROUNDS = 64, RAISES_PER_OPERATION = 16, AT_ONCE = 1 << 14 };

typedef struct shifting {
        ps_trace *trace;
        ps_flows *flows;
        ps_time most;
        ps_map enter, leave; /* (location, row) -> the time of those that were moved */
        ps_suspects now, later;
        ps_vicinity near; /* of some of those of now */
        ps_map row, call; /* (location, row) -> where it stands in there */
        uint64_t raises_left;
        bool no_memory;
} shifting;

/* -- what contradicts -- */

struct listing {
        const ps_flows *flows;
        ps_suspects *list;
};

static ps_status note_violated(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        const struct listing *l = ctx;
        ps_time begun = INT64_MIN;
        for (uint32_t i = 0; i < flow->n; i++) {
                const ps_step *step = &flow->step[i];
                if (!step->takes)
                        begun = step->time > begun ? step->time : begun;
                else if (step->time < begun)
                        return PS_PUSH(*l->list, ps_suspect_of(l->flows, flow, coll))
                                       ? PS_NOMEM(err, "contradictions", l->list->n)
                                       : PS_OK;
        }
        return PS_OK;
}

static ps_status pass_suspects(ps_pass *p, void *what)
{
        ps_suspects *list = what;
        uint32_t n = list->n;
        PS_TRY(ps_pass_values(p, &n, 1, sizeof(n)));
        if (p->way != PS_PASS_TAKE)
                return ps_pass_values(p, list->row, n, sizeof(*list->row));
        for (ps_suspect one; n; n--) {
                PS_TRY(ps_pass_values(p, &one, 1, sizeof(one)));
                if (PS_PUSH(*list, one))
                        return PS_NOMEM(p->err, "contradictions", list->n);
        }
        return PS_OK;
}

static ps_status list_violated(ps_flows *flows, ps_suspects *list, ps_error *err)
{
        struct listing l = {flows, list};
        ps_status status = ps_flows_visit(flows, PS_FLOWS_SUSPECT, note_violated, &l, err);
        PS_TRY(ps_clock_collect(flows, status, pass_suspects, list, err));
        if (flows->apart && list->n)
                qsort(list->row, list->n, sizeof(*list->row), ps_suspects_compare);
        return PS_OK;
}

ps_status ps_violated_serve(ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        ps_suspects list = {0};
        (void)order;
        ps_status status = list_violated(flows, &list, err);
        free(list.row);
        return status;
}

/* -- rows near them, and their times -- */

static const ps_near_row *row_at(const shifting *s, ps_loc loc, ps_op op)
{
        ps_time at = ps_map_get(&s->row, loc, op, -1);
        return at < 0 ? NULL : &s->near.row.row[at];
}

static ps_time enter_of(const shifting *s, const ps_near_row *row)
{
        return ps_map_get(&s->enter, row->ref.loc, row->ref.op, row->enter);
}

static ps_time leave_of(const shifting *s, const ps_near_row *row)
{
        return ps_map_get(&s->leave, row->ref.loc, row->ref.op, row->leave);
}

static void raise_time(shifting *s, ps_map *moved, ps_ref ref, ps_time was, ps_time to)
{
        if (was >= to)
                return;
        ps_time *at = ps_map_at(moved, ref.loc, ref.op, to);
        if (at)
                *at = to;
        s->no_memory |= !at;
        if (s->raises_left > 0)
                s->raises_left--;
}

static void raise_leave(shifting *s, const ps_near_row *row, ps_time to)
{
        ps_location_info *info = &s->trace->info[row->ref.loc];
        raise_time(s, &s->leave, row->ref, leave_of(s, row), to);
        if (info->first <= info->last && info->last < to)
                info->last = to;
}

/* A begin that moves may be too late for those who wait for it. */
static void raise_enter(shifting *s, const ps_near_row *row, ps_time to)
{
        raise_time(s, &s->enter, row->ref, enter_of(s, row), to);
        if (row->waits.at.op != PS_NONE)
                s->no_memory |= PS_PUSH(s->later, row->waits) != 0;
}

/* Raises the end of the call that the row is of. */
static void raise_call(shifting *s, const ps_near_row *row, ps_time to)
{
        const ps_loc loc = row->ref.loc;
        ps_op op = row->ref.op;
        while (row && row->continues)
                row = row_at(s, loc, --op);
        while (row) {
                raise_leave(s, row, to);
                if (row->is_bare)
                        raise_enter(s, row, to);
                row = row_at(s, loc, ++op);
                row = row && row->continues ? row : NULL;
        }
}

/* Lets the call end later, and all that follows it no earlier than that. */
static void push_call(shifting *s, ps_ref ref, ps_time by)
{
        const ps_near_row *row = row_at(s, ref.loc, ref.op);
        ps_time at = ps_map_get(&s->call, ref.loc, ref.op, -1);
        if (!row || at < 0)
                return;
        ps_time was = leave_of(s, row), to = ps_time_add(was, by);
        if (by <= 0 || ps_time_sub(to, row->leave) > s->most)
                return;
        for (const ps_near_row *p = row; p && p->parent;) {
                p = row_at(s, ref.loc, p->parent - 1);
                if (!p || leave_of(s, p) >= to)
                        break;
                raise_call(s, p, to);
        }
        raise_call(s, row, to);
        ps_op next = s->near.call.row[at].from, end = s->near.call.row[at].end;
        PS_BISECT(next, end, i, enter_of(s, row_at(s, ref.loc, i)) < was);
        for (; next < end; next++) {
                const ps_near_row *behind = row_at(s, ref.loc, next);
                if (enter_of(s, behind) >= to)
                        break;
                raise_enter(s, behind, to);
                raise_leave(s, behind, to);
        }
}

/* When the record of a step was written. */
static ps_time time_of(const shifting *s, const ps_near_step *step)
{
        ps_time time =
                ps_map_get(step->takes ? &s->leave : &s->enter, step->row.loc, step->row.op, step->time);
        return step->takes ? time - step->distance : time + step->distance;
}

/* Those of one flow. */
static void resolve_flow(shifting *s, ps_near_step *step, uint32_t n)
{
        ps_time begun = INT64_MIN;
        for (uint32_t i = 0; i < n; i++)
                step[i].now = time_of(s, &step[i]);
        for (uint32_t i = 0; i < n && s->raises_left > 0; i++)
                if (!step[i].takes)
                        begun = step[i].now > begun ? step[i].now : begun;
                else if (step[i].now < begun)
                        push_call(s, step[i].row, ps_time_sub(begun, time_of(s, &step[i])));
}

/* -- rounds -- */

static ps_status index_near(shifting *s, ps_error *err)
{
        bool lacks = false;
        for (uint32_t i = 0; i < s->near.row.n; i++) {
                const ps_ref ref = s->near.row.row[i].ref;
                lacks |= !ps_map_at(&s->row, ref.loc, ref.op, i);
        }
        for (uint32_t i = 0; i < s->near.call.n; i++) {
                const ps_ref ref = s->near.call.row[i].call;
                lacks |= !ps_map_at(&s->call, ref.loc, ref.op, i);
        }
        return lacks ? PS_NOMEM(err, "contradictions", s->near.row.n) : PS_OK;
}

static ps_status look_near(shifting *s, uint32_t first, uint32_t n, ps_error *err)
{
        const ps_clock_order order = {
                .kind = PS_CLOCK_VICINITY, .suspect = s->now.row + first, .n_suspects = n, .span = s->most};
        ps_vicinity_clear(&s->near);
        ps_map_free(&s->row);
        ps_map_free(&s->call);
        PS_TRY(ps_clock_ask(s->flows, &order, err));
        PS_TRY(ps_vicinity_look(&s->near, s->flows, s->now.row + first, n, s->most, err));
        return index_near(s, err);
}

ps_status ps_vicinity_serve(ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        ps_vicinity near = {.step = {0}};
        ps_status status =
                ps_vicinity_look(&near, flows, order->suspect, order->n_suspects, order->span, err);
        ps_vicinity_clear(&near);
        return status;
}

static ps_status run_round(shifting *s, ps_error *err)
{
        for (uint32_t first = 0, n; first < s->now.n; first += n) {
                n = s->now.n - first < AT_ONCE ? s->now.n - first : AT_ONCE;
                PS_TRY(look_near(s, first, n, err));
                ps_near_step *step = s->near.step.row;
                for (uint32_t i = 0, j; i < s->near.step.n && !s->no_memory; i = j) {
                        for (j = i + 1; j < s->near.step.n && step[j].suspect == step[i].suspect;)
                                j++;
                        resolve_flow(s, &step[i], j - i);
                }
                if (s->no_memory)
                        return PS_NOMEM(err, "corrected times", s->enter.n + s->leave.n);
        }
        return PS_OK;
}

static ps_status run_rounds(shifting *s, ps_error *err)
{
        for (int round = 0; round < ROUNDS && s->now.n > 0; round++) {
                PS_TRY(run_round(s, err));
                ps_suspects done = s->now;
                s->now = s->later;
                s->later = done;
                s->later.n = 0;
        }
        return PS_OK;
}

/* -- the rows themselves -- */

typedef PS_VECTOR(ps_moved_time) moved_times;

static bool list_moved(moved_times *out, const ps_map *map, bool is_leave)
{
        bool lacks = false;
        for (size_t i = 0; i < map->cap; i++) {
                const ps_map_row *row = &map->row[i];
                if (row->a != PS_NONE)
                        lacks |=
                                PS_PUSH(*out, ((ps_moved_time){{row->a, row->b}, row->value, is_leave})) != 0;
        }
        return !lacks;
}

/* Where the row is, or stands for one of elsewhere; PS_NONE: neither. */
static ps_op place_of(const ps_flows *flows, ps_ref ref)
{
        const uint32_t *real = flows->apart ? flows->apart->real[ref.loc] : NULL;
        ps_op n = flows->trace->ops[ref.loc].n, at = 0;
        if (!real)
                return ref.op < n ? ref.op : PS_NONE;
        PS_BISECT(at, n, i, real[i] < ref.op);
        return at < n && real[at] == ref.op ? at : PS_NONE;
}

ps_status ps_move_serve(ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        const ps_timing *timing = &flows->trace->measured;
        (void)err;
        for (uint32_t i = 0; i < order->n_moved; i++) {
                const ps_moved_time *m = &order->moved[i];
                ps_op op = place_of(flows, m->ref);
                if (op != PS_NONE)
                        (m->is_leave ? timing->leave : timing->enter)[m->ref.loc][op] = m->time;
        }
        return PS_OK;
}

static ps_status move_all(const shifting *s, ps_error *err)
{
        moved_times list = {0};
        bool lists = list_moved(&list, &s->enter, false) && list_moved(&list, &s->leave, true);
        ps_status status = lists ? PS_OK : PS_NOMEM(err, "corrected times", s->enter.n + s->leave.n);
        const ps_clock_order order = {.kind = PS_CLOCK_MOVE, .moved = list.row, .n_moved = list.n};
        PS_THEN(status, ps_clock_ask(s->flows, &order, err));
        PS_THEN(status, ps_move_serve(s->flows, &order, err));
        free(list.row);
        return status;
}

static ps_status shift(shifting *s, ps_error *err)
{
        const ps_clock_order order = {.kind = PS_CLOCK_VIOLATED};
        PS_TRY(ps_clock_ask(s->flows, &order, err));
        PS_TRY(list_violated(s->flows, &s->now, err));
        PS_TRY(run_rounds(s, err));
        return move_all(s, err);
}

ps_status ps_clock_shift(ps_trace *trace, ps_flows *flows, ps_time most, uint64_t *moved, ps_error *err)
{
        shifting s = {.trace = trace, .flows = flows, .most = most};
        uint64_t n_rows = flows->apart ? flows->apart->n_rows : 0;
        for (ps_loc loc = 0; !flows->apart && loc < trace->n_locs; loc++)
                n_rows += trace->ops[loc].n;
        s.raises_left = RAISES_PER_OPERATION * n_rows;
        ps_status status = shift(&s, err);
        *moved = s.enter.n + s.leave.n;
        ps_vicinity_clear(&s.near);
        free(s.now.row);
        free(s.later.row);
        ps_map_free(&s.enter);
        ps_map_free(&s.leave);
        ps_map_free(&s.row);
        ps_map_free(&s.call);
        return status;
}
