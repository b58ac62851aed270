/* profile.h - the profile of a run in the reports of `patscan info`. */
#ifndef PS_REPORT_SUBJECTS_PROFILE_H
#define PS_REPORT_SUBJECTS_PROFILE_H

#include "report/document/document.h"
#include "report/print/record.h"
#include "report/subjects/info.h"

/* For people; links: NULL: on no network. */
ps_status ps_profile_show(ps_doc *doc, const ps_profile *profile, const ps_trace *trace,
                          const ps_link_load *links, const char *network, ps_error *err);
extern const ps_record ps_record_profile; /* of a ps_info */
extern const ps_record ps_record_profile_bin, ps_record_profile_pair;
/* Tables beside those of the report; of a ps_report that has a profile. */
extern const ps_record ps_record_pictures;

#endif
