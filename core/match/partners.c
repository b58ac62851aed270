/* partners.c - see partners.h.
 *
 * Each process tells each other one of those of its rows that are matched with rows there, in their order, as
 * steps from the one before (partner_row.h): about 25 bytes a row, with the number of the partner's row,
 * which knows the number of this one. Nobody tells process 0 if it has all of them. They stand in the places
 * of the location that they are of, each followed by the operation that completes it, if it has one. */
#include "core/match/partners.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
#include "core/clock/waits.h"
#include "core/exchange/letters.h"
#include "core/match/ends.h"
#include "core/match/expect.h"
#include "core/match/partner_row.h"

#include <stdlib.h>
#include <string.h>

/* How many rows a letter tells of, with those that complete them. Told before it. */
struct count {
        uint64_t n, n_wide;
};

/* Before those rows of a location that are told, without those that complete them. */
struct group {
        ps_loc location;
        uint32_t n;
};

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
        ps_partners *out;
        struct count *heard; /* of each */
        size_t n, n_wide, n_heard;
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
        if (!ps_numbers_have_room(text, sizeof(struct group)))
                return;
        if (text->n)
                end_group(letter, text);
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

/* What is told of the operation at `done` that completes a row; returns its kind. */
static inline uint8_t note_completion(struct told *row, ps_time enter, const ps_ops *ops,
                                      const ps_time *enters, const ps_time *leaves, ps_op done)
{
        row->done_enter = ps_packed_step(enters[done], enter);
        row->done_leave = ps_packed_step(leaves[done], enter);
        return head_of(ops->kind[done], ps_op_completes_one(ops, done));
}

/* On another thread. */
static uint8_t note_elsewhere(struct told *row, const struct source *from, ps_op op)
{
        const ps_trace *trace = from->trace;
        const ps_ref done = ps_op_completion_elsewhere(trace, (ps_ref){from->location, op});
        return done.op == PS_NONE ? NOTHING
                                  : note_completion(row, from->enter[op], &trace->ops[done.loc],
                                                    trace->measured.enter[done.loc],
                                                    trace->measured.leave[done.loc], done.op);
}

static inline uint8_t note_done(struct told *row, const struct source *from, ps_op op)
{
        const ps_ops *ops = &from->ops;
        if (ps_kinds[ops->kind[op]].traits & PS_T_BLOCKING)
                return NOTHING;
        if (ops->flags[op] & PS_OP_ELSEWHERE)
                return note_elsewhere(row, from, op);
        const ps_op done = ops->done[op];
        return done == PS_NONE ? NOTHING
                               : note_completion(row, from->enter[op], ops, from->enter, from->leave, done);
}

static inline ps_time pre_of(const ps_ops *ops, ps_op op)
{
        return ops->pre[op] != UINT32_MAX ? (ps_time)ops->pre[op] : ps_op_wide_distance(ops, op, false);
}

static inline void put_row(struct letter *letter, ps_numbers *text, const struct source *from, ps_op op,
                           ps_loc partner)
{
        const ps_ops *ops = &from->ops;
        const struct last last = letter->last;
        const ps_time enter = from->enter[op];
        const ps_op link = ops->link[op];
        const uint8_t kind = ops->kind[op];
        const bool sends = ps_kind_sends(kind);
        if (letter->group.location != from->location || !text->n)
                begin_group(letter, text, from->location);
        if (!ps_numbers_have_room(text, ROW_BYTES_MOST))
                return;
        struct told row = {.partner = (int64_t)partner - last.partner,
                           .link = (int64_t)link - last.link,
                           .enter = ps_packed_step(enter, last.enter),
                           .stay = ps_packed_step(from->leave[op], enter),
                           .pre = sends ? pre_of(ops, op) : 0};
        const uint8_t done = note_done(&row, from, op);
        const struct told_has has = {partner != last.partner, sends, done != NOTHING,
                                     sends && from->with_bytes};
        const bool is_plain = told_is_plain(&row, has);
        uint8_t *at = text->row + text->n;
        *at++ = (uint8_t)(head_of(kind, sends && ps_send_waits_for_receive(ops, op)) |
                          (is_plain ? IS_PLAIN : 0) | (has.partner ? IS_OTHER : 0));
        *at++ = done;
        row.length = has.length ? (int64_t)ps_op_bytes(ops, op) : 0;
        at = is_plain ? told_put_plain(at, &row, has) : ps_told_put_long(at, row, has);
        text->n = (size_t)(at - text->row);
        letter->last = (struct last){partner, link, enter};
        letter->count.n += 1U + has.done;
        letter->count.n_wide += is_wide(row.pre);
        letter->group.n++;
}

/* Whom a row is told whose partner is there, or PS_NONE. */
static uint32_t hearer_of(const struct dealing *d, ps_loc partner)
{
        const uint32_t to = partner < d->trace->n_locs ? d->owner[partner] : d->x->rank;
        return to == d->x->rank || (!to && d->how & PS_PARTNERS_NOT_TO_0) ? PS_NONE : to;
}

