/* families.c - an MPI program that makes each kind of call once that calls.c has not, and counts them as that
 * does. */
#define _GNU_SOURCE
#include "tests/recorded/counted.h"

#include <mpi.h>
#include <stdlib.h>

#define W   MPI_COMM_WORLD
#define ANY MPI_STATUS_IGNORE

enum { ALL = 64 };
static int from[ALL * 2], to[ALL * 2], counts[ALL], places[ALL], bytes[ALL];
static MPI_Datatype types[ALL];

static void modes(int next, int before)
{
        char room[4096];
        MPI_Request q[3], r[3];
        MPI_Message m;
        MPI_Status s[2];
        void *old;
        int n, flag = 0, index, some[2];
        MPI_Buffer_attach(room, sizeof(room));
        DO(MPI_Irecv(to + 0, 1, MPI_INT, before, 1, W, &r[0]));
        DO(MPI_Irecv(to + 1, 1, MPI_INT, before, 2, W, &r[1]));
        DO(MPI_Irecv(to + 2, 1, MPI_INT, before, 3, W, &r[2]));
        DO(MPI_Barrier(W));
        DO(MPI_Bsend(from, 1, MPI_INT, next, 1, W));
        DO(MPI_Ibsend(from, 1, MPI_INT, next, 2, W, &q[0]));
        DO(MPI_Irsend(from, 1, MPI_INT, next, 3, W, &q[1]));
        while (!flag)
                DO(MPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE));
        for (int done = 0; done < 1;)
                DO(MPI_Testany(1, r, &index, &done, ANY));
        for (int done = 0; done < 2; done += n)
                DO(MPI_Testsome(2, r + 1, &n, some, s));
        DO(MPI_Buffer_detach(&old, &n));
        DO(MPI_Isend(from, 1, MPI_INT, next, 4, W, &q[0]));
        for (flag = 0; !flag;)
                DO(MPI_Improbe(before, 4, W, &flag, &m, ANY));
        DO(MPI_Imrecv(to, 1, MPI_INT, &m, &q[1]));
        DO(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
        if (rank % 2) { /* a partner for each, so that nobody waits for himself */
                DO(MPI_Ssend(from, 1, MPI_INT, rank - 1, 5, W));
        } else {
                DO(MPI_Recv(to, 1, MPI_INT, rank + 1, 5, W, ANY));
        }
        DO(MPI_Ssend_init(from, 1, MPI_INT, next, 6, W, &q[0]));
        DO(MPI_Irecv(to, 1, MPI_INT, before, 6, W, &q[1]));
        DO(MPI_Start(&q[0]));
        DO(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
        DO(MPI_Request_free(&q[0]));
}

static void nonblocking(void)
{
        MPI_Request q[17];
        int *f = from, *t = to, n = 0;
        DO(MPI_Igather(f, 1, MPI_INT, t, 1, MPI_INT, 0, W, &q[n++]));
        DO(MPI_Igatherv(f, 1, MPI_INT, t + 4, counts, places, MPI_INT, 0, W, &q[n++]));
        DO(MPI_Iscatter(f, 1, MPI_INT, t + 8, 1, MPI_INT, 0, W, &q[n++]));
        DO(MPI_Iscatterv(f, counts, places, MPI_INT, t + 12, 1, MPI_INT, 0, W, &q[n++]));
        DO(MPI_Iallgather(f, 1, MPI_INT, t + 16, 1, MPI_INT, W, &q[n++]));
        DO(MPI_Iallgatherv(f, 1, MPI_INT, t + 20, counts, places, MPI_INT, W, &q[n++]));
        DO(MPI_Ialltoall(f, 1, MPI_INT, t + 24, 1, MPI_INT, W, &q[n++]));
        DO(MPI_Ialltoallv(f, counts, places, MPI_INT, t + 28, counts, places, MPI_INT, W, &q[n++]));
        DO(MPI_Ialltoallw(f, counts, bytes, types, t + 32, counts, bytes, types, W, &q[n++]));
        DO(MPI_Ireduce(f, t + 36, 1, MPI_INT, MPI_SUM, 0, W, &q[n++]));
        DO(MPI_Ireduce_scatter(f, t + 40, counts, MPI_INT, MPI_SUM, W, &q[n++]));
        DO(MPI_Ireduce_scatter_block(f, t + 44, 1, MPI_INT, MPI_SUM, W, &q[n++]));
        DO(MPI_Iscan(f, t + 48, 1, MPI_INT, MPI_SUM, W, &q[n++]));
        DO(MPI_Iexscan(f, t + 52, 1, MPI_INT, MPI_SUM, W, &q[n++]));
        DO(MPI_Waitall(n, q, MPI_STATUSES_IGNORE));
}

static void neighbours(void)
{
        MPI_Comm ring, near, sub, shared, graph;
        MPI_Request q[4];
        MPI_Aint displs[2] = {0, sizeof(int)};
        int dims[1] = {size}, periods[1] = {1}, keep[1] = {1}, index[ALL], edges[2 * ALL];
        int beside[2] = {(rank + size - 1) % size, (rank + 1) % size};
        for (int i = 0; i < size; i++) {
                index[i] = 2 * (i + 1);
                edges[2 * i] = (i + size - 1) % size;
                edges[2 * i + 1] = (i + 1) % size;
        }
        DO(MPI_Cart_create(W, 1, dims, periods, 0, &ring));
        DO(MPI_Cart_sub(ring, keep, &sub));
        DO(MPI_Graph_create(W, size, index, edges, 0, &graph));
        DO(MPI_Dist_graph_create_adjacent(W, 2, beside, MPI_UNWEIGHTED, 2, beside, MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 0, &near));
        DO(MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared));
        DO(MPI_Neighbor_allgather(from, 1, MPI_INT, to, 1, MPI_INT, ring));
        DO(MPI_Neighbor_allgatherv(from, 1, MPI_INT, to, counts, places, MPI_INT, near));
        DO(MPI_Neighbor_alltoallv(from, counts, places, MPI_INT, to, counts, places, MPI_INT, ring));
        DO(MPI_Neighbor_alltoallw(from, counts, displs, types, to, counts, displs, types, near));
        DO(MPI_Ineighbor_alltoall(from, 1, MPI_INT, to, 1, MPI_INT, ring, &q[0]));
        DO(MPI_Ineighbor_allgatherv(from, 1, MPI_INT, to + 8, counts, places, MPI_INT, ring, &q[1]));
        DO(MPI_Ineighbor_alltoallv(from, counts, places, MPI_INT, to + 16, counts, places, MPI_INT, ring,
                                   &q[2]));
        DO(MPI_Ineighbor_alltoallw(from, counts, displs, types, to + 24, counts, displs, types, ring, &q[3]));
        DO(MPI_Waitall(4, q, MPI_STATUSES_IGNORE));
        DO(MPI_Comm_free(&ring));
        DO(MPI_Comm_free(&near));
        DO(MPI_Comm_free(&sub));
        DO(MPI_Comm_free(&shared));
        DO(MPI_Comm_free(&graph));
}

