/* together.c - offsets under which the ends of calls that end together do so.
 *
 * Each moment has a time of its own, the mean of its members' ends, and each end should be there. The sum of
 * the distances is made small: of their values, not their squares, so that the ends that came late for
 * reasons of their own do not count for more than others. That is done by least squares, again and again,
 * with each end weighing the less the farther it was off (conjugate gradients solve them: clusters that are
 * tied together closely, and to each other loosely, settle all the same). */
#include "core/clock/together.h"
#include "core/base/memory.h"
#include "core/base/vector.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
        ENDS_MAX = 1 << 20, /* more than that are thinned out evenly */
        ROUNDS = 20,
        STEPS = 100 /* of conjugate gradients in a round */
};

/* A call that took longer than this waited for somebody; a shorter one may have found all there. */
static const ps_time shortest_wait = 100 * 1000 * PS_PS_PER_NS;
/* Ends this close to each other are together: less says more of the library than of the clocks. */
static const double together = 1000.0 * PS_PS_PER_NS;
/* How far apart the members of one single moment may well end, where no others say how much it is: on a
 * machine with too few cores some milliseconds. */
static const double usual_spread = 3e6 * PS_PS_PER_NS;

typedef struct end {
        ps_proc process;
        double time;
        double weight;
} end;

typedef struct moment {
        uint32_t first, n;
        double weight; /* the longest wait that ended: what is long compared with delays says more */
} moment;

typedef struct gathering {
        ps_flows *flows;
        moment *moments;
        end *ends;
        uint32_t n_moments, n_ends, moment_room, end_room;
        uint64_t seen, stride;
        int is_counting;
} gathering;

static int add_end(gathering *g, ps_proc process, ps_time time)
{
        if (PS_ROOM(g->ends, g->n_ends, g->end_room) < 0)
                return -1;
        g->ends[g->n_ends++] = (end){process, (double)time, 1};
        return 0;
}

/* Whether this moment is one of those that are kept; while they are counted, none is. */
static int is_kept(gathering *g, uint32_t n_ends)
{
        uint64_t before = g->seen;
        g->seen += n_ends;
        return !g->is_counting && before / g->stride != g->seen / g->stride;
}

static int begin_moment(gathering *g, ps_time weight)
{
        if (PS_ROOM(g->moments, g->n_moments, g->moment_room) < 0)
                return -1;
        g->moments[g->n_moments++] = (moment){.first = g->n_ends, .weight = (double)weight};
        return 0;
}

static void end_moment(gathering *g)
{
        moment *m = &g->moments[g->n_moments - 1];
        m->n = g->n_ends - m->first;
}

static ps_time span_of(const ps_trace *trace, ps_ref ref)
{
        return ps_time_sub(trace->measured.leave[ref.loc][ref.op], trace->measured.enter[ref.loc][ref.op]);
}

/* The call in which the process waited for this end of a message and for nothing else; op PS_NONE: none. */
static ps_ref waits_in(const ps_trace *trace, ps_ref ref)
{
        ps_ref call = ps_op_completion(trace, ref);
        if (call.op == PS_NONE || (call.loc == ref.loc && call.op == ref.op))
                return call;
        const ps_ops *ops = &trace->ops[call.loc];
        int waits = ps_kinds[ops->kind[call.op]].traits & PS_T_BLOCKING && ops->tag[call.op] == 1;
        return waits ? call : (ps_ref){PS_NONE, PS_NONE};
}

/* Of a message of which one side waited for the other: a send that blocks is over when its receive is. */
static ps_status gather_message(gathering *g, const ps_flow *flow, ps_error *err)
{
        const ps_trace *trace = g->flows->trace;
        const ps_step *give = &flow->step[0], *take = &flow->step[1];
        ps_ref recv = waits_in(trace, take->ref);
        int blocks = ps_kinds[trace->ops[give->ref.loc].kind[give->ref.op]].traits & PS_T_BLOCKING;
        if (recv.op == PS_NONE || give->process == take->process)
                return PS_OK;
        ps_time waited = span_of(trace, recv), sent = blocks ? span_of(trace, give->ref) : 0;
        waited = sent > waited ? sent : waited;
        if (waited < shortest_wait || !is_kept(g, 2))
                return PS_OK;
        ps_time left = blocks ? ps_op_record_end(trace, g->flows->timing, give->ref) : give->time;
        if (begin_moment(g, waited) < 0 || add_end(g, give->process, left) < 0 ||
            add_end(g, take->process, take->time) < 0)
                return PS_NOMEM(err, "ends of messages", g->n_ends);
        end_moment(g);
        return PS_OK;
}

