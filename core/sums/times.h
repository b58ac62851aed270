/* times.h - where all time of the CPU locations in the focus went, in one set of words that adds up to it.
 *
 * Every report, the efficiencies and the limits use these kinds. What a location is in follows from the
 * region that it is in; what of that was waiting is what the patterns have found, however short each wait
 * was. */
#ifndef PS_CORE_SUMS_TIMES_H
#define PS_CORE_SUMS_TIMES_H

#include "core/model/focus.h"

typedef enum ps_time_kind {
#define PS_TIME(id, key, title, nature) PS_TIME_##id,
#include "core/sums/times.def"
#undef PS_TIME
        PS_TIME_KINDS
} ps_time_kind;

typedef enum ps_time_nature { PS_TIME_IS_OWN, PS_TIME_IS_LOST, PS_TIME_IS_OTHER } ps_time_nature;

typedef struct ps_time_info {
        const char *key, *title;
        ps_time_nature nature;
} ps_time_info;

extern const ps_time_info ps_time_infos[PS_TIME_KINDS];

/* Corrections for a location: time that the regions it is in count as one kind, and that is of another kind.
 */
typedef struct ps_time_moves {
        ps_time moved[PS_TIME_KINDS][PS_TIME_KINDS]; /* [from][to] */
} ps_time_moves;

/* By call path: the kind of the time that is spent in its region itself. To be freed. */
ps_status ps_times_of_paths(uint8_t **out, const ps_trace *trace, ps_error *err);

typedef struct ps_times {
        ps_time *time; /* [kind * n_locs + location]; 0 for locations that reports do not cover */
        ps_time sum[PS_TIME_KINDS];
        ps_time all; /* the number of locations that reports cover, times the length of the focus */
        uint32_t n_locs, n_told;
} ps_times;

/* `moves`: by location. */
ps_status ps_times_make(ps_times **out, const ps_trace *trace, const ps_timing *timing,
                        const ps_time_moves *moves, ps_error *err);
void ps_times_free(ps_times *times);

static inline const ps_time *ps_times_of_kind(const ps_times *times, ps_time_kind kind)
{
        return times->time + (size_t)kind * times->n_locs;
}

/* The n-th kind that is told, PS_TIME_KINDS behind the last one: files and devices only where there are some.
 */
ps_time_kind ps_times_nth(const ps_times *times, size_t n);
/* What the program itself does, outside of communication: useful time, as efficiencies have it. */
ps_time ps_times_own(const ps_times *times, ps_loc location);
ps_time ps_times_all_own(const ps_times *times);
/* Waiting, and what is not explained. */
ps_time ps_times_lost(const ps_times *times);
/* As a part of all time; 0 where there is none. */
double ps_times_share(const ps_times *times, ps_time time);

#endif
