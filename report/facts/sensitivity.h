/* sensitivity.h - what the length of a run depends on, in the formats of a report. */
#ifndef PS_REPORT_FACTS_SENSITIVITY_H
#define PS_REPORT_FACTS_SENSITIVITY_H

#include "report/print/record.h"
#include "simulator/whatif/outcome.h"

void ps_sensitivity_write_text(const ps_sensitivity *sensitivity, ps_output *out);
extern const ps_record ps_record_sensitivity;

#endif
