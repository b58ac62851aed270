/* crowding.h - did more threads run than there were processors for them? Then one that waits, or seems to
 * compute, may have waited for a processor. */
#ifndef PS_CORE_SUMS_CROWDING_H
#define PS_CORE_SUMS_CROWDING_H

#include "core/model/trace.h"

typedef struct ps_crowding {
        uint8_t *is_crowded;  /* by process; NULL: none is, or the trace does not tell */
        uint32_t n_processes; /* that are crowded */
        /* Where it is worst: so many threads shared so many processors of a machine (0: it has no name). */
        uint32_t n_threads, n_processors;
        ps_str node;
} ps_crowding;

/* To be cleared, also after a failure. */
ps_status ps_crowding_find(ps_crowding *out, const ps_trace *trace, ps_error *err);
void ps_crowding_clear(ps_crowding *crowding);

#endif
