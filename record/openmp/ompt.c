/* ompt.c - OpenMP of LLVM, and whoever else has OpenMP's interface for tools: its runtime calls us.
 *
 * Declared here is what is used of omp-tools.h, by the numbers of the standard. Two callbacks come later than
 * what they tell of: that a thread has left the barrier at the end of a parallel region, when the next one
 * begins; so that is taken from who joins them; and that a lock was given, when another thread may have it
 * already. */
#include "record/openmp/gomp.h"

#include <string.h>

typedef union tool_data {
        uint64_t value;
        void *pointer;
} tool_data;

typedef void callback(void);
typedef int set_callback(int event, callback *function);

typedef struct start_result {
        int (*initialize)(callback *(*lookup)(const char *name), int device, tool_data *tool);
        void (*finalize)(tool_data *tool);
        tool_data tool;
} start_result;

enum {
        EVENT_PARALLEL_BEGIN = 3,
        EVENT_PARALLEL_END,
        EVENT_IMPLICIT_TASK = 7,
        EVENT_MUTEX_RELEASED = 17,
        EVENT_SYNC_REGION = 23,
        EVENT_MUTEX_ACQUIRE = 26,
        EVENT_MUTEX_ACQUIRED
};
enum { BEGINS = 1, ENDS };
enum { IS_INITIAL = 1 }; /* of tasks: the program itself */
enum {
        MUTEX_LOCK = 1,
        MUTEX_TEST_LOCK,
        MUTEX_NEST_LOCK,
        MUTEX_TEST_NEST_LOCK,
        MUTEX_CRITICAL,
        MUTEX_ATOMIC,
        MUTEX_ORDERED
};

static uint32_t function_of(ps_construct construct)
{
        return PS_GOMP_CONSTRUCTS + (uint32_t)construct;
}

static void on_parallel_begin(tool_data *task, const void *frame, tool_data *parallel, unsigned n, int flags,
                              const void *caller)
{
        (void)task, (void)frame, (void)n, (void)flags;
        parallel->value = ps_openmp_fork(function_of(PS_OMP_PARALLEL), caller, NULL);
}

static void on_parallel_end(tool_data *parallel, tool_data *task, int flags, const void *caller)
{
        (void)task, (void)flags, (void)caller;
        ps_openmp_join(parallel->value);
}

static void on_implicit_task(int endpoint, tool_data *parallel, tool_data *task, unsigned n, unsigned index,
                             int flags)
{
        (void)task, (void)n, (void)index;
        if (endpoint == BEGINS && parallel && !(flags & IS_INITIAL))
                ps_openmp_begin(parallel->value);
}

/* The barrier at the end of a parallel region is called by nobody, or by the region itself. */
static bool ends_region(ps_construct construct, const tool_data *parallel, const void *caller)
{
        return construct == PS_OMP_IMPLICIT_BARRIER &&
               (!caller ||
                ps_shim_place(function_of(PS_OMP_PARALLEL), caller, NULL) == (uint32_t)parallel->value);
}

static void on_sync_region(int kind, int endpoint, tool_data *parallel, tool_data *task, const void *caller)
{
        static const uint8_t constructs[] = {[1] = PS_OMP_BARRIER,          [2] = PS_OMP_IMPLICIT_BARRIER,
                                             [3] = PS_OMP_BARRIER,          [5] = PS_OMP_TASKWAIT,
                                             [6] = PS_OMP_TASKWAIT,         [8] = PS_OMP_IMPLICIT_BARRIER,
                                             [9] = PS_OMP_IMPLICIT_BARRIER, [10] = 0};
        ps_construct construct = kind > 0 && kind < 10 ? (ps_construct)constructs[kind] : PS_OMP_PARALLEL;
        (void)task;
        if (construct == PS_OMP_PARALLEL || !parallel)
                return;
        if (ends_region(construct, parallel, caller)) {
                if (endpoint == BEGINS)
                        ps_openmp_end(parallel->value);
        } else if (endpoint == BEGINS) {
                ps_openmp_enter(function_of(construct), caller, ps_shim_now());
        } else if (endpoint == ENDS) {
                ps_openmp_leave(ps_shim_now());
        }
}

/* -- locks -- */

