/* intercomm.c - the two sides of an intercommunicator that the trace takes for two communicators.
 *
 * Some recorders give each side an id of its own, with the side's own group, and no word of the other. Ranks
 * in its messages are those of the other group, so that the partners seem to be oneself, a neighbour or
 * nobody. All that is left over of two communicators that share no process is compared: if what one side
 * sends is what the other receives - the same ranks, tags and sizes in the same order - and the other way
 * round, they are the two sides of one. Where several would do, nobody knows which it is, and nothing is
 * matched. */
#include "core/match/intercomm.h"

#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/base/vector.h"
#include "core/match/order.h"

#include <stdlib.h>

/* A send or receive without a partner. */
struct leftover {
        ps_comm comm;
        uint8_t receives;
        uint32_t sender, receiver, tag; /* ranks in their groups */
        uint32_t order;                 /* of posting, in its process */
        uint64_t bytes;
        ps_ref ref;
};

/* What is left over of one communicator: all[first .. first + n), first what it sends. */
struct side {
        ps_comm comm;
        uint64_t sent, got; /* hashes */
        uint32_t first, n, n_sent;
};

struct leftovers {
        ps_trace *trace;
        struct leftover *all;
        uint32_t n, cap;
        struct side *sides; /* by hashes of what they send and get */
        uint32_t n_sides;
        uint32_t *rank; /* scratch: by process */
};

static bool is_candidate(const ps_trace *trace, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        if (ops->flags[ref.op] & (PS_OP_MATCHED | PS_OP_CANCELLED) ||
            ps_op_comm(ops, ref.op) >= trace->defs.comms.n)
                return 0;
        const ps_comm_def *comm = &trace->defs.comms.row[ps_op_comm(ops, ref.op)];
        return !comm->inter && !comm->self && !comm->team && !comm->pgas;
}

/* What a process sent, or received, and nobody matched, in the order in which it was posted. */
static ps_status collect_process(struct leftovers *l, ps_postings *postings, ps_proc process, ps_class cls,
                                 ps_error *err)
{
        uint32_t order = 0;
        PS_TRY(ps_postings_open(postings, l->trace, process, cls, err));
        for (ps_ref ref; ps_postings_next(postings, &ref);) {
                if (!is_candidate(l->trace, ref))
                        continue;
                if (PS_ROOM(l->all, l->n, l->cap))
                        return PS_NOMEM(err, "messages", l->n);
                const ps_ops *ops = &l->trace->ops[ref.loc];
                l->all[l->n++] = (struct leftover){.comm = ps_op_comm(ops, ref.op),
                                                   .receives = cls == PS_C_RECV,
                                                   .sender = process,
                                                   .receiver = ops->link[ref.op],
                                                   .tag = ps_op_tag(ops, ref.op),
                                                   .order = order++,
                                                   .bytes = ps_op_bytes(ops, ref.op),
                                                   .ref = ref};
        }
        return PS_OK;
}

static ps_status collect_leftovers(struct leftovers *l, ps_error *err)
{
        ps_postings postings = {0};
        ps_status status = PS_OK;
        for (ps_proc p = 0; p < l->trace->defs.processes.n && status == PS_OK; p++) {
                status = collect_process(l, &postings, p, PS_C_SEND, err);
                PS_THEN(status, collect_process(l, &postings, p, PS_C_RECV, err));
        }
        ps_postings_free(&postings);
        return status;
}

static int compare_comms(const void *a, const void *b)
{
        const struct leftover *x = a, *y = b;
        return PS_ORDER(x->comm, y->comm);
}

static int compare_messages(const void *a, const void *b)
{
        const struct leftover *x = a, *y = b;
        PS_ORDER_BY(x->receives, y->receives);
        PS_ORDER_BY(x->sender, y->sender);
        PS_ORDER_BY(x->receiver, y->receiver);
        PS_ORDER_BY(x->tag, y->tag);
        return PS_ORDER(x->order, y->order);
}

/* Until now `sender` is the own process, and `receiver` the rank at the other side. */
static void rank_messages(struct leftovers *l, const struct side *side)
{
        const ps_comm_def *comm = &l->trace->defs.comms.row[side->comm];
        for (uint32_t i = 0; i < comm->n_members; i++)
                if (comm->members[i] != PS_NONE)
                        l->rank[comm->members[i]] = i;
        for (uint32_t i = side->first; i < side->first + side->n; i++) {
                struct leftover *m = &l->all[i];
                uint32_t own = l->rank[m->sender], other = m->receiver;
                m->sender = m->receives ? other : own;
                m->receiver = m->receives ? own : other;
        }
        for (uint32_t i = 0; i < comm->n_members; i++)
                if (comm->members[i] != PS_NONE)
                        l->rank[comm->members[i]] = PS_NONE;
}

static uint64_t hash_messages(const struct leftover *messages, uint32_t n)
{
        uint64_t hash = n;
        for (uint32_t i = 0; i < n; i++) {
                const struct leftover *m = &messages[i];
                hash = ps_hash_pair(hash, ps_hash_pair((uint64_t)m->sender << 32 | m->receiver,
                                                       ps_hash_pair(m->tag, m->bytes)));
        }
        return hash;
}

