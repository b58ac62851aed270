/* what_if.h - edits made fit for one trace: names become regions, ranks become factors, a scenario comes out.
 */
#ifndef PS_APP_WHAT_IF_H
#define PS_APP_WHAT_IF_H

#include "app/edits.h"
#include "core/retime.h"
#include "simulator/replay.h"

typedef struct ps_what_if {
        const ps_trace *trace;
        ps_scenario scenario; /* points into what follows */
        double *cpu;          /* by process */
        ps_region_edit *regions;
        /* By path and edited region: how much of the edits holds there, for ps_retime(). */
        double *balance;    /* [edit][location]: 1, or what makes the location's time the mean */
        uint8_t *is_edited; /* [edit][path] */
} ps_what_if;

/* The machine, which may be NULL (as recorded), gets the mapping and the shapes of the edits. Rows that are
 * to be removed are the caller's affair: see waits.h. */
ps_status ps_what_if_make(ps_what_if *out, const ps_edits *edits, const ps_trace *trace, ps_machine *machine,
                          ps_error *err);
void ps_what_if_clear(ps_what_if *what_if);

/* A ps_path_factor; ctx is the ps_what_if. */
double ps_what_if_factor(void *ctx, ps_loc location, ps_path path);

#endif
