/* sweep.h - edits with several values, L*1,2,4 or bw*1/4..4: all combinations of them. */
#ifndef PS_SIMULATOR_WHATIF_SWEEP_H
#define PS_SIMULATOR_WHATIF_SWEEP_H

#include "simulator/whatif/whatif.h"

enum { PS_SWEEP_AXES = 8, PS_SWEEP_ROWS = 1024 }; /* more are refused */

/* One edit; `lead` and a word are an edit with one value. */
typedef struct ps_sweep_axis {
        const char *lead;        /* "bw*" */
        const char *const *word; /* "0.25" */
        const double *value;
        uint32_t n;
} ps_sweep_axis;

typedef struct ps_edit_sweep {
        ps_sweep_axis axis[PS_SWEEP_AXES];
        uint32_t n_axes, n_rows;         /* rows: combinations, those of the last axis side by side */
        const char *fixed[PS_EDITS_MAX]; /* edits with one value */
        unsigned n_fixed;
        ps_arena *arena;
} ps_edit_sweep;

/* Has the edit several values? A..B doubles from A up to B, and a value may be a fraction. */
bool ps_edit_is_swept(const char *text);

/* To be cleared, also after a failure. Whether they are edits at all is for ps_edits_parse to say. */
ps_status ps_edit_sweep_parse(ps_edit_sweep *out, const char *const *texts, unsigned n, ps_error *err);
void ps_edit_sweep_clear(ps_edit_sweep *sweep);

/* Which value of an axis a row has. */
uint32_t ps_edit_sweep_at(const ps_edit_sweep *sweep, uint32_t row, uint32_t axis);

/* The edits of a row, in memory of the sweep's; their number is n_fixed + n_axes. */
ps_status ps_edit_sweep_texts(const char *out[PS_EDITS_MAX], const ps_edit_sweep *sweep, uint32_t row,
                              ps_error *err);

#endif
