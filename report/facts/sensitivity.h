/* sensitivity.h - what the length of a run depends on, in the formats of a report. */
#ifndef PS_REPORT_FACTS_SENSITIVITY_H
#define PS_REPORT_FACTS_SENSITIVITY_H

#include "report/print/json_row.h"
#include "simulator/whatif/outcome.h"

void ps_sensitivity_write_text(const ps_sensitivity *sensitivity, ps_output *out);
/* A member "sensitivity". */
void ps_sensitivity_write_json(const ps_sensitivity *sensitivity, ps_json_row *row);

#endif
