/* offset.c - which offsets the messages and collective operations of a trace allow.
 *
 * What is sent by s and received by r gives a difference constraint: send + o[s] <= receive + o[r]. Of all
 * those of an ordered pair of processes only the tightest counts, so that the constraints take a table of
 * pairs, however many messages there are.
 *
 * A collective operation constrains each giver against each taker. That many pairs are looked at while they
 * are few for each member. A large barrier or all-to-all operation instead becomes a node T of no clock:
 * begin[i] + o[i] <= T <= end[j] + o[j] says the same with two constraints for each member. Its tightness
 * does not show before the offsets are known, but what the members spent in it adds up to the widths of the
 * intervals that it leaves: so of each communicator only the shortest instances are kept. What is left out
 * can only make the intervals wider, and a contradiction that remains is counted afterwards.
 *
 * The uncertainty is the widest interval: within it any offset fits the trace, so no time difference between
 * the clocks of two processes means anything below it. */
#include "core/clock/offset.h"
#include "core/base/map.h"
#include "core/clock/clock.h"
#include "core/clock/graph.h"
#include "core/clock/together.h"
#include <stdlib.h>

enum {
        PAIRS_PER_STEP = 32, /* more pairs than that for each step make an operation a large one */
        KEPT_PER_COMM = 16,  /* in each round */
        KNOWN_PAIRS = 512,
        ROUNDS = 8
};

/* A large instance; the less it costs, the more it promises. */
struct candidate {
        double cost;
        uint32_t coll;
};

/* Those of one communicator that promise most, the best first. */
typedef struct kept {
        uint32_t n;
        struct candidate row[KEPT_PER_COMM];
} kept;

/* A pair of processes as it stands in the map. */
struct known {
        ps_proc gives, takes; /* the latter plus one; 0: none is known */
        ps_time tightest;
};

typedef struct gathering {
        const ps_trace *trace;
        ps_map pairs; /* (earlier, later) -> slack */
        struct known known[KNOWN_PAIRS];
        bool contradicts_itself; /* some process does: no offset helps */
        kept **by_comm;          /* NULL: none */
        ps_graph graph;
} gathering;

/* How tight the pair is: as far as it is known, nearly no message makes it tighter. */
static inline ps_status add_pair(gathering *g, ps_proc gives, ps_proc takes, ps_time slack, ps_error *err)
{
        struct known *known = &g->known[(gives * 31 + takes) % KNOWN_PAIRS];
        g->contradicts_itself |= gives == takes && slack < 0;
        if (gives == takes ||
            (known->takes == takes + 1 && known->gives == gives && slack >= known->tightest))
                return PS_OK;
        ps_time *tightest = ps_map_at(&g->pairs, gives, takes, slack);
        if (!tightest)
                return PS_NOMEM(err, "pairs of processes", g->pairs.n);
        if (slack < *tightest)
                *tightest = slack;
        *known = (struct known){gives, takes + 1, *tightest};
        return PS_OK;
}

static ps_status add_pairs(gathering *g, const ps_flow *flow, ps_error *err)
{
        for (uint32_t t = 0; t < flow->n; t++)
                for (uint32_t i = 0; flow->step[t].takes && i < t; i++) {
                        const ps_step *give = &flow->step[i], *take = &flow->step[t];
                        if (!give->takes)
                                PS_TRY(add_pair(g, give->process, take->process,
                                                ps_time_sub(take->time, give->time), err));
                }
        return PS_OK;
}

static ps_status gather_message(void *ctx, const ps_message_times *m, ps_error *err)
{
        gathering *g = ctx;
        return add_pair(g, ps_trace_process(g->trace, m->sender), ps_trace_process(g->trace, m->recv.loc),
                        ps_time_sub(m->received, m->sent), err);
}

/* What all members together spent in the operation, which no offset changes; endless when it is not the same
 * members that give and take. */
