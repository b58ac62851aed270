/* lmo.c - see lmo.h.
 *
 * The system of equations of each triple has one solution; a parameter is the mean over all triples that were
 * measured and have a word in it. */
#include "simulator/cost/lmo.h"

#include <math.h>
#include <stdlib.h>

static uint64_t pairs_of(uint64_t n)
{
        return n < 2 ? 0 : n * (n - 1) / 2;
}

uint64_t ps_lmo_triples(uint32_t n)
{
        /* One of three neighbours is divisible by 3, and n (n - 1) / 2 < 2^63. */
        uint64_t pairs = pairs_of(n);
        if (n < 3)
                return 0;
        return pairs % 3 == 0 ? pairs / 3 * (n - 2) : (n - 2) / 3 * pairs;
}

uint64_t ps_lmo_triple_index(uint32_t n, uint32_t i, uint32_t j, uint32_t k)
{
        return ps_lmo_triples(n) - ps_lmo_triples(n - i) + pairs_of(n - i - 1) - pairs_of(n - j) +
               (k - j - 1);
}

ps_status ps_lmo_alloc(ps_lmo *out, uint32_t n, ps_error *err)
{
        size_t pairs = (size_t)n * n;
        *out = (ps_lmo){.n = n, .gather_low_bytes = INFINITY, .gather_high_bytes = INFINITY};
        if (n < 1 || n > PS_LMO_RANKS_MAX)
                return PS_FAIL(err, PS_E_USAGE, "LMO is for 1 to %d processors: processors=%u",
                               PS_LMO_RANKS_MAX, n);
        out->processing_s = calloc(n, sizeof(double));
        out->processing_s_per_byte = calloc(n, sizeof(double));
        out->latency_s = calloc(pairs, sizeof(double));
        out->bandwidth_bytes_per_s = calloc(pairs, sizeof(double));
        if (out->processing_s && out->processing_s_per_byte && out->latency_s && out->bandwidth_bytes_per_s)
                return PS_OK;
        ps_lmo_clear(out);
        return PS_NOMEM(err, "LMO", pairs);
}

void ps_lmo_clear(ps_lmo *lmo)
{
        free(lmo->processing_s);
        free(lmo->processing_s_per_byte);
        free(lmo->latency_s);
        free(lmo->bandwidth_bytes_per_s);
        *lmo = (ps_lmo){0};
}

/* -- LMO -- */

/* The members of a triple; what belongs to a pair of them has the number of the member that is left out. */
typedef struct triple {
        uint32_t rank[3];
        double fixed[3], per_byte[3]; /* C, t */
} triple;

static double sum_of_pair(const triple *t, int without, const double *values)
{
        (void)t;
        return values[(without + 1) % 3] + values[(without + 2) % 3];
}

/* The larger one of the round trips from a member to the two others. */
static double longer(const ps_lmo_times *times, const triple *t, int root, bool with_data)
{
        double most = 0;
        for (int other = 1; other < 3; other++) {
                size_t at = (size_t)t->rank[root] * times->n + t->rank[(root + other) % 3];
                double trip = with_data ? (times->pair_empty[at] + times->pair_full[at]) / 2
                                        : times->pair_empty[at];
                most = trip > most ? trip : most;
        }
        return most;
}

/* Sums over triples, and of how many: by processor, and by pair with the lower one first. */
typedef struct estimate {
        ps_lmo *sums;
        const ps_lmo_times *times;
        uint32_t *n_of_rank, *n_of_pair;
} estimate;

static bool is_measured(const ps_lmo_times *times, uint64_t index)
{
        for (uint64_t x = 3 * index; x < 3 * index + 3; x++)
                if (isnan(times->triple_empty[x]) || isnan(times->triple_full[x]))
                        return 0;
        return 1;
}

static void solve_triple(estimate *e, triple *t, uint64_t index)
{
        ps_lmo *sums = e->sums;
        const ps_lmo_times *times = e->times;
        for (int x = 0; x < 3; x++) {
                t->fixed[x] = (times->triple_empty[3 * index + (unsigned)x] - longer(times, t, x, 0)) / 2;
                t->per_byte[x] = (times->triple_full[3 * index + (unsigned)x] - longer(times, t, x, 1) -
                                  2 * t->fixed[x]) /
                                 times->bytes;
                sums->processing_s[t->rank[x]] += t->fixed[x];
                sums->processing_s_per_byte[t->rank[x]] += t->per_byte[x];
                e->n_of_rank[t->rank[x]]++;
        }
        for (int x = 0; x < 3; x++) {
                uint32_t p = t->rank[(x + 1) % 3], q = t->rank[(x + 2) % 3];
                size_t at = (size_t)(p < q ? p : q) * times->n + (p < q ? q : p);
                double latency = times->pair_empty[at] / 2 - sum_of_pair(t, x, t->fixed);
                double rest = times->pair_full[at] / 2 - sum_of_pair(t, x, t->fixed) - latency;
                sums->latency_s[at] += latency;
                sums->bandwidth_bytes_per_s[at] += rest / times->bytes - sum_of_pair(t, x, t->per_byte);
                e->n_of_pair[at]++;
        }
}

static void clamp(double *value, const char *parameter, ps_lmo_doubts *doubts)
{
        if (*value >= 0)
                return;
        *value = 0;
        doubts->n_clamped++;
        if (!doubts->parameter)
                doubts->parameter = parameter;
}

