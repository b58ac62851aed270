/* profile.h - the profile of a run in the reports of `patscan info`. */
#ifndef PS_REPORT_SUBJECTS_PROFILE_H
#define PS_REPORT_SUBJECTS_PROFILE_H

#include "report/document/document.h"
#include "report/print/row.h"
#include "report/subjects/info.h"

/* For people; links: NULL: on no network. */
ps_status ps_profile_show(ps_doc *doc, const ps_profile *profile, const ps_trace *trace,
                          const ps_link_load *links, const char *network, ps_error *err);
/* The member `profile`. */
void ps_profile_write_json(const ps_info *info, ps_row *row, const char *key);

#endif
