/* near.h - what each of several processes does with the rows that it has read, before they travel. */
#ifndef PS_CORE_LOAD_NEAR_H
#define PS_CORE_LOAD_NEAR_H

#include "core/load/folding.h"

/* The rows that are here as a trace, borrowed from their builders; its arena is that of `f`. What is known of
 * locations is at the times that were recorded. */
ps_status ps_near_look(ps_trace *out, struct ps_folding *f, ps_error *err);
/* And what their locations compute between them; times of locations count from the first event of all. */
ps_status ps_near_know(ps_trace *near, const struct ps_folding *f, ps_error *err);
void ps_near_forget(ps_trace *near);

/* Matches messages, and collective operations if their members agree, and counts what of it contradicts
 * causality; then estimates the offsets of clocks where that is asked for and nobody needs all rows for it;
 * together with the other processes. */
ps_status ps_near_match(struct ps_folding *f, ps_error *err);
/* In the end process 0 knows the counts of all. */
ps_status ps_near_count(struct ps_folding *f);

#endif
