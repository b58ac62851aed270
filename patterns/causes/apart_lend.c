/* apart_lend.c - apart.h: process 0 looks at the waits of all, of which the others lend it a few at a time.
 *
 * It follows what goes from wait to wait, location by location from the last wait to the first, or forward
 * again: so a block of each location at a time is enough. While it goes on with that, whoever has the waits
 * makes the next one ready: of one location at a time, since to send it and to hear of a further wish at once
 * takes somebody who waits for both. */
#include "patterns/causes/apart.h"
#include "patterns/causes/forward.h"

#include <string.h>

/* -- lending -- */

struct request {
        uint32_t loc, first, n; /* first: from the location's first wait; n: 0: nothing more */
};

/* Wait number `at` of the location's `all`, and what comes before it, or behind it. */
static struct request request_of(const struct apart *a, ps_loc loc, uint32_t at, uint32_t all)
{
        const uint32_t most = a->most_lent;
        if (a->follows == FOLLOWS_CAUSES)
                return (struct request){loc, at, all - at < most ? all - at : most};
        return at < most ? (struct request){loc, 0, at + 1} : (struct request){loc, at + 1 - most, most};
}

static void put_ends(struct lent_end *to, const struct waiting *w, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++, w++)
                to[i] = (struct lent_end){w->end, {w->is_caused ? w->by.loc : PS_NONE, w->by.op}, w->behind};
}

static inline struct lent_wait lent_of(const struct waiting *w)
{
        return (struct lent_wait){.length = length_of(w),
                                  .excess = w->excess,
                                  .waited = w->waited,
                                  .by = w->is_caused ? w->by.loc : PS_NONE,
                                  .first = w->first,
                                  .n = (w->behind - w->first) & INT32_MAX,
                                  .is_cut = w->is_cut};
}

static void put_turns(struct lent_turn *to, const struct waiting *w, uint32_t n)
{
        for (uint32_t i = 0; i < n; i++, w++)
                to[i] = (struct lent_turn){lent_of(w), w->family};
}

static void put_forward(struct lent_forward *to, const struct waiting *w, uint32_t n, const ps_ops *ops)
{
        const uint32_t part = w->part;
        for (uint32_t i = 0; i < n; i++, w++)
                to[i] = (struct lent_forward){lent_of(w), w[1].part - part,
                                              place_key(w->pattern, ps_op_path(ops, w->op))};
}

static void put_block(uint8_t *to, const struct delaying *d, const struct request *r)
{
        const struct waiting *w = d->wait + d->line[r->loc].wait + r->first;
        void *row = to;
        if (d->apart->follows == FOLLOWS_PATH)
                put_ends(row, w, r->n);
        else if (d->apart->follows == FOLLOWS_TURNS)
                put_turns(row, w, r->n);
        else
                put_forward(row, w, r->n, &d->trace->ops[r->loc]);
}

static size_t bytes_of(const struct apart *a, uint32_t n)
{
        static const uint8_t sizes[] = {[FOLLOWS_PATH] = sizeof(struct lent_end),
                                        [FOLLOWS_TURNS] = sizeof(struct lent_turn),
                                        [FOLLOWS_CAUSES] = sizeof(struct lent_forward)};
        return (size_t)n * sizes[a->follows];
}

/* What is due of the block. */
static const struct part *due_of(const struct delaying *d, const struct request *r, size_t *bytes)
{
        const struct waiting *w = d->wait + d->line[r->loc].wait + r->first;
        *bytes = (w[r->n].part - w->part) * sizeof(struct part);
        return d->apart->due.row + w->part;
}

static size_t due_bytes(const struct block *b)
{
        const void *row = b->row;
        return b->n ? ((const struct lent_forward *)row)[b->n - 1].due * sizeof(*b->due) : 0;
}

static void send_block(const struct delaying *d, const struct request *r)
{
        const struct apart *a = d->apart;
        size_t bytes;
        put_block(a->letter, d, r);
        ps_exchange_send(a->x, 0, a->letter, bytes_of(a, r->n));
        if (a->follows != FOLLOWS_CAUSES)
                return;
        const struct part *due = due_of(d, r, &bytes);
        ps_exchange_send(a->x, 0, due, bytes);
}

