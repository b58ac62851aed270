/* planted.c - an MPI program that makes its processes wait, and writes down when each call really began and
 * ended, so that what they must have waited follows, however busy the machine is: "CASE ROUND RANK CALL BEGIN
 * END", seconds, in planted.RANK. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 5, NAP_US = 20000, LARGE = 1 << 20, ROWS_MOST = 1000 };

static struct {
        const char *name, *call;
        int round;
        double begin, end;
} rows[ROWS_MOST];
static int n_rows, rank, size;
static char buffer[LARGE];

/* The same on machines whose clocks of other kinds differ. */
static double now(void)
{
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define DO(kind, ...)                                                                                        \
        do {                                                                                                 \
                rows[n_rows].name = __func__;                                                                \
                rows[n_rows].call = kind;                                                                    \
                rows[n_rows].round = round;                                                                  \
                rows[n_rows].begin = now();                                                                  \
                __VA_ARGS__;                                                                                 \
                rows[n_rows++].end = now();                                                                  \
        } while (0)
#define W MPI_COMM_WORLD

static void nap(int does)
{
        if (does)
                usleep(NAP_US);
}

/* Even ranks send to the next one. */
static int is_sender(void)
{
        return rank % 2 == 0;
}

static void late_sender(int round)
{
        nap(is_sender());
        if (is_sender())
                DO("send", MPI_Send(buffer, 64, MPI_CHAR, rank + 1, 1, W));
        else
                DO("recv", MPI_Recv(buffer, 64, MPI_CHAR, rank - 1, 1, W, MPI_STATUS_IGNORE));
}

static void late_receiver(int round)
{
        nap(!is_sender());
        if (is_sender())
                DO("send", MPI_Send(buffer, LARGE, MPI_CHAR, rank + 1, 2, W));
        else
                DO("recv", MPI_Recv(buffer, LARGE, MPI_CHAR, rank - 1, 2, W, MPI_STATUS_IGNORE));
}

static void ssend_late_receiver(int round)
{
        nap(!is_sender());
        if (is_sender())
                DO("send", MPI_Ssend(buffer, 8, MPI_CHAR, rank + 1, 3, W));
        else
                DO("recv", MPI_Recv(buffer, 8, MPI_CHAR, rank - 1, 3, W, MPI_STATUS_IGNORE));
}

static void wrong_order(int round)
{
        if (is_sender())
                MPI_Send(buffer, 64, MPI_CHAR, rank + 1, 4, W);
        nap(is_sender());
        if (is_sender()) {
                DO("send", MPI_Send(buffer, 64, MPI_CHAR, rank + 1, 5, W));
        } else {
                DO("recv", MPI_Recv(buffer, 64, MPI_CHAR, rank - 1, 5, W, MPI_STATUS_IGNORE));
                MPI_Recv(buffer, 64, MPI_CHAR, rank - 1, 4, W, MPI_STATUS_IGNORE);
        }
}

static void wait_barrier(int round)
{
        nap(rank == 1);
        DO("all", MPI_Barrier(W));
}

static void late_bcast(int round)
{
        nap(rank == 1);
        DO(rank == 1 ? "send" : "recv", MPI_Bcast(buffer, 256, MPI_CHAR, 1, W));
}

static void pipeline(int round)
{
        if (rank > 0)
                DO("recv", MPI_Recv(buffer, 64, MPI_CHAR, rank - 1, 7, W, MPI_STATUS_IGNORE));
        nap(1);
        if (rank < size - 1)
                DO("send", MPI_Send(buffer, 64, MPI_CHAR, rank + 1, 7, W));
}

int main(int argc, char **argv)
{
        static void (*const cases[])(int) = {late_sender, late_receiver, ssend_late_receiver,
                                             wrong_order, wait_barrier,  late_bcast,
                                             pipeline};
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(W, &rank);
        MPI_Comm_size(W, &size);
        for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
                for (int round = 0; round < ROUNDS; round++) {
                        MPI_Barrier(W);
                        cases[i](round);
                }
        char path[32];
        snprintf(path, sizeof(path), "planted.%d", rank);
        FILE *file = fopen(path, "w");
        for (int i = 0; file && i < n_rows; i++)
                fprintf(file, "%s %d %d %s %.9f %.9f\n", rows[i].name, rows[i].round, rank, rows[i].call,
                        rows[i].begin, rows[i].end);
        MPI_Finalize();
        return file ? fclose(file) : 1;
}
