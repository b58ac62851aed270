/* next.h - the commands that go on from a report for people: what it names, and what it makes one ask. */
#ifndef PS_REPORT_FACTS_NEXT_H
#define PS_REPORT_FACTS_NEXT_H

#include "report/facts/report.h"

void ps_next_write_text(const ps_report *report, ps_output *out);

#endif
