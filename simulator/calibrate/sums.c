/* sums.c - what the round trips of pairs say by themselves: the sums C[i] + L + C[j] and
 * t[i] + 1/B + t[j]. They are measured well, while their parts are differences of times that hardly differ.
 * So the sums are kept, whatever the triples say; where the two contradict each other the parts are not
 * identified. */
#include "core/base/search.h"
#include "simulator/calibrate/calibrate.h"

#include <math.h>
#include <stdlib.h>

/* Parts that miss the pairs by more, of which more are negative, or about which single triples scatter more,
 * are no measurement. */
static const double doubtful = 0.2, negative = 0.1, scattered = 0.5;

/* `f`: 0 fixed, 1 for each byte. */
static double sum_at(const ps_pair_times *times, int f, size_t at)
{
        double fixed = times->empty[at] / 2;
        return f ? fmax(0, (times->full[at] / 2 - fixed) / times->bytes) : fixed;
}

static double *ends_of(const ps_lmo *lmo, int f)
{
        return f ? lmo->processing_s_per_byte : lmo->processing_s;
}

static void set_rest(const ps_lmo *lmo, int f, size_t at, double rest)
{
        if (f)
                lmo->bandwidth_bytes_per_s[at] = 1 / rest;
        else
                lmo->latency_s[at] = rest;
}

/* What both ends leave of the sum; what is left of it by rounding is nothing. */
static double rest_of(double sum, double ends)
{
        return sum - ends > 1e-9 * sum ? sum - ends : 0;
}

static void keep_sums(const ps_lmo *lmo, const ps_pair_times *times)
{
        for (int f = 0; f < 2; f++) {
                const double *end = ends_of(lmo, f);
                for (size_t i = 0; i < lmo->n; i++)
                        for (size_t j = 0; j < lmo->n; j++) {
                                size_t at = i * lmo->n + j;
                                if (i != j)
                                        set_rest(lmo, f, at, rest_of(sum_at(times, f, at), end[i] + end[j]));
                        }
        }
}

/* How far the machine is from the round trips of the pairs: the worst of all. */
static double worst_pair(const ps_lmo *lmo, const ps_pair_times *times, int f)
{
        double worst = 0;
        for (size_t i = 0; i < lmo->n; i++)
                for (size_t j = i + 1; j < lmo->n; j++) {
                        size_t at = i * lmo->n + j;
                        const double *c = lmo->processing_s, *t = lmo->processing_s_per_byte;
                        double per_byte = t[i] + 1 / lmo->bandwidth_bytes_per_s[at] + t[j];
                        double way = c[i] + lmo->latency_s[at] + c[j] + (f ? times->bytes * per_byte : 0);
                        double measured = (f ? times->full[at] : times->empty[at]) / 2;
                        worst = fmax(worst, fabs(way / measured - 1));
                }
        return worst;
}

/* Ends that are longer than a sum become shorter: each by the factor of its worst pair, which is enough for
 * both ends of any pair. */
static void shorten(const ps_lmo *lmo, const ps_pair_times *times, int f, double *factor)
{
        double *end = ends_of(lmo, f);
        for (size_t i = 0; i < lmo->n; i++) {
                factor[i] = 1;
                for (size_t j = 0; j < lmo->n; j++) {
                        double both = end[i] + end[j];
                        if (i != j && both > 0)
                                factor[i] = fmin(factor[i], sum_at(times, f, i * lmo->n + j) / both);
                }
        }
        for (size_t i = 0; i < lmo->n; i++)
                end[i] *= factor[i];
}

static void find_sums(ps_calibration *c, const ps_pair_times *times, double *sums)
{
        for (int f = 0; f < 2; f++) {
                size_t n = 0;
                for (size_t i = 0; i < times->n; i++)
                        for (size_t j = i + 1; j < times->n; j++)
                                sums[n++] = sum_at(times, f, i * times->n + j);
                qsort(sums, n, sizeof(*sums), ps_doubles_compare);
                c->sum[f] = (ps_calibrated_sum){sums[n / 2], sums[0], sums[n - 1]};
        }
}

/* Shares of the ends and of what is between them that came out as nothing. */
static double share_of_nothing(const ps_lmo *lmo, int f)
{
        double n_ends = 0, n_pairs = 0, n = lmo->n;
        for (size_t i = 0; i < lmo->n; i++) {
                n_ends += ends_of(lmo, f)[i] <= 0;
                for (size_t j = i + 1; j < lmo->n; j++)
                        n_pairs += f ? isinf(lmo->bandwidth_bytes_per_s[i * lmo->n + j])
                                     : lmo->latency_s[i * lmo->n + j] <= 0;
        }
        return fmax(n_ends / n, n_pairs / (n * (n - 1) / 2));
}

ps_status ps_calibrate_sums(ps_calibration *c, const ps_lmo *lmo, const ps_pair_times *times, bool is_clamped,
                            ps_error *err)
{
        double worst[2], *room = malloc((size_t)times->n * times->n * sizeof(*room));
        if (!room)
                return PS_NOMEM(err, "pairs", (size_t)times->n * times->n);
        if (is_clamped)
                keep_sums(lmo, times);
        for (int f = 0; f < 2; f++) {
                worst[f] = worst_pair(lmo, times, f);
                c->has_no_parts[f] = worst[f] > doubtful || share_of_nothing(lmo, f) > negative;
        }
        c->worst_pair = fmax(worst[0], worst[1]);
        if (c->worst_pair > doubtful)
                ps_calibration_note(c, PS_NOTE_DOUBTFUL);
        if (is_clamped) {
                for (int f = 0; f < 2; f++)
                        shorten(lmo, times, f, room);
                keep_sums(lmo, times);
        }
        find_sums(c, times, room);
        c->has_sums = true;
        free(room);
        return PS_OK;
}

void ps_calibration_doubt_ends(ps_calibration *c)
{
        int f[2] = {c->has_no_parts[0] || c->triple_spread_fixed > scattered,
                    c->has_no_parts[1] || c->triple_spread_per_byte > scattered};
        for (uint32_t i = 0; i < c->n_rows; i++) {
                ps_calibrated *row = &c->row[i];
                bool is_rate = row->type == PS_A_RATE || row->type == PS_A_SECONDS_PER_BYTE;
                row->is_assumed |= f[is_rate];
        }
        if (f[0] || f[1])
                ps_calibration_note(c, PS_NOTE_SUMS_KNOWN);
}
