/* focus.h - the part of a run that shares, efficiencies and limits are about.
 *
 * A recorder's MPI_Init may take longer than the program, so that numbers about the whole run would mostly be
 * about that. So a timing has a focus, by default from where the last process leaves its Init to where the
 * last one enters its Finalize, and whoever adds up times asks it how much of a time lies inside. */
#ifndef PS_CORE_MODEL_FOCUS_H
#define PS_CORE_MODEL_FOCUS_H

#include "core/base/pass.h"
#include "core/model/trace.h"

typedef enum ps_focus_how {
        PS_FOCUS_PROGRAM,   /* between Init and Finalize */
        PS_FOCUS_WHOLE_RUN, /* from the first event to the last one */
        PS_FOCUS_RANGE,     /* from one moment to another */
        PS_FOCUS_REGION,    /* the visits of a region, by all processes */
        PS_FOCUS_HOWS
} ps_focus_how;

extern const char *const ps_focus_names[PS_FOCUS_HOWS];

/* What somebody asks for. Times count from the first event of the run, once clocks are repaired. */
typedef struct ps_focus_wish {
        ps_focus_how how;
        ps_time from, to;   /* of a range; PS_TIME_MAX: to the end of the run */
        const char *region; /* of a region: its name */
        const char *ranks;  /* the ranks to report on, such as "0-3,8"; NULL: all */
} ps_focus_wish;

/* What one location did inside. */
typedef struct ps_focus_part {
        ps_path_use *uses; /* sorted by path; visits: that lie inside at least in part */
        uint32_t n_uses;
        ps_time off; /* how long the recorder was switched off */
} ps_focus_part;

/* Where a moment is, for other timings of the same operations: so much after the latest of them that had
 * begun or ended by then. */
typedef struct ps_moment {
        ps_ref after;   /* no `op`: no operation was before it */
        uint8_t inside; /* the distance counts from its begin, not from its end */
        ps_time distance;
} ps_moment;

struct ps_focus {
        ps_focus_how how;
        ps_span *span; /* in order of time, apart from one another */
        uint32_t n_spans;
        ps_time length; /* of all of them */
        ps_moment
                *moments; /* two a span: its begin and its end; NULL: the focus follows from the operations */
        ps_focus_part *part; /* by location; NULL: it holds all that the locations did */
        uint8_t *is_told;    /* by location: reports cover it */
        const char *region;  /* of a region: its name */
};

/* Of several spans. */
ps_time ps_focus_clip_to_all(const ps_focus *focus, ps_time begin, ps_time end);

/* How much of a time lies inside. */
static inline ps_time ps_focus_clip(const ps_focus *focus, ps_time begin, ps_time end)
{
        if (focus && focus->n_spans != 1)
                return ps_focus_clip_to_all(focus, begin, end);
        if (focus) {
                begin = begin > focus->span->begin ? begin : focus->span->begin;
                end = end < focus->span->end ? end : focus->span->end;
        }
        return end > begin ? ps_time_sub(end, begin) : 0;
}

/* How long it is. */
ps_time ps_focus_length(const ps_timing *timing);
/* From the begin of the first span to the end of the last one. */
ps_span ps_focus_hull(const ps_timing *timing);

/* Do reports cover this location? Only CPU locations are covered. */
bool ps_focus_tells(const ps_trace *trace, const ps_timing *timing, ps_loc location);
uint32_t ps_focus_n_told(const ps_trace *trace, const ps_timing *timing);
/* Sums over locations are times, too: is there room for all that so many of them take in the focus? */
bool ps_focus_has_sums(const ps_timing *timing, uint32_t n_locations);
ps_status ps_focus_check_sums(const ps_timing *timing, uint32_t n_locations, ps_error *err);

/* Marks the locations of the ranks in "0-3,8"; what is no such list, or names a rank that is not there, is
 * PS_E_USAGE. */
ps_status ps_focus_mark_ranks(uint8_t *is_told, const ps_defs *defs, const char *text, ps_error *err);

/* What the location did inside. */
ps_focus_part ps_focus_part_of(const ps_trace *trace, const ps_timing *timing, ps_loc location);

/* From where the first location enters a region to where the last one leaves it, and who these are. */
typedef struct ps_focus_visit {
        ps_span span;
        ps_loc first, last;
} ps_focus_visit;

/* The spans of the wish in the measured run; of a region those of its `n` visits, in any order, which are
 * joined where they overlap. What the run does not have is PS_E_USAGE. All memory is the trace's. Its moments
 * are still to be found. */
ps_status ps_focus_make(ps_focus **out, ps_trace *trace, const ps_focus_wish *wish, ps_focus_visit *visits,
                        uint32_t n, ps_error *err);
/* Its moments, by the operations of those locations that are here; NULL: all are. */
void ps_focus_find_moments(ps_focus *focus, const ps_trace *trace,
                           bool (*is_here)(const ps_trace *trace, ps_loc loc));

/* A row of Init or Finalize, in the measured run. */
ps_edge ps_focus_edge(const ps_trace *trace, ps_ref at);

/* From the last Init to the last Finalize. */
ps_span ps_focus_program(const ps_trace *trace, const ps_timing *timing);

/* The same focus of another timing: cut at the same operations. It has no parts yet. To be freed with
 * ps_focus_free. */
ps_status ps_focus_of_timing(ps_focus **out, const ps_trace *trace, const ps_timing *timing, ps_error *err);
void ps_focus_free(ps_focus *focus);

/* The operations from which the ends of the focus follow in any timing, by location and row. To be freed. */
ps_status ps_focus_rows(ps_ref **out, uint32_t *n, const ps_trace *trace, ps_error *err);
/* How long the focus is in a timing of which no more is known than when these are. */
ps_time ps_focus_length_by(const ps_trace *trace, const ps_ref *rows, const ps_span *spans, uint32_t n,
                           ps_time duration);

/* How long MPI_Init, MPI_Finalize, and what else of the life of a library lies outside of the focus took,
 * from the first location that was in it to the last one. */
typedef struct ps_focus_outside {
        ps_region region;
        ps_time time;
} ps_focus_outside;

enum { PS_FOCUS_OUTSIDE_MOST = 2 };
unsigned ps_focus_find_outside(ps_focus_outside out[PS_FOCUS_OUTSIDE_MOST], const ps_trace *trace,
                               const ps_timing *timing);

/* What of it is told to other processes: not what the locations did inside, nor moments. */
ps_status ps_focus_pass(ps_pass *p, ps_focus *focus, uint32_t n_locs);

#endif
