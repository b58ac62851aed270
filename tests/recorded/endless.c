/* endless.c - an MPI program that does a bit of everything until it is killed: `endless [WAY MICROSECONDS]`.
 * After so long rank 1 ends in a way that nobody expects - abort, exit, segv, MPI_Abort - or, `finish`, all
 * end as they should. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static double now(void)
{
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Messages, requests, a collective operation, and now and then definitions. */
static void work(int round)
{
        static char in[4096], out[4096];
        int to = (rank + 1) % size, from = (rank + size - 1) % size;
        MPI_Request q[2];
        MPI_Comm copy;
        for (int i = 0; i < 50; i++) {
                MPI_Irecv(in, sizeof(in), MPI_CHAR, from, i, MPI_COMM_WORLD, &q[0]);
                MPI_Isend(out, 16 * i, MPI_CHAR, to, i, MPI_COMM_WORLD, &q[1]);
                MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        }
        MPI_Allreduce(&rank, &size, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        size++;
        if (round % 10 == 0) {
                MPI_Comm_dup(MPI_COMM_WORLD, &copy);
                MPI_Barrier(copy);
                MPI_Comm_free(&copy);
        }
}

static void end_as(const char *way)
{
        if (strcmp(way, "abort") == 0)
                abort();
        if (strcmp(way, "exit") == 0)
                _exit(0);
        if (strcmp(way, "segv") == 0)
                raise(SIGSEGV);
        if (strcmp(way, "MPI_Abort") == 0)
                MPI_Abort(MPI_COMM_WORLD, 5);
}

int main(int argc, char **argv)
{
        MPI_Init(&argc, &argv);
        double until = argc > 2 ? now() + 1e-6 * atof(argv[2]) : 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        int is_over = 0, is_late;
        for (int round = 0; !is_over; round++) {
                work(round);
                is_late = until > 0 && now() > until;
                if (is_late && rank == 1)
                        end_as(argv[1]);
                MPI_Allreduce(&is_late, &is_over, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        }
        MPI_Finalize();
        return 0;
}
