/* program.c - MPI calls in whatever a compiler makes code of. A comment behind a call says what is recorded
 * of its line: @ FUNCTION, and the functions that it is called from if they are to be told, the outermost
 * first. `program PLUGIN1 PLUGIN2` loads two files with code, one after the other. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define INLINE   static inline __attribute__((always_inline))
#define W        MPI_COMM_WORLD
#define MEET()   MPI_Barrier(W)

int shared_jumps(MPI_Comm comm);
void shared_calls(MPI_Comm comm);
void cxx_calls(MPI_Comm comm);

volatile int zero;
static int v[4], w[4], size;

/* -- plain ones -- */

NOINLINE static void plain(void)
{
        MPI_Request q[2];
        int flag;
        MPI_Barrier(W);                                            /* @ MPI_Barrier main>plain */
        MPI_Bcast(v, 1, MPI_INT, 0, W);                            /* @ MPI_Bcast main>plain */
        MPI_Irecv(w, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &q[0]);      /* @ MPI_Irecv main>plain */
        MPI_Isend(v, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &q[1]);      /* @ MPI_Isend main>plain */
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);                    /* @ MPI_Waitall main>plain */
        MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE); /* @ MPI_Iprobe main>plain */
        MPI_Sendrecv(v, 1, MPI_INT, 0, 2,                          /* @ MPI_Sendrecv main>plain */
                     w, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        if (zero)
                MPI_Reduce(v, w, 1, MPI_INT, MPI_SUM, 0, W);
        else
                MPI_Allreduce(v, w, 1, MPI_INT, MPI_SUM, W); /* @ MPI_Allreduce main>plain */
        switch (zero) {
        case 1:
                MPI_Scan(v, w, 1, MPI_INT, MPI_SUM, W);
                break;
        default:
                MPI_Exscan(v, w, 1, MPI_INT, MPI_SUM, W); /* @ MPI_Exscan main>plain */
        }
        MEET(); /* @ MPI_Barrier main>plain */
        /* clang-format off */
        MPI_Barrier(W); MPI_Barrier(W); /* @ MPI_Barrier main>plain */
        /* clang-format on */
}

/* -- loops -- */

NOINLINE static void loops(int n)
{
        for (int i = 0; i < n; i++)
                MPI_Barrier(W); /* @ MPI_Barrier main>loops */
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
                MPI_Bcast(v + i, 1, MPI_INT, 0, W); /* @ MPI_Bcast main>loops */
        do {
                MPI_Allreduce(v, w, 1, MPI_INT, MPI_SUM, W); /* @ MPI_Allreduce main>loops */
        } while (--n > 0);
        while (n++ < 2)
                if (n % 2)
                        MPI_Reduce(v, w, 1, MPI_INT, MPI_SUM, 0, W); /* @ MPI_Reduce main>loops */
                else
                        MPI_Gather(v, 1, MPI_INT, w, 1, MPI_INT, 0, W); /* @ MPI_Gather main>loops */
}

/* -- inlined ones -- */

INLINE void inner(int n)
{
        MPI_Bcast(v, n, MPI_INT, 0, W); /* @ MPI_Bcast main>inlines>outer>inner,main>more>inner */
}

INLINE void outer(int n)
{
        MPI_Barrier(W); /* @ MPI_Barrier main>inlines>outer */
        inner(n);
        MPI_Barrier(W); /* @ MPI_Barrier main>inlines>outer */
}

NOINLINE static void inlines(void)
{
        outer(1);
        MPI_Barrier(W); /* @ MPI_Barrier main>inlines */
        outer(2);
}

NOINLINE static void more(void)
{
        inner(3);
        MPI_Allgather(v, 1, MPI_INT, w, 1, MPI_INT, W); /* @ MPI_Allgather main>more */
}

static void small(int n)
{
        if (n > 0)
                MPI_Alltoall(v, 1, MPI_INT, w, 1, MPI_INT, W); /* @ MPI_Alltoall */
}

/* -- jumps -- */

NOINLINE static int jumps(MPI_Comm comm)
{
        return MPI_Barrier(comm); /* @ MPI_Barrier */
}

NOINLINE static int jumps_on(MPI_Comm comm)
{
        v[0]++;
        return jumps(comm);
}

