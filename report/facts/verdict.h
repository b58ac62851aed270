/* verdict.h - what the reports for people say of the whole run, whatever they look like. */
#ifndef PS_REPORT_FACTS_VERDICT_H
#define PS_REPORT_FACTS_VERDICT_H

#include "report/facts/report.h"
#include "report/print/output.h"

/* "4 ranks on 2 nodes, 116.1 ms, 848 operations" */
enum { PS_DOUBT_ROOM = 512 };
void ps_report_describe(char room[PS_DOUBT_ROOM], const ps_report *report);

/* Which waits count, and what makes them less sure than they look: a sentence or two. */
void ps_report_doubt(char room[PS_DOUBT_ROOM], const ps_report *report);

/* Which processes take no part, in a sentence; "" where all do. */
void ps_report_apart(char room[PS_DOUBT_ROOM], const ps_report *report);

/* What was lost, in a sentence, where clocks leave more open than they tell; else "". */
void ps_report_untold(char room[PS_DOUBT_ROOM], const ps_report *report);
/* How much of what was lost is certain, in a sentence; "" where all of it is. */
void ps_report_certain(char room[PS_DOUBT_ROOM], const ps_report *report);

/* Where not only waiting is lost, as in a DVM program whose processors repeat one another's work: what became
 * of the time of all, in a sentence; else "". */
void ps_report_useful(char room[PS_DOUBT_ROOM], const ps_report *report);

/* What it is worth that a finding and what is at its place in other ranks were gone, in a sentence; "" where
 * nobody asked. */
void ps_report_gain(char room[PS_DOUBT_ROOM], const ps_report *report, const ps_report_finding *finding);

/* The child of the pattern row `parent` (PS_NONE: of none) that follows `last` (PS_NONE: the first), of those
 * that were found: the largest total first. `views`: of the rows without a parent only those that are views,
 * or only those that are none. */
/* What a root row finds: waiting, an operation's own time, or what others may charge, too. */
typedef enum ps_pattern_sort {
        PS_PATTERNS_DVM, /* what the DVM system calls lost */
        PS_PATTERNS_WAIT,
        PS_PATTERNS_WORK,
        PS_PATTERNS_VIEW,
        PS_PATTERN_SORTS
} ps_pattern_sort;
uint32_t ps_report_next_pattern(const ps_report *report, uint32_t parent, uint32_t last,
                                ps_pattern_sort sort);

#endif
