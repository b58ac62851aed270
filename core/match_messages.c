/* match_messages.c - first in, first out queues of sends, one receiving process at a time.
 *
 * The sends are sorted by receiver first (counting sort: 8 bytes a send), so that the queues of one receiver
 * at a time are all that exists of them, receivers can be worked off by several threads, and every row is
 * written by the thread of one receiver only. The queues of a receiver stand in a hash table by
 * (communicator, sender, tag): the number of outstanding tags does not matter. */
#include "core/match.h"

#include "core/hash.h"
#include "core/match_order.h"
#include "core/parallel.h"

#include <stdlib.h>
#include <string.h>

/* The sends of one (communicator, tag, sender) that are not received yet: a list through worker.next. */
struct queue {
        uint64_t comm_tag;
        ps_proc sender; /* PS_NONE: a free slot */
        uint32_t head, tail;
};

struct worker {
        ps_postings recvs;
        struct queue *slots;
        uint32_t n_slots, n_queues; /* n_slots is 0 or a power of two above twice n_queues */
        uint32_t *next;             /* of each send of the receiver: the one behind it in its queue */
        size_t next_cap;
        uint64_t seed;
};

struct matcher {
        ps_trace *trace;
        ps_ref *sends;      /* by receiving process, and by order of posting for each sending process */
        size_t *first;      /* sends of receiver r: sends[first[r] .. first[r + 1]) */
        uint32_t comm_mask; /* 0: communicators do not count */
        struct worker *workers;
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

static ps_status count_sends(struct matcher *m, ps_error *err)
{
        const ps_trace *trace = m->trace;
        uint32_t n_procs = trace->defs.processes.n;
        m->first = calloc((size_t)n_procs + 2, sizeof(*m->first));
        if (!m->first)
                return PS_NOMEM(err, "processes", n_procs);
        for (ps_loc loc = 0; loc < trace->n_locs; loc++) {
                const ps_ops *ops = &trace->ops[loc];
                if (trace->defs.locations.row[loc].type != PS_LOCATION_CPU)
                        continue;
                for (ps_op op = 0; (op = ps_ops_next(ops, op, PS_C_SEND)) < ops->n; op++) {
                        ps_proc receiver = partner_of(trace, (ps_ref){loc, op});
                        if (receiver != PS_NONE)
                                m->first[receiver + 2]++;
                }
        }
        for (ps_proc p = 0; p < n_procs; p++)
                m->first[p + 2] += m->first[p + 1];
        m->sends = malloc((m->first[n_procs + 1] + 1) * sizeof(*m->sends));
        return m->sends ? PS_OK : PS_NOMEM(err, "sends", m->first[n_procs + 1]);
}

/* first[r + 1] moves from the begin of receiver r's sends to their end, where that of r + 1 begins. */
static ps_status sort_sends(struct matcher *m, ps_error *err)
{
        const ps_trace *trace = m->trace;
        ps_postings sends = {0};
        ps_status status = PS_OK;
        for (ps_proc p = 0; p < trace->defs.processes.n && status == PS_OK; p++) {
                status = ps_postings_open(&sends, trace, p, PS_C_SEND, err);
                for (ps_ref ref; status == PS_OK && ps_postings_next(&sends, &ref);) {
                        ps_proc receiver = partner_of(trace, ref);
                        if (receiver != PS_NONE)
                                m->sends[m->first[receiver + 1]++] = ref;
                }
        }
        ps_postings_free(&sends);
        return status;
}

/* The queue of the key, or the free slot where it belongs. */
static struct queue *find_queue(const struct worker *w, uint64_t comm_tag, ps_proc sender)
{
        uint32_t mask = w->n_slots - 1;
        for (uint32_t i = (uint32_t)ps_hash_pair(comm_tag ^ w->seed, sender) & mask;; i = (i + 1) & mask) {
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
        grown.n_slots = n_slots;
        memset(grown.slots, 0xff, n_slots * sizeof(*grown.slots));
        for (uint32_t i = 0; i < w->n_slots; i++)
                if (w->slots[i].sender != PS_NONE)
                        *find_queue(&grown, w->slots[i].comm_tag, w->slots[i].sender) = w->slots[i];
        free(w->slots);
        *w = grown;
        return PS_OK;
}

static ps_status reset_worker(struct worker *w, size_t n_sends, ps_error *err)
{
        enum { FIRST_SLOTS = 64 };
        free(w->slots);
        w->slots = NULL;
        w->n_slots = w->n_queues = 0;
        if (n_sends >= PS_NONE)
                return PS_NOMEM(err, "messages to one process", n_sends);
        if (n_sends > w->next_cap) {
                free(w->next);
                w->next_cap = 0;
                w->next = malloc(n_sends * sizeof(*w->next));
                if (!w->next)
                        return PS_NOMEM(err, "messages to one process", n_sends);
                w->next_cap = n_sends;
        }
        return grow_table(w, FIRST_SLOTS, err);
}

static uint64_t comm_tag_of(const struct matcher *m, ps_ref ref)
{
        const ps_ops *ops = &m->trace->ops[ref.loc];
        return (uint64_t)(ops->comm[ref.op] & m->comm_mask) << 32 | ops->tag[ref.op];
}

static ps_status queue_sends(const struct matcher *m, struct worker *w, const ps_ref *sends, uint32_t n,
                             ps_error *err)
{
        for (uint32_t i = 0; i < n; i++) {
                uint64_t comm_tag = comm_tag_of(m, sends[i]);
                ps_proc sender = process_of(m->trace, sends[i].loc);
                struct queue *queue = find_queue(w, comm_tag, sender);
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

static void point_at(const ps_trace *trace, ps_ref from, ps_ref to)
{
        const ps_ops *ops = &trace->ops[from.loc];
        ops->peer[from.op] = to.loc;
        ops->link[from.op] = to.op;
        ops->flags[from.op] |= PS_OP_MATCHED;
}

/* An emptied queue keeps its slot: later lookups must find it, and it must not be mistaken for a free one. */
static void take_sends(const struct matcher *m, struct worker *w, const ps_ref *sends)
{
        for (ps_ref recv; ps_postings_next(&w->recvs, &recv);) {
                ps_proc sender = partner_of(m->trace, recv);
                struct queue *queue = sender == PS_NONE ? NULL : find_queue(w, comm_tag_of(m, recv), sender);
                if (!queue || queue->sender == PS_NONE || queue->head == PS_NONE)
                        continue;
                point_at(m->trace, sends[queue->head], recv);
                point_at(m->trace, recv, sends[queue->head]);
                queue->head = w->next[queue->head];
        }
}

static ps_status match_receiver(void *ctx, uint32_t receiver, unsigned worker, ps_error *err)
{
        const struct matcher *m = ctx;
        struct worker *w = &m->workers[worker];
        const ps_ref *sends = m->sends + m->first[receiver];
        size_t n = m->first[receiver + 1] - m->first[receiver];
        if (!n)
                return PS_OK;
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
static ps_status match_receivers(struct matcher *m, unsigned n_threads, ps_error *err)
{
        n_threads = ps_parallel_threads(n_threads);
        m->workers = calloc(n_threads, sizeof(*m->workers));
        if (!m->workers)
                return PS_NOMEM(err, "threads", n_threads);
        for (unsigned i = 0; i < n_threads; i++)
                m->workers[i].seed = ps_hash_mix((uint64_t)(uintptr_t)m->workers);
        ps_status status = ps_parallel_for(n_threads, m->trace->defs.processes.n, match_receiver, m, err);
        for (unsigned i = 0; i < n_threads; i++) {
                ps_postings_free(&m->workers[i].recvs);
                free(m->workers[i].slots);
                free(m->workers[i].next);
        }
        free(m->workers);
        return status;
}

/* Matches what is not matched yet. */
static ps_status match_pass(ps_trace *trace, uint32_t comm_mask, unsigned n_threads, ps_error *err)
{
        struct matcher m = {.trace = trace, .comm_mask = comm_mask};
        ps_status status = count_sends(&m, err);
        if (status == PS_OK)
                status = sort_sends(&m, err);
        if (status == PS_OK)
                status = match_receivers(&m, n_threads, err);
        free(m.sends);
        free(m.first);
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
