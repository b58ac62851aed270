/* turns.c - what waits pass on, each in its turn.
 *
 * What a wait passes on depends on waits that came later: the next one of its own location, and its heirs. So
 * it has its turn after these. That order follows from the windows alone, and no clock is asked: a wait is
 * free once the one after it had its turn, and so had all heirs whose last inherited wait it is. Each wait is
 * visited once. Where clocks are so wrong that no wait is free, the first location that has waits left goes
 * on.
 *
 * So a location's waits are visited from the last to the first. A wait that passes something on to a range of
 * them adds a rate where the range begins, with its last wait, and takes it away where it ends: how much is
 * passed on for each picosecond of waiting. Rates are binary fractions. What their division leaves over is
 * passed on at the end; what a wait gets is rounded down, and the rest is left for the wait before it. So
 * each range gets exactly what was to be passed on. */
#include "patterns/causes/apart.h"
#include "patterns/causes/passes.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/vector.h"
#include "patterns/causes/costs.h"
#include "patterns/causes/forward.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FRACTION = 32 };

/* What a wait passes on of one family. */
struct gift {
        ps_wide_time rate; /* for each picosecond of the waits that are inherited from: of several ones */
        ps_time sum;
        ps_time before; /* what the location had waited on the way back when the range began */
        uint32_t next; /* gift whose range begins, or then ends, with the same wait, or that was spent, + 1 */
        uint32_t first; /* the wait with which the range ends */
        ps_delay_family family;
};

struct passing {
        struct delaying *d;
        /* -- whose turn it is -- */
        uint32_t *pending; /* by wait: of how many heirs that have had no turn it is the last inherited one */
        struct lane {
                uint32_t left, first; /* its waits first .. left - 1 have had no turn */
                bool counts;          /* see timeline */
        } * lane;                     /* by location */
        ps_loc *ready;
        uint32_t n_ready, n;
        ps_loc stuck; /* the locations before it have no waits left */
        /* -- what is passed on -- */
        struct gift *gift;
        uint32_t n_gifts, cap_gifts;
        uint32_t spent; /* a gift whose room may be used again, + 1 */
        bool is_full;   /* memory was out */
        union turn {
                struct {
                        uint32_t begin, end; /* the first gift whose range begins with it, or ends, + 1 */
                };
                ps_time charged; /* when it had its turn: see ps_apart_charge() */
        } * turn;                /* by wait */
        /* By location and family: what the next wait on the way back gets. */
        struct purses {
                ps_time waited;  /* on the way back so far */
                uint32_t in_use; /* a bit for each family of which there is something */
                struct purse {
                        ps_wide_time rate, has;
                } of[PS_N_DELAYS];
        } * purses;
};

/* -- gifts -- */

static ps_wide_time wide(ps_time time)
{
        return (uint64_t)time;
}

/* What is passed on for each picosecond of the waits that are inherited from. */
static inline ps_wide_time rate_of(ps_time sum, ps_time waited)
{
        uint64_t whole = (uint64_t)sum, of = (uint64_t)waited;
        return whole >> (64 - FRACTION) ? (wide(sum) << FRACTION) / of : (whole << FRACTION) / of;
}

static inline struct gift *gift_at(const struct passing *p, uint32_t g)
{
        assert(p->gift && g <= p->n_gifts);
        return &p->gift[g - 1];
}

/* Its room may be used again. */
static inline void spend(struct passing *p, struct gift *gift, uint32_t g)
{
        gift->next = p->spent;
        p->spent = g;
}

/* Ranges begin: wait number `i` is the last one that is inherited from, and comes next. If it is the only one
 * it gets all. */
static inline void begin_ranges(struct passing *p, struct purses *purses, uint32_t i)
{
        for (uint32_t g = p->turn[i].begin, next; g; g = next) {
                struct gift *gift = gift_at(p, g);
                struct purse *purse = &purses->of[gift->family];
                purses->in_use |= 1U << gift->family;
                next = gift->next;
                if (gift->first == i) {
                        purse->has += wide(gift->sum) << FRACTION;
                        spend(p, gift, g);
                        continue;
                }
                purse->rate += gift->rate;
                gift->before = purses->waited;
                gift->next = p->turn[gift->first].end;
                p->turn[gift->first].end = g;
        }
}

/* They end: the first wait that is inherited from has got its share. */
static inline void end_ranges(struct passing *p, struct purses *purses, uint32_t i)
{
        for (uint32_t g = p->turn[i].end, next; g; g = next) {
                struct gift *gift = gift_at(p, g);
                struct purse *purse = &purses->of[gift->family];
                purse->rate -= gift->rate;
                purse->has +=
                        (wide(gift->sum) << FRACTION) - gift->rate * wide(purses->waited - gift->before);
                purses->in_use |= 1U << gift->family;
                next = gift->next;
                spend(p, gift, g);
        }
}

