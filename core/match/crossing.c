/* crossing.c - messages that one of our processes has the send of, and another one the receive.
 *
 * The sends go to whoever has the receiver, 28 bytes each, in the order in which their process posted them.
 * There they stand for the sender's rows: all of a process as one location, which has that order already. So
 * they are matched as ever, and the answer is 8 bytes for each, in the order in which they came. */
#include "core/match/ends.h"
#include "core/match/expect.h"
#include "core/match/match.h"
#include "core/match/order.h"
#include "core/match/pass.h"

#include "core/base/memory.h"
#include "core/exchange/letters.h"

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
        uint32_t **by_call; /* by location here, by call: whose the receiver is; PS_NONE: ours, or nobody */
        ps_numbers *out;    /* struct sent, to each of ours */
        ps_pile in;         /* the same, of each */
        ps_pile answers, told; /* to each, and of each, its receive or {PS_NONE, PS_NONE} */
        size_t n_in;
        /* The columns of the rows that stand for those that came. */
        uint8_t *kind, *flags;
        uint32_t *call, *peer, *tag, *link, *pre;
        struct ps_call *calls; /* those of each sender behind those of the one before */
        ps_time *enter;        /* when they were sent, to which `pre` adds nothing */
};

static struct sent *list_of(const ps_pile *pile)
{
        return (struct sent *)(void *)pile->bytes;
}

static struct sent sent_of(const ps_trace *trace, ps_ref send)
{
        const ps_ops *ops = &trace->ops[send.loc];
        const struct ps_call *call = &ops->calls[ops->call[send.op]];
        struct sent sent = {send, call->peer, call->comm, ps_op_tag(ops, send.op), {0}};
        ps_time time = ps_op_record_begin(trace, &trace->measured, send);
        memcpy(sent.time, &time, sizeof(sent.time));
        return sent;
}

static uint32_t owner_of(const struct crossing *c, ps_loc receiver)
{
        ps_proc process = process_of(c->trace, receiver);
        uint32_t owner = process == PS_NONE ? c->x->rank : c->owner[process];
        return owner == c->x->rank ? PS_NONE : owner;
}

static ps_status look_up_receivers(struct crossing *c, ps_error *err)
{
        const ps_trace *trace = c->trace;
        size_t n = 0;
        for (ps_loc l = 0; l < trace->n_locs; l++)
                n += trace->ops[l].n_calls;
        c->by_call = malloc((trace->n_locs + (size_t)1) * sizeof(*c->by_call));
        uint32_t *owner = c->by_call ? c->by_call[0] = ps_memory_new(n * sizeof(*owner)) : NULL;
        if (!owner)
                return PS_NOMEM(err, "calls", n);
        for (ps_loc l = 0; l < trace->n_locs; l++) {
                c->by_call[l] = owner;
                for (uint32_t i = 0; i < trace->ops[l].n_calls; i++)
                        *owner++ = owner_of(c, trace->ops[l].calls[i].peer);
        }
        return PS_OK;
}

/* Those of rows that follow each other. */
static void list_rows(const struct crossing *c, const ps_posted *rows)
{
        const ps_ops ops = c->trace->ops[rows->loc];
        const uint32_t *by_call = c->by_call[rows->loc];
        for (ps_op op = rows->from; op < rows->end; op++) {
                if (!ps_kind_sends(ops.kind[op]))
                        continue;
                uint32_t to = looked_up(by_call, &ops, op);
                if (to == PS_NONE || !ps_numbers_have_room(&c->out[to], sizeof(struct sent)))
                        continue;
                const struct sent sent = sent_of(c->trace, (ps_ref){rows->loc, op});
                memcpy(c->out[to].row + c->out[to].n, &sent, sizeof(sent));
                c->out[to].n += sizeof(sent);
        }
}

static ps_status list_sends(const struct crossing *c, ps_postings *sends, ps_error *err)
{
        for (ps_proc p = 0; p < c->trace->defs.processes.n; p++) {
                if (c->owner[p] != c->x->rank)
                        continue;
                PS_TRY(ps_postings_open(sends, c->trace, p, PS_C_SEND, err));
                for (ps_posted rows; ps_postings_next_rows(sends, &rows);)
                        list_rows(c, &rows);
        }
        return PS_OK;
}

