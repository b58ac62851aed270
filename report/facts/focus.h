/* focus.h - what part of the run a report is about: for programs, and in a sentence. */
#ifndef PS_REPORT_FACTS_FOCUS_H
#define PS_REPORT_FACTS_FOCUS_H

#include "report/facts/report.h"
#include "report/facts/verdict.h"
#include "report/print/record.h"

/* Such as "MPI_Init and MPI_Finalize took 389 ms of 427 ms; what follows is about the 36 ms between them.";
 * "" where it is about all. */
void ps_report_focus(char room[PS_DOUBT_ROOM], const ps_report *report);

#endif
