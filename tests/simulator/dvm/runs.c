/* runs.c - see runs.h. */
#include "tests/simulator/dvm/runs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void dvm_near(double value, double expected, const char *what)
{
        if (!(fabs(value - expected) <= 6e-10 * (fabs(expected) < 1 ? 1 : fabs(expected))))
                fail_msg("%s is %.12g, not %.12g", what, value, expected);
}

ps_dvm *dvm_program(char *text)
{
        char path[] = "/tmp/patscan-dvm-XXXXXX";
        int fd = mkstemp(path);
        ps_dvm *dvm;
        ps_error err = {0};
        assert_true(fd >= 0);
        close(fd);
        dvm_write(path, text, strlen(text));
        ps_status status = ps_dvm_read(&dvm, path, &err);
        unlink(path);
        free(text);
        if (status != PS_OK)
                fail_msg("%s", err.cause[0].text);
        return dvm;
}

ps_machine dvm_machine(ps_model model)
{
        ps_machine machine;
        ps_machine_init(&machine, model);
        machine.link = (ps_link){75e-6, 5e6};
        return machine;
}

const ps_interval_sums *dvm_simulate_on(ps_dvm_run *run, const ps_dvm *dvm, const ps_machine *machine,
                                        const ps_dvm_options *options)
{
        ps_error err = {0};
        if (ps_dvm_simulate(run, dvm, machine, options, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        for (uint32_t i = 0; i < run->intervals->n; i++) {
                const ps_interval_sums *s = &run->intervals->row[i].sums;
                DVM_NEAR(s->total_s, s->productive_s + s->lost_s);
        }
        return &run->intervals->row[0].sums;
}

const ps_interval_sums *dvm_simulate(ps_dvm_run *run, const ps_dvm *dvm, ps_model model, ps_grid grid)
{
        ps_machine machine = dvm_machine(model);
        ps_dvm_options options = {.grid = grid, .pipelining = PS_PIPELINING_CODE, .record = 1};
        const ps_interval_sums *sums = dvm_simulate_on(run, dvm, &machine, &options);
        ps_machine_clear(&machine);
        return sums;
}

ps_dvm *dvm_program_with(int n1, int n2, int n_axes, int n_arrays, dvm_more_calls *more)
{
        dvm_text t = {0};
        dvm_begin(&t);
        dvm_setup(&t, n1, n2, n_axes, n_arrays, 8);
        more(&t);
        dvm_end(&t);
        return dvm_program(t.text);
}

void dvm_loop_over(dvm_text *t, char array, int n1, int n2, double seconds)
{
        dvm_map_loop(t, array, 40, (int[]){0, 0}, (int[]){n1 - 1, n2 - 1});
        dvm_call(t, "dopl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=1;\n");
        dvm_call(t, "dopl_", seconds, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "DoPL=0;\n");
        dvm_call(t, "endpl_", 0, 0, 40, "LoopRefPtr=3; LoopRef=cc;\n", "");
}

void dvm_redistribute(dvm_text *t, const char *ps, int axis, int is_fresh)
{
        char text[256];
        snprintf(text, sizeof(text),
                 "AMViewRefPtr=2; AMViewRef=bb; %s ParamCount=1; NewSign=%d;\nAxisArray[0]=%d;\n"
                 "DistrParamArray[0]=0;\n",
                 ps, is_fresh, axis);
        dvm_call(t, "redis_", 0, 0, 30, text, "IsLocal=1;\n");
}

ps_interval_sums dvm_of_processor(const ps_dvm_run *run, uint32_t p)
{
        ps_interval_sums one;
        ps_interval_processor(run->intervals, 0, p, &one);
        return one;
}

void dvm_on_bus(dvm_more_calls *more, int n1, int n2, int n_axes, int n_arrays, ps_grid grid,
                dvm_check_run *check)
{
        ps_dvm *dvm = dvm_program_with(n1, n2, n_axes, n_arrays, more);
        ps_dvm_run run;
        const ps_interval_sums *s = dvm_simulate(&run, dvm, PS_MODEL_BUS, grid);
        check(&run, s);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}
