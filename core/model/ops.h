/* ops.h - the operations of a location: a table with a row for each, and what may be asked about one. */
#ifndef PS_CORE_MODEL_OPS_H
#define PS_CORE_MODEL_OPS_H

#include "core/base/search.h"
#include "core/base/types.h"
#include "core/model/kinds.h"

#include <string.h>

typedef struct ps_timing ps_timing;

enum {
        PS_OP_NONBLOCKING = 1 << 0, /* a nonblocking collective: completed by another operation */
        PS_OP_PART = 1 << 1,        /* a further row of the call of the row before it: see ps_op_continues */
        PS_OP_CANCELLED = 1 << 2,
        PS_OP_PERSISTENT = 1 << 3,
        PS_OP_IN_A_ROW = 1 << 3,  /* of COMPLETE: what it completes are rows that follow each other */
        PS_OP_BARE = 1 << 4,      /* recorded outside of any call: enter == leave == time of the record */
        PS_OP_MATCHED = 1 << 5,   /* `peer` and `link` name the partner, or `link` the collective's member */
        PS_OP_ELSEWHERE = 1 << 6, /* completed by another thread: see ps_trace.foreign */
        PS_OP_TRUNCATED = 1 << 7, /* the call is never left: it ends where its location does */
};

/* clang-format off */
/* The operations of one location in the order in which they were begun, a column for each field; but what a
 * call says is said again and again: each call stands in a table once, with a column of its numbers there.
 * What peer, comm, tag, bytes, link and done hold depends on the class of the kind; "-" is nothing:
 *
 *            peer               comm          tag               bytes        link             done
 *  SEND,     partner's          communicator  tag               length       partner's row    completing row
 *  RECV      location                                                        if PS_OP_MATCHED if nonblocking
 *                                                                            else its rank
 *  PROBE     PS_NONE            PS_NONE       -                 -            -                -
 *  COMPLETE  -                  -             n. of completed   -            first in         -
 *                                                                            completed[], or
 *                                                                            first of them
 *                                                                            if PS_OP_IN_A_ROW
 *  COLL      root's process     communicator  modes of a PGAS   sent         row in members   completing row
 *            (of a team its     or window     operation:                     if PS_OP_MATCHED if nonblocking
 *            location)                        PS_SYNC_MODES
 *  RMA       target's location  window        -                 length       -                completing row
 *  RMA_SYNC  target's location  window        group; of a lock  lock id      0: the id is     -
 *                                             1: shared                      known
 *  LOCK      -                  -             lock id           -            order            -
 *  THREAD    -                  team          threads asked     -            -                -
 *  TASK      creating thread    team          generation        -            -                -
 *
 * A peer of PS_NONE is unknown; a collective with that has no root. A communicator of PS_NONE says that no
 * record tells of a message: to or from nobody. */
/* clang-format on */
struct ps_call {
        uint64_t bytes;
        ps_path path;
        uint32_t peer, comm;
        uint32_t varies; /* 1, and bytes is 0: each of its rows has its own; else 0 */
};

typedef struct ps_ops {
        uint32_t n, n_calls, n_completed, n_wide;
        uint8_t *kind, *flags;
        uint32_t *call; /* which of `calls` */
        uint32_t *tag, *link, *done;
        uint32_t *pre, *post; /* see ps_op_record_begin and ps_op_record_end */
        struct ps_call *calls;
        uint32_t *peer; /* NULL, and `calls` say it; else they may name a location, but not the partner's: of
                           several threads of a process any may be that, and of
                           messages of an intercommunicator another process */
        uint32_t *length; /* NULL: no call varies; else the bytes of rows of such */
        /* Rows of nonblocking operations, grouped by the operation that completed them, in that order; but
         * for those of PS_OP_IN_A_ROW. */
        uint32_t *completed;
        /* Distances that do not fit into 32 bits, sorted by row. */
        struct ps_wide *wide;
        uint16_t has_length, has_completed; /* the latter: any row completes others */
        uint32_t unused; /* so that a location's are found in a table without a multiplication */
} ps_ops;

_Static_assert(sizeof(void *) != 8 || sizeof(ps_ops) == 128, "a power of two");

struct ps_wide {
        ps_op op;
        uint32_t is_post;
        ps_time distance;
};

/* A place in a trace's operations. */
typedef struct ps_ref {
        ps_loc loc;
        ps_op op;
} ps_ref;

