/* waits.h - whether a call waited for one end of a message and for nothing else, also where the row of that
 * end is in another process: then two bits of it are told (core/match/partners.h). */
#ifndef PS_CORE_CLOCK_WAITS_H
#define PS_CORE_CLOCK_WAITS_H

#include "core/model/trace.h"

/* Of a row that stands for one of elsewhere: the answer to what is asked below, where nobody asks for what
 * the flag says otherwise. */
enum { PS_OP_TOLD = PS_OP_PERSISTENT };

static inline bool ps_ops_are_told(const ps_ops *ops)
{
        return !ops->link;
}

/* Of an operation that completes others. */
static inline bool ps_op_completes_one(const ps_ops *ops, ps_op done)
{
        return ps_ops_are_told(ops) ? ops->flags[done] & PS_OP_TOLD : ps_op_tag(ops, done) == 1;
}

/* Some sends return before anybody receives, whatever they take for it: small ones, as a rule. Libraries
 * buffer no larger messages than that. */
static inline bool ps_send_waits_for_receive(const ps_ops *ops, ps_op send)
{
        enum { MOST_BUFFERED = 65536 };
        if (ps_ops_are_told(ops))
                return ops->flags[send] & PS_OP_TOLD;
        return ops->kind[send] == PS_K_SSEND || ops->kind[send] == PS_K_ISSEND ||
               ps_op_bytes(ops, send) > MOST_BUFFERED;
}

#endif
