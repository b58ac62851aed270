/* lab.h - a report that is written down by hand, for the tests of its formats.
 *
 * Four ranks of one location each run for 10 s. main() calls exchange() and MPI_Barrier, exchange() calls
 * MPI_Recv in line 42 and MPI_Send in line 40 or 51 of src/heat.c.
 *
 *   late-sender, MPI_Recv      rank 1: 3 times, 2 s; the worst from 1 s on for 1.5 s, rank 0 sends at 2.5 s
 *   late-sender, MPI_Recv      rank 3: twice, 0.6 s; the worst from 6 s on for 0.5 s, rank 0 sends at 6.5 s
 *   late-receiver, MPI_Send    rank 0: once, from 4 s on for 1 s, rank 2 receives at 5 s
 *   barrier-wait, MPI_Barrier  rank 2: once, from 9 s on for 0.25 s, nobody to blame and no line */
#ifndef PS_TESTS_REPORT_FORMATS_LAB_H
#define PS_TESTS_REPORT_FORMATS_LAB_H

#include "report/facts/report.h"

enum { LAB_RECV, LAB_SEND, LAB_BARRIER, LAB_PLACES, LAB_FINDINGS = 4, LAB_LOCATIONS = 4 };

typedef struct report_lab {
        ps_report report;
        ps_trace trace;
        ps_analysis analysis;
        ps_analysis_options options;
        ps_path_node paths[6];
        ps_ops ops[LAB_LOCATIONS];
        uint32_t op_call[LAB_LOCATIONS][2];
        struct ps_call op_says[LAB_LOCATIONS][2];
        ps_time op_enter[LAB_LOCATIONS][2], *enter[LAB_LOCATIONS];
        ps_finding found[LAB_FINDINGS];
        ps_report_finding rows[LAB_FINDINGS];
        ps_report_pattern patterns[2];
        ps_source_place places[LAB_PLACES];
        ps_times times; /* 36.4 s of computation, 3.6 s of waiting */
        ps_time time[PS_TIME_KINDS][LAB_LOCATIONS];
        ps_functions functions; /* none */
} report_lab;

/* Names of the regions exchange and MPI_Recv, and of the file; NULL: those above. */
typedef struct lab_names {
        const char *function, *call, *file, *comment;
} lab_names;

void report_lab_open(report_lab *lab, const lab_names *names);
void report_lab_close(report_lab *lab);

/* What a format writes; *out has to be discarded. */
const char *report_lab_write(report_lab *lab, ps_output **out,
                             ps_status (*write)(const ps_report *, ps_output *, ps_error *));

#endif
