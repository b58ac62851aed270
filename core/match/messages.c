/* messages.c - first in, first out, one receiving process at a time.
 *
 * The sends are sorted by receiver first, so that those of one receiver at a time are all
 * that matters, receivers can be worked off by several threads, and every row is written by one thread only:
 * a send's by its receiver's. The sends of one sender to one receiver stand in their own order, and mostly
 * that is the order in which they are received: then the one that a receive takes is among the first that are
 * left. Where it is not, the rest of the receiver's sends stand in queues in a hash table by (communicator,
 * sender, tag): the number of outstanding tags does not matter. */
#include "core/match/match.h"

#include "core/base/blocks.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/vector.h"
#include "core/clock/clock.h"
#include "core/match/ends.h"
#include "core/match/intercomm.h"
#include "core/match/order.h"
#include "core/match/pass.h"
#include "core/match/sends.h"

#include <stdlib.h>
#include <string.h>

/* The sends of one (communicator, tag, sender) that are not received yet: a list through worker.next. */
struct queue {
        uint64_t comm_tag;
        uint32_t sender_1; /* its number + 1; 0: a free slot, so that a new table need not be written to */
        uint32_t head, tail;
        uint32_t succ; /* the slot that was asked for after this one the last time: loops repeat */
};

/* The sends of one process to the receiver: from `at` on there are some that are not received yet. */
struct stream {
        uint32_t of; /* the receiver that this is about */
        uint32_t at, end;
        uint32_t ahead; /* behind `at`: are received already */
        ps_time least;  /* from the sending of one to its receipt */
};

/* How far a stream is searched for what is received next. */
enum { STREAM_WINDOW = 8 };

struct worker {
        ps_postings recvs;
        struct stream *streams; /* by sender */
        ps_proc *senders;       /* whose sends the receiver may receive */
        uint32_t n_senders;
        uint64_t matched;
        ps_slacks slacks;
        struct queue *slots;
        uint32_t n_slots, n_queues; /* n_slots is a power of two above twice n_queues */
        uint32_t slots_cap;         /* n_slots is less only where it is enough for all sends */
        /* Of each send of the receiver: the one behind it in its queue, or, before there are queues,
         * SEND_LEFT or SEND_TAKEN: of those that its stream has not passed. */
        uint32_t *next;
        size_t next_cap;
        uint32_t last; /* the slot that was asked for last */
        uint64_t seed;
        char apart[128]; /* from the next thread's worker: both are written to all the time */
};

enum { SEND_LEFT, SEND_TAKEN };

struct matcher {
        ps_trace *trace;
        ps_sends sends;
        uint32_t comm_mask; /* 0: communicators do not count */
        bool sees_times;    /* somebody wants to know slacks, and the columns tell */
        struct worker *workers;
        unsigned n_threads;
};

static inline uint64_t comm_tag_of(const struct matcher *m, ps_ref ref)
{
        const ps_ops *ops = &m->trace->ops[ref.loc];
        return (uint64_t)(ps_op_comm(ops, ref.op) & m->comm_mask) << 32 | ps_op_tag(ops, ref.op);
}

static inline void join(const ps_trace *trace, ps_ref send, ps_ref recv)
{
        point_at(&trace->ops[recv.loc], recv.op, send);
        point_at(&trace->ops[send.loc], send.op, recv);
}

void ps_match_join(const ps_trace *trace, ps_ref send, ps_ref recv)
{
        join(trace, send, recv);
}

/* The queue of the key, or the free slot where it belongs. (A table of its own: a queue lies in its slot and
 * knows which slot followed, so that most messages find theirs without a search; core/base/lookup holds only
 * numbers of rows.) The seed enters where differences of senders cannot cancel those of tags without knowing
 * it. */
static struct queue *find_queue(const struct worker *w, uint64_t comm_tag, ps_proc sender)
{
        uint32_t mask = w->n_slots - 1;
        uint64_t key = (comm_tag ^ w->seed) + sender * UINT64_C(0x9e3779b97f4a7c15);
        for (uint32_t i = (uint32_t)ps_hash_mix(key) & mask;; i = (i + 1) & mask) {
                struct queue *queue = &w->slots[i];
                if (!queue->sender_1 || (queue->comm_tag == comm_tag && queue->sender_1 == sender + 1))
                        return queue;
        }
}

/* The same; mostly it is the one that followed the last one before. */
static inline struct queue *next_queue(struct worker *w, uint64_t comm_tag, ps_proc sender)
{
        struct queue *last = &w->slots[w->last & (w->n_slots - 1)];
        struct queue *queue = &w->slots[last->succ & (w->n_slots - 1)];
        if (queue->sender_1 != sender + 1 || queue->comm_tag != comm_tag) {
                queue = find_queue(w, comm_tag, sender);
                last->succ = (uint32_t)(queue - w->slots);
        }
        w->last = (uint32_t)(queue - w->slots);
        return queue;
}

