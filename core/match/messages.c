/* messages.c - first in, first out, one receiving process at a time.
 *
 * The sends are sorted by receiver first, so that those of one receiver at a time are all
 * that matters, receivers can be worked off by several threads, and every row is written by one thread only:
 * a send's by its receiver's. The sends of one sender to one receiver stand in their own order, and mostly
 * that is the order in which they are received: then the one that a receive takes is among the first that are
 * left. Where it is not, the rest of the receiver's sends stand in queues (queued.c): the number of
 * outstanding tags does not matter. */
#include "core/match/match.h"

#include "core/base/blocks.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/vector.h"
#include "core/match/intercomm.h"
#include "core/match/pass.h"
#include "core/match/receiver.h"

#include <stdlib.h>

void ps_match_join(const ps_trace *trace, ps_ref send, ps_ref recv)
{
        point_at(&trace->ops[recv.loc], recv.op, send);
        point_at(&trace->ops[send.loc], send.op, recv);
}

/* -- streams -- */

/* How far a stream is searched for what is received next. */
enum { STREAM_WINDOW = 8 };

static void open_streams(const struct receiver *r)
{
        const ps_defs *defs = &r->m->trace->defs;
        const ps_sends *sends = &r->m->sends;
        const size_t begin = sends->begin[r->process];
        const uint32_t n = sends->first[r->process + 1] - sends->first[r->process];
        const ps_pair *in;
        for (uint32_t k = 0; k < n; k++)
                r->w->streams[k] = (struct stream){.least = PS_TIME_MAX};
        uint32_t at = sends->incoming[r->process];
        for (struct stream *s; (s = next_stream(r, &at, &in));) {
                s->at = (uint32_t)(in->begin - begin);
                s->guess = s->end = (uint32_t)(in->end - begin);
                s->loc = defs->by_process[defs->processes.row[in->from].first];
        }
}

/* The one of the first in the stream that the receive takes, which is not the very first; its end, if there
 * is none, or PS_NONE: it may be behind them. */
__attribute__((noinline)) static uint32_t search_stream(const struct receiver *r, const struct stream *s,
                                                        uint32_t tag)
{
        const uint32_t last = s->end - s->at < STREAM_WINDOW ? s->end : s->at + STREAM_WINDOW;
        const struct sent sent = sent_to(r);
        uint32_t i = s->at + 1;
        while (i < last && (sent.state[i] & SEND_TAKEN || tag_at(&sent, s, i) != tag))
                i++;
        return i < last || last == s->end ? i : PS_NONE;
}

MATCH_INLINE void take(const struct sent *sent, struct stream *s, uint32_t i)
{
        if (i != s->at) {
                sent->state[i] = SEND_TAKEN;
                s->ahead++;
                return;
        }
        for (s->at++; s->ahead && sent->state[s->at] & SEND_TAKEN; s->at++)
                s->ahead--;
}

/* Where sends come from many in turn, a processor foresees neither the next one of each, which is far from
 * all that was looked at since, nor, beside so many columns, the next rows of the receiver. */
MATCH_INLINE void fetch_first(const struct view *v, const struct stream *s)
{
        enum { A_LINE = 16 };
        __builtin_prefetch(&v->sent.rows[s->at + A_LINE]);
        if (s->at == s->end)
                return;
        const ps_ref send = send_at(&v->sent, s, s->at);
        const ps_ops *ops = &v->sent.all[send.loc];
        __builtin_prefetch(&ops->tag[send.op]);
        __builtin_prefetch(&ops->link[send.op], 1);
        __builtin_prefetch(&ops->flags[send.op], 1);
        if (v->sees_times) {
                __builtin_prefetch(&v->enter[send.loc][send.op]);
                __builtin_prefetch(&ops->pre[send.op]);
        }
}

MATCH_INLINE void fetch_rows(const struct view *v, ps_op op)
{
        enum { A_LINE = 16, AHEAD = 4 * A_LINE };
        if (op % A_LINE != 0 || v->ops.n - op <= AHEAD)
                return;
        __builtin_prefetch(&v->ops.call[op + AHEAD]);
        __builtin_prefetch(&v->ops.tag[op + AHEAD]);
        __builtin_prefetch(&v->ops.link[op + AHEAD], 1);
        if (v->sees_times) {
                __builtin_prefetch(&v->ops.done[op + AHEAD]);
                __builtin_prefetch(&v->ops.post[op + AHEAD]);
        }
}

/* Receives what is one of the first in its stream; false: it may be behind them, and rows->from is who asks
 * for it. */
