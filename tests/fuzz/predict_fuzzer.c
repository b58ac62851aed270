/* predict_fuzzer.c - simulates whatever program the reader makes of the bytes, on three grids. A run that is
 * told of must add up, and be a trace without defects. */
#include "reader/dvm/dvm.h"
#include "simulator/dvm/dvm.h"
#include "tests/support/fuzz_lab.h"

#include <math.h>
#include <unistd.h>

static void check_sums(const ps_dvm_run *run)
{
        for (uint32_t i = 0; i < run->intervals->n; i++) {
                const ps_interval_sums *s = &run->intervals->row[i].sums;
                fuzz_must(fabs(s->total_s - s->productive_s - s->lost_s) <= 1e-9 * (1 + s->total_s));
        }
}

static void simulate(const ps_dvm *dvm, ps_grid grid)
{
        ps_machine machine;
        ps_machine_init(&machine, PS_MODEL_BUS);
        machine.link = (ps_link){75e-6, 5e6};
        const ps_dvm_options options = {.grid = grid, .record = 1};
        ps_error err = {0};
        ps_trace *trace;
        ps_dvm_run run;
        ps_status status = ps_dvm_simulate(&run, dvm, &machine, &options, &err);
        if (status == PS_OK) {
                check_sums(&run);
                fuzz_must(ps_recording_load(&trace, run.recording, NULL, &err) == PS_OK);
                fuzz_must(!trace->clock.violations);
                ps_trace_close(trace);
                ps_dvm_run_clear(&run);
        } else {
                fuzz_must((status == PS_E_INPUT || status == PS_E_USAGE) && err.n_causes);
        }
        ps_machine_clear(&machine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static const ps_grid grids[] = {{1, {3}}, {2, {2, 2}}, {3, {2, 1, 3}}};
        const char *path = fuzz_path();
        fuzz_write(path, data, size);
        ps_dvm *dvm;
        ps_error err = {0};
        if (ps_dvm_read_tolerant(&dvm, path, &err) == PS_OK) {
                for (size_t g = 0; g < sizeof(grids) / sizeof(*grids); g++)
                        simulate(dvm, grids[g]);
                ps_dvm_free(dvm);
        }
        unlink(path);
        return 0;
}
