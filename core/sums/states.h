/* states.h - how many locations are in each state, from one change to the next, and the sums of that over
 * time: a part of profile.h. */
#ifndef PS_CORE_SUMS_STATES_H
#define PS_CORE_SUMS_STATES_H

#include "core/order/moments.h"
#include "core/sums/stops.h"

/* The changes of one location that are not looked at yet, and UINT64_MAX behind the last one. */
typedef struct ps_states_run {
        uint64_t first; /* of them: of row[at - 1] */
        uint32_t at;
} ps_states_run;

/* One of the states: see states.c. */
typedef struct ps_state_level {
        uint64_t count; /* locations that are in it now */
        uint64_t sum;   /* of the count over time */
        uint64_t *rise; /* [k]: when the count rose from k, less when it fell to k */
} ps_state_level;

typedef struct ps_states {
        ps_moments changes; /* of this window, one location after the other */
        ps_states_run *run;
        uint32_t n_runs, cap_runs;
        ps_stops stops;
        ps_profile *out;
        ps_state_level level[PS_STATE_COUNT];
} ps_states;

enum {
        PS_STATES_BITS = 2,
        PS_STATES_ROOM = 4,         /* changes of a call, and an end */
        PS_STATES_LONGEST_BITS = 58 /* of a window, in picoseconds: 3 days */
};

/* All locations with a row of the profile are busy. */
ps_status ps_states_begin(ps_states *states, ps_profile *profile, const ps_timing *timing, ps_error *err);
void ps_states_free(ps_states *states);

/* Room for PS_STATES_ROOM changes; -1 when there is no memory, as below. */
static inline int ps_states_room(ps_states *s)
{
        ps_moments *c = &s->changes;
        return c->n + PS_STATES_ROOM <= c->cap
                       ? 0
                       : ps_memory_grow(&c->row, &c->cap, 4 * PS_STATES_ROOM, sizeof(*c->row));
}
/* At `time` of the window, of which those of a location are in order, it leaves a state for another one.
 * There is room. */
static inline void ps_states_add(ps_states *s, ps_time time, unsigned was, unsigned is)
{
        s->changes.row[s->changes.n++] = (uint64_t)time << 2 * PS_STATES_BITS | was << PS_STATES_BITS | is;
}
/* Those from index `first` on were all of a location; there is room. */
int ps_states_close(ps_states *states, uint32_t first);
/* All that were added to a window. */
int ps_states_go(ps_states *states, ps_span window);
/* The run is over. */
void ps_states_end(ps_states *states);

#endif