static int ends_together(const ps_trace *trace, uint32_t coll)
{
        uint16_t traits = ps_kinds[trace->colls[coll].kind].traits;
        return traits & (PS_T_BARRIER | PS_T_ALL_TO_ALL) && !(traits & PS_T_TEAM);
}

static ps_status gather_coll(gathering *g, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        const ps_trace *trace = g->flows->trace;
        ps_time longest = shortest_wait;
        if (!ends_together(trace, coll) || flow->n - flow->n_gives < 2 ||
            !is_kept(g, flow->n - flow->n_gives))
                return PS_OK;
        if (begin_moment(g, 0) < 0)
                return PS_NOMEM(err, "ends of collective operations", g->n_moments);
        for (uint32_t i = 0; i < flow->n; i++) {
                const ps_step *step = &flow->step[i];
                ps_ref call = step->takes ? waits_in(trace, step->ref) : (ps_ref){PS_NONE, PS_NONE};
                if (call.op == PS_NONE)
                        continue;
                longest = span_of(trace, call) > longest ? span_of(trace, call) : longest;
                if (add_end(g, step->process, step->time) < 0)
                        return PS_NOMEM(err, "ends of collective operations", g->n_ends);
        }
        g->moments[g->n_moments - 1].weight = (double)longest;
        end_moment(g);
        return PS_OK;
}

static ps_status gather_flow(void *ctx, const ps_flow *flow, uint32_t coll, ps_error *err)
{
        return coll == PS_NONE ? gather_message(ctx, flow, err) : gather_coll(ctx, flow, coll, err);
}

static ps_status gather(gathering *g, ps_error *err)
{
        g->is_counting = 1;
        ps_status st = ps_flows_visit(g->flows, PS_FLOWS_ALL, gather_flow, g, err);
        g->stride = 1 + g->seen / ENDS_MAX;
        g->seen = 0;
        g->is_counting = 0;
        return st < 0 ? st : ps_flows_visit(g->flows, PS_FLOWS_ALL, gather_flow, g, err);
}

/* -- least squares -- */

typedef struct fit {
        const gathering *g;
        uint32_t n;        /* processes */
        double *x;         /* the offsets */
        double *r, *d, *q; /* scratch: what is left, the direction, where it leads */
} fit;

/* Where a moment's ends are on average; with `offset` NULL, of the times as they are. */
static double centre(const gathering *g, const moment *m, const double *offset, int times)
{
        double sum = 0, weights = 0;
        for (uint32_t i = m->first; i < m->first + m->n; i++) {
                const end *e = &g->ends[i];
                sum += e->weight * (offset[e->process] + (times ? e->time : 0));
                weights += e->weight;
        }
        return sum / weights;
}

/* out = the slope of half the sum of squares at these offsets; without times, of the offsets alone. */
static void slope(const fit *f, const double *offset, int times, double *out)
{
        memset(out, 0, f->n * sizeof *out);
        for (uint32_t k = 0; k < f->g->n_moments; k++) {
                const moment *m = &f->g->moments[k];
                double mean = centre(f->g, m, offset, times);
                for (uint32_t i = m->first; i < m->first + m->n; i++) {
                        const end *e = &f->g->ends[i];
                        out[e->process] += e->weight * (offset[e->process] + (times ? e->time : 0) - mean);
                }
        }
}

static double product(const double *a, const double *b, uint32_t n)
{
        double sum = 0;
        for (uint32_t i = 0; i < n; i++)
                sum += a[i] * b[i];
        return sum;
}

