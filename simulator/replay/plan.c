/* plan.c - turns the rows of a trace into steps. See plan.h. */
#include "simulator/replay/plan.h"

#include "core/base/blocks.h"
#include "core/base/map.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"

#include <stdlib.h>

/* -- lengths of messages -- */

/* Those that were asked for last: mostly there are a few, in turn. */
enum { N_SIZED = 8 };

typedef struct sized {
        uint64_t bytes;
        uint16_t size;
} sized;

static void forget_sizes(sized last[N_SIZED])
{
        for (int i = 0; i < N_SIZED; i++)
                last[i] = (sized){UINT64_MAX, STEP_SIZE_ODD};
}

static ps_status collect_sizes(ps_map *map, ps_replay *r, ps_error *err)
{
        const ps_trace *trace = r->trace;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                sized last[N_SIZED];
                forget_sizes(last);
                for (ps_op op = 0; op < ops->n && map->n < STEP_SIZE_ODD; op++) {
                        if (ps_kinds[ops->kind[op]].cls != PS_C_SEND)
                                continue;
                        uint64_t bytes = ps_op_bytes(ops, op),
                                 *known = &last[size_class(bytes) % N_SIZED].bytes;
                        if (bytes == *known || bytes == UINT64_MAX)
                                continue;
                        if (!ps_map_at(map, (uint32_t)(bytes >> 32), (uint32_t)bytes, (ps_time)map->n))
                                return PS_NOMEM(err, "lengths of messages", map->n);
                        *known = bytes;
                }
        }
        r->n_sizes = (uint32_t)map->n;
        r->sizes = calloc(map->n + 1, sizeof(*r->sizes));
        if (!r->sizes)
                return PS_NOMEM(err, "lengths of messages", map->n);
        for (size_t i = 0; i < map->cap; i++)
                if (map->row[i].a != PS_NONE || map->row[i].b != PS_NONE)
                        r->sizes[map->row[i].value] = (uint64_t)map->row[i].a << 32 | map->row[i].b;
        return PS_OK;
}

/* -- steps -- */

typedef struct planning {
        ps_replay *replay;
        ps_map sizes;
        uint32_t *first_message; /* by location: of those that it receives */
} planning;

static bool is_matched(const ps_ops *ops, ps_op op, ps_class cls)
{
        return ps_kinds[ops->kind[op]].cls == cls && (ops->flags[op] & PS_OP_MATCHED) != 0;
}

static uint8_t send_flags(const ps_trace *trace, uint8_t kind)
{
        if (kind == PS_K_SSEND || kind == PS_K_ISSEND)
                return STEP_SYNCHRONOUS;
        int standard = kind == PS_K_SEND || kind == PS_K_ISEND || kind == PS_K_SENDRECV_SEND;
        return standard && !trace->defs.sends_are_buffered ? 0 : STEP_BUFFERED;
}

/* A call that asks too early, and soon asks again or gets what it asked for. */
static bool is_spinning(const ps_ops *ops, const ps_time *enter, const ps_time *leave, ps_op op)
{
        uint8_t kind = ops->kind[op];
        int asks = kind == PS_K_IPROBE || (kind >= PS_K_TEST && kind <= PS_K_TESTSOME && !ps_op_tag(ops, op));
        if (!asks || op + 1 >= ops->n || (ops->flags[op] | ops->flags[op + 1]) & PS_OP_PART ||
            ps_op_continues(ops, op + 2))
                return 0;
        uint8_t next = ops->kind[op + 1];
        int same = kind == PS_K_IPROBE ? next == PS_K_IPROBE || ps_kinds[next].cls == PS_C_RECV
                                       : next >= PS_K_TEST && next <= PS_K_TESTSOME;
        return same && enter[op + 1] >= leave[op] && enter[op + 1] - leave[op] <= leave[op] - enter[op];
}

/* A step of either end, but for what is its own; the sender says how long the message is and in which mode it
 * is sent. */
