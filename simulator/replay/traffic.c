/* traffic.c - what messages share: buses, channels, links of nodes or of a network.
 *
 * A message that is ready takes what it needs, all of it from the same moment on, and keeps it until it has
 * passed; who is ready first comes first. In a network each link is taken on its own, in the first gap
 * (simulator/network/links.h), or shared by all who are on it (fluid.h). Ranks of one node share memory, of
 * which there is enough. */
#include "core/base/heap.h"
#include "simulator/cost/models.h"
#include "simulator/network/fluid.h"
#include "simulator/network/links.h"
#include "simulator/network/ways.h"
#include "simulator/replay/slots.h"

#include <stdlib.h>

/* `each` channels of each owner, a heap of the times when they are free; 0: there is always one. */
typedef struct pool {
        ps_time *free_at;
        uint32_t each;
} pool;

struct ps_traffic {
        const ps_machine *machine;
        uint32_t n_owners, *node; /* by location; counted from 0 */
        pool shared, out, in;
        ps_network *network;
        ps_links *links;              /* of which each carries one message at a time; or */
        ps_fluid *fluid;              /* links that are shared fairly */
        ps_ways *ways;                /* of those that formulas ask for; NULL: none did */
        ps_time latency, hop_latency; /* then: of a message, of each link */
        ps_time retired;              /* what the links have forgotten ended before */
        uint64_t n_transfers, n_delayed;
        ps_time delayed;
};

static ps_status open_pool(pool *p, size_t owners, uint32_t each, uint32_t most, ps_error *err)
{
        p->each = each < most ? each : most;
        p->free_at = NULL;
        if (!p->each)
                return PS_OK;
        p->free_at = owners <= SIZE_MAX / p->each ? calloc(owners * p->each, sizeof(*p->free_at)) : NULL;
        return p->free_at ? PS_OK : PS_NOMEM(err, "channels", owners);
}

static ps_time *heap_of(const pool *p, size_t owner)
{
        return p->each ? p->free_at + owner * p->each : NULL;
}

static bool is_earlier(const ps_time *a, const ps_time *b)
{
        return *a < *b;
}

PS_HEAP(free, ps_time, is_earlier)

/* The channel that is free first is taken until `end`. */
static void take_earliest(ps_time *heap, uint32_t n, ps_time end)
{
        free_sink(heap, n, 0, end);
}

static ps_status number_nodes(ps_traffic *t, const ps_trace *trace, ps_error *err)
{
        uint32_t *node, n_locs = trace->n_locs;
        t->node = malloc(((size_t)n_locs + 1) * sizeof(*t->node));
        if (!t->node)
                return PS_NOMEM(err, "nodes", n_locs);
        PS_TRY(ps_machine_number_nodes(&node, &t->n_owners, t->machine, trace->defs.processes.n, err));
        for (ps_loc loc = 0; loc < n_locs; loc++)
                t->node[loc] = node[trace->defs.locations.row[loc].process];
        free(node);
        return PS_OK;
}

/* -- what there is -- */

static ps_status open_network(ps_traffic *t, const ps_scenario *s, ps_error *err)
{
        const ps_machine *m = t->machine;
        double ps_per_byte = (double)PS_PS_PER_S / m->link_bandwidth_bytes_per_s * s->per_byte;
        PS_TRY(ps_network_open(&t->network, m->network, t->n_owners, err));
        t->latency = ps_replay_scaled(ps_time_of_seconds(m->link.latency_s), s->latency);
        t->hop_latency = ps_time_of_seconds(m->hop_latency_s * s->latency);
        if (m->sharing == PS_SHARING_FAIR)
                return ps_fluid_new(&t->fluid, t->network, ps_per_byte,
                                    (double)PS_PS_PER_S / m->link.bandwidth_bytes_per_s * s->per_byte, err);
        PS_TRY(ps_links_new(&t->links, t->network, ps_per_byte, err));
        ps_links_set_latency(t->links, t->hop_latency);
        return PS_OK;
}

static ps_status open_channels(ps_traffic *t, const ps_scenario *s, uint32_t n_procs, ps_error *err)
{
        const ps_machine *m = t->machine;
        uint32_t most = 0;
        switch (m->model) {
        case PS_MODEL_BUS:
                return open_pool(&t->shared, 1, 1, 1, err);
        case PS_MODEL_MYRINET:
                return open_pool(&t->shared, 1, m->channels, n_procs, err);
        case PS_MODEL_CLUSTER:
                for (uint32_t i = 0; i < m->n_clusters; i++)
                        most = m->clusters[i].channels > most ? m->clusters[i].channels : most;
                return open_pool(&t->shared, m->clusters[m->n_clusters - 1].n_instances, most, n_procs, err);
        case PS_MODEL_TOPOLOGY:
                return open_network(t, s, err);
        default:
                PS_TRY(open_pool(&t->shared, 1, m->buses, n_procs, err));
                PS_TRY(open_pool(&t->out, t->n_owners, m->links_out, n_procs, err));
                return open_pool(&t->in, t->n_owners, m->links_in, n_procs, err);
        }
}

