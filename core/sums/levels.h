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

typedef struct ps_levels {
        ps_profile *out;
        const ps_focus *focus;
        ps_queue *queue;                    /* by location */
        ps_profile_bin *bin;                /* what is in it is told; NULL: nothing is */
        bool tells_queues;                  /* over time */
        uint64_t messages, bytes;           /* under way now */
        uint64_t most_messages, most_bytes; /* in the bin */
        ps_amount sum_messages, sum_bytes;  /* see levels.c */
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

#endif
