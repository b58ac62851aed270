/* recorder.h - what the files share that turn a simulated DVM run into a trace, and nothing else uses. */
#ifndef PS_SIMULATOR_DVM_RECORDER_H
#define PS_SIMULATOR_DVM_RECORDER_H

#include "core/model/kinds.h"
#include "simulator/dvm/state.h"

/* Regions of operations: RECORD_REGION(ID, name, kind, nonblocking) */
#define RECORD_REGIONS(RECORD_REGION)                                                                        \
        RECORD_REGION(MEET, "meeting", BARRIER, 0)                                                           \
        RECORD_REGION(EXCHANGE, "exchange", ALLTOALLV, 0)                                                    \
        RECORD_REGION(REDUCE, "reduction", ALLREDUCE, 1)                                                     \
        RECORD_REGION(SEND, "send", ISEND, 0)                                                                \
        RECORD_REGION(RECEIVE, "receive", IRECV, 0)                                                          \
        RECORD_REGION(FETCH, "fetch", GET, 0)                                                                \
        RECORD_REGION(TAKE, "take", RECV, 0)                                                                 \
        RECORD_REGION(WAIT, "wait", WAITALL, 0)

enum operation_region {
#define ID(id, name, kind, nonblocking) R_##id,
        RECORD_REGIONS(ID)
#undef ID
                N_OPERATIONS
};

/* The intervals that a processor is in, the outermost first. */
struct ps_dvm_inside {
        uint32_t *interval;
        uint32_t n, cap;
};

struct ps_dvm_recorder {
        ps_recording *recording; /* NULL once it was handed out */
        ps_region operation[N_OPERATIONS];
        ps_region *interval;              /* by interval */
        struct ps_dvm_inside *inside;     /* by processor */
        ps_region function[PS_DVM_COUNT]; /* PS_NONE: not met yet */
        ps_map loop_at;                   /* by file and line of the program: the region of its body */
        ps_map comm_of;                   /* by the address of a system: its communicator */
        ps_map file;                      /* by string of the trace: string of the recording */
        uint64_t next_request;
        ps_status status;
        ps_error err;
};

/* Processors, regions that are known from the start, windows. */
ps_status ps_dvm_define(struct ps_dvm_sim *sim, ps_error *err);

/* These define what is met for the first time; what fails is kept in the recorder. */
ps_comm ps_dvm_comm_of(struct ps_dvm_sim *sim, const ps_dvm_system *system);
ps_region ps_dvm_function_region(struct ps_dvm_sim *sim); /* of the call */
ps_region ps_dvm_loop_region(struct ps_dvm_sim *sim);     /* of the loop that the call ends */
ps_str ps_dvm_file_of(struct ps_dvm_sim *sim);            /* that the call stands in */

#endif
