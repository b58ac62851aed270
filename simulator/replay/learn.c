/* learn.c - what the recording shows of the machine it was made on: from which size on senders wait, and what
 * calls and transfers take at least.
 *
 * A transfer begins when both who take part in it have begun (of a message that nobody waits for: when it is
 * sent), and ends with the call that needs it, unless that call has something else to wait for. So each is
 * looked at three times over: whatever was seen is an upper limit of it (limits); what was there for longer
 * than that does not hold up a call, which shows what the call takes itself (own times); and what is left of
 * calls that were held up by one transfer is how long that took (transfers). */
#include "simulator/replay/plan.h"

#include "core/base/parallel.h"

#include <stdlib.h>

/* A send that was held up for less might as well have been on its way just then. */
#define CLEARLY (10 * 1000 * PS_PS_PER_NS)

typedef struct learning {
        ps_replay *replay;
        learnt *least; /* by worker */
} learning;

static void keep_least(ps_time *at, ps_time time)
{
        if (time >= 0 && time < *at)
                *at = time;
}

static ps_time later_of(ps_time a, ps_time b)
{
        return a > b ? a : b;
}

static ps_time begin_of(const ps_replay *r, ps_ref ref)
{
        return r->timing->enter[ref.loc][ref.op];
}

/* -- the first time: limits -- */

/* Was the send held up by its receiver, or as long as its transfer? */
static bool is_clearly_held_up(ps_time enter, ps_time posted, ps_time over, ps_time received)
{
        ps_time start = later_of(enter, posted), took = over - start;
        if (posted - enter > CLEARLY && posted - enter > took)
                return 1;
        return took > CLEARLY && took >= (received - start) / 2;
}

static void limit_send(const ps_replay *r, learnt *l, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        ps_ref done = ps_op_completion(r->trace, (ps_ref){loc, op});
        if (r->steps[loc][op].flags & (STEP_SYNCHRONOUS | STEP_BUFFERED) || done.op == PS_NONE)
                return;
        ps_ref recv = {ops->peer[op], ops->link[op]}, received = ps_op_completion(r->trace, recv);
        ps_time posted = begin_of(r, recv);
        ps_time enter = r->timing->enter[loc][op], over = r->timing->leave[done.loc][done.op];
        uint64_t bytes = ops->bytes[op];
        if (over < posted || (over == posted && over - enter <= CLEARLY))
                l->eager_below = bytes >= l->eager_below ? bytes + (bytes < UINT64_MAX) : l->eager_below;
        else if (ops->kind[op] == PS_K_SEND && received.op != PS_NONE &&
                 is_clearly_held_up(enter, posted, over, r->timing->leave[received.loc][received.op]))
                l->rendezvous_min = bytes < l->rendezvous_min ? bytes : l->rendezvous_min;
}

static void limit_transfer(const ps_replay *r, learnt *l, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        ps_ref done = ps_op_completion(r->trace, (ps_ref){loc, op});
        if (done.op == PS_NONE)
                return;
        ps_time over = r->timing->leave[done.loc][done.op];
        if (s->code == STEP_RECV)
                keep_least(&l->until_received[size_class(ops->bytes[op])],
                           over - begin_of(r, (ps_ref){ops->peer[op], ops->link[op]}));
        else
                keep_least(&l->until_left[ops->kind[op]], over - awaited_begin(r, s->arg));
}

static ps_status learn_limits(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        learning *learn = ctx;
        const ps_replay *r = learn->replay;
        learnt *l = &learn->least[worker];
        (void)err;
        for (ps_op op = 0; op < r->trace->ops[loc].n; op++) {
                const step *s = &r->steps[loc][op];
                if (s->code == STEP_SEND)
                        limit_send(r, l, loc, op);
                else if (s->code == STEP_RECV || (s->code == STEP_COLLECTIVE && !(s->flags & STEP_FREE) &&
                                                  awaited_begin(r, s->arg) != INT64_MIN))
                        limit_transfer(r, l, loc, op);
        }
        return PS_OK;
}

/* What a shorter message took is at most what a longer one did. */
static void spread_limits(learnt *l)
{
        for (int i = SIZE_CLASSES - 1; i-- > 0;)
                keep_least(&l->until_received[i], l->until_received[i + 1]);
}

/* -- a call and what it waits for -- */

typedef struct call {
        ps_time enter, leave, start; /* of the transfer that began last; INT64_MIN: there is none */
        ps_op last;                  /* its operation, or PS_NONE */
        bool is_alone;               /* nothing can have been there later than that one */
        bool is_there;               /* all had been through before the call began, surely */
        bool is_member;              /* of a collective operation, which waits for nobody, but sends */
} call;

