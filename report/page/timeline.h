/* timeline.h - the picture of a run in a page for a browser: its data, which the scripts in page/ draw.
 *
 * docs/HTML.md has the format. */
#ifndef PS_REPORT_PAGE_TIMELINE_H
#define PS_REPORT_PAGE_TIMELINE_H

#include "report/document/document.h"

/* Is there anything to draw? The subject is a ps_report. */
bool ps_timeline_is_told(const void *subject);
ps_doc_writer ps_timeline_put;

#endif
