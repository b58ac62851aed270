/* levels.c - see levels.h.
 *
 * The sum of a level over time is, beginning and end aside, that of what it falls by, times when, less what
 * it rises by. A level is highest behind a rise, or where a bin begins. */
#include "core/sums/levels.h"

#include "core/sums/queues.h"

static uint64_t lesser(uint64_t a, uint64_t b)
{
        return a < b ? a : b;
}

void ps_levels_begin(ps_levels *l, ps_time now, ps_profile_bin *bin)
{
        l->bin = bin;
        l->sum_messages = 0 - (ps_amount)l->messages * (uint64_t)now;
        l->sum_bytes = 0 - (ps_amount)l->bytes * (uint64_t)now;
        l->most_messages = l->messages;
        l->most_bytes = l->bytes;
        l->raised_messages = lesser(l->most_messages, l->out->messages.value);
        l->raised_bytes = lesser(l->most_bytes, l->out->bytes.value);
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

void ps_levels_raise(ps_levels *l, ps_queue *queue, ps_time now)
{
        raise(&l->most_messages, l->messages);
        raise(&l->most_bytes, l->bytes);
        if (ps_levels_tell(l, now)) {
                raise_peak(&l->out->messages, l->messages, now);
                raise_peak(&l->out->bytes, l->bytes, now);
                raise_peak(&queue->most, queue->messages, now);
                raise_peak(&queue->most_bytes, queue->bytes, now);
        }
        l->raised_messages = lesser(l->most_messages, l->out->messages.value);
        l->raised_bytes = lesser(l->most_bytes, l->out->bytes.value);
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

void ps_levels_tell_queue(ps_levels *l, ps_queue *queue, ps_time now)
{
        ps_span time = {queue->since, now};
        queue->since = now;
        if (queue->row != PS_NONE)
                ps_queues_fill(l->out, l->focus, queue->row, time, queue->messages, queue->bytes);
}

void ps_levels_end(ps_levels *l, ps_time now, uint32_t n_locations)
{
        for (ps_loc loc = 0; loc < n_locations; loc++) {
                ps_queue *queue = &l->queue[loc];
                if (l->tells_queues)
                        ps_levels_tell_queue(l, queue, now);
                if (queue->row == PS_NONE)
                        continue;
                l->out->rows[queue->row].queue = queue->most;
                l->out->rows[queue->row].queue_bytes = queue->most_bytes;
        }
}
