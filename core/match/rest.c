/* rest.c - what is done about messages that found nobody who fits, and what is noted of those that never do.
 */
#include "core/base/parallel.h"
#include "core/match/intercomm.h"
#include "core/match/match.h"
#include "core/match/order.h"
#include "core/match/pass.h"

static bool has_other_comm(const ps_trace *trace, ps_ref recv)
{
        ps_ref send = ps_op_partner(trace, recv);
        return ps_op_comm(&trace->ops[send.loc], send.op) != ps_op_comm(&trace->ops[recv.loc], recv.op);
}

/* What became of the rows, in the order of locations. */
struct results {
        ps_tally sends, recvs, comms; /* without a partner; with one of another communicator */
};

static struct results results_of(ps_trace *trace, int compares_comms)
{
        struct results r = {0};
        trace->n_messages = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                for (ps_op op = 0; op < ops->n; op++) {
                        ps_class cls = ps_kinds[ops->kind[op]].cls;
                        ps_ref ref = {loc, op};
                        if ((cls != PS_C_SEND && cls != PS_C_RECV) || ops->flags[op] & PS_OP_CANCELLED)
                                continue;
                        if (!(ops->flags[op] & PS_OP_MATCHED)) {
                                if (ps_op_comm(ops, op) != PS_NONE) /* else no record tells of a message */
                                        ps_tally_add(cls == PS_C_SEND ? &r.sends : &r.recvs, ref);
                        } else if (cls == PS_C_RECV) {
                                trace->n_messages++;
                                if (compares_comms && has_other_comm(trace, ref))
                                        ps_tally_add(&r.comms, ref);
                        }
                }
        }
        return r;
}

ps_status ps_match_fitting(ps_trace *trace, unsigned n_threads, uint64_t *left, ps_error *err)
{
        return ps_match_pass(trace, UINT32_MAX, n_threads, NULL, NULL, left, err);
}

/* -- what becomes of the rest where several processes have the rows -- */

static ps_lonely lonely_of(const ps_trace *trace, const ps_tally *tally)
{
        bool is_one = tally->count > 0;
        return (ps_lonely){tally->count, tally->first,
                           is_one ? ps_op_record_begin(trace, &trace->measured, tally->first) : 0};
}

void ps_match_find_lonely(ps_match_lonely *out, ps_trace *trace)
{
        struct results r = results_of(trace, 0);
        *out = (ps_match_lonely){lonely_of(trace, &r.sends), lonely_of(trace, &r.recvs)};
}

void ps_lonely_add(ps_lonely *to, const ps_lonely *other)
{
        if (other->count && (!to->count || ps_refs_compare(&other->first, &to->first) < 0)) {
                to->first = other->first;
                to->time = other->time;
        }
        to->count += other->count;
}

void ps_lonely_add_row(ps_lonely *to, const ps_trace *trace, ps_ref row)
{
        const ps_lonely one = {1, row, ps_op_record_begin(trace, &trace->measured, row)};
        ps_lonely_add(to, &one);
}

void ps_match_lonely_add(ps_match_lonely *to, const ps_match_lonely *other)
{
        ps_lonely_add(&to->sends, &other->sends);
        ps_lonely_add(&to->recvs, &other->recvs);
}

bool ps_match_lonely_may_fit(const ps_match_lonely *lonely)
{
        return lonely->sends.count && lonely->recvs.count;
}

void ps_lonely_note(ps_trace *trace, ps_issue_kind kind, const ps_lonely *lonely)
{
        ps_place place = PS_NOWHERE;
        place.location = lonely->first.loc;
        place.time = lonely->time;
        ps_issue_note_many(&trace->issues, kind, lonely->count, place);
}

void ps_match_note_lonely(ps_trace *trace, const ps_match_lonely *lonely)
{
        ps_lonely_note(trace, PS_I_SEND_UNMATCHED, &lonely->sends);
        ps_lonely_note(trace, PS_I_RECV_UNMATCHED, &lonely->recvs);
}

/* -- all of it -- */

static ps_status match_left(ps_trace *trace, unsigned n_threads, ps_error *err)
{
        uint64_t left;
        PS_TRY(ps_match_intercomms(trace, err));
        return trace->defs.recv_comm_unreliable ? ps_match_pass(trace, 0, n_threads, NULL, NULL, &left, err)
                                                : PS_OK;
}

ps_status ps_match_late_rows(ps_trace *trace, unsigned n_threads, ps_lonely *comms, ps_error *err)
{
        PS_TRY(match_left(trace, n_threads, err));
        struct results r = results_of(trace, 1);
        *comms = lonely_of(trace, &r.comms);
        return PS_OK;
}

ps_status ps_match_rest(ps_trace *trace, unsigned n_threads, ps_error *err)
{
        ps_status status = PS_OK;
        struct results r = results_of(trace, 0);
        if (r.sends.count && r.recvs.count) {
                status = match_left(trace, n_threads, err);
                r = results_of(trace, 1);
        }
        ps_tally_note(&r.sends, trace, PS_I_SEND_UNMATCHED);
        ps_tally_note(&r.recvs, trace, PS_I_RECV_UNMATCHED);
        ps_tally_note(&r.comms, trace, PS_I_COMM_IGNORED);
        return status;
}

/* Nearly all traces are done after the first step. */
static ps_status match_messages(ps_trace *trace, unsigned n_threads, const ps_match_beside *beside,
                                ps_slacks *slacks, ps_error *err)
{
        uint64_t left;
        PS_TRY(ps_match_pass(trace, UINT32_MAX, n_threads, beside, slacks, &left, err));
        if (!left)
                return PS_OK;
        if (slacks) /* they do not tell of those that are matched late */
                slacks->tells = slacks->tells_pairs = false;
        return ps_match_rest(trace, n_threads, err);
}

ps_status ps_match_messages(ps_trace *trace, unsigned n_threads, ps_slacks *slacks, ps_error *err)
{
        return match_messages(trace, n_threads, NULL, slacks, err);
}

struct collectives {
        ps_trace *trace;
        const uint64_t *const *received;
};

static ps_status match_collectives(void *ctx, ps_error *err)
{
        const struct collectives *c = ctx;
        return ps_match_collectives(c->trace, c->received, 1, err);
}

/* Where one process has most of the rows, the others would wait while it is seen what it receives. */
ps_status ps_match_all(ps_trace *trace, const uint64_t *const *received, unsigned n_threads,
                       ps_slacks *slacks, ps_error *err)
{
        struct collectives collectives = {trace, received};
        ps_op most = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                most = trace->ops[loc].n > most ? trace->ops[loc].n : most;
        if (ps_parallel_ranges(most, trace->n_operations, 0, n_threads) < 2) {
                PS_TRY(ps_match_collectives(trace, received, n_threads, err));
                return match_messages(trace, n_threads, NULL, slacks, err);
        }
        return match_messages(trace, n_threads, &(ps_match_beside){match_collectives, &collectives}, slacks,
                              err);
}
