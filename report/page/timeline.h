/* timeline.h - the picture of a run in a page for a browser: its data, which the scripts in page/ draw.
 *
 * docs/HTML.md has the format. */
#ifndef PS_REPORT_PAGE_TIMELINE_H
#define PS_REPORT_PAGE_TIMELINE_H

#include "report/document/document.h"

/* Is there anything to draw? The subject is a ps_report. */
bool ps_timeline_is_told(const void *subject);
ps_doc_writer ps_timeline_put;
/* Two runs above one another, by their names. */
struct ps_report;
ps_status ps_timeline_put_two(ps_doc *doc, const struct ps_report *above, const char *above_name,
                              const struct ps_report *below, const char *below_name, ps_error *err);

/* What a page that is served asks for later. The lanes are those of the page, its times in ticks. */
typedef struct ps_timeline ps_timeline;
struct ps_picture_part;
void ps_timeline_free(ps_timeline *timeline);
uint32_t ps_timeline_lanes(const ps_timeline *timeline);
uint32_t ps_timeline_end(const ps_timeline *timeline);
/* An object of JSON: what the lane was in, function by function; PS_E_USAGE if that cannot be told. */
ps_status ps_timeline_put_stack(const ps_timeline *timeline, uint32_t lane, uint32_t begin, uint32_t end,
                                ps_output *out, ps_error *err);
/* An object of JSON: the part in full, or as far as there is room for it on a screen; "operations" only where
 * there are too many of them to be looked at while somebody waits. */
ps_status ps_timeline_put_part(const ps_timeline *timeline, const struct ps_picture_part *part,
                               ps_output *out, ps_error *err);

#endif
