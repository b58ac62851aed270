/* profile.h - a run over time, as ParaGraph shows one: who is busy, in communication or idle, which messages
 * are under way, and how much waits to be received. docs/PROFILE.md has the definitions.
 *
 * Computed from a trace and a timing, so that a prediction has a profile, too. Only CPU locations count. */
#ifndef PS_CORE_SUMS_PROFILE_H
#define PS_CORE_SUMS_PROFILE_H

#include "core/model/trace.h"

typedef enum ps_state {
        PS_STATE_BUSY,     /* all that is not one of the others */
        PS_STATE_OVERHEAD, /* in communication without waiting */
        PS_STATE_IDLE,     /* waiting, or not running */
        PS_STATE_COUNT
} ps_state;

extern const char *const ps_state_names[PS_STATE_COUNT];

/* The largest value, and when it was first there. */
typedef struct ps_peak {
        uint64_t value;
        ps_time at;
} ps_peak;

typedef struct ps_profile_row {
        ps_loc location;
        ps_time state[PS_STATE_COUNT];                       /* add up to the duration */
        uint64_t sent, sent_bytes, received, received_bytes; /* matched messages */
        ps_peak queue, queue_bytes;                          /* sent to it and not yet received */
} ps_profile_row;

typedef struct ps_profile_bin {
        ps_time begin, end;
        double state[PS_STATE_COUNT]; /* how many locations, on average; they add up to all */
        double messages, bytes;       /* under way, on average */
        uint64_t most_messages, most_bytes;
        ps_time inside; /* as much of it lies in the focus */
} ps_profile_bin;

typedef struct ps_profile_pair {
        ps_proc from, to;
        uint64_t messages, bytes;
} ps_profile_pair;

typedef struct ps_profile {
        ps_span span;         /* from the begin of the focus to its end */
        ps_time duration;     /* of what is in it */
        ps_profile_row *rows; /* by location */
        uint32_t n_rows;
        ps_time *concurrency[PS_STATE_COUNT]; /* [k]: how long exactly k locations are in the state, k <=
                                                 n_rows */
        ps_profile_bin *bins;                 /* of the same length, but for a picosecond */
        uint32_t n_bins;
        double *queue, *queue_bytes; /* [row * n_queue_bins + bin]: sent to it and not yet received, on
                                        average; NULL unless asked for */
        uint32_t n_queue_bins;       /* of the same length */
        ps_profile_pair *pairs;      /* that have messages; by from, then to */
        size_t n_pairs;
        uint64_t n_messages, n_bytes; /* the sum of the pairs */
        ps_peak messages, bytes;      /* under way */
} ps_profile;

enum {
        PS_PROFILE_BINS = 100,
        PS_PROFILE_BINS_FINE = 1000, /* a multiple of PS_PROFILE_BINS */
        PS_PROFILE_BINS_MAX = 1 << 20
};

/* `n_bins` 0: PS_PROFILE_BINS. */
ps_status ps_profile_make(ps_profile **out, const ps_trace *trace, const ps_timing *timing, uint32_t n_bins,
                          ps_error *err);
/* As fine as a page shows it: PS_PROFILE_BINS_FINE, and the queues of all locations over time. */
ps_status ps_profile_make_fine(ps_profile **out, const ps_trace *trace, const ps_timing *timing,
                               ps_error *err);
void ps_profile_free(ps_profile *profile);

#endif
