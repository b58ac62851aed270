/* mpi.h - the application binary interface of MPI 5.0, as far as the recorder uses it: what a program is
 * compiled against that runs with any MPI that has it. The values are those of the standard; the prototypes
 * of the calls that are wrapped are made of calls.txt, as the wrappers are. */
#ifndef PS_RECORD_MPI_ABI_H
#define PS_RECORD_MPI_ABI_H

#include <stdint.h>

#define PS_MPI_ABI
#define MPI_VERSION 5

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef MPI_Offset MPI_Count;

typedef struct ps_abi_status {
        int MPI_SOURCE, MPI_TAG, MPI_ERROR;
        int reserved[5];
} MPI_Status;

/* Handles are pointers to what nobody sees; those that the standard defines are small numbers. */
#define PS_ABI_HANDLE(name) typedef struct ps_abi_##name *MPI_##name
PS_ABI_HANDLE(Op);
PS_ABI_HANDLE(Comm);
PS_ABI_HANDLE(Group);
PS_ABI_HANDLE(Win);
PS_ABI_HANDLE(File);
PS_ABI_HANDLE(Message);
PS_ABI_HANDLE(Info);
PS_ABI_HANDLE(Request);
PS_ABI_HANDLE(Datatype);
#define MPI_MAX             ((MPI_Op)0x23)
#define MPI_COMM_NULL       ((MPI_Comm)0x100)
#define MPI_COMM_WORLD      ((MPI_Comm)0x101)
#define MPI_COMM_SELF       ((MPI_Comm)0x102)
#define MPI_GROUP_NULL      ((MPI_Group)0x108)
#define MPI_WIN_NULL        ((MPI_Win)0x110)
#define MPI_MESSAGE_NULL    ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x129)
#define MPI_REQUEST_NULL    ((MPI_Request)0x180)
#define MPI_DATATYPE_NULL   ((MPI_Datatype)0x200)
#define MPI_INT             ((MPI_Datatype)0x209)
#define MPI_CHAR            ((MPI_Datatype)0x243)
#define MPI_BYTE            ((MPI_Datatype)0x247)
#define MPI_INT64_T         ((MPI_Datatype)0x258)
#define MPI_UINT64_T        ((MPI_Datatype)0x259)
#define MPI_IN_PLACE        ((void *)1)
#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)

enum {
        MPI_SUCCESS,
        MPI_ANY_SOURCE = -1,
        MPI_ANY_TAG = -2,
        MPI_PROC_NULL = -3,
        MPI_ROOT = -4,
        MPI_UNDEFINED = -32766,
        MPI_THREAD_SINGLE = 0,
        MPI_IDENT = 201,
        MPI_CONGRUENT,
        MPI_SIMILAR,
        MPI_UNEQUAL,
        MPI_CART = 211,
        MPI_GRAPH,
        MPI_DIST_GRAPH,
        MPI_LOCK_EXCLUSIVE = 301,
        MPI_LOCK_SHARED
};

#define PS_ABI_CALL(name, ...)                                                                               \
        int MPI_##name(__VA_ARGS__);                                                                         \
        int PMPI_##name(__VA_ARGS__)
PS_ABI_CALL(Init, int *argc, char ***argv);
PS_ABI_CALL(Init_thread, int *argc, char ***argv, int required, int *provided);
PS_ABI_CALL(Finalize, void);
PS_ABI_CALL(Pcontrol, const int level, ...);
PS_ABI_CALL(Query_thread, int *provided);
PS_ABI_CALL(Comm_rank, MPI_Comm comm, int *rank);
PS_ABI_CALL(Comm_size, MPI_Comm comm, int *size);
PS_ABI_CALL(Comm_remote_size, MPI_Comm comm, int *size);
PS_ABI_CALL(Comm_group, MPI_Comm comm, MPI_Group *group);
PS_ABI_CALL(Comm_remote_group, MPI_Comm comm, MPI_Group *group);
PS_ABI_CALL(Comm_compare, MPI_Comm a, MPI_Comm b, int *result);
PS_ABI_CALL(Comm_test_inter, MPI_Comm comm, int *is_inter);
PS_ABI_CALL(Comm_get_parent, MPI_Comm *parent);
PS_ABI_CALL(Group_size, MPI_Group group, int *size);
PS_ABI_CALL(Group_translate_ranks, MPI_Group a, int n, const int from[], MPI_Group b, int to[]);
PS_ABI_CALL(Group_free, MPI_Group *group);
PS_ABI_CALL(Type_size, MPI_Datatype type, int *size);
PS_ABI_CALL(Get_count, const MPI_Status *status, MPI_Datatype type, int *count);
PS_ABI_CALL(Get_elements_x, const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
PS_ABI_CALL(Test_cancelled, const MPI_Status *status, int *is_cancelled);
PS_ABI_CALL(Topo_test, MPI_Comm comm, int *kind);
PS_ABI_CALL(Cartdim_get, MPI_Comm comm, int *n);
PS_ABI_CALL(Cart_shift, MPI_Comm comm, int dimension, int by, int *from, int *to);
PS_ABI_CALL(Graph_neighbors, MPI_Comm comm, int rank, int most, int near[]);
PS_ABI_CALL(Dist_graph_neighbors, MPI_Comm comm, int n_in, int from[], int weights_in[], int n_out, int to[],
            int weights_out[]);
PS_ABI_CALL(Graph_neighbors_count, MPI_Comm comm, int rank, int *n);
PS_ABI_CALL(Dist_graph_neighbors_count, MPI_Comm comm, int *n_in, int *n_out, int *is_weighted);
#include <abi-calls.h>

#endif
