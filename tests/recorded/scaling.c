/* scaling.c - a program that does not scale, for one reason that is known: `scaling WHY [weak]`. Its
 * processes sleep where a program computes, so that two processors are enough for eight of them. With `weak`
 * as much is computed by each, and the problem grows with them. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STEPS = 2, SHARED_MS = 400, OWN_MS = 60, EXCHANGES = 5, BLOCK = 4096, PROCESSES_MOST = 8 };

static int rank, size;
static bool is_weak;

static void compute(double ms)
{
        struct timespec rest = {0, (long)(ms * 1e6)};
        while (nanosleep(&rest, &rest) != 0)
                ;
}

/* What all share. */
static void relax(void)
{
        int left = (rank + size - 1) % size, right = (rank + 1) % size;
        double border = rank, other;
        MPI_Sendrecv(&border, 1, MPI_DOUBLE, right, 1, &other, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        compute(is_weak ? OWN_MS : (double)SHARED_MS / size);
        MPI_Allreduce(&border, &other, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Each process does the same again; with `weak` ever more. */
static void assemble(void)
{
        int n = 0;
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
        compute(is_weak ? 15.0 * size : OWN_MS);
        MPI_Barrier(MPI_COMM_WORLD);
}

/* The first process alone. */
static void report(void)
{
        int n = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
                compute(is_weak ? 15.0 * size : OWN_MS);
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* The last process has ever more to do than the others. */
static void refine(void)
{
        int n = rank, sum;
        MPI_Barrier(MPI_COMM_WORLD);
        compute(rank == size - 1 ? 25.0 * size : 5);
        MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* The more there are, the more often all send to all. */
static void exchange(void)
{
        static char out[BLOCK * PROCESSES_MOST], in[BLOCK * PROCESSES_MOST];
        for (int i = 0; i < EXCHANGES * size && size <= PROCESSES_MOST; i++)
                MPI_Alltoall(out, BLOCK, MPI_CHAR, in, BLOCK, MPI_CHAR, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
        static const struct {
                const char *why;
                void (*run)(void);
        } ways[] = {{"repeated", assemble}, {"alone", report}, {"uneven", refine}, {"transfer", exchange}};
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        is_weak = argc > 2 && strcmp(argv[2], "weak") == 0;
        for (int step = 0; step < STEPS; step++) {
                relax();
                for (unsigned i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
                        if (strcmp(argv[1], ways[i].why) == 0)
                                ways[i].run();
        }
        MPI_Finalize();
        return 0;
}
