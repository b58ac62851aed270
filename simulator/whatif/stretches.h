/* stretches.h - what is computed between calls at the same two lines, while it is found. */
#ifndef PS_SIMULATOR_WHATIF_STRETCHES_H
#define PS_SIMULATOR_WHATIF_STRETCHES_H

#include "core/base/map.h"
#include "core/base/vector.h"
#include "simulator/whatif/scenario.h"

/* What all locations compute in their n-th visits. */
struct nth_visit {
        ps_time sum;
        uint32_t n;
};

/* Which lines it is between. */
struct passed {
        uint32_t from, to; /* their numbers */
        ps_call_line line[2];
        ps_region region; /* of the function that it is in */
        ps_ref first;     /* the call behind the first of all visits */
        bool is_shared;   /* other functions are between the same lines, too: edits would mean them as well */
};

struct stretch {
        struct passed at;
        PS_VECTOR(struct nth_visit) visit;
};

/* What a location computes in a stretch. */
struct share {
        ps_time time, held; /* held: while it has a lock */
        uint32_t visits;
        double excess; /* over the mean of the others, visit for visit */
};

struct ps_stretches {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_span focus;
        uint32_t *line_of_path; /* by call: the number of its line; PS_NONE: the trace does not tell */
        uint32_t n_lines;       /* none: then there are no stretches, and no rows are looked at */
        PS_VECTOR(struct stretch) row;
        PS_VECTOR(struct share) share; /* [stretch][location] */
        ps_map first; /* by numbers of lines: the first stretch; -1: there are too many, or it is none */
        bool is_open; /* there may be more stretches */
};

static inline struct share *share_of_location(const ps_stretches *s, uint32_t row, ps_loc loc)
{
        return &s->share.row[(size_t)row * s->trace->n_locs + loc];
}

ps_status ps_stretches_number_lines(ps_stretches *s, ps_error *err);
/* One more; where there is room for it. */
ps_status ps_stretches_open(ps_stretches *s, const struct passed *at, ps_error *err);
bool ps_stretches_have_room(const ps_stretches *s);
/* What the location computes in all of them, and, if they are open, in those that it is the first to visit.
 */
ps_status ps_stretches_add(ps_stretches *s, ps_loc loc, ps_error *err);
/* Once all have added: how much longer that is than what the others do. */
void ps_stretches_compare(ps_stretches *s, ps_loc loc);
/* There are none. */
void ps_stretches_clear(ps_stretches *s);

/* stretches_apart.c; by process 0: all who have rows do so with them. */
ps_status ps_stretches_ask(ps_stretches *s, ps_error *err);

#endif
