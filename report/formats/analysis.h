/* analysis.h - sections of the report of an analysis that have files of their own. */
#ifndef PS_REPORT_FORMATS_ANALYSIS_H
#define PS_REPORT_FORMATS_ANALYSIS_H

#include "report/document/document.h"
#include "report/facts/places.h"

/* Where the time went: the subject is a ps_report, here and below. */
ps_doc_writer ps_analysis_put_times;

/* Where what was lost. */
ps_doc_writer ps_analysis_put_places;
void ps_analysis_put_callpath(ps_doc *doc, const ps_report *report, ps_path path);

/* Who made the others wait, with their numbers, and of a place which of them it is due to. */
bool ps_analysis_has_causes(const void *subject);
ps_doc_writer ps_analysis_put_causes;
void ps_analysis_put_caused(ps_doc *doc, const ps_report *report, const ps_report_place *place);

bool ps_analysis_has_critical(const void *subject);
ps_doc_writer ps_analysis_put_critical;

#endif
