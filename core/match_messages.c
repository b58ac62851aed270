/* match_messages.c - first in, first out queues of sends, one receiving process at a time.
 *
 * The sends are sorted by receiver first (counting sort), so that the queues of one receiver at a time are
 * all that exists of them, receivers can be worked off by several threads, and every row is written by one
 * thread only. The queues of a receiver stand in a hash table by (communicator, sender, tag): the number of
 * outstanding tags does not matter. What costs here is memory traffic, so every column is walked in its own
 * order: sorted sends carry their key, and what a receiver found is left there until a second walk over the
 * sends, in the same order, picks it up. To keep these copies small, receivers are taken in a few groups. */
#include "core/match.h"

#include "core/hash.h"
#include "core/match_order.h"
#include "core/parallel.h"

#include <stdlib.h>
#include <string.h>

struct send {
        ps_ref ref; /* the send; once it is found, its receive */
        union {
                uint64_t comm_tag; /* until it is queued */
                uint64_t is_found; /* from then on */
        } u;
};

/* The sends of one (communicator, tag, sender) that are not received yet: a list through worker.next. */
struct queue {
        uint64_t comm_tag;
        ps_proc sender; /* PS_NONE: a free slot */
        uint32_t head, tail;
};

struct worker {
        ps_postings recvs;
        struct queue *slots;
        uint32_t n_slots, n_queues; /* n_slots is a power of two above twice n_queues */
        uint32_t slots_cap;         /* n_slots is less only where it is enough for all sends */
        uint32_t *next;             /* of each send of the receiver: the one behind it in its queue */
        size_t next_cap;
        uint64_t seed;
};

/* The sends to receiver r are numbers begin[r] .. begin[r + 1) of all, once sorted; send i is sends[i -
 * base]. While they are sorted, and again while the results are picked up, the entries serve as cursors. */
struct matcher {
        ps_trace *trace;
        size_t *begin;
        struct send *sends; /* to the receivers [low, high), by receiver, sender, order of posting */
        size_t base, sends_cap;
        ps_proc low, high;
        uint32_t comm_mask; /* 0: communicators do not count */
        struct worker *workers;
        unsigned n_threads;
};

static ps_proc process_of(const ps_trace *trace, ps_loc location)
{
        return location < trace->n_locs ? trace->defs.locations.row[location].process : PS_NONE;
}

/* The process at the other end, or PS_NONE when the row takes no part (any more). */
static ps_proc partner_of(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        return ops->flags[ref.op] & (PS_OP_CANCELLED | PS_OP_MATCHED) ? PS_NONE
                                                                      : process_of(trace, ops->peer[ref.op]);
}

static uint64_t comm_tag_of(const struct matcher *m, ps_ref ref)
{
        const ps_ops *ops = &m->trace->ops[ref.loc];
        return (uint64_t)(ops->comm[ref.op] & m->comm_mask) << 32 | ops->tag[ref.op];
}

/* Leaves begin[] one place further up, ready to be the cursors of the sort. */
static ps_status count_sends(struct matcher *m, ps_error *err)
{
        const ps_trace *trace = m->trace;
        uint32_t n_procs = trace->defs.processes.n;
        m->begin = calloc((size_t)n_procs + 2, sizeof(*m->begin));
        if (!m->begin)
                return PS_NOMEM(err, "processes", n_procs);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                if (trace->defs.locations.row[loc].type != PS_LOCATION_CPU)
                        continue;
                for (ps_op op = 0; (op = ps_ops_next(ops, op, PS_C_SEND)) < ops->n; op++) {
                        ps_proc receiver = partner_of(trace, (ps_ref){loc, op});
                        if (receiver != PS_NONE)
                                m->begin[receiver + 2]++;
                }
        }
        for (ps_proc p = 0; p < n_procs; p++)
                m->begin[p + 2] += m->begin[p + 1];
        return PS_OK;
}

/* Takes as many receivers as share half of all sends, or a number that is nothing; one at least. */
static ps_status next_group(struct matcher *m, ps_error *err)
{
        enum { ENOUGH = 1 << 18 };
        uint32_t n_procs = m->trace->defs.processes.n;
        size_t limit = m->begin[n_procs + 1] / 2 > ENOUGH ? m->begin[n_procs + 1] / 2 : ENOUGH;
        m->low = m->high++;
        m->base = m->begin[m->low + 1];
        while (m->high < n_procs && m->begin[m->high + 2] - m->base <= limit)
                m->high++;
        size_t n = m->begin[m->high + 1] - m->base;
        if (n <= m->sends_cap)
                return PS_OK;
        free(m->sends);
        m->sends = n < SIZE_MAX / sizeof(*m->sends) ? malloc(n * sizeof(*m->sends)) : NULL;
        m->sends_cap = m->sends ? n : 0;
        return m->sends ? PS_OK : PS_NOMEM(err, "sends", n);
}

static void store_send(struct matcher *m, ps_proc receiver, ps_ref ref)
{
        struct send *send = &m->sends[m->begin[receiver + 1]++ - m->base];
        *send = (struct send){ref, {comm_tag_of(m, ref)}};
}

