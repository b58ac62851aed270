/* messages.c - how long messages took, by their size. */
#include "compare/parts.h"
#include "core/base/radix.h"

#include <math.h>
#include <stdlib.h>

/* 0: of no bytes; else the number of binary digits. */
static unsigned class_of(uint64_t bytes)
{
        return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
}

static uint64_t class_of_pair(const void *row)
{
        const ps_message_pair *pair = row;
        return class_of(pair->bytes);
}

static uint64_t sender_of(const void *row)
{
        const ps_message_pair *pair = row;
        return pair->from;
}

/* Those of one receiver come together, the receivers in order. */
static ps_row_number *const by_pair[] = {class_of_pair, sender_of};

/* `number` has room for all. */
static double find_median(ps_two *time, int side, uint64_t n, uint64_t *number)
{
        double low, next = INFINITY;
        uint64_t upto = 0;

        for (uint64_t i = 0; i < n; i++)
                number[i] = ps_radix_double(*ps_two_at(&time[i], side));
        low = ps_radix_to_double(ps_radix_select(number, n, (n - 1) / 2));
        if (n % 2)
                return low;
        for (uint64_t i = 0; i < n; i++) {
                double value = *ps_two_at(&time[i], side);
                upto += value <= low;
                next = value > low && value < next ? value : next;
        }
        return (low + (upto > n / 2 ? low : next)) / 2;
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
                      uint64_t *number, double floor_s)
{
        unsigned digits = class_of(pair->bytes);

        *row = (ps_compared_size){.least_bytes = digits ? UINT64_C(1) << (digits - 1) : 0,
                                  .most_bytes = digits ? UINT64_MAX >> (64 - digits) : 0,
                                  .n = n};
        for (uint64_t i = 0; i < n; i++)
                time[i] = pair[i].time;
        row->errors = ps_errors_of(time, n, floor_s);
        for (int side = 0; side < PS_SIDES; side++)
                *ps_two_at(&row->median, side) = find_median(time, side, n, number);
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

static void fill_sizes(ps_compare *c, const ps_message_pair *pair, uint64_t n, ps_two *time, uint64_t *number,
                       double floor_s)
{
        for (uint64_t i = 0, end; i < n; i = end) {
                unsigned class = class_of(pair[i].bytes);
                for (end = i + 1; end < n && class_of(pair[end].bytes) == class; end++)
                        ;
                fill_size(&c->sizes.row[c->sizes.n++], pair + i, end - i, time, number, floor_s);
        }
        if (c->sizes.n == 1) { /* it has them all */
                c->message_errors = c->sizes.row->errors;
                return;
        }
        for (uint64_t i = 0; i < n; i++)
                time[i] = pair[i].time;
        c->message_errors = ps_errors_of(time, n, floor_s);
}

ps_status ps_compare_messages(ps_compare *c, ps_message_pair *pair, uint64_t n, ps_error *err)
{
        enum { CLASSES = 65 };
        ps_two *time = malloc((n + 1) * sizeof(*time));
        uint64_t *number = malloc((n + 1) * sizeof(*number));
        ps_status status = PS_OK;

        c->sizes.row = calloc(CLASSES, sizeof(*c->sizes.row));
        if (!time || !number || !c->sizes.row || ps_radix_sort(pair, n, sizeof(*pair), by_pair, 2))
                status = PS_NOMEM(err, "messages", n);
        else
                fill_sizes(c, pair, n, time, number, clock_floor(c));
        free(time);
        free(number);
        return status;
}
