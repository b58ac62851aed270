/* lanes.h - what each location does over time, as stretches that touch: its operations, what it computes
 * between them, and where in them it waits. */
#ifndef PS_REPORT_PAGE_LANES_H
#define PS_REPORT_PAGE_LANES_H

#include "core/load/lending.h"
#include "report/facts/sites.h"

/* In the order of docs/HTML.md. */
typedef enum ps_lane_state {
        PS_LANE_COMPUTES,
        PS_LANE_WAITS,     /* for a partner */
        PS_LANE_WAITS_ALL, /* in a collective operation */
        PS_LANE_TRANSFERS,
        PS_LANE_COLLECTIVE,
        PS_LANE_UNEXPLAINED,
        PS_LANE_NOT_RUNNING,
        PS_LANE_LIBRARY,
        PS_LANE_RUNTIME,
        PS_LANE_FILES,
        PS_LANE_DEVICE,
        PS_LANE_STATES
} ps_lane_state;

typedef struct ps_lane_stretch {
        ps_time begin, end;
        ps_path path;
        ps_op op;         /* PS_NONE: between operations, or in the rest of one with others inside */
        ps_loc partner;   /* of a wait: whom it waited for; PS_NONE: nobody knows */
        uint32_t finding; /* of a wait: the place among ps_sites; PS_NONE: it is none */
        uint32_t pattern; /* of a wait, or of what an operation takes of its own; PS_NONE: it is neither */
        ps_lane_state state;
} ps_lane_stretch;

typedef struct ps_lane_wait {
        ps_time begin, end;
        ps_loc partner;
        uint32_t finding, pattern;
        uint8_t state; /* ps_lane_state; PS_LANE_STATES: that of its call */
} ps_lane_wait;

typedef PS_VECTOR(ps_lane_wait) ps_lane_waits;

typedef struct ps_lanes {
        const ps_report *report;
        const ps_sites *sites;
        ps_lane_waits *waits;   /* by location, in order of time, apart from one another */
        uint8_t *kind_of_path;  /* ps_time_kind */
        uint8_t *state_of_path; /* ps_lane_state */
        struct ps_lane_gathering *gathering;
        ps_loans *loans;
} ps_lanes;

/* Findings may be a million: waits of further places belong to none. */
enum { PS_LANES_PLACES = 10000 };

typedef enum ps_lanes_of {
        PS_LANES_OF_WAITS,
        PS_LANES_OF_PATTERNS /* what operations take of their own, too: all that is lost at some moment */
} ps_lanes_of;

/* Goes through the analysis again. To be cleared, also after a failure. */
ps_status ps_lanes_make(ps_lanes *out, const ps_report *report, const ps_sites *sites, ps_lanes_of what,
                        ps_error *err);
void ps_lanes_clear(ps_lanes *lanes);

/* All stretches of a location, whose rows others may have, that lie in the span, cut to it, in order;
 * neighbours differ. Operations that take no time have stretches, too. */
typedef void ps_lane_sink(void *ctx, const ps_lane_stretch *stretch);
ps_status ps_lanes_walk_span(const ps_lanes *lanes, ps_loc location, ps_span span, ps_lane_sink *sink,
                             void *ctx, ps_error *err);
/* From 0 to the end of the run. While a stretch is told, `loan` has the row of its operation. */
ps_status ps_lanes_walk(const ps_lanes *lanes, ps_loan *loan, ps_loc location, ps_lane_sink *sink, void *ctx,
                        ps_error *err);
/* How many operations of the location begin in the span, or are under way where it begins: `*first` is the
 * first one of them. */
uint32_t ps_lanes_operations(const ps_lanes *lanes, ps_loc location, ps_span span, ps_op *first);

#endif
