/* match.h - who talked to whom, without any global order of time.
 *
 * Messages match first in, first out for each (communicator, sender, receiver, tag): sends in program order,
 * receives in the order of posting. Collective operations match by their n-th call on a communicator. So a
 * clock that is wrong cannot make a match wrong. */
#ifndef PS_CORE_MATCH_MATCH_H
#define PS_CORE_MATCH_MATCH_H

#include "core/model/trace.h"

/* Fills peer, link and PS_OP_MATCHED of sends and receives, counts n_messages and notes what is left over.
 * On entry `peer` of each holds a location of the partner's process, or PS_NONE. */
ps_status ps_match_messages(ps_trace *trace, unsigned n_threads, ps_error *err);

/* Fills colls, members, and link and PS_OP_MATCHED of collective operations. `received` holds, for each
 * location, the bytes received by its COLL rows in order (NULL: zeros). */
ps_status ps_match_collectives(ps_trace *trace, const uint64_t *const *received, ps_error *err);

#endif
