/* sums.h - times by call path, added up one window after the other. */
#ifndef PS_PATTERNS_CAUSES_SUMS_H
#define PS_PATTERNS_CAUSES_SUMS_H

#include "core/model/trace.h"

#include <string.h>

/* Paths of the same names are one, wherever their calls stand. */
struct same_paths {
        ps_path *first; /* by path: the first one of the same names; index -1 is PS_NONE, its first one 0 */
        ps_path *other; /* those that are not the first, and PS_NONE */
        uint32_t n_others, n;
};

/* So few call paths are all looked at; of more, only those that were touched. */
enum { FEW_PATHS = 32 };

struct sums {
        const struct same_paths *same;
        ps_time *few; /* by path, PS_NONE as -1; NULL: there are many */
        struct sum_of_path {
                ps_time time, other;        /* other: of the other side of a wait */
                uint32_t mark;              /* the round in which it was touched */
                ps_path path;               /* whose it is */
                struct charged *charged;    /* of the causers of waits: see parts.h */
        } * all, **of, **touched, **behind; /* of many: all, by path; that of the first path of the same
                                               names, by path, PS_NONE as -1; and those touched in this round,
                                               as it happened, up to `behind` */
        uint32_t round;
};

/* `in_order`: the paths are listed in the order in which something was first added to them. */
ps_status ps_sums_new(struct sums *sums, const struct same_paths *same, bool in_order, ps_error *err);
void ps_sums_free(struct sums *sums);

static inline void sums_clear(struct sums *s)
{
        if (s->few)
                memset(s->few, 0, s->same->n * sizeof(*s->few));
        else
                s->behind = s->touched;
        s->round++;
}

/* Adds to one path of many. Loops pass on a copy, which stays in registers: what is written to sums might be
 * the sums' own fields otherwise. */
static inline struct sums sums_with(struct sums s, ps_path path, ps_time time)
{
        struct sum_of_path *sum = s.of[(int32_t)path];
        if (sum->mark == s.round) {
                sum->time += time;
                return s;
        }
        sum->time = time;
        sum->other = 0;
        sum->mark = s.round;
        *s.behind++ = sum;
        return s;
}

/* The other side of a wait is in it, too: that counts only where this side is. */
static inline void sums_add_other(struct sums s, ps_path path, ps_time time)
{
        struct sum_of_path *sum = s.of[(int32_t)path];
        if (sum->mark == s.round)
                sum->other += time;
}

static inline void sums_add(struct sums *s, ps_path path, ps_time time)
{
        if (s->few)
                s->few[(int32_t)path] += time;
        else
                s->behind = sums_with(*s, path, time).behind;
}

/* When all is added: adds up what has the same names. other[0] is PS_NONE, which counts as path 0. */
static inline void sums_join(struct sums *s)
{
        const struct same_paths *same = s->same;
        ps_time *few = s->few;
        if (few && few[-1]) {
                few[0] += few[-1];
                few[-1] = 0;
        }
        for (uint32_t i = 1; few && i < same->n_others; i++) {
                ps_path other = same->other[i];
                few[same->first[other]] += few[other];
                few[other] = 0;
        }
}

/* Of both sides of a wait: mostly there is nothing. */
static inline void sums_join_both(struct sums *a, struct sums *b)
{
        if (a->few && b->few && (a->few[-1] || b->few[-1] || a->same->n_others > 1)) {
                sums_join(a);
                sums_join(b);
        }
}

/* Of many paths: the causer's sums have those of the waiter, too, where both were. */
static inline void sums_put_together(struct sums *waiter, const struct sums *causer)
{
        for (struct sum_of_path **at = waiter->touched; at < waiter->behind; at++)
                sums_add_other(*causer, (*at)->path, (*at)->time);
        if (!waiter->few)
                sums_clear(waiter);
}

static inline ps_time sums_at(const struct sums *s, ps_path path)
{
        if (s->few)
                return s->few[path];
        return s->all[path].mark == s->round ? s->all[path].time : 0;
}

/* How many sums may differ from 0, and of which paths. */
static inline uint32_t sums_n(const struct sums *s)
{
        return s->few ? s->same->n : (uint32_t)(s->behind - s->touched);
}

static inline ps_path sums_path(const struct sums *s, uint32_t i)
{
        return s->few ? i : s->touched[i]->path;
}

#endif
