/* messages.c - how long messages took, by their size. */
#include "compare/parts.h"
#include "core/base/blocks.h"
#include "core/base/radix.h"

#include <math.h>
#include <stdlib.h>

enum { CLASSES = 65 }; /* of sizes, by their binary digits */

/* `n_senders`: of those that are known; the others are one behind them. */
static inline size_t class_and_sender(const ps_message_pair *pair, size_t n_senders)
{
        return ps_binary_digits(pair->bytes) * (n_senders + 1) +
               (pair->from < n_senders ? pair->from : n_senders);
}

/* By size, then sender. Those of one receiver come together, the receivers in order. `first` has a 0 for each
 * size and sender, and then where they end. */
static void sort_pairs(ps_message_pair *out, const ps_message_pair *pair, uint64_t n, size_t n_senders,
                       uint64_t *first)
{
        uint64_t sum = 0;
        for (uint64_t i = 0; i < n; i++)
                first[class_and_sender(&pair[i], n_senders)]++;
        for (size_t key = 0; key < CLASSES * (n_senders + 1); key++) {
                uint64_t count = first[key];
                first[key] = sum;
                sum += count;
        }
        for (uint64_t i = 0; i < n; i++) {
                ps_blocks_keep();
                out[first[class_and_sender(&pair[i], n_senders)]++] = pair[i];
        }
}

/* `number` has room for all. */
static double find_median(ps_message_pair *pair, int side, uint64_t n, uint64_t *number)
{
        enum { STEP = sizeof(*pair) / sizeof(double) };
        const double *first = ps_two_at(&pair->time, side), *value = first;
        double low, next = INFINITY;
        uint64_t upto = 0;

        for (uint64_t i = 0; i < n; i++, value += STEP)
                number[i] = ps_radix_double(*value);
        low = ps_radix_to_double(ps_radix_select(number, n, (n - 1) / 2));
        if (n % 2)
                return low;
        value = first;
        for (uint64_t i = 0; i < n; i++, value += STEP) {
                upto += *value <= low;
                next = *value > low && *value < next ? *value : next;
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
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): sort_pairs() has filled it
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

/* `end`: where each size and sender ends, of `n_senders` and those that are not known. */
static void fill_sizes(ps_compare *c, ps_message_pair *pair, const uint64_t *end, size_t n_senders,
                       uint64_t *number)
{
        ps_errors_sums all = {0};
        const double floor_s = clock_floor(c);
        uint64_t first = 0;
        for (unsigned class = 0; class < CLASSES; class ++) {
                uint64_t last = end[class * (n_senders + 1) + n_senders];
                if (last > first)
                        fill_size(&c->sizes.row[c->sizes.n++], pair + first, last - first, number, &all,
                                  floor_s);
                first = last;
        }
        c->message_errors = ps_errors_of_sums(&all);
}

ps_status ps_compare_messages(ps_compare *c, const ps_message_pair *pair, uint64_t n, ps_error *err)
{
        const size_t n_senders = c->run[PS_MEASURED]->n_processors;
        ps_message_pair *sorted = malloc((n + 1) * sizeof(*sorted));
        uint64_t *number = malloc((n + 1) * sizeof(*number)),
                 *first = calloc(CLASSES * (n_senders + 1), sizeof(*first));
        bool lacks = !sorted || !number || !first;

        c->sizes.row = calloc(CLASSES, sizeof(*c->sizes.row));
        if (c->sizes.row && !lacks) {
                sort_pairs(sorted, pair, n, n_senders, first);
                fill_sizes(c, sorted, first, n_senders, number);
        }
        free(sorted);
        free(number);
        free(first);
        return c->sizes.row && !lacks ? PS_OK : PS_NOMEM(err, "messages", n);
}
