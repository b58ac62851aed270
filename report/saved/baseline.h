/* baseline.h - the sites of a saved report: what is not among them is new. */
#ifndef PS_REPORT_SAVED_BASELINE_H
#define PS_REPORT_SAVED_BASELINE_H

#include "report/causes/causes.h"

typedef struct ps_baseline {
        struct ps_saved_sites {
                uint64_t *site; /* sorted */
                size_t n;
        } findings, causes;
        bool has_causes; /* somebody had asked for them */
} ps_baseline;

/* Reads the JSON report at `path`; what is no such report is PS_E_INPUT. */
ps_status ps_baseline_read(ps_baseline *out, const char *path, ps_error *err);
void ps_baseline_clear(ps_baseline *baseline);

/* Sets is_new of the report's findings, and returns how many are. */
uint32_t ps_baseline_mark(const ps_baseline *baseline, ps_report *report);
/* Sets is_new of all causes, where the baseline has any. */
void ps_baseline_mark_causes(const ps_baseline *baseline, ps_blame *blame);

#endif
