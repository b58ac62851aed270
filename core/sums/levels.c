/* levels.c - see levels.h.
 *
 * The sum of a level over time is, beginning and end aside, that of what it falls by, times when, less what
 * it rises by. A level is highest behind a rise, or where a bin begins. */
#include "core/sums/levels.h"

#include "core/sums/queues.h"

void ps_levels_begin(ps_levels *l, ps_time now, ps_profile_bin *bin)
{
        l->bin = bin ? bin : &l->aside;
        l->sum_messages = 0 - (ps_amount)l->messages * (uint64_t)now;
        l->sum_bytes = 0 - (ps_amount)l->bytes * (uint64_t)now;
        l->bin->most_messages = ps_levels_larger(l->bin->most_messages, l->messages);
        l->bin->most_bytes = ps_levels_larger(l->bin->most_bytes, l->bytes);
}

void ps_levels_hold(ps_levels *l, ps_time now)
{
        if (!l->bin || l->bin == &l->aside)
                return;
        l->bin->messages += (double)(l->sum_messages + (ps_amount)l->messages * (uint64_t)now);
        l->bin->bytes += (double)(l->sum_bytes + (ps_amount)l->bytes * (uint64_t)now);
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
        for (ps_loc loc = 0; loc < n_locations && l->out->n_queue_bins; loc++)
                ps_levels_tell_queue(l, &l->queue[loc], now);
}
