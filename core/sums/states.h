/* states.h - how many locations are in each state, from one change to the next, and the sums of that over
 * time: a part of profile.h. */
#ifndef PS_CORE_SUMS_STATES_H
#define PS_CORE_SUMS_STATES_H

#include "core/sums/changes.h"
#include "core/sums/levels.h"
#include "core/sums/stops.h"

/* Which state a location leaves for which one, in the number of a change; 0 is what is short. */
enum {
        PS_BUSY_TO_OVERHEAD = 1,
        PS_BUSY_TO_IDLE,
        PS_OVERHEAD_TO_BUSY,
        PS_OVERHEAD_TO_IDLE,
        PS_IDLE_TO_BUSY,
        PS_IDLE_TO_OVERHEAD,
        PS_STATE_STAYS = PS_CHANGE_STAYS,
        PS_STATE_CHANGES
};

extern const uint8_t ps_state_changes[PS_STATE_COUNT][PS_STATE_COUNT];

typedef struct ps_states {
        ps_profile *out;
        ps_levels *levels; /* are told of messages */
        ps_stops stops;
        ps_time since;                    /* up to then all is told */
        uint64_t count[PS_STATE_COUNT];   /* of locations in each state */
        uint64_t begun[PS_STATE_COUNT];   /* how many there were at the last stop, times when that was */
        uint64_t moved[PS_STATE_CHANGES]; /* the sum of the times of such changes since then */
        ps_time *aside;                   /* what is not in the focus is told there, [k] */
        ps_time *both;                    /* [overhead * (n_rows + 1) + idle]: for how long so many were in
                                             these states; NULL: there are too many locations */
        /* By change: how far it goes where it is told for how long a count was what it was, in bytes; of few
         * locations [0] is that in `both`. */
        ptrdiff_t steps[PS_STATE_COUNT][PS_STATE_CHANGES];
} ps_states;

/* All locations with a row of the profile are busy. `n_messages`: no more are under way at any time. */
ps_status ps_states_begin(ps_states *states, ps_profile *profile, const ps_timing *timing,
                          uint64_t n_messages, ps_levels *levels, ps_error *err);
void ps_states_free(ps_states *states);
/* All that changes in a window, in order. */
void ps_states_go(ps_states *states, const ps_changes *changes);
/* Whoever sees changes in order counts them at once, where there are few locations (`both`): each counts for
 * `cell`, where it is told for how long counts are what they are, and for the bin. */
typedef struct ps_states_count {
        uint64_t *cell;
        uint64_t in_overhead, idle; /* the times at which a location was no longer so, less those at which it
                                       became so */
} ps_states_count;
ps_states_count ps_states_open(const ps_states *states);
/* Up to now all is counted. */
void ps_states_close(ps_states *states, const ps_states_count *count, ps_time now);
/* When the next bin or part of the focus begins or ends; this one is passed. */
static inline ps_time ps_states_stop(const ps_states *states)
{
        return states->stops.next;
}
void ps_states_pass(ps_states *states);
/* The run is over. */
void ps_states_end(ps_states *states);

#endif
