/* hung.c - a program that never ends, or not as it should: `hung HOW`, on four processes. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static int rank;

static void wait_in_a_circle(void)
{
        MPI_Recv(&(int){0}, 1, MPI_INT, (rank + 1) % 4, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The first of two messages comes. */
static void wait_for_requests(void)
{
        MPI_Request request[2];
        int got[2], sent = 0;
        if (rank == 1) {
                MPI_Irecv(&got[0], 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &request[0]);
                MPI_Irecv(&got[1], 1, MPI_INT, 3, 1, MPI_COMM_WORLD, &request[1]);
                MPI_Wait(&request[0], MPI_STATUS_IGNORE);
                MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        }
        if (rank == 2)
                MPI_Send(&sent, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
}

static void miss_a_barrier(void)
{
        while (rank == 1)
                sleep(1);
        MPI_Barrier(MPI_COMM_WORLD);
}

static void abort_early(void)
{
        if (rank == 1) {
                usleep(100000);
                MPI_Abort(MPI_COMM_WORLD, 3);
        }
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Odd ranks in a communicator of their own, to which rank 3 does not come. */
static void wait_for_a_part(void)
{
        MPI_Comm half;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
        while (rank == 3)
                sleep(1);
        if (rank == 1)
                MPI_Allreduce(&(int){1}, &(int){0}, 1, MPI_INT, MPI_SUM, half);
        if (rank == 2)
                MPI_Probe(0, 5, half, MPI_STATUS_IGNORE);
        while (rank == 0)
                sleep(1);
}

int main(int argc, char **argv)
{
        static const struct {
                const char *name;
                void (*run)(void);
        } ways[] = {{"circle", wait_in_a_circle},
                    {"request", wait_for_requests},
                    {"barrier", miss_a_barrier},
                    {"abort", abort_early},
                    {"part", wait_for_a_part}};
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Bcast(&(int){0}, 1, MPI_INT, 0, MPI_COMM_WORLD);
        for (unsigned i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
                if (strcmp(argv[1], ways[i].name) == 0)
                        ways[i].run();
        MPI_Finalize();
        return 0;
}
