! calls.F90 - MPI calls from Fortran: KIND 1 is mpif.h, 2 the module mpi, 3 mpi_f08. A comment says which call a line makes,
! and how often. gfortran loses the lines of some calls without buffers of Open MPI's module mpi, so that these are not asked
! for there. Waitany of MPICH 4.0's module mpi_f08 completes the wrong request.
module work
#if KIND == 3
  use mpi_f08
#elif KIND == 2
  use mpi
#endif
  implicit none
#if KIND == 1
  include 'mpif.h'
  private
  public :: messages
#endif
#if KIND == 3
#define HANDLE(what) type(what)
#define STATUS type(MPI_Status)
#define STATUSES(n) type(MPI_Status), dimension(n)
#else
#define HANDLE(what) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(n) integer, dimension(MPI_STATUS_SIZE, n)
#endif
contains
  subroutine last(code)
    integer, intent(out) :: code
#if KIND != 2
    call mpi_barrier(MPI_COMM_WORLD, code) !@ MPI_Barrier 1 not2
#endif
  end subroutine
  subroutine messages(rank, n)
    integer, intent(in) :: rank, n
    integer :: code, to, from, i, a(8), b(8), order(2), done, at
    logical :: flag
    HANDLE(MPI_Request) :: q(2)
    HANDLE(MPI_Comm) :: half
    HANDLE(MPI_File) :: f
    integer(kind=MPI_OFFSET_KIND) :: place
    STATUS :: s
    STATUSES(2) :: all
    to = mod(rank + 1, n)
    from = mod(rank + n - 1, n)
    a = rank
    call mpi_irecv(b, 8, MPI_INTEGER, from, 1, MPI_COMM_WORLD, q(1), code) !@ MPI_Irecv 1
    call mpi_isend(a, 8, MPI_INTEGER, to, 1, MPI_COMM_WORLD, q(2), code) !@ MPI_Isend 1
    call mpi_waitall(2, q, MPI_STATUSES_IGNORE, code) !@ MPI_Waitall 1
    do i = 1, 3
      call mpi_irecv(b, 8, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, q(1), code) !@ MPI_Irecv 3
      call mpi_send(a, 8, MPI_INTEGER, to, 2, MPI_COMM_WORLD, code) !@ MPI_Send 3
      call mpi_wait(q(1), s, code) !@ MPI_Wait 3
    end do
#if KIND != 3
    call mpi_irecv(b, 8, MPI_INTEGER, from, 3, MPI_COMM_WORLD, q(1), code) !@ MPI_Irecv 1 not3
    call mpi_isend(a, 8, MPI_INTEGER, to, 3, MPI_COMM_WORLD, q(2), code) !@ MPI_Isend 1 not3
    call mpi_waitany(2, q, at, MPI_STATUS_IGNORE, code) !@ MPI_Waitany 1 not3
    call mpi_waitsome(2, q, done, order, all, code) !@ MPI_Waitsome 1 not3
#endif
    call mpi_sendrecv(a, 8, MPI_INTEGER, to, 4, b, 8, MPI_INTEGER, from, 4, MPI_COMM_WORLD, s, code) !@ MPI_Sendrecv 1
    call mpi_bcast(a, 8, MPI_INTEGER, 0, MPI_COMM_WORLD, code) !@ MPI_Bcast 1
    call mpi_allreduce(MPI_IN_PLACE, a, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code) !@ MPI_Allreduce 1
    place = 32 * rank
#if KIND == 1
    call mpi_file_open(MPI_COMM_WORLD, 'data', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, f, code) !@ MPI_File_open 1 not2not3
    call mpi_file_write_at_all(f, place, a, 8, MPI_INTEGER, MPI_STATUS_IGNORE, code) !@ MPI_File_write_at_all 1 not2not3
    call mpi_file_close(f, code) !@ MPI_File_close 1 not2not3
#endif
    call mpi_comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, code) !@ MPI_Comm_split 1
    call mpi_reduce(a, b, 8, MPI_INTEGER, MPI_SUM, 0, half, code) !@ MPI_Reduce 1
    call last(code)
  end subroutine
end module

program calls
  use work
#if KIND == 3
  use mpi_f08
#elif KIND == 2
  use mpi
#endif
  implicit none
#if KIND == 1
  include 'mpif.h'
#endif
  integer :: code, rank, n
  call mpi_init(code)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, code)
  call mpi_comm_size(MPI_COMM_WORLD, n, code)
  call messages(rank, n)
  call mpi_finalize(code)
end program