static void point_at(const ps_trace *trace, ps_ref from, ps_ref to)
{
        const ps_ops *ops = &trace->ops[from.loc];
        ops->peer[from.op] = to.loc;
        ops->link[from.op] = to.op;
        ops->flags[from.op] |= PS_OP_MATCHED;
}

static void pick_up(struct matcher *m, ps_proc receiver, ps_ref ref)
{
        const struct send *send = &m->sends[m->begin[receiver]++ - m->base];
        if (send->u.is_found)
                point_at(m->trace, ref, send->ref);
}

/* Visits the sends to the receivers at hand. */
static ps_status walk_sends(struct matcher *m, void (*visit)(struct matcher *, ps_proc, ps_ref),
                            ps_error *err)
{
        const ps_trace *trace = m->trace;
        ps_postings sends = {0};
        ps_status status = PS_OK;
        for (ps_proc p = 0; p < trace->defs.processes.n && status == PS_OK; p++) {
                status = ps_postings_open(&sends, trace, p, PS_C_SEND, err);
                for (ps_ref ref; status == PS_OK && ps_postings_next(&sends, &ref);) {
                        ps_proc receiver = partner_of(trace, ref);
                        if (receiver >= m->low && receiver < m->high)
                                visit(m, receiver, ref);
                }
        }
        ps_postings_free(&sends);
        return status;
}

/* The queue of the key, or the free slot where it belongs. The seed enters where differences of senders
 * cannot cancel those of tags without knowing it. */
static struct queue *find_queue(const struct worker *w, uint64_t comm_tag, ps_proc sender)
{
        uint32_t mask = w->n_slots - 1;
        uint64_t key = (comm_tag ^ w->seed) + sender * UINT64_C(0x9e3779b97f4a7c15);
        for (uint32_t i = (uint32_t)ps_hash_mix(key) & mask;; i = (i + 1) & mask) {
                struct queue *queue = &w->slots[i];
                if (queue->sender == PS_NONE || (queue->comm_tag == comm_tag && queue->sender == sender))
                        return queue;
        }
}

static ps_status grow_table(struct worker *w, uint32_t n_slots, ps_error *err)
{
        struct worker grown = *w;
        grown.slots = n_slots ? malloc(n_slots * sizeof(*grown.slots)) : NULL;
        if (!grown.slots)
                return PS_NOMEM(err, "message queues", n_slots);
        grown.n_slots = grown.slots_cap = n_slots;
        memset(grown.slots, 0xff, n_slots * sizeof(*grown.slots));
        for (uint32_t i = 0; i < w->n_slots; i++)
                if (w->slots[i].sender != PS_NONE)
                        *find_queue(&grown, w->slots[i].comm_tag, w->slots[i].sender) = w->slots[i];
        free(w->slots);
        *w = grown;
        return PS_OK;
}

/* Empties the table; of a large one only as much is used, and cleared, as these sends may fill. */
static ps_status reset_worker(struct worker *w, size_t n_sends, ps_error *err)
{
        enum { FIRST_SLOTS = 64 };
        if (n_sends >= PS_NONE)
                return PS_NOMEM(err, "messages to one process", n_sends);
        if (n_sends > w->next_cap) {
                free(w->next);
                w->next = malloc(n_sends * sizeof(*w->next));
                w->next_cap = w->next ? n_sends : 0;
                if (!w->next)
                        return PS_NOMEM(err, "messages to one process", n_sends);
        }
        w->n_queues = 0;
        if (!w->slots)
                return grow_table(w, FIRST_SLOTS, err);
        w->n_slots = w->slots_cap;
        while (w->n_slots > FIRST_SLOTS && w->n_slots / 4 > n_sends)
                w->n_slots /= 2;
        memset(w->slots, 0xff, w->n_slots * sizeof(*w->slots));
        return PS_OK;
}

static ps_status queue_sends(const struct matcher *m, struct worker *w, struct send *sends, uint32_t n,
                             ps_error *err)
{
        for (uint32_t i = 0; i < n; i++) {
                uint64_t comm_tag = sends[i].u.comm_tag;
                ps_proc sender = process_of(m->trace, sends[i].ref.loc);
                struct queue *queue = find_queue(w, comm_tag, sender);
                sends[i].u.is_found = 0;
                w->next[i] = PS_NONE;
                if (queue->sender != PS_NONE) {
                        w->next[queue->tail] = i;
                        queue->tail = i;
                        continue;
                }
                *queue = (struct queue){comm_tag, sender, i, i};
                if (++w->n_queues * UINT64_C(2) < w->n_slots)
                        continue;
                ps_status status = grow_table(w, w->n_slots * 2, err);
                if (status < 0)
                        return status;
        }
        return PS_OK;
}