/* The whole picoseconds of a family. */
static inline ps_time take_whole(struct purses *purses, unsigned family)
{
        struct purse *purse = &purses->of[family];
        ps_time whole = (ps_time)(purse->has >> FRACTION);
        purse->has &= (UINT64_C(1) << FRACTION) - 1;
        if (!purse->has && !purse->rate)
                purses->in_use &= ~(1U << family);
        return whole;
}

__attribute__((always_inline)) static inline void add_gift(struct passing *p, const struct apart *a,
                                                           const struct waiting *w, ps_delay_family family,
                                                           ps_time sum)
{
        const uint32_t base = base_of_all(a, w->by.loc);
        uint32_t g = p->spent, *begin = &p->turn[base + w->behind - 1].begin;
        if (g)
                p->spent = gift_at(p, g)->next;
        else if (PS_ROOM(p->gift, p->n_gifts, p->cap_gifts))
                p->is_full = true;
        else
                g = ++p->n_gifts;
        if (!g)
                return;
        struct gift *gift = gift_at(p, g);
        gift->sum = sum;
        gift->next = *begin;
        gift->first = base + w->first;
        gift->family = family;
        if (w->behind - w->first > 1)
                gift->rate = rate_of(sum, w->waited);
        *begin = g;
}

/* Where it inherits from one wait alone, which comes next in its location, that has it at once. */
__attribute__((always_inline)) static inline void
give(struct passing *p, const struct apart *a, const struct waiting *w, ps_delay_family family, ps_time sum)
{
        struct purses *to = &p->purses[w->by.loc];
        if (w->behind - w->first > 1 || p->lane[w->by.loc].left != base_of_all(a, w->by.loc) + w->behind) {
                add_gift(p, a, w, family, sum);
                return;
        }
        to->in_use |= 1U << family;
        to->of[family].has += wide(sum) << FRACTION;
}

/* -- a wait's turn -- */

/* Does the causer's excess, or its waiting, explain something of it? */
static inline bool explains(const struct waiting *w)
{
        return w->excess + w->waited > 0;
}

/* Passes on what heirs passed to a wait in a family, and what it inherits itself, `own`. Returns
 * what the excess of its causer is charged with. */
__attribute__((always_inline)) static inline ps_time pass_on_family(struct passing *p, const struct apart *a,
                                                                    const struct waiting *w,
                                                                    ps_delay_family family, ps_time received,
                                                                    ps_time own)
{
        const struct delaying *d = p->d;
        ps_time direct = 0, indirect = received + own;
        bool is_explained = explains(w);
        if (!indirect)
                return 0;
        if (received && is_explained) {
                direct = part_of(received, w->excess, w->waited);
                *sum_at(d->out, family, PS_DELAYED_LONG, w->by.loc) += direct;
                indirect -= direct;
        }
        if (indirect && is_explained && inherits(w))
                give(p, a, w, family, indirect);
        else
                *sum_at(d->out, family, PS_DELAYED_UNEXPLAINED, w->loc) += indirect;
        return direct;
}

/* Returns what the excess of its causer is charged with. */
__attribute__((always_inline)) static inline ps_time pass_on(struct passing *p, const struct apart *a,
                                                             uint32_t i, const struct waiting *w, ps_time own)
{
        struct purses *purses = &p->purses[w->loc];
        const ps_time length = length_of(w);
        begin_ranges(p, purses, i);
        for (uint32_t left = purses->in_use; left; left &= left - 1) {
                struct purse *purse = &purses->of[__builtin_ctz(left)];
                if (purse->rate)
                        purse->has += purse->rate * wide(length);
        }
        purses->waited += length;
        end_ranges(p, purses, i);
        ps_time charged = 0;
        for (uint32_t left = purses->in_use | (own ? 1U << w->family : 0); left; left &= left - 1) {
                unsigned family = (unsigned)__builtin_ctz(left);
                charged += pass_on_family(p, a, w, (ps_delay_family)family, take_whole(purses, family),
                                          family == w->family ? own : 0);
        }
        return charged;
}

/* An heir has its turn: the last wait that it inherits from may be free then. If that had its turn before, it
 * inherits nothing. */
__attribute__((always_inline)) static inline void free_last(struct passing *p, const struct apart *a,
                                                            struct waiting *w)
{
        const uint32_t last = base_of_all(a, w->by.loc) + w->behind - 1;
        const uint32_t left = p->lane[w->by.loc].left;
        p->pending[last]--;
        if (left <= last)
                w->first = w->behind;
        else if (left == last + 1 && !p->pending[last])
                p->ready[p->n_ready++] = w->by.loc;
}

