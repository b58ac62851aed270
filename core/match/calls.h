/* calls.h - all collective calls of a trace, by communicator and member. */
#ifndef PS_CORE_MATCH_CALLS_H
#define PS_CORE_MATCH_CALLS_H

#include "core/base/vector.h"
#include "core/model/trace.h"

/* Those of communicator c are call[first[c] .. end[c]), member by member, each in the order of its posting.
 */
struct ps_calls {
        const ps_trace *trace;
        ps_comm world;
        bool has_teams;
        PS_VECTOR(ps_op) row; /* of COLL, location by location: rows of many sorts are looked through once */
        size_t *row_of;       /* by location: its first one */
        ps_ref *call;
        size_t n;
        size_t *first, *end; /* by communicator */
        size_t n_strangers;  /* calls of no member, which were cut off behind `end` */
        uint32_t *present;   /* by communicator: how many of its members the trace knows */
};

/* Whatever comes of it, the caller clears it. */
ps_status ps_calls_sort(struct ps_calls *c, const ps_trace *trace, ps_error *err);
void ps_calls_clear(struct ps_calls *c);

/* The communicator that a row's call takes place on, or PS_NONE. */
ps_comm ps_calls_comm(const struct ps_calls *c, const ps_ops *ops, ps_op op);

/* Who calls, as communicators name their members. */
static inline uint32_t ps_calls_member(const struct ps_calls *c, ps_comm comm, ps_ref call)
{
        const ps_defs *defs = &c->trace->defs;
        return defs->comms.row[comm].team ? call.loc : defs->locations.row[call.loc].process;
}

/* What has to agree: the kind, and whether it is nonblocking. */
enum { PS_CALL_KEYS = 2 * PS_K_COUNT };

static inline int ps_calls_key(const struct ps_calls *c, size_t call)
{
        const ps_ops *ops = &c->trace->ops[c->call[call].loc];
        ps_op op = c->call[call].op;
        return 2 * ops->kind[op] + (ops->flags[op] & PS_OP_NONBLOCKING ? 1 : 0);
}

#endif
