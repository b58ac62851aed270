/* sensitivity.h - what the length of a run depends on, in the formats of a report. */
#ifndef PS_REPORT_FACTS_SENSITIVITY_H
#define PS_REPORT_FACTS_SENSITIVITY_H

#include "report/document/document.h"
#include "report/print/record.h"
#include "simulator/whatif/outcome.h"

/* For people: two tables. */
void ps_sensitivity_show(ps_doc *doc, const ps_sensitivity *sensitivity);
extern const ps_record ps_record_sensitivity;

#endif
