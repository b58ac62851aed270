/* demo.c - waits of known length, one after the other: `pgas_demo` all of one operation, `pgas_demo slow` and
 * `pgas_demo overloaded` a master and its workers.
 *
 * Each case begins at a time that all agree on, so that what the threads wait for is their own delay only.
 * Thread 0 prints what is to be found: pattern, line, and ms in all threads together. */
#define _GNU_SOURCE
#include "tests/pgas/record.h"
#include "tests/pgas/shim.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { D = 40, SMALL = 64, LARGE = 2 << 20, AHEAD_MS = 10, ROUNDS = 12 };

static uint64_t start; /* of the case at hand */

static void sleep_until(uint64_t ns)
{
        const struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
                ;
}

static void meet(int line)
{
        shim_barrier((shim_place){__FILE__, line, NULL, NULL});
        start = pgas_now() + AHEAD_MS * UINT64_C(1000000);
        MPI_Bcast(&start, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

/* The case begins, and this thread comes `ms` later. */
static void come(int ms)
{
        sleep_until(start + (uint64_t)ms * 1000000);
}

static void expect(const char *pattern, int line, double ms)
{
        if (!MYTHREAD)
                printf("%s %d %g\n", pattern, line, ms);
}

#define EXPECT_BELOW(pattern, ms) expect(pattern, __LINE__ + 1, ms)
#define MEET                      meet(__LINE__)

/* The sum of 0 .. n-1. */
static int sum(int n)
{
        return n * (n - 1) / 2;
}

static void with_allsync(void)
{
        MEET;
        come(MYTHREAD * D);
        EXPECT_BELOW("pgas-in-sync-wait", sum(THREADS) * D);
        shim_broadcast(HERE_WITH("ALL", "MY"), 0, SMALL);
        MEET;
        come(MYTHREAD * D);
        EXPECT_BELOW("pgas-out-sync-wait", sum(THREADS) * D);
        shim_permute(HERE_WITH("NO", "ALL"), SMALL);
        MEET;
        come(0);
        shim_drag(MYTHREAD == 1 ? D : 0);
        EXPECT_BELOW("pgas-out-sync-end", D);
        shim_scatter(HERE_WITH("ALL", "ALL"), 0, SMALL);
        MEET;
        come(MYTHREAD * D);
        EXPECT_BELOW("pgas-assumed-in-sync", sum(THREADS) * D);
        shim_exchange(HERE, SMALL);
}

static void with_mysync(void)
{
        MEET;
        come(MYTHREAD == 0 ? D : 0);
        EXPECT_BELOW("pgas-late-broadcast", (THREADS - 1) * D);
        shim_broadcast(HERE_WITH("MY", "MY"), 0, SMALL);
        MEET;
        come(MYTHREAD == 1 ? D : 0);
        EXPECT_BELOW("pgas-late-gather", (THREADS - 1) * D);
        shim_gather(HERE_WITH("MY", "MY"), 1, SMALL);
        MEET;
        come(MYTHREAD == 0 ? 0 : D);
        EXPECT_BELOW("pgas-early-gather", D);
        shim_reduce(HERE_WITH("MY", "MY"), 0, SMALL);
        MEET;
        come((THREADS - MYTHREAD) * D);
        EXPECT_BELOW("pgas-early-prefix-reduce", sum(THREADS) * D);
        shim_prefix_reduce(HERE_WITH("MY", "MY"), SMALL);
        MEET;
        come(MYTHREAD == 0 ? 0 : D);
        EXPECT_BELOW("pgas-alone-in-collective", D);
        shim_scatter(HERE_WITH("MY", "MY"), 0, SMALL);
}

static void between_many(void)
{
        MEET;
        come(MYTHREAD * D);
        EXPECT_BELOW("pgas-in-sync-many-to-many", sum(THREADS) * D);
        shim_exchange(HERE_WITH("MY", "MY"), SMALL);
        MEET;
        come(0);
        shim_drag(MYTHREAD == 2 ? D : 0);
        EXPECT_BELOW("pgas-out-sync-many-to-many", D);
        shim_gather_all(HERE_WITH("MY", "MY"), SMALL);
}

static void synchronisation(void)
{
        MEET;
        come(MYTHREAD * D);
        EXPECT_BELOW("pgas-barrier-wait", sum(THREADS) * D);
        shim_barrier(HERE);
        MEET;
        come(0);
        shim_drag(MYTHREAD == 1 ? D : 0);
        EXPECT_BELOW("pgas-barrier-completion", D);
        shim_barrier(HERE);
        MEET;
        come(MYTHREAD == 0 ? D : 0);
        EXPECT_BELOW("pgas-alloc-wait", (THREADS - 1) * D);
        shim_all_alloc(HERE, SMALL);
        MEET;
        come(MYTHREAD * D);
        shim_notify(HERE);
        EXPECT_BELOW("pgas-split-barrier-wait", sum(THREADS) * D);
        shim_wait(HERE);
        MEET;
        come(0);
        EXPECT_BELOW("pgas-lock-wait", sum(THREADS) * D);
        shim_lock(HERE, 3);
        sleep_until(pgas_now() + D * UINT64_C(1000000));
        shim_unlock(HERE, 3);
}

/* Two threads want the same word; the first keeps the second from it. */
static void one_sided(void)
{
        MEET;
        come(MYTHREAD == 1 ? 0 : D);
        if (MYTHREAD == 1 || MYTHREAD == 2) {
                shim_drag(MYTHREAD == 1 ? 2 * D : 0);
                shim_atomic_add(HERE, 0);
        }
        expect("pgas-atomic-wait", __LINE__ - 2, D);
        MEET;
        come(0);
        shim_memput(HERE, (MYTHREAD + 1) % THREADS, SMALL);
        shim_drag(MYTHREAD == 3 ? D : 0);
        EXPECT_BELOW("pgas-fence-wait", D);
        shim_fence(HERE);
        MEET;
        come(0);
        shim_drag(MYTHREAD == 1 ? 2 * D : 0);
        EXPECT_BELOW("pgas-imbalanced-communication", 2.0 * D * (THREADS - 1) / THREADS);
        shim_memget(HERE, 0, SMALL);
        MEET;
        for (int i = 0; i < 200; i++)
                shim_memput(HERE, (MYTHREAD + 1) % THREADS, SMALL);
        expect("pgas-frequent-communication", __LINE__ - 1, -1);
        MEET;
        EXPECT_BELOW("pgas-large-messages", -1);
        shim_memput(HERE, (MYTHREAD + 1) % THREADS, LARGE);
}

/* The master gathers results of workers that are slow; or is slow itself to hand out work. */
static void master_and_workers(int is_slow)
{
        for (int i = 0; i < ROUNDS; i++) {
                MPI_Barrier(MPI_COMM_WORLD);
                start = pgas_now() + UINT64_C(2000000);
                MPI_Bcast(&start, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
                come(is_slow == (MYTHREAD != 0) ? D : 0);
                if (is_slow)
                        shim_gather(HERE_WITH("MY", "MY"), 0, SMALL);
                else
                        shim_broadcast(HERE_WITH("MY", "MY"), 0, SMALL);
        }
        if (is_slow)
                expect("pgas-slow-workers", 0, ROUNDS * D);
        else
                expect("pgas-overloaded-master", 0, ROUNDS * D * (THREADS - 1));
}

int main(int argc, char **argv)
{
        shim_begin(&argc, &argv);
        if (argc > 1) {
                master_and_workers(strcmp(argv[1], "slow") == 0);
        } else {
                with_allsync();
                with_mysync();
                between_many();
                synchronisation();
                one_sided();
        }
        shim_end();
        return 0;
}