static double stay_of(const ps_flow *flow)
{
        double stay = 0;
        if (2 * flow->n_gives != flow->n)
                return (double)PS_TIME_MAX * flow->n;
        for (uint32_t i = 0; i < flow->n; i++)
                stay += flow->step[i].takes ? (double)flow->step[i].time : -(double)flow->step[i].time;
        return stay;
}

/* Of those that promise as much, the first: it does not matter in which order they are seen. */
static bool is_better(const struct candidate *a, const struct candidate *b)
{
        return a->cost != b->cost ? a->cost < b->cost : a->coll < b->coll;
}

static ps_status keep_candidate(gathering *g, uint32_t coll, double cost, ps_error *err)
{
        kept **by_comm = &g->by_comm[g->trace->colls[coll].comm];
        if (!*by_comm && !(*by_comm = calloc(1, sizeof **by_comm)))
                return PS_NOMEM(err, "collective operations", 1);
        kept *k = *by_comm;
        const struct candidate fresh = {cost, coll};
        uint32_t i = k->n;
        if (k->n < KEPT_PER_COMM)
                k->n++;
        else if (!is_better(&fresh, &k->row[--i]))
                return PS_OK;
        for (; i && is_better(&fresh, &k->row[i - 1]); i--)
                k->row[i] = k->row[i - 1];
        k->row[i] = fresh;
        return PS_OK;
}

/* A large prefix operation would need a node for each member; such operations are rare: left out. Teams stay
 * within one process. */
static bool is_large(const gathering *g, const ps_flow *flow, uint32_t coll)
{
        uint64_t n_pairs = (uint64_t)flow->n_gives * (flow->n - flow->n_gives);
        return n_pairs > (uint64_t)PAIRS_PER_STEP * flow->n &&
               !(ps_kinds[g->trace->colls[coll].kind].traits & (PS_T_PREFIX | PS_T_TEAM));
}

static ps_status gather_flow(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        gathering *g = ctx;
        uint64_t n_pairs = (uint64_t)flow->n_gives * (flow->n - flow->n_gives);
        if (n_pairs <= (uint64_t)PAIRS_PER_STEP * flow->n)
                return add_pairs(g, flow, err);
        return is_large(g, flow, coll) ? keep_candidate(g, coll, stay_of(flow), err) : PS_OK;
}

/* By how much the offsets contradict the flow. */
static ps_time contradiction(const ps_flow *flow, const ps_time *offset)
{
        ps_time begun = INT64_MIN, most = 0;
        for (uint32_t i = 0; i < flow->n; i++) {
                const ps_step *s = &flow->step[i];
                ps_time time = ps_time_add(s->time, offset[s->process]);
                if (!s->takes)
                        begun = time > begun ? time : begun;
                else if (ps_time_sub(begun, time) > most)
                        most = ps_time_sub(begun, time);
        }
        return most;
}

static ps_status limits_of_pairs(gathering *g, ps_error *err)
{
        ps_status st = PS_OK;
        for (size_t i = 0; i < g->pairs.cap && st >= 0; i++) {
                const ps_map_row *row = &g->pairs.row[i];
                if (row->a != PS_NONE)
                        st = ps_graph_add(&g->graph, (ps_limit){row->a, row->b, 2, row->value}, err);
        }
        return st;
}

static ps_status limits_of_coll(gathering *g, ps_flows *flows, uint32_t coll, ps_error *err)
{
        ps_flow flow = ps_flow_coll(flows, coll);
        uint32_t node = g->graph.n_nodes++;
        ps_status st = PS_OK;
        for (uint32_t i = 0; i < flow.n && st >= 0; i++) {
                const ps_step *s = &flow.step[i];
                ps_limit limit = {s->process, node, 1, ps_time_sub(0, s->time)};
                if (s->takes)
                        limit = (ps_limit){node, s->process, 1, s->time};
                st = ps_graph_add(&g->graph, limit, err);
        }
        return st;
}

