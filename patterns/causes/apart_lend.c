/* apart_lend.c - apart.h: process 0 looks at the waits of all, of which the others lend it a few at a time.
 *
 * It follows what goes from wait to wait, location by location from the last wait to the first, or forward
 * again: so a block of each location at a time is enough. */
#include "patterns/causes/apart.h"
#include "patterns/causes/forward.h"

#include "core/base/memory.h"
#include "core/model/focus.h"

#include <stdlib.h>
#include <string.h>

/* Waits that are lent at a time, of all locations; but of each a few. Whoever asks waits for whoever lends,
 * and that for the next question. */
enum { LENT = 1 << 18, LEAST_LENT = 64 };

/* So many of locations that follow each other go in one letter, and what is due of them in another one. */
enum { TOGETHER = 1 << 13, LETTER_BYTES = (size_t)TOGETHER * PS_CAUSES_TOLD * sizeof(struct part) };

_Static_assert(sizeof(struct lent_forward) <= PS_CAUSES_TOLD * sizeof(struct part),
               "there is room for waits, too");

/* -- how many there are, and where paths end -- */

static ps_status find_ends(const struct delaying *d, ps_error *err)
{
        struct path_end *last = d->apart->last = ps_memory_zeroed(d->n_spans, sizeof(*last));
        if (!last)
                return PS_NOMEM(err, "spans", d->n_spans);
        for (uint32_t s = 0; s < d->n_spans; s++) {
                const struct path_end end = ps_critical_end(d, d->span[s]);
                last[s].loc = end.loc;
                last[s].behind = end.behind;
                last[s].time = end.time;
        }
        return PS_OK;
}

/* The last of all; of several the one whose location comes first. */
static void take_ends(const struct delaying *d, const ps_pile *ends)
{
        struct path_end *last = d->apart->last, end;
        for (uint32_t p = 1; p < d->apart->x->size; p++) {
                size_t n;
                const uint8_t *at = ps_pile_part(ends, p, &n);
                for (uint32_t s = 0; s < d->n_spans; s++) {
                        memcpy(&end, at + s * sizeof(end), sizeof(end));
                        if (end.loc != PS_NONE && (last[s].loc == PS_NONE || end.time > last[s].time ||
                                                   (end.time == last[s].time && end.loc < last[s].loc)))
                                last[s] = end;
                }
        }
}

static ps_status gather_ends(struct delaying *d, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        ps_pile ends = {NULL, NULL};
        ps_status status = ps_exchange_agree(x, find_ends(d, err), err);
        PS_THEN(status,
                ps_exchange_gather(x, &ends, d->apart->last, d->n_spans * sizeof(*d->apart->last), err));
        if (status == PS_OK && !x->rank)
                take_ends(d, &ends);
        ps_pile_clear(&ends);
        return status;
}

/* -- rows of all waits -- */

struct ps_apart_run ps_apart_next_run(const struct delaying *d, ps_loc from)
{
        const struct apart *a = d->apart;
        struct ps_apart_run run = {.from = from, .behind = from, .owner = owner_of(d, from)};
        for (; run.behind < d->trace->n_locs && owner_of(d, run.behind) == run.owner; run.behind++) {
                const struct timeline *line = &d->line[run.behind];
                if (!run.n)
                        run.here = line->wait;
                run.n += line->n_waits;
        }
        if (!a->x->rank) {
                run.of_all = a->first[from];
                run.n = a->first[run.behind] - run.of_all;
        }
        return run;
}

void ps_apart_collect(const struct delaying *d, void *of_all, const void *here, size_t size)
{
        const struct apart *a = d->apart;
        for (struct ps_apart_run run = {.behind = 0}; run.behind < d->trace->n_locs;) {
                run = ps_apart_next_run(d, run.behind);
                const uint8_t *from = (const uint8_t *)here + run.here * size;
                uint8_t *to = a->x->rank ? NULL : (uint8_t *)of_all + run.of_all * size;
                const bool is_own = run.owner == a->x->rank;
                if (a->x->rank && is_own)
                        ps_exchange_send(a->x, 0, from, run.n * size);
                else if (!a->x->rank && !is_own)
                        ps_exchange_receive(a->x, run.owner, to, run.n * size);
                else if (!a->x->rank && run.n)
                        memcpy(to, from, run.n * size);
        }
}

/* -- the room for what is lent -- */