/* The number of the one of `n` calls that says this; of many only the last are looked at, and what is told
 * late or again mostly is what was told just before. `n` if there is none. */
static inline uint32_t ps_call_recent(const struct ps_call *calls, uint32_t n, const struct ps_call *call)
{
        enum { RECENT = 16 };
        uint32_t at = n > RECENT ? n - RECENT : 0;
        while (at < n && memcmp(&calls[at], call, sizeof(*call)) != 0)
                at++;
        return at;
}

/* What its call says. */
static inline ps_path ps_op_path(const ps_ops *ops, ps_op op)
{
        return ops->calls[ops->call[op]].path;
}

static inline uint32_t ps_op_peer(const ps_ops *ops, ps_op op)
{
        return ops->peer ? ops->peer[op] : ops->calls[ops->call[op]].peer;
}

static inline uint32_t ps_op_comm(const ps_ops *ops, ps_op op)
{
        return ops->calls[ops->call[op]].comm;
}

static inline uint32_t ps_op_tag(const ps_ops *ops, ps_op op)
{
        return ops->tag[op];
}

static inline uint64_t ps_op_bytes(const ps_ops *ops, ps_op op)
{
        const struct ps_call *call = &ops->calls[ops->call[op]];
        return call->varies ? ops->length[op] : call->bytes;
}

/* The i-th row that the row, of COMPLETE, completes. */
static inline ps_op ps_op_completed(const ps_ops *ops, ps_op op, uint32_t i)
{
        const uint32_t at = ops->link[op] + i;
        return ops->flags[op] & PS_OP_IN_A_ROW ? at : ops->completed[at];
}

/* A comparison of rows that are places, for qsort(). */
static inline int ps_refs_compare(const void *a, const void *b)
{
        const ps_ref *x = a, *y = b;
        PS_ORDER_BY(x->loc, y->loc);
        return PS_ORDER(x->op, y->op);
}

/* A number that is larger the later a row comes in that order. */
static inline uint64_t ps_ref_place(ps_ref ref)
{
        return (uint64_t)ref.loc << 32 | ref.op;
}

/* Does the row belong to the same call as the row before it? A part may also stand behind other rows, of what
 * happened within the call: then neither row says where the rest of the call is. */
static inline bool ps_op_continues(const ps_ops *ops, ps_op op)
{
        return op < ops->n && ops->flags[op] & PS_OP_PART && !(ops->flags[op - 1] & PS_OP_BARE) &&
               ps_op_path(ops, op) == ps_op_path(ops, op - 1);
}

/* The first row from `op` on whose kind is `least` or one behind it in the table of kinds; `n` if there is
 * none. Rare kinds stand at its end, so that to look for them costs next to nothing where there are none. */
ps_op ps_ops_seek_on(const ps_ops *ops, ps_op op, ps_kind least); /* the same, but slowly where it is near */
static inline ps_op ps_ops_seek(const ps_ops *ops, ps_op op, ps_kind least)
{
        enum { NEAR = 4 };
        for (ps_op end = ops->n - op < NEAR ? ops->n : op + NEAR; op < end; op++)
                if (ops->kind[op] >= least)
                        return op;
        return op < ops->n ? ps_ops_seek_on(ops, op, least) : op;
}

/* Which of the kinds from PS_K_PUT on there are: sets of them. How many of each is added to count[], which
 * has PS_K_COUNT. */
#define PS_RARE_KIND(k) (UINT64_C(1) << ((k)-PS_K_PUT))
uint64_t ps_ops_rare_kinds(const ps_ops *ops, uint64_t *count);

/* The path that the call was made from, or that the record stands in. */
ps_path ps_op_caller(const ps_trace *trace, ps_ref ref);
/* The region of its call, or PS_NONE. */
ps_region ps_op_region(const ps_trace *trace, ps_ref ref);
/* What a call completes: see ps_op_completed(). */
typedef enum ps_completes { PS_COMPLETES_NONE, PS_COMPLETES_ANY, PS_COMPLETES_COLLECTIVES } ps_completes;
ps_completes ps_op_completes(const ps_ops *ops, ps_op op);
/* Is it an operation of UPC, coarrays, SHMEM, ...? */
bool ps_op_is_pgas(const ps_trace *trace, ps_ref ref);

/* What is asked of nearly each operation is inline, behind the trace: ps_op_completion, ps_op_partner,
 * ps_op_record_begin and ps_op_record_end in core/model/trace.h. */

#endif