static ps_status grow_table(struct worker *w, uint32_t n_slots, ps_error *err)
{
        struct worker grown = *w;
        grown.slots = n_slots ? ps_memory_zeroed(n_slots, sizeof(*grown.slots)) : NULL;
        if (!grown.slots)
                return PS_NOMEM(err, "message queues", n_slots);
        grown.n_slots = grown.slots_cap = n_slots;
        for (uint32_t i = 0; i < w->n_slots; i++)
                if (w->slots[i].sender_1) {
                        ps_blocks_keep();
                        *find_queue(&grown, w->slots[i].comm_tag, w->slots[i].sender_1 - 1) = w->slots[i];
                }
        free(w->slots);
        *w = grown;
        return PS_OK;
}

static ps_status make_room(struct worker *w, size_t n_sends, ps_error *err)
{
        if (n_sends >= PS_NONE)
                return PS_NOMEM(err, "messages to one process", n_sends);
        if (n_sends > w->next_cap) {
                free(w->next);
                w->next = ps_memory_new(n_sends * sizeof(*w->next));
                w->next_cap = w->next ? n_sends : 0;
                if (!w->next)
                        return PS_NOMEM(err, "messages to one process", n_sends);
        }
        memset(w->next, SEND_LEFT, n_sends * sizeof(*w->next));
        return PS_OK;
}

/* Empties the table; of a large one only as much is used, and cleared, as these sends may fill. */
static ps_status reset_table(struct worker *w, size_t n_sends, ps_error *err)
{
        enum { FIRST_SLOTS = 64 };
        w->n_queues = 0;
        if (!w->slots)
                return grow_table(w, FIRST_SLOTS, err);
        w->n_slots = w->slots_cap;
        while (w->n_slots > FIRST_SLOTS && w->n_slots / 4 > n_sends)
                w->n_slots /= 2;
        memset(w->slots, 0, w->n_slots * sizeof(*w->slots));
        return PS_OK;
}

/* Those that are left. */
static ps_status queue_sends(const struct matcher *m, struct worker *w, const ps_ref *sends, uint32_t n,
                             ps_error *err)
{
        PS_TRY(reset_table(w, n, err));
        for (uint32_t i = 0; i < n; i++) {
                ps_proc sender = process_of(m->trace, sends[i].loc);
                ps_blocks_keep();
                if (i < w->streams[sender].at || w->next[i] == SEND_TAKEN)
                        continue;
                uint64_t comm_tag = comm_tag_of(m, sends[i]);
                struct queue *queue = next_queue(w, comm_tag, sender);
                w->next[i] = PS_NONE;
                if (queue->sender_1) {
                        w->next[queue->tail] = i;
                        queue->tail = i;
                        continue;
                }
                *queue = (struct queue){comm_tag, sender + 1, i, i, 0};
                if (++w->n_queues * UINT64_C(2) < w->n_slots)
                        continue;
                PS_TRY(grow_table(w, w->n_slots * 2, err));
        }
        return PS_OK;
}

/* The stream's message from `send` to `op` of a location. Of one whose receipt was never completed nothing is
 * known. */
static inline void see_times(const ps_trace *trace, struct worker *w, struct stream *stream, ps_ref send,
                             ps_loc at, const ps_ops *to, const ps_time *leave, ps_op op)
{
        ps_op done = ps_kinds_receive_at_once >> to->kind[op] & 1 ? op : to->done[op];
        if (done == PS_NONE)
                return;
        ps_time sent = trace->measured.enter[send.loc][send.op] + trace->ops[send.loc].pre[send.op];
        ps_time received = leave[done] - to->post[op], slack = received - sent;
        if (slack < 0)
                ps_clock_tally_message(&w->slacks.early, (ps_ref){at, op}, received, -slack);
        if (slack < stream->least)
                stream->least = slack;
}

/* An emptied queue keeps its slot: all of its sends were in it before the first was taken. */
static void take_queued(const struct matcher *m, struct worker *w, const ps_ref *sends, ps_ref recv)
{
        ps_proc sender = partner_of(m->trace, &m->trace->ops[recv.loc], recv.op);
        struct queue *queue = sender == PS_NONE ? NULL : next_queue(w, comm_tag_of(m, recv), sender);
        if (!queue || !queue->sender_1 || queue->head == PS_NONE)
                return;
        join(m->trace, sends[queue->head], recv);
        if (m->sees_times)
                see_times(m->trace, w, &w->streams[sender], sends[queue->head], recv.loc,
                          &m->trace->ops[recv.loc], m->trace->measured.leave[recv.loc], recv.op);
        w->matched++;
        queue->head = w->next[queue->head];
}

