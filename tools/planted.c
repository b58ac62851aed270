/* planted.c - MPI programs with one planted problem each, and without it: what measure-fixes.sh times.
 *
 *   planted PROGRAM [mended]      4 processes; prints how many milliseconds passed between two barriers
 *
 * Computing is sleeping, for long, so that a busy machine with few processors disturbs it little. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DOUBLES = 4 }; /* so few are sent at once, whoever receives them */

static int rank, size, is_mended;
static double cells[4][DOUBLES];

static void compute(double ms)
{
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        long ns = until.tv_nsec + (long)(ms * 1e6);
        until.tv_sec += ns / 1000000000;
        until.tv_nsec = ns % 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void exchange(void)
{
        int left = (rank + size - 1) % size, right = (rank + 1) % size;
        MPI_Request request[4];
        MPI_Irecv(cells[0], DOUBLES, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(cells[1], DOUBLES, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(cells[2], DOUBLES, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(cells[3], DOUBLES, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

/* A stencil whose rank 2 has more cells; mended: all have as many. */
static void stencil(void)
{
        double own = rank, worst = 0;
        for (int step = 0; step < 8; step++) {
                exchange();
                compute(is_mended ? 37.5 : rank == 2 ? 60 : 30);
                MPI_Allreduce(&own, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }
}

/* Rank 0 alone prepares what all work on; mended: each a fourth of it. */
static void prepare(void)
{
        for (int task = 0; task < 6; task++) {
                MPI_Barrier(MPI_COMM_WORLD);
                if (rank == 0 || is_mended)
                        compute(is_mended ? 10 : 40);
                MPI_Bcast(cells[0], DOUBLES, MPI_DOUBLE, 0, MPI_COMM_WORLD);
                compute(25);
        }
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Items go from rank to rank; stage 1 is slow; mended: it is as fast as the others. */
static void pipeline(void)
{
        for (int item = 0; item < 6; item++) {
                if (rank > 0)
                        MPI_Recv(cells[0], DOUBLES, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
                compute(rank == 1 && !is_mended ? 80 : 20);
                if (rank < size - 1)
                        MPI_Send(cells[0], DOUBLES, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 3 takes a detour before all meet; mended: nobody does. */
static void detour(void)
{
        double mean = 0, own = rank;
        for (int step = 0; step < 6; step++) {
                MPI_Barrier(MPI_COMM_WORLD);
                compute(rank == 3 && !is_mended ? 60 : 35);
                MPI_Allreduce(&own, &mean, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
                compute(15);
        }
        MPI_Barrier(MPI_COMM_WORLD);
}

static void take(int tag)
{
        MPI_Recv(cells[0], DOUBLES, MPI_DOUBLE, rank - 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(30);
}

/* Odd ranks ask for the message that comes last first, and work on each of them; mended: in the order in
 * which they are sent. */
static void order(void)
{
        for (int round = 0; round < 4; round++) {
                if (rank % 2 == 0) {
                        compute(10);
                        MPI_Send(cells[0], DOUBLES, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
                        compute(50);
                        MPI_Send(cells[1], DOUBLES, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD);
                } else if (is_mended) {
                        take(1);
                        take(2);
                } else {
                        take(2);
                        take(1);
                }
                MPI_Barrier(MPI_COMM_WORLD);
        }
}

static void take_request(MPI_Request *request)
{
        MPI_Wait(request, MPI_STATUS_IGNORE);
        compute(30);
}

/* Odd ranks post both receives first, and wait for the message that comes last first; mended: as they are
 * sent. */
static void requests(void)
{
        MPI_Request request[2];
        for (int round = 0; round < 4; round++) {
                if (rank % 2 == 0) {
                        compute(10);
                        MPI_Send(cells[0], DOUBLES, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
                        compute(50);
                        MPI_Send(cells[1], DOUBLES, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD);
                } else {
                        MPI_Irecv(cells[0], DOUBLES, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, &request[0]);
                        MPI_Irecv(cells[1], DOUBLES, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, &request[1]);
                        take_request(&request[is_mended ? 0 : 1]);
                        take_request(&request[is_mended ? 1 : 0]);
                }
                MPI_Barrier(MPI_COMM_WORLD);
        }
}

/* Rank 0 prepares each task for those who work on them; mended: in half the time. */
static void master(void)
{
        enum { TASKS = 18 };
        for (int task = 0; task < TASKS; task++) {
                if (rank == 0) {
                        compute(is_mended ? 10 : 20);
                        MPI_Send(cells[0], DOUBLES, MPI_DOUBLE, 1 + task % 3, 1, MPI_COMM_WORLD);
                } else if (rank == 1 + task % 3) {
                        MPI_Recv(cells[0], DOUBLES, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                        compute(15);
                }
        }
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 alone reads what all need; mended: in half the time. */
static void input(void)
{
        double own = rank, sum = 0;
        if (rank == 0)
                compute(is_mended ? 100 : 200);
        MPI_Bcast(cells[0], DOUBLES, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int step = 0; step < 4; step++) {
                compute(25);
                MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
}

/* In each step another rank has most of the work; mended: all have as much. */
static void turns(void)
{
        double own = rank, worst = 0;
        for (int step = 0; step < 8; step++) {
                MPI_Barrier(MPI_COMM_WORLD);
                compute(is_mended ? 30 : rank == step % 4 ? 60 : 20);
                MPI_Allreduce(&own, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }
}

/* All put something into their neighbour's memory, rank 1 too late; mended: it takes no longer than the
 * others. */
static void fence(void)
{
        MPI_Win window;
        MPI_Win_create(cells[1], sizeof(cells[1]), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_fence(0, window);
        for (int step = 0; step < 6; step++) {
                compute(rank == 1 && !is_mended ? 60 : 25);
                MPI_Put(cells[0], DOUBLES, MPI_DOUBLE, (rank + 1) % size, 0, DOUBLES, MPI_DOUBLE, window);
                MPI_Win_fence(0, window);
        }
        MPI_Win_free(&window);
}

/* A sum that others could wait for later, if rank 2 were not late; mended: it is not. */
static void nonblocking(void)
{
        double own = rank, sum = 0;
        MPI_Request request;
        for (int step = 0; step < 10; step++) {
                compute(rank == 2 && !is_mended ? 60 : 25);
                MPI_Iallreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
                compute(5);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
}

/* Rank 0 writes for all, which wait for it; mended: each writes its own part. */
static void output(void)
{
        for (int step = 0; step < 5; step++) {
                compute(20);
                MPI_Gather(cells[0], 1, MPI_DOUBLE, cells[1], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
                if (rank == 0 || is_mended)
                        compute(is_mended ? 10 : 40);
                MPI_Barrier(MPI_COMM_WORLD);
        }
}

/* Workers ask for small tasks, each of which costs rank 0 much; mended: half as much. */
static void handout(void)
{
        enum { TASKS = 60, TASK = 1, STOP = 2 };
        MPI_Status status;
        if (rank == 0) {
                for (int left = TASKS, working = size - 1; working; left--) {
                        MPI_Recv(cells[0], DOUBLES, MPI_DOUBLE, MPI_ANY_SOURCE, TASK, MPI_COMM_WORLD,
                                 &status);
                        if (left > 0)
                                compute(is_mended ? 4 : 8);
                        working -= left <= 0;
                        MPI_Send(cells[1], DOUBLES, MPI_DOUBLE, status.MPI_SOURCE, left > 0 ? TASK : STOP,
                                 MPI_COMM_WORLD);
                }
        } else {
                do {
                        MPI_Send(cells[0], DOUBLES, MPI_DOUBLE, 0, TASK, MPI_COMM_WORLD);
                        MPI_Recv(cells[1], DOUBLES, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
                        compute(status.MPI_TAG == TASK ? 5 : 0);
                } while (status.MPI_TAG == TASK);
        }
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 3 has the longest rows of a triangle; mended: rows are dealt out in turn. */
static void triangle(void)
{
        double own = rank, sum = 0;
        for (int step = 0; step < 6; step++) {
                compute(is_mended ? 28 : 10 + 12 * rank);
                MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }
}

/* Ranks 0 and 2 compute all of their cells before they send those at the border, which the others wait for;
 * mended: in half the time. */
static void border(void)
{
        MPI_Request request;
        for (int step = 0; step < 6; step++) {
                if (rank % 2 == 0) {
                        compute(is_mended ? 20 : 40);
                        MPI_Isend(cells[0], DOUBLES, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, &request);
                        MPI_Wait(&request, MPI_STATUS_IGNORE);
                } else {
                        MPI_Recv(cells[0], DOUBLES, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
                        compute(30);
                }
                MPI_Barrier(MPI_COMM_WORLD);
        }
}

/* One after the other does what only one may do at a time; mended: ranks 0 to 2 take half as long. */
static void token(void)
{
        for (int step = 0; step < 4; step++) {
                if (rank > 0)
                        MPI_Recv(cells[0], DOUBLES, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
                compute(is_mended && rank < 3 ? 12.5 : 25);
                if (rank < size - 1)
                        MPI_Send(cells[0], DOUBLES, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
                MPI_Barrier(MPI_COMM_WORLD);
        }
}

static const struct {
        const char *name;
        void (*run)(void);
} programs[] = {
        {"stencil", stencil}, {"prepare", prepare},   {"pipeline", pipeline},       {"detour", detour},
        {"order", order},     {"requests", requests}, {"master", master},           {"input", input},
        {"turns", turns},     {"fence", fence},       {"nonblocking", nonblocking}, {"output", output},
        {"handout", handout}, {"triangle", triangle}, {"border", border},           {"token", token}};

int main(int argc, char **argv)
{
        int found = 0;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        is_mended = argc > 2 && strcmp(argv[2], "mended") == 0;
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(*programs); i++)
                if (strcmp(programs[i].name, argv[1]) == 0) {
                        programs[i].run();
                        found = 1;
                }
        if (!rank && found)
                printf("%.3f\n", (MPI_Wtime() - begin) * 1e3);
        MPI_Finalize();
        return !found;
}
