/* messages.c - how long messages took, by their size. */
#include "compare/parts.h"
#include "core/base/search.h"

#include <math.h>
#include <stdlib.h>

/* 0: of no bytes; else the number of binary digits. */
static unsigned class_of(uint64_t bytes)
{
        unsigned digits = 0;

        for (; bytes; bytes >>= 1)
                digits++;
        return digits;
}

static int compare_pairs(const void *a, const void *b)
{
        const ps_message_pair *x = a, *y = b;
        unsigned c = class_of(x->bytes), d = class_of(y->bytes);

        PS_ORDER_BY(c, d);
        PS_ORDER_BY(x->from, y->from);
        return PS_ORDER(x->to, y->to);
}

static double median(double *value, uint64_t n)
{
        qsort(value, n, sizeof(*value), ps_doubles_compare);
        return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

static void find_worst(ps_compared_size *row, const ps_message_pair *pair, uint64_t n, double floor_s)
{
        double worst = -1;

        row->worst_from = row->worst_to = UINT32_MAX;
        row->worst = (ps_two){NAN, NAN};
        for (uint64_t i = 0; i < n; i++) {
                double error = ps_errors_log(pair[i].time);
                if (!(error > worst) || pair[i].time.measured < floor_s || pair[i].time.predicted < floor_s)
                        continue;
                worst = error;
                row->worst_from = pair[i].from;
                row->worst_to = pair[i].to;
                row->worst = pair[i].time;
        }
}

static void fill_size(ps_compared_size *row, const ps_message_pair *pair, uint64_t n, ps_two *time,
                      double *value, double floor_s)
{
        unsigned digits = class_of(pair->bytes);

        *row = (ps_compared_size){.least_bytes = digits ? UINT64_C(1) << (digits - 1) : 0,
                                  .most_bytes = digits ? UINT64_MAX >> (64 - digits) : 0,
                                  .n = n};
        for (uint64_t i = 0; i < n; i++)
                time[i] = pair[i].time;
        row->errors = ps_errors_of(time, n, floor_s);
        for (int side = 0; side < PS_SIDES; side++) {
                for (uint64_t i = 0; i < n; i++)
                        value[i] = *ps_two_at(&time[i], side);
                *ps_two_at(&row->median, side) = median(value, n);
        }
        find_worst(row, pair, n, floor_s);
}

/* Messages are short: only the clocks say what cannot be told. */
static double clock_floor(const ps_compare *c)
{
        uint64_t hz[PS_SIDES] = {c->run[PS_MEASURED]->resolution_hz, c->run[PS_PREDICTED]->resolution_hz};
        double m = hz[PS_MEASURED] ? 1 / (double)hz[PS_MEASURED] : 0;
        double p = hz[PS_PREDICTED] ? 1 / (double)hz[PS_PREDICTED] : 0;

        return m > p ? m : p;
}

ps_status ps_compare_messages(ps_compare *c, ps_message_pair *pair, uint64_t n, ps_error *err)
{
        enum { CLASSES = 65 };
        ps_two *time = malloc((n + 1) * sizeof(*time));
        double *value = malloc((n + 1) * sizeof(*value)), floor_s = clock_floor(c);

        c->sizes.row = calloc(CLASSES, sizeof(*c->sizes.row));
        if (!time || !value || !c->sizes.row) {
                free(time);
                free(value);
                return PS_NOMEM(err, "messages", n);
        }
        if (n)
                qsort(pair, n, sizeof(*pair), compare_pairs);
        for (uint64_t i = 0, end; i < n; i = end) {
                for (end = i + 1; end < n && class_of(pair[end].bytes) == class_of(pair[i].bytes); end++)
                        ;
                fill_size(&c->sizes.row[c->sizes.n++], pair + i, end - i, time, value, floor_s);
        }
        for (uint64_t i = 0; i < n; i++)
                time[i] = pair[i].time;
        c->message_errors = ps_errors_of(time, n, floor_s);
        free(time);
        free(value);
        return PS_OK;
}
