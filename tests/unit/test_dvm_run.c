/* test_dvm_run.c - simulated runs of three small programs, against results worked out by hand and printed by
 * the Predictor of the DVM system (start time 75 us, 0.2 us a byte). */
#include "reader/dvm.h"
#include "simulator/dvm.h"
#include "tests/support/dvm_samples.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void near(double value, double expected, const char *what)
{
        if (fabs(value - expected) > 6e-10 * (fabs(expected) < 1 ? 1 : fabs(expected)))
                fail_msg("%s is %.12g, not %.12g", what, value, expected);
}
#define NEAR(value, expected) near((value), (expected), #value)

static ps_dvm *program_of(char *text)
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

static ps_machine machine_of(ps_model model)
{
        ps_machine machine;
        ps_machine_init(&machine, model);
        machine.link = (ps_link){75e-6, 5e6};
        return machine;
}

static const ps_interval_sums *simulate(ps_dvm_run *run, const ps_dvm *dvm, ps_model model, ps_grid grid)
{
        ps_machine machine = machine_of(model);
        ps_dvm_options options = {.grid = grid, .pipelining = PS_PIPELINING_CODE, .record = 1};
        ps_error err = {0};
        if (ps_dvm_simulate(run, dvm, &machine, &options, &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        for (uint32_t i = 0; i < run->intervals->n; i++) {
                const ps_interval_sums *s = &run->intervals->row[i].sums;
                NEAR(s->total_s, s->productive_s + s->lost_s);
        }
        ps_machine_clear(&machine);
        return &run->intervals->row[0].sums;
}

static void jacobi_on_2x2(void **state)
{
        (void)state;
        ps_dvm *dvm = program_of(dvm_sample_jacobi());
        ps_dvm_run run;
        const ps_interval_sums *s = simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){2, {2, 2}});
        NEAR(s->execution_s, .0076216);
        NEAR(s->total_s, .0304864);
        NEAR(s->productive_s, .02184);
        NEAR(s->productive_cpu_s, .0218);
        NEAR(s->productive_system_s, .00004);
        NEAR(s->insufficient_s, .00072);
        NEAR(s->communication_all_s, .0079264);
        NEAR(s->communication_s[PS_IC_REDUCTION], .0027168);
        NEAR(s->communication_s[PS_IC_SHADOW], .0052096);
        NEAR(s->overlap_all_s, .00096);
        NEAR(s->idle_s, 0);
        NEAR(s->efficiency, .716385011);
        const ps_interval *interval = &run.intervals->row[1];
        assert_int_equal(run.intervals->n, 2);
        assert_int_equal(interval->count, 2);
        assert_int_equal(interval->level, 1);
        assert_int_equal(interval->key.line, 20);
        assert_int_equal(interval->key.index, 1);
        ps_dvm_run_clear(&run);

        s = simulate(&run, dvm, PS_MODEL_TRANSPUTER, (ps_grid){2, {2, 2}});
        NEAR(s->execution_s, .0061756);
        NEAR(s->communication_s[PS_IC_REDUCTION], .0014912);
        NEAR(s->communication_s[PS_IC_SHADOW], .0006512);
        NEAR(s->efficiency, .884124619);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

static void jacobi_on_4x1(void **state)
{
        (void)state;
        ps_dvm *dvm = program_of(dvm_sample_jacobi());
        ps_dvm_run run;
        const ps_interval_sums *s = simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){2, {4, 1}});
        NEAR(s->execution_s, .0091728);
        NEAR(s->synchronization_all_s, .0048);
        NEAR(s->idle_s, .0024);
        NEAR(s->imbalance_s, .0072);
        NEAR(s->communication_s[PS_IC_REDUCTION], .0075168);
        NEAR(s->communication_s[PS_IC_SHADOW], .0042144);
        NEAR(s->efficiency, .595238095);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

static void gauss_on_4(void **state)
{
        (void)state;
        ps_dvm *dvm = program_of(dvm_sample_gauss());
        ps_dvm_run run;
        const ps_interval_sums *s = simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {4}});
        NEAR(s->communication_s[PS_IC_REMOTE_ACCESS], .0019274);
        NEAR(s->execution_s, .0087704);
        NEAR(s->efficiency, .621408374);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

static void realign_on_4(void **state)
{
        (void)state;
        ps_dvm *dvm = program_of(dvm_sample_realign());
        ps_dvm_run run;
        const ps_interval_sums *s = simulate(&run, dvm, PS_MODEL_BUS, (ps_grid){1, {4}});
        NEAR(s->execution_s, .0042072);
        NEAR(s->communication_s[PS_IC_REDISTRIBUTION], .0048288);
        NEAR(s->idle_s, .004);
        NEAR(s->efficiency, .475375547);
        ps_dvm_run_clear(&run);
        s = simulate(&run, dvm, PS_MODEL_TRANSPUTER, (ps_grid){1, {4}});
        NEAR(s->execution_s, .0033018);
        NEAR(s->efficiency, .605730208);
        ps_dvm_run_clear(&run);
        ps_dvm_free(dvm);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(jacobi_on_2x2),
                cmocka_unit_test(jacobi_on_4x1),
                cmocka_unit_test(gauss_on_4),
                cmocka_unit_test(realign_on_4),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
