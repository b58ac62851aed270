/* legs.h - one member's part in an algorithm, of which the functions of algorithms.def are made: for
 * algorithms.c and the legs_*.c files. * Members are counted from the root, round the end, wherever there is
 * one. */
#ifndef PS_SIMULATOR_COST_LEGS_H
#define PS_SIMULATOR_COST_LEGS_H

#include "simulator/cost/schedule.h"

typedef struct task {
        ps_legs *legs;
        uint32_t n, root, self; /* self: behind the root */
        uint64_t bytes, segment;
        bool is_pipelined; /* receives are all posted at once, and sends waited for at the end */
} task;

static inline uint64_t divided(uint64_t bytes, uint64_t by)
{
        return bytes / by + (bytes % by != 0);
}

/* A message that is not the last one of its round; rounds of one or two. */
void ps_legs_add_leg(const task *t, uint32_t peer, uint64_t bytes, unsigned flags);
void ps_legs_send(const task *t, uint32_t to, uint64_t bytes);
void ps_legs_receive(const task *t, uint32_t from, uint64_t bytes);
void ps_legs_exchange(const task *t, uint32_t to, uint64_t out, uint32_t from, uint64_t in);

#define PS_ALGORITHM(id, name, walk, doc) void ps_legs_##walk(const task *t);
#include "simulator/cost/algorithms.def"
#undef PS_ALGORITHM

#endif
