/* errors.c - see errors.h. */
#include "compare/errors.h"
#include "core/base/search.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

double ps_errors_log(ps_two pair)
{
        return pair.measured > 0 && pair.predicted > 0 ? pair.measured > pair.predicted
                                                                 ? pair.measured / pair.predicted - 1
                                                                 : pair.predicted / pair.measured - 1
                                                       : NAN;
}

double ps_errors_signed(ps_two pair)
{
        return pair.measured > 0 ? (pair.predicted - pair.measured) / pair.measured : NAN;
}

#define INLINE static inline __attribute__((always_inline))

INLINE void add_times(ps_errors_sums *s, ps_two pair, double difference, bool is_below)
{
        s->n++;
        s->n_below += is_below;
        s->measured += pair.measured;
        s->predicted += pair.predicted;
        s->difference += difference;
        s->size += fabs(difference);
        s->square += difference * difference;
}

INLINE void add_shares(ps_errors_sums *s, double share, double symmetric, double log_ratio)
{
        s->share += share;
        s->symmetric += symmetric;
        s->log += fabs(log_ratio);
        s->signed_log += log_ratio;
        s->max_log = fabs(log_ratio) > s->max_log ? fabs(log_ratio) : s->max_log;
}

/* To both sums; `other` may be NULL. */
INLINE void add_pair(ps_errors_sums *sums, ps_errors_sums *other, ps_two pair, double floor_s)
{
        const double difference = pair.predicted - pair.measured;
        const bool is_below = pair.measured <= 0 || pair.predicted <= 0 || pair.measured < floor_s ||
                              pair.predicted < floor_s;
        add_times(sums, pair, difference, is_below);
        if (other)
                add_times(other, pair, difference, is_below);
        if (is_below || difference == 0) /* equal times add nothing to shares */
                return;
        const double share = fabs(difference) / pair.measured,
                     symmetric = fabs(difference) / ((pair.measured + pair.predicted) / 2),
                     log_ratio = log(pair.predicted / pair.measured);
        add_shares(sums, share, symmetric, log_ratio);
        if (other)
                add_shares(other, share, symmetric, log_ratio);
}

static double per(double sum, double whole)
{
        return whole > 0 ? sum / whole : NAN;
}

ps_errors ps_errors_of_sums(const ps_errors_sums *s)
{
        double n_shares = (double)(s->n - s->n_below);
        return (ps_errors){.n = s->n,
                           .n_below = s->n_below,
                           .measured_s = s->measured,
                           .predicted_s = s->predicted,
                           .total = per(s->difference, s->measured),
                           .wape = per(s->size, s->measured),
                           .mape = per(s->share, n_shares),
                           .smape = per(s->symmetric, n_shares),
                           .mean_log = expm1(per(s->log, n_shares)),
                           .max_log = n_shares > 0 ? expm1(s->max_log) : NAN,
                           .ratio = exp(per(s->signed_log, n_shares)),
                           .rmse_s = sqrt(per(s->square, (double)s->n)),
                           .cancellation = !s->n         ? NAN
                                           : s->size > 0 ? 1 - fabs(s->difference) / s->size
                                                         : 0};
}

ps_errors ps_errors_of(const ps_two *pair, uint64_t n, double floor_s)
{
        ps_errors_sums sums = {0};
        for (uint64_t i = 0; i < n; i++)
                if (!isnan(pair[i].measured) && !isnan(pair[i].predicted))
                        add_pair(&sums, NULL, pair[i], floor_s);
        return ps_errors_of_sums(&sums);
}

ps_errors ps_errors_of_rows(const ps_two *first, size_t size, uint64_t n, double floor_s, ps_errors_sums *all)
{
        ps_errors_sums sums = {0}, more = *all;
        for (const char *row = (const char *)first; n; n--, row += size) {
                ps_two pair;
                memcpy(&pair, row, sizeof(pair));
                add_pair(&sums, &more, pair, floor_s);
        }
        *all = more;
        return ps_errors_of_sums(&sums);
}

/* -- order -- */

typedef struct place {
        double value;
        uint32_t pair;
} place;

static int by_value_and_pair(const void *a, const void *b)
{
        const place *x = a, *y = b;

        PS_ORDER_BY(x->value, y->value);
        return PS_ORDER(x->pair, y->pair);
}

/* Places from 0; equal values share the mean of theirs. */
static void rank(double *out, place *row, uint32_t n)
{
        qsort(row, n, sizeof(*row), by_value_and_pair);
        for (uint32_t i = 0, end; i < n; i = end) {
                for (end = i + 1; end < n && row[end].value == row[i].value; end++)
                        ;
                for (uint32_t j = i; j < end; j++)
                        out[row[j].pair] = (double)(i + end - 1) / 2;
        }
}

static double correlation(const double *x, const double *y, uint32_t n)
{
        double mean = (double)(n - 1) / 2, xy = 0, xx = 0, yy = 0;

        for (uint32_t i = 0; i < n; i++) {
                xy += (x[i] - mean) * (y[i] - mean);
                xx += (x[i] - mean) * (x[i] - mean);
                yy += (y[i] - mean) * (y[i] - mean);
        }
        return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

ps_status ps_errors_spearman(double *out, const ps_two *pair, uint32_t n, ps_error *err)
{
        place *row = calloc((size_t)n + 1, sizeof(*row));
        double *ranks = calloc(2 * (size_t)n + 1, sizeof(*ranks));
        bool is_out = !row || !ranks;

        for (int side = 0; !is_out && side < 2; side++) {
                for (uint32_t i = 0; i < n; i++)
                        row[i] = (place){side ? pair[i].predicted : pair[i].measured, i};
                rank(ranks + (size_t)side * n, row, n);
        }
        *out = !is_out && n > 1 ? correlation(ranks, ranks + n, n) : NAN;
        free(row);
        free(ranks);
        return is_out ? PS_NOMEM(err, "ranks in order", n) : PS_OK;
}
