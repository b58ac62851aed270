/* offsets.c - the difference between the clocks of two processes, from messages in both directions.
 *
 * What a message from i to j seems to take is its time plus the difference of the clocks, from j to i its
 * time minus that. So the sum of the least of each direction, at a size that both have, does not depend on
 * the clocks, and half of their difference is the difference of the clocks. The size with the smallest sum is
 * believed: the error is at most half of that. With one direction the two cannot be told apart.
 *
 * Which messages were waited for can only be told once the clocks agree. A first guess therefore takes all of
 * them: what was not waited for took longer, never less.
 *
 * Clocks may also run apart. Where the messages of a pair are many, their time is divided into windows, each
 * with a difference of its own; if those of two windows differ by more than their messages scatter, the
 * differences of the windows hold, with straight lines between their middles. */
#include "simulator/calibrate/internal.h"

#include "core/base/radix.h"
#include "core/base/search.h"
#include "core/base/vector.h"

#include <math.h>
#include <stdlib.h>

enum {
        SCATTER = 3,       /* messages of a direction that tell how far they scatter, at least */
        WINDOW_WAYS = 24,  /* messages of a window, on average */
        WINDOWS_MOST = 256 /* of a pair */
};

/* What a message says: `s` from the lower to the higher rank is `up`. */
typedef struct way {
        ps_proc low, high;
        uint64_t bytes;
        bool is_up;
        uint32_t window; /* of its pair; 0: all are in one */
        ps_time time, sent;
} way;

/* How far the clock of the higher rank was ahead of that of the lower one, at a time. */
typedef struct window {
        ps_time at;
        double ahead, scatter;
} window;

typedef struct pair {
        ps_proc low, high;
        ps_time offset; /* of the higher one's clock against that of the lower one */
        bool is_known;
        uint32_t first_window, n_windows; /* 0: they do not drift */
} pair;

typedef struct offsets {
        way *ways;
        pair *pairs; /* sorted */
        size_t n_ways, n_pairs;
        bool is_strict;
        PS_VECTOR(window) windows;
} offsets;

static int compare_keys(uint64_t a, uint64_t b)
{
        return PS_ORDER(a, b);
}

static int by_pair(const void *a, const void *b)
{
        const pair *p = a, *q = b;
        return p->low != q->low ? compare_keys(p->low, q->low) : compare_keys(p->high, q->high);
}

static uint64_t pair_of(const void *row)
{
        const way *w = row;
        return (uint64_t)w->low << 32 | w->high;
}

static uint64_t bytes_of(const void *row)
{
        const way *w = row;
        return w->bytes;
}

static uint64_t direction_of(const void *row)
{
        const way *w = row;
        return w->is_up;
}

static uint64_t time_of(const void *row)
{
        const way *w = row;
        return ps_radix_signed(w->time);
}

static uint64_t window_of(const void *row)
{
        const way *w = row;
        return w->window;
}

static ps_row_number *const by_way[] = {pair_of, bytes_of, direction_of, time_of}, *const by_window[] = {
                                                                                           window_of};

static bool is_known(const ps_calibrate_message *m)
{
        return m->receive_why != PS_UNUSED_SELF && m->receive_why != PS_UNUSED_INCOMPLETE;
}

static bool is_whole_way(const ps_calibrate_message *m)
{
        return m->receive_why == PS_USED && ps_message_is_awaited(m);
}

static ps_status list_ways(offsets *o, const ps_calibrate_messages *messages,
                           bool (*is_usable)(const ps_calibrate_message *m), ps_error *err)
{
        for (size_t i = 0; i < messages->n; i++) {
                const ps_calibrate_message *m = &messages->row[i];
                bool is_up = m->from < m->to;
                if (is_usable(m))
                        o->ways[o->n_ways++] = (way){.low = is_up ? m->from : m->to,
                                                     .high = is_up ? m->to : m->from,
                                                     .bytes = m->bytes,
                                                     .is_up = is_up,
                                                     .time = ps_time_sub(m->got, m->sent),
                                                     .sent = m->sent};
        }
        return ps_radix_sort(o->ways, o->n_ways, sizeof(*o->ways), by_way, 4)
                       ? PS_NOMEM(err, "messages", o->n_ways)
                       : PS_OK;
}

static bool same_pair(const way *a, const way *b)
{
        return a->low == b->low && a->high == b->high;
}

/* Ways of one size: [down, up) the one direction, [up, end) the other one. */
typedef struct both {
        size_t down, up, end;
} both;

static double sum_of_way(const way *w, const both *b)
{
        return (double)w[b->down].time + (double)w[b->up].time;
}

static bool is_enough(const both *b)
{
        return b->up - b->down >= SCATTER && b->end - b->up >= SCATTER;
}

