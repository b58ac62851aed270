/* rod.c - heat in a rod that is cut over the ranks: each works on its slices, then neighbours exchange their
 * edges. */
#include <mpi.h>
#include <time.h>

enum { STEPS = 20, SLICES = 80 };

/* 1 ms a slice, however busy the machine is: a nap stands for the work. */
static void work(int slices)
{
        nanosleep(&(struct timespec){.tv_nsec = slices * 1000000L}, NULL);
}

static void exchange(double edge[4], int left, int right)
{
        MPI_Sendrecv(&edge[1], 1, MPI_DOUBLE, left, 0, &edge[3], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&edge[2], 1, MPI_DOUBLE, right, 0, &edge[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
        int rank, size;
        double edge[4] = {0};
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
        int slices = rank == size - 1 ? SLICES * 3 / 4 : SLICES / 4 / (size - 1);
        for (int step = 0; step < STEPS; step++) {
                work(slices);
                exchange(edge, left, right);
        }
        MPI_Finalize();
        return 0;
}
