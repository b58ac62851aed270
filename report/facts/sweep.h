/* sweep.h - one program on many processor grids, a row each: `patscan predict` with several grids. */
#ifndef PS_REPORT_FACTS_SWEEP_H
#define PS_REPORT_FACTS_SWEEP_H

#include "core/sums/intervals.h"
#include "report/facts/prediction.h"
#include "report/print/output.h"

typedef struct ps_sweep_row {
        const char *grid; /* "2x2" */
        uint32_t n_processors;
        const char *reason; /* why the program cannot run there, and then nothing below is known; or NULL */
        ps_time duration;   /* until the last processor ends */
        ps_interval_sums sums; /* of the whole run */
        uint64_t messages, bytes;
        int is_best; /* no other one takes less time */
} ps_sweep_row;

typedef struct ps_sweep {
        const char *trace_path;
        const ps_prediction *prediction; /* what all have in common; it names no grid */
        ps_sweep_row *row;
        uint32_t n;
} ps_sweep;

/* Marks the best row: the least execution time, then the fewest processors, then the first. */
void ps_sweep_choose(ps_sweep *sweep);

ps_status ps_sweep_write_text(const ps_sweep *sweep, ps_output *out, ps_error *err);
ps_status ps_sweep_write_json(const ps_sweep *sweep, ps_output *out, ps_error *err);
ps_status ps_sweep_write_csv(const ps_sweep *sweep, ps_output *out, ps_error *err);

#endif
