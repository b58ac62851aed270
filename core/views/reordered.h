/* reordered.h - a trace in which some receives change places, so that messages are received in the order in
 * which they were sent: the structure of a what-if. What is computed between them stays where it is. */
#ifndef PS_CORE_VIEWS_REORDERED_H
#define PS_CORE_VIEWS_REORDERED_H

#include "core/model/trace.h"

typedef struct ps_reordered {
        ps_trace trace;  /* shares all but operations and matches with the original one, which must outlive it
                          */
        ps_timing calls; /* when the call of each row was in the original one; else its times are as they were
                          */
        uint64_t n_moved;
        ps_arena *arena;
} ps_reordered;

/* late[n]: receives that waited though others could have been received before, sorted by location and row.
 * Each changes places with those behind it whose messages were sent earlier. Only blocking receives that are
 * calls of their own are moved. To be cleared, also after a failure. */
ps_status ps_reordered_new(ps_reordered *out, const ps_trace *trace, const ps_ref *late, uint32_t n,
                           ps_error *err);
void ps_reordered_clear(ps_reordered *reordered);

#endif
