/* view.h - what formulas look at, gathered from the columns of a trace. */
#ifndef PS_PATTERNS_VIEW_H
#define PS_PATTERNS_VIEW_H

#include "patterns/pattern.h"

/* Both ends of the message of `ref`, a matched send or receive. */
ps_message_view ps_view_message(const ps_trace *trace, const ps_timing *timing, ps_ref ref,
                                ps_time tolerance);

/* What all members of each collective instance did, computed once for all of them. */
typedef struct ps_coll_sums ps_coll_sums;

ps_status ps_coll_sums_new(ps_coll_sums **out, const ps_trace *trace, const ps_timing *timing,
                           unsigned n_threads, ps_error *err);
void ps_coll_sums_free(ps_coll_sums *sums);

/* The part of member `member` (a row of trace->members); 0 when there is nothing to say of the instance. */
int ps_view_collective(ps_collective_view *out, const ps_coll_sums *sums, uint32_t member);

#endif
