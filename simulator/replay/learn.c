/* learn.c - what the recording shows of the machine it was made on: from which size on senders wait,
 * and the least that calls and messages take.
 *
 * Of a call that waited it is known when its partner began and when it was over, but not what it would have
 * taken without waiting; of one that did not wait the reverse. Either gap is filled by the least that was
 * seen elsewhere for a call of that kind and size, and never by more than the call leaves room for: so that
 * nothing changes unless something is changed. */
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

/* -- from which size on senders wait -- */

static void learn_limit(const ps_replay *r, learnt *l, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        ps_ref done = ps_op_completion(r->trace, (ps_ref){loc, op});
        if (r->steps[loc][op].flags & (STEP_SYNCHRONOUS | STEP_BUFFERED) || done.op == PS_NONE)
                return;
        ps_time posted = r->timing->enter[ops->peer[op]][ops->link[op]];
        ps_time enter = r->timing->enter[loc][op], over = r->timing->leave[done.loc][done.op];
        uint64_t bytes = ops->bytes[op];
        if (over <= posted) {
                l->eager_below = bytes >= l->eager_below ? bytes + (bytes < UINT64_MAX) : l->eager_below;
        } else if (ops->kind[op] == PS_K_SEND && posted - enter > CLEARLY && posted - enter > over - posted) {
                l->rendezvous_min = bytes < l->rendezvous_min ? bytes : l->rendezvous_min;
        }
}

static ps_status learn_limits(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        learning *learn = ctx;
        (void)err;
        for (ps_op op = 0; op < learn->replay->trace->ops[loc].n; op++)
                if (learn->replay->steps[loc][op].code == STEP_SEND)
                        learn_limit(learn->replay, &learn->least[worker], loc, op);
        return PS_OK;
}

/* -- the least of all -- */

/* What an operation waited for, and when that began; INT64_MIN: nothing. */
static ps_time begin_of_partner(const ps_replay *r, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        switch (s->code) {
        case STEP_SEND:
                return is_held_up(&r->least, s->flags, ops->bytes[op])
                               ? r->timing->enter[ops->peer[op]][ops->link[op]]
                               : INT64_MIN;
        case STEP_RECV:
                return r->timing->enter[ops->peer[op]][ops->link[op]];
        case STEP_COLLECTIVE:
                return awaited_begin(r, s->arg);
        default:
                return INT64_MIN;
        }
}

/* How a call waited in the recording: what it is made of is looked at one after the other. */
typedef struct waiting {
        ps_time enter, leave;
        ps_time latest; /* when the last partner started; INT64_MIN: nobody */
} waiting;

static bool has_waited(const waiting *w)
{
        return w->latest > w->enter;
}

typedef struct call {
        waiting w;
        ps_op latest; /* the operation whose partner came last, or PS_NONE */
} call;

static void look_at(const ps_replay *r, ps_loc loc, ps_op op, call *c)
{
        ps_time begin = begin_of_partner(r, loc, op);
        if (begin > c->w.latest) {
                c->w.latest = begin;
                c->latest = op;
        }
}

static void look_at_row(const ps_replay *r, ps_loc loc, ps_op op, call *c)
{
        const ps_ops *ops = &r->trace->ops[loc];
        const step *s = &r->steps[loc][op];
        if (s->code == STEP_COMPLETE)
                for (uint32_t i = 0; i < n_completed(s, ops, op); i++)
                        look_at(r, loc, completed_by(s, ops, i), c);
        else if (!(s->flags & STEP_NONBLOCKING))
                look_at(r, loc, op, c);
}

static void learn_call(const ps_replay *r, learnt *l, ps_loc loc, ps_op first, const call *c)
{
        const ps_ops *ops = &r->trace->ops[loc];
        if (!has_waited(&c->w)) {
                keep_least(&l->own[ops->kind[first]][size_class(ops->bytes[first])], c->w.leave - c->w.enter);
                return;
        }
        ps_time took = c->w.leave - c->w.latest;
        unsigned class = size_class(ops->bytes[c->latest]);
        switch (r->steps[loc][c->latest].code) {
        case STEP_SEND:
                keep_least(&l->release[class], took);
                break;
        case STEP_RECV:
                keep_least(&l->flight[class], took);
                break;
        default:
                keep_least(&l->collective[ops->kind[c->latest]], took);
        }
}

