/* votes.c - once times are known: which messages waited for their receivers, as far as these tell.
 *
 * Of sizes between those that were seen to be free before their receiver came and those that were held up
 * nothing is known at first. Their times tell: a message that was there as late as if it had been sent when
 * its receive was posted, a sender that was held up for as long as the bytes take. */
#include "simulator/replay/plan.h"

#include <stdlib.h>

/* Where nothing tells, longer messages are taken to wait: no library that is known sends more at once unless
 * it is told to. */
enum { EAGER_USUALLY = 1 << 16 };

/* Two times that agree within a fiftieth. */
static bool is_about(ps_time time, ps_time expected)
{
        return expected > 0 && llabs(time - expected) <= expected / 50;
}

static void vote_for(learnt *l, uint64_t bytes, bool waited)
{
        unsigned class = size_class(bytes);
        if (!waited) {
                l->early[class]++;
                l->early_most[class] = bytes > l->early_most[class] ? bytes : l->early_most[class];
                return;
        }
        l->late[class]++;
        l->late_least[class] = bytes < l->late_least[class] ? bytes : l->late_least[class];
}

/* Whether a message that was sent long before its receive was posted came as late as if it had been sent only
 * then, or early enough. */
static void vote_of_receive(const ps_replay *r, learnt *l, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        ps_ref send = {ps_op_peer(ops, op), ops->link[op]};
        ps_time sent = recorded_begin(r, send), posted = r->timing->enter[loc][op];
        ps_time takes = ps_line_estimate(&r->least.flight, ps_op_bytes(ops, op));
        ps_ref done = ps_op_completion(r->trace, (ps_ref){loc, op});
        if (posted - sent < takes / 10 || takes <= 0 || done.op == PS_NONE)
                return;
        ps_time begun = recorded_begin(r, done), own = r->least.own[r->trace->ops[done.loc].kind[done.op]];
        ps_time over = r->timing->leave[done.loc][done.op] - own;
        uint64_t bytes = step_bytes(r, send.loc, send.op);
        if (over > begun && is_about(over - posted, takes))
                vote_for(l, bytes, true);
        else if (over < posted + takes - takes / 10)
                vote_for(l, bytes, false);
}

/* A blocking send whose receive was posted long before, and that took what its bytes take. */
static void vote_of_send(const ps_replay *r, learnt *l, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        ps_time enter = r->timing->enter[loc][op], own = r->least.own[ops->kind[op]];
        ps_time by_size = (ps_time)(r->least.flight.per_byte * (double)ps_op_bytes(ops, op));
        ps_time posted = recorded_begin(r, (ps_ref){ps_op_peer(ops, op), ops->link[op]});
        if (r->least.flight.is_fitted && posted <= enter &&
            is_about(r->timing->leave[loc][op] - enter - own, by_size))
                vote_for(l, ps_op_bytes(ops, op), true);
}

void ps_replay_vote(const ps_replay *r, learnt *l, ps_loc loc, ps_op from, ps_op end)
{
        const step *steps = r->steps[loc];
        for (ps_op op = from; op < end; op++) {
                const uint8_t code = steps[op].code;
                if (code == STEP_RECV && is_of_open_size(r, loc, op))
                        vote_of_receive(r, l, loc, op);
                else if (code == STEP_SEND && !(steps[op].flags & STEP_NONBLOCKING) &&
                         is_of_open_size(r, loc, op))
                        vote_of_send(r, l, loc, op);
        }
}

bool ps_votes_settle(learnt *l)
{
        uint64_t before = l->rendezvous_min;
        for (int i = 0; i < SIZE_CLASSES; i++)
                if (l->late[i] > 4 * l->early[i] && l->late_least[i] < l->rendezvous_min)
                        l->rendezvous_min = l->late_least[i];
        return l->rendezvous_min < before && l->eager_below < before;
}

void ps_votes_assume(learnt *l)
{
        uint64_t from = (uint64_t)EAGER_USUALLY + 1;
        for (int i = 0; i < SIZE_CLASSES; i++)
                if (l->early[i] > 4 * l->late[i] && l->early_most[i] >= from)
                        from = l->early_most[i] + (l->early_most[i] < UINT64_MAX);
        l->rendezvous_min = from < l->rendezvous_min ? from : l->rendezvous_min;
}
