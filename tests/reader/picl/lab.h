/* lab.h - PICL traces as texts in a test. */
#ifndef PS_TESTS_READER_PICL_LAB_H
#define PS_TESTS_READER_PICL_LAB_H

#include "core/model/trace.h"
#include <stddef.h>

/* In event 3 of node 0: it sends to node 1, waits for what that sends, and both do a global operation. */
#define PICL_EXCHANGE                                                                                        \
        "-3 3 0.000001 0 0 0\n"                                                                              \
        "-3 -57 0.000002 0 0 3 2 1 1 0\n"                                                                    \
        "-4 -57 0.000003 0 0 1 2 0\n"                                                                        \
        "-3 -27 0.000002 1 0 4 2 100 1 0 0\n"                                                                \
        "-4 -27 0.000003 1 0 1 2 0\n"                                                                        \
        "-3 -61 0.000004 0 0 1 2 0\n"                                                                        \
        "-4 -61 0.000006 0 0 4 2 100 1 1 0\n"                                                                \
        "-3 -31 0.000004 1 0 1 2 0\n"                                                                        \
        "-4 -31 0.000005 1 0 0\n"                                                                            \
        "-3 -790 0.000007 0 0 3 2 16 0 1\n"                                                                  \
        "-3 -790 0.000007 1 0 3 2 16 0 1\n"                                                                  \
        "-4 -790 0.000008 0 0 1 2 16\n"                                                                      \
        "-4 -790 0.000008 1 0 1 2 -1\n"

/* The name of a file with this text, until the next one is written. */
const char *picl_written(const char *text, size_t n);

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
