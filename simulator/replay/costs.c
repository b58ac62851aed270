/* costs.c - what messages and collective operations cost in each lane.
 *
 * The lengths of a trace's messages are few, so that costs are tabled by length, and within a node and
 * beyond where that differs. Only where each pair of ranks has costs of its own (LMO, clusters, a grid of
 * transputers) a machine is asked for each message. */
#include "core/base/hash.h"
#include "simulator/cost/collectives.h"
#include "simulator/cost/exchange.h"
#include "simulator/replay/slots.h"

#include <math.h>

#include <stdlib.h>
#include <string.h>

static ps_time scaled(ps_time time, double factor)
{
        return factor == 1 && time < REPLAY_COST_LIMIT ? time : ps_replay_scaled(time, factor);
}

static bool is_on_grid(const ps_machine *m)
{
        return m->model == PS_MODEL_TRANSPUTER && m->grid_rank;
}

static bool is_by_pair(const ps_machine *m)
{
        return m->model == PS_MODEL_LMO || m->model == PS_MODEL_CLUSTER || is_on_grid(m);
}

/* Over several processors of a grid, in the portions that are fastest now. */
static ps_time grid_flight(const ps_scenario *s, uint32_t hops, uint64_t bytes)
{
        const ps_link *link = &s->machine->link;
        ps_link now = {link->latency_s * s->latency,
                       s->per_byte > 0 ? link->bandwidth_bytes_per_s / s->per_byte : INFINITY};
        if (!bytes)
                return ps_time_times(ps_time_of_seconds(now.latency_s), hops);
        return ps_pipeline_time(&now, hops, bytes, PS_PIPELINING_EXACT);
}

static uint32_t hops_between(const ps_machine *m, uint32_t from, uint32_t to)
{
        ps_grid grid = {.rank = m->grid_rank};
        memcpy(grid.size, m->grid, sizeof(grid.size));
        return ps_grid_distance(&grid, ps_machine_node(m, from), ps_machine_node(m, to));
}

/* All parts of one message in one lane; `out` is [part][width]. */
static void price(ps_time *out, size_t width, const ps_scenario *s, uint32_t from, uint32_t to,
                  uint64_t bytes)
{
        const ps_machine *m = s->machine;
        bool latency_is_overhead = ps_machine_receives_early(m);
        double of_overhead = latency_is_overhead ? s->latency : 1;
        ps_time latency = ps_machine_latency(m, from, to), way = ps_machine_flight(m, from, to, bytes);
        ps_time in_way = latency_is_overhead ? 0 : latency < way ? latency : way;
        ps_time by_size = scaled(way - in_way, s->per_byte);
        out[PART_SEND * width] = scaled(ps_machine_send_overhead(m, from, to, bytes), of_overhead);
        out[PART_RECEIVE * width] = scaled(ps_machine_receive_overhead(m, from, to, bytes), of_overhead);
        out[PART_FLIGHT * width] = ps_time_add(scaled(in_way, s->latency), by_size);
        out[PART_HANDSHAKE * width] = scaled(ps_machine_handshake(m, from, to), s->latency);
        out[PART_RELEASE * width] = m->sender_free_at_end ? by_size : 0;
        out[PART_GAP * width] = scaled(ps_machine_gap(m, from, to, bytes), s->per_byte);
        out[PART_LATENCY * width] = scaled(latency, s->latency);
        uint32_t hops = is_on_grid(m) ? hops_between(m, from, to) : 0;
        if (hops > 1)
                out[PART_FLIGHT * width] = scaled(grid_flight(s, hops, bytes), 1);
}

static const ps_scenario *lane_of(const run *r, uint32_t lane)
{
        return r->lane[lane < r->n_lanes ? lane : 0];
}

/* Two ranks that are on one node, or on two, of a machine where all such pairs are alike. */
static void price_size(const run *r, ps_time *out, uint64_t bytes, int near)
{
        for (uint32_t w = 0; w < r->width; w++) {
                const ps_scenario *s = lane_of(r, w);
                ps_machine alike = *s->machine;
                alike.n_node_of_rank = 0;
                alike.ranks_per_node = near ? 2 : 1;
                price(out + w, r->width,
                      &(ps_scenario){.machine = &alike, .latency = s->latency, .per_byte = s->per_byte}, 0, 1,
                      bytes);
        }
}

static const ps_time *price_pair(run *r, ps_loc from, ps_loc to, uint64_t bytes)
{
        for (uint32_t w = 0; w < r->width; w++)
                price(r->costs.scratch + w, r->width, lane_of(r, w), ps_trace_process(r->replay->trace, from),
                      ps_trace_process(r->replay->trace, to), bytes);
        return r->costs.scratch;
}

