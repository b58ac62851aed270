/* wire.c - see wire.h. All that knows MPI. */
#include "app/mpi/wire.h"
#include "core/base/hash.h"
#include "core/base/number.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TAG = 1, PASSED_ON_NS = 200000000 };

static struct {
        MPI_Comm comm;
        MPI_Request request[PS_WAYS];
        int code;
} mpi;

/* Nothing is left that could be waited for but the launcher: MPICH's forgets what it has not passed on when
 * all end. */
static void check(int result)
{
        char text[MPI_MAX_ERROR_STRING] = "";
        int n;
        if (result == MPI_SUCCESS)
                return;
        MPI_Error_string(result, text, &n);
        fprintf(stderr, "patscan: error: the other processes cannot be reached: reason=\"%s\"\n", text);
        nanosleep(&(struct timespec){.tv_nsec = PASSED_ON_NS}, NULL);
        MPI_Abort(MPI_COMM_WORLD, mpi.code);
        abort();
}

static void send_block(void *ctx, uint32_t to, const void *block, size_t n)
{
        (void)ctx;
        check(MPI_Isend(block, (int)n, MPI_BYTE, (int)to, TAG, mpi.comm, &mpi.request[PS_WAY_OUT]));
}

static void receive_block(void *ctx, uint32_t from, void *block, size_t n)
{
        (void)ctx;
        check(MPI_Irecv(block, (int)n, MPI_BYTE, (int)from, TAG, mpi.comm, &mpi.request[PS_WAY_IN]));
}

static bool is_done(void *ctx, ps_way way)
{
        int done = 0;
        (void)ctx;
        check(MPI_Test(&mpi.request[way], &done, MPI_STATUS_IGNORE));
        return done != 0;
}

static uint64_t number_in(const char *variable)
{
        const char *at = getenv(variable);
        uint64_t n = 0;
        return at && ps_number_whole(&at, UINT32_MAX, &n) ? n : 0;
}

/* MPICH's processes of a machine meet in memory that they share when they begin, and whoever is there polls
 * it without a pause until the last one comes, whom that keeps from its processor where there are no more of
 * them than processes. As if each was on a machine of its own they ask the launcher, asleep. */
static void meet_asleep(void)
{
        const long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
        if (n_processors > 0 && number_in("MPI_LOCALNRANKS") >= (uint64_t)n_processors)
                setenv("MPIR_CVAR_NOLOCAL", "1", 0);
}

void ps_mpi_begin(ps_exchange *out, int *argc, char ***argv, int code)
{
        static const ps_wire wire = {send_block, receive_block, is_done, PS_EXCHANGE_BLOCK};
        int provided, rank, size;
        mpi.code = code;
        meet_asleep();
        check(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided));
        mpi.comm = MPI_COMM_WORLD;
        check(MPI_Comm_set_errhandler(mpi.comm, MPI_ERRORS_RETURN));
        check(MPI_Comm_rank(mpi.comm, &rank));
        check(MPI_Comm_size(mpi.comm, &size));
        *out = (ps_exchange){.rank = (uint32_t)rank, .size = (uint32_t)size, .wire = &wire};
}

void ps_mpi_end(void)
{
        MPI_Finalize();
}

/* MPI_Comm_split_type() would tell, but MPICH's burns 45 ms in each of four processes, which wait for each
 * other at it. So all tell the hashes of their names: each step brings as many as there are already, of the
 * processes that follow. */
unsigned ps_mpi_neighbours(ps_exchange *x)
{
        char name[MPI_MAX_PROCESSOR_NAME] = "";
        uint64_t *all;
        int n_name = 0;
        unsigned n = 0;
        check(MPI_Get_processor_name(name, &n_name));
        check(MPI_Alloc_mem((MPI_Aint)(x->size * sizeof(*all)), MPI_INFO_NULL, &all));
        all[0] = ps_hash_bytes(name, (size_t)n_name);
        for (uint64_t had = 1; had < x->size; had *= 2) {
                const uint64_t more = had < x->size - had ? had : x->size - had;
                ps_exchange_swap(x, (uint32_t)((x->rank + x->size - had) % x->size), all, more * sizeof(*all),
                                 (uint32_t)((x->rank + had) % x->size), all + had, more * sizeof(*all));
        }
        for (uint32_t i = 0; i < x->size; i++)
                n += all[i] == all[0];
        check(MPI_Free_mem(all));
        return n;
}

uint32_t ps_mpi_launched(uint32_t *rank)
{
        static const char *const launchers[][2] = {{"PMI_SIZE", "PMI_RANK"},
                                                   {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}};
        uint32_t most = 0;
        *rank = 0;
        for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
                uint32_t n = (uint32_t)number_in(launchers[i][0]);
                if (n > most) {
                        most = n;
                        *rank = (uint32_t)number_in(launchers[i][1]);
                }
        }
        return most;
}
