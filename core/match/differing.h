/* differing.h - communicators whose members do not all make the same calls, where several processes have
 * them. */
#ifndef PS_CORE_MATCH_DIFFERING_H
#define PS_CORE_MATCH_DIFFERING_H

#include "core/exchange/exchange.h"
#include "core/match/calls.h"

/* An operation that some of the members take part in, as all who have any know it. */
struct ps_differing_op {
        uint32_t n_members;
        ps_proc root; /* that they name, or PS_NONE */
        bool is_complete, roots_differ, is_pgas;
};

/* {0}: no communicator is one of these. */
struct ps_differing {
        uint8_t *differs;  /* by communicator */
        uint32_t *present; /* by communicator: how many members the trace knows; in process 0 */
        uint32_t *first;   /* by communicator: its first one in `op`, where it has calls here */
        struct ps_differing_op *op;
        uint32_t n_ops, cap;
        uint32_t n_incomplete, n_roots; /* of all; in process 0 */
        uint32_t *op_of; /* by call: which operation of its communicator it is of, or PS_NONE */
};

/* What belongs together where `differs` says so, as one process finds it that has all calls (lists.h); and of
 * each of these communicators, in process 0, how many operations there are. Called by all of ours together,
 * who have agreed before that all is well. */
ps_status ps_differing_match(struct ps_differing *d, const struct ps_calls *c, uint32_t *n_of, ps_exchange *x,
                             ps_error *err);
void ps_differing_clear(struct ps_differing *d);

#endif
