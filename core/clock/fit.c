/* fit.c - offsets and drifts under which calls that waited end when that came for which they waited.
 *
 * The pairs that waited for one another hang together in a net; its offsets are those that make the sum of
 * all distances small: of their values, not their squares, so that a pair that came late every time does not
 * pull at the others. That is done by least squares, again and again, with each row weighing the less the
 * farther it was off (conjugate gradients solve them: clusters that are tied together closely, and to each
 * other loosely, settle all the same). An end that comes too early weighs more than one that comes too late,
 * because nothing but the clocks explains it.
 *
 * A drift is one more number for each process. It is believed only if it makes the distances that much
 * smaller that so many more numbers are worth it (the information criterion of Schwarz, for distances that
 * fall off exponentially): in a run of a second the delays of a busy machine are larger than any drift.
 *
 * How good an offset is follows from how scattered the ends are. Where delays fall off exponentially, the
 * soonest of n ends that are late by s on average, next to that one, is itself later than
 * s * (doubt^(-1 / (n - 1)) - 1) in a part `doubt` of all cases. One end alone tells nothing. */
#include "core/base/search.h"
#include "core/clock/graph.h"
#include "core/clock/together.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20 };

/* How often a row is looked at: less than a second. */
static const uint32_t most_looks = UINT32_C(1) << 27;

/* Less than this says more of the library than of the clocks. */
static const double together = 5000.0 * PS_PS_PER_NS;
static const double doubt = 0.01;
/* An end that is too early weighs this much more. */
static const double earliness = 8;
/* No clock runs that wrong. */
static const double largest_drift = 300e-6;

/* Ends of a pair in a part of the run, as fractions. */
struct row {
        ps_proc waits, releases;
        uint32_t n;
        double soonest; /* end - begin: the least */
        double at_waits,
                at_releases; /* when that was: -1/2 at the first event of a process, 1/2 at its last */
        double late;         /* how much more than the soonest all of them add up to */
        double sum_waits, sum_releases; /* of their times */
        double weight;
};

typedef struct fit {
        struct row *row;
        uint32_t n_rows;
        uint32_t n;        /* processes */
        uint32_t n_steps;  /* of conjugate gradients in a round, at most */
        uint32_t n_free;   /* what may change: n offsets, or n drifts as well */
        double span;       /* drifts are counted over the whole run */
        double *x;         /* the offsets in the middle of the run, then the drifts */
        double *r, *d, *q; /* scratch: what is left, the direction, where it leads */
} fit;

/* How late the soonest end is under x; without times, what x alone makes of it. */
static double lateness(const fit *f, const struct row *l, const double *x, int times)
{
        double late = x[l->waits] - x[l->releases] + (times ? l->soonest : 0);
        return f->n_free == f->n
                       ? late
                       : late + x[f->n + l->waits] * l->at_waits - x[f->n + l->releases] * l->at_releases;
}

/* out = the slope of half the sum of squares at x. Drifts are held to zero as by one end in ten. */
static void slope(const fit *f, const double *x, int times, double *out)
{
        memset(out, 0, f->n_free * sizeof *out);
        for (uint32_t i = 0; i < f->n_rows; i++) {
                const struct row *l = &f->row[i];
                double by = l->weight * lateness(f, l, x, times);
                out[l->waits] += by;
                out[l->releases] -= by;
                if (f->n_free == f->n)
                        continue;
                out[f->n + l->waits] += by * l->at_waits;
                out[f->n + l->releases] -= by * l->at_releases;
        }
        for (uint32_t p = f->n; p < f->n_free; p++)
                out[p] += 0.1 * together / (PS_CLOCK_DRIFT * f->span + together) * x[p];
}

static double product(const double *a, const double *b, uint32_t n)
{
        double sum = 0;
        for (uint32_t i = 0; i < n; i++)
                sum += a[i] * b[i];
        return sum;
}

/* All offsets may move together without anything to pay: what rounding leaves must not be followed there. */
static void solve_fit(fit *f)
{
        const double nothing = 1e-6, flat = 1e-13;
        uint32_t n = f->n_free;
        slope(f, f->x, 1, f->r);
        for (uint32_t i = 0; i < n; i++)
                f->d[i] = f->r[i] = -f->r[i];
        double left = product(f->r, f->r, n), enough = fmax(left * 1e-12, nothing);
        for (uint32_t step = 0; step < f->n_steps && left > enough; step++) {
                slope(f, f->d, 0, f->q);
                double bend = product(f->d, f->q, n);
                if (!(bend > flat * product(f->d, f->d, n)))
                        return;
                double by = left / bend, before = left;
                for (uint32_t i = 0; i < n; i++) {
                        f->x[i] += by * f->d[i];
                        f->r[i] -= by * f->q[i];
                }
                left = product(f->r, f->r, n);
                for (uint32_t i = 0; i < n; i++)
                        f->d[i] = f->r[i] + left / before * f->d[i];
        }
}

