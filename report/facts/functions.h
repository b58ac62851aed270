/* functions.h - the profile of the program, for people. */
#ifndef PS_REPORT_FACTS_FUNCTIONS_H
#define PS_REPORT_FACTS_FUNCTIONS_H

#include "core/sums/functions.h"
#include "report/document/document.h"

/* A table of the first `most`; `between` (core/sums/functions.h) tells what is outside of all, or is NULL. */
void ps_functions_show(ps_doc *doc, const ps_trace *trace, const ps_times *times,
                       const ps_functions *functions, const ps_functions *between, uint32_t most);

#endif