/* Turns the kept instances into constraints and forgets them. */
static ps_status limits_of_kept(gathering *g, ps_flows *flows, ps_error *err)
{
        ps_status st = PS_OK;
        for (ps_comm c = 0; c < g->trace->defs.comms.n; c++) {
                kept *k = g->by_comm[c];
                for (uint32_t i = 0; k && i < k->n && st >= 0; i++)
                        st = limits_of_coll(g, flows, k->row[i].coll, err);
                free(k);
                g->by_comm[c] = NULL;
        }
        return st;
}

/* Each message and collective operation; of messages only what is not known by pairs already. */
static ps_status gather_flows(gathering *g, ps_flows *flows, const ps_slacks *slacks, ps_error *err)
{
        bool knows_pairs = slacks && slacks->tells && slacks->tells_pairs;
        for (uint32_t i = 0; knows_pairs && i < slacks->n; i++)
                PS_TRY(add_pair(g, slacks->row[i].from, slacks->row[i].to, slacks->row[i].least, err));
        if (knows_pairs)
                return ps_flows_visit_colls(flows, gather_flow, g, err);
        flows->message = gather_message;
        ps_status st = ps_flows_visit(flows, PS_FLOWS_ALL, gather_flow, g, err);
        flows->message = NULL;
        return st;
}

/* `slacks` of all messages, without drifts; NULL: nobody knows. */
static ps_status gather_bounds(gathering *g, ps_flows *flows, const ps_slacks *slacks, ps_error *err)
{
        g->by_comm = calloc((size_t)g->trace->defs.comms.n + 1, sizeof(kept *));
        if (!g->by_comm)
                return PS_NOMEM(err, "communicators", g->trace->defs.comms.n);
        g->graph.n_nodes = g->trace->defs.processes.n;
        ps_status st = gather_flows(g, flows, slacks, err);
        if (st >= 0)
                st = limits_of_pairs(g, err);
        return st < 0 ? st : limits_of_kept(g, flows, err);
}

static ps_status solve_offsets(gathering *g, const ps_time *wanted, ps_offsets *found, ps_error *err)
{
        size_t n = (size_t)g->graph.n_nodes + 1;
        free(found->offset);
        free(found->width);
        *found = (ps_offsets){.offset = calloc(n, sizeof(ps_time)), .width = calloc(n, sizeof(ps_time))};
        return found->offset && found->width
                       ? ps_graph_solve(&g->graph, wanted, g->trace->defs.processes.n, found, err)
                       : PS_NOMEM(err, "clocks", n);
}

/* Adds the large instances that the offsets contradict, beyond what cannot be helped. *more: there are any.
 */
static ps_status refine_flows(gathering *g, ps_flows *flows, const ps_offsets *found, int *more,
                              ps_error *err)
{
        ps_status st = PS_OK;
        uint32_t n = g->graph.n_nodes;
        for (uint32_t c = 0; c < g->trace->n_colls && st >= 0; c++) {
                if (g->trace->colls[c].n <= PAIRS_PER_STEP)
                        continue;
                ps_flow flow = ps_flow_coll(flows, c);
                ps_time most = is_large(g, &flow, c) ? contradiction(&flow, found->offset) : 0;
                if (most > found->eased)
                        st = keep_candidate(g, c, -(double)most, err);
        }
        if (st >= 0)
                st = limits_of_kept(g, flows, err);
        *more = g->graph.n_nodes > n;
        return st;
}

/* Solves until no large instance contradicts the offsets. */
static ps_status settle_offsets(gathering *g, ps_flows *flows, const ps_time *wanted, ps_offsets *found,
                                ps_error *err)
{
        int more = 1;
        ps_status st = solve_offsets(g, wanted, found, err);
        for (int round = 0; st >= 0 && more && !found->unknown && round < ROUNDS; round++)
                if ((st = refine_flows(g, flows, found, &more, err)) >= 0 && more)
                        st = solve_offsets(g, wanted, found, err);
        return st;
}

static void gathering_free(gathering *g)
{
        for (uint32_t c = 0; g->by_comm && c < g->trace->defs.comms.n; c++)
                free(g->by_comm[c]);
        free(g->by_comm);
        ps_map_free(&g->pairs);
        ps_graph_free(&g->graph);
}

