/* waits.h - at which operations a finding was found: what a replay without it has to leave out. */
#ifndef PS_APP_WHATIF_WAITS_H
#define PS_APP_WHATIF_WAITS_H

#include "patterns/engine/engine.h"

/* The rows of one finding that a replay can do without waiting; none: it cannot tell. */
typedef struct ps_waits_row {
        ps_loc loc;
        ps_op *op;
        uint32_t n, cap;
} ps_waits_row;

typedef struct ps_waits {
        ps_waits_row *row; /* in the order of the findings that were asked for */
        uint32_t n;
} ps_waits;

/* Goes through the analysis again: `how` is that which found them. To be cleared, also after a failure. */
ps_status ps_waits_gather(ps_waits *out, const ps_trace *trace, const ps_timing *timing,
                          const ps_analysis_options *how, const ps_finding *const *findings, uint32_t n,
                          ps_error *err);
void ps_waits_clear(ps_waits *waits);

/* Rows as ps_scenario.unwaited wants them. */
typedef struct ps_unwaited {
        uint64_t **rows; /* by location; NULL: none */
        uint32_t n_locs;
} ps_unwaited;

/* With the rows of `base`, which may be NULL. */
ps_status ps_unwaited_new(ps_unwaited *out, const ps_trace *trace, const ps_unwaited *base, ps_error *err);
ps_status ps_unwaited_add(ps_unwaited *set, const ps_trace *trace, const ps_waits_row *row, ps_error *err);
void ps_unwaited_clear(ps_unwaited *set);

#endif
