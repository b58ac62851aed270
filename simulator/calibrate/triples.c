/* triples.c - LMO and HLMO from round trips, by the formulas of lmo.h.
 *
 * The largest size that all pairs and the triples have is taken: the shorter the message, the more of t and
 * 1/B is noise. Each triple alone gives parameters, too; how far they lie apart tells how good the means are.
 */
#include "core/base/search.h"
#include "simulator/calibrate/calibrate.h"
#include "simulator/cost/lmo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct trips {
        uint32_t n;
        uint64_t n_triples;          /* possible ones */
        double *pair[2], *triple[2]; /* without and with data; NAN: not measured */
        double bytes;
        uint64_t n_measured; /* complete triples */
} trips;

static double *not_measured(size_t n)
{
        double *times = malloc((n ? n : 1) * sizeof(*times));
        for (size_t i = 0; times && i < n; i++)
                times[i] = NAN;
        return times;
}

static void trips_free(trips *t)
{
        for (int f = 0; f < 2; f++) {
                free(t->pair[f]);
                free(t->triple[f]);
        }
}

/* -- which times there are -- */

static size_t triple_place(const trips *t, const ps_rtt_row *row)
{
        uint32_t root = row->rank[0], low = row->rank[1], high = row->rank[2];
        if (root < low)
                return 3 * ps_lmo_triple_index(t->n, root, low, high);
        if (root < high)
                return 3 * ps_lmo_triple_index(t->n, low, root, high) + 1;
        return 3 * ps_lmo_triple_index(t->n, low, high, root) + 2;
}

/* Of several rows of one place the least: they are sorted by time. */
static void keep_least(double *place, double time)
{
        if (isnan(*place) || time < *place)
                *place = time;
}

static void fill_trips(trips *t, const ps_rtt_table *table, bool with_data)
{
        double bytes = with_data ? t->bytes : 0;
        for (size_t i = 0; i < table->n; i++) {
                const ps_rtt_row *row = &table->row[i];
                const uint32_t *rank = row->rank;
                if (row->bytes != bytes)
                        continue;
                if (row->kind == PS_RTT_PAIR) {
                        keep_least(&t->pair[with_data][(size_t)rank[0] * t->n + rank[1]], ps_rtt_time(row));
                        keep_least(&t->pair[with_data][(size_t)rank[1] * t->n + rank[0]], ps_rtt_time(row));
                } else if (row->kind == PS_RTT_TRIPLE) {
                        keep_least(&t->triple[with_data][triple_place(t, row)], ps_rtt_time(row));
                }
        }
}

/* The sizes of a kind in rising order; NULL without memory. */
static double *sizes_of(const ps_rtt_table *table, ps_rtt_kind kind, size_t *n)
{
        size_t first, end;
        ps_rtt_range(table, kind, &first, &end);
        *n = end - first;
        double *sizes = malloc((*n ? *n : 1) * sizeof(*sizes));
        for (size_t i = 0; sizes && i < *n; i++)
                sizes[i] = table->row[first + i].bytes;
        if (sizes)
                qsort(sizes, *n, sizeof(*sizes), ps_doubles_compare);
        return sizes;
}

/* The largest size that both kinds have; 0: none. */
static ps_status common_size(double *out, const ps_rtt_table *table, ps_error *err)
{
        size_t n_pairs, n_triples;
        double *pairs = sizes_of(table, PS_RTT_PAIR, &n_pairs),
               *triples = sizes_of(table, PS_RTT_TRIPLE, &n_triples);
        bool has_memory = pairs && triples;
        *out = 0;
        while (has_memory && n_pairs && n_triples && pairs[n_pairs - 1] != triples[n_triples - 1]) {
                if (pairs[n_pairs - 1] > triples[n_triples - 1])
                        n_pairs--;
                else
                        n_triples--;
        }
        if (has_memory && n_pairs && n_triples)
                *out = pairs[n_pairs - 1];
        free(pairs);
        free(triples);
        return has_memory ? PS_OK : PS_NOMEM(err, "sizes", table->n);
}

static bool is_whole(const trips *t, uint64_t index)
{
        for (uint64_t x = 3 * index; x < 3 * index + 3; x++)
                if (isnan(t->triple[0][x]) || isnan(t->triple[1][x]))
                        return 0;
        return 1;
}

static void count_triples(trips *t)
{
        for (uint64_t i = 0; i < t->n_triples; i++)
                t->n_measured += (uint64_t)is_whole(t, i);
}

static bool has_all_pairs(const trips *t)
{
        for (size_t i = 0; i < (size_t)t->n * t->n; i++)
                if (i / t->n != i % t->n && (isnan(t->pair[0][i]) || isnan(t->pair[1][i])))
                        return 0;
        return 1;
}

