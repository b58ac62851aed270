/* calls.c - an MPI program that makes nearly all calls that are recorded, and says itself from which line it
 * made which, how often and how long they took: "call RANK FUNCTION LINE COUNT SECONDS". `calls threads`
 * makes them from several threads, `calls forever` some of them until it is killed. */
#define _GNU_SOURCE
#include "tests/recorded/counted.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 3, LARGE = 1 << 20, NAP_US = 5000, THREADS = 3 };

static char in[LARGE], out[LARGE];

#define W   MPI_COMM_WORLD
#define ANY MPI_STATUS_IGNORE

static void messages(int to, int from)
{
        MPI_Request q[2], none = MPI_REQUEST_NULL;
        MPI_Status s[2];
        MPI_Message m;
        int flag = 0, index, n, some[2];
        DO(MPI_Irecv(in, 8, MPI_CHAR, from, 1, W, &q[0]));
        DO(MPI_Send(out, 8, MPI_CHAR, to, 1, W));
        DO(MPI_Wait(&q[0], ANY));
        DO(MPI_Wait(&none, ANY));
        DO(MPI_Isend(out, 8, MPI_INT, to, 2, W, &q[0]));
        DO(MPI_Irecv(in, 8, MPI_INT, MPI_ANY_SOURCE, 2, W, &q[1]));
        DO(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
        DO(MPI_Isend(out, 0, MPI_CHAR, to, 3, W, &q[0]));
        DO(MPI_Irecv(in, 0, MPI_CHAR, from, 3, W, &q[1]));
        DO(MPI_Waitany(2, q, &index, &s[0]));
        DO(MPI_Waitany(2, q, &index, ANY));
        DO(MPI_Issend(out, 4, MPI_CHAR, to, 4, W, &q[0]));
        DO(MPI_Irecv(in, 4, MPI_CHAR, from, 4, W, &q[1]));
        for (int left = 2; left > 0; left -= n)
                DO(MPI_Waitsome(2, q, &n, some, s));
        DO(MPI_Irecv(in, 4, MPI_CHAR, from, 5, W, &q[0]));
        DO(MPI_Rsend(out, 4, MPI_CHAR, to, 6, W)); /* nobody has to wait for it: see below */
        DO(MPI_Recv(in, 4, MPI_CHAR, from, 6, W, &s[0]));
        DO(MPI_Send(out, 4, MPI_CHAR, to, 5, W));
        while (!flag)
                DO(MPI_Test(&q[0], &flag, ANY));
        DO(MPI_Sendrecv(out, 16, MPI_CHAR, to, 7, in, 16, MPI_CHAR, from, 7, W, ANY));
        DO(MPI_Sendrecv_replace(in, 16, MPI_CHAR, to, 8, from, 8, W, ANY));
        DO(MPI_Send(out, 4, MPI_CHAR, MPI_PROC_NULL, 9, W));
        DO(MPI_Isend(out, 12, MPI_CHAR, to, 10, W, &q[0]));
        DO(MPI_Probe(from, MPI_ANY_TAG, W, &s[0]));
        DO(MPI_Recv(in, 12, MPI_CHAR, from, s[0].MPI_TAG, W, ANY));
        DO(MPI_Wait(&q[0], ANY));
        DO(MPI_Isend(out, 12, MPI_CHAR, to, 11, W, &q[0]));
        DO(MPI_Mprobe(from, 11, W, &m, ANY));
        DO(MPI_Mrecv(in, 12, MPI_CHAR, &m, ANY));
        DO(MPI_Wait(&q[0], ANY));
        DO(MPI_Irecv(in, 4, MPI_CHAR, from, 999, W, &q[0]));
        DO(MPI_Cancel(&q[0]));
        DO(MPI_Wait(&q[0], ANY));
        DO(MPI_Send_init(out, 24, MPI_CHAR, to, 12, W, &q[0]));
        DO(MPI_Recv_init(in, 24, MPI_CHAR, from, 12, W, &q[1]));
        for (int i = 0; i < ROUNDS; i++) {
                DO(MPI_Startall(2, q));
                DO(MPI_Waitall(2, q, s));
        }
        DO(MPI_Request_free(&q[0]));
        DO(MPI_Request_free(&q[1]));
}

static void collectives(void)
{
        int counts[64], places[64], v[64] = {0}, w[64 * 64];
        MPI_Datatype types[64];
        MPI_Request q[3];
        for (int i = 0; i < size; i++) {
                counts[i] = 1;
                places[i] = i;
                types[i] = MPI_INT;
        }
        DO(MPI_Barrier(W));
        DO(MPI_Bcast(v, 4, MPI_INT, 1 % size, W));
        DO(MPI_Gather(v, 1, MPI_INT, rank ? NULL : w, rank ? 0 : 1, rank ? MPI_DATATYPE_NULL : MPI_INT, 0,
                      W));
        DO(MPI_Gatherv(v, 1, MPI_INT, w, counts, places, MPI_INT, 0, W));
        DO(MPI_Scatter(w, 1, MPI_INT, v, 1, MPI_INT, 0, W));
        DO(MPI_Scatterv(w, counts, places, MPI_INT, v, 1, MPI_INT, 0, W));
        DO(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, w, 1, MPI_INT, W));
        DO(MPI_Allgatherv(v, 1, MPI_INT, w, counts, places, MPI_INT, W));
        DO(MPI_Alltoall(w, 1, MPI_INT, w + 2048, 1, MPI_INT, W));
        DO(MPI_Alltoallv(w, counts, places, MPI_INT, w + 2048, counts, places, MPI_INT, W));
        for (int i = 0; i < size; i++)
                places[i] = 4 * i;
        DO(MPI_Alltoallw(w, counts, places, types, w + 2048, counts, places, types, W));
        DO(MPI_Reduce(v, w, 1, MPI_INT, MPI_SUM, 0, W));
        DO(MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_INT, MPI_SUM, W));
        DO(MPI_Reduce_scatter(w, v, counts, MPI_INT, MPI_SUM, W));
        DO(MPI_Reduce_scatter_block(w, v, 1, MPI_INT, MPI_SUM, W));
        DO(MPI_Scan(v, w, 1, MPI_INT, MPI_SUM, W));
        DO(MPI_Exscan(v, w, 1, MPI_INT, MPI_SUM, W));
        DO(MPI_Ibarrier(W, &q[0]));
        DO(MPI_Iallreduce(v, w, 1, MPI_INT, MPI_SUM, W, &q[1]));
        DO(MPI_Ibcast(v + 8, 4, MPI_INT, 0, W, &q[2]));
        DO(MPI_Waitall(3, q, MPI_STATUSES_IGNORE));
}

