/* sensitivity.h - what the length of a run depends on: how much slower which part of the machine may become,
 * and how fast the run gets longer with it. */
#ifndef PS_REPORT_FACTS_SENSITIVITY_H
#define PS_REPORT_FACTS_SENSITIVITY_H

#include "report/print/json_row.h"

typedef enum ps_knob {
        PS_KNOB_LATENCY,
        PS_KNOB_PER_BYTE, /* the inverse of the bandwidth */
        PS_KNOB_CPU,      /* how long computations take */
        PS_N_KNOBS
} ps_knob;

/* With this factor of times the run is so much longer, and with any larger one it is longer still. */
typedef struct ps_tolerated {
        double factor[PS_N_KNOBS]; /* INFINITY: as far as was looked it never is */
} ps_tolerated;

/* The run becomes time * (f - 1) longer if what the knob stands for takes f times as long, f near 1. */
typedef struct ps_slope {
        ps_time time;
        int is_exact; /* two steps agree; otherwise the smallest step */
} ps_slope;

typedef struct ps_region_slope {
        const char *region, *file; /* of the trace; file may be "" */
        uint32_t line;
        ps_time computed; /* in it and below, by all locations together */
        ps_slope slope;
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

void ps_sensitivity_write_text(const ps_sensitivity *sensitivity, ps_output *out);
/* A member "sensitivity". */
void ps_sensitivity_write_json(const ps_sensitivity *sensitivity, ps_json_row *row);

#endif