/* When the transfer that the operation waits for began; INT64_MIN: it waits for nothing. */
static ps_time start_of(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        if (s->code == STEP_COLLECTIVE)
                return s->flags & STEP_FREE ? INT64_MIN : awaited_begin(r, s->arg);
        if (s->code != STEP_SEND && s->code != STEP_RECV)
                return INT64_MIN;
        ps_ref other = {ops->peer[op], ops->link[op]};
        ps_ref send = s->code == STEP_SEND ? (ps_ref){loc, op} : other;
        if (is_held_up(&r->least, s->flags, step_bytes(r, send.loc, send.op)))
                return later_of(r->timing->enter[loc][op], begin_of(r, other));
        return s->code == STEP_RECV ? begin_of(r, other) : INT64_MIN;
}

static ps_time limit_of(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        return r->steps[loc][op].code == STEP_COLLECTIVE
                       ? r->least.until_left[ops->kind[op]]
                       : r->least.until_received[size_class(ops->bytes[op])];
}

/* A transfer that begins later, is as long, and is received: it is there last. */
static bool is_surely_later(const ps_replay *r, ps_loc loc, ps_op op, ps_op other)
{
        const ps_ops *ops = &r->trace->ops[loc];
        uint8_t code = r->steps[loc][op].code, before = r->steps[loc][other].code;
        return code != STEP_COLLECTIVE && before != STEP_COLLECTIVE && ops->bytes[op] >= ops->bytes[other] &&
               (code == STEP_RECV || before == STEP_SEND);
}

static void look_at(const ps_replay *r, ps_loc loc, ps_op op, call *c)
{
        ps_time start = start_of(r, loc, op);
        if (start == INT64_MIN) {
                c->is_member |= r->steps[loc][op].code == STEP_COLLECTIVE;
                return;
        }
        ps_time limit = limit_of(r, loc, op);
        c->is_there &= limit < PS_TIME_MAX && start < c->enter && limit <= c->enter - start;
        if (c->last == PS_NONE) {
                c->last = op;
                c->start = start;
        } else if (start > c->start || (start == c->start && is_surely_later(r, loc, op, c->last))) {
                c->is_alone = is_surely_later(r, loc, op, c->last);
                c->last = op;
                c->start = start;
        } else {
                c->is_alone &= is_surely_later(r, loc, c->last, op);
        }
}

static call look_at_call(const ps_replay *r, ps_loc loc, ps_op *op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        call c = {r->timing->enter[loc][*op], r->timing->leave[loc][*op], INT64_MIN, PS_NONE, 1, 1, 0};
        const step *s;
        do {
                s = &r->steps[loc][*op];
                if (s->code == STEP_COMPLETE)
                        for (uint32_t i = 0; i < n_completed(s, ops, *op); i++)
                                look_at(r, loc, completed_by(s, ops, i), &c);
                else if (!(s->flags & STEP_NONBLOCKING))
                        look_at(r, loc, *op, &c);
        } while (++*op < ops->n && s->flags & STEP_MORE);
        return c;
}

typedef void learn_call(const ps_replay *r, learnt *l, ps_loc loc, ps_op first, const call *c);

static void learn_calls(const learning *learn, uint32_t loc, unsigned worker, learn_call *of)
{
        const ps_replay *r = learn->replay;
        for (ps_op op = 0; op < r->trace->ops[loc].n;) {
                ps_op first = op;
                call c = look_at_call(r, loc, &op);
                if (r->steps[loc][first].code >= STEP_SEND)
                        of(r, &learn->least[worker], loc, first, &c);
        }
}

/* -- the second time: own times -- */

static void learn_own(const ps_replay *r, learnt *l, ps_loc loc, ps_op first, const call *c)
{
        const ps_ops *ops = &r->trace->ops[loc];
        uint8_t kind = ops->kind[first];
        if (c->start <= c->enter)
                keep_least(&l->begun[kind][size_class(ops->bytes[first])], c->leave - c->enter);
        /* Half of a Sendrecv that was interrupted says nothing of a whole one. */
        bool is_half = kind == PS_K_SENDRECV_SEND && c->last == PS_NONE;
        if (c->is_there && !c->is_member && !is_half)
                keep_least(&l->own[kind], c->leave - c->enter);
        keep_least(&l->after[kind], c->leave - later_of(c->enter, c->start));
}

/* A call never takes more itself than any call of its kind did in all, once everything had begun. */
static void settle_own_times(learnt *l)
{
        for (int kind = 0; kind < PS_K_COUNT; kind++)
                l->own[kind] = l->own[kind] == PS_TIME_MAX     ? 0
                               : l->after[kind] < l->own[kind] ? l->after[kind]
                                                               : l->own[kind];
}

static ps_status learn_own_times(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        (void)err;
        learn_calls(ctx, loc, worker, learn_own);
        return PS_OK;
}

/* -- the third time: transfers -- */