static ps_status collect(struct crossing *c, ps_error *err)
{
        ps_postings sends = {0};
        ps_status status = ps_letters_new(&c->out, c->x, err);
        if (status == PS_OK)
                ps_letters_expect(c->out, c->trace, c->owner, c->x, ps_kind_sends, sizeof(struct sent));
        PS_THEN(status, look_up_receivers(c, err));
        PS_THEN(status, list_sends(c, &sends, err));
        ps_postings_free(&sends);
        free(c->by_call ? c->by_call[0] : NULL);
        free(c->by_call);
        return status;
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
        if (n >= PS_NONE || !(c->calls = ps_memory_again(n * sizeof(*c->calls))) ||
            !(c->enter = ps_memory_again(n * (sizeof(*c->enter) + NUMBERS * sizeof(*c->peer) + BYTES))))
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

/* Which of the calls says that; mostly it is the one before. */
static uint32_t find_call(struct ps_call *calls, uint32_t *n_calls, uint32_t before, const struct sent *sent)
{
        const struct ps_call call = {.peer = sent->to, .comm = sent->comm};
        if (*n_calls && calls[before].peer == call.peer && calls[before].comm == call.comm)
                return before;
        uint32_t at = ps_call_recent(calls, *n_calls, &call);
        if (at == *n_calls)
                calls[(*n_calls)++] = call;
        return at;
}

/* Behind those that come from the same process of the program as the i-th. */
static size_t end_of_process(const struct crossing *c, size_t i)
{
        const struct sent *list = list_of(&c->in);
        ps_loc location = list[i].send.loc;
        const ps_loc first = first_of(c->trace, location);
        for (i++; i < c->n_in; i++) {
                if (list[i].send.loc != location && first_of(c->trace, list[i].send.loc) != first)
                        break;
                location = list[i].send.loc;
        }
        return i;
}

/* The columns of what one process sent; its calls stand from `calls` on. */
static uint32_t fill_columns(struct crossing *c, size_t from, size_t end, struct ps_call *calls)
{
        const struct sent *list = list_of(&c->in);
        uint32_t n_calls = 0;
        for (size_t i = from; i < end; i++) {
                c->call[i] = find_call(calls, &n_calls, i > from ? c->call[i - 1] : 0, &list[i]);
                c->peer[i] = list[i].to;
                c->tag[i] = list[i].tag;
                memcpy(&c->enter[i], list[i].time, sizeof(*c->enter));
        }
        return n_calls;
}

static ps_status stand_for_senders(struct crossing *c, ps_error *err)
{
        PS_TRY(make_columns(c, err));
        struct ps_call *calls = c->calls;
        for (size_t i = 0, end; i < c->n_in; i = end) {
                end = end_of_process(c, i);
                uint32_t n_calls = fill_columns(c, i, end, calls);
                stand_in(c, first_of(c->trace, list_of(&c->in)[i].send.loc), i, end, calls, n_calls);
                calls += n_calls;
        }
        return PS_OK;
}

/* Nobody looks at what is not there any more. */
static void leave_senders(struct crossing *c)
{
        const struct sent *list = list_of(&c->in);
        for (size_t i = 0; c->enter && i < c->n_in; i = end_of_process(c, i)) {
                ps_loc sender = first_of(c->trace, list[i].send.loc);
                c->trace->ops[sender] = (ps_ops){.n = 0};
                c->trace->measured.enter[sender] = NULL;
        }
        ps_memory_pass_on(c->enter);
        c->enter = NULL;
        ps_pile_pass_on(&c->in);
}

/* Receives get the place of their send in its own location, and the senders that of the receive. Of the rows
 * that find nobody, those of others count there. */
static ps_status answer(struct crossing *c, ps_match_near *out, ps_error *err)
{
        const struct sent *list = list_of(&c->in);
        ps_ref *answers = ps_memory_again(c->n_in * sizeof(*answers));
        c->answers = (ps_pile){(uint8_t *)answers, malloc(c->x->size * sizeof(*c->answers.end))};
        if (!answers || !c->answers.end)
                return PS_NOMEM(err, "messages of other processes", c->n_in);
        for (uint32_t p = 0; p < c->x->size; p++)
                c->answers.end[p] = c->in.end[p] / sizeof(*list) * sizeof(*answers);
        for (size_t i = 0; i < c->n_in; i++) {
                if (!(c->flags[i] & PS_OP_MATCHED)) {
                        answers[i] = (ps_ref){PS_NONE, PS_NONE};
                        out->left -= list[i].comm != PS_NONE;
                        continue;
                }
                answers[i] = (ps_ref){c->peer[i], c->link[i]};
                point_at(&c->trace->ops[c->peer[i]], c->link[i], list[i].send);
                out->crossing++;
        }
        return PS_OK;
}

static ps_status match_what_came(struct crossing *c, unsigned n_threads, ps_match_near *out,
                                 const ps_match_look *look, ps_error *err)
{
        ps_slacks seen = {.row = NULL};
        c->n_in = c->in.end[c->x->size - 1] / sizeof(struct sent);
        PS_TRY(stand_for_senders(c, err));
        ps_status status = ps_match_pass(c->trace, UINT32_MAX, n_threads, NULL, &seen, &out->left, err);
        free(seen.row);
        PS_TRY(status);
        PS_TRY(look->look(look->ctx, c->trace, seen.tells ? &seen.early : NULL, n_threads, err));
        return answer(c, out, err);
}

/* -- where the sender is -- */

/* Sends that find their receive elsewhere were left so far. */
static void hear(const struct crossing *c, uint64_t *left)
{
        for (uint32_t p = 0; p < c->x->size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(&c->told, p, &n);
                const ps_ref *told = (const ps_ref *)(const void *)at;
                const struct sent *sent = (const struct sent *)(const void *)c->out[p].row;
                for (size_t i = 0; i < n / sizeof(*told); i++) {
                        if (told[i].loc == PS_NONE)
                                continue;
                        point_at(&c->trace->ops[sent[i].send.loc], sent[i].send.op, told[i]);
                        (*left)--;
                }
        }
}

static ps_status match_crossing(struct crossing *c, unsigned n_threads, ps_match_near *out,
                                const ps_match_look *look, ps_error *err)
{
        ps_exchange *x = c->x;
        ps_status status = collect(c, err);
        PS_TRY(ps_letters_deal_copies(&c->in, c->out, x, status, err));
        status = match_what_came(c, n_threads, out, look, err);
        leave_senders(c);
        PS_TRY(ps_exchange_agree(x, status, err));
        PS_TRY(ps_exchange_deal(x, &c->told, &c->answers, err));
        hear(c, &out->left);
        return PS_OK;
}

ps_status ps_match_fitting_here(ps_trace *trace, const uint32_t *owner, ps_exchange *x, unsigned n_threads,
                                ps_match_near *out, const ps_match_look *look, ps_error *err)
{
        struct crossing c = {.trace = trace, .owner = owner, .x = x};
        ps_status status = match_crossing(&c, n_threads, out, look, err);
        ps_letters_pass_on(c.out, x);
        ps_pile_clear(&c.in);
        ps_pile_pass_on(&c.answers);
        ps_pile_pass_on(&c.told);
        ps_memory_pass_on(c.calls);
        return status;
}
