/* threads.h - whom threads waited for: who forked their team, who joined it, and who held a lock that they
 * wanted. Found for all threads of a process at once, before the walk: they have one clock. */
#ifndef PS_PATTERNS_RELEASES_THREADS_H
#define PS_PATTERNS_RELEASES_THREADS_H

#include "core/base/lookup.h"
#include "core/model/trace.h"

/* A record that others wait for. */
typedef struct ps_giver {
        ps_time time;
        ps_ref ref;
} ps_giver;

/* Those of one process, or of one lock, behind those of another, each in order of time and place. */
typedef struct ps_givers {
        ps_giver *row;
        uint32_t *group; /* by row, until they are sorted: the process, or the lock */
        uint32_t n, cap, cap_group;
        uint32_t *first; /* by process or lock, and behind the last; NULL: there are none */
} ps_givers;

/* Ids of locks are their process's own. */
typedef struct ps_thread_lock {
        ps_proc process;
        uint32_t id;
} ps_thread_lock;

typedef struct ps_threads {
        ps_givers forks, joins, unlocks;
        ps_thread_lock *lock;
        uint32_t n_locks, cap_locks;
        ps_lookup by_id;
} ps_threads;

/* Whatever comes of it, the caller clears it. `to`: {0} at first; all locations in their order, then the end.
 */
ps_status ps_threads_add(ps_threads *to, const ps_trace *trace, const ps_timing *timing, ps_loc loc,
                         ps_error *err);
ps_status ps_threads_sort(ps_threads *threads, uint32_t n_processes, ps_error *err);
void ps_threads_clear(ps_threads *threads);

/* Those of one group, looked for one after the other: mostly it is the same one again, or the next. */
typedef struct ps_giving {
        const ps_giver *row;
        uint32_t first, end;
        uint32_t at;          /* behind what was found last */
        ps_time since, until; /* of that, and of what comes behind it */
} ps_giving;

static inline void ps_giving_know(ps_giving *g)
{
        g->since = g->at > g->first ? g->row[g->at - 1].time : INT64_MIN;
        g->until = g->at < g->end ? g->row[g->at].time : PS_TIME_MAX;
}

/* `near`: what was found last by somebody else, or anything. */
static inline ps_giving ps_givers_of(const ps_givers *g, uint32_t group, uint32_t near)
{
        ps_giving to = {.row = g->row};
        if (g->first) {
                to.first = g->first[group];
                to.end = g->first[group + 1];
                to.at = near >= to.first && near <= to.end ? near : to.first;
        }
        ps_giving_know(&to);
        return to;
}

/* Moves to behind the last one up to `time`. */
static inline void ps_giving_go(ps_giving *g, ps_time time)
{
        if (time >= g->until && g->at < g->end) {
                g->at++;
                g->since = g->until;
                g->until = g->at < g->end ? g->row[g->at].time : PS_TIME_MAX;
        }
        if (time >= g->since && (time < g->until || g->at == g->end))
                return;
        const ps_giver *row = g->row;
        uint32_t low = g->first, end = g->end, near = g->at;
        PS_SEARCH_NEAR(low, end, near, i, row[i].time <= time);
        PS_SEARCH(low, end, i, row[i].time <= time);
        g->at = low;
        ps_giving_know(g);
}

/* The last one up to then; NULL: none. */
static inline const ps_giver *ps_giving_last(ps_giving *g, ps_time until)
{
        ps_giving_go(g, until);
        return g->at > g->first ? &g->row[g->at - 1] : NULL;
}

/* The first one from then on, of several at the same time the last; NULL: none. */
static inline const ps_giver *ps_giving_first(ps_giving *g, ps_time from)
{
        ps_giving_go(g, ps_time_sub(from, 1));
        if (g->at == g->end)
                return NULL;
        const ps_giver *first = g->row + g->at, *end = g->row + g->end;
        while (first + 1 < end && first[1].time == g->until)
                first++;
        return first;
}

/* Where a lock was looked for last: most are wanted again and again. {0}: nowhere. */
typedef struct ps_lock_near {
        uint32_t process, id; /* the process and one */
        uint32_t lock, at;
} ps_lock_near;

/* threads.c: the lock of this id, or PS_NONE: nobody gives it back. */
uint32_t ps_threads_find_lock(const ps_threads *threads, ps_proc process, uint32_t id);

/* Who got the lock in a call of location `own` got it from the last other one that gave it back until the
 * call was over; NULL: nobody had it while the call went on. */
static inline const ps_giver *ps_threads_holder(const ps_threads *t, ps_proc process, uint32_t id, ps_loc own,
                                                ps_span call, ps_lock_near *near)
{
        if (near->process != process + 1 || near->id != id)
                *near = (ps_lock_near){process + 1, id, ps_threads_find_lock(t, process, id), 0};
        if (near->lock == PS_NONE)
                return NULL;
        ps_giving g = ps_givers_of(&t->unlocks, near->lock, near->at);
        ps_giving_go(&g, call.end);
        near->at = g.at;
        while (g.at-- > g.first && g.row[g.at].time > call.begin)
                if (g.row[g.at].ref.loc != own)
                        return &g.row[g.at];
        return NULL;
}

#endif
