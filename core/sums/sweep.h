/* sweep.h - how a profile comes about: each location is followed through a window of time, then what changes
 * in it is put in order of time and added up, and so on to the end of the run. Where several processes have
 * rows, each follows its own locations, and one of them adds up. */
#ifndef PS_CORE_SUMS_SWEEP_H
#define PS_CORE_SUMS_SWEEP_H

#include "core/base/pass.h"
#include "core/model/waits.h"
#include "core/sums/pairs.h"
#include "core/sums/states.h"

/* How operations of each location follow each other, as far as it is known. */
typedef struct ps_sweep_turns {
        bool in_turn;   /* each takes time, and is over before another one begins that is no twin of it */
        bool has_twins; /* rows that follow each other begin and end together, as those of one call do */
} ps_sweep_turns;

/* How far a location has been followed. */
typedef struct ps_sweep_track {
        ps_span *idle; /* by begin */
        uint32_t n_idle, next_idle;
        ps_op next_op;
        ps_time next;                   /* when something may change */
        ps_time busy_until, idle_until; /* with communication, with waiting */
        ps_time since;                  /* it is in its state */
        uint32_t row;                   /* PS_NONE: no CPU location */
        uint8_t state;
        ps_time told[PS_STATE_COUNT]; /* of what is in the focus, but for what it is busy */
} ps_sweep_track;

typedef struct ps_sweep {
        const ps_trace *trace;
        const ps_timing *timing;
        const uint8_t *is_away; /* by location: somebody else follows it; NULL: none is */
        ps_waits waits;
        ps_profile *out;
        ps_sweep_track *tracks;
        ps_changes changes;
        ps_states states;
        ps_levels levels;
        ps_time length;           /* of a window */
        ps_span only;             /* what lies in it is in the focus; all else is looked at more closely */
        bool is_causal;           /* it is taken that each message takes time, and senders do not look */
        bool is_early;            /* one was received that takes none */
        ps_sweep_turns turns;     /* see merge.c */
        bool has_rests;           /* the same */
        uint8_t does[PS_K_COUNT]; /* by kind: see sweep.c */
        ps_pairs pairs;
        ps_status status;
        ps_error *err;
} ps_sweep;

/* What is in the sweep already - trace, timing, who is away, waits and the error - stays there, and is the
 * caller's; all else is made. */
ps_status ps_sweep_begin(ps_sweep *sweep, uint32_t n_bins, bool has_queues);
/* Where a window that begins now would end so that about `most` operations begin in it at most. `n`: with
 * messages that may end in it. */
ps_time ps_sweep_window_end(ps_sweep *sweep, ps_time now, uint32_t most, uint64_t *n);
/* Has a window so long room for what changes then? */
bool ps_sweep_has_room(const ps_sweep *sweep, ps_time length, uint64_t n);
/* From where it ended, the next window goes up to `end`: what is followed here. */
ps_status ps_sweep_follow(ps_sweep *sweep, ps_time end);
/* What was seen in it: told, or added to what was seen here. */
ps_status ps_sweep_pass_seen(ps_pass *p, ps_sweep *sweep);
ps_status ps_sweep_add_up(ps_sweep *sweep);
/* The run is over for those that are followed here; and what of them is no level, told or added. */
ps_status ps_sweep_end_locations(ps_sweep *sweep);
ps_status ps_sweep_pass_sums(ps_pass *p, ps_sweep *sweep);
/* The profile, if all went well; the sweep is cleared. */
ps_status ps_sweep_end(ps_profile **out, ps_sweep *sweep, ps_status status);

#endif
