/* partners.c - see partners.h.
 *
 * Each process tells each other one of those of its rows that are matched with rows there, in their order, as
 * steps from the one before: about 25 bytes a row, with the number of the partner's row, which knows the
 * number of this one. Nobody tells process 0 if it has all of them. They stand in the places of the location
 * that they are of, each followed by the operation that completes it, if it has one. */
#include "core/match/partners.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/clock/waits.h"
#include "core/exchange/letters.h"
#include "core/match/ends.h"
#include "core/match/expect.h"

#include <stdlib.h>
#include <string.h>

/* How many rows a letter tells of, with those that complete them. It begins with that, if there are any. */
struct count {
        uint64_t n, n_wide;
};

/* Before those rows of a location that are told, without those that complete them. */
struct group {
        ps_loc location;
        uint32_t n;
};

/* A row is told as a word with the lengths of its numbers, and above them its kind; a byte with the kind of
 * what completes it, NOTHING without completion; and the numbers. Below each kind is a bit that tells what
 * waits.h asks, above that of the row one that says: the partner is in another location than that of the row
 * before. */
enum { PARTNER, LINK, ENTER, STAY, PRE, DONE_ENTER, DONE_LEAVE, LENGTH, N_NUMBERS };
enum { IS_TOLD = 1 << 0, IS_OTHER = 1 << 7, KIND_SHIFT = 1, NOTHING = 255 };
enum { ROW_BYTES = 25, HEAD_BYTES = sizeof(uint32_t) + 1, ROW_BYTES_MOST = HEAD_BYTES + N_NUMBERS * 8 };
_Static_assert((int)N_NUMBERS <= PS_PACKED_MOST && (int)PS_K_SENDRECV_RECV << KIND_SHIFT < IS_OTHER &&
                       (int)PS_K_COUNT < NOTHING >> KIND_SHIFT,
               "a word and a byte");

/* The row that was told before this one, to the same process. */
struct last {
        ps_loc partner;
        ps_op link;
        ps_time enter;
};

/* What is told to one process. */
struct letter {
        struct count count;
        struct group group;
        size_t group_at; /* where it stands in the letter */
        struct last last;
};

/* Rows that came, a column for each field. */
struct columns {
        ps_time *enter, *leave;
        uint32_t *call, *real, *pre, *done;
        uint8_t *kind, *flags;
};

struct dealing {
        ps_trace *trace;
        uint32_t *owner; /* by location: of which process of ours it is */
        unsigned how;
        ps_exchange *x;
        struct letter *letters; /* by process of ours */
        ps_numbers *texts;
        ps_pile in;
        size_t n, n_wide;
        struct columns to;     /* where the next row goes */
        struct ps_call *calls; /* with their bytes; NULL: nobody asks */
        uint32_t n_calls;
        struct ps_wide *wide; /* behind those that are filled */
};

static bool is_message(uint8_t kind)
{
        return kind <= PS_K_SENDRECV_RECV;
}

static bool is_matched_message(const ps_ops *ops, ps_op op)
{
        return is_message(ops->kind[op]) && ops->flags[op] & PS_OP_MATCHED;
}

static bool is_wide(ps_time pre)
{
        return pre < 0 || pre >= UINT32_MAX;
}

/* -- telling -- */

static void end_group(const struct letter *letter, ps_numbers *text)
{
        if (text->n >= letter->group_at + sizeof(letter->group))
                memcpy(text->row + letter->group_at, &letter->group, sizeof(letter->group));
}

static void begin_group(struct letter *letter, ps_numbers *text, ps_loc location)
{
        enum { FIRST = sizeof(struct count) };
        if (!ps_numbers_have_room(text, FIRST + sizeof(struct group)))
                return;
        if (text->n)
                end_group(letter, text);
        else
                text->n = FIRST;
        letter->group = (struct group){location, 0};
        letter->group_at = text->n;
        text->n += sizeof(struct group);
}

static inline uint8_t head_of(uint8_t kind, bool is_told)
{
        return (uint8_t)(kind << KIND_SHIFT | (is_told ? IS_TOLD : 0));
}

