/* programs.c - five small programs for SMPI, SimGrid's simulation of MPI. Each rank prints a line for each of
 * its calls:
 *
 *   RANK CALL COMM PEER TAG BYTES BEGIN END
 *
 * PEER is the other rank, or the root; -1: there is none. BYTES are those of one message, or the block or
 * vector of a collective operation. COMM is 0 for all ranks, otherwise 1 + the first of its ranks. Times are
 * seconds. A "wait" completes all that was started before it. test_smpi.c reads the lines. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS_MAX = 4096, REQUESTS_MAX = 64, BYTES_MAX = 1 << 22 };

typedef struct program {
        int rank, n, n_calls, n_requests;
        char *in, *out;
        MPI_Request requests[REQUESTS_MAX];
        struct {
                const char *call;
                int comm, peer, tag, bytes;
                double begin, end;
        } calls[CALLS_MAX];
} program;

/* A call whose end is now. */
static void note(program *p, double begin, const char *call, int comm, int peer, int tag, int bytes)
{
        if (p->n_calls == CALLS_MAX)
                abort();
        p->calls[p->n_calls].call = call;
        p->calls[p->n_calls].comm = comm;
        p->calls[p->n_calls].peer = peer;
        p->calls[p->n_calls].tag = tag;
        p->calls[p->n_calls].bytes = bytes;
        p->calls[p->n_calls].begin = begin;
        p->calls[p->n_calls++].end = MPI_Wtime();
}

static void compute(int us)
{
        struct timespec time = {us / 1000000, us % 1000000 * 1000L};
        nanosleep(&time, NULL);
}

static void send_to(program *p, int to, int tag, int bytes)
{
        double begin = MPI_Wtime();
        MPI_Send(p->out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD);
        note(p, begin, "send", 0, to, tag, bytes);
}