const ps_time *ps_replay_costs_alone(run *r, ps_kind kind, ps_loc from, ps_loc to, uint64_t bytes)
{
        r->costs.has_odd = 0;
        for (uint32_t w = 0; w < r->width; w++) {
                const ps_scenario *s = lane_of(r, w);
                ps_machine on = *s->machine; /* only read, and what it points to is not its own */
                on.ways = ps_traffic_ways(r);
                price(r->costs.scratch + w, r->width,
                      &(ps_scenario){.machine = &on, .latency = s->latency, .per_byte = s->per_byte},
                      ps_trace_process(r->replay->trace, from), ps_trace_process(r->replay->trace, to),
                      bytes);
                for (uint32_t part = 0; on.collective[kind][0] == PS_SHAPE_FREE && part < N_PARTS; part++)
                        r->costs.scratch[part * r->width + w] = 0;
        }
        return r->costs.scratch;
}

static const ps_time *pick_by_node(run *r, ps_loc from, ps_loc to, const ps_time *far)
{
        const ps_time *near = part_of(far, N_PARTS, r->width);
        uint32_t p = ps_trace_process(r->replay->trace, from), q = ps_trace_process(r->replay->trace, to);
        for (uint32_t w = 0; w < r->width; w++) {
                const uint32_t *node = r->costs.node[w < r->n_lanes ? w : 0];
                const ps_time *part = node && node[p] == node[q] ? near : far;
                for (uint32_t i = 0; i < N_PARTS; i++)
                        r->costs.scratch[i * r->width + w] = part[i * r->width + w];
        }
        return r->costs.scratch;
}

const ps_time *ps_replay_price(run *r, ps_loc from, ps_loc to, uint16_t size, uint64_t bytes)
{
        run_costs *c = &r->costs;
        if (size == STEP_SIZE_ODD && !c->by_pair && c->n_near == 1 && c->has_odd && c->odd_bytes == bytes)
                return c->scratch;
        c->has_odd = size == STEP_SIZE_ODD;
        c->odd_bytes = bytes;
        if (c->by_pair || size == STEP_SIZE_ODD)
                return price_pair(r, from, to, bytes);
        const ps_time *far = c->table + (size_t)size * c->n_near * N_PARTS * r->width;
        return c->n_near == 1 ? far : pick_by_node(r, from, to, far);
}

static ps_status note_nodes(run *r, uint32_t lane, ps_error *err)
{
        const ps_machine *m = r->lane[lane]->machine;
        uint32_t n = r->replay->trace->defs.processes.n;
        if (!m->has_intra)
                return PS_OK;
        r->costs.n_near = 2;
        r->costs.node[lane] = malloc(((size_t)n + 1) * sizeof(uint32_t));
        if (!r->costs.node[lane])
                return PS_NOMEM(err, "nodes", n);
        for (uint32_t p = 0; p < n; p++)
                r->costs.node[lane][p] = ps_machine_node(m, p);
        return PS_OK;
}

ps_status ps_replay_costs_new(run *r, ps_error *err)
{
        run_costs *c = &r->costs;
        uint32_t n_sizes = r->replay->n_sizes;
        if (!r->has_machine)
                return PS_OK;
        c->n_near = 1;
        for (uint32_t lane = 0; lane < r->n_lanes; lane++) {
                c->by_pair |= (uint8_t)is_by_pair(r->lane[lane]->machine);
                PS_TRY(note_nodes(r, lane, err));
        }
        if (c->by_pair)
                return PS_OK;
        size_t row = (size_t)N_PARTS * r->width;
        c->table = malloc(((size_t)n_sizes * c->n_near + 1) * row * sizeof(ps_time));
        if (!c->table)
                return PS_NOMEM(err, "costs", n_sizes);
        for (uint32_t i = 0; i < n_sizes; i++)
                for (int near = 0; near < c->n_near; near++)
                        price_size(r, c->table + ((size_t)i * c->n_near + (size_t)near) * row,
                                   r->replay->sizes[i], near);
        return PS_OK;
}

void ps_replay_costs_free(run *r)
{
        free(r->costs.table);
        for (uint32_t lane = 0; lane < LANES_MAX; lane++)
                free(r->costs.node[lane]);
        r->costs = (run_costs){0};
}

/* -- collective operations -- */

/* Score-P counts what went to, or came from, all members together. */
static bool counts_all(const ps_trace *trace)
{
        return !strncmp(ps_defs_str(&trace->defs, trace->defs.creator), "Score-P", strlen("Score-P"));
}

static bool is_total(const ps_trace *trace, uint8_t kind)
{
        return kind == PS_K_ALLTOALL || kind == PS_K_ALLTOALLV || kind == PS_K_ALLTOALLW ||
               kind == PS_K_REDUCE_SCATTER ||
               ((ps_kinds[kind].traits & PS_T_ALL_TO_ALL) && counts_all(trace));
}