/* `first` and `n` of it are known. */
static void receive_block(const struct apart *a, uint32_t from, const struct block *b)
{
        ps_exchange_receive(a->x, from, b->row, bytes_of(a, b->n));
        if (a->follows == FOLLOWS_CAUSES)
                ps_exchange_receive(a->x, from, b->due, due_bytes(b));
}

/* The first ones of a location that go there; none of one that has no waits. */
static struct request first_request(const struct delaying *d, ps_loc loc)
{
        const struct apart *a = d->apart;
        const uint32_t all = a->x->rank ? d->line[loc].n_waits : a->first[loc + 1] - a->first[loc];
        const uint32_t at = a->follows == FOLLOWS_CAUSES ? 0 : all - 1;
        return all ? request_of(a, loc, at, all) : (struct request){.loc = loc};
}

/* Up to which location they go together. */
static ps_loc find_behind(const struct delaying *d, ps_loc from)
{
        ps_loc behind = from;
        size_t n = 0;
        for (; behind < d->trace->n_locs && owner_of(d, behind) == owner_of(d, from); behind++) {
                n += first_request(d, behind).n;
                if (behind > from && n > PS_LENT_TOGETHER)
                        break;
        }
        return behind;
}

static void send_first(const struct delaying *d, ps_loc from, ps_loc behind)
{
        const struct apart *a = d->apart;
        size_t at = 0, n;
        for (ps_loc loc = from; loc < behind; loc++) {
                const struct request r = first_request(d, loc);
                put_block(a->letter + at, d, &r);
                at += bytes_of(a, r.n);
        }
        ps_exchange_send(a->x, 0, a->letter, at);
        if (a->follows != FOLLOWS_CAUSES)
                return;
        at = 0;
        for (ps_loc loc = from; loc < behind; loc++, at += n) {
                const struct request r = first_request(d, loc);
                const struct part *due = due_of(d, &r, &n);
                if (n)
                        memcpy(a->letter + at, due, n);
        }
        ps_exchange_send(a->x, 0, a->letter, at);
}

static void receive_first(const struct delaying *d, ps_loc from, ps_loc behind)
{
        const struct apart *a = d->apart;
        for (int way = 0; way <= (a->follows == FOLLOWS_CAUSES); way++) {
                size_t all = 0, at = 0;
                for (ps_loc loc = from; loc < behind; loc++)
                        all += way ? due_bytes(&a->lent[loc].now) : bytes_of(a, a->lent[loc].now.n);
                ps_exchange_receive(a->x, owner_of(d, from), a->letter, all);
                for (ps_loc loc = from; loc < behind; loc++) {
                        const struct block *now = &a->lent[loc].now;
                        const size_t n = way ? due_bytes(now) : bytes_of(a, now->n);
                        if (n)
                                memcpy(way ? (void *)now->due : now->row, a->letter + at, n);
                        at += n;
                }
        }
}

/* -- by process 0 -- */

static void drop_first(const struct apart *a, struct wished *wished)
{
        struct lent *lent = &a->lent[wished->first];
        lent->is_wished = false;
        wished->first = lent->after;
        wished->is_asked = false;
}

/* Asks a process for what is wished of it first, unless that was done: so it lends nothing else. */
static void ask_first(const struct apart *a, uint32_t owner)
{
        struct wished *wished = &a->wished[owner];
        while (wished->first != PS_NONE && !a->lent[wished->first].next.n)
                drop_first(a, wished);
        if (wished->first == PS_NONE || wished->is_asked)
                return;
        const struct block *next = &a->lent[wished->first].next;
        const struct request r = {wished->first, next->first - a->first[wished->first], next->n};
        wished->is_asked = true;
        ps_exchange_send(a->x, owner, &r, sizeof(r));
}

/* If it was asked for it comes. */
static void take_first(const struct apart *a, uint32_t owner)
{
        struct wished *wished = &a->wished[owner];
        if (!wished->is_asked)
                return;
        struct lent *lent = &a->lent[wished->first];
        receive_block(a, owner, &lent->next);
        lent->is_ahead = true;
        drop_first(a, wished);
}

