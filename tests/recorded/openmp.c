/* openmp.c - threads of OpenMP that wait for each other for known times, with an MPI (-DWITH_MPI) or without.
 * It says what is to be found, "PATTERN LINE MS" with the ms of all threads of all processes, and knows
 * nothing of its being recorded.
 *
 * Threads come at times that all agree on, so that nobody waits between the cases. Compilers differ in which
 * line of a construct they call its library from. */
#define _GNU_SOURCE
#include <omp.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { D = 20, THREADS = 3, CASE_MS = 120, ALL_MS = D * THREADS * (THREADS - 1) / 2 };
#ifdef __clang__
enum { FROM_LOOP = 0 };
#else
enum { FROM_LOOP = 1 };
#endif

static long start_ns;
static int rank, size = 1;
static omp_lock_t lock;

static long now(void)
{
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void come(int ms)
{
        long ns = start_ns + ms * 1000000L;
        const struct timespec t = {ns / 1000000000, ns % 1000000000};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
                ;
}

static void expect(const char *pattern, int line, int ms)
{
        if (!rank)
                printf("%s %d %d\n", pattern, line, ms * size);
        start_ns += CASE_MS * 1000000L;
        come(0);
}

static void barrier(void)
{
#pragma omp parallel
        {
                come(omp_get_thread_num() * D);
#pragma omp barrier
        }
        expect("omp-barrier-wait", __LINE__ - 2, ALL_MS);
}

static void join(void)
{
#pragma omp parallel
        {
                come(omp_get_thread_num() * D);
        }
        expect("omp-implicit-barrier-wait", __LINE__ - 4, ALL_MS);
}

/* Each has one iteration, whoever comes first. */
static void loop(void)
{
#pragma omp parallel
        {
                come(D);
#pragma omp for schedule(dynamic)
                for (int i = 0; i < THREADS; i++)
                        come((omp_get_thread_num() + 2) * D);
                come((THREADS + 2) * D);
        }
        expect("omp-implicit-barrier-wait", __LINE__ - 5 + FROM_LOOP, ALL_MS);
}

static void hold(void)
{
        const struct timespec t = {0, D * 1000000L};
        nanosleep(&t, NULL);
}

static void critical(void)
{
#pragma omp parallel
        {
                come(D);
#pragma omp critical(one)
                hold();
                come((THREADS + 2) * D);
        }
        expect("omp-critical-wait", __LINE__ - 4, ALL_MS);
}

static void locked(void)
{
#pragma omp parallel
        {
                come(D);
                omp_set_lock(&lock);
                hold();
                omp_unset_lock(&lock);
                come((THREADS + 2) * D);
        }
        expect("omp-lock-wait", __LINE__ - 5, ALL_MS);
}

#ifdef WITH_MPI
/* A call of MPI in a parallel region, for which one process is late. */
static void call(void)
{
#pragma omp parallel
        {
                come(omp_get_thread_num() ? 3 * D : rank ? D : 0);
#pragma omp master
                MPI_Barrier(MPI_COMM_WORLD);
                come(4 * D);
        }
        if (!rank)
                printf("barrier-wait %d %d\n", __LINE__ - 4, (size - 1 > 0) * D);
        start_ns += CASE_MS * 1000000L;
}
#endif

int main(int argc, char **argv)
{
#ifdef WITH_MPI
        int level;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
        (void)argc, (void)argv;
        omp_set_num_threads(THREADS);
        omp_init_lock(&lock);
        start_ns = now();
#pragma omp parallel
        come(D); /* so that all threads are there */
        start_ns = now() + D * 1000000L;
#ifdef WITH_MPI
        MPI_Bcast(&start_ns, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        call();
#endif
        come(0);
        barrier();
        join();
        loop();
        critical();
        locked();
#ifdef WITH_MPI
        MPI_Finalize();
#endif
        return 0;
}
