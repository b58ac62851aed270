/* levels.c - see levels.h.
 *
 * A level is added up when it changes, for as long as it was the same, and where a bin or a part of the focus
 * begins or ends. */
#include "core/sums/levels.h"

#include "core/sums/queues.h"

/* -- time goes on -- */

static inline void hold_state(ps_levels *l, unsigned state, ps_time now)
{
        ps_time length = now - l->since[state];

        l->since[state] = now;
        if (!l->is_inside)
                return;
        l->out->concurrency[state][l->count[state]] += length;
        l->bin->state[state] += (double)(int64_t)l->count[state] * (double)length;
}

static inline void hold_messages(ps_levels *l, ps_time now)
{
        ps_time length = now - l->since_messages;
        ps_profile_bin *bin = l->bin;

        l->since_messages = now;
        if (!l->is_inside || length <= 0)
                return;
        bin->messages += (double)(int64_t)l->messages * (double)length;
        bin->bytes += (double)l->bytes * (double)length;
        bin->most_messages = l->messages > bin->most_messages ? l->messages : bin->most_messages;
        bin->most_bytes = l->bytes > bin->most_bytes ? l->bytes : bin->most_bytes;
}

static void hold_all(ps_levels *l, ps_time now)
{
        for (unsigned state = 0; state < PS_STATE_COUNT; state++)
                hold_state(l, state, now);
        hold_messages(l, now);
}

static void pass_stop(ps_levels *l)
{
        const ps_span *span = l->focus ? l->focus->span : &l->run;
        uint32_t n_spans = l->focus ? l->focus->n_spans : 1;

        hold_all(l, l->stop);
        while (l->bin < l->bins_end && l->bin->end <= l->stop)
                l->bin++;
        while (l->span < n_spans && span[l->span].end <= l->stop)
                l->span++;
        bool is_over = l->bin == l->bins_end || l->span >= n_spans;
        l->is_inside = !is_over && span[l->span].begin <= l->stop;
        if (is_over)
                l->stop = PS_TIME_MAX;
        else
                l->stop =
                        ps_time_earlier(l->bin->end, l->is_inside ? span[l->span].end : span[l->span].begin);
}

/* -- messages -- */

/* A queue has been as long as it is since then. */
static void tell_queue(const ps_levels *l, ps_queue *queue, ps_time now)
{
        if (queue->row != PS_NONE && l->out->n_queue_bins)
                ps_queues_fill(l->out, l->focus, queue->row, (ps_span){queue->since, now}, queue->messages,
                               queue->bytes);
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

        hold_messages(l, now);
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

        hold_messages(l, message->time);
        tell_queue(l, queue, message->time);
        l->messages--;
        l->bytes -= message->bytes;
        queue->messages--;
        queue->bytes -= message->bytes;
}

/* -- all -- */

void ps_levels_go(ps_levels *l, const ps_changes *changes)
{
        for (uint32_t i = 0; i < changes->n; i++) {
                const ps_change *c = ps_changes_at(changes, i);
                while (l->stop <= c->time)
                        pass_stop(l);
                if (c->kind == PS_CHANGE_STATE) {
                        hold_state(l, c->was, c->time);
                        hold_state(l, c->is, c->time);
                        l->count[c->was]--;
                        l->count[c->is]++;
                } else if (c->kind == PS_CHANGE_SENT) {
                        sent(l, c);
                } else {
                        received(l, c);
                }
        }
}

void ps_levels_end(ps_levels *l, uint32_t n_locations)
{
        while (l->stop < l->run.end)
                pass_stop(l);
        if (l->is_inside)
                hold_all(l, l->run.end);
        for (ps_loc loc = 0; loc < n_locations; loc++)
                tell_queue(l, &l->queue[loc], l->run.end);
}
