/* bounds.c - see bounds.h.
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
 * Neither the tightest of a pair nor the best of a communicator depends on who is looked at first: so where
 * several processes have rows, each looks at its own. */
#include "core/clock/bounds.h"
#include "core/clock/orders.h"

#include <stdlib.h>

enum {
        PAIRS_PER_STEP = 32, /* more pairs than that for each step make an operation a large one */
        KEPT_PER_COMM = 16   /* in each round */
};

/* The large instances of one communicator that promise most, the best first. */
typedef struct ps_kept {
        uint32_t n;
        ps_candidate row[KEPT_PER_COMM];
} ps_kept;

/* What is being looked at, and the bounds so far. */
struct looking {
        ps_bounds *b;
        const ps_flows *flows;
        const ps_time *offset; /* by process */
        ps_time eased;
};

/* The pair is tighter than was known, for all one sees at a glance. */
__attribute__((noinline)) static ps_status tighten_pair(ps_bounds *b, struct ps_known_pair *known,
                                                        ps_proc gives, ps_proc takes, ps_time slack,
                                                        ps_error *err)
{
        b->contradicts_itself |= gives == takes && slack < 0;
        if (gives == takes)
                return PS_OK;
        ps_time *tightest = ps_map_at(&b->pairs, gives, takes, slack);
        if (!tightest)
                return PS_NOMEM(err, "pairs of processes", b->pairs.n);
        if (slack < *tightest)
                *tightest = slack;
        *known = (struct ps_known_pair){gives, takes + 1, *tightest};
        return PS_OK;
}

/* How tight the pair is: as far as it is known, nearly no message makes it tighter. */
static inline ps_status add_pair(ps_bounds *b, ps_proc gives, ps_proc takes, ps_time slack, ps_error *err)
{
        struct ps_known_pair *known = &b->known[(gives * 31 + takes) % PS_KNOWN_PAIRS];
        return known->takes == takes + 1 && known->gives == gives && slack >= known->tightest
                       ? PS_OK
                       : tighten_pair(b, known, gives, takes, slack, err);
}

static ps_status add_pairs(ps_bounds *b, const ps_flow *flow, ps_error *err)
{
        for (uint32_t t = 0; t < flow->n; t++) {
                const ps_step take = flow->step[t];
                for (uint32_t i = 0; take.takes && i < t; i++) {
                        const ps_step *give = &flow->step[i];
                        if (!give->takes)
                                PS_TRY(add_pair(b, give->process, take.process,
                                                ps_time_sub(take.time, give->time), err));
                }
        }
        return PS_OK;
}

