/* changes.h - what becomes of computations in the scenarios of a run, for factors.c, flow.c and visits.c. */
#ifndef PS_SIMULATOR_REPLAY_CHANGES_H
#define PS_SIMULATOR_REPLAY_CHANGES_H

#include "core/model/pieces.h"
#include "simulator/replay/parts.h"

/* What a location computes in a visit, and what becomes of all of it; -1: nothing else. Once all are
 * compared, `goal` is what each part of it is multiplied by; or, of a visit in which nothing is computed,
 * what is added to what is computed first (PS_NONE: that is nothing). */
typedef struct work_visit {
        uint32_t piece, first; /* where it begins; what is computed first */
        ps_time own;
        double goal;
} work_visit;

typedef struct work_visits {
        work_visit *row;
        uint32_t n, cap;
        const work_visit *near; /* the one that was asked for last */
} work_visits;

/* The edits of a scenario that compare visits, and what became of them. */
typedef struct work_levels {
        const ps_work_edit *edits;
        uint32_t n;
        work_visits *visits; /* [edit][location] */
        work_visits **owner; /* by path: those of the first location that it is in, or NULL: the innermost */
        uint8_t has_stretches;
} work_levels;

/* By computation (the one before a row, and the last): its home among those of the location, and by home the
 * factor in each lane. */
typedef struct region_share {
        uint32_t *home;
        double *factor;
} region_share;

/* What changes in a call path. Lanes: a bit for each. */
typedef struct path_change {
        bool computes;        /* what the location is in there is computation */
        uint16_t touched;     /* in these lanes something changes */
        uint16_t scaled;      /* of those: by factors */
        uint16_t scaled_here; /* of those: by some that do not hold everywhere */
        uint16_t compared;    /* of those touched: visits may begin there, or it is in one */
} path_change;

_Static_assert(LANES_MAX <= 16, "lanes are bits");

struct ps_changes {
        uint8_t *is_inner; /* by path: ps_paths_find_inner */
        path_change *path;
        double *factor;                           /* [path][lane]: what holds for all locations */
        const ps_work_edit *only_here[LANES_MAX]; /* by lane: one alone scales paths that are scaled here */
        /* By lane; lanes of the same edits share them. NULL: no visits are compared. */
        work_levels *levels[LANES_MAX];
        /* What is estimated where the trace has no pieces: by location. */
        region_share *flow;
};

static inline const ps_scenario *lane_of(const run *r, uint32_t lane)
{
        return r->lane[lane < r->n_lanes ? lane : 0];
}

/* Does the replay look at the computation before the row? A loop that asks has none; where a thread begins
 * follows from its fork. */
static inline bool is_replayed(const ps_replay *replay, ps_loc loc, ps_op row)
{
        const step *steps = replay->steps[loc];
        return (row == replay->trace->ops[loc].n || steps[row].code != STEP_TEAM) &&
               !(row && steps[row - 1].code == STEP_SPIN);
}

static inline bool is_about(const ps_work_edit *e, const ps_trace *trace, ps_loc loc)
{
        return !e->processes || e->processes[trace->defs.locations.row[loc].process];
}

/* Is the gap one of those that the edit is about? */
static inline bool is_between(const ps_work_edit *e, const ps_trace *trace, ps_loc loc, ps_op gap)
{
        const ps_ops *ops = &trace->ops[loc];
        return gap && gap < ops->n && e->paths[ps_gap_from(ops, gap)] & PS_WORK_FROM &&
               e->paths[ps_gap_to(trace, ops, gap)] & PS_WORK_TO;
}

/* visits.c: of a scenario's edits, where the trace has pieces. NULL: no visits are compared. All lanes are
 * filled together, once it is known what they touch. */
ps_status ps_replay_levels_new(work_levels **out, const ps_trace *trace, const ps_scenario *s, ps_error *err);
ps_status ps_replay_levels_fill(const ps_changes *c, const ps_replay *replay, ps_error *err);
void ps_replay_levels_free(work_levels *levels, uint32_t n_locs);
/* May visits begin in the path, or pieces of it be in one? */
bool ps_replay_levels_touch(const work_levels *levels, ps_path path);

static inline work_visits *visits_of(const work_levels *l, const ps_trace *trace, uint32_t edit, ps_loc loc)
{
        return &l->visits[(size_t)edit * trace->n_locs + loc];
}

/* The stretch whose visits what is computed before the row is in, or PS_NONE. */
uint32_t ps_replay_stretch_of(const work_levels *l, const ps_trace *trace, ps_loc loc, ps_op gap);

/* The visit that the piece is in. Who asks goes from piece to piece, so that it mostly is the last one, or
 * the next. */
const work_visit *ps_replay_find_visit(work_visits *v, uint32_t piece);
static inline const work_visit *visit_at(work_visits *v, uint32_t piece)
{
        const work_visit *near = v->near, *last = v->row + v->n - 1;
        if (near < last && near[1].piece <= piece)
                v->near = ++near;
        return near->piece <= piece && (near == last || piece < near[1].piece)
                       ? near
                       : ps_replay_find_visit(v, piece);
}

/* How long the i-th piece becomes, which takes so long. */
static inline double level_of(const work_levels *l, const ps_trace *trace, ps_loc loc, ps_op gap, uint32_t i,
                              ps_path path, double time)
{
        uint32_t stretch = l->has_stretches ? ps_replay_stretch_of(l, trace, loc, gap) : PS_NONE;
        work_visits *v = l->owner[path] ? l->owner[path] + loc : NULL;
        if (stretch != PS_NONE)
                v = visits_of(l, trace, stretch, loc);
        if (!v || !v->n)
                return time;
        const work_visit *visit = visit_at(v, i);
        return visit->own > 0 ? time * visit->goal : time + (visit->first == i ? visit->goal : 0);
}

/* Times that are compared: those of a visit, in all locations. */
typedef struct compared_times {
        const ps_time *sorted;
        uint32_t n;
        double mean;
} compared_times;

compared_times ps_replay_compare_times(ps_time *times, uint32_t n); /* sorts them */
/* What the edit makes of one of them. */
double ps_replay_goal(const ps_work_edit *edit, const compared_times *all, ps_time own);

/* flow.c: `flow`. */
ps_status ps_replay_estimate_flow(ps_changes *c, const run *r, ps_error *err);
/* By how much computing in each path becomes longer, by the same estimate: see ps_replay_path_times. */
ps_status ps_replay_flow_times(ps_path_times *out, const run *r, const ps_changes *c, ps_error *err);

/* factors.c: what holds at all locations, of machines and of edits; [path][lane]. */
void ps_replay_path_factors(const run *r, const ps_changes *c, uint32_t lane, double *by_region,
                            double *factor);

#endif
