/* laws.c - the laws of what processes do together (tests/support/crew/crew_laws.h), with MPI between them. */
#include "app/mpi/wire.h"
#include "tests/support/crew/crew_laws.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
        ps_exchange x;
        ps_mpi_begin(&x, &argc, &argv, 5);
        unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
        const char *broken = x.size == n ? crew_laws(&x) : "there are as many processes as were started";
        broken = broken || ps_mpi_neighbours(&x) == n ? broken : "they are all on this node";
        if (broken)
                fprintf(stderr, "process %u of %u: does not hold: %s\n", x.rank, x.size, broken);
        ps_mpi_end();
        return broken != NULL;
}
