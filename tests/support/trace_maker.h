/* trace_maker.h - traces from literal rows, without a reader or a builder.
 *
 * A test says what the definitions are and lists operations in the order in which they begin; the maker
 * spreads them over the columns of their locations. */
#ifndef PS_TESTS_TRACE_MAKER_H
#define PS_TESTS_TRACE_MAKER_H

#include "core/model/trace.h"

typedef struct maker_row {
        ps_loc loc;
        uint8_t kind, flags;
        uint32_t peer, comm, tag;
        ps_time at; /* enter; 0: 1000 times its place in the list, from 1. The call takes 100. */
        ps_op done;
        uint64_t received; /* for maker_received */
        uint32_t rank;     /* of the partner, as the record of a message has it */
        uint64_t bytes;
} maker_row;

typedef struct maker_comm {
        const char *name;
        uint32_t n, n_b;
        uint32_t members[8], members_b[8]; /* used unless `long_members` */
        const uint32_t *long_members;
        uint8_t self, inter, team;
} maker_comm;

typedef struct maker_shape {
        uint32_t n_procs;
        const ps_proc *process; /* of each location; NULL: location i is process i's only one */
        uint32_t n_locs;
        const maker_comm *comms;
        uint32_t n_comms;
        const ps_comm *windows; /* the communicator of each window */
        uint32_t n_windows;
        int recv_comm_unreliable;
} maker_shape;

/* Never NULL: fails the test when there is no memory. */
ps_trace *maker_trace(const maker_shape *shape, const maker_row *rows, uint32_t n_rows);
void maker_free(ps_trace *trace);

/* Which operation of its location the i-th of the given rows became. */
ps_ref maker_ref(const maker_row *rows, uint32_t i);

/* The `received` column of the COLL rows, by location; lives as long as the trace. */
const uint64_t *const *maker_received(ps_trace *trace, const maker_row *rows, uint32_t n_rows);

/* A generator of numbers that are the same on every machine (splitmix64). */
uint32_t maker_random(uint64_t *state, uint32_t below);

#endif
