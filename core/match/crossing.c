/* crossing.c - messages that one of our processes has the send of, and another one the receive.
 *
 * The sends go to whoever has the receiver, 28 bytes each, in the order in which their process posted them.
 * There they stand for the sender's rows: all of a process as one location, which has that order already. So
 * they are matched as ever, and the answer is 8 bytes for each, in the order in which they came. */
#include "core/match/ends.h"
#include "core/match/match.h"
#include "core/match/order.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct sent {
        ps_ref send;
        ps_loc to;
        ps_comm comm;
        uint32_t tag;
        uint32_t time[2]; /* of its record: a ps_time would cost four bytes more */
};

struct crossing {
        ps_trace *trace;
        const uint32_t *owner;
        ps_exchange *x;
        ps_pile out, in;       /* struct sent */
        ps_pile answers, told; /* to each, and of each, its receive or {PS_NONE, PS_NONE} */
        size_t n_in;
        /* The columns of the rows that stand for those that came. */
        uint8_t *kind, *flags;
        uint32_t *call, *peer, *tag, *link, *pre;
        struct ps_call *calls; /* those of each sender behind those of the one before */
        ps_time *enter;        /* when they were sent, to which `pre` adds nothing */
};

/* Whose the receiver is, where that is not us. */
static uint32_t goes_to(const struct crossing *c, const ps_ops *ops, ps_op op)
{
        ps_proc receiver = is_send(ops->kind[op]) ? partner_of(c->trace, ops, op) : PS_NONE;
        uint32_t owner = receiver == PS_NONE ? c->x->rank : c->owner[receiver];
        return owner == c->x->rank ? PS_NONE : owner;
}

static struct sent *list_of(const ps_pile *pile)
{
        return (struct sent *)(void *)pile->bytes;
}

static size_t total_of(const ps_exchange *x, const ps_pile *pile)
{
        return pile->end[x->size - 1];
}

static struct sent sent_of(const ps_trace *trace, ps_ref send)
{
        const ps_ops *ops = &trace->ops[send.loc];
        struct sent sent = {
                send, ps_op_peer(ops, send.op), ps_op_comm(ops, send.op), ps_op_tag(ops, send.op), {0}};
        ps_time time = ps_op_record_begin(trace, &trace->measured, send);
        memcpy(sent.time, &time, sizeof(sent.time));
        return sent;
}

/* Those of rows that follow each other; `at`, by our process: where the next one goes, or how many there are.
 */
static void list_rows(const struct crossing *c, const ps_posted *rows, size_t *at, struct sent *list)
{
        const ps_ops *ops = &c->trace->ops[rows->loc];
        for (ps_op op = rows->from; op < rows->end; op++) {
                uint32_t to = goes_to(c, ops, op);
                if (to == PS_NONE)
                        continue;
                if (list)
                        list[at[to]] = sent_of(c->trace, (ps_ref){rows->loc, op});
                at[to]++;
        }
}

static ps_status list_sends(const struct crossing *c, size_t *at, struct sent *list, ps_error *err)
{
        ps_postings sends = {0};
        ps_status status = PS_OK;
        for (ps_proc p = 0; p < c->trace->defs.processes.n && status == PS_OK; p++) {
                if (c->owner[p] != c->x->rank)
                        continue;
                status = ps_postings_open(&sends, c->trace, p, PS_C_SEND, err);
                for (ps_posted rows; status == PS_OK && ps_postings_next_rows(&sends, &rows);)
                        list_rows(c, &rows, at, list);
        }
        ps_postings_free(&sends);
        return status;
}

