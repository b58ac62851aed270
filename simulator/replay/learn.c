/* learn.c - what the recording shows of the machine it was made on: from which size on senders wait, and what
 * calls and transfers take at least.
 *
 * A transfer begins when both who take part in it have begun (of a message that nobody waits for: when it is
 * sent), and ends with the call that needs it, unless that call has something else to wait for. So each is
 * looked at three times over: whatever was seen is an upper limit of it (limits); what was there for longer
 * than that does not hold up a call, which shows what the call takes itself (own times); and what is left of
 * calls that were held up by one transfer is how long that took (transfers). */
#include "simulator/replay/call.h"

#include "core/base/parallel.h"

#include <stdlib.h>

/* A shorter delay of a send says nothing: its message may just have been on its way. */
#define CLEARLY (INT64_C(10000) * PS_PS_PER_NS)

/* Of a location: mostly all of them. No call goes on at the end. */
typedef struct stretch {
        ps_loc loc;
        ps_op from, end;
} stretch;

typedef struct learning {
        ps_replay *replay;
        /* By worker. When times are learnt: of calls that look the same whatever votes say; and, behind
         * these, of those that do not. */
        learnt *least, *open;
        bool only_kept;
        size_t n_workers;
        unsigned n_threads;
        stretch *rows;
        uint32_t n;
        ps_time own[PS_K_COUNT]; /* what calls take themselves, as far as is known */
} learning;

/* -- the first time: limits -- */

/* Was the send held up by its receiver, or as long as its transfer? */
static bool is_clearly_held_up(const ps_replay *r, ps_time enter, ps_time over, ps_ref recv)
{
        ps_time posted = recorded_begin(r, recv), start = ps_time_later(enter, posted), took = over - start;
        if (posted - enter > CLEARLY && posted - enter > took)
                return 1;
        if (took <= CLEARLY)
                return 0;
        ps_ref done = ps_op_completion(r->trace, recv);
        return done.op != PS_NONE && took >= (r->timing->leave[done.loc][done.op] - start) / 2;
}

/* Does the call complete nothing but this one? */
static bool is_only_one(const ps_replay *r, ps_ref done, ps_op op)
{
        const step *s = &r->steps[done.loc][done.op];
        if (s->code != STEP_COMPLETE)
                return done.op == op && r->trace->ops[done.loc].kind[op] == PS_K_SEND;
        return n_completed(s, &r->trace->ops[done.loc], done.op) == 1;
}

static void limit_send(const ps_replay *r, learnt *l, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        ps_ref done = ps_op_completion(r->trace, (ps_ref){loc, op});
        if (r->steps[loc][op].flags & (STEP_SYNCHRONOUS | STEP_BUFFERED) || done.op == PS_NONE)
                return;
        ps_ref recv = {ps_op_peer(ops, op), ops->link[op]};
        ps_time enter = recorded_begin(r, done), over = r->timing->leave[done.loc][done.op];
        uint64_t bytes = ps_op_bytes(ops, op);
        if (over < recorded_begin(r, recv))
                l->eager_below = bytes >= l->eager_below ? bytes + (bytes < UINT64_MAX) : l->eager_below;
        else if (bytes < l->rendezvous_min && is_only_one(r, done, op) &&
                 is_clearly_held_up(r, enter, over, recv))
                l->rendezvous_min = bytes;
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
                ps_keep_least(&l->until_received[size_class(ps_op_bytes(ops, op))],
                              over - recorded_begin(r, (ps_ref){ps_op_peer(ops, op), ops->link[op]}));
        else
                ps_keep_least(&l->until_left[ops->kind[op]][class_of_member(r, s->arg)],
                              over - awaited_begin(r, s->arg));
}

static ps_status learn_limits(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        learning *learn = ctx;
        const ps_replay *r = learn->replay;
        const stretch *rows = &learn->rows[i];
        learnt *l = &learn->open[worker];
        ps_loc loc = rows->loc;
        (void)err;
        for (ps_op op = rows->from; op < rows->end; op++) {
                const step *s = &r->steps[loc][op];
                if (learn->only_kept && !is_kept(s))
                        continue;
                if (s->code == STEP_SEND)
                        limit_send(r, l, loc, op);
                else if (s->code == STEP_RECV || (s->code == STEP_COLLECTIVE && !(s->flags & STEP_FREE) &&
                                                  awaited_begin(r, s->arg) != INT64_MIN))
                        limit_transfer(r, l, loc, op);
        }
        return PS_OK;
}

