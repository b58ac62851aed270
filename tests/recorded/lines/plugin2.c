/* plugin2.c - another one, whose calls return to the same addresses when it is loaded where the first one
 * was. */
#include <mpi.h>

static int v, w;

/* Here these are lines further on. */

void run(MPI_Comm comm)
{
        MPI_Barrier(comm);                                /* @ MPI_Barrier */
        MPI_Bcast(&v, 1, MPI_INT, 0, comm);               /* @ MPI_Bcast */
        MPI_Allreduce(&v, &w, 1, MPI_INT, MPI_SUM, comm); /* @ MPI_Allreduce */
        v += w;
}
