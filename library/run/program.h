/* program.h - a DVM program, recorded on one processor, on a grid of processors: its run is simulated, to be
 * told of as if it had been measured; on several grids, and how long it takes on each is compared. */
#ifndef PS_LIBRARY_RUN_PROGRAM_H
#define PS_LIBRARY_RUN_PROGRAM_H

#include "library/run/plan.h"
#include "report/facts/sweep.h"
#include "simulator/dvm/dvm.h"
#include "simulator/whatif/whatif.h"

typedef struct ps_program ps_program;

/* Reads the trace that the options' first argument names, and simulates it. What is given must outlive it. To
 * be freed, also after a failure. */
ps_status ps_program_new(ps_program **out, const ps_options *options, const ps_machine *machine,
                         const char *const *edits, unsigned n, ps_error *err);
void ps_program_free(ps_program *program);

/* On several grids: a row each, and what reports tell of them. NULL: it is one. */
const ps_dvm_sweep *ps_program_sweep(const ps_program *program);
ps_status ps_program_write(const ps_program *program, const char *format, ps_output *out, ps_error *err);

/* On one grid: its recording, which is turned into a trace once: by ps_program_load() where there are edits
 * to be replayed (otherwise they are NULL), or else when the trace is asked for. */
ps_recording *ps_program_recording(const ps_program *program);
ps_edits *ps_program_edits(ps_program *program);
ps_status ps_program_load(void *program, ps_trace **out, const struct ps_piece_options *pieces,
                          ps_error *err);
ps_status ps_program_trace(const ps_trace **out, ps_program *program, const ps_plan *plan, ps_error *err);

ps_time ps_program_duration(const ps_program *program);

/* What the times rest on, and what makes the plan one of such a run. */
const ps_prediction *ps_program_prediction(const ps_program *program);
void ps_program_plan(const ps_program *program, ps_plan *plan, const ps_options *options);
ps_exit ps_program_judge(const ps_program *program);

#endif
