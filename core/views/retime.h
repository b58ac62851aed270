/* retime.h - the call tree's times in another timing than the measured one.
 *
 * A timing says when operations begin and end; how long a region took follows from that and from how long it
 * took when it was measured. Calls of operations become longer or shorter by what the timing says; the rest
 * of a location's time is computation, shared out among its regions in proportion to what they now compute.
 */
#ifndef PS_CORE_VIEWS_RETIME_H
#define PS_CORE_VIEWS_RETIME_H

#include "core/model/trace.h"

typedef struct ps_retimed {
        ps_location_info *info; /* by location; all but times is the trace's own */
        ps_path_use *uses;      /* what they point into */
        ps_focus *focus; /* cut at the same operations as that of the measured run; NULL: it has none */
        ps_path_use *part_uses; /* what its parts point into */
} ps_retimed;

/* How long the location computes at uses[use] in itself, or behind the last use outside of all regions, when
 * it was `time` in the measured run. Asked by several threads. */
typedef double ps_path_time(void *ctx, ps_loc location, uint32_t use, ps_time time);

/* `begin`, `end`: by location, its first and its last event; `begin` and `now` may be NULL: as measured. For
 * each location the sum over all paths and of what is outside of them is exactly the time from its first to
 * its last event, and the same holds in the focus. */
ps_status ps_retime(ps_retimed *out, const ps_trace *trace, const ps_timing *timing, const ps_time *begin,
                    const ps_time *end, ps_path_time *now, void *ctx, unsigned n_threads, ps_error *err);
void ps_retimed_clear(ps_retimed *retimed);

#endif
