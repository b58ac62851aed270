/* clocks.c - how far the clock of a process is from that of rank 0. */
#include "record/mpi/calls.h"

enum { TRIPS = 64, TRIPS_MOST = 16 * TRIPS, TAG = 1 };

/* The one that is asked answers with its time, until it is asked no more. */
static void answer(int who, MPI_Comm comm)
{
        for (;;) {
                uint64_t now = 0;
                PMPI_Recv(&now, sizeof(now), MPI_BYTE, who, TAG, comm, MPI_STATUS_IGNORE);
                if (!now)
                        return;
                now = ps_shim_monotonic();
                PMPI_Send(&now, sizeof(now), MPI_BYTE, who, TAG, comm);
        }
}

/* One way takes as long as the other when nobody is in between: then trips are short, and several the same.
 */
static bool is_enough(const uint64_t *trips, int n, uint64_t least)
{
        int near = 0;
        for (int i = 0; i < n; i++)
                near += trips[i] - least <= least / 4;
        return n == TRIPS_MOST || (n % TRIPS == 0 && near >= TRIPS / 8);
}

/* Of the shortest trip: what is to be added to this clock to get that of rank 0, and when. */
static void ask(int64_t out[2], MPI_Comm comm)
{
        static uint64_t trips[TRIPS_MOST];
        uint64_t least = UINT64_MAX, theirs = 0;
        for (int n = 0; n == 0 || !is_enough(trips, n, least); n++) {
                uint64_t before = ps_shim_monotonic();
                PMPI_Send(&before, sizeof(before), MPI_BYTE, 0, TAG, comm);
                PMPI_Recv(&theirs, sizeof(theirs), MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
                trips[n] = ps_shim_monotonic() - before;
                if (trips[n] < least) {
                        least = trips[n];
                        out[0] = (int64_t)(before + least / 2);
                        out[1] = (int64_t)theirs - out[0];
                }
        }
        theirs = 0;
        PMPI_Send(&theirs, sizeof(theirs), MPI_BYTE, 0, TAG, comm);
}

/* Which rank is the first with the clock of `rank`? */
static int first_with(const uint64_t *clocks, int rank)
{
        int i = 0;
        while (clocks[i] != clocks[rank])
                i++;
        return i;
}

/* The clocks of all ranks, if they differ; NULL: there is one only, or no memory. */
static uint64_t *clocks;

void ps_shim_clocks_find(void)
{
        int size;
        uint64_t mine = ps_shim_clock_name();
        bool differ = 0;
        PMPI_Comm_size(MPI_COMM_WORLD, &size);
        clocks = malloc((size_t)size * sizeof(*clocks));
        int lacks = !clocks, lack = 0;
        PMPI_Allreduce(&lacks, &lack, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (!lack)
                PMPI_Allgather(&mine, 1, MPI_UINT64_T, clocks, 1, MPI_UINT64_T, MPI_COMM_WORLD);
        for (int i = 1; !lack && i < size; i++)
                differ = differ || clocks[i] != clocks[0];
        if (!differ) {
                free(clocks);
                clocks = NULL;
        }
}

void ps_shim_clocks_compare(void)
{
        int rank, size;
        MPI_Comm comm;
        int64_t mine[2] = {0, 0};
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        PMPI_Comm_size(MPI_COMM_WORLD, &size);
        if (!clocks || PMPI_Comm_dup(MPI_COMM_WORLD, &comm) != MPI_SUCCESS)
                return;
        int64_t *all = calloc((size_t)size, sizeof(mine));
        for (int i = 1; i < size; i++) {
                if (first_with(clocks, i) != i || clocks[i] == clocks[0])
                        continue;
                if (rank == 0)
                        answer(i, comm);
                else if (rank == i)
                        ask(mine, comm);
        }
        /* Whoever shares a clock takes what its first rank has measured. */
        int first = first_with(clocks, rank), lacks = !all, lack = 0;
        PMPI_Allreduce(&lacks, &lack, 1, MPI_INT, MPI_MAX, comm);
        if (!lack && PMPI_Allgather(mine, 2, MPI_INT64_T, all, 2, MPI_INT64_T, comm) == MPI_SUCCESS)
                ps_shim_define("offset %lld %lld\n", (long long)all[2 * first],
                               (long long)all[2 * first + 1]);
        PMPI_Comm_free(&comm);
        free(all);
}
