/* what_if.h - edits made fit for one trace: names become regions, ranks become factors, a scenario comes out.
 */
#ifndef PS_APP_WHATIF_WHAT_IF_H
#define PS_APP_WHATIF_WHAT_IF_H

#include "app/whatif/edits.h"
#include "core/model/pieces.h"
#include "core/views/retime.h"
#include "simulator/replay/replay.h"

typedef struct ps_what_if {
        const ps_trace *trace;
        ps_scenario scenario; /* points into what follows */
        double *cpu;          /* by process */
        ps_region_edit *regions;
        /* Where the trace has no pieces, by path and edited region: how much of the edits holds there. */
        double *balance;    /* [edit][location]: 1, or what makes the location's time the mean */
        uint8_t *is_edited; /* [edit][path] */
} ps_what_if;

/* The machine, which may be NULL (as recorded), gets the mapping and the shapes of the edits. Rows that are
 * to be removed are the caller's affair: see waits.h. */
ps_status ps_what_if_make(ps_what_if *out, const ps_edits *edits, const ps_trace *trace, ps_machine *machine,
                          ps_error *err);
void ps_what_if_clear(ps_what_if *what_if);

/* How much longer the location computes at the path, where the trace has no pieces. */
double ps_what_if_factor(const ps_what_if *what_if, ps_loc location, ps_path path);

/* Whose visits the edits balance: a ps_piece_options.choose with this context. `balance` alone is about the
 * intervals of these names. */
typedef struct ps_balanced {
        const ps_edits *edits;
        const char *const *intervals;
        uint32_t n_intervals;
} ps_balanced;
ps_status ps_what_if_choose(void *balanced, const ps_defs *defs, ps_visited *visited, ps_error *err);

#endif
