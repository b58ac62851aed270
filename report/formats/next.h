/* next.h - the commands that go on from a report for people: what it names, and what it makes one ask. */
#ifndef PS_REPORT_FORMATS_NEXT_H
#define PS_REPORT_FORMATS_NEXT_H

#include "report/facts/report.h"

bool ps_next_has(const ps_report *report); /* any */
/* Is there one that would tell lines which this trace does not have? */
bool ps_next_tells_lines(const ps_report *report);
void ps_next_show(ps_doc *doc, const ps_report *report);

/* What goes behind the report's `dump` to make the command that shows the worst instance of a finding in the
 * trace, words and numbers. Returns how many bytes that are; 0 when it is not there. */
enum { PS_NEXT_ROOM = 160 };
size_t ps_next_events(const ps_report *report, const ps_report_finding *finding, char room[PS_NEXT_ROOM]);
/* How to see the worst instance of a finding in the trace; nothing if it is not there. */
void ps_next_show_events(ps_doc *doc, const ps_report *report, const ps_report_finding *finding);

/* How to try an edit. */
void ps_next_show_prediction(ps_doc *doc, const ps_report *report, const char *edit);

#endif