static bool has_all_ranks(const trips *t)
{
        uint8_t has[PS_RTT_RANKS_MAX] = {0};
        uint64_t index = 0;
        for (uint32_t i = 0; i < t->n; i++)
                for (uint32_t j = i + 1; j < t->n; j++)
                        for (uint32_t k = j + 1; k < t->n; k++, index++)
                                if (is_whole(t, index))
                                        has[i] = has[j] = has[k] = 1;
        for (uint32_t i = 0; i < t->n; i++)
                if (!has[i])
                        return 0;
        return 1;
}

static ps_status trips_make(trips *t, const ps_rtt_table *table, ps_error *err)
{
        size_t pairs = (size_t)table->n_ranks * table->n_ranks;
        *t = (trips){.n = table->n_ranks, .n_triples = ps_lmo_triples(table->n_ranks)};
        PS_TRY(common_size(&t->bytes, table, err));
        for (int f = 0; f < 2; f++) {
                t->pair[f] = not_measured(pairs);
                t->triple[f] = not_measured(3 * t->n_triples);
                if (!t->pair[f] || !t->triple[f])
                        return PS_NOMEM(err, "round trips", 3 * t->n_triples);
        }
        for (int f = 0; f < 2; f++)
                fill_trips(t, table, f);
        count_triples(t);
        return PS_OK;
}

static const char *refuse(const trips *t)
{
        if (t->n < 3)
                return "it needs three processors at least";
        if (!(t->bytes > 0))
                return "it needs round trips of pairs and of triples without data and with messages of one "
                       "size";
        if (!has_all_pairs(t))
                return "it needs the round trips of all pairs, without data and with the largest size that "
                       "the triples have";
        return has_all_ranks(t)
                       ? NULL
                       : "it needs for each processor a triple with all three roots, without and with data";
}

/* -- how far the triples agree -- */

static void take_triple(const trips *t, const uint32_t rank[3], uint64_t index, ps_lmo *one,
                        ps_lmo_doubts *doubts)
{
        double pair[2][9], triple[2][3];
        for (int f = 0; f < 2; f++) {
                for (size_t a = 0; a < 3; a++)
                        for (size_t b = 0; b < 3; b++)
                                pair[f][3 * a + b] = t->pair[f][(size_t)rank[a] * t->n + rank[b]];
                memcpy(triple[f], &t->triple[f][3 * index], sizeof(triple[f]));
        }
        ps_lmo_times times = {3, t->bytes, pair[0], pair[1], triple[0], triple[1]};
        if (ps_lmo_estimate(one, doubts, &times, NULL) != PS_OK)
                *one = (ps_lmo){0};
}

typedef struct moments {
        double n, sum, squares;
} moments;

static void add_moment(moments *m, double value)
{
        m->n++;
        m->sum += value;
        m->squares += value * value;
}

/* Standard deviation relative to the mean. */
static double deviation(const moments *m)
{
        double mean = m->sum / m->n, variance = m->squares / m->n - mean * mean;
        return m->n > 1 && mean > 0 ? sqrt(variance > 0 ? variance * m->n / (m->n - 1) : 0) / mean : NAN;
}

static double median_deviation(const moments *m, uint32_t n)
{
        double values[PS_RTT_RANKS_MAX];
        size_t known = 0;
        for (uint32_t i = 0; i < n; i++) {
                double value = deviation(&m[i]);
                if (!isnan(value))
                        values[known++] = value;
        }
        if (!known)
                return NAN;
        qsort(values, known, sizeof(*values), ps_doubles_compare);
        return ps_quantile(values, known, 0.5);
}

static void find_spread(ps_calibration *c, const trips *t)
{
        moments fixed[PS_RTT_RANKS_MAX] = {{0}}, per_byte[PS_RTT_RANKS_MAX] = {{0}};
        uint64_t index = 0;
        for (uint32_t i = 0; i < t->n; i++)
                for (uint32_t j = i + 1; j < t->n; j++)
                        for (uint32_t k = j + 1; k < t->n; k++, index++) {
                                const uint32_t rank[3] = {i, j, k};
                                ps_lmo_doubts doubts;
                                ps_lmo one;
                                take_triple(t, rank, index, &one, &doubts);
                                for (int x = 0; one.n && x < 3; x++) {
                                        add_moment(&fixed[rank[x]], one.processing_s[x]);
                                        add_moment(&per_byte[rank[x]], one.processing_s_per_byte[x]);
                                }
                                ps_lmo_clear(&one);
                        }
        c->triple_spread_fixed = median_deviation(fixed, t->n);
        c->triple_spread_per_byte = median_deviation(per_byte, t->n);
}