/* The whole vector, or the block of one member: the length that the formulas count in. Where one sends to
 * all, or all to one, the others' side of it is one member's. */
uint64_t ps_replay_coll_bytes(const ps_trace *trace, const ps_coll *coll)
{
        uint16_t traits = ps_kinds[coll->kind].traits;
        uint64_t sent = 0, received = 0, least_sent = UINT64_MAX;
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++) {
                ps_ref ref = trace->members[m].ref;
                uint64_t out = ps_op_bytes(&trace->ops[ref.loc], ref.op), in = trace->members[m].received;
                if (m == coll->root && coll->n > 1)
                        continue;
                sent = out > sent ? out : sent;
                received = in > received ? in : received;
                least_sent = out && out < least_sent ? out : least_sent;
        }
        if (traits & PS_T_ONE_TO_ALL)
                return received;
        if (traits & PS_T_ALL_TO_ONE)
                return sent;
        if (is_total(trace, coll->kind))
                return sent / coll->n + (sent % coll->n != 0);
        if (traits & PS_T_PREFIX && counts_all(trace) && sent)
                return least_sent; /* the last rank's, who sends to itself alone */
        return received && received < sent ? received : sent;
}

static ps_status coll_group(const run *r, const ps_coll *coll, ps_group *group)
{
        uint32_t *members = malloc(((size_t)coll->n + 1) * sizeof(*members));
        if (!members)
                return PS_NOMEM(r->err, "members", coll->n);
        for (uint32_t i = 0; i < coll->n; i++)
                members[i] = ps_trace_process(r->replay->trace,
                                              r->replay->trace->members[coll->first + i].ref.loc);
        *group = (ps_group){members, coll->n, coll->root == PS_NONE ? 0 : coll->root - coll->first};
        return PS_OK;
}

/* The machine's time, with the factors applied to the latencies of its messages and to the rest. */
static ps_time price_coll(const ps_scenario *s, ps_ways *ways, ps_kind kind, const ps_group *group,
                          uint64_t bytes)
{
        ps_machine on = *s->machine; /* only read, and what it points to is not its own */
        on.ways = ways;
        ps_time whole = ps_machine_collective(&on, kind, group, bytes);
        ps_time empty = s->latency == s->per_byte ? whole : ps_machine_collective(&on, kind, group, 0);
        empty = empty < whole ? empty : whole;
        return ps_time_add(scaled(empty, s->latency), scaled(whole - empty, s->per_byte));
}

const cached_cost *ps_replay_coll_cost(run *r, uint32_t index)
{
        static const cached_cost nothing;
        const ps_trace *trace = r->replay->trace;
        const ps_coll *coll = &trace->colls[index];
        if (!r->has_machine || is_kept_collective(coll->kind))
                return &nothing;
        uint32_t root = coll->root == PS_NONE ? PS_NONE : coll->root - coll->first;
        uint64_t bytes = r->replay->colls[index].bytes;
        uint64_t hash = ps_hash_mix(bytes ^ (uint64_t)coll->comm << 40 ^ (uint64_t)root << 8 ^ coll->kind);
        cached_cost *c = &r->cache[hash % COST_CACHE];
        if (c->used && c->comm == coll->comm && c->root == root && c->bytes == bytes &&
            c->kind == coll->kind && c->n == coll->n)
                return c;
        ps_group group;
        if ((r->status = coll_group(r, coll, &group)) != PS_OK)
                return &nothing;
        *c = (cached_cost){coll->comm, root, coll->n, bytes, coll->kind, 1, {0}, {0}};
        for (uint32_t w = 0; w < r->width; w++) {
                c->cost[w] =
                        price_coll(lane_of(r, w), ps_traffic_ways(r), (ps_kind)coll->kind, &group, bytes);
                c->own[w] = ps_machine_send_overhead(lane_of(r, w)->machine, group.members[0],
                                                     group.members[coll->n - 1], bytes);
        }
        free((void *)group.members);
        return c;
}

uint64_t ps_replay_uncertain_gathers(const ps_replay *replay, const ps_machine *machine)
{
        const ps_trace *trace = replay->trace;
        uint64_t count = 0;
        for (uint32_t i = 0; machine->model == PS_MODEL_LMO && i < trace->n_colls; i++) {
                const ps_coll *coll = &trace->colls[i];
                double bytes = (double)replay->colls[i].bytes;
                bool is_flat = coll->n > 1 && ps_collective_is_flat(machine, (ps_kind)coll->kind, coll->n,
                                                                    replay->colls[i].bytes);
                count += is_flat && ps_kinds[coll->kind].traits & PS_T_ALL_TO_ONE &&
                         bytes >= machine->lmo.gather_low_bytes && bytes <= machine->lmo.gather_high_bytes;
        }
        return count;
}
