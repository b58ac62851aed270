/* partners.c - see partners.h.
 *
 * Each process tells each other one of those of its rows that are matched with rows there, in their order, as
 * steps from the one before: about 25 bytes a row. Nobody tells process 0 if it has all of them. They stand
 * in the places of the location that they are of, each followed by the operation that completes it, if it has
 * one; since they come in order, an own row finds its partner behind the one that was found before. */
#include "core/match/partners.h"

#include "core/base/memory.h"
#include "core/base/search.h"
#include "core/clock/waits.h"
#include "core/exchange/numbers.h"
#include "core/match/ends.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How many rows a letter tells of, with those that complete them. It begins with that, if there are any. */
struct count {
        uint64_t n, n_wide;
};

/* What is told to one process, and the row that was told last. */
struct letter {
        ps_numbers text;
        struct count count;
        ps_ref last;
        ps_time enter;
};

/* A row as it is told. Without completion `done` is PS_K_NONE. */
struct told {
        ps_ref ref;
        ps_time enter, leave, pre, done_enter, done_leave;
        uint64_t bytes;
        uint8_t kind, done, flags, done_flags;
};

struct dealing {
        ps_trace *trace;
        uint32_t *owner; /* by location: of which process of ours it is */
        unsigned how;
        ps_exchange *x;
        struct letter *letters; /* by process of ours */
        ps_pile out, in;
        /* The columns of what came. */
        size_t n, n_wide;
        ps_time *enter, *leave;
        struct ps_call *calls; /* with their bytes; NULL: nobody asks */
        uint32_t *call, n_calls;
        uint32_t *real, *pre, *done;
        struct ps_wide *wide;
        uint8_t *kind, *flags;
};

static bool is_matched_message(const ps_ops *ops, ps_op op)
{
        return ops->kind[op] <= PS_K_SENDRECV_RECV && ops->flags[op] & PS_OP_MATCHED;
}

/* -- telling -- */

/* Kinds of messages, and of what completes them, are few enough for a byte all the same. */
static void put_kind(ps_numbers *text, uint8_t kind, bool is_told)
{
        ps_numbers_put(text, (unsigned)kind << 1 | is_told);
}

static uint8_t take_kind(const uint8_t **at, uint8_t *flags)
{
        uint64_t kind = ps_numbers_take(at);
        *flags = kind & 1 ? PS_OP_TOLD : 0;
        return (uint8_t)(kind >> 1);
}

static bool is_wide(ps_time pre)
{
        return pre < 0 || pre >= UINT32_MAX;
}

static void put_row(struct letter *to, const ps_trace *trace, unsigned how, ps_ref ref)
{
        const ps_ops *ops = &trace->ops[ref.loc];
        const ps_timing *timing = &trace->measured;
        ps_time enter = timing->enter[ref.loc][ref.op];
        ps_numbers *text = &to->text;
        if (ref.loc != to->last.loc) { /* no step of a row is 0 */
                ps_numbers_put(text, 0);
                ps_numbers_put(text, ref.loc);
                to->last = (ps_ref){ref.loc, PS_NONE};
        }
        ps_numbers_put(text, ref.op - to->last.op);
        to->last.op = ref.op;
        bool is_sent = is_send(ops->kind[ref.op]);
        put_kind(text, ops->kind[ref.op], is_sent && ps_send_waits_for_receive(ops, ref.op));
        ps_numbers_put_step(text, enter, &to->enter);
        ps_numbers_put_signed(text, ps_time_sub(timing->leave[ref.loc][ref.op], enter));
        if (is_sent && how & PS_PARTNERS_WITH_BYTES)
                ps_numbers_put(text, ps_op_bytes(ops, ref.op));
        if (is_sent) {
                const ps_time pre = ps_time_sub(ps_op_record_begin(trace, timing, ref), enter);
                ps_numbers_put_signed(text, pre);
                to->count.n_wide += is_wide(pre);
        }
        to->count.n++;
        if (!ps_op_goes_on(ops, ref.op))
                return;
        ps_ref done = ps_op_completion(trace, ref);
        const ps_ops *there = &trace->ops[done.loc == PS_NONE ? ref.loc : done.loc];
        put_kind(text, done.op == PS_NONE ? PS_K_NONE : there->kind[done.op],
                 done.op != PS_NONE && ps_op_completes_one(there, done.op));
        if (done.op == PS_NONE)
                return;
        to->count.n++;
        ps_numbers_put_signed(text, ps_time_sub(timing->enter[done.loc][done.op], enter));
        ps_numbers_put_signed(text, ps_time_sub(timing->leave[done.loc][done.op], enter));
}

