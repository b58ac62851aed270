/* overview.h - what a loaded trace amounts to, in numbers: gathered once, shown by every report. */
#ifndef PS_CORE_SUMS_OVERVIEW_H
#define PS_CORE_SUMS_OVERVIEW_H

#include "core/model/trace.h"

typedef struct ps_code_count {
        uint32_t code; /* an index into ps_defs.codes */
        uint64_t n;
} ps_code_count;

typedef struct ps_overview {
        uint32_t n_locations[3]; /* by ps_location_type */
        uint32_t n_nodes;        /* 0: the trace does not tell */
        uint32_t n_silent;       /* locations without a single event */
        uint64_t n_unmatched_sends, n_unmatched_receives;
        ps_code_count *codes; /* those that occur, the most frequent first, then by name */
        uint32_t n_codes;
        uint64_t n_samples; /* of what threads computed */
} ps_overview;

/* `out` is given back with ps_overview_clear(), also after a failure. */
ps_status ps_overview_collect(ps_overview *out, const ps_trace *trace, ps_error *err);
void ps_overview_clear(ps_overview *overview);

/* Does what was found say that a part of the input was left out? */
bool ps_issues_are_partial(const ps_issues *issues);

#endif
