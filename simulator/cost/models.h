/* models.h - what one message costs: sender busy, under way, receiver busy.
 *
 * Ranks are below ps_machine_ranks(). */
#ifndef PS_SIMULATOR_COST_MODELS_H
#define PS_SIMULATOR_COST_MODELS_H

#include "simulator/cost/machine.h"

/* Rounded to picoseconds, saturating; what is negative or not a number is 0. */
ps_time ps_time_of_seconds(double seconds);

static inline ps_time ps_time_times(ps_time time, uint64_t count)
{
        ps_time product;
        return __builtin_mul_overflow(time, count, &product) ? PS_TIME_MAX : product;
}

ps_time ps_machine_send_overhead(const ps_machine *machine, uint32_t from, uint32_t to, uint64_t bytes);
ps_time ps_machine_flight(const ps_machine *machine, uint32_t from, uint32_t to, uint64_t bytes);
ps_time ps_machine_receive_overhead(const ps_machine *machine, uint32_t from, uint32_t to, uint64_t bytes);
/* The receiver pays before it waits for the message, not after its arrival (Dimemas). */
bool ps_machine_receives_early(const ps_machine *machine);
/* The least time from the beginning of one send to that of the next one of the same rank. */
ps_time ps_machine_gap(const ps_machine *machine, uint32_t from, uint32_t to, uint64_t bytes);

ps_time ps_machine_latency(const ps_machine *machine, uint32_t from, uint32_t to);
/* What a rendezvous adds before its data go. */
ps_time ps_machine_handshake(const ps_machine *machine, uint32_t from, uint32_t to);

/* The whole message, when its receiver is ready. */
ps_time ps_machine_p2p(const ps_machine *machine, uint32_t from, uint32_t to, uint64_t bytes);
/* How long it keeps the sender (or the receiver) from its next one, where several follow one another. */
ps_time ps_machine_port(const ps_machine *machine, int receiving, uint32_t from, uint32_t to, uint64_t bytes);

#endif
