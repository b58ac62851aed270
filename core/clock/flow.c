/* flow.c - flows of messages and collective operations. */
#include "core/clock/flow.h"
#include "core/clock/slack.h"
#include "core/clock/waits.h"

#include "core/base/blocks.h"

#include <stdlib.h>

ps_status ps_flows_init(ps_flows *flows, const ps_trace *trace, const ps_timing *timing, ps_error *err)
{
        uint32_t longest = 1;
        for (uint32_t c = 0; c < trace->n_colls; c++)
                if (trace->colls[c].n > longest)
                        longest = trace->colls[c].n;
        *flows = (ps_flows){.trace = trace, .timing = timing};
        flows->step = calloc(2 * (size_t)longest, sizeof *flows->step);
        flows->member_of = calloc(ps_coll_room(trace), sizeof *flows->member_of);
        if (flows->step && flows->member_of)
                return PS_OK;
        ps_flows_free(flows);
        return PS_NOMEM(err, "flows", longest);
}

void ps_flows_free(ps_flows *flows)
{
        if (!flows)
                return;
        free(flows->step);
        free(flows->member_of);
        for (ps_loc l = 0; flows->nesting.parents && l < flows->trace->n_locs; l++)
                free(flows->nesting.parents[l]);
        free(flows->nesting.parents);
        free(flows->nesting.is_known);
        *flows = (ps_flows){0};
}

static inline ps_step flow_step(const ps_flows *flows, ps_ref ref, ps_time time, int takes)
{
        ps_proc process = ps_trace_process(flows->trace, ref.loc);
        ps_time drifted = ps_time_add(time, ps_clock_drifted(flows->drift, process, time));
        return (ps_step){.ref = ref, .time = drifted, .process = process, .takes = (uint8_t)takes};
}

static ps_flow plain_flow(const ps_flows *flows, const ps_message_times *m)
{
        const ps_ops *ops = &flows->trace->ops[m->recv.loc];
        flows->step[0] = flow_step(flows, (ps_ref){m->sender, ops->link[m->recv.op]}, m->sent, 0);
        flows->step[1] = flow_step(flows, m->recv, m->received, 1);
        return (ps_flow){.step = flows->step, .n = 2, .n_gives = 1};
}

static void add_give(ps_flows *flows, ps_flow *flow, ps_ref ref)
{
        ps_time time = ps_op_record_begin(flows->trace, flows->timing, ref);
        flow->step[flow->n++] = flow_step(flows, ref, time, 0);
        flow->n_gives++;
}

/* Nothing is known of what was never completed. */
static void add_take(ps_flows *flows, ps_flow *flow, ps_ref ref)
{
        if (ps_op_completion(flows->trace, ref).op == PS_NONE)
                return;
        ps_time time = ps_op_record_end(flows->trace, flows->timing, ref);
        flow->step[flow->n++] = flow_step(flows, ref, time, 1);
}

ps_flow ps_flow_message(ps_flows *flows, ps_ref recv)
{
        const ps_ops *ops = &flows->trace->ops[recv.loc];
        ps_flow flow = {.step = flows->step};
        if (!(ops->flags[recv.op] & PS_OP_MATCHED) || ps_kinds[ops->kind[recv.op]].cls != PS_C_RECV)
                return flow;
        add_give(flows, &flow, (ps_ref){ps_op_peer(ops, recv.op), ops->link[recv.op]});
        add_take(flows, &flow, recv);
        if (flow.n < 2)
                flow.n = flow.n_gives = 0;
        return flow;
}

static bool has_data_to_give(const ps_trace *trace, const ps_member *m)
{
        const ps_ops *ops = &trace->ops[m->ref.loc];
        return ps_kinds[ops->kind[m->ref.op]].traits & PS_T_BARRIER || ps_op_bytes(ops, m->ref.op) > 0;
}

static bool has_data_to_take(const ps_trace *trace, const ps_member *m)
{
        const ps_ops *ops = &trace->ops[m->ref.loc];
        return ps_kinds[ops->kind[m->ref.op]].traits & PS_T_BARRIER || m->received > 0;
}

enum { NOBODY, ROOT, OTHERS, ALL };

static bool is_among(int who, uint32_t member, uint32_t root)
{
        return who == ALL || (who == ROOT && member == root) || (who == OTHERS && member != root);
}

/* Who gives, and who takes. */
struct sides {
        int givers, takers;
};

static struct sides sides_of(const ps_coll *coll)
{
        uint16_t traits = ps_kinds[coll->kind].traits;
        if (traits & (PS_T_BARRIER | PS_T_ALL_TO_ALL))
                return (struct sides){ALL, ALL};
        if (traits & PS_T_ONE_TO_ALL)
                return (struct sides){ROOT, OTHERS};
        return traits & PS_T_ALL_TO_ONE ? (struct sides){OTHERS, ROOT} : (struct sides){NOBODY, NOBODY};
}

