/* costs.c - what recording costs: `costs KIND N` makes N rounds of calls and prints "KIND CALLS SECONDS", the
 * calls of all ranks and the user and system time of all from their start until the last one.
 *
 * self: messages of a process to itself, nothing else. stencil, workers: about 10,000 calls a second and
 * rank, with work between them that is the same every time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int rank, size;
static double n_calls;

static double used(void)
{
        struct rusage u;
        getrusage(RUSAGE_SELF, &u);
        return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
               1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* About a microsecond each where a multiplication and an addition take 1.7 ns: a loop of the same length in
 * each run, for what is measured is less than the times of two calibrations differ by. */
static volatile double result;
static void work(int n)
{
        double x = result;
        for (int i = 0; i < n * 580; i++)
                x = x * 0.999 + 1;
        result = x;
}

static void self(int n)
{
        char in[8], out[8] = "";
        for (int i = 0; i < n; i++, n_calls++)
                MPI_Sendrecv(out, 0, MPI_CHAR, rank, 1, in, 0, MPI_CHAR, rank, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
}

/* Without messages, so that a row is all. */
static void probe(int n)
{
        int flag;
        for (int i = 0; i < n; i++, n_calls++)
                MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void stencil(int n)
{
        static double halo[4][512];
        int left = (rank + size - 1) % size, right = (rank + 1) % size;
        for (int i = 0; i < n; i++) {
                MPI_Request q[4];
                double norm = 1, sum;
                MPI_Irecv(halo[0], 512, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &q[0]);
                MPI_Irecv(halo[1], 512, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &q[1]);
                MPI_Isend(halo[2], 512, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &q[2]);
                MPI_Isend(halo[3], 512, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &q[3]);
                work(600);
                MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
                MPI_Allreduce(&norm, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                n_calls += 6;
        }
}

/* Rank 0 deals out tasks to the others, of 200 microseconds each. */
static void workers(int n)
{
        int task = 0;
        for (int i = 0, left = n * (size - 1); rank == 0 && left > 0; left--, i++) {
                MPI_Status from;
                MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &from);
                MPI_Send(&i, 1, MPI_INT, from.MPI_SOURCE, 2, MPI_COMM_WORLD);
                n_calls += 2;
        }
        for (int i = 0; rank > 0 && i < n; i++) {
                MPI_Send(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
                MPI_Recv(&task, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                work(200);
                n_calls += 2;
        }
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                void (*run)(int);
        } kinds[] = {{"self", self}, {"probe", probe}, {"stencil", stencil}, {"workers", workers}};
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        /* Of a loop of calls only the loop counts, of a program all of it. */
        double before = strcmp(argv[1], "self") == 0 || strcmp(argv[1], "probe") == 0 ? used() : 0;
        for (unsigned i = 0; argc > 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
                if (strcmp(argv[1], kinds[i].name) == 0)
                        kinds[i].run(atoi(argv[2]));
        double mine[2] = {n_calls, used() - before}, all[2];
        MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0)
                printf("%s %.0f %.6f\n", argv[1], all[0], all[1]);
        MPI_Finalize();
        return 0;
}
