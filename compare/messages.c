/* messages.c - how long messages took, by their size. */
#include "compare/parts.h"
#include "core/base/radix.h"

#include <math.h>
#include <stdlib.h>

/* By size, then sender. Those of one receiver come together, the receivers in order. */
static uint64_t class_and_sender(const void *row)
{
        const ps_message_pair *pair = row;
        return (uint64_t)ps_binary_digits(pair->bytes) << 33 |
               pair->from; /* a digit of a radix sort begins there */
}

static ps_row_number *const by_pair[] = {class_and_sender};

/* `number` has room for all. */
static double find_median(ps_message_pair *pair, int side, uint64_t n, uint64_t *number)
{
        double low, next = INFINITY;
        uint64_t upto = 0;

        for (uint64_t i = 0; i < n; i++)
                number[i] = ps_radix_double(*ps_two_at(&pair[i].time, side));
        low = ps_radix_to_double(ps_radix_select(number, n, (n - 1) / 2));
        if (n % 2)
                return low;
        for (uint64_t i = 0; i < n; i++) {
                double value = *ps_two_at(&pair[i].time, side);
                upto += value <= low;
                next = value > low && value < next ? value : next;
        }
        return (low + (upto > n / 2 ? low : next)) / 2;
}

/* The first of the largest error; NULL: all are below the resolution. */
static const ps_message_pair *find_worst(const ps_message_pair *pair, uint64_t n, double floor_s)
{
        const ps_message_pair *worst = NULL;
        double largest = -1;

        for (uint64_t i = 0; i < n; i++) {
                if (pair[i].time.measured < floor_s || pair[i].time.predicted < floor_s)
                        continue;
                double error = ps_errors_log(pair[i].time);
                if (error > largest) {
                        largest = error;
                        worst = &pair[i];
                }
        }
        return worst;
}

/* Their times are added to those of all, too. */
static void fill_size(ps_compared_size *row, ps_message_pair *pair, uint64_t n, uint64_t *number,
                      ps_errors_sums *all, double floor_s)
{
        unsigned digits = ps_binary_digits(pair->bytes);
        const ps_message_pair *worst = find_worst(pair, n, floor_s);

        *row = (ps_compared_size){.least_bytes = digits ? UINT64_C(1) << (digits - 1) : 0,
                                  .most_bytes = digits ? UINT64_MAX >> (64 - digits) : 0,
                                  .n = n,
                                  .errors = ps_errors_of_rows(&pair->time, sizeof(*pair), n, floor_s, all),
                                  .worst_from = worst ? worst->from : UINT32_MAX,
                                  .worst_to = worst ? worst->to : UINT32_MAX,
                                  .worst = worst ? worst->time : (ps_two){NAN, NAN}};
        for (int side = 0; side < PS_SIDES; side++)
                *ps_two_at(&row->median, side) = find_median(pair, side, n, number);
}

/* Messages are short: only the clocks say what cannot be told. */
static double clock_floor(const ps_compare *c)
{
        uint64_t hz[PS_SIDES] = {c->run[PS_MEASURED]->resolution_hz, c->run[PS_PREDICTED]->resolution_hz};
        double m = hz[PS_MEASURED] ? 1 / (double)hz[PS_MEASURED] : 0;
        double p = hz[PS_PREDICTED] ? 1 / (double)hz[PS_PREDICTED] : 0;

        return m > p ? m : p;
}

static void fill_sizes(ps_compare *c, ps_message_pair *pair, uint64_t n, uint64_t *number, double floor_s)
{
        ps_errors_sums all = {0};
        for (uint64_t i = 0, end; i < n; i = end) {
                unsigned class = ps_binary_digits(pair[i].bytes);
                for (end = i + 1; end < n && ps_binary_digits(pair[end].bytes) == class; end++)
                        ;
                fill_size(&c->sizes.row[c->sizes.n++], pair + i, end - i, number, &all, floor_s);
        }
        c->message_errors = ps_errors_of_sums(&all);
}

ps_status ps_compare_messages(ps_compare *c, ps_message_pair *pair, uint64_t n, ps_error *err)
{
        enum { CLASSES = 65 };
        uint64_t *number = malloc((n + 1) * sizeof(*number));
        ps_status status = PS_OK;

        c->sizes.row = calloc(CLASSES, sizeof(*c->sizes.row));
        if (!number || !c->sizes.row || ps_radix_sort(pair, n, sizeof(*pair), by_pair, 1))
                status = PS_NOMEM(err, "messages", n);
        else
                fill_sizes(c, pair, n, number, clock_floor(c));
        free(number);
        return status;
}
