/* recorder.h - shared by the files that turn a simulated DVM run into a trace. */
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
        RECORD_REGION(WAIT, "wait", WAITALL, 0)                                                              \
        RECORD_REGION(EXIT, "dvm_exit", FINALIZE, 0)

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

/* What a place in the program is a region of. */
enum place_region {
        P_CODE,    /* of the program, outside of parallel loops */
        P_LIBRARY, /* of Lib-DVM */
        P_LOOP,    /* the body of a parallel loop */
        P_WAVE,    /* one in which edges are handed on */
        N_PLACE_REGIONS
};

struct ps_dvm_recorder {
        ps_recording *recording; /* NULL once it was handed out */
        ps_region operation[N_OPERATIONS];
        ps_region *interval;                 /* by interval of the program */
        ps_map loop;                         /* by row of run->intervals: the region of a loop that is one */
        struct ps_dvm_inside *inside;        /* by processor */
        ps_region function[2][PS_DVM_COUNT]; /* [is an operation]; PS_NONE: not met yet */
        ps_map place;                        /* by file and line of the program: a number */
        ps_map region; /* by N_PLACE_REGIONS * that number + place_region, and copies: the region */
        const ps_dvm_call *charged; /* whose time is not given to the processors yet; NULL: nobody's */
        ps_map comm_of;             /* by the address of a system: its communicator */
        ps_map file;                /* by string of the trace: string of the recording */
        bool in_operation;          /* the call at hand */
        uint64_t next_request;
        ps_status status;
        ps_error err;
};

ps_status ps_dvm_add_region(ps_defs *defs, const char *name, const char *file, int64_t line, uint8_t role,
                            uint8_t paradigm, const ps_region_dvm *dvm, ps_region *out, ps_error *err);
/* Processors, regions that are known from the start, windows. */
ps_status ps_dvm_define(struct ps_dvm_sim *sim, ps_error *err);

/* These define what is met for the first time; what fails is kept in the recorder. */
ps_comm ps_dvm_comm_of(struct ps_dvm_sim *sim, const ps_dvm_system *system);
/* Does the call begin an operation, so that each of its like counts as one? Before it is done. */
bool ps_dvm_is_operation(const struct ps_dvm_sim *sim);
ps_region ps_dvm_function_region(struct ps_dvm_sim *sim, bool is_operation);
ps_region ps_dvm_interval_region(struct ps_dvm_sim *sim, uint32_t interval);
/* Of the call's place, where so many processors do the same. */
ps_region ps_dvm_place_region(struct ps_dvm_sim *sim, const ps_dvm_call *call, enum place_region which,
                              uint32_t copies);
ps_str ps_dvm_file_of(struct ps_dvm_sim *sim, ps_str file); /* the trace's */

#endif