static ps_status collect(struct crossing *c, ps_error *err)
{
        uint32_t size = c->x->size;
        size_t *at = c->out.end = calloc(size, sizeof(*at)), n = 0;
        if (!at)
                return PS_NOMEM(err, "processes", size);
        PS_TRY(list_sends(c, at, NULL, err));
        for (uint32_t p = 0; p < size; p++) {
                size_t n_here = at[p];
                at[p] = n;
                n += n_here;
        }
        c->out.bytes = ps_memory_new(n * sizeof(struct sent));
        if (!c->out.bytes)
                return PS_NOMEM(err, "messages to other processes", n);
        PS_TRY(list_sends(c, at, list_of(&c->out), err));
        for (uint32_t p = 0; p < size; p++)
                at[p] *= sizeof(struct sent); /* where it begins has become where it ends */
        return PS_OK;
}

/* -- where the receiver is -- */

/* Rows `from` to `end` of those that came are all that process sends to us, in so many calls. */
static void stand_in(struct crossing *c, ps_loc location, size_t from, size_t end, struct ps_call *calls,
                     uint32_t n_calls)
{
        c->trace->ops[location] = (ps_ops){.n = (uint32_t)(end - from),
                                           .kind = c->kind + from,
                                           .flags = c->flags + from,
                                           .call = c->call + from,
                                           .calls = calls,
                                           .n_calls = n_calls,
                                           .peer = c->peer + from,
                                           .tag = c->tag + from,
                                           .link = c->link + from,
                                           .pre = c->pre + from};
        c->trace->measured.enter[location] = c->enter + from;
}

static ps_loc first_of(const ps_trace *trace, ps_loc location)
{
        return trace->defs.by_process[trace->defs.processes.row[process_of(trace, location)].first];
}

static ps_status make_columns(struct crossing *c, ps_error *err)
{
        size_t n = c->n_in;
        enum { NUMBERS = 5, BYTES = 2 };
        if (n >= PS_NONE || !(c->calls = ps_memory_new(n * sizeof(*c->calls))) ||
            !(c->enter = ps_memory_new(n * (sizeof(*c->enter) + NUMBERS * sizeof(*c->peer) + BYTES))))
                return PS_NOMEM(err, "messages of other processes", n);
        c->call = (uint32_t *)(c->enter + n);
        c->peer = c->call + n;
        c->tag = c->peer + n;
        c->link = c->tag + n;
        c->pre = c->link + n;
        c->kind = (uint8_t *)(c->pre + n);
        c->flags = c->kind + n;
        memset(c->pre, 0, n * sizeof(*c->pre));
        memset(c->kind, PS_K_SEND, n);
        memset(c->flags, 0, n);
        return PS_OK;
}

static ps_status stand_for_senders(struct crossing *c, ps_error *err)
{
        const struct sent *list = list_of(&c->in);
        PS_TRY(make_columns(c, err));
        struct ps_call *calls = c->calls;
        uint32_t n_calls = 0;
        for (size_t i = 0, from = 0; i < c->n_in; i++) {
                const struct ps_call call = {.peer = list[i].to, .comm = list[i].comm};
                c->call[i] = ps_call_recent(calls, n_calls, &call);
                if (c->call[i] == n_calls)
                        calls[n_calls++] = call;
                c->peer[i] = call.peer;
                c->tag[i] = list[i].tag;
                memcpy(&c->enter[i], list[i].time, sizeof(*c->enter));
                ps_loc sender = first_of(c->trace, list[i].send.loc);
                if (i + 1 < c->n_in && first_of(c->trace, list[i + 1].send.loc) == sender)
                        continue;
                stand_in(c, sender, from, i + 1, calls, n_calls);
                from = i + 1;
                calls += n_calls;
                n_calls = 0;
        }
        return PS_OK;
}

/* Nobody looks at what is not there any more. */
static void leave_senders(const struct crossing *c)
{
        const struct sent *list = list_of(&c->in);
        for (size_t i = 0; c->enter && i < c->n_in; i++) {
                ps_loc sender = first_of(c->trace, list[i].send.loc);
                c->trace->ops[sender] = (ps_ops){.n = 0};
                c->trace->measured.enter[sender] = NULL;
        }
}

