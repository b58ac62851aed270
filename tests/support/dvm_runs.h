/* dvm_runs.h - simulates DVM programs that are given as text. What fails ends the test. */
#ifndef PS_TESTS_DVM_RUNS_H
#define PS_TESTS_DVM_RUNS_H

#include "reader/dvm.h"
#include "simulator/dvm.h"
#include "tests/support/dvm_samples.h"

/* Seconds that are the same to less than a nanosecond. */
void dvm_near(double value, double expected, const char *what);
#define DVM_NEAR(value, expected) dvm_near((value), (expected), #value)

/* Reads the text, and frees it. */
ps_dvm *dvm_program(char *text);

/* Start time 75 us, 0.2 us a byte. */
ps_machine dvm_machine(ps_model model);

/* The sums of the whole run. For each interval is checked that its time is what was useful and what was lost.
 */
const ps_interval_sums *dvm_simulate_on(ps_dvm_run *run, const ps_dvm *dvm, const ps_machine *machine,
                                        const ps_dvm_options *options);
/* On that machine, with a trace, messages cut as the Predictor's code does. */
const ps_interval_sums *dvm_simulate(ps_dvm_run *run, const ps_dvm *dvm, ps_model model, ps_grid grid);

#endif
