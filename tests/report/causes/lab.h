/* lab.h - a trace, and all that a report tells of it and of who makes others wait. */
#ifndef PS_TESTS_REPORT_CAUSES_LAB_H
#define PS_TESTS_REPORT_CAUSES_LAB_H

#include "report/causes/words.h"

struct told {
        ps_trace *trace;
        ps_wait_log *log;
        ps_analysis *analysis;
        ps_sources *sources;
        ps_report *report;
        ps_blame blame;
};

struct told lab_tell(const char *anchor, ps_clock_mode clock);
void lab_forget(struct told *t);

#endif