static void solve(fit *f)
{
        slope(f, f->x, 1, f->r);
        for (uint32_t i = 0; i < f->n; i++)
                f->d[i] = f->r[i] = -f->r[i];
        double left = product(f->r, f->r, f->n), enough = left * 1e-16;
        for (int step = 0; step < STEPS && left > enough; step++) {
                slope(f, f->d, 0, f->q);
                double bend = product(f->d, f->q, f->n);
                if (!(bend > 0))
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

static double off_by(const fit *f, const end *e, double mean)
{
        return fabs(e->time + f->x[e->process] - mean);
}

/* Those that are far off weigh less. */
static void weigh(const fit *f)
{
        for (uint32_t k = 0; k < f->g->n_moments; k++) {
                const moment *m = &f->g->moments[k];
                double mean = centre(f->g, m, f->x, 1);
                for (uint32_t i = m->first; i < m->first + m->n; i++)
                        f->g->ends[i].weight =
                                m->weight / (off_by(f, &f->g->ends[i], mean) + together) * 1e-6;
        }
}

/* -- how good it is -- */

typedef struct miss {
        ps_proc process;
        double by;
} miss;

static int compare_misses(const void *a, const void *b)
{
        const miss *x = a, *y = b;
        if (x->process != y->process)
                return x->process < y->process ? -1 : 1;
        return (x->by > y->by) - (x->by < y->by);
}

/* The error of a process: half of its ends are off by less, and it may be off by as much itself. Few moments
 * that agree do so by chance. */
static ps_status judge(ps_agreement *out, const fit *f, ps_error *err)
{
        miss *misses = ps_memory_new(f->g->n_ends * sizeof *misses);
        if (!misses)
                return PS_NOMEM(err, "ends of calls", f->g->n_ends);
        for (uint32_t k = 0; k < f->g->n_moments; k++) {
                const moment *m = &f->g->moments[k];
                double mean = centre(f->g, m, f->x, 1);
                for (uint32_t i = m->first; i < m->first + m->n; i++)
                        misses[i] = (miss){f->g->ends[i].process, off_by(f, &f->g->ends[i], mean)};
        }
        qsort(misses, f->g->n_ends, sizeof *misses, compare_misses);
        for (uint32_t i = 0, n; i < f->g->n_ends; i += n) {
                for (n = 1; i + n < f->g->n_ends && misses[i + n].process == misses[i].process;)
                        n++;
                out->error[misses[i].process] = (ps_time)(misses[i + n / 2].by + usual_spread / n);
        }
        free(misses);
        return PS_OK;
}

static uint32_t group_of(uint32_t *group, uint32_t p)
{
        while (group[p] != p)
                p = group[p] = group[group[p]];
        return p;
}

static void find_groups(const gathering *g, uint32_t *group, uint32_t n)
{
        for (uint32_t p = 0; p < n; p++)
                group[p] = p;
        for (uint32_t k = 0; k < g->n_moments; k++)
                for (uint32_t i = 1; i < g->moments[k].n; i++) {
                        const end *e = &g->ends[g->moments[k].first];
                        uint32_t a = group_of(group, e[0].process), b = group_of(group, e[i].process);
                        group[a > b ? a : b] = a < b ? a : b;
                }
        for (uint32_t p = 0; p < n; p++)
                group[p] = group_of(group, p);
}

static ps_status estimate(ps_agreement *out, const gathering *g, uint32_t n, ps_error *err)
{
        double *room = ps_memory_zeroed(4 * (size_t)n, sizeof *room);
        if (!room)
                return PS_NOMEM(err, "clocks", n);
        fit f = {g, n, room, room + n, room + 2 * (size_t)n, room + 3 * (size_t)n};
        for (uint32_t p = 0; p < n; p++)
                f.x[p] = (double)out->offset[p];
        for (int round = 0; round < ROUNDS; round++) {
                weigh(&f);
                solve(&f);
        }
        for (uint32_t p = 0; p < n; p++)
                out->offset[p] = (ps_time)f.x[p];
        ps_status st = judge(out, &f, err);
        free(room);
        return st;
}

ps_status ps_together_estimate(ps_agreement *out, ps_flows *flows, ps_error *err)
{
        gathering g = {.flows = flows};
        uint32_t n = flows->trace->defs.processes.n;
        for (uint32_t p = 0; p < n; p++)
                out->error[p] = PS_TIME_MAX;
        ps_status st = gather(&g, err);
        if (st >= 0)
                find_groups(&g, out->group, n);
        if (st >= 0 && g.n_moments > 0)
                st = estimate(out, &g, n, err);
        free(g.moments);
        free(g.ends);
        return st;
}