/* A message that was sent so long before that it should have been there did not begin to move before its
 * receive was posted, if that took long. */
static void limit_receive(const ps_replay *r, learnt *l, ps_loc loc, ps_op op)
{
        const ps_ops *ops = &r->trace->ops[loc];
        ps_time enter = r->timing->enter[loc][op], took = r->timing->leave[loc][op] - enter;
        ps_time limit = r->least.until_received[size_class(ps_op_bytes(ops, op))];
        if (r->steps[loc][op].flags & STEP_NONBLOCKING || !is_of_open_size(r, loc, op) || took <= CLEARLY ||
            took < limit / 2)
                return;
        ps_ref send = {ps_op_peer(ops, op), ops->link[op]};
        uint64_t bytes = step_bytes(r, send.loc, send.op);
        if (limit <= enter - recorded_begin(r, send))
                l->rendezvous_min = bytes < l->rendezvous_min ? bytes : l->rendezvous_min;
}

static ps_status learn_receives(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        learning *learn = ctx;
        const ps_replay *r = learn->replay;
        const stretch *rows = &learn->rows[i];
        (void)err;
        for (ps_op op = rows->from; op < rows->end; op++)
                if (r->steps[rows->loc][op].code == STEP_RECV)
                        limit_receive(r, &learn->open[worker], rows->loc, op);
        return PS_OK;
}

/* What a shorter message took is at most what a longer one did. */
static void spread_limits(learnt *l)
{
        for (int i = SIZE_CLASSES - 1; i-- > 0;) {
                ps_keep_least(&l->until_received[i], l->until_received[i + 1]);
                for (int kind = 0; kind < PS_K_COUNT; kind++)
                        ps_keep_least(&l->until_left[kind][i], l->until_left[kind][i + 1]);
        }
}

/* -- calls, one after the other -- */

/* known: by kind, what calls take themselves. */
typedef void learn_call(const ps_replay *r, const ps_time *known, learnt *l, ps_loc loc, ps_op first,
                        call *c);

/* Nothing is learnt of calls that are not communication. only_open: nor of others than those of which votes
 * may have told something. */
INLINE void learn_calls(const learning *learn, const stretch *rows, unsigned worker, bool only_open,
                        learn_call *of)
{
        const ps_replay *r = learn->replay;
        const ps_loc loc = rows->loc;
        const step *steps = r->steps[loc];
        learnt *l = &learn->least[worker], *open = &learn->open[worker];
        bool is_going_on = false;
        for (ps_op op = rows->from; op < rows->end;) {
                const step *first = &steps[op];
                if (is_going_on || first->code < STEP_SEND || (learn->only_kept && !is_kept(first)) ||
                    (only_open && (is_post(first) || !has_open_messages(r, loc, op)))) {
                        is_going_on = first->flags & STEP_MORE && !learn->only_kept;
                        op++;
                } else if (is_post(first)) {
                        call c = call_at(r, loc, op);
                        of(r, learn->own, l, loc, op++, &c);
                } else {
                        const ps_op begin = op;
                        call c = look_at_call(r, loc, &op);
                        of(r, learn->own, only_open || c.has_open ? open : l, loc, begin, &c);
                }
        }
}

/* -- the second time: own times -- */

INLINE void learn_own(const ps_replay *r, const ps_time *known, learnt *l, ps_loc loc, ps_op first, call *c)
{
        const ps_ops *ops = &r->trace->ops[loc];
        (void)known;
        uint8_t kind = ops->kind[first];
        if (c->start <= c->enter)
                ps_keep_least(&l->begun[kind][size_class(ps_op_bytes(ops, first))], c->leave - c->enter);
        /* Half of a Sendrecv that was interrupted says nothing of a whole one. */
        bool is_half = kind == PS_K_SENDRECV_SEND && c->last == PS_NONE;
        if (c->is_there && !c->is_member && !is_half)
                ps_keep_least(&l->own[kind], c->leave - c->enter);
        ps_keep_least(&l->after[kind], c->leave - ps_time_later(c->enter, c->start));
}

