/* addresses.c - where messages went to or came from, known by the first bytes of their records. */
#include "core/fold/sink_known.h"

#include <stdlib.h>

/* Most locations have few partners, and there may be very many locations. Others have as many addresses as
 * call paths, each of which looks for its call once more when it was displaced: places become more when one
 * in OFTEN was taken, and more than a few; very many only where there are as many paths. */
enum { FEWEST_BITS = 4, GROWTH_BITS = 2, OFTEN = 32, SELDOM = 16, A_FEW = 4 };

/* The first two communicators are told apart by how many bytes their numbers have: none, and one. */
enum { FEW_COMMS = 2 };

/* So many, and none of them known yet, with what was there to be freed; -1, and all stays as it is, when
 * there is no memory. */
static int make_places(struct addresses *a, uint32_t bits)
{
        const size_t n = (size_t)1 << bits;
        struct address *row = malloc(n * sizeof(*row));
        if (!row)
                return -1;
        for (size_t i = 0; i < n; i++)
                row[i].is_there = false;
        *a = (struct addresses){row, 32 - bits, 0, a->are_of_many};
        return 0;
}

static int begin(struct addresses *a, const ps_defs *defs, uint32_t bits)
{
        a->are_of_many = defs->comms.n > FEW_COMMS;
        return make_places(a, bits < FEWEST_BITS ? FEWEST_BITS : bits);
}

int ps_addresses_init(ps_builder *b)
{
        return begin(&b->addresses, b->defs, b->pool->address_bits) < 0 ||
                               begin(&b->collectives, b->defs, b->pool->coll_bits) < 0 ||
                               begin(&b->targets, b->defs, b->pool->target_bits) < 0
                       ? -1
                       : 0;
}

/* Returns how many bits the next location had better begin with: fewer, where this one had no use for most
 * places. */
static uint32_t leave(struct addresses *a)
{
        uint32_t bits = a->row ? 32 - a->shift : FEWEST_BITS, n = 0;
        for (uint32_t i = 0; a->row && i < UINT32_C(1) << bits; i++)
                n += a->row[i].is_there;
        while (bits > FEWEST_BITS && n < (UINT32_C(1) << bits) / SELDOM)
                bits -= GROWTH_BITS;
        free(a->row);
        *a = (struct addresses){0};
        return bits;
}

void ps_addresses_leave(ps_builder *b)
{
        b->pool->address_bits = leave(&b->addresses);
        b->pool->coll_bits = leave(&b->collectives);
        b->pool->target_bits = leave(&b->targets);
}

/* What is known by records of one path is not shared. */
void ps_addresses_share(ps_builder *b, const struct address *place)
{
        struct addresses *a = &b->addresses;
        a->n_taken += place >= a->row && place < a->row + ((size_t)1 << (32 - a->shift));
}

void ps_addresses_take(ps_builder *b, struct addresses *a)
{
        a->n_taken++;
        ps_addresses_look(b, a);
}

/* What is known of records stays known. */
__attribute__((noinline)) static void grow(const ps_builder *b, struct addresses *a, uint32_t bits)
{
        const uint32_t most_bits = a == &b->addresses ? PS_MOST_ADDRESS_BITS : PS_MOST_KNOWN_BITS;
        struct address *before = a->row;
        a->n_taken = 0;
        if ((bits >= most_bits && UINT32_C(1) << bits >= b->tree.n) || make_places(a, bits + GROWTH_BITS) < 0)
                return;
        for (uint32_t i = 0; a != &b->addresses && i < UINT32_C(1) << bits; i++)
                if (before[i].is_there)
                        *ps_fold_known_place(a, before[i].known, before[i].in) = before[i];
        free(before);
}

void ps_addresses_look(ps_builder *b, struct addresses *a)
{
        const uint32_t bits = 32 - a->shift;
        if (a->n_taken >= A_FEW && a->n_taken >= (UINT32_C(1) << bits) / OFTEN)
                grow(b, a, bits);
}