/* How many waits each location here has. */
static ps_status count_here(uint32_t **out, size_t *n, const struct delaying *d, ps_error *err)
{
        *n = 0;
        *out = malloc((d->trace->n_locs + (size_t)1) * sizeof(**out));
        if (!*out)
                return PS_NOMEM(err, "locations", d->trace->n_locs);
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                if (is_here(d, loc))
                        (*out)[(*n)++] = d->line[loc].n_waits;
        return PS_OK;
}

static ps_status add_counts(const struct delaying *d, const ps_pile *counts, ps_error *err)
{
        struct apart *a = d->apart;
        const uint8_t **at = calloc(a->x->size, sizeof(*at));
        uint64_t sum = 0;
        size_t n;
        for (uint32_t p = 0; at && p < a->x->size; p++)
                at[p] = ps_pile_part(counts, p, &n);
        for (ps_loc loc = 0; at && loc < d->trace->n_locs; loc++) {
                uint32_t count;
                a->first[loc] = sum < PS_NONE ? (uint32_t)sum : PS_NONE;
                memcpy(&count, at[owner_of(d, loc)], sizeof(count));
                at[owner_of(d, loc)] += sizeof(count);
                sum += count;
        }
        const bool lacks = !at;
        free(at);
        if (lacks || sum + 1 >= PS_NONE)
                return PS_NOMEM(err, "waits", sum);
        a->first[d->trace->n_locs] = (uint32_t)sum;
        return PS_OK;
}

static ps_status find_first(struct delaying *d, ps_error *err)
{
        ps_exchange *x = d->apart->x;
        ps_pile counts = {NULL, NULL};
        uint32_t *mine;
        size_t n;
        ps_status status = ps_exchange_agree(x, count_here(&mine, &n, d, err), err);
        PS_THEN(status, ps_exchange_gather(x, &counts, mine, n * sizeof(*mine), err));
        if (!x->rank)
                PS_THEN(status, add_counts(d, &counts, err));
        ps_pile_clear(&counts);
        free(mine);
        return status;
}

/* The same in all processes. */
static uint32_t find_most(const struct delaying *d)
{
        uint32_t n_lent = 1;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                n_lent += owner_of(d, loc) != 0;
        return LENT / n_lent > LEAST_LENT ? LENT / n_lent : LEAST_LENT;
}

/* Room for waits of a location of another process. */
static uint32_t room_of(const struct apart *a, ps_loc loc)
{
        const uint32_t n_waits = a->first[loc + 1] - a->first[loc];
        return n_waits < a->most_lent ? n_waits : a->most_lent;
}

static ps_status make_room(struct delaying *d, ps_error *err)
{
        struct apart *a = d->apart;
        const size_t n_locs = d->trace->n_locs + (size_t)1;
        size_t n = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++)
                n += is_here(d, loc) ? 0 : room_of(a, loc);
        a->lent = ps_memory_zeroed(n_locs, sizeof(*a->lent));
        a->lent_row = ps_memory_again((n + 1) * sizeof(struct lent_forward));
        a->lent_due = ps_memory_new((n * PS_CAUSES_TOLD + 1) * sizeof(*a->lent_due));
        a->shown = calloc(1, sizeof(*a->shown));
        if (!a->lent || !a->lent_row || !a->lent_due || !a->shown)
                return PS_NOMEM(err, "waits", n);
        a->shown->wait->op = PS_NONE;
        n = 0;
        for (ps_loc loc = 0; loc < d->trace->n_locs; loc++) {
                const uint32_t n_waits = a->first[loc + 1] - a->first[loc];
                a->lent[loc] = (struct lent){
                        .wait = d->wait + d->line[loc].wait, .first = a->first[loc], .n = n_waits};
                if (is_here(d, loc))
                        continue;
                a->lent[loc] = (struct lent){.row = a->lent_row + n * sizeof(struct lent_forward),
                                             .due = a->lent_due + n * PS_CAUSES_TOLD};
                n += room_of(a, loc);
        }
        return PS_OK;
}

/* Whoever lends puts rows there, and it holds what goes together. */
static size_t room_of_letter(const struct apart *a)
{
        const size_t room = a->x->rank ? a->most_lent * sizeof(struct lent_forward) : 0;
        return room > LETTER_BYTES ? room : LETTER_BYTES;
}

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