static void receive_from(program *p, int from, int tag, int bytes)
{
        double begin = MPI_Wtime();
        MPI_Recv(p->in, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        note(p, begin, "recv", 0, from, tag, bytes);
}

static void start_send(program *p, int to, int tag, int bytes)
{
        double begin = MPI_Wtime();
        MPI_Isend(p->out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &p->requests[p->n_requests++]);
        note(p, begin, "isend", 0, to, tag, bytes);
}

static void start_receive(program *p, int from, int tag, int bytes)
{
        double begin = MPI_Wtime();
        MPI_Irecv(p->in, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &p->requests[p->n_requests++]);
        note(p, begin, "irecv", 0, from, tag, bytes);
}

static void wait_for_all(program *p)
{
        double begin = MPI_Wtime();
        MPI_Waitall(p->n_requests, p->requests, MPI_STATUSES_IGNORE);
        p->n_requests = 0;
        note(p, begin, "wait", 0, -1, 0, 0);
}

/* Bytes are a multiple of 8. */
static void together(program *p, const char *call, MPI_Comm comm, int id, int root, int bytes)
{
        double begin = MPI_Wtime();
        int count = bytes / 8;
        if (!strcmp(call, "bcast"))
                MPI_Bcast(p->out, count, MPI_DOUBLE, root, comm);
        else if (!strcmp(call, "reduce"))
                MPI_Reduce(p->out, p->in, count, MPI_DOUBLE, MPI_SUM, root, comm);
        else if (!strcmp(call, "allreduce"))
                MPI_Allreduce(p->out, p->in, count, MPI_DOUBLE, MPI_SUM, comm);
        else if (!strcmp(call, "alltoall"))
                MPI_Alltoall(p->out, count, MPI_DOUBLE, p->in, count, MPI_DOUBLE, comm);
        else if (!strcmp(call, "allgather"))
                MPI_Allgather(p->out, count, MPI_DOUBLE, p->in, count, MPI_DOUBLE, comm);
        else if (!strcmp(call, "gather"))
                MPI_Gather(p->out, count, MPI_DOUBLE, p->in, count, MPI_DOUBLE, root, comm);
        else
                MPI_Barrier(comm);
        note(p, begin, call, id, root, 0, bytes);
}

/* -- the programs -- */

/* Broadcasts and reductions one after the other, of ranks that do not come at the same time. */
static void trees(program *p)
{
        for (int i = 0; i < 10; i++)
                together(p, "bcast", MPI_COMM_WORLD, 0, 0, 1024);
        compute(200 + 30 * p->rank);
        for (int i = 0; i < 10; i++)
                together(p, "reduce", MPI_COMM_WORLD, 0, 0, 4096);
        compute(500 - 20 * p->rank);
        together(p, "bcast", MPI_COMM_WORLD, 0, 0, 1 << 18);
        together(p, "reduce", MPI_COMM_WORLD, 0, 0, 1 << 18);
}

/* A ring that exchanges its borders, and agrees on a sum. */
static void borders(program *p)
{
        int next = (p->rank + 1) % p->n, before = (p->rank + p->n - 1) % p->n;
        for (int i = 0; i < 20; i++) {
                int bytes = i % 2 ? 100000 : 4000;
                start_receive(p, before, i, bytes);
                start_receive(p, next, 100 + i, bytes);
                start_send(p, next, i, bytes);
                start_send(p, before, 100 + i, bytes);
                compute(50 + 7 * ((p->rank + i) % 5));
                wait_for_all(p);
                together(p, "allreduce", MPI_COMM_WORLD, 0, -1, 8 << (i % 4));
        }
}

/* A transposition and a sum of vectors. */
static void transpose(program *p)
{
        for (int i = 0; i < 5; i++) {
                compute(100 + 40 * (p->rank == i));
                together(p, "alltoall", MPI_COMM_WORLD, 0, -1, i % 2 ? 8192 : 64);
                together(p, "allreduce", MPI_COMM_WORLD, 0, -1, 1 << (10 + 2 * i));
                together(p, "barrier", MPI_COMM_WORLD, 0, -1, 0);
        }
        together(p, "allgather", MPI_COMM_WORLD, 0, -1, 4096);
}

/* A wave from the first rank to the last, small and large messages in turn. */
static void wave(program *p)
{
        for (int i = 0; i < 12; i++) {
                int bytes = i % 3 == 2 ? 200000 : 2000;
                if (p->rank)
                        receive_from(p, p->rank - 1, i, bytes);
                compute(60);
                if (p->rank + 1 < p->n)
                        send_to(p, p->rank + 1, i, bytes);
        }
        together(p, "gather", MPI_COMM_WORLD, 0, 0, 1024);
}

/* Halves of the ranks by themselves, one of them slower, then all. */
static void halves(program *p)
{
        int half = p->rank >= p->n / 2, id = 1 + half * (p->n / 2);
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, half, p->rank, &comm);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < 8; i++) {
                compute(half ? 150 : 40);
                together(p, "allreduce", comm, id, -1, 2048);
                together(p, "bcast", comm, id, 0, 16000);
        }
        together(p, "reduce", MPI_COMM_WORLD, 0, 0, 64);
        MPI_Comm_free(&comm);
}

static const struct {
        const char *name;
        void (*run)(program *p);
} programs[] = {
        {"trees", trees}, {"borders", borders}, {"transpose", transpose}, {"wave", wave}, {"halves", halves}};

int main(int argc, char **argv)
{
        program *p = calloc(1, sizeof(*p));
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
        MPI_Comm_size(MPI_COMM_WORLD, &p->n);
        p->in = calloc(1, BYTES_MAX);
        p->out = calloc(1, BYTES_MAX);
        /* SMPI makes a communicator of its own in its first 4-nomial broadcast: before anything is measured.
         */
        for (int bytes = 8; bytes <= 1 << 16; bytes *= 2)
                MPI_Bcast(p->out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++)
                if (!strcmp(argv[1], programs[i].name))
                        programs[i].run(p);
        for (int i = 0; i < p->n_calls; i++)
                printf("%d %s %d %d %d %d %.12f %.12f\n", p->rank, p->calls[i].call, p->calls[i].comm,
                       p->calls[i].peer, p->calls[i].tag, p->calls[i].bytes, p->calls[i].begin,
                       p->calls[i].end);
        free(p->in);
        free(p->out);
        free(p);
        MPI_Finalize();
        return 0;
}