/* How far the messages of both directions lie apart among themselves. */
static double scatter_of(const way *w, const both *b)
{
        size_t mid_down = b->down + (b->up - b->down) / 2, mid_up = b->up + (b->end - b->up) / 2;
        return (double)w[mid_down].time - (double)w[b->down].time + (double)w[mid_up].time -
               (double)w[b->up].time;
}

static double half_of(const way *w, const both *b)
{
        return ((double)w[b->up].time - (double)w[b->down].time) / 2;
}

/* Clocks that have a common zero and contradict no message are left alone unless the two directions differ by
 * more than the messages of each do among themselves. */
static bool is_evident(const way *w, const both *b)
{
        return is_enough(b) && fabs(half_of(w, b)) > scatter_of(w, b);
}

/* The size with the least sum, of the ways [first, end); false: there is none in both directions. */
static bool find_best(both *best, const way *w, size_t first, size_t end)
{
        bool is_known = false;
        for (size_t i = first, next; i < end; i = next) {
                both here = {i, i, i};
                while (here.up < end && w[here.up].bytes == w[i].bytes && !w[here.up].is_up)
                        here.up++;
                for (next = here.up; next < end && w[next].bytes == w[i].bytes;)
                        next++;
                here.end = next;
                if (here.up == here.down || here.end == here.up)
                        continue;
                if (!is_known || sum_of_way(w, &here) < sum_of_way(w, best))
                        *best = here;
                is_known = true;
        }
        return is_known;
}

/* The ways of one pair, [first, end). */
static pair solve_pair(const offsets *o, size_t first, size_t end)
{
        const way *w = o->ways;
        pair result = {.low = w[first].low, .high = w[first].high};
        both best = {0};
        result.is_known = find_best(&best, w, first, end);
        if (result.is_known && (o->is_strict || is_evident(w, &best)))
                result.offset = (ps_time)llround(half_of(w, &best));
        return result;
}

/* -- windows -- */

/* The ways of one pair, which are in order but for that. */
static ps_status put_in_windows(way *w, size_t n, uint32_t n_windows, ps_error *err)
{
        ps_time first = w[0].sent, last = w[0].sent;
        for (size_t i = 1; i < n; i++) {
                first = w[i].sent < first ? w[i].sent : first;
                last = w[i].sent > last ? w[i].sent : last;
        }
        double span = (double)last - (double)first;
        for (size_t i = 0; i < n; i++) {
                double at = span > 0 ? ((double)w[i].sent - (double)first) / span * n_windows : 0;
                w[i].window = at < n_windows ? (uint32_t)at : n_windows - 1;
        }
        return ps_radix_sort(w, n, sizeof(*w), by_window, 1) ? PS_NOMEM(err, "messages", n) : PS_OK;
}

static bool differ_clearly(const window *w, size_t n)
{
        size_t low = 0, high = 0;
        for (size_t i = 1; i < n; i++) {
                low = w[i].ahead < w[low].ahead ? i : low;
                high = w[i].ahead > w[high].ahead ? i : high;
        }
        return n > 1 && w[high].ahead - w[low].ahead > w[high].scatter + w[low].scatter;
}

/* Of the pair whose ways are [first, end). */
static ps_status find_windows(offsets *o, pair *p, size_t first, size_t end, ps_error *err)
{
        size_t n = (end - first) / WINDOW_WAYS, before = o->windows.n;
        if (n < 2 || !p->is_known)
                return PS_OK;
        PS_TRY(put_in_windows(&o->ways[first], end - first, n < WINDOWS_MOST ? (uint32_t)n : WINDOWS_MOST,
                              err));
        for (size_t i = first, next; i < end; i = next) {
                both best = {0};
                for (next = i + 1; next < end && o->ways[next].window == o->ways[i].window;)
                        next++;
                if (!find_best(&best, o->ways, i, next) || !is_enough(&best))
                        continue;
                const way *down = &o->ways[best.down], *up = &o->ways[best.up];
                if (PS_PUSH(o->windows, ((window){down->sent / 2 + up->sent / 2, half_of(o->ways, &best),
                                                  scatter_of(o->ways, &best)})))
                        return PS_NOMEM(err, "windows of time", o->windows.n);
        }
        p->first_window = (uint32_t)before;
        p->n_windows = (uint32_t)(o->windows.n - before);
        if (p->n_windows && !differ_clearly(&o->windows.row[before], p->n_windows)) {
                o->windows.n = (uint32_t)before;
                p->n_windows = 0;
        }
        return PS_OK;
}

/* The difference then; before the first window and after the last one it is that of the next two. */
static ps_time ahead_at(const window *w, uint32_t n, ps_time at)
{
        uint32_t next = 1;
        while (next + 1 < n && w[next].at < at)
                next++;
        double span = (double)w[next].at - (double)w[next - 1].at;
        double share = span > 0 ? ((double)at - (double)w[next - 1].at) / span : 0;
        return (ps_time)llround(w[next - 1].ahead + share * (w[next].ahead - w[next - 1].ahead));
}