static void settle_side(struct leftovers *l, struct side *side)
{
        struct leftover *messages = l->all + side->first;
        rank_messages(l, side);
        qsort(messages, side->n, sizeof(*messages), compare_messages);
        while (side->n_sent < side->n && !messages[side->n_sent].receives)
                side->n_sent++;
        side->sent = hash_messages(messages, side->n_sent);
        side->got = hash_messages(messages + side->n_sent, side->n - side->n_sent);
}

static int compare_sides(const void *a, const void *b)
{
        const struct side *x = a, *y = b;
        PS_ORDER_BY(x->sent, y->sent);
        return PS_ORDER(x->got, y->got);
}

static ps_status find_sides(struct leftovers *l, ps_error *err)
{
        uint32_t n_procs = l->trace->defs.processes.n;
        l->sides = ps_memory_zeroed(l->n, sizeof(*l->sides));
        l->rank = ps_memory_new(n_procs * sizeof(*l->rank));
        if (!l->sides || !l->rank)
                return PS_NOMEM(err, "messages", l->n);
        for (ps_proc p = 0; p < n_procs; p++)
                l->rank[p] = PS_NONE;
        qsort(l->all, l->n, sizeof(*l->all), compare_comms);
        for (uint32_t i = 0; i < l->n; i++) {
                if (i == 0 || l->all[i].comm != l->all[i - 1].comm)
                        l->sides[l->n_sides++] = (struct side){.comm = l->all[i].comm, .first = i};
                l->sides[l->n_sides - 1].n++;
        }
        for (uint32_t i = 0; i < l->n_sides; i++)
                settle_side(l, &l->sides[i]);
        qsort(l->sides, l->n_sides, sizeof(*l->sides), compare_sides);
        return PS_OK;
}

static bool are_equal(const struct leftover *x, const struct leftover *y, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++)
                if (x[i].sender != y[i].sender || x[i].receiver != y[i].receiver || x[i].tag != y[i].tag ||
                    x[i].bytes != y[i].bytes)
                        return 0;
        return 1;
}

static bool are_apart(struct leftovers *l, const ps_comm_def *a, const ps_comm_def *b)
{
        int n_shared = 0;
        for (uint32_t i = 0; i < a->n_members; i++)
                if (a->members[i] != PS_NONE)
                        l->rank[a->members[i]] = i;
        for (uint32_t i = 0; i < b->n_members; i++)
                n_shared += b->members[i] != PS_NONE && l->rank[b->members[i]] != PS_NONE;
        for (uint32_t i = 0; i < a->n_members; i++)
                if (a->members[i] != PS_NONE)
                        l->rank[a->members[i]] = PS_NONE;
        return n_shared == 0;
}

static bool are_one(struct leftovers *l, const struct side *a, const struct side *b)
{
        const struct leftover *x = l->all + a->first, *y = l->all + b->first;
        return a->n_sent == b->n - b->n_sent && b->n_sent == a->n - a->n_sent &&
               are_equal(x, y + b->n_sent, a->n_sent) && are_equal(x + a->n_sent, y, b->n_sent) &&
               are_apart(l, &l->trace->defs.comms.row[a->comm], &l->trace->defs.comms.row[b->comm]);
}

/* The only other side that fits, or NULL. Those with equal hashes stand together; of very many none is the
 * only one. */
static const struct side *other_side(struct leftovers *l, const struct side *side)
{
        enum { MANY = 64 };
        const struct side wanted = {.sent = side->got, .got = side->sent}, *found = NULL;
        uint32_t low = 0;
        PS_SEARCH(low, l->n_sides, middle, compare_sides(&l->sides[middle], &wanted) < 0);
        for (uint32_t i = low; i < l->n_sides && compare_sides(&l->sides[i], &wanted) == 0; i++) {
                if (!are_one(l, side, &l->sides[i]))
                        continue;
                if (found || i - low == MANY)
                        return NULL;
                found = &l->sides[i];
        }
        return found;
}

static void join_sides(struct leftovers *l, const struct side *a, const struct side *b)
{
        for (uint32_t i = 0; i < a->n_sent; i++) {
                ps_ref send = l->all[a->first + i].ref, recv = l->all[b->first + b->n_sent + i].ref;
                ps_match_join(l->trace, send, recv);
        }
}

static ps_status match_leftovers(struct leftovers *l, ps_error *err)
{
        PS_TRY(collect_leftovers(l, err));
        if (l->n)
                PS_TRY(find_sides(l, err));
        for (uint32_t i = 0; i < l->n_sides; i++) {
                const struct side *side = &l->sides[i], *other = other_side(l, side);
                if (other && other_side(l, other) == side)
                        join_sides(l, side, other);
        }
        return PS_OK;
}

ps_status ps_match_intercomms(ps_trace *trace, ps_error *err)
{
        struct leftovers l = {.trace = trace};
        ps_status status = match_leftovers(&l, err);
        free(l.all);
        free(l.sides);
        free(l.rank);
        return status;
}
