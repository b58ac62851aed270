/* clock_offset.c - which offsets the messages and collective operations of a trace allow.
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
#include "core/clock_offset.h"
#include "core/clock_graph.h"
#include "core/map.h"
#include <stdlib.h>

enum {
        PAIRS_PER_STEP = 32, /* more pairs than that for each step make an operation a large one */
        KEPT_PER_COMM = 16
};

/* The shortest large instances of one communicator. */
typedef struct kept {
        uint32_t n;
        uint32_t coll[KEPT_PER_COMM];
        double stay[KEPT_PER_COMM];
} kept;

typedef struct gathering {
        const ps_trace *trace;
        ps_map pairs;   /* (earlier, later) -> slack */
        kept **by_comm; /* NULL: none */
        ps_graph graph;
} gathering;

static ps_status add_pairs(gathering *g, const ps_flow *flow, ps_error *err)
{
        for (uint32_t t = 0; t < flow->n; t++)
                for (uint32_t i = 0; flow->step[t].takes && i < t; i++) {
                        const ps_step *give = &flow->step[i], *take = &flow->step[t];
                        if (give->takes || give->process == take->process)
                                continue;
                        ps_time slack = ps_time_sub(take->time, give->time);
                        ps_time *tightest = ps_map_at(&g->pairs, give->process, take->process, slack);
                        if (!tightest)
                                return PS_NOMEM(err, "pairs of processes", g->pairs.n);
                        if (slack < *tightest)
                                *tightest = slack;
                }
        return PS_OK;
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

static ps_status keep(gathering *g, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        kept **k = &g->by_comm[g->trace->colls[coll].comm];
        double stay = stay_of(flow);
        if (!*k && !(*k = calloc(1, sizeof **k)))
                return PS_NOMEM(err, "collective operations", 1);
        uint32_t at = (*k)->n, worst = 0;
        if (at < KEPT_PER_COMM) {
                (*k)->n++;
        } else {
                for (uint32_t i = 1; i < KEPT_PER_COMM; i++)
                        if ((*k)->stay[i] > (*k)->stay[worst])
                                worst = i;
                if (stay >= (*k)->stay[worst])
                        return PS_OK;
                at = worst;
        }
        (*k)->coll[at] = coll;
        (*k)->stay[at] = stay;
        return PS_OK;
}

static ps_status gather_flow(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        gathering *g = ctx;
        uint64_t n_pairs = (uint64_t)flow->n_gives * (flow->n - flow->n_gives);
        if (n_pairs <= (uint64_t)PAIRS_PER_STEP * flow->n)
                return add_pairs(g, flow, err);
        /* A large prefix operation would need a node for each member; such operations are rare: left out. */
        if (ps_kinds[g->trace->colls[coll].kind].traits & PS_T_PREFIX)
                return PS_OK;
        return keep(g, flow, coll, err);
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

static ps_status gather(gathering *g, ps_flows *flows, ps_error *err)
{
        uint32_t n_comms = g->trace->defs.comms.n;
        g->by_comm = calloc((size_t)n_comms + 1, sizeof *g->by_comm);
        if (!g->by_comm)
                return PS_NOMEM(err, "communicators", n_comms);
        g->graph.n_nodes = g->trace->defs.processes.n;
        ps_status st = ps_flows_visit(flows, gather_flow, g, err);
        if (st >= 0)
                st = limits_of_pairs(g, err);
        for (uint32_t c = 0; c < n_comms; c++)
                for (uint32_t i = 0; g->by_comm[c] && i < g->by_comm[c]->n && st >= 0; i++)
                        st = limits_of_coll(g, flows, g->by_comm[c]->coll[i], err);
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

static void add_to_location(ps_trace *trace, ps_loc loc, ps_time offset)
{
        ps_location_info *info = &trace->info[loc];
        for (ps_op op = 0; op < trace->ops[loc].n; op++) {
                trace->measured.enter[loc][op] = ps_time_add(trace->measured.enter[loc][op], offset);
                trace->measured.leave[loc][op] = ps_time_add(trace->measured.leave[loc][op], offset);
        }
        if (info->first > info->last)
                return;
        info->first = ps_time_add(info->first, offset);
        info->last = ps_time_add(info->last, offset);
}

/* Adds the offsets, and to each of them what makes the first event be at 0. */
static void apply(ps_trace *trace, ps_time *offset)
{
        ps_time first = PS_TIME_MAX;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_location_info *info = &trace->info[loc];
                ps_time here = ps_time_add(info->first, offset[trace->defs.locations.row[loc].process]);
                if (info->first <= info->last && here < first)
                        first = here;
        }
        for (ps_proc p = 0; p < trace->defs.processes.n && first != PS_TIME_MAX; p++)
                offset[p] = ps_time_sub(offset[p], first);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                add_to_location(trace, loc, offset[trace->defs.locations.row[loc].process]);
}

static ps_status publish(ps_trace *trace, const ps_offsets *found, ps_error *err)
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
        apply(trace, offset);
        trace->clock.offset = offset;
        trace->clock.width = width;
        trace->clock.repaired = 1;
        return PS_OK;
}

ps_status ps_clock_offset(ps_trace *trace, ps_flows *flows, ps_time hopeless, ps_error *err)
{
        gathering g = {.trace = trace};
        ps_offsets found = {0};
        ps_status st = gather(&g, flows, err);
        if (st < 0)
                goto out;
        found.offset = calloc((size_t)g.graph.n_nodes + 1, sizeof *found.offset);
        found.width = calloc((size_t)g.graph.n_nodes + 1, sizeof *found.width);
        if (!found.offset || !found.width) {
                st = PS_NOMEM(err, "clocks", g.graph.n_nodes);
                goto out;
        }
        if ((st = ps_graph_solve(&g.graph, &found, err)) < 0)
                goto out;
        trace->clock.infeasible = found.unknown || found.eased > 0;
        if (!found.unknown && found.eased < hopeless)
                st = publish(trace, &found, err);
out:
        free(found.offset);
        free(found.width);
        gathering_free(&g);
        return st;
}
