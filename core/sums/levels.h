/* levels.h - how many messages are under way, from one change to the next, and the sums of that over time: a
 * part of profile.h. */
#ifndef PS_CORE_SUMS_LEVELS_H
#define PS_CORE_SUMS_LEVELS_H

#include "core/sums/changes.h"
#include "core/sums/profile.h"

__extension__ typedef unsigned __int128 ps_amount; /* of bytes, times picoseconds */

/* What is sent to a location and not yet received. */
typedef struct ps_queue {
        uint32_t row;  /* of the profile; PS_NONE: no CPU location */
        ps_time since; /* up to then it is told over time */
        int64_t below; /* as many messages less than the most are in it */
        ps_peak most;
        int64_t below_bytes; /* and bytes */
        ps_peak most_bytes;
} ps_queue;

/* How many messages, or bytes of them, are under way. */
typedef struct ps_level {
        uint64_t began; /* so many when the bin began */
        ps_peak most; /* behind a rise in it; at least what is neither more than that nor than there ever were
                       */
        int64_t below; /* as much less are under way now */
} ps_level;

typedef struct ps_levels {
        ps_profile *out;
        const ps_focus *focus;
        ps_queue *queue;     /* by location */
        ps_profile_bin *bin; /* what is in it is told; NULL: nothing is */
        bool tells_queues;   /* over time */
        ps_level messages, bytes;
        uint64_t messages_sum; /* over time: see levels.c */
        ps_amount bytes_sum;
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
/* The changes up to `end` in which messages begin or end, in order. */
void ps_levels_go(ps_levels *levels, const ps_changes *changes, const uint64_t *row, const uint64_t *end);

#define PS_LEVELS_INLINE static inline __attribute__((always_inline))

/* There are more than there were, as far as was known. That is rare, so that a register is not spent on what
 * is in memory and only read again then. */
PS_LEVELS_INLINE void ps_levels_raise(ps_peak *most, volatile int64_t *below, ps_time now)
{
        *most = (ps_peak){most->value - (uint64_t)*below, now};
        *below = 0;
}

/* If there are now. */
PS_LEVELS_INLINE void ps_levels_raise_to(ps_peak *most, int64_t *below, ps_time now, bool is_told)
{
        if (*below < 0 && is_told)
                ps_levels_raise(most, below, now);
}

/* A message under way, in the sums and for who receives it. */
PS_LEVELS_INLINE void ps_levels_send(ps_levels *l, ps_loc to, uint64_t bytes, ps_time now, bool is_told)
{
        ps_queue *queue = &l->queue[to];
        l->messages_sum -= (uint64_t)now;
        l->bytes_sum -= (ps_amount)bytes * (uint64_t)now;
        queue->below--;
        ps_levels_raise_to(&queue->most, &queue->below, now, is_told);
        queue->below_bytes -= (int64_t)bytes;
        ps_levels_raise_to(&queue->most_bytes, &queue->below_bytes, now, is_told);
}

/* Now a message is sent. `is_told`: see ps_levels_tell. */
PS_LEVELS_INLINE void ps_levels_rise(ps_levels *l, ps_loc to, uint64_t bytes, ps_time now, bool is_told)
{
        l->messages.below--;
        ps_levels_raise_to(&l->messages.most, &l->messages.below, now, is_told);
        l->bytes.below -= (int64_t)bytes;
        ps_levels_raise_to(&l->bytes.most, &l->bytes.below, now, is_told);
        ps_levels_send(l, to, bytes, now, is_told);
}

/* Now some have been received. */
PS_LEVELS_INLINE void ps_levels_fall(ps_levels *l, ps_told_change told, ps_time now)
{
        ps_queue *queue = &l->queue[told.to];
        l->messages_sum += told.n * (uint64_t)now;
        l->bytes_sum += (ps_amount)told.bytes * (uint64_t)now;
        l->messages.below += told.n;
        l->bytes.below += (int64_t)told.bytes;
        queue->below += told.n;
        queue->below_bytes += (int64_t)told.bytes;
}

#endif