static void groups(void)
{
        MPI_Group all;
        MPI_Comm same, named;
        MPI_Info info;
        MPI_Comm_group(W, &all);
        MPI_Info_create(&info);
        DO(MPI_Comm_create(W, all, &same));
        DO(MPI_Comm_dup_with_info(W, info, &named));
        DO(MPI_Barrier(same));
        DO(MPI_Comm_free(&same));
        DO(MPI_Comm_disconnect(&named));
        MPI_Info_free(&info);
        MPI_Group_free(&all);
}

static void windows(int next)
{
        MPI_Win win, shared;
        MPI_Request q[3];
        int memory[16] = {0}, *own, one = 1, old, flag = 0;
        MPI_Group world, peer;
#ifdef OPEN_MPI /* of what is safe in it, only memory that it gives */
        DO(MPI_Win_allocate(sizeof(memory), sizeof(int), MPI_INFO_NULL, W, &own, &win));
#else
        DO(MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, W, &win));
#endif
        DO(MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, W, &own, &shared));
        DO(MPI_Win_lock_all(0, win));
        DO(MPI_Get_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, next, 1, 1, MPI_INT, MPI_SUM, win));
        DO(MPI_Compare_and_swap(&one, &one, &old, MPI_INT, next, 2, win));
        DO(MPI_Win_flush_local(next, win));
        DO(MPI_Rget(&old, 1, MPI_INT, next, 3, 1, MPI_INT, win, &q[0]));
        DO(MPI_Raccumulate(&one, 1, MPI_INT, next, 4, 1, MPI_INT, MPI_SUM, win, &q[1]));
        DO(MPI_Rget_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, next, 5, 1, MPI_INT, MPI_SUM, win, &q[2]));
        DO(MPI_Waitall(3, q, MPI_STATUSES_IGNORE));
        DO(MPI_Win_flush_all(win));
        DO(MPI_Win_flush_local_all(win));
        DO(MPI_Win_sync(win));
        DO(MPI_Win_unlock_all(win));
        DO(MPI_Barrier(W));
        MPI_Comm_group(W, &world);
        MPI_Group_incl(world, 1, (int[]){rank ^ 1}, &peer);
        DO(MPI_Win_post(peer, 0, win));
        DO(MPI_Win_start(peer, 0, win));
        DO(MPI_Win_complete(win));
        while (!flag)
                DO(MPI_Win_test(win, &flag));
        MPI_Group_free(&peer);
        MPI_Group_free(&world);
        DO(MPI_Win_free(&shared));
        DO(MPI_Win_free(&win));
}

