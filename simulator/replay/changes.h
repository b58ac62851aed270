/* changes.h - what becomes of computations in the scenarios of a run, shared by factors.c,
 * flow.c and visits.c and by nothing else. */
#ifndef PS_SIMULATOR_REPLAY_CHANGES_H
#define PS_SIMULATOR_REPLAY_CHANGES_H

#include "core/model/pieces.h"
#include "simulator/replay/parts.h"

/* A visit that is balanced: its pieces times the factor. If it computes nothing, which no factor changes,
 * something is added to its first piece (PS_NONE: it has none). */
typedef struct visit_change {
        double factor, added;
        uint32_t first;
} visit_change;

/* By computation (the one before a row, and the last): its home among those of the location, and by home the
 * factor in each lane. */
typedef struct region_share {
        uint32_t *home;
        double *factor;
} region_share;

struct ps_changes {
        uint8_t *is_inner; /* by path: ps_paths_find_inner */
        /* By path: what the location is in there is computation. */
        uint8_t *computes;
        double *factor; /* [path][lane], of edits of regions */
        /* What the trace's pieces tell; NULL: nothing is balanced. */
        visit_change **visits; /* [location][visit] */
        double *rest;          /* by location: the factor of what is in no visit */
        uint8_t balance[LANES_MAX];
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

/* Factors of edits by path, of one lane; of_edit: the edits' own. `by_region` is room for one of each. */
void ps_replay_path_factors(const run *r, const ps_changes *c, uint32_t lane, const double *of_edit,
                            double *by_region, double *factor);

/* visits.c: `visits` and `rest`. */
ps_status ps_replay_balance_visits(ps_changes *c, const ps_replay *replay, ps_error *err);

/* flow.c: `flow`. */
ps_status ps_replay_estimate_flow(ps_changes *c, const run *r, ps_error *err);

#endif
