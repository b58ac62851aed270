/* sweep.h - one program on many processor grids, a row each: `patscan predict` with several grids. */
#ifndef PS_REPORT_FACTS_SWEEP_H
#define PS_REPORT_FACTS_SWEEP_H

#include "report/facts/prediction.h"
#include "report/print/output.h"
#include "simulator/dvm/dvm.h"

typedef struct ps_sweep {
        const char *trace_path;
        const ps_prediction *prediction; /* what all have in common; it names no grid */
        const ps_sweep_row *row;
        uint32_t n;
} ps_sweep;

typedef ps_status ps_sweep_writer(const ps_sweep *sweep, ps_output *out, ps_error *err);
ps_sweep_writer ps_sweep_write_text, ps_sweep_write_html, ps_sweep_write_markdown, ps_sweep_write_json,
        ps_sweep_write_csv;

#endif