static void learn_transfer(const ps_replay *r, learnt *l, ps_loc loc, ps_op first, const call *c)
{
        const ps_ops *ops = &r->trace->ops[loc];
        ps_time own = r->least.own[ops->kind[first]], took = c->leave - c->enter;
        own = own < took ? own : took;
        l->in_calls = ps_time_add(l->in_calls, took);
        if (c->last != PS_NONE || c->is_member)
                l->in_transfers = ps_time_add(l->in_transfers, took - own);
        if (c->start < c->enter || !c->is_alone || c->leave - c->start <= own)
                return;
        const step *s = &r->steps[loc][c->last];
        ps_time time = c->leave - c->start - own;
        if (s->code == STEP_RECV)
                ps_line_add(&l->flight, ops->bytes[c->last], time);
        else if (s->code == STEP_SEND)
                ps_line_add(&l->release, ops->bytes[c->last], time);
        else if (!(s->flags & STEP_KEPT)) {
                const ps_coll *coll = &r->trace->colls[r->trace->members[s->arg].coll];
                ps_line_add(&l->collective[coll->kind], r->colls[r->trace->members[s->arg].coll].bytes,
                            time / (ps_time)rounds_of(coll->n));
        }
}

static ps_status learn_transfers(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        (void)err;
        learn_calls(ctx, loc, worker, learn_transfer);
        return PS_OK;
}

/* -- all of it -- */

static void clear(learnt *l)
{
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                for (int i = 0; i < SIZE_CLASSES; i++)
                        l->begun[kind][i] = PS_TIME_MAX;
                l->own[kind] = l->after[kind] = l->until_left[kind] = PS_TIME_MAX;
                ps_line_clear(&l->collective[kind]);
        }
        for (int i = 0; i < SIZE_CLASSES; i++)
                l->until_received[i] = PS_TIME_MAX;
        ps_line_clear(&l->flight);
        ps_line_clear(&l->release);
        l->in_calls = l->in_transfers = 0;
        l->eager_below = 0;
        l->rendezvous_min = UINT64_MAX;
}

static void merge(learnt *into, const learnt *from)
{
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                for (int i = 0; i < SIZE_CLASSES; i++)
                        keep_least(&into->begun[kind][i], from->begun[kind][i]);
                keep_least(&into->own[kind], from->own[kind]);
                keep_least(&into->after[kind], from->after[kind]);
                keep_least(&into->until_left[kind], from->until_left[kind]);
                ps_line_merge(&into->collective[kind], &from->collective[kind]);
        }
        for (int i = 0; i < SIZE_CLASSES; i++)
                keep_least(&into->until_received[i], from->until_received[i]);
        ps_line_merge(&into->flight, &from->flight);
        ps_line_merge(&into->release, &from->release);
        into->in_calls = ps_time_add(into->in_calls, from->in_calls);
        into->in_transfers = ps_time_add(into->in_transfers, from->in_transfers);
        if (from->eager_below > into->eager_below)
                into->eager_below = from->eager_below;
        if (from->rendezvous_min < into->rendezvous_min)
                into->rendezvous_min = from->rendezvous_min;
}

/* What was never seen takes no time: the least that can be said. */
static void fill_gaps(ps_time *time, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (time[i] == PS_TIME_MAX)
                        time[i] = 0;
}

typedef ps_status learn_location(void *ctx, uint32_t loc, unsigned worker, ps_error *err);

static ps_status learn_with(learning *learn, unsigned n_workers, learn_location *of, unsigned n_threads,
                            ps_error *err)
{
        for (unsigned i = 0; i < n_workers; i++)
                clear(&learn->least[i]);
        ps_status status = ps_parallel_for(n_threads, learn->replay->trace->n_locs, of, learn, err);
        for (unsigned i = 0; i < n_workers; i++)
                merge(&learn->replay->least, &learn->least[i]);
        return status;
}

ps_status ps_replay_learn(ps_replay *r, unsigned n_threads, ps_error *err)
{
        unsigned n_workers = ps_parallel_threads(n_threads);
        learning learn = {r, malloc(n_workers * sizeof(*learn.least))};
        learnt *l = &r->least;
        if (!learn.least)
                return PS_NOMEM(err, "workers", n_workers);
        clear(l);
        ps_status status = learn_with(&learn, n_workers, learn_limits, n_threads, err);
        spread_limits(l);
        PS_THEN(status, learn_with(&learn, n_workers, learn_own_times, n_threads, err));
        settle_own_times(l);
        PS_THEN(status, learn_with(&learn, n_workers, learn_transfers, n_threads, err));
        fill_gaps(&l->begun[0][0], sizeof(l->begun) / sizeof(ps_time));
        free(learn.least);
        r->info.waits_from = waits_from(l);
        r->info.in_calls = l->in_calls;
        r->info.in_transfers = l->in_transfers;
        return status == PS_OK ? ps_replay_draw_lines(r, err) : status;
}
