/* apart.h - causes where each of several processes has the rows of its own locations alone
 * (core/load/share.h).
 *
 * Each does with its locations what one process does with all. Of a wait that another process ended it tells
 * that one when, and then what the waiter did since the two had last waited for each other; and it is told
 * what explains the wait. Process 0 gets waits, parts and costs of all, and needs rows for the critical path
 * alone: until then the others keep theirs. */
#ifndef PS_PATTERNS_CAUSES_APART_H
#define PS_PATTERNS_CAUSES_APART_H

#include "core/exchange/numbers.h"
#include "core/load/share.h"
#include "patterns/causes/critical.h"

struct apart {
        ps_exchange *x;
        ps_trace here;   /* in process 0: with the rows that it has */
        uint64_t before; /* bytes that this process had sent */
        /* Waits of locations that are here come first. Behind them, and one that is none, are those that
         * others told, because they ended here: by process, up to told[process]. */
        uint32_t n_own, *told;
        uint32_t *crossing,
                *n_crossing; /* own ones that ended elsewhere: by process, up to n_crossing[process] */
        ps_pile sums;        /* of waits that were told: what the waiter did */
        size_t *sums_of;     /* by such wait: where that is */
        /* Who takes no part in an operation of which several processes have members: number, and process of
         * the program; rising. */
        uint64_t *absent;
        uint32_t n_absent;
        uint32_t **members;    /* by communicator, rising; NULL: they are so anyway */
        ps_path *path;         /* in process 0, by wait: that of its call */
        struct path_end *last; /* by span: where its critical path ends; of all, in process 0 */
};

static inline bool is_here(const struct delaying *d, ps_loc loc)
{
        return !d->apart || ps_share_is_here(d->trace, loc);
}

static inline uint32_t owner_of(const struct delaying *d, ps_loc loc)
{
        return d->trace->spread->owner[d->trace->defs.locations.row[loc].process];
}

/* Have other processes members of the operation, too? */
static inline bool is_shared(const struct delaying *d, uint32_t coll)
{
        return d->trace->spread->agreed.id[coll] != PS_NONE;
}

/* Is it a wait of another process? */
static inline bool was_told(const struct delaying *d, const struct waiting *w)
{
        return d->apart && (uint32_t)(w - d->wait) > d->apart->n_own;
}

/* -- apart.c -- */

/* By process 0, for a trace whose rows are elsewhere, too: the others begin. */
ps_status ps_apart_begin(struct delaying *d, ps_error *err);
/* What needs the operations, by all together. Then process 0 has what it goes on with. */
ps_status ps_apart_explain(struct delaying *d, ps_wait_log *log, ps_error *err);
void ps_apart_free(struct delaying *d);

/* -- apart_members.c; together -- */

/* `membership`: see opening.c; `takes_part` is the bit of those who do. */
ps_status ps_apart_tell_absent(struct delaying *d, const uint8_t *membership, uint8_t takes_part,
                               ps_status status, ps_error *err);
/* Does a location of another process take part in the operation, too? */
bool ps_apart_takes_part(const struct delaying *d, uint32_t coll, ps_loc other);

/* -- apart_waits.c; together, each after all have agreed -- */

/* Each process learns of the waits that its locations ended. */
ps_status ps_apart_deal(struct delaying *d, ps_error *err);
/* Each learns what those who waited there did since then. */
ps_status ps_apart_compare(struct delaying *d, ps_error *err);
/* Fills the begin of the causer's window and the waiter's sums. */
ps_time ps_apart_take_sums(struct sums *waiter, const struct delaying *d, const struct waiting *w);
/* And tells what explains them. Waits count from the first one of their location then. */
ps_status ps_apart_answer(struct delaying *d, ps_error *err);

/* -- apart_gather.c; together -- */

/* Process 0 gets all. */
ps_status ps_apart_gather(struct delaying *d, ps_error *err);

/* -- apart_path.c -- */

/* By process 0: of the stretches that are elsewhere whoever has the rows adds up what was done there, and
 * each what its locations did in all. */
ps_status ps_apart_trace(struct tracing *t, ps_numbers *stretches, ps_status status, ps_error *err);
void ps_apart_put_stretch(ps_numbers *to, const struct delaying *d, ps_loc loc, const struct window *w);
/* The others, when the waits are explained. */
void ps_apart_serve(const struct delaying *d);

#endif
