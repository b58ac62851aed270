/* load.h - from a path to a frozen trace: open, fold, match, check the clocks. It stands with the readers
 * because the core knows none of them. */
#ifndef PS_READER_LOAD_H
#define PS_READER_LOAD_H

#include "core/trace.h"
#include "reader/reader.h"

/* The same as ps_trace_load for a reader that is already known (tests, generators). */
ps_status ps_load(ps_trace **out, const ps_reader_class *format, const char *path,
                  const ps_load_options *options, ps_error *err);

#endif
