/* call.h - a recorded call, and the transfer that it waited for last. */
#ifndef PS_SIMULATOR_REPLAY_CALL_H
#define PS_SIMULATOR_REPLAY_CALL_H

#include "simulator/replay/plan.h"

static inline unsigned class_of_member(const ps_replay *r, uint32_t member)
{
        return size_class(r->colls[r->trace->members[member].coll].bytes);
}

typedef struct call {
        ps_time enter, leave, start; /* of the transfer that began last; INT64_MIN: there is none */
        ps_op last;                  /* its operation, or PS_NONE */
        ps_time others_by;           /* when all others had been through, surely */
        uint32_t n_awaited;
        bool is_open;   /* the last one may have begun later, with its receive */
        bool is_alone;  /* nothing can have been there later than that one */
        bool is_there;  /* all had been through before the call began, surely */
        bool is_member; /* of a collective operation, which waits for nobody, but sends */
} call;

/* The call that begins with the row; it becomes the row behind it. Limits (learn.c) are known. */
call ps_replay_look_at_call(const ps_replay *replay, ps_loc loc, ps_op *row);

/* Once more the call that begins with the row: only now `is_alone` and `others_by` are right. */
void ps_replay_compare_call(const ps_replay *replay, ps_loc loc, ps_op row, call *c);

#endif