static step message_step(const planning *p, ps_ref send, sized *last)
{
        const ps_trace *trace = p->replay->trace;
        const uint64_t bytes = step_bytes(p->replay, send.loc, send.op);
        sized *of = &last[size_class(bytes) % N_SIZED];
        if (bytes != of->bytes)
                *of = (sized){bytes, (uint16_t)ps_map_get(&p->sizes, (uint32_t)(bytes >> 32), (uint32_t)bytes,
                                                          STEP_SIZE_ODD)};
        return (step){.flags = send_flags(trace, trace->ops[send.loc].kind[send.op]), .size = of->size};
}

/* Of an end, or a call that waits for one. */
static step end_of_message(const ps_trace *trace, ps_ref own, step s, step_code code, uint32_t message)
{
        const ps_ops *ops = &trace->ops[own.loc];
        s.arg = message;
        s.code = (uint8_t)code;
        if (!(ps_kinds[ops->kind[own.op]].traits & PS_T_BLOCKING))
                s.flags |= STEP_NONBLOCKING;
        if (ps_op_continues(ops, own.op + 1))
                s.flags |= STEP_MORE;
        return s;
}

/* Of its sender, too. */
static step receiving_step(const planning *p, ps_ref own, uint32_t message, sized *last)
{
        const ps_trace *trace = p->replay->trace;
        const ps_ref send = ps_op_partner(trace, own);
        const step s = message_step(p, send, last);
        p->replay->steps[send.loc][send.op] = end_of_message(trace, send, s, STEP_SEND, message);
        return end_of_message(trace, own, s, STEP_RECV, message);
}

/* Of the message that is received next. */
static step probing_step(const planning *p, ps_ref own, uint32_t message, sized *last)
{
        const ps_trace *trace = p->replay->trace;
        const step s = message_step(p, ps_op_partner(trace, (ps_ref){own.loc, own.op + 1}), last);
        return end_of_message(trace, own, s, STEP_PROBE, message);
}

static step collective_step(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        uint32_t member = ops->link[op];
        step s = {.arg = member, .code = STEP_COLLECTIVE};
        if (ops->flags[op] & PS_OP_NONBLOCKING)
                s.flags |= STEP_NONBLOCKING;
        if (is_kept_collective(ops->kind[op]))
                s.flags |= STEP_KEPT;
        ps_ref done = ps_op_completion(r->trace, (ps_ref){loc, op});
        ps_time left = done.op == PS_NONE ? PS_TIME_MAX : r->timing->leave[done.loc][done.op];
        if (!(ps_kinds[ops->kind[op]].traits & PS_T_BARRIER) && awaited_begin(r, member) > left)
                s.flags |= STEP_FREE;
        return s;
}

/* In a broken trace a request may be completed before it began. */
static bool completes_what_began(const ps_ops *ops, ps_op op)
{
        ps_op last = op; /* of the call */
        while (ps_op_continues(ops, last + 1))
                last++;
        for (uint32_t i = 0; i < ps_op_tag(ops, op); i++)
                if (ps_op_completed(ops, op, i) > last)
                        return false;
        return true;
}

/* Most calls complete what began right one after the other: then the step says all of it. */
static step completing_step(const ps_ops *ops, ps_op op)
{
        uint32_t n = ps_op_tag(ops, op), i = 1;
        const ps_op first = ps_op_completed(ops, op, 0);
        while (i < n && ps_op_completed(ops, op, i) == first + i)
                i++;
        if (i == n && n <= UINT16_MAX)
                return (step){first, STEP_COMPLETE, STEP_IN_A_ROW, (uint16_t)n};
        return (step){.code = STEP_COMPLETE};
}

static step plan_row(const planning *p, ps_loc loc, ps_op op)
{
        const ps_replay *r = p->replay;
        const ps_ops *ops = &r->trace->ops[loc];
        step s = {.code = STEP_LOCAL};
        if (is_matched(ops, op, PS_C_COLL) &&
            (!(ps_kinds[ops->kind[op]].traits & PS_T_SPARSE) || has_rank(r, ops->link[op])))
                s = collective_step(r, loc, op);
        else if (ps_kinds[ops->kind[op]].cls == PS_C_COMPLETE && ps_op_tag(ops, op) &&
                 completes_what_began(ops, op))
                s = completing_step(ops, op);
        else if (is_spinning(ops, r->timing->enter[loc], r->timing->leave[loc], op))
                s.code = STEP_SPIN;
        if (ps_op_continues(ops, op + 1))
                s.flags |= STEP_MORE;
        return s;
}

