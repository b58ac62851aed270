/* sweeps.c - one to many and many to one over a range of sizes: where scatters begin to follow another line
 * (S of LMO), from where to where gathers take much longer now and then (M1, M2), by how much and how often.
 *
 * Sizes are judged one by one: a gather of a size escalates if every twentieth, and two at least, took ten
 * times as long as the shortest one. Where none does, M1 and M2 are where the times begin to follow a steeper
 * line. */
#include "simulator/calibrate/calibrate.h"

#include "core/base/search.h"
#include "core/base/vector.h"
#include "simulator/cost/lmo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double escalated_share = 0.05, tenfold = 10, steeper = 1.5;
enum { ESCALATED_LEAST = 2, KB = 1024, RANKS_LEAST = 3 };

/* -- from traces -- */

typedef struct extent {
        ps_time first, last, over; /* begins, the last end */
        ps_time root_begin, root_over;
        uint64_t bytes;
        bool is_usable;
} extent;

static extent extent_of(const ps_trace *trace, const ps_timing *timing, const ps_coll *coll)
{
        extent e = {.first = PS_TIME_MAX,
                    .last = INT64_MIN,
                    .over = INT64_MIN,
                    .bytes = UINT64_MAX,
                    .is_usable = 1};
        for (uint32_t m = coll->first; m < coll->first + coll->n; m++) {
                ps_ref ref = trace->members[m].ref;
                ps_time begin = timing->enter[ref.loc][ref.op], over = timing->leave[ref.loc][ref.op];
                const ps_ops *ops = &trace->ops[ref.loc];
                e.first = begin < e.first ? begin : e.first;
                e.last = begin > e.last ? begin : e.last;
                e.over = over > e.over ? over : e.over;
                e.is_usable &= !(ops->flags[ref.op] & (PS_OP_NONBLOCKING | PS_OP_PART | PS_OP_TRUNCATED));
                if (m == coll->root) {
                        e.root_begin = begin;
                        e.root_over = over;
                        continue;
                }
                uint64_t bytes =
                        coll->kind == PS_K_GATHER ? ps_op_bytes(ops, ref.op) : trace->members[m].received;
                e.is_usable &= e.bytes == UINT64_MAX || e.bytes == bytes;
                e.bytes = bytes;
        }
        return e;
}

ps_status ps_sweeps_add_trace(ps_samples *samples, const ps_trace *trace, const ps_timing *timing,
                              ps_error *err)
{
        for (uint32_t c = 0; c < trace->n_colls; c++) {
                const ps_coll *coll = &trace->colls[c];
                bool is_gather = coll->kind == PS_K_GATHER;
                if ((!is_gather && coll->kind != PS_K_SCATTER) || !coll->complete || coll->pgas ||
                    coll->root == PS_NONE || coll->n < RANKS_LEAST)
                        continue;
                extent e = extent_of(trace, timing, coll);
                ps_time time = is_gather ? e.root_over - e.last : e.over - e.root_begin;
                if (!e.is_usable || e.bytes > (UINT64_C(1) << 53) || time <= 0 || e.last - e.first > time / 5)
                        continue;
                double s = ps_time_seconds(time);
                ps_sweep row = {.bytes = (double)e.bytes,
                                .least_s = s,
                                .typical_s = s,
                                .n_ranks = coll->n,
                                .n = 1,
                                .is_gather = is_gather};
                if (PS_PUSH(samples->sweeps, row))
                        return PS_NOMEM(err, "gathers and scatters", samples->sweeps.n);
        }
        return PS_OK;
}

/* -- from tables -- */

ps_status ps_sweeps_add_table(ps_samples *samples, const ps_rtt_table *table, ps_error *err)
{
        for (size_t i = 0; i < table->n; i++) {
                const ps_rtt_row *row = &table->row[i];
                if (row->kind != PS_RTT_GATHER && row->kind != PS_RTT_SCATTER)
                        continue;
                ps_sweep sweep = {.bytes = row->bytes,
                                  .least_s = ps_rtt_time(row),
                                  .typical_s = isnan(row->median_s) ? row->least_s : row->median_s,
                                  .excess_s = row->excess_s,
                                  .n_ranks = row->rank[0],
                                  .n = row->repetitions ? row->repetitions : 1,
                                  .n_escalated = row->escalated,
                                  .is_gather = row->kind == PS_RTT_GATHER,
                                  .is_told = 1};
                if (PS_PUSH(samples->sweeps, sweep))
                        return PS_NOMEM(err, "gathers and scatters", samples->sweeps.n);
        }
        return PS_OK;
}

/* -- sizes -- */

static int by_size(const void *a, const void *b)
{
        const ps_sweep *p = a, *q = b;
        PS_ORDER_BY(p->bytes, q->bytes);
        return PS_ORDER(p->least_s, q->least_s);
}

/* Single ones of one size, in rising order, become one row. */
static ps_sweep join_sweeps(const ps_sweep *row, size_t n)
{
        ps_sweep all = row[0];
        if (row[0].is_told)
                return all;
        all.n = n;
        all.typical_s = row[n / 2].least_s;
        for (size_t i = 0; i < n; i++)
                if (row[i].least_s > tenfold * row[0].least_s) {
                        all.n_escalated++;
                        all.excess_s += row[i].least_s - all.typical_s;
                }
        if (all.n_escalated)
                all.excess_s /= (double)all.n_escalated;
        return all;
}