/* -- the models -- */

/* Equal processors: the means of all. */
static void make_mean(ps_machine *out, const ps_lmo *lmo)
{
        double n = lmo->n, pairs = n * (n - 1) / 2, per_byte = 0;
        ps_machine_init(out, PS_MODEL_HLMO);
        for (uint32_t i = 0; i < lmo->n; i++) {
                out->processing_s += lmo->processing_s[i] / n;
                out->processing_s_per_byte += lmo->processing_s_per_byte[i] / n;
                for (uint32_t j = i + 1; j < lmo->n; j++) {
                        out->link.latency_s += lmo->latency_s[(size_t)i * lmo->n + j] / pairs;
                        per_byte += 1 / lmo->bandwidth_bytes_per_s[(size_t)i * lmo->n + j] / pairs;
                }
        }
        out->link.bandwidth_bytes_per_s = 1 / per_byte;
}

/* Parts that are no measurement are made to fit what most pairs take; single ones may have been held up. */
static void keep_sums(ps_machine *m, const ps_calibration *c)
{
        double fixed = c->sum[0].median, per_byte = c->sum[1].median;
        if (!c->has_sums || !(c->has_no_parts[0] || c->has_no_parts[1]))
                return;
        m->processing_s = fmin(m->processing_s, fixed / 2);
        m->processing_s_per_byte = fmin(m->processing_s_per_byte, per_byte / 2);
        m->link.latency_s = fixed - 2 * m->processing_s;
        double rest = per_byte - 2 * m->processing_s_per_byte;
        m->link.bandwidth_bytes_per_s = rest > 0 ? 1 / rest : (double)INFINITY;
}

static void add_hlmo_rows(ps_calibration *c)
{
        const ps_machine *m = &c->machine;
        double rate = m->link.bandwidth_bytes_per_s;
        ps_calibration_add(c, "processing_s", PS_A_SECONDS, m->processing_s)->is_assumed =
                !(m->processing_s > 0);
        ps_calibration_add(c, "processing_s_per_byte", PS_A_SECONDS_PER_BYTE, m->processing_s_per_byte)
                ->is_assumed = !(m->processing_s_per_byte > 0);
        ps_calibration_add(c, "latency_s", PS_A_SECONDS, m->link.latency_s)->is_assumed =
                !(m->link.latency_s > 0);
        ps_calibration_add(c, "bandwidth_bytes_per_s", PS_A_RATE, rate)->is_assumed = !isfinite(rate);
}

static void note_doubts(ps_calibration *c, const ps_lmo_doubts *doubts)
{
        c->n_clamped += doubts->n_clamped;
        if (doubts->n_clamped)
                ps_calibration_note(c, PS_NOTE_CLAMPED);
}

static ps_status use_triples(ps_calibration *c, const trips *t, ps_model model, ps_error *err)
{
        ps_lmo_times times = {t->n, t->bytes, t->pair[0], t->pair[1], t->triple[0], t->triple[1]};
        ps_lmo_doubts doubts;
        ps_lmo lmo;
        PS_TRY(ps_lmo_estimate(&lmo, &doubts, &times, err));
        note_doubts(c, &doubts);
        ps_status status =
                ps_calibrate_sums(c, &lmo, &(ps_pair_times){t->n, t->bytes, t->pair[0], t->pair[1]},
                                  doubts.n_clamped != 0, err);
        if (status != PS_OK) {
                ps_lmo_clear(&lmo);
                return status;
        }
        if (t->n == 3)
                ps_calibration_note(c, PS_NOTE_ONE_TRIPLE);
        else
                find_spread(c, t);
        if (t->n_measured < t->n_triples)
                ps_calibration_note(c, PS_NOTE_COVER);
        if (model == PS_MODEL_LMO) {
                c->machine.lmo = lmo;
                status = ps_calibration_add_lmo(c, err);
        } else {
                make_mean(&c->machine, &lmo);
                keep_sums(&c->machine, c);
                ps_lmo_clear(&lmo);
                add_hlmo_rows(c);
        }
        ps_calibration_doubt_ends(c);
        return status;
}

/* -- HLMO from scatters -- */

/* The rows of scatters to `n` processors. */
static void scatters_to(const ps_rtt_table *table, uint32_t n, size_t *first, size_t *end)
{
        size_t last;
        ps_rtt_range(table, PS_RTT_SCATTER, first, &last);
        while (*first < last && table->row[*first].rank[0] != n)
                ++*first;
        for (*end = *first; *end < last && table->row[*end].rank[0] == n;)
                ++*end;
}

