/* states.h - how many locations are in each state, from one change to the next, and the sums of that over
 * time: a part of profile.h. */
#ifndef PS_CORE_SUMS_STATES_H
#define PS_CORE_SUMS_STATES_H

#include "core/sums/changes.h"
#include "core/sums/levels.h"
#include "core/sums/stops.h"

enum { PS_STATE_CHANGES = 7, PS_STATE_CALL = PS_STATE_CHANGES };

/* What a location that leaves a state for another one adds to the number of a change: a small number, 0 for
 * none. A call, of a location that is busy before it and after it, adds PS_STATE_CALL. */
extern const uint8_t ps_state_changes[PS_STATE_COUNT][PS_STATE_COUNT];

/* A call that has begun and is not over when another location changes. */
typedef struct ps_state_open {
        uint64_t until; /* it waits, or it ends */
        uint32_t told;
        uint32_t waits;
} ps_state_open;

typedef struct ps_states {
        ps_profile *out;
        ps_levels *levels; /* are told of messages */
        ps_stops stops;
        ps_time since;                    /* up to then all is told */
        uint64_t count[PS_STATE_COUNT];   /* of locations in each state */
        uint64_t begun[PS_STATE_COUNT];   /* how many there were at the last stop, times when that was */
        uint64_t moved[PS_STATE_CHANGES]; /* the sum of the times of such changes since then */
        ps_time *aside;                   /* what is not in the focus is told there, [k] */
        ps_state_open *open;              /* a heap: what is over first is its first */
        uint32_t n_open, cap_open;
        bool lacks_memory;
} ps_states;

/* All locations with a row of the profile are busy. */
ps_status ps_states_begin(ps_states *states, ps_profile *profile, const ps_timing *timing, ps_levels *levels,
                          ps_error *err);
void ps_states_free(ps_states *states);
/* All that changes in a window. -1 when there is no memory. */
int ps_states_go(ps_states *states, const ps_changes *changes);
/* The run is over. */
void ps_states_end(ps_states *states);

#endif
