/* load.h - from definitions and streams of events to a frozen trace: fold, match, check the clocks. */
#ifndef PS_CORE_LOAD_LOAD_H
#define PS_CORE_LOAD_LOAD_H

#include "core/model/format.h"
#include "core/model/trace.h"

/* All stages after the definitions, which `trace` already holds (not frozen). */
ps_status ps_load_streams(ps_trace *trace, const ps_reader_class *format, ps_reader *reader,
                          const ps_load_options *options, ps_error *err);

/* The same as ps_trace_load for a format that is already known. */
ps_status ps_load(ps_trace **out, const ps_reader_class *format, const char *path,
                  const ps_load_options *options, ps_error *err);

#endif
