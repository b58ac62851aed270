/* outcome.h - what is found out by replays, as data: how far they are from the measurement, and what the
 * length of a run depends on. */
#ifndef PS_SIMULATOR_WHATIF_OUTCOME_H
#define PS_SIMULATOR_WHATIF_OUTCOME_H

#include "core/base/types.h"

/* -- drift -- */

/* How far the replay of the recording, with nothing edited, is from the measurement. Shares are signed. */
typedef struct ps_drift {
        ps_time measured, replayed;
        double total; /* of the measured time, as the others */
        double rank;  /* by how much the worst rank ends later or earlier */
        ps_proc worst_rank;
        double interval;         /* by how much the worst interval is longer or shorter, of the whole run */
        uint32_t worst_interval; /* of the tree; 0, the whole run: there are no others */
        double limit;
        bool is_exceeded;
} ps_drift;

/* -- sensitivity: how much slower which part of the machine may become, and how fast the run gets longer --
 */

typedef enum ps_knob {
        PS_KNOB_LATENCY,
        PS_KNOB_PER_BYTE, /* the inverse of the bandwidth */
        PS_KNOB_CPU,      /* how long computations take */
        PS_N_KNOBS
} ps_knob;

/* With this factor of times the run is so much longer, and with any larger one it is longer still. */
typedef struct ps_tolerated {
        double factor[PS_N_KNOBS]; /* INFINITY: as far as was looked it never is; NAN: cannot be told */
} ps_tolerated;

/* The run becomes time * (f - 1) longer if what the knob stands for takes f times as long, f near 1. */
typedef struct ps_slope {
        ps_time time;
        bool is_exact; /* two steps agree; otherwise the smallest step */
        bool is_unknown;
} ps_slope;

enum { PS_N_SPEEDUPS = 4 }; /* it takes less by 0.1, 0.25, 0.5 and 1 of its time */

typedef struct ps_region_slope {
        const char *region, *file; /* of the trace; file may be "" */
        uint32_t line;
        ps_time computed; /* in it and below, by all locations together */
        ps_slope slope;
        ps_time gain[PS_N_SPEEDUPS]; /* of the focus, if all of it takes so much less */
} ps_region_slope;

enum { PS_N_TOLERANCES = 3 };
extern const double ps_tolerances[PS_N_TOLERANCES]; /* 0.01, 0.02, 0.05 */

typedef struct ps_sensitivity {
        ps_time duration;             /* of the replay that factors apply to */
        double latency_s;             /* of a message, for factors of it; 0: unknown */
        double bandwidth_bytes_per_s; /* the same; 0: unknown */
        ps_tolerated tolerated[PS_N_TOLERANCES];
        ps_slope slope[PS_N_KNOBS];
        ps_region_slope *regions; /* that the run depends on, the most important one first */
        uint32_t n_regions;
} ps_sensitivity;

#endif
