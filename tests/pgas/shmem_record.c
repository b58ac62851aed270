/* shmem_record.c - a library that is loaded before OpenSHMEM's and records what a program calls of it
 * (record.h):
 *
 *   PGAS_RECORD=calls oshrun -n 4 --mca memory ^patcher env LD_PRELOAD=libshmem_record.so ./program
 *   pgas_archive calls trace
 *
 * OpenSHMEM's functions have a second name each, pshmem_*, for tools like this one. Of collectives those of
 * all PEs are recorded: which PEs others are of, the archive would have to define. */
#define _GNU_SOURCE
#include "tests/pgas/record.h"

#include <dlfcn.h>
#include <pshmem.h>

static int me, n_pes;
static int depth;       /* of calls: what OpenSHMEM calls itself is no call of the program */
static uintptr_t first; /* address that the program allocated */

#define CALL(function)                                                                                       \
        ((pgas_call){.name = #function, .root = -1, .target = -1, .lock = -1, .enter = pgas_now()})

static void end(pgas_call *call)
{
        call->leave = pgas_now();
        if (depth == 0)
                pgas_record(call);
}

/* Addresses differ from one PE to another, places in the program and in the symmetric heap do not. */
static int64_t lock_of(const volatile long *lock)
{
        Dl_info info;
        uintptr_t at = (uintptr_t)lock;
        if (dladdr((const void *)at, &info))
                return (int64_t)(at - (uintptr_t)info.dli_fbase);
        return (int64_t)(at - first) ^ INT64_C(1) << 62;
}

/* -- life -- */

void shmem_init(void)
{
        depth++;
        pshmem_init();
        depth--;
        me = pshmem_my_pe();
        n_pes = pshmem_n_pes();
}

int shmem_init_thread(int requested, int *provided)
{
        depth++;
        int status = pshmem_init_thread(requested, provided);
        depth--;
        me = pshmem_my_pe();
        n_pes = pshmem_n_pes();
        return status;
}

void shmem_finalize(void)
{
        pgas_record_write("SHMEM calls recorded by pshmem", me, n_pes);
        depth++;
        pshmem_finalize();
        depth--;
}

/* -- what all take part in -- */

#define SYNC(name)                                                                                           \
        void shmem_##name(void)                                                                              \
        {                                                                                                    \
                pgas_call call = CALL(shmem_##name);                                                         \
                depth++;                                                                                     \
                pshmem_##name();                                                                             \
                depth--;                                                                                     \
                end(&call);                                                                                  \
        }
SYNC(barrier_all)
SYNC(sync_all)
SYNC(quiet)
SYNC(fence)

void *shmem_malloc(size_t size)
{
        pgas_call call = CALL(shmem_malloc);
        depth++;
        void *at = pshmem_malloc(size);
        depth--;
        first = first ? first : (uintptr_t)at;
        end(&call);
        return at;
}

void shmem_free(void *at)
{
        pgas_call call = CALL(shmem_free);
        depth++;
        pshmem_free(at);
        depth--;
        end(&call);
}

static void end_collective(pgas_call *call, int pe_size, uint64_t bytes)
{
        call->in = call->out = "MY";
        call->bytes = bytes;
        if (pe_size == n_pes)
                end(call);
}

#define BROADCAST(name, size)                                                                                \
        void shmem_##name(void *to, const void *from, size_t n, int root, int start, int stride, int pes,    \
                          long *sync)                                                                        \
        {                                                                                                    \
                pgas_call call = CALL(shmem_##name);                                                         \
                call.root = root;                                                                            \
                depth++;                                                                                     \
                pshmem_##name(to, from, n, root, start, stride, pes, sync);                                  \
                depth--;                                                                                     \
                end_collective(&call, pes, n *(size));                                                       \
        }
BROADCAST(broadcast32, 4)
BROADCAST(broadcast64, 8)

#define COLLECT(name, size)                                                                                  \
        void shmem_##name(void *to, const void *from, size_t n, int start, int stride, int pes, long *sync)  \
        {                                                                                                    \
                pgas_call call = CALL(shmem_##name);                                                         \
                depth++;                                                                                     \
                pshmem_##name(to, from, n, start, stride, pes, sync);                                        \
                depth--;                                                                                     \
                end_collective(&call, pes, n *(size));                                                       \
        }
COLLECT(collect32, 4)
COLLECT(collect64, 8)
COLLECT(fcollect32, 4)
COLLECT(fcollect64, 8)
COLLECT(alltoall32, 4)
COLLECT(alltoall64, 8)

#define REDUCE(name, type)                                                                                   \
        void shmem_##name(type *to, const type *from, int n, int start, int stride, int pes, type *work,     \
                          long *sync)                                                                        \
        {                                                                                                    \
                pgas_call call = CALL(shmem_##name);                                                         \
                depth++;                                                                                     \
                pshmem_##name(to, from, n, start, stride, pes, work, sync);                                  \
                depth--;                                                                                     \
                end_collective(&call, pes, (uint64_t)n * sizeof(type));                                      \
        }
REDUCE(int_sum_to_all, int)
REDUCE(int_max_to_all, int)
REDUCE(int_min_to_all, int)
REDUCE(long_sum_to_all, long)
REDUCE(long_max_to_all, long)
REDUCE(long_min_to_all, long)
REDUCE(double_sum_to_all, double)
REDUCE(double_max_to_all, double)
REDUCE(double_min_to_all, double)

/* -- locks -- */

void shmem_set_lock(volatile long *lock)
{
        pgas_call call = CALL(shmem_set_lock);
        call.lock = lock_of(lock);
        depth++;
        pshmem_set_lock(lock);
        depth--;
        end(&call);
}

void shmem_clear_lock(volatile long *lock)
{
        pgas_call call = CALL(shmem_clear_lock);
        call.lock = lock_of(lock);
        depth++;
        pshmem_clear_lock(lock);
        depth--;
        end(&call);
}

int shmem_test_lock(volatile long *lock)
{
        pgas_call call = CALL(shmem_test_lock);
        call.lock = lock_of(lock);
        depth++;
        call.failed = pshmem_test_lock(lock);
        depth--;
        end(&call);
        return call.failed;
}

/* -- one-sided -- */

#define MOVE(name, to_type, from_type, size)                                                                 \
        void shmem_##name(to_type *to, const from_type *from, size_t n, int pe)                              \
        {                                                                                                    \
                pgas_call call = CALL(shmem_##name);                                                         \
                call.target = pe;                                                                            \
                call.bytes = n * (size);                                                                     \
                depth++;                                                                                     \
                pshmem_##name(to, from, n, pe);                                                              \
                depth--;                                                                                     \
                end(&call);                                                                                  \
        }
MOVE(putmem, void, void, 1)
MOVE(getmem, void, void, 1)
MOVE(put32, void, void, 4)
MOVE(get32, void, void, 4)
MOVE(put64, void, void, 8)
MOVE(get64, void, void, 8)

#define OF_TYPE(name, type)                                                                                  \
        MOVE(name##_put, type, type, sizeof(type))                                                           \
        MOVE(name##_get, type, type, sizeof(type))                                                           \
        void shmem_##name##_p(type *to, type value, int pe)                                                  \
        {                                                                                                    \
                pgas_call call = CALL(shmem_##name##_p);                                                     \
                call.target = pe;                                                                            \
                call.bytes = sizeof(type);                                                                   \
                depth++;                                                                                     \
                pshmem_##name##_p(to, value, pe);                                                            \
                depth--;                                                                                     \
                end(&call);                                                                                  \
        }                                                                                                    \
        type shmem_##name##_g(const type *from, int pe)                                                      \
        {                                                                                                    \
                pgas_call call = CALL(shmem_##name##_g);                                                     \
                call.target = pe;                                                                            \
                call.bytes = sizeof(type);                                                                   \
                depth++;                                                                                     \
                type value = pshmem_##name##_g(from, pe);                                                    \
                depth--;                                                                                     \
                end(&call);                                                                                  \
                return value;                                                                                \
        }
OF_TYPE(int, int)
OF_TYPE(long, long)
OF_TYPE(double, double)
OF_TYPE(float, float)

#define ATOMICS(name, type)                                                                                  \
        type shmem_##name##_atomic_fetch_add(type *at, type value, int pe)                                   \
        {                                                                                                    \
                pgas_call call = CALL(shmem_##name##_atomic_fetch_add);                                      \
                call.target = pe;                                                                            \
                call.bytes = sizeof(type);                                                                   \
                depth++;                                                                                     \
                type old = pshmem_##name##_atomic_fetch_add(at, value, pe);                                  \
                depth--;                                                                                     \
                end(&call);                                                                                  \
                return old;                                                                                  \
        }                                                                                                    \
        type shmem_##name##_atomic_fetch_inc(type *at, int pe)                                               \
        {                                                                                                    \
                pgas_call call = CALL(shmem_##name##_atomic_fetch_inc);                                      \
                call.target = pe;                                                                            \
                call.bytes = sizeof(type);                                                                   \
                depth++;                                                                                     \
                type old = pshmem_##name##_atomic_fetch_inc(at, pe);                                         \
                depth--;                                                                                     \
                end(&call);                                                                                  \
                return old;                                                                                  \
        }                                                                                                    \
        type shmem_##name##_atomic_compare_swap(type *at, type expected, type value, int pe)                 \
        {                                                                                                    \
                pgas_call call = CALL(shmem_##name##_atomic_compare_swap);                                   \
                call.target = pe;                                                                            \
                call.bytes = sizeof(type);                                                                   \
                depth++;                                                                                     \
                type old = pshmem_##name##_atomic_compare_swap(at, expected, value, pe);                     \
                depth--;                                                                                     \
                end(&call);                                                                                  \
                return old;                                                                                  \
        }
ATOMICS(int, int)
ATOMICS(long, long)
