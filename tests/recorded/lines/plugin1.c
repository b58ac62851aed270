/* plugin1.c - a file with code that is loaded and unloaded again: see program.c. */
#include <mpi.h>

static int v, w;

void run(MPI_Comm comm)
{
        MPI_Barrier(comm);                                /* @ MPI_Barrier */
        MPI_Bcast(&v, 1, MPI_INT, 0, comm);               /* @ MPI_Bcast */
        MPI_Allreduce(&v, &w, 1, MPI_INT, MPI_SUM, comm); /* @ MPI_Allreduce */
        v += w;
}
