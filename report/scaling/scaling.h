/* scaling.h - the report of `patscan scale`, for people and for programs. */
#ifndef PS_REPORT_SCALING_SCALING_H
#define PS_REPORT_SCALING_SCALING_H

#include "compare/scale.h"
#include "report/document/document.h"
#include "report/print/record.h"

extern const ps_record ps_record_scaling; /* docs/scale.schema.json */

/* Sections of a document: the factors of each run, and what stops the program from scaling. */
ps_status ps_scaling_put_runs(ps_doc *doc, const void *scaling, ps_error *err);
ps_status ps_scaling_put_limits(ps_doc *doc, const void *scaling, ps_error *err);

/* What a script draws of them on a page; nothing elsewhere. */
ps_status ps_scaling_put_pictures(ps_doc *doc, const void *scaling, ps_error *err);

typedef ps_status ps_scaling_writer(const ps_scaling *scaling, ps_output *out, ps_error *err);
ps_scaling_writer ps_scaling_write_text, ps_scaling_write_json, ps_scaling_write_html,
        ps_scaling_write_markdown;
/* `table`: of ps_record_scaling; NULL: the runs. */
ps_status ps_scaling_write_csv(const ps_scaling *scaling, const ps_field *table, ps_output *out,
                               ps_error *err);

#endif
