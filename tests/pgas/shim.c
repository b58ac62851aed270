/* shim.c - see shim.h.
 *
 * With MYSYNC data move in synchronous messages between pairs, so that a block moves only when both of its
 * owners have come, and whoever sends leaves only when it is received. ALLSYNC adds a barrier. */
#define _GNU_SOURCE
#include "tests/pgas/shim.h"

#include "tests/pgas/record.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HEAP_BYTES = 4 << 20, LOCKS = 8, ATOMIC_LOCK = LOCKS, MOST_THREADS = 64 };

int MYTHREAD, THREADS;

static MPI_Comm all;
static MPI_Win heap_window, lock_window;
static MPI_Request notified = MPI_REQUEST_NULL;
static char *heap, *own;
static int drag_ms;

static void pause_ms(int ms)
{
        struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
        nanosleep(&t, NULL);
}

void shim_drag(int ms)
{
        drag_ms = ms;
}

static void drag(void)
{
        if (drag_ms)
                pause_ms(drag_ms);
        drag_ms = 0;
}

void shim_begin(int *argc, char ***argv)
{
        char *words;
        MPI_Init(argc, argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &MYTHREAD);
        MPI_Comm_size(MPI_COMM_WORLD, &THREADS);
        if (THREADS > MOST_THREADS)
                MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Comm_dup(MPI_COMM_WORLD, &all);
        own = calloc(2, HEAP_BYTES);
        MPI_Win_allocate(HEAP_BYTES, 1, MPI_INFO_NULL, all, &heap, &heap_window);
        MPI_Win_allocate((LOCKS + 1) * sizeof(long), sizeof(long), MPI_INFO_NULL, all, &words, &lock_window);
        memset(heap, 0, HEAP_BYTES); /* no page is touched first within a call */
        memset(own, 1, 2 * (size_t)HEAP_BYTES);
        memset(words, 0, (LOCKS + 1) * sizeof(long));
        MPI_Win_lock_all(0, heap_window);
        MPI_Win_lock_all(0, lock_window);
        MPI_Barrier(all);
}

void shim_end(void)
{
        MPI_Barrier(all);
        if (pgas_record_write("PGAS semantics over MPI (emulated)", MYTHREAD, THREADS))
                MPI_Abort(all, 2);
        MPI_Win_unlock_all(heap_window);
        MPI_Win_unlock_all(lock_window);
        MPI_Win_free(&heap_window);
        MPI_Win_free(&lock_window);
        free(own);
        MPI_Finalize();
}

static pgas_call begin(shim_place at, const char *name)
{
        return (pgas_call){.name = name,
                           .file = at.file,
                           .line = at.line,
                           .in = at.in,
                           .out = at.out,
                           .root = -1,
                           .target = -1,
                           .lock = -1,
                           .enter = pgas_now()};
}

static void end(pgas_call *call)
{
        drag();
        call->leave = pgas_now();
        pgas_record(call);
}

/* -- collectives -- */

static int is_all(const char *mode)
{
        return !mode || strcmp(mode, "ALL") == 0;
}

