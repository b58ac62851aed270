/* shmem.c - programs of OpenSHMEM, in the library that is loaded before them. Its calls have no declarations
 * here: each is handed on to the next one of its name. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the C library's own switch
#include "record/shim/shim.h"

#include <dlfcn.h>
#include <stdio.h>

#define EXPORT      __attribute__((visibility("default")))
#define UNPACK(...) __VA_ARGS__
#define NO_ROOT     PS_RAW_ROOT_NONE

static int n_pes;
static uint64_t last_id;
static __thread uint64_t moved __attribute__((tls_model("initial-exec"))); /* by the call at work */
static uintptr_t heap; /* the first address that the program was given */

enum {
        PS_SHMEM_init,
        PS_SHMEM_init_thread,
        PS_SHMEM_finalize,
        PS_SHMEM_malloc,
        PS_SHMEM_test_lock,
#define SHMEM_CALL(name, parameters, arguments, before, after)        PS_SHMEM_##name,
#define SHMEM_VALUE(type, name, parameters, arguments, before, after) PS_SHMEM_##name,
#include "record/shmem/shmem.def"
#undef SHMEM_CALL
#undef SHMEM_VALUE
};

const char *const ps_shim_functions[] = {
        "shmem_init", "shmem_init_thread", "shmem_finalize", "shmem_malloc", "shmem_test_lock",
#define SHMEM_CALL(name, parameters, arguments, before, after)        "shmem_" #name,
#define SHMEM_VALUE(type, name, parameters, arguments, before, after) "shmem_" #name,
#include "record/shmem/shmem.def"
#undef SHMEM_CALL
#undef SHMEM_VALUE
};

