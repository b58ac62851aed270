/* algorithms.c - what one member sends and receives in each algorithm. See schedule.h. */
#include "simulator/cost/legs.h"

#include "core/base/vector.h"

/* -- messages -- */

static uint32_t at_root(const task *t, uint32_t behind)
{
        return (uint32_t)(((uint64_t)t->root + behind) % t->n);
}

void ps_legs_add_leg(const task *t, uint32_t peer, uint64_t bytes, unsigned flags)
{
        if (PS_PUSH(*t->legs, (ps_leg){bytes, at_root(t, peer), (uint16_t)flags, 0}))
                t->legs->has_failed = 1;
}

void ps_legs_send(const task *t, uint32_t to, uint64_t bytes)
{
        ps_legs_add_leg(t, to, bytes, PS_LEG_SENDS | PS_LEG_LAST | (t->is_pipelined ? PS_LEG_LATE : 0));
}

void ps_legs_receive(const task *t, uint32_t from, uint64_t bytes)
{
        ps_legs_add_leg(t, from, bytes, PS_LEG_LAST | (t->is_pipelined ? PS_LEG_EARLY : 0));
}

void ps_legs_exchange(const task *t, uint32_t to, uint64_t out, uint32_t from, uint64_t in)
{
        ps_legs_add_leg(t, from, in, 0);
        ps_legs_add_leg(t, to, out, PS_LEG_SENDS | PS_LEG_LAST);
}

void ps_legs_none(const task *t)
{
        (void)t;
}

ps_status ps_schedule_legs(ps_legs *legs, const ps_schedule *schedule, uint32_t member, ps_error *err)
{
        static void (*const walks[PS_N_ALGORITHMS])(const task *) = {
#define PS_ALGORITHM(id, name, walk, doc) ps_legs_##walk,
#include "simulator/cost/algorithms.def"
#undef PS_ALGORITHM
        };
        for (uint32_t i = 0; i < schedule->n_stages; i++) {
                const ps_stage *stage = &schedule->stage[i];
                task t = {legs, schedule->n, schedule->root, 0, stage->bytes, stage->segment, 0};
                t.self = (uint32_t)(((uint64_t)member + t.n - t.root) % t.n);
                walks[stage->algorithm](&t);
        }
        return legs->has_failed ? PS_NOMEM(err, "messages of a collective operation", legs->n) : PS_OK;
}
