/* heat.c - heat in a rod, cut over the ranks: the program behind the bundled trace.
 *
 * Rank 2 has been given more points than the others, and rank 0 prints between steps: two common reasons for
 * ranks to wait for each other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 40, REPORT_EVERY = 10, POINTS = 2000, MOST_POINTS = 2800 };

static int rank, size, n;
static double *now, *next;

static void exchange(void)
{
        MPI_Request request[4];
        int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
        int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
        MPI_Irecv(&now[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&now[n + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(&now[n], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(&now[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

static double relax(void)
{
        double change = 0;
        for (int i = 1; i <= n; i++) {
                next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
                change += (next[i] - now[i]) * (next[i] - now[i]);
        }
        double *old = now;
        now = next;
        next = old;
        return change;
}

static void report(int step, double change)
{
        double sum;
        MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0) {
                printf("step %d: change %g\n", step, sum);
                for (int r = 1; r < size; r++)
                        MPI_Recv(next, MOST_POINTS, MPI_DOUBLE, r, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
                MPI_Ssend(now, n, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
        }
}

int main(int argc, char **argv)
{
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        n = rank == 2 ? MOST_POINTS : POINTS;
        now = calloc(MOST_POINTS + 2, sizeof(*now));
        next = calloc(MOST_POINTS + 2, sizeof(*next));
        for (int step = 1; step <= STEPS; step++) {
                exchange();
                double change = relax();
                if (step % REPORT_EVERY == 0)
                        report(step, change);
        }
        MPI_Finalize();
        return 0;
}