/* What both ends leave of the round trip of a pair that is in no triple. */
static void solve_pair(const estimate *e, uint32_t i, uint32_t j)
{
        const ps_lmo *lmo = e->sums;
        size_t at = (size_t)i * lmo->n + j;
        double empty = e->times->pair_empty[at] / 2, full = e->times->pair_full[at] / 2;
        lmo->latency_s[at] = empty - lmo->processing_s[i] - lmo->processing_s[j];
        lmo->bandwidth_bytes_per_s[at] = (full - empty) / e->times->bytes - lmo->processing_s_per_byte[i] -
                                         lmo->processing_s_per_byte[j];
        e->n_of_pair[at] = 1;
}

static void mean_of_pair(const estimate *e, ps_lmo_doubts *doubts, uint32_t i, uint32_t j)
{
        const ps_lmo *lmo = e->sums;
        size_t at = (size_t)i * lmo->n + j, mirror = (size_t)j * lmo->n + i;
        if (!e->n_of_pair[at])
                solve_pair(e, i, j);
        double latency = lmo->latency_s[at] / e->n_of_pair[at];
        double per_byte = lmo->bandwidth_bytes_per_s[at] / e->n_of_pair[at];
        clamp(&latency, "latency_s", doubts);
        clamp(&per_byte, "bandwidth_bytes_per_s", doubts);
        lmo->latency_s[at] = lmo->latency_s[mirror] = latency;
        lmo->bandwidth_bytes_per_s[at] = lmo->bandwidth_bytes_per_s[mirror] = 1 / per_byte;
}

/* From sums over triples to parameters. */
static ps_status take_means(const estimate *e, ps_lmo_doubts *doubts, ps_error *err)
{
        const ps_lmo *lmo = e->sums;
        for (uint32_t i = 0; i < lmo->n; i++) {
                if (!e->n_of_rank[i])
                        return PS_FAIL(err, PS_E_USAGE,
                                       "no triple was measured for a processor: processor=%u", i);
                lmo->processing_s[i] /= e->n_of_rank[i];
                lmo->processing_s_per_byte[i] /= e->n_of_rank[i];
                clamp(&lmo->processing_s[i], "processing_s", doubts);
                clamp(&lmo->processing_s_per_byte[i], "processing_s_per_byte", doubts);
        }
        for (uint32_t i = 0; i < lmo->n; i++)
                for (uint32_t j = i + 1; j < lmo->n; j++)
                        mean_of_pair(e, doubts, i, j);
        return PS_OK;
}

static ps_status solve_all(estimate *e, ps_lmo_doubts *doubts, ps_error *err)
{
        uint32_t n = e->times->n;
        uint64_t index = 0;
        e->n_of_rank = calloc(n, sizeof(*e->n_of_rank));
        e->n_of_pair = calloc((size_t)n * n, sizeof(*e->n_of_pair));
        if (!e->n_of_rank || !e->n_of_pair)
                return PS_NOMEM(err, "pairs", (size_t)n * n);
        for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = i + 1; j < n; j++)
                        for (uint32_t k = j + 1; k < n; k++, index++) {
                                triple t = {.rank = {i, j, k}};
                                if (is_measured(e->times, index))
                                        solve_triple(e, &t, index);
                        }
        return take_means(e, doubts, err);
}

ps_status ps_lmo_estimate(ps_lmo *out, ps_lmo_doubts *doubts, const ps_lmo_times *times, ps_error *err)
{
        estimate e = {.sums = out, .times = times};
        *doubts = (ps_lmo_doubts){0};
        *out = (ps_lmo){0};
        if (times->n < 3 || !(times->bytes > 0))
                return PS_FAIL(err, PS_E_USAGE,
                               "LMO needs three processors and a message: processors=%u, bytes=%g", times->n,
                               times->bytes);
        ps_status status = ps_lmo_alloc(out, times->n, err);
        PS_THEN(status, solve_all(&e, doubts, err));
        if (status != PS_OK)
                ps_lmo_clear(out);
        free(e.n_of_rank);
        free(e.n_of_pair);
        return status;
}

/* -- HLMO -- */

ps_status ps_hlmo_estimate(ps_machine *out, ps_lmo_doubts *doubts, const ps_hlmo_times *times, ps_error *err)
{
        double slope[2], fixed[2], n0 = times->n[0], more = (double)times->n[1] - n0;
        *doubts = (ps_lmo_doubts){0};
        if (!(more > 0) || !(times->bytes[1] > times->bytes[0]))
                return PS_FAIL(err, PS_E_USAGE,
                               "HLMO needs two sizes and two numbers of processors: bytes=%g..%g, "
                               "processors=%u..%u",
                               times->bytes[0], times->bytes[1], times->n[0], times->n[1]);
        ps_machine_init(out, PS_MODEL_HLMO);
        for (int k = 0; k < 2; k++) {
                slope[k] = (times->s[1][k] - times->s[0][k]) / (times->bytes[1] - times->bytes[0]);
                fixed[k] = times->s[0][k] - times->bytes[0] * slope[k];
        }
        out->processing_s_per_byte = (slope[1] - slope[0]) / more;
        out->processing_s = (fixed[1] - fixed[0]) / more;
        double per_byte = slope[0] - n0 * out->processing_s_per_byte;
        out->link.latency_s = fixed[0] - n0 * out->processing_s;
        clamp(&out->processing_s, "processing_s", doubts);
        clamp(&out->processing_s_per_byte, "processing_s_per_byte", doubts);
        clamp(&out->link.latency_s, "latency_s", doubts);
        clamp(&per_byte, "bandwidth_bytes_per_s", doubts);
        out->link.bandwidth_bytes_per_s = 1 / per_byte;
        return PS_OK;
}