static void files(void)
{
        MPI_File file;
        MPI_Request q[2];
        MPI_Offset mine = (MPI_Offset)rank * 4;
        DO(MPI_File_open(W, "data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                         &file));
        DO(MPI_File_set_size(file, 4096));
        DO(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
        DO(MPI_File_write_at(file, mine, from, 4, MPI_INT, ANY));
        DO(MPI_File_write_at_all(file, mine, from, 4, MPI_INT, ANY));
        DO(MPI_File_read_at(file, mine, to, 4, MPI_INT, ANY));
        DO(MPI_File_read_at_all(file, mine, to, 4, MPI_INT, ANY));
        DO(MPI_File_write(file, from, 1, MPI_INT, ANY));
        DO(MPI_File_write_all(file, from, 1, MPI_INT, ANY));
        DO(MPI_File_read_all(file, to, 1, MPI_INT, ANY));
        DO(MPI_File_read(file, to, 1, MPI_INT, ANY));
        DO(MPI_File_iwrite_at(file, mine, from, 1, MPI_INT, &q[0]));
        DO(MPI_File_iread_at_all(file, mine, to, 1, MPI_INT, &q[1]));
        DO(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
        DO(MPI_File_write_all_begin(file, from, 1, MPI_INT));
        DO(MPI_File_write_all_end(file, from, ANY));
        DO(MPI_File_sync(file));
        DO(MPI_File_close(&file));
}

#if MPI_VERSION >= 4
static void partitioned(int next, int before)
{
        MPI_Request q[2];
        int flag = 0;
        DO(MPI_Psend_init(from, 2, 4, MPI_INT, next, 7, W, MPI_INFO_NULL, &q[0]));
        DO(MPI_Precv_init(to, 2, 4, MPI_INT, before, 7, W, MPI_INFO_NULL, &q[1]));
        DO(MPI_Startall(2, q));
        DO(MPI_Pready(0, q[0]));
        DO(MPI_Pready_range(1, 1, q[0]));
        while (!flag)
                DO(MPI_Parrived(q[1], 0, &flag));
        DO(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
        DO(MPI_Request_free(&q[0]));
        DO(MPI_Request_free(&q[1]));
}

static void persistent(void)
{
        MPI_Request q[2];
        DO(MPI_Barrier_init(W, MPI_INFO_NULL, &q[0]));
        DO(MPI_Allreduce_init(from, to, 1, MPI_INT, MPI_SUM, W, MPI_INFO_NULL, &q[1]));
        for (int i = 0; i < 2; i++) {
                DO(MPI_Startall(2, q));
                DO(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
        }
        DO(MPI_Request_free(&q[0]));
        DO(MPI_Request_free(&q[1]));
}

static void version4(int next, int before)
{
        MPI_Request q;
        MPI_Comm copy;
        DO(MPI_Isendrecv(from, 1, MPI_INT, next, 8, to, 1, MPI_INT, before, 8, W, &q));
        DO(MPI_Wait(&q, ANY));
        DO(MPI_Isendrecv_replace(to, 1, MPI_INT, next, 9, before, 9, W, &q));
        DO(MPI_Wait(&q, ANY));
        DO(MPI_Comm_idup_with_info(W, MPI_INFO_NULL, &copy, &q));
        DO(MPI_Wait(&q, ANY));
        DO(MPI_Comm_free(&copy));
        partitioned(next, before);
        persistent();
}
#else
static void version4(int next, int before)
{
        (void)next, (void)before;
}
#endif

int main(int argc, char **argv)
{
        DO(MPI_Init(&argc, &argv));
        MPI_Comm_rank(W, &rank);
        MPI_Comm_size(W, &size);
        for (int i = 0; i < ALL; i++) {
                counts[i] = 1;
                places[i] = i;
                bytes[i] = i * (int)sizeof(int);
                types[i] = MPI_INT;
        }
        modes((rank + 1) % size, (rank + size - 1) % size);
        nonblocking();
        neighbours();
        groups();
        windows((rank + 1) % size);
        files();
        version4((rank + 1) % size, (rank + size - 1) % size);
        int is_said = say();
        MPI_Finalize();
        return is_said ? 0 : 1;
}
