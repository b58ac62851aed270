/* replay.h - when each operation of a trace would begin and end if something were different.
 *
 * Structure stays as recorded: who sends to whom, what matches what, which request a Wait completes. Between
 * operations a location computes as long as it did. How long operations take comes from the recording
 * (machine NULL: each keeps what it took beyond waiting) or from a machine. docs/WHATIF.md has the formulas.
 *
 * A ps_replay is prepared once, is never changed, and serves any number of scenarios and threads. */
#ifndef PS_SIMULATOR_REPLAY_REPLAY_H
#define PS_SIMULATOR_REPLAY_REPLAY_H

#include "core/model/trace.h"
#include "core/views/reordered.h"
#include "simulator/cost/machine.h"

typedef struct ps_replay ps_replay;

/* Borrows both. */
ps_status ps_replay_new(ps_replay **out, const ps_trace *trace, const ps_timing *timing, unsigned n_threads,
                        ps_error *err);
/* The same for scenarios with machines and without edits only: what the recording tells of messages, which is
 * most of the work, is not looked for, and the info has nothing of it. */
ps_status ps_replay_new_for_machines(ps_replay **out, const ps_trace *trace, const ps_timing *timing,
                                     unsigned n_threads, ps_error *err);
/* Calls take what they took before their receives changed places; between them is computed what was measured
 * there. */
ps_status ps_replay_new_reordered(ps_replay **out, const ps_reordered *reordered, unsigned n_threads,
                                  ps_error *err);
void ps_replay_free(ps_replay *replay);

/* What was learnt of the trace, for those who tell how far a prediction can be trusted. */
typedef struct ps_replay_info {
        uint64_t n_operations; /* rows */
        uint64_t n_messages, n_collectives;
        uint64_t n_kept; /* communication whose time is kept as recorded: no partner is known, one-sided, ...
                          */
        /* What sizes tell of the recorded network: a message of b bytes takes latency + b * per_byte, in
         * picoseconds. Not fitted: there were no two sizes far enough apart; the latency may be anything up
         * to latency_most. */
        uint8_t is_fitted;
        ps_time latency, latency_most;
        double per_byte;
        uint64_t waits_from; /* bytes, from which on standard sends wait for their receiver; UINT64_MAX: none
                              */
        /* What calls took, and how much of that was waiting or a transfer: the rest is what libraries do
         * themselves, which no change of the network reaches. */
        ps_time in_calls, in_transfers;
} ps_replay_info;

const ps_replay_info *ps_replay_info_of(const ps_replay *replay);

/* Gathers whose time on the machine is the upper end of what it may be: flat ones on LMO, of M1 to M2 bytes.
 */
uint64_t ps_replay_uncertain_gathers(const ps_replay *replay, const ps_machine *machine);

/* Are computations told apart by what the trace's pieces say (core/model/pieces.h)? Otherwise the times of
 * call paths are taken from those computations of the location that can hold them, in proportion. */
bool ps_replay_knows_pieces(const ps_replay *replay);

/* By path, in an edit of what is computed: it is meant; with a visit of the path one of the edit's begins; a
 * stretch begins or ends at calls there. */
enum { PS_WORK_IS_IN = 1, PS_WORK_OPENS = 2, PS_WORK_FROM = 4, PS_WORK_TO = 8 };

typedef enum ps_work_change {
        PS_WORK_SCALE,   /* times the factor */
        PS_WORK_BALANCE, /* in the n-th visits: what those who have one compute in it on average */
        PS_WORK_EVEN     /* at most the median of what the others who have one compute in it */
} ps_work_change;

/* What is computed in some call paths, outside of operations, becomes something else. Visits are those that
 * the trace's pieces tell (core/model/pieces.h); without pieces a location has one in all. What is in visits
 * of several edits is in the innermost one, and is scaled after it was compared. */
