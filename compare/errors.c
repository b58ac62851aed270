/* errors.c - see errors.h. */
#include "compare/errors.h"
#include "core/base/search.h"

#include <math.h>
#include <stdlib.h>

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

typedef struct sums {
        double difference, size, square, share, symmetric, log, signed_log;
        uint64_t n_shares;
} sums;

static void add_pair(ps_errors *e, sums *s, ps_two pair, double floor_s)
{
        double d = pair.predicted - pair.measured, log_ratio;

        e->n++;
        e->measured_s += pair.measured;
        e->predicted_s += pair.predicted;
        s->difference += d;
        s->size += fabs(d);
        s->square += d * d;
        if (pair.measured <= 0 || pair.predicted <= 0 || pair.measured < floor_s ||
            pair.predicted < floor_s) {
                e->n_below++;
                return;
        }
        log_ratio = log(pair.predicted / pair.measured);
        s->n_shares++;
        s->share += fabs(d) / pair.measured;
        s->symmetric += fabs(d) / ((pair.measured + pair.predicted) / 2);
        s->log += fabs(log_ratio);
        s->signed_log += log_ratio;
        e->max_log = fabs(log_ratio) > e->max_log ? fabs(log_ratio) : e->max_log;
}

static double per(double sum, double whole)
{
        return whole > 0 ? sum / whole : NAN;
}

ps_errors ps_errors_of(const ps_two *pair, uint64_t n, double floor_s)
{
        ps_errors e = {0};
        sums s = {0};
        double n_shares;

        for (uint64_t i = 0; i < n; i++)
                if (!isnan(pair[i].measured) && !isnan(pair[i].predicted))
                        add_pair(&e, &s, pair[i], floor_s);
        n_shares = (double)s.n_shares;
        e.total = per(s.difference, e.measured_s);
        e.wape = per(s.size, e.measured_s);
        e.mape = per(s.share, n_shares);
        e.smape = per(s.symmetric, n_shares);
        e.mean_log = expm1(per(s.log, n_shares));
        e.max_log = s.n_shares ? expm1(e.max_log) : NAN;
        e.ratio = exp(per(s.signed_log, n_shares));
        e.rmse_s = sqrt(per(s.square, (double)e.n));
        e.cancellation = !e.n ? NAN : s.size > 0 ? 1 - fabs(s.difference) / s.size : 0;
        return e;
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
