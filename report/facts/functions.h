/* functions.h - the profile of the program, for people. */
#ifndef PS_REPORT_FACTS_FUNCTIONS_H
#define PS_REPORT_FACTS_FUNCTIONS_H

#include "core/sums/functions.h"
#include "report/document/document.h"

/* A table of the first `most`. */
void ps_functions_show(ps_doc *doc, const ps_trace *trace, const ps_times *times,
                       const ps_functions *functions, uint32_t most);

#endif