/* A call never takes more itself than any call of its kind did in all, once everything had begun. True: that
 * is something else than was known. */
static bool settle_own_times(learning *learn, learnt *l)
{
        bool is_new = false;
        for (int kind = 0; kind < PS_K_COUNT; kind++) {
                l->own[kind] = l->own[kind] == PS_TIME_MAX     ? 0
                               : l->after[kind] < l->own[kind] ? l->after[kind]
                                                               : l->own[kind];
                is_new |= learn->own[kind] != l->own[kind];
                learn->own[kind] = l->own[kind];
        }
        return is_new;
}

static ps_status learn_own_times(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const learning *learn = ctx;
        (void)err;
        learn_calls(learn, &learn->rows[i], worker, false, learn_own);
        return PS_OK;
}

/* -- the third time: transfers -- */

/* What a member of a collective operation took that waits for nobody. */
static void learn_root(const ps_replay *r, learnt *l, ps_loc loc, ps_op row, ps_time time)
{
        const step *s = &r->steps[loc][row];
        if (s->code != STEP_COLLECTIVE || s->flags & (STEP_NONBLOCKING | STEP_FREE | STEP_KEPT) || time <= 0)
                return;
        uint32_t c = r->trace->members[s->arg].coll;
        const ps_coll *coll = &r->trace->colls[c];
        if (ps_kinds[coll->kind].traits & PS_T_ONE_TO_ALL)
                ps_line_add(&l->of_root[coll->kind], r->colls[c].bytes, time / (ps_time)rounds_of(coll->n));
}

/* Only what may be the shortest of its size is compared with what else the call waited for. */
INLINE void learn_message(const ps_replay *r, learnt *l, ps_loc loc, const call *c, ps_time own)
{
        uint64_t bytes = ps_op_bytes(&r->trace->ops[loc], c->last);
        bool receives = r->steps[loc][c->last].code == STEP_RECV, is_late = c->start < c->enter;
        ps_time time = c->leave - c->start - own;
        unsigned class = size_class(bytes);
        const fitted *of = !receives ? &l->release : is_late ? &l->met : &l->flight;
        bool is_likely = receives && (c->is_open || !is_late) && time <= l->likely.seen[class].time;
        if (time > of->seen[class].time && !is_likely)
                return;
        const bool alone = is_alone(c);
        if (!receives && alone && !is_late)
                ps_line_add(&l->release, bytes, time);
        if (!receives || (is_late && (c->is_there || c->leave - c->enter <= own)))
                return;
        if (alone && !c->is_open)
                ps_line_add(is_late ? &l->met : &l->flight, bytes, time);
        else if (alone || (!is_late && c->others.by < c->leave - own))
                ps_line_add(&l->likely, bytes, time);
}

INLINE void learn_transfer(const ps_replay *r, const ps_time *known, learnt *l, ps_loc loc, ps_op first,
                           call *c)
{
        ps_time own = known[r->trace->ops[loc].kind[first]], took = c->leave - c->enter;
        own = own < took ? own : took;
        l->in_calls = ps_time_add(l->in_calls, took);
        if (c->last != PS_NONE || c->is_member)
                l->in_transfers = ps_time_add(l->in_transfers, took - own);
        if (c->last == PS_NONE) {
                if (c->is_member)
                        learn_root(r, l, loc, first, took - own);
                return;
        }
        const step *s = &r->steps[loc][c->last];
        ps_time time = c->leave - c->start - own;
        if (time < 0 || (time == 0 && s->code != STEP_SEND)) /* a sender may be free at once */
                return;
        if (s->code != STEP_COLLECTIVE) {
                learn_message(r, l, loc, c, own);
        } else if (c->start >= c->enter && !(s->flags & STEP_KEPT)) {
                if (!is_alone(c))
                        return;
                const ps_coll *coll = &r->trace->colls[r->trace->members[s->arg].coll];
                ps_line_add(&l->collective[coll->kind], r->colls[r->trace->members[s->arg].coll].bytes,
                            time / (ps_time)rounds_of(coll->n));
        }
}

