/* predict.c - a DVM program on the 64 grids from 1x1 to 8x8: steps of a relaxation, each with a reduction and
 * an exchange of edges. */
#include "reader/dvm/dvm.h"
#include "simulator/dvm/dvm.h"
#include "tests/bench/bench.h"
#include "tests/simulator/dvm/samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 1000, SIDE = 8 };

#define LOOP   "LoopRefPtr=3; LoopRef=cc;\n"
#define SHADOW "ShadowGroupRefPtr=4; ShadowGroupRef=dd; "
#define REDUCE "RedGroupRefPtr=7; RedGroupRef=ee; "

static void put(dvm_text *t, const char *name, const char *params, const char *results)
{
        dvm_call(t, name, .00001, .000002, 25, params, results);
}

static void put_loop(dvm_text *t, char array)
{
        dvm_map_loop(t, array, 25, (int[]){1, 1}, (int[]){SIZE - 2, SIZE - 2});
        put(t, "dopl_", LOOP, "DoPL=1;\n");
        dvm_call(t, "dopl_", .01, 0, 25, LOOP, "DoPL=0;\n");
}

static void put_step(dvm_text *t)
{
        put_loop(t, 'a');
        put(t, "crtrg_", "StaticSign=1; DelRedSign=1;\n", "RedGroupRef=ee;\n");
        put(t, "crtred_", "RedFuncNumb=3; RedArrayPtr=5; RedArrayType=4; RedArrayLength=1; LocElmLength=0;\n",
            "RedRef=ff;\n");
        put(t, "insred_", REDUCE "RedRefPtr=8; RedRef=ff; LoopRefPtr=3; LoopRef=cc; RenewSign=1;\n", "");
        put(t, "strtrd_", REDUCE "\n", "");
        put(t, "waitrd_", REDUCE "\n", "");
        put(t, "delrg_", REDUCE "\n", "");
        put(t, "endpl_", LOOP, "");
        put_loop(t, 'b');
        put(t, "crtshg_", "StaticSign=0;\n", "ShadowGroupRef=dd;\n");
        put(t, "inssh_",
            SHADOW "ArrayHeader=a1; ArrayHandlePtr=a10; FullShdSign=0;\nLowShdWidthArray[0]=1; "
                   "LowShdWidthArray[1]=1;\nHiShdWidthArray[0]=1; HiShdWidthArray[1]=1;\n",
            "");
        put(t, "strtsh_", SHADOW "\n", "");
        put(t, "waitsh_", SHADOW "\n", "");
        put(t, "delshg_", SHADOW "\n", "");
        put(t, "endpl_", LOOP, "");
}

static ps_dvm *read_program(uint32_t n_calls)
{
        enum { CALLS = 21 };
        char path[] = "/tmp/patscan-bench-XXXXXX";
        dvm_text t = {0};
        ps_dvm *dvm = NULL;
        int fd = mkstemp(path);
        if (fd < 0)
                return NULL;
        close(fd);
        dvm_begin(&t);
        dvm_setup(&t, SIZE, SIZE, 2, 2, 8);
        for (uint32_t i = 0; i < n_calls / CALLS; i++)
                put_step(&t);
        dvm_end(&t);
        dvm_write(path, t.text, t.n);
        free(t.text);
        ps_status status = ps_dvm_read(&dvm, path, NULL);
        unlink(path);
        return status == PS_OK ? dvm : NULL;
}

int bench_predict(uint32_t n_calls)
{
        ps_dvm *dvm = read_program(n_calls);
        ps_machine machine;
        uint64_t operations = 0, before = bench_cpu_ns();
        int failed = !dvm;
        ps_machine_init(&machine, PS_MODEL_BUS);
        machine.link = (ps_link){75e-6, 5e6};
        for (uint32_t i = 0; i < SIDE * SIDE && !failed; i++) {
                const ps_dvm_options options = {.grid = {2, {1 + i / SIDE, 1 + i % SIDE}}};
                ps_dvm_run run;
                failed = ps_dvm_simulate(&run, dvm, &machine, &options, NULL) != PS_OK;
                operations += (uint64_t)dvm->calls.n * ps_grid_count(&options.grid);
                ps_dvm_run_clear(&run);
        }
        printf("operations=%" PRIu64 " load_cpu_ns=%" PRIu64 "\n", operations, bench_cpu_ns() - before);
        ps_machine_clear(&machine);
        ps_dvm_free(dvm);
        return failed;
}
