/* formats.c - the formats of a report, in the order in which --report lists them. */
#include "report/report.h"

const ps_report_format ps_report_formats[] = {
        {"text", "for people: what was lost, where, and what to do about it", ps_report_write_text},
        {"json", "everything, for programs: docs/report.schema.json", ps_report_write_json},
};
const unsigned ps_report_n_formats = sizeof(ps_report_formats) / sizeof(*ps_report_formats);