NOINLINE static int jumps_either(int n)
{
        if (n)
                return MPI_Bcast(v, n, MPI_INT, 0, W);      /* @ MPI_Bcast */
        return MPI_Allreduce(v, w, 1, MPI_INT, MPI_SUM, W); /* @ MPI_Allreduce */
}

NOINLINE static void jumps_from_a_loop(int n)
{
        for (int i = 0; i < n; i++)
                MPI_Barrier(W);                 /* @ MPI_Barrier */
        MPI_Scan(v, w, 1, MPI_INT, MPI_SUM, W); /* @ MPI_Scan */
}

NOINLINE static int jumps_far(MPI_Comm comm)
{
        return shared_jumps(comm);
}

NOINLINE static int by_pointer(int (*call)(MPI_Comm))
{
        int code = call(W);
        MPI_Barrier(W); /* @ MPI_Barrier main>by_pointer */
        return code + 1;
}

NOINLINE static int called(MPI_Comm comm)
{
        int code =
                MPI_Allreduce(v, w, 2, MPI_INT, MPI_SUM, comm); /* @ MPI_Allreduce main>by_pointer>called */
        return code + zero;
}

/* -- what else there is -- */

NOINLINE static int compare(const void *a, const void *b)
{
        MPI_Barrier(W); /* @ MPI_Barrier */
        return *(const int *)a - *(const int *)b;
}

NOINLINE static void recursion(int n)
{
        if (n)
                recursion(n - 1);
        MPI_Barrier(W); /* @ MPI_Barrier */
        v[1]++;
}

NOINLINE static void cold_part(int n)
{
        if (__builtin_expect(n > 1, 0)) {
                MPI_Bcast(v, 1, MPI_INT, 0, W); /* @ MPI_Bcast main>cold_part */
                fflush(stdout);
        }
        MPI_Barrier(W); /* @ MPI_Barrier main>cold_part */
        v[2]++;
}

NOINLINE static void is_cloned(int n, int m, int *to)
{
        for (int i = 0; i < m; i++)
                to[i] += n;
        MPI_Bcast(to, m, MPI_INT, 0, W); /* @ MPI_Bcast main>is_cloned */
        to[0]++;
}

static int is_late(void)
{
        return size;
}

NOINLINE static void on_large_stack(int n)
{
        char room[n];
        memset(room, n, (size_t)n);
        MPI_Bcast(room, n, MPI_CHAR, 0, W); /* @ MPI_Bcast main>on_large_stack */
        v[3] += room[n - 1];
}

NOINLINE static void on_aligned_stack(int n)
{
        _Alignas(64) double room[16];
        for (int i = 0; i < 16; i++)
                room[i] = n;
        MPI_Bcast(room, 16, MPI_DOUBLE, 0, W); /* @ MPI_Bcast main>on_aligned_stack */
        v[3] += (int)room[n];
        MPI_Barrier(W); /* @ MPI_Barrier main>on_aligned_stack */
        v[3]++;
}

static void plugins(char **paths)
{
        for (int round = 0; round < 2; round++)
                for (int i = 0; paths[i]; i++) {
                        void *plugin = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
                        void (*run)(MPI_Comm) = plugin ? (void (*)(MPI_Comm))dlsym(plugin, "run") : NULL;
                        if (!run)
                                MPI_Abort(W, 3);
                        run(W);
                        dlclose(plugin);
                }
}

int main(int argc, char **argv)
{
        int some[] = {3, 1, 2}, n = argc;
        MPI_Init(&argc, &argv); /* @ MPI_Init main */
        MPI_Comm_size(W, &size);
        plain();
        loops(3);
        inlines();
        more();
        small(n);
        jumps(W);
        jumps_on(W);
        jumps_either(0);
        jumps_either(1);
        jumps_from_a_loop(2);
        jumps_far(W);
        by_pointer(called);
        qsort(some, 3, sizeof(int), compare);
        recursion(3);
        cold_part(n);
        is_cloned(1, 2, v);
        is_cloned(1, 3, w);
        on_large_stack(100 * is_late());
        on_aligned_stack(n);
        shared_calls(W);
        cxx_calls(W);
        plugins(argv + 1);
        MPI_Barrier(W); /* @ MPI_Barrier main */
        MPI_Finalize(); /* @ MPI_Finalize main */
        return 0;
}
