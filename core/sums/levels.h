/* levels.h - how many messages are under way, from one change to the next, and the sums of that over time: a
 * part of profile.h. */
#ifndef PS_CORE_SUMS_LEVELS_H
#define PS_CORE_SUMS_LEVELS_H

#include "core/sums/changes.h"
#include "core/sums/stops.h"

/* What is sent to a location and not yet received. */
typedef struct ps_queue {
        uint32_t row; /* of the profile; PS_NONE: no CPU location */
        uint64_t messages, bytes;
        ps_time since; /* up to then it is told over time */
} ps_queue;

typedef struct ps_levels {
        ps_profile *out;
        ps_stops stops;
        ps_queue *queue; /* by location */
        ps_time since;
        uint64_t messages, bytes; /* under way now */
} ps_levels;

static inline bool ps_levels_tell(const ps_levels *levels, ps_time time)
{
        return time >= levels->out->span.begin && time <= levels->out->span.end;
}

void ps_levels_go(ps_levels *levels, const ps_changes *changes);
/* The run is over. */
void ps_levels_end(ps_levels *levels, uint32_t n_locations);

#endif
