/* profile.h - the profile of a run in the reports of `patscan info`. */
#ifndef PS_REPORT_SUBJECTS_PROFILE_H
#define PS_REPORT_SUBJECTS_PROFILE_H

#include "report/print/row.h"
#include "report/subjects/info.h"

/* Charts of characters, as wide as the output. */
void ps_profile_write_text(const ps_info *info, ps_output *out);
/* The member `profile`. */
void ps_profile_write_json(const ps_info *info, ps_row *row, const char *key);

#endif