static ps_status learn_transfers(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const learning *learn = ctx;
        (void)err;
        learn_calls(learn, &learn->rows[i], worker, false, learn_transfer);
        return PS_OK;
}

INLINE void learn_both(const ps_replay *r, const ps_time *known, learnt *l, ps_loc loc, ps_op first, call *c)
{
        learn_own(r, known, l, loc, first, c);
        learn_transfer(r, known, l, loc, first, c);
}

static ps_status learn_both_times(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const learning *learn = ctx;
        (void)err;
        learn_calls(learn, &learn->rows[i], worker, true, learn_both);
        return PS_OK;
}

/* -- once more: which messages waited for their receivers, as far as those tell -- */

static ps_status learn_votes(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        learning *learn = ctx;
        const stretch *rows = &learn->rows[i];
        (void)err;
        ps_replay_vote(learn->replay, &learn->open[worker], rows->loc, rows->from, rows->end);
        return PS_OK;
}

/* -- all of it -- */

/* What was never seen is taken to cost nothing, its lower limit. */
static void fill_gaps(ps_time *time, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (time[i] == PS_TIME_MAX)
                        time[i] = 0;
}

static uint32_t count_rows(const ps_replay *r, ps_loc loc)
{
        enum { ROWS_AT_ONCE = 1 << 14 };
        return r->trace->ops[loc].n / ROWS_AT_ONCE + 1;
}

/* A call that begins before the border goes on behind it. */
static ps_op end_of_rows(const ps_replay *r, ps_loc loc, uint64_t border)
{
        ps_op op = (ps_op)border;
        while (op && op < r->trace->ops[loc].n && r->steps[loc][op - 1].flags & STEP_MORE)
                op++;
        return op;
}

/* What is learnt of a row depends on no other call of its location, so that a large one is cut: for several
 * threads, and because the loop over the parts keeps to a limit of memory (core/base/blocks.h). */
static ps_status cut_rows(learning *learn, ps_error *err)
{
        const ps_replay *r = learn->replay;
        uint64_t n = 0;
        for (ps_loc loc = 0; loc < r->trace->n_locs; loc++)
                n += count_rows(r, loc);
        learn->rows = n < PS_NONE ? malloc((n + 1) * sizeof(*learn->rows)) : NULL;
        if (!learn->rows)
                return PS_NOMEM(err, "locations", n);
        for (ps_loc loc = 0; loc < r->trace->n_locs; loc++) {
                uint64_t parts = count_rows(r, loc), n_ops = r->trace->ops[loc].n;
                ps_op from = 0;
                for (uint64_t i = 1; i <= parts; i++) {
                        ps_op end = end_of_rows(r, loc, n_ops * i / parts);
                        learn->rows[learn->n++] = (stretch){loc, from, end};
                        from = end;
                }
        }
        return PS_OK;
}

typedef ps_status learn_rows(void *ctx, uint32_t i, unsigned worker, ps_error *err);

static ps_status learn_once(learning *learn, learn_rows *of, ps_error *err)
{
        ps_learnt_clear_all(learn->open, learn->n_workers, learn->replay->has_kind);
        PS_TRY(ps_parallel_for(learn->n_threads, learn->n, of, learn, err));
        ps_learnt_merge_all(&learn->replay->least, learn->open, learn->n_workers, learn->replay->has_kind);
        return PS_OK;
}

/* On top of what was learnt of calls before. */
static ps_status learn_more(learning *learn, learn_rows *of, ps_error *err)
{
        PS_TRY(ps_parallel_for(learn->n_threads, learn->n, of, learn, err));
        ps_learnt_merge_all(&learn->replay->least, learn->least, 2 * learn->n_workers,
                            learn->replay->has_kind);
        return PS_OK;
}

