/* formats.c - the formats of a report, in the order in which --report lists them. */
#include "report/exports/exports.h"
#include "report/facts/report.h"

const ps_report_format ps_report_formats[] = {
        {"text", "for people: what was lost, where, and what to do about it", ps_report_write_text, 0, 1,
         PS_ROWS_FEW},
        {"json", "everything, for programs: docs/report.schema.json", ps_report_write_json, 0, 1,
         PS_ROWS_FEW},
        {"json-compact", "the same as json in less text: docs/report-compact.schema.json",
         ps_report_write_json_compact, 0, 1, PS_ROWS_FEW},
        {"jsonl", "every single wait as a line of JSON", ps_report_write_jsonl, 0, 0, PS_ROWS_IN_TURN},
        {"csv", "findings as a table", ps_report_write_csv, 0, 0, PS_ROWS_FEW},
        {"html", "one page for a browser: the run over time, who waits for whom, causes and findings",
         ps_report_write_html, 1, 1, PS_ROWS_IN_TURN},
        {"sarif", "findings for editors and code scanning services", ps_report_write_sarif, 0, 1,
         PS_ROWS_OF_CAUSES},
        {"gcc", "findings like a compiler's warnings, for editors", ps_report_write_gcc, 0, 1, PS_ROWS_FEW},
        {"codequality", "findings for the widget of a GitLab merge request", ps_report_write_codequality, 0,
         0, PS_ROWS_FEW},
        {"junit", "findings and limits as tests that pass or fail, for CI services", ps_report_write_junit, 0,
         0, PS_ROWS_FEW},
        {"markdown", "the same as text, for a comment on a change", ps_report_write_markdown, 0, 1,
         PS_ROWS_FEW},
        {"perfetto", "the whole run for ui.perfetto.dev: functions, operations, and what they waited",
         ps_report_write_perfetto, 0, 1, PS_ROWS_IN_TURN},
        {"sqlite", "the whole run as a database: operations, messages, findings, causes, functions",
         ps_report_write_sqlite, 0, 1, PS_ROWS_IN_TURN},
};
const unsigned ps_report_n_formats = sizeof(ps_report_formats) / sizeof(*ps_report_formats);
