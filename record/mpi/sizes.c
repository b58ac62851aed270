/* sizes.c - how many bytes a call moves. A type that is not significant may be anything, so only what the
 * caller says is significant gets here. */
#include "record/mpi/calls.h"

uint64_t ps_shim_bytes(int count, MPI_Datatype type)
{
        int size = 0;
        if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS || size < 0)
                return 0;
        return (uint64_t)count * (uint64_t)size;
}

uint64_t ps_shim_bytes_all(const int *counts, MPI_Datatype type, int n)
{
        uint64_t sum = 0, size = ps_shim_bytes(1, type);
        for (int i = 0; i < n; i++)
                sum += counts[i] > 0 ? (uint64_t)counts[i] * size : 0;
        return sum;
}

uint64_t ps_shim_bytes_types(const int *counts, const MPI_Datatype *types, int n)
{
        uint64_t sum = 0;
        for (int i = 0; types && i < n; i++)
                sum += ps_shim_bytes(counts[i], types[i]);
        return sum;
}

uint64_t ps_shim_received(const MPI_Status *status)
{
        int n = 0;
        MPI_Count many = 0;
        PMPI_Get_count(status, MPI_BYTE, &n);
        if (n != MPI_UNDEFINED)
                return (uint64_t)n;
        PMPI_Get_elements_x(status, MPI_BYTE, &many);
        return many > 0 ? (uint64_t)many : 0;
}