/* The number of processors that is nearest to half of the largest one: the least badly conditioned. */
static uint32_t half_of(const ps_rtt_table *table, size_t first, size_t end)
{
        uint32_t most = table->row[end - 1].rank[0], best = most;
        for (; first < end; first++) {
                int64_t n = table->row[first].rank[0];
                if (n < most && (best == most || llabs(2 * n - most) < llabs(2 * (int64_t)best - most)))
                        best = (uint32_t)n;
        }
        return best;
}

/* The least and the largest size that both numbers of processors have. Rows of one size stand by time. */
static void find_common(ps_hlmo_times *out, const ps_rtt_table *table)
{
        size_t at[2], end[2];
        for (int k = 0; k < 2; k++)
                scatters_to(table, out->n[k], &at[k], &end[k]);
        while (at[0] < end[0] && at[1] < end[1]) {
                const ps_rtt_row *few = &table->row[at[0]], *many = &table->row[at[1]];
                if (few->bytes == many->bytes && few->bytes != out->bytes[1]) {
                        bool is_least = out->bytes[1] < 0;
                        out->bytes[1] = few->bytes;
                        out->s[1][0] = ps_rtt_time(few);
                        out->s[1][1] = ps_rtt_time(many);
                        if (is_least) {
                                out->bytes[0] = few->bytes;
                                memcpy(out->s[0], out->s[1], sizeof(out->s[0]));
                        }
                }
                at[many->bytes < few->bytes]++;
        }
}

/* Zero when the table has no four runs that belong together. */
static bool find_scatters(ps_hlmo_times *out, const ps_rtt_table *table)
{
        size_t first, end;
        ps_rtt_range(table, PS_RTT_SCATTER, &first, &end);
        if (first == end)
                return false;
        *out = (ps_hlmo_times){.n = {half_of(table, first, end), table->row[end - 1].rank[0]},
                               .bytes = {-1, -1}};
        if (out->n[0] == out->n[1])
                return false;
        find_common(out, table);
        return out->bytes[1] > out->bytes[0];
}

static ps_status use_scatters(ps_calibration *c, const ps_hlmo_times *times, ps_error *err)
{
        ps_lmo_doubts doubts;
        PS_TRY(ps_hlmo_estimate(&c->machine, &doubts, times, err));
        note_doubts(c, &doubts);
        add_hlmo_rows(c);
        return PS_OK;
}

/* -- the whole -- */

static ps_status find_repeat_spread(ps_calibration *c, const ps_rtt_table *table, ps_error *err)
{
        double *ratio = malloc((table->n ? table->n : 1) * sizeof(*ratio));
        size_t n = 0;
        if (!ratio)
                return PS_NOMEM(err, "rows", table->n);
        for (size_t i = 0; i < table->n; i++)
                if (!isnan(table->row[i].median_s))
                        ratio[n++] = table->row[i].median_s / table->row[i].least_s;
        if (n) {
                qsort(ratio, n, sizeof(*ratio), ps_doubles_compare);
                c->repeat_spread = ps_quantile(ratio, n, 0.5);
        }
        free(ratio);
        return PS_OK;
}

ps_status ps_calibrate_triples(ps_calibration *c, const ps_rtt_table *table, ps_model model, ps_error *err)
{
        ps_hlmo_times scatters;
        trips t;
        PS_TRY(find_repeat_spread(c, table, err));
        if (model == PS_MODEL_HLMO && find_scatters(&scatters, table))
                return use_scatters(c, &scatters, err);
        ps_status status = trips_make(&t, table, err);
        c->refusal = status != PS_OK ? NULL : refuse(&t);
        if (status == PS_OK && !c->refusal)
                status = use_triples(c, &t, model, err);
        trips_free(&t);
        return status;
}

ps_status ps_samples_add_table(ps_samples *samples, const ps_rtt_table *table, ps_error *err)
{
        size_t first, end;
        ps_rtt_range(table, PS_RTT_PAIR, &first, &end);
        for (; first < end; first++) {
                const ps_rtt_row *row = &table->row[first];
                const uint32_t *node = table->node_of_rank;
                ps_sample sample = {.s = ps_rtt_time(row) / 2,
                                    .bytes = (uint64_t)row->bytes,
                                    .from = row->rank[0],
                                    .to = row->rank[1],
                                    .kind = PS_SAMPLE_ONE_WAY,
                                    .is_near = node[row->rank[0]] == node[row->rank[1]]};
                PS_TRY(ps_samples_add(samples, &sample, err));
        }
        samples->has_nodes |= table->has_nodes;
        PS_TRY(ps_sweeps_add_table(samples, table, err));
        return ps_samples_place(samples, table->node_of_rank, table->n_ranks, err);
}
