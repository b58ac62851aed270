/* offset.h - one constant offset for the clock of each process. */
#ifndef PS_CORE_CLOCK_OFFSET_H
#define PS_CORE_CLOCK_OFFSET_H

#include "core/clock/flow.h"
#include "core/clock/slack.h"

/* Estimates the offsets from all flows, adds them to all times, shifts all so that the first event is at 0,
 * and fills offset, width, uncertainty, infeasible and repaired of trace->clock. Nothing is changed when
 * there are no offsets that leave less than `hopeless` of a contradiction. `gently`: the smallest part of
 * those offsets that removes the contradictions; the widths then are the moves themselves. *fits: they are
 * added, and no message contradicts them, for certain. `slacks`: what is known of the messages; NULL:
 * nothing. */
ps_status ps_clock_offset(ps_trace *trace, ps_flows *flows, const ps_slacks *slacks, ps_time hopeless,
                          int gently, bool *fits, ps_error *err);

/* In apply.c: adds the offsets, which are those of trace->clock, and to each of them what makes the first
 * event be at 0, to the times of all rows, and to what else names times: */
ps_status ps_clock_apply(ps_trace *trace, const ps_flows *flows, ps_time *offset, ps_error *err);
/* locations, and issues. */
void ps_clock_move_rest(ps_trace *trace);

#endif