/* What is asked of the members of an operation lies far from all that was looked at since, where no processor
 * foresees it: that of a member that comes soon. (Compilers drop a call of what only fetches; inlined it
 * stays.) */
__attribute__((always_inline)) static inline void fetch_member(const ps_flows *flows, uint32_t member)
{
        enum { AHEAD = 8 };
        const ps_trace *trace = flows->trace;
        if (trace->n_members - member <= AHEAD)
                return;
        const ps_ref ref = trace->members[member + AHEAD].ref;
        const ps_ops *ops = &trace->ops[ref.loc];
        __builtin_prefetch(&flows->timing->enter[ref.loc][ref.op]);
        __builtin_prefetch(&flows->timing->leave[ref.loc][ref.op]);
        __builtin_prefetch(&ops->pre[ref.op]);
        __builtin_prefetch(&ops->post[ref.op]);
        __builtin_prefetch(&ops->flags[ref.op]);
        __builtin_prefetch(&ops->kind[ref.op]);
        __builtin_prefetch(&ops->call[ref.op]);
}

static void add_members(ps_flows *flows, ps_flow *flow, const ps_coll *coll)
{
        const ps_trace *trace = flows->trace;
        const ps_member *m = trace->members;
        const struct sides sides = sides_of(coll);
        for (uint32_t i = coll->first; i < coll->first + coll->n; i++) {
                fetch_member(flows, i);
                if (is_among(sides.givers, i, coll->root) && has_data_to_give(trace, &m[i]))
                        add_give(flows, flow, m[i].ref);
        }
        if (flow->n_gives == 0)
                return;
        for (uint32_t i = coll->first; i < coll->first + coll->n; i++)
                if (is_among(sides.takers, i, coll->root) && has_data_to_take(trace, &m[i]))
                        add_take(flows, flow, m[i].ref);
}

struct prefix {
        ps_flows *flows;
        ps_flow *flow;
};

static void add_rank(void *ctx, uint32_t member)
{
        const struct prefix *p = ctx;
        const ps_member *m = &p->flows->trace->members[member];
        if (p->flow->n_gives > 0 && has_data_to_take(p->flows->trace, m))
                add_take(p->flows, p->flow, m->ref);
        if (has_data_to_give(p->flows->trace, m))
                add_give(p->flows, p->flow, m->ref);
}

static void add_prefix(ps_flows *flows, ps_flow *flow, const ps_coll *coll)
{
        const ps_comm_def *comm = &flows->trace->defs.comms.row[coll->comm];
        if (coll->complete && coll->n == comm->n_members && !comm->team)
                ps_coll_visit_ranks(flows->trace, coll, flows->member_of, add_rank,
                                    &(struct prefix){flows, flow});
}

/* Of Alltoallv and Alltoallw the trace does not tell who sent to whom, and across an intercommunicator data
 * flows between the groups only. */
static bool tells_who_waits(const ps_trace *trace, const ps_coll *coll)
{
        if (coll->pgas && !(ps_kinds[coll->kind].traits & PS_T_BARRIER))
                return false; /* a mode of synchronisation tells, if it is known at all */
        return coll->kind != PS_K_ALLTOALLV && coll->kind != PS_K_ALLTOALLW &&
               coll->comm < trace->defs.comms.n && !trace->defs.comms.row[coll->comm].inter;
}

bool ps_flow_gives(const ps_trace *trace, const ps_coll *coll, uint32_t member)
{
        return tells_who_waits(trace, coll) && is_among(sides_of(coll).givers, member, coll->root) &&
               has_data_to_give(trace, &trace->members[member]);
}

bool ps_flow_takes(const ps_trace *trace, const ps_coll *coll, uint32_t member)
{
        return tells_who_waits(trace, coll) && is_among(sides_of(coll).takers, member, coll->root) &&
               has_data_to_take(trace, &trace->members[member]) &&
               ps_op_completion(trace, trace->members[member].ref).op != PS_NONE;
}

bool ps_flow_passes_on(const ps_trace *trace, const ps_coll *coll, uint32_t member)
{
        return tells_who_waits(trace, coll) && has_data_to_give(trace, &trace->members[member]);
}

bool ps_flow_waits_for_lower(const ps_trace *trace, const ps_coll *coll, uint32_t member)
{
        return tells_who_waits(trace, coll) && has_data_to_take(trace, &trace->members[member]) &&
               ps_op_completion(trace, trace->members[member].ref).op != PS_NONE;
}

