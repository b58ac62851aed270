/* own.h - what a location does between two moments, by call path, without its waits.
 *
 * Time is cut into cells: before each operation a gap, in which the program computes, and then the operation,
 * up to its end or to the begin of the next one. A window from one moment to another adds cells up one by
 * one, or, where it is long, takes the difference of two sums that were kept on the way: it costs no more
 * than a location has call paths, however many operations lie between. */
#ifndef PS_PATTERNS_CAUSES_OWN_H
#define PS_PATTERNS_CAUSES_OWN_H

#include "patterns/causes/waits.h"

/* Times by call path, of which most are 0. */
struct sums {
        ps_time *time;  /* by path */
        uint32_t *mark; /* by path: the round in which it was touched */
        ps_path *path;  /* touched in this round */
        uint32_t n, round, n_paths;
};

ps_status ps_sums_new(struct sums *sums, const ps_trace *trace, ps_error *err);
void ps_sums_free(struct sums *sums);

static inline void sums_clear(struct sums *s)
{
        s->n = 0;
        s->round++;
}

static inline void sums_add(struct sums *s, ps_path path, ps_time time)
{
        if (s->mark[path] != s->round) {
                s->mark[path] = s->round;
                s->time[path] = 0;
                s->path[s->n++] = path;
        }
        s->time[path] += time;
}

static inline ps_time sums_at(const struct sums *s, ps_path path)
{
        return s->mark[path] == s->round ? s->time[path] : 0;
}

/* Fills d->same, and of d->line all but waits. */
ps_status ps_own_make(struct delaying *d, ps_error *err);
void ps_own_free(struct delaying *d);

/* Adds what the location does from `from` to `to`. `near`: operations that are close to these, or PS_NONE. */
void ps_own_add(struct sums *sums, const struct delaying *d, ps_loc loc, ps_time from, ps_time to,
                const ps_op near[2]);

/* The first of the location's waits that ends after `time`, of all waits. `near`: one close to it. */
uint32_t ps_wait_after(const struct delaying *d, ps_loc loc, ps_time time, uint32_t near);

#endif
