/* samples.c - see samples.h. */
#include "compare/samples.h"

#include "core/base/search.h"
#include "core/base/vector.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double ps_run_samples_level = 0.05;

/* -- the runs -- */

static int by_id(const void *a, const void *b)
{
        const ps_run_sample_interval *x = a, *y = b;

        return PS_ORDER(x->id, y->id);
}

ps_status ps_run_samples_add(ps_run_samples *samples, ps_run_role side, const ps_run *run, ps_error *err)
{
        ps_run_sample *row = samples->row[side], *s = &row[samples->n[side]];

        if (samples->n[PS_MEASURED] + samples->n[PS_PREDICTED] == PS_SAMPLES_MOST)
                return PS_FAIL(err, PS_E_USAGE, "there are too many runs: most=%d", PS_SAMPLES_MOST);
        if (samples->n[side] && run->processes != row->processes)
                return PS_FAIL(err, PS_E_USAGE,
                               "runs of one side have different numbers of processes: path=\"%s\", "
                               "processes=%" PRIu64 ", path=\"%s\", processes=%" PRIu64
                               "; compare such runs with patscan scale",
                               row->path, row->processes, run->path, run->processes);
        *s = (ps_run_sample){run->path, run->duration_s, run->whole_s, run->processes, {0}};
        samples->n[side]++;
        samples->is_partial |= run->is_partial;
        for (uint32_t i = 0; i < run->intervals.n; i++) {
                const ps_run_interval *from = &run->intervals.row[i];
                if (PS_PUSH(s->intervals, ((ps_run_sample_interval){from->id, from->execution_s})))
                        return PS_NOMEM(err, "intervals", run->intervals.n);
        }
        if (s->intervals.n)
                qsort(s->intervals.row, s->intervals.n, sizeof(*s->intervals.row), by_id);
        return PS_OK;
}

void ps_run_samples_clear(ps_run_samples *samples)
{
        for (int side = 0; side < PS_SIDES; side++)
                for (uint32_t i = 0; i < samples->n[side]; i++)
                        free(samples->row[side][i].intervals.row);
        *samples = (ps_run_samples){0};
}

bool ps_run_samples_tell_noise(const ps_run_samples *samples)
{
        return samples && samples->n[PS_MEASURED] >= PS_SAMPLES_LEAST &&
               samples->n[PS_PREDICTED] >= PS_SAMPLES_LEAST;
}

/* Those before it in order of length, and at the same length in that of the command line. */
static uint32_t rank_with_ties(const ps_run_sample *row, uint32_t n, uint32_t at)
{
        uint32_t before = 0;

        for (uint32_t i = 0; i < n; i++)
                before += row[i].duration_s < row[at].duration_s ||
                          (row[i].duration_s == row[at].duration_s && i < at);
        return before;
}

uint32_t ps_run_samples_middle(const ps_run_samples *samples, ps_run_role side)
{
        uint32_t n = samples->n[side], at = 0;

        while (at + 1 < n && rank_with_ties(samples->row[side], n, at) != (n - 1) / 2)
                at++;
        return at;
}

/* -- the test -- */

/* Twice the place of a value among all: places of equal ones are their mean. */
static uint32_t doubled_place(double value, const double *a, uint32_t n_a, const double *b, uint32_t n_b)
{
        uint32_t place = 1;

        for (uint32_t i = 0; i < n_a; i++)
                place += a[i] < value ? 2 : a[i] == value;
        for (uint32_t i = 0; i < n_b; i++)
                place += b[i] < value ? 2 : b[i] == value;
        return place;
}

/* If all were one, each choice of places would be as likely: those are counted that sum up to as much or
 * more. The smaller side is chosen; of the larger one it is those that sum up to as little or less. */
double ps_rank_test(const double *a, uint32_t n_a, const double *b, uint32_t n_b)
{
        enum { CHOSEN = PS_SAMPLES_MOST / 2, SUMS = PS_SAMPLES_MOST * (PS_SAMPLES_MOST + 1) };
        bool chooses_b = n_b <= n_a;
        const double *chosen = chooses_b ? b : a;
        uint32_t n = n_a + n_b, k = chooses_b ? n_b : n_a, seen = 0, most = 0;
        uint32_t ways[CHOSEN + 1][SUMS + 1] = {{1}}; /* 32 over 16 are 6e8 */
        double all = 0, rare = 0;

        assert(n <= PS_SAMPLES_MOST);
        for (uint32_t i = 0; i < k; i++)
                seen += doubled_place(chosen[i], a, n_a, b, n_b);
        for (uint32_t i = 0; i < n; i++) {
                uint32_t place = doubled_place(i < n_a ? a[i] : b[i - n_a], a, n_a, b, n_b);
                for (uint32_t c = k; c-- > 0;)
                        for (uint32_t sum = 0; sum <= most; sum++)
                                ways[c + 1][sum + place] += ways[c][sum];
                most += place;
        }
        for (uint32_t sum = 0; sum <= most; sum++) {
                all += ways[k][sum];
                rare += (chooses_b ? sum >= seen : sum <= seen) ? ways[k][sum] : 0;
        }
        return rare / all;
}

/* -- of lengths -- */

typedef struct lengths {
        double of[PS_SIDES][PS_SAMPLES_MOST];
} lengths;

static double median_of(const double *length, uint32_t n)
{
        double sorted[PS_SAMPLES_MOST];

        if (!n)
                return NAN;
        memcpy(sorted, length, n * sizeof(*sorted));
        qsort(sorted, n, sizeof(*sorted), ps_doubles_compare);
        return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

static ps_run_sampled sampled_of(const ps_run_samples *s, const lengths *l)
{
        const double *m = l->of[PS_MEASURED], *p = l->of[PS_PREDICTED];
        uint32_t n_m = s->n[PS_MEASURED], n_p = s->n[PS_PREDICTED];
        bool tells = ps_run_samples_tell_noise(s);

        return (ps_run_sampled){{median_of(m, n_m), median_of(p, n_p)},
                                tells ? ps_rank_test(m, n_m, p, n_p) : NAN,
                                tells ? ps_rank_test(p, n_p, m, n_m) : NAN};
}

ps_run_sampled ps_run_samples_duration(const ps_run_samples *samples)
{
        lengths l;

        for (int side = 0; side < PS_SIDES; side++)
                for (uint32_t i = 0; i < samples->n[side]; i++)
                        l.of[side][i] = samples->row[side][i].duration_s;
        return sampled_of(samples, &l);
}

static double length_in(const ps_run_sample *s, uint64_t id)
{
        const ps_run_sample_interval key = {.id = id}, *found = NULL;

        if (s->intervals.n)
                found = bsearch(&key, s->intervals.row, s->intervals.n, sizeof(key), by_id);
        return found ? found->execution_s : 0;
}

ps_run_sampled ps_run_samples_interval(const ps_run_samples *samples, const uint64_t id[PS_SIDES])
{
        lengths l;

        for (int side = 0; side < PS_SIDES; side++)
                for (uint32_t i = 0; i < samples->n[side]; i++)
                        l.of[side][i] = id[side] ? length_in(&samples->row[side][i], id[side]) : 0;
        return sampled_of(samples, &l);
}
