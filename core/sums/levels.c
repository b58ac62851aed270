/* levels.c - see levels.h.
 *
 * A level is added up when it changes, for as long as it was the same, and where a bin or a part of the focus
 * begins or ends. */
#include "core/sums/levels.h"

#include "core/sums/queues.h"

static inline void hold(ps_levels *l, ps_time now)
{
        ps_time length = now - l->since;
        ps_profile_bin *bin = l->stops.bin;

        l->since = now;
        if (!l->stops.is_inside || length <= 0)
                return;
        bin->messages += (double)(int64_t)l->messages * (double)length;
        bin->bytes += (double)l->bytes * (double)length;
        bin->most_messages = l->messages > bin->most_messages ? l->messages : bin->most_messages;
        bin->most_bytes = l->bytes > bin->most_bytes ? l->bytes : bin->most_bytes;
}

static void pass_stop(ps_levels *l)
{
        hold(l, l->stops.next);
        ps_stops_pass(&l->stops);
}

/* A queue has been as long as it is since then. */
static void tell_queue(const ps_levels *l, ps_queue *queue, ps_time now)
{
        if (queue->row != PS_NONE && l->out->n_queue_bins)
                ps_queues_fill(l->out, l->stops.focus, queue->row, (ps_span){queue->since, now},
                               queue->messages, queue->bytes);
        queue->since = now;
}

static inline void raise(ps_peak *peak, uint64_t value, ps_time at)
{
        if (value > peak->value)
                *peak = (ps_peak){value, at};
}

static void sent(ps_levels *l, const ps_change *message)
{
        ps_queue *queue = &l->queue[message->to];
        ps_time now = message->time;

        hold(l, now);
        tell_queue(l, queue, now);
        l->messages++;
        l->bytes += message->bytes;
        queue->messages++;
        queue->bytes += message->bytes;
        if (!ps_levels_tell(l, now))
                return;
        raise(&l->out->messages, l->messages, now);
        raise(&l->out->bytes, l->bytes, now);
        if (queue->row != PS_NONE) {
                raise(&l->out->rows[queue->row].queue, queue->messages, now);
                raise(&l->out->rows[queue->row].queue_bytes, queue->bytes, now);
        }
}

static void received(ps_levels *l, const ps_change *message)
{
        ps_queue *queue = &l->queue[message->to];

        hold(l, message->time);
        tell_queue(l, queue, message->time);
        l->messages--;
        l->bytes -= message->bytes;
        queue->messages--;
        queue->bytes -= message->bytes;
}

void ps_levels_go(ps_levels *l, const ps_changes *changes)
{
        for (uint32_t i = 0; i < changes->n; i++) {
                const ps_change *c = ps_changes_at(changes, i);
                while (l->stops.next <= c->time)
                        pass_stop(l);
                if (c->kind == PS_CHANGE_SENT)
                        sent(l, c);
                else
                        received(l, c);
        }
}

void ps_levels_end(ps_levels *l, uint32_t n_locations)
{
        ps_time end = l->stops.run.end;
        while (l->stops.next < end)
                pass_stop(l);
        hold(l, end);
        for (ps_loc loc = 0; loc < n_locations; loc++)
                tell_queue(l, &l->queue[loc], end);
}
