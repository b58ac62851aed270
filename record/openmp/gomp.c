/* gomp.c - OpenMP of gcc: what it calls in libgomp, which has no interface for tools. */
#include "record/openmp/gomp.h"

#include <string.h>

#define EXPORT      __attribute__((visibility("default")))
#define UNPACK(...) __VA_ARGS__
/* Of a result that may be none. */
#define KEEP_void
#define KEEP_unsigned unsigned result =
#define KEEP__Bool    _Bool result =
#define GIVE_void
#define GIVE_unsigned return result;
#define GIVE__Bool    return result;

static char everybody, in_order, of_atomics; /* stand for locks that have no name */

/* What all threads of a team run. */
typedef struct part {
        void (*run)(void *data);
        void *data;
        ps_parallel region;
} part;

/* Where this thread is: in the function of a part, whose last call may be a jump that returns to us, and in a
 * loop that began somewhere; whoever ends it has no line. */
typedef struct place {
        void (*running)(void *data);
        uint32_t function;
        const void *caller;
} place;
static __thread place here __attribute__((tls_model("initial-exec")));
enum { RUN_PART_BYTES = 256 };

__attribute__((noinline)) static void run_part(void *data)
{
        const part *p = data;
        place outer = here;
        ps_openmp_begin(p->region);
        here = (place){p->run, 0, NULL};
        p->run(p->data);
        here = outer;
        ps_openmp_end(p->region);
}

static const void *body_of(void (*run)(void *data))
{
        const void *body;
        memcpy(&body, &run, sizeof(body));
        return body;
}

static void enter_construct(uint32_t function, const void *caller)
{
        bool is_jump = (uintptr_t)caller - (uintptr_t)run_part < RUN_PART_BYTES;
        ps_openmp_enter(is_jump ? function + PS_SHIM_JUMP : function,
                        is_jump ? body_of(here.running) : caller, ps_shim_now());
}

static void end_loop(uint32_t function, const void *caller)
{
        if (here.caller)
                enter_construct(here.function, here.caller);
        else
                enter_construct(function, caller);
        here.caller = NULL;
}

static void give(ps_construct construct, uint32_t function, const void *lock)
{
        if (ps_openmp_is_told)
                return;
        if (construct == PS_OMP_UNLOCK)
                ps_openmp_given(function, ps_openmp_caller, lock, ps_shim_now());
        else
                ps_openmp_left(lock, ps_shim_now());
}

