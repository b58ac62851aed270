/* reordered.h - traces with another structure, for a what-if: some receives change places, so that messages
 * are received in the order in which they were sent, and what is computed between them stays where it is; or
 * rows move with all that is computed behind them, to other locations, too. */
#ifndef PS_CORE_VIEWS_REORDERED_H
#define PS_CORE_VIEWS_REORDERED_H

#include "core/model/trace.h"

typedef struct ps_reordered {
        ps_trace trace;  /* shares all but operations and matches with the original one, which must outlive it
                          */
        ps_timing calls; /* when the call of each row was in the original one; else its times are as they were
                          */
        ps_time **gap; /* by location: what is computed before each row and behind the last one, next to these
                          times; NULL: as they tell */
        uint64_t n_moved;
        ps_arena *arena;
} ps_reordered;

/* late[n]: calls that waited for a message though others could have been received before, sorted by location
 * and row. Each changes places with those behind it whose messages were sent earlier: blocking receives, and
 * waits for the request of one receive, which are not moved before it is posted. To be cleared, also after a
 * failure. */
ps_status ps_reordered_new(ps_reordered *out, const ps_trace *trace, const ps_ref *late, uint32_t n,
                           ps_error *err);

/* Which rows a location has, in order, each of its own or of others; NULL: it has its own. */
typedef struct ps_rows {
        const ps_ref *row;
        const double *scale; /* of what is computed behind each */
        uint32_t n;
} ps_rows;

/* The trace with these rows, by location: all rows that there were, each once. What is computed behind a row
 * goes with it, and what is known of call paths, too; the times of `trace` are those of `calls`, which do not
 * follow one another. Rows that refer to one another - parts of a call, what a call completes - are to stay
 * together. To be cleared, also after a failure. */
ps_status ps_rearranged_new(ps_reordered *out, const ps_trace *trace, const ps_rows *rows, ps_error *err);

void ps_reordered_clear(ps_reordered *reordered);

#endif
