/* legs_exchanges.c - algorithms in which pairs exchange: doubling, halving, rings, all with all. See legs.h.
 */
#include "simulator/cost/legs.h"

/* -- powers of two: of what is beyond, the odd ones hand all to the even ones before -- */

typedef struct folded {
        uint32_t n, beyond, self; /* self PS_NONE: the member has handed on what it has */
} folded;

static uint32_t unfolded(const folded *f, uint32_t place)
{
        return place < f->beyond ? 2 * place : place + f->beyond;
}

static folded fold(const task *t, uint64_t bytes)
{
        folded f = {.n = ps_power_within(t->n)};
        f.beyond = t->n - f.n;
        f.self = t->self - f.beyond;
        if (t->self >= 2 * f.beyond)
                return f;
        f.self = t->self % 2 ? PS_NONE : t->self / 2;
        if (t->self % 2)
                ps_legs_send(t, t->self - 1, bytes);
        else
                ps_legs_receive(t, t->self + 1, bytes);
        return f;
}

static void unfold(const task *t, const folded *f, uint64_t bytes)
{
        if (t->self >= 2 * f->beyond)
                return;
        if (t->self % 2)
                ps_legs_receive(t, t->self - 1, bytes);
        else
                ps_legs_send(t, t->self + 1, bytes);
}

static void exchange_folded(const task *t, const folded *f, uint32_t distance, uint64_t bytes)
{
        uint32_t peer = unfolded(f, f->self ^ distance);
        ps_legs_exchange(t, peer, bytes, peer, bytes);
}

void ps_legs_doubling(const task *t)
{
        folded f = fold(t, t->bytes);
        for (uint32_t distance = 1; f.self != PS_NONE && distance < f.n; distance *= 2)
                exchange_folded(t, &f, distance, t->bytes);
        unfold(t, &f, t->bytes);
}

/* Half of `bytes` to the first partner, a quarter to the second one ... */
static void halve(const task *t, const folded *f, uint64_t bytes)
{
        for (uint32_t distance = 1; f->self != PS_NONE && distance < f->n; distance *= 2)
                exchange_folded(t, f, distance, divided(bytes, 2 * (uint64_t)distance));
}

void ps_legs_rabenseifner(const task *t)
{
        folded f = fold(t, t->bytes);
        halve(t, &f, t->bytes);
        for (uint32_t distance = f.n / 2; f.self != PS_NONE && distance; distance /= 2)
                exchange_folded(t, &f, distance, divided(t->bytes, 2 * (uint64_t)distance));
        unfold(t, &f, t->bytes);
}

void ps_legs_halving_in(const task *t)
{
        folded f = fold(t, t->bytes);
        halve(t, &f, t->bytes);
        for (uint32_t distance = f.n / 2; f.self != PS_NONE && distance; distance /= 2) {
                uint64_t bytes = divided(t->bytes, 2 * (uint64_t)distance);
                if (f.self & distance) {
                        ps_legs_send(t, unfolded(&f, f.self ^ distance), bytes);
                        return;
                }
                ps_legs_receive(t, unfolded(&f, f.self ^ distance), bytes);
        }
}

void ps_legs_halving(const task *t)
{
        folded f = fold(t, t->bytes * t->n);
        halve(t, &f, t->bytes * t->n);
        unfold(t, &f, t->bytes);
}

/* -- rings and exchanges -- */

static uint32_t further(const task *t, uint64_t distance)
{
        return (uint32_t)((t->self + distance) % t->n);
}

static void rounds_of(const task *t, uint64_t rounds, uint64_t bytes)
{
        for (uint64_t i = 0; i < rounds; i++)
                ps_legs_exchange(t, further(t, 1), bytes, further(t, t->n - 1), bytes);
}

void ps_legs_ring(const task *t)
{
        rounds_of(t, t->n - 1, t->bytes);
}

void ps_legs_ring_reduce(const task *t)
{
        rounds_of(t, 2 * ((uint64_t)t->n - 1), divided(t->bytes, t->n));
}

