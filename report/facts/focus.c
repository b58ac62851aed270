/* focus.c - see focus.h. */
#include "report/facts/focus.h"

#include "report/print/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *bound_name(const ps_trace *trace, ps_region region)
{
        return ps_defs_str(&trace->defs, trace->defs.regions.row[region].name);
}

/* What the recorder and the library did before and after the program. */
static void tell_outside(char room[PS_DOUBT_ROOM], const ps_report *report, const char *whole,
                         const char *length)
{
        ps_focus_outside out[PS_FOCUS_OUTSIDE_MOST];
        unsigned n = ps_focus_find_outside(out, report->trace, report->timing);
        char took[PS_NUMBER_ROOM];
        ps_time sum = 0;

        for (unsigned i = 0; i < n; i++)
                sum = ps_time_add(sum, out[i].time);
        ps_text_duration(took, sum);
        if (n == 2)
                snprintf(room, PS_DOUBT_ROOM,
                         "%.40s and %.40s took %s of %s; what follows is about the %s between them.",
                         bound_name(report->trace, out[0].region), bound_name(report->trace, out[1].region),
                         took, whole, length);
        else if (n == 1)
                snprintf(room, PS_DOUBT_ROOM, "%.40s took %s of %s; what follows is about the other %s.",
                         bound_name(report->trace, out[0].region), took, whole, length);
}

void ps_report_focus(char room[PS_DOUBT_ROOM], const ps_report *report)
{
        const ps_focus *focus = report->timing->focus;
        char whole[PS_NUMBER_ROOM], length[PS_NUMBER_ROOM], from[PS_NUMBER_ROOM], visits[PS_NUMBER_ROOM];

        *room = '\0';
        if (!focus)
                return;
        ps_text_duration(whole, report->timing->duration);
        ps_text_duration(length, focus->length);
        ps_text_duration(from, ps_focus_hull(report->timing).begin);
        ps_text_count(visits, focus->n_spans);
        if (focus->how == PS_FOCUS_PROGRAM)
                tell_outside(room, report, whole, length);
        else if (focus->how == PS_FOCUS_RANGE)
                snprintf(room, PS_DOUBT_ROOM, "What follows is about %s from %s on, of %s in all.", length,
                         from, whole);
        else if (focus->how == PS_FOCUS_REGION)
                snprintf(room, PS_DOUBT_ROOM, "What follows is about %s in %s of %.80s, of %s in all.",
                         length, focus->n_spans == 1 ? "the visit" : "the visits", focus->region, whole);
        size_t used = strlen(room);
        uint32_t told = report->times->n_told, all = report->overview.n_locations[PS_LOCATION_CPU];
        if (told < all)
                snprintf(room + used, PS_DOUBT_ROOM - used,
                         "%sOf %" PRIu32 " ranks and threads, %" PRIu32 " %s reported.", used ? " " : "", all,
                         told, told == 1 ? "is" : "are");
}
