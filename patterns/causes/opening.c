/* opening.c - for each wait, where on both sides the two locations last waited for each other.
 *
 * Two locations synchronise where one of them waits for the other, and in a collective operation in which all
 * wait for all. The walk visits each location's calls once, in their order. It remembers the last wait
 * between this location and each other one, and for each communicator the last operation in which all wait
 * for all: the later of the two is the opening. */
#include "patterns/causes/apart.h"
#include "patterns/causes/passes.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/search.h"

#include <stdlib.h>

/* The last operation of a communicator in which all wait for all. They are linked, the latest first, in a
 * ring whose head is an entry for no communicator. */
struct group {
        struct opening at;      /* comes first: see meeting_at() */
        uint32_t before, after; /* PS_NONE: not in the ring */
        uint32_t member;        /* the location's */
};

struct walk {
        struct delaying *d;
        ps_loc loc;
        uint32_t none;        /* the head of the ring */
        struct opening *pair; /* by location: the last wait between it and this one */
        uint32_t *met;        /* by location: which one that was; NULL: nobody asks */
        struct group *group;  /* by communicator, and after them the head of the ring */
        struct opening begun; /* the last begin of a thread's part of a team */
        ps_op latest;         /* the latest operation of the ring, or that begin, + 1; 0: none */
        const struct waiting *end_of_waits; /* the location's */
        const uint32_t *end_of_ended;       /* of those that it ended */
        const struct timeline *rows;        /* the location's, if openings are last rows of calls; or NULL */
        ps_op longest;                      /* this and the next: see timeline */
        uint64_t long_ops;
        const uint8_t *membership;    /* by member */
        uint8_t is_noted[PS_K_COUNT]; /* by kind: see note_call */
};

/* How far it has come. It is passed on by its value, so that it stays in registers. */
struct next {
        struct waiting *wait;  /* the location's next one */
        const uint32_t *ended; /* the next one that it ended */
        uint32_t number;       /* of `wait` */
        ps_op waits, ends;     /* the calls of both; PS_NONE: there is none */
};

/* Of what is done for each wait. */
#define FOR_EACH_WAIT __attribute__((always_inline)) static inline

/* Both of the walk, or the constant NULL. */
struct asked {
        uint32_t *met;
        const struct timeline *rows;
};

/* Windows over fewer operations are added up as they are. Sums are kept where some are long, for windows that
 * are no shorter than MARKED_WINDOW. */
enum { LONG_WINDOW = 64, MARKED_WINDOW = 32 };

static const struct opening nowhere = {.op = PS_NONE};

/* In a call of which `op` is a row. With several rows the windows from there begin with the last one, which
 * has all of its time. */
FOR_EACH_WAIT struct opening opening_in(const struct timeline *rows, ps_op op, uint32_t wait)
{
        return (struct opening){rows ? ps_own_row_of_call(rows, op) : op, wait};
}

/* -- groups -- */

static int compare_member(const void *key, const void *member)
{
        ps_loc a = *(const ps_loc *)key, b = ((const ps_member *)member)->ref.loc;
        return PS_ORDER(a, b);
}

/* Mostly all locations take part. */
static const ps_member *member_of(const ps_trace *trace, const ps_coll *coll, ps_loc loc)
{
        const ps_member *first = trace->members + coll->first;
        if (loc < coll->n && first[loc].ref.loc == loc)
                return &first[loc];
        return bsearch(&loc, first, coll->n, sizeof(*first), compare_member);
}

/* Does the other location take part in it, too? */
static bool is_in_group(const struct walk *w, uint32_t member, ps_loc loc)
{
        const ps_trace *trace = w->d->trace;
        const uint32_t coll = trace->members[member].coll;
        const ps_member *m = member_of(trace, &trace->colls[coll], loc);
        if (!m)
                return w->d->apart && ps_apart_takes_part(w->d, coll, loc);
        return w->membership[m - trace->members] & TAKES_PART;
}

static void put_first(struct group *group, uint32_t none, uint32_t comm)
{
        struct group *g = &group[comm];
        if (group[none].after == comm)
                return;
        if (g->before != PS_NONE) {
                group[g->before].after = g->after;
                group[g->after].before = g->before;
        }
        g->before = none;
        g->after = group[none].after;
        group[g->after].before = comm;
        group[none].after = comm;
}

static __attribute__((noinline)) void note_group(struct walk *w, ps_op op, uint32_t wait)
{
        const ps_trace *trace = w->d->trace;
        const ps_ops *ops = &trace->ops[w->loc];
        if (!(ops->flags[op] & PS_OP_MATCHED) || ops->flags[op] & PS_OP_NONBLOCKING ||
            !(w->membership[ops->link[op]] & WAITS_FOR_ALL))
                return;
        const uint32_t member = ops->link[op];
        const ps_comm comm = trace->colls[trace->members[member].coll].comm;
        put_first(w->group, w->none, comm);
        w->group[comm].at = opening_in(w->rows, op, wait);
        w->group[comm].member = member;
        w->latest = w->group[comm].at.op + 1;
}

