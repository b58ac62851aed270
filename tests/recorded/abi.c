/* abi.c - a program for MPI 5's binary interface, which says what it did as calls.c does. */
#include "tests/recorded/counted.h"

#include <mpi.h>

int main(int argc, char **argv)
{
        int sent[3] = {1, 2, 3}, got[3];
        DO(MPI_Init(&argc, &argv));
        for (int i = 0; i < 3; i++) {
                DO(MPI_Send(sent, 3, MPI_INT, 0, 7, MPI_COMM_WORLD));
                DO(MPI_Recv(got, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        DO(MPI_Barrier(MPI_COMM_WORLD));
        int is_said = say();
        MPI_Finalize();
        return is_said ? 0 : 1;
}