void ps_legs_dissemination(const task *t)
{
        for (uint64_t distance = 1; distance < t->n; distance *= 2)
                ps_legs_exchange(t, further(t, distance), t->bytes, further(t, t->n - distance), t->bytes);
}

void ps_legs_bruck(const task *t)
{
        for (uint64_t distance = 1; distance < t->n; distance *= 2) {
                uint64_t bytes = t->bytes * (distance < t->n - distance ? distance : t->n - distance);
                ps_legs_exchange(t, further(t, t->n - distance), bytes, further(t, distance), bytes);
        }
}

/* Of n blocks, those whose number has this bit. */
static uint64_t blocks_with(uint64_t n, uint64_t bit)
{
        uint64_t rest = n % (2 * bit);
        return n / (2 * bit) * bit + (rest > bit ? rest - bit : 0);
}

void ps_legs_bruck_blocks(const task *t)
{
        for (uint64_t distance = 1; distance < t->n; distance *= 2) {
                uint64_t bytes = t->bytes * blocks_with(t->n, distance);
                ps_legs_exchange(t, further(t, distance), bytes, further(t, t->n - distance), bytes);
        }
}

void ps_legs_pairwise(const task *t)
{
        for (uint32_t i = 1; i < t->n; i++)
                ps_legs_exchange(t, further(t, i), t->bytes, further(t, t->n - i), t->bytes);
}

void ps_legs_all_at_once(const task *t)
{
        for (uint32_t i = 1; i < t->n; i++)
                ps_legs_add_leg(t, further(t, t->n - i), t->bytes, 0);
        for (uint32_t i = 1; i < t->n; i++)
                ps_legs_add_leg(t, further(t, i), t->bytes, PS_LEG_SENDS | (i + 1 == t->n ? PS_LEG_LAST : 0));
}

void ps_legs_neighbor(const task *t)
{
        if (t->n % 2) {
                ps_legs_ring(t);
                return;
        }
        for (uint32_t i = 0; i < t->n / 2; i++) {
                bool is_right = (t->self + i) % 2 == 0;
                uint32_t peer = further(t, is_right ? 1 : t->n - 1);
                uint64_t bytes = t->bytes * (i ? 2 : 1);
                ps_legs_exchange(t, peer, bytes, peer, bytes);
        }
}

/* -- recursive doubling of blocks, also of members that are no power of two -- */

static uint64_t blocks_from(const task *t, uint64_t first, uint64_t n)
{
        return first >= t->n ? 0 : t->bytes * (n < t->n - first ? n : t->n - first);
}

/* Of a subtree that lacks partners, those that had one hand on what they got, down a tree. */
static void hand_on(const task *t, uint32_t distance, uint64_t bytes)
{
        uint32_t own_tree = t->self & ~(distance - 1), n_done = t->n - own_tree - distance;
        for (uint32_t half = distance / 2; half && own_tree + distance < t->n; half /= 2) {
                uint32_t peer = t->self ^ half, end = (t->self & ~(2 * half - 1)) + n_done;
                if (peer > t->self && t->self < end && peer >= end)
                        ps_legs_send(t, peer, bytes);
                else if (peer < t->self && peer < end && t->self >= end)
                        ps_legs_receive(t, peer, bytes);
        }
}

void ps_legs_block_doubling(const task *t)
{
        for (uint32_t distance = 1; distance < t->n; distance *= 2) {
                uint32_t peer = t->self ^ distance, own_tree = t->self & ~(distance - 1),
                         other = own_tree ^ distance;
                uint64_t own = blocks_from(t, own_tree, distance), in = blocks_from(t, other, distance);
                if (peer < t->n)
                        ps_legs_exchange(t, peer, own, peer, in);
                if ((uint64_t)other + distance > t->n)
                        hand_on(t, distance, in);
        }
}

void ps_legs_scatter_doubling(const task *t)
{
        task block = *t;
        block.bytes = divided(t->bytes, t->n);
        ps_legs_scatter_out(&block);
        ps_legs_block_doubling(&block);
}

void ps_legs_scatter_ring(const task *t)
{
        task block = *t;
        block.bytes = divided(t->bytes, t->n);
        ps_legs_scatter_out(&block);
        ps_legs_ring(&block);
}