static void tell_location(const struct dealing *d, ps_loc location)
{
        const ps_ops *ops = &d->trace->ops[location];
        for (ps_op op = 0; op < ops->n; op++) {
                uint32_t to = is_matched_message(ops, op) ? d->owner[ps_op_peer(ops, op)] : d->x->rank;
                if (to != d->x->rank && (to || !(d->how & PS_PARTNERS_NOT_TO_0)))
                        put_row(&d->letters[to], d->trace, d->how, (ps_ref){location, op});
        }
}

static ps_status write_letters(struct dealing *d, ps_error *err)
{
        uint32_t size = d->x->size;
        size_t n = 0;
        d->letters = calloc(size, sizeof(*d->letters));
        d->out.end = calloc(size, sizeof(*d->out.end));
        if (!d->letters || !d->out.end)
                return PS_NOMEM(err, "processes", size);
        for (uint32_t p = 0; p < size; p++)
                d->letters[p].last.loc = PS_NONE;
        for (ps_loc l = 0; l < d->trace->n_locs; l++)
                if (d->owner[l] == d->x->rank)
                        tell_location(d, l);
        for (uint32_t p = 0; p < size; p++) {
                if (d->letters[p].text.lacks)
                        return PS_NOMEM(err, "messages to other processes", d->letters[p].text.n);
                n += d->letters[p].text.n ? sizeof(struct count) + d->letters[p].text.n : 0;
                d->out.end[p] = n;
        }
        d->out.bytes = ps_memory_new(n);
        if (!d->out.bytes)
                return PS_NOMEM(err, "messages to other processes", n);
        n = 0;
        for (uint32_t p = 0; p < size; p++) {
                const ps_numbers *text = &d->letters[p].text;
                if (text->n) {
                        memcpy(d->out.bytes + n, &d->letters[p].count, sizeof(struct count));
                        memcpy(d->out.bytes + n + sizeof(struct count), text->row, text->n);
                }
                n = d->out.end[p];
                free(text->row);
                d->letters[p].text.row = NULL;
        }
        return PS_OK;
}

/* -- hearing -- */

static void take_row(struct told *row, unsigned how, const uint8_t **at)
{
        uint64_t step = ps_numbers_take(at);
        if (!step) {
                row->ref = (ps_ref){(ps_loc)ps_numbers_take(at), PS_NONE};
                step = ps_numbers_take(at);
        }
        row->ref.op += (uint32_t)step;
        row->kind = take_kind(at, &row->flags);
        ps_numbers_take_step(at, &row->enter);
        row->leave = ps_time_add(row->enter, ps_numbers_take_signed(at));
        row->bytes = is_send(row->kind) && how & PS_PARTNERS_WITH_BYTES ? ps_numbers_take(at) : 0;
        row->pre = is_send(row->kind) ? ps_numbers_take_signed(at) : 0;
        row->done = PS_K_NONE;
        if (!(ps_kinds[row->kind].traits & PS_T_BLOCKING))
                row->done = take_kind(at, &row->done_flags);
        if (row->done == PS_K_NONE)
                return;
        row->done_enter = ps_time_add(row->enter, ps_numbers_take_signed(at));
        row->done_leave = ps_time_add(row->enter, ps_numbers_take_signed(at));
}

static uint32_t call_of(struct dealing *d, uint64_t bytes)
{
        const struct ps_call call = {.bytes = bytes};
        uint32_t at = ps_call_recent(d->calls, d->n_calls, &call);
        if (at == d->n_calls)
                d->calls[d->n_calls++] = call;
        return at;
}

