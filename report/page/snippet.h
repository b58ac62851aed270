/* snippet.h - the lines of a source around a place. */
#ifndef PS_REPORT_PAGE_SNIPPET_H
#define PS_REPORT_PAGE_SNIPPET_H

#include "report/facts/report.h"

/* A member of JSON, with a comma before it: "snippet": the number of the first line, and their texts. Nothing
 * where the source is not there. */
ps_status ps_snippet_put(const ps_report *report, const ps_source_place *place, ps_output *out,
                         ps_error *err);

#endif
