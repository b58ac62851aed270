/* levels.h - how many messages are under way, from one change to the next, and the sums of that over time: a
 * part of profile.h. */
#ifndef PS_CORE_SUMS_LEVELS_H
#define PS_CORE_SUMS_LEVELS_H

#include "core/sums/changes.h"
#include "core/sums/profile.h"

__extension__ typedef unsigned __int128 ps_amount; /* of bytes, times picoseconds */

/* What is sent to a location and not yet received. */
typedef struct ps_queue {
        uint32_t row; /* of the profile; PS_NONE: no CPU location */
        uint64_t messages, bytes;
        ps_time since; /* up to then it is told over time */
        ps_peak most, most_bytes;
} ps_queue;

typedef struct ps_levels {
        ps_profile *out;
        const ps_focus *focus;
        ps_queue *queue;                        /* by location */
        ps_profile_bin *bin;                    /* what is in it is told; NULL: nothing is */
        bool tells_queues;                      /* over time */
        uint64_t messages, bytes;               /* under way now */
        uint64_t most_messages, most_bytes;     /* in the bin */
        uint64_t raised_messages, raised_bytes; /* what is no more than that raises nothing */
        ps_amount sum_messages, sum_bytes;      /* see levels.c */
} ps_levels;

static inline bool ps_levels_tell(const ps_levels *levels, ps_time time)
{
        return time >= levels->out->span.begin && time <= levels->out->span.end;
}

/* From now on it is told in this bin; NULL: in none. What ends now has ended. */
void ps_levels_begin(ps_levels *levels, ps_time now, ps_profile_bin *bin);
/* Up to now it was told. */
void ps_levels_hold(ps_levels *levels, ps_time now);
/* The run is over. */
void ps_levels_end(ps_levels *levels, ps_time now, uint32_t n_locations);
/* Some are the most now, in the bin, of all or of a queue. */
void ps_levels_raise(ps_levels *levels, ps_queue *queue, ps_time now);
/* A queue has been as long as it is since it was told last. */
void ps_levels_tell_queue(ps_levels *levels, ps_queue *queue, ps_time now);

/* A message is sent. */
static inline void ps_levels_send(ps_levels *l, const ps_told_change *message, ps_time now)
{
        ps_queue *queue = &l->queue[message->to];
        uint64_t bytes = message->bytes;

        if (l->tells_queues)
                ps_levels_tell_queue(l, queue, now);
        l->messages++;
        l->bytes += bytes;
        queue->messages++;
        queue->bytes += bytes;
        l->sum_messages -= (uint64_t)now;
        l->sum_bytes -= (ps_amount)bytes * (uint64_t)now;
        if (l->messages > l->raised_messages || l->bytes > l->raised_bytes ||
            queue->messages > queue->most.value || queue->bytes > queue->most_bytes.value)
                ps_levels_raise(l, queue, now);
}

/* Some are received. */
static inline void ps_levels_receive(ps_levels *l, const ps_told_change *messages, ps_time now)
{
        ps_queue *queue = &l->queue[messages->to];

        if (l->tells_queues)
                ps_levels_tell_queue(l, queue, now);
        l->messages -= messages->n;
        l->bytes -= messages->bytes;
        queue->messages -= messages->n;
        queue->bytes -= messages->bytes;
        l->sum_messages += (ps_amount)messages->n * (uint64_t)now;
        l->sum_bytes += (ps_amount)messages->bytes * (uint64_t)now;
}

#endif
