/* shared.c - calls in a shared object: see program.c. */
#include <mpi.h>

int shared_jumps(MPI_Comm comm);
void shared_calls(MPI_Comm comm);

static int v, w;

int shared_jumps(MPI_Comm comm)
{
        return MPI_Barrier(comm); /* @ MPI_Barrier */
}

/* clang-format off */
static inline __attribute__((always_inline)) void is_inlined(MPI_Comm comm)
{
        /* @ MPI_Bcast main>shared_calls>is_inlined,main>shared_calls>deeper>is_inlined */ MPI_Bcast(&v, 1, MPI_INT, 0, comm);
}
/* clang-format on */

__attribute__((noinline)) static void deeper(MPI_Comm comm)
{
        MPI_Allreduce(&v, &w, 1, MPI_INT, MPI_SUM, comm); /* @ MPI_Allreduce main>shared_calls>deeper */
        is_inlined(comm);
        v++;
}

void shared_calls(MPI_Comm comm)
{
        MPI_Barrier(comm); /* @ MPI_Barrier main>shared_calls */
        is_inlined(comm);
        deeper(comm);
        MPI_Scan(&v, &w, 1, MPI_INT, MPI_SUM, comm); /* @ MPI_Scan main>shared_calls */
        v++;
}