MATCH_INLINE bool take_first_of(const struct receiver *r, ps_posted *rows, bool are_many)
{
        const struct view v = view_of(r, rows->loc);
        struct worker *w = r->w;
        uint64_t n = 0;
        ps_op op = rows->from;
        for (; op < rows->end; op++) {
                if (are_many)
                        fetch_rows(&v, op);
                const uint32_t from = stream_at(&v, op);
                if (from >= PS_PAIR_NOBODY || v.streams[from].at == v.streams[from].end)
                        continue;
                struct stream *s = &v.streams[from];
                uint32_t i = s->at;
                ps_ref send = send_at(&v.sent, s, i);
                ps_blocks_keep();
                if (v.ops.tag[op] != v.sent.all[send.loc].tag[send.op]) {
                        i = search_stream(r, s, v.ops.tag[op]);
                        if (i == PS_NONE)
                                break;
                        if (i == s->end)
                                continue;
                        send = send_at(&v.sent, s, i);
                }
                receive(&v, w, s, send, op);
                take(&v.sent, s, i);
                if (are_many)
                        fetch_first(&v, s);
                n++;
        }
        w->matched += n;
        rows->from = op;
        return op == rows->end;
}

static bool take_first(const struct receiver *r, ps_posted *rows)
{
        enum { MANY = 16 };
        const uint32_t *first = &r->m->sends.first[r->process];
        return first[1] - first[0] < MANY ? take_first_of(r, rows, false) : take_first_of(r, rows, true);
}

/* -- receivers -- */

/* So many pairs are kept as take next to nothing beside their messages; a clock check that needs more looks
 * at the messages. */
enum { PAIRS_MOST = 1 << 15 };

static ps_status add_slacks(ps_slacks *to, const struct receiver *r, ps_error *err)
{
        uint32_t at = r->m->sends.incoming[r->process];
        const uint32_t before = to->n;
        const ps_pair *in;
        for (const struct stream *s; (s = next_stream(r, &at, &in));) {
                to->tells_pairs = to->tells_pairs && to->n < PAIRS_MOST;
                if (s->least == PS_TIME_MAX || !to->tells_pairs)
                        continue;
                ps_slack *same =
                        to->n > before && to->row[to->n - 1].from == in->from ? &to->row[to->n - 1] : NULL;
                if (same)
                        same->least = ps_time_earlier(same->least, s->least);
                else if (PS_APPEND(to->row, to->n, to->cap, (ps_slack){in->from, in->to, s->least}))
                        return PS_NOMEM(err, "pairs of processes", to->n);
        }
        return PS_OK;
}

static ps_status make_room(struct worker *w, size_t n, ps_error *err)
{
        free(w->state);
        w->state = n < PS_NONE ? ps_memory_zeroed(n, sizeof(*w->state)) : NULL;
        return w->state ? PS_OK : PS_NOMEM(err, "messages to one process", n);
}

static ps_status match_receiver(const struct matcher *m, uint32_t i, unsigned worker, ps_error *err)
{
        const ps_proc receiver = m->first + i;
        const ps_sends *sends = &m->sends;
        const size_t *begin = &sends->begin[receiver], n = begin[1] - begin[0];
        struct worker *w = &m->workers[worker];
        const struct receiver r = {.m = m,
                                   .w = w,
                                   .process = receiver,
                                   .n = (uint32_t)n,
                                   .rows = sends->row + (begin[0] - sends->first_row),
                                   .locs = sends->loc ? sends->loc + (begin[0] - sends->first_row) : NULL};
        if (!n)
                return PS_OK;
        PS_TRY(make_room(w, n, err));
        PS_TRY(ps_postings_open(&w->recvs, m->trace, receiver, PS_C_RECV, err));
        open_streams(&r);
        ps_posted rows;
        bool fits = true;
        while (fits && ps_postings_next_rows(&w->recvs, &rows))
                fits = take_first(&r, &rows);
        if (!fits)
                PS_TRY(ps_queued_make(&r, err));
        while (!fits) {
                ps_queued_take(&r, &rows);
                fits = !ps_postings_next_rows(&w->recvs, &rows);
        }
        return m->sees_times ? add_slacks(&w->slacks, &r, err) : PS_OK;
}

static ps_status match_round(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct matcher *m = ctx;
        if (!m->beside)
                return match_receiver(m, i, worker, err);
        return i ? match_receiver(m, i - 1, worker, err) : m->beside->work(m->beside->ctx, err);
}

static uint32_t most_pairs(const struct matcher *m)
{
        const uint32_t *first = m->sends.first;
        uint32_t most = 0;
        for (ps_proc p = 0; p < m->trace->defs.processes.n; p++)
                most = first[p + 1] - first[p] > most ? first[p + 1] - first[p] : most;
        return most;
}

