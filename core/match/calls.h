/* calls.h - all collective calls of a trace, by communicator and member. */
#ifndef PS_CORE_MATCH_CALLS_H
#define PS_CORE_MATCH_CALLS_H

#include "core/base/vector.h"
#include "core/match/lists.h"
#include "core/model/trace.h"

/* A row of COLL, and its communicator, or PS_NONE: see ps_calls_comm(). */
struct ps_calls_row {
        ps_op op;
        ps_comm comm;
};

struct ps_calls_rows {
        PS_VECTOR(struct ps_calls_row) list;
        bool has_own;  /* some of them are not of a team */
        bool is_alone; /* no other location of the process has such */
};

/* Those of communicator c are call[first[c] .. end[c]), member by member, each in the order of its posting.
 */
struct ps_calls {
        const ps_trace *trace;
        ps_comm world;
        bool has_teams, has_pgas;
        struct ps_calls_rows *of; /* by location: rows of many sorts are looked through once */
        ps_ref *call;
        uint8_t *key; /* by call: what has to agree */
        size_t n;
        size_t *first, *end; /* by communicator */
        size_t n_strangers;  /* calls of no member, which were cut off behind `end` */
        uint32_t *present;   /* by communicator: how many of its members the trace knows */
};

/* Whatever comes of it, the caller clears it. */
ps_status ps_calls_sort(struct ps_calls *c, const ps_trace *trace, unsigned n_threads, ps_error *err);
void ps_calls_clear(struct ps_calls *c);

/* The communicator that a row's call takes place on, or PS_NONE. Of windows, and of the library's life, it is
 * not the one that the row names. */
ps_comm ps_calls_comm_of(const struct ps_calls *c, uint16_t traits, ps_comm comm);
static inline ps_comm ps_calls_comm(const struct ps_calls *c, const ps_ops *ops, ps_op op)
{
        uint16_t traits = ps_kinds[ops->kind[op]].traits;
        ps_comm comm = ps_op_comm(ops, op);
        if (traits & (PS_T_RMA | PS_T_LIFE))
                comm = ps_calls_comm_of(c, traits, comm);
        return comm < c->trace->defs.comms.n ? comm : PS_NONE;
}

/* Who calls, as communicators name their members. */
static inline uint32_t ps_calls_member(const struct ps_calls *c, ps_comm comm, ps_ref call)
{
        const ps_defs *defs = &c->trace->defs;
        return defs->comms.row[comm].team ? call.loc : defs->locations.row[call.loc].process;
}

/* The root that a call names, or PS_NONE. */
static inline ps_proc ps_calls_root(const struct ps_calls *c, ps_ref call)
{
        const ps_ops *ops = &c->trace->ops[call.loc];
        bool has_root = ps_kinds[ops->kind[call.op]].traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE);
        return has_root ? ps_op_peer(ops, call.op) : PS_NONE;
}

/* Does it follow the rules of PGAS programs, which the region that it stands in tells? An operation does when
 * any of its calls does. */
static inline bool ps_calls_is_pgas(const struct ps_calls *c, ps_ref call)
{
        return c->has_pgas && ps_op_is_pgas(c->trace, call);
}

/* What has to agree: the kind, and whether it is nonblocking. */
enum { PS_CALL_KEYS = 2 * PS_K_COUNT };
_Static_assert(PS_CALL_KEYS <= UINT8_MAX + 1, "keys have no room");

static inline uint8_t ps_calls_key_of(const ps_ops *ops, ps_op op)
{
        return (uint8_t)(2 * ops->kind[op] + (ops->flags[op] & PS_OP_NONBLOCKING ? 1 : 0));
}

/* All that decides what becomes of a call but its root, as others hear it. */
static inline uint64_t ps_calls_says(const struct ps_calls *c, size_t call)
{
        return c->key[call] | (uint64_t)ps_calls_is_pgas(c, c->call[call]) << 8;
}

/* Room for the lists of any communicator. */
ps_status ps_calls_new_lists(struct ps_lists *out, const struct ps_calls *c, ps_error *err);
void ps_calls_free_lists(struct ps_lists *lists);
/* The lists of a communicator's members; returns how many there are. */
uint32_t ps_calls_lists(const struct ps_calls *c, ps_comm comm, struct ps_list *out);

#endif