static size_t due_bytes(const struct lent *lent)
{
        const void *row = lent->row;
        return lent->n ? ((const struct lent_forward *)row)[lent->n - 1].due * sizeof(*lent->due) : 0;
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

static void receive_block(const struct delaying *d, const struct request *r)
{
        const struct apart *a = d->apart;
        struct lent *lent = &a->lent[r->loc];
        const uint32_t from = owner_of(d, r->loc);
        lent->first = a->first[r->loc] + r->first;
        lent->n = r->n;
        ps_exchange_receive(a->x, from, lent->row, bytes_of(a, r->n));
        if (a->follows == FOLLOWS_CAUSES)
                ps_exchange_receive(a->x, from, lent->due, due_bytes(lent));
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
                if (behind > from && n > TOGETHER)
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
        for (ps_loc loc = from; loc < behind; loc++) {
                const struct request r = first_request(d, loc);
                a->lent[loc].first = a->first[loc] + r.first;
                a->lent[loc].n = r.n;
        }
        for (int way = 0; way <= (a->follows == FOLLOWS_CAUSES); way++) {
                size_t all = 0, at = 0;
                for (ps_loc loc = from; loc < behind; loc++)
                        all += way ? due_bytes(&a->lent[loc]) : bytes_of(a, a->lent[loc].n);
                ps_exchange_receive(a->x, owner_of(d, from), a->letter, all);
                for (ps_loc loc = from; loc < behind; loc++) {
                        const struct lent *lent = &a->lent[loc];
                        const size_t n = way ? due_bytes(lent) : bytes_of(a, lent->n);
                        if (n)
                                memcpy(way ? (void *)lent->due : lent->row, a->letter + at, n);
                        at += n;
                }
        }
}

/* What goes alone goes from where it is. */
static void offer(const struct delaying *d, ps_loc from, ps_loc behind)
{
        const struct request r = first_request(d, from);
        if (behind - from > 1)
                (d->apart->x->rank ? send_first : receive_first)(d, from, behind);
        else if (r.n)
                (d->apart->x->rank ? send_block : receive_block)(d, &r);
}

void ps_apart_offer(const struct delaying *d)
{
        for (ps_loc from = 0, behind; from < d->trace->n_locs; from = behind) {
                behind = from + 1;
                if (is_here(d, from) == !d->apart->x->rank)
                        continue;
                behind = find_behind(d, from);
                offer(d, from, behind);
        }
}

void ps_apart_borrow(const struct delaying *d, ps_loc loc, uint32_t number)
{
        const struct apart *a = d->apart;
        const struct request r =
                request_of(a, loc, number - a->first[loc], a->first[loc + 1] - a->first[loc]);
        ps_exchange_send(a->x, owner_of(d, loc), &r, sizeof(r));
        receive_block(d, &r);
}

void ps_apart_lend(const struct delaying *d)
{
        for (struct request r;;) {
                ps_exchange_receive(d->apart->x, 0, &r, sizeof(r));
                if (!r.n)
                        return;
                send_block(d, &r);
        }
}

void ps_apart_give_back(const struct delaying *d)
{
        const ps_exchange *x = d->apart->x;
        for (uint32_t p = 1; p < x->size; p++)
                ps_exchange_send(d->apart->x, p, &(struct request){0}, sizeof(struct request));
}

void ps_apart_forget_lent(struct apart *a)
{
        ps_memory_pass_on(a->lent_row);
        free(a->lent_due);
        ps_memory_pass_on(a->letter);
        free(a->shown);
        a->lent_row = NULL;
        a->lent_due = NULL;
        a->letter = NULL;
        a->shown = NULL;
}

/* -- all -- */

ps_status ps_apart_open(struct delaying *d, ps_error *err)
{
        struct apart *a = d->apart;
        PS_TRY(gather_ends(d, err));
        a->most_lent = find_most(d);
        a->first = ps_memory_zeroed(d->trace->n_locs + (size_t)1, sizeof(*a->first));
        a->letter = ps_memory_again(room_of_letter(a));
        PS_TRY(ps_exchange_agree(
                a->x, a->first && a->letter ? PS_OK : PS_NOMEM(err, "locations", d->trace->n_locs), err));
        ps_status status = find_first(d, err);
        if (!a->x->rank)
                PS_THEN(status, make_room(d, err));
        status = ps_exchange_agree(a->x, status, err);
        a->is_open = status == PS_OK;
        if (status == PS_OK)
                ps_apart_offer(d);
        return status;
}
