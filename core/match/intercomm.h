/* intercomm.h - messages between the two sides of an intercommunicator that the trace does not know as one.
 */
#ifndef PS_CORE_MATCH_INTERCOMM_H
#define PS_CORE_MATCH_INTERCOMM_H

#include "core/base/error.h"
#include "core/model/trace.h"

/* Matches what ordinary matching left over. `link` of a row without a partner holds the rank that its record
 * names. */
ps_status ps_match_intercomms(ps_trace *trace, ps_error *err);

/* In messages.c: makes them partners. */
void ps_match_join(const ps_trace *trace, ps_ref send, ps_ref recv);

#endif
