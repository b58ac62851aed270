/* places.h - findings by place: what happened at one site and line in several locations, told once. Some
 * recorders define a region anew for each process, so that names count, not ids. */
#ifndef PS_REPORT_FACTS_PLACES_H
#define PS_REPORT_FACTS_PLACES_H

#include "report/facts/report.h"

/* The findings of one site and line. */
typedef struct ps_report_place {
        const ps_report_finding *const *finding; /* the one that lost most first */
        uint32_t n;
        ps_time lost; /* by all of them */
        ps_time rank; /* what the order goes by first: the gain, if it was asked for; -1: nothing */
} ps_report_place;

typedef struct ps_report_places {
        ps_report_place *row; /* errors of the program first, then what gains or lost most */
        uint32_t n;
        const ps_report_finding **order; /* what the rows point into */
} ps_report_places;

/* Without those that are ignored, or with them. */
ps_status ps_places_gather(ps_report_places *out, const ps_report *report, bool with_ignored, ps_error *err);
void ps_places_clear(ps_report_places *places);

#endif
