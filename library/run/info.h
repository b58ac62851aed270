/* info.h - what a trace holds, gathered as it is asked for, and written. */
#ifndef PS_LIBRARY_RUN_INFO_H
#define PS_LIBRARY_RUN_INFO_H

#include "library/run/asked.h"
#include "report/subjects/info.h"

/* Writes the report of that name about a trace. What it needs is made first, and is gone behind it. */
ps_status ps_info_write(const ps_trace *trace, const ps_options *options, const char *format, ps_output *out,
                        ps_error *err);
/* Does the options' profile tell all that the format does? PS_E_USAGE: no, or there is no such format. */
ps_status ps_info_check(const ps_options *options, const char *format, ps_error *err);

#endif
