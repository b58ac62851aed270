/* timeline.h - the picture of a run in a page for a browser: its data, which the scripts in page/ draw.
 *
 * docs/HTML.md has the format. */
#ifndef PS_REPORT_PAGE_TIMELINE_H
#define PS_REPORT_PAGE_TIMELINE_H

#include "report/document/document.h"

/* Is there anything to draw? The subject is a ps_report. */
bool ps_timeline_is_told(const void *subject);
ps_doc_writer ps_timeline_put;

/* What a page that is served asks for later. The lanes are those of the page, its times in ticks. */
typedef struct ps_timeline ps_timeline;
struct ps_picture_part;
void ps_timeline_free(ps_timeline *timeline);
uint32_t ps_timeline_lanes(const ps_timeline *timeline);
uint32_t ps_timeline_end(const ps_timeline *timeline);
/* An object of JSON: the part in full, or as far as there is room for it on a screen; "operations" only where
 * there are too many of them to be looked at while somebody waits. */
ps_status ps_timeline_put_part(const ps_timeline *timeline, const struct ps_picture_part *part,
                               ps_output *out, ps_error *err);

#endif