/* Where a location's rows are told from. */
struct source {
        const ps_trace *trace;
        ps_ops ops;
        const ps_time *enter, *leave;
        ps_loc location;
        bool with_bytes;
};

static ps_ref completion_of(const struct source *from, ps_op op)
{
        return from->ops.flags[op] & PS_OP_ELSEWHERE
                       ? ps_op_completion_elsewhere(from->trace, (ps_ref){from->location, op})
                       : (ps_ref){from->location, from->ops.done[op]};
}

/* What the numbers say of the operation that completes a row; without one its kind stays NOTHING. */
static inline uint8_t *put_completion(uint8_t *at, uint32_t *lengths, uint8_t *head,
                                      const struct source *from, ps_op op)
{
        const ps_ref done = completion_of(from, op);
        if (done.op == PS_NONE)
                return at;
        const ps_trace *trace = from->trace;
        const ps_ops *there = &trace->ops[done.loc];
        const ps_time enter = from->enter[op];
        *head = head_of(there->kind[done.op], ps_op_completes_one(there, done.op));
        at = ps_packed_put_step(at, lengths, DONE_ENTER, trace->measured.enter[done.loc][done.op], enter);
        return ps_packed_put_step(at, lengths, DONE_LEAVE, trace->measured.leave[done.loc][done.op], enter);
}

static inline ps_time pre_of(const ps_ops *ops, ps_op op)
{
        return ops->pre[op] != UINT32_MAX ? (ps_time)ops->pre[op] : ps_op_wide_distance(ops, op, false);
}

static inline void put_row(struct letter *letter, ps_numbers *text, const struct source *from, ps_op op,
                           ps_loc partner)
{
        const ps_ops *ops = &from->ops;
        const ps_time enter = from->enter[op];
        const uint8_t kind = ops->kind[op];
        struct last last = letter->last;
        if (letter->group.location != from->location || !letter->group_at)
                begin_group(letter, text, from->location);
        if (!ps_numbers_have_room(text, ROW_BYTES_MOST))
                return;
        uint8_t *const begin = text->row + text->n, *at = begin + HEAD_BYTES, done = NOTHING;
        uint32_t lengths = 0;
        bool is_told = false;
        if (partner != last.partner)
                at = ps_packed_put(at, &lengths, PARTNER, (int64_t)partner - last.partner);
        at = ps_packed_put(at, &lengths, LINK, (int64_t)ops->link[op] - last.link);
        at = ps_packed_put_step(at, &lengths, ENTER, enter, last.enter);
        at = ps_packed_put_step(at, &lengths, STAY, from->leave[op], enter);
        letter->last = (struct last){partner, ops->link[op], enter};
        if (ps_kind_sends(kind)) {
                const ps_time pre = pre_of(ops, op);
                at = ps_packed_put(at, &lengths, PRE, pre);
                letter->count.n_wide += is_wide(pre);
                is_told = ps_send_waits_for_receive(ops, op);
        }
        if (!(ps_kinds[kind].traits & PS_T_BLOCKING))
                at = put_completion(at, &lengths, &done, from, op);
        if (ps_kind_sends(kind) && from->with_bytes)
                at = ps_packed_put(at, &lengths, LENGTH, (int64_t)ps_op_bytes(ops, op));
        lengths |= (uint32_t)(head_of(kind, is_told) | (partner != last.partner ? IS_OTHER : 0))
                   << PS_PACKED_BITS;
        memcpy(begin, &lengths, sizeof(lengths));
        begin[sizeof(lengths)] = done;
        letter->count.n += done == NOTHING ? 1 : 2;
        letter->group.n++;
        text->n = (size_t)(at - text->row);
}

static void tell_location(const struct dealing *d, ps_loc location)
{
        const ps_timing *timing = &d->trace->measured;
        const struct source from = {.trace = d->trace,
                                    .ops = d->trace->ops[location],
                                    .enter = timing->enter[location],
                                    .leave = timing->leave[location],
                                    .location = location,
                                    .with_bytes = d->how & PS_PARTNERS_WITH_BYTES};
        const uint32_t rank = d->x->rank, *owner = d->owner;
        const bool tells_0 = !(d->how & PS_PARTNERS_NOT_TO_0);
        for (ps_op op = 0; op < from.ops.n; op++) {
                if (!is_matched_message(&from.ops, op))
                        continue;
                const ps_loc partner = ps_op_peer(&from.ops, op);
                const uint32_t to = owner[partner];
                if (to != rank && (to || tells_0))
                        put_row(&d->letters[to], &d->texts[to], &from, op, partner);
        }
}

