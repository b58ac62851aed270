/* ends.h - the two ends of a message. */
#ifndef PS_CORE_MATCH_ENDS_H
#define PS_CORE_MATCH_ENDS_H

#include "core/model/trace.h"

#include <assert.h>

static inline ps_proc process_of(const ps_trace *trace, ps_loc location)
{
        return location < trace->n_locs ? trace->defs.locations.row[location].process : PS_NONE;
}

/* Does the row take no part (any more)? */
static inline bool is_out(const ps_ops *ops, ps_op op)
{
        return ops->flags[op] & (PS_OP_CANCELLED | PS_OP_MATCHED);
}

/* The process at the other end, or PS_NONE when the row takes no part: until it is matched, its call says it.
 */
static inline ps_proc partner_of(const ps_trace *trace, const ps_ops *ops, ps_op op)
{
        return is_out(ops, op) ? PS_NONE : process_of(trace, ops->calls[ops->call[op]].peer);
}

/* What was looked up for the call of the row, as for all calls of its location, or PS_NONE when the row takes
 * no part. */
static inline uint32_t looked_up(const uint32_t *by_call, const ps_ops *ops, ps_op op)
{
        return is_out(ops, op) ? PS_NONE : by_call[ops->call[op]];
}

/* Its record has named the partner's location, or there is a column for such names. */
static inline void point_at(const ps_ops *ops, ps_op from, ps_ref to)
{
        if (ops->peer)
                ops->peer[from] = to.loc;
        assert(ps_op_peer(ops, from) == to.loc);
        ops->link[from] = to.op;
        ops->flags[from] |= PS_OP_MATCHED;
}

#endif
