/* shmem_demo.c - a program of OpenSHMEM with waits of known length; PE 0 prints what is to be found, as
 * demo.c does. It knows nothing of its being recorded.
 *
 * Cases begin and end at times that all agree on, so that nobody waits between them. */
#define _GNU_SOURCE
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { D = 30, AHEAD_MS = 20, CASE_MS = 200, WORDS = 8 };

static long start_ns, lock, from[WORDS], to[8 * WORDS];
static long for_broadcast[SHMEM_BCAST_SYNC_SIZE], for_collect[SHMEM_COLLECT_SYNC_SIZE];
static int me, n;

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
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
                ;
}

static void expect(const char *pattern, int ms)
{
        if (!me)
                printf("%s 0 %d\n", pattern, ms);
}

/* The next case begins soon, when the last one is over for all. */
static void next(void)
{
        come(CASE_MS);
        start_ns += (CASE_MS + AHEAD_MS) * 1000000L;
        come(0);
}

int main(void)
{
        shmem_init();
        me = shmem_my_pe();
        n = shmem_n_pes();
        for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++)
                for_broadcast[i] = SHMEM_SYNC_VALUE;
        for (int i = 0; i < SHMEM_COLLECT_SYNC_SIZE; i++)
                for_collect[i] = SHMEM_SYNC_VALUE;
        shmem_barrier_all();
        for (int pe = 0; me == 0 && pe < n; pe++)
                shmem_long_p(&start_ns, now() + AHEAD_MS * 1000000L, pe);
        shmem_barrier_all();
        if (me)
                start_ns = shmem_long_g(&start_ns, 0);
        shmem_barrier_all();

        int sum = n * (n - 1) / 2 * D;
        come(me * D);
        shmem_barrier_all();
        next();
        shmem_set_lock(&lock);
        const struct timespec held = {0, D * 1000000L};
        nanosleep(&held, NULL);
        shmem_clear_lock(&lock);
        shmem_barrier_all(); /* who sleeps outside of the library does not hand a lock on */
        expect("pgas-lock-wait", sum);
        expect("pgas-barrier-wait", 2 * sum);
        next();
        come(me == 1 ? D : 0);
        shmem_broadcast64(to, from, WORDS, 1, 0, 0, n, for_broadcast);
        expect("pgas-late-broadcast", (n - 1) * D);
        next();
        come(me * D);
        shmem_fcollect64(to, from, WORDS, 0, 0, n, for_collect);
        expect("pgas-in-sync-many-to-many", sum);
        next();
        shmem_finalize();
        return 0;
}