static void take_queued_rows(const struct matcher *m, struct worker *w, const ps_ref *sends,
                             const ps_posted *rows)
{
        for (ps_op op = rows->from; op < rows->end; op++)
                if (is_recv(m->trace->ops[rows->loc].kind[op])) {
                        ps_blocks_keep();
                        take_queued(m, w, sends, (ps_ref){rows->loc, op});
                }
}

static void find_streams(const struct matcher *m, struct worker *w, uint32_t receiver, const ps_ref *sends,
                         uint32_t n)
{
        w->n_senders = 0;
        for (uint32_t i = 0, end; i < n; i = end) {
                end = i + 1;
                while (end < n && sends[end].loc == sends[i].loc)
                        end++;
                ps_proc sender = process_of(m->trace, sends[i].loc);
                struct stream *stream = &w->streams[sender];
                if (stream->of != receiver) {
                        *stream = (struct stream){receiver, i, i, 0, PS_TIME_MAX};
                        w->senders[w->n_senders++] = sender;
                }
                stream->end = end;
        }
}

/* The one of the first in the stream that the receive takes, which is not the very first; its end, if there
 * is none, or PS_NONE: it may be behind them. */
__attribute__((noinline)) static uint32_t search_stream(const struct matcher *m, const struct worker *w,
                                                        const ps_ref *sends, const struct stream *s,
                                                        ps_ref recv)
{
        const uint64_t comm_tag = comm_tag_of(m, recv);
        const uint32_t last = s->end - s->at < STREAM_WINDOW ? s->end : s->at + STREAM_WINDOW;
        uint32_t i = s->at + 1;
        while (i < last && (w->next[i] == SEND_TAKEN || comm_tag_of(m, sends[i]) != comm_tag))
                i++;
        return i < last || last == s->end ? i : PS_NONE;
}

static inline void take(const struct worker *w, struct stream *s, uint32_t i)
{
        if (i != s->at) {
                w->next[i] = SEND_TAKEN;
                s->ahead++;
                return;
        }
        for (s->at++; s->ahead && w->next[s->at] == SEND_TAKEN; s->at++)
                s->ahead--;
}

/* Receives what is one of the first in its stream; false: it may be behind them, and rows->from is who asks
 * for it. What the loop reads again and again it keeps: to the compiler, a flag that is set may be any of it.
 */
static bool take_first(const struct matcher *m, struct worker *w, uint32_t receiver, const ps_ref *sends,
                       ps_posted *rows)
{
        const ps_trace *trace = m->trace;
        const ps_ops ops = trace->ops[rows->loc], *all = trace->ops;
        const ps_time *leave = trace->measured.leave[rows->loc];
        const ps_proc *by_call = m->sends.by_call[rows->loc];
        const uint32_t comm_mask = m->comm_mask;
        const bool sees_times = m->sees_times;
        for (ps_op op = rows->from; op < rows->end; op++) {
                ps_proc sender = is_recv(ops.kind[op]) ? partner_by_call(by_call, &ops, op) : PS_NONE;
                struct stream *s = sender == PS_NONE ? NULL : &w->streams[sender];
                if (!s || s->of != receiver || s->at == s->end)
                        continue;
                uint32_t i = s->at;
                ps_ref send = sends[i];
                const struct ps_call *got = &ops.calls[ops.call[op]],
                                     *sent = &all[send.loc].calls[all[send.loc].call[send.op]];
                if (((got->comm ^ sent->comm) & comm_mask) | (ops.tag[op] ^ all[send.loc].tag[send.op])) {
                        i = search_stream(m, w, sends, s, (ps_ref){rows->loc, op});
                        rows->from = op;
                        if (i == PS_NONE)
                                return false;
                        if (i == s->end)
                                continue;
                        send = sends[i];
                }
                ps_blocks_keep();
                if (sees_times)
                        see_times(trace, w, s, send, rows->loc, &ops, leave, op);
                point_at(&ops, op, send);
                point_at(&all[send.loc], send.op, (ps_ref){rows->loc, op});
                w->matched++;
                take(w, s, i);
        }
        return true;
}

/* So many pairs are kept as take next to nothing beside their messages; a clock check that needs more looks
 * at the messages. */
enum { PAIRS_MOST = 1 << 15 };

