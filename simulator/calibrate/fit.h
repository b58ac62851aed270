/* fit.h - a straight line, time over size, through samples of which some were disturbed.
 *
 * What disturbs a measurement makes it longer, hardly ever shorter. So the samples of each size are reduced
 * to the least of them (below ten samples: their tenth percentile), and a line is laid through these with
 * weights 1/T^2, so that a microsecond counts as much for short messages as a millisecond for long ones. That
 * is optimistic: the line through the medians is kept beside it as what is typical. */
#ifndef PS_SIMULATOR_CALIBRATE_FIT_H
#define PS_SIMULATOR_CALIBRATE_FIT_H

#include "core/base/error.h"
#include "core/base/types.h"

enum {
        PS_FIT_ENOUGH = 10,        /* samples of a size whose least one is believed */
        PS_FIT_BREAKS = 3,         /* most breakpoints that are looked for */
        PS_FIT_SEGMENT = 3,        /* sizes on each side of a breakpoint, at least */
        PS_FIT_RATE_ONLY = 1 << 16 /* bytes: of one size alone, a message this large tells a rate, a shorter
                                      one a latency */
};

typedef struct ps_sample_point {
        double bytes, s;
} ps_sample_point;

/* All samples of one size. */
typedef struct ps_fit_cell {
        double bytes, fast_s, typical_s;
        uint64_t n;
} ps_fit_cell;

/* s = fixed_s + bytes * per_byte_s; never negative. */
typedef struct ps_fit_line {
        double fixed_s, per_byte_s;
        int n_clamped; /* of the two, those that came out negative and became 0 */
} ps_fit_line;

typedef struct ps_fit_segment {
        double least_bytes, most_bytes;
        ps_fit_line line;
} ps_fit_segment;

typedef struct ps_fit {
        uint64_t n_samples;
        uint32_t n_sizes;
        double least_bytes, most_bytes;
        ps_fit_line fast, typical;
        /* Of a single size, or sizes that hardly differ, only one of them is known, and the other one is 0.
         */
        bool has_fixed, has_per_byte;
        /* Limits within which the values lie with 95 %, if the scatter about the line is by chance; NAN for
         * fewer than three sizes. */
        double fixed_low, fixed_high, per_byte_low, per_byte_high;
        double r_squared; /* weighted; NAN for fewer than three sizes */
        double spread;    /* median of typical / fast over the sizes */
        /* Parts that each have a line of their own; one part if the sizes show no break. */
        ps_fit_segment segment[PS_FIT_BREAKS + 1];
        uint32_t n_segments;
} ps_fit;

/* The value below which `share` of the n sorted values lie, with straight lines in between. n > 0. */
double ps_quantile(const double *sorted, size_t n, double share);

/* Sorts the points. All times are positive; n may be 0, which leaves `out` empty. */
ps_status ps_fit_make(ps_fit *out, ps_sample_point *points, size_t n, ps_error *err);

/* Sorts the points; returns how many sizes there are. `out` has room for n. */
uint32_t ps_fit_cells(ps_fit_cell *out, ps_sample_point *points, size_t n);

double ps_fit_at(const ps_fit_line *line, double bytes);

#endif