/* -- one location -- */

/* An opening that is nowhere, PS_NONE, is before all others. */
static inline bool is_no_earlier(const struct opening *a, const struct opening *b)
{
        return a->op != PS_NONE && a->op + 1 >= b->op + 1;
}

static bool is_same_process(const struct walk *w, ps_loc loc)
{
        const ps_location_def *row = w->d->trace->defs.locations.row;
        return row[loc].process == row[w->loc].process;
}

/* The opening is later than the last wait between the two, or it is that. */
static __attribute__((noinline)) const struct opening *look_further(const struct walk *w, ps_loc other,
                                                                    const struct opening *best)
{
        if (w->begun.op != PS_NONE && is_no_earlier(&w->begun, best) && is_same_process(w, other))
                best = &w->begun;
        for (uint32_t g = w->group[w->none].after; g != w->none && is_no_earlier(&w->group[g].at, best);
             g = w->group[g].after)
                if (is_in_group(w, w->group[g].member, other))
                        return &w->group[g].at;
        return best;
}

/* Before the call at hand. Threads of a team mostly began their parts of it later than they met. */
FOR_EACH_WAIT const struct opening *opening_with(const struct walk *w, ps_loc other)
{
        const struct opening *last = &w->pair[other];
        if (w->latest < last->op + 1)
                return last;
        if (w->latest == w->begun.op + 1 && is_same_process(w, other))
                return &w->begun;
        return look_further(w, other, last);
}

/* Of a window of at least MARKED_WINDOW operations; one without opening begins with the first operation. */
static __attribute__((noinline)) void note_length(struct walk *w, ps_op length)
{
        w->longest = length > w->longest ? length : w->longest;
        w->long_ops += length >= LONG_WINDOW ? length : 0;
}

/* What the opening was, which is one of those that the walk remembers. */
static struct meeting meeting_at(const struct walk *w, const struct opening *opening, ps_loc other)
{
        if (opening == &w->begun || opening->op == PS_NONE)
                return (struct meeting){.via = NO_WAIT};
        if (opening == &w->pair[other])
                return (struct meeting){.via = w->met[other]};
        return (struct meeting){.via = ((const struct group *)opening)->member, .is_group = 1};
}

/* `wait`: the one whose opening it is on side 0, the waiter's, or 1, the causer's. */
FOR_EACH_WAIT struct opening look_back(struct walk *w, const struct asked ask, ps_op op, ps_loc other,
                                       const struct waiting *wait, unsigned side)
{
        const struct opening *opening = opening_with(w, other);
        if (op - opening->op >= MARKED_WINDOW)
                note_length(w, op - (opening->op == PS_NONE ? 0 : opening->op));
        if (ask.met)
                w->d->meeting[wait - w->d->wait][side] = meeting_at(w, opening, other);
        return *opening;
}

FOR_EACH_WAIT void find_own(struct walk *w, const struct asked ask, struct waiting *own)
{
        if (own->is_caused)
                own->waiter = look_back(w, ask, own->op, own->by.loc, own, 0);
}

/* `wait`: the location's next one, before the call. */
FOR_EACH_WAIT void find_ended(struct walk *w, const struct asked ask, struct waiting *of, uint32_t wait)
{
        const struct opening at = look_back(w, ask, of->by.op, of->loc, of, 1);
        of->causer = at;
        of->first = at.op == PS_NONE ? w->d->line[w->loc].wait : at.wait;
        of->behind = wait;
}

FOR_EACH_WAIT void remember_wait(const struct walk *w, const struct asked ask, ps_op op, ps_loc other,
                                 uint32_t via, uint32_t wait)
{
        w->pair[other] = opening_in(ask.rows, op, wait);
        if (ask.met)
                ask.met[other] = via;
}

FOR_EACH_WAIT void remember_own(const struct walk *w, const struct asked ask, const struct waiting *own,
                                uint32_t number, uint32_t wait)
{
        if (own->is_caused)
                remember_wait(w, ask, own->op, own->by.loc, number, wait);
}

FOR_EACH_WAIT ps_op op_of_wait(const struct walk *w, const struct waiting *wait)
{
        return wait < w->end_of_waits ? wait->op : PS_NONE;
}

FOR_EACH_WAIT ps_op op_of_ended(const struct walk *w, const uint32_t *ended)
{
        return ended < w->end_of_ended ? w->d->wait[*ended].by.op : PS_NONE;
}

FOR_EACH_WAIT struct next behind_wait(const struct walk *w, struct next at)
{
        at.waits = op_of_wait(w, ++at.wait);
        at.number++;
        return at;
}