__attribute__((always_inline)) static inline void take_turn(struct passing *p, const struct apart *a,
                                                            ps_loc loc, struct lane *lane)
{
        const uint32_t i = --lane->left;
        struct waiting *w = wait_of_all(p->d, a, loc, i);
        const bool inherited = inherits(w);
        ps_time own = 0, charged = 0; /* own: what it inherits itself */
        ps_blocks_keep();
        p->d->order[p->n++] = i;
        if (inherited) {
                free_last(p, a, w);
                if (inherits(w))
                        count_asks_of(p->d->asks, w, p->lane[w->by.loc].first, base_of_all(a, w->by.loc));
                own = inherits(w) && lane->counts ? ps_split_of(p->d, w).indirect : 0;
        }
        if (own || p->purses[loc].in_use || p->turn[i].begin || p->turn[i].end)
                charged = pass_on(p, a, i, w, own);
        if (a)
                p->turn[i].charged = inherited && !inherits(w) ? -1 - charged : charged;
        else if (charged)
                ps_costs_add_inherited(p->d, w, charged);
}

/* -- all turns -- */

static inline bool has_left(const struct lane *lane)
{
        return lane->left > lane->first;
}

__attribute__((always_inline)) static inline void take_free_turns(struct passing *p, const struct apart *a,
                                                                  ps_loc loc)
{
        struct lane *lane = &p->lane[loc];
        while (has_left(lane) && !p->pending[lane->left - 1])
                take_turn(p, a, loc, lane);
}

__attribute__((always_inline)) static inline void take_turns(struct passing *p, const struct apart *a)
{
        for (ps_loc loc = 0; loc < p->d->trace->n_locs; loc++) {
                take_free_turns(p, a, loc);
                while (p->n_ready)
                        take_free_turns(p, a, p->ready[--p->n_ready]);
        }
        while (p->n < count_of_all(p->d)) {
                while (!has_left(&p->lane[p->stuck]))
                        p->stuck++;
                take_turn(p, a, p->stuck, &p->lane[p->stuck]);
                p->ready[p->n_ready++] = p->stuck;
                while (p->n_ready)
                        take_free_turns(p, a, p->ready[--p->n_ready]);
        }
}

static ps_status prepare(struct passing *p, ps_error *err)
{
        struct delaying *d = p->d;
        const size_t n = count_of_all(d) + (size_t)1, n_locs = d->trace->n_locs + (size_t)1;
        d->order = ps_memory_again(n * sizeof(*d->order));
        p->pending = d->apart ? ps_memory_again(n * sizeof(*p->pending)) : d->heirs;
        d->heirs = d->apart ? d->heirs : NULL;
        d->asks = ps_memory_zeroed(n, sizeof(*d->asks));
        p->turn = ps_memory_again(n * sizeof(*p->turn));
        p->ready = ps_memory_new((n + n_locs) * sizeof(*p->ready));
        p->lane = ps_memory_new(n_locs * sizeof(*p->lane));
        p->purses = ps_memory_new(n_locs * sizeof(*p->purses));
        if (!d->order || !d->asks || !p->pending || !p->turn || !p->ready || !p->lane || !p->purses)
                return PS_NOMEM(err, "waits", n);
        memset(p->turn, 0, n * sizeof(*p->turn));
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                p->lane[loc] = (struct lane){behind_of_all(d, d->apart, loc), first_of_all(d, d->apart, loc),
                                             d->line[loc].counts};
                memset(&p->purses[loc], 0, sizeof(*p->purses));
        }
        return PS_OK;
}

ps_status ps_turns_take(struct delaying *d, ps_error *err)
{
        struct passing p = {.d = d};
        ps_status status = prepare(&p, err);
        if (d->apart)
                status = ps_apart_count_heirs(d, p.pending, status, err);
        const bool is_begun = status == PS_OK;
        if (is_begun && d->apart)
                take_turns(&p, d->apart);
        else if (is_begun)
                take_turns(&p, NULL);
        ps_memory_pass_on(p.pending);
        free(p.ready);
        free(p.lane);
        ps_memory_pass_on_touched(p.gift, p.n_gifts * sizeof(*p.gift));
        free(p.purses);
        PS_THEN(status, p.is_full ? PS_NOMEM(err, "waits", d->n_waits) : PS_OK);
        if (d->apart && is_begun)
                status = ps_apart_charge(d, &p.turn->charged, status, err);
        ps_memory_pass_on(p.turn);
        return status;
}