/* The smallest part of the way to `found` that satisfies all limits. The limits that hold without any offset
 * hold on the whole way, because the possible offsets are a convex set. */
static double shortest_way(const ps_graph *graph, const ps_offsets *found)
{
        double part = 0;
        for (size_t i = 0; i < graph->n; i++) {
                const ps_limit *limit = &graph->limit[i];
                double slack = (double)limit->slack + (double)found->eased * limit->halves / 2;
                double whole = (double)found->offset[limit->earlier] - (double)found->offset[limit->later];
                if (slack < 0 && whole < 0 && slack / whole > part)
                        part = slack / whole;
        }
        return part < 1 ? part : 1;
}

/* Clocks that somebody synchronised are moved no further than needed, and are taken to be as uncertain as the
 * largest move. */
static void go_shortest_way(ps_trace *trace, const ps_graph *graph, ps_offsets *found)
{
        double part = shortest_way(graph, found);
        for (uint32_t i = 0; i < graph->n_nodes; i++)
                found->offset[i] = (ps_time)((double)found->offset[i] * part);
        for (ps_proc p = 0; p < trace->defs.processes.n; p++) {
                ps_time by = found->offset[p] < 0 ? -found->offset[p] : found->offset[p];
                found->width[p] = by;
        }
}

/* By pair. */
static ps_status find_room(ps_trace *trace, const ps_graph *graph, const ps_offsets *found, ps_error *err)
{
        uint32_t n = trace->defs.processes.n;
        if (!ps_graph_room_is_cheap(graph, n))
                return PS_OK;
        ps_time *room = PS_ARENA_NEW(trace->arena, ps_time, (size_t)n * n);
        int done = room ? ps_graph_room(graph, found, n, room, err) : PS_NOMEM(err, "pairs of clocks", n);
        if (done > 0)
                trace->clock.room = room;
        return done < 0 ? (ps_status)done : PS_OK;
}

/* Of pairs with the first process: no other is worse than two of them together. */
static ps_time find_likely(const ps_trace *trace)
{
        ps_time most = 0;
        uint32_t n = trace->defs.processes.n;
        for (ps_proc a = 0; a < n && (a == 0 || trace->clock.room); a++)
                for (ps_proc b = a + 1; b < n; b++) {
                        ps_time by = ps_clock_pair_uncertainty(trace, a, b);
                        most = by > most ? by : most;
                }
        return trace->clock.room ? most : ps_time_add(most, most);
}

static ps_status publish_offsets(ps_trace *trace, const ps_offsets *found, ps_error *err)
{
        uint32_t n = trace->defs.processes.n;
        ps_time *offset = PS_ARENA_NEW(trace->arena, ps_time, n);
        ps_time *width = PS_ARENA_NEW(trace->arena, ps_time, n);
        if (!offset || !width)
                return PS_NOMEM(err, "clock offsets", n);
        for (ps_proc p = 0; p < n; p++) {
                offset[p] = found->offset[p];
                width[p] = found->width[p];
                if (width[p] > trace->clock.uncertainty)
                        trace->clock.uncertainty = width[p];
        }
        trace->clock.offset = offset;
        ps_clock_apply(trace, offset);
        trace->clock.width = width;
        trace->clock.repaired = 1;
        trace->clock.likely = find_likely(trace);
        return PS_OK;
}

/* Offsets that a damaged trace calls for may be so large that times shifted by them are no numbers any more.
 */
static bool are_sane(const ps_offsets *found, uint32_t n)
{
        const ps_time limit = PS_TIME_MAX / 8; /* 13 days: what a reader lets times be away from zero */
        for (uint32_t p = 0; p < n; p++)
                if (found->offset[p] > limit || found->offset[p] < -limit)
                        return false;
        return true;
}

/* The constraints again, of times without these drifts. */
static ps_status gather_without(const ps_clock_drift *drift, gathering *g, ps_flows *flows, ps_trace *trace,
                                ps_offsets *found, ps_error *err)
{
        flows->drift = trace->clock.drift = drift;
        gathering_free(g);
        *g = (gathering){.trace = trace};
        ps_status st = gather_bounds(g, flows, NULL, err);
        return st < 0 ? st : settle_offsets(g, flows, NULL, found, err);
}

