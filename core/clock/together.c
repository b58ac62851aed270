/* together.c - offsets under which calls that waited end when that came for which they waited.
 *
 * A receive that takes long ends as its message arrives, a send that takes long as its receive begins, and a
 * barrier, for all who have been in it for long, as the last one enters: the one who is in it for the
 * shortest time. Such an end may be late, where a machine has too few cores, but never early. So of all ends
 * of one process that another one's begins released, the one that seems to have come soonest tells most, and
 * the more of them there were, the closer it came. These pairs hang together in a net; its offsets are those
 * that make the sum of all distances small: of their values, not their squares, so that a pair that came late
 * every time does not pull at the others. That is done by least squares, again and again, with each pair
 * weighing the less the farther it was off (conjugate gradients solve them: clusters that are tied together
 * closely, and to each other loosely, settle all the same). */
#include "core/clock/together.h"
#include "core/base/map.h"
#include "core/base/vector.h"
#include "core/clock/graph.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
        ROUNDS = 20,
        STEPS = 100 /* of conjugate gradients in a round */
};

/* A call that took longer than this waited for somebody; a shorter one may have found all there. */
static const ps_time shortest_wait = PS_PS_PER_NS * 100 * 1000;
/* Nobody is released faster: less says more of the library than of the clocks. */
static const double together = 1000.0 * PS_PS_PER_NS;
/* How late a single end may well be, where no others say how much that is: on a machine with too few cores
 * some milliseconds. */
static const double usual_delay = 3e6 * PS_PS_PER_NS;

/* The ends of one process's calls that another one's begins released. */
typedef struct link {
        ps_proc waits, releases;
        double soonest; /* end - begin, by the clocks of the two */
        double sum;     /* of all of them, beyond the first */
        double first;
        uint32_t n;
        double weight;
} link;

typedef struct gathering {
        ps_flows *flows;
        ps_map index; /* (waits, releases) -> link */
        PS_VECTOR(link) links;
} gathering;

static ps_status add_release(gathering *g, ps_proc waits, ps_time end, ps_proc releases, ps_time begin,
                             ps_error *err)
{
        if (waits == releases)
                return PS_OK;
        double after = (double)ps_time_sub(end, begin);
        ps_time *at = ps_map_at(&g->index, waits, releases, g->links.n);
        if (!at || ((uint32_t)*at == g->links.n &&
                    PS_PUSH(g->links,
                            (link){.waits = waits, .releases = releases, .soonest = after, .first = after})))
                return PS_NOMEM(err, "pairs of processes", g->links.n);
        link *l = &g->links.row[*at];
        l->soonest = after < l->soonest ? after : l->soonest;
        l->sum += after - l->first;
        l->n++;
        return PS_OK;
}

static ps_time span_of(const ps_trace *trace, ps_ref ref)
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
        int is_own = call.loc == ref.loc && call.op == ref.op;
        int waits = ps_kinds[ops->kind[call.op]].traits & PS_T_BLOCKING && (is_own || ops->tag[call.op] == 1);
        return waits ? call : none;
}

/* Of a message for which one side waited for the other. */
static ps_status gather_message(gathering *g, const ps_flow *flow, ps_error *err)
{
        const ps_trace *trace = g->flows->trace;
        const ps_timing *timing = g->flows->timing;
        ps_ref from = flow->step[0].ref, to = flow->step[1].ref;
        ps_ref send = waits_in(trace, from), recv = waits_in(trace, to);
        ps_time sent = send.op == PS_NONE ? 0 : span_of(trace, send);
        ps_time got = recv.op == PS_NONE ? 0 : span_of(trace, recv);
        ps_proc sender = flow->step[0].process, receiver = flow->step[1].process;
        if (got >= shortest_wait && got >= sent)
                return add_release(g, receiver, flow->step[1].time, sender, flow->step[0].time, err);
        if (sent >= shortest_wait)
                return add_release(g, sender, timing->leave[send.loc][send.op], receiver,
                                   timing->enter[to.loc][to.op], err);
        return PS_OK;
}

static int ends_together(const ps_trace *trace, uint32_t coll)
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
                ps_time here = span_of(trace, call);
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
                if (call.op != PS_NONE && ps_time_sub(span_of(trace, call), stay) >= shortest_wait)
                        st = add_release(g, step->process, step->time, last->process, last->time, err);
        }
        return st;
}

static ps_status gather_flow(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        return coll == PS_NONE ? gather_message(ctx, flow, err) : gather_coll(ctx, flow, coll, err);
}

/* -- least squares -- */

typedef struct fit {
        const gathering *g;
        uint32_t n;        /* processes */
        double *x;         /* the offsets */
        double *r, *d, *q; /* scratch: what is left, the direction, where it leads */
} fit;

/* How late the soonest end is under these offsets; without times, what the offsets alone make of it. */
static double lateness(const link *l, const double *offset, int times)
{
        return offset[l->waits] - offset[l->releases] + (times ? l->soonest : 0);
}