/* What the distances add up to, each for all ends that the row stands for; sets the weights: those that are
 * far off weigh less, and those that had many chances to be soon weigh more. */
static double weigh(const fit *f)
{
        double all = 0;
        for (uint32_t i = 0; i < f->n_rows; i++) {
                struct row *l = &f->row[i];
                double late = lateness(f, l, f->x, 1), pull = late < 0 ? l->n * earliness : l->n;
                l->weight = pull * together / (fabs(late) + together);
                all += pull * fabs(late);
        }
        return all;
}

/* No clock is right: on average they are taken to be. */
static void limit_drifts(fit *f)
{
        double mean = 0, most = largest_drift * f->span;
        for (uint32_t p = f->n; p < f->n_free; p++)
                mean += f->x[p] / f->n;
        for (uint32_t p = f->n; p < f->n_free; p++)
                f->x[p] = fmax(fmin(f->x[p] - mean, most), -most);
}

static double settle_fit(fit *f)
{
        for (int round = 0; round < ROUNDS; round++) {
                weigh(f);
                solve_fit(f);
                limit_drifts(f);
        }
        return weigh(f);
}

/* Gives back whether drifts explain the distances; else x is without any. Where there must be some, because
 * the times contradict themselves without, any gain is enough. `best` has room for x. */
static bool find_drift(fit *f, bool is_wanted, double *best)
{
        double ends = 0, without = settle_fit(f);
        for (uint32_t i = 0; i < f->n_rows; i++)
                ends += f->row[i].n;
        memcpy(best, f->x, 2 * (size_t)f->n * sizeof *best);
        f->n_free = 2 * f->n;
        double with = settle_fit(f), rows = f->n_rows;
        double gain = rows * log((without / ends + together) / (with / ends + together));
        if (f->n_rows > 4 * f->n && gain > (is_wanted ? 0 : 2 * f->n * log(rows)))
                return true;
        memcpy(f->x, best, 2 * (size_t)f->n * sizeof *best);
        f->n_free = f->n;
        return false;
}

/* -- how good it is -- */

/* What all ends of a pair tell together, next to the soonest of them. */
typedef struct scatter {
        double ends, soonest, late; /* how late the soonest is; how much later the others are in all */
} scatter;

static scatter scatter_of(const fit *f, const struct row *row, uint32_t n)
{
        const double *drift = f->x + f->n;
        scatter s = {.soonest = (double)PS_TIME_MAX};
        for (uint32_t i = 0; i < n; i++) {
                const struct row *l = &row[i];
                s.ends += l->n;
                s.soonest = fmin(s.soonest, lateness(f, l, f->x, 1));
                s.late += l->n * (l->soonest + f->x[l->waits] - f->x[l->releases]) + l->late +
                          drift[l->waits] * l->sum_waits - drift[l->releases] * l->sum_releases;
        }
        s.late = fmax(s.late - s.ends * s.soonest, 0);
        return s;
}

/* How late the soonest of `ends` may well be, where `others` ends were `late` in all, each next to the
 * soonest of its kind. */
static double latest(double ends, double late, double others)
{
        return others > 0 ? late / ends * (pow(doubt, -1 / others) - 1) : (double)PS_TIME_MAX;
}

typedef struct quality {
        ps_time error, wander;
} quality;

static ps_time time_from_double(double time)
{
        return time < (double)(PS_TIME_MAX / 8) ? (ps_time)time : PS_TIME_MAX;
}

static quality judge_pair(const fit *f, const struct row *row, uint32_t n, const scatter *all)
{
        const scatter own = scatter_of(f, row, n);
        double late = fmin(latest(own.ends, own.late, own.ends - 1), latest(own.ends, all->late, all->ends));
        double error = fabs(own.soonest) + together + late;
        double first = row[0].at_releases, last = row[n - 1].at_releases;
        double wander = fmin(PS_CLOCK_DRIFT * f->span, 2 * error / fmax(last - first, 1e-9));
        double outside = fmin(fmax(fmax(first + 0.5, 0.5 - last), 0), 1);
        return (quality){time_from_double(error + wander * outside), time_from_double(wander)};
}

/* Of two processes that did not wait for one another: the least that a way over others adds up to. */
static ps_status find_ways(const ps_time **out, const ps_graph *ways, uint32_t n, ps_arena *arena,
                           ps_error *err)
{
        ps_time *matrix = NULL;
        ps_offsets none = {.offset = ps_memory_zeroed(n, sizeof(ps_time))};
        int done = none.offset ? 0 : PS_NOMEM(err, "clocks", n);
        if (done == 0 && ps_graph_room_is_cheap(ways, n)) {
                matrix = PS_ARENA_NEW(arena, ps_time, (size_t)n * n);
                done = matrix ? ps_graph_room(ways, &none, n, matrix, err)
                              : PS_NOMEM(err, "pairs of clocks", n);
        }
        *out = done > 0 ? matrix : NULL;
        free(none.offset);
        return done < 0 ? (ps_status)done : PS_OK;
}