#define NEXT(type, name, ...)                                                                                \
        static type (*next)(__VA_ARGS__);                                                                    \
        if (!next)                                                                                           \
        next = (type(*)(__VA_ARGS__))ps_shim_next("shmem_" #name)

/* Of all PEs addresses differ, but places in the program and in the symmetric heap do not. */
static uint64_t lock_of(const long *lock)
{
        Dl_info info;
        uintptr_t at = (uintptr_t)lock;
        if (dladdr(lock, &info))
                return at - (uintptr_t)info.dli_fbase;
        return (at - heap) ^ (uint64_t)1 << 62;
}

static void note_transfer(ps_thread *t, ps_raw_note note, int pe, uint64_t bytes)
{
        moved = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
        if (note == PS_RAW_ATOMIC)
                PS_SHIM_NOTE(t, ATOMIC, 0, (uint64_t)pe, PS_RAW_FETCH_AND_ACCUMULATE, bytes, bytes, moved);
        else
                ps_shim_note(t, note, (const uint64_t[]){0, (uint64_t)pe, bytes, moved});
}

/* In terms of the thread `t` and of parameters. */
#define COLL(op, root, bytes) PS_SHIM_NOTE(t, PGAS_COLL, PS_RAW_OP_##op, root, bytes);
#define COLL_OF(pes, op, root, bytes)                                                                        \
        if ((pes) == n_pes)                                                                                  \
        COLL(op, root, bytes)
#define LOCK(what)            PS_SHIM_NOTE(t, PGAS_##what, lock_of(lock));
#define PUT(pe, bytes)        note_transfer(t, PS_RAW_PUT, pe, bytes);
#define GET(pe, bytes)        note_transfer(t, PS_RAW_GET, pe, bytes);
#define ATOMICALLY(pe, bytes) note_transfer(t, PS_RAW_ATOMIC, pe, bytes);
#define DONE                  PS_SHIM_NOTE(t, RMA_DONE, 0, moved);

#define BEGIN(name, before)                                                                                  \
        ps_thread *t = ps_shim_begin(PS_SHMEM_##name, __builtin_return_address(0));                          \
        if (t) {                                                                                             \
                before ps_shim_enter(t);                                                                     \
        }
#define END(after)                                                                                           \
        if (t) {                                                                                             \
                after ps_shim_end(t);                                                                        \
        } else {                                                                                             \
                ps_shim_skip();                                                                              \
        }
#define SHMEM_CALL(name, parameters, arguments, before, after)                                               \
        EXPORT void shmem_##name parameters;                                                                 \
        void shmem_##name parameters                                                                         \
        {                                                                                                    \
                NEXT(void, name, UNPACK parameters);                                                         \
                BEGIN(name, before)                                                                          \
                next arguments;                                                                              \
                END(after)                                                                                   \
        }
#define SHMEM_VALUE(type, name, parameters, arguments, before, after)                                        \
        EXPORT type shmem_##name parameters;                                                                 \
        type shmem_##name parameters                                                                         \
        {                                                                                                    \
                NEXT(type, name, UNPACK parameters);                                                         \
                BEGIN(name, before)                                                                          \
                type value_ = next arguments;                                                                \
                END(after)                                                                                   \
                return value_;                                                                               \
        }
#include "record/shmem/shmem.def"

/* -- what is not like the others -- */

EXPORT int shmem_test_lock(long *lock);
int shmem_test_lock(long *lock)
{
        NEXT(int, test_lock, long *);
        ps_thread *t = ps_shim_begin(PS_SHMEM_test_lock, __builtin_return_address(0));
        if (t)
                ps_shim_enter(t);
        int is_held = next(lock);
        END(if (!is_held) LOCK(TAKE))
        return is_held;
}

EXPORT void *shmem_malloc(size_t size);
void *shmem_malloc(size_t size)
{
        NEXT(void *, malloc, size_t);
        BEGIN(malloc, COLL(BARRIER, NO_ROOT, 0))
        void *at = next(size);
        heap = heap ? heap : (uintptr_t)at;
        END()
        return at;
}

/* -- life -- */

/* Without a name from whoever launched all, that of the launcher's job. */
static void name_run(char *out, size_t size)
{
        const char *job = getenv("PMIX_NAMESPACE") ? getenv("PMIX_NAMESPACE") : getenv("SLURM_JOB_ID");
        if (getenv("PATSCAN_RECORD_RUN") || !job)
                ps_shim_name_run(out, size);
        else
                snprintf(out, size, "%.60s", job);
}

static void start_pe(uint32_t function, const void *caller, uint64_t enter)
{
        char run[64] = "";
        NEXT(int, my_pe, void);
        int (*count)(void) = (int (*)(void))ps_shim_next("shmem_n_pes");
        ps_shim_world world = {.run = run, .rank = next(), .size = count(), .has_threads = 1};
        n_pes = world.size;
        if (!ps_shim_is_wanted())
                return;
        name_run(run, sizeof(run));
        if (!ps_shim_open(&world))
                return;
        ps_shim_define("shmem\n");
        ps_shim_define("comm 0 world 0 0 %d 1\n", world.size);
        ps_shim_define("comm 1 self 0 0 1 1\n");
        ps_shim_define("window 0 0\n");
        ps_shim_start();
        ps_shim_first(function, caller, enter);
}

EXPORT void shmem_init(void);
void shmem_init(void)
{
        uint64_t enter = ps_shim_now();
        NEXT(void, init, void);
        next();
        start_pe(PS_SHMEM_init, __builtin_return_address(0), enter);
}

EXPORT int shmem_init_thread(int wanted, int *given);
int shmem_init_thread(int wanted, int *given)
{
        uint64_t enter = ps_shim_now();
        NEXT(int, init_thread, int, int *);
        int code = next(wanted, given);
        start_pe(PS_SHMEM_init_thread, __builtin_return_address(0), enter);
        return code;
}

EXPORT void shmem_finalize(void);
void shmem_finalize(void)
{
        NEXT(void, finalize, void);
        BEGIN(finalize, )
        next();
        END()
        ps_shim_finish();
}
