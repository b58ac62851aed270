/* html_profile.h - the run over time in the HTML report, as docs/PROFILE.md defines it. */
#ifndef PS_REPORT_FORMATS_HTML_PROFILE_H
#define PS_REPORT_FORMATS_HTML_PROFILE_H

#include "core/sums/profile.h"
#include "report/print/output.h"

ps_status ps_html_profile_write(const ps_profile *profile, const ps_trace *trace, ps_output *out,
                                ps_error *err);

#endif
