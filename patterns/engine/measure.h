/* measure.h - intervals while they are measured; for intervals.c and what it is made of. */
#ifndef PS_PATTERNS_ENGINE_MEASURE_H
#define PS_PATTERNS_ENGINE_MEASURE_H

#include "core/load/share.h"
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
        uint32_t range_ops; /* as in ps_analysis_options */
        bool times_only;    /* see ps_intervals_of_times */
};

/* intervals.c: of a trace and a timing, and as range_ops says. */
ps_status ps_intervals_measure(ps_intervals **out, struct measure *m, const ps_analysis *analysis,
                               const char *const *names, uint32_t n, unsigned n_threads, ps_error *err);

/* What the operations of a call path are for; PS_IC_COUNT: for nothing that intervals tell. */
ps_interval_class ps_measure_class(const struct measure *m, ps_path path);

/* What operations of a kind are for, where the call path does not say it. */
ps_interval_class ps_measure_class_of_kind(ps_kind kind);

/* So much of an interval, for its share of one processor. */
struct overlap {
        uint32_t interval;
        ps_time time[PS_IC_COUNT];
        ps_time earlier[PS_IC_COUNT]; /* than the last one: time variation */
};

struct overlaps {
        struct overlap *row;
        uint32_t n, cap;
};

enum { WITH_NONE = PS_IC_COUNT + 1 }; /* classes, and none */

/* What operations tell of the intervals. */
struct operations {
        const struct measure *m;
        uint8_t *of_path;          /* by path: ps_interval_class */
        uint64_t *count;           /* by interval and class, of which the last is of no class */
        struct overlaps *overlaps; /* by location */
        struct measure *ends;      /* whose time variation is added meanwhile; NULL: nobody's */
};

/* interval_ops.c: counts the operations, but for those of DVM programs, and adds overlap and time variation
 * to the shares. */
ps_status ps_measure_operations(struct measure *m, unsigned n_threads, ps_error *err);
/* The operations of the locations that are here. */
ps_status ps_operations_count(struct operations *o, unsigned n_threads, ps_error *err);
void ps_operations_clear(struct operations *o);

/* interval_parts.c: lets others do so with the rows that they have, and adds what they count. */
ps_status ps_operations_ask(const struct operations *o, ps_exchange *x, ps_error *err);
ps_status ps_operations_gather(struct operations *o, ps_exchange *x, ps_status status, ps_error *err);

/* PS_KNOWS_VARIATION and PS_KNOWS_OVERLAP, as far as the trace can tell. */
unsigned ps_measure_knows_ends(const ps_trace *trace);
/* Adds time variation to the shares, as far as ps_measure_ends_here() does not tell it: by one thread, while
 * others look at operations. */
ps_status ps_measure_ends(struct measure *m, ps_error *err);
/* Tells that of the locations that are here, where several processes have members of collective operations;
 * by all of them together, who have agreed before that all is well. */
ps_status ps_measure_ends_here(struct operations *o, ps_error *err);

#endif