#define NEXT(type, name, ...)                                                                                \
        static type (*next)(__VA_ARGS__);                                                                    \
        if (!next)                                                                                           \
        next = (type(*)(__VA_ARGS__))ps_shim_next(#name)

#define GOMP_PARALLEL(type, name, parameters, arguments)                                                     \
        EXPORT type name(void (*run)(void *), void *data, UNPACK parameters);                                \
        type name(void (*run)(void *), void *data, UNPACK parameters)                                        \
        {                                                                                                    \
                NEXT(type, name, void (*)(void *), void *, UNPACK parameters);                               \
                bool is_ours = !ps_openmp_is_told;                                                           \
                part p = {run, data, 0};                                                                     \
                if (is_ours)                                                                                 \
                        p.region =                                                                           \
                                ps_openmp_fork(PS_GOMP_##name, __builtin_return_address(0), body_of(run));   \
                KEEP_##type next(is_ours ? run_part : run, is_ours ? &p : data, UNPACK arguments);           \
                if (is_ours)                                                                                 \
                        ps_openmp_join(p.region);                                                            \
                GIVE_##type                                                                                  \
        }
#define GOMP_LOOP(type, name, parameters, arguments)                                                         \
        EXPORT type name parameters;                                                                         \
        type name parameters                                                                                 \
        {                                                                                                    \
                NEXT(type, name, UNPACK parameters);                                                         \
                here.function = PS_GOMP_##name;                                                              \
                here.caller = __builtin_return_address(0);                                                   \
                return next arguments;                                                                       \
        }
#define GOMP_WAIT(construct, type, name)                                                                     \
        EXPORT type name(void);                                                                              \
        type name(void)                                                                                      \
        {                                                                                                    \
                NEXT(type, name, void);                                                                      \
                if (!ps_openmp_is_told)                                                                      \
                        enter_construct(PS_GOMP_##name, __builtin_return_address(0));                        \
                KEEP_##type next();                                                                          \
                if (!ps_openmp_is_told)                                                                      \
                        ps_openmp_leave(ps_shim_now());                                                      \
                GIVE_##type                                                                                  \
        }
#define GOMP_END(type, name)                                                                                 \
        EXPORT type name(void);                                                                              \
        type name(void)                                                                                      \
        {                                                                                                    \
                NEXT(type, name, void);                                                                      \
                if (!ps_openmp_is_told)                                                                      \
                        end_loop(PS_GOMP_##name, __builtin_return_address(0));                               \
                KEEP_##type next();                                                                          \
                if (!ps_openmp_is_told)                                                                      \
                        ps_openmp_leave(ps_shim_now());                                                      \
                GIVE_##type                                                                                  \
        }
/* A thread that gives does so before others can take. */
#define GOMP_TAKE(construct, name, parameters, arguments, lock_of)                                           \
        EXPORT void name parameters;                                                                         \
        void name parameters                                                                                 \
        {                                                                                                    \
                NEXT(void, name, UNPACK parameters);                                                         \
                ps_openmp_caller = __builtin_return_address(0);                                              \
                if (!ps_openmp_is_told)                                                                      \
                        enter_construct(PS_GOMP_##name, ps_openmp_caller);                                   \
                next arguments;                                                                              \
                ps_openmp_caller = NULL;                                                                     \
                if (!ps_openmp_is_told)                                                                      \
                        ps_openmp_taken(lock_of, PS_OMP_##construct != PS_OMP_LOCK, ps_shim_now());          \
        }
#define GOMP_GIVE(construct, name, parameters, arguments, lock_of)                                           \
        EXPORT void name parameters;                                                                         \
        void name parameters                                                                                 \
        {                                                                                                    \
                NEXT(void, name, UNPACK parameters);                                                         \
                ps_openmp_caller = __builtin_return_address(0);                                              \
                give(PS_OMP_##construct, PS_GOMP_##name, lock_of);                                           \
                next arguments;                                                                              \
                ps_openmp_caller = NULL;                                                                     \
        }
#define GOMP_TRY(name)                                                                                       \
        EXPORT int name(void *lock);                                                                         \
        int name(void *lock)                                                                                 \
        {                                                                                                    \
                NEXT(int, name, void *);                                                                     \
                uint64_t since = ps_shim_now();                                                              \
                ps_openmp_caller = __builtin_return_address(0);                                              \
                int is_taken = next(lock);                                                                   \
                if (is_taken && !ps_openmp_is_told)                                                          \
                        ps_openmp_tried(PS_GOMP_##name, ps_openmp_caller, lock, since, ps_shim_now());       \
                ps_openmp_caller = NULL;                                                                     \
                return is_taken;                                                                             \
        }
#include "record/openmp/gomp.def"

const char *const ps_openmp_functions[] = {
#define GOMP_PARALLEL(type, name, parameters, arguments)           "!PARALLEL:" #name,
#define GOMP_WAIT(construct, type, name)                           "!" #construct ":" #name,
#define GOMP_LOOP(type, name, parameters, arguments)               "!IMPLICIT_BARRIER:" #name,
#define GOMP_END(type, name)                                       "!IMPLICIT_BARRIER:" #name,
#define GOMP_TAKE(construct, name, parameters, arguments, lock_of) "!" #construct ":" #name,
#define GOMP_GIVE(construct, name, parameters, arguments, lock_of) "!" #construct ":" #name,
#define GOMP_TRY(name)                                             "!LOCK:" #name,
#include "record/openmp/gomp.def"
#define PS_CONSTRUCT(id, shown, role) "!" #id ":",
#include "record/raw/constructs.def"
};