static bool is_communication(uint8_t kind)
{
        ps_class cls = ps_kinds[kind].cls;
        return cls == PS_C_SEND || cls == PS_C_RECV || cls == PS_C_COLL || cls == PS_C_RMA ||
               cls == PS_C_RMA_SYNC;
}

/* Of one location. */
static uint64_t count_kept(const ps_replay *r, ps_loc loc)
{
        uint64_t n = 0;
        for (ps_op op = 0; op < r->trace->ops[loc].n; op++)
                n += r->steps[loc][op].code == STEP_LOCAL && is_communication(r->trace->ops[loc].kind[op]);
        return n;
}

static ps_status plan_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        planning *p = ctx;
        (void)worker, (void)err;
        const ps_ops *ops = &p->replay->trace->ops[loc];
        step *steps = p->replay->steps[loc];
        uint32_t message = p->first_message[loc];
        sized last[N_SIZED];
        forget_sizes(last);
        for (ps_op op = 0; op < ops->n; op++) {
                const ps_ref own = {loc, op};
                ps_blocks_keep();
                if (is_matched(ops, op, PS_C_RECV))
                        steps[op] = receiving_step(p, own, message++, last);
                else if (ops->kind[op] == PS_K_PROBE && op + 1 < ops->n && is_matched(ops, op + 1, PS_C_RECV))
                        steps[op] = probing_step(p, own, message, last);
                else if (!is_matched(ops, op, PS_C_SEND)) /* else its receiver writes it */
                        steps[op] = plan_row(p, loc, op);
        }
        return PS_OK;
}

/* -- collectives -- */

static ps_status look_at_collectives(ps_replay *r, ps_error *err)
{
        const ps_trace *trace = r->trace;
        r->colls = ps_memory_zeroed((size_t)trace->n_colls + 1, sizeof(*r->colls));
        if (!r->colls)
                return PS_NOMEM(err, "collective operations", trace->n_colls);
        for (uint32_t c = 0; c < trace->n_colls; c++) {
                const ps_coll *coll = &trace->colls[c];
                ps_time latest = INT64_MIN;
                for (uint32_t m = coll->first; m < coll->first + coll->n; m++) {
                        ps_ref ref = trace->members[m].ref;
                        ps_time enter = r->timing->enter[ref.loc][ref.op];
                        latest = enter > latest ? enter : latest;
                }
                r->has_kind[coll->kind] = true;
                r->colls[c] = (replay_coll){.begin = latest, .bytes = ps_replay_coll_bytes(trace, coll)};
        }
        return PS_OK;
}

/* -- all of it -- */

static ps_status make_plan_room(planning *p, ps_error *err)
{
        ps_replay *r = p->replay;
        uint32_t n_locs = r->trace->n_locs;
        r->steps = calloc(n_locs + 1, sizeof(*r->steps));
        p->first_message = calloc(n_locs + 1, sizeof(*p->first_message));
        if (!r->steps || !p->first_message)
                return PS_NOMEM(err, "locations", n_locs);
        for (ps_loc loc = 0; loc < n_locs; loc++)
                r->info.n_operations += r->trace->ops[loc].n;
        step *next = ps_memory_zeroed(r->info.n_operations, sizeof(*next));
        if (!next)
                return PS_NOMEM(err, "steps", r->info.n_operations);
        r->steps[0] = next;
        for (ps_loc loc = 0; loc < n_locs; loc++) {
                const ps_ops *ops = &r->trace->ops[loc];
                r->steps[loc] = next;
                next += ops->n;
                p->first_message[loc] = r->n_messages;
                for (ps_op op = 0; op < ops->n; op++) {
                        r->n_messages += (uint32_t)is_matched(ops, op, PS_C_RECV);
                        r->has_kind[ops->kind[op]] = true;
                }
        }
        return PS_OK;
}

typedef ps_status learn_from(ps_replay *replay, unsigned n_threads, ps_error *err);

