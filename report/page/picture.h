/* picture.h - a run as columns of numbers: what docs/HTML.md calls the data of the timeline.
 *
 * Times are ticks. Where there are more stretches than a page holds, short ones that follow each other become
 * one that is mixed; how much of each state is in it then stands in the shares of bins. */
#ifndef PS_REPORT_PAGE_PICTURE_H
#define PS_REPORT_PAGE_PICTURE_H

#include "report/page/flows.h"
#include "report/page/levels.h"

enum { PS_LANE_MIXED = PS_LANE_STATES };

typedef struct ps_drawn {
        uint32_t begin; /* it ends with the next one, or with the run */
        ps_path path;
        uint32_t partner, finding; /* a lane, a place; PS_NONE: none */
        uint8_t state;
} ps_drawn;

typedef struct ps_drawn_message {
        uint32_t begin, length, bytes, from, to;
} ps_drawn_message;

typedef struct ps_drawn_collective {
        uint32_t begin, last, end, lane; /* when the last one came, and who that was */
        ps_path path;                    /* of its call */
} ps_drawn_collective;

typedef struct ps_drawn_step {
        uint32_t begin, end, lane;
} ps_drawn_step;

/* What was left out. */
typedef struct ps_left_out {
        uint64_t n;
        ps_time time;
} ps_left_out;

/* How many stretches, waits among them, messages and so on a picture holds. */
typedef struct ps_picture_most {
        uint32_t stretches, waits, messages, collectives, bins, shares;
        uint32_t one_by_one; /* of more messages there are sums over time for each pair of processes */
        uint32_t packed;     /* bytes of all, deflated: of what takes more, less is drawn */
} ps_picture_most;
extern ps_picture_most ps_picture_most_drawn; /* of a page, for tests to change */

/* A part of a run: some of its lanes, for a while. */
typedef struct ps_picture_part {
        uint32_t begin, end; /* in ticks */
        const uint32_t *lane;
        uint32_t n_lanes;
} ps_picture_part;

typedef struct ps_picture {
        const ps_lanes *lanes;
        const ps_picture_most *most;
        ps_span span; /* what is drawn of the run */
        bool is_part;
        ps_time tick;      /* in picoseconds */
        uint32_t end;      /* of the run, in ticks */
        ps_loc *location;  /* by lane; of a part, its own lanes only */
        uint32_t *lane_of; /* by location, of the whole run; PS_NONE: it has none */
        uint32_t n_lanes;
        uint32_t *first; /* by lane: its first stretch; one more at the end */
        PS_VECTOR(ps_drawn) stretches;
        PS_VECTOR(ps_drawn_message) messages;       /* by begin */
        PS_VECTOR(ps_drawn_collective) collectives; /* by begin */
        PS_VECTOR(ps_drawn_step) steps;             /* of the critical path, by begin */
        ps_levels levels;
        const uint8_t *shares;             /* of the coarsest level; NULL: nothing is mixed */
        uint32_t n_bins;                   /* of it */
        ps_left_out waits_left_out, mixed; /* waits that are no stretches of their own; and all else */
        uint64_t messages_left_out, collectives_left_out;
        ps_flows flows;   /* where there are more messages than anybody looks at one by one */
        uint8_t *is_used; /* by path: something is drawn of it or below it */
        uint32_t n_used;
} ps_picture;

/* To be cleared, also after a failure; `most` stays where it is until then. */
ps_status ps_picture_make(ps_picture *out, const ps_lanes *lanes, const ps_picture_most *most, ps_error *err);
/* The same of a part of the run that `whole` is of, without its critical path. It takes a time that follows
 * ps_picture_operations(). */
ps_status ps_picture_make_part(ps_picture *out, const ps_picture *whole, const ps_picture_part *part,
                               ps_error *err);
uint64_t ps_picture_operations(const ps_picture *whole, const ps_picture_part *part);
/* Only the shares of what is mixed in `whole`, by bins as fine as a screen can show, and from where to where,
 * in ticks: it takes a time that follows their number. There are none if `whole` has no finer ones than a
 * page. */
typedef struct ps_picture_bins {
        double begin, end;
} ps_picture_bins;
ps_status ps_picture_make_bins(ps_picture *out, ps_picture_bins *from_to, const ps_picture *whole,
                               const ps_picture_part *part, ps_error *err);
void ps_picture_clear(ps_picture *picture);

static inline uint32_t ps_picture_tick(const ps_picture *p, ps_time time)
{
        ps_time ticks = time > 0 ? time / p->tick : 0;
        return ticks < p->end ? (uint32_t)ticks : p->end;
}

#endif