/* An emptied queue keeps its slot: all of its sends were in it before the first was taken. */
static void take_sends(const struct matcher *m, struct worker *w, struct send *sends)
{
        for (ps_ref recv; ps_postings_next(&w->recvs, &recv);) {
                ps_proc sender = partner_of(m->trace, recv);
                struct queue *queue = sender == PS_NONE ? NULL : find_queue(w, comm_tag_of(m, recv), sender);
                if (!queue || queue->sender == PS_NONE || queue->head == PS_NONE)
                        continue;
                struct send *send = &sends[queue->head];
                point_at(m->trace, recv, send->ref);
                *send = (struct send){recv, {1}};
                queue->head = w->next[queue->head];
        }
}

static ps_status match_receiver(void *ctx, uint32_t i, unsigned worker, ps_error *err)
{
        const struct matcher *m = ctx;
        struct worker *w = &m->workers[worker];
        ps_proc receiver = m->low + i;
        size_t n = m->begin[receiver + 1] - m->begin[receiver];
        if (!n)
                return PS_OK;
        struct send *sends = m->sends + (m->begin[receiver] - m->base);
        ps_status status = reset_worker(w, n, err);
        if (status == PS_OK)
                status = queue_sends(m, w, sends, (uint32_t)n, err);
        if (status == PS_OK)
                status = ps_postings_open(&w->recvs, m->trace, receiver, PS_C_RECV, err);
        if (status == PS_OK)
                take_sends(m, w, sends);
        return status;
}

/* The tables are seeded with an address, which nobody can know who prepares colliding keys; their order shows
 * nowhere. */
static ps_status new_workers(struct matcher *m, ps_error *err)
{
        m->workers = calloc(m->n_threads, sizeof(*m->workers));
        if (!m->workers)
                return PS_NOMEM(err, "threads", m->n_threads);
        for (unsigned i = 0; i < m->n_threads; i++)
                m->workers[i].seed = ps_hash_mix((uint64_t)(uintptr_t)m->workers);
        return PS_OK;
}

static void free_matcher(struct matcher *m)
{
        for (unsigned i = 0; m->workers && i < m->n_threads; i++) {
                ps_postings_free(&m->workers[i].recvs);
                free(m->workers[i].slots);
                free(m->workers[i].next);
        }
        free(m->workers);
        free(m->sends);
        free(m->begin);
}

static ps_status match_group(struct matcher *m, ps_error *err)
{
        ps_status status = next_group(m, err);
        if (status == PS_OK)
                status = walk_sends(m, store_send, err);
        if (status == PS_OK)
                status = ps_parallel_for(m->n_threads, m->high - m->low, match_receiver, m, err);
        if (status == PS_OK)
                status = walk_sends(m, pick_up, err);
        return status;
}

/* Matches what is not matched yet. */
static ps_status match_pass(ps_trace *trace, uint32_t comm_mask, unsigned n_threads, ps_error *err)
{
        struct matcher m = {
                .trace = trace, .comm_mask = comm_mask, .n_threads = ps_parallel_threads(n_threads)};
        ps_status status = count_sends(&m, err);
        if (status == PS_OK)
                status = new_workers(&m, err);
        while (status == PS_OK && m.high < trace->defs.processes.n)
                status = match_group(&m, err);
        free_matcher(&m);
        return status;
}

static int has_other_comm(const ps_trace *trace, ps_ref recv)
{
        ps_ref send = ps_op_partner(trace, recv);
        return trace->ops[send.loc].comm[send.op] != trace->ops[recv.loc].comm[recv.op];
}

/* What became of the rows tells all that there is to note, and in the order of locations. */
static void note_results(ps_trace *trace)
{
        ps_tally sends = {0}, recvs = {0}, comms = {0};
        trace->n_messages = 0;
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                for (ps_op op = 0; op < ops->n; op++) {
                        ps_class cls = ps_kinds[ops->kind[op]].cls;
                        ps_ref ref = {loc, op};
                        if ((cls != PS_C_SEND && cls != PS_C_RECV) || ops->flags[op] & PS_OP_CANCELLED)
                                continue;
                        if (!(ops->flags[op] & PS_OP_MATCHED)) {
                                if (ops->comm[op] != PS_NONE) /* else no record tells of a message */
                                        ps_tally_add(cls == PS_C_SEND ? &sends : &recvs, ref);
                        } else if (cls == PS_C_RECV) {
                                trace->n_messages++;
                                if (trace->defs.recv_comm_unreliable && has_other_comm(trace, ref))
                                        ps_tally_add(&comms, ref);
                        }
                }
        }
        ps_tally_note(&sends, trace, PS_I_SEND_UNMATCHED);
        ps_tally_note(&recvs, trace, PS_I_RECV_UNMATCHED);
        ps_tally_note(&comms, trace, PS_I_COMM_IGNORED);
}

ps_status ps_match_messages(ps_trace *trace, unsigned n_threads, ps_error *err)
{
        ps_status status = match_pass(trace, UINT32_MAX, n_threads, err);
        if (status == PS_OK && trace->defs.recv_comm_unreliable)
                status = match_pass(trace, 0, n_threads, err);
        if (status == PS_OK)
                note_results(trace);
        return status;
}
