/* tracegen_calls.h - whole calls for ps_gen (part of tracegen.h).
 *
 * What has no function of its own (MPI_Start, MPI_Cancel, MPI_Win_lock, "!$omp critical", ...) is a
 * ps_gen_call with the records that such a call has. */
#ifndef PS_TESTS_TRACEGEN_CALLS_H
#define PS_TESTS_TRACEGEN_CALLS_H

#include "tests/support/tracegen.h"

/* Enter at `begin`, the records, Leave at `end`. Records of something that begins stand a quarter into
 * the call, those of something that ends a quarter before its end, so that nobody mistakes them for its
 * limits. */
void ps_gen_call(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, uint32_t n,
                 const ps_gen_rec *records);
/* The same by CALLING_CONTEXT_ENTER and _LEAVE: what a recorder that unwinds the stack writes. */
void ps_gen_context_call(ps_gen *g, uint32_t context, uint32_t loc, uint64_t begin, uint64_t end, uint32_t n,
                         const ps_gen_rec *records);

void ps_gen_send_by(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, uint32_t to,
                    uint32_t comm, uint32_t tag, uint64_t bytes);
void ps_gen_recv(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint32_t from, uint32_t comm,
                 uint32_t tag, uint64_t bytes);
void ps_gen_isend_by(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, uint32_t to,
                     uint32_t comm, uint32_t tag, uint64_t bytes, uint64_t request);
void ps_gen_irecv(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint64_t request);
void ps_gen_sendrecv(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint32_t to, uint32_t from,
                     uint32_t comm, uint32_t tag, uint64_t bytes);
/* MPI_Wait, MPI_Waitall, MPI_Testany, ... with what it completed: PS_GEN_SENT, PS_GEN_GOT, PS_GEN_COLLECTED,
 * PS_GEN_CANCELLED, PS_GEN_PENDING. */
void ps_gen_wait(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, ps_gen_rec done);
void ps_gen_waitall(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint32_t n,
                    const ps_gen_rec *done);
/* MPI_Bcast, MPI_Barrier, ...: the operation follows from the name. root: OTF2_COLLECTIVE_ROOT_NONE, ... */
void ps_gen_collective(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, uint32_t comm,
                       uint32_t root, uint64_t sent, uint64_t received);
void ps_gen_barrier(ps_gen *g, uint32_t loc, uint64_t begin, uint64_t end, uint32_t comm);
/* MPI_Ibarrier, ...; completed by a wait with PS_GEN_COLLECTED(name of the call, ...). */
void ps_gen_nbc(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end, uint64_t request);
/* MPI_Win_fence, MPI_Win_create, MPI_Win_free. */
void ps_gen_win_collective(ps_gen *g, const char *name, uint32_t loc, uint64_t begin, uint64_t end,
                           uint32_t win);

uint8_t ps_gen_op(const char *name); /* OTF2_CollectiveOp of MPI_Allreduce, MPI_Iallreduce, ... */

#define PS_GEN_SENT(request_)      PS_GEN_REC_OF(ISEND_DONE, .request = (request_))
#define PS_GEN_CANCELLED(request_) PS_GEN_REC_OF(REQUEST_CANCELLED, .request = (request_))
#define PS_GEN_PENDING(request_)   PS_GEN_REC_OF(REQUEST_TEST, .request = (request_))
#define PS_GEN_GOT(from, comm_, tag_, bytes_, request_)                                                      \
        PS_GEN_REC_OF(IRECV, .peer = (from), .comm = (comm_), .tag = (tag_), .bytes = (bytes_),              \
                      .request = (request_))
#define PS_GEN_COLLECTED(name, comm_, root, sent, got, request_)                                             \
        PS_GEN_REC_OF(NBC_DONE, .op = ps_gen_op(name), .comm = (comm_), .peer = (root), .bytes = (sent),     \
                      .received = (got), .request = (request_))
#define ps_gen_send(g, ...)  ps_gen_send_by(g, "MPI_Send", __VA_ARGS__)
#define ps_gen_ssend(g, ...) ps_gen_send_by(g, "MPI_Ssend", __VA_ARGS__)
#define ps_gen_isend(g, ...) ps_gen_isend_by(g, "MPI_Isend", __VA_ARGS__)

#endif
