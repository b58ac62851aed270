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
#include <stdlib.h>

enum { PARTS = 8 };

/* A call that took longer than this waited for somebody; a shorter one may have found all there. */
static const ps_time shortest_wait = PS_PS_PER_NS * 100 * 1000;
/* Libraries buffer no larger messages. */
static const uint64_t most_buffered = 65536;

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

static ps_time span_of_call(const ps_trace *trace, ps_ref ref)
{
        return ps_time_sub(trace->measured.leave[ref.loc][ref.op], trace->measured.enter[ref.loc][ref.op]);
}

/* The call in which the process waited for this end of a message and for nothing else; op PS_NONE: none. */
static ps_ref waits_in(const ps_trace *trace, ps_ref ref)
{
        ps_ref call = ps_op_completion(trace, ref), none = {PS_NONE, PS_NONE};
        const ps_ops *own = &trace->ops[ref.loc];
        if (call.op == PS_NONE || own->kind[ref.op] == PS_K_SENDRECV_SEND ||
            own->kind[ref.op] == PS_K_SENDRECV_RECV)
                return none;
        const ps_ops *ops = &trace->ops[call.loc];
        bool is_own = call.loc == ref.loc && call.op == ref.op;
        int waits = ps_kinds[ops->kind[call.op]].traits & PS_T_BLOCKING &&
                    (is_own || ps_op_tag(ops, call.op) == 1);
        return waits ? call : none;
}

/* Some sends return before anybody receives, whatever they take for it: small ones, as a rule. */
static bool waits_for_receive(const ps_trace *trace, ps_ref send)
{
        const ps_ops *ops = &trace->ops[send.loc];
        ps_kind kind = (ps_kind)ops->kind[send.op];
        return kind == PS_K_SSEND || kind == PS_K_ISSEND || ps_op_bytes(ops, send.op) > most_buffered;
}

/* Of a message for which one side waited for the other. */
static ps_status gather_message(gathering *g, const ps_flow *flow, ps_error *err)
{
        const ps_trace *trace = g->flows->trace;
        const ps_timing *timing = g->flows->timing;
        ps_ref from = flow->step[0].ref, to = flow->step[1].ref;
        ps_ref send = waits_in(trace, from), recv = waits_in(trace, to);
        ps_time sent = send.op == PS_NONE ? 0 : span_of_call(trace, send);
        ps_time got = recv.op == PS_NONE ? 0 : span_of_call(trace, recv);
        ps_proc sender = flow->step[0].process, receiver = flow->step[1].process;
        if (got >= shortest_wait && got >= sent)
                return add_release(g, receiver, flow->step[1].time, sender, flow->step[0].time, err);
        if (sent >= shortest_wait && waits_for_receive(trace, from))
                return add_release(g, sender, timing->leave[send.loc][send.op], receiver,
                                   timing->enter[to.loc][to.op], err);
        return PS_OK;
}

static bool ends_together(const ps_trace *trace, uint32_t coll)
{
        uint16_t traits = ps_kinds[trace->colls[coll].kind].traits;
        return traits & (PS_T_BARRIER | PS_T_ALL_TO_ALL) && !(traits & PS_T_TEAM);
}

/* The member that was in it for the shortest time, which came last; NULL: it is not known of all. */
static const ps_step *last_of(const ps_trace *trace, const ps_flow *flow, ps_time *stay)
{
        const ps_step *last = NULL;
        for (uint32_t i = 0; i < flow->n_gives; i++) {
                ps_ref call = waits_in(trace, flow->step[i].ref);
                if (flow->step[i].takes || call.op == PS_NONE)
                        return NULL;
                ps_time here = span_of_call(trace, call);
                if (!last || here < *stay) {
                        last = &flow->step[i];
                        *stay = here;
                }
        }
        return last;
}

static ps_status gather_coll(gathering *g, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        const ps_trace *trace = g->flows->trace;
        ps_time stay = 0;
        const ps_step *last = ends_together(trace, coll) ? last_of(trace, flow, &stay) : NULL;
        ps_status st = PS_OK;
        for (uint32_t i = 0; last && i < flow->n && st >= 0; i++) {
                const ps_step *step = &flow->step[i];
                ps_ref call = step->takes ? waits_in(trace, step->ref) : (ps_ref){PS_NONE, PS_NONE};
                if (call.op != PS_NONE && ps_time_sub(span_of_call(trace, call), stay) >= shortest_wait)
                        st = add_release(g, step->process, step->time, last->process, last->time, err);
        }
        return st;
}

static ps_status gather_flow(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        return coll == PS_NONE ? gather_message(ctx, flow, err) : gather_coll(ctx, flow, coll, err);
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

ps_status ps_together_estimate(ps_together *out, ps_flows *flows, ps_arena *arena, ps_error *err)
{
        ps_time span = find_middles(flows->trace, out->drift);
        gathering g = {.flows = flows, .middle = out->drift, .span = (double)span};
        out->wander_most = (ps_time)(PS_CLOCK_DRIFT * (double)span);
        ps_status st = ps_flows_visit(flows, PS_FLOWS_ALL, gather_flow, &g, err);
        if (st >= 0 && g.seen.n > 0)
                st = ps_together_fit(out, &g.seen, flows->trace->defs.processes.n, span, arena, err);
        ps_map_free(&g.index);
        free(g.seen.row);
        return st;
}
