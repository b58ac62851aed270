/* alone.h - the numbers of collective operations on communicators of each process alone, where several
 * processes have calls on them: all those of a communicator, process by process. */
#ifndef PS_CORE_MATCH_ALONE_H
#define PS_CORE_MATCH_ALONE_H

#include "core/match/agreed.h"

/* Those of this process are numbered as if the others made none; `n_of`: by communicator, how many operations
 * all make. Called by all of ours together. */
ps_status ps_alone_number(ps_agreed *agreed, const ps_trace *trace, const uint32_t *n_of, ps_exchange *x,
                          ps_error *err);

#endif