FOR_EACH_WAIT struct next behind_ended(const struct walk *w, struct next at)
{
        at.ends = op_of_ended(w, ++at.ended);
        return at;
}

/* Looks back from all, and then remembers them; what the location ended counts as before its own waits. */
static __attribute__((noinline)) struct next note_several(struct walk *w, ps_op op, struct next from)
{
        struct waiting *const all = w->d->wait;
        const struct asked ask = {w->met, w->rows};
        const uint32_t wait = from.number;
        struct next to = from;
        while (to.waits == op)
                to = behind_wait(w, to);
        while (to.ends == op)
                to = behind_ended(w, to);
        for (struct waiting *i = from.wait; i < to.wait; i++)
                find_own(w, ask, i);
        for (const uint32_t *e = from.ended; e < to.ended; e++)
                find_ended(w, ask, &all[*e], wait);
        for (const uint32_t *e = from.ended; e < to.ended; e++)
                remember_wait(w, ask, op, all[*e].loc, *e, wait);
        for (const struct waiting *i = from.wait; i < to.wait; i++)
                remember_own(w, ask, i, (uint32_t)(i - all), wait);
        return to;
}

/* The location's waits in this call, and those that it ended: mostly it is one. Returns what comes next. */
FOR_EACH_WAIT struct next note_waits_of(struct walk *w, const struct asked ask, ps_op op,
                                        const struct next at)
{
        const bool is_own = at.waits == op;
        const struct next to = is_own ? behind_wait(w, at) : behind_ended(w, at);
        if (to.waits == op || to.ends == op)
                return note_several(w, op, at);
        if (is_own) {
                struct waiting *own = at.wait;
                if (!own->is_caused)
                        return to;
                own->waiter = look_back(w, ask, op, own->by.loc, own, 0);
                remember_wait(w, ask, op, own->by.loc, at.number, at.number);
        } else {
                struct waiting *of = &w->d->wait[*at.ended];
                find_ended(w, ask, of, at.number);
                remember_wait(w, ask, op, of->loc, *at.ended, at.number);
        }
        return to;
}

/* Of one that is noted. `wait`: the location's next one before the call. */
FOR_EACH_WAIT void note_call(struct walk *w, ps_op op, uint8_t kind, uint32_t wait)
{
        if (kind == PS_K_TEAM_BEGIN) {
                w->begun = opening_in(w->rows, op, wait);
                w->latest = w->begun.op + 1;
                return;
        }
        note_group(w, op, wait);
        if (kind == PS_K_FINALIZE)
                w->d->line[w->loc].finalize = op;
}