static ps_status write_letters(struct dealing *d, const uint32_t *owner, ps_error *err)
{
        PS_TRY(ps_letters_new(&d->texts, d->x, err));
        ps_letters_expect(d->texts, d->trace, owner, d->x, is_message, ROW_BYTES);
        d->letters = calloc(d->x->size, sizeof(*d->letters));
        if (!d->letters)
                return PS_NOMEM(err, "processes", d->x->size);
        for (ps_loc l = 0; l < d->trace->n_locs; l++)
                if (d->owner[l] == d->x->rank)
                        tell_location(d, l);
        for (uint32_t p = 0; p < d->x->size; p++) {
                if (!d->texts[p].n)
                        continue;
                end_group(&d->letters[p], &d->texts[p]);
                memcpy(d->texts[p].row, &d->letters[p].count, sizeof(d->letters[p].count));
        }
        return PS_OK;
}

/* -- hearing -- */

static uint32_t call_of(struct dealing *d, uint64_t bytes)
{
        const struct ps_call call = {.bytes = bytes};
        uint32_t at = ps_call_recent(d->calls, d->n_calls, &call);
        if (at == d->n_calls)
                d->calls[d->n_calls++] = call;
        return at;
}

/* The rows of a location all come one after the other, of one process. */
static void open_location(struct dealing *d, ps_partners *out, ps_loc location)
{
        const struct columns *to = &d->to;
        d->trace->ops[location] = (ps_ops){.kind = to->kind,
                                           .flags = to->flags,
                                           .pre = to->pre,
                                           .done = to->done,
                                           .call = d->calls ? to->call : NULL,
                                           .calls = d->calls,
                                           .wide = d->wide};
        d->trace->measured.enter[location] = to->enter;
        d->trace->measured.leave[location] = to->leave;
        out->real[location] = to->real;
}

static void close_location(struct dealing *d, ps_loc location, uint32_t n)
{
        struct columns *to = &d->to;
        d->trace->ops[location].n = n;
        to->enter += n;
        to->leave += n;
        to->call += d->calls ? n : 0;
        to->real += n;
        to->pre += n;
        to->done += n;
        to->kind += n;
        to->flags += n;
}

static void put_wide(struct dealing *d, ps_loc location, ps_op op, ps_time pre)
{
        *d->wide++ = (struct ps_wide){op, 0, pre};
        d->trace->ops[location].n_wide++;
}

/* A row of a column each; the own row that is matched with it points there. */
static inline void fill(const struct columns *to, ps_op op, uint8_t head, ps_time enter, ps_time leave)
{
        to->enter[op] = enter;
        to->leave[op] = leave;
        to->pre[op] = 0;
        to->done[op] = PS_NONE;
        to->kind[op] = head >> KIND_SHIFT;
        to->flags[op] = head & IS_TOLD ? PS_OP_TOLD : 0;
}

