/* info_json.h - the keys that every JSON report on a trace has. */
#ifndef PS_REPORT_SUBJECTS_INFO_JSON_H
#define PS_REPORT_SUBJECTS_INFO_JSON_H

#include "report/print/json.h"
#include "report/subjects/info.h"

void ps_info_add_tool(ps_json *json, cJSON *root);
void ps_info_add_trace(ps_json *json, cJSON *root, const ps_info *info);
void ps_info_add_issues(ps_json *json, cJSON *root, const ps_trace *trace);

#endif
