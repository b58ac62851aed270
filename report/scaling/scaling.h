/* scaling.h - the report of `patscan scale`, for people and for programs. */
#ifndef PS_REPORT_SCALING_SCALING_H
#define PS_REPORT_SCALING_SCALING_H

#include "compare/scale.h"
#include "report/print/record.h"

extern const ps_record ps_record_scaling; /* docs/scale.schema.json */

ps_status ps_scaling_write_text(const ps_scaling *scaling, ps_output *out, ps_error *err);
ps_status ps_scaling_write_json(const ps_scaling *scaling, ps_output *out, ps_error *err);
ps_status ps_scaling_write_csv(const ps_scaling *scaling, ps_output *out, ps_error *err);
ps_status ps_scaling_write_html(const ps_scaling *scaling, ps_output *out, ps_error *err);
ps_status ps_scaling_write_markdown(const ps_scaling *scaling, ps_output *out, ps_error *err);

#endif
