/* together.c - what all processes do together, along a tree with process 0 at its root: the processes below
 * process p are p + 1, p + 2, p + 4 and so on, up to the lowest bit of p. */
#include "core/exchange/exchange.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The distance to the process above; beyond all: there is none. */
static uint32_t way_up(const ps_exchange *x)
{
        uint32_t bit = 1;
        while (bit < x->size && !(x->rank & bit))
                bit <<= 1;
        return bit;
}

void ps_exchange_broadcast(ps_exchange *x, void *bytes, size_t n)
{
        if (!ps_exchange_is_shared(x))
                return;
        uint32_t up = way_up(x);
        if (x->rank)
                ps_exchange_receive(x, x->rank - up, bytes, n);
        for (uint32_t bit = up >> 1; bit; bit >>= 1)
                if (x->rank + bit < x->size)
                        ps_exchange_send(x, x->rank + bit, bytes, n);
}

/* -- agreement -- */

struct vote {
        int32_t status;
        uint32_t rank;
};

static bool is_worse(const struct vote *a, const struct vote *b)
{
        return a->status < b->status || (a->status == b->status && a->rank < b->rank);
}

static struct vote find_worst(ps_exchange *x, ps_status status)
{
        struct vote worst = {(int32_t)status, x->rank}, below;
        uint32_t up = way_up(x);
        for (uint32_t bit = 1; bit < up && x->rank + bit < x->size; bit <<= 1) {
                ps_exchange_receive(x, x->rank + bit, &below, sizeof(below));
                if (is_worse(&below, &worst))
                        worst = below;
        }
        if (x->rank)
                ps_exchange_send(x, x->rank - up, &worst, sizeof(worst));
        ps_exchange_broadcast(x, &worst, sizeof(worst));
        return worst;
}

/* Names of files are addresses, which mean nothing to others. */
static void hear(ps_error *err, const ps_error *said, const struct vote *worst)
{
        *err = *said;
        for (int i = 0; i < PS_ERROR_CAUSES; i++)
                err->cause[i].file = "another process";
        (void)PS_CAUSE(err, (ps_status)worst->status, "another process cannot go on: process=%u",
                       worst->rank);
}

ps_status ps_exchange_agree(ps_exchange *x, ps_status status, ps_error *err)
{
        if (!ps_exchange_is_shared(x))
                return status;
        struct vote worst = find_worst(x, status);
        if (worst.status == PS_OK)
                return PS_OK;
        ps_error said = {0};
        if (worst.rank == x->rank && err)
                said = *err;
        if (worst.rank && worst.rank == x->rank)
                ps_exchange_send(x, 0, &said, sizeof(said));
        else if (worst.rank && !x->rank)
                ps_exchange_receive(x, worst.rank, &said, sizeof(said));
        ps_exchange_broadcast(x, &said, sizeof(said));
        if (worst.rank != x->rank && err)
                hear(err, &said, &worst);
        return (ps_status)worst.status;
}

bool ps_exchange_any(ps_exchange *x, bool is_so)
{
        return ps_exchange_is_shared(x) ? find_worst(x, is_so ? PS_E_INPUT : PS_OK).status != PS_OK : is_so;
}

/* -- piles -- */

void ps_pile_clear(ps_pile *pile)
{
        free(pile->bytes);
        free(pile->end);
        *pile = (ps_pile){NULL, NULL};
}

void ps_pile_pass_on(ps_pile *pile)
{
        ps_memory_pass_on(pile->bytes);
        pile->bytes = NULL;
        ps_pile_clear(pile);
}

static size_t begin_of(const ps_pile *pile, uint32_t p)
{
        return p ? pile->end[p - 1] : 0;
}

static uint8_t *part_of(const ps_pile *pile, uint32_t p, size_t *n)
{
        *n = pile->end[p] - begin_of(pile, p);
        return pile->bytes ? pile->bytes + begin_of(pile, p) : NULL;
}

const uint8_t *ps_pile_part(const ps_pile *pile, uint32_t p, size_t *n)
{
        return part_of(pile, p, n);
}

/* `end` holds how much each has: from then on, where it ends. `is_fresh`: nobody touches it before bytes
 * come.
 */
static ps_status make_room(ps_pile *pile, uint32_t n, bool is_fresh, ps_error *err)
{
        for (uint32_t p = 1; p < n; p++)
                pile->end[p] += pile->end[p - 1];
        const size_t bytes = pile->end[n - 1] + sizeof(uint64_t);
        pile->bytes = is_fresh ? ps_memory_new(bytes) : ps_memory_again(bytes);
        return pile->bytes ? PS_OK : PS_NOMEM(err, "bytes of other processes", pile->end[n - 1]);
}

static ps_status make_ends(const ps_exchange *x, ps_pile *pile, ps_error *err)
{
        *pile = (ps_pile){NULL, calloc(x->size, sizeof(*pile->end))};
        return pile->end ? PS_OK : PS_NOMEM(err, "processes", x->size);
}

