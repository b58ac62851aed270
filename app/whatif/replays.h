/* replays.h - the replays that reports of one trace rest on, each as a timing with its call tree. */
#ifndef PS_APP_WHATIF_REPLAYS_H
#define PS_APP_WHATIF_REPLAYS_H

#include "app/whatif/what_if.h"
#include "core/sums/intervals.h"

typedef enum ps_replays_row {
        PS_REPLAYED_RECORDED, /* without any edit: the measurement, if the replay is right */
        PS_REPLAYED_EDITED,
        PS_REPLAYED_IDEAL, /* edited, and messages cost nothing */
        PS_N_REPLAYED
} ps_replays_row;

typedef struct ps_replays {
        const ps_trace *trace;
        ps_replay *replay;
        ps_scenario scenario; /* the edited one, or that of the recording */
        ps_replayed run[PS_N_REPLAYED];
        ps_retimed tree[PS_N_REPLAYED]; /* what the timings' `info` points to */
        const ps_what_if *what_if;      /* NULL: nothing is edited */
        ps_path_times times;            /* of it, where the trace has pieces */
} ps_replays;

/* A run that is stuck is no failure, but has no timing. To be cleared, also after a failure. */
ps_status ps_replays_make(ps_replays *out, const ps_trace *trace, const ps_what_if *what_if,
                          unsigned n_threads, ps_error *err);
/* Of a measured run, which needs no replay: only IDEAL; without `wants_timing` only how long it takes. */
ps_status ps_replays_make_ideal(ps_replays *out, const ps_trace *trace, int wants_timing, unsigned n_threads,
                                ps_error *err);
void ps_replays_clear_runs(ps_replays *replays); /* what is left serves other scenarios */
void ps_replays_clear(ps_replays *replays);

/* How much of their time the intervals of `tree`, which is of the edited run, would take if messages cost
 * nothing. */
ps_status ps_replays_split_intervals(const ps_replays *replays, ps_intervals *tree, const char *const *names,
                                     uint32_t n, ps_error *err);

#endif
