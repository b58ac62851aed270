/* hybrid.c - two ranks with two threads each: one thread of rank 1 has three times the work, so that its
 * partner waits at the end of the loop and rank 0 in the message behind it. */
#include <mpi.h>
#include <omp.h>
#include <time.h>

/* A nap stands for work. */
static void work(int ms)
{
        nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

int main(int argc, char **argv)
{
        int rank, provided, edge = 0;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (int step = 0; step < 5; step++) {
#pragma omp parallel num_threads(2)
                {
                        work(rank == 1 && omp_get_thread_num() == 1 ? 6 : 2);
#pragma omp barrier
                        work(1);
                }
                MPI_Sendrecv_replace(&edge, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD,
                                     MPI_STATUS_IGNORE);
        }
        return MPI_Finalize();
}
