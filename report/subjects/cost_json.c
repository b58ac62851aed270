/* cost_json.c - what operations cost, for programs: one table of records. */
#include "report/subjects/cost.h"

static const char *const schema_names[] = {"patscan-cost-1"};

#define RECORD     cost_row
#define RECORD_DEF "report/subjects/cost_row.def"
#define RECORD_IN  ps_cost_report
#define RECORD_IT  ps_cost_row
#define RECORD_DOC "what one operation takes in one way"
#include "report/print/make_record.def"

#define RECORD       cost
#define RECORD_DEF   "report/subjects/cost.def"
#define RECORD_IT    ps_cost_report
#define RECORD_DOC   "What `patscan cost --report json` writes, version 1."
#define RECORD_WRITE ps_cost_write_json
#define RECORD_STYLE PS_ROW_SPACED
#include "report/print/make_record.def"

ps_status ps_cost_write_csv(const ps_cost_report *report, ps_output *out, ps_error *err)
{
        (void)err;
        ps_record_write_csv(out, &ps_record_cost, ps_record_table(&ps_record_cost, "rows", 4), NULL, report);
        return PS_OK;
}