static ps_status find_pairs(offsets *o, ps_error *err)
{
        for (size_t first = 0, end; first < o->n_ways; first = end) {
                for (end = first + 1; end < o->n_ways && same_pair(&o->ways[end], &o->ways[first]);)
                        end++;
                pair *p = &o->pairs[o->n_pairs++];
                *p = solve_pair(o, first, end);
                PS_TRY(find_windows(o, p, first, end, err));
        }
        return PS_OK;
}

static ps_status find_offsets(offsets *o, const ps_calibrate_messages *messages, bool is_strict,
                              bool (*is_usable)(const ps_calibrate_message *m), ps_error *err)
{
        size_t room = messages->n ? messages->n : 1;
        *o = (offsets){.ways = malloc(room * sizeof(*o->ways)),
                       .pairs = malloc(room * sizeof(*o->pairs)),
                       .is_strict = is_strict};
        if (!o->ways || !o->pairs)
                return PS_NOMEM(err, "messages", room);
        PS_TRY(list_ways(o, messages, is_usable, err));
        return find_pairs(o, err);
}

static void clear_offsets(offsets *o)
{
        free(o->ways);
        free(o->pairs);
        free(o->windows.row);
}

/* What is to be added to the receiver's times; NULL: nobody knows. */
static const ps_time *find_offset(const offsets *o, const ps_calibrate_message *m, ps_time *room)
{
        bool is_up = m->from < m->to;
        pair key = {.low = is_up ? m->from : m->to, .high = is_up ? m->to : m->from};
        const pair *found = o->n_pairs ? bsearch(&key, o->pairs, o->n_pairs, sizeof(key), by_pair) : NULL;
        if (!found || !found->is_known)
                return NULL;
        ps_time offset = found->n_windows
                                 ? ahead_at(&o->windows.row[found->first_window], found->n_windows, m->sent)
                                 : found->offset;
        *room = is_up ? ps_time_sub(0, offset) : offset;
        return room;
}

static void shift(ps_calibrate_message *m, ps_time by)
{
        m->offset = ps_time_add(m->offset, by);
        m->posted = ps_time_add(m->posted, by);
        m->asked = ps_time_add(m->asked, by);
        m->got = ps_time_add(m->got, by);
        m->through = ps_time_add(m->through, by);
}

/* Whatever compares the two ends says nothing. */
static void refuse(ps_calibrate_message *m)
{
        if (m->receive_why == PS_USED)
                m->receive_why = PS_UNUSED_CLOCK;
        if (m->send_why == PS_USED || m->send_why == PS_UNUSED_NONBLOCKING || m->send_why == PS_UNUSED_SHARED)
                m->send_why = PS_UNUSED_CLOCK;
}

static double seconds_apart(ps_time time)
{
        return fabs(ps_time_seconds(time));
}

static void apply(const offsets *o, ps_sample_clocks *clocks, ps_calibrate_messages *messages)
{
        for (size_t i = 0; i < messages->n; i++) {
                ps_calibrate_message *m = &messages->row[i];
                ps_time room;
                const ps_time *by = find_offset(o, m, &room);
                shift(m, by ? *by : ps_time_sub(0, m->offset));
                if (!by && o->is_strict)
                        refuse(m);
                clocks->largest_s = fmax(clocks->largest_s, seconds_apart(m->offset));
        }
}

ps_status ps_offsets_guess(ps_sample_clocks *clocks, ps_calibrate_messages *messages, bool is_strict,
                           ps_error *err)
{
        offsets o;
        ps_status status = find_offsets(&o, messages, is_strict, is_known, err);
        for (size_t i = 0; i < o.n_pairs; i++)
                clocks->n_drifting += o.pairs[i].n_windows > 0;
        for (size_t i = 0; i < messages->n && status == PS_OK; i++) {
                ps_time room;
                const ps_time *by = find_offset(&o, &messages->row[i], &room);
                if (by)
                        shift(&messages->row[i], *by);
        }
        clear_offsets(&o);
        return status;
}

ps_status ps_offsets_apply(ps_sample_clocks *clocks, ps_calibrate_messages *messages, bool is_strict,
                           ps_error *err)
{
        offsets o;
        ps_status status = find_offsets(&o, messages, is_strict, is_whole_way, err);
        uint64_t n_known = 0;
        for (size_t i = 0; i < o.n_pairs; i++)
                n_known += (uint64_t)o.pairs[i].is_known;
        if (status == PS_OK) {
                apply(&o, clocks, messages);
                clocks->n_both += n_known;
                *(is_strict ? &clocks->n_refused : &clocks->n_single) += o.n_pairs - n_known;
        }
        clear_offsets(&o);
        return status;
}