/* Of the rows that find nobody, those of others count there. */
static uint64_t count_foreign(const struct crossing *c)
{
        const struct sent *list = list_of(&c->in);
        uint64_t n = 0;
        for (size_t i = 0; i < c->n_in; i++)
                n += list[i].comm != PS_NONE && !(c->flags[i] & PS_OP_MATCHED);
        return n;
}

/* Receives get the place of their send in its own location, and the senders that of the receive. */
static ps_status answer(struct crossing *c, uint64_t *n_matched, ps_error *err)
{
        const struct sent *list = list_of(&c->in);
        ps_ref *answers = ps_memory_new(c->n_in * sizeof(*answers));
        c->answers = (ps_pile){(uint8_t *)answers, malloc(c->x->size * sizeof(*c->answers.end))};
        if (!answers || !c->answers.end)
                return PS_NOMEM(err, "messages of other processes", c->n_in);
        for (uint32_t p = 0; p < c->x->size; p++)
                c->answers.end[p] = c->in.end[p] / sizeof(*list) * sizeof(*answers);
        for (size_t i = 0; i < c->n_in; i++) {
                bool is_matched = c->flags[i] & PS_OP_MATCHED;
                answers[i] = is_matched ? (ps_ref){c->peer[i], c->link[i]} : (ps_ref){PS_NONE, PS_NONE};
                *n_matched += is_matched;
                if (is_matched)
                        point_at(&c->trace->ops[answers[i].loc], answers[i].op, list[i].send);
        }
        return PS_OK;
}

static ps_status match_what_came(struct crossing *c, unsigned n_threads, ps_match_near *out,
                                 const ps_match_look *look, ps_error *err)
{
        c->n_in = total_of(c->x, &c->in) / sizeof(struct sent);
        PS_TRY(stand_for_senders(c, err));
        PS_TRY(ps_match_fitting(c->trace, n_threads, &out->left, err));
        out->left -= count_foreign(c);
        PS_TRY(look->look(look->ctx, c->trace, n_threads, err));
        return answer(c, &out->crossing, err);
}

/* -- where the sender is -- */

/* Sends that find their receive elsewhere were left so far. */
static void hear(const struct crossing *c, uint64_t *left)
{
        const struct sent *list = list_of(&c->out);
        const ps_ref *told = (const ps_ref *)(const void *)c->told.bytes;
        size_t n = total_of(c->x, &c->out) / sizeof(*list);
        for (size_t i = 0; i < n; i++) {
                if (told[i].loc == PS_NONE)
                        continue;
                point_at(&c->trace->ops[list[i].send.loc], list[i].send.op, told[i]);
                (*left)--;
        }
}

static ps_status match_crossing(struct crossing *c, unsigned n_threads, ps_match_near *out,
                                const ps_match_look *look, ps_error *err)
{
        ps_exchange *x = c->x;
        PS_TRY(ps_exchange_agree(x, collect(c, err), err));
        PS_TRY(ps_exchange_deal(x, &c->in, &c->out, err));
        PS_TRY(ps_exchange_agree(x, match_what_came(c, n_threads, out, look, err), err));
        PS_TRY(ps_exchange_deal(x, &c->told, &c->answers, err));
        hear(c, &out->left);
        return PS_OK;
}

ps_status ps_match_fitting_here(ps_trace *trace, const uint32_t *owner, ps_exchange *x, unsigned n_threads,
                                ps_match_near *out, const ps_match_look *look, ps_error *err)
{
        struct crossing c = {.trace = trace, .owner = owner, .x = x};
        ps_status status = match_crossing(&c, n_threads, out, look, err);
        leave_senders(&c);
        ps_pile_clear(&c.out);
        ps_pile_clear(&c.in);
        ps_pile_clear(&c.answers);
        ps_pile_clear(&c.told);
        free(c.enter);
        free(c.calls);
        return status;
}
