/* cautions.h - what whoever reads a report has to know before anything else: that the run did not finish,
 * that processes had to share processors, that devices are not looked at, and that the trace is not what was
 * recorded. */
#ifndef PS_REPORT_FACTS_CAUTIONS_H
#define PS_REPORT_FACTS_CAUTIONS_H

#include "core/sums/crowding.h"
#include "core/sums/ending.h"
#include "patterns/source/source.h"

typedef struct ps_caution {
        const char *kind; /* "unfinished", "oversubscribed", "accelerators", "unmatched-messages" or an
                             issue's name */
        const char *text; /* a sentence */
        uint64_t count;
        ps_loc location; /* PS_NONE: none in particular */
} ps_caution;

typedef struct ps_cautions {
        ps_ending ending;
        ps_crowding crowding;
        ps_caution *row; /* an unfinished run first */
        unsigned n;
} ps_cautions;

/* `tells_ending`: not where a prediction tells how the run ends. `out` is given back with
 * ps_cautions_clear(), also after a failure; its texts live in `arena`. */
ps_status ps_cautions_find(ps_cautions *out, const ps_trace *trace, ps_sources *sources, bool tells_ending,
                           ps_arena *arena, ps_error *err);
void ps_cautions_clear(ps_cautions *cautions);

/* The call that a process is stuck in, as its region is called; NULL: it has no name. */
const char *ps_stuck_operation(const ps_trace *trace, const ps_stuck *stuck);

#endif
