/* fortran.c - what Fortran has in place of C's constants. */
#include "record/mpi/calls.h"

#ifdef PS_MPI_ABI
bool ps_shim_is_ignored(const void *status)
{
        return status == MPI_STATUS_IGNORE;
}

bool ps_shim_is_in_place(const void *buffer)
{
        return buffer == MPI_IN_PLACE;
}

/* In Open MPI these are the addresses of common blocks, in MPICH what pointers
 * hold. */
#elif defined(OPEN_MPI)
extern char mpi_fortran_status_ignore_, mpi_fortran_statuses_ignore_, mpi_fortran_in_place_;
#pragma weak mpi_fortran_status_ignore_
#pragma weak mpi_fortran_statuses_ignore_
#pragma weak mpi_fortran_in_place_

bool ps_shim_is_ignored(const void *status)
{
        return status == NULL || status == MPI_STATUS_IGNORE || status == &mpi_fortran_status_ignore_ ||
               status == &mpi_fortran_statuses_ignore_;
}

bool ps_shim_is_in_place(const void *buffer)
{
        return buffer == MPI_IN_PLACE || (&mpi_fortran_in_place_ && buffer == &mpi_fortran_in_place_);
}
#else
extern void *MPIR_F_MPI_IN_PLACE;
#pragma weak MPIR_F_MPI_IN_PLACE
#pragma weak MPIR_F08_MPI_IN_PLACE

bool ps_shim_is_ignored(const void *status)
{
        return status == NULL || status == MPI_STATUS_IGNORE || status == MPI_F_STATUS_IGNORE ||
               status == MPI_F_STATUSES_IGNORE || status == MPI_F08_STATUS_IGNORE ||
               status == MPI_F08_STATUSES_IGNORE;
}

bool ps_shim_is_in_place(const void *buffer)
{
        return buffer == MPI_IN_PLACE || (&MPIR_F_MPI_IN_PLACE && buffer == MPIR_F_MPI_IN_PLACE) ||
               (&MPIR_F08_MPI_IN_PLACE && buffer == &MPIR_F08_MPI_IN_PLACE);
}
#endif
