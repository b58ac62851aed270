/* stops.h - where a bin of a profile or a part of its focus begins or ends: a part of profile.h. */
#ifndef PS_CORE_SUMS_STOPS_H
#define PS_CORE_SUMS_STOPS_H

#include "core/model/focus.h"
#include "core/sums/profile.h"

typedef struct ps_stops {
        const ps_focus *focus; /* NULL: the whole run */
        ps_span run;
        ps_time most; /* so far apart they are at most */
        ps_time next;
        uint32_t span;
        ps_profile_bin *bin, *bins_end;
        bool is_inside; /* up to the next one all is in the focus and in the bin */
} ps_stops;

void ps_stops_begin(ps_stops *stops, const ps_profile *profile, const ps_timing *timing);
/* The time is that of the next one, which becomes the one behind it. */
void ps_stops_pass(ps_stops *stops);

#endif