static void send_to_all(int bytes)
{
        MPI_Request request[MOST_THREADS];
        int n = 0;
        for (int i = 0; i < THREADS; i++)
                if (i != MYTHREAD)
                        MPI_Issend(own, bytes, MPI_BYTE, i, 1, all, &request[n++]);
        MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

static void receive(int from, int bytes)
{
        MPI_Recv(own + HEAP_BYTES, bytes, MPI_BYTE, from, 1, all, MPI_STATUS_IGNORE);
}

static void one_to_many(int root, int bytes)
{
        if (MYTHREAD == root)
                send_to_all(bytes);
        else
                receive(root, bytes);
}

static void many_to_one(int root, int bytes)
{
        if (MYTHREAD != root)
                MPI_Ssend(own, bytes, MPI_BYTE, root, 1, all);
        for (int i = 1; MYTHREAD == root && i < THREADS; i++)
                receive(MPI_ANY_SOURCE, bytes);
}

static void many_to_many(int root, int bytes)
{
        MPI_Request request[2 * MOST_THREADS];
        int n = 0;
        (void)root;
        for (int i = 0; i < THREADS; i++) {
                if (i == MYTHREAD)
                        continue;
                MPI_Irecv(own + HEAP_BYTES, bytes, MPI_BYTE, i, 1, all, &request[n++]);
                MPI_Issend(own, bytes, MPI_BYTE, i, 1, all, &request[n++]);
        }
        MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

static void along(int root, int bytes)
{
        (void)root;
        if (MYTHREAD)
                receive(MYTHREAD - 1, bytes);
        if (MYTHREAD < THREADS - 1)
                MPI_Send(own, bytes, MPI_BYTE, MYTHREAD + 1, 1, all);
}

static void collective(shim_place at, const char *name, void (*move)(int root, int bytes), int root,
                       int bytes)
{
        pgas_call call = begin(at, name);
        call.root = root;
        call.bytes = (uint64_t)bytes;
        if (is_all(at.in))
                MPI_Barrier(all);
        move(root, bytes);
        if (is_all(at.out))
                MPI_Barrier(all);
        end(&call);
}

void shim_broadcast(shim_place at, int root, int bytes)
{
        collective(at, "upc_all_broadcast", one_to_many, root, bytes);
}

void shim_scatter(shim_place at, int root, int bytes)
{
        collective(at, "upc_all_scatter", one_to_many, root, bytes);
}

void shim_gather(shim_place at, int root, int bytes)
{
        collective(at, "upc_all_gather", many_to_one, root, bytes);
}

void shim_reduce(shim_place at, int root, int bytes)
{
        collective(at, "upc_all_reduceI", many_to_one, root, bytes);
}

void shim_exchange(shim_place at, int bytes)
{
        collective(at, "upc_all_exchange", many_to_many, -1, bytes);
}

void shim_gather_all(shim_place at, int bytes)
{
        collective(at, "upc_all_gather_all", many_to_many, -1, bytes);
}

void shim_permute(shim_place at, int bytes)
{
        collective(at, "upc_all_permute", many_to_many, -1, bytes);
}

void shim_prefix_reduce(shim_place at, int bytes)
{
        collective(at, "upc_all_prefix_reduceI", along, -1, bytes);
}

void shim_barrier(shim_place at)
{
        pgas_call call = begin(at, "upc_barrier");
        MPI_Barrier(all);
        end(&call);
}

void shim_notify(shim_place at)
{
        pgas_call call = begin(at, "upc_notify");
        MPI_Ibarrier(all, &notified);
        end(&call);
}

void shim_wait(shim_place at)
{
        pgas_call call = begin(at, "upc_wait");
        MPI_Wait(&notified, MPI_STATUS_IGNORE);
        end(&call);
}

void shim_all_alloc(shim_place at, size_t bytes)
{
        pgas_call call = begin(at, "upc_all_alloc");
        uint64_t where = bytes;
        call.root = 0;
        MPI_Bcast(&where, 1, MPI_UINT64_T, 0, all);
        end(&call);
}

/* -- one-sided -- */

void shim_fence(shim_place at)
{
        pgas_call call = begin(at, "upc_fence");
        MPI_Win_flush_all(heap_window);
        end(&call);
}

/* Words at thread `target` that are 0, or the holder's number + 1. */
static void take(int target, int lock)
{
        const long mine = MYTHREAD + 1, nobody = 0;
        struct timespec nap = {0, 50000};
        for (long old = 1; old;) {
                MPI_Compare_and_swap(&mine, &nobody, &old, MPI_LONG, target, lock, lock_window);
                MPI_Win_flush(target, lock_window);
                if (old)
                        nanosleep(&nap, NULL);
        }
}

static void give(int target, int lock)
{
        const long nobody = 0;
        long old;
        MPI_Fetch_and_op(&nobody, &old, MPI_LONG, target, lock, MPI_REPLACE, lock_window);
        MPI_Win_flush(target, lock_window);
}

void shim_lock(shim_place at, int lock)
{
        pgas_call call = begin(at, "upc_lock");
        call.lock = lock;
        take(0, lock);
        end(&call);
}

void shim_unlock(shim_place at, int lock)
{
        pgas_call call = begin(at, "upc_unlock");
        call.lock = lock;
        give(0, lock);
        end(&call);
}

void shim_memput(shim_place at, int target, int bytes)
{
        pgas_call call = begin(at, "upc_memput");
        call.target = target;
        call.bytes = (uint64_t)bytes;
        MPI_Put(own, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, heap_window);
        MPI_Win_flush_local(target, heap_window);
        end(&call);
}

void shim_memget(shim_place at, int target, int bytes)
{
        pgas_call call = begin(at, "upc_memget");
        call.target = target;
        call.bytes = (uint64_t)bytes;
        MPI_Get(own + HEAP_BYTES, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, heap_window);
        MPI_Win_flush(target, heap_window);
        end(&call);
}

/* One after the other on the memory of one thread, as where the network cannot do it: a drag holds up all. */
void shim_atomic_add(shim_place at, int target)
{
        pgas_call call = begin(at, "bupc_atomicI64_fetchadd_strict");
        call.target = target;
        call.bytes = sizeof(long);
        take(target, ATOMIC_LOCK);
        drag();
        give(target, ATOMIC_LOCK);
        end(&call);
}
