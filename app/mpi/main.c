/* main.c - patscan-mpi: process 0 is patscan, whose work the others share. */
#define _GNU_SOURCE /* which processors a process may use: NOLINT(bugprone-reserved-identifier) */
#include "app/cli/program.h"
#include "app/mpi/wire.h"
#include "core/base/blocks.h"
#include "core/load/share.h"
#include "library/run/exit.h"
#include "library/run/works.h"
#include "reader/reader.h"

#include <commit.h>

#include <sched.h>
#include <unistd.h>

/* Processors of this node for each of our processes on it; a launcher may have left this one less. */
static unsigned default_threads(unsigned n_neighbours)
{
        cpu_set_t set;
        long n_online = sysconf(_SC_NPROCESSORS_ONLN);
        unsigned n = n_online > 0 ? (unsigned)n_online / n_neighbours : 1;
        if (sched_getaffinity(0, sizeof(set), &set) == 0 && (unsigned)CPU_COUNT(&set) < n)
                n = (unsigned)CPU_COUNT(&set);
        return n ? n : 1;
}

int main(int argc, char **argv)
{
        ps_exchange exchange;
        uint32_t rank;
        int code = PS_EXIT_OK;
        ps_blocks_map_large();
        ps_mpi_begin(&exchange, &argc, &argv, PS_EXIT_INTERNAL);
        unsigned n_neighbours = ps_mpi_neighbours(&exchange);
        exchange.n_threads = default_threads(n_neighbours);
        if (n_neighbours > 1)
                ps_blocks_divide(n_neighbours);
        if (exchange.size == 1 && ps_mpi_launched(&rank) > 1) {
                /* The others of its sort must not be faster: some launchers end all at once then. */
                if (!rank) {
                        ps_program_complain("started by another MPI than it was built with");
                        code = PS_EXIT_USAGE;
                }
        } else if (exchange.rank) {
                ps_share_serve(&exchange, ps_reader_named, ps_all_works);
        } else {
                code = ps_program(argc, argv, PS_COMMIT, &exchange);
                ps_share_dismiss(&exchange);
        }
        ps_mpi_end();
        return code;
}