/* The waits that follow those that are lent now. */
static void wish_next(const struct delaying *d, ps_loc loc)
{
        const struct apart *a = d->apart;
        struct wished *wished = &a->wished[owner_of(d, loc)];
        struct lent *lent = &a->lent[loc];
        const struct block *now = &lent->now;
        const bool goes_forward = a->follows == FOLLOWS_CAUSES;
        const uint32_t behind = now->first + now->n,
                       left = goes_forward ? a->first[loc + 1] - behind : now->first - a->first[loc];
        lent->is_ahead = false;
        lent->next.n = left < a->most_lent ? left : a->most_lent;
        lent->next.first = goes_forward ? behind : now->first - lent->next.n;
        if (lent->is_wished || !lent->next.n)
                return;
        lent->is_wished = true;
        lent->after = PS_NONE;
        if (wished->first == PS_NONE)
                wished->first = loc;
        else
                a->lent[wished->last].after = loc;
        wished->last = loc;
}

static void take_offer(const struct delaying *d, ps_loc from, ps_loc behind)
{
        const struct apart *a = d->apart;
        for (ps_loc loc = from; loc < behind; loc++) {
                const struct request r = first_request(d, loc);
                a->lent[loc].now.first = a->first[loc] + r.first;
                a->lent[loc].now.n = r.n;
        }
        if (behind - from > 1)
                receive_first(d, from, behind);
        else if (a->lent[from].now.n)
                receive_block(a, owner_of(d, from), &a->lent[from].now);
        for (ps_loc loc = from; loc < behind; loc++)
                wish_next(d, loc);
}

static void make_offer(const struct delaying *d, ps_loc from, ps_loc behind)
{
        const struct request r = first_request(d, from);
        if (behind - from > 1)
                send_first(d, from, behind);
        else if (r.n)
                send_block(d, &r);
}

void ps_apart_offer(const struct delaying *d)
{
        const struct apart *a = d->apart;
        for (ps_loc from = 0, behind; from < d->trace->n_locs; from = behind) {
                behind = from + 1;
                if (is_here(d, from) == !a->x->rank)
                        continue;
                behind = find_behind(d, from);
                (a->x->rank ? make_offer : take_offer)(d, from, behind);
        }
        for (uint32_t p = 1; !a->x->rank && p < a->x->size; p++)
                ask_first(a, p);
}

static void borrow_at(const struct delaying *d, ps_loc loc, uint32_t number)
{
        const struct apart *a = d->apart;
        struct block *now = &a->lent[loc].now;
        const struct request r =
                request_of(a, loc, number - a->first[loc], a->first[loc + 1] - a->first[loc]);
        ps_exchange_send(a->x, owner_of(d, loc), &r, sizeof(r));
        now->first = a->first[loc] + r.first;
        now->n = r.n;
        receive_block(a, owner_of(d, loc), now);
}

void ps_apart_borrow(const struct delaying *d, ps_loc loc, uint32_t number)
{
        const struct apart *a = d->apart;
        const uint32_t owner = owner_of(d, loc);
        struct lent *lent = &a->lent[loc];
        const bool is_next = number - lent->next.first < lent->next.n;
        if (!is_next || !lent->is_ahead)
                take_first(a, owner);
        if (is_next && lent->is_ahead) {
                const struct block now = lent->now;
                lent->now = lent->next;
                lent->next = now;
        } else {
                borrow_at(d, loc, number);
        }
        wish_next(d, loc);
        ask_first(a, owner);
}

void ps_apart_give_back(const struct delaying *d)
{
        const struct apart *a = d->apart;
        for (uint32_t p = 1; p < a->x->size; p++) {
                take_first(a, p);
                while (a->wished[p].first != PS_NONE)
                        drop_first(a, &a->wished[p]);
                ps_exchange_send(a->x, p, &(struct request){0}, sizeof(struct request));
        }
}

/* -- by the others -- */

void ps_apart_lend(const struct delaying *d)
{
        for (struct request r;;) {
                ps_exchange_receive(d->apart->x, 0, &r, sizeof(r));
                if (!r.n)
                        return;
                send_block(d, &r);
        }
}