/* Who took a lock last, and when: before that it was given. Of locks that share a row the last one is known.
 */
enum { ROWS = 256 };
static struct {
        uint64_t lock, at;
        const void *by;
} taken[ROWS];
static __thread char me __attribute__((tls_model("initial-exec"))); /* its address is the thread's own */

static unsigned row_of(uint64_t lock)
{
        return (unsigned)((lock * 0x9E3779B97F4A7C15U) >> 56) % ROWS;
}

static ps_construct construct_of(int kind)
{
        return kind == MUTEX_CRITICAL  ? PS_OMP_CRITICAL
               : kind == MUTEX_ATOMIC  ? PS_OMP_ATOMIC
               : kind == MUTEX_ORDERED ? PS_OMP_ORDERED
                                       : PS_OMP_LOCK;
}

static bool is_test(int kind)
{
        return kind == MUTEX_TEST_LOCK || kind == MUTEX_TEST_NEST_LOCK;
}

static const void *lock_at(uint64_t lock)
{
        const void *at;
        memcpy(&at, &lock, sizeof(at));
        return at;
}

static const void *caller_of(const void *caller)
{
        return ps_openmp_caller ? ps_openmp_caller : caller;
}

static void on_acquire(int kind, unsigned hint, unsigned way, uint64_t lock, const void *caller)
{
        (void)hint, (void)way, (void)lock;
        if (!is_test(kind))
                ps_openmp_enter(function_of(construct_of(kind)), caller_of(caller), ps_shim_now());
}

static void on_acquired(int kind, uint64_t lock, const void *caller)
{
        uint64_t now = ps_shim_now();
        unsigned row = row_of(lock);
        __atomic_store_n(&taken[row].lock, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&taken[row].at, now, __ATOMIC_RELEASE);
        __atomic_store_n(&taken[row].by, &me, __ATOMIC_RELEASE);
        __atomic_store_n(&taken[row].lock, lock, __ATOMIC_RELEASE);
        if (is_test(kind))
                ps_openmp_tried(function_of(PS_OMP_LOCK), caller_of(caller), lock_at(lock), now, now);
        else
                ps_openmp_taken(lock_at(lock), construct_of(kind) != PS_OMP_LOCK, now);
}

static void on_released(int kind, uint64_t lock, const void *caller)
{
        unsigned row = row_of(lock);
        uint64_t now = ps_shim_now();
        if (__atomic_load_n(&taken[row].lock, __ATOMIC_ACQUIRE) == lock &&
            __atomic_load_n(&taken[row].by, __ATOMIC_ACQUIRE) != &me)
                now = __atomic_load_n(&taken[row].at, __ATOMIC_ACQUIRE) - 1;
        if (construct_of(kind) == PS_OMP_LOCK)
                ps_openmp_given(function_of(PS_OMP_UNLOCK), caller_of(caller), lock_at(lock), now);
        else
                ps_openmp_left(lock_at(lock), now);
}

/* -- what the runtime asks for -- */

static int initialize(callback *(*lookup)(const char *name), int device, tool_data *tool)
{
        set_callback *set = (set_callback *)lookup("ompt_set_callback");
        (void)device, (void)tool;
        if (!set)
                return 0;
        set(EVENT_PARALLEL_BEGIN, (callback *)on_parallel_begin);
        set(EVENT_PARALLEL_END, (callback *)on_parallel_end);
        set(EVENT_IMPLICIT_TASK, (callback *)on_implicit_task);
        set(EVENT_SYNC_REGION, (callback *)on_sync_region);
        set(EVENT_MUTEX_ACQUIRE, (callback *)on_acquire);
        set(EVENT_MUTEX_ACQUIRED, (callback *)on_acquired);
        set(EVENT_MUTEX_RELEASED, (callback *)on_released);
        ps_openmp_is_told = true;
        return 1;
}

static void finalize(tool_data *tool)
{
        (void)tool;
}

__attribute__((visibility("default"))) start_result *ompt_start_tool(unsigned version, const char *runtime);
start_result *ompt_start_tool(unsigned version, const char *runtime)
{
        static start_result result = {initialize, finalize, {0}};
        (void)version, (void)runtime;
        return ps_shim_is_there() ? &result : NULL;
}
