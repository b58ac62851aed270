/* parts.h - what a causer did longer than who waited for it, path by path. Inline, because each wait asks. */
#ifndef PS_PATTERNS_CAUSES_PARTS_H
#define PS_PATTERNS_CAUSES_PARTS_H

#include "core/base/memory.h"
#include "core/base/vector.h"
#include "patterns/causes/own.h"

/* Of the windows of a wait, and what is charged for the location at hand. */
struct sides {
        struct sums waiter, causer;
        struct sums ordered;    /* of the causer, in the order in which it was there */
        ps_time *direct[N_ODD]; /* by what is odd, and cost of the location: what is in its row when all is
                                   charged */
        double *excess;
        struct kept {
                ps_op by, first; /* by: PS_NONE: there is none */
                ps_time begin, waited;
                uint32_t from, behind;
                bool is_cut;
                ps_time few[1 + FEW_PATHS];
        } kept; /* of few paths: the last window of a causer that several may have waited for */
};

struct costs {
        ps_delay_cost *at;
        uint32_t n, cap;
        bool is_full; /* memory was out */
};

/* In place of a number: waiting that is a region of its own is no cost; or there is none yet. */
#define IDLE    (PS_NONE - 1)
#define NO_COST PS_NONE

/* What is charged for a path. */
struct charged {
        uint32_t cost;    /* number of the location's cost; or as above */
        uint32_t in_both; /* a waiter was there, too */
};

/* Of a location, since numbers of costs have 31 bits in parts. */
#define MOST_COSTS ((uint32_t)INT32_MAX)

/* What is charged for one location. */
struct place {
        struct delaying *d;
        const struct timeline *line;
        struct sides *sides;
        struct charged *row; /* by path */
        struct costs *costs;
        uint32_t first_cost, base; /* of the location; base: what numbers of its waits are less for others */
        struct parts_of *parts;
        const uint8_t *traits; /* by kind */
        uint32_t n_parts;      /* room for them at first, which costs nothing until it is used */
        ps_loc loc;
};

/* The number of the cost of a path with this row, which is new; PS_NONE: it is none, or memory is out. */
static __attribute__((noinline)) uint32_t add_cost(const struct place *p, struct charged *row)
{
        struct costs *costs = p->costs;
        const uint32_t number = costs->n - p->first_cost;
        if (row->cost == IDLE)
                return PS_NONE;
        if (number >= MOST_COSTS || PS_ROOM(costs->at, costs->n, costs->cap)) {
                costs->is_full = true;
                return PS_NONE;
        }
        costs->at[costs->n++] = (ps_delay_cost){.location = p->loc, .path = (ps_path)(row - p->row)};
        row->cost = number;
        return number;
}

/* Of what is done for each wait. `are_few`, a constant: sums of few paths are compared. */
#define WHERE_CONSTANT __attribute__((always_inline)) static inline

/* The excess of a wait, while it is found. */
struct finding {
        struct part *next;    /* where the next part goes, behind all so far */
        struct part *largest; /* NULL: there is none */
        uint32_t n;
        ps_time all, most; /* most: of the largest part */
        bool is_tied;      /* another part is as large as the largest */
};

/* `row`: what is charged for the path. */
WHERE_CONSTANT void find_part(struct finding *f, const struct place *p, struct charged *row,
                              ps_time of_waiter, ps_time time)
{
        uint32_t cost = row->cost;
        if (cost >= IDLE && (cost = add_cost(p, row)) == PS_NONE)
                return;
        if (of_waiter > 0)
                row->in_both = 1;
        if (time > f->most) {
                f->most = time;
                f->largest = f->next;
                f->is_tied = false;
        } else if (time == f->most) {
                f->is_tied = true;
        }
        *f->next++ = (struct part){.time = time, .cost = cost & MOST_COSTS};
        f->all += time;
        f->n++;
}

/* Of parts that are equally large, and the largest, the one that the causer was in first. */
static __attribute__((noinline)) struct part *break_tie(const struct place *p, struct part *part,
                                                        const struct part *behind, struct part *largest,
                                                        const struct window *causer)
{
        struct sums *ordered = &p->sides->ordered;
        sums_clear(ordered);
        ps_own_add(ordered, p->d, p->loc, causer);
        for (struct sum_of_path **at = ordered->touched; at < ordered->behind; at++) {
                uint32_t cost = p->row[(*at)->path].cost;
                for (struct part *k = part; k < behind; k++)
                        if (k->cost == cost && k->time == largest->time)
                                return k;
        }
        return largest;
}

/* Compares both sides, and clears them for the next wait. */
WHERE_CONSTANT struct finding take_few(const struct place *p, struct part *part)
{
        ps_time *restrict waiter = p->sides->waiter.few, *restrict causer = p->sides->causer.few;
        const uint32_t n = p->d->same.n;
        struct finding f = {.next = part};
        for (uint32_t i = 0; i < n; i++) {
                ps_time of_waiter = waiter[i], of_causer = causer[i];
                waiter[i] = causer[i] = 0;
                if (of_causer > of_waiter)
                        find_part(&f, p, &p->row[i], of_waiter, of_causer - of_waiter);
        }
        return f;
}

WHERE_CONSTANT struct finding take_many(const struct place *p, struct part *part)
{
        const struct sums causer = p->sides->causer;
        struct finding f = {.next = part};
        for (struct sum_of_path **at = causer.touched; at < causer.behind; at++) {
                const struct sum_of_path *of = *at;
                if (of->time > of->other)
                        find_part(&f, p, of->charged, of->other, of->time - of->other);
        }
        sums_clear(&p->sides->causer);
        return f;
}

/* Finds what the causer did longer than the waiter, and puts the largest part first. `*behind` is where its
 * parts end. */
WHERE_CONSTANT ps_status find_excess(const struct place *p, bool are_few, struct waiting *w,
                                     const struct part **behind, const struct window *causer_window,
                                     ps_error *err)
{
        struct parts_of *parts = p->parts;
        const struct sums *causer = &p->sides->causer;
        const uint32_t first = parts->n,
                       most = are_few ? causer->same->n : (uint32_t)(causer->behind - causer->touched);
        while (parts->cap - first < most)
                if (ps_memory_grow(&parts->row, &parts->cap, p->n_parts, sizeof(*parts->row)))
                        return PS_NOMEM(err, "costs", first);
        struct part *part = parts->row + first;
        struct finding f = are_few ? take_few(p, part) : take_many(p, part);
        if (are_few && f.is_tied)
                f.largest = break_tie(p, part, f.next, f.largest, causer_window);
        w->excess = f.all;
        w->part = first;
        parts->n = first + f.n;
        *behind = f.next;
        if (f.largest > part) {
                struct part before = *part;
                *part = *f.largest;
                *f.largest = before;
        }
        if (f.n)
                f.next[-1].is_last = 1;
        return PS_OK;
}

#endif
