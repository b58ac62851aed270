/* trees.c - see trees.h. */
#include "simulator/cost/trees.h"

static uint32_t rank_at(const ps_group *group, uint32_t place)
{
        return group->members ? group->members[place] : place;
}

/* The member that is `step` places behind the root, round the end. */
static uint32_t rank_behind(const ps_group *group, uint32_t step)
{
        return rank_at(group, (uint32_t)(((uint64_t)group->root + step) % group->n));
}

/* One message of a root, or to it: at its port, and what follows that. */
typedef struct leg {
        ps_time port, rest;
} leg;

static leg leg_of(const ps_machine *machine, int gathering, uint32_t root, uint32_t other, uint64_t bytes)
{
        uint32_t from = gathering ? other : root, to = gathering ? root : other;
        ps_time port = ps_machine_port(machine, gathering, from, to, bytes);
        ps_time rest = ps_time_sub(ps_machine_p2p(machine, from, to, bytes), port);
        return (leg){port, rest > 0 ? rest : 0};
}

/* All legs at the port, one after the other, and the longest rest; `sum` also gets the sum of all rests. */
static ps_time flat(const ps_machine *machine, int gathering, const ps_group *group, uint64_t bytes,
                    ps_time *sum)
{
        uint32_t root = rank_at(group, group->root);
        ps_time ports = 0, rest = 0, rests = 0;
        for (uint32_t i = 0; i < group->n; i++) {
                if (i == group->root)
                        continue;
                leg l = leg_of(machine, gathering, root, rank_at(group, i), bytes);
                ports = ps_time_add(ports, l.port);
                rests = ps_time_add(rests, l.rest);
                rest = l.rest > rest ? l.rest : rest;
        }
        *sum = ps_time_add(ports, rests);
        return ps_time_add(ports, rest);
}

ps_time ps_scatter_flat(const ps_machine *machine, const ps_group *group, uint64_t bytes)
{
        ps_time sum;
        return flat(machine, 0, group, bytes, &sum);
}

ps_time ps_scatter_parallel(const ps_machine *machine, const ps_group *group, uint64_t bytes)
{
        ps_time longest = 0;
        for (uint32_t i = 0; i < group->n; i++) {
                if (i == group->root)
                        continue;
                ps_time time = ps_machine_p2p(machine, rank_at(group, group->root), rank_at(group, i), bytes);
                longest = time > longest ? time : longest;
        }
        return longest;
}

ps_band ps_gather_flat(const ps_machine *machine, const ps_group *group, uint64_t bytes)
{
        const ps_lmo *lmo = &machine->lmo;
        ps_time sum, overlapped = flat(machine, 1, group, bytes, &sum);
        if (machine->model != PS_MODEL_LMO || (double)bytes < lmo->gather_low_bytes)
                return (ps_band){overlapped, overlapped};
        if ((double)bytes > lmo->gather_high_bytes)
                return (ps_band){sum, sum};
        ps_time escalation = ps_time_of_seconds(lmo->escalation_probability * lmo->escalation_s);
        return (ps_band){overlapped, ps_time_add(sum, escalation)};
}

/* The subtree of the `span` members from the `at`-th behind the root: the upper part goes first. Its depth is
 * at most the number of bits of `span`. */
static ps_time subtree(const ps_machine *machine, int gathering, const ps_group *group, uint32_t at,
                       uint32_t span, uint64_t bytes)
{
        uint32_t half = 1;
        uint64_t block;
        if (span < 2)
                return 0;
        while (half < span - half)
                half *= 2;
        if (__builtin_mul_overflow((uint64_t)(span - half), bytes, &block))
                block = UINT64_MAX;
        leg l = leg_of(machine, gathering, rank_behind(group, at), rank_behind(group, at + half), block);
        ps_time own = subtree(machine, gathering, group, at, half, bytes);
        ps_time other =
                ps_time_add(l.rest, subtree(machine, gathering, group, at + half, span - half, bytes));
        return ps_time_add(l.port, own > other ? own : other);
}

ps_time ps_scatter_binomial(const ps_machine *machine, const ps_group *group, uint64_t bytes)
{
        return subtree(machine, 0, group, 0, group->n, bytes);
}

ps_time ps_gather_binomial(const ps_machine *machine, const ps_group *group, uint64_t bytes)
{
        return subtree(machine, 1, group, 0, group->n, bytes);
}