static void put_slot(struct dealing *d, const struct told *row, bool is_done)
{
        size_t i = d->n++;
        d->real[i] = row->ref.op;
        d->pre[i] = 0;
        d->done[i] = PS_NONE;
        if (d->calls)
                d->call[i] = call_of(d, is_done ? 0 : row->bytes);
        d->kind[i] = is_done ? row->done : row->kind;
        d->flags[i] = is_done ? row->done_flags : row->flags;
        d->enter[i] = is_done ? row->done_enter : row->enter;
        d->leave[i] = is_done ? row->done_leave : row->leave;
}

/* Behind the others of its location, which all come one after the other. */
static void add_row(struct dealing *d, ps_partners *out, const struct told *row)
{
        ps_loc location = row->ref.loc;
        ps_ops *ops = &d->trace->ops[location];
        if (!ops->n) {
                *ops = (ps_ops){.kind = d->kind + d->n,
                                .flags = d->flags + d->n,
                                .pre = d->pre + d->n,
                                .done = d->done + d->n,
                                .call = d->calls ? d->call + d->n : NULL,
                                .calls = d->calls,
                                .wide = d->wide + d->n_wide};
                d->trace->measured.enter[location] = d->enter + d->n;
                d->trace->measured.leave[location] = d->leave + d->n;
                out->real[location] = d->real + d->n;
        }
        ps_op op = ops->n++;
        put_slot(d, row, false);
        ops->pre[op] = is_wide(row->pre) ? UINT32_MAX : (uint32_t)row->pre;
        if (is_wide(row->pre)) {
                d->wide[d->n_wide++] = (struct ps_wide){op, 0, row->pre};
                ops->n_wide++;
        }
        if (row->done == PS_K_NONE)
                return;
        ops->done[op] = ops->n++;
        put_slot(d, row, true);
}

static void count_rows(struct dealing *d)
{
        for (uint32_t p = 0; p < d->x->size; p++) {
                struct count count = {0, 0};
                size_t n;
                const uint8_t *at = ps_pile_part(&d->in, p, &n);
                if (n)
                        memcpy(&count, at, sizeof(count));
                d->n += count.n;
                d->n_wide += count.n_wide;
        }
}

static void read_letters(struct dealing *d, ps_partners *out)
{
        d->n = d->n_wide = 0;
        for (uint32_t p = 0; p < d->x->size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(&d->in, p, &n), *end = at + n;
                struct told row = {.enter = 0};
                for (at += n ? sizeof(struct count) : 0; at < end;) {
                        take_row(&row, d->how, &at);
                        add_row(d, out, &row);
                }
        }
}

static ps_status make_columns(struct dealing *d, ps_partners *out, ps_error *err)
{
        size_t n = d->n, n_wide = d->n_wide;
        enum { TIMES = 2, NUMBERS = 3, BYTES = 2 };
        size_t bytes = n * (TIMES * sizeof(*d->enter) + NUMBERS * sizeof(*d->real) + BYTES);
        bool has_bytes = d->how & PS_PARTNERS_WITH_BYTES;
        out->real = calloc(d->trace->n_locs + (size_t)1, sizeof(*out->real));
        bytes += has_bytes ? n * (sizeof(*d->calls) + sizeof(*d->call)) : 0;
        out->rows = ps_memory_new(bytes + n_wide * sizeof(*d->wide));
        if (!out->real || !out->rows || n >= PS_NONE)
                return PS_NOMEM(err, "messages of other processes", n);
        d->wide = out->rows;
        d->enter = (ps_time *)(d->wide + n_wide);
        d->leave = d->enter + n;
        d->calls = has_bytes ? (struct ps_call *)(d->leave + n) : NULL;
        d->call = (uint32_t *)(has_bytes ? (void *)(d->calls + n) : (void *)(d->leave + n));
        d->real = d->call + (has_bytes ? n : 0);
        d->pre = d->real + n;
        d->done = d->pre + n;
        d->kind = (uint8_t *)(d->done + n);
        d->flags = d->kind + n;
        return PS_OK;
}

