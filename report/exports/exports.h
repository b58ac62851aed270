/* exports.h - the whole run for other tools: formats of a report. */
#ifndef PS_REPORT_EXPORTS_EXPORTS_H
#define PS_REPORT_EXPORTS_EXPORTS_H

#include "report/facts/report.h"

ps_status ps_report_write_perfetto(const ps_report *report, ps_output *out, ps_error *err);
/* Is there what writes databases? PS_E_OUTPUT: no. */
ps_status ps_report_check_sqlite(ps_error *err);
ps_status ps_report_write_sqlite(const ps_report *report, ps_output *out, ps_error *err);

#endif