static ps_status add_way(ps_graph *ways, const struct row *l, ps_time length, ps_error *err)
{
        ps_status st = length < PS_TIME_MAX
                               ? ps_graph_add(ways, (ps_limit){l->waits, l->releases, 2, length}, err)
                               : PS_OK;
        return st == PS_OK && length < PS_TIME_MAX
                       ? ps_graph_add(ways, (ps_limit){l->releases, l->waits, 2, length}, err)
                       : st;
}

static uint32_t rows_of_pair(const fit *f, uint32_t i)
{
        uint32_t n = 1;
        while (i + n < f->n_rows && f->row[i + n].waits == f->row[i].waits &&
               f->row[i + n].releases == f->row[i].releases)
                n++;
        return n;
}

/* How late ends are on this machine, of pairs that have several. */
static scatter scatter_of_all(const fit *f)
{
        scatter all = {0};
        for (uint32_t i = 0, n; i < f->n_rows; i += n) {
                n = rows_of_pair(f, i);
                const scatter one = scatter_of(f, &f->row[i], n);
                all.late += one.late;
                all.ends += one.ends - 1;
        }
        return all;
}

static ps_status judge_fit(ps_together *out, const fit *f, ps_arena *arena, ps_error *err)
{
        ps_graph errors = {.n_nodes = f->n}, wanders = {.n_nodes = f->n};
        ps_status st = PS_OK;
        const scatter all = scatter_of_all(f);
        for (uint32_t i = 0, n; i < f->n_rows && st >= 0; i += n) {
                n = rows_of_pair(f, i);
                quality found = judge_pair(f, &f->row[i], n, &all);
                st = add_way(&errors, &f->row[i], found.error, err);
                st = st < 0 ? st : add_way(&wanders, &f->row[i], found.wander, err);
        }
        if (st >= 0)
                st = find_ways(&out->error, &errors, f->n, arena, err);
        if (st >= 0)
                st = find_ways(&out->wander, &wanders, f->n, arena, err);
        ps_graph_free(&errors);
        ps_graph_free(&wanders);
        return st;
}

/* -- all of it -- */

static int compare_releases(const void *a, const void *b)
{
        const ps_release *x = a, *y = b;
        PS_ORDER_BY(x->waits, y->waits);
        PS_ORDER_BY(x->releases, y->releases);
        return PS_ORDER(x->part, y->part);
}

static struct row row_of(const ps_release *r, double span)
{
        return (struct row){.waits = r->waits,
                            .releases = r->releases,
                            .n = r->n,
                            .soonest = (double)r->soonest,
                            .at_waits = (double)r->ended / span,
                            .at_releases = (double)r->begun / span,
                            .late = (double)(r->after - (ps_time_sum)r->soonest * r->n),
                            .sum_waits = (double)r->all_ended / span,
                            .sum_releases = (double)r->all_begun / span};
}

static void fit_offsets(ps_together *out, fit *f, double *room)
{
        uint32_t n = f->n;
        f->n_steps = most_looks / (2 * ROUNDS) / (f->n_rows + 1);
        f->n_steps = f->n_steps < 4 ? 4 : f->n_steps > 100 ? 100 : f->n_steps;
        f->x = room;
        f->r = room + 2 * (size_t)n;
        f->d = room + 4 * (size_t)n;
        f->q = room + 6 * (size_t)n;
        for (uint32_t p = 0; p < n; p++)
                f->x[p] = (double)out->offset[p];
        if (out->wish == PS_DRIFT_NONE)
                settle_fit(f);
        else
                out->drifts = find_drift(f, out->wish == PS_DRIFT_WANTED, room + 8 * (size_t)n);
        for (uint32_t p = 0; p < n; p++) {
                if (fabs(f->x[p]) < (double)(PS_TIME_MAX / 2))
                        out->offset[p] = (ps_time)f->x[p];
                out->drift[p].rate = f->x[n + p] / f->span;
        }
}

/* Sums of fractions depend on their order: that of the pairs, whoever has seen them first. */
ps_status ps_together_fit(ps_together *out, ps_releases_seen *seen, uint32_t n, ps_time span, ps_arena *arena,
                          ps_error *err)
{
        double *room = ps_memory_zeroed(10 * (size_t)n, sizeof *room);
        fit f = {.row = ps_memory_new(seen->n * sizeof *f.row),
                 .n_rows = seen->n,
                 .n = n,
                 .n_free = n,
                 .span = (double)span};
        ps_status st = room && f.row ? PS_OK : PS_NOMEM(err, "clocks", n);
        if (st == PS_OK) {
                qsort(seen->row, seen->n, sizeof *seen->row, compare_releases);
                for (uint32_t i = 0; i < seen->n; i++)
                        f.row[i] = row_of(&seen->row[i], f.span);
                fit_offsets(out, &f, room);
                st = judge_fit(out, &f, arena, err);
        }
        free(room);
        free(f.row);
        return st;
}