/* What is noted comes behind messages in the table of kinds. */
#define PS_KIND(id, name, cls, traits)                                                                       \
        _Static_assert((PS_C_##cls != PS_C_COLL && PS_K_##id != PS_K_TEAM_BEGIN) || PS_K_##id >= PS_K_INIT,  \
                       "before operations of all");
#include "core/model/kinds.def"
#undef PS_KIND

/* The first operation that is noted from `op` on, or the end: there are few, and none is of a message. */
static inline ps_op next_noted(const uint8_t *is_noted, const ps_ops *ops, ps_op op)
{
        while (op < ops->n && !is_noted[ops->kind[op]])
                op = ops->kind[op] < PS_K_INIT ? ps_ops_seek(ops, op + 1, PS_K_INIT) : op + 1;
        return op;
}

/* All up to operation `noted`, which is noted itself, or the end. */
FOR_EACH_WAIT struct next note_up_to(struct walk *w, const struct asked ask, ps_op noted, struct next at)
{
        for (;;) {
                const ps_op op = at.waits < at.ends ? at.waits : at.ends;
                if (op >= noted)
                        return at;
                ps_blocks_keep();
                at = note_waits_of(w, ask, op, at);
        }
}

FOR_EACH_WAIT void walk_calls(struct walk *w, const struct asked ask, struct next at)
{
        const ps_ops *ops = &w->d->trace->ops[w->loc];
        for (ps_op noted = 0;; noted++) {
                noted = next_noted(w->is_noted, ops, noted);
                at = note_up_to(w, ask, noted, at);
                if (noted == ops->n)
                        return;
                const uint32_t wait = at.number;
                if (at.waits == noted || at.ends == noted)
                        at = note_waits_of(w, ask, noted, at);
                note_call(w, noted, ops->kind[noted], wait);
        }
}

static struct next begin_walk(struct walk *w, ps_loc loc)
{
        const struct delaying *d = w->d;
        struct next at = {.wait = d->wait + d->line[loc].wait,
                          .ended = d->ended + d->ending[loc],
                          .number = d->line[loc].wait};
        w->loc = loc;
        w->rows = d->line[loc].cut_end && !is_scalasca(d) ? &d->line[loc] : NULL;
        w->end_of_waits = at.wait + d->line[loc].n_waits;
        w->end_of_ended = d->ended + d->ending[loc + 1];
        w->longest = 0;
        w->long_ops = 0;
        w->latest = 0;
        w->begun = nowhere;
        d->line[loc].finalize = PS_NONE;
        at.waits = op_of_wait(w, at.wait);
        at.ends = op_of_ended(w, at.ended);
        return at;
}

/* Resets only what was set: in a large run a location waits for few others. */
static void forget_pairs(struct walk *w)
{
        const struct delaying *d = w->d;
        if (d->trace->n_locs <= d->line[w->loc].n_waits) {
                for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                        w->pair[loc] = nowhere;
                return;
        }
        for (const uint32_t *e = d->ended + d->ending[w->loc]; e < w->end_of_ended; e++)
                w->pair[d->wait[*e].loc] = nowhere;
        for (const struct waiting *i = d->wait + d->line[w->loc].wait; i < w->end_of_waits; i++)
                if (i->is_caused)
                        w->pair[i->by.loc] = nowhere;
}

static void end_walk(struct walk *w)
{
        const uint32_t none = w->none;
        forget_pairs(w);
        for (uint32_t c = w->group[none].after, next; c != none; c = next) {
                next = w->group[c].after;
                w->group[c].before = PS_NONE;
        }
        w->group[none].before = w->group[none].after = none;
}

static ps_status find_openings_of(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        (void)err;
        struct walk *w = (struct walk *)ctx + worker;
        const struct next first = begin_walk(w, loc);
        if (w->met)
                walk_calls(w, (struct asked){w->met, NULL}, first);
        else if (w->rows)
                walk_calls(w, (struct asked){NULL, w->rows}, first);
        else
                walk_calls(w, (struct asked){NULL, NULL}, first);
        end_walk(w);
        w->d->line[loc].longest = w->longest;
        w->d->line[loc].long_ops = w->long_ops;
        return PS_OK;
}

/* -- all -- */

static ps_status make_walk(struct walk *w, struct delaying *d, ps_error *err)
{
        uint32_t n_locs = d->trace->n_locs, none = d->trace->defs.comms.n;
        w->d = d;
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                w->is_noted[kind] = ps_kinds[kind].cls == PS_C_COLL || kind == PS_K_TEAM_BEGIN;
        w->pair = ps_memory_new((n_locs + (size_t)1) * sizeof(*w->pair));
        w->group = ps_memory_new((none + (size_t)1) * sizeof(*w->group));
        w->met = d->meeting ? ps_memory_new((n_locs + (size_t)1) * sizeof(*w->met)) : NULL;
        if (!w->pair || !w->group || (d->meeting && !w->met))
                return PS_NOMEM(err, "waits", n_locs);
        for (ps_loc loc = 0; loc < n_locs; loc++)
                w->pair[loc] = nowhere;
        for (uint32_t c = 0; c < none; c++)
                w->group[c].before = PS_NONE;
        w->none = none;
        w->group[none] = (struct group){nowhere, none, none, 0};
        return PS_OK;
}

static ps_status walk_all(struct delaying *d, const uint8_t *membership, ps_error *err)
{
        unsigned n = ps_parallel_threads(d->options.n_threads);
        struct walk *walk = calloc(n, sizeof(*walk));
        ps_status status = walk ? PS_OK : PS_NOMEM(err, "waits", n);
        for (unsigned i = 0; i < n && status == PS_OK; i++) {
                status = make_walk(&walk[i], d, err);
                walk[i].membership = membership;
        }
        PS_THEN(status, ps_parallel_for(n, d->trace->n_locs, find_openings_of, walk, err));
        for (unsigned i = 0; walk && i < n; i++) {
                free(walk[i].pair);
                free(walk[i].met);
                free(walk[i].group);
        }
        free(walk);
        return status;
}

ps_status ps_openings_find(struct delaying *d, ps_error *err)
{
        uint8_t *membership = ps_memory_new(d->trace->n_members + (size_t)1);
        if (is_scalasca(d))
                d->meeting = ps_memory_new((d->n_waits + (size_t)1) * sizeof(*d->meeting));
        ps_status status =
                membership && (d->meeting || !is_scalasca(d)) ? PS_OK : PS_NOMEM(err, "waits", d->n_waits);
        PS_THEN(status, ps_memberships_find(membership, d, err));
        if (d->apart)
                status = ps_apart_tell_members(d, membership, TAKES_PART, status, err);
        PS_THEN(status, walk_all(d, membership, err));
        free(membership);
        if (!is_scalasca(d)) { /* whose windows ask for the ends of operations */
                ps_coll_sums_free(d->colls);
                d->colls = NULL;
        }
        return status;
}
