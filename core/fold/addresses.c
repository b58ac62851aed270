/* addresses.c - where messages went to or came from, known by the first bytes of their records. */
#include "core/fold/sink_known.h"

#include <stdlib.h>

/* Most locations have few partners, and there may be very many locations. Others have as many addresses as
 * call paths, each of which looks for its call once more when it was displaced: places become more when one
 * in OFTEN was taken, and more than a few; very many only where there are as many paths. */
enum { FEWEST_BITS = 4, GROWTH_BITS = 2, OFTEN = 32, SELDOM = 16, A_FEW = 4 };

/* The first two communicators are told apart by how many bytes their numbers have: none, and one. */
enum { FEW_COMMS = 2 };

static void forget(struct address *row, uint32_t bits)
{
        for (size_t i = 0; i < (size_t)1 << bits; i++)
                row[i].is_there = false;
}

/* So many, and none of them known yet, with what was there to be freed; -1, and all stays as it is, when
 * there is no memory. */
static int make_places(struct addresses *a, uint32_t bits)
{
        struct address *row = malloc(((size_t)1 << bits) * sizeof(*row));
        if (!row)
                return -1;
        forget(row, bits);
        *a = (struct addresses){row, 32 - bits, 0, a->are_of_many};
        return 0;
}

static int begin(struct addresses *a, const ps_defs *defs, struct ps_known *known)
{
        const uint32_t bits = known->bits < FEWEST_BITS ? FEWEST_BITS : known->bits;
        a->are_of_many = defs->comms.n > FEW_COMMS;
        if (!known->row)
                return make_places(a, bits);
        forget(known->row, bits);
        *a = (struct addresses){known->row, 32 - bits, 0, a->are_of_many};
        known->row = NULL;
        return 0;
}

int ps_addresses_init(ps_builder *b)
{
        return begin(&b->addresses, b->defs, &b->pool->addresses) < 0 ||
                               begin(&b->collectives, b->defs, &b->pool->collectives) < 0 ||
                               begin(&b->targets, b->defs, &b->pool->targets) < 0
                       ? -1
                       : 0;
}

void ps_addresses_drop(struct ps_known *known)
{
        free(known->row);
        known->row = NULL;
}

/* The next location begins with the same places, or with fewer, where this one had no use for most. */
static void leave(struct addresses *a, struct ps_known *known)
{
        const uint32_t had = a->row ? 32 - a->shift : FEWEST_BITS;
        uint32_t bits = had, n = 0;
        for (uint32_t i = 0; a->row && i < UINT32_C(1) << had; i++)
                n += a->row[i].is_there;
        while (bits > FEWEST_BITS && n < (UINT32_C(1) << bits) / SELDOM)
                bits -= GROWTH_BITS;
        ps_addresses_drop(known);
        *known = (struct ps_known){a->row, bits};
        if (bits != had)
                ps_addresses_drop(known);
        *a = (struct addresses){0};
}

void ps_addresses_leave(ps_builder *b)
{
        leave(&b->addresses, &b->pool->addresses);
        leave(&b->collectives, &b->pool->collectives);
        leave(&b->targets, &b->pool->targets);
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
