/* collectives.c - collective operations. */
#include "record/mpi/calls.h"

static uint64_t raw_root_of(int root)
{
        return root == MPI_UNDEFINED   ? PS_RAW_ROOT_NONE
               : root == MPI_ROOT      ? PS_RAW_ROOT_SELF
               : root == MPI_PROC_NULL ? PS_RAW_ROOT_OTHERS
                                       : (uint64_t)root + PS_RAW_ROOT_FIRST;
}

void ps_shim_coll(ps_thread *t, int operation, MPI_Comm comm, int root, uint64_t sent, uint64_t received)
{
        if (comm != MPI_COMM_NULL)
                PS_SHIM_NOTE(t, COLL, (uint64_t)operation, ps_shim_comm(comm).id, raw_root_of(root), sent,
                             received);
}

void ps_shim_coll_init(int operation, MPI_Comm comm, int root, uint64_t sent, uint64_t received)
{
        ps_call.pending = (ps_request){
                .kind = PS_REQUEST_COLL,
                .id = 1,
                .is_persistent = 1,
                .field = {(uint64_t)operation, ps_shim_comm(comm).id, raw_root_of(root), sent, received}};
}

void ps_shim_icoll(ps_thread *t, int operation, MPI_Comm comm, int root, uint64_t sent, uint64_t received)
{
        ps_shim_coll_init(operation, comm, root, sent, received);
        ps_call.pending.id = ps_shim_next_id();
        ps_call.pending.is_persistent = 0;
        ps_call.pending.is_active = 1;
        PS_SHIM_NOTE(t, NBC_POST, ps_call.pending.id);
}

void ps_shim_idup(ps_thread *t, MPI_Comm comm, void *made, bool is_fortran)
{
        ps_shim_icoll(t, PS_RAW_OP_CREATE, comm, MPI_UNDEFINED, 0, 0);
        ps_call.pending.kind = PS_REQUEST_COMM;
        ps_call.pending.parent = comm;
        ps_call.pending.made = made;
        ps_call.pending.is_fortran = is_fortran;
}

bool ps_shim_is_root(MPI_Comm comm, int root)
{
        return root == MPI_ROOT ||
               (root >= 0 && root == ps_shim_comm(comm).rank && !ps_shim_comm(comm).remote);
}

int ps_shim_width(MPI_Comm comm)
{
        ps_comm_info info = ps_shim_comm(comm);
        return info.remote ? info.remote : info.size;
}

int ps_shim_neighbours(MPI_Comm comm, bool in)
{
        int kind = MPI_UNDEFINED, n = 0, n_in = 0, n_out = 0, is_weighted, rank;
        PMPI_Topo_test(comm, &kind);
        if (kind == MPI_CART && PMPI_Cartdim_get(comm, &n) == MPI_SUCCESS)
                return 2 * n;
        if (kind == MPI_DIST_GRAPH)
                PMPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &is_weighted);
        if (kind == MPI_GRAPH && PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS &&
            PMPI_Graph_neighbors_count(comm, rank, &n) == MPI_SUCCESS)
                return n;
        return in ? n_in : n_out;
}