static ps_status learn_times(learning *learn, ps_error *err)
{
        ps_learnt_clear_all(learn->least, 2 * learn->n_workers, learn->replay->has_kind);
        PS_TRY(learn_more(learn, learn_own_times, err));
        settle_own_times(learn, &learn->replay->least);
        PS_TRY(learn_more(learn, learn_transfers, err));
        ps_replay_draw_lines(learn->replay);
        return PS_OK;
}

/* Once more with what the first time showed, of the calls that look different now. What calls take themselves
 * is mostly the same then, so that both is looked for at once. */
static ps_status learn_again(learning *learn, ps_error *err)
{
        learnt *l = &learn->replay->least;
        PS_TRY(learn_once(learn, learn_votes, err));
        if (!ps_votes_settle(l))
                return PS_OK;
        ps_learnt_clear_times(l);
        ps_learnt_clear_all(learn->open, learn->n_workers, learn->replay->has_kind);
        PS_TRY(learn_more(learn, learn_both_times, err));
        if (settle_own_times(learn, l)) {
                ps_learnt_clear_transfers(l);
                ps_learnt_clear_all(learn->least, 2 * learn->n_workers, learn->replay->has_kind);
                PS_TRY(learn_more(learn, learn_transfers, err));
        }
        ps_replay_draw_lines(learn->replay);
        return PS_OK;
}

static ps_status learn_all(learning *learn, ps_error *err)
{
        learnt *l = &learn->replay->least;
        PS_TRY(learn_once(learn, learn_limits, err));
        spread_limits(l);
        PS_TRY(learn_once(learn, learn_receives, err));
        l->open_below = l->rendezvous_min;
        PS_TRY(learn_times(learn, err));
        return learn_again(learn, err);
}

static ps_status learn_kept(learning *learn, ps_error *err)
{
        learnt *l = &learn->replay->least;
        PS_TRY(learn_once(learn, learn_limits, err));
        spread_limits(l);
        ps_learnt_clear_all(learn->least, 2 * learn->n_workers, learn->replay->has_kind);
        PS_TRY(learn_more(learn, learn_own_times, err));
        settle_own_times(learn, l);
        ps_replay_draw_lines(learn->replay);
        return PS_OK;
}

typedef ps_status learn_steps(learning *learn, ps_error *err);

static ps_status learn_by(ps_replay *r, learn_steps *steps, bool only_kept, unsigned n_threads, ps_error *err)
{
        const unsigned n_workers = ps_parallel_threads(n_threads);
        learnt *l = &r->least, *of = malloc(2 * (size_t)n_workers * sizeof(*of));
        if (!of)
                return PS_NOMEM(err, "workers", n_workers);
        learning learn = {.replay = r,
                          .least = of,
                          .open = of + n_workers,
                          .only_kept = only_kept,
                          .n_workers = n_workers,
                          .n_threads = n_threads};
        ps_learnt_clear(l);
        ps_status status = cut_rows(&learn, err);
        PS_THEN(status, steps(&learn, err));
        ps_votes_assume(l);
        fill_gaps(&l->begun[0][0], sizeof(l->begun) / sizeof(ps_time));
        free(of);
        free(learn.rows);
        r->info.waits_from = waits_from(l);
        r->info.in_calls = l->in_calls;
        r->info.in_transfers = l->in_transfers;
        return status == PS_OK ? ps_replay_estimate(r, err) : status;
}

ps_status ps_replay_learn(ps_replay *r, unsigned n_threads, ps_error *err)
{
        return learn_by(r, learn_all, false, n_threads, err);
}

/* A kept operation that shares its call with others is held up by these, too. */
static bool has_kept_with_others(const ps_replay *r)
{
        for (ps_loc loc = 0; loc < r->trace->n_locs; loc++) {
                const step *s = r->steps[loc];
                for (ps_op op = 0; op < r->trace->ops[loc].n; op++)
                        if (is_kept(&s[op]) &&
                            (s[op].flags & STEP_MORE || (op && s[op - 1].flags & STEP_MORE)))
                                return true;
        }
        return false;
}

ps_status ps_replay_learn_kept(ps_replay *r, unsigned n_threads, ps_error *err)
{
        if (has_kept_with_others(r))
                return ps_replay_learn(r, n_threads, err);
        return learn_by(r, learn_kept, true, n_threads, err);
}
