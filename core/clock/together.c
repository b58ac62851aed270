/* together.c - which calls waited for which, and how much later than these they seem to end.
 *
 * A receive that takes long ends as its message arrives, a send that takes long as its receive begins, and a
 * barrier, for all who have been in it for long, as the last one enters: the one who is in it for the
 * shortest time. Such an end may be late, where a machine has too few cores, but never early. So of all ends
 * of one process that another one's begins released, the one that seems to have come soonest tells most, and
 * the more of them there were, the closer it came. Because clocks may drift apart, the soonest is kept of
 * each of a few parts of the run. */
#include "core/clock/together.h"
#include "core/base/map.h"
#include "core/clock/orders.h"
#include "core/clock/waits.h"
#include <stdlib.h>

enum { PARTS = 8 };

/* A call that took longer than this waited for somebody; a shorter one may have found all there. */
static const ps_time shortest_wait = PS_PS_PER_NS * 100 * 1000;

typedef struct gathering {
        ps_flows *flows;
        const ps_clock_drift *middle; /* by process */
        double span;
        ps_map index; /* (waits, releases and part) -> row of `seen` */
        ps_releases_seen seen;
} gathering;

/* `moment` is next to the middle of the process that releases. */
static uint32_t part_at(const gathering *g, ps_time moment)
{
        double part = ((double)moment / g->span + 0.5) * PARTS;
        return part <= 0 ? 0 : part >= PARTS - 1 ? PARTS - 1 : (uint32_t)part;
}

static bool is_sooner(const ps_release *a, const ps_release *b)
{
        if (a->soonest != b->soonest)
                return a->soonest < b->soonest;
        return a->begun != b->begun ? a->begun < b->begun : a->ended < b->ended;
}

static void add_up(ps_release *to, const ps_release *other)
{
        if (is_sooner(other, to)) {
                to->soonest = other->soonest;
                to->ended = other->ended;
                to->begun = other->begun;
        }
        to->n += other->n;
        to->after += other->after;
        to->all_ended += other->all_ended;
        to->all_begun += other->all_begun;
}

static ps_status add_releases(gathering *g, const ps_release *some, ps_error *err)
{
        ps_time *at = ps_map_at(&g->index, some->waits, some->releases * PARTS + some->part, g->seen.n);
        bool is_new = at && (uint32_t)*at == g->seen.n;
        if (!at || (is_new && PS_PUSH(g->seen, *some)))
                return PS_NOMEM(err, "pairs of processes", g->seen.n);
        if (!is_new)
                add_up(&g->seen.row[*at], some);
        return PS_OK;
}

static ps_status add_release(gathering *g, ps_proc waits, ps_time end, ps_proc releases, ps_time begin,
                             ps_error *err)
{
        if (waits == releases)
                return PS_OK;
        ps_release one = {.waits = waits,
                          .releases = releases,
                          .n = 1,
                          .soonest = ps_time_sub(end, begin),
                          .ended = ps_time_sub(end, g->middle[waits].from),
                          .begun = ps_time_sub(begin, g->middle[releases].from)};
        one.part = part_at(g, one.begun);
        one.after = one.soonest;
        one.all_ended = one.ended;
        one.all_begun = one.begun;
        return add_releases(g, &one, err);
}

static ps_time end_of(const ps_trace *trace, ps_ref call)
{
        return trace->measured.leave[call.loc][call.op];
}

/* Of a message for which one side waited for the other. */
static ps_status gather_message(gathering *g, const ps_flow *flow, ps_error *err)
{
        const ps_trace *trace = g->flows->trace;
        ps_ref from = flow->step[0].ref, to = flow->step[1].ref;
        ps_time sent = ps_flow_stay(trace, from), got = ps_flow_stay(trace, to);
        ps_proc sender = flow->step[0].process, receiver = flow->step[1].process;
        if (got >= shortest_wait && got >= sent)
                return add_release(g, receiver, flow->step[1].time, sender, flow->step[0].time, err);
        if (sent >= shortest_wait && ps_send_waits_for_receive(&trace->ops[from.loc], from.op))
                return add_release(g, sender, end_of(trace, ps_flow_call(trace, from)), receiver,
                                   trace->measured.enter[to.loc][to.op], err);
        return PS_OK;
}

static bool ends_together(const ps_flow *flow)
{
        uint16_t traits = ps_kinds[flow->of->kind].traits;
        return traits & (PS_T_BARRIER | PS_T_ALL_TO_ALL) && !(traits & PS_T_TEAM);
}

