/* analysis.h - sections of the report of an analysis that have files of their own. */
#ifndef PS_REPORT_FORMATS_ANALYSIS_H
#define PS_REPORT_FORMATS_ANALYSIS_H

#include "report/document/document.h"

/* Where what was lost: the subject is a ps_report. */
ps_doc_writer ps_analysis_put_places;

#endif
