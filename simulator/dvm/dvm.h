/* dvm.h - lays the record of one sequential run of a DVM program over a grid of processors: what the same
 * program would do there, interval by interval (after "Predictor: Detailed design", Keldysh Institute of
 * Applied Mathematics, 2000). docs/DVM.md tells the model and where it departs from that design. */
#ifndef PS_SIMULATOR_DVM_DVM_H
#define PS_SIMULATOR_DVM_DVM_H

#include "core/base/arena.h"
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

/* Of texts such as "FILE:LINE=block,*": what may be written stands in overrides.c. */
typedef struct ps_overrides {
        ps_dvm_override *row;
        uint32_t n;
        ps_arena *arena; /* owns names and weights */
} ps_overrides;

/* To be freed, also after a failure. */
ps_status ps_overrides_parse(ps_overrides *out, const char *const *texts, unsigned n, ps_error *err);
void ps_overrides_free(ps_overrides *overrides);

/* How often, and the line of the trace of the first one. */
typedef struct ps_dvm_noted {
        uint64_t count, at;
} ps_dvm_noted;

/* Which parallel loops become intervals of their own; what processors take in them is a part of what they
 * take in the interval around. */
typedef enum ps_dvm_loops {
        PS_DVM_NO_LOOPS,
        PS_DVM_LOOPS_ALONE, /* where the program has no intervals */
        PS_DVM_ALL_LOOPS
} ps_dvm_loops;

typedef struct ps_dvm_options {
        ps_grid grid; /* rank 0: what the machine says, or else one processor */
        ps_pipelining pipelining;
        ps_dvm_loops loops;
        bool record;                      /* the run is wanted as a trace, too */
        const ps_dvm_override *overrides; /* the first one that fits holds */
        uint32_t n_overrides;
} ps_dvm_options;

typedef struct ps_dvm_run {
        ps_grid grid;
        ps_time duration; /* until the last processor ends */
        ps_intervals *intervals;
        ps_recording *recording; /* NULL unless it was wanted */
        uint64_t messages, bytes;
        ps_dvm_noted note[PS_DVM_NOTES];
} ps_dvm_run;

/* How many axes of processors the program's distributions use: the rank of grids that suit it. At least 1; an
 * error when an override is for no distribution of the program, or for one of another rank. */
ps_status ps_dvm_grid_rank(uint32_t *out, const ps_dvm *dvm, const ps_dvm_options *options, ps_error *err);

/* PS_E_INPUT: the program cannot run on this grid (a shadow edge wider than a block); the text says where. */
ps_status ps_dvm_simulate(ps_dvm_run *out, const ps_dvm *dvm, const ps_machine *machine,
                          const ps_dvm_options *options, ps_error *err);
void ps_dvm_run_clear(ps_dvm_run *run);

/* -- several grids -- */

enum { PS_GRIDS_MAX = 4096, PS_GRID_ROOM = 48 };

typedef struct ps_grid_list {
        ps_grid *row;
        uint32_t n, cap;
} ps_grid_list;

void ps_grid_list_free(ps_grid_list *list);

/* Grids and ranges of them, separated by commas: "2x2", "1x16..16x1". In a range each size runs from the one
 * to the other; when both ends have the same number of processors, only grids of that number are in it. */
ps_status ps_grids_parse(ps_grid_list *out, const char *text, ps_error *err);
/* Numbers of processors, separated by commas: all grids of `rank` axes that have them. */
ps_status ps_grids_of_procs(ps_grid_list *out, const char *text, uint32_t rank, ps_error *err);

const char *ps_grid_text(char room[PS_GRID_ROOM], const ps_grid *grid);

/* One program on many grids, a row each. */
typedef struct ps_sweep_row {
        char grid[PS_GRID_ROOM]; /* "2x2" */
        uint32_t n_processors;
        char *reason;          /* why the program cannot run there, and nothing below is known; or NULL */
        ps_time duration;      /* until the last processor ends */
        ps_interval_sums sums; /* of the whole run */
        uint64_t messages, bytes;
        bool is_best; /* the least execution time, then the fewest processors, then the first */
} ps_sweep_row;

typedef struct ps_dvm_sweep {
        ps_sweep_row *row;
        uint32_t n, n_failed;            /* n_failed: those with a reason */
        ps_dvm_noted note[PS_DVM_NOTES]; /* the most on any grid; no line */
} ps_dvm_sweep;

/* Each grid instead of that of the options. To be cleared, also after a failure. */
ps_status ps_dvm_sweep_run(ps_dvm_sweep *out, const ps_dvm *dvm, const ps_machine *machine,
                           const ps_dvm_options *options, const ps_grid_list *grids, unsigned n_threads,
                           ps_error *err);
void ps_dvm_sweep_clear(ps_dvm_sweep *sweep);

#endif