static ps_time stay_at(const gathering *g, const ps_flow *flow, uint32_t i)
{
        return flow->stay ? flow->stay[i] : ps_flow_stay(g->flows->trace, flow->step[i].ref);
}

/* The member that was in it for the shortest time, which came last; NULL: it is not known of all. */
static const ps_step *last_of(const gathering *g, const ps_flow *flow, ps_time *stay)
{
        const ps_step *last = NULL;
        for (uint32_t i = 0; i < flow->n_gives; i++) {
                ps_time here = flow->step[i].takes ? PS_STAY_UNKNOWN : stay_at(g, flow, i);
                if (here == PS_STAY_UNKNOWN)
                        return NULL;
                if (!last || here < *stay) {
                        last = &flow->step[i];
                        *stay = here;
                }
        }
        return last;
}

static ps_status gather_coll(gathering *g, const ps_flow *flow, ps_error *err)
{
        ps_time stay = 0;
        const ps_step *last = ends_together(flow) ? last_of(g, flow, &stay) : NULL;
        ps_status st = PS_OK;
        for (uint32_t i = 0; last && i < flow->n && st >= 0; i++) {
                const ps_step *step = &flow->step[i];
                ps_time here = step->takes ? stay_at(g, flow, i) : PS_STAY_UNKNOWN;
                if (here != PS_STAY_UNKNOWN && ps_time_sub(here, stay) >= shortest_wait)
                        st = add_release(g, step->process, step->time, last->process, last->time, err);
        }
        return st;
}

static ps_status gather_flow(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        (void)coll;
        return flow->of ? gather_coll(ctx, flow, err) : gather_message(ctx, flow, err);
}

/* By process, the middle of its own events; returns how long the longest took. */
static ps_time find_middles(const ps_trace *trace, ps_clock_drift *middle)
{
        ps_time longest = 1;
        for (ps_proc p = 0; p < trace->defs.processes.n; p++)
                middle[p] = (ps_clock_drift){.from = PS_TIME_MAX};
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                const ps_location_info *info = &trace->info[l];
                ps_time *from = &middle[trace->defs.locations.row[l].process].from;
                if (info->first <= info->last && info->first < *from)
                        *from = info->first;
        }
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                const ps_location_info *info = &trace->info[l];
                ps_time from = middle[trace->defs.locations.row[l].process].from;
                if (info->first <= info->last && ps_time_sub(info->last, from) > longest)
                        longest = ps_time_sub(info->last, from);
        }
        for (ps_proc p = 0; p < trace->defs.processes.n; p++)
                middle[p].from = ps_time_add(middle[p].from, longest / 2);
        return longest;
}

/* Of a part that was seen elsewhere, or is told there. */
static ps_status pass_releases(ps_pass *p, void *what)
{
        gathering *g = what;
        uint32_t n = g->seen.n;
        PS_TRY(ps_pass_values(p, &n, 1, sizeof(n)));
        if (p->way != PS_PASS_TAKE)
                return ps_pass_values(p, g->seen.row, n, sizeof(*g->seen.row));
        for (ps_release one; n; n--) {
                PS_TRY(ps_pass_values(p, &one, 1, sizeof(one)));
                PS_TRY(add_releases(g, &one, p->err));
        }
        return PS_OK;
}

/* What the rows of all tell, in the process that asked. */
static ps_status gather_all(gathering *g, ps_error *err)
{
        ps_status status = ps_flows_visit(g->flows, PS_FLOWS_ALL, gather_flow, g, err);
        return ps_clock_collect(g->flows, status, pass_releases, g, err);
}

static void drop(gathering *g)
{
        ps_map_free(&g->index);
        free(g->seen.row);
}

ps_status ps_together_serve(ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        gathering g = {.flows = flows, .middle = order->drift, .span = (double)order->span};
        flows->drift = NULL;
        ps_status status = gather_all(&g, err);
        drop(&g);
        return status;
}

ps_status ps_together_estimate(ps_together *out, ps_flows *flows, ps_arena *arena, ps_error *err)
{
        ps_time span = find_middles(flows->trace, out->drift);
        gathering g = {.flows = flows, .middle = out->drift, .span = (double)span};
        const ps_clock_order order = {.kind = PS_CLOCK_RELEASES, .drift = out->drift, .span = span};
        out->wander_most = (ps_time)(PS_CLOCK_DRIFT * (double)span);
        ps_status st = ps_clock_ask(flows, &order, err);
        PS_THEN(st, gather_all(&g, err));
        if (st >= 0 && g.seen.n > 0)
                st = ps_together_fit(out, &g.seen, flows->trace->defs.processes.n, span, arena, err);
        drop(&g);
        return st;
}
