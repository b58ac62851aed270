/* wrap.h - what the generated wrappers use besides shim.h. */
#ifndef PS_RECORD_MPI_WRAP_H
#define PS_RECORD_MPI_WRAP_H

#include "record/mpi/calls.h"

#include <string.h>

#define PS_SHIM_EXPORT __attribute__((visibility("default")))

static inline void enter_call(ps_thread *t)
{
        ps_call.n_started = ps_shim_started_so_far();
        ps_shim_enter(t);
}

/* In terms of the arguments `comm` and `root` and of the thread `t`. */
#define COLL(op, root, sent, received)  ps_shim_coll(t, PS_RAW_OP_##op, comm, root, sent, received);
#define ICOLL(op, root, sent, received) ps_shim_icoll(t, PS_RAW_OP_##op, comm, root, sent, received);
#define PCOLL(op, root, sent, received) ps_shim_coll_init(PS_RAW_OP_##op, comm, root, sent, received);
#define WIDTH                           ((uint64_t)ps_shim_width(comm))
#define NEIGHBOURS(in)                  ((uint64_t)ps_shim_neighbours(comm, in))
#define ROOT_ELSE(x, y)                 (ps_shim_is_root(comm, root) ? (x) : root == MPI_PROC_NULL ? 0 : (y))
#define ROOT_ONLY(x)                    ROOT_ELSE(x, 0)
#define AT_ROOT(count, type, count_else, type_else)                                                          \
        ROOT_ELSE(ps_shim_bytes(count, type), ps_shim_bytes(count_else, type_else))
#define IN_PLACE(buffer) ps_shim_is_in_place(buffer)

static inline uint64_t own_part(MPI_Comm comm, const int *counts, MPI_Datatype type)
{
        ps_comm_info info = ps_shim_comm(comm);
        return info.remote ? 0 : ps_shim_bytes(counts[info.rank], type);
}

static inline void copy_requests(ps_thread *t, int count, const MPI_Request *from)
{
        if (count > 0 && ps_shim_room(&t->requests, &t->requests_cap, (size_t)count, sizeof(*from)) == 0)
                memcpy(t->requests, from, (size_t)count * sizeof(*from));
}

#ifndef PS_MPI_ABI
static inline void copy_fortran_requests(ps_thread *t, int count, const MPI_Fint *from)
{
        if (count > 0 &&
            ps_shim_room(&t->requests, &t->requests_cap, (size_t)count, sizeof(MPI_Request)) == 0)
                for (int i = 0; i < count; i++)
                        ((MPI_Request *)t->requests)[i] = PMPI_Request_f2c(from[i]);
}
#endif

/* As it was before the call. */
static inline MPI_Request request_at(const ps_thread *t, int i)
{
        return (size_t)i < t->requests_cap ? ((const MPI_Request *)t->requests)[i] : MPI_REQUEST_NULL;
}

/* Statuses may come from Fortran, where they need not be aligned. */
static inline void done_one(ps_thread *t, int request, const void *statuses, int status)
{
        MPI_Status given;
        if (ps_shim_is_ignored(statuses)) /* there was no memory for others */
                return;
        memcpy(&given, (const char *)statuses + (size_t)status * sizeof(given), sizeof(given));
        ps_shim_done(t, request_at(t, request), &given);
}

static inline void done_any(ps_thread *t, int index, const void *status)
{
        if (index >= 0)
                done_one(t, index, status, 0);
}

static inline void done_all(ps_thread *t, int count, const void *statuses)
{
        for (int i = 0; i < count; i++)
                done_one(t, i, statuses, i);
}

static inline void done_some(ps_thread *t, int count, const int *indices, int first, const void *statuses)
{
        for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
                done_one(t, indices[i] - first, statuses, i);
}

#endif
