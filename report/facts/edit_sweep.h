/* edit_sweep.h - one run with many combinations of edits, a row each: `patscan predict` with several values.
 */
#ifndef PS_REPORT_FACTS_EDIT_SWEEP_H
#define PS_REPORT_FACTS_EDIT_SWEEP_H

#include "report/facts/prediction.h"
#include "report/print/output.h"
#include "simulator/whatif/sweep.h"

typedef struct ps_swept_row {
        uint8_t is_stuck; /* it never ends: a deadlock, and there are no times */
        ps_time focus, whole;
} ps_swept_row;

typedef struct ps_swept {
        const char *trace_path;
        const ps_prediction *prediction; /* what all have in common */
        const ps_edit_sweep *sweep;
        const ps_swept_row *row; /* sweep->n_rows */
        ps_time measured;        /* the focus of the run as it was recorded */
} ps_swept;

ps_status ps_swept_write_text(const ps_swept *swept, ps_output *out, ps_error *err);
ps_status ps_swept_write_html(const ps_swept *swept, ps_output *out, ps_error *err);
ps_status ps_swept_write_markdown(const ps_swept *swept, ps_output *out, ps_error *err);
ps_status ps_swept_write_json(const ps_swept *swept, ps_output *out, ps_error *err);
ps_status ps_swept_write_csv(const ps_swept *swept, ps_output *out, ps_error *err);

#endif
