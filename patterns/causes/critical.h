/* critical.h - the steps to the critical path: where it ends, which needs what each location did last; the
 * walk from there, over waits alone; and what the locations do while the path is on them, by call path. */
#ifndef PS_PATTERNS_CAUSES_CRITICAL_H
#define PS_PATTERNS_CAUSES_CRITICAL_H

#include "patterns/causes/own.h"

struct tracing {
        const struct delaying *d;
        ps_critical *out;
        struct sums all;  /* by path: what all locations do in the focus, without waits */
        struct sums path; /* what the location at hand does while the path is on it */
        uint32_t *row;    /* by path: of out->row, + 1 */
        uint32_t cap;
        struct stretch {
                struct window window;
                uint32_t before; /* the one of the same location that was noted before, + 1 */
        } * stretch;             /* while the path is on a location */
        uint32_t n_stretches, cap_stretches;
        uint32_t room;    /* for stretches and steps at first, which costs nothing until it is used */
        uint32_t *latest; /* by location: the stretch that was noted last, + 1 */
};

/* -- critical.c -- */

ps_status ps_critical_find(ps_critical **out, const struct delaying *d, ps_error *err);
/* Once all is added up: the longest row comes first. */
ps_status ps_critical_order_rows(struct tracing *t, ps_error *err);

/* -- critical_ends.c -- */

/* The location that does something of its own until later than the others; PS_NONE: none does anything. It
 * may end before the span does, which then is another's, that runs for longer. */
struct path_end {
        ps_loc loc, rest;
        uint32_t behind; /* its waits before this one, from the location's first one, end before the path does
                          */
        ps_time time;
        ps_time until, rest_until; /* when they end in the span */
};

/* Of locations whose rows are here. */
struct path_end ps_critical_end(const struct delaying *d, ps_span span);
/* The later one of each, of several the one whose location comes first. */
void ps_critical_join_ends(struct path_end *to, const struct path_end *other);
/* From when on the path of the span can be on the location. */
ps_time ps_critical_begin(const struct delaying *d, ps_loc loc, ps_span span);
bool ps_critical_is_running(const struct delaying *d, ps_loc loc);

/* A thread begins its part of a team, which `by` has called; `behind`: of the waits of `by` so many end
 * before, from its first one. */
struct fork {
        ps_time at;
        ps_loc loc, by;
        uint32_t behind, none;
};

struct forks {
        struct fork *row; /* by location, and as they were */
        uint32_t n, cap;
        uint32_t *first; /* by location, and behind them */
        uint8_t *seen;   /* the path went through it */
};

/* In process 0, which others help where they have rows, those of all; to be forgotten whatever comes of it.
 */
ps_status ps_critical_find_forks(struct forks *out, const struct delaying *d, ps_error *err);
void ps_critical_forget_forks(struct forks *forks);
/* The location's last one up to `time`, unless it is not later than `after`, or was seen before: NULL. */
const struct fork *ps_critical_fork_before(struct forks *forks, ps_loc loc, ps_time time, ps_time after);

/* -- critical_stretches.c -- */

ps_status ps_critical_begin_rows(struct tracing *t, ps_error *err);
void ps_critical_end_rows(struct tracing *t);
/* The path is that long on the location in this call path. */
ps_status ps_critical_add_time(struct tracing *t, ps_path path, ps_loc loc, ps_time time, ps_error *err);
/* For stretches. */
ps_status ps_critical_make_room(struct tracing *t, ps_error *err);

/* The path is on the location for that long. */
static inline ps_status ps_critical_note_stretch(struct tracing *t, ps_loc loc, const struct window *w,
                                                 ps_error *err)
{
        if (t->n_stretches == t->cap_stretches)
                PS_TRY(ps_critical_make_room(t, err));
        t->stretch[t->n_stretches++] = (struct stretch){*w, t->latest[loc]};
        t->latest[loc] = t->n_stretches;
        return PS_OK;
}

/* What the locations whose rows are here do in these stretches, and in all. */
ps_status ps_critical_add_all(struct tracing *t, ps_error *err);

#endif