static const uint8_t *read_group(struct dealing *d, ps_partners *out, const uint8_t *at, struct last *last)
{
        const struct columns to = d->to;
        const ps_ops *all = d->trace->ops;
        struct last l = *last;
        struct group group;
        ps_op op = 0;
        memcpy(&group, at, sizeof(group));
        at += sizeof(group);
        open_location(d, out, group.location);
        for (uint32_t i = 0; i < group.n; i++, op++) {
                uint32_t lengths;
                memcpy(&lengths, at, sizeof(lengths));
                const uint8_t first = (uint8_t)(lengths >> PS_PACKED_BITS), done = at[sizeof(lengths)];
                const uint8_t head = first & (uint8_t)~IS_OTHER;
                at += HEAD_BYTES;
                if (first & IS_OTHER)
                        l.partner += (ps_loc)ps_packed_take(&at, lengths, PARTNER);
                l.link += (ps_op)ps_packed_take(&at, lengths, LINK);
                l.enter = ps_packed_take_step(&at, lengths, ENTER, l.enter);
                fill(&to, op, head, l.enter, ps_packed_take_step(&at, lengths, STAY, l.enter));
                uint32_t *own = &all[l.partner].link[l.link];
                const uint32_t real = to.real[op] = *own;
                const ps_op row = *own = op;
                if (ps_kind_sends(head >> KIND_SHIFT)) {
                        const ps_time pre = ps_packed_take(&at, lengths, PRE);
                        to.pre[op] = is_wide(pre) ? UINT32_MAX : (uint32_t)pre;
                        if (is_wide(pre))
                                put_wide(d, group.location, op, pre);
                }
                if (done != NOTHING) {
                        const ps_time enter = ps_packed_take_step(&at, lengths, DONE_ENTER, l.enter);
                        to.done[row] = ++op;
                        fill(&to, op, done, enter, ps_packed_take_step(&at, lengths, DONE_LEAVE, l.enter));
                        to.real[op] = real;
                }
                if (!d->calls)
                        continue;
                to.call[row] = call_of(d, ps_kind_sends(head >> KIND_SHIFT)
                                                  ? (uint64_t)ps_packed_take(&at, lengths, LENGTH)
                                                  : 0);
                if (op != row)
                        to.call[op] = call_of(d, 0);
        }
        *last = l;
        close_location(d, group.location, op);
        return at;
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
        for (uint32_t p = 0; p < d->x->size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(&d->in, p, &n), *end = at + n;
                struct last last = {0, 0, 0};
                for (at += n ? sizeof(struct count) : 0; at < end;)
                        at = read_group(d, out, at, &last);
        }
}

static ps_status make_columns(struct dealing *d, ps_partners *out, ps_error *err)
{
        size_t n = d->n, n_wide = d->n_wide;
        enum { TIMES = 2, NUMBERS = 3, BYTES = 2 };
        size_t bytes = n * (TIMES * sizeof(ps_time) + NUMBERS * sizeof(uint32_t) + BYTES);
        bool has_bytes = d->how & PS_PARTNERS_WITH_BYTES;
        struct columns *to = &d->to;
        out->real = calloc(d->trace->n_locs + (size_t)1, sizeof(*out->real));
        bytes += has_bytes ? n * (sizeof(*d->calls) + sizeof(*to->call)) : 0;
        out->rows = ps_memory_again(bytes + n_wide * sizeof(*d->wide));
        if (!out->real || !out->rows || n >= PS_NONE)
                return PS_NOMEM(err, "messages of other processes", n);
        d->wide = out->rows;
        to->enter = (ps_time *)(d->wide + n_wide);
        to->leave = to->enter + n;
        d->calls = has_bytes ? (struct ps_call *)(to->leave + n) : NULL;
        to->call = (uint32_t *)(has_bytes ? (void *)(d->calls + n) : (void *)(to->leave + n));
        to->real = to->call + (has_bytes ? n : 0);
        to->pre = to->real + n;
        to->done = to->pre + n;
        to->kind = (uint8_t *)(to->done + n);
        to->flags = to->kind + n;
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
        if (status == PS_OK)
                read_letters(d, out);
        else
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
        PS_THEN(status, write_letters(&d, owner, err));
        free(d.letters);
        status = ps_letters_deal_large(&d.in, d.texts, x, status, err);
        ps_blocks_give_back();
        if (status == PS_OK)
                status = ps_exchange_agree(x, hear(&d, out, err), err);
        ps_pile_clear(&d.in);
        ps_memory_give_back();
        free(d.owner);
        return status;
}

static void point_back(const ps_ops *from, const uint32_t *const *real)
{
        const ps_ops ops = *from;
        for (ps_op op = 0; op < ops.n; op++) {
                const uint32_t *there = is_matched_message(&ops, op) ? real[ps_op_peer(&ops, op)] : NULL;
                if (there)
                        ops.link[op] = there[ops.link[op]];
        }
}

void ps_partners_clear(ps_partners *partners, const ps_trace *trace)
{
        for (ps_loc l = 0; partners->rows && l < trace->n_locs; l++)
                if (!partners->real[l])
                        point_back(&trace->ops[l], partners->real);
        drop(partners);
}
