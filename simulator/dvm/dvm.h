/* dvm.h - lays the record of one sequential run of a DVM program over a grid of processors: what the same
 * program would do there, interval by interval (after "Predictor: Detailed design", Keldysh Institute of
 * Applied Mathematics, 2000). docs/DVM.md tells the model and where it departs from that design. */
#ifndef PS_SIMULATOR_DVM_DVM_H
#define PS_SIMULATOR_DVM_DVM_H

#include "core/dvm/dvm.h"
#include "core/load/recording.h"
#include "core/sums/intervals.h"
#include "simulator/cost/exchange.h"

/* What the simulation could not do as the program asked. */
typedef enum ps_dvm_note {
#define PS_DVM_NOTE(id, text) PS_DVM_NOTE_##id,
#include "simulator/dvm/notes.def"
#undef PS_DVM_NOTE
        PS_DVM_NOTES
} ps_dvm_note;

extern const char *const ps_dvm_note_texts[PS_DVM_NOTES];

/* A distribution to try instead of the one that a program asks for in a line of its source. */
typedef struct ps_dvm_override {
        const char *file; /* its name, or the end of its path; NULL: any */
        int64_t line;
        uint32_t n; /* the template's rank */
        struct {
                uint32_t on;     /* the axis of processors (from 1) along which this axis is cut; 0: none */
                int64_t divisor; /* blocks begin at multiples of it; at least 1 */
                const double *weight; /* of the blocks, n_weights of them; NULL: all the same */
                uint32_t n_weights;
        } axis[PS_DVM_RANK_MAX];
} ps_dvm_override;

typedef struct ps_dvm_options {
        ps_grid grid; /* rank 0: what the machine says, or else one processor */
        ps_pipelining pipelining;
        int record;                       /* the run is wanted as a trace, too */
        const ps_dvm_override *overrides; /* the first one that fits holds */
        uint32_t n_overrides;
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

/* How many axes of processors the program's distributions use: the rank of grids that suit it. At least 1; an
 * error when an override is for no distribution of the program, or for one of another rank. */
ps_status ps_dvm_grid_rank(uint32_t *out, const ps_dvm *dvm, const ps_dvm_options *options, ps_error *err);

/* PS_E_INPUT: the program cannot run on this grid (a shadow edge wider than a block); the text says where. */
ps_status ps_dvm_simulate(ps_dvm_run *out, const ps_dvm *dvm, const ps_machine *machine,
                          const ps_dvm_options *options, ps_error *err);
void ps_dvm_run_clear(ps_dvm_run *run);

#endif