static void communicators(void)
{
        MPI_Comm dup, half, cart, inter, merged, world2;
        MPI_Group all, first;
        MPI_Request q;
        int dims[1] = {size}, periods[1] = {1}, low = rank < size / 2, v[2] = {0}, w[4];
        DO(MPI_Comm_dup(W, &dup));
        DO(MPI_Comm_idup(dup, &world2, &q));
        DO(MPI_Wait(&q, ANY));
        DO(MPI_Barrier(world2));
        DO(MPI_Comm_split(W, low, -rank, &half));
        DO(MPI_Allreduce(v, w, 1, MPI_INT, MPI_SUM, half));
        DO(MPI_Intercomm_create(half, 0, W, low ? size - 1 : size / 2 - 1, 5, &inter));
        DO(MPI_Barrier(inter));
        DO(MPI_Intercomm_merge(inter, low, &merged));
        DO(MPI_Sendrecv(v, 1, MPI_INT, (rank + 1) % size, 3, w, 1, MPI_INT, (rank + size - 1) % size, 3, dup,
                        ANY));
        DO(MPI_Cart_create(W, 1, dims, periods, 0, &cart));
        DO(MPI_Neighbor_alltoall(v, 1, MPI_INT, w, 1, MPI_INT, cart));
        DO(MPI_Ineighbor_allgather(v, 1, MPI_INT, w, 1, MPI_INT, cart, &q));
        DO(MPI_Wait(&q, ANY));
        MPI_Comm_group(W, &all);
        MPI_Group_incl(all, 1, (int[]){0}, &first);
        if (rank == 0) {
                MPI_Comm alone;
                DO(MPI_Comm_create_group(W, first, 7, &alone));
                DO(MPI_Barrier(alone));
                DO(MPI_Comm_free(&alone));
        }
        MPI_Group_free(&all);
        MPI_Group_free(&first);
        DO(MPI_Comm_free(&cart));
        DO(MPI_Comm_free(&merged));
        DO(MPI_Comm_free(&inter));
        DO(MPI_Comm_free(&half));
        DO(MPI_Comm_free(&world2));
        DO(MPI_Comm_free(&dup));
}

