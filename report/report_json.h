/* report_json.h - parts of the JSON report that other formats share. */
#ifndef PS_REPORT_REPORT_JSON_H
#define PS_REPORT_REPORT_JSON_H

#include "report/json_row.h"
#include "report/report.h"

/* An element of `findings`. */
void ps_report_json_finding(ps_json_row *row, const ps_report *report, const ps_report_finding *finding);
/* An element of `patterns`. */
void ps_report_json_pattern(ps_json_row *row, const ps_report *report, const ps_report_pattern *pattern);

#endif