static ps_status learn_least(void *ctx, uint32_t loc, unsigned worker, ps_error *err)
{
        learning *learn = ctx;
        const ps_replay *r = learn->replay;
        (void)err;
        for (ps_op op = 0, n = r->trace->ops[loc].n; op < n;) {
                ps_op first = op;
                call c = {{r->timing->enter[loc][op], r->timing->leave[loc][op], INT64_MIN}, PS_NONE};
                do {
                        look_at_row(r, loc, op, &c);
                } while (r->steps[loc][op++].flags & STEP_MORE && op < n);
                if (r->steps[loc][first].code >= STEP_SEND)
                        learn_call(r, &learn->least[worker], loc, first, &c);
        }
        return PS_OK;
}

/* -- all of it -- */

static void clear(learnt *l)
{
        ps_time *cell = &l->own[0][0];
        for (size_t i = 0; i < sizeof(l->own) / sizeof(*cell); i++)
                cell[i] = PS_TIME_MAX;
        for (int i = 0; i < SIZE_CLASSES; i++)
                l->flight[i] = l->release[i] = PS_TIME_MAX;
        for (int i = 0; i < PS_K_COUNT; i++)
                l->collective[i] = PS_TIME_MAX;
        l->eager_below = 0;
        l->rendezvous_min = UINT64_MAX;
}

static void merge(learnt *into, const learnt *from)
{
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                for (int i = 0; i < SIZE_CLASSES; i++)
                        keep_least(&into->own[kind][i], from->own[kind][i]);
                keep_least(&into->collective[kind], from->collective[kind]);
        }
        for (int i = 0; i < SIZE_CLASSES; i++) {
                keep_least(&into->flight[i], from->flight[i]);
                keep_least(&into->release[i], from->release[i]);
        }
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

/* A message takes at least what a shorter one does. */
static ps_time spread(ps_time flight[SIZE_CLASSES])
{
        ps_time first = PS_TIME_MAX;
        for (int i = 0; i < SIZE_CLASSES; i++)
                first = flight[i] < first ? flight[i] : first;
        if (first == PS_TIME_MAX)
                first = 0;
        ps_time before = first;
        for (int i = 0; i < SIZE_CLASSES; i++) {
                if (flight[i] == PS_TIME_MAX)
                        flight[i] = before;
                before = flight[i];
        }
        return first;
}

static ps_status learn_with(ps_replay *r, learning *learn, unsigned n_workers, unsigned n_threads,
                            ps_error *err)
{
        clear(&r->least);
        for (unsigned i = 0; i < n_workers; i++)
                clear(&learn->least[i]);
        ps_status status = ps_parallel_for(n_threads, r->trace->n_locs, learn_limits, learn, err);
        for (unsigned i = 0; i < n_workers; i++)
                merge(&r->least, &learn->least[i]);
        PS_THEN(status, ps_parallel_for(n_threads, r->trace->n_locs, learn_least, learn, err));
        for (unsigned i = 0; i < n_workers; i++)
                merge(&r->least, &learn->least[i]);
        return status;
}

ps_status ps_replay_learn(ps_replay *r, unsigned n_threads, ps_error *err)
{
        unsigned n_workers = ps_parallel_threads(n_threads);
        learning learn = {r, malloc(n_workers * sizeof(*learn.least))};
        if (!learn.least)
                return PS_NOMEM(err, "workers", n_workers);
        ps_status status = learn_with(r, &learn, n_workers, n_threads, err);
        free(learn.least);
        learnt *l = &r->least;
        r->info.latency = spread(l->flight);
        spread(l->release);
        fill_gaps(&l->own[0][0], sizeof(l->own) / sizeof(ps_time));
        fill_gaps(l->collective, PS_K_COUNT);
        return status;
}