static void windows(int to)
{
        MPI_Win win;
        MPI_Group all, other;
        MPI_Request q;
        int *memory, v = rank, w = 0;
        DO(MPI_Win_allocate(64, 4, MPI_INFO_NULL, W, &memory, &win));
        DO(MPI_Win_fence(0, win));
        DO(MPI_Put(&v, 1, MPI_INT, to, 0, 1, MPI_INT, win));
        DO(MPI_Win_fence(0, win));
        DO(MPI_Get(&w, 1, MPI_INT, to, 0, 1, MPI_INT, win));
        DO(MPI_Accumulate(&v, 1, MPI_INT, to, 1, 1, MPI_INT, MPI_SUM, win));
        DO(MPI_Win_fence(0, win));
        DO(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        DO(MPI_Put(&v, 1, MPI_INT, 0, 2, 1, MPI_INT, win));
        DO(MPI_Win_flush(0, win));
        DO(MPI_Win_unlock(0, win));
        DO(MPI_Win_lock_all(0, win));
        DO(MPI_Fetch_and_op(&v, &w, MPI_INT, 0, 3, MPI_SUM, win));
        DO(MPI_Rput(&v, 1, MPI_INT, to, 4, 1, MPI_INT, win, &q));
        DO(MPI_Wait(&q, ANY));
        DO(MPI_Win_unlock_all(win));
        MPI_Comm_group(W, &all);
        MPI_Group_incl(all, 1, (int[]){rank == 0}, &other);
        if (rank < 2) {
                DO(MPI_Win_post(other, 0, win));
                DO(MPI_Win_start(other, 0, win));
                DO(MPI_Put(&v, 1, MPI_INT, !rank, 5, 1, MPI_INT, win));
                DO(MPI_Win_complete(win));
                DO(MPI_Win_wait(win));
        }
        MPI_Group_free(&all);
        MPI_Group_free(&other);
        DO(MPI_Win_free(&win));
}

/* -- what a compiler makes of calls -- */

__attribute__((noinline)) static int jumps(MPI_Comm comm)
{
        note("MPI_Barrier(", __LINE__ + 1, -1);
        return MPI_Barrier(comm);
}

__attribute__((noinline)) int jumps_twice(MPI_Comm comm)
{
        return jumps(comm);
}

static inline __attribute__((always_inline)) void is_inlined(MPI_Comm comm)
{
        DO(MPI_Barrier(comm));
}

/* -- waits that were planted: by NAP_US each -- */

static void waits(void)
{
        int partner = rank ^ 1;
        if (partner >= size)
                return;
        for (int i = 0; i < ROUNDS; i++) {
                if (rank % 2 == 0) {
                        usleep(NAP_US);
                        DO(MPI_Send(out, 64, MPI_CHAR, partner, 20, W));
                        DO(MPI_Send(out, LARGE, MPI_CHAR, partner, 21, W));
                } else {
                        DO(MPI_Recv(in, 64, MPI_CHAR, partner, 20, W, ANY));
                        usleep(NAP_US);
                        DO(MPI_Recv(in, LARGE, MPI_CHAR, partner, 21, W, ANY));
                }
        }
}

static void *thread(void *number)
{
        int tag = 100 + *(int *)number, partner = rank ^ 1;
        char own[64] = "";
        int flag;
        note("MPI_Iprobe(", __LINE__ + 1, -1); /* a thread's first call has to make its file */
        MPI_Iprobe(MPI_PROC_NULL, tag, W, &flag, ANY);
        for (int i = 0; i < 10 && partner < size; i++) {
                MPI_Request q;
                if (rank % 2 == 0) {
                        DO(MPI_Isend(own, 64, MPI_CHAR, partner, tag, W, &q));
                } else {
                        DO(MPI_Irecv(own, 64, MPI_CHAR, partner, tag, W, &q));
                }
                DO(MPI_Wait(&q, ANY));
        }
        return NULL;
}

static void threads(void)
{
        pthread_t t[THREADS];
        int number[THREADS];
        for (int i = 0; i < THREADS; i++) {
                number[i] = i;
                pthread_create(&t[i], NULL, thread, &number[i]);
        }
        for (int i = 0; i < THREADS; i++)
                pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
        int provided;
        DO(MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided));
        MPI_Comm_rank(W, &rank);
        MPI_Comm_size(W, &size);
        while (argc > 1 && strcmp(argv[1], "forever") == 0) {
                MPI_Sendrecv(out, 16, MPI_CHAR, (rank + 1) % size, 1, in, 16, MPI_CHAR,
                             (rank + size - 1) % size, 1, W, ANY);
                usleep(100);
        }
        if (argc > 1) {
                threads();
        } else {
                messages((rank + 1) % size, (rank + size - 1) % size);
                collectives();
                communicators();
                windows((rank + 1) % size);
                jumps_twice(W);
                is_inlined(W);
                waits();
        }
        int is_said = say();
        MPI_Finalize();
        return is_said ? 0 : 1;
}
