/* alone.c - a program without MPI: a process is recorded from its first parallel region until it ends. */
#include "record/openmp/openmp.h"

#include <stdio.h>
#include <stdlib.h>

/* A launcher may have started several; each knows its place by what the launcher left it. */
static int launcher_number(const char *const *names, int otherwise)
{
        for (; *names; names++)
                if (getenv(*names))
                        return atoi(getenv(*names)); // NOLINT(cert-err34-c): no number is 0, which is fine
        return otherwise;
}

void ps_openmp_start(void)
{
        static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PALS_RANKID", "SLURM_PROCID",
                                            NULL};
        static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", NULL};
        static char run[64];
        ps_shim_world world = {.run = run,
                               .rank = launcher_number(ranks, 0),
                               .size = launcher_number(sizes, 1),
                               .has_threads = 1,
                               .is_alone = 1};
        static bool is_tried;
        if (__atomic_exchange_n(&is_tried, 1, __ATOMIC_ACQ_REL) || !ps_shim_is_wanted())
                return;
        if (world.rank < 0 || world.rank >= world.size)
                world.rank = 0, world.size = 1;
        ps_shim_name_run(run, sizeof(run));
        if (!ps_shim_open(&world))
                return;
        /* What every recording has: all processes, and each alone. */
        ps_shim_define("comm 0 world 0 0 %d 1\n", world.size);
        ps_shim_define("comm 1 self 0 0 1 1\n");
        ps_shim_start();
}

__attribute__((destructor)) static void finish_alone(void)
{
        ps_shim_finish();
}
