/* stops.c - see stops.h. */
#include "core/sums/stops.h"

void ps_stops_begin(ps_stops *s, const ps_profile *profile, const ps_timing *timing)
{
        *s = (ps_stops){.focus = timing->focus, .run = {0, timing->duration}, .most = PS_TIME_MAX};
        s->bin = profile->bins;
        s->bins_end = profile->bins + profile->n_bins;
}

void ps_stops_pass(ps_stops *s)
{
        const ps_span *span = s->focus ? s->focus->span : &s->run;
        uint32_t n_spans = s->focus ? s->focus->n_spans : 1;
        ps_time now = s->next;

        while (s->bin < s->bins_end && s->bin->end <= now)
                s->bin++;
        while (s->span < n_spans && span[s->span].end <= now)
                s->span++;
        s->is_inside = s->bin < s->bins_end && s->span < n_spans && span[s->span].begin <= now;
        if (s->bin == s->bins_end || s->span >= n_spans) {
                s->next = PS_TIME_MAX;
                return;
        }
        s->next = ps_time_earlier(s->bin->end, s->is_inside ? span[s->span].end : span[s->span].begin);
        s->next = ps_time_earlier(s->next, ps_time_add(now, s->most));
}
