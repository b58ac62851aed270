/* quote.c - see quote.h. */
#include "simulator/cost/quote.h"

#include <assert.h>

static bool is_tree(ps_kind kind)
{
        return (ps_kinds[kind].traits & (PS_T_ONE_TO_ALL | PS_T_ALL_TO_ONE)) != 0;
}

static ps_quote quote(const ps_machine *machine, ps_kind kind, const ps_group *group, uint64_t bytes)
{
        const uint8_t *shape = machine->collective[kind];
        ps_quote q = {.way = ps_shape_names[shape[0]]};
        q.way_out = shape[1] == PS_SHAPE_FREE ? NULL : ps_shape_names[shape[1]];
        q.least = q.most = ps_machine_collective(machine, kind, group, bytes);
        if (shape[1] == PS_SHAPE_FREE && group->n > 1 &&
            ps_collective_is_flat(machine, kind, group->n, bytes) &&
            !ps_collective_is_played(machine, kind, group->n, bytes) &&
            ps_kinds[kind].traits & PS_T_ALL_TO_ONE)
                q.least = ps_gather_flat(machine, group, bytes).low;
        return q;
}

unsigned ps_machine_quote(ps_quote out[PS_QUOTE_WAYS], const ps_machine *machine, ps_kind kind, uint32_t n,
                          uint64_t bytes)
{
        static const uint8_t others[] = {PS_SHAPE_FLAT, PS_SHAPE_BINOMIAL};
        const ps_group group = {.n = n};
        unsigned n_ways = 0;
        assert(n > 0 && ps_machine_fit(machine, n, NULL) == PS_OK);
        /* Of a vector that is not divided both are the same. */
        bool is_halving = machine->collective[kind][0] == PS_SHAPE_LOGARITHMIC &&
                          (kind == PS_K_BCAST || kind == PS_K_REDUCE);
        if (ps_kinds[kind].cls == PS_C_SEND) {
                ps_time time = ps_machine_p2p(machine, 0, n > 1, bytes);
                out[0] = (ps_quote){.way = "message", .least = time, .most = time, .is_machines_own = true};
                return 1;
        }
        out[n_ways] = quote(machine, kind, &group, bytes);
        out[n_ways++].is_machines_own = true;
        for (unsigned i = 0; i < sizeof(others) - is_halving && is_tree(kind); i++) {
                ps_machine other = *machine; /* only read, and what it points to is not its own */
                if (machine->collective[kind][0] == others[i] &&
                    machine->collective[kind][1] == PS_SHAPE_FREE)
                        continue;
                other.collective[kind][0] = others[i];
                other.collective[kind][1] = PS_SHAPE_FREE;
                out[n_ways++] = quote(&other, kind, &group, bytes);
        }
        return n_ways;
}