typedef struct ps_work_edit {
        const uint8_t *paths;     /* by path: PS_WORK_* */
        const uint8_t *processes; /* by process: is it changed; NULL: all are */
        double factor;            /* of SCALE, >= 0 */
        uint8_t change;           /* ps_work_change */
        uint8_t is_stretch; /* all that is between calls FROM and TO that follow one another: each is a visit.
                             * Needs pieces. */
        uint8_t is_rest;    /* of BALANCE: it is one visit, among the threads of the same number */
} ps_work_edit;

/* What is different. All zero but `latency` and `bandwidth` is the recording itself: see ps_scenario_init. */
typedef struct ps_scenario {
        const ps_machine *machine;    /* NULL: as recorded. Its mapping, eager limit, shapes, ratios hold */
        const double *cpu_of_process; /* factors of computation times, NULL: 1 */
        const ps_work_edit *works;
        uint32_t n_works; /* less than 65535 */
        /* By process, NULL: nobody. It begins no later than the median of when the others do. */
        const uint8_t *starts;
        /* Factors: of latencies, and of what the size adds (0.25: a network four times as fast). On a machine
         * they apply to its own; as recorded, to the parts of what messages took, as ps_replay_info or the
         * divider tells them apart. INFINITY is not allowed, 0 is: nothing. */
        double latency, per_byte;
        const ps_machine *divider; /* as recorded: a machine whose messages have latency and bytes in the same
                                    * proportion; NULL: as fitted */
        uint8_t has_eager_limit;   /* standard sends wait for the receiver from the next byte on */
        uint8_t overlap; /* nonblocking operations start where the call before ended that may wait: a bound */
        uint8_t no_contention; /* the machine's buses, links and network carry everything at once; what
                                * the links of a network take and add is left out, too */
        uint64_t eager_limit;
        /* By location, NULL or a bit for each row (row & 63 of word row / 64): the partners of the call that
         * it belongs to are there already, so that it takes what it takes without waiting. The partners
         * notice nothing. */
        const uint64_t *const *unwaited;
} ps_scenario;

void ps_scenario_init(ps_scenario *scenario); /* nothing is different */

/* Is there anything on the machine that messages have to wait for, where it is replayed? */
bool ps_replay_is_shared(const ps_machine *machine);

typedef struct ps_replay_options {
        uint8_t wants_timing; /* two times for each operation; otherwise only ends */
        unsigned n_threads;   /* 0: one for each processor */
        uint32_t lanes;       /* scenarios in one pass at most; 0: as many as are fast */
        /* For tests: locations are run in another order. The results may not depend on it. */
        uint64_t shuffle;
} ps_replay_options;

typedef struct ps_replayed {
        ps_time total; /* from the first event's time, as ps_timing.duration */
        ps_time focus; /* the length of what reports are about: see core/model/focus.h */
        uint32_t n_locs;
        ps_time *begin, *end; /* by location: when its first and its last event are */
        ps_timing *timing;    /* if wanted */
        /* Not all locations came to their end: `cycle` are calls of which each waits for the next one, and
         * the last one for the first. If there is no circle, it is one that waits for what never comes. */
        uint8_t stuck, is_circle;
        uint32_t n_stuck; /* locations */
        ps_ref *cycle;
        uint32_t n_cycle;
        uint64_t n_transfers, n_delayed; /* with contention: messages, and how many of them waited */
        ps_time delayed;                 /* for how long, in all */
} ps_replayed;

/* out[n]. PS_OK also when scenarios are stuck: each result says so. After an error there is nothing to clear.
 */
ps_status ps_replay_run(ps_replayed *out, const ps_replay *replay, const ps_scenario *scenarios, uint32_t n,
                        const ps_replay_options *options, ps_error *err);
void ps_replayed_clear(ps_replayed *replayed);

/* By how many picoseconds computing in each call path becomes longer by edits of regions: of a location
 * longer[first[loc] + use], behind the last use what is outside of all regions. */
typedef struct ps_path_times {
        size_t *first;
        double *longer;
} ps_path_times;

/* To be cleared, also after a failure. */
ps_status ps_replay_path_times(ps_path_times *out, const ps_replay *replay, const ps_scenario *scenario,
                               ps_error *err);
void ps_path_times_clear(ps_path_times *times);

#endif
