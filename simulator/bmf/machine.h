/* machine.h - the machine that a BMF program runs on: a clock for each processor, what messages cost, and
 * the recording of all that happens.
 *
 * At each moment a processor computes, sends, receives, or is idle. What it does is recorded as regions: of
 * the operators, as functions of the program; of sends and receives; and "idle". A receive begins when the
 * processor begins to wait for the message, so that the wait is the receive's; until the message arrives an
 * "idle" region stands in it.
 *
 * A machine without a recording has no time: it only finds out how many processors a program needs. */
#ifndef PS_SIMULATOR_BMF_MACHINE_H
#define PS_SIMULATOR_BMF_MACHINE_H

#include "core/load/recording.h"
#include "simulator/bmf/program.h"
#include "simulator/network/links.h"

/* In virtual units, finite and not negative; a byte is one scalar. */
typedef struct ps_bmf_costs {
        double send_fixed, send_byte;       /* of the sender: send_fixed + send_byte * bytes */
        double receive_fixed, receive_byte; /* of the receiver */
        double transport;                   /* between them, without a network */
        double work;                        /* of a scalar operation */
        ps_time unit;                       /* how long a unit is, > 0 */
} ps_bmf_costs;

extern const ps_bmf_costs ps_bmf_costs_default;

typedef struct ps_bmf_message {
        uint32_t from, to;
        uint64_t bytes;
        ps_time sent; /* when it was in the network */
} ps_bmf_message;

typedef struct ps_bmf_machine {
        uint32_t n;      /* processors */
        uint32_t n_used; /* the largest number that was needed, and one */
        uint64_t n_messages;
        const ps_bmf_program *program;
        const ps_bmf_limits *limits;
        ps_error *err;
        ps_recording *recording; /* NULL: nothing takes time */
        ps_links *links;         /* NULL: each message takes `transport` */
        uint64_t n_events;
        ps_time *clock;
        struct {
                ps_time send_fixed, send_byte, receive_fixed, receive_byte, transport, work;
        } cost;
        ps_region *region; /* of operators, by node */
        ps_region idle, send, receive;
        ps_str *file; /* of operators, by node */
        /* Teams of the parallel operators that are under way, one behind the other; `seen` tells who is
         * already in the team that is being gathered. */
        uint32_t *team, *seen, n_team, cap_team, gathering;
        ps_bmf_message *pending; /* sent and not yet received, in the order of the calls */
        uint32_t n_pending, cap_pending;
} ps_bmf_machine;

/* Borrows all. With `recording`, whose definitions it fills, `n` processors; without, up to `n` of them. */
ps_status ps_bmf_machine_init(ps_bmf_machine *machine, const ps_bmf_program *program, uint32_t n,
                              const ps_bmf_costs *costs, const ps_network *network, ps_recording *recording,
                              const ps_bmf_limits *limits, ps_error *err);
void ps_bmf_machine_clear(ps_bmf_machine *machine);

/* That there is such a processor; `node` needs it. */
ps_status ps_bmf_machine_reach(ps_bmf_machine *machine, const ps_bmf_node *node, uint64_t proc);

/* The operator `node` begins and ends on a processor, which works in between. */
ps_status ps_bmf_machine_enter(ps_bmf_machine *machine, const ps_bmf_node *node, uint32_t proc);
ps_status ps_bmf_machine_leave(ps_bmf_machine *machine, const ps_bmf_node *node, uint32_t proc);
void ps_bmf_machine_work(ps_bmf_machine *machine, uint32_t proc, uint64_t units);

/* A team: all processors that a parallel operator works on. It begins and ends at the same time on all of
 * them: when the last one is there, and when the last one is done. */
typedef struct ps_bmf_team {
        uint32_t first, n;
} ps_bmf_team;

ps_bmf_team ps_bmf_team_new(ps_bmf_machine *machine);
ps_status ps_bmf_team_add(ps_bmf_machine *machine, ps_bmf_team *team, uint32_t proc);
ps_status ps_bmf_team_begin(ps_bmf_machine *machine, ps_bmf_team team, const ps_bmf_node *node);
ps_status ps_bmf_team_meet(ps_bmf_machine *machine, ps_bmf_team team);
ps_status ps_bmf_team_end(ps_bmf_machine *machine, ps_bmf_team team, const ps_bmf_node *node);

/* A message that is received when it arrives (N_Send); one to the processor itself is none. */
ps_status ps_bmf_send(ps_bmf_machine *machine, const ps_bmf_node *node, uint32_t from, uint32_t to,
                      uint64_t bytes);
/* A message that is received by the next ps_bmf_receive_all (N_Send_D, Do_Receives). */
ps_status ps_bmf_send_delayed(ps_bmf_machine *machine, const ps_bmf_node *node, uint32_t from, uint32_t to,
                              uint64_t bytes);
ps_status ps_bmf_receive_all(ps_bmf_machine *machine, const ps_bmf_node *node);

/* Those that are done early are idle until the last one is done. */
ps_status ps_bmf_machine_finish(ps_bmf_machine *machine);

#endif