/* The tables are seeded with an address, which nobody can know who prepares colliding keys; their order shows
 * nowhere. */
static ps_status new_workers(struct matcher *m, ps_error *err)
{
        m->workers = calloc(m->n_threads, sizeof(*m->workers));
        if (!m->workers)
                return PS_NOMEM(err, "threads", m->n_threads);
        const size_t n_pairs = (size_t)most_pairs(m) + 1;
        for (unsigned i = 0; i < m->n_threads; i++) {
                struct worker *w = &m->workers[i];
                w->seed = ps_hash_mix((uint64_t)(uintptr_t)m->workers);
                w->slacks = (ps_slacks){.tells_pairs = true, .early = PS_CLOCK_NOTHING};
                w->streams = malloc(n_pairs * sizeof(*w->streams));
                if (!w->streams)
                        return PS_NOMEM(err, "processes", n_pairs);
        }
        return PS_OK;
}

static void free_matcher(struct matcher *m)
{
        for (unsigned i = 0; m->workers && i < m->n_threads; i++) {
                struct worker *w = &m->workers[i];
                ps_postings_free(&w->recvs);
                free(w->streams);
                free(w->slacks.row);
                free(w->state);
                free(w->next);
                free(w->slots);
        }
        free(m->workers);
        ps_sends_free(&m->sends);
}

/* What the worker saw, next to what others did. */
static ps_status join_slacks(ps_slacks *to, const struct worker *w, ps_error *err)
{
        const ps_slacks *seen = &w->slacks;
        ps_clock_tally_add(&to->early, &seen->early);
        to->tells_pairs &= seen->tells_pairs && to->n + seen->n <= PAIRS_MOST;
        for (uint32_t i = 0; to->tells_pairs && i < seen->n; i++)
                if (PS_APPEND(to->row, to->n, to->cap, seen->row[i]))
                        return PS_NOMEM(err, "pairs of processes", to->n);
        return PS_OK;
}

static ps_status join_workers(const struct matcher *m, ps_slacks *slacks, uint64_t *left, ps_error *err)
{
        ps_status status = PS_OK;
        *left = m->sends.n_ends;
        for (unsigned i = 0; m->workers && i < m->n_threads; i++)
                *left -= 2 * m->workers[i].matched;
        m->trace->n_messages = (m->sends.n_ends - *left) / 2;
        if (slacks)
                *slacks = (ps_slacks){
                        .tells = m->sees_times, .tells_pairs = m->sees_times, .early = PS_CLOCK_NOTHING};
        for (unsigned i = 0; slacks && m->workers && i < m->n_threads; i++)
                PS_THEN(status, join_slacks(slacks, &m->workers[i], err));
        return status;
}

/* Those of some receivers at a time, as long as there are few beside all: each time all rows are looked at.
 * With several threads all of them have something to do. */
static ps_status match_receivers(struct matcher *m, ps_error *err)
{
        enum { FEW_SENDS = 1 << 20, TIMES = 4 };
        const ps_proc n_procs = m->trace->defs.processes.n;
        size_t n = m->sends.begin[n_procs], most = m->n_threads > 1 ? n : n / TIMES;
        most = most > FEW_SENDS ? most : FEW_SENDS;
        for (ps_proc end = n_procs; end > 0; end = m->first) {
                PS_TRY(ps_sends_bring(&m->sends, &m->first, end, most, m->n_threads, err));
                PS_TRY(ps_parallel_for(m->n_threads, end - m->first + (m->beside != NULL), match_round, m,
                                       err));
                m->beside = NULL;
        }
        return m->beside ? m->beside->work(m->beside->ctx, err) : PS_OK;
}

/* So it is in nearly all traces: no distance is wide, and each request is completed by who made it. */
static bool tell_times(const ps_trace *trace)
{
        bool tell = !trace->n_foreign;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                tell &= !trace->ops[loc].n_wide;
        return tell;
}

ps_status ps_match_pass(ps_trace *trace, uint32_t comm_mask, unsigned n_threads,
                        const ps_match_beside *beside, ps_slacks *slacks, uint64_t *left, ps_error *err)
{
        struct matcher m = {.trace = trace,
                            .beside = beside,
                            .sees_times = slacks && tell_times(trace),
                            .n_threads = ps_parallel_threads(n_threads)};
        ps_status status = ps_sends_count(&m.sends, trace, comm_mask, 0, m.n_threads, err);
        PS_THEN(status, new_workers(&m, err));
        PS_THEN(status, match_receivers(&m, err));
        PS_THEN(status, join_workers(&m, slacks, left, err));
        free_matcher(&m);
        return status;
}