ps_status ps_traffic_new(ps_traffic **out, const run *r, ps_error *err)
{
        uint32_t n_procs = r->replay->trace->defs.processes.n;
        ps_traffic *t = calloc(1, sizeof(*t));
        if (!t)
                return PS_NOMEM(err, "traffic", 1);
        t->machine = r->lane[0]->machine;
        t->retired = INT64_MIN; /* a thread may begin before 0, where its fork was over later */
        ps_status status = number_nodes(t, r->replay->trace, err);
        PS_THEN(status, open_channels(t, r->lane[0], n_procs, err));
        if (status == PS_OK)
                *out = t;
        else
                ps_traffic_free(t);
        return status;
}

void ps_traffic_free(ps_traffic *t)
{
        if (!t)
                return;
        free(t->node);
        free(t->shared.free_at);
        free(t->out.free_at);
        free(t->in.free_at);
        ps_ways_free(t->ways);
        ps_links_free(t->links);
        ps_fluid_free(t->fluid);
        ps_network_free(t->network);
        free(t);
}

/* -- one message -- */

static ps_time over_channels(const run *r, ps_loc from, ps_loc to, ps_time start, ps_time flight)
{
        const ps_traffic *t = r->traffic;
        const ps_location_def *of = r->replay->trace->defs.locations.row;
        uint32_t owner = 0, n = t->shared.each;
        if (t->machine->model == PS_MODEL_CLUSTER) {
                uint32_t i = ps_cluster_find(t->machine, of[from].process, of[to].process, &owner);
                n = t->machine->clusters[i].channels;
                n = n < t->shared.each ? n : t->shared.each;
        }
        ps_time *heaps[] = {n ? heap_of(&t->shared, owner) : NULL, heap_of(&t->out, t->node[from]),
                            heap_of(&t->in, t->node[to])};
        const uint32_t sizes[] = {n, t->out.each, t->in.each};
        ps_time begin = start;
        for (int i = 0; i < 3; i++)
                if (heaps[i] && *heaps[i] > begin)
                        begin = *heaps[i];
        for (int i = 0; i < 3; i++)
                if (heaps[i])
                        take_earliest(heaps[i], sizes[i], begin + flight);
        return begin;
}

/* L + b/B to the network, and then through it. */
static ps_time over_links(run *r, ps_loc from, ps_loc to, uint64_t bytes, ps_time start, ps_time *flight)
{
        ps_traffic *t = r->traffic;
        ps_time arrival = start;
        r->went_back |= start < t->retired;
        if (r->went_back)
                return start;
        if (r->forgets) { /* whoever runs has the earliest clock of all */
                ps_time before = r->now < start ? r->now : start;
                t->retired = before > t->retired ? before : t->retired;
                ps_links_retire(t->links, before);
        }
        ps_status status =
                ps_links_send(t->links, t->node[from], t->node[to], bytes, start, &arrival, r->err);
        if (status != PS_OK && r->status == PS_OK)
                r->status = status;
        if (arrival > REPLAY_TIME_LIMIT)
                arrival = REPLAY_TIME_LIMIT;
        *flight += arrival - start;
        return start;
}

ps_time ps_replay_transfer(run *r, ps_loc from, ps_loc to, uint64_t bytes, ps_time start, ps_time *flight)
{
        ps_traffic *t = r->traffic;
        t->n_transfers++;
        if (t->node[from] == t->node[to] && t->machine->model != PS_MODEL_CLUSTER)
                return start;
        if (t->links)
                return over_links(r, from, to, bytes, start, flight);
        ps_time begin = over_channels(r, from, to, start, *flight);
        t->n_delayed += begin > start;
        t->delayed = ps_time_add(t->delayed, begin - start);
        return begin;
}

/* -- a network that is shared fairly -- */

bool ps_replay_departs(run *r, ps_loc from, ps_loc to, uint64_t bytes, ps_time start, uint64_t name)
{
        ps_traffic *t = r->traffic;
        if (!t->fluid || t->node[from] == t->node[to])
                return false;
        t->n_transfers++;
        ps_status status = ps_fluid_begin(t->fluid, t->node[from], t->node[to], bytes, start, name, r->err);
        r->status = status != PS_OK && r->status == PS_OK ? status : r->status;
        return true;
}

bool ps_traffic_is_due(ps_traffic *t, ps_time by)
{
        ps_time next = t->fluid ? ps_fluid_next(t->fluid) : PS_TIME_MAX;
        return next < PS_TIME_MAX && next <= by;
}

void ps_traffic_step(run *r)
{
        ps_traffic *t = r->traffic;
        ps_time now = ps_fluid_next(t->fluid);
        uint64_t name;
        uint32_t hops;
        if (!ps_fluid_step(t->fluid, &name, &hops))
                return;
        ps_time arrival = ps_time_add(ps_time_add(now, t->latency), ps_time_times(t->hop_latency, hops));
        ps_replay_deliver(r, name, arrival < REPLAY_TIME_LIMIT ? arrival : REPLAY_TIME_LIMIT,
                          now < REPLAY_TIME_LIMIT ? now : REPLAY_TIME_LIMIT);
}

ps_ways *ps_traffic_ways(run *r)
{
        ps_traffic *t = r->traffic;
        if (!t || !t->network || t->ways || r->status != PS_OK)
                return t ? t->ways : NULL;
        r->status = ps_ways_new(&t->ways, t->machine, r->replay->trace->defs.processes.n, r->err);
        return t->ways;
}

void ps_traffic_count(const ps_traffic *t, ps_replayed *out)
{
        out->n_transfers = t->n_transfers;
        out->n_delayed = t->n_delayed;
        out->delayed = t->delayed;
}
