/* errors.c - see errors.h. */
#include "compare/errors.h"
#include "core/base/search.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

double ps_errors_signed(ps_two pair)
{
        return pair.measured > 0 ? (pair.predicted - pair.measured) / pair.measured : NAN;
}

#define INLINE static inline __attribute__((always_inline))

/* What is added to two sums at once, in one register: the second ones go on from what was there before. */
typedef double twice __attribute__((vector_size(2 * sizeof(double))));

typedef struct sums_twice {
        uint64_t n, n_below;
        double max_log;
        twice sum[PS_ERRORS_SUMS];
} sums_twice;

INLINE void add_twice(sums_twice *s, unsigned which, double value)
{
        s->sum[which] += (twice){value, value};
}

INLINE void add_pair(sums_twice *s, ps_two pair, double floor_s)
{
        const double difference = pair.predicted - pair.measured;
        const bool is_below = pair.measured <= 0 || pair.predicted <= 0 || pair.measured < floor_s ||
                              pair.predicted < floor_s;
        s->n++;
        s->n_below += is_below;
        add_twice(s, PS_ERRORS_MEASURED, pair.measured);
        add_twice(s, PS_ERRORS_PREDICTED, pair.predicted);
        add_twice(s, PS_ERRORS_DIFFERENCE, difference);
        add_twice(s, PS_ERRORS_SIZE, fabs(difference));
        add_twice(s, PS_ERRORS_SQUARE, difference * difference);
        if (is_below || difference == 0) /* equal times add nothing to shares */
                return;
        const double log_ratio = log(pair.predicted / pair.measured);
        add_twice(s, PS_ERRORS_SHARE, fabs(difference) / pair.measured);
        add_twice(s, PS_ERRORS_SYMMETRIC, fabs(difference) / ((pair.measured + pair.predicted) / 2));
        add_twice(s, PS_ERRORS_LOG, fabs(log_ratio));
        add_twice(s, PS_ERRORS_SIGNED_LOG, log_ratio);
        s->max_log = fabs(log_ratio) > s->max_log ? fabs(log_ratio) : s->max_log;
}

/* Those that were 0 before, or, with what was there before, all. */
static ps_errors_sums half_of(const sums_twice *s, unsigned half)
{
        ps_errors_sums out = {.n = s->n, .n_below = s->n_below, .max_log = s->max_log};
        for (unsigned i = 0; i < PS_ERRORS_SUMS; i++)
                out.sum[i] = s->sum[i][half];
        return out;
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
                           .measured_s = s->sum[PS_ERRORS_MEASURED],
                           .predicted_s = s->sum[PS_ERRORS_PREDICTED],
                           .total = per(s->sum[PS_ERRORS_DIFFERENCE], s->sum[PS_ERRORS_MEASURED]),
                           .wape = per(s->sum[PS_ERRORS_SIZE], s->sum[PS_ERRORS_MEASURED]),
                           .mape = per(s->sum[PS_ERRORS_SHARE], n_shares),
                           .smape = per(s->sum[PS_ERRORS_SYMMETRIC], n_shares),
                           .mean_log = expm1(per(s->sum[PS_ERRORS_LOG], n_shares)),
                           .max_log = n_shares > 0 ? expm1(s->max_log) : NAN,
                           .ratio = exp(per(s->sum[PS_ERRORS_SIGNED_LOG], n_shares)),
                           .rmse_s = sqrt(per(s->sum[PS_ERRORS_SQUARE], (double)s->n)),
                           .cancellation =
                                   !s->n ? NAN
                                   : s->sum[PS_ERRORS_SIZE] > 0
                                           ? 1 - fabs(s->sum[PS_ERRORS_DIFFERENCE]) / s->sum[PS_ERRORS_SIZE]
                                           : 0};
}

ps_errors ps_errors_of(const ps_two *pair, uint64_t n, double floor_s)
{
        sums_twice s = {0};
        for (uint64_t i = 0; i < n; i++)
                if (!isnan(pair[i].measured) && !isnan(pair[i].predicted))
                        add_pair(&s, pair[i], floor_s);
        const ps_errors_sums sums = half_of(&s, 0);
        return ps_errors_of_sums(&sums);
}

ps_errors ps_errors_of_rows(const ps_two *first, size_t size, uint64_t n, double floor_s, ps_errors_sums *all)
{
        sums_twice s = {0};
        for (unsigned i = 0; i < PS_ERRORS_SUMS; i++)
                s.sum[i] = (twice){0, all->sum[i]};
        for (const char *row = (const char *)first; n; n--, row += size) {
                ps_two pair;
                memcpy(&pair, row, sizeof(pair));
                add_pair(&s, pair, floor_s);
        }
        const ps_errors_sums before = *all, sums = half_of(&s, 0);
        *all = half_of(&s, 1);
        all->n += before.n;
        all->n_below += before.n_below;
        all->max_log = before.max_log > all->max_log ? before.max_log : all->max_log;
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