/* out = the slope of half the sum of squares at these offsets; without times, of the offsets alone. */
static void slope(const fit *f, const double *offset, int times, double *out)
{
        memset(out, 0, f->n * sizeof *out);
        for (uint32_t i = 0; i < f->g->links.n; i++) {
                const link *l = &f->g->links.row[i];
                double by = l->weight * lateness(l, offset, times);
                out[l->waits] += by;
                out[l->releases] -= by;
        }
}

static double product(const double *a, const double *b, uint32_t n)
{
        double sum = 0;
        for (uint32_t i = 0; i < n; i++)
                sum += a[i] * b[i];
        return sum;
}

/* All offsets may move together without anything to pay: what rounding leaves must not be followed there. */
static void solve(fit *f)
{
        const double nothing = 1e-6, flat = 1e-13;
        slope(f, f->x, 1, f->r);
        for (uint32_t i = 0; i < f->n; i++)
                f->d[i] = f->r[i] = -f->r[i];
        double left = product(f->r, f->r, f->n), enough = fmax(left * 1e-16, nothing);
        for (int step = 0; step < STEPS && left > enough; step++) {
                slope(f, f->d, 0, f->q);
                double bend = product(f->d, f->q, f->n);
                if (!(bend > flat * product(f->d, f->d, f->n)))
                        return;
                double by = left / bend, before = left;
                for (uint32_t i = 0; i < f->n; i++) {
                        f->x[i] += by * f->d[i];
                        f->r[i] -= by * f->q[i];
                }
                left = product(f->r, f->r, f->n);
                for (uint32_t i = 0; i < f->n; i++)
                        f->d[i] = f->r[i] + left / before * f->d[i];
        }
}

/* Those that are far off weigh less, and those that had many chances to be soon weigh more. */
static void weigh(const fit *f)
{
        for (uint32_t i = 0; i < f->g->links.n; i++) {
                link *l = &f->g->links.row[i];
                l->weight = l->n * together / (fabs(lateness(l, f->x, 1)) + together);
        }
}

/* -- how good it is -- */

/* How late the soonest of n ends may well be: so many chances divide the delay that they have on average.
 * What the fit leaves is wrong, too. */
static double error_of(const fit *f, const link *l)
{
        double mean = (l->first + l->sum / l->n) - l->soonest;
        return fabs(lateness(l, f->x, 1)) + (mean + usual_delay / l->n) / l->n;
}

/* Of two processes without a link: the least that a way over others adds up to. */
static ps_status judge(const ps_time **error, const fit *f, ps_arena *arena, ps_error *err)
{
        ps_time *matrix = NULL;
        ps_graph ways = {.n_nodes = f->n};
        ps_offsets none = {.offset = ps_memory_zeroed(f->n, sizeof(ps_time))};
        ps_status st = none.offset ? PS_OK : PS_NOMEM(err, "clocks", f->n);
        for (uint32_t i = 0; i < f->g->links.n && st >= 0; i++) {
                const link *l = &f->g->links.row[i];
                ps_time length = (ps_time)fmin(error_of(f, l), (double)(PS_TIME_MAX / 8));
                st = ps_graph_add(&ways, (ps_limit){l->waits, l->releases, 2, length}, err);
                st = st < 0 ? st : ps_graph_add(&ways, (ps_limit){l->releases, l->waits, 2, length}, err);
        }
        int done = 0;
        if (st >= 0 && ps_graph_room_is_cheap(&ways, f->n)) {
                matrix = PS_ARENA_NEW(arena, ps_time, (size_t)f->n * f->n);
                done = matrix ? ps_graph_room(&ways, &none, f->n, matrix, err)
                              : PS_NOMEM(err, "pairs of clocks", f->n);
        }
        *error = done > 0 ? matrix : NULL;
        ps_graph_free(&ways);
        free(none.offset);
        return done < 0 ? (ps_status)done : st;
}

static ps_status estimate(ps_time *offset, const ps_time **error, const gathering *g, uint32_t n,
                          ps_arena *arena, ps_error *err)
{
        double *room = ps_memory_zeroed(4 * (size_t)n, sizeof *room);
        if (!room)
                return PS_NOMEM(err, "clocks", n);
        fit f = {g, n, room, room + n, room + 2 * (size_t)n, room + 3 * (size_t)n};
        for (uint32_t p = 0; p < n; p++)
                f.x[p] = (double)offset[p];
        for (int round = 0; round < ROUNDS; round++) {
                weigh(&f);
                solve(&f);
        }
        for (uint32_t p = 0; p < n; p++)
                if (fabs(f.x[p]) < (double)(PS_TIME_MAX / 2))
                        offset[p] = (ps_time)f.x[p];
        ps_status st = judge(error, &f, arena, err);
        free(room);
        return st;
}

ps_status ps_together_estimate(ps_time *offset, const ps_time **error, ps_flows *flows, ps_arena *arena,
                               ps_error *err)
{
        gathering g = {.flows = flows};
        ps_status st = ps_flows_visit(flows, PS_FLOWS_ALL, gather_flow, &g, err);
        if (st >= 0 && g.links.n > 0)
                st = estimate(offset, error, &g, flows->trace->defs.processes.n, arena, err);
        ps_map_free(&g.index);
        free(g.links.row);
        return st;
}
