/* info_json.h - the keys that every JSON report on a trace has. */
#ifndef PS_REPORT_SUBJECTS_INFO_JSON_H
#define PS_REPORT_SUBJECTS_INFO_JSON_H

#include "report/print/record.h"
#include "report/subjects/info.h"

extern const ps_record ps_record_trace, ps_record_issue;
extern const ps_record ps_record_info; /* docs/info.schema.json */

void ps_info_put_trace(ps_row *to, const char *key, const ps_info *info);
void ps_info_put_issues(ps_row *to, const char *key, const ps_trace *trace);

#endif
