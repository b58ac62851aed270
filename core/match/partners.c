/* partners.c - see partners.h.
 *
 * Each process tells each other one of those of its rows that are matched with rows there, in their order, as
 * steps from the one before (partner_row.h): about 25 bytes a row, with the number of the partner's row,
 * which knows the number of this one. Nobody tells process 0 if it has all of them. They stand in the places
 * of the location that they are of, each followed by the operation that completes it, if it has one. */
#include "core/match/partners.h"

#include "core/base/blocks.h"
#include "core/base/memory.h"
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

/* What is told to one process. */
struct letter {
        struct count count;
        struct group group;
        size_t group_at; /* where it stands in the letter */
        struct told_last last;
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

__attribute__((always_inline)) static inline void
put_row(struct letter *letter, ps_numbers *text, const struct told_source *from, ps_op op, ps_loc partner)
{
        const ps_ops *ops = &from->ops;
        if (letter->group.location != from->location)
                begin_group(letter, text, from->location);
        if (!ps_numbers_have_room(text, ROW_BYTES_MOST))
                return;
        uint8_t *const at = text->row + text->n, *end = told_put_plain(at, from, &letter->last, op, partner);
        if (!end) {
                end = ps_told_put(at, from, &letter->last, op, partner);
                letter->count.n_wide += ps_kind_sends(ops->kind[op]) && is_wide(told_pre(ops, op));
        }
        text->n = (size_t)(end - text->row);
        letter->last = (struct told_last){partner, ops->link[op], from->enter[op]};
        letter->count.n += 1U + (at[1] != NOTHING);
        letter->group.n++;
}

/* Whom a row is told whose partner is there, or PS_NONE. */
static uint32_t hearer_of(const struct dealing *d, ps_loc partner)
{
        const uint32_t to = partner < d->trace->n_locs ? d->owner[partner] : d->x->rank;
        return to == d->x->rank || (!to && d->how & PS_PARTNERS_NOT_TO_0) ? PS_NONE : to;
}

/* `by_call`: NULL: rows have partners of their own. */
__attribute__((always_inline)) static inline void
tell_rows(const struct dealing *d, const struct told_source *from, const uint32_t *by_call)
{
        const ps_op n = from->ops.n;
        const uint32_t *call = from->ops.call;
        for (ps_op op = 0; op < n; op++) {
                const uint32_t to = by_call ? by_call[call[op]] : hearer_of(d, from->ops.peer[op]);
                if (to != PS_NONE && is_matched_message(&from->ops, op))
                        put_row(&d->letters[to], &d->texts[to], from, op, ps_op_peer(&from->ops, op));
        }
}

static void tell_location(const struct dealing *d, ps_loc location, uint32_t *by_call)
{
        const ps_timing *timing = &d->trace->measured;
        const struct told_source from = {.trace = d->trace,
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
        if (tells && ops->peer)
                tell_rows(d, &from, NULL);
        else if (tells)
                tell_rows(d, &from, by_call);
}

static ps_status write_letters(struct dealing *d, const uint32_t *owner, ps_error *err)
{
        uint32_t n_calls = 0;
        PS_TRY(ps_letters_new(&d->texts, d->x, err));
        ps_letters_expect(d->texts, d->trace, owner, d->x, is_message, ROW_BYTES);
        for (ps_loc l = 0; l < d->trace->n_locs; l++)
                n_calls = d->trace->ops[l].n_calls > n_calls ? d->trace->ops[l].n_calls : n_calls;
        uint32_t *by_call = d->out->by_call = ps_memory_new(n_calls * sizeof(*by_call));
        if (!by_call)
                return PS_NOMEM(err, "calls", n_calls);
        for (ps_loc l = 0; l < d->trace->n_locs; l++)
                if (d->owner[l] == d->x->rank)
                        tell_location(d, l, by_call);
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

static void note_calls(struct dealing *d, ps_op row, ps_op end, uint64_t bytes)
{
        d->to.call[row] = call_of(d, bytes);
        if (row + 1 < end)
                d->to.call[row + 1] = call_of(d, 0);
}

/* While the rows of a group are read. */
struct reading {
        struct told_last last;
        struct spot to;
        ps_op op; /* of the next row */
};

/* The own row that is matched with a row points there; gives the number that it has where it is. */
static inline uint32_t point_here(ps_op *links, ps_op link, ps_op here)
{
        const uint32_t real = links[link];
        links[link] = here;
        return real;
}

/* With the operation that completes it. */
static __attribute__((noinline)) const uint8_t *read_long(struct dealing *d, struct reading *r,
                                                          ps_loc location, const uint8_t *at)
{
        const uint8_t head = *at++, done = *at++, kind = kind_of(head);
        const bool sends = ps_kind_sends(kind);
        const struct told_has has = {head & IS_OTHER, sends, done != NOTHING, sends && d->calls};
        const struct told row = ps_told_take_long(&at, has);
        struct told_last *l = &r->last;
        l->partner += (ps_loc)row.partner;
        l->link += (ps_op)row.link;
        l->enter = ps_packed_add(l->enter, row.enter);
        const ps_op begin = r->op++;
        const uint32_t real = point_here(d->trace->ops[l->partner].link, l->link, begin);
        if (is_wide(row.pre))
                put_wide(d, location, begin, row.pre);
        fill(r->to, d->n, kind, head, real, has.done ? r->op : PS_NONE);
        fill_times(r->to, d->n, l->enter, ps_packed_add(l->enter, row.stay),
                   is_wide(row.pre) ? UINT32_MAX : (uint32_t)row.pre);
        r->to = next_spot(r->to);
        if (has.done) {
                fill(r->to, d->n, done >> KIND_SHIFT, done, real, PS_NONE);
                fill_times(r->to, d->n, ps_packed_add(l->enter, row.done_enter),
                           ps_packed_add(l->enter, row.done_leave), 0);
                r->to = next_spot(r->to);
                r->op++;
        }
        if (d->calls)
                note_calls(d, begin, r->op, (uint64_t)row.length);
        return at;
}

/* Nearly all: the same in fewer steps, as the partner stays the same. */
static inline const uint8_t *read_plain(struct reading *r, ps_op *links, size_t n, const uint8_t *at)
{
        const uint8_t head = *at++, done = *at++, kind = kind_of(head);
        const struct told_has has = {.pre = ps_kind_sends(kind), .done = done != NOTHING};
        const struct told row = told_take_plain(&at, has);
        const ps_op begin = r->op++;
        r->last.link += (ps_op)row.link;
        const ps_time enter = r->last.enter = ps_packed_add(r->last.enter, row.enter);
        const uint32_t real = point_here(links, r->last.link, begin);
        fill(r->to, n, kind, head, real, has.done ? r->op : PS_NONE);
        fill_times(r->to, n, enter, ps_packed_add(enter, row.stay), (uint32_t)row.pre);
        r->to = next_spot(r->to);
        if (has.done) {
                fill(r->to, n, done >> KIND_SHIFT, done, real, PS_NONE);
                fill_times(r->to, n, ps_packed_add(enter, row.done_enter),
                           ps_packed_add(enter, row.done_leave), 0);
                r->to = next_spot(r->to);
                r->op++;
        }
        return at;
}

static const uint8_t *read_group(struct dealing *d, const uint8_t *at, struct told_last *last)
{
        struct reading r = {*last, {d->to.enter, d->to.real, d->to.kind}, 0};
        const size_t n = d->n;
        struct group group;
        memcpy(&group, at, sizeof(group));
        at += sizeof(group);
        open_location(d, group.location);
        ps_op *links = d->trace->ops[r.last.partner].link;
        for (uint32_t i = 0; i < group.n; i++) {
                if (*at & IS_PLAIN) {
                        const ps_op begin = r.op;
                        at = read_plain(&r, links, n, at);
                        if (d->calls)
                                note_calls(d, begin, r.op, 0);
                        continue;
                }
                struct reading other = r;
                at = read_long(d, &other, group.location, at);
                r = other;
                links = d->trace->ops[r.last.partner].link;
        }
        *last = r.last;
        close_location(d, group.location, r.op);
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
        struct told_last last = {0, 0, 0};
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
        ps_memory_pass_on(partners->rows);
        free(partners->by_call);
        *partners = (ps_partners){.rows = NULL};
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
        for (uint32_t p = 0; p < size; p++)
                d->letters[p].group.location = PS_NONE;
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
        *out = (ps_partners){.rows = NULL};
        ps_status status = deal(&d, owner, err);
        if (status != PS_OK)
                drop(out);
        free(d.letters);
        free(d.heard);
        free(d.owner);
        return status;
}

/* Has the location partners that are elsewhere? Notes the calls that have. */
static bool find_partners(uint8_t *is_elsewhere, const ps_ops *ops, const ps_trace *trace,
                          const uint32_t *const *real)
{
        bool has = ops->peer;
        for (uint32_t i = 0; i < ops->n_calls; i++) {
                is_elsewhere[i] = ops->calls[i].peer < trace->n_locs && real[ops->calls[i].peer];
                has |= is_elsewhere[i];
        }
        return has;
}

static void point_back(const ps_ops *from, const uint8_t *is_elsewhere, const uint32_t *const *real)
{
        const ps_ops ops = *from;
        for (ps_op op = 0; op < ops.n; op++) {
                if ((!ops.peer && !is_elsewhere[ops.call[op]]) || !is_matched_message(&ops, op))
                        continue;
                const uint32_t *there = real[ps_op_peer(&ops, op)];
                if (there)
                        ops.link[op] = there[ops.link[op]];
        }
}

void ps_partners_clear(ps_partners *partners, const ps_trace *trace)
{
        for (ps_loc l = 0; partners->rows && l < trace->n_locs; l++)
                if (!partners->real[l] &&
                    find_partners(partners->by_call, &trace->ops[l], trace, partners->real))
                        point_back(&trace->ops[l], partners->by_call, partners->real);
        drop(partners);
}
