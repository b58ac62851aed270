/* groups.c - calls that complete several messages: Waitall, Sendrecv.
 *
 * Such a call ends when the last of them is there. If that one was sent so late that all the others must have
 * come before, the call shows its way as a call does that waits for it alone; of the others it says nothing.
 * How long the others may have taken is not known either: not longer than this one, in proportion to what a
 * message of their size takes. A wrong guess makes a sample longer, never shorter, because the last one is on
 * its way from its send to the end of the call whatever the others do. */
#include "core/base/search.h"
#include "simulator/calibrate/internal.h"

#include <stdlib.h>

/* Where the size begins to count, at the earliest: a time per byte of a millionth of the latency. */
static const double size_counts = 1024;

typedef struct entry {
        ps_calibrate_message *message;
        ps_time sent; /* on the clock of the receiver */
} entry;

typedef struct groups {
        const ps_trace *trace;
        const ps_timing *timing;
        entry *row; /* by call, then by `sent` */
        size_t n;
} groups;

static int by_call(const void *a, const void *b)
{
        const entry *p = a, *q = b;
        ps_ref c = p->message->done, d = q->message->done;
        PS_ORDER_BY(c.loc, d.loc);
        PS_ORDER_BY(c.op, d.op);
        PS_ORDER_BY(p->sent, q->sent);
        return PS_ORDER(p->message, q->message);
}

static bool is_same_call(const entry *a, const entry *b)
{
        return a->message->done.loc == b->message->done.loc && a->message->done.op == b->message->done.op;
}

/* Mostly calls come in order already, each with its messages. */
static void sort_calls(groups *g)
{
        for (size_t first = 0, end; first < g->n; first = end) {
                for (end = first + 1; end < g->n && is_same_call(&g->row[end], &g->row[first]);)
                        end++;
                if (end < g->n && by_call(&g->row[first], &g->row[end]) > 0) {
                        qsort(g->row, g->n, sizeof(*g->row), by_call);
                        return;
                }
                if (end - first > 1)
                        qsort(&g->row[first], end - first, sizeof(*g->row), by_call);
        }
}

/* How long a message of so many bytes may have taken, if `last` took as long as it did. */
static ps_time longest(const ps_calibrate_message *last, uint64_t bytes)
{
        double ratio = ((double)bytes + size_counts) / ((double)last->bytes + size_counts);
        double time = (double)ps_time_sub(last->got, last->sent) * (ratio > 1 ? ratio : 1);
        return time < 0x1p62 ? (ps_time)time : (ps_time)1 << 62;
}

/* What began at this time, on the clock of the receiver, was through when the last one was sent. */
static bool was_through(const entry *last, ps_time begin, uint64_t bytes)
{
        return ps_time_add(begin, longest(last->message, bytes)) <= last->sent;
}

/* A request of the call that is no receive. */
static bool accepts_send(const groups *g, const entry *last, ps_ref send)
{
        const ps_ops *ops = &g->trace->ops[send.loc];
        uint64_t *own = &last->message->own_bytes;
        if (ps_kinds[ops->kind[send.op]].cls != PS_C_SEND)
                return false;
        *own = ps_op_bytes(ops, send.op) > *own ? ps_op_bytes(ops, send.op) : *own;
        return was_through(last, g->timing->enter[send.loc][send.op], ps_op_bytes(ops, send.op));
}

static bool accepts_requests(const groups *g, const entry *last, size_t n_received)
{
        ps_ref done = last->message->done;
        const ps_ops *ops = &g->trace->ops[done.loc];
        size_t n = 0;
        for (uint32_t i = 0; i < ps_op_tag(ops, done.op); i++) {
                ps_ref request = {done.loc, ps_op_completed(ops, done.op, i)};
                if (ps_kinds[ops->kind[request.op]].cls == PS_C_RECV)
                        n++;
                else if (!accepts_send(g, last, request))
                        return false;
        }
        return n == n_received; /* no message came that is not accounted for */
}

/* The other row of a Sendrecv, if it has one. */
static bool accepts_half(const groups *g, const entry *last)
{
        ps_ref half = last->message->done;
        const ps_ops *ops = &g->trace->ops[half.loc];
        if (ops->flags[half.op] & PS_OP_PART)
                half.op--;
        else if (half.op + 1 < ops->n && (ops->flags[half.op + 1] & PS_OP_PART))
                half.op++;
        else
                return true;
        return accepts_send(g, last, half);
}

static bool is_clear(const groups *g, const entry *first, const entry *last)
{
        ps_ref done = last->message->done;
        if (!ps_message_is_awaited(last->message))
                return 0;
        for (const entry *other = first; other < last; other++)
                if (!was_through(last, other->sent, other->message->bytes))
                        return 0;
        if (last->message->is_paired)
                return first == last && accepts_half(g, last);
        return g->trace->ops[done.loc].kind[done.op] == PS_K_WAITALL &&
               accepts_requests(g, last, (size_t)(last - first) + 1);
}

static void resolve_group(const groups *g, const entry *first, const entry *last)
{
        if (!is_clear(g, first, last))
                return;
        last->message->receive_why = PS_USED;
        last->message->is_grouped = true;
        for (const entry *other = first; other < last; other++)
                other->message->through =
                        ps_time_add(other->message->sent, longest(last->message, other->message->bytes));
}

ps_status ps_groups_resolve(ps_calibrate_messages *messages, const ps_trace *trace, const ps_timing *timing,
                            ps_error *err)
{
        groups g = {trace, timing, malloc((messages->n ? messages->n : 1) * sizeof(*g.row)), 0};
        if (!g.row)
                return PS_NOMEM(err, "messages", messages->n);
        for (size_t i = 0; i < messages->n; i++) {
                ps_calibrate_message *m = &messages->row[i];
                if (m->receive_why == PS_UNUSED_SHARED)
                        g.row[g.n++] = (entry){m, ps_time_sub(m->sent, m->offset)};
        }
        sort_calls(&g);
        for (size_t first = 0, end; first < g.n; first = end) {
                for (end = first + 1; end < g.n && is_same_call(&g.row[end], &g.row[first]);)
                        end++;
                resolve_group(&g, &g.row[first], &g.row[end - 1]);
        }
        free(g.row);
        return PS_OK;
}
