/* addresses.c - where messages went to or came from, known by the first bytes of their records. */
#include "core/fold/builder.h"

#include <stdlib.h>

/* Most locations have few partners, and there may be very many locations. Others have as many addresses as
 * call paths, each of which looks for its call once more when it was displaced: places become more when one
 * in OFTEN was taken, and more than a few; very many only where there are as many paths. */
enum { FEWEST_BITS = 4, GROWTH_BITS = 2, OFTEN = 32, A_FEW = 4 };

/* The first two communicators are told apart by how many bytes their numbers have: none, and one. */
enum { FEW_COMMS = 2 };

/* So many, and none of them known yet; -1, and all stays as it is, when there is no memory. */
static int make_places(struct addresses *a, uint32_t bits)
{
        struct address *row = calloc((size_t)1 << bits, sizeof(*row)); /* of most of many nobody asks */
        if (!row)
                return -1;
        free(a->row);
        *a = (struct addresses){row, 32 - bits, 0, a->are_of_many};
        return 0;
}

int ps_addresses_init(struct addresses *a, const ps_defs *defs)
{
        a->are_of_many = defs->comms.n > FEW_COMMS;
        return make_places(a, FEWEST_BITS);
}

void ps_addresses_free(struct addresses *a)
{
        free(a->row);
        *a = (struct addresses){0};
}

void ps_addresses_take(const ps_builder *b, struct addresses *a, uint32_t most_bits)
{
        uint32_t bits = 32 - a->shift;
        if (++a->n_taken < A_FEW || a->n_taken < (UINT32_C(1) << bits) / OFTEN)
                return;
        a->n_taken = 0;
        if (bits < most_bits || UINT32_C(1) << bits < b->tree.n)
                (void)make_places(a, bits + GROWTH_BITS);
}