/* Of process 0 the sizes and then the room, as far as all went well. */
static ps_status collect_sizes(ps_exchange *x, ps_pile *out, size_t n, ps_error *err)
{
        uint64_t size = n;
        if (x->rank) {
                ps_exchange_send(x, 0, &size, sizeof(size));
                return PS_OK;
        }
        ps_status status = make_ends(x, out, err);
        for (uint32_t p = 0; p < x->size; p++) {
                if (p)
                        ps_exchange_receive(x, p, &size, sizeof(size));
                if (status == PS_OK)
                        out->end[p] = (size_t)size;
        }
        return status == PS_OK ? make_room(out, x->size, false, err) : status;
}

ps_status ps_exchange_gather(ps_exchange *x, ps_pile *out, const void *mine, size_t n, ps_error *err)
{
        *out = (ps_pile){NULL, NULL};
        ps_status status = ps_exchange_agree(x, collect_sizes(x, out, n, err), err);
        if (status != PS_OK) {
                ps_pile_clear(out);
                return status;
        }
        if (x->rank) {
                ps_exchange_send(x, 0, mine, n);
                return PS_OK;
        }
        if (n)
                memcpy(out->bytes, mine, n);
        for (uint32_t p = 1; p < x->size; p++) {
                uint8_t *part = part_of(out, p, &n);
                ps_exchange_receive(x, p, part, n);
        }
        return PS_OK;
}

static uint32_t after(const ps_exchange *x, uint32_t phase)
{
        return (uint32_t)(((uint64_t)x->rank + phase) % x->size);
}

static uint32_t before(const ps_exchange *x, uint32_t phase)
{
        return (uint32_t)(((uint64_t)x->rank + x->size - phase) % x->size);
}

/* Into `end`: how much comes from each. */
static ps_status swap_sizes(ps_exchange *x, ps_pile *in, const ps_parts *out, ps_error *err)
{
        ps_status status = make_ends(x, in, err);
        for (uint32_t phase = 0; phase < x->size; phase++) {
                size_t n;
                out->part(out->ctx, after(x, phase), &n);
                uint64_t sent = n, received = n;
                if (phase)
                        ps_exchange_swap(x, after(x, phase), &sent, sizeof(sent), before(x, phase), &received,
                                         sizeof(received));
                if (status == PS_OK)
                        in->end[before(x, phase)] = (size_t)received;
        }
        return status;
}

static void swap_parts(ps_exchange *x, uint32_t phase, const ps_parts *out, uint8_t *to, size_t n_in,
                       bool is_fresh)
{
        size_t n_out;
        const uint8_t *from = out->part(out->ctx, after(x, phase), &n_out);
        if (phase && out->sent)
                ps_exchange_swap_pages(x, after(x, phase), from, n_out, before(x, phase), to, n_in, is_fresh);
        else if (phase)
                ps_exchange_swap(x, after(x, phase), from, n_out, before(x, phase), to, n_in);
        else if (n_in)
                memcpy(to, from, n_in);
        if (out->sent)
                out->sent(out->ctx, after(x, phase));
}

ps_status ps_exchange_deal_parts(ps_exchange *x, ps_pile *in, const ps_parts *out, ps_error *err)
{
        ps_status status = swap_sizes(x, in, out, err);
        PS_THEN(status, make_room(in, x->size, out->sent, err));
        status = ps_exchange_agree(x, status, err);
        if (status != PS_OK)
                ps_pile_clear(in);
        for (uint32_t phase = 0; phase < x->size && status == PS_OK; phase++) {
                size_t n;
                uint8_t *to = part_of(in, before(x, phase), &n);
                swap_parts(x, phase, out, to, n, true);
        }
        return status;
}

static ps_status make_room_for_one(ps_pile *in, uint32_t n, ps_error *err)
{
        size_t most = 0;
        for (uint32_t p = 0; p < n; p++)
                most = in->end[p] > most ? in->end[p] : most;
        in->bytes = ps_memory_new(most + sizeof(uint64_t));
        return in->bytes ? PS_OK : PS_NOMEM(err, "bytes of other processes", most);
}

ps_status ps_exchange_deal_in_turn(ps_exchange *x, const ps_parts *out, ps_hears *hears, void *ctx,
                                   ps_error *err)
{
        ps_pile in; /* whose `end` stays how much each has */
        ps_status status = swap_sizes(x, &in, out, err);
        PS_THEN(status, make_room_for_one(&in, x->size, err));
        status = ps_exchange_agree(x, status, err);
        size_t touched = 0;
        for (uint32_t phase = 0; phase < x->size && status == PS_OK; phase++) {
                const uint32_t from = before(x, phase);
                swap_parts(x, phase, out, in.bytes, in.end[from], !touched);
                touched += in.end[from];
                hears(ctx, from, in.bytes, in.end[from]);
        }
        ps_memory_pass_on(in.bytes);
        free(in.end);
        return status;
}

static const uint8_t *part_of_pile(void *pile, uint32_t p, size_t *n)
{
        return ps_pile_part(pile, p, n);
}

ps_status ps_exchange_deal(ps_exchange *x, ps_pile *in, const ps_pile *out, ps_error *err)
{
        const ps_parts parts = {part_of_pile, NULL, (void *)out}; /* which it only reads */
        return ps_exchange_deal_parts(x, in, &parts, err);
}
