/* functions.h - the profile of the program: how long each function and call took in the focus, by call path.
 *
 * Call paths of the same names are one row, whatever lines they were called from. Rows add up to what times.h
 * tells of processes that run, but for what their further threads take outside of all regions to come to
 * their team and to leave it, which has no call path. */
#ifndef PS_CORE_SUMS_FUNCTIONS_H
#define PS_CORE_SUMS_FUNCTIONS_H

#include "core/sums/times.h"

typedef struct ps_function {
        ps_path path; /* one of its call paths; 0: outside of all regions */
        uint64_t visits;
        ps_time exclusive, inclusive;
        ps_time waiting;     /* in it and in what it calls */
        ps_time least, most; /* exclusive, of a process that visits it */
        ps_proc least_process, most_process;
        uint32_t n_processes;
} ps_function;

typedef struct ps_functions {
        ps_function *row; /* by exclusive time, largest first */
        uint32_t n;
} ps_functions;

/* What locations compute outside of all regions, by the call paths of the calls around it. */
typedef struct ps_between_use {
        ps_loc location;
        ps_path path; /* the first one of the same names */
        ps_time time;
} ps_between_use;

typedef struct ps_between {
        ps_time *most; /* by location: how long it is outside, where pieces may tell more; NULL: nowhere */
        ps_between_use *row; /* by location */
        uint32_t n, cap;
} ps_between;

/* Fills `most`; to be cleared, also after a failure. */
ps_status ps_between_begin(ps_between *out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
/* Adds rows of a location whose operations are here, which took no more than `most`. `same`:
 * ps_functions_of_paths(); `sum`, by path, is all 0, and is so again then. */
ps_status ps_between_add(ps_between *to, const ps_trace *trace, ps_loc loc, ps_time most, const ps_path *same,
                         ps_time *sum, ps_error *err);
void ps_between_clear(ps_between *between);

/* `waiting`: by call path, in it alone. */
ps_status ps_functions_make(ps_functions **out, const ps_trace *trace, const ps_timing *timing,
                            const ps_time *waiting, ps_error *err);
/* The row of what is outside of all regions, by the call paths that the calls around it were made from: where
 * only calls were recorded, with the stack that was unwound, that is what tells functions. The rows add up to
 * it; visits are not known. NULL: they would add nothing, there are no pieces (core/model/pieces.h), or the
 * run was not measured. `between` is of the same run (core/load/between.h). */
ps_status ps_functions_between(ps_functions **out, const ps_trace *trace, const ps_timing *timing,
                               const ps_between *between, ps_error *err);
void ps_functions_free(ps_functions *functions);

/* (*out)[path]: the first call path of the same names. To be freed. */
ps_status ps_functions_of_paths(ps_path **out, const ps_trace *trace, ps_error *err);
/* `same`, by path, is the first one of those that are one: the regions of a team are so for its further
 * threads, too, which do not know what the first thread is in around them - if the team begins in one place.
 */
ps_status ps_functions_join_teams(ps_path *same, const ps_trace *trace, ps_error *err);

#endif