static void tell_location(const struct dealing *d, ps_loc location, uint32_t *by_call)
{
        const ps_timing *timing = &d->trace->measured;
        const struct source from = {.trace = d->trace,
                                    .ops = d->trace->ops[location],
                                    .enter = timing->enter[location],
                                    .leave = timing->leave[location],
                                    .location = location,
                                    .with_bytes = d->how & PS_PARTNERS_WITH_BYTES};
        const ps_ops *ops = &from.ops;
        bool tells = ops->peer;
        for (uint32_t i = 0; i < ops->n_calls; i++) {
                by_call[i] = hearer_of(d, ops->calls[i].peer);
                tells |= by_call[i] != PS_NONE;
        }
        for (ps_op op = 0; tells && op < ops->n; op++) {
                const uint32_t to = ops->peer ? hearer_of(d, ops->peer[op]) : by_call[ops->call[op]];
                if (to != PS_NONE && is_matched_message(ops, op))
                        put_row(&d->letters[to], &d->texts[to], &from, op, ps_op_peer(ops, op));
        }
}

static ps_status write_letters(struct dealing *d, const uint32_t *owner, ps_error *err)
{
        uint32_t n_calls = 0;
        PS_TRY(ps_letters_new(&d->texts, d->x, err));
        ps_letters_expect(d->texts, d->trace, owner, d->x, is_message, ROW_BYTES);
        for (ps_loc l = 0; l < d->trace->n_locs; l++)
                n_calls = d->trace->ops[l].n_calls > n_calls ? d->trace->ops[l].n_calls : n_calls;
        uint32_t *by_call = ps_memory_new(n_calls * sizeof(*by_call));
        if (!by_call)
                return PS_NOMEM(err, "calls", n_calls);
        for (ps_loc l = 0; l < d->trace->n_locs; l++)
                if (d->owner[l] == d->x->rank)
                        tell_location(d, l, by_call);
        free(by_call);
        for (uint32_t p = 0; p < d->x->size; p++)
                if (d->texts[p].n)
                        end_group(&d->letters[p], &d->texts[p]);
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
static void open_location(struct dealing *d, ps_loc location)
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
        d->out->real[location] = to->real;
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

/* All but times. */
static inline void fill(const struct columns *to, ps_op op, uint8_t kind, uint8_t head, uint32_t real)
{
        to->real[op] = real;
        to->done[op] = PS_NONE;
        to->kind[op] = kind;
        to->flags[op] = head & IS_TOLD ? PS_OP_TOLD : 0;
}

static void note_calls(struct dealing *d, ps_op row, ps_op end, uint64_t bytes)
{
        d->to.call[row] = call_of(d, bytes);
        if (row + 1 < end)
                d->to.call[row + 1] = call_of(d, 0);
}

/* The own row that is matched with a row points there. */
static const uint8_t *read_group(struct dealing *d, const uint8_t *at, struct last *last)
{
        const struct columns to = d->to;
        const ps_ops *all = d->trace->ops;
        const bool with_bytes = d->calls;
        struct last l = *last;
        struct group group;
        ps_op op = 0;
        memcpy(&group, at, sizeof(group));
        at += sizeof(group);
        open_location(d, group.location);
        for (uint32_t i = 0; i < group.n; i++) {
                struct told row = {0};
                const uint8_t head = *at++, done = *at++;
                const uint8_t kind = (uint8_t)((head & ~(IS_PLAIN | IS_OTHER)) >> KIND_SHIFT);
                const bool sends = ps_kind_sends(kind);
                const struct told_has has = {head & IS_OTHER, sends, done != NOTHING, sends && with_bytes};
                at = head & IS_PLAIN ? told_take_plain(at, &row, has) : ps_told_take_long(at, &row, has);
                l.partner += (ps_loc)row.partner;
                l.link += (ps_op)row.link;
                l.enter = ps_packed_add(l.enter, row.enter);
                uint32_t *own = &all[l.partner].link[l.link];
                const uint32_t real = *own;
                const ps_op begin = *own = op++;
                const bool wide = is_wide(row.pre);
                fill(&to, begin, kind, head, real);
                to.enter[begin] = l.enter;
                to.leave[begin] = ps_packed_add(l.enter, row.stay);
                to.pre[begin] = wide ? UINT32_MAX : (uint32_t)row.pre;
                if (wide)
                        put_wide(d, group.location, begin, row.pre);
                if (has.done) {
                        to.done[begin] = op;
                        fill(&to, op, done >> KIND_SHIFT, done, real);
                        to.enter[op] = ps_packed_add(l.enter, row.done_enter);
                        to.leave[op] = ps_packed_add(l.enter, row.done_leave);
                        to.pre[op++] = 0;
                }
                if (with_bytes)
                        note_calls(d, begin, op, (uint64_t)row.length);
        }
        *last = l;
        close_location(d, group.location, op);
        return at;
}

/* Pages that letters have left become those of the next `n` rows of the columns. */
static void fill_pages(const struct dealing *d, size_t n)
{
        const struct columns *to = &d->to;
        const size_t left = d->n - d->n_heard;
        ps_memory_fill_next(to->enter, 0, n * sizeof(*to->enter), left * sizeof(*to->enter));
        ps_memory_fill_next(to->leave, 0, n * sizeof(*to->leave), left * sizeof(*to->leave));
        ps_memory_fill_next(to->real, 0, n * sizeof(*to->real), left * sizeof(*to->real));
        ps_memory_fill_next(to->pre, 0, n * sizeof(*to->pre), left * sizeof(*to->pre));
        ps_memory_fill_next(to->done, 0, n * sizeof(*to->done), left * sizeof(*to->done));
        ps_memory_fill_next(to->kind, 0, n * sizeof(*to->kind), left * sizeof(*to->kind));
        ps_memory_fill_next(to->flags, 0, n * sizeof(*to->flags), left * sizeof(*to->flags));
}

static void read_letter(void *dealing, uint32_t p, const uint8_t *letter, size_t n)
{
        struct dealing *d = dealing;
        const size_t n_rows = d->heard[p].n;
        struct last last = {0, 0, 0};
        fill_pages(d, n_rows);
        for (const uint8_t *at = letter; at < letter + n;)
                at = read_group(d, at, &last);
        d->n_heard += n_rows;
}

static ps_status make_columns(struct dealing *d, ps_error *err)
{
        size_t n = d->n, n_wide = d->n_wide;
        enum { TIMES = 2, NUMBERS = 3, BYTES = 2 };
        size_t bytes = n * (TIMES * sizeof(ps_time) + NUMBERS * sizeof(uint32_t) + BYTES);
        bool has_bytes = d->how & PS_PARTNERS_WITH_BYTES;
        struct columns *to = &d->to;
        ps_partners *out = d->out;
        out->real = calloc(d->trace->n_locs + (size_t)1, sizeof(*out->real));
        bytes += has_bytes ? n * (sizeof(*d->calls) + sizeof(*to->call)) : 0;
        out->rows = ps_memory_new(bytes + n_wide * sizeof(*d->wide));
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

static ps_status find_owners(struct dealing *d, const uint32_t *owner, ps_error *err)
{
        const uint32_t size = d->x->size;
        d->owner = ps_memory_new((d->trace->n_locs + (size_t)1) * sizeof(*d->owner));
        d->letters = calloc(size, sizeof(*d->letters));
        d->heard = calloc(size, sizeof(*d->heard));
        if (!d->owner || !d->letters || !d->heard)
                return PS_NOMEM(err, "locations and processes", d->trace->n_locs + (size_t)size);
        for (ps_loc l = 0; l < d->trace->n_locs; l++)
                d->owner[l] = owner[d->trace->defs.locations.row[l].process];
        return PS_OK;
}

static void swap_counts(struct dealing *d)
{
        ps_exchange *x = d->x;
        for (uint32_t phase = 1; phase < x->size; phase++) {
                const uint32_t to = (uint32_t)(((uint64_t)x->rank + phase) % x->size),
                               from = (uint32_t)(((uint64_t)x->rank + x->size - phase) % x->size);
                ps_exchange_swap(x, to, &d->letters[to].count, sizeof(struct count), from, &d->heard[from],
                                 sizeof(struct count));
                d->n += d->heard[from].n;
                d->n_wide += d->heard[from].n_wide;
        }
}

static ps_status deal(struct dealing *d, const uint32_t *owner, ps_error *err)
{
        ps_status status = find_owners(d, owner, err);
        PS_THEN(status, write_letters(d, owner, err));
        status = ps_exchange_agree(d->x, status, err);
        if (status == PS_OK) {
                swap_counts(d);
                status = make_columns(d, err);
        }
        ps_blocks_give_back();
        return ps_letters_deal_in_turn(d->texts, d->x, read_letter, d, status, err);
}

ps_status ps_partners_deal(ps_partners *out, ps_trace *trace, const uint32_t *owner, unsigned how,
                           ps_exchange *x, ps_error *err)
{
        struct dealing d = {.trace = trace, .how = how, .x = x, .out = out};
        *out = (ps_partners){NULL, NULL};
        ps_status status = deal(&d, owner, err);
        if (status != PS_OK)
                drop(out);
        ps_memory_give_back();
        free(d.letters);
        free(d.heard);
        free(d.owner);
        return status;
}

/* Has any call of the location a partner that is elsewhere? */
static bool has_partners(const ps_ops *ops, const ps_trace *trace, const uint32_t *const *real)
{
        bool has = ops->peer;
        for (uint32_t i = 0; i < ops->n_calls && !has; i++)
                has = ops->calls[i].peer < trace->n_locs && real[ops->calls[i].peer];
        return has;
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
                if (!partners->real[l] && has_partners(&trace->ops[l], trace, partners->real))
                        point_back(&trace->ops[l], partners->real);
        drop(partners);
}
