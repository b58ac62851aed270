/* replayed_source.h - the events of a trace at the times of another timing, for those who write traces.
 *
 * A trace keeps operations, not events: these are made anew, so that what is read back has the same
 * operations, matches, call paths and times. What was no part of an operation is not there to be told:
 * regions in which nothing was called (their time is that of the region around them), visits of regions that
 * no operation tells apart, metrics and parameters. */
#ifndef PS_CORE_VIEWS_REPLAYED_SOURCE_H
#define PS_CORE_VIEWS_REPLAYED_SOURCE_H

#include "core/model/trace.h"
#include "core/views/cursor.h"

typedef struct ps_replayed_source ps_replayed_source;

/* Borrows both. */
ps_status ps_replayed_source_new(ps_replayed_source **out, const ps_trace *trace, const ps_timing *timing,
                                 ps_error *err);
void ps_replayed_source_free(ps_replayed_source *source);

/* From the beginning; one at a time. */
ps_source ps_replayed_source_of(ps_replayed_source *source);

#endif
