/* abi_library.c - stands in for a library with the binary interface of MPI 5: one process, which sends to
 * itself. What is not here is not called. As in MPICH each function is there twice, MPI_X and PMPI_X. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define TWICE(name, ...)                                                                                     \
        int MPI_##name(__VA_ARGS__) __attribute__((alias("PMPI_" #name)));                                   \
        int PMPI_##name(__VA_ARGS__)

static char pending[64];
static int n_pending, pending_tag;

TWICE(Init, int *argc, char ***argv)
{
        (void)argc, (void)argv;
        return 0;
}

TWICE(Finalize, void)
{
        return 0;
}

TWICE(Query_thread, int *provided)
{
        *provided = MPI_THREAD_SINGLE;
        return 0;
}

TWICE(Comm_rank, MPI_Comm comm, int *rank)
{
        (void)comm;
        *rank = 0;
        return 0;
}

TWICE(Comm_size, MPI_Comm comm, int *size)
{
        (void)comm;
        *size = 1;
        return 0;
}

TWICE(Comm_group, MPI_Comm comm, MPI_Group *group)
{
        (void)comm;
        *group = (MPI_Group)0x1000;
        return 0;
}

TWICE(Topo_test, MPI_Comm comm, int *kind)
{
        (void)comm;
        *kind = MPI_UNDEFINED;
        return 0;
}

TWICE(Comm_test_inter, MPI_Comm comm, int *is_inter)
{
        (void)comm;
        *is_inter = 0;
        return 0;
}

TWICE(Comm_compare, MPI_Comm a, MPI_Comm b, int *result)
{
        *result = a == b ? MPI_IDENT : MPI_CONGRUENT;
        return 0;
}

TWICE(Comm_get_parent, MPI_Comm *parent)
{
        *parent = MPI_COMM_NULL;
        return 0;
}

TWICE(Type_size, MPI_Datatype type, int *size)
{
        *size = type == MPI_INT ? 4 : type == MPI_UINT64_T || type == MPI_INT64_T ? 8 : 1;
        return 0;
}

TWICE(Get_count, const MPI_Status *status, MPI_Datatype type, int *count)
{
        (void)type;
        *count = status->reserved[0];
        return 0;
}

TWICE(Bcast, void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
        (void)buffer, (void)count, (void)type, (void)root, (void)comm;
        return 0;
}

TWICE(Barrier, MPI_Comm comm)
{
        (void)comm;
        return 0;
}

TWICE(Ibarrier, MPI_Comm comm, MPI_Request *request)
{
        *request = MPI_REQUEST_NULL;
        return PMPI_Barrier(comm);
}

TWICE(Test, MPI_Request *request, int *is_done, MPI_Status *status)
{
        (void)request, (void)status;
        *is_done = 1;
        return 0;
}

TWICE(Abort, MPI_Comm comm, int code)
{
        (void)comm;
        exit(code);
}

TWICE(Allreduce, const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
        int size;
        (void)op, (void)comm;
        PMPI_Type_size(type, &size);
        memcpy(to, from, (size_t)(count * size));
        return 0;
}

TWICE(Allgather, const void *from, int n, MPI_Datatype type, void *to, int n_to, MPI_Datatype to_type,
      MPI_Comm comm)
{
        (void)n_to, (void)to_type;
        return PMPI_Allreduce(from, to, n, type, MPI_MAX, comm);
}

TWICE(Send, const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
        int size;
        (void)to, (void)comm;
        PMPI_Type_size(type, &size);
        n_pending = count * size;
        pending_tag = tag;
        memcpy(pending, buf, (size_t)n_pending);
        return 0;
}

TWICE(Recv, void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
        (void)count, (void)type, (void)from, (void)tag, (void)comm;
        memcpy(buf, pending, (size_t)n_pending);
        if (status)
                *status = (MPI_Status){.MPI_SOURCE = 0, .MPI_TAG = pending_tag, .reserved = {n_pending}};
        return 0;
}
