/* life.c - Init, Init_thread and Finalize, between which there is something to record, and Pcontrol, which
 * asks for it or not. */
#include "record/mpi/wrap.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

enum { INIT, INIT_THREAD, FINALIZE, PCONTROL }; /* as ps_shim_functions has them */
enum { PATIENCE_S = 300, NOT_RECORDED = 125, PASSED_ON_NS = 200000000 };

/* -- what all languages do -- */

typedef struct init {
        uint64_t enter;
        bool is_outer;
} init;

static init begin_init(uint32_t function, const void *caller)
{
        bool is_nested = ps_shim_is_nested();
        (void)ps_shim_begin(function, caller);
        return (init){ps_shim_now(), !is_nested};
}

/* The launcher ends all at once, and MPICH's forgets what it has not passed on by then. */
static void give_up(void)
{
        nanosleep(&(struct timespec){.tv_nsec = PASSED_ON_NS}, NULL);
        PMPI_Abort(MPI_COMM_WORLD, NOT_RECORDED);
}

/* A process that is not recorded takes part in nothing that the recorder does, and nothing of the recorder
 * may meet what it does: no collective operation that blocks, which could be taken for one of its own. */
static void wait_for_all(int rank)
{
        const char *given = getenv("PATSCAN_RECORD_PATIENCE");
        uint64_t patience = given ? strtoull(given, NULL, 10) : PATIENCE_S, begun = ps_shim_monotonic();
        MPI_Request request;
        int is_done = 0;
        if (PMPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS)
                return;
        while (PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !is_done) {
                sched_yield();
                if (ps_shim_monotonic() - begun <= patience * 1000000000)
                        continue;
                fprintf(stderr,
                        "patscan record: rank %d has waited %llu s for all others: some processes of the run "
                        "are not "
                        "recorded. Write patscan record -- mpirun ..., and choose with --ranks\n",
                        rank, (unsigned long long)patience);
                give_up();
        }
}

/* All processes write to one folder; rank 0 knows which. */
static void start_process(uint32_t function, const void *caller, uint64_t enter)
{
        char run[64] = "";
        ps_shim_world world = {.run = run, .level = MPI_THREAD_SINGLE};
        MPI_Comm parent = MPI_COMM_NULL;
        PMPI_Comm_get_parent(&parent);
        /* What a program spawns has ranks of its own, which would be taken for the
         * first ones. */
        if (!ps_shim_is_wanted() || parent != MPI_COMM_NULL)
                return;
        PMPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &world.size);
        PMPI_Query_thread(&world.level);
        world.has_threads = world.level > MPI_THREAD_SINGLE;
        wait_for_all(world.rank);
        ps_shim_name_run(run, sizeof(run));
        PMPI_Bcast(run, sizeof(run), MPI_CHAR, 0, MPI_COMM_WORLD);
        if (ps_shim_open(&world))
                ps_shim_comms_start();
        ps_shim_clocks_find();
        ps_shim_clocks_compare();
        ps_shim_start();
        ps_shim_first(function, caller, enter);
}

static void end_init(const init *begun, int code, uint32_t function, const void *caller)
{
        ps_shim_skip();
        int number = errno; /* the program's */
        if (begun->is_outer && code == MPI_SUCCESS)
                start_process(function, caller, begun->enter);
        errno = number;
}

/* The clocks are compared once more while there is still somebody to talk to.
 */
static ps_thread *begin_finalize(const void *caller)
{
        bool is_nested = ps_shim_is_nested();
        ps_thread *t = ps_shim_begin(FINALIZE, caller);
        if (t)
                ps_shim_enter(t);
        if (!is_nested)
                ps_shim_clocks_compare();
        return t;
}

/* A process whose rows ended early has come to its end all the same. */
static void end_finalize(ps_thread *t)
{
        if (t)
                ps_shim_end(t);
        else
                ps_shim_skip();
        if (!ps_shim_is_nested())
                ps_shim_finish();
}

/* Levels above 1 ask for what is done anyway, or are others' own. */
static void control(int level, const void *caller)
{
        if (level == 0 || level == 1)
                ps_shim_pause(level == 0, PCONTROL, caller);
}

/* -- C -- */

PS_SHIM_EXPORT int MPI_Init(int *argc, char ***argv)
{
        const void *caller = __builtin_return_address(0);
        init begun = begin_init(INIT, caller);
        int code = PMPI_Init(argc, argv);
        end_init(&begun, code, INIT, caller);
        return code;
}

PS_SHIM_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
        const void *caller = __builtin_return_address(0);
        init begun = begin_init(INIT_THREAD, caller);
        int code = PMPI_Init_thread(argc, argv, required, provided);
        end_init(&begun, code, INIT_THREAD, caller);
        return code;
}

PS_SHIM_EXPORT int MPI_Finalize(void)
{
        ps_thread *t = begin_finalize(__builtin_return_address(0));
        int code = PMPI_Finalize();
        end_finalize(t);
        return code;
}

PS_SHIM_EXPORT int MPI_Pcontrol(const int level, ...)
{
        control(level, __builtin_return_address(0));
        return PMPI_Pcontrol(level);
}

#ifndef PS_MPI_ABI /* which has no Fortran yet */
/* -- Fortran: the code that the call gives may be left out in the module
 * mpi_f08 -- */

static int code_of(const MPI_Fint *code)
{
        return code ? (int)*code : MPI_SUCCESS;
}

#define FORTRAN(name)                                                                                        \
        PS_SHIM_EXPORT void mpi_init##name(MPI_Fint *code);                                                  \
        void mpi_init##name(MPI_Fint *code)                                                                  \
        {                                                                                                    \
                const void *caller = __builtin_return_address(0);                                            \
                void (*next)(MPI_Fint *) = (void (*)(MPI_Fint *))ps_shim_next("mpi_init" #name);             \
                init begun = begin_init(INIT, caller);                                                       \
                next(code);                                                                                  \
                end_init(&begun, code_of(code), INIT, caller);                                               \
        }                                                                                                    \
        PS_SHIM_EXPORT void mpi_init_thread##name(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code);   \
        void mpi_init_thread##name(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *code)                   \
        {                                                                                                    \
                const void *caller = __builtin_return_address(0);                                            \
                void (*next)(MPI_Fint *, MPI_Fint *, MPI_Fint *) =                                           \
                        (void (*)(MPI_Fint *, MPI_Fint *, MPI_Fint *))ps_shim_next("mpi_init_thread" #name); \
                init begun = begin_init(INIT_THREAD, caller);                                                \
                next(required, provided, code);                                                              \
                end_init(&begun, code_of(code), INIT_THREAD, caller);                                        \
        }                                                                                                    \
        PS_SHIM_EXPORT void mpi_pcontrol##name(MPI_Fint *level);                                             \
        void mpi_pcontrol##name(MPI_Fint *level)                                                             \
        {                                                                                                    \
                control((int)*level, __builtin_return_address(0));                                           \
        }                                                                                                    \
        PS_SHIM_EXPORT void mpi_finalize##name(MPI_Fint *code);                                              \
        void mpi_finalize##name(MPI_Fint *code)                                                              \
        {                                                                                                    \
                void (*next)(MPI_Fint *) = (void (*)(MPI_Fint *))ps_shim_next("mpi_finalize" #name);         \
                ps_thread *t = begin_finalize(__builtin_return_address(0));                                  \
                next(code);                                                                                  \
                end_finalize(t);                                                                             \
        }
FORTRAN(_)
FORTRAN(_f08_)
#endif
