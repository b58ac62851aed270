/* lab.h - PICL traces as texts in a test. */
#ifndef PS_TESTS_READER_PICL_LAB_H
#define PS_TESTS_READER_PICL_LAB_H

#include "core/model/trace.h"
#include <stddef.h>

/* The trace that a file with this text is, whatever the probe says; times as they are. Dies when it does not
 * load. */
ps_trace *picl_loaded(const char *text);
ps_trace *picl_loaded_or_null(const char *text); /* what the probe lets through */
/* Loads what may be broken, checks it, with `analyses` by all definitions and reports too, and frees it. 1:
 * it did load. */
int picl_hostile(const char *text, size_t n, int analyses);
/* The last reason of a load that must fail; valid until the next call. */
const char *picl_reason(const char *text);
/* How sure the reader is of a file that begins so. */
int picl_sure(const char *text);

/* Of a trace given to this machine: where, or NULL. PATSCAN_TRACES names the folder, else
 * ../<any>/traces/picl. */
const char *picl_given(const char *name);

/* Time in a region on a location, without what is below it if `exclusive`. */
ps_time picl_time_in(const ps_trace *trace, ps_loc loc, const char *region, int exclusive);
/* The sum over all locations of the records of a code. */
uint64_t picl_count(const ps_trace *trace, const char *code);

#endif
