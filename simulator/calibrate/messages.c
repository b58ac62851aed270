/* messages.c - the messages of a trace, each with the calls at its two ends, and what is plain from
 * the calls alone. */
#include "simulator/calibrate/internal.h"

#include <stdlib.h>

enum { BROKEN = PS_OP_CANCELLED | PS_OP_BARE | PS_OP_TRUNCATED };

bool ps_message_is_awaited(const ps_calibrate_message *message)
{
        return message->asked <= message->sent;
}

/* The call has further rows. */
static bool is_shared(const ps_ops *ops, ps_op i)
{
        if (ops->kind[i] == PS_K_SENDRECV_SEND || ops->kind[i] == PS_K_SENDRECV_RECV)
                return 1;
        return (ops->flags[i] & PS_OP_PART) || (i + 1 < ops->n && (ops->flags[i + 1] & PS_OP_PART));
}

/* A call that ends when this message is there, and not for another reason. */
static bool is_wait_for_one(const ps_ops *ops, ps_op i)
{
        if (ps_kinds[ops->kind[i]].cls == PS_C_RECV)
                return 1;
        return (ops->kind[i] == PS_K_WAIT || ops->kind[i] == PS_K_WAITALL) && ps_op_tag(ops, i) == 1;
}

static ps_calibrate_reason judge_send(const ps_ops *ops, ps_op i)
{
        if (ops->flags[i] & BROKEN)
                return PS_UNUSED_INCOMPLETE;
        if (is_shared(ops, i))
                return PS_UNUSED_SHARED;
        if (!(ps_kinds[ops->kind[i]].traits & PS_T_BLOCKING))
                return PS_UNUSED_NONBLOCKING;
        return ops->kind[i] == PS_K_SSEND ? PS_UNUSED_BLOCKED : PS_USED;
}

static ps_calibrate_reason judge_receive(const ps_trace *trace, ps_ref receive, ps_ref done)
{
        const ps_ops *ops = &trace->ops[receive.loc];
        if (done.loc == PS_NONE || (ops->flags[receive.op] & BROKEN) ||
            (trace->ops[done.loc].flags[done.op] & BROKEN))
                return PS_UNUSED_INCOMPLETE;
        const ps_ops *end = &trace->ops[done.loc];
        bool is_own_end = done.loc == receive.loc && done.op == receive.op;
        if ((is_own_end && is_shared(ops, receive.op)) ||
            (end->kind[done.op] == PS_K_WAITALL && ps_op_tag(end, done.op) > 1))
                return PS_UNUSED_SHARED;
        return is_wait_for_one(end, done.op) ? PS_USED : PS_UNUSED_POLLED;
}

static ps_time end_of_call(const ps_trace *trace, const ps_timing *timing, ps_ref op)
{
        ps_ref done = ps_op_completion(trace, op);
        return done.loc == PS_NONE ? INT64_MAX : timing->leave[done.loc][done.op];
}

static ps_calibrate_message describe_message(const ps_trace *trace, const ps_timing *timing, ps_ref receive)
{
        ps_ref send = ps_op_partner(trace, receive), done = ps_op_completion(trace, receive);
        const ps_ops *ops = &trace->ops[send.loc];
        ps_calibrate_message m = {.sent = timing->enter[send.loc][send.op],
                                  .sent_end = timing->leave[send.loc][send.op],
                                  .sent_done = end_of_call(trace, timing, send),
                                  .posted = timing->enter[receive.loc][receive.op],
                                  .bytes = ps_op_bytes(ops, send.op),
                                  .done = done.loc == PS_NONE ? receive : done,
                                  .from = trace->defs.locations.row[send.loc].process,
                                  .to = trace->defs.locations.row[receive.loc].process,
                                  .send_kind = ops->kind[send.op],
                                  .send_why = (uint8_t)judge_send(ops, send.op),
                                  .receive_why = (uint8_t)judge_receive(trace, receive, done)};
        m.asked = timing->enter[m.done.loc][m.done.op];
        m.got = m.through = timing->leave[m.done.loc][m.done.op];
        m.is_paired = trace->ops[receive.loc].kind[receive.op] == PS_K_SENDRECV_RECV;
        if (m.from == m.to)
                m.send_why = m.receive_why = PS_UNUSED_SELF;
        else if (ops->flags[send.op] & BROKEN)
                m.receive_why = PS_UNUSED_INCOMPLETE;
        return m;
}

/* Whether a row is the receiving end of a message. */
static bool is_receive(const ps_ops *ops, ps_op i)
{
        return ps_kinds[ops->kind[i]].cls == PS_C_RECV && (ops->flags[i] & PS_OP_MATCHED);
}

static size_t count_messages(const ps_trace *trace)
{
        size_t n = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                for (ps_op i = 0; i < trace->ops[l].n; i++)
                        n += (size_t)is_receive(&trace->ops[l], i);
        return n;
}

ps_status ps_messages_collect(ps_calibrate_messages *out, const ps_trace *trace, const ps_timing *timing,
                              ps_error *err)
{
        size_t n = count_messages(trace);
        *out = (ps_calibrate_messages){.row = malloc((n ? n : 1) * sizeof(*out->row))};
        if (!out->row)
                return PS_NOMEM(err, "messages", n);
        for (ps_loc l = 0; l < trace->n_locs; l++)
                for (ps_op i = 0; i < trace->ops[l].n; i++)
                        if (is_receive(&trace->ops[l], i))
                                out->row[out->n++] = describe_message(trace, timing, (ps_ref){l, i});
        return PS_OK;
}