static ps_status add_slacks(ps_slacks *to, const struct worker *w, ps_proc receiver, ps_error *err)
{
        for (uint32_t i = 0; i < w->n_senders; i++) {
                ps_slack pair = {w->senders[i], receiver, w->streams[w->senders[i]].least};
                to->tells_pairs = to->tells_pairs && to->n < PAIRS_MOST;
                if (pair.least == PS_TIME_MAX || !to->tells_pairs)
                        continue;
                if (PS_APPEND(to->row, to->n, to->cap, pair))
                        return PS_NOMEM(err, "pairs of processes", to->n);
        }
        return PS_OK;
}

static ps_status match_receiver(void *ctx, uint32_t receiver, unsigned worker, ps_error *err)
{
        const struct matcher *m = ctx;
        struct worker *w = &m->workers[worker];
        const size_t *begin = &m->sends.begin[receiver], n = begin[1] - begin[0];
        if (!n)
                return PS_OK;
        const ps_ref *sends = m->sends.row + begin[0];
        PS_TRY(make_room(w, n, err));
        PS_TRY(ps_postings_open(&w->recvs, m->trace, receiver, PS_C_RECV, err));
        find_streams(m, w, receiver, sends, (uint32_t)n);
        ps_posted rows;
        bool fits = true;
        while (fits && ps_postings_next_rows(&w->recvs, &rows))
                fits = take_first(m, w, receiver, sends, &rows);
        if (!fits)
                PS_TRY(queue_sends(m, w, sends, (uint32_t)n, err));
        while (!fits) {
                take_queued_rows(m, w, sends, &rows);
                fits = !ps_postings_next_rows(&w->recvs, &rows);
        }
        return m->sees_times ? add_slacks(&w->slacks, w, receiver, err) : PS_OK;
}

/* The tables are seeded with an address, which nobody can know who prepares colliding keys; their order shows
 * nowhere. */
static ps_status new_workers(struct matcher *m, ps_error *err)
{
        m->workers = calloc(m->n_threads, sizeof(*m->workers));
        if (!m->workers)
                return PS_NOMEM(err, "threads", m->n_threads);
        size_t n = (size_t)m->trace->defs.processes.n + 1;
        for (unsigned i = 0; i < m->n_threads; i++) {
                m->workers[i].seed = ps_hash_mix((uint64_t)(uintptr_t)m->workers);
                m->workers[i].slacks = (ps_slacks){.tells_pairs = true, .early = PS_CLOCK_NOTHING};
                m->workers[i].streams = malloc(n * sizeof(*m->workers[i].streams));
                m->workers[i].senders = malloc(n * sizeof(*m->workers[i].senders));
                if (!m->workers[i].streams || !m->workers[i].senders)
                        return PS_NOMEM(err, "processes", n);
                for (size_t p = 0; p < n; p++)
                        m->workers[i].streams[p].of = PS_NONE;
        }
        return PS_OK;
}

static void free_matcher(struct matcher *m)
{
        for (unsigned i = 0; m->workers && i < m->n_threads; i++) {
                ps_postings_free(&m->workers[i].recvs);
                free(m->workers[i].streams);
                free(m->workers[i].senders);
                free(m->workers[i].slacks.row);
                free(m->workers[i].slots);
                free(m->workers[i].next);
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
        bool tells = m->sees_times && !*left;
        if (slacks)
                *slacks = (ps_slacks){.tells = tells, .tells_pairs = tells, .early = PS_CLOCK_NOTHING};
        for (unsigned i = 0; slacks && m->workers && i < m->n_threads; i++)
                PS_THEN(status, join_slacks(slacks, &m->workers[i], err));
        return status;
}

/* So it is in nearly all traces: no distance is wide, and each request is completed by who made it. */
static bool tell_times(const ps_trace *trace)
{
        bool tell = !trace->n_foreign;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++)
                tell &= !trace->ops[loc].n_wide;
        return tell;
}

ps_status ps_match_pass(ps_trace *trace, uint32_t comm_mask, unsigned n_threads, ps_slacks *slacks,
                        uint64_t *left, ps_error *err)
{
        struct matcher m = {.trace = trace,
                            .comm_mask = comm_mask,
                            .sees_times = slacks && tell_times(trace),
                            .n_threads = ps_parallel_threads(n_threads)};
        ps_status status = ps_sends_sort(&m.sends, trace, 0, m.n_threads, err);
        PS_THEN(status, new_workers(&m, err));
        PS_THEN(status, ps_parallel_for(m.n_threads, trace->defs.processes.n, match_receiver, &m, err));
        PS_THEN(status, join_workers(&m, slacks, left, err));
        free_matcher(&m);
        return status;
}
