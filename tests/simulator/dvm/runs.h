/* runs.h - simulates DVM programs that are given as text. What fails ends the test. */
#ifndef PS_TESTS_SIMULATOR_DVM_RUNS_H
#define PS_TESTS_SIMULATOR_DVM_RUNS_H

#include "reader/dvm/dvm.h"
#include "simulator/dvm/dvm.h"
#include "tests/simulator/dvm/samples.h"

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

/* The intervals that the run's trace tells are those of the run, but for what only a simulation knows. */
void dvm_check_trace_intervals(const ps_dvm_run *run, const ps_trace *trace);

/* -- programs of one operation -- */

/* Adds the calls that a test is about. */
typedef void dvm_more_calls(dvm_text *t);
typedef void dvm_check_run(const ps_dvm_run *run, const ps_interval_sums *s);

/* The set-up of dvm_setup with elements of 8 bytes, and those calls. */
ps_dvm *dvm_program_with(int n1, int n2, int n_axes, int n_arrays, dvm_more_calls *more);
/* Such a program on one grid of the bus; everything that a test wants to look at. */
void dvm_on_bus(dvm_more_calls *more, int n1, int n2, int n_axes, int n_arrays, ps_grid grid,
                dvm_check_run *check);

/* A loop over the whole array; the template laid out anew, on the axis. */
void dvm_loop_over(dvm_text *t, char array, int n1, int n2, double seconds);
void dvm_redistribute(dvm_text *t, const char *ps, int axis, int is_fresh);

ps_interval_sums dvm_of_processor(const ps_dvm_run *run, uint32_t p);

#endif
