/* measure.h - intervals while they are measured; for intervals.c and what it is made of. */
#ifndef PS_PATTERNS_ENGINE_MEASURE_H
#define PS_PATTERNS_ENGINE_MEASURE_H

#include "core/sums/intervals.h"
#include "patterns/engine/engine.h"

struct measure {
        const ps_trace *trace;
        const ps_timing *timing;
        ps_intervals *tree;
        uint32_t *interval;  /* by path */
        uint8_t *is_chosen;  /* by region */
        uint8_t *purpose;    /* by path: ps_purpose */
        uint32_t *processor; /* by location; PS_NONE: takes no part */
        uint32_t n_processors;
};

/* What the operations of a call path are for; PS_IC_COUNT: for nothing that intervals tell. */
ps_interval_class ps_measure_class(const struct measure *m, ps_path path);

/* What operations of a kind are for, where the call path does not say it. */
ps_interval_class ps_measure_class_of_kind(ps_kind kind);

/* interval_ops.c: counts the operations, but for those of DVM programs, and adds overlap to the shares. */
ps_status ps_measure_operations(struct measure *m, unsigned n_threads, ps_error *err);

/* PS_KNOWS_VARIATION and PS_KNOWS_OVERLAP, as far as the trace can tell. */
unsigned ps_measure_knows_ends(const ps_trace *trace);
/* Adds time variation to the shares. */
ps_status ps_measure_ends(struct measure *m, ps_error *err);

#endif
