/* calibrate_offsets.c - the difference between the clocks of two processes, from messages in both directions.
 *
 * What a message from i to j seems to take is its time plus the difference of the clocks, from j to i its
 * time minus that. The least of each direction, at a size that both have, therefore gives the difference as
 * half of theirs. With one direction the two cannot be told apart. */
#include "simulator/calibrate_fit.h"
#include "simulator/calibrate_internal.h"

#include <math.h>
#include <stdlib.h>

/* What a message says: `s` from the lower to the higher rank is `up`. */
typedef struct way {
        ps_proc low, high;
        uint64_t bytes;
        int is_up;
        ps_time time;
} way;

typedef struct pair {
        ps_proc low, high;
        ps_time offset; /* of the higher one's clock against that of the lower one */
        int is_known;
} pair;

typedef struct offsets {
        way *ways;
        pair *pairs; /* sorted */
        double *halves;
        size_t n_ways, n_pairs;
} offsets;

static int compare(uint64_t a, uint64_t b)
{
        return (a > b) - (a < b);
}

static int by_pair(const void *a, const void *b)
{
        const pair *p = a, *q = b;
        return p->low != q->low ? compare(p->low, q->low) : compare(p->high, q->high);
}

static int by_way(const void *a, const void *b)
{
        const way *p = a, *q = b;
        int order = by_pair(&(pair){.low = p->low, .high = p->high}, &(pair){.low = q->low, .high = q->high});
        if (!order)
                order = compare(p->bytes, q->bytes);
        if (!order)
                order = p->is_up - q->is_up;
        return order ? order : (p->time > q->time) - (p->time < q->time);
}

static int by_value(const void *a, const void *b)
{
        double p = *(const double *)a, q = *(const double *)b;
        return (p > q) - (p < q);
}

static int is_usable(const ps_calibrate_message *m)
{
        return m->receive_why == PS_USED && ps_message_is_awaited(m);
}

static void list_ways(offsets *o, const ps_calibrate_messages *messages)
{
        for (size_t i = 0; i < messages->n; i++) {
                const ps_calibrate_message *m = &messages->row[i];
                int is_up = m->from < m->to;
                if (is_usable(m))
                        o->ways[o->n_ways++] = (way){is_up ? m->from : m->to, is_up ? m->to : m->from,
                                                     m->bytes, is_up, ps_time_sub(m->got, m->sent)};
        }
        qsort(o->ways, o->n_ways, sizeof(*o->ways), by_way);
}

static int same_pair(const way *a, const way *b)
{
        return a->low == b->low && a->high == b->high;
}

/* The ways of one pair, [first, end). */
static pair solve(offsets *o, size_t first, size_t end)
{
        const way *w = o->ways;
        pair result = {.low = w[first].low, .high = w[first].high};
        size_t n = 0;
        for (size_t i = first + 1, down = first; i < end; i++) {
                if (w[i].bytes != w[i - 1].bytes)
                        down = i; /* the least of the first direction that this size has */
                else if (w[i].is_up && !w[i - 1].is_up)
                        o->halves[n++] = ((double)w[i].time - (double)w[down].time) / 2;
        }
        if (!n)
                return result;
        qsort(o->halves, n, sizeof(*o->halves), by_value);
        result.is_known = 1;
        result.offset = (ps_time)llround(ps_quantile(o->halves, n, 0.5));
        return result;
}

static void find_pairs(offsets *o, ps_sample_clocks *clocks)
{
        for (size_t first = 0, end; first < o->n_ways; first = end) {
                for (end = first + 1; end < o->n_ways && same_pair(&o->ways[end], &o->ways[first]);)
                        end++;
                pair found = solve(o, first, end);
                double size = fabs((double)found.offset) / (double)PS_PS_PER_S;
                clocks->n_both += (uint64_t)found.is_known;
                clocks->largest_s = size > clocks->largest_s ? size : clocks->largest_s;
                o->pairs[o->n_pairs++] = found;
        }
}

static void shift(ps_calibrate_message *m, ps_time by)
{
        m->offset = by;
        m->posted = ps_time_add(m->posted, by);
        m->asked = ps_time_add(m->asked, by);
        m->got = ps_time_add(m->got, by);
}

/* Whatever compares the two ends says nothing. */
static void refuse(ps_calibrate_message *m)
{
        if (m->receive_why == PS_USED)
                m->receive_why = PS_UNUSED_CLOCK;
        if (m->send_why == PS_USED)
                m->send_why = PS_UNUSED_CLOCK;
}

static void apply(const offsets *o, ps_calibrate_messages *messages, int is_strict)
{
        for (size_t i = 0; i < messages->n; i++) {
                ps_calibrate_message *m = &messages->row[i];
                int is_up = m->from < m->to;
                pair key = {.low = is_up ? m->from : m->to, .high = is_up ? m->to : m->from};
                const pair *found =
                        o->n_pairs ? bsearch(&key, o->pairs, o->n_pairs, sizeof(key), by_pair) : NULL;
                if (found && found->is_known)
                        shift(m, is_up ? ps_time_sub(0, found->offset) : found->offset);
                else if (is_strict)
                        refuse(m);
        }
}

ps_status ps_offsets_apply(ps_sample_clocks *clocks, ps_calibrate_messages *messages, int is_strict,
                           ps_error *err)
{
        size_t room = messages->n ? messages->n : 1;
        offsets o = {.ways = malloc(room * sizeof(*o.ways)),
                     .pairs = malloc(room * sizeof(*o.pairs)),
                     .halves = malloc(room * sizeof(*o.halves))};
        ps_status status = PS_OK;
        uint64_t known = clocks->n_both;
        if (o.ways && o.pairs && o.halves) {
                list_ways(&o, messages);
                find_pairs(&o, clocks);
                apply(&o, messages, is_strict);
                *(is_strict ? &clocks->n_refused : &clocks->n_single) += o.n_pairs - (clocks->n_both - known);
        } else {
                status = PS_NOMEM(err, "messages", room);
        }
        free(o.ways);
        free(o.pairs);
        free(o.halves);
        return status;
}