static ps_status plan(planning *p, learn_from *learn, unsigned n_threads, ps_error *err)
{
        ps_replay *r = p->replay;
        PS_TRY(collect_sizes(&p->sizes, r, err));
        PS_TRY(look_at_collectives(r, err));
        PS_TRY(ps_replay_find_ranks(r, err));
        PS_TRY(make_plan_room(p, err));
        PS_TRY(ps_parallel_for(n_threads, r->trace->n_locs, plan_location, p, err));
        PS_TRY(ps_replay_find_forks(r, err));
        PS_TRY(ps_replay_find_locks(r, err));
        PS_TRY(learn(r, n_threads, err));
        for (ps_loc loc = 0; loc < r->trace->n_locs; loc++)
                r->info.n_kept += count_kept(r, loc);
        r->info.n_messages = r->n_messages;
        r->info.n_collectives = r->trace->n_colls;
        return PS_OK;
}

static ps_status make_replay(ps_replay **out, const ps_trace *trace, const ps_timing *timing,
                             learn_from *learn, unsigned n_threads, ps_error *err)
{
        *out = NULL;
        ps_replay *r = calloc(1, sizeof(*r));
        if (!r)
                return PS_NOMEM(err, "replay", 1);
        r->trace = trace;
        r->timing = timing;
        planning p = {.replay = r};
        ps_status status = plan(&p, learn, n_threads, err);
        ps_map_free(&p.sizes);
        free(p.first_message);
        if (status == PS_OK)
                *out = r;
        else
                ps_replay_free(r);
        return status;
}

ps_status ps_replay_new(ps_replay **out, const ps_trace *trace, const ps_timing *timing, unsigned n_threads,
                        ps_error *err)
{
        return make_replay(out, trace, timing, ps_replay_learn, n_threads, err);
}

ps_status ps_replay_new_for_machines(ps_replay **out, const ps_trace *trace, const ps_timing *timing,
                                     unsigned n_threads, ps_error *err)
{
        return make_replay(out, trace, timing, ps_replay_learn_kept, n_threads, err);
}

/* Computations between calls that are told elsewhere. */
static ps_status move_computations(ps_replay *r, ps_loc loc, const ps_time *gap, ps_error *err)
{
        const ps_time *enter = r->timing->enter[loc];
        ps_op n = r->trace->ops[loc].n;
        ps_time *over = r->over[loc] = ps_memory_new((n + (size_t)1) * sizeof(*over));
        if (!over)
                return PS_NOMEM(err, "operations", n);
        for (ps_op row = 0; row <= n; row++)
                over[row] = (row < n ? enter[row] : r->trace->info[loc].last) - gap[row];
        return PS_OK;
}

ps_status ps_replay_new_reordered(ps_replay **out, const ps_reordered *reordered, unsigned n_threads,
                                  ps_error *err)
{
        const ps_trace *trace = &reordered->trace;
        ps_status status = ps_replay_new(out, trace, &reordered->calls, n_threads, err);
        if (status != PS_OK)
                return status;
        (*out)->over = calloc((size_t)trace->n_locs + 1, sizeof(*(*out)->over));
        if (!(*out)->over)
                status = PS_NOMEM(err, "locations", trace->n_locs);
        for (ps_loc loc = 0; loc < trace->n_locs && status == PS_OK; loc++)
                if (reordered->gap[loc])
                        status = move_computations(*out, loc, reordered->gap[loc], err);
        if (status == PS_OK)
                return PS_OK;
        ps_replay_free(*out);
        *out = NULL;
        return status;
}

void ps_replay_free(ps_replay *r)
{
        if (!r)
                return;
        for (ps_loc loc = 0; r->over && loc < r->trace->n_locs; loc++)
                free(r->over[loc]);
        free(r->over);
        if (r->steps)
                free(r->steps[0]);
        free(r->steps);
        free(r->sizes);
        free(r->colls);
        free(r->ranks);
        free(r->flight);
        free(r->forks);
        free(r->locks);
        free(r);
}

const ps_replay_info *ps_replay_info_of(const ps_replay *replay)
{
        return &replay->info;
}
