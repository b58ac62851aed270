/* dvm_runs.c - see dvm_runs.h. */
#include "tests/support/dvm_runs.h"

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
