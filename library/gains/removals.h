/* removals.h - at which operations findings were found: what a replay without them has to leave out. */
#ifndef PS_LIBRARY_GAINS_REMOVALS_H
#define PS_LIBRARY_GAINS_REMOVALS_H

#include "patterns/causes/causes.h"
#include "report/facts/report.h"
#include "simulator/whatif/whatif.h"

typedef struct ps_removals {
        ps_removal *row; /* in the order of the findings that were asked for */
        uint32_t n;
} ps_removals;

/* Who found them: as it noted (NULL: it did not), or else by another analysis like it. */
typedef struct ps_removals_source {
        const ps_analysis_options *how;
        const ps_wait_log *log;
} ps_removals_source;

/* To be cleared, also after a failure. */
ps_status ps_removals_gather(ps_removals *out, const ps_trace *trace, const ps_timing *timing,
                             const ps_removals_source *source, const ps_finding *const *findings, uint32_t n,
                             ps_error *err);
void ps_removals_clear(ps_removals *removals);

/* The operations of what the edits remove of the report's findings, and how many these are; `how` found
 * them. To be cleared, also after a failure. */
ps_status ps_removals_apply(ps_unwaited *out, uint64_t *n_operations, const ps_edits *edits,
                            const ps_report *report, const ps_analysis_options *how, ps_error *err);

/* The receives that the ids of the edits are about, in order; `room` is the caller's to free. A cause's id or
 * site stands for the findings of messages in wrong order that it explains: the report knows its causes. */
ps_status ps_removals_reordered(ps_ref **room, uint32_t *n, const ps_edits *edits, const ps_report *report,
                                const ps_removals_source *source, ps_error *err);

#endif
