/* named.c - what is told besides calls: `named WHAT`, which is samples, regions or control. Marks say what is
 * expected: @ region NAME, and the calls that are made in it. */
#include <mpi.h>
#include <patscan/regions.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 5, BOTH_MS = 40, MORE_MS = 60, LONG_NAME = 5000 };

static int rank, size;
static volatile double field[1000];

static double now_ms(void)
{
        struct timespec t;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

#define SWEEP()                                                                                              \
        for (int i = 1; i < 999; i++)                                                                        \
        field[i] = 0.5 * (field[i - 1] + field[i + 1])

__attribute__((noinline)) static void assemble(void)
{
        for (double end = now_ms() + BOTH_MS; now_ms() < end;)
                SWEEP();
}

/* What rank 1 has more of. */
__attribute__((noinline)) static void relax(void)
{
        for (double end = now_ms() + (rank == 1 ? MORE_MS : 0); now_ms() < end;)
                SWEEP();
}

static void meet(void)
{
        MPI_Barrier(MPI_COMM_WORLD);
}

static void samples(void)
{
        for (int step = 0; step < STEPS; step++) {
                assemble();
                relax();
                meet();
        }
}

static void *other_thread(void *unused)
{
        PATSCAN_BEGIN("of another thread");
        PATSCAN_END("of another thread");
        PATSCAN_END("never begun");
        return unused;
}

static void regions(void)
{
        pthread_t thread;
        char *name = malloc(LONG_NAME + 1);
        memset(name, 'n', LONG_NAME);
        name[LONG_NAME] = '\0';
        for (int step = 0; step < 3; step++) {
                PATSCAN_BEGIN("time step");
                PATSCAN_BEGIN("50 % done\n");
                meet();
                PATSCAN_END("50 % done\n");
                PATSCAN_BEGIN("forgotten");
                PATSCAN_BEGIN(name);
                meet();
                PATSCAN_END("time step");
                PATSCAN_END("never begun");
                PATSCAN_END(NULL);
        }
        for (int i = 0; i < 100; i++)
                PATSCAN_BEGIN("deep");
        meet();
        for (int i = 0; i < 90; i++)
                PATSCAN_END("deep");
        pthread_create(&thread, NULL, other_thread, NULL);
        pthread_join(thread, NULL);
        free(name);
        PATSCAN_BEGIN(NULL);
        PATSCAN_BEGIN("open to the end");
}

static void control(void)
{
        for (int step = 0; step < 4; step++) {
                MPI_Pcontrol(step % 2);
                MPI_Pcontrol(2);
                meet();
        }
        MPI_Pcontrol(7, "others' own");
}

int main(int argc, char **argv)
{
        PATSCAN_BEGIN("before all");
        PATSCAN_END("before all");
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        meet();
        if (argc > 1 && strcmp(argv[1], "samples") == 0)
                samples();
        else if (argc > 1 && strcmp(argv[1], "regions") == 0)
                regions();
        else
                control();
        meet();
        MPI_Finalize();
        PATSCAN_BEGIN("behind all");
        return 0;
}