/* Those of the largest number of processors, a row a size; the caller's to free. */
static ps_status take_sizes(ps_sweep **out, size_t *n, const ps_samples *samples, bool is_gather,
                            ps_error *err)
{
        uint32_t most = 0;
        *n = 0;
        *out = malloc((samples->sweeps.n + (size_t)1) * sizeof(**out));
        if (!*out)
                return PS_NOMEM(err, "gathers and scatters", samples->sweeps.n);
        for (uint32_t i = 0; i < samples->sweeps.n; i++)
                if (samples->sweeps.row[i].is_gather == is_gather && samples->sweeps.row[i].n_ranks > most)
                        most = samples->sweeps.row[i].n_ranks;
        for (uint32_t i = 0; i < samples->sweeps.n; i++)
                if (samples->sweeps.row[i].is_gather == is_gather && samples->sweeps.row[i].n_ranks == most)
                        (*out)[(*n)++] = samples->sweeps.row[i];
        qsort(*out, *n, sizeof(**out), by_size);
        size_t kept = 0;
        for (size_t i = 0, end; i < *n; i = end) {
                for (end = i + 1; end < *n && (*out)[end].bytes == (*out)[i].bytes;)
                        end++;
                (*out)[kept++] = join_sweeps(&(*out)[i], end - i);
        }
        *n = kept;
        return PS_OK;
}

/* The sizes between which the times begin to follow a steeper line. */
static ps_status find_break(bool *is_found, double between[2], const ps_sweep *size, size_t n, ps_error *err)
{
        ps_sample_point *points = malloc((n + 1) * sizeof(*points));
        ps_fit fit;
        *is_found = false;
        if (!points)
                return PS_NOMEM(err, "gathers and scatters", n);
        for (size_t i = 0; i < n; i++)
                points[i] = (ps_sample_point){size[i].bytes, size[i].least_s};
        ps_status status = ps_fit_make(&fit, points, n, err);
        for (uint32_t i = 0; status == PS_OK && !*is_found && i + 1 < fit.n_segments; i++) {
                const ps_fit_segment *low = &fit.segment[i], *high = &fit.segment[i + 1];
                *is_found = high->line.per_byte_s > steeper * low->line.per_byte_s;
                between[0] = low->most_bytes;
                between[1] = high->least_bytes;
        }
        free(points);
        return status;
}

/* -- what they tell -- */

static bool escalates(const ps_sweep *size)
{
        return size->n_escalated >= ESCALATED_LEAST &&
               (double)size->n_escalated >= escalated_share * (double)size->n;
}

/* All sizes from the first to the last one that escalates. */
static void take_escalations(ps_calibration *c, const ps_sweep *size, size_t first, size_t end, bool is_open)
{
        ps_lmo *lmo = &c->machine.lmo;
        double n = 0, n_escalated = 0, excess = 0;
        for (size_t i = first; i < end; i++) {
                n += (double)size[i].n;
                n_escalated += (double)size[i].n_escalated;
                excess += (double)size[i].n_escalated * size[i].excess_s;
        }
        lmo->gather_low_bytes =
                size[first].bytes > KB ? floor(size[first].bytes / KB) * KB : size[first].bytes;
        lmo->gather_high_bytes = is_open ? (double)INFINITY : size[end - 1].bytes;
        lmo->escalation_s = excess / n_escalated;
        lmo->escalation_probability = n_escalated / n;
        ps_calibration_add(c, "gather_low_bytes", PS_A_SIZE, lmo->gather_low_bytes);
        ps_calibration_add(c, "gather_high_bytes", PS_A_SIZE, lmo->gather_high_bytes)->is_assumed = is_open;
        ps_calibration_add(c, "escalation_s", PS_A_SECONDS, lmo->escalation_s);
        ps_calibration_add(c, "escalation_probability", PS_A_PROBABILITY, lmo->escalation_probability);
        if (is_open)
                ps_calibration_note(c, PS_NOTE_STILL_ESCALATES);
}

static ps_status take_gathers(ps_calibration *c, const ps_sweep *size, size_t n, ps_error *err)
{
        size_t first = 0, end = n;
        double between[2];
        bool is_found;
        while (first < n && !escalates(&size[first]))
                first++;
        while (end > first && !escalates(&size[end - 1]))
                end--;
        if (first == 0 && end > 0) {
                ps_calibration_note(c, PS_NOTE_ALL_ESCALATE);
                return PS_OK;
        }
        if (first < n) {
                take_escalations(c, size, first, end, end == n);
                return PS_OK;
        }
        PS_TRY(find_break(&is_found, between, size, n, err));
        if (is_found) {
                c->machine.lmo.gather_low_bytes = between[0] + 1;
                c->machine.lmo.gather_high_bytes = between[1] - 1;
                ps_calibration_add(c, "gather_low_bytes", PS_A_SIZE, between[0] + 1);
                ps_calibration_add(c, "gather_high_bytes", PS_A_SIZE, between[1] - 1);
        }
        return PS_OK;
}

static ps_status take_scatters(ps_calibration *c, const ps_sweep *size, size_t n, ps_error *err)
{
        double between[2];
        bool is_found;
        PS_TRY(find_break(&is_found, between, size, n, err));
        if (is_found) {
                c->machine.lmo.scatter_bytes = between[1];
                ps_calibration_add(c, "scatter_bytes", PS_A_SIZE, between[1]);
        }
        return PS_OK;
}

ps_status ps_calibrate_sweeps(ps_calibration *c, const ps_samples *samples, ps_error *err)
{
        for (int is_gather = 0; is_gather < 2; is_gather++) {
                ps_sweep *size;
                size_t n;
                ps_status status = take_sizes(&size, &n, samples, is_gather, err);
                if (status == PS_OK && n)
                        status = is_gather ? take_gathers(c, size, n, err) : take_scatters(c, size, n, err);
                free(size);
                if (status != PS_OK)
                        return status;
        }
        return PS_OK;
}
