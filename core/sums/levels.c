/* levels.c - see levels.h.
 *
 * The sum of a level over time is, beginning and end aside, that of what it falls by, times when, less what
 * it rises by. A level is highest behind a rise, or where a bin begins. */
#include "core/sums/levels.h"

#include "core/sums/queues.h"

void ps_levels_begin(ps_levels *l, ps_time now, ps_profile_bin *bin)
{
        l->bin = bin;
        l->sum_messages = 0 - (ps_amount)l->messages * (uint64_t)now;
        l->sum_bytes = 0 - (ps_amount)l->bytes * (uint64_t)now;
        l->most_messages = l->messages;
        l->most_bytes = l->bytes;
}

static void raise(uint64_t *most, uint64_t value)
{
        *most = value > *most ? value : *most;
}

static void raise_peak(ps_peak *peak, uint64_t value, ps_time at)
{
        if (value > peak->value)
                *peak = (ps_peak){value, at};
}

static void raise_queue(ps_peak *peak, int64_t *below, ps_time at)
{
        if (*below >= 0)
                return;
        *peak = (ps_peak){peak->value - (uint64_t)*below, at};
        *below = 0;
}

/* There may be more than there ever were, of all or of a queue. */
static __attribute__((noinline)) void raise_peaks(ps_levels *l, ps_queue *queue, uint64_t messages,
                                                  uint64_t bytes, ps_time now)
{
        if (!ps_levels_tell(l, now))
                return;
        raise_peak(&l->out->messages, messages, now);
        raise_peak(&l->out->bytes, bytes, now);
        raise_queue(&queue->most, &queue->below, now);
        raise_queue(&queue->most_bytes, &queue->below_bytes, now);
}

void ps_levels_hold(ps_levels *l, ps_time now)
{
        if (!l->bin)
                return;
        l->bin->messages += (double)(l->sum_messages + (ps_amount)l->messages * (uint64_t)now);
        l->bin->bytes += (double)(l->sum_bytes + (ps_amount)l->bytes * (uint64_t)now);
        raise(&l->bin->most_messages, l->most_messages);
        raise(&l->bin->most_bytes, l->most_bytes);
}

static void tell_queue(ps_levels *l, ps_queue *queue, ps_time now)
{
        ps_span time = {queue->since, now};
        queue->since = now;
        if (queue->row != PS_NONE)
                ps_queues_fill(l->out, l->focus, queue->row, time, queue->most.value - (uint64_t)queue->below,
                               queue->most_bytes.value - (uint64_t)queue->below_bytes);
}

/* Counts are in registers, sums are not: there are not that many. */
static inline __attribute__((always_inline)) void go(ps_levels *l, const ps_changes *c, const uint64_t *row,
                                                     const uint64_t *end, bool tells_queues)
{
        const unsigned bits = c->bits;
        const ps_time begin = c->window.begin;
        const uint64_t told_bits = ps_changes_begin_bit(c) - 1;
        const ps_told_change *all = c->told;
        const uint64_t peak_messages = l->out->messages.value, peak_bytes = l->out->bytes.value;
        ps_queue *queues = l->queue;
        uint64_t messages = l->messages, bytes = l->bytes;
        for (; row < end; row++) {
                const uint64_t number = *row;
                const ps_told_change *told = &all[(number & told_bits) >> PS_CHANGE_BITS];
                const uint64_t more = told->bytes;
                const ps_time now = begin + (ps_time)(number >> bits);
                ps_queue *queue = &queues[told->to];
                if (tells_queues)
                        tell_queue(l, queue, now);
                if (!(number & PS_CHANGE_SENDS)) {
                        const uint64_t n = told->n;
                        messages -= n;
                        bytes -= more;
                        l->sum_messages += (ps_amount)n * (uint64_t)now;
                        l->sum_bytes += (ps_amount)more * (uint64_t)now;
                        queue->below += (int64_t)n;
                        queue->below_bytes += (int64_t)more;
                        continue;
                }
                messages++;
                bytes += more;
                l->sum_messages -= (uint64_t)now;
                l->sum_bytes -= (ps_amount)more * (uint64_t)now;
                queue->below--;
                queue->below_bytes -= (int64_t)more;
                if (messages > l->most_messages)
                        l->most_messages = messages;
                if (bytes > l->most_bytes)
                        l->most_bytes = bytes;
                if (messages > peak_messages || bytes > peak_bytes || queue->below < 0 ||
                    queue->below_bytes < 0)
                        raise_peaks(l, queue, messages, bytes, now);
        }
        l->messages = messages;
        l->bytes = bytes;
}

void ps_levels_go(ps_levels *l, const ps_changes *c, const uint64_t *row, const uint64_t *end)
{
        if (l->tells_queues)
                go(l, c, row, end, true);
        else
                go(l, c, row, end, false);
}

void ps_levels_end(ps_levels *l, ps_time now, uint32_t n_locations)
{
        for (ps_loc loc = 0; loc < n_locations; loc++) {
                ps_queue *queue = &l->queue[loc];
                if (l->tells_queues)
                        tell_queue(l, queue, now);
                if (queue->row == PS_NONE)
                        continue;
                l->out->rows[queue->row].queue = queue->most;
                l->out->rows[queue->row].queue_bytes = queue->most_bytes;
        }
}