/* Where calls that end together do so. Drifts under which the times contradict themselves more are none. */
static ps_status estimate(ps_together *seen, gathering *g, ps_flows *flows, ps_trace *trace,
                          ps_offsets *found, ps_error *err)
{
        ps_time eased = found->eased;
        seen->wish = eased > PS_CLOCK_NOISE ? PS_DRIFT_WANTED : PS_DRIFT_IF_EVIDENT;
        ps_status st = ps_together_estimate(seen, flows, trace->arena, err);
        if (st < 0 || !seen->drifts)
                return st;
        st = gather_without(seen->drift, g, flows, trace, found, err);
        if (st < 0 || (!found->unknown && found->eased <= eased))
                return st;
        seen->wish = PS_DRIFT_NONE;
        st = gather_without(NULL, g, flows, trace, found, err);
        return st < 0 ? st : ps_together_estimate(seen, flows, trace->arena, err);
}

/* From the middle of what is possible to where calls that end together do so. */
static ps_status agree(gathering *g, ps_flows *flows, ps_trace *trace, ps_offsets *found, ps_error *err)
{
        uint32_t n = trace->defs.processes.n;
        ps_together seen = {.offset = PS_ARENA_NEW(trace->arena, ps_time, n),
                            .drift = PS_ARENA_NEW(trace->arena, ps_clock_drift, n)};
        if (!seen.offset || !seen.drift)
                return PS_NOMEM(err, "clock offsets", n);
        for (ps_proc p = 0; p < n; p++)
                seen.offset[p] = found->offset[p];
        ps_status st = estimate(&seen, g, flows, trace, found, err);
        if (st >= 0)
                st = settle_offsets(g, flows, seen.offset, found, err);
        if (st >= 0 && !found->unknown)
                st = find_room(trace, &g->graph, found, err);
        trace->clock.error = seen.error;
        trace->clock.wander = seen.wander;
        trace->clock.wander_most = seen.wander_most;
        return st;
}

static void forget_clock(ps_clock_info *clock)
{
        clock->room = clock->error = clock->wander = NULL;
        clock->drift = NULL;
        clock->wander_most = 0;
}

/* With these offsets alone each time is shifted as its process is, so that pairs tell of all messages. */
static bool fits_messages(const gathering *g)
{
        const ps_clock_info *clock = &g->trace->clock;
        bool fits = !g->contradicts_itself && !clock->drift;
        for (size_t i = 0; i < g->pairs.cap && fits; i++) {
                const ps_map_row *row = &g->pairs.row[i];
                fits = row->a == PS_NONE ||
                       ps_time_add(row->value, clock->offset[row->b] - clock->offset[row->a]) >= 0;
        }
        return fits;
}

ps_status ps_clock_offset(ps_trace *trace, ps_flows *flows, const ps_slacks *slacks, ps_time hopeless,
                          int gently, bool *fits, ps_error *err)
{
        gathering g = {.trace = trace};
        ps_offsets found = {0};
        ps_status st = gather_bounds(&g, flows, slacks, err);
        if (st >= 0)
                st = settle_offsets(&g, flows, NULL, &found, err);
        if (st >= 0 && !found.unknown && !gently)
                st = agree(&g, flows, trace, &found, err);
        if (st < 0)
                goto out;
        int usable = !found.unknown && are_sane(&found, trace->defs.processes.n);
        trace->clock.infeasible = !usable || found.eased > 0;
        if (!usable || found.eased >= hopeless) {
                forget_clock(&trace->clock);
                goto out;
        }
        if (gently)
                go_shortest_way(trace, &g.graph, &found);
        st = publish_offsets(trace, &found, err);
        *fits = st >= 0 && fits_messages(&g);
out:
        flows->drift = NULL;
        free(found.offset);
        free(found.width);
        gathering_free(&g);
        return st;
}
