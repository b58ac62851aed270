/* unexplained.c - see unexplained.h. */
#include "core/model/unexplained.h"

const ps_unexplained_info ps_unexplained_reasons[PS_N_UNEXPLAINED] = {
#define PS_UNEXPLAINED(id, key, text) {key, text},
#include "core/model/unexplained.def"
#undef PS_UNEXPLAINED
};

bool ps_trace_is_whole(const ps_trace *trace)
{
        const ps_issue *issues = trace->issues.row;
        return !issues[PS_I_SEND_UNMATCHED].count && !issues[PS_I_RECV_UNMATCHED].count &&
               !issues[PS_I_COLL_MISMATCH].count && !issues[PS_I_COLL_INCOMPLETE].count;
}

static ps_unexplained why_of_message(const ps_ops *ops, ps_op op)
{
        if (ops->flags[op] & (PS_OP_MATCHED | PS_OP_CANCELLED))
                return PS_EXPLAINED;
        return ps_op_comm(ops, op) == PS_NONE ? PS_UNEXPLAINED_NO_RECORD : PS_UNEXPLAINED_NO_PARTNER;
}

static bool is_of_files(const ps_trace *trace, const ps_ops *ops, ps_op op)
{
        const ps_region_def *region = ps_path_region(trace, ps_op_path(ops, op));
        return region && region->is_of_files;
}

/* What goes with the life of the library or a team is no communication. */
static ps_unexplained why_of_collective(const ps_trace *trace, const ps_ops *ops, ps_op op)
{
        if (ps_kinds[ops->kind[op]].traits & (PS_T_LIFE | PS_T_TEAM) || ops->kind[op] == PS_K_COMM_MANAGE)
                return PS_EXPLAINED;
        if (!(ops->flags[op] & PS_OP_MATCHED))
                return ps_op_comm(ops, op) != PS_NONE ? PS_UNEXPLAINED_NO_MEMBERS
                       : is_of_files(trace, ops, op)  ? PS_UNEXPLAINED_OF_FILES
                                                      : PS_UNEXPLAINED_NO_RECORD;
        return trace->colls[trace->members[ops->link[op]].coll].complete ? PS_EXPLAINED
                                                                         : PS_UNEXPLAINED_NO_MEMBERS;
}

/* A call that completes nothing had no requests, where the trace tells of all what completed them. */
static bool tells_completions(const ps_trace *trace, const ps_ops *ops)
{
        const ps_issue *issues = trace->issues.row;
        return ops->has_completed && !issues[PS_I_REQUEST_OPEN].count &&
               !issues[PS_I_REQUEST_UNKNOWN].count && !issues[PS_I_COLL_UNENDED].count;
}

static ps_unexplained why_of_completed(const ps_trace *trace, const ps_ops *ops, ps_op wait)
{
        if (!ps_op_tag(ops, wait) && ps_op_comm(ops, wait) != PS_NONE)
                return PS_EXPLAINED; /* for transfers to and from a window, which it knows */
        if (!ps_op_tag(ops, wait))
                return tells_completions(trace, ops) ? PS_EXPLAINED : PS_UNEXPLAINED_NO_COMPLETION;
        if (ps_trace_is_whole(trace))
                return PS_EXPLAINED;
        ps_unexplained why = PS_EXPLAINED;
        for (uint32_t i = 0; i < ps_op_tag(ops, wait) && why == PS_EXPLAINED; i++) {
                ps_op start = ps_op_completed(ops, wait, i);
                why = ps_kinds[ops->kind[start]].cls == PS_C_COLL ? why_of_collective(trace, ops, start)
                                                                  : why_of_message(ops, start);
        }
        return why;
}

/* What a Probe sees is what its process receives next. */
static ps_unexplained why_of_probe(const ps_ops *ops, ps_op probe)
{
        enum { LOOK_AHEAD = 16 };
        for (ps_op op = probe + 1; op < ops->n && op <= probe + LOOK_AHEAD; op++)
                if (ps_kinds[ops->kind[op]].cls == PS_C_RECV)
                        return why_of_message(ops, op);
        return PS_UNEXPLAINED_NO_RECORD;
}

/* Whoever knows windows records what a flush completes. */
static bool completes_nothing(const ps_trace *trace, const ps_ops *ops, ps_op op)
{
        return ops->kind[op] == PS_K_WIN_FLUSH && trace->defs.windows.n;
}

static ps_unexplained why_of_row(const ps_trace *trace, const ps_ops *ops, ps_op op)
{
        switch (ps_kinds[ops->kind[op]].cls) {
        case PS_C_SEND:
        case PS_C_RECV:
                return why_of_message(ops, op);
        case PS_C_PROBE:
                return why_of_probe(ops, op);
        case PS_C_COMPLETE:
                return why_of_completed(trace, ops, op);
        case PS_C_COLL:
                return why_of_collective(trace, ops, op);
        case PS_C_RMA:
        case PS_C_RMA_SYNC:
                return ps_op_comm(ops, op) == PS_NONE && !completes_nothing(trace, ops, op)
                               ? PS_UNEXPLAINED_NO_RECORD
                               : PS_EXPLAINED;
        default:
                return PS_EXPLAINED;
        }
}

static bool may_wait(const ps_ops *ops, ps_op op)
{
        const ps_kind_info *kind = &ps_kinds[ops->kind[op]];
        return ((kind->traits & PS_T_BLOCKING) || kind->cls == PS_C_RMA) &&
               !(ops->flags[op] & (PS_OP_NONBLOCKING | PS_OP_BARE));
}

ps_unexplained ps_op_unexplained_why(const ps_trace *trace, ps_ref call)
{
        const ps_ops *ops = &trace->ops[call.loc];
        ps_op op = call.op;
        ps_unexplained why = PS_EXPLAINED;
        do {
                if (may_wait(ops, op))
                        why = why_of_row(trace, ops, op);
        } while (why == PS_EXPLAINED && ps_op_continues(ops, ++op));
        return why == PS_EXPLAINED || ps_op_is_pgas(trace, call) ? PS_EXPLAINED : why;
}

ps_time ps_op_unexplained(const ps_trace *trace, const ps_timing *timing, ps_ref call)
{
        return ps_op_unexplained_why(trace, call) == PS_EXPLAINED
                       ? 0
                       : timing->leave[call.loc][call.op] - timing->enter[call.loc][call.op];
}
