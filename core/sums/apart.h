/* apart.h - which processes take no part in what the others do: they communicate nothing before their
 * MPI_Finalize. Nobody is to blame for their waiting there for the others. */
#ifndef PS_CORE_SUMS_APART_H
#define PS_CORE_SUMS_APART_H

#include "core/model/focus.h"

/* (*out)[process]; NULL: all take part, or nobody does. To be freed. */
ps_status ps_apart_find(uint8_t **out, const ps_trace *trace, const ps_timing *timing, ps_error *err);

/* What it follows from, by process: does it communicate within that time, and end? */
enum { PS_APART_COMMUNICATES = 1 << 0, PS_APART_FINALIZES = 1 << 1 };
uint8_t ps_apart_part(const ps_trace *trace, const ps_timing *timing, ps_span focus, ps_proc process);
/* Makes of these who is apart; false: all take part, or nobody does. */
bool ps_apart_judge(uint8_t *part, uint32_t n);

#endif