ps_flow ps_flow_coll(ps_flows *flows, uint32_t coll)
{
        const ps_coll *c = &flows->trace->colls[coll];
        uint16_t traits = ps_kinds[c->kind].traits;
        ps_flow flow = {.step = flows->step, .of = c};
        if (!tells_who_waits(flows->trace, c) || c->n < 2)
                return flow;
        if (traits & PS_T_PREFIX)
                add_prefix(flows, &flow, c);
        else if (!(traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE)) || c->root != PS_NONE)
                add_members(flows, &flow, c);
        return flow;
}

static void pass(void *ctx, uint32_t member)
{
        (void)ctx;
        (void)member;
}

/* Each member takes, then gives. Whether anybody of lower rank gives, others know. */
static void add_prefix_part(ps_flows *flows, ps_flow *flow, const ps_coll *coll)
{
        const ps_trace *trace = flows->trace;
        const ps_comm_def *comm = &trace->defs.comms.row[coll->comm];
        if (!coll->complete || !flows->apart->is_whole[coll->comm] || comm->team)
                return;
        ps_coll_visit_ranks(trace, coll, flows->member_of, pass, NULL); /* fills member_of */
        for (uint32_t rank = 0; rank < comm->n_members; rank++) {
                uint32_t member = ps_coll_member(trace, coll, flows->member_of, rank), first = flow->n;
                if (member == PS_NONE)
                        continue;
                const ps_member *m = &trace->members[member];
                if (has_data_to_take(trace, m))
                        add_take(flows, flow, m->ref);
                if (has_data_to_give(trace, m))
                        add_give(flows, flow, m->ref);
                for (; first < flow->n; first++)
                        flow->step[first].order = 2 * rank + !flow->step[first].takes;
        }
}

ps_flow ps_flow_part(ps_flows *flows, uint32_t coll)
{
        const ps_trace *trace = flows->trace;
        const ps_coll *c = &trace->colls[coll];
        ps_flow flow = {.step = flows->step, .of = c};
        if (ps_kinds[c->kind].traits & PS_T_PREFIX) {
                if (tells_who_waits(trace, c))
                        add_prefix_part(flows, &flow, c);
                return flow;
        }
        for (uint32_t m = c->first; m < c->first + c->n; m++)
                if (ps_flow_gives(trace, c, m))
                        add_give(flows, &flow, trace->members[m].ref);
        for (uint32_t m = c->first; m < c->first + c->n; m++)
                if (ps_flow_takes(trace, c, m))
                        add_take(flows, &flow, trace->members[m].ref);
        for (uint32_t i = flow.n_gives; i < flow.n; i++)
                flow.step[i].order = 1;
        return flow;
}

ps_ref ps_flow_call(const ps_trace *trace, ps_ref ref)
{
        ps_ref call = ps_op_completion(trace, ref), none = {PS_NONE, PS_NONE};
        const ps_ops *own = &trace->ops[ref.loc];
        if (call.op == PS_NONE || own->kind[ref.op] == PS_K_SENDRECV_SEND ||
            own->kind[ref.op] == PS_K_SENDRECV_RECV)
                return none;
        const ps_ops *ops = &trace->ops[call.loc];
        bool is_own = call.loc == ref.loc && call.op == ref.op;
        int waits = ps_kinds[ops->kind[call.op]].traits & PS_T_BLOCKING &&
                    (is_own || ps_op_completes_one(ops, call.op));
        return waits ? call : none;
}

ps_time ps_flow_stay(const ps_trace *trace, ps_ref ref)
{
        ps_ref call = ps_flow_call(trace, ref);
        return call.op == PS_NONE ? PS_STAY_UNKNOWN
                                  : ps_time_sub(trace->measured.leave[call.loc][call.op],
                                                trace->measured.enter[call.loc][call.op]);
}

/* Of the message from `send` to `recv`, in the measured run, without the questions that ps_op_record_begin()
 * and its like have to ask; false: they have to be asked. `to` is where it is received. */
static inline bool glance(const ps_trace *trace, const ps_ops *to, ps_ref send, ps_ref recv, ps_time *sent,
                          ps_time *received)
{
        const ps_op op = recv.op;
        ps_op done = ps_kinds_receive_at_once >> to->kind[op] & 1 ? op : to->done[op];
        uint32_t pre = trace->ops[send.loc].pre[send.op], post = to->post[op];
        if (done == PS_NONE || to->flags[op] & PS_OP_ELSEWHERE || pre == UINT32_MAX || post == UINT32_MAX)
                return false;
        *sent = ps_time_add(trace->measured.enter[send.loc][send.op], pre);
        *received = ps_time_sub(trace->measured.leave[recv.loc][done], post);
        return true;
}

