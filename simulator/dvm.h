/* dvm.h - lays the record of one sequential run of a DVM program over a grid of processors: what the same
 * program would do there, interval by interval (after "Predictor: Detailed design", Keldysh Institute of
 * Applied Mathematics, 2000). docs/DVM.md tells the model and where it departs from that design. */
#ifndef PS_SIMULATOR_DVM_H
#define PS_SIMULATOR_DVM_H

#include "core/dvm.h"
#include "core/intervals.h"
#include "core/recording.h"
#include "simulator/exchange.h"

/* What the simulation could not do as the program asked. */
typedef enum ps_dvm_note {
#define PS_DVM_NOTE(id, text) PS_DVM_NOTE_##id,
#include "simulator/dvm_notes.def"
#undef PS_DVM_NOTE
        PS_DVM_NOTES
} ps_dvm_note;

extern const char *const ps_dvm_note_texts[PS_DVM_NOTES];

typedef struct ps_dvm_options {
        ps_grid grid; /* rank 0: what the machine says, or else one processor */
        ps_pipelining pipelining;
        int record; /* the run is wanted as a trace, too */
} ps_dvm_options;

typedef struct ps_dvm_run {
        ps_grid grid;
        ps_time duration; /* until the last processor ends */
        ps_intervals *intervals;
        ps_recording *recording; /* NULL unless it was wanted */
        uint64_t messages, bytes;
        struct {
                uint64_t count, at; /* at: line of the trace of the first one */
        } note[PS_DVM_NOTES];
} ps_dvm_run;

/* PS_E_INPUT: the program cannot run on this grid (a shadow edge wider than a block); the text says where. */
ps_status ps_dvm_simulate(ps_dvm_run *out, const ps_dvm *dvm, const ps_machine *machine,
                          const ps_dvm_options *options, ps_error *err);
void ps_dvm_run_clear(ps_dvm_run *run);

#endif