static ps_status gather_message(void *ctx, const ps_message_times *m, ps_error *err)
{
        ps_bounds *b = ((const struct looking *)ctx)->b;
        return add_pair(b, ps_trace_process(b->trace, m->sender), ps_trace_process(b->trace, m->recv.loc),
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
static bool is_better(const ps_candidate *a, const ps_candidate *b)
{
        return a->cost != b->cost ? a->cost < b->cost : a->coll < b->coll;
}

static ps_status keep_candidate(ps_bounds *b, const ps_candidate *fresh, ps_error *err)
{
        size_t n_comms = b->trace->defs.comms.n;
        if (!b->kept && !(b->kept = calloc(n_comms + 1, sizeof(*b->kept))))
                return PS_NOMEM(err, "communicators", n_comms);
        ps_kept *k = &b->kept[fresh->comm];
        uint32_t i = k->n;
        if (k->n < KEPT_PER_COMM)
                k->n++;
        else if (!is_better(fresh, &k->row[--i]))
                return PS_OK;
        for (; i && is_better(fresh, &k->row[i - 1]); i--)
                k->row[i] = k->row[i - 1];
        k->row[i] = *fresh;
        return PS_OK;
}

static ps_candidate candidate_of(const struct looking *l, const ps_flow *flow, uint32_t coll, double cost)
{
        const ps_clock_apart *apart = l->flows->apart;
        uint32_t home = flow->stay ? PS_NONE : apart ? apart->x->rank : 0;
        return (ps_candidate){cost, coll, home, flow->of->comm};
}

/* A large prefix operation would need a node for each member; such operations are rare: left out. Teams stay
 * within one process. */
static bool is_large(const ps_flow *flow)
{
        uint64_t n_pairs = (uint64_t)flow->n_gives * (flow->n - flow->n_gives);
        return n_pairs > (uint64_t)PAIRS_PER_STEP * flow->n &&
               !(ps_kinds[flow->of->kind].traits & (PS_T_PREFIX | PS_T_TEAM));
}

static ps_status gather_flow(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        const struct looking *l = ctx;
        uint64_t n_pairs = (uint64_t)flow->n_gives * (flow->n - flow->n_gives);
        if (n_pairs <= (uint64_t)PAIRS_PER_STEP * flow->n)
                return add_pairs(l->b, flow, err);
        if (!is_large(flow))
                return PS_OK;
        const ps_candidate fresh = candidate_of(l, flow, coll, stay_of(flow));
        return keep_candidate(l->b, &fresh, err);
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

static ps_status refine_flow(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        const struct looking *l = ctx;
        ps_time most = is_large(flow) ? contradiction(flow, l->offset) : 0;
        const ps_candidate fresh = candidate_of(l, flow, coll, -(double)most);
        return most > l->eased ? keep_candidate(l->b, &fresh, err) : PS_OK;
}

/* -- what was seen elsewhere, or is told there -- */

static ps_status pass_pairs(ps_pass *p, ps_bounds *b)
{
        uint64_t n = b->pairs.n;
        PS_TRY(ps_pass_values(p, &n, 1, sizeof(n)));
        for (size_t i = 0; p->way != PS_PASS_TAKE && i < b->pairs.cap; i++)
                if (b->pairs.row[i].a != PS_NONE)
                        PS_TRY(ps_pass_values(p, &b->pairs.row[i], 1, sizeof(*b->pairs.row)));
        for (ps_map_row row; p->way == PS_PASS_TAKE && n; n--) {
                PS_TRY(ps_pass_values(p, &row, 1, sizeof(row)));
                PS_TRY(add_pair(b, row.a, row.b, row.value, p->err));
        }
        return PS_OK;
}

static ps_status pass_kept(ps_pass *p, ps_bounds *b)
{
        uint32_t n = 0;
        for (ps_comm c = 0; b->kept && c < b->trace->defs.comms.n; c++)
                n += b->kept[c].n;
        PS_TRY(ps_pass_values(p, &n, 1, sizeof(n)));
        for (ps_comm c = 0; p->way != PS_PASS_TAKE && b->kept && c < b->trace->defs.comms.n; c++)
                PS_TRY(ps_pass_values(p, b->kept[c].row, b->kept[c].n, sizeof(*b->kept[c].row)));
        for (ps_candidate one; p->way == PS_PASS_TAKE && n; n--) {
                PS_TRY(ps_pass_values(p, &one, 1, sizeof(one)));
                PS_TRY(keep_candidate(b, &one, p->err));
        }
        return PS_OK;
}

static ps_status pass_bounds(ps_pass *p, void *what)
{
        ps_bounds *b = what;
        bool contradicts = b->contradicts_itself;
        PS_TRY(ps_pass_bool(p, &contradicts));
        b->contradicts_itself |= contradicts;
        PS_TRY(pass_pairs(p, b));
        return pass_kept(p, b);
}

static ps_status pass_limits(ps_pass *p, void *what)
{
        ps_graph *graph = what;
        uint64_t n = graph->n;
        PS_TRY(ps_pass_values(p, &n, 1, sizeof(n)));
        if (p->way != PS_PASS_TAKE)
                return ps_pass_values(p, graph->limit, n, sizeof(*graph->limit));
        for (ps_limit one; n; n--) {
                PS_TRY(ps_pass_values(p, &one, 1, sizeof(one)));
                PS_TRY(ps_graph_add(graph, one, p->err));
        }
        return PS_OK;
}

/* -- each message and collective operation -- */

/* Of messages only what is not known by pairs already. */
static ps_status look_at_flows(ps_bounds *b, ps_flows *flows, const ps_slacks *slacks, ps_error *err)
{
        struct looking l = {.b = b, .flows = flows};
        bool knows_pairs = slacks && slacks->tells && slacks->tells_pairs;
        for (uint32_t i = 0; knows_pairs && i < slacks->n; i++)
                PS_TRY(add_pair(b, slacks->row[i].from, slacks->row[i].to, slacks->row[i].least, err));
        if (knows_pairs)
                return ps_flows_visit_colls(flows, gather_flow, &l, err);
        flows->message = gather_message;
        ps_status st = ps_flows_visit(flows, PS_FLOWS_ALL, gather_flow, &l, err);
        flows->message = NULL;
        return st;
}

static ps_status limits_of_pairs(ps_bounds *b, ps_error *err)
{
        for (size_t i = 0; i < b->pairs.cap; i++) {
                const ps_map_row *row = &b->pairs.row[i];
                if (row->a != PS_NONE)
                        PS_TRY(ps_graph_add(&b->graph, (ps_limit){row->a, row->b, 2, row->value}, err));
        }
        return PS_OK;
}

static ps_status limits_of_flow(ps_graph *graph, const ps_flow *flow, uint32_t node, ps_error *err)
{
        for (uint32_t i = 0; i < flow->n; i++) {
                const ps_step *s = &flow->step[i];
                ps_limit limit = {s->process, node, 1, ps_time_sub(0, s->time)};
                if (s->takes)
                        limit = (ps_limit){node, s->process, 1, s->time};
                PS_TRY(ps_graph_add(graph, limit, err));
        }
        return PS_OK;
}

/* -- large ones -- */

static ps_status limits_here(ps_graph *graph, ps_flows *flows, const ps_clock_order *o, ps_error *err)
{
        uint32_t rank = flows->apart ? flows->apart->x->rank : 0;
        for (uint32_t i = 0; i < o->n_candidates; i++) {
                const ps_candidate *c = &o->candidate[i];
                bool is_dealt = c->home == PS_NONE;
                uint32_t coll = is_dealt ? ps_flows_find_dealt(flows, c->coll) : c->coll;
                if (coll == PS_NONE || (!is_dealt && c->home != rank))
                        continue;
                const ps_flow flow = is_dealt ? ps_flow_part(flows, coll) : ps_flow_coll(flows, coll);
                PS_TRY(limits_of_flow(graph, &flow, o->first_node + i, err));
        }
        return PS_OK;
}

static ps_status list_kept(const ps_bounds *b, ps_candidate **out, uint32_t *n, ps_error *err)
{
        *n = 0;
        for (ps_comm c = 0; b->kept && c < b->trace->defs.comms.n; c++)
                *n += b->kept[c].n;
        *out = malloc((*n + (size_t)1) * sizeof(**out));
        if (!*out)
                return PS_NOMEM(err, "collective operations", *n);
        *n = 0;
        for (ps_comm c = 0; b->kept && c < b->trace->defs.comms.n; c++)
                for (uint32_t i = 0; i < b->kept[c].n; i++)
                        (*out)[(*n)++] = b->kept[c].row[i];
        return PS_OK;
}

static ps_status ask_for_limits(ps_bounds *b, ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        b->graph.n_nodes += order->n_candidates;
        PS_TRY(ps_clock_ask(flows, order, err));
        return ps_clock_collect(flows, limits_here(&b->graph, flows, order, err), pass_limits, &b->graph,
                                err);
}

/* Turns the kept instances into constraints and forgets them. */
static ps_status limits_of_kept(ps_bounds *b, ps_flows *flows, ps_error *err)
{
        ps_candidate *list;
        ps_clock_order order = {
                .kind = PS_CLOCK_LIMITS, .drift = flows->drift, .first_node = b->graph.n_nodes};
        ps_status status = list_kept(b, &list, &order.n_candidates, err);
        order.candidate = list;
        if (status == PS_OK && order.n_candidates)
                status = ask_for_limits(b, flows, &order, err);
        free(list);
        free(b->kept);
        b->kept = NULL;
        return status;
}

/* -- what is asked -- */

static ps_status gather_all(ps_bounds *b, ps_flows *flows, const ps_slacks *slacks, ps_error *err)
{
        return ps_clock_collect(flows, look_at_flows(b, flows, slacks, err), pass_bounds, b, err);
}

ps_status ps_bounds_gather(ps_bounds *b, ps_flows *flows, const ps_slacks *slacks, ps_error *err)
{
        const ps_clock_order order = {.kind = PS_CLOCK_BOUNDS, .drift = flows->drift};
        b->graph.n_nodes = b->trace->defs.processes.n;
        PS_TRY(ps_clock_ask(flows, &order, err));
        PS_TRY(gather_all(b, flows, slacks, err));
        PS_TRY(limits_of_pairs(b, err));
        return limits_of_kept(b, flows, err);
}

static ps_status refine_all(ps_bounds *b, ps_flows *flows, const ps_clock_order *o, ps_error *err)
{
        struct looking l = {b, flows, o->offset, o->eased};
        const ps_trace *trace = flows->trace;
        ps_status status = PS_OK;
        for (uint32_t c = 0; c < trace->n_colls && status == PS_OK; c++) {
                if (trace->colls[c].n <= PAIRS_PER_STEP || (flows->apart && flows->apart->id[c] != PS_NONE))
                        continue;
                const ps_flow flow = ps_flow_coll(flows, c);
                status = refine_flow(&l, &flow, c, err);
        }
        if (flows->apart)
                status = ps_flows_visit_dealt(flows, PAIRS_PER_STEP, status, refine_flow, &l, err);
        return ps_clock_collect(flows, status, pass_bounds, b, err);
}

ps_status ps_bounds_refine(ps_bounds *b, ps_flows *flows, const ps_offsets *found, bool *more, ps_error *err)
{
        const ps_clock_order order = {.kind = PS_CLOCK_CONTRADICTED,
                                      .drift = flows->drift,
                                      .offset = found->offset,
                                      .eased = found->eased};
        uint32_t n = b->graph.n_nodes;
        PS_TRY(ps_clock_ask(flows, &order, err));
        PS_TRY(refine_all(b, flows, &order, err));
        PS_TRY(limits_of_kept(b, flows, err));
        *more = b->graph.n_nodes > n;
        return PS_OK;
}

void ps_bounds_free(ps_bounds *b)
{
        free(b->kept);
        ps_map_free(&b->pairs);
        ps_graph_free(&b->graph);
}

/* -- the others -- */

ps_status ps_bounds_serve(ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        ps_bounds b = {.trace = flows->trace};
        (void)order;
        ps_status status = gather_all(&b, flows, NULL, err);
        ps_bounds_free(&b);
        return status;
}

ps_status ps_contradicted_serve(ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        ps_bounds b = {.trace = flows->trace};
        ps_status status = refine_all(&b, flows, order, err);
        ps_bounds_free(&b);
        return status;
}

ps_status ps_limits_serve(ps_flows *flows, const ps_clock_order *order, ps_error *err)
{
        ps_graph graph = {.n = 0};
        ps_status status = limits_here(&graph, flows, order, err);
        status = ps_clock_collect(flows, status, pass_limits, &graph, err);
        ps_graph_free(&graph);
        return status;
}