static ps_status visit_messages(ps_flows *flows, int which, ps_loc loc, ps_flow_visitor visit, void *ctx,
                                ps_error *err)
{
        const ps_trace *trace = flows->trace;
        const ps_ops ops = trace->ops[loc];
        bool is_measured = flows->timing == &trace->measured; /* others have further limits */
        ps_message_visitor message = flows->drift ? NULL : flows->message;
        for (ps_op op = 0; op < ops.n; op++) {
                if (ops.kind[op] >= 64 || !(ps_kinds_receive >> ops.kind[op] & 1) ||
                    !(ops.flags[op] & PS_OP_MATCHED))
                        continue;
                ps_time sent = 0, received = 0;
                const ps_ref send = {ps_op_peer(&ops, op), ops.link[op]}, recv = {loc, op};
                bool is_plain = is_measured && glance(trace, &ops, send, recv, &sent, &received);
                if (is_plain && which == PS_FLOWS_SUSPECT && sent <= received)
                        continue;
                const ps_message_times m = {send.loc, recv, sent, received};
                if (is_plain && message) {
                        PS_TRY(message(ctx, &m, err));
                        continue;
                }
                ps_flow flow = is_plain ? plain_flow(flows, &m) : ps_flow_message(flows, m.recv);
                if (flow.n > 0)
                        PS_TRY(visit(ctx, &flow, PS_NONE, err));
        }
        return PS_OK;
}

/* Did each member begin before any of them ended, in the measured run, as the columns tell? Then it does not
 * matter who waits for whom. */
static bool overlaps(const ps_trace *trace, const ps_coll *coll)
{
        ps_time begun = INT64_MIN, ended = PS_TIME_MAX;
        for (const ps_member *m = &trace->members[coll->first], *end = m + coll->n; m < end; m++) {
                const ps_ref ref = m->ref;
                const ps_ops *ops = &trace->ops[ref.loc];
                ps_blocks_keep();
                const uint32_t pre = ops->pre[ref.op], post = ops->post[ref.op];
                const uint8_t flags = ops->flags[ref.op] & (PS_OP_NONBLOCKING | PS_OP_ELSEWHERE);
                const ps_op done = flags ? ops->done[ref.op] : ref.op;
                if (pre == UINT32_MAX || post == UINT32_MAX ||
                    (flags && (done == PS_NONE || flags & PS_OP_ELSEWHERE)))
                        return false;
                begun = ps_time_later(begun, trace->measured.enter[ref.loc][ref.op] + pre);
                ended = ps_time_earlier(ended, trace->measured.leave[ref.loc][done] - post);
        }
        return begun <= ended;
}

static ps_status visit_colls(ps_flows *flows, int which, uint32_t first, uint32_t end, ps_flow_visitor visit,
                             void *ctx, ps_error *err)
{
        const ps_trace *trace = flows->trace;
        bool skips = which == PS_FLOWS_SUSPECT && flows->timing == &trace->measured && !flows->drift;
        ps_status st = PS_OK;
        for (uint32_t c = first; c < end && st >= 0; c++) {
                if ((flows->apart && flows->apart->id[c] != PS_NONE) ||
                    (skips && overlaps(trace, &trace->colls[c])))
                        continue;
                ps_flow flow = ps_flow_coll(flows, c);
                if (flow.n > flow.n_gives)
                        st = visit(ctx, &flow, c, err);
        }
        return st;
}

/* A part is the messages that one location receives, or some collective operations. */
enum { PART_COLLS = 1024 };

uint32_t ps_flows_n_parts(const ps_trace *trace)
{
        return trace->n_locs + trace->n_colls / PART_COLLS + 1;
}

ps_status ps_flows_visit_part(ps_flows *flows, int which, uint32_t part, ps_flow_visitor visit, void *ctx,
                              ps_error *err)
{
        const ps_trace *trace = flows->trace;
        if (part < trace->n_locs)
                return visit_messages(flows, which, part, visit, ctx, err);
        uint32_t first = (part - trace->n_locs) * PART_COLLS, left = trace->n_colls - first;
        return visit_colls(flows, which, first, first + (left < PART_COLLS ? left : PART_COLLS), visit, ctx,
                           err);
}

ps_status ps_flows_visit_colls(ps_flows *flows, ps_flow_visitor visit, void *ctx, ps_error *err)
{
        ps_status st = visit_colls(flows, PS_FLOWS_ALL, 0, flows->trace->n_colls, visit, ctx, err);
        return flows->apart ? ps_flows_visit_dealt(flows, 0, st, visit, ctx, err) : st;
}

ps_status ps_flows_visit(ps_flows *flows, int which, ps_flow_visitor visit, void *ctx, ps_error *err)
{
        uint32_t n = ps_flows_n_parts(flows->trace);
        ps_status st = PS_OK;
        for (uint32_t part = 0; part < n && st >= 0; part++)
                st = ps_flows_visit_part(flows, which, part, visit, ctx, err);
        return flows->apart ? ps_flows_visit_dealt(flows, 0, st, visit, ctx, err) : st;
}