/* -- who is whose partner -- */

/* Where the own rows of a location find the partners that are elsewhere. `next`, by location: the row behind
 * the one that was found last. */
static void find_partners(const ps_trace *trace, const ps_partners *p, ps_loc location, ps_op *next)
{
        const ps_ops *ops = &trace->ops[location];
        for (ps_op op = 0; op < ops->n; op++) {
                const uint32_t *real = is_matched_message(ops, op) ? p->real[ps_op_peer(ops, op)] : NULL;
                if (!real)
                        continue;
                const ps_ops *there = &trace->ops[ps_op_peer(ops, op)];
                ps_op at = next[ps_op_peer(ops, op)], low = 0;
                if (at >= there->n || real[at] != ops->link[op]) {
                        PS_SEARCH(low, there->n, i, real[i] < ops->link[op]);
                        at = low;
                }
                assert(at < there->n && real[at] == ops->link[op]);
                ops->link[op] = at;
                next[ps_op_peer(ops, op)] = at + (there->done[at] == PS_NONE ? 1 : 2);
        }
}

static ps_status find_all_partners(const struct dealing *d, const ps_partners *p, ps_error *err)
{
        ps_op *next = calloc(d->trace->n_locs + (size_t)1, sizeof(*next));
        if (!next)
                return PS_NOMEM(err, "locations", d->trace->n_locs);
        for (ps_loc l = 0; d->n && l < d->trace->n_locs; l++)
                if (!p->real[l])
                        find_partners(d->trace, p, l, next);
        free(next);
        return PS_OK;
}

/* -- all of it -- */

static void drop(ps_partners *partners)
{
        free(partners->real);
        free(partners->rows);
        *partners = (ps_partners){NULL, NULL};
}

static ps_status hear(struct dealing *d, ps_partners *out, ps_error *err)
{
        count_rows(d);
        ps_status status = make_columns(d, out, err);
        if (status == PS_OK) {
                read_letters(d, out);
                status = find_all_partners(d, out, err);
        }
        if (status != PS_OK)
                drop(out);
        return status;
}

static ps_status find_owners(struct dealing *d, const uint32_t *owner, ps_error *err)
{
        d->owner = ps_memory_new((d->trace->n_locs + (size_t)1) * sizeof(*d->owner));
        if (!d->owner)
                return PS_NOMEM(err, "locations", d->trace->n_locs);
        for (ps_loc l = 0; l < d->trace->n_locs; l++)
                d->owner[l] = owner[d->trace->defs.locations.row[l].process];
        return PS_OK;
}

ps_status ps_partners_deal(ps_partners *out, ps_trace *trace, const uint32_t *owner, unsigned how,
                           ps_exchange *x, ps_error *err)
{
        struct dealing d = {.trace = trace, .how = how, .x = x};
        *out = (ps_partners){NULL, NULL};
        ps_status status = find_owners(&d, owner, err);
        PS_THEN(status, write_letters(&d, err));
        status = ps_exchange_agree(x, status, err);
        for (uint32_t p = 0; d.letters && p < x->size; p++)
                free(d.letters[p].text.row);
        free(d.letters);
        PS_THEN(status, ps_exchange_deal(x, &d.in, &d.out, err));
        ps_pile_clear(&d.out);
        if (status == PS_OK)
                status = ps_exchange_agree(x, hear(&d, out, err), err);
        ps_pile_clear(&d.in);
        free(d.owner);
        return status;
}

void ps_partners_clear(ps_partners *partners, const ps_trace *trace)
{
        for (ps_loc l = 0; partners->rows && l < trace->n_locs; l++) {
                const ps_ops *ops = &trace->ops[l];
                for (ps_op op = 0; !partners->real[l] && op < ops->n; op++)
                        if (is_matched_message(ops, op) && partners->real[ps_op_peer(ops, op)])
                                ops->link[op] = partners->real[ps_op_peer(ops, op)][ops->link[op]];
        }
        drop(partners);
}
